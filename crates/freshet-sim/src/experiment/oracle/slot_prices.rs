//! The bound with a price for every slot: tighter than one price where many want the same hour.
//!
//! The budget is b visits in each slot t, not B in all; its dual has a price μₜ ≥ 0 for each:
//! max over μ of Σᵢ min over plans (expected wait + Σ μ of its visits) − b·Σμₜ. Every μ gives a lower bound, valid
//! for every policy that knows no more than the rates; the best one is approached by projected
//! subgradient steps (visits wanted in a slot less b), smoothed over neighbouring slots because a visit that one
//! slot cannot take moves to the next.
//!
//! | symbol | here |
//! |---|---|
//! | μₜ | [`SlotPrices::prices`], indexed by the slot's end |
//! | dual value | [`SlotPrices::wait_s`] |
//! | V(t) = μₜ + min over s<t of V(s) + D(s,t) | `cheapest`, a lower envelope of lines as in [`super::bound`] |

use super::bound::Curve;
use super::envelope::Envelope;
use crate::experiment::SLOT;

/// Halvings of the logarithm of the one price that the search starts from.
const HALVINGS: u32 = 30;
/// Subgradient steps; more than these moved the bound by less than a thousandth.
const STEPS: u32 = 80;
/// First step, as a share of the price for each visit too many in relation to the budget.
const STEP_SHARE: f64 = 0.35;
/// How fast steps shrink.
const STEP_DECAY: f64 = 0.15;
/// Neighbouring slots on each side over which a step is smoothed: an hour.
const NEIGHBOURS: usize = 4;

/// Prices, and the bound that they give.
#[derive(Clone, Debug)]
pub(crate) struct SlotPrices {
    /// For a visit at each slot's end, from slot 0, where none is possible.
    pub prices: Vec<f64>,
    /// The least expected wait of all posts, bounded from below.
    pub wait_s: f64,
    /// The same with one price for all slots.
    pub wait_s_one_price: f64,
}

/// The bound for so many whole visits a slot.
pub(crate) fn slot_prices(curves: &[Curve], visits_per_slot: u32) -> SlotPrices {
    let slot_count = curves.first().map_or(0, |curve| curve.posts.len().saturating_sub(1));
    let budget = f64::from(visits_per_slot);
    let mut search = Search { curves, wanted: vec![0.0; slot_count + 1], ..Search::default() };
    let (mut low, mut high) = (1e-6_f64.ln(), 1e15_f64.ln());
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        search.solve(&vec![middle.exp(); slot_count + 1]);
        let is_cheap = search.wanted.iter().sum::<f64>() > budget * slot_count as f64;
        *(if is_cheap { &mut low } else { &mut high }) = middle;
    }
    let price = high.exp();
    let mut prices = vec![price; slot_count + 1];
    let dual = |value: f64, prices: &[f64]| value - budget * prices.iter().skip(1).sum::<f64>();
    let wait_s_one_price = dual(search.solve(&prices), &prices).max(0.0);
    let mut best = SlotPrices { prices: prices.clone(), wait_s: wait_s_one_price, wait_s_one_price };
    // At the last slot's end everything is charged anyway: a visit there is free and wanted by nobody.
    if let Some(last) = prices.last_mut() {
        *last = 0.0;
    }
    for step in 0..STEPS {
        let wait_s = dual(search.solve(&prices), &prices);
        if wait_s > best.wait_s {
            best = SlotPrices { prices: prices.clone(), wait_s, ..best };
        }
        let excess: Vec<f64> = search.wanted.iter().map(|wanted| wanted - budget).collect();
        let length = STEP_SHARE * price / budget.max(3.0) / (1.0 + STEP_DECAY * f64::from(step));
        let excess = excess.get(1..slot_count).unwrap_or_default();
        for (index, price) in prices.iter_mut().skip(1).take(excess.len()).enumerate() {
            *price = (*price + length * smoothed(excess, index)).max(0.0);
        }
    }
    best
}

/// The mean around a place, the nearest weighing most.
fn smoothed(values: &[f64], index: usize) -> f64 {
    let range = index.saturating_sub(NEIGHBOURS)..(index + NEIGHBOURS + 1).min(values.len());
    let weight = |other: usize| 1.0 / (1.0 + other.abs_diff(index) as f64);
    let sum: f64 = range.clone().map(|other| weight(other) * values[other]).sum();
    sum / range.map(weight).sum::<f64>().max(1.0)
}

/// What is reused from step to step.
#[derive(Default)]
struct Search<'a> {
    curves: &'a [Curve],
    lines: Envelope,
    /// Visits that the best plans make at each slot's end.
    wanted: Vec<f64>,
    /// The visit before, for each slot's end.
    before: Vec<usize>,
}

impl Search<'_> {
    /// Expected wait + prices of the best plans of all sources.
    fn solve(&mut self, prices: &[f64]) -> f64 {
        self.wanted.fill(0.0);
        (0..self.curves.len()).map(|source| self.cheapest(source, prices)).sum()
    }

    fn cheapest(&mut self, source: usize, prices: &[f64]) -> f64 {
        let curve = &self.curves[source];
        self.lines.clear();
        self.lines.push(0.0, 0.0, 0);
        self.before.clear();
        self.before.push(0);
        let (mut value, weight) = (0.0, curve.weight);
        for (slot, price) in prices.iter().enumerate().skip(1) {
            let time_s = slot as f64 * SLOT.secs_f64();
            let (posts, moment_s) = (curve.posts[slot], curve.moments_s[slot]);
            // The lines carry the slot that they start from.
            let (gathered, from) = self.lines.lowest(time_s).unwrap_or_default();
            value = gathered + weight * (time_s * posts - moment_s);
            self.lines.push(-weight * posts, value + price + weight * moment_s, slot as u64);
            self.before.push(from as usize);
        }
        let mut slot = self.before.last().copied().unwrap_or(0);
        while slot > 0 {
            self.wanted[slot] += 1.0;
            slot = self.before[slot];
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::oracle::bound::least_expected_wait_s;

    #[test]
    fn alike_sources_need_slot_prices() {
        // All post in the same slot of eight: one price lets all visit just after it, slots cannot.
        let curves: Vec<_> =
            (0..8).map(|_| Curve::new(1.0, 64, |slot| if slot % 8 == 0 { 1e-2 } else { 1e-5 })).collect();
        let prices = slot_prices(&curves, 1);
        let one = least_expected_wait_s(&curves, 64);
        assert!((prices.wait_s_one_price / one - 1.0).abs() < 0.02, "{} {one}", prices.wait_s_one_price);
        assert!(prices.wait_s > 1.05 * one, "{} {one}", prices.wait_s);
        // A turn each, busy slot first served: no plan waits less than the bound.
        let plan_s: f64 = (0..8)
            .map(|source| {
                let visits = (0..8).map(|round| round * 8 + source + 1).chain([64]);
                visits.fold((0, 0.0), |(since, sum), slot| (slot, sum + curves[0].wait_s(since, slot))).1
            })
            .sum();
        assert!(prices.wait_s <= plan_s * (1.0 + 1e-9), "{} {plan_s}", prices.wait_s);
        assert!(prices.prices.iter().all(|price| price.is_finite() && *price >= 0.0));
    }

    #[test]
    fn nothing_to_visit_waits_for_nothing() {
        assert!(slot_prices(&[], 1).wait_s.abs() < 1e-12);
        let silent = [Curve::new(1.0, 10, |_| 0.0)];
        assert!(slot_prices(&silent, 0).wait_s.abs() < 1e-6);
    }
}
