//! Branch and bound for the distinct plan: proves the best set, or gives up after a known effort.
//!
//! A node has chosen some candidates, ruled out some, and has r to choose from a pool. Each chosen v of the pool adds
//! at least `M_vv`, twice what it has in common with those chosen, and its r − 1 smallest similarities within
//! the pool (each pair counts twice in x′Mx, once for each end). The r smallest of these sums bound the node from
//! below [Gilmore 1962 bounds quadratic assignment the same way]. Invariant: the set never gets worse than the one given.

use super::Matrix;

/// Nodes of one search; a node costs O(m²).
const NODES_MAX: usize = 50_000;
/// A node must promise more than rounding.
const GAIN_MIN: f64 = 1e-12;

/// A set no worse than `good`, which holds the first candidate, and whether it is proven the best.
pub(super) fn improve(matrix: &Matrix, good: Vec<usize>) -> (Vec<usize>, bool) {
    let mut search =
        Search { matrix, cost: matrix.cost(&good), size: good.len(), best: good, nodes_left: NODES_MAX };
    let pool: Vec<usize> = (1..matrix.count).collect();
    let is_complete = search.descend(&mut vec![0], &matrix.common(&[0]), pool);
    (search.best, is_complete)
}

#[derive(Debug)]
struct Search<'a> {
    matrix: &'a Matrix,
    /// x′Mx of the best set.
    cost: f64,
    size: usize,
    best: Vec<usize>,
    nodes_left: usize,
}

impl Search<'_> {
    /// Looks through everything below a node; false when the effort ran out.
    fn descend(&mut self, chosen: &mut Vec<usize>, common: &[f64], mut pool: Vec<usize>) -> bool {
        let so_far = self.matrix.cost(chosen);
        loop {
            let missing = self.size - chosen.len();
            if missing == 0 {
                if so_far < self.cost - GAIN_MIN {
                    (self.cost, self.best) = (so_far, chosen.clone());
                }
                return true;
            }
            if pool.len() < missing {
                return true;
            }
            if self.nodes_left == 0 {
                return false;
            }
            self.nodes_left -= 1;
            let (added_least, index) = self.bound(common, &pool, missing);
            if so_far + added_least >= self.cost - GAIN_MIN {
                return true;
            }
            // First every set with the most promising candidate, then, around the loop, every set without it.
            let member = pool.swap_remove(index);
            let mut with_member = common.to_vec();
            self.matrix.shift(&mut with_member, member, 1.0);
            chosen.push(member);
            let is_complete = self.descend(chosen, &with_member, pool.clone());
            chosen.pop();
            if !is_complete {
                return false;
            }
        }
    }

    /// The least that `missing` members of the pool can add, and the place of the one that adds least.
    fn bound(&self, common: &[f64], pool: &[usize], missing: usize) -> (f64, usize) {
        let mut shared = Vec::with_capacity(pool.len());
        let adds = |&at: &usize| {
            let row = self.matrix.row(at);
            shared.clear();
            shared.extend(pool.iter().filter(|&&other| other != at).map(|&other| row[other]));
            row[at] + 2.0 * common[at] + sum_least(&mut shared, missing - 1)
        };
        let mut added: Vec<f64> = pool.iter().map(adds).collect();
        let index = (0..added.len()).min_by(|&a, &b| added[a].total_cmp(&added[b])).unwrap_or(0);
        (sum_least(&mut added, missing), index)
    }
}

/// The sum of the `count` smallest.
fn sum_least(values: &mut [f64], count: usize) -> f64 {
    if count < values.len() && count > 0 {
        values.select_nth_unstable_by(count - 1, f64::total_cmp);
    }
    values.iter().take(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[f64], count: usize, expected: f64) {
        let found = sum_least(&mut values.to_vec(), count);
        assert!((found - expected).abs() < 1e-12, "{values:?} {count}: {found}");
    }

    #[test]
    fn the_least_are_summed() {
        check(&[3.0, 1.0, 2.0], 2, 3.0);
        check(&[3.0, 1.0, 2.0], 3, 6.0);
        check(&[3.0, 1.0, 2.0], 9, 6.0);
        check(&[3.0, 1.0, 2.0], 0, 0.0);
        check(&[], 2, 0.0);
    }
}
