//! Multi-way differencing: decide first that the largest differences stand against each other [Karmarkar 1982].
//!
//! | paper | here |
//! |---|---|
//! | a partial partition into k sets, as its k sums | `Tuple`; empty sets are left out |
//! | difference of a partial partition | its heaviest share, since the lightest is brought to 0 |
//! | combine the two with the largest difference, heaviest with lightest | `combine` |
//!
//! Every source starts as a partition of itself. Combining only decides who stands together; subtracting
//! the lightest share from all is allowed because it is the same for every part. For two parts this is the
//! well-known rule "replace the two largest numbers by their difference".
//! Cost: O(n (log n + k)) time, O(n) memory, since combining never makes more shares than it takes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::input::{busy_heaviest_first, deal_idle, parts_used, workloads};
use super::longest_processing_time::Load;

/// The part of each source.
pub(crate) fn karmarkar_karp(given: &[f64], parts: usize) -> Vec<u32> {
    let workloads = workloads(given);
    let parts = parts_used(parts, workloads.len());
    let mut chains = Chains { next: (0..workloads.len() as u32).collect() };
    let mut tuples: BinaryHeap<Tuple> = busy_heaviest_first(&workloads)
        .into_iter()
        .map(|source| Tuple::of(source, workloads[source as usize]))
        .collect();
    while let Some(first) = tuples.pop() {
        let Some(second) = tuples.pop() else {
            tuples.push(first);
            break;
        };
        tuples.push(combine(first, &second, parts, &mut chains));
    }
    let mut part_of = vec![0; workloads.len()];
    for (part, share) in tuples.pop().into_iter().flat_map(|tuple| tuple.shares).enumerate() {
        chains.walk(share.head, |source| part_of[source as usize] = part as u32);
    }
    deal_idle(&workloads, parts, &mut part_of);
    part_of
}

/// One set of a partial partition: its sum above the lightest, and its sources as a chain.
#[derive(Clone, Copy, Debug)]
struct Share {
    load: f64,
    head: u32,
    tail: u32,
}

/// A partial partition: its shares that have sources, heaviest first.
#[derive(Debug)]
struct Tuple {
    shares: Vec<Share>,
}

impl Tuple {
    fn of(source: u32, load: f64) -> Self {
        Self { shares: vec![Share { load, head: source, tail: source }] }
    }

    /// By difference; equal ones by their first source, so that every run agrees.
    fn key(&self) -> (Load, Reverse<u32>) {
        self.shares.first().map_or((Load(0.0), Reverse(0)), |share| (Load(share.load), Reverse(share.head)))
    }
}

impl Ord for Tuple {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Tuple {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Tuple {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Tuple {}

/// Place i of `first` with place k − 1 − i of `second`; a place beyond the shares is an empty set.
fn combine(first: Tuple, second: &Tuple, parts: usize, chains: &mut Chains) -> Tuple {
    let mut shares = first.shares;
    let alone = parts - shares.len();
    for (index, share) in shares.iter_mut().enumerate() {
        if let Some(other) = second.shares.get(parts - 1 - index) {
            *share = chains.join(*share, *other);
        }
    }
    shares.extend(second.shares.iter().take(alone));
    shares.sort_by(|a, b| b.load.total_cmp(&a.load));
    if shares.len() == parts {
        let lightest = shares.last().map_or(0.0, |share| share.load);
        for share in &mut shares {
            share.load -= lightest;
        }
    }
    Tuple { shares }
}

/// The sources of all shares, each linked to the next of its share; the last is linked to itself.
#[derive(Debug)]
struct Chains {
    next: Vec<u32>,
}

impl Chains {
    fn join(&mut self, a: Share, b: Share) -> Share {
        self.next[a.tail as usize] = b.head;
        Share { load: a.load + b.load, head: a.head, tail: b.tail }
    }

    fn walk(&self, head: u32, mut visit: impl FnMut(u32)) {
        let mut source = head;
        loop {
            visit(source);
            let next = self.next[source as usize];
            if next == source {
                return;
            }
            source = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::spread;

    fn check(workloads: &[f64], parts: usize, difference: f64) {
        let part_of = karmarkar_karp(workloads, parts);
        let found = spread(workloads, parts, &part_of).difference;
        assert!((found - difference).abs() < 1e-9, "{workloads:?} in {parts}: {part_of:?} differ by {found}");
    }

    #[test]
    fn known_differences() {
        // 8−7=1, 6−5=1, then 4, 1, 1: 4−1=3, 3−1=2.
        check(&[8.0, 7.0, 6.0, 5.0, 4.0], 2, 2.0);
        check(&[8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 2, 0.0);
        // By hand: (5 5 4), then 4 and 3 to the two lightest, at last 3 and 3: 10, 9, 8.
        check(&[5.0, 5.0, 4.0, 4.0, 3.0, 3.0, 3.0], 3, 2.0);
        check(&[3.0, 1.0], 2, 2.0);
        check(&[3.0], 2, 3.0);
        check(&[3.0, 1.0], 0, 0.0);
        check(&[], 3, 0.0);
    }
}
