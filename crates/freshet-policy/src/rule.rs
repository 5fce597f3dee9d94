//! A rule: how one policy weighs one visit to one source.
//!
//! The worth of a visit is given in units of the price, so that one sentence holds for every
//! policy: *a source is due when its worth reaches 1, and among the due the worthier goes
//! first*. Index policies divide their index by the price; rate policies multiply their rate at
//! that price by the time since the last visit; interval policies say how late it is.

use freshet_types::{Span, Timestamp};

use crate::explanation::Spoken;
use crate::mixture::Mixture;
use crate::mixture::evidence::Evidence;
use crate::{ChangeModel, Look, Market, Pool, Slack, SourceFacts};

/// Halvings of the ceiling when the due time is searched: a six-hour ceiling to the second.
const SEARCH_STEPS: u32 = 16;
/// Instants that are looked at first, evenly up to the ceiling: worth need not rise steadily.
const SEARCH_POINTS: u32 = 64;

/// How one policy weighs a visit.
pub trait Rule: Send + Sync + std::fmt::Debug {
    /// What it knows of a source.
    type Model: ChangeModel;
    /// The name that people select it by.
    fn name(&self) -> &'static str;
    /// Takes in what a visit saw.
    fn learn(&self, model: &mut Self::Model, look: &Look<'_>, _source: &SourceFacts, market: &Market) {
        model.learn(look, &market.pool);
    }
    /// What a visit at `at` is worth, in units of the price; finite or +∞, never NaN.
    fn worth(&self, model: &Self::Model, source: &SourceFacts, market: &Market, at: Timestamp) -> f64;
    /// Posts that are expected from its last visit until then.
    fn posts(&self, model: &Self::Model, source: &SourceFacts, market: &Market, until: Timestamp) -> f64 {
        model.posts(&market.pool, source.visited_at, until)
    }
    /// Posts a second that are expected at an instant.
    fn rate_now(&self, model: &Self::Model, _source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        model.rate_per_s_at(&market.pool, at)
    }
    /// What the day is by the source's calendar, and which table speaks for it, where the rule has tables.
    fn spoken(
        &self,
        _model: &Self::Model,
        _source: &SourceFacts,
        _market: &Market,
        _at: Timestamp,
    ) -> Option<Spoken> {
        None
    }
    /// Visits a second that the source is worth at the market's price, in the long run; `None`
    /// where the rule knows no price.
    fn visits_per_s(&self, _model: &Self::Model, _source: &SourceFacts, _market: &Market) -> Option<f64> {
        None
    }
    /// The weights that all sources share, fitted anew on what is stored of some; `None` where the rule has none, or
    /// the evidence is too little.
    fn refit(
        &self,
        _models: &[Self::Model],
        _evidence: &[Evidence],
        _pool: &Pool,
        _now: Timestamp,
    ) -> Option<Mixture> {
        None
    }
    /// The first instant after `now`, at most `ceiling` away, at which the source is due.
    fn due_at(
        &self,
        model: &Self::Model,
        source: &SourceFacts,
        market: &Market,
        ceiling: Span,
        now: Timestamp,
    ) -> Timestamp {
        first(now, ceiling, |at| self.worth(model, source, market, at) >= 1.0).unwrap_or(now + ceiling)
    }
    /// How much a visit loses that comes earlier or later than `due_at`.
    fn slack(
        &self,
        _model: &Self::Model,
        source: &SourceFacts,
        _market: &Market,
        due_at: Timestamp,
    ) -> Slack {
        Slack::even(due_at - source.visited_at)
    }
}

/// The first instant after `now`, at most `ceiling` away, at which something is so.
pub(crate) fn first(now: Timestamp, ceiling: Span, is_so: impl Fn(Timestamp) -> bool) -> Option<Timestamp> {
    let step = ceiling * (1.0 / f64::from(SEARCH_POINTS));
    let mut points = (0..=SEARCH_POINTS).map(|point| now + step * f64::from(point));
    let found = points.find(|at| is_so(*at))?;
    let (mut early, mut late) = ((found - step).max(now), found);
    for _ in 0..SEARCH_STEPS {
        let middle = early + (late - early) * 0.5;
        *(if is_so(middle) { &mut late } else { &mut early }) = middle;
    }
    Some(late)
}
