//! A spell of trouble: something fails that may pass, and is tried again after growing waits.
//!
//! The writer, the runner and every subscriber have spells of their own; a spell knows when to try again and what is
//! news. Wall time, since a lock or a full disk knows no other. It neither waits nor tells: that is its owner's.

use crate::core::Moment;

/// Wait after the first failure, in milliseconds: a lock is often held for a moment only.
const WAIT_MIN_MS: u64 = 100;
/// Longest wait, unless somebody wants another: whoever made room sees the run go on within seconds.
const WAIT_MAX_MS: u64 = 5_000;

/// Whether something fails at the moment.
#[derive(Debug, Default)]
pub(crate) struct Spell {
    retry: Option<Retry>,
    /// Longest wait, where it is not the usual one.
    wait_max_ms: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Retry {
    /// Wall time of the next try.
    at_ms: u64,
    /// How long that is after the last one.
    wait_ms: u64,
}

impl Spell {
    /// One whose waits grow up to this: for those who are somewhere else, and answer again in hours rather than seconds.
    pub(crate) fn up_to(wait_max_ms: u64) -> Self {
        Self { retry: None, wait_max_ms: Some(wait_max_ms) }
    }

    /// It failed when it was last tried.
    pub(crate) fn is_on(&self) -> bool {
        self.retry.is_some()
    }

    /// It is not yet to be tried again.
    pub(crate) fn waits(&self, moment: Moment) -> bool {
        self.retry.is_some_and(|retry| moment.wall_ms < retry.at_ms)
    }

    /// When it is tried again, on the wall.
    pub(crate) fn retry_ms(&self) -> Option<u64> {
        self.retry.map(|retry| retry.at_ms)
    }

    /// It failed, perhaps once more; gives whether that is news.
    pub(crate) fn failed(&mut self, moment: Moment) -> bool {
        let wait_max_ms = self.wait_max_ms.unwrap_or(WAIT_MAX_MS);
        let wait_ms = self.retry.map_or(WAIT_MIN_MS, |retry| (retry.wait_ms * 2).min(wait_max_ms));
        let at_ms = moment.wall_ms.saturating_add(wait_ms);
        self.retry.replace(Retry { at_ms, wait_ms }).is_none()
    }

    /// It works; gives whether that is news.
    pub(crate) fn worked(&mut self) -> bool {
        self.retry.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use freshet_types::Timestamp;

    use super::*;

    #[test]
    fn waits_grow_up_to_a_bound_and_begin_anew() {
        let mut spell = Spell::default();
        let at = |wall_ms: u64| Moment { now: Timestamp::from_secs(7), wall_ms };
        assert!(!spell.is_on() && !spell.waits(at(0)) && !spell.worked());
        let mut wait = || {
            let is_news = spell.failed(at(1000));
            (is_news, spell.retry_ms().unwrap() - 1000)
        };
        assert_eq!([wait(), wait(), wait()], [(true, 100), (false, 200), (false, 400)]);
        assert_eq!((0..20).map(|_| wait()).last(), Some((false, WAIT_MAX_MS)));
        assert!(spell.is_on() && spell.waits(at(5_999)) && !spell.waits(at(6_000)));
        assert!(spell.worked() && !spell.worked());
        assert!(spell.failed(at(0)), "a new spell is news");
    }
}
