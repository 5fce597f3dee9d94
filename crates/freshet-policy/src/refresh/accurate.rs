//! The accurate plan: the stored copy resembles the page at every instant, exactly (reading R2 of the MIQP).
//!
//! At instant j the store holds the page as it was at i(j), the last refresh up to j.
//!
//! | program | here |
//! |---|---|
//! | `h_j`, how much instant j matters | `weights` |
//! | `S_ij` | [`Similarities`] |
//! | maximise `Σ_j h_j S_{i(j),j}`, Σ x = f, x₀ = 1 | [`choose`] |
//! | `W(d, e) = Σ_{j=d}^{e−1} h_j S_dj` | `gains`, as sums along the row of d |
//! | `G(e, k) = max_{d<e} G(d, k − 1) + W(d, e)` | `best`, with the d that won in `from` |
//!
//! Fetching at d and next at e earns W(d, e) whatever happens elsewhere, so a plan is a path of f links from the
//! first instant to the end, and the best path is found by dynamic programming; the nearest published method is
//! that of [Eckstein 2008]. As a linear program it is a shortest path in a layered graph, whose solution is
//! integral by itself: the tests check the plan against that program and against the 0-1 program in an
//! independent solver. Candidates are only those the filter kept, but all n instants are scored. `S = e^{−L}` makes it a
//! freshness plan for a Poisson model. Cost: O(m n + f m²) time, O(m²) memory for m candidates.

use super::{Plan, Similarities, accuracy};

/// The best `refresh_count` of these candidates; all of them where there are no more than that.
pub(super) fn choose(
    similarities: &Similarities,
    weights: &[f64],
    candidates: &[usize],
    refresh_count: usize,
) -> Plan {
    let instants = if refresh_count == 0 {
        Vec::new()
    } else if refresh_count < candidates.len() {
        let gains = gains(similarities, weights, candidates);
        path(&gains, refresh_count).into_iter().map(|at| candidates[at]).collect()
    } else {
        candidates.to_vec()
    };
    let value = accuracy(similarities, weights, &instants);
    Plan { instants, value, is_proven: true }
}

/// `gains[d][e − d − 1]`: what the copy of candidate d earns until candidate e, or until the end.
fn gains(similarities: &Similarities, weights: &[f64], candidates: &[usize]) -> Vec<Vec<f64>> {
    let row = |(at, &first): (usize, &usize)| {
        let later = candidates[at + 1..].iter().copied().chain([similarities.count()]);
        let (mut sum, mut instant) = (0.0, first);
        let until = |end: usize| {
            while instant < end {
                sum += accuracy::weight(weights, instant) * similarities.of(first, instant);
                instant += 1;
            }
            sum
        };
        later.map(until).collect()
    };
    candidates.iter().enumerate().map(row).collect()
}

/// The candidates on the best path of `link_count` links from the first candidate to the end.
fn path(gains: &[Vec<f64>], link_count: usize) -> Vec<usize> {
    let end = gains.len();
    let mut best = vec![f64::NEG_INFINITY; end + 1];
    best[0] = 0.0;
    let mut from: Vec<Vec<u32>> = Vec::with_capacity(link_count);
    for _ in 0..link_count {
        let mut next = vec![f64::NEG_INFINITY; end + 1];
        let mut winners = vec![0; end + 1];
        for (d, row) in gains.iter().enumerate() {
            for (e, gain) in (d + 1..).zip(row) {
                // Strictly more: of equal plans the earliest wins, in every run.
                if best[d] + gain > next[e] {
                    (next[e], winners[e]) = (best[d] + gain, d as u32);
                }
            }
        }
        best = next;
        from.push(winners);
    }
    let mut path = Vec::with_capacity(link_count);
    let mut at = end;
    for winners in from.iter().rev() {
        at = winners[at] as usize;
        path.push(at);
    }
    path.reverse();
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refresh::Chain;

    fn check(series: &[f64], weights: &[f64], refresh_count: usize, instants: &[usize], value: f64) {
        let similarities = Similarities::chained(series, Chain::Product).unwrap();
        let candidates: Vec<usize> = (0..similarities.count()).collect();
        let plan = choose(&similarities, weights, &candidates, refresh_count);
        assert_eq!(plan.instants, instants, "{series:?} {refresh_count}");
        assert!((plan.value - value).abs() < 1e-12, "{series:?} {refresh_count}: {}", plan.value);
        assert!(plan.is_proven);
    }

    #[test]
    fn known_plans() {
        // The page turns over once, between the second and the third instant.
        check(&[1.0, 0.0, 1.0], &[], 2, &[0, 2], 1.0);
        check(&[1.0, 0.0, 1.0], &[], 1, &[0], 0.5);
        // Both turn over; the longer stretch is worth more, unless the weights say otherwise.
        check(&[0.0, 0.0, 1.0], &[], 2, &[0, 2], 0.75);
        check(&[0.0, 0.0, 1.0], &[1.0, 9.0, 1.0, 1.0], 2, &[0, 1], 10.0 / 12.0);
        check(&[0.0, 0.0, 1.0], &[1.0, f64::NAN, -1.0, 1.0], 2, &[0, 2], 1.0);
        check(&[0.5], &[], 5, &[0, 1], 1.0);
        check(&[], &[], 1, &[0], 1.0);
    }

    #[test]
    fn a_week_of_quarter_hours_is_no_effort() {
        let series: Vec<f64> = (0..671).map(|at| 1.0 - f64::from(at * 37 % 101) / 400.0).collect();
        let similarities = Similarities::chained(&series, Chain::Product).unwrap();
        let candidates: Vec<usize> = (0..672).collect();
        let plan = choose(&similarities, &[], &candidates, 247);
        assert_eq!(plan.instants.len(), 247);
        assert!(plan.value > 0.85, "{}", plan.value);
    }
}
