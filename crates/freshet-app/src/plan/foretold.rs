//! What runs foretold, beside what came: the mean lag of the posts that were made in the time that a forecast is about.
//!
//! Posts of a day that nobody has seen yet are in no mean: the newest day looks a little better than it was. What was first seen
//! with an account's history is left out, by when it was made.

use std::ops::ControlFlow;

use freshet_engine::price::Forecast;
use freshet_report::plan::Foretold;
use freshet_report::time::UnixNumber;
use freshet_store::api::{Store, StoreError};
use freshet_store::row::Filter;
use freshet_types::{Span, Timestamp};

/// Forecasts that are shown, the newest.
const SHOWN: usize = 7;
/// Longest time that one is about, where the next was not made.
const LASTS: Span = Span::DAY;

/// The newest forecasts and what came of them.
pub(super) fn compare(store: &dyn Store, forecasts: &[Forecast]) -> Result<Vec<Foretold>, StoreError> {
    let shown = &forecasts[forecasts.len().saturating_sub(SHOWN)..];
    let Some(first) = shown.first() else { return Ok(Vec::new()) };
    let mut sums = vec![(0.0, 0_u64); shown.len()];
    let filter = Filter { since: Some(first.at), ..Filter::default() };
    store.each_post(&filter, &mut |row| {
        if let Some(made_at) = row.post.created_at
            && let Some(at) = place_of(shown, made_at)
        {
            sums[at].0 += (row.seen_at - made_at).secs_f64().max(0.0);
            sums[at].1 += 1;
        }
        ControlFlow::Continue(())
    })?;
    let line = |(it, (sum_s, count)): (&Forecast, (f64, u64))| Foretold {
        at: UnixNumber(it.at),
        lag_s: it.lag_s,
        measured_lag_s: (count > 0).then(|| sum_s / count as f64),
        posts_count: count,
    };
    Ok(shown.iter().zip(sums).map(line).rev().collect())
}

/// The forecast that speaks of this instant.
fn place_of(forecasts: &[Forecast], at: Timestamp) -> Option<usize> {
    let place = forecasts.partition_point(|it| it.at <= at).checked_sub(1)?;
    (at - forecasts[place].at <= LASTS).then_some(place)
}
