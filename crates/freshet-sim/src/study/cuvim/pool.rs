//! A pool of accounts as large as the paper's: everybody who ever posted in the traces that follow their authors.
//!
//! The paper draws its 10,000 to 80,000 users from one network; no public history holds so many, so nine are put together.
//! b5 is left out although it holds a million users: of each it has only the reposts of some threads, mostly one.
//! An account of one trace may belong to a person of another; numbers alone cannot tell.

use freshet_types::Span;

use crate::study::StudyError;
use crate::study::traces::{
    BITCOIN, CHAT, CONGRESS, FIGURES, GIT, LEAN, R_LISTS, ROOMS, SLICER, Traces, midnight,
};
use crate::trace::{By, Poster, Window};

/// Traces of the pool, in this order.
pub(super) const TRACES: [&str; 9] = [CONGRESS, FIGURES, CHAT, LEAN, BITCOIN, GIT, R_LISTS, ROOMS, SLICER];
/// An account that was active for less is counted as active for so long, in days.
pub(super) const ACTIVE_DAYS_MIN: f64 = 7.0;

/// From the first instant of any trace to after the last: 1990 to 2044.
fn always() -> Window {
    Window { from: midnight((1990, 1, 1)), warm_days: 20_000, eval_days: 0 }
}

/// The posts a day of every author of a trace.
pub(super) fn workloads(traces: &Traces, name: &str) -> Result<Vec<f64>, StudyError> {
    let history = traces.read(name, always(), By::Author)?;
    Ok(history.posters.iter().map(workload).collect())
}

/// Posts a day from the first to the last, as the paper counts them: how many, and over how long a time.
fn workload(poster: &Poster) -> f64 {
    let active =
        poster.posts.last().zip(poster.posts.first()).map_or(Span::ZERO, |(last, first)| *last - *first);
    poster.posts.len() as f64 / (active.secs_f64() / 86_400.0).max(ACTIVE_DAYS_MIN)
}

#[cfg(test)]
mod tests {
    use freshet_types::Timestamp;

    use super::*;

    fn check(posts_days: &[f64], expected: f64) {
        let at = |days: &f64| Timestamp::from_secs((days * 86_400.0) as i64);
        let found = workload(&Poster { posts: posts_days.iter().map(at).collect(), ..Poster::default() });
        assert!((found - expected).abs() < 1e-9, "{posts_days:?}: {found}");
    }

    #[test]
    fn workloads_are_posts_a_day() {
        check(&[], 0.0);
        check(&[3.0], 1.0 / 7.0);
        check(&[0.0, 1.0, 2.0], 3.0 / 7.0);
        check(&[10.0, 20.0, 30.0, 60.0], 4.0 / 50.0);
    }
}
