//! How a run through a forum's history is made, besides the policy: its days, and what it may fetch.

use freshet_types::Timestamp;

/// Seconds of a day.
pub const DAY_S: f64 = 86_400.0;

/// How a run is made, besides the policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    pub start: Timestamp,
    /// Days in all, from the portal on.
    pub days: u32,
    /// The last of them, which count.
    pub eval_days: u32,
    pub pages_per_day: f64,
    /// Records a page shows.
    pub page_size: u32,
}

impl Setup {
    /// The instant after the last.
    pub fn end_s(&self) -> f64 {
        self.start.secs_f64() + f64::from(self.days) * DAY_S
    }

    /// The first instant that counts.
    pub fn eval_s(&self) -> f64 {
        self.end_s() - f64::from(self.eval_days.min(self.days)) * DAY_S
    }
}
