//! Which files an export has, and how many records each will hold.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use freshet_sink::{Format, RecordKind};
use freshet_store::api::{Store, StoreError};
use freshet_store::browse::Counted;
use freshet_types::{Span, Timestamp};

use super::Wish;
use super::stream::each_change;

/// One file of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What its records are.
    pub kind: RecordKind,
    /// Which day it is about, in days since 1970 (UTC); all of them where the export is not split.
    pub day: Option<i64>,
    /// How many records it will hold, as counted before.
    pub record_count: u64,
}

impl Part {
    /// Its path in the folder.
    pub fn name(&self, format: Format) -> String {
        match self.day {
            None => format!("{}.{format}", self.kind),
            Some(day) => format!("{}/{}.{format}", self.kind, day_name(day)),
        }
    }
}

/// The files of an export. Without a split there is one for each kind, though it be empty; with one,
/// only days that have records have a file.
pub(crate) fn plan(store: &dyn Store, wish: &Wish) -> Result<Vec<Part>, StoreError> {
    let mut parts = Vec::new();
    for &kind in &wish.kinds {
        let days = match count_by_day(store, kind, wish) {
            // One file is written however many records can be read; days must be known.
            Err(StoreError::Damaged { .. }) if !wish.is_split => Vec::new(),
            days => days?,
        };
        if wish.is_split {
            let part = |(day, record_count)| Part { kind, day: Some(day), record_count };
            parts.extend(days.into_iter().map(part));
        } else {
            let record_count = days.iter().map(|(_, count)| count).sum();
            parts.push(Part { kind, day: None, record_count });
        }
    }
    Ok(parts)
}

/// How many records of a kind there are by day, up to the bounds of the wish.
pub(super) fn count_by_day(
    store: &dyn Store,
    kind: RecordKind,
    wish: &Wish,
) -> Result<Vec<(i64, u64)>, StoreError> {
    let (filter, up_to) = (&wish.filter, wish.up_to.of(kind));
    match kind {
        RecordKind::Posts => store.count_by_day(Counted::Posts, filter, up_to),
        RecordKind::Accounts => store.count_by_day(Counted::Accounts, filter, up_to),
        RecordKind::Relations => store.count_by_day(Counted::Relations, filter, up_to),
        RecordKind::Objects => store.count_by_day(Counted::Things, filter, up_to),
        RecordKind::Links => store.count_by_day(Counted::Links, filter, up_to),
        RecordKind::Changes => {
            let mut days = BTreeMap::new();
            each_change(store, filter, up_to, &mut |change| {
                *days.entry(day_of(change.seen_at)).or_default() += 1;
                ControlFlow::Continue(())
            })?;
            Ok(days.into_iter().collect())
        }
    }
}

/// The day of an instant, in days since 1970 (UTC).
pub(super) fn day_of(at: Timestamp) -> i64 {
    at.ms().div_euclid(Span::DAY.ms())
}

/// The first instant of a day.
pub(super) fn start_of(day: i64) -> Timestamp {
    Timestamp::from_ms(day.saturating_mul(Span::DAY.ms()))
}

/// `2026-01-05`; days that no calendar reaches go by their number.
pub fn day_name(day: i64) -> String {
    let start = day.checked_mul(86_400).and_then(|secs| jiff::Timestamp::from_second(secs).ok());
    let date = start.map(|start| start.to_zoned(jiff::tz::TimeZone::UTC).date().to_string());
    date.unwrap_or_else(|| format!("day{day}"))
}
