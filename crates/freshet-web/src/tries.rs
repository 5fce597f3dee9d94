//! Wrong guesses: whoever guesses waits, nobody else.
//!
//! Counted for each address ([`Peer`]), and for each browser that logged in before ([`Who::Browser`]), never
//! for all together: a stranger's guesses do not keep the owner out, not even from the same address once
//! a browser is known. [`TRIES_MAX`] a minute and address; a wrong token that a program shows again and
//! again is one guess, so a forgotten script locks nobody else out. What is kept is bounded, and no guess is
//! kept in words.

use std::collections::{BTreeMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::seats::Peer;

/// Wrong guesses a minute.
const TRIES_MAX: usize = 10;
/// The time over which they are counted.
const TRIES_OVER: Duration = Duration::from_mins(1);
/// Addresses and browsers that are remembered; who was wrong least recently gives way. Whoever has
/// more addresses than that gains nothing by it: each has its own guesses anyway.
const WHO_MAX: usize = 4096;

/// Who guesses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Who {
    /// Somebody at this address.
    Peer(Peer),
    /// A browser that logged in before, by the word it was given.
    Browser(String),
}

/// What somebody guessed.
#[derive(Debug)]
struct Guess {
    at: Instant,
    /// A hash under a key of this process.
    shown: u64,
    /// How often it was shown.
    count: usize,
}

/// The wrong guesses of the last minute.
#[derive(Debug, Default)]
pub(super) struct Tries {
    by: Mutex<BTreeMap<Who, VecDeque<Guess>>>,
    key: RandomState,
}

impl Tries {
    /// Counts a guess that takes a while to judge, before it is judged: many at once do not get past.
    /// The error is how long to wait.
    pub(super) fn begin(&self, who: &Who) -> Result<(), Duration> {
        let mut by = self.lock();
        let (guesses, now) = recent(&mut by, who);
        check_count(guesses, now)?;
        guesses.push_back(Guess { at: now, shown: 0, count: 1 });
        Ok(())
    }

    /// The last guess was none.
    pub(super) fn was_right(&self, who: &Who) {
        let mut by = self.lock();
        if let Some(guesses) = by.get_mut(who) {
            guesses.pop_back();
            if guesses.is_empty() {
                by.remove(who);
            }
        }
    }

    /// Whether what is shown is right; judged at once, unless there were too many guesses.
    pub(super) fn judge(
        &self,
        who: &Who,
        shown: &str,
        is_right: impl FnOnce() -> bool,
    ) -> Result<bool, Duration> {
        let shown = self.key.hash_one(shown);
        let mut by = self.lock();
        if let Some(guesses) = by.get_mut(who) {
            let now = Instant::now();
            forget_old(guesses, now);
            if let Some(guess) = guesses.iter_mut().find(|guess| guess.shown == shown) {
                guess.count = guess.count.saturating_add(1);
                return if guess.count > TRIES_MAX { Err(wait(guess.at, now)) } else { Ok(false) };
            }
            check_count(guesses, now)?;
        }
        if is_right() {
            return Ok(true);
        }
        let (guesses, now) = recent(&mut by, who);
        guesses.push_back(Guess { at: now, shown, count: 1 });
        Ok(false)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Who, VecDeque<Guess>>> {
        self.by.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The guesses of somebody within the time that counts; there is room for them afterwards.
fn recent<'a>(by: &'a mut BTreeMap<Who, VecDeque<Guess>>, who: &Who) -> (&'a mut VecDeque<Guess>, Instant) {
    let now = Instant::now();
    if by.len() >= WHO_MAX && !by.contains_key(who) {
        let last = |guesses: &VecDeque<Guess>| guesses.back().map(|guess| guess.at);
        let oldest = by.iter().min_by_key(|(_, guesses)| last(guesses)).map(|(who, _)| who.clone());
        oldest.map(|who| by.remove(&who));
    }
    let guesses = by.entry(who.clone()).or_default();
    forget_old(guesses, now);
    (guesses, now)
}

fn forget_old(guesses: &mut VecDeque<Guess>, now: Instant) {
    guesses.retain(|guess| now.saturating_duration_since(guess.at) < TRIES_OVER);
}

fn check_count(guesses: &VecDeque<Guess>, now: Instant) -> Result<(), Duration> {
    match guesses.front() {
        Some(first) if guesses.len() >= TRIES_MAX => Err(wait(first.at, now)),
        _ => Ok(()),
    }
}

fn wait(at: Instant, now: Instant) -> Duration {
    TRIES_OVER.saturating_sub(now.saturating_duration_since(at))
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn peer(number: u32) -> Who {
        Who::Peer(IpAddr::V4(Ipv4Addr::from_bits(number)).into())
    }

    #[test]
    fn whoever_guesses_waits_and_nobody_else() {
        let tries = Tries::default();
        assert!((0..TRIES_MAX).all(|_| tries.begin(&peer(1)).is_ok()));
        assert!(tries.begin(&peer(1)).is_err());
        assert!(tries.begin(&peer(2)).is_ok(), "another address");
        assert!(tries.begin(&Who::Browser("known".to_owned())).is_ok(), "a browser that is known");
        tries.was_right(&peer(1));
        assert!(tries.begin(&peer(1)).is_ok());
    }

    #[test]
    fn tokens_are_judged_so_many_times_a_minute() {
        let tries = Tries::default();
        let judge = |who: &Who, shown: &str| tries.judge(who, shown, || shown == "right");
        let one = peer(1);
        for number in 0..TRIES_MAX {
            assert_eq!(judge(&one, "right"), Ok(true), "what is right is no guess");
            assert_eq!(judge(&one, &format!("wrong {number}")), Ok(false));
        }
        assert!(judge(&one, "wrong at last").is_err());
        assert!(judge(&one, "right").is_err(), "or guessing would go on");
        assert_eq!(judge(&peer(2), "right"), Ok(true));
    }

    #[test]
    fn a_program_with_an_old_token_locks_nobody_out() {
        let tries = Tries::default();
        let judge = |shown: &str| tries.judge(&peer(1), shown, || shown == "right");
        assert!((0..TRIES_MAX).all(|_| judge("old") == Ok(false)));
        assert!((0..1000).all(|_| judge("old").is_err()), "it is told to wait");
        assert_eq!(judge("right"), Ok(true), "the others are not");
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let tries = Tries::default();
        for number in 0..u32::try_from(WHO_MAX * 2).unwrap() {
            assert_eq!(tries.judge(&peer(number), "wrong", || false), Ok(false));
            assert!(tries.begin(&peer(number)).is_ok());
        }
        assert_eq!(tries.lock().len(), WHO_MAX);
        assert!(tries.lock().values().all(|guesses| guesses.len() <= TRIES_MAX));
    }
}
