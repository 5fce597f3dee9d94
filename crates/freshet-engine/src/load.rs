//! Placing work: time per request as a histogram per fetcher [SocWeb, section 4.1, Scheduler].
//!
//! The scheduler estimates what each fetcher still has to do and gives the next request to the
//! one with the least. Buckets are powers of two in milliseconds: 20 counters, no allocation.
//! In one process all fetchers are alike and the histograms show it; remote fetchers are not.

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
#[derive(Debug)]
pub struct Placement {
    fetchers: Vec<FetcherLoad>,
}

/// One fetcher as the scheduler sees it.
#[derive(Clone, Debug, Default)]
pub struct FetcherLoad {
    /// Requests given and not yet uploaded.
    pub open_count: u32,
    /// Requests uploaded so far.
    pub done_count: u64,
    /// Its times per request.
    pub times: Histogram,
}

impl Placement {
    /// So many fetchers, all idle.
    pub fn new(count: usize) -> Self {
        Self { fetchers: vec![FetcherLoad::default(); count.max(1)] }
    }

    /// The fetcher with the least expected work left; the request is put on its account.
    pub fn place(&mut self) -> usize {
        let load = |fetcher: &FetcherLoad| f64::from(fetcher.open_count) * fetcher.times.mean_ms();
        let at = (0..self.fetchers.len())
            .min_by(|&one, &other| load(&self.fetchers[one]).total_cmp(&load(&self.fetchers[other])))
            .expect("there is at least one fetcher");
        self.fetchers[at].open_count += 1;
        at
    }

    /// A request came back from this fetcher after so long.
    pub fn done(&mut self, fetcher: usize, took_ms: u64) {
        let load = &mut self.fetchers[fetcher];
        load.open_count = load.open_count.saturating_sub(1);
        load.done_count += 1;
        load.times.add(took_ms);
    }

    /// A request of this fetcher is waited for no longer.
    pub fn give_up(&mut self, fetcher: usize) {
        let load = &mut self.fetchers[fetcher];
        load.open_count = load.open_count.saturating_sub(1);
    }

    /// All fetchers.
    pub fn fetchers(&self) -> &[FetcherLoad] {
        &self.fetchers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_goes_where_least_is_left() {
        let mut placement = Placement::new(2);
        for _ in 0..8 {
            let at = placement.place();
            placement.done(at, if at == 0 { 4000 } else { 10 });
        }
        let given: Vec<_> = (0..20).map(|_| placement.place()).collect();
        let slow = given.iter().filter(|&&at| at == 0).count();
        assert!(slow <= 2, "the slow fetcher got {slow} of 20");
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
