//! `hash` and `hash-week`: the Hash model of [CUVIM, section 4.2] under a budget.
//!
//! Formula: the paper visits when the table expects more than c posts since the last visit, or
//! when s has passed. Under a budget c is the price: the largest expected backlog goes first,
//! and a source unvisited for s before all others. `hash` has one table, as the paper's
//! experiment; `hash-week` one for workdays and one for weekends, and what the source's calendar adds.

use freshet_types::{Span, Timestamp};

use crate::calendar::Calendar;
use crate::change::hash::WEIGHT;
use crate::change::{ChangeModel as _, HashTable};
use crate::explanation::Spoken;
use crate::{Look, Market, Objective, Rule, SourceFacts};

/// The paper's s where delay counts: an empty table would otherwise never be filled again.
const CEILING: Span = Span::from_ms(3 * 86_400_000);
/// The s of its experiment, which counts distinct posts [CUVIM, section 6.2].
const CEILING_CAPTURE: Span = Span::from_ms(30 * 86_400_000);

/// The s of an objective.
pub(super) fn ceiling(objective: Objective) -> Span {
    match objective {
        Objective::Delay => CEILING,
        Objective::Capture => CEILING_CAPTURE,
    }
}

/// Largest backlog by the table, with a ceiling.
#[derive(Clone, Debug)]
pub(crate) struct ByHash {
    /// Weight of the last day, the paper's 0.4 to 0.9.
    pub weight: f64,
    /// Days that are not like others have a table of their own.
    has_kinds: bool,
    /// Where a source has no calendar.
    usual: Calendar,
}

impl Default for ByHash {
    fn default() -> Self {
        Self { weight: WEIGHT, has_kinds: false, usual: Calendar::default() }
    }
}

impl ByHash {
    /// With a table of its own for weekends.
    pub(crate) fn by_weekday() -> Self {
        Self { has_kinds: true, usual: Calendar::weekends(), ..Self::default() }
    }

    fn calendar<'a>(&'a self, source: &SourceFacts, market: &'a Market) -> &'a Calendar {
        market.calendars.of(source.number).filter(|_| self.has_kinds).unwrap_or(&self.usual)
    }
}

impl Rule for ByHash {
    type Model = HashTable;

    fn name(&self) -> &'static str {
        if self.has_kinds { "hash-week" } else { "hash" }
    }

    fn learn(&self, model: &mut HashTable, look: &Look<'_>, source: &SourceFacts, market: &Market) {
        model.learn_with(look, self.weight, self.calendar(source, market));
    }

    fn worth(&self, model: &HashTable, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        if at - source.visited_at >= ceiling(market.objective) {
            return f64::INFINITY;
        }
        source.weight * self.posts(model, source, market, at) / market.price
    }

    fn posts(&self, model: &HashTable, source: &SourceFacts, market: &Market, until: Timestamp) -> f64 {
        model.posts_with(self.calendar(source, market), source.visited_at, until)
    }

    fn rate_now(&self, model: &HashTable, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        model.rate_per_s_with(self.calendar(source, market), at)
    }

    fn spoken(
        &self,
        model: &HashTable,
        source: &SourceFacts,
        market: &Market,
        at: Timestamp,
    ) -> Option<Spoken> {
        self.has_kinds.then(|| Spoken::of(model, self.calendar(source, market), at))
    }

    fn visits_per_s(&self, model: &HashTable, source: &SourceFacts, market: &Market) -> Option<f64> {
        let wanted = source.weight * model.rate_per_s(&market.pool) / market.price;
        Some(wanted.max(1.0 / ceiling(market.objective).secs_f64()))
    }
}
