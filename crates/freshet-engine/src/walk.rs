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
//! empty, and each known post is asked about. A list that is refused is ambiguous in the same way, and
//! the owner decides there too: the account may be gone, or this list of it alone.
//!
//! Every walk makes progress or ends. What decides the next question is stored with the coverage
//! ([`freshet_types::Descent`]), since a visit may be cut short after any page: a cursor that
//! leads nowhere is not followed any further, and a list that visit after visit leaves as it was leaves
//! the backlog.
//!
//! Lists of a forum are walked in two ways of their own: threads of a board from the top, as [`lists`]
//! says, and posts of a thread from their last known page, as [`tail`] says.
//!
//! Lists of accounts have no order to trust: they are swept, as [`sweep`] says.
//!
//! Pure: a page in, the next intent out. Quotas, time-outs and retries are not its business.

mod lists;
mod marks;
pub(crate) mod merged;
mod owner;
mod posts;
mod sweep;
mod tail;

use std::collections::VecDeque;

use freshet_store::row::{LinkSweep, Listing, RelationSweep};
use freshet_types::{
    Connector, Coverage, Endpoint, Intent, ListOrder, Obstacle, Page, PageKind, RobotKind, Set, Source, Span,
    Timestamp, VisitId,
};

use owner::Refused;

/// Pages of one list that one visit may read, so that one long history starves nobody.
pub(crate) const PAGES_PER_VISIT_MAX: u32 = 8;
/// Missing posts that one visit asks about one by one.
pub(crate) const CHECKS_PER_VISIT_MAX: usize = 10;
/// Members fetched by id in one visit.
const MEMBERS_PER_VISIT_MAX: usize = 400;

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
    Recheck,
}

/// What is being asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leg {
    /// The handle, to learn the id.
    Lookup,
    /// The source's own endpoint.
    List,
    /// One page of it that is known, for what has changed there.
    Recheck,
    /// The account whose list is empty though posts of it are known, or is refused.
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
    /// The coverage as the visit found it.
    began: u64,
    /// Pages below the top that were answered: a visit that saw the top alone says nothing about the way down.
    below_count: u32,
    /// The refusal that the owner is asked about.
    refused: Option<Refused>,
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
pub struct PageMeaning {
    /// There is more to ask in this visit.
    pub goes_on: bool,
    /// The visit ends here, and the source has more that is known to be missing.
    pub has_more: bool,
    /// Posting times of posts that coverage does not know, and times of new activities in lists of lists: what the walk
    /// goes by.
    pub news: Vec<Timestamp>,
    /// Posting times of all posts that the page tells of, new or not: models learn from those that the store finds new.
    pub told: Vec<Timestamp>,
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
    /// A collection was read to its end.
    pub links_swept: Option<LinkSweep>,
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
        let (is_tail, began) = (endpoint.order == ListOrder::OldestFirst, source.coverage.footprint());
        Self { leg, intent, began, is_tail, ..Self::nowhere() }
    }

    /// One known page of a list, and nothing else.
    pub(crate) fn recheck(intent: Intent) -> Self {
        Self { leg: Leg::Recheck, intent, ..Self::nowhere() }
    }

    /// The first page of a list that is asked about with others: it asks for nothing more.
    pub(crate) fn grouped(source: &Source) -> Self {
        let began = source.coverage.footprint();
        Self { began, page_count: PAGES_PER_VISIT_MAX, ..Self::nowhere() }
    }

    /// Asks about these roots first, in one request.
    pub(crate) fn ask_group(&mut self, roots: Vec<String>) {
        self.intent = Intent::Group(roots);
    }

    /// Whether it asks about several roots.
    pub(crate) fn is_group(&self) -> bool {
        matches!(self.intent, Intent::Group(_))
    }

    /// That is over: the first page is next.
    pub(crate) fn end_group(&mut self) {
        if self.is_group() {
            self.intent = Intent::First;
        }
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
            began: 0,
            below_count: 0,
            refused: None,
            is_tail: false,
            restarts_left: 1,
            seen: Set::default(),
            held: Vec::new(),
        }
    }

    /// Whether the list runs from old to new.
    pub(crate) fn is_tail(&self) -> bool {
        self.is_tail
    }

    /// Whether the source's validators are those of the page that is asked for: the first of a list,
    /// or the last known of one that runs from old to new.
    pub fn is_conditional(&self, source: &Source) -> bool {
        let is_end = || source.coverage.top().is_some_and(|top| top.is_bottom) && self.page_count == 0;
        self.leg == Leg::List && if self.is_tail { is_end() } else { self.intent == Intent::First }
    }

    /// Whether the validators of the page that is asked for are to be kept.
    pub(crate) fn keeps_validators(&self) -> bool {
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
            Leg::List | Leg::Recheck => Some((connector.endpoint(&source.endpoint)?, &source.root_id)),
            Leg::Owner | Leg::Consent => Some((connector.single(ACCOUNT)?, &source.root_id)),
            Leg::Check(id) => Some((connector.single("post")?, id)),
        }
    }

    /// Posts that the last page should have shown; they are asked about before the visit ends.
    pub(crate) fn check_missing(&mut self, ids: impl IntoIterator<Item = String>) {
        let room = CHECKS_PER_VISIT_MAX.saturating_sub(self.checks.len());
        self.checks.extend(ids.into_iter().take(room));
    }

    /// Goes on to the next missing post, if there is one.
    pub(crate) fn next_check(&mut self) -> bool {
        let Some(id) = self.checks.pop_front() else { return false };
        self.leg = Leg::Check(id);
        self.intent = Intent::First;
        true
    }

    /// Reads a page that the network answered with "ok"; `endpoint` is the source's own.
    pub(crate) fn read_page(
        &mut self,
        source: &mut Source,
        endpoint: &Endpoint,
        page: &Page,
        seen: Seen,
    ) -> PageMeaning {
        self.page_count += 1;
        self.below_count += u32::from(self.leg == Leg::List && self.cursor().is_some());
        match self.leg {
            Leg::Lookup => self.read_lookup(source, endpoint, page),
            Leg::Owner => self.read_owner(source, endpoint, page, seen),
            Leg::Consent => {
                (self.leg, self.intent) = (Leg::List, first_intent(source, endpoint, Aim::News));
                PageMeaning { goes_on: true, ..PageMeaning::default() }
            }
            Leg::Check(_) | Leg::Recheck => PageMeaning::default(),
            Leg::List if page.is_unchanged => self.read_unchanged(source, endpoint, seen),
            Leg::List if page.is_detour => self.follow_detour(source, page, seen),
            Leg::List if self.is_group() => merged::read_share(source, endpoint, page, seen),
            Leg::List if self.is_tail => self.read_tail(source, endpoint, page, seen),
            Leg::List if endpoint.kind == PageKind::Lists => self.read_lists(source, endpoint, page, seen),
            Leg::List if is_list_of_posts(endpoint) => self.read_posts(source, endpoint, page, seen),
            Leg::List => self.read_sweep(source, endpoint, page, seen),
        }
    }

    fn read_lookup(&mut self, source: &mut Source, endpoint: &Endpoint, page: &Page) -> PageMeaning {
        let Some(account) = page.observation.accounts.first() else {
            return PageMeaning { is_unknown: true, ..PageMeaning::default() };
        };
        source.root_id.clone_from(&account.id);
        self.leg = Leg::List;
        self.intent = first_intent(source, endpoint, Aim::News);
        // The look-up shows the profile already: the robot that wanted it is served.
        let is_profile = account.followers_count.is_some() || account.name.is_some();
        let is_profiled = matches!(source.robot, RobotKind::User | RobotKind::Across);
        let is_served = is_profiled && endpoint.kind == PageKind::Account && is_profile;
        PageMeaning { goes_on: !is_served, ..PageMeaning::default() }
    }

    /// The cursor that is asked with; none for the first page.
    fn cursor(&self) -> Option<String> {
        match &self.intent {
            Intent::Next(cursor) => Some(cursor.clone()),
            _ => None,
        }
    }

    /// Members first, then the topmost hole, as long as the visit has pages left.
    fn go_on(&mut self, coverage: &Coverage, meaning: &mut PageMeaning) {
        if let Some(batch) = self.members.pop_front() {
            self.intent = Intent::Members(batch);
            meaning.goes_on = true;
            return;
        }
        match next_intent(coverage) {
            Some(intent) if self.page_count < PAGES_PER_VISIT_MAX => {
                self.intent = intent;
                meaning.goes_on = true;
            }
            Some(_) => meaning.has_more = true,
            None => {}
        }
    }

    /// The visit ends though there is more to ask for. Gives whether the source may wait for that in the backlog: not for missing posts
    /// or an owner, of whom the next visit hears anyway, and not if visit after visit leaves everything as it was.
    pub fn may_go_on(&self, coverage: &mut Coverage, now: Timestamp) -> bool {
        let is_aside = matches!(self.leg, Leg::Owner | Leg::Check(_) | Leg::Recheck);
        if is_aside && coverage.way_down().is_none() {
            return false;
        }
        self.below_count == 0 || coverage.may_go_on(self.began, now)
    }

    /// The page is at another address: that takes the place of the one that was asked for.
    fn follow_detour(&mut self, source: &mut Source, page: &Page, seen: Seen) -> PageMeaning {
        let (Intent::Next(cursor), Some(next)) = (&self.intent, &page.next) else {
            return PageMeaning::default();
        };
        let below = source.coverage.intervals.iter_mut().filter_map(|interval| interval.below.as_mut());
        below.filter(|below| *below == cursor).for_each(|below| below.clone_from(next));
        if next == cursor || source.coverage.step(next) {
            source.coverage.shut(next, Obstacle::Round, seen.at);
            return PageMeaning { complaint: Some(Obstacle::Round.reason()), ..PageMeaning::default() };
        }
        self.intent = Intent::Next(next.clone());
        let goes_on = self.page_count < PAGES_PER_VISIT_MAX;
        PageMeaning { goes_on, has_more: !goes_on, ..PageMeaning::default() }
    }

    /// The network says that nothing is new: what is known is complete up to now, and what is missing
    /// below is missing still.
    fn read_unchanged(&mut self, source: &mut Source, endpoint: &Endpoint, seen: Seen) -> PageMeaning {
        let mut meaning = PageMeaning::default();
        if let Some(top) = source.coverage.intervals.first_mut() {
            top.until = seen.at;
        }
        source.coverage.confirm_end(seen.at);
        if is_list_of_posts(endpoint) {
            self.go_on(&source.coverage, &mut meaning);
        }
        meaning
    }
}

/// When and by which visit a page was seen.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub at: Timestamp,
    /// By which visit.
    pub visit: VisitId,
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
    let has_top = is_list_of_posts(endpoint) || endpoint.kind == PageKind::Lists;
    let below = next_intent(&source.coverage).filter(|_| !has_top || aim == Aim::History);
    below.unwrap_or(Intent::First)
}

/// The topmost hole that can be read; its top, where that is to confirm first that the list ended.
fn next_intent(coverage: &Coverage) -> Option<Intent> {
    let cursor = coverage.way_down()?;
    Some(if coverage.is_doubted(&cursor) { Intent::First } else { Intent::Next(cursor) })
}

#[cfg(test)]
mod tests;
