//! Step 2 (schedule) of 10, and every way a visit ends.
//!
//! A visit that ended keeps its lease until the store has confirmed its last upload: a new
//! visit of the same source must read what this one wrote.

use freshet_network::collections::CollectionName;
use freshet_policy::Grade;
use freshet_store::row::Applied;
use freshet_types::{RobotKind, Source, SourceId, SourceState, Timestamp, VisitId, VisitSummary};

use super::Core;
use super::begin::HISTORY_CLASS;
use super::sources::Planned;
use super::upload::empty_upload;
use crate::forum::Bounds;
use crate::price::TariffKey;
use crate::schedule;
use crate::visit::{Ending, Stage, Visit};
use crate::walk::{Aim, Seen};

/// Type of the objects that are asked about when they are missing.
const POST: &str = "post";
/// Outcome of a visit whose rest waits for quota.
const POSTPONED: &str = "postponed";

impl Core {
    /// The list is read as far as this visit goes; missing posts may still be asked about.
    pub(super) fn end_leg(&mut self, id: VisitId, now: Timestamp) {
        let Some(visit) = self.visits.get_mut(id) else { return };
        if visit.source.state == SourceState::Active && visit.walk.next_check() {
            return self.send(id, now);
        }
        // Missing posts are known only when the store has answered: wait for it.
        if !self.awaits_store(id, None) {
            self.finish(id, "ok", now);
        }
    }

    /// Whether a visit waits for the store before it ends this way; it asks nothing meanwhile. What the store finds new is
    /// learned first, so that the summary carries it.
    fn awaits_store(&mut self, id: VisitId, ending: Option<Ending>) -> bool {
        let visit = &mut self.visits[id];
        if visit.unconfirmed_count == 0 {
            return false;
        }
        (visit.stage, visit.ending) = (Stage::Listens, ending);
        self.free_history(id);
        self.frontier.rest(id);
        true
    }

    /// Counts the members of a collection that a visit of the robot `link` has brought.
    fn note_gathered(&mut self, id: VisitId, applied: &Applied) {
        let visit = self.visits.get(id).filter(|visit| visit.source.robot == RobotKind::Link);
        let Some(source) = visit.map(|visit| &visit.source) else { return };
        let Some(connector) = self.networks.connector_for(&source.network) else { return };
        if let Some(endpoint) = connector.endpoint(&source.endpoint) {
            let name = CollectionName::of(source.network.definition(), endpoint);
            self.tally.gathered(name, applied);
        }
    }

    /// The store committed an upload of this visit.
    pub(super) fn confirm(&mut self, id: VisitId, applied: &Applied, now: Timestamp) {
        self.upload_count = self.upload_count.saturating_sub(1);
        let robot = self.visits.get(id).map(|visit| visit.source.robot);
        let robot = if self.confirm_streamed(id, applied, now) { Some(RobotKind::Status) } else { robot };
        self.tally.applied(applied, robot);
        self.note_gathered(id, applied);
        applied.rested.iter().for_each(|&source| self.rest(source, now));
        applied.led_to.iter().for_each(|slot| self.on_lead(slot, now));
        self.on_told(id, &applied.told, now);
        self.learn(id, applied, now);
        let Some(visit) = self.visits.get_mut(id) else { return };
        visit.unconfirmed_count = visit.unconfirmed_count.saturating_sub(1);
        let connector = self.networks.connector_for(&visit.source.network);
        if connector.is_some_and(|connector| connector.single(POST).is_some()) {
            visit.walk.check_missing(applied.missing.iter().cloned());
        }
        if visit.unconfirmed_count > 0 {
            return;
        }
        match visit.stage {
            Stage::Ended => self.release(id),
            Stage::Listens => {
                visit.stage = Stage::Asks;
                match visit.ending.take() {
                    None => self.end_leg(id, now),
                    Some(Ending::Finished(outcome)) => self.finish(id, outcome, now),
                    Some(Ending::Failed) => self.upload_failure(id, now),
                }
            }
            Stage::Asks => {}
        }
    }

    /// The owner of this source asks not to be collected, as a page of another source showed.
    fn rest(&mut self, id: SourceId, now: Timestamp) {
        let Some(slot) = self.sources.get_mut(id).filter(|slot| slot.state.is_watched()) else { return };
        slot.state = SourceState::OptedOut;
        slot.news_at = now + schedule::REVIVAL_GAP;
        if slot.is_leased {
            if let Some(visit) = self.visits.of_source(id) {
                visit.rested_at = Some(now);
            }
        } else {
            self.leave_history(id);
            self.await_news(id);
        }
        self.ungrade(id);
    }

    /// The visit ends: its summary and the next due time go to the store, after its pages.
    pub(super) fn finish(&mut self, id: VisitId, outcome: &'static str, now: Timestamp) {
        if self.awaits_store(id, Some(Ending::Finished(outcome))) {
            return;
        }
        let visit = &mut self.visits[id];
        if visit.rested_at.is_some() {
            visit.source.state = SourceState::OptedOut;
        }
        // Only a visit that came to its end clears its source: one that always fails after its
        // first page must not try for ever.
        if outcome != POSTPONED && visit.aim != Aim::Recheck {
            visit.source.attempts = 0;
        }
        if outcome != POSTPONED {
            let (key, source) = (visit.key, visit.source.id);
            self.note_recovered(key, source);
        }
        self.note_read(id, None, now);
        let visit = &mut self.visits[id];
        visit.source.due_at = if visit.aim == Aim::News || visit.source.state != SourceState::Active {
            let last_at = visit.visited_before.filter(|_| visit.news_count == 0);
            // A thread that was silent before we came is not waited for like one that went silent since.
            let silent = || visit.walk.quiet_since(&visit.source).map(|since| now - since);
            let silent = || silent().filter(|&silent| silent > self.options.ceiling);
            let is_first = visit.visited_before.is_none();
            let quiet = last_at.map(|last_at| now - last_at).or_else(|| silent().filter(|_| is_first));
            let tariff = TariffKey::new(visit.key, visit.source.robot);
            let is_scarce = self.prices.is_scarce(tariff);
            let market = self.prices.market(tariff, &self.ledger, now);
            visit.grade = Some(schedule::grade(&visit.source, &*self.policy, market, quiet));
            let key = visit.key;
            let bounds = Bounds { pacing: self.policy.pacing(), is_quiet: quiet.is_some() };
            let is_active = visit.source.state == SourceState::Active;
            let own_at = self.forums.due_at(key, &visit.source, market, bounds, now).filter(|_| is_active);
            if let (Some(grade), Some(rate_per_s)) =
                (&mut visit.grade, self.forums.rate_per_s(key, &visit.source, now))
                && *grade != Grade::NONE
            {
                *grade = Grade::of(f64::from(visit.source.weight), rate_per_s);
            }
            let timing = (&*self.policy, &*market);
            let due_at = own_at
                .unwrap_or_else(|| schedule::due_at(&visit.source, timing, self.options.ceiling, quiet, now));
            if is_scarce && own_at.is_none() && !visit.source.is_page() {
                let facts = schedule::facts(&visit.source, now);
                visit.slack = Some(self.policy.slack(&visit.source.model, &facts, market, due_at));
            }
            due_at
        } else {
            // History does not move the news: they are due when they were.
            self.sources.news_at(visit.source.id, now)
        };
        self.note_last_look(id, now);
        let visit = &mut self.visits[id];
        visit.has_more = visit.has_more
            && visit.source.state == SourceState::Active
            && visit.walk.may_go_on(&mut visit.source.coverage, now);
        let is_list = visit.source.robot == RobotKind::Link;
        if visit.has_more && is_list && self.prices.share_gap(visit.key, RobotKind::Link, now).is_some() {
            // The rest of a list of members waits for its next turn.
            (visit.has_more, visit.source.due_at) = (false, now);
        }
        let mut stored = visit.source.clone();
        if visit.has_more {
            // Stored as due at once, so that a restart goes on with its history too.
            stored.due_at = now;
        }
        self.upload_summary(id, stored, outcome, now);
    }

    /// A page could not be had: the source goes back, at most three times in a row.
    pub(super) fn fail(&mut self, id: VisitId, why: &str, can_retry: bool, now: Timestamp) {
        self.note_group_failed(id, now);
        let visit = &mut self.visits[id];
        visit.walk.end_group();
        if visit.aim == Aim::Recheck {
            tracing::debug!(source = visit.source.id.0, "an old page cannot be had: {why}");
            return self.miss_recheck(id, now);
        }
        visit.source.due_at = schedule::failed(&mut visit.source, why, can_retry, now);
        let until = visit.source.due_at;
        self.note_read(id, Some(until), now);
        let visit = &mut self.visits[id];
        if visit.source.state == SourceState::Failed && visit.rested_at.is_none() {
            self.tally.failure(&visit.source, why, now);
        }
        if !self.awaits_store(id, Some(Ending::Failed)) {
            self.upload_failure(id, now);
        }
    }

    /// Uploads the summary of a visit that failed, after its pages.
    fn upload_failure(&mut self, id: VisitId, now: Timestamp) {
        let visit = &mut self.visits[id];
        if visit.rested_at.is_some() {
            visit.source.state = SourceState::OptedOut;
        }
        let stored = visit.source.clone();
        self.upload_summary(id, stored, "failed", now);
    }

    fn upload_summary(&mut self, id: VisitId, stored: Source, outcome: &str, now: Timestamp) {
        self.disband(id);
        let visit = &mut self.visits[id];
        visit.stage = Stage::Ended;
        let summary = VisitSummary {
            id,
            source: visit.source.id,
            started_at: visit.started_at,
            ended_at: now,
            fetch_count: visit.fetch_count,
            new_post_count: visit.new_post_count,
            outcome: outcome.to_owned(),
            attempt: visit.attempt,
        };
        let mut upload = empty_upload(visit, Seen { at: now, visit: id });
        let (has_asked, source, key) = (visit.asked_at.is_some(), visit.source.id, visit.key);
        upload.source = Some(stored);
        upload.summary = Some(summary);
        if let Some(lateness) = visit.lateness {
            let tariff = TariffKey::new(visit.key, visit.source.robot);
            self.prices.visited(tariff, &visit.paid, lateness, now);
        }
        self.tally.visits_count += 1;
        self.want_upload(id, upload);
        // It asks nothing more, so its place at the server is free; its source is not, until the
        // store has confirmed.
        self.leave_server(id, has_asked);
        self.free_history(id);
        self.end_choice(source, now);
        self.leave_desk(key, source, now);
    }

    /// The quota ran out in the middle: what was read is stored, the rest waits in the backlog.
    pub(super) fn suspend(&mut self, id: VisitId, now: Timestamp) {
        let visit = &mut self.visits[id];
        if visit.aim == Aim::Recheck {
            let news_at = self.sources.news_at(visit.source.id, now);
            return self.put_off(id, news_at);
        }
        visit.has_more = true;
        if visit.fetch_count > 0 {
            return self.finish(id, POSTPONED, now);
        }
        let source = visit.source.id;
        let news_at = self.sources.news_at(source, now);
        self.enqueue(source, true);
        self.put_off(id, news_at);
    }

    /// Nothing was asked, so there is nothing to write: the source is due at `due_at`.
    pub(super) fn put_off(&mut self, id: VisitId, due_at: Timestamp) {
        self.disband(id);
        self.free_history(id);
        let visit = self.visits.close(id);
        self.leave_server(id, visit.asked_at.is_some());
        let (state, due_at) = state_and_due(&visit, due_at);
        self.give_back(visit.source.id, state, due_at);
    }

    /// Nothing was got, since no quota is left for its robot before `until`: the source keeps its turn, and so do those
    /// behind it.
    pub(super) fn keep_turn(&mut self, id: VisitId, until: Timestamp) {
        self.disband(id);
        let visit = &self.visits[id];
        let (source, is_rested, has_asked) =
            (visit.source.id, visit.rested_at.is_some(), visit.asked_at.is_some());
        // A source that a merged page showed and that asks for more by itself has no place to which it could go back.
        let has_turn = !is_rested && self.frontier.has_place(id);
        let slot = self.sources.get_mut(source).filter(|slot| slot.state.is_watched() && has_turn);
        // Nor has one that a person took off the list meanwhile, or whose owner asked not to be collected.
        let Some(slot) = slot else { return self.put_off(id, until) };
        slot.is_leased = false;
        let (key, class) = (slot.key, slot.class());
        self.visits.close(id);
        self.frontier.hold_class(key, class, until);
        // History must not slip in before the news when the hold ends.
        self.backlogs.put_off(key, until);
        self.frontier.hold_class(key, HISTORY_CLASS, until);
        self.frontier.return_first(id, has_asked);
    }

    /// It came due at an old price: it waits until it is due at today's.
    pub(super) fn wait_longer(
        &mut self,
        id: VisitId,
        source: &Source,
        (due_at, step): (Timestamp, u8),
        now: Timestamp,
    ) {
        self.tally.repriced_count += 1;
        self.leave_server(id, false);
        let gap = source.visited_at.map(|visited_at| due_at - visited_at);
        if let Some(slot) = self.sources.get_mut(source.id) {
            (slot.price_step, slot.planned) = (step, gap.map(Planned::even));
        }
        self.give_back(source.id, source.state, due_at);
        self.end_choice(source.id, now);
    }

    /// It came due, and a stream brings its news: it waits for its reconciliation.
    pub(super) fn rest_streamed(&mut self, id: VisitId, source: &Source, until: Timestamp, now: Timestamp) {
        self.leave_server(id, false);
        self.note_spared(source, now);
        self.put_off_streamed(source.id, source.state, until);
        self.end_choice(source.id, now);
    }

    /// All of it is stored: the lease ends, the source is due when the policy says.
    fn release(&mut self, id: VisitId) {
        let visit = self.visits.close(id);
        self.lines.set_pinned(visit.source.id, visit.source.pinned.is_some());
        self.regrade(&visit);
        let (state, due_at) = state_and_due(&visit, visit.source.due_at);
        let source = visit.source;
        if visit.rested_at.is_some() {
            self.ungrade(source.id);
        }
        if visit.has_more && state == SourceState::Active {
            self.enqueue(source.id, false);
        }
        self.give_back(source.id, state, due_at);
    }

    /// Gives up the place at the server, and the pause too where nothing was asked of it.
    fn leave_server(&mut self, id: VisitId, has_asked: bool) {
        if has_asked {
            self.frontier.close(id)
        } else {
            self.frontier.close_unsent(id)
        };
    }

    pub(super) fn give_back(&mut self, id: SourceId, state: SourceState, due_at: Timestamp) {
        let Some(slot) = self.sources.get_mut(id) else { return };
        slot.is_leased = false;
        if !slot.state.is_watched() {
            return; // A person took it off the list, or paused it, while it was being visited.
        }
        slot.state = state;
        slot.news_at = due_at;
        self.await_news(id);
    }

    /// Begins nothing new; visits that wait for a quota end here and are due again at once.
    pub(super) fn drain(&mut self, now: Timestamp) {
        self.is_draining = true;
        self.close_streams();
        for id in self.visits.end_waiting() {
            self.suspend(id, now);
        }
    }

    /// Gives up requests whose fetcher never came back. The lease itself ends, as always, when the
    /// store has confirmed the summary of the failure.
    pub(super) fn expire_leases(&mut self, now: Timestamp) {
        let wall_now = Timestamp::from_ms(i64::try_from(self.wall_ms).unwrap_or(i64::MAX));
        while let Some(late) = self.frontier.overdue(wall_now) {
            self.frontier.extend(late, Timestamp::MAX);
            if self.visits.get(late).is_some() {
                self.cancel_order(late, now);
                self.on_lease_expired(late, now);
            }
        }
    }
}

/// The state and due time with which a source goes back: its owner may have asked, when its summary
/// was on its way already, not to be collected.
fn state_and_due(visit: &Visit, due_at: Timestamp) -> (SourceState, Timestamp) {
    match visit.rested_at {
        Some(at) => (SourceState::OptedOut, due_at.max(at + schedule::REVIVAL_GAP)),
        None => (visit.source.state, due_at),
    }
}
