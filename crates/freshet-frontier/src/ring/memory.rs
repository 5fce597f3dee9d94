//! The memory part of a ring: its head, read ahead from the disk part. Step 3 of 10 (pick).
//!
//! Twelve bytes an id: the id and the low half of its place in the disk part, which the
//! checkpoint needs. Invariant: never more than `max` ids, and never memory for more.
//! It owns no truth; all it holds is also on disk or in the disk part's buffer.

use std::collections::VecDeque;

/// The first allocation, in ids.
const FIRST_CAPACITY: usize = 64;

/// Ids at the head of a ring with their places.
#[derive(Debug)]
pub(super) struct MemoryPart {
    max: usize,
    ids: VecDeque<u64>,
    seqs: VecDeque<u32>,
}

impl MemoryPart {
    /// An empty part that holds at most `max` ids, and at least one.
    pub(super) fn new(max: usize) -> Self {
        Self { max: max.max(1), ids: VecDeque::new(), seqs: VecDeque::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.max - self.room()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// How many more ids fit.
    pub(super) fn room(&self) -> usize {
        self.max - self.ids.len()
    }

    /// Appends an id; the caller has looked at `room`.
    pub(super) fn push(&mut self, id: u64, seq: u64) {
        assert!(self.room() > 0, "the memory part of a ring is bounded");
        if self.ids.len() == self.ids.capacity() {
            // Doubling would overshoot the limit at the last step.
            let more = self.ids.len().max(FIRST_CAPACITY).min(self.room());
            self.ids.reserve_exact(more);
            self.seqs.reserve_exact(more);
        }
        self.ids.push_back(id);
        self.seqs.push_back(seq as u32);
    }

    /// Takes the head.
    pub(super) fn pop(&mut self) -> Option<u64> {
        self.seqs.pop_front();
        self.ids.pop_front()
    }

    /// The first ids, at most so many.
    pub(super) fn first(&self, max: usize) -> Vec<u64> {
        self.ids.iter().take(max).copied().collect()
    }

    /// Takes out the ids at these positions, ascending, and gives each with its place, where `end` is the place after the last id read. One
    /// pass, however many.
    pub(super) fn pop_at(&mut self, positions: &[usize], end: u64) -> Vec<(u64, u64)> {
        let mut taken = Vec::with_capacity(positions.len());
        let mut wanted = positions.iter().copied().peekable();
        let Some(&first) = wanted.peek() else { return taken };
        let mut kept = first;
        for position in first..self.ids.len() {
            if wanted.next_if_eq(&position).is_some() {
                taken.push((self.ids[position], full(self.seqs[position], end)));
            } else {
                self.ids[kept] = self.ids[position];
                self.seqs[kept] = self.seqs[position];
                kept += 1;
            }
        }
        self.ids.truncate(kept);
        self.seqs.truncate(kept);
        taken
    }

    /// Place of the head, where `end` is the place after the last id read.
    pub(super) fn head_seq(&self, end: u64) -> u64 {
        match self.seqs.front() {
            Some(&low) => full(low, end),
            None => end,
        }
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.ids.capacity() * 8 + self.seqs.capacity() * 4
    }
}

/// The whole place of which this is the low half.
fn full(low: u32, end: u64) -> u64 {
    end - u64::from((end as u32).wrapping_sub(low))
}
