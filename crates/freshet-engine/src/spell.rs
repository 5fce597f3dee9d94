//! A spell of trouble: something fails that may pass, and is tried again after growing waits.
//!
//! The dumper, the driver and every subscriber have spells of their own; a spell knows when to try again and what is
//! news. Wall time, since a lock or a full disk knows no other. It neither waits nor tells: that is its owner's.

use std::time::{Duration, Instant};

/// Wait after the first failure: a lock is often held for a moment only.
const WAIT_MIN: Duration = Duration::from_millis(100);
/// Longest wait: whoever made room sees the run go on within seconds.
const WAIT_MAX: Duration = Duration::from_secs(5);

/// Whether something fails at the moment.
#[derive(Debug, Default)]
pub(crate) struct Spell {
    retry: Option<(Instant, Duration)>,
}

impl Spell {
    /// It failed when it was last tried.
    pub(crate) fn is_on(&self) -> bool {
        self.retry.is_some()
    }

    /// It is not yet to be tried again.
    pub(crate) fn waits(&self) -> bool {
        !self.left().is_zero()
    }

    /// How long until it is tried again.
    pub(crate) fn left(&self) -> Duration {
        self.retry.map_or(Duration::ZERO, |(at, _)| at.saturating_duration_since(Instant::now()))
    }

    /// It failed, perhaps once more; gives whether that is news.
    pub(crate) fn failed(&mut self) -> bool {
        let wait = self.retry.map_or(WAIT_MIN, |(_, wait)| (wait * 2).min(WAIT_MAX));
        self.retry.replace((Instant::now() + wait, wait)).is_none()
    }

    /// It works; gives whether that is news.
    pub(crate) fn worked(&mut self) -> bool {
        self.retry.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_up_to_a_bound_and_begin_anew() {
        let mut spell = Spell::default();
        assert!(!spell.is_on() && !spell.waits() && !spell.worked());
        let mut wait = || {
            let is_news = spell.failed();
            (is_news, spell.retry.map(|(_, wait)| wait.as_millis()).unwrap())
        };
        assert_eq!([wait(), wait(), wait()], [(true, 100), (false, 200), (false, 400)]);
        assert_eq!((0..20).map(|_| wait()).last(), Some((false, WAIT_MAX.as_millis())));
        assert!(spell.is_on() && spell.waits() && spell.worked() && !spell.worked());
        assert!(spell.failed(), "a new spell is news");
    }
}
