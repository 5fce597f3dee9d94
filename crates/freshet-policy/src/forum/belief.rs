//! Which intervals until the next record are believed, by kind of list.
//!
//! A regression's sum of weights can be anything, below zero too: such a list would seem due at every instant and take all the bandwidth. So
//! nothing below a floor is believed. The paper names none; these were found on years of two recorded forums that no
//! result is measured on (docs/results/forums.md has the grid). Floors of minutes or hours, which would let the regression say all that it
//! can, make it worse: what it foretells below some days is not so.

use super::ratio::ListKind;

/// Shortest and longest, in hours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief {
    pub shortest_h: f64,
    pub longest_h: f64,
}

impl Belief {
    /// What is believed of a list of this kind: a board is never given up, a thread for a year.
    pub fn of(kind: ListKind) -> Self {
        match kind {
            ListKind::Index => Self { shortest_h: 4.0, longest_h: 30.0 * 24.0 },
            ListKind::Posts => Self { shortest_h: 16.0 * 24.0, longest_h: 365.0 * 24.0 },
        }
    }

    /// An interval, brought between the two; the shortest for what is no number.
    pub(crate) fn bounded_h(self, interval_h: f64) -> f64 {
        // `max` swallows a NaN.
        interval_h.max(self.shortest_h).min(self.longest_h.max(self.shortest_h))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_brought_between_two() {
        for kind in [ListKind::Index, ListKind::Posts] {
            let Belief { shortest_h, longest_h } = Belief::of(kind);
            let middle_h = f64::midpoint(shortest_h, longest_h);
            for (given_h, expected_h) in [
                (-5.0, shortest_h),
                (0.0, shortest_h),
                (middle_h, middle_h),
                (1e9, longest_h),
                (f64::INFINITY, longest_h),
                (f64::NAN, shortest_h),
            ] {
                let got_h = Belief::of(kind).bounded_h(given_h);
                assert!((got_h - expected_h).abs() < 1e-9, "{kind:?} {given_h}: {got_h}");
            }
        }
    }
}
