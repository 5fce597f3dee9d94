//! Slack: how much a visit loses by coming earlier or later than planned.
//!
//! Under a price C and a constant rate λ the planned gap is T = √(2C/λ), and a visit after another gap t costs λ(t−T)²/2 more in
//! all: C·(t/T − 1)². So the **lateness** of a visit is l with (l−1)² = what its time costs more, in prices; at a constant rate it is
//! t/T. Where rates vary over the day, moving a visit into the night costs less than moving it into the evening, and the
//! slack to both sides of the due time says so. Who has one call for many sources gives it to the largest lateness.

use freshet_types::{Span, Timestamp};

/// To both sides of a due time, the time in which lateness changes by 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slack {
    /// For visits that come before it.
    pub early: Span,
    /// For those that come after it.
    pub late: Span,
}

impl Slack {
    /// At a constant rate: the gap itself, to both sides.
    pub fn even(gap: Span) -> Self {
        Self { early: gap, late: gap }
    }

    /// What a look at an instant is worth more than it costs, in prices, where it was planned a gap g after the one before. At a
    /// constant rate that pays for itself after T, a look after t brings (t/T)²; with d for how late it is and s for the slack, it is
    /// 2(g/s)(d/s) + (d/s)², where g is T and so is s. A look that costs less than a whole call has a shorter gap than its slack.
    pub fn worth(self, gap: Span, due_at: Timestamp, at: Timestamp) -> f64 {
        let side = if at < due_at { self.early } else { self.late }.max(Span::SECOND).secs_f64();
        let late = (at - due_at).secs_f64().max(-gap.secs_f64()) / side;
        2.0 * gap.secs_f64() / side * late + late * late
    }

    /// The lateness at an instant of a source that is due at `due_at`.
    pub fn lateness(self, due_at: Timestamp, at: Timestamp) -> f64 {
        let side = if at < due_at { self.early } else { self.late };
        1.0 + (at - due_at).secs_f64() / side.max(Span::SECOND).secs_f64()
    }
}
