//! `change-rate`: look again when the next change is half due [SocWeb, section 4.1].
//!
//! The interval is `LOOKS_PER_POST⁻¹ / rate`, between the floor and the ceiling. A source of
//! which nothing is known is looked at every ceiling.

use freshet_types::{Span, Timestamp};

use crate::{Forecast, Pacing, Policy};

/// Looks per expected post: two keep the mean lag at a quarter of the gap between posts.
const LOOKS_PER_POST: f64 = 2.0;

/// Visits in proportion to the change rate.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByChangeRate {
    /// The bounds.
    pub pacing: Pacing,
}

impl Policy for ByChangeRate {
    fn name(&self) -> &'static str {
        "change-rate"
    }

    fn due_at(&self, forecast: &Forecast, now: Timestamp) -> Timestamp {
        let Pacing { floor, ceiling } = self.pacing;
        if forecast.rate_per_s <= 0.0 {
            return now + ceiling;
        }
        let gap = Span::from_secs_f64(1.0 / (LOOKS_PER_POST * forecast.rate_per_s));
        now + gap.clamp(floor.min(ceiling), ceiling)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(posts_per_day: f64, expected: &str) {
        let policy = ByChangeRate { pacing: Pacing { floor: Span::MINUTE, ceiling: Span::HOUR } };
        let forecast = Forecast { rate_per_s: posts_per_day / 86_400.0, last_at: None };
        let due: Span = policy.due_at(&forecast, Timestamp::from_secs(0)) - Timestamp::from_secs(0);
        assert_eq!(due.to_string(), expected, "{posts_per_day} posts a day");
    }

    #[test]
    fn the_interval_follows_the_rate_within_its_bounds() {
        check(0.0, "1h 00m");
        check(1.0, "1h 00m");
        check(48.0, "15m 00s");
        check(1e9, "1m 00s");
    }
}
