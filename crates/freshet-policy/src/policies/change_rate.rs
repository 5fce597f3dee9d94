//! `change-rate`: look again when the next change is half due [SocWeb, section 4.1].
//!
//! Formula: the interval is `LOOKS_PER_POST⁻¹ / CR`, at most [`WINDOW`] (the paper's month in
//! which a change is expected at the latest). A source of which nothing is known is looked at
//! every ceiling. The paper knows no budget: among the due, who is later by its own interval
//! goes first.

use freshet_types::{Span, Timestamp};

use crate::change::ChangeRate;
use crate::{Market, Rule, SourceFacts};

/// Looks per expected post: two keep the mean lag at a quarter of the gap between posts.
const LOOKS_PER_POST: f64 = 2.0;
/// The longest time between two looks [SocWeb, section 5.1].
const WINDOW: Span = Span::from_ms(30 * 86_400_000);

/// Visits in proportion to the change rate.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ByChangeRate;

impl Rule for ByChangeRate {
    type Model = ChangeRate;

    fn name(&self) -> &'static str {
        "change-rate"
    }

    fn worth(&self, model: &ChangeRate, source: &SourceFacts, _market: &Market, at: Timestamp) -> f64 {
        source.elapsed_s(at) / gap(model, source).secs_f64().max(1.0)
    }

    fn due_at(
        &self,
        model: &ChangeRate,
        source: &SourceFacts,
        _market: &Market,
        ceiling: Span,
        now: Timestamp,
    ) -> Timestamp {
        now + gap(model, &SourceFacts { visited_at: now, ..*source }).min(ceiling)
    }
}

/// Time between two looks, by what was known at the last one.
fn gap(model: &ChangeRate, source: &SourceFacts) -> Span {
    let rate_per_s = model.forecast(source.visited_at).rate_per_s;
    if rate_per_s <= 0.0 {
        return WINDOW;
    }
    Span::from_secs_f64(1.0 / (LOOKS_PER_POST * rate_per_s)).min(WINDOW)
}

#[cfg(test)]
mod tests {
    use crate::{Look, Objective, Pacing, policy_named};

    use super::*;

    /// `posts` in the day before now.
    fn check(posts: i64, expected: &str) {
        let pacing = Pacing { floor: Span::MINUTE, ceiling: Span::HOUR, ceiling_share: Pacing::WANTED_SHARE };
        let policy = policy_named("change-rate", pacing).unwrap();
        let now = Timestamp::from_secs(86_400);
        let news: Vec<_> =
            (0..posts).map(|post| Timestamp::from_secs(post * 86_400 / (posts - 1).max(1))).collect();
        let source =
            SourceFacts { number: 0, weight: 1.0, visited_at: now, backlog: 0.0, turn: 0, page_size: None };
        let market = Market::new(Objective::Delay);
        let look = Look { since: None, at: now, news: &news, is_full: false };
        let bytes = policy.learn(&[], &source, &market, &look);
        assert_eq!(
            (policy.due_at(&bytes, &source, &market) - now).to_string(),
            expected,
            "{posts} posts a day"
        );
    }

    #[test]
    fn the_interval_follows_the_rate_within_its_bounds() {
        check(0, "1h 00m");
        check(2, "1h 00m");
        check(48, "15m 00s");
        check(10_000, "1m 00s");
    }
}
