//! `bound-based`: an interval between an upper and a lower bound on what a visit gains [Olston 2008].
//!
//! Formula: [`crate::change::bounds`]: too early → the interval doubles, too late → it halves and
//! the reference moves, else it stays. T is one number for all sources, here the price: utility
//! grows with the square of the interval, so an interval learned under T' is √(T/T') as long
//! under T, which is what lets a budget choose T.

use freshet_types::Timestamp;

use super::curve_fitting::ITEMS;
use crate::change::bounds::Bounds;
use crate::change::curve::Scroll;
use crate::{Look, Market, Rule, SourceFacts};

/// Olston and Pandey's second policy.
#[derive(Clone, Debug)]
pub struct BoundBased {
    scroll: Scroll,
}

impl BoundBased {
    /// For pages of so many items.
    pub fn new(page_size: Option<u32>) -> Self {
        Self { scroll: Scroll::new(page_size.unwrap_or(ITEMS)) }
    }
}

impl Rule for BoundBased {
    type Model = Bounds;

    fn name(&self) -> &'static str {
        "bound-based"
    }

    fn learn(&self, model: &mut Bounds, look: &Look<'_>, _source: &SourceFacts, market: &Market) {
        model.learn_with(look, &self.scroll, market.price);
    }

    fn worth(&self, model: &Bounds, source: &SourceFacts, _market: &Market, at: Timestamp) -> f64 {
        source.weight.sqrt() * source.elapsed_s(at) / model.interval_s()
    }

    fn visits_per_s(&self, model: &Bounds, source: &SourceFacts, market: &Market) -> Option<f64> {
        let learned_at = if model.threshold_s() > 0.0 { model.threshold_s() } else { 1.0 };
        let stretch = (market.price / learned_at).sqrt();
        Some(source.weight.sqrt() / (model.interval_s() * stretch.max(1e-9)))
    }
}
