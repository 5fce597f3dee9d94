//! A meter: how much flows per second, with the near past counting most.

use freshet_types::{Span, Timestamp};

/// An exponentially decayed sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Meter {
    amount: f64,
    /// How far back it looks.
    memory: Span,
    since: Option<Timestamp>,
    at: Timestamp,
}

impl Meter {
    /// A meter that forgets with this time constant.
    pub(super) fn new(memory: Span) -> Self {
        Self { amount: 0.0, memory, since: None, at: Timestamp::MIN }
    }

    /// So much flowed.
    pub(super) fn add(&mut self, amount: f64, now: Timestamp) {
        let (left, since) = (self.left(now), *self.since.get_or_insert(now));
        (self.amount, self.since, self.at) = (left + amount, Some(since), now.max(self.at));
    }

    /// Its rate; a young meter is judged by its own age, once that tells something.
    pub(super) fn per_s(&self, now: Timestamp) -> f64 {
        let Some(since) = self.since else { return 0.0 };
        let memory_s = self.memory.secs_f64().max(1.0);
        let age_s = (now - since).secs_f64().max(memory_s * 0.1);
        let window_s = memory_s * (1.0 - (-age_s / memory_s).exp());
        self.left(now) / window_s
    }

    fn left(&self, now: Timestamp) -> f64 {
        self.amount * (-(now - self.at).max(Span::ZERO).secs_f64() / self.memory.secs_f64().max(1.0)).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_flow_is_read_at_any_age() {
        let mut meter = Meter::new(Span::HOUR);
        assert!(meter.per_s(Timestamp::from_secs(5)).abs() < 1e-12);
        for minute in 0..600 {
            let now = Timestamp::from_secs(minute * 60);
            meter.add(30.0, now);
            if minute > 10 {
                let per_s = meter.per_s(now);
                assert!((per_s - 0.5).abs() < 0.06, "{per_s} after {minute} min");
            }
        }
        assert!(meter.per_s(Timestamp::from_secs(60 * 600 + 36_000)) < 1e-3, "it forgets");
    }
}
