//! The distinct plan: fetched copies resemble each other least (reading R1, the literal quadratic program).
//!
//! | program | here |
//! |---|---|
//! | `M_ij` | [`Similarities`], both ways, 1 on the diagonal |
//! | minimise x′Mx, Σ x = f, x₁ = 1, x binary | [`choose`] |
//!
//! The problem is NP-hard. Up to [`EXACT_CANDIDATES_MAX`] candidates, branch and bound proves the best set ([`bound`]); beyond
//! that, or when the search would take more than its limit, the set is built greedily and improved by swaps, and
//! the plan says that it is not proven. It looks only at how instants resemble each other, not at when the
//! page changes in between: a baseline, not a recommendation. Cost: O(f m) to build, O(f m) for each swap.

mod bound;

use super::{Plan, Similarities};

/// Candidates up to which the best set is proven.
pub(crate) const EXACT_CANDIDATES_MAX: usize = 30;
/// Swaps of one plan; each makes x′Mx smaller, so they end anyway, but not at a known time.
const SWAPS_MAX: usize = 10_000;
/// Less is rounding and no improvement.
const IMPROVEMENT_MIN: f64 = 1e-9;

/// The `refresh_count` least similar of these candidates; all of them where there are no more than that.
pub(super) fn choose(similarities: &Similarities, candidates: &[usize], refresh_count: usize) -> Plan {
    let matrix = Matrix::new(similarities, candidates);
    if refresh_count == 0 || refresh_count >= candidates.len() {
        let all: Vec<usize> = (0..candidates.len().min(refresh_count)).collect();
        let instants = candidates[..all.len()].to_vec();
        return Plan { instants, value: matrix.cost(&all), is_proven: true };
    }
    let good = swapped(&matrix, greedy(&matrix, refresh_count));
    let (mut chosen, is_proven) =
        if candidates.len() <= EXACT_CANDIDATES_MAX { bound::improve(&matrix, good) } else { (good, false) };
    chosen.sort_unstable();
    let value = matrix.cost(&chosen);
    Plan { instants: chosen.into_iter().map(|at| candidates[at]).collect(), value, is_proven }
}

/// M of the candidates, square and by rows.
#[derive(Debug)]
pub(crate) struct Matrix {
    count: usize,
    values: Vec<f64>,
}

impl Matrix {
    fn new(similarities: &Similarities, candidates: &[usize]) -> Self {
        let row = |&i: &usize| candidates.iter().map(move |&j| similarities.of(i, j));
        Self { count: candidates.len(), values: candidates.iter().flat_map(row).collect() }
    }

    fn row(&self, at: usize) -> &[f64] {
        &self.values[at * self.count..(at + 1) * self.count]
    }

    /// x′Mx of a set.
    fn cost(&self, set: &[usize]) -> f64 {
        set.iter().map(|&i| set.iter().map(|&j| self.row(i)[j]).sum::<f64>()).sum()
    }

    /// What each candidate has in common with a set.
    fn common(&self, set: &[usize]) -> Vec<f64> {
        (0..self.count).map(|at| set.iter().map(|&other| self.row(at)[other]).sum()).collect()
    }

    /// Adds a member to what is common, or takes it out again.
    fn shift(&self, common: &mut [f64], member: usize, sign: f64) {
        for (sum, value) in common.iter_mut().zip(self.row(member)) {
            *sum += sign * value;
        }
    }
}

/// The first candidate, then always the one that adds least.
fn greedy(matrix: &Matrix, refresh_count: usize) -> Vec<usize> {
    let mut set = vec![0];
    let mut common = matrix.common(&set);
    while set.len() < refresh_count {
        let added = |at: usize| matrix.row(at)[at] + 2.0 * common[at];
        let free = (1..matrix.count).filter(|at| !set.contains(at));
        let Some(least) = free.min_by(|&a, &b| added(a).total_cmp(&added(b))) else { break };
        set.push(least);
        matrix.shift(&mut common, least, 1.0);
    }
    set
}

/// Swaps a member for another candidate as long as that helps; the first candidate stays.
fn swapped(matrix: &Matrix, mut set: Vec<usize>) -> Vec<usize> {
    let mut is_member = vec![false; matrix.count];
    for &at in &set {
        is_member[at] = true;
    }
    let mut common = matrix.common(&set);
    for _ in 0..SWAPS_MAX {
        let Some((index, coming)) = best_swap(matrix, &set, &is_member, &common) else { break };
        let leaving = std::mem::replace(&mut set[index], coming);
        (is_member[leaving], is_member[coming]) = (false, true);
        matrix.shift(&mut common, leaving, -1.0);
        matrix.shift(&mut common, coming, 1.0);
    }
    set
}

/// The swap that saves most: a place of the set and who comes there.
fn best_swap(matrix: &Matrix, set: &[usize], is_member: &[bool], common: &[f64]) -> Option<(usize, usize)> {
    let mut best = (-IMPROVEMENT_MIN, None);
    for (index, &leaving) in set.iter().enumerate().skip(1) {
        let row = matrix.row(leaving);
        let saved = 2.0 * common[leaving] - row[leaving];
        for coming in (1..matrix.count).filter(|&at| !is_member[at]) {
            let added = matrix.row(coming)[coming] + 2.0 * (common[coming] - row[coming]);
            if added - saved < best.0 {
                best = (added - saved, Some((index, coming)));
            }
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refresh::Chain;

    fn check(series: &[f64], refresh_count: usize, instants: &[usize], value: f64) {
        let similarities = Similarities::chained(series, Chain::Product).unwrap();
        let candidates: Vec<usize> = (0..similarities.count()).collect();
        let plan = choose(&similarities, &candidates, refresh_count);
        assert_eq!(plan.instants, instants, "{series:?} {refresh_count}");
        assert!((plan.value - value).abs() < 1e-9, "{series:?} {refresh_count}: {}", plan.value);
        assert!(plan.is_proven);
    }

    #[test]
    fn known_plans() {
        check(&[0.5, 0.5], 2, &[0, 2], 2.5);
        check(&[1.0, 0.0, 1.0], 1, &[0], 1.0);
        check(&[0.9, 0.9, 0.9, 0.9], 3, &[0, 2, 4], 3.0 + 2.0 * (0.81 + 0.81 + 0.6561));
        check(&[0.5], 7, &[0, 1], 3.0);
    }

    #[test]
    fn a_long_series_is_planned_and_not_proven() {
        let series: Vec<f64> = (0..300).map(|at| 1.0 - f64::from(at * 37 % 101) / 400.0).collect();
        let similarities = Similarities::chained(&series, Chain::Product).unwrap();
        let candidates: Vec<usize> = (0..301).collect();
        let plan = choose(&similarities, &candidates, 60);
        assert_eq!((plan.instants.len(), plan.is_proven), (60, false));
        let matrix = Matrix::new(&similarities, &candidates);
        let spaced: Vec<usize> = (0..60).map(|at| at * 5).collect();
        assert!(plan.value < matrix.cost(&spaced), "{}", plan.value);
    }
}
