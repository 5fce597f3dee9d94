//! What happened to posts lately, in order: what a stream sends.
//!
//! A ring: whoever reads too slowly finds that its place is gone. Texts are composed when they are sent, as everywhere in the world.

use std::collections::VecDeque;

/// Events kept; a reader that is further behind is cut off.
const EVENTS_MAX: usize = 1 << 16;

/// What happened to a post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happened {
    Posted(u32),
    Edited(u32),
    Deleted(u32),
}

/// The newest events.
#[derive(Debug, Default)]
pub(crate) struct Sent {
    events: VecDeque<Happened>,
    /// Events that were dropped from the front.
    first: u64,
}

impl Sent {
    pub(super) fn add(&mut self, event: Happened) {
        if self.events.len() == EVENTS_MAX {
            self.events.pop_front();
            self.first += 1;
        }
        self.events.push_back(event);
    }

    /// The number of the event that comes next.
    pub(crate) fn next(&self) -> u64 {
        self.first + self.events.len() as u64
    }

    /// The event of this number; `None` where it has not happened or is gone.
    pub(crate) fn get(&self, number: u64) -> Option<Happened> {
        let at = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.events.get(at).copied()
    }

    /// Whether a reader at this number is too far behind.
    pub(crate) fn is_gone(&self, number: u64) -> bool {
        number < self.first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_too_slow_is_told() {
        let mut sent = Sent::default();
        assert_eq!((sent.next(), sent.get(0), sent.is_gone(0)), (0, None, false));
        for number in 0..=EVENTS_MAX as u32 {
            sent.add(Happened::Posted(number));
        }
        assert_eq!((sent.get(0), sent.is_gone(0), sent.is_gone(1)), (None, true, false));
        assert_eq!(sent.get(1), Some(Happened::Posted(1)));
        assert_eq!(sent.next(), EVENTS_MAX as u64 + 1);
    }
}
