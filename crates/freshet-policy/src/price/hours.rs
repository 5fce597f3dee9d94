//! Prices by the hour of the day: what makes a budget that is the same at every hour be spent.
//!
//! With one price for the whole day, more sources are due in the evening than can be visited and
//! fewer at night. What the last visit of each slot was worth tells how wrong the price was at
//! that hour: above the price it was too low, below it too high. Once a day every hour's factor
//! moves by that mark; the factors keep a mean of 1.
//!
//! mₕ ← mₕ + 0.2·(clamp(A/price, −1, 1) − mₕ) with each slot,  fₕ ← fₕ·e^{mₕ} with each day

use freshet_types::Timestamp;
use serde::{Deserialize, Serialize};

/// How much one slot moves the mark of its hour.
const GAIN: f64 = 0.2;
/// Factors stay within these bounds, so that no hour is closed and none is free.
const FACTOR_MIN: f64 = 0.2;
/// See [`FACTOR_MIN`].
const FACTOR_MAX: f64 = 3.0;

/// A factor on the price for every hour of the day (UTC), and what was marked since the last turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HourPrices {
    factors: [f64; 24],
    marks: [f64; 24],
}

impl Default for HourPrices {
    fn default() -> Self {
        Self { factors: [1.0; 24], marks: [0.0; 24] }
    }
}

impl HourPrices {
    /// What is paid at an hour of the day, in units of the mean price.
    pub fn factor(&self, hour: usize) -> f64 {
        self.factors[hour % 24]
    }

    /// Whether all hours cost the same.
    #[inline(always)]
    pub(crate) fn is_flat(&self) -> bool {
        // Without a branch for each of them.
        self.factors.iter().fold(0, |other, factor| other | (factor.to_bits() ^ 1.0_f64.to_bits())) == 0
    }

    /// The last visit that the budget allowed at `at` was worth so many prices more than it cost.
    pub fn mark(&mut self, at: Timestamp, regret: f64) {
        let hour = (at.secs().rem_euclid(86_400) / 3600) as usize;
        if regret.is_finite() {
            self.marks[hour] += GAIN * (regret.clamp(-1.0, 1.0) - self.marks[hour]);
        }
    }

    /// A new day: the marks become factors.
    pub fn turn(&mut self) {
        for (factor, mark) in self.factors.iter_mut().zip(&mut self.marks) {
            *factor = (*factor * std::mem::take(mark).exp()).clamp(FACTOR_MIN, FACTOR_MAX);
        }
        let mean = self.factors.iter().sum::<f64>() / 24.0;
        self.factors.iter_mut().for_each(|factor| *factor /= mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dear_hours_become_dearer() {
        let mut hours = HourPrices::default();
        for day in 0..3 {
            for hour in 0..24 {
                let regret = if hour == 20 { 5.0 } else { -0.1 };
                hours.mark(Timestamp::from_secs(day * 86_400 + hour * 3600 + 7), regret);
            }
            hours.mark(Timestamp::from_secs(0), f64::NAN);
            hours.turn();
        }
        assert!(hours.factor(20) > 1.5 && hours.factor(3) < 1.0);
        let mean = (0..24).map(|hour| hours.factor(hour)).sum::<f64>() / 24.0;
        assert!((mean - 1.0).abs() < 1e-9);
    }
}
