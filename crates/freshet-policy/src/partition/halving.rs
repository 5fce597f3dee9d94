//! Recursive halving: two parts by dealing out the organ-pipe order, each again the same way [CUVIM, section 5.1.1, figure 8].
//!
//! | paper | here |
//! |---|---|
//! | step s: 2^s parts | depth s of `halve` |
//! | `Part_0`, `Part_1` of one step | the even and the odd places |
//!
//! Every second source of an organ-pipe order is again in organ-pipe order, or in its mirror image. So for a
//! power of two this finds the very parts of `round-robin`, under other numbers (tested); the paper gives both
//! and does not say so. The paper stops at powers of two; here any number k is split into ⌈k/2⌉ and ⌊k/2⌋,
//! and the places are dealt out in that proportion. Cost: O(n log n log k).

use super::input::{parts_used, workload};
use super::organ::piped;

/// The part of each source.
pub(crate) fn halving(workloads: &[f64], parts: usize) -> Vec<u32> {
    let parts = parts_used(parts, workloads.len());
    let mut sources: Vec<u32> = (0..workloads.len() as u32).collect();
    let cost = |source: u32| workload(workloads[source as usize]);
    sources.sort_by(|&a, &b| cost(a).total_cmp(&cost(b)));
    let mut part_of = vec![0; workloads.len()];
    halve(&sources, 0, parts, &mut part_of);
    part_of
}

/// Gives these sources, lightest first, to `parts` parts from `first` on.
fn halve(ascending: &[u32], first: usize, parts: usize, part_of: &mut [u32]) {
    if parts == 1 {
        for &source in ascending {
            part_of[source as usize] = first as u32;
        }
        return;
    }
    let left_parts = parts.div_ceil(2);
    let is_left = is_left(ascending, left_parts, parts, part_of.len());
    let (left, right): (Vec<u32>, Vec<u32>) = ascending.iter().partition(|&&source| is_left[source as usize]);
    halve(&left, first, left_parts, part_of);
    halve(&right, first + left_parts, parts - left_parts, part_of);
}

/// Who goes left, by source: of each `parts` places in organ-pipe order `left_parts` do, evenly spread.
fn is_left(ascending: &[u32], left_parts: usize, parts: usize, source_count: usize) -> Vec<bool> {
    let mut is_left = vec![false; source_count];
    for (index, source) in piped(ascending).into_iter().enumerate() {
        let dealt = |count: usize| (count * left_parts).div_ceil(parts);
        is_left[source as usize] = dealt(index + 1) > dealt(index);
    }
    is_left
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::partition::round_robin;

    fn check(workloads: &[f64], parts: usize, expected: &[u32]) {
        assert_eq!(halving(workloads, parts), expected, "{workloads:?} in {parts}");
    }

    #[test]
    fn known_parts() {
        check(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 2, &[0, 1, 1, 0, 0, 1]);
        check(&[1.0, 2.0, 3.0], 3, &[0, 2, 1]);
        check(&[3.0, 1.0], 0, &[0, 0]);
        check(&[], 3, &[]);
    }

    /// Parts as sets of sources, in an order that does not depend on their numbers.
    fn sets(part_of: &[u32]) -> Vec<Vec<usize>> {
        let part_count = part_of.iter().max().map_or(0, |&part| part as usize + 1);
        let mut sets = vec![Vec::new(); part_count];
        for (source, &part) in part_of.iter().enumerate() {
            sets[part as usize].push(source);
        }
        sets.sort();
        sets
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_power_of_two_gives_the_parts_of_round_robin(
            workloads in prop::collection::vec(0.0..9.0_f64, 16..120),
            halvings in 0..5_u32,
        ) {
            let parts = 1 << halvings;
            prop_assert_eq!(sets(&halving(&workloads, parts)), sets(&round_robin(&workloads, parts)));
        }
    }
}
