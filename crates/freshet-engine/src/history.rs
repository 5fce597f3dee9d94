//! The recent past in a few numbers: lag, new posts by robot and requests, for charts.
//!
//! Two levels: every few seconds for the last half hour, every half hour for the last week, each a
//! bounded list. Points are taken by the wall, since people watch there; their times are those of
//! the crawl's clock. The engine leaves them in the store's settings; nothing is decided by them.

use std::collections::VecDeque;
use std::time::Duration;

pub use freshet_report::history::Point;
use freshet_store::api::{Store, StoreError};
use freshet_store::setting::{Setting, SettingValue};
use freshet_types::{RobotKind, Timestamp};
use serde::{Deserialize, Serialize};

use crate::tally::Tally;

/// Setting under which the store keeps it.
pub(crate) const HISTORY: Setting<History> = Setting::new("history");
/// Wall time between two points of the fine level.
pub(crate) const FINE_EVERY: Duration = Duration::from_secs(5);
/// Wall time between two points of the coarse level.
const COARSE_EVERY: Duration = Duration::from_mins(30);
/// Points of the fine level: half an hour.
const FINE_MAX: usize = 360;
/// Points of the coarse level: a week.
const COARSE_MAX: usize = 336;

/// Points of one spacing, oldest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Level {
    points: VecDeque<Point>,
    #[serde(skip)]
    added_at: Duration,
    #[serde(skip)]
    before: Option<Totals>,
}

#[derive(Clone, Copy, Debug)]
struct Totals {
    at: Timestamp,
    posts: [u64; RobotKind::ALL.len()],
    fetches: u64,
}

impl Level {
    /// Adds a point, when it is time for one.
    fn add_point(
        &mut self,
        tally: &Tally,
        now: Timestamp,
        elapsed: Duration,
        spacing: (Duration, usize),
    ) -> bool {
        let totals = Totals { at: now, posts: tally.posts_by_robot, fetches: tally.fetches_count };
        let Some(before) = self.before else {
            self.before = Some(totals);
            self.added_at = elapsed;
            return false;
        };
        let (every, points_max) = spacing;
        if elapsed.saturating_sub(self.added_at) < every {
            return false;
        }
        let lag = tally.lag();
        self.points.push_back(Point {
            at: now.secs_f64(),
            lasted_s: (now - before.at).secs_f64().max(0.0),
            lag_median_s: lag.map(|(median, _)| median.secs_f64()),
            lag_p90_s: lag.map(|(_, p90)| p90.secs_f64()),
            posts: std::array::from_fn(|robot| totals.posts[robot].saturating_sub(before.posts[robot])),
            fetches: totals.fetches.saturating_sub(before.fetches),
        });
        let excess = self.points.len().saturating_sub(points_max);
        self.points.drain(..excess);
        (self.before, self.added_at) = (Some(totals), elapsed);
        true
    }
}

/// Both levels.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct History {
    fine: Level,
    coarse: Level,
}

impl SettingValue for History {
    fn to_stored(&self) -> String {
        self.to_text()
    }

    fn from_stored(text: &str) -> Result<Self, String> {
        Ok(Self::from_text(text))
    }
}

impl History {
    /// As an earlier run left it.
    pub fn from_store(store: &dyn Store) -> Result<Self, StoreError> {
        Ok(HISTORY.get(store)?.unwrap_or_default())
    }

    /// As it was written; text that is not understood is an empty past.
    pub fn from_text(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }

    /// For the store.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("points are plain data")
    }

    /// Adds a point where one is due; gives whether there is one. `elapsed` is wall time.
    pub(crate) fn add_point(&mut self, tally: &Tally, now: Timestamp, elapsed: Duration) -> bool {
        self.coarse.add_point(tally, now, elapsed, (COARSE_EVERY, COARSE_MAX));
        self.fine.add_point(tally, now, elapsed, (FINE_EVERY, FINE_MAX))
    }

    /// The last half hour, oldest first.
    pub fn fine(&self) -> impl ExactSizeIterator<Item = &Point> {
        self.fine.points.iter()
    }

    /// The last week, oldest first.
    pub fn coarse(&self) -> impl ExactSizeIterator<Item = &Point> {
        self.coarse.points.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_spaced_bounded_and_read_back() {
        let (mut history, mut tally) = (History::default(), Tally::default());
        let second = |count: u64| (Timestamp::from_secs(count as i64 * 60), Duration::from_secs(count));
        for count in 0..5000 {
            tally.posts_by_robot[2] += 3;
            tally.fetches_count += 1;
            let (now, elapsed) = second(count);
            history.add_point(&tally, now, elapsed);
        }
        let restored = History::from_text(&history.to_text());
        assert_eq!((restored.fine().len(), restored.coarse().len()), (FINE_MAX, 2));
        let last = restored.fine().last().unwrap();
        assert_eq!((last.posts[2], last.fetches, last.lasted_s, last.lag_median_s), (15, 5, 300.0, None));
        assert_eq!(History::from_text("nonsense").fine().len(), 0);
    }
}
