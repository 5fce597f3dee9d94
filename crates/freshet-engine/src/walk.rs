//! The walk of one visit: which part of a source to ask for next, and what each page proves.
//!
//! Newest first, always: the first page of a list costs one call, brings the news, closes the
//! gap to what is known in all but the rarest cases, and shows edits and deletions of recent
//! posts for nothing. Only if it does not reach a known post does the walk go on below, from
//! cursor to cursor, until [`Coverage`] has no hole left or the visit has had its share of
//! pages; the cursor of a hole is stored, so the next visit goes on where this one stopped.
//!
//! An empty list is ambiguous: everything may be deleted, or everything hidden. Where posts were
//! known before, the owner's profile decides: if it stands there as ever, the list is truly
//! empty, and each known post is asked about.
//!
//! Lists of a forum are walked in two ways of their own: threads of a board from the top, as [`lists`]
//! says, and posts of a thread from their last known page, as [`tail`] says.
//!
//! Lists of accounts have no order to trust: they are swept from the first page to the last,
//! over several visits if need be, and what a whole sweep did not show was cancelled.
//!
//! Pure: a page in, the next intent out. Quotas, time-outs and retries are not its business.

mod lists;
mod marks;
mod tail;

use std::collections::VecDeque;

use freshet_store::row::{Listing, RelationSweep};
use freshet_types::definition::RelationRole;
use freshet_types::{
    AccountState, Connector, Coverage, Endpoint, Intent, ListOrder, Look, Mark, Page, PageKind, Post,
    RobotKind, Set, Source, Span, Timestamp, VisitId,
};

use marks::{ends, listing, marks_of, note_news, unknown_members, wanted_since};

/// Pages of one list that one visit may read, so that one long history starves nobody.
pub const PAGES_PER_VISIT_MAX: u32 = 8;
/// Missing posts that one visit asks about one by one.
pub const CHECKS_PER_VISIT_MAX: usize = 10;
/// Members fetched by id in one visit.
const MEMBERS_PER_VISIT_MAX: usize = 400;

/// Why a list is not read further down.
const STUCK: &str = "the list goes on and on without showing posts: it is not followed any further";

/// Type of the objects that own lists of posts.
pub const ACCOUNT: &str = "account";

/// What a visit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aim {
    /// What is new at the top.
    News,
    /// What is missing below.
    History,
    /// What has changed on a page that is known.
    Again,
}

/// What is being asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leg {
    /// The handle, to learn the id.
    Lookup,
    /// The source's own endpoint.
    List,
    /// One page of it that is known, for what has changed there.
    Again,
    /// The account whose list is empty though posts of it are known.
    Owner,
    /// The account that asked not to be collected, whether it still does.
    Consent,
    /// One post of the source that its list should have shown.
    Check(String),
}

/// Where a visit stands.
#[derive(Clone, Debug)]
pub struct Walk {
    /// What is being asked about.
    pub leg: Leg,
    /// Which part of it.
    pub intent: Intent,
    page_count: u32,
    members: VecDeque<Vec<String>>,
    /// Nothing proves that the members follow upon what is covered.
    is_apart: bool,
    checks: VecDeque<String>,
    /// The network shows accounts one by one.
    pub has_owner: bool,
    /// The cursor whose page was empty: the end of the list, if its top still shows posts.
    doubted: Option<String>,
    /// Pages below the first that showed no posts, in a row.
    barren_count: u32,
    /// Pages of the sweep that could not be read as a whole.
    unread_count: u32,
    /// The list runs from old to new, and the visit begins at its last known page.
    is_tail: bool,
    /// How often the list may be begun anew in this visit, where its pages do not chain.
    restarts_left: u8,
    /// Records that pages of this visit showed, so that a list that goes round is noticed.
    seen: Set<String>,
    /// Posting times of new posts that a later page of this visit tells with its own.
    held: Vec<Timestamp>,
}

/// What a page meant for the walk.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    /// There is more to ask in this visit.
    pub goes_on: bool,
    /// The visit ends here, and the source has more that is known to be missing.
    pub has_more: bool,
    /// Posting times of posts that were new to us.
    pub news: Vec<Timestamp>,
    /// Lags of those among them that appeared after the last look.
    pub lags: Vec<Span>,
    /// The stretch that the page lists completely.
    pub lists: Option<Listing>,
    /// Posts that were taken out of the list, as their neighbours prove.
    pub deleted: Vec<String>,
    /// Why the visit stopped before the end of the list.
    pub complaint: Option<&'static str>,
    /// A relation list was read to its end.
    pub swept: Option<RelationSweep>,
    /// The looked-up handle is unknown to the network.
    pub is_unknown: bool,
}

impl Walk {
    /// The first question of a visit to a source read through `endpoint`.
    pub fn start(source: &Source, endpoint: &Endpoint, aim: Aim) -> Self {
        let leg = if source.root_id.is_empty() { Leg::Lookup } else { Leg::List };
        let intent = match leg {
            Leg::List => first_intent(source, endpoint, aim),
            _ => Intent::First,
        };
        Self { leg, intent, is_tail: endpoint.order == ListOrder::OldestFirst, ..Self::nowhere() }
    }

    /// One known page of a list, and nothing else.
    pub(crate) fn again(intent: Intent) -> Self {
        Self { leg: Leg::Again, intent, ..Self::nowhere() }
    }

    /// A walk that asks nothing, for a source that cannot be asked about.
    pub(crate) fn nowhere() -> Self {
        Self {
            leg: Leg::List,
            intent: Intent::First,
            page_count: 0,
            members: VecDeque::new(),
            is_apart: false,
            checks: VecDeque::new(),
            has_owner: false,
            doubted: None,
            barren_count: 0,
            unread_count: 0,
            is_tail: false,
            restarts_left: 1,
            seen: Set::default(),
            held: Vec::new(),
        }
    }

    /// Whether the source's validators are those of the page that is asked for: the first of a list,
    /// or the last known of one that runs from old to new.
    pub fn is_conditional(&self, source: &Source) -> bool {
        let is_end = || source.coverage.top().is_some_and(|top| top.is_bottom) && self.page_count == 0;
        self.leg == Leg::List && if self.is_tail { is_end() } else { self.intent == Intent::First }
    }

    /// Whether the validators of the page that is asked for are to be kept.
    pub fn keeps_validators(&self) -> bool {
        self.leg == Leg::List && (self.is_tail || self.intent == Intent::First)
    }

    /// The endpoint and the root to ask with; `None` where the connector has no such endpoint.
    pub fn question<'a>(
        &'a self,
        source: &'a Source,
        connector: &'a dyn Connector,
    ) -> Option<(&'a Endpoint, &'a str)> {
        match &self.leg {
            Leg::Lookup => Some((connector.lookup()?, source.handle.as_deref()?)),
            Leg::List | Leg::Again => Some((connector.endpoint(&source.endpoint)?, &source.root_id)),
            Leg::Owner | Leg::Consent => Some((connector.single(ACCOUNT)?, &source.root_id)),
            Leg::Check(id) => Some((connector.single("post")?, id)),
        }
    }

    /// Asks the owner first, where the list itself would not show that it opts out.
    pub fn ask_consent(&mut self, source: &Source, endpoint: &Endpoint) {
        let is_list = self.leg == Leg::List && endpoint.kind != PageKind::Account;
        if is_list && self.has_owner && &*source.root_kind == ACCOUNT {
            (self.leg, self.intent) = (Leg::Consent, Intent::First);
        }
    }

    /// Posts that the last page should have shown; they are asked about before the visit ends.
    pub fn check_missing(&mut self, ids: impl IntoIterator<Item = String>) {
        let room = CHECKS_PER_VISIT_MAX.saturating_sub(self.checks.len());
        self.checks.extend(ids.into_iter().take(room));
    }

    /// Goes on to the next missing post, if there is one.
    pub fn next_check(&mut self) -> bool {
        let Some(id) = self.checks.pop_front() else { return false };
        self.leg = Leg::Check(id);
        self.intent = Intent::First;
        true
    }

    /// Takes in a page that the network answered with "ok"; `endpoint` is the source's own.
    pub fn take(&mut self, source: &mut Source, endpoint: &Endpoint, page: &Page, seen: Seen) -> Taken {
        self.page_count += 1;
        match self.leg {
            Leg::Lookup => self.take_lookup(source, endpoint, page),
            Leg::Owner => take_owner(source, page, seen),
            Leg::Consent => {
                (self.leg, self.intent) = (Leg::List, first_intent(source, endpoint, Aim::News));
                Taken { goes_on: true, ..Taken::default() }
            }
            Leg::Check(_) | Leg::Again => Taken::default(),
            Leg::List if page.is_unchanged => self.take_unchanged(source, endpoint, seen),
            Leg::List if page.is_detour => self.take_detour(source, page),
            Leg::List if self.is_tail => self.take_tail(source, endpoint, page, seen),
            Leg::List if endpoint.kind == PageKind::Lists => self.take_lists(source, endpoint, page, seen),
            Leg::List if is_list_of_posts(endpoint) => self.take_posts(source, endpoint, page, seen),
            Leg::List => self.take_sweep(source, endpoint, page, seen),
        }
    }

    fn take_lookup(&mut self, source: &mut Source, endpoint: &Endpoint, page: &Page) -> Taken {
        let Some(account) = page.observation.accounts.first() else {
            return Taken { is_unknown: true, ..Taken::default() };
        };
        source.root_id.clone_from(&account.id);
        self.leg = Leg::List;
        self.intent = first_intent(source, endpoint, Aim::News);
        // The look-up shows the profile already: the robot that wanted it is served.
        let is_profile = account.followers_count.is_some() || account.name.is_some();
        let is_served = source.robot == RobotKind::User && endpoint.kind == PageKind::Account && is_profile;
        Taken { goes_on: !is_served, ..Taken::default() }
    }

    fn take_posts(&mut self, source: &mut Source, endpoint: &Endpoint, page: &Page, seen: Seen) -> Taken {
        let mut taken = Taken::default();
        if !page.members.is_empty() {
            return self.take_members(source, endpoint, page, seen);
        }
        let listed: Vec<&Post> = page.observation.posts.iter().filter(|post| !post.is_embedded).collect();
        let (marks, undated_news) = marks_of(&listed, &source.coverage, seen.at);
        if marks.is_empty() && self.is_in_doubt(source, page) {
            return Taken { goes_on: self.doubted.is_some() || self.turn_to_owner(source), ..taken };
        }
        let is_dated = |(_, post): &(&Mark, &&Post)| post.created_at.is_some();
        let dated: Vec<Mark> =
            marks.iter().zip(&listed).filter(is_dated).map(|(mark, _)| mark.clone()).collect();
        note_news(&mut taken, &source.coverage, &dated, endpoint.id_order, seen.at);
        taken.news.extend(std::iter::repeat_n(seen.at, undated_news));
        if matches!(self.intent, Intent::Members(_)) {
            if let Some(ends) = ends(&marks, endpoint.id_order) {
                source.coverage.raise(ends, self.is_apart, (seen.at, seen.visit));
                self.is_apart = false;
            }
        } else {
            let cursor = match &self.intent {
                Intent::Next(cursor) => Some(cursor.as_str()),
                _ => None,
            };
            self.barren_count = if marks.is_empty() { self.barren_count + 1 } else { 0 };
            let is_barren = self.barren_count + 1 >= PAGES_PER_VISIT_MAX;
            let is_stuck = page.next.is_some() && (page.next.as_deref() == cursor || is_barren);
            taken.complaint = is_stuck.then_some(STUCK);
            let is_broken_off = page.is_broken_off || is_stuck;
            if cursor.is_none() && &*source.root_kind == ACCOUNT {
                let is_whole = page.next.is_none() && !endpoint.is_window && !is_broken_off;
                taken.lists = listing(source, &marks, is_whole, seen.at);
            }
            let look = Look {
                ends: ends(&marks, endpoint.id_order),
                cursor,
                next: page.next.as_deref().filter(|_| !is_stuck),
                seen_at: seen.at,
                visit: seen.visit,
                since: wanted_since(source, seen.at),
                is_window: endpoint.is_window,
                is_broken_off,
            };
            source.coverage.take(&look, endpoint.id_order);
            if let Some(end) = self.doubted.take() {
                source.coverage.end_at(&end);
            }
        }
        self.go_on(&source.coverage, &mut taken);
        taken
    }

    /// A page that names its members only. Those above what is covered are fetched next; where none
    /// of them all is known, more may have scrolled by than the list holds.
    fn take_members(&mut self, source: &mut Source, endpoint: &Endpoint, page: &Page, seen: Seen) -> Taken {
        let coverage = &mut source.coverage;
        let (wanted, has_known) = unknown_members(coverage, endpoint, &page.members);
        self.is_apart = !has_known;
        if let Some(top) = coverage.intervals.first_mut().filter(|_| wanted.is_empty()) {
            top.until = seen.at;
        }
        self.members = wanted;
        let mut taken = Taken::default();
        self.go_on(coverage, &mut taken);
        taken
    }

    /// Whether an empty page may mean that all is hidden rather than that the list ends.
    ///
    /// A suspended or private account answers with empty pages and "ok". So an empty page below
    /// a cursor is believed only once the top of the list has shown posts again, and an empty
    /// top never when posts are known.
    fn is_in_doubt(&mut self, source: &Source, page: &Page) -> bool {
        match &self.intent {
            Intent::Next(cursor) if page.next.is_none() => {
                self.doubted = Some(cursor.clone());
                self.intent = Intent::First;
                true
            }
            Intent::First => {
                self.doubted = None;
                !source.coverage.intervals.is_empty()
            }
            _ => false,
        }
    }

    /// Asks the owner of an empty list next, where the network shows accounts.
    fn turn_to_owner(&mut self, source: &Source) -> bool {
        let can_ask = self.has_owner && &*source.root_kind == ACCOUNT;
        if can_ask {
            (self.leg, self.intent) = (Leg::Owner, Intent::First);
        }
        can_ask
    }

    /// Members first, then the topmost hole, as long as the visit has pages left.
    fn go_on(&mut self, coverage: &Coverage, taken: &mut Taken) {
        if let Some(batch) = self.members.pop_front() {
            self.intent = Intent::Members(batch);
            taken.goes_on = true;
            return;
        }
        let cursor = coverage.holes().into_iter().find_map(|hole| hole.cursor);
        match cursor {
            Some(cursor) if self.page_count < PAGES_PER_VISIT_MAX => {
                self.intent = Intent::Next(cursor);
                taken.goes_on = true;
            }
            Some(_) => taken.has_more = true,
            None => {}
        }
    }

    /// The page is at another address: that takes the place of the one that was asked for.
    fn take_detour(&mut self, source: &mut Source, page: &Page) -> Taken {
        let (Intent::Next(cursor), Some(next)) = (&self.intent, &page.next) else { return Taken::default() };
        let below = source.coverage.intervals.iter_mut().filter_map(|interval| interval.below.as_mut());
        below.filter(|below| *below == cursor).for_each(|below| below.clone_from(next));
        self.intent = Intent::Next(next.clone());
        let goes_on = self.page_count < PAGES_PER_VISIT_MAX;
        Taken { goes_on, has_more: !goes_on, ..Taken::default() }
    }

    /// The network says that nothing is new: what is known is complete up to now, and what is missing
    /// below is missing still.
    fn take_unchanged(&mut self, source: &mut Source, endpoint: &Endpoint, seen: Seen) -> Taken {
        let mut taken = Taken::default();
        if let Some(top) = source.coverage.intervals.first_mut() {
            top.until = seen.at;
        }
        if let Some(end) = self.doubted.take() {
            source.coverage.end_at(&end);
        }
        if is_list_of_posts(endpoint) {
            self.go_on(&source.coverage, &mut taken);
        }
        taken
    }

    /// A list without an order to trust, from end to end. Its one interval keeps what a sweep over
    /// several visits must know: when it began (`until`), and when the one before began (`oldest`).
    fn take_sweep(&mut self, source: &mut Source, endpoint: &Endpoint, page: &Page, seen: Seen) -> Taken {
        self.unread_count += u32::from(!page.complaints.is_empty() || page.is_broken_off);
        let is_empty = page.observation.relations.is_empty();
        if let Some(cursor) = self.doubted.take() {
            // The top was asked for once more, since the page below it was empty.
            source.coverage.end_at(&cursor);
            let began_at = source.coverage.top().map_or(seen.at, |top| top.until);
            let swept = self.swept(source, endpoint, began_at).filter(|_| !is_empty);
            return Taken { swept, ..Taken::default() };
        }
        let mut taken = Taken::default();
        let (began_at, before_at) = match (&self.intent, source.coverage.top()) {
            (Intent::First, top) => (seen.at, top.map_or(Timestamp::MIN, |top| top.until)),
            (_, Some(top)) => (top.until, top.oldest.at),
            (_, None) => (seen.at, Timestamp::MIN),
        };
        if is_about_posts(endpoint.kind) {
            let listed = page.observation.posts.iter().filter(|post| !post.is_embedded);
            taken.news = listed.filter_map(|post| post.created_at).filter(|&at| at > before_at).collect();
        }
        let mark = |at| Mark { id: source.root_id.clone(), at };
        source.coverage.intervals = vec![freshet_types::Interval {
            newest: mark(began_at),
            oldest: mark(before_at),
            until: began_at,
            below: page.next.clone(),
            is_bottom: page.next.is_none() && !page.is_broken_off,
            visit: seen.visit,
        }];
        let asked = match &self.intent {
            Intent::Next(cursor) => Some(cursor.clone()),
            _ => None,
        };
        match (&page.next, asked) {
            (Some(next), Some(asked)) if *next == asked => {
                source.coverage.intervals[0].below = None;
                taken.complaint = Some(STUCK);
            }
            (Some(cursor), _) if self.page_count < PAGES_PER_VISIT_MAX => {
                self.intent = Intent::Next(cursor.clone());
                taken.goes_on = true;
            }
            (Some(_), _) => taken.has_more = true,
            // What is hidden altogether looks like an end: it is one if the top still shows accounts.
            (None, Some(asked)) if is_empty && source.robot == RobotKind::Relation => {
                source.coverage.intervals[0].below = Some(asked.clone());
                source.coverage.intervals[0].is_bottom = false;
                (self.doubted, self.intent) = (Some(asked), Intent::First);
                taken.goes_on = true;
            }
            (None, asked) if asked.is_some() || !is_empty => {
                taken.swept = self.swept(source, endpoint, began_at);
            }
            (None, _) => {}
        }
        taken
    }

    /// The end of a sweep of relations; what could not be read is not cancelled.
    fn swept(&self, source: &Source, endpoint: &Endpoint, began_at: Timestamp) -> Option<RelationSweep> {
        let role =
            endpoint.relation.filter(|_| source.robot == RobotKind::Relation && self.unread_count == 0)?;
        let is_following = role == RelationRole::Following;
        Some(RelationSweep { account: source.root_id.clone(), is_following, began_at })
    }
}

/// When and by which visit a page was seen.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// When.
    pub at: Timestamp,
    /// By which visit.
    pub visit: VisitId,
}

/// The owner of an empty list is shown: as ever, then its posts are gone; as hidden, then nothing
/// is known of them.
fn take_owner(source: &mut Source, page: &Page, seen: Seen) -> Taken {
    let owner = page.observation.accounts.iter().find(|account| account.id == source.root_id);
    if owner.is_none_or(|owner| owner.state != AccountState::Active) {
        return Taken::default();
    }
    source.coverage.end_empty(seen.at);
    let lists = Listing { author: source.root_id.clone(), from: Timestamp::MIN, to: seen.at };
    Taken { lists: Some(lists), ..Taken::default() }
}

fn is_about_posts(kind: PageKind) -> bool {
    matches!(kind, PageKind::Posts | PageKind::Comments)
}

fn is_list_of_posts(endpoint: &Endpoint) -> bool {
    endpoint.order == ListOrder::NewestFirst && is_about_posts(endpoint.kind)
}

/// The first page for news; the topmost hole for history; an unfinished sweep goes on, and a list
/// that runs from old to new goes on where it was left.
fn first_intent(source: &Source, endpoint: &Endpoint, aim: Aim) -> Intent {
    if endpoint.order == ListOrder::OldestFirst {
        let end = source.coverage.top().and_then(|top| top.below.clone());
        return end.map_or(Intent::First, Intent::Next);
    }
    let cursor = source.coverage.holes().into_iter().find_map(|hole| hole.cursor);
    let has_top = is_list_of_posts(endpoint) || endpoint.kind == PageKind::Lists;
    match cursor {
        Some(cursor) if !has_top || aim == Aim::History => Intent::Next(cursor),
        _ => Intent::First,
    }
}

#[cfg(test)]
mod tests;
