//! The plan of a page: the instants of the coming days at which a look is worth its price.
//!
//! The reading is R2 (the stored copy resembles the page most), solved exactly on a grid of [`CELL`]s by the priced plan
//! ([`crate::refresh`]): rates learned from the looks say how similar any two instants will be, and what a look saves is
//!
//!   weight · Σ over the time until the next look of (similarity after it − similarity without it) · seconds.
//!
//! A price is in post-seconds: waiting of posts that a call must end. A page that has lost a share s of what it showed stands for s posts
//! that wait, so *divergence · seconds · weight stands for post-seconds*, and one price serves posts and pages alike. The number
//! of looks follows from the price; no gap is longer than the ceiling. Until [`EXPLORED_LOOKS`] looks there is no plan: gaps
//! double from a quarter of an hour, after the looks that measure noise. The plan is made anew after every look, so that only
//! its first instant is ever kept to the letter.

use freshet_types::{Span, Timestamp};

use super::rates::Rates;
use super::{NOISE_GAP, PageModel};
use crate::refresh::{Chain, Similarities, priced};

/// Step of the grid: a look cannot be timed better than by the hour it belongs to, and this is a quarter of it.
const CELL: Span = Span::from_secs(900);
/// How far ahead is planned: long enough that what lies beyond does not move the first looks.
const HORIZON: Span = Span::from_ms(48 * 3_600_000);
/// And so many ceilings.
const HORIZON_CEILINGS: f64 = 2.0;
/// Cells of a plan at most: where the ceiling is long, they are longer than [`CELL`].
const CELLS_MAX: f64 = 336.0;
/// Looks before a plan is made.
const EXPLORED_LOOKS: usize = 8;
/// How soon a look that measures noise follows.
const MEASURE_GAP: Span = Span::MINUTE;
/// Looks of a plan that are told.
const TOLD_MAX: usize = 12;

/// What a plan must keep to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// Of one look, in post-seconds.
    pub price: f64,
    /// How much the page counts.
    pub weight: f64,
    /// No look is sooner after another.
    pub floor: Span,
    /// The longest that it stays without one.
    pub ceiling: Span,
}

/// What set the time of the next look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageReason {
    /// It measures how much of the page differs at every fetch.
    Noise,
    /// Too little is known: gaps grow.
    Exploring,
    /// Then a look is worth its price.
    Worth,
    /// Later would do, but nothing stays unvisited longer.
    Ceiling,
}

/// A look that is planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedLook {
    pub at: Timestamp,
    /// What it saves until the look after it, in post-seconds.
    pub saved: f64,
}

/// When a page is looked at next, and what for.
#[derive(Clone, Debug, PartialEq)]
pub struct PagePlan {
    pub due_at: Timestamp,
    pub reason: PageReason,
    /// The looks of the coming days, as far as they are planned; the first is at `due_at`.
    pub looks: Vec<PlannedLook>,
    /// Share of the page that the copy shows on average, if the plan is kept.
    pub accuracy: Option<f64>,
}

impl PageModel {
    /// The plan after the last look, which was at `now`.
    pub fn plan(&self, terms: &Terms, now: Timestamp) -> PagePlan {
        let ceiling = terms.ceiling.max(terms.floor);
        let after = |gap: Span, reason| {
            let reason = if gap >= ceiling { PageReason::Ceiling } else { reason };
            let due_at = now + gap.clamp(terms.floor, ceiling);
            PagePlan { due_at, reason, looks: Vec::new(), accuracy: None }
        };
        if self.wants_measure() && MEASURE_GAP.max(terms.floor) <= NOISE_GAP {
            return after(MEASURE_GAP, PageReason::Noise);
        }
        let count = self.looks.len();
        if count < EXPLORED_LOOKS {
            let doublings = count.saturating_sub(2).min(EXPLORED_LOOKS) as i32;
            return after(CELL * 2.0_f64.powi(doublings), PageReason::Exploring);
        }
        self.best(terms, ceiling, now).unwrap_or_else(|| after(ceiling, PageReason::Ceiling))
    }

    /// The plan that is worth most; `None` where the ceiling is shorter than a cell.
    fn best(&self, terms: &Terms, ceiling: Span, now: Timestamp) -> Option<PagePlan> {
        let horizon = HORIZON.max(ceiling * HORIZON_CEILINGS);
        let cell = CELL.max(terms.floor).max(horizon * (1.0 / CELLS_MAX));
        let gap_max = (ceiling.secs_f64() / cell.secs_f64()).floor() as usize;
        if gap_max == 0 {
            return None;
        }
        let count = (horizon.secs_f64() / cell.secs_f64()).round() as usize;
        let at = |instant: usize| now + cell * instant as f64;
        let rates = Rates::of(&self.looks);
        let series: Vec<f64> = (1..count).map(|next| (-rates.loss(at(next - 1), at(next))).exp()).collect();
        let similarities = Similarities::chained(&series, Chain::Product).ok()?;
        let weights = vec![cell.secs_f64() * terms.weight.max(0.0); count];
        let plan = priced::choose(&similarities, &weights, terms.price, gap_max);
        let saved = priced::savings(&similarities, &weights, &plan.instants);
        let looks = plan.instants.iter().zip(saved).skip(1).take(TOLD_MAX);
        let looks: Vec<PlannedLook> =
            looks.map(|(&instant, saved)| PlannedLook { at: at(instant), saved }).collect();
        let first = *plan.instants.get(1)?;
        let is_latest = first == gap_max && looks.first().is_some_and(|look| look.saved < terms.price);
        let reason = if is_latest { PageReason::Ceiling } else { PageReason::Worth };
        let due_at = if is_latest { now + ceiling } else { at(first) };
        Some(PagePlan { due_at, reason, looks, accuracy: Some(plan.value) })
    }
}
