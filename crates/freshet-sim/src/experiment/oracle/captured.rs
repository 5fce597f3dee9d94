//! The most posts that so many calls in each slot can be expected to bring, where a page shows only so many.
//!
//! For Poisson sources with known rates, as [`super::slot_prices`], with the other objective: a visit at t after one at s
//! brings g(Λ(t)−Λ(s)), g(x) = E min(N, c). The dual of "b visits in each slot" has a price μₜ ≥ 0 for each:
//!
//! min over μ of  Σᵢ max over plans (Σ g − Σ μ of its visits)  +  b·Σμₜ
//!
//! Every μ gives an upper bound, valid for every policy that knows the rates, the end of the count included; projected subgradient
//! steps approach the best one; a price for a stretch of slots is enough, and swings less. For one source W(t) = max over s<t of W(s) + g(Λ(t)−Λ(s)) − μₜ.
//! g is concave, so the best s never moves back as t grows: candidates stand in a queue, each with
//! the slot from which it is the best, found by halving; O(slots·log slots).
//!
//! | symbol | here |
//! |---|---|
//! | g | [`Gains`], a table |
//! | μₜ | `prices`, by the slot's end |
//! | W | `values` |

use freshet_policy::policies::capture::brought;

use super::bound::Curve;

/// Halvings of the one price that the search starts from.
const HALVINGS: u32 = 20;
/// Subgradient steps; more moved the bound by less than a thousandth.
const STEPS: u32 = 80;
/// First step, as a share of the one price for a stretch that is wanted twice.
const STEP_SHARE: f64 = 0.12;
/// How fast steps shrink.
const STEP_DECAY: f64 = 0.08;
/// A stretch counts as wanted so many times too often at most.
const EXCESS_MAX: f64 = 3.0;
/// Slots that have one price, at most: a day.
const BLOCK_MAX: usize = 96;
/// Entries of the table of g for every expected post.
const ENTRIES_PER_POST: f64 = 20.0;

/// g by expected posts, straight between entries.
struct Gains {
    table: Vec<f64>,
    page_size: f64,
}

impl Gains {
    fn new(page_size: u32) -> Self {
        // Three pages and some more fill a page for certain.
        let entry_count = ((f64::from(page_size) * 3.0 + 30.0) * ENTRIES_PER_POST) as usize;
        let entry = |entry: usize| brought(entry as f64 / ENTRIES_PER_POST, Some(page_size));
        Self { table: (0..entry_count).map(entry).collect(), page_size: f64::from(page_size) }
    }

    fn of(&self, posts: f64) -> f64 {
        let entry = (posts * ENTRIES_PER_POST).max(0.0);
        match self.table.get(entry as usize..entry as usize + 2) {
            Some(&[low, high]) => low + (high - low) * entry.fract(),
            _ => self.page_size,
        }
    }
}

/// Posts expected to be captured at best with so many visits in each slot.
pub(crate) fn most_captured(curves: &[Curve], page_size: u32, visits_per_slot: u32) -> f64 {
    let slot_count = curves.first().map_or(0, |curve| curve.posts.len().saturating_sub(1));
    let budget = f64::from(visits_per_slot);
    let mut search = Search::new(curves, Gains::new(page_size), slot_count);
    let page = f64::from(page_size);
    let (mut low, mut high) = (0.0, page);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        search.solve(&vec![middle; slot_count + 1]);
        let is_cheap = search.wanted.iter().sum::<f64>() > budget * slot_count as f64;
        *(if is_cheap { &mut low } else { &mut high }) = middle;
    }
    let blocks = blocks(slot_count);
    let mut prices = vec![high; slot_count + 1];
    let mut best = f64::INFINITY;
    for step in 0..STEPS {
        let bound = search.solve(&prices) + budget * prices.iter().skip(1).sum::<f64>();
        best = best.min(bound);
        let length = STEP_SHARE * high / (1.0 + STEP_DECAY * f64::from(step));
        for block in &blocks {
            let wanted: f64 = search.wanted[block.clone()].iter().sum();
            let excess = (wanted / (budget * block.len() as f64).max(1e-9) - 1.0).min(EXCESS_MAX);
            let price = (prices[block.start] + length * excess).clamp(0.0, page);
            prices[block.clone()].fill(price);
        }
    }
    if best.is_finite() { best } else { 0.0 }
}

/// Stretches of slots with one price each: short ones where the count begins and ends, days between.
fn blocks(slot_count: usize) -> Vec<std::ops::Range<usize>> {
    let (mut blocks, mut begin) = (Vec::new(), 1);
    while begin <= slot_count {
        let to_edge = begin.min(slot_count + 1 - begin);
        let length = to_edge.next_power_of_two().min(BLOCK_MAX).min(to_edge.div_ceil(2).max(1));
        blocks.push(begin..(begin + length).min(slot_count + 1));
        begin += length;
    }
    blocks
}

/// What is reused from step to step.
struct Search<'a> {
    curves: &'a [Curve],
    gains: Gains,
    slot_count: usize,
    values: Vec<f64>,
    before: Vec<usize>,
    /// Candidates for the visit before, and from which slot on each is best.
    queue: std::collections::VecDeque<(usize, usize)>,
    /// Visits that the best plans make at each slot's end.
    wanted: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(curves: &'a [Curve], gains: Gains, slot_count: usize) -> Self {
        let (values, before) = (vec![0.0; slot_count + 1], vec![0; slot_count + 1]);
        let wanted = vec![0.0; slot_count + 1];
        Self { curves, gains, slot_count, values, before, queue: std::collections::VecDeque::new(), wanted }
    }

    /// Posts less prices of the best plans of all sources.
    fn solve(&mut self, prices: &[f64]) -> f64 {
        self.wanted.fill(0.0);
        (0..self.curves.len()).map(|source| self.best(source, prices)).sum()
    }

    fn best(&mut self, source: usize, prices: &[f64]) -> f64 {
        let curve = &self.curves[source];
        self.values[0] = 0.0;
        self.queue.clear();
        self.queue.push_back((0, 1));
        for (slot, price) in prices.iter().enumerate().take(self.slot_count + 1).skip(1) {
            while self.queue.get(1).is_some_and(|(_, from)| *from <= slot) {
                self.queue.pop_front();
            }
            let from = self.queue.front().map_or(0, |(candidate, _)| *candidate);
            self.values[slot] = self.through(curve, from, slot) - price;
            self.before[slot] = from;
            self.stand(curve, slot);
        }
        let (last, value) = self
            .values
            .iter()
            .enumerate()
            .fold((0, 0.0), |best, (slot, value)| if *value > best.1 { (slot, *value) } else { best });
        let mut slot = last;
        while slot > 0 {
            self.wanted[slot] += 1.0;
            slot = self.before[slot];
        }
        value
    }

    /// Posts until a visit at `slot` if the one before is at `from`.
    fn through(&self, curve: &Curve, from: usize, slot: usize) -> f64 {
        self.values[from] + curve.weight * self.gains.of(curve.posts[slot] - curve.posts[from])
    }

    /// A new candidate takes its place behind those that are better for longer.
    fn stand(&mut self, curve: &Curve, slot: usize) {
        while let Some(&(other, from)) = self.queue.back() {
            if from > slot && self.through(curve, slot, from) >= self.through(curve, other, from) {
                self.queue.pop_back();
                continue;
            }
            let is_better = |at: usize| self.through(curve, slot, at) >= self.through(curve, other, at);
            let (mut low, mut high) = (slot.max(from), self.slot_count + 1);
            while high - low > 1 {
                let middle = usize::midpoint(low, high);
                *(if is_better(middle) { &mut high } else { &mut low }) = middle;
            }
            if high <= self.slot_count {
                self.queue.push_back((slot, high));
            }
            return;
        }
        self.queue.push_back((slot, slot + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best plan of one source at one price, by trying all pairs of slots.
    fn by_trial(curve: &Curve, price: f64, page_size: u32) -> f64 {
        let slot_count = curve.posts.len() - 1;
        let mut values = vec![0.0_f64; slot_count + 1];
        for slot in 1..=slot_count {
            let through = |from: usize| {
                values[from] + brought(curve.posts[slot] - curve.posts[from], Some(page_size)) - price
            };
            values[slot] = (0..slot).map(through).fold(f64::NEG_INFINITY, f64::max);
        }
        values.into_iter().fold(0.0, f64::max)
    }

    #[test]
    fn plans_agree_with_trials() {
        let curve = Curve::new(1.0, 60, |slot| if slot % 12 < 4 { 3e-3 } else { 2e-4 });
        for price in [0.0, 0.5, 2.0, 4.5] {
            let mut search = Search::new(std::slice::from_ref(&curve), Gains::new(5), 60);
            let (got, expected) = (search.solve(&[price; 61]), by_trial(&curve, price, 5));
            assert!((got - expected).abs() < 0.01, "at {price}: {got}, not {expected}");
        }
    }

    #[test]
    fn slots_can_only_take_away() {
        // Eight alike, one visit a slot: each fills its page of 5 every eighth slot at best.
        let curves: Vec<_> = (0..8).map(|_| Curve::new(1.0, 64, |_| 5.0 / 900.0)).collect();
        let bound = most_captured(&curves, 5, 1);
        assert!((64.0 * 4.9..64.0 * 5.0 + 0.1).contains(&bound), "{bound}");
        assert!(most_captured(&[], 20, 1).abs() < 1e-9);
    }
}
