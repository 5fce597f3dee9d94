//! A list of posts as a page: what it shows at each instant, and how similar that is to what it showed before.
//!
//! An account's or a thread's page shows its newest K posts. Two instants are as similar as the sets of
//! posts they show [`jaccard`](freshet_policy::refresh::jaccard); for a list that only grows at its top these sets are stretches of one sequence, so the
//! similarity follows from two numbers each. Deletions and edits are not modelled. Cost: O(p log p + n²).

use freshet_policy::refresh::{Similarities, TooManyInstants};
use freshet_types::Timestamp;

/// The similarities of a page of the newest `shown_count` posts at these instants.
///
/// A post counts from its own second on; a page that shows nothing resembles only another such page.
pub(crate) fn page_similarities(
    posts_at: &[Timestamp],
    instants_at: &[Timestamp],
    shown_count: usize,
) -> Result<Similarities, TooManyInstants> {
    let mut posts_at = posts_at.to_vec();
    posts_at.sort_unstable();
    let newest = |&now: &Timestamp| posts_at.partition_point(|&at| at <= now);
    let ends: Vec<usize> = instants_at.iter().map(newest).collect();
    Similarities::new(ends.len(), |i, j| {
        let (old, new) = (ends[i].min(ends[j]), ends[i].max(ends[j]));
        let first = |end: usize| end.saturating_sub(shown_count);
        let both = old.saturating_sub(first(new));
        let either = (old - first(old)) + (new - first(new)) - both;
        if either == 0 { 1.0 } else { both as f64 / either as f64 }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshet_policy::refresh::jaccard;

    /// Posts at these seconds, looked at every ten seconds.
    fn check(posts_s: &[i64], shown_count: usize, series: &[f64]) {
        let at = |secs: &i64| Timestamp::from_secs(*secs);
        let posts_at: Vec<_> = posts_s.iter().map(at).collect();
        let instants_at: Vec<_> = [0, 10, 20, 30].iter().map(at).collect();
        let found = page_similarities(&posts_at, &instants_at, shown_count).unwrap();
        assert_eq!(found.series(), series, "{posts_s:?} {shown_count}");
        let shown = |now: i64| -> Vec<u64> {
            let mut sorted: Vec<i64> = posts_s.iter().copied().filter(|&post| post <= now).collect();
            sorted.sort_unstable();
            let first = sorted.len().saturating_sub(shown_count);
            (first as u64..sorted.len() as u64).collect()
        };
        for (i, j) in [(0, 1), (0, 2), (0, 3), (1, 3)] {
            let expected = jaccard(&shown(i as i64 * 10), &shown(j as i64 * 10));
            assert!((found.of(i, j) - expected).abs() < 1e-12, "{posts_s:?} {i} {j}");
        }
    }

    #[test]
    fn pages_scroll() {
        check(&[-3, -2, -1, 5, 25, 26], 2, &[1.0 / 3.0, 1.0, 0.0]);
        check(&[26, -2, 25, -1, 5, -3], 2, &[1.0 / 3.0, 1.0, 0.0]);
        check(&[10, 11], 5, &[0.0, 0.5, 1.0]);
        check(&[], 5, &[1.0, 1.0, 1.0]);
        check(&[1, 2, 3], 0, &[1.0, 1.0, 1.0]);
    }
}
