//! `cho-gm`: the optimal freshness of [Cho 2003], and why it is not the optimal lag.
//!
//! Formula: freshness F = (1−e^{−r})/r with r = λ/f; at the optimum
//! (w/λ)(1−e^{−r}(1+r)) = μ for every source that is visited at all, and none where w/λ ≤ μ. As
//! an index: V(τ) = (w/λ)(1−e^{−λτ}(1+λτ)), due when V reaches the price. Sources that change
//! faster than the price allows are given up: a page that is stale at once is not worth keeping.

use freshet_types::Timestamp;

use crate::change::{ChangeModel as _, Poisson};
use crate::{Market, Rule, SourceFacts};

/// Halvings when r is sought.
const STEPS: u32 = 40;
/// Beyond this r, nothing is gained by waiting longer.
const R_MAX: f64 = 50.0;

/// Binary freshness at the optimum.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChoGm;

impl Rule for ChoGm {
    type Model = Poisson;

    fn name(&self) -> &'static str {
        "cho-gm"
    }

    fn worth(&self, model: &Poisson, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        let rate_per_s = model.rate_per_s(&market.pool);
        source.weight / rate_per_s * gain(rate_per_s * source.elapsed_s(at)) / market.price
    }

    fn visits_per_s(&self, model: &Poisson, source: &SourceFacts, market: &Market) -> Option<f64> {
        let rate_per_s = model.rate_per_s(&market.pool);
        let wanted = market.price * rate_per_s / source.weight.max(1e-12);
        if wanted >= 1.0 {
            return Some(0.0);
        }
        let (mut low, mut high) = (0.0, R_MAX);
        for _ in 0..STEPS {
            let middle = f64::midpoint(low, high);
            *(if gain(middle) < wanted { &mut low } else { &mut high }) = middle;
        }
        Some(rate_per_s / high.max(1e-9))
    }
}

/// 1−e^{−r}(1+r), which rises from 0 to 1; by its series where it would cancel.
fn gain(r: f64) -> f64 {
    if r < 1e-3 { r * r * (0.5 - r / 3.0) } else { 1.0 - (-r).exp() * (1.0 + r) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Look, Objective, price};

    /// Sources that post so many times a day, known exactly, sharing a budget.
    fn shares(per_day: &[f64], budget_per_day: f64) -> Vec<f64> {
        let mut market = Market::new(Objective::Delay);
        let models: Vec<_> = per_day.iter().map(|rate| model(*rate)).collect();
        let source = SourceFacts {
            number: 0,
            weight: 1.0,
            visited_at: Timestamp::MIN,
            backlog: 0.0,
            turn: 0,
            page_size: None,
        };
        let wants =
            |model: &Poisson, market: &Market| ChoGm.visits_per_s(model, &source, market).unwrap() * 86_400.0;
        let found = price::find(budget_per_day / 86_400.0, 1.0, |price| {
            market.price = price;
            models.iter().map(|model| wants(model, &market)).sum::<f64>() / 86_400.0
        });
        market.price = found;
        models.iter().map(|model| wants(model, &market)).collect()
    }

    fn model(per_day: f64) -> Poisson {
        let mut model = Poisson::default();
        let at = |day: f64| Timestamp::from_ms((day * 86_400_000.0) as i64);
        let news: Vec<_> = (0..(per_day * 300.0) as i64).map(|post| at(post as f64 / per_day)).collect();
        model.learn_with(
            &Look { since: Some(at(0.0)), at: at(300.0), news: &news, is_full: false },
            freshet_types::Span::DAY * 1e6,
        );
        model
    }

    #[test]
    fn the_worked_example_of_the_literature() {
        // Five pages that change 1 to 5 times a day, five visits a day: the optimum visits them
        // 1.15, 1.36, 1.35, 1.14 and 0 times [Cho 2003, table of section 4].
        let got = shares(&[1.0, 2.0, 3.0, 4.0, 5.0], 5.0);
        for (got, expected) in got.iter().zip([1.15, 1.36, 1.35, 1.14, 0.0]) {
            assert!((got - expected).abs() < 0.03, "{got} instead of {expected}");
        }
    }
}
