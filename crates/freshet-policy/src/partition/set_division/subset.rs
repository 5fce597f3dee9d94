//! Subset sum with trimming: the subset closest to a target from below, up to a factor 1 − ε [Ibarra 1975].
//!
//! | scheme | here |
//! |---|---|
//! | `L_i`: all sums of the first i items up to the target | `Search::sums`, ascending |
//! | `L_i` ← merge(L_{i−1}, L_{i−1} + `x_i`) | `Search::take` |
//! | trim: drop what is at most 1 + δ above the last kept, δ = ε/2n | `Search::keep` |
//!
//! For each sum y of a subset a kept z has y/(1+δ)^i ≤ z ≤ y, so the last list holds (1 − ε) of the best.
//! No subset beats the target, so the search ends as soon as a subset reaches (1 − ε) of the target: items come
//! heaviest first, and now and then the lighter ones that are left fill some of the sums up. With many sources that
//! happens at once; only few and coarse items need the whole list. Cost: O(n² log(target)/ε) at worst, and
//! bounded: a list that outgrows [`SUMS_MAX`] is trimmed harder and a search beyond [`WORK_BOUNDS`] ends with the
//! best found, which is then no longer promised; the spread of the result tells.

/// Sums kept at once: all subsets of 16 items, whatever ε.
const SUMS_MAX: usize = 1 << 16;
/// Sums and items looked at in one search: at least, for each item, and at most. The first lets few items always
/// be searched wholly, the second keeps a million sources in a thousand parts to seconds, the third bounds memory.
const WORK_BOUNDS: (usize, usize, usize) = (1 << 20, 1 << 10, 1 << 23);
/// Sums that are filled up after each item.
const FILLS: usize = 32;
/// What rounding may add to a sum of many workloads.
const ROUNDING: f64 = 1e-12;

/// Which items, heaviest first, make up the sum that is closest to `target` without exceeding it.
pub(crate) fn closest(items: &[f64], target: f64, epsilon: f64) -> Vec<bool> {
    let mut search = Search::new(items, target, epsilon);
    for item in 0..items.len() {
        // Filling costs as much as all items, so it is tried ever more seldom.
        if item == 0 || item.is_power_of_two() {
            search.fill_some(item);
        }
        if search.is_done() || search.work_left == 0 {
            break;
        }
        search.add_item(item);
    }
    search.fill_some(items.len());
    search.best.marks(&search.steps, items.len())
}

/// A kept sum and the step that made it.
#[derive(Clone, Copy, Debug)]
struct Sum {
    load: f64,
    step: u32,
}

/// How a sum came about: `item` was added to the sum of `before`.
#[derive(Clone, Copy, Debug)]
struct Step {
    before: u32,
    item: u32,
}

/// The empty sum has no step.
const NO_STEP: u32 = u32::MAX;

/// A subset: a kept sum and the lighter items that filled it up.
#[derive(Debug)]
struct Found {
    load: f64,
    step: u32,
    fill: Vec<u32>,
}

impl Found {
    fn marks(&self, steps: &[Step], item_count: usize) -> Vec<bool> {
        let mut is_chosen = vec![false; item_count];
        self.fill.iter().for_each(|&item| is_chosen[item as usize] = true);
        let mut at = self.step;
        while let Some(step) = steps.get(at as usize) {
            is_chosen[step.item as usize] = true;
            at = step.before;
        }
        is_chosen
    }
}

#[derive(Debug)]
struct Search<'a> {
    items: &'a [f64],
    limit: f64,
    enough: f64,
    delta: f64,
    sums: Vec<Sum>,
    steps: Vec<Step>,
    best: Found,
    work_left: usize,
}

impl<'a> Search<'a> {
    fn new(items: &'a [f64], target: f64, epsilon: f64) -> Self {
        Self {
            items,
            limit: target * (1.0 + ROUNDING),
            enough: target * (1.0 - epsilon),
            delta: epsilon / (2.0 * items.len().max(1) as f64),
            sums: vec![Sum { load: 0.0, step: NO_STEP }],
            steps: Vec::new(),
            best: Found { load: 0.0, step: NO_STEP, fill: Vec::new() },
            work_left: (items.len() * WORK_BOUNDS.1).clamp(WORK_BOUNDS.0, WORK_BOUNDS.2),
        }
    }

    fn is_done(&self) -> bool {
        self.best.load >= self.enough
    }

    /// Merges the list with itself plus one item, trimming as it goes.
    fn add_item(&mut self, item: usize) {
        let old = std::mem::take(&mut self.sums);
        self.work_left = self.work_left.saturating_sub(2 * old.len());
        let mut kept: Vec<Sum> = Vec::with_capacity(2 * old.len());
        let (mut without, mut with) = (0, 0);
        while without < old.len() || with < old.len() {
            let plain = old.get(without).map_or(f64::INFINITY, |sum| sum.load);
            let added = old.get(with).map_or(f64::INFINITY, |sum| sum.load + self.items[item]);
            if plain <= added {
                self.keep(&mut kept, old[without]);
                without += 1;
            } else if added > self.limit {
                with = old.len();
            } else {
                let step = self.steps.len() as u32;
                if self.keep(&mut kept, Sum { load: added, step }) {
                    self.steps.push(Step { before: old[with].step, item: item as u32 });
                }
                with += 1;
            }
        }
        while kept.len() > SUMS_MAX {
            self.delta *= 2.0;
            let all = std::mem::take(&mut kept);
            for sum in all {
                self.keep(&mut kept, sum);
            }
        }
        self.sums = kept;
    }

    fn keep(&self, kept: &mut Vec<Sum>, sum: Sum) -> bool {
        let is_apart = kept.last().is_none_or(|last| sum.load > last.load * (1.0 + self.delta));
        if is_apart {
            kept.push(sum);
        }
        is_apart
    }

    /// Fills up some of the sums, the largest among them, with items from `first` on, heaviest first.
    fn fill_some(&mut self, first: usize) {
        let stride = self.sums.len().div_ceil(FILLS).max(1);
        for at in (0..self.sums.len()).rev().step_by(stride) {
            let found = self.filled(self.sums[at], first);
            self.work_left = self.work_left.saturating_sub(2 * self.items.len());
            if found.load > self.best.load {
                self.best = found;
            }
            if self.is_done() {
                return;
            }
        }
    }

    /// One sum, filled up: first evenly from all weights, then with whatever still fits, heaviest first.
    ///
    /// Evenly, because both sides are divided again: a side of heavy items alone could not be.
    fn filled(&self, sum: Sum, first: usize) -> Found {
        let rest = &self.items[first..];
        let share = (self.limit - sum.load) / rest.iter().sum::<f64>();
        let (mut load, mut fill, mut is_used) = (sum.load, Vec::new(), vec![false; rest.len()]);
        let mut due = 0.0;
        for is_even in [true, false] {
            for (index, &item) in rest.iter().enumerate() {
                due += share;
                let is_turn = !is_even || due >= 1.0;
                if is_turn && !is_used[index] && load + item <= self.limit {
                    load += item;
                    due -= 1.0;
                    is_used[index] = true;
                    fill.push((first + index) as u32);
                }
            }
        }
        Found { load, step: sum.step, fill }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum_of(items: &[f64], is_chosen: &[bool]) -> f64 {
        items.iter().zip(is_chosen).filter(|(_, is_chosen)| **is_chosen).map(|(item, _)| item).sum()
    }

    fn check(items: &[f64], target: f64, epsilon: f64, expected: f64) {
        let found = sum_of(items, &closest(items, target, epsilon));
        assert!((found - expected).abs() < 1e-9, "{items:?} up to {target}: {found}");
    }

    #[test]
    fn known_sums() {
        check(&[104.0, 102.0, 201.0, 101.0], 308.0, 1e-9, 307.0);
        check(&[8.0, 7.0, 6.0, 5.0, 4.0], 15.0, 1e-3, 15.0);
        check(&[9.0], 8.0, 1e-3, 0.0);
        check(&[], 8.0, 1e-3, 0.0);
        check(&[1.0], 0.0, 1e-3, 0.0);
    }

    #[test]
    fn hard_items_end_and_come_close() {
        // Nearly equal items, a target between their multiples: the lists overflow.
        let items: Vec<f64> = (0..400).map(|rank| 500.0 - f64::from(rank) / 997.0).collect();
        let target = items.iter().sum::<f64>() / 2.0 + 3.7;
        let found = sum_of(&items, &closest(&items, target, 1e-9));
        assert!(found <= target * (1.0 + 1e-9) && found > target * (1.0 - 1e-5), "{found} of {target}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_promise_of_the_scheme_is_kept(
            mut items in prop::collection::vec(0.1..100.0_f64, 0..12),
            share in 0.05..0.95_f64,
            epsilon in prop_oneof![Just(1e-6), Just(0.01), Just(0.3)],
        ) {
            items.sort_by(|a, b| b.total_cmp(a));
            let target = items.iter().sum::<f64>() * share;
            let best = (0..1_u32 << items.len())
                .map(|set| (0..items.len()).filter(|&at| set >> at & 1 == 1).map(|at| items[at]).sum::<f64>())
                .filter(|&sum| sum <= target)
                .fold(0.0, f64::max);
            let found = sum_of(&items, &closest(&items, target, epsilon));
            prop_assert!(found <= target * (1.0 + 1e-9), "{} is above {}", found, target);
            prop_assert!(found >= best * (1.0 - epsilon) - 1e-9, "{} of {}", found, best);
        }
    }
}
