//! How long something takes on a machine that others use too.
//!
//! The processor's time where the system tells it, for other processes slow the wall clock down and not the
//! work; the quickest of some rounds, for they can only slow a round down.

use std::time::{Duration, Instant};

/// Seconds of the quickest round; the number keeps the work from being left out.
pub(crate) fn best(rounds: u32, mut work: impl FnMut() -> usize) -> f64 {
    let mut best_s = f64::INFINITY;
    for _ in 0..rounds {
        let (began, spent) = (Instant::now(), processor_time());
        std::hint::black_box(work());
        let spent = processor_time().zip(spent).map(|(now, before)| now.saturating_sub(before));
        best_s = best_s.min(spent.unwrap_or_else(|| began.elapsed()).as_secs_f64());
    }
    best_s
}

/// Time this thread spent on a processor, where the system tells.
pub(crate) fn processor_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
