//! The connector seam: steps 4 (ask) and 6 (read) of 10, for one network or a family of them.
//!
//! Sans-io: a connector turns an intent into a request and a response into a page; somebody
//! else moves the bytes. Two families implement it: definitions (`freshet-network`) and mined
//! forums (`freshet-forum`).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::complaint::Complaint;
use crate::coverage::{IdOrder, Mark};
use crate::definition::{PageKind, RelationRole};
use crate::observation::Observation;
use crate::stream::{Heard, StreamInfo, StreamMessage, StreamTarget};
use crate::{
    Holder, Instance, LimitReading, Outcome, Request, Response, RobotKind, Span, Timestamp, Timetable,
    Validators,
};

/// What to ask about.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    /// On which server.
    pub instance: &'a Instance,
    /// Through which endpoint.
    pub endpoint: &'a str,
    /// Id of the root object, or the handle for a look-up.
    pub root: &'a str,
    /// The credential to use, if any, and with whom its quotas are shared.
    pub credential: Option<&'a Holder>,
    /// For conditional requests.
    pub validators: Option<&'a Validators>,
}

/// Which part of a list is wanted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Intent {
    /// The first page: the newest posts, or the object itself.
    First,
    /// The page after the one that gave this cursor.
    Next(String),
    /// What is newer than this mark, where the endpoint can say so. The walk does not use it: a
    /// first page costs as much and also shows what was edited or deleted since.
    Newer(Mark),
    /// These members, of which a page gave only the ids.
    Members(Vec<String>),
    /// All of these roots at once, the target's own among them: which of them have news, or their newest posts ([`GroupAsk`]).
    Group(Vec<String>),
}

/// How gently a server is to be treated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Politeness {
    /// At least so long between two requests.
    pub pause: Span,
    /// At most so many at once.
    pub in_flight_max: u32,
}

/// In which order the pages of a list run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListOrder {
    /// From new to old: a visit begins at the top, and reaching a known mark closes the gap.
    NewestFirst,
    /// From old to new, as in threads of forums: a visit begins at the last page that is known.
    OldestFirst,
    /// Nothing can be relied on: the list is swept from end to end.
    #[default]
    Mixed,
}

/// What the engine must know about an endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Endpoint {
    /// Its name in the definition.
    pub name: Arc<str>,
    /// The robot it works for; `None` for look-ups.
    pub robot: Option<RobotKind>,
    /// Type of the root object.
    pub root_kind: Arc<str>,
    /// What a page of it holds.
    pub kind: PageKind,
    /// Posts or members on a full page.
    pub page_size: u32,
    /// How ids are ordered, hence how marks are compared.
    pub id_order: IdOrder,
    /// How its pages run, hence where a visit begins and what closes a hole.
    pub order: ListOrder,
    /// The list shows only its newest part, as feeds do.
    pub is_window: bool,
    /// The collection of the root whose members are stored as such, where their own rows do not tell.
    pub link: Option<Arc<str>>,
    /// The value of the root that counts the members of the list: where it says 0, there is nothing to visit.
    pub counted_by: Option<Arc<str>>,
    /// Of a list of accounts: on which side of the relation the root is.
    pub relation: Option<RelationRole>,
    /// Ids that one `Intent::Members` request may name.
    pub members_max: usize,
    /// What one `Intent::Group` request does.
    pub group: GroupAsk,
    pub politeness: Politeness,
}

/// What one request can do for several roots of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupAsk {
    /// Roots that it may name; 0 where each needs a request of its own.
    pub roots_max: usize,
    /// Posts that it shows of all of them together, where it is a page of their merged list; 0 where it is a probe, which only
    /// tells who has news.
    pub posts_max: usize,
}

/// An answer, read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// What it is about.
    pub kind: PageKind,
    /// What the network said.
    pub outcome: Outcome,
    /// What it showed.
    pub observation: Observation,
    /// What it calls the list that it shows, as [`crate::list::clean_title`] leaves it.
    pub title: Option<String>,
    /// Where the list goes on; `None` at its end.
    pub next: Option<String>,
    /// The list goes on below, and the page does not say where: it is not at its end.
    pub is_broken_off: bool,
    /// Ids of members that the page names but does not show; ask with `Intent::Members`.
    pub members: Vec<String>,
    /// What a probe shows of each root.
    pub pulses: Vec<Pulse>,
    /// Of a page of a merged list: whose each post is.
    pub shares: Vec<Share>,
    /// Nothing changed since the validators were given (304).
    pub is_unchanged: bool,
    /// The server answered with something else; what was asked for is at `next`.
    pub is_detour: bool,
    /// For the next conditional request.
    pub validators: Validators,
    /// What its publisher says about when to come; `None` where the answer cannot say it.
    pub timetable: Option<Timetable>,
    /// What it announced about limits.
    pub limits: Vec<LimitReading>,
    /// What could not be used.
    pub complaints: Vec<Complaint>,
}

/// What a probe shows of a root: something that changes with every post on its list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pulse {
    /// Id of the root.
    pub root: String,
    /// A count, or the id of the newest post.
    pub value: String,
}

/// A post on a page of a merged list, and a root on whose own list it stands; one post may stand on several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Id of the root.
    pub root: String,
    /// Id of the post.
    pub post: String,
}

impl Pulse {
    /// How many posts came since another value of the same root, where both are counts and it rose; at least one where it changed
    /// at all.
    pub fn risen(before: &str, value: &str) -> u32 {
        let counts = before.parse::<u64>().ok().zip(value.parse::<u64>().ok());
        // An id is a number too, and no count.
        let rise =
            counts.and_then(|(before, value)| value.checked_sub(before)).filter(|rise| *rise <= RISE_MAX);
        match rise {
            _ if before == value => 0,
            Some(rise) => u32::try_from(rise).unwrap_or(u32::MAX).max(1),
            None => 1,
        }
    }
}

/// A count that rises by more is none.
const RISE_MAX: u64 = 10_000;

/// Where complaints stand that are about the address of an answer and not about what it shows.
pub(crate) const URL_PLACE: &str = "url";

impl Page {
    /// Whether nothing could be read of an answer that came as "ok". That is no empty list: nothing follows from it.
    ///
    /// Complaints about the address do not count: where a server led elsewhere, the connector has judged that.
    pub fn is_unread(&self) -> bool {
        let is_answer = self.outcome == Outcome::Ok && self.kind != PageKind::Other;
        let is_about_it = |complaint: &Complaint| complaint.place != URL_PLACE;
        let is_empty = self.members.is_empty() && self.observation == Observation::default();
        is_answer
            && !self.is_unchanged
            && !self.is_detour
            && is_empty
            && self.complaints.iter().any(is_about_it)
    }
}

/// Why a request cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AskRefused(pub String);

/// Speaks for one network, or for a family of them.
pub trait Connector: Send + Sync + std::fmt::Debug {
    /// Name of the definition it speaks for.
    fn name(&self) -> &str;

    /// All endpoints.
    fn endpoints(&self) -> &[Endpoint];

    /// The endpoint of this name.
    fn endpoint(&self, name: &str) -> Option<&Endpoint> {
        self.endpoints().iter().find(|endpoint| &*endpoint.name == name)
    }

    /// The endpoint that turns a handle into an account, where ids are not handles.
    fn lookup(&self) -> Option<&Endpoint>;

    /// The endpoint that shows one object of this type, to tell "missing" from "deleted".
    fn single(&self, root_kind: &str) -> Option<&Endpoint>;

    /// Step 4: the request for this part of the target.
    fn ask(&self, target: &Target<'_>, intent: &Intent) -> Result<Request, AskRefused>;

    /// Step 6: what the answer shows. Never fails as a whole.
    fn read(&self, target: &Target<'_>, intent: &Intent, response: &Response, now: Timestamp) -> Page;

    /// What its servers send by themselves.
    fn streams(&self) -> &[StreamInfo] {
        &[]
    }

    /// The request that opens a stream.
    fn open(&self, target: &StreamTarget<'_>) -> Result<Request, AskRefused> {
        Err(AskRefused(format!("`{}` has no stream `{}`", target.instance.network, target.name)))
    }

    /// What a message of a stream shows. Never fails as a whole.
    fn read_message(&self, target: &StreamTarget<'_>, message: &StreamMessage, now: Timestamp) -> Heard {
        let _ = (target, message, now);
        Heard::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Post, Tag};

    fn check(page: &Page, expected: bool) {
        assert_eq!(page.is_unread(), expected, "{page:?}");
    }

    #[test]
    fn a_pulse_that_changed_means_at_least_one_post() {
        for (before, value, expected) in [
            ("42", "42", 0),
            ("42", "45", 3),
            ("45", "42", 1),
            ("a", "b", 1),
            ("42", "", 1),
            ("", "", 0),
            // Ids of posts are numbers too, and no counts.
            ("110000000000000001", "110000000000999999", 1),
            ("18446744073709551615", "0", 1),
            ("42", "18446744073709551616", 1),
        ] {
            assert_eq!(Pulse::risen(before, value), expected, "{before} to {value}");
        }
    }

    #[test]
    fn only_a_page_without_anything_to_read_is_unread() {
        let complaints = |place: &str| vec![Complaint::new(place, "it shows no posts")];
        let page = Page { kind: PageKind::Comments, complaints: complaints("page"), ..Page::default() };
        check(&page, true);
        check(&Page { complaints: Vec::new(), ..page.clone() }, false);
        check(&Page { complaints: complaints(URL_PLACE), ..page.clone() }, false);
        check(&Page { kind: PageKind::Other, ..page.clone() }, false);
        check(&Page { outcome: Outcome::Private, ..page.clone() }, false);
        check(&Page { is_detour: true, ..page.clone() }, false);
        check(&Page { is_unchanged: true, ..page.clone() }, false);
        check(&Page { members: vec!["7".to_owned()], ..page.clone() }, false);
        let tags = vec![Tag { account: "a".to_owned(), name: "t".to_owned() }];
        check(&Page { observation: Observation { tags, ..Observation::default() }, ..page.clone() }, false);
        let posts = vec![Post::default()];
        check(&Page { observation: Observation { posts, ..Observation::default() }, ..page }, false);
    }
}
