//! A person's word about weights reaches a run: the source is counted, and due, as if it had always weighed so. Part of step 2
//! (schedule) of 10.
//!
//! A list that waits for its news gets the time that the policy chooses at the new weight, sooner or later. One that is being visited
//! gets it when the visit ends. Threads of which no look is known to be worth its price keep their pace (`schedule`), and what a
//! person pinned keeps the person's.

use freshet_policy::Grade;
use freshet_types::{RobotKind, Source, SourceState, Timestamp};

use super::Core;
use super::sources::Planned;
use crate::forum::Bounds;
use crate::price::{self, TariffKey};
use crate::schedule;

impl Core {
    /// A source has this weight from now on.
    pub(super) fn reweigh(&mut self, source: &Source, now: Timestamp) {
        if let Some(visit) = self.visits.of_source(source.id) {
            visit.source.weight = source.weight;
        }
        let is_timed = source.robot == RobotKind::Status
            && source.state == SourceState::Active
            && source.pinned.is_none();
        let (Some(slot), Some(visited_at)) = (self.sources.get(source.id), source.visited_at) else { return };
        // Whose news are known to be there bids for its visit already.
        let is_told = self.groups.is_told(source.id);
        if !is_timed || is_told || slot.state != SourceState::Active || !slot.waits_for_news() {
            return;
        }
        let tariff = TariffKey::new(slot.key, slot.robot);
        let market = self.prices.market(tariff, &self.ledger, now);
        let bounds = Bounds { pacing: self.policy.pacing(), is_quiet: false };
        let own_at = self.forums.due_at(slot.key, source, market, bounds, visited_at);
        let facts = schedule::facts(source, visited_at);
        let due_at = own_at.unwrap_or_else(|| self.policy.due_at(&source.model, &facts, market));
        let after = match self.forums.rate_per_s(slot.key, source, now) {
            Some(rate_per_s) => Grade::of(f64::from(source.weight), rate_per_s),
            None => schedule::grade(source, &*self.policy, market, None),
        };
        let step = price::step_of(market.price);
        let Some(known) = self.sources.get_mut(source.id) else { return };
        let before = known.grade;
        // One that no policy timed in this run is here because a person or its history wants it: it is never put off.
        known.news_at = if known.price_step > 0 { due_at } else { due_at.min(known.news_at) };
        (known.price_step, known.planned) = (step, Some(Planned::even(due_at - visited_at)));
        if before != Grade::NONE {
            known.grade = after;
            self.prices.regrade(tariff, before, after, true);
        }
        self.await_news(source.id);
    }
}
