//! Placing work: time per request as a histogram per fetcher [SocWeb, section 4.1, Scheduler].
//!
//! The scheduler estimates what each fetcher still has to do and gives the next request to the
//! one with the least. Buckets are powers of two in milliseconds: 20 counters, no allocation.
//! In one process all fetchers are alike and the histograms show it; remote fetchers are not. Fetchers join and leave; there
//! may be none. What becomes of the orders of one that left is decided in `core/fetchers.rs`.

use crate::order::FetcherId;

/// Powers of two from 1 ms to about 9 minutes.
const BUCKETS: usize = 20;
/// After this many samples the counts are halved, so that the recent past weighs more.
const SAMPLES_MAX: u32 = 1024;
/// What a request is expected to take before any was measured.
const GUESS_MS: f64 = 100.0;

/// Time per request, remembered coarsely.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: [u32; BUCKETS],
    total: u32,
}

impl Histogram {
    /// Takes in one measured time.
    pub fn add(&mut self, ms: u64) {
        let bucket = (64 - ms.leading_zeros() as usize).min(BUCKETS - 1);
        self.counts[bucket] += 1;
        self.total += 1;
        if self.total >= SAMPLES_MAX {
            self.counts.iter_mut().for_each(|count| *count /= 2);
            self.total = self.counts.iter().sum();
        }
    }

    /// The expected time of the next request, in milliseconds.
    pub fn mean_ms(&self) -> f64 {
        if self.total == 0 {
            return GUESS_MS;
        }
        let weighted: f64 = self
            .counts
            .iter()
            .enumerate()
            .map(|(at, &count)| f64::from(count) * 0.75 * f64::from(1u32 << at))
            .sum();
        weighted / f64::from(self.total)
    }

    /// The counts, from 1 ms upwards in powers of two.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }
}

/// What the scheduler knows of the fetchers.
#[derive(Debug, Default)]
pub(crate) struct Placement {
    /// By id, rising.
    fetchers: Vec<FetcherLoad>,
}

/// One fetcher as the scheduler sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct FetcherLoad {
    pub id: FetcherId,
    /// Requests given and not yet uploaded.
    pub open_count: u32,
    /// Requests uploaded so far.
    pub done_count: u64,
    /// Its times per request.
    pub times: Histogram,
}

impl Placement {
    /// A fetcher that has nothing to do yet; one that was known is forgotten before.
    pub(crate) fn join(&mut self, id: FetcherId) {
        let fresh = FetcherLoad { id, ..FetcherLoad::default() };
        match self.index_of(id) {
            Ok(at) => self.fetchers[at] = fresh,
            Err(at) => self.fetchers.insert(at, fresh),
        }
    }

    /// This fetcher gets no more work; gives whether it was known.
    pub(crate) fn leave(&mut self, id: FetcherId) -> bool {
        self.index_of(id).map(|at| self.fetchers.remove(at)).is_ok()
    }

    /// Whether there is nobody to give work to.
    pub(crate) fn is_empty(&self) -> bool {
        self.fetchers.is_empty()
    }

    /// The fetcher with the least expected work left, if there is any; the request is put on its account.
    pub(crate) fn assign(&mut self) -> Option<FetcherId> {
        let load = |fetcher: &FetcherLoad| f64::from(fetcher.open_count) * fetcher.times.mean_ms();
        let least = self.fetchers.iter_mut().min_by(|one, other| load(one).total_cmp(&load(other)))?;
        least.open_count += 1;
        Some(least.id)
    }

    /// A request came back from this fetcher after so long.
    pub(crate) fn done(&mut self, fetcher: FetcherId, took_ms: u64) {
        let Ok(at) = self.index_of(fetcher) else { return };
        let load = &mut self.fetchers[at];
        load.open_count = load.open_count.saturating_sub(1);
        load.done_count += 1;
        load.times.add(took_ms);
    }

    /// A request of this fetcher is waited for no longer.
    pub(crate) fn give_up(&mut self, fetcher: FetcherId) {
        let Ok(at) = self.index_of(fetcher) else { return };
        let load = &mut self.fetchers[at];
        load.open_count = load.open_count.saturating_sub(1);
    }

    /// All fetchers, for tests that count what is open.
    #[cfg(test)]
    pub(crate) fn fetchers(&self) -> &[FetcherLoad] {
        &self.fetchers
    }

    fn index_of(&self, id: FetcherId) -> Result<usize, usize> {
        self.fetchers.binary_search_by_key(&id, |fetcher| fetcher.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_goes_where_least_is_left() {
        let mut placement = Placement::default();
        for id in [0, 1] {
            placement.join(FetcherId(id));
        }
        for _ in 0..8 {
            let at = placement.assign().unwrap();
            placement.done(at, if at == FetcherId(0) { 4000 } else { 10 });
        }
        let given: Vec<_> = (0..20).map(|_| placement.assign()).collect();
        let slow = given.iter().filter(|&&at| at == Some(FetcherId(0))).count();
        assert!(slow <= 2, "the slow fetcher got {slow} of 20");
    }

    /// Fetchers that join (`+`) and leave (`-`), and who gets the next requests then.
    fn check_set(steps: &[(char, u32)], expected: &[Option<u32>]) {
        let mut placement = Placement::default();
        for &(step, id) in steps {
            match step {
                '+' => placement.join(FetcherId(id)),
                _ => drop(placement.leave(FetcherId(id))),
            }
        }
        let given: Vec<_> = expected.iter().map(|_| placement.assign().map(|id| id.0)).collect();
        assert_eq!(given, expected, "{steps:?}");
        assert_eq!(placement.is_empty(), expected[0].is_none(), "{steps:?}");
        // Word of one that left, or was never there, changes nothing.
        placement.done(FetcherId(99), 10);
        placement.give_up(FetcherId(99));
        assert!(!placement.leave(FetcherId(99)), "{steps:?}");
    }

    #[test]
    fn work_goes_to_whoever_is_there() {
        check_set(&[], &[None]);
        check_set(&[('+', 7)], &[Some(7), Some(7)]);
        check_set(&[('+', 7), ('+', 3)], &[Some(3), Some(7), Some(3)]);
        check_set(&[('+', 7), ('+', 3), ('-', 3)], &[Some(7), Some(7)]);
        check_set(&[('+', 7), ('-', 7)], &[None]);
        check_set(&[('+', 7), ('-', 7), ('+', 7), ('+', 7)], &[Some(7)]);
    }

    #[test]
    fn the_mean_follows_the_recent_past() {
        let mut times = Histogram::default();
        assert!((times.mean_ms() - GUESS_MS).abs() < 1e-9);
        (0..5000).for_each(|_| times.add(10));
        (0..5000).for_each(|_| times.add(1000));
        assert!(times.mean_ms() > 500.0, "{}", times.mean_ms());
        assert!(times.counts().iter().sum::<u32>() <= SAMPLES_MAX);
    }
}
