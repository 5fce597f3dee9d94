//! The best first: which of the ids at the head of a ring leave it next. Step 3 of 10 (pick).
//!
//! Who serves a ring by score looks at a *window* of its head ([`Ring::window`]), scores it, lets [`Turns`] choose, and takes those out
//! ([`Ring::pop_at`]). An id that leaves before its turn leaves a hole; a checkpoint lists the holes, so that it does not leave again after a
//! restart. Durability is that of the ring: an id that is not done comes again after a crash at any instant.
//!
//! Nobody starves. Of all that leave, the exploring share leaves in order of arrival: with a share of e, the k-th id of the ring leaves within
//! k/e turns, whatever comes after it and however it is scored. Where e is 0, at most [`TAKEN_MAX`] may leave before an older one: then
//! the window is the head alone, until that has left. Not here: what a score means.

use super::error::RingError;
use super::{LEASES_MAX, Ring};

/// Ids that may leave before an older one; each is eight bytes of every checkpoint.
pub(crate) const TAKEN_MAX: usize = 16_384;

impl Ring {
    /// Whether ids of an earlier process come first, with [`Ring::pop`].
    pub fn is_owing(&self) -> bool {
        !self.owed.is_empty()
    }

    /// The first ids, in order, at most so many: those that [`Ring::pop_at`] can take.
    pub fn window(&mut self, ids_max: usize) -> Result<Vec<u64>, RingError> {
        if self.memory.is_empty() {
            self.empty_back_buffer()?;
        }
        self.refill(usize::MAX)?;
        if self.taken.len() >= TAKEN_MAX {
            self.clear_taken();
        }
        let is_late = self.taken.len() >= TAKEN_MAX;
        Ok(self.memory.first(if is_late { 1 } else { ids_max }))
    }

    /// Hands out on lease the ids at these positions of the window, which ascend; fewer when `LEASES_MAX` are out.
    pub fn pop_at(&mut self, positions: &[usize]) -> Vec<u64> {
        let room = LEASES_MAX.saturating_sub(self.leased_count);
        let positions = &positions[..positions.len().min(room)];
        let mut ids = Vec::with_capacity(positions.len());
        for (id, place) in self.memory.pop_at(positions, self.loaded_to) {
            self.queued_count -= 1;
            self.taken.insert(place);
            self.lease(id);
            ids.push(id);
        }
        self.clear_taken();
        ids
    }

    /// A hole before the head is none.
    pub(super) fn clear_taken(&mut self) {
        let head = self.memory.head_seq(self.loaded_to);
        while self.taken.first().is_some_and(|place| *place < head) {
            self.taken.pop_first();
        }
    }
}

/// Whose turn it is: the best, or the oldest.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turns {
    /// What the oldest have saved up, in hundredths of a turn.
    saved: u32,
}

impl Turns {
    /// Chooses so many positions of a window by its scores, ascending: the best, and for the exploring share (in percent) the oldest. Among equals
    /// the oldest is the best, so that scores that say nothing are the order of arrival.
    pub fn choose(&mut self, scores: &[f64], count: usize, explore_percent: u8) -> Vec<usize> {
        let worth = |position: &usize| {
            let score = scores[*position];
            if score.is_nan() { f64::NEG_INFINITY } else { score }
        };
        let mut best: Vec<usize> = (0..scores.len()).collect();
        best.sort_by(|one, other| worth(other).total_cmp(&worth(one)).then(one.cmp(other)));
        let mut best = best.into_iter();
        let mut oldest = 0..scores.len();
        let mut is_chosen = vec![false; scores.len()];
        for _ in 0..count.min(scores.len()) {
            self.saved += u32::from(explore_percent.min(100));
            let is_exploring = self.saved >= 100;
            self.saved -= if is_exploring { 100 } else { 0 };
            let free = |position: &usize| !is_chosen[*position];
            let next = if is_exploring { oldest.find(free) } else { best.find(free) };
            if let Some(position) = next {
                is_chosen[position] = true;
            }
        }
        (0..scores.len()).filter(|position| is_chosen[*position]).collect()
    }
}
