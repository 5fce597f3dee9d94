//! One unit for all prices: from what a call costs in the engine to a rule's own unit.
//!
//! The engine's prices are in post-seconds: how long posts wait, summed over posts, that a call
//! must save. Rules have units of their own (posts, freshness, harmonic penalty, …). The bridge is
//! an example: a source that posts every hour, visited every T, is worth the same number of
//! visits whatever the unit. So for each price C, visits 1/T = √(λ/2C) of the example, and the
//! rule's price is the one at which it wants as many. For a rule whose unit is the post-second
//! that is the identity. A rule without prices takes what it is given.
//!
//! The bridge is built once, on a grid of C, and interpolated on logarithms.

use freshet_types::Timestamp;

use crate::{ChangeModel as _, Look, Market, Objective, Pool, Rule, SourceFacts, price};

/// Lowest price of the grid, in post-seconds.
const GRID_MIN: f64 = 1e-3;
/// Doublings from one point of the grid to the next.
const GRID_STEP: f64 = 2.0;
/// Points of the grid: up to 10¹⁴ post-seconds.
const GRID_COUNT: usize = 30;

/// A rule's prices for the engine's.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    /// Logarithms to base 2; `None` for a rule that knows no price.
    grid: Option<Vec<f64>>,
}

impl Units {
    /// Of this rule, where this is asked for.
    pub(crate) fn of<R: Rule>(rule: &R, objective: Objective) -> Self {
        let (model, source) = example::<R>();
        let mut market = Market::new(objective);
        if rule.visits_per_s(&model, &source, &market).is_none() {
            return Self { grid: None };
        }
        // What the model believes, not what it was told: a prior has its say.
        let rate_per_s = model.rate_per_s(&market.pool);
        let mut guess = GRID_MIN;
        let points = (0..GRID_COUNT).map(|point| {
            let delay_price = GRID_MIN * (GRID_STEP * point as f64).exp2();
            let visits_per_s = (rate_per_s / (2.0 * delay_price)).sqrt();
            guess = price::find(visits_per_s, guess, |price| {
                market.price = price;
                rule.visits_per_s(&model, &source, &market).unwrap_or(0.0)
            });
            guess.log2()
        });
        Self { grid: Some(points.collect()) }
    }

    /// Whether the rule uses a price at all.
    pub(crate) fn has_price(&self) -> bool {
        self.grid.is_some()
    }

    /// The rule's price for so many post-seconds.
    pub(crate) fn own_price(&self, delay_price: f64) -> f64 {
        let Some(grid) = &self.grid else { return delay_price };
        let slot = ((delay_price / GRID_MIN).log2() / GRID_STEP).max(0.0).min((GRID_COUNT - 1) as f64);
        let (low, share) = (slot.floor() as usize, slot.fract());
        let high = (low + 1).min(GRID_COUNT - 1);
        (grid[low] * (1.0 - share) + grid[high] * share).exp2()
    }
}

/// A source that posts every hour, as the rule's model knows it after a month.
fn example<R: Rule>() -> (R::Model, SourceFacts) {
    let (mut model, pool) = (R::Model::default(), Pool::default());
    let hour = |hour: i64| Timestamp::from_secs(hour * 3600);
    let mut since = None;
    for day in 0..28 {
        let news: Vec<_> = (0..24).map(|it| hour(day * 24 + it)).collect();
        let at = hour((day + 1) * 24);
        model.learn(&Look { since, at, news: &news, is_full: false }, &pool);
        since = Some(at);
    }
    let source = SourceFacts {
        number: 0,
        weight: 1.0,
        visited_at: hour(28 * 24),
        backlog: 0.0,
        turn: 0,
        page_size: None,
    };
    (model, source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policies::{ByChangeRate, Index, Proportional};

    #[test]
    fn the_example_is_visited_as_often_in_any_unit() {
        for delay_price in [0.5, 112.5, 20_000.0] {
            // Its own unit is the post-second, so nothing changes.
            let own = Units::of(&Index, Objective::Delay).own_price(delay_price);
            assert!((own / delay_price - 1.0).abs() < 0.05, "{own}, not {delay_price}");
            // Proportional: λτ posts are the price, and τ = √(2C/λ).
            let own = Units::of(&Proportional, Objective::Delay).own_price(delay_price);
            let posts = (2.0 * delay_price / 3600.0).sqrt();
            assert!((own / posts - 1.0).abs() < 0.1, "{own}, not {posts}");
            // So it is for distinct posts, where the price is a number of them.
            let own = Units::of(&Index, Objective::Capture).own_price(delay_price);
            assert!((own / posts - 1.0).abs() < 0.1, "{own}, not {posts}");
        }
        assert!(!Units::of(&ByChangeRate, Objective::Delay).has_price());
        assert!(Units::of(&Index, Objective::Delay).own_price(f64::NAN).is_finite());
    }
}
