//! Jobs on all cores of the machine, results in the order of the jobs.
//!
//! Experiments take minutes to hours each and know nothing of one another, so a worker takes the next as
//! soon as it is free. Not here: what a job is; whatever may fail is a `Result` that comes back like any other.

use std::num::NonZeroUsize;
use std::sync::Mutex;

/// Does every job, the first ones first, and returns what came of each at its place.
pub(crate) fn on_all_cores<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let mut results: Vec<Option<R>> = jobs.iter().map(|_| None).collect();
    let worker_count = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(jobs.len());
    let next = Mutex::new(jobs.iter().zip(&mut results));
    std::thread::scope(|scope| {
        for _ in 0..worker_count {
            scope.spawn(|| {
                while let Some((job, result)) = next.lock().ok().and_then(|mut next| next.next()) {
                    *result = Some(work(job));
                }
            });
        }
    });
    results.into_iter().map(|result| result.expect("a worker took every job")).collect()
}
