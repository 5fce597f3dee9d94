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
mod sweep;
mod tail;

use std::collections::VecDeque;

use freshet_store::row::{Listing, RelationSweep};
use freshet_types::{
    AccountState, Connector, Coverage, Endpoint, Intent, ListOrder, Look, Mark, Obstacle, Page, PageKind,
    Post, RobotKind, Set, Source, SourceState, Span, Timestamp, VisitId,
};

use marks::{Run, ends, listing, marks_of, note_news, unknown_members, wanted_since};

/// Pages of one list that one visit may read, so that one long history starves nobody.
pub const PAGES_PER_VISIT_MAX: u32 = 8;
/// Missing posts that one visit asks about one by one.
pub const CHECKS_PER_VISIT_MAX: usize = 10;
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

/// A list, or a page of it, that the network does not show.
#[derive(Clone, Debug)]
struct Refused {
    /// What that makes of the source, if its owner is shown as ever.
    state: SourceState,
    /// The page below the top that was refused.
    cursor: Option<String>,
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
        let (is_tail, began) = (endpoint.order == ListOrder::OldestFirst, source.coverage.footprint());
        Self { leg, intent, began, is_tail, ..Self::nowhere() }
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
            began: 0,
            below_count: 0,
            refused: None,
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
        self.below_count += u32::from(self.leg == Leg::List && self.cursor().is_some());
        match self.leg {
            Leg::Lookup => self.take_lookup(source, endpoint, page),
            Leg::Owner => self.take_owner(source, page, seen),
            Leg::Consent => {
                (self.leg, self.intent) = (Leg::List, first_intent(source, endpoint, Aim::News));
                Taken { goes_on: true, ..Taken::default() }
            }
            Leg::Check(_) | Leg::Again => Taken::default(),
            Leg::List if page.is_unchanged => self.take_unchanged(source, endpoint, seen),
            Leg::List if page.is_detour => self.take_detour(source, page, seen),
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
        // A page below the top stands below what was read above it, not at the present.
        let above_at = self.cursor().and_then(|cursor| source.coverage.oldest_above(&cursor));
        let (marks, undated_news) = marks_of(&listed, &source.coverage, above_at.unwrap_or(seen.at));
        if marks.is_empty()
            && let Some(taken) = self.take_empty(source, page, seen)
        {
            return taken;
        }
        let run = Run::of(&marks, &source.coverage, endpoint, page);
        let undated: Set<&str> =
            listed.iter().filter(|post| post.created_at.is_none()).map(|post| post.id.as_str()).collect();
        let is_dated = |mark: &&Mark| !undated.contains(mark.id.as_str());
        // Of a feed that is met for the first time everything is history, in whatever order.
        let is_met = source.coverage.intervals.is_empty() && page.next.is_none();
        let told = if is_met { &marks } else { &run.marks };
        let dated: Vec<Mark> = told.iter().filter(is_dated).cloned().collect();
        note_news(&mut taken, &source.coverage, &dated, endpoint.id_order, seen.at);
        taken.news.extend(std::iter::repeat_n(seen.at, undated_news));
        if matches!(self.intent, Intent::Members(_)) {
            if let Some(ends) = ends(&marks, endpoint.id_order) {
                source.coverage.raise(ends, self.is_apart, (seen.at, seen.visit));
                self.is_apart = false;
            }
        } else {
            self.prove(source, endpoint, page, (&run, seen), &mut taken);
        }
        self.go_on(&source.coverage, &mut taken);
        taken
    }

    /// What a page of posts proves.
    fn prove(
        &mut self,
        source: &mut Source,
        endpoint: &Endpoint,
        page: &Page,
        (run, seen): (&Run, Seen),
        taken: &mut Taken,
    ) {
        let cursor = self.cursor();
        let is_barren = run.marks.iter().all(|mark| source.coverage.knows(mark, endpoint.id_order));
        if cursor.is_none() && &*source.root_kind == ACCOUNT && run.is_sure {
            taken.lists = listing(source, run, seen.at);
        }
        let look = Look {
            ends: run.ends(),
            cursor: cursor.as_deref(),
            next: page.next.as_deref(),
            seen_at: seen.at,
            visit: seen.visit,
            since: wanted_since(source, seen.at),
            is_window: endpoint.is_window,
            is_broken_off: page.is_broken_off,
            unsure: if run.is_sure { &[] } else { &run.marks },
        };
        source.coverage.take(&look, endpoint.id_order);
        if let Some(cursor) = &cursor {
            taken.complaint = mind_way(&mut source.coverage, cursor, page, is_barren, seen);
            return;
        }
        source.coverage.confirm_end(seen.at);
        if !taken.news.is_empty() {
            source.coverage.reopen(seen.at);
        }
    }

    /// The cursor that is asked with; none for the first page.
    fn cursor(&self) -> Option<String> {
        match &self.intent {
            Intent::Next(cursor) => Some(cursor.clone()),
            _ => None,
        }
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

    /// An empty page may mean that all is hidden rather than that the list ends; gives what follows where it does.
    ///
    /// A suspended or private account answers with empty pages and "ok". So an empty page below
    /// a cursor is believed only once the top of the list has shown posts again, and an empty
    /// top never when posts are known.
    fn take_empty(&mut self, source: &mut Source, page: &Page, seen: Seen) -> Option<Taken> {
        let mut taken = Taken::default();
        match &self.intent {
            Intent::Next(cursor) if page.next.is_none() => {
                if source.coverage.doubt_end(cursor, seen.at) {
                    self.go_on(&source.coverage, &mut taken);
                } else {
                    self.intent = Intent::First;
                    taken.goes_on = true;
                }
            }
            Intent::First => {
                source.coverage.drop_doubt();
                if source.coverage.intervals.is_empty() {
                    return None;
                }
                taken.goes_on = self.turn_to_owner(source);
            }
            _ => return None,
        }
        Some(taken)
    }

    /// Asks the owner of an empty list next, where the network shows accounts.
    fn turn_to_owner(&mut self, source: &Source) -> bool {
        let can_ask = self.has_owner && &*source.root_kind == ACCOUNT;
        if can_ask {
            (self.leg, self.intent) = (Leg::Owner, Intent::First);
        }
        can_ask
    }

    /// The owner is shown: as ever, then the posts of an empty list are gone, and a list that was refused is refused by itself; as
    /// hidden, then nothing is known of them.
    fn take_owner(&mut self, source: &mut Source, page: &Page, seen: Seen) -> Taken {
        let owner = page.observation.accounts.iter().find(|account| account.id == source.root_id);
        if owner.is_none_or(|owner| owner.state != AccountState::Active) {
            return Taken::default();
        }
        if let Some(refused) = &self.refused {
            if let Some(cursor) = &refused.cursor {
                source.coverage.shut(cursor, Obstacle::Refused, seen.at);
            }
            return Taken::default();
        }
        source.coverage.end_empty(seen.at);
        let lists = Listing { author: source.root_id.clone(), from: Timestamp::MIN, to: seen.at };
        Taken { lists: Some(lists), ..Taken::default() }
    }

    /// Members first, then the topmost hole, as long as the visit has pages left.
    fn go_on(&mut self, coverage: &Coverage, taken: &mut Taken) {
        if let Some(batch) = self.members.pop_front() {
            self.intent = Intent::Members(batch);
            taken.goes_on = true;
            return;
        }
        match next_intent(coverage) {
            Some(intent) if self.page_count < PAGES_PER_VISIT_MAX => {
                self.intent = intent;
                taken.goes_on = true;
            }
            Some(_) => taken.has_more = true,
            None => {}
        }
    }

    /// The visit ends though there is more to ask for. Gives whether the source may wait for that in the backlog: not for missing posts
    /// or an owner, of whom the next visit hears anyway, and not if visit after visit leaves everything as it was.
    pub fn may_go_on(&self, coverage: &mut Coverage, now: Timestamp) -> bool {
        let is_aside = matches!(self.leg, Leg::Owner | Leg::Check(_) | Leg::Again);
        if is_aside && coverage.way_down().is_none() {
            return false;
        }
        self.below_count == 0 || coverage.may_go_on(self.began, now)
    }

    /// The list, or the page of its cursor, was refused, which makes this of its source unless the owner says otherwise; gives whether
    /// the owner is asked.
    pub fn ask_owner(&mut self, source: &Source, state: SourceState) -> bool {
        let cursor = self.cursor();
        self.below_count += u32::from(cursor.is_some());
        let is_asked = self.turn_to_owner(source);
        self.refused = is_asked.then_some(Refused { state, cursor });
        is_asked
    }

    /// The state of a source whose list was refused while its owner is shown as ever.
    pub fn refused(&self) -> Option<SourceState> {
        self.refused.as_ref().map(|refused| refused.state)
    }

    /// The page is at another address: that takes the place of the one that was asked for.
    fn take_detour(&mut self, source: &mut Source, page: &Page, seen: Seen) -> Taken {
        let (Intent::Next(cursor), Some(next)) = (&self.intent, &page.next) else { return Taken::default() };
        let below = source.coverage.intervals.iter_mut().filter_map(|interval| interval.below.as_mut());
        below.filter(|below| *below == cursor).for_each(|below| below.clone_from(next));
        if next == cursor || source.coverage.step(next) {
            source.coverage.shut(next, Obstacle::Round, seen.at);
            return Taken { complaint: Some(Obstacle::Round.reason()), ..Taken::default() };
        }
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
        source.coverage.confirm_end(seen.at);
        if is_list_of_posts(endpoint) {
            self.go_on(&source.coverage, &mut taken);
        }
        taken
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

/// Looks after the way down when the page of this cursor was read; gives why it is not followed any further.
fn mind_way(
    coverage: &mut Coverage,
    cursor: &str,
    page: &Page,
    is_barren: bool,
    seen: Seen,
) -> Option<&'static str> {
    let is_tired = coverage.note_page(is_barren);
    let next = page.next.as_deref()?;
    let is_open = coverage.intervals.iter().any(|interval| interval.below.as_deref() == Some(next));
    let why = match () {
        () if !is_open => return None,
        () if next == cursor || coverage.step(next) => Obstacle::Round,
        () if is_tired => Obstacle::Barren,
        () => return None,
    };
    coverage.shut(next, why, seen.at);
    Some(why.reason())
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
