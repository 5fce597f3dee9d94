//! Step 7 as the core sees it: an answer becomes an upload, a lesson for when that is stored, and the next question.

use freshet_store::row::{ListPage, Upload};
use freshet_types::list::is_list;
use freshet_types::{
    Endpoint, Intent, LimitReading, Observation, Obstacle, Outcome, Page, PageKind, Post, Redirect, Source,
    SourceState, Timestamp, VisitId,
};

use super::upload::{empty_upload, followed, list_page};
use super::{Core, Effect, complain};
use crate::consent::drop_opted_out;
use crate::lesson::Lesson;
use crate::order::{Answer, Fetched};
use crate::pages;
use crate::profile;
use crate::schedule;
use crate::visit::{Visit, own_endpoint};
use crate::walk::{ACCOUNT, Leg, PageMeaning, Seen};

/// Most redirects of one request. Whoever fetches ends a circle sooner; this holds whoever that is.
const REDIRECTS_MAX: usize = 20;

impl Core {
    /// An answer came in, or word that there is none.
    pub(super) fn on_answer(&mut self, fetched: Fetched, now: Timestamp) {
        let id = fetched.order.visit;
        let Some(visit) = self.visits.get_mut(id).filter(|visit| visit.awaits(fetched.order)) else {
            return; // It was given up before: its lease expired, or its fetcher had left.
        };
        visit.fetcher = None;
        self.placement.done(fetched.fetcher, fetched.took_ms);
        self.frontier.extend(id, Timestamp::MAX);
        let claim = visit.claim.take().expect("a request that is out has a claim");
        let readings: &[LimitReading] = match &fetched.result {
            Ok(Answer::Page(page, _)) => &page.limits,
            Ok(Answer::Redirect(_, limits)) => limits,
            Err(_) => &[],
        };
        self.ledger.answered(&claim, readings, now);
        self.ledger.book(&claim, fetched.extra_count, now);
        match fetched.result {
            Err(fault) => {
                self.tally.fault(fault.kind);
                self.on_fault(id, &fault, now);
            }
            Ok(Answer::Redirect(redirect, _)) => {
                self.ledger.served(&claim);
                self.follow(id, redirect, now);
            }
            Ok(Answer::Page(page, raw)) => {
                let page = *page;
                if !matches!(page.outcome, Outcome::RateLimited { .. } | Outcome::QuotaExhausted { .. }) {
                    self.ledger.served(&claim);
                    visit.redirects.clear();
                }
                if page.outcome != Outcome::Transient {
                    self.on_server_answered(id, now);
                }
                self.hold(id, &page.complaints);
                let seen = Seen { at: fetched.received_at, visit: id };
                let is_group = self.visits.get(id).is_some_and(|visit| visit.walk.is_group());
                match page.outcome.clone() {
                    Outcome::Ok if is_group => self.on_grouped(page, seen, now),
                    outcome if is_group && !is_passing(&outcome) => self.on_group_refused(id, &page, now),
                    Outcome::Ok if !self.is_unread(seen, &page) => self.on_page(page, raw, seen, now),
                    Outcome::Ok | Outcome::Unreadable => self.on_unreadable(page, seen, now),
                    Outcome::RateLimited { until } | Outcome::QuotaExhausted { until } => {
                        self.tally.rate_limited_count += 1;
                        let again_at = self.ledger.refused(&claim, until, now);
                        self.on_rate_limited(id, again_at, now);
                    }
                    Outcome::Transient => self.on_server_error(page, seen, now),
                    outcome => self.on_refusal(&outcome, page, seen, now),
                }
            }
        }
    }

    /// Goes where an answer sends us: one more request, which needs a grant like every other.
    fn follow(&mut self, id: VisitId, redirect: Redirect, now: Timestamp) {
        let visit = &mut self.visits[id];
        visit.redirects.push(redirect);
        if visit.redirects.len() > REDIRECTS_MAX {
            return self.fail(id, "it is redirected without end", false, now);
        }
        self.send(id, now);
    }

    pub(super) fn on_page(&mut self, mut page: Page, raw: Option<Vec<u8>>, seen: Seen, now: Timestamp) {
        let Some(connector) =
            self.visits.get(seen.visit).and_then(|visit| self.networks.connector_for(&visit.source.network))
        else {
            return self.fail(seen.visit, "its definition was taken away", false, now);
        };
        let (key, robot) = (self.visits[seen.visit].key, self.visits[seen.visit].source.robot);
        self.read_some(key, robot, now);
        let visit = &mut self.visits[seen.visit];
        let opted_out = if self.options.honours_opt_out { leave_out(visit, &mut page) } else { Vec::new() };
        let Some(endpoint) = own_endpoint(&*connector, &visit.source) else {
            return self.fail(seen.visit, "its endpoint was taken away", false, now);
        };
        let (was_lookup, was_list) = (visit.walk.leg == Leg::Lookup, visit.walk.leg == Leg::List);
        // A single post that is still there says nothing about the time since the last look.
        let is_single = visit.source.is_page();
        let is_telling = (was_list || visit.walk.leg == Leg::Owner) && !is_single;
        let is_recheck = visit.walk.leg == Leg::Recheck;
        let refused = visit.walk.refused().map(|state| (state, visit.source.failure.clone()));
        let newest_at = newest_listed(&page);
        let recheck_at = self.rechecks.next_at(&visit.source.network, newest_at, seen.at);
        let list = list_of(visit, &page, recheck_at);
        note_rechecked(visit, newest_at, seen);
        let is_top = was_list && visit.walk.intent == Intent::First;
        // A probe that found nothing new is no page of the list.
        let is_read = is_top && page.kind == endpoint.kind;
        let keeps_validators = visit.walk.keeps_validators() && !page.is_unchanged;
        let mut meaning = visit.walk.read_page(&mut visit.source, endpoint, &page, seen);
        if meaning.is_unknown {
            return self.on_refusal(&Outcome::Gone, page, seen, now);
        }
        if visit.rested_at.is_some() || opted_out.contains(&visit.source.root_id) {
            visit.source.state = SourceState::OptedOut;
        } else if !is_recheck {
            schedule::answered(&mut visit.source, seen.at);
        }
        keep_refusal(visit, refused);
        profile::note(&mut visit.source, &page.observation.accounts, seen.at);
        self.complain_beside(seen.visit, &page.observation, meaning.complaint);
        let visit = &mut self.visits[seen.visit];
        if keeps_validators {
            keep_word(&mut visit.source, &page);
        }
        if is_single {
            pages::take_in(&mut visit.source, visit.state_before, &mut page, seen.at);
        }
        let (is_tail, shown) = (visit.walk.is_tail(), is_read.then(|| window(endpoint, &page)).flatten());
        let lesson = is_telling.then(|| Lesson::of(&mut meaning, endpoint.kind, (seen.at, shown), is_tail));
        self.tally.posts_read_count += page.observation.posts.len() as u64;
        self.tally.read_profiles(robot, page.observation.accounts.len());
        if was_lookup {
            self.note_looked_up(seen.visit);
        }
        let visit = &mut self.visits[seen.visit];
        let slot = self.sources.get(visit.source.id);
        let is_wanted = slot.is_some_and(|slot| slot.state.is_watched()) && !self.is_draining;
        let goes_on = meaning.goes_on && visit.source.state == SourceState::Active && is_wanted;
        if was_list {
            visit.has_more = meaning.has_more || (meaning.goes_on && !goes_on);
        }
        if is_top {
            self.note_looked(seen.visit, now);
        }
        if is_read {
            let shown = page.pulses.pop();
            self.note_pulse(seen.visit, shown, seen.at);
        }
        self.upload(Shown { observation: page.observation, raw, opted_out, list }, meaning, lesson, seen);
        if goes_on {
            self.ask_for_more(seen.visit, now);
        } else {
            self.end_leg(seen.visit, now);
        }
    }

    /// Asks for the next page, unless that has to wait for a turn of its own.
    fn ask_for_more(&mut self, id: VisitId, now: Timestamp) {
        if self.is_share_spent(id, now) {
            self.suspend(id, now);
        } else {
            self.send(id, now);
        }
    }

    /// The id of a source that was known by its handle is known now.
    fn note_looked_up(&mut self, id: VisitId) {
        let source = &self.visits[id].source;
        if let (Some(handle), None) = (&source.handle, &source.viewer) {
            self.sources.note_handle(&source.network, handle, &source.root_id);
        }
        self.outgrow_streams(self.visits[id].key);
    }

    /// The network said no: gone, suspended, private, … of the source itself or of a checked post.
    ///
    /// Only an answer about the account itself says something about the account. A list that is refused says that this list is not
    /// shown: its owner is asked next, where the network shows accounts, and a page below the top speaks of that page alone.
    pub(super) fn on_refusal(&mut self, outcome: &Outcome, page: Page, seen: Seen, now: Timestamp) {
        let visit = &mut self.visits[seen.visit];
        if let Leg::Check(id) = &visit.walk.leg {
            let is_gone = *outcome == Outcome::Gone;
            let deleted = is_gone.then(|| ("post".to_owned(), id.clone())).into_iter().collect();
            let upload = Upload { checked: vec![id.clone()], deleted, ..empty_upload(visit, seen) };
            self.want_upload(seen.visit, upload);
            return self.end_leg(seen.visit, now);
        }
        let Some(state) = refused_state(outcome) else {
            return self.on_failure(outcome, &page, seen, now);
        };
        if visit.walk.leg == Leg::Recheck {
            return self.miss_recheck(seen.visit, now);
        }
        let connector = self.networks.connector_for(&visit.source.network);
        let endpoint = connector.as_deref().and_then(|connector| own_endpoint(connector, &visit.source));
        let is_profile = endpoint.is_some_and(|endpoint| endpoint.kind == PageKind::Account);
        let is_of_list = visit.walk.leg == Leg::List && !is_profile;
        let is_page = matches!(outcome, Outcome::Gone | Outcome::Private | Outcome::Moved { .. });
        if is_of_list && is_page {
            return self.on_refused_list(outcome, (state, page), seen, now);
        }
        self.mark_refused(outcome, state, seen.at, seen.visit);
        let visit = &mut self.visits[seen.visit];
        let is_account = &*visit.source.root_kind == ACCOUNT && !visit.source.root_id.is_empty();
        let is_told = is_account && state != SourceState::AuthRequired;
        let invalid = is_told.then(|| (visit.source.root_id.clone(), outcome.name().to_owned()));
        self.upload_refused(invalid, page, seen);
        self.finish(seen.visit, outcome.name(), now);
    }

    /// A list, or a page of it, is not shown. Its owner says whether that is about the account.
    fn on_refused_list(
        &mut self,
        outcome: &Outcome,
        (state, page): (SourceState, Page),
        seen: Seen,
        now: Timestamp,
    ) {
        let visit = &mut self.visits[seen.visit];
        if visit.walk.turn_to_first() {
            return self.send(seen.visit, now);
        }
        let cursor = match &visit.walk.intent {
            Intent::Next(cursor) => Some(cursor.clone()),
            _ => None,
        };
        // A page below the top says nothing about the list.
        let state = if cursor.is_some() { visit.source.state } else { state };
        self.mark_refused(outcome, state, seen.at, seen.visit);
        let visit = &mut self.visits[seen.visit];
        let is_asked = visit.walk.ask_owner(&visit.source, state);
        if let (Some(cursor), false) = (cursor, is_asked) {
            visit.source.coverage.shut(&cursor, Obstacle::Refused, seen.at);
            visit.has_more = visit.source.coverage.way_down().is_some();
        }
        self.upload_refused(None, page, seen);
        if is_asked {
            return self.send(seen.visit, now);
        }
        self.finish(seen.visit, outcome.name(), now);
    }

    /// The answer is no word about the source: it is tried again, or rests as failed.
    fn on_failure(&mut self, outcome: &Outcome, page: &Page, seen: Seen, now: Timestamp) {
        let visit = &mut self.visits[seen.visit];
        let what = page.complaints.first().map_or(String::new(), |complaint| format!(": {}", complaint.what));
        let why = match page.complaints.first() {
            Some(complaint) if visit.source.is_page() => complaint.what.clone(),
            _ => format!("the network answered `{}`{what}", outcome.name()),
        };
        if let (Outcome::BadRequest, Leg::List, Intent::Next(cursor)) =
            (outcome, &visit.walk.leg, &visit.walk.intent)
        {
            visit.source.coverage.forget_down_to(cursor);
        }
        self.fail(seen.visit, &why, outcome.is_retryable(), now);
    }

    fn mark_refused(&mut self, outcome: &Outcome, state: SourceState, at: Timestamp, id: VisitId) {
        let visit = &mut self.visits[id];
        schedule::answered(&mut visit.source, at);
        visit.source.state = state;
        visit.source.failure = Some(format!("the network says `{}`", outcome.name()));
    }

    /// The source travels with what was told: if it was forgotten meanwhile, so is this.
    fn upload_refused(&mut self, invalid: Option<(String, String)>, page: Page, seen: Seen) {
        let visit = &self.visits[seen.visit];
        let source = Some(Source { due_at: visit.started_at, ..visit.source.clone() });
        let observation = page.observation;
        // The address of a page is its id: what is not there any more was taken down.
        let is_gone = visit.source.is_page() && visit.source.state == SourceState::Gone;
        let gone = || (visit.source.root_kind.to_string(), visit.source.root_id.clone());
        let deleted = is_gone.then(gone).into_iter().collect();
        let upload = Upload { invalid, observation, source, deleted, ..empty_upload(visit, seen) };
        self.want_upload(seen.visit, upload);
    }

    fn upload(&mut self, shown: Shown, meaning: PageMeaning, lesson: Option<Lesson>, seen: Seen) {
        let visit = &mut self.visits[seen.visit];
        let checked = match &visit.walk.leg {
            Leg::Check(id) => vec![id.clone()],
            _ => Vec::new(),
        };
        let mut upload = Upload {
            observation: shown.observation,
            raw: shown.raw,
            opted_out: shown.opted_out,
            lists: meaning.lists,
            checked,
            relations_swept: meaning.swept,
            links_swept: meaning.links_swept,
            deleted: meaning.deleted.into_iter().map(|id| ("post".to_owned(), id)).collect(),
            page: shown.list,
            ..empty_upload(visit, seen)
        };
        if visit.walk.leg == Leg::Recheck {
            // The thread is as it was: only the page is written.
            upload.brought_by = Some(visit.source.id);
            return self.want_upload(seen.visit, upload);
        }
        // The state after this page travels with it: a kill between two pages resumes here.
        let mut source = visit.source.clone();
        source.due_at = visit.started_at;
        upload.source = Some(source);
        self.want_lesson(seen.visit, upload, lesson);
    }

    /// Has an upload of a visit stored that teaches nothing.
    pub(super) fn want_upload(&mut self, id: VisitId, upload: Upload) {
        self.want_lesson(id, upload, None);
    }

    /// Has an upload of a visit stored; what it teaches is learned when it is.
    fn want_lesson(&mut self, id: VisitId, mut upload: Upload, lesson: Option<Lesson>) {
        if let Some(visit) = self.visits.get_mut(id) {
            upload.complaints = std::mem::take(&mut visit.complaints);
            upload.followed = followed(&upload, &self.networks);
            visit.unconfirmed_count += 1;
            visit.lessons.push_back(lesson);
        }
        self.want(Effect::Apply(Box::new(upload)));
    }
}

/// Whether an answer says nothing about what was asked: the same may be asked again.
fn is_passing(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::RateLimited { .. } | Outcome::QuotaExhausted { .. } | Outcome::Transient)
}

/// Leaves out of a page who asks for it, the owner of its source among them if it did so elsewhere; gives the accounts that do.
fn leave_out(visit: &mut Visit, page: &mut Page) -> Vec<String> {
    let also = visit.rested_at.map(|_| visit.source.root_id.as_str());
    let out = drop_opted_out(&mut page.observation, also);
    if !out.is_empty() || also.is_some() {
        complain::hide_samples(visit);
    }
    out
}

/// Another look at a page of a thread saw a page whose newest post is this old.
fn note_rechecked(visit: &mut Visit, newest_at: Option<Timestamp>, seen: Seen) {
    if let Some(rechecked) = &mut visit.rechecked {
        rechecked.seen = newest_at.map(|newest_at| (newest_at, seen.at));
    }
}

/// The owner of a list that was refused is shown, so the refusal was about the list alone.
/// What a first page says for the next visit: how to ask whether anything changed, and when to come. An answer without a body
/// says nothing of either, and what was said before holds.
fn keep_word(source: &mut Source, page: &Page) {
    source.validators = page.validators.clone();
    if let Some(timetable) = &page.timetable {
        source.timetable = timetable.clone();
    }
}

fn keep_refusal(visit: &mut Visit, refused: Option<(SourceState, Option<String>)>) {
    if let (Some((state, failure)), true) = (refused, visit.source.state == SourceState::Active) {
        (visit.source.state, visit.source.failure) = (state, failure);
        visit.has_more = visit.source.coverage.way_down().is_some();
    }
}

/// What a refusal makes of a source, where it says something about it.
fn refused_state(outcome: &Outcome) -> Option<SourceState> {
    match outcome {
        Outcome::Gone | Outcome::Moved { .. } => Some(SourceState::Gone),
        Outcome::Suspended => Some(SourceState::Suspended),
        Outcome::Private => Some(SourceState::Private),
        Outcome::AuthRequired => Some(SourceState::AuthRequired),
        _ => None,
    }
}

/// What is left of a page for the store.
struct Shown {
    observation: Observation,
    raw: Option<Vec<u8>>,
    opted_out: Vec<String>,
    list: Option<ListPage>,
}

/// The newest post of a page, those inside others left out.
fn newest_listed(page: &Page) -> Option<Timestamp> {
    let listed = page.observation.posts.iter().filter(|post| !post.is_embedded);
    listed.filter_map(|post| post.created_at).max()
}

/// The page of a list that this is, where the source is one.
fn list_of(visit: &Visit, page: &Page, recheck_at: Timestamp) -> Option<ListPage> {
    let is_list = is_list(&visit.source.root_kind) && matches!(visit.walk.leg, Leg::List | Leg::Recheck);
    if !is_list || page.is_unchanged || (page.is_detour && visit.walk.leg == Leg::List) {
        return None;
    }
    let listed: Vec<&Post> = page.observation.posts.iter().filter(|post| !post.is_embedded).collect();
    Some(ListPage {
        title: page.title.clone(),
        next: page.next.clone(),
        is_gone: listed.is_empty() && visit.walk.leg == Leg::Recheck,
        shown: listed.iter().map(|post| post.id.clone()).collect(),
        recheck_at,
        ..list_page(visit)
    })
}

/// How many posts a first page shows whose list is a window; 0 where it is none, or goes on below.
fn window(endpoint: &Endpoint, page: &Page) -> Option<u32> {
    if !endpoint.is_window || page.next.is_some() {
        return Some(0);
    }
    let shown = page.observation.posts.iter().filter(|post| !post.is_embedded).count();
    u32::try_from(shown).ok().filter(|shown| *shown > 0 && !page.is_unchanged)
}
