//! `curve-fitting`: visit when the fitted curve says that a page has changed enough [Olston 2008].
//!
//! Formula: due when U(τ) = τD*(τ) − ∫D* reaches T, the price; while learning, at most a day per
//! look so far; never later than ρT, the risk cap. U is bounded for a page that renews
//! itself wholly, so the paper's optimum abandons the busiest; the cap keeps them.

use freshet_types::Timestamp;

use crate::change::curve::{Profiles, Scroll};
use crate::{Look, Market, Rule, SourceFacts};

/// The paper's ρ: how much longer than the threshold a source may wait in the worst case.
const RISK: f64 = 10.0;
/// While learning the interval is at most this times the looks so far.
const LEARNING_S: f64 = 86_400.0;
/// Items of a page where no size is known.
pub(super) const ITEMS: u32 = 20;
/// Halvings when the interval of a threshold is sought, on a scale of logarithms.
const STEPS: u32 = 30;

/// Olston and Pandey's first policy.
#[derive(Clone, Debug)]
pub struct CurveFitting {
    scroll: Scroll,
}

impl CurveFitting {
    /// For pages of so many items.
    pub fn new(page_size: Option<u32>) -> Self {
        Self { scroll: Scroll::new(page_size.unwrap_or(ITEMS)) }
    }
}

impl Rule for CurveFitting {
    type Model = Profiles;

    fn name(&self) -> &'static str {
        "curve-fitting"
    }

    fn learn(&self, model: &mut Profiles, look: &Look<'_>, _source: &SourceFacts, _market: &Market) {
        model.learn_with(look, &self.scroll);
    }

    fn worth(&self, model: &Profiles, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        let span_s = source.elapsed_s(at);
        let learning = span_s / (LEARNING_S * f64::from(model.look_count().max(1)));
        let Some(curve) = model.curve() else { return learning };
        let capped = span_s / (RISK * market.price);
        (source.weight * curve.utility_s(span_s, &self.scroll) / market.price).max(capped).max(learning)
    }

    fn visits_per_s(&self, model: &Profiles, source: &SourceFacts, market: &Market) -> Option<f64> {
        let longest_s = (RISK * market.price).min(LEARNING_S * f64::from(model.look_count().max(1)));
        let Some(curve) = model.curve() else { return Some(1.0 / longest_s.max(1.0)) };
        let is_due = |span_s: f64| source.weight * curve.utility_s(span_s, &self.scroll) >= market.price;
        let (mut low, mut high) = (0.0, longest_s.max(1.0).ln());
        if is_due(longest_s) {
            for _ in 0..STEPS {
                let middle = f64::midpoint(low, high);
                *(if is_due(middle.exp()) { &mut high } else { &mut low }) = middle;
            }
        }
        Some(1.0 / high.exp())
    }
}
