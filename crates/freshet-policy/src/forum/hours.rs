//! The hours at which a forum posts: how much more than usual, working days and weekends apart.

use super::features::{hour_of, weekday_of};

/// Posts by hour and kind of day.
#[derive(Clone, Debug, PartialEq)]
pub struct Hours {
    counts: [[f64; 24]; 2],
}

impl Default for Hours {
    fn default() -> Self {
        // As if each hour had seen so many posts: five working days, two of the weekend.
        Self { counts: [[50.0; 24], [20.0; 24]] }
    }
}

impl Hours {
    /// A post was made.
    pub fn learn(&mut self, at_s: f64) {
        self.counts[kind_of_day(at_s)][hour_of(at_s)] += 1.0;
    }

    /// How many times as much as on average is posted at this hour.
    pub fn factor(&self, at_s: f64) -> f64 {
        let kind = kind_of_day(at_s);
        let days = [5.0, 2.0][kind];
        let all: f64 = self.counts.iter().flatten().sum();
        self.counts[kind][hour_of(at_s)] / days * 168.0 / all
    }
}

/// 0 for working days, 1 for Saturday and Sunday; 1970 began on a Thursday.
fn kind_of_day(at_s: f64) -> usize {
    usize::from(matches!(weekday_of(at_s), 2 | 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_S: f64 = 86_400.0;

    #[test]
    fn hours_are_relative_to_the_mean() {
        let mut hours = Hours::default();
        assert!((hours.factor(0.0) - 1.0).abs() < 1e-12 && (hours.factor(2.5 * DAY_S) - 1.0).abs() < 1e-12);
        (0..1000).for_each(|_| hours.learn(9.5 * 3600.0));
        assert!(hours.factor(9.0 * 3600.0) > 5.0 * hours.factor(3.0 * 3600.0));
    }
}
