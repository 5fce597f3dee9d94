//! Oracles: what could have been reached by somebody who knows what no policy can know.
//!
//! `clairvoyant` knows every post in advance and has only to share the calls; `bound` knows
//! every source's true rate and nothing else, which for Poisson sources is all that can be
//! known, so no policy can expect to be below it. Neither decides anything: they are figures to
//! measure distances to.

mod bound;
mod captured;
mod clairvoyant;
mod envelope;
mod slot_prices;

pub use bound::{Curve, bound};
pub(crate) use captured::most_captured;
pub use clairvoyant::clairvoyant;
pub(crate) use slot_prices::SlotPrices;
pub(crate) use slot_prices::slot_prices;

use crate::experiment::{SLOT, Setup};
use crate::trace::Window;

/// All calls of an evaluation, and never more than one a slot and source.
fn calls_total(setup: &Setup, window: Window, source_count: usize) -> u64 {
    let slots = f64::from(window.eval_days) * 86_400.0 / SLOT.secs_f64();
    let calls = setup.calls_per_hour * 24.0 * f64::from(window.eval_days);
    (calls + 1e-6).min(slots * source_count as f64).max(0.0) as u64
}
