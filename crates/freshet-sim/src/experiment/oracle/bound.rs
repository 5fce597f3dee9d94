//! `bound`: a lower bound on the expected mean delay of every policy that knows the rates only.
//!
//! For Poisson sources with known rates what a visit returns teaches nothing (increments are
//! independent), so the best plan can be made in advance. Per source and price C, on the grid of
//! slots, V(t) = C + min_{s<t} V(s) + D(s,t), D(s,t) = t·(Λ(t)−Λ(s)) − (M(t)−M(s)) with
//! Λ = ∫λ and M = ∫λ(u)u du: a lower envelope of lines, O(slots). The dual
//! max over C of Σ V(C) − C·B relaxes "so many calls a slot" to "so many in all", and is a lower bound.
//!
//! A trace has no true rates. They are taken from the evaluation itself, which no policy could
//! know: the source's posts a week, spread by its hour-of-week shape over the whole window,
//! shrunk as [`freshet_policy::change::Profile`] does. Real posts come in bursts, so on a trace
//! this is the bound for the Poisson process with these rates, not for the trace.

use freshet_policy::change::shape::{self, Shape};
use freshet_types::Timestamp;

use super::calls_total;
use super::envelope::Envelope;
use crate::experiment::{Outcome, SLOT, Setup, tally};
use crate::trace::{History, Poster};

/// Halvings of the logarithm of the price.
const STEPS: u32 = 30;
/// Posts that the common shape is worth.
const PSEUDO_COUNT: f64 = 30.0;

/// Λ and M of one source on the grid of slots.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Λ at each slot's end, from 0.
    pub posts: Vec<f64>,
    /// M at each slot's end.
    pub moments_s: Vec<f64>,
    /// Weight of the source.
    pub weight: f64,
}

impl Curve {
    /// From the rate in the middle of each slot.
    pub fn new(weight: f64, slot_count: usize, rate_per_s: impl Fn(usize) -> f64) -> Self {
        let (mut posts, mut moments_s) = (vec![0.0], vec![0.0]);
        let (mut sum, mut moment_s) = (0.0, 0.0);
        for slot in 0..slot_count {
            let more = rate_per_s(slot).max(0.0) * SLOT.secs_f64();
            sum += more;
            moment_s += more * (slot as f64 + 0.5) * SLOT.secs_f64();
            posts.push(sum);
            moments_s.push(moment_s);
        }
        Self { posts, moments_s, weight }
    }

    /// D: the expected wait that posts between two slots' ends gather until the second.
    pub fn wait_s(&self, since: usize, until: usize) -> f64 {
        let time_s = until as f64 * SLOT.secs_f64();
        let posts = self.posts[until] - self.posts[since];
        self.weight * (time_s * posts - (self.moments_s[until] - self.moments_s[since])).max(0.0)
    }

    /// min over plans of expected wait + price·visits, and the visits.
    fn at_price(&self, price: f64, lines: &mut Envelope) -> (f64, u64) {
        lines.clear();
        lines.push(0.0, 0.0, 0);
        let weight = self.weight;
        let last = self.posts.len() - 1;
        let mut result = (0.0, 0);
        for slot in 1..=last {
            let time_s = slot as f64 * SLOT.secs_f64();
            let (posts, moment_s) = (self.posts[slot], self.moments_s[slot]);
            let (gathered, visits) = lines.lowest(time_s).unwrap_or_default();
            let value = gathered + weight * (time_s * posts - moment_s);
            lines.push(-weight * posts, value + price + weight * moment_s, visits + 1);
            // At the end, what waits is charged without a visit.
            result = (value, visits);
        }
        result
    }
}

/// The least expected wait of all posts with `budget` visits, bounded from below.
pub(crate) fn least_expected_wait_s(curves: &[Curve], budget: u64) -> f64 {
    let mut lines = Envelope::default();
    let mut solve = |price: f64| {
        curves
            .iter()
            .map(|curve| curve.at_price(price, &mut lines))
            .fold((0.0, 0), |sum, (value, visits)| (sum.0 + value, sum.1 + visits))
    };
    let (mut low, mut high) = (1e-6_f64.ln(), 1e15_f64.ln());
    let mut best = 0.0_f64;
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        let (value, visits) = solve(middle.exp());
        best = best.max(value - middle.exp() * budget as f64);
        *(if visits > budget { &mut low } else { &mut high }) = middle;
    }
    best
}

/// The bound with the rates of the evaluation itself.
pub fn bound(history: &History, setup: &Setup) -> Outcome {
    let slot_count = history.window.eval_days as usize * 96;
    let common = shape_of(history.posters.iter().flat_map(|poster| &poster.posts), &Shape::default(), 24.0);
    let curve = |poster: &Poster| {
        let own = shape_of(poster.posts.iter(), &common, PSEUDO_COUNT);
        let start = history.window.start();
        let mass_s = own.mass_s(start, history.window.end()).max(1.0);
        let level = history.eval_posts(poster).len() as f64 / mass_s;
        Curve::new(setup.weight(poster.user), slot_count, |slot| {
            level * own.factor(start + SLOT * (slot as f64 + 0.5))
        })
    };
    let curves: Vec<Curve> = history.posters.iter().map(curve).collect();
    let weight = |curve: &Curve| curve.weight * curve.posts.last().copied().unwrap_or(0.0);
    let budget = calls_total(setup, history.window, history.posters.len());
    let wait_s = least_expected_wait_s(&curves, budget);
    tally::of_sums(history.eval_count(), budget, wait_s, curves.iter().map(weight).sum())
}

fn shape_of<'a>(posts: impl Iterator<Item = &'a Timestamp>, prior: &Shape, pseudo_count: f64) -> Shape {
    let (mut hours, mut days) = ([0.0; 24], [0.0; 7]);
    for at in posts {
        let (hour, day) = shape::hour_and_day(*at);
        hours[hour] += 1.0;
        days[day] += 1.0;
    }
    Shape::shrunk(&hours, &days, prior, pseudo_count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_rate_gives_the_square_root_law() {
        // n equal sources, B visits in all: gaps of n·T/B, mean wait half of that.
        let curves: Vec<_> = (0..4).map(|_| Curve::new(1.0, 960, |_| 1e-3)).collect();
        let posts: f64 = curves.iter().map(|curve| curve.posts[960]).sum();
        // 79 visits and the free one at the end cut 960 slots into 80 gaps of 12.
        let wait_s = least_expected_wait_s(&curves, 4 * 79) / posts;
        assert!((wait_s / (6.0 * 900.0) - 1.0).abs() < 0.01, "{wait_s}");
    }

    #[test]
    fn no_plan_of_a_small_case_is_better() {
        let rates = [2e-3, 1e-5, 5e-3, 1e-3, 0.0, 4e-3, 1e-4, 2e-3];
        let curve = Curve::new(1.0, rates.len(), |slot| rates[slot]);
        for budget in 0..4_u32 {
            let cost = |mask: u32| {
                let mut value = 0.0;
                let mut since = 0;
                for slot in 1..=rates.len() {
                    if mask >> (slot - 1) & 1 == 1 || slot == rates.len() {
                        let time_s = slot as f64 * SLOT.secs_f64();
                        value += time_s * (curve.posts[slot] - curve.posts[since])
                            - (curve.moments_s[slot] - curve.moments_s[since]);
                        since = slot;
                    }
                }
                value
            };
            let masks = (0..1 << (rates.len() - 1)).filter(|mask: &u32| mask.count_ones() <= budget);
            let best = masks.map(cost).fold(f64::INFINITY, f64::min);
            let bound = least_expected_wait_s(std::slice::from_ref(&curve), u64::from(budget));
            assert!((bound - best).abs() < 1e-3 * best, "{budget}: {bound}, not {best}");
        }
    }
}
