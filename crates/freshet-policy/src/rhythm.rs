//! What a source's posts look like over time, in a few numbers: hours and weekdays, decayed sums, and what is left of
//! evidence. Change models, the mixture and the pool stand on it; what follows from it is theirs to say.

mod power;
pub mod shape;
mod small;
mod sums;
pub mod week;

use freshet_types::Span;

pub(crate) use small::{Die, Small, Tiny, share_of};
pub(crate) use sums::{FEATURE_COUNT, LEVEL_COUNT, Sums};

/// What is left of evidence after `span`: ½ per half-life.
pub(crate) fn decay(span: Span, half_life: Span) -> f64 {
    (-span.secs_f64().max(0.0) / half_life.secs_f64().max(1.0)).exp2()
}
