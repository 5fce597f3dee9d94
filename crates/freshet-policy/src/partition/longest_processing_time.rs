//! Longest processing time first: the heaviest source left goes to the lightest part [Graham 1969].
//!
//! | paper | here |
//! |---|---|
//! | m machines | `parts` |
//! | processing time of a task | workload of a source |
//!
//! The heaviest part is at most 4/3 − 1/(3m) of the best possible. Cost: O(n log n + n log m).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::input::{busy_heaviest_first, deal_idle, parts_used, workloads};

/// The part of each source.
pub(crate) fn longest_processing_time(given: &[f64], parts: usize) -> Vec<u32> {
    let workloads = workloads(given);
    let parts = parts_used(parts, workloads.len());
    let mut part_of = vec![0; workloads.len()];
    let mut lightest: BinaryHeap<_> = (0..parts as u32).map(|part| Reverse((Load(0.0), part))).collect();
    for source in busy_heaviest_first(&workloads) {
        let Some(mut top) = lightest.peek_mut() else { break };
        let (load, part) = &mut top.0;
        part_of[source as usize] = *part;
        load.0 += workloads[source as usize];
    }
    deal_idle(&workloads, parts, &mut part_of);
    part_of
}

/// A sum of workloads: never NaN, so it has an order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Load(pub(super) f64);

impl Ord for Load {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Load {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Load {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Load {}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(workloads: &[f64], parts: usize, expected: &[u32]) {
        assert_eq!(longest_processing_time(workloads, parts), expected, "{workloads:?} in {parts}");
    }

    #[test]
    fn known_parts() {
        // 8 | 7, then 6 to the lighter, 5 to the other, 4 to the first: 17 | 13.
        check(&[8.0, 7.0, 6.0, 5.0, 4.0], 2, &[0, 1, 1, 0, 0]);
        // Graham's worst case: 11 where 9 is possible.
        check(&[5.0, 5.0, 4.0, 4.0, 3.0, 3.0, 3.0], 3, &[0, 1, 2, 2, 0, 1, 0]);
        check(&[0.0, 2.0, 0.0, f64::NAN], 2, &[0, 0, 1, 0]);
        check(&[3.0, 1.0], 9, &[0, 1]);
        check(&[3.0, 1.0], 0, &[0, 0]);
        check(&[], 3, &[]);
    }
}
