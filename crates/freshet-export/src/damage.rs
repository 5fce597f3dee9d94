//! What an export had to leave out because it cannot be read.

use freshet_app::{notice, text};
use freshet_store::api::StoreError;
use freshet_store::row::Filter;

/// Damaged things that are named; the rest is counted.
const NAMED_MAX: usize = 20;

/// What was left out.
#[must_use]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damages {
    /// Rows, and stretches of rows.
    pub count: u64,
    named: Vec<String>,
}

impl Damages {
    /// Notes a damaged thing and moves the filter behind it; gives the error back if it is none, or nothing can be read behind
    /// it of which this is not said already.
    pub(super) fn pass_over(&mut self, error: StoreError, filter: &mut Filter) -> Result<bool, StoreError> {
        let StoreError::Damaged { above, .. } = &error else { return Err(error) };
        let above = *above;
        self.count += 1;
        if self.named.len() < NAMED_MAX {
            self.named.push(error.to_string());
        }
        let goes_on = above.filter(|&above| above > filter.above);
        filter.above = goes_on.unwrap_or(filter.above);
        Ok(goes_on.is_some())
    }

    /// Adds what another part of the export left out.
    pub(super) fn add(&mut self, more: Self) {
        self.count += more.count;
        self.named.extend(more.named);
        self.named.truncate(NAMED_MAX);
    }

    /// Whether nothing was left out.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Tells people what was left out.
    pub fn tell(&self) {
        for one in &self.named {
            notice::warn(format!("left out: {one}"));
        }
        if !self.is_empty() {
            let things = text::count(self.count, "damaged thing");
            notice::warn(format!("{things} left out; `freshet check` says what is wrong and what to do"));
        }
    }
}
