//! How far a subscriber has got: shared between whoever delivers, whoever stores it, and the report.
//!
//! Counts and cursor change together, under one lock, as they are stored together.

use std::sync::{Mutex, MutexGuard, PoisonError};

use freshet_report::run::SubscriberStatus;
use freshet_report::time::UnixFloat;
use freshet_store::subscription::{BETWEEN, Standing, consumer};
use freshet_types::Timestamp;

use crate::core::Moment;
use crate::writer::Job;

/// A subscriber that has taken nothing for so long, on the wall, is shown as one that is stuck.
const STALLED_AFTER_MS: u64 = 5_000;
/// Longest reason kept, in characters.
const WHY_CHARS_MAX: usize = 300;

/// How far a subscriber has got, for whoever lets the writer store it, and for the report.
#[derive(Debug)]
pub struct Progress {
    name: String,
    /// Its standing is a row of the store; else its cursor alone is stored.
    has_row: bool,
    state: Mutex<State>,
}

/// What a subscriber is at.
#[derive(Debug, Default)]
struct State {
    standing: Standing,
    /// What the writer was told last.
    noted: Standing,
    /// Since when the present batch is under way.
    busy_since: Option<Moment>,
    /// What went wrong last, until it works again.
    failure: Option<String>,
}

/// What a subscriber took at once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken {
    /// Records.
    pub(super) count: u64,
    /// Dropped records of which it was told.
    pub(super) told: u64,
    /// Records without their content, which is not kept and was gone.
    pub(super) lost_count: u64,
}

impl Progress {
    /// A subscriber that stands here; without a row, at the beginning of the log.
    pub(crate) fn new(name: &str, standing: Option<Standing>) -> Self {
        let has_row = standing.is_some();
        let standing = standing.unwrap_or_default();
        let state = State { noted: standing.clone(), standing, ..State::default() };
        Self { name: name.to_owned(), has_row, state: Mutex::new(state) }
    }

    /// Whose it is.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The last change that it has taken.
    pub fn cursor(&self) -> u64 {
        self.state().standing.cursor
    }

    /// How far it has got, with all counts.
    pub fn standing(&self) -> Standing {
        self.state().standing.clone()
    }

    /// Under which name the store remembers the cursor.
    pub fn consumer(&self) -> String {
        consumer(&self.name)
    }

    pub(crate) fn has_row(&self) -> bool {
        self.has_row
    }

    /// Whether it is a subscription of a viewer, who has a store and a log apart. Others may be named by a path.
    pub(crate) fn is_of_viewer(&self) -> bool {
        self.has_row && self.name.contains(BETWEEN)
    }

    /// What the writer is to store, where that has changed since it was last asked for.
    pub fn news(&self) -> Option<Job> {
        let mut state = self.state();
        if state.standing == state.noted {
            return None;
        }
        state.noted = state.standing.clone();
        let standing = state.standing.clone();
        Some(if self.has_row {
            Job::Standing(self.name.clone(), standing)
        } else {
            Job::Cursor(self.consumer(), standing.cursor)
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It is stored that it stands here.
    pub(crate) fn begin_at(&self, cursor: u64) {
        let mut state = self.state();
        (state.standing.cursor, state.noted.cursor) = (cursor, cursor);
    }

    /// It goes on where another one stopped.
    pub(super) fn go_on_from(&self, standing: Standing) {
        self.state().standing = standing;
    }

    /// A batch begins. One that is tried again has been under way since its first try.
    pub(super) fn begin(&self, moment: Moment) {
        self.state().busy_since.get_or_insert(moment);
    }

    /// There is nothing that it has not.
    pub(super) fn on_current(&self) {
        let mut state = self.state();
        (state.busy_since, state.failure) = (None, None);
    }

    /// It has taken everything up to here.
    pub(super) fn on_delivered(&self, cursor: u64, Taken { count, told, lost_count }: Taken) {
        let mut state = self.state();
        state.standing.cursor = cursor;
        state.standing.delivered_count += count;
        state.standing.lost_count += lost_count;
        state.standing.untold_count -= told.min(state.standing.untold_count);
        (state.busy_since, state.failure) = (None, None);
    }

    /// So many records up to here were dropped.
    pub(super) fn on_dropped(&self, count: u64, cursor: u64) {
        let standing = &mut self.state().standing;
        standing.cursor = cursor;
        standing.dropped_count += count;
        standing.untold_count += count;
    }

    pub(super) fn fail(&self, at: Timestamp, why: &str) {
        let why: String = why.chars().take(WHY_CHARS_MAX).collect();
        let mut state = self.state();
        state.standing.failed_count += 1;
        state.standing.failure = Some((at, why.clone()));
        state.failure = Some(why);
    }

    /// The receiver wants nothing any more.
    pub(super) fn end(&self, at: Timestamp, why: &str) {
        self.fail(at, why);
        self.state().standing.is_ended = true;
    }

    /// For the report: how many changes it is behind the newest one, and since when it takes nothing.
    pub fn view(&self, last_change: Option<u64>, moment: Moment) -> SubscriberStatus {
        let state = self.state();
        let is_stuck = |since: &Moment| moment.wall_ms.saturating_sub(since.wall_ms) > STALLED_AFTER_MS;
        let stalled = state.busy_since.filter(is_stuck);
        let standing = &state.standing;
        SubscriberStatus {
            name: self.name.clone(),
            behind: last_change.map(|last| last.saturating_sub(standing.cursor)),
            stalled_since: stalled.map(|since| UnixFloat(since.now)),
            why: state.failure.clone(),
            delivered_count: standing.delivered_count,
            dropped_count: standing.dropped_count,
            lost_count: standing.lost_count,
            failed_count: standing.failed_count,
        }
    }
}
