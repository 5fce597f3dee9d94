//! Known: a source whose rate is given, hour by hour, and never learned.
//!
//! For experiments on synthetic histories: what is left of a policy's distance to the bound when
//! nothing has to be found out. λ(t) = the rate of t's hour of the day. Stored, it is its 24
//! rates; a look changes nothing.

use freshet_types::Timestamp;

use super::ChangeModel;
use super::shape::Shape;
use crate::pack::{Reader, Writer};
use crate::{Look, Pool};

/// Rates by the hour of the day.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    rate_per_s: f64,
    shape: Shape,
}

impl Known {
    /// From posts a second in each hour of the day, UTC; what is no rate counts as zero.
    pub fn new(rates_per_s: [f64; 24]) -> Self {
        let rates = rates_per_s.map(|rate| if rate.is_finite() { rate.max(0.0) } else { 0.0 });
        let rate_per_s = rates.iter().sum::<f64>() / 24.0;
        let factor = |rate: f64| if rate_per_s > 0.0 { (rate / rate_per_s) as f32 } else { 1.0 };
        Self { rate_per_s, shape: Shape::new(rates.map(factor), [1.0; 7]) }
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }
}

impl ChangeModel for Known {
    fn from_bytes(bytes: &[u8]) -> Self {
        let mut reader = Reader(bytes);
        reader.floats::<24>().map_or_else(Self::default, |rates| Self::new(rates.map(f64::from)))
    }

    fn to_bytes(&self) -> Vec<u8> {
        let rates = self.shape.factors().0.map(|factor| (f64::from(factor) * self.rate_per_s) as f32);
        Writer::default().floats(&rates).0
    }

    fn learn(&mut self, _look: &Look<'_>, _pool: &Pool) {}

    fn rate_per_s(&self, _pool: &Pool) -> f64 {
        self.rate_per_s
    }

    fn rate_per_s_at(&self, _pool: &Pool, at: Timestamp) -> f64 {
        self.rate_per_s * self.shape.factor(at)
    }

    fn posts(&self, _pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        self.rate_per_s * self.shape.mass_s(since, until)
    }

    fn wait_s(&self, _pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        self.rate_per_s * self.shape.moment_s2(since, until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_what_it_was_given() {
        let rates = std::array::from_fn(|hour| if hour == 3 { 0.5 } else { 0.1 });
        let model = Known::new(rates);
        let pool = Pool::default();
        let hour = |hour: i64| Timestamp::from_secs(hour * 3600);
        for model in [model.clone(), Known::from_bytes(&model.to_bytes())] {
            assert!((model.rate_per_s_at(&pool, hour(27)) - 0.5).abs() < 1e-6);
            assert!((model.posts(&pool, hour(0), hour(24)) - 3600.0 * 2.8).abs() < 0.1);
        }
        assert!(Known::new([f64::NAN; 24]).rate_per_s(&pool).abs() < 1e-12);
    }
}
