//! `organ-pipe`: one sweep over all sources in the order of organ pipes [CUVIM, section 4.1].
//!
//! Formula: a source captured at time t of a sweep of length T has the penalty
//! ω(t) = t² − tT + T²/2, smallest in the middle, so by rearrangement the fastest sources stand
//! in the middle: of the sources by ascending rate, every second goes up, the others come down
//! (u₀ u₂ u₄ … u₅ u₃ u₁). The paper's Algorithm 1 interleaves both ends instead; its worked
//! example and its section 5.1 are the organ pipes, and are what is meant. Each sweep is ordered
//! anew by what is known when it begins. Blur looks both ways in time, so this is no order for lag.

use freshet_types::Timestamp;

use crate::change::{ChangeModel as _, Poisson};
use crate::{Look, Pool, Roster, RosterKit};

/// Sweeps over all sources, the fastest in the middle.
#[derive(Debug)]
pub struct OrganPipe {
    models: Vec<Poisson>,
    pool: Pool,
    /// What is left of the sweep, the next one last.
    sweep: Vec<usize>,
}

impl OrganPipe {
    /// Of sources of which nothing is known yet.
    pub fn new(kit: &RosterKit) -> Self {
        let models = vec![Poisson::default(); kit.weights.len()];
        Self { models, pool: Pool::default(), sweep: Vec::new() }
    }

    fn begin_sweep(&mut self) -> Vec<usize> {
        let mut by_rate: Vec<usize> = (0..self.models.len()).collect();
        let rate = |number: &usize| self.models[*number].rate_per_s(&self.pool);
        by_rate.sort_by(|a, b| rate(a).total_cmp(&rate(b)));
        let mut order: Vec<usize> = places(by_rate.len()).map(|place| by_rate[place]).collect();
        order.reverse();
        order
    }
}

/// The ascending sources in the order of organ pipes: 0, 2, 4, …, 5, 3, 1.
pub fn places(count: usize) -> impl Iterator<Item = usize> {
    (0..count).step_by(2).chain((0..count).skip(1).step_by(2).rev())
}

/// ω(t) over a sweep of `length`, for one source captured at `at`.
pub fn penalty(at: f64, length: f64) -> f64 {
    at * at - at * length + length * length / 2.0
}

impl Roster for OrganPipe {
    fn name(&self) -> &'static str {
        "organ-pipe"
    }

    fn learn(&mut self, number: usize, look: &Look<'_>) {
        self.pool.learn(look);
        self.models[number].learn(look, &self.pool);
        // A visit takes the source off the sweep; it is the last but for those not affordable.
        if let Some(place) = self.sweep.iter().rposition(|it| *it == number) {
            self.sweep.remove(place);
        }
    }

    fn plan(&mut self, _now: Timestamp, _budget_per_s: f64) {}

    fn pick(&mut self, _now: Timestamp, count: usize, picked: &mut Vec<usize>) {
        picked.clear();
        if self.sweep.len() < count {
            let mut next = self.begin_sweep();
            next.append(&mut self.sweep);
            self.sweep = next;
        }
        let mut is_picked = vec![false; self.models.len()];
        for &number in self.sweep.iter().rev() {
            if picked.len() == count {
                break;
            }
            // Who stands in both sweeps is not visited twice in one instant.
            if !std::mem::replace(&mut is_picked[number], true) {
                picked.push(number);
            }
        }
    }

    fn price(&self) -> Option<f64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blur(rates: &[f64], order: &[usize], delta: f64) -> f64 {
        let length = rates.len() as f64 * delta;
        let term = |(at, number): (usize, &usize)| rates[*number] * penalty(at as f64 * delta, length);
        order.iter().enumerate().map(term).sum::<f64>() / length
    }

    #[test]
    fn the_papers_example_and_no_better_order_for_few() {
        assert_eq!(places(6).collect::<Vec<_>>(), [0, 2, 4, 5, 3, 1]);
        assert_eq!(places(5).collect::<Vec<_>>(), [0, 2, 4, 3, 1]);
        // Captures at i·Δ of a sweep of nΔ: every order of six sources is tried.
        let rates = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        let order: Vec<_> = places(6).collect();
        let best = permutations(6).iter().map(|order| blur(&rates, order, 1.0)).fold(f64::INFINITY, f64::min);
        let mirrored: Vec<_> = order.iter().rev().copied().collect();
        let pipes = blur(&rates, &order, 1.0).min(blur(&rates, &mirrored, 1.0));
        assert!((pipes - best).abs() < 1e-9, "{pipes} {best}");
    }

    fn permutations(count: usize) -> Vec<Vec<usize>> {
        if count == 0 {
            return vec![Vec::new()];
        }
        let shorter = permutations(count - 1);
        let insert = |order: &Vec<usize>, at: usize| {
            let mut order = order.clone();
            order.insert(at, count - 1);
            order
        };
        shorter.iter().flat_map(|order| (0..count).map(move |at| insert(order, at))).collect()
    }

    #[test]
    fn theorem_1() {
        // Double the time between visits: fourfold penalty, double potentiality.
        let rates = [0.5, 2.0, 7.0, 1.0];
        for delta in [0.25, 2.0, 10.0] {
            for at in 0..4 {
                let scaled = penalty(f64::from(at) * delta, 4.0 * delta);
                assert!((scaled - delta * delta * penalty(f64::from(at), 4.0)).abs() < 1e-9);
            }
            let order: Vec<_> = places(4).collect();
            assert!((blur(&rates, &order, delta) - delta * blur(&rates, &order, 1.0)).abs() < 1e-9);
        }
    }

    #[test]
    fn equation_1() {
        // Frequencies f₀, f₀+Δ, …: the organ pipes dealt out to two machines in turn.
        for count in 4..40_usize {
            let (first, step) = (3.0, 0.5);
            let load = |part: usize| -> f64 {
                let dealt = places(count).enumerate().filter(|(at, _)| at % 2 == part);
                dealt.map(|(_, place)| first + step * place as f64).sum()
            };
            let expected = [0.0, first, -step, first - step][count % 4];
            let got = load(0) - load(1);
            // For n mod 4 = 2 and 3 the paper's proof pairs the halves; the difference is the same.
            assert!((got - expected).abs() < 1e-9, "{count}: {got}, not {expected}");
        }
    }

    #[test]
    fn every_source_once_a_sweep() {
        let mut roster = OrganPipe::new(&RosterKit::plain(7));
        let mut picked = Vec::new();
        let mut seen = [0; 7];
        for step in 0..7 {
            let at = Timestamp::from_secs(step);
            roster.pick(at, 3, &mut picked);
            assert_eq!(picked.len(), 3);
            for number in picked.clone() {
                seen[number] += 1;
                roster.learn(number, &Look { since: None, at, news: &[], is_full: false });
            }
        }
        assert_eq!(seen, [3; 7]);
    }
}
