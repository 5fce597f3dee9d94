//! The desks of forums: who gets the next page of each. Part of step 3 (pick) of 10.
//!
//! A forum has many lists, and one page at a time to give: the list whose page is worth most gets it ([`crate::forum::desk`]), when the
//! quota has one. Lists of a forum wait in no queue of the frontier until they are chosen; their due times, as the policy has them, count only
//! where no index list tells of their news. Beside the news there are
//!
//! | who | share of the pages | from |
//! |---|---|---|
//! | the archive: threads never read, lists with more below | [`ARCHIVE_SHARE`] while there is any, and what news leave | the desk, `core/backlogs.rs` |
//! | threads due by their own schedule, though an index would have told | [`ASIDE_SHARE`] | the desk |
//!
//! Of a budget that a person set every page is spent. Of the usual one, which nobody asked for, only those are that
//! end some waiting ([`RESERVE_USUAL`]): a forum where nobody writes is left alone. A list whose pace a person chose is not dealt with here. With the ratio rule, and with
//! policies that know no price, lists wait for their due times as everywhere.

use freshet_policy::forum::ListKind;
use freshet_store::row::{LeadTold, SourceSlot};
use freshet_types::{
    Map, QuotaKey, RobotKind, ServerKey, Set, SourceId, SourceState, Span, Timestamp, VisitId,
};

use super::begin::{self, HISTORY_CLASS};
use super::calls::Calls;
use super::{Core, Slot};
use crate::budget;
use crate::forum::desk::{Desk, Limits, Table};
use crate::forum::{Share, list_kind};
use crate::price::TariffKey;
use crate::walk::Aim;

/// Share of the pages that the archive gets while there is any.
const ARCHIVE_SHARE: f64 = 0.75;
/// Share of threads that are due though nobody told of news.
const ASIDE_SHARE: f64 = 0.01;
/// Pages that a share may have saved up, and may be behind.
const CREDITS: std::ops::RangeInclusive<f64> = -8.0..=2.0;
/// What a page must be worth where nobody set a budget, in post-seconds.
const RESERVE_USUAL: f64 = 1.0;
/// Visits of one forum that are under way at once.
const OPEN_MAX: usize = 4;
/// A list may come a little before its floor: a quota whose pages come a second sooner would else give every other one to nobody.
const FLOOR_SHARE: f64 = 0.9;
/// How soon a forum is looked at again of which no page is worth its while.
const LOOK_AGAIN: Span = Span::from_secs(10);
/// And one that has all under way that it may have: a person may have taken a list away.
const OPEN_AGAIN: Span = Span::MINUTE;

/// Why a list was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    News,
    Archive,
    Aside,
}

/// The desk of one forum, and what it has under way.
#[derive(Debug)]
struct Counter {
    desk: Desk,
    /// Lists that were chosen and have not been read yet.
    open: Vec<(SourceId, Lane)>,
    /// What its pages are paid from: quotas and budgets.
    quotas: Vec<QuotaKey>,
    archive_credit: f64,
    aside_credit: f64,
}

impl Counter {
    fn new(now_s: f64) -> Self {
        let desk = Desk::new(now_s);
        Self { desk, open: Vec::new(), quotas: Vec::new(), archive_credit: 1.0, aside_credit: 0.0 }
    }

    /// A page is asked for.
    fn spend(&mut self, id: SourceId) {
        let lane = self.open.iter().find(|(open, _)| *open == id).map(|(_, lane)| *lane);
        let settle = |credit: f64, share: f64, own: Lane| {
            let spent = if lane == Some(own) { 1.0 } else { 0.0 };
            (credit + share - spent).clamp(*CREDITS.start(), *CREDITS.end())
        };
        self.archive_credit = settle(self.archive_credit, ARCHIVE_SHARE, Lane::Archive);
        self.aside_credit = settle(self.aside_credit, ASIDE_SHARE, Lane::Aside);
    }
}

/// All desks.
#[derive(Debug, Default)]
pub(super) struct Desks {
    by_server: Map<ServerKey, Counter>,
    /// The forums that may have a page to give, by when.
    calls: Calls<ServerKey>,
    /// Lists whose pace a person chose.
    pinned: Set<SourceId>,
}

impl Desks {
    /// All forums may have a page to give now.
    pub(super) fn call_all(&mut self, now: Timestamp) {
        self.by_server.keys().for_each(|key| self.calls.add(*key, now));
    }

    pub(super) fn wake_at(&self) -> Option<Timestamp> {
        self.calls.first()
    }

    fn desk(&mut self, key: ServerKey) -> Option<&mut Desk> {
        self.by_server.get_mut(&key).map(|counter| &mut counter.desk)
    }

    /// A list is not chosen any more: it was read, or waits anew.
    fn close(&mut self, key: ServerKey, id: SourceId, now: Timestamp) {
        if let Some(counter) = self.by_server.get_mut(&key) {
            counter.open.retain(|(open, _)| *open != id);
            self.calls.add(key, now);
        }
    }
}

impl Core {
    /// Whether lists of a server are dealt with at a desk.
    pub(super) fn has_desk(&self, key: ServerKey) -> bool {
        self.options.forum_share == Share::Price && self.prices.has_price() && self.forums.contains(key)
    }

    /// Whether a source waits at a desk.
    pub(super) fn is_dealt(&self, id: SourceId, slot: &Slot) -> bool {
        let is_list = matches!(slot.robot, RobotKind::Status | RobotKind::Comment);
        is_list
            && slot.state == SourceState::Active
            && self.has_desk(slot.key)
            && !self.desks.pinned.contains(&id)
    }

    /// A source came to a forum.
    pub(super) fn add_to_desk(&mut self, slot: &SourceSlot, key: ServerKey, now: Timestamp) {
        if !self.has_desk(key) || slot.state != SourceState::Active {
            return;
        }
        let counter = self.desks.by_server.entry(key).or_insert_with(|| Counter::new(now.secs_f64()));
        let visited_at = slot.gap.map(|gap| slot.due_at - gap);
        match slot.robot {
            RobotKind::Status => counter.desk.add_index(slot.id, visited_at.map(Timestamp::secs_f64)),
            RobotKind::Comment if visited_at.is_none() => counter.desk.add_unread(slot.id),
            _ => {}
        }
    }

    /// A source of a desk waits for its news, or for its due time where nobody tells of them.
    pub(super) fn await_at_desk(&mut self, key: ServerKey, id: SourceId) {
        if let Some(counter) = self.desks.by_server.get_mut(&key)
            && counter.open.iter().any(|(open, _)| *open == id)
        {
            // It was chosen, and turned back before it could ask.
            counter.desk.return_unread(id);
        }
        self.desks.close(key, id, Timestamp::MIN);
    }

    /// A source of a desk is due by its own schedule.
    pub(super) fn fall_due_at_desk(&mut self, slot: &Slot, id: SourceId) {
        if let (RobotKind::Comment, Some(desk)) = (slot.robot, self.desks.desk(slot.key)) {
            desk.add_due(id);
        }
        self.desks.calls.add(slot.key, Timestamp::MIN);
    }

    /// A person wants this list.
    pub(super) fn want_at_desk(&mut self, key: ServerKey, id: SourceId) {
        if let Some(desk) = self.desks.desk(key) {
            desk.want(id);
            self.desks.calls.add(key, Timestamp::MIN);
        }
    }

    /// The first page of an index list was read.
    pub(super) fn note_looked(&mut self, id: VisitId, now: Timestamp) {
        let Some(visit) = self.visits.get(id) else { return };
        if let Some(desk) = self.desks.desk(visit.key)
            && list_kind(&visit.source.root_kind) == Some(ListKind::Index)
        {
            desk.looked(visit.source.id, now.secs_f64());
        }
    }

    /// A page of an index list told of other lists.
    pub(super) fn on_told(&mut self, id: VisitId, told: &[LeadTold], now: Timestamp) {
        let Some((key, source)) = self.visits.get(id).map(|visit| (visit.key, visit.source.id)) else {
            return;
        };
        if let Some(desk) = self.desks.desk(key).filter(|_| !told.is_empty()) {
            desk.on_told(source, told, now.secs_f64());
        }
    }

    /// Posts of a list are new.
    pub(super) fn note_posts(&mut self, key: ServerKey, id: SourceId, news: &[Timestamp]) {
        if let Some(desk) = self.desks.desk(key) {
            desk.learn(id, news.iter().map(|at| at.secs_f64()));
        }
    }

    /// A visit has come to its end; `until` where it brought nothing and is to be tried again.
    pub(super) fn note_read(&mut self, id: VisitId, until: Option<Timestamp>, now: Timestamp) {
        let Some(visit) = self.visits.get(id).filter(|visit| visit.aim != Aim::Recheck) else { return };
        let (source, robot) = (visit.source.id, visit.source.robot);
        let Desks { by_server, pinned, .. } = &mut self.desks;
        let Some(desk) = by_server.get_mut(&visit.key).map(|counter| &mut counter.desk) else { return };
        if visit.source.pinned.is_some() {
            pinned.insert(source);
        } else {
            pinned.remove(&source);
        }
        match until {
            Some(until) => desk.put_off(source, until.secs_f64()),
            None if robot == RobotKind::Comment => desk.read(source, now.secs_f64()),
            None => {}
        }
    }

    /// A visit asks for nothing more.
    pub(super) fn leave_desk(&mut self, key: ServerKey, id: SourceId, now: Timestamp) {
        self.desks.close(key, id, now);
    }

    /// A page is asked for and paid.
    pub(super) fn pay_at_desk(&mut self, id: VisitId) {
        let Some(visit) = self.visits.get(id) else { return };
        let Some(counter) = self.desks.by_server.get_mut(&visit.key) else { return };
        counter.spend(visit.source.id);
        if let Some(claim) = &visit.claim {
            let is_same = claim.all_needs().map(|need| &need.key).eq(&counter.quotas);
            if !is_same {
                counter.quotas = claim.all_needs().map(|need| need.key.clone()).collect();
            }
        }
    }

    /// What was trained of a forum.
    pub(super) fn set_table(&mut self, key: ServerKey, table: Table, now: Timestamp) {
        if let Some(desk) = self.desks.desk(key) {
            desk.set_table(table, now.secs_f64());
        }
    }

    /// Units a second that the quotas of a forum give, where it has any.
    pub(super) fn desk_refill_per_s(&self, key: ServerKey, now: Timestamp) -> Option<f64> {
        let quotas = &self.desks.by_server.get(&key)?.quotas;
        quotas.iter().filter_map(|quota| self.ledger.refill_per_s(quota, now)).min_by(f64::total_cmp)
    }

    /// Gives the pages that forums have.
    pub(super) fn pump_desks(&mut self, now: Timestamp) {
        while let Some(key) = self.desks.calls.pop(now) {
            // Taken out, so that whoever is chosen may be looked up.
            let Some(mut counter) = self.desks.by_server.remove(&key) else { continue };
            let next_at = self.deal(key, &mut counter, now);
            self.desks.by_server.insert(key, counter);
            self.desks.calls.add(key, next_at);
        }
    }

    /// Gives what a forum has now; when it may have more, unless a visit ends before.
    fn deal(&mut self, key: ServerKey, counter: &mut Counter, now: Timestamp) -> Timestamp {
        let politeness = begin::politeness(&self.networks, self.servers.instance(key));
        let room = (politeness.in_flight_max as usize).min(OPEN_MAX);
        counter.desk.refresh_if_due(now.secs_f64());
        loop {
            let is_open = |id: SourceId| {
                self.sources.get(id).is_some_and(|slot| slot.state.is_watched() && self.is_at_work(&slot))
            };
            counter.open.retain(|(id, _)| is_open(*id));
            if counter.open.len() >= room {
                return now + OPEN_AGAIN;
            }
            let units = counter.open.len() as u32 + 1;
            let ready = counter.quotas.iter().filter_map(|quota| self.ledger.ready_at(quota, units, now));
            if let Some(ready_at) = ready.max().filter(|at| *at > now) {
                return ready_at;
            }
            let Some((id, lane, aim)) = self.next_list(key, counter, now) else {
                return now + LOOK_AGAIN.min(self.policy.pacing().ceiling);
            };
            counter.open.push((id, lane));
            self.choose_list(key, id, aim);
        }
    }

    /// The list that is read next.
    fn next_list(
        &mut self,
        key: ServerKey,
        counter: &mut Counter,
        now: Timestamp,
    ) -> Option<(SourceId, Lane, Aim)> {
        let Counter { desk, open, quotas, archive_credit, aside_credit } = counter;
        let price = self.prices.price(TariffKey::new(key, RobotKind::Comment));
        let is_free = |id: SourceId| {
            let slot = self.sources.get(id).filter(|slot| slot.key == key && slot.waits_for_news());
            slot.is_some_and(|slot| self.is_dealt(id, &slot) && self.is_at_work(&slot))
                && open.iter().all(|(other, _)| *other != id)
        };
        if *aside_credit >= 1.0
            && let Some(id) = desk.pop_aside(is_free)
        {
            return Some((id, Lane::Aside, Aim::News));
        }
        let pacing = self.policy.pacing();
        let floor = pacing.floor.min(pacing.ceiling) * FLOOR_SHARE;
        let limits = Limits { floor, ceiling: pacing.ceiling, price };
        let reserve = if quotas.iter().all(budget::is_usual) { RESERVE_USUAL } else { 0.0 };
        let is_archive_next = *archive_credit >= 1.0;
        for is_news in [!is_archive_next, is_archive_next] {
            if is_news {
                let best = desk.best(limits, is_free, now.secs_f64());
                if let Some(offer) = best.filter(|offer| offer.price > reserve) {
                    return Some((offer.id, Lane::News, Aim::News));
                }
            } else if let Some(id) = self.backlogs.first_of(key, is_free) {
                return Some((id, Lane::Archive, Aim::History));
            } else if let Some(id) = desk.pop_archived(is_free) {
                return Some((id, Lane::Archive, Aim::News));
            }
        }
        None
    }

    fn choose_list(&mut self, key: ServerKey, id: SourceId, aim: Aim) {
        let Some(slot) = self.sources.get_mut(id) else { return };
        // It is not sent back for a price that rose.
        (slot.price_step, slot.aim) = (0, aim);
        let class = slot.class();
        if aim == Aim::History {
            slot.is_backlogged = false;
            self.backlogs.open(key, id);
            self.frontier.schedule(id, key, HISTORY_CLASS, Timestamp::MIN);
        } else {
            self.frontier.schedule(id, key, class, Timestamp::MIN);
        }
    }
}
