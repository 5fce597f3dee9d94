//! Prices and sources: what a source pays, when a price tells against a visit, and who is pulled
//! forward when prices fall. Part of step 2 (schedule) of 10.
//!
//! A source that comes due is asked again at today's price: if that rose, it goes back into the
//! wheel. A price that fell is learned in a round: [`SLOTS_PER_TICK`] slots a tick, each pulled forward
//! as the root of the fall says (gaps follow √price), without loading it; if that was too early, it
//! is asked again when due. So neither direction ever looks at all sources at once.

use freshet_policy::{Grade, Slack, SourceFacts};
use freshet_types::{RobotKind, Source, SourceId, SourceState, Span, Timestamp, VisitId};

use super::sources::Planned;
use super::{Core, Slot};
use crate::forum::Bounds;
use crate::pages;
use crate::price::{self, TariffKey, Use};
use crate::quota::Claim;
use crate::schedule;
use crate::visit::Visit;
use crate::walk::Aim;

/// Slots looked at in one tick: ten million take some ten minutes.
const SLOTS_PER_TICK: usize = 4096;
/// Steps of 2^¼ that a price must have fallen for a slot to move: a factor of 1.4.
const FALL_STEPS: u8 = 2;
/// And to have risen for a due source to go back: less is noise, and whoever is sent away for it
/// leaves quota unspent.
const RISE_STEPS: u8 = 2;
/// A source that is early by less than this share of its gap is visited all the same.
const EARLY_SHARE: f64 = 0.1;
/// And by less than this.
const EARLY_MIN: Span = Span::MINUTE;
/// One late visit says no more than this about demand.
const LATENESS_MAX: f64 = 4.0;
/// An early one no less than this.
pub(super) const LATENESS_MIN: f64 = 0.5;

impl Core {
    /// Decides whether a due source is still due at today's price, and how late it is; gives the
    /// time at which it is due where that lies ahead.
    pub(super) fn reconsider(&mut self, source: &Source, slot: Slot, aim: Aim, now: Timestamp) -> Timing {
        let is_timed = aim == Aim::News && source.state == SourceState::Active;
        let visited_at = match (source.robot, source.visited_at) {
            (RobotKind::Status, Some(visited_at)) if is_timed && source.pinned.is_none() => visited_at,
            // What a person wants this often is no matter of price.
            _ if source.pinned.is_some() => return Timing::Due(None),
            // Fruitless looks at threads have a pace of their own; see `schedule`.
            (RobotKind::Comment, Some(_)) if is_timed => return Timing::Due(Some(1.0)),
            _ => return Timing::Due(None),
        };
        if let Some(reconcile_at) = self.reconcile_at(slot.key, source, now).filter(|at| *at > now) {
            return Timing::Covered(reconcile_at);
        }
        let market = self.prices.market(TariffKey::new(slot.key, slot.robot), &self.ledger, now);
        let step = price::step_of(market.price);
        let facts: SourceFacts = schedule::facts(source, visited_at);
        let bounds = Bounds { pacing: self.policy.pacing(), is_quiet: false };
        let own_at = self.forums.due_at(slot.key, source, market, bounds, visited_at);
        let due_at = match own_at {
            Some(due_at) => due_at,
            None if source.is_page() => pages::plan(source, market, self.policy.pacing(), visited_at).due_at,
            None => self.policy.due_at(&source.model, &facts, market),
        };
        // Nobody comes sooner than the publisher asks for because a price fell.
        let held_until = schedule::held_until(source, self.options.ceiling, visited_at);
        if slot.price_step > 0 && held_until > now {
            return Timing::Early(held_until, step);
        }
        let (planned, real) = (due_at - visited_at, now - visited_at);
        // Only one that was scheduled at a known, lower price may go back: others are here because
        // a person or its history wants them.
        let has_risen = self.prices.has_price()
            && slot.price_step > 0
            && slot.price_step.saturating_add(RISE_STEPS) <= step;
        if has_risen && due_at - now > (planned * EARLY_SHARE).max(EARLY_MIN) {
            return Timing::Early(due_at, step);
        }
        let lateness = real.secs_f64() / planned.max(Span::SECOND).secs_f64();
        Timing::Due(Some(lateness.clamp(LATENESS_MIN, LATENESS_MAX)))
    }

    /// A request of this visit leaves: its quotas are charged to who spends them.
    pub(super) fn charge(&mut self, id: VisitId, now: Timestamp) {
        let Some(visit) = self.visits.get_mut(id) else { return };
        let spender = match (visit.lateness, visit.aim) {
            (Some(_), _) => Use::News,
            (None, Aim::History) => Use::History,
            (None, Aim::News | Aim::Recheck) => Use::Other,
        };
        let tariff = TariffKey::new(visit.key, visit.source.robot);
        let needs = visit.claim.iter().flat_map(Claim::all_needs);
        self.prices.spend(tariff, spender, needs, &mut visit.paid, now);
    }

    /// The source of a visit that ends keeps its grade and the price of its next visit.
    pub(super) fn regrade(&mut self, visit: &Visit) {
        let tariff = TariffKey::new(visit.key, visit.source.robot);
        let planned =
            visit.planned_gap().map(|gap| Planned::new(gap, visit.slack.unwrap_or_else(|| Slack::even(gap))));
        if visit.aim == Aim::News
            && let Some(slot) = self.sources.get_mut(visit.source.id)
        {
            slot.planned = planned;
        }
        let Some(after) = visit.grade else { return };
        let step = price::step_of(self.prices.price(tariff));
        let is_counted = visit.visited_before.is_some();
        let Some(slot) = self.sources.get_mut(visit.source.id) else { return };
        let before = std::mem::replace(&mut slot.grade, after);
        slot.price_step = step;
        self.prices.regrade(tariff, before, after, is_counted);
    }

    /// A source is not counted any more.
    pub(super) fn ungrade(&mut self, id: SourceId) {
        self.groups.forget(id);
        let Some(slot) = self.sources.get_mut(id) else { return };
        let grade = std::mem::replace(&mut slot.grade, Grade::NONE);
        let tariff = TariffKey::new(slot.key, slot.robot);
        self.prices.forget(tariff, grade);
    }

    /// Pulls forward some of the sources whose price fell.
    pub(super) fn pull_forward(&mut self, now: Timestamp) {
        if self.prices.swap_fallen() {
            self.sources.begin_round();
        }
        for _ in 0..SLOTS_PER_TICK {
            let Some(id) = self.sources.next_in_round() else { return };
            self.pull(id, now);
        }
    }

    fn pull(&mut self, id: SourceId, now: Timestamp) {
        let Some(slot) = self.sources.get(id) else { return };
        let is_waiting = slot.state == SourceState::Active && slot.waits_for_news();
        let is_timed = slot.grade != Grade::NONE && self.is_at_work(&slot);
        if !is_waiting || !is_timed || slot.news_at <= now {
            return;
        }
        let step = price::step_of(self.prices.price(TariffKey::new(slot.key, slot.robot)));
        let fall = slot.price_step.saturating_sub(step);
        if slot.price_step == 0 || fall < FALL_STEPS {
            return;
        }
        // A step is 2^¼ of the price, hence 2^⅛ of the gap.
        let shorter = (-f64::from(fall) / 8.0).exp2();
        let news_at = now + (slot.news_at - now) * shorter;
        let planned = slot.planned.map(|planned| planned.scaled(shorter));
        self.sources.set(id, Slot { news_at, planned, price_step: step, ..slot });
        self.await_news(id);
    }
}

/// Whether a source that came due is due at today's price.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Timing {
    /// It is; how late, as a share of the gap that was planned, where the policy timed it.
    Due(Option<f64>),
    /// Not before this, at this step of the price.
    Early(Timestamp, u8),
    /// A stream brings its news: not before this.
    Covered(Timestamp),
}
