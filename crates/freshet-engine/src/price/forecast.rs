//! What prices foretell, once a day: the mean lag until the next forecast. `freshet plan` shows it beside what came.
//!
//! The formula is that of plans ([`freshet_policy::demand`]), with the prices in force, network by network.

use freshet_types::{RobotKind, Span, Timestamp};
use serde::{Deserialize, Serialize};

use super::Prices;
use super::key::TariffKey;

/// Time between two forecasts.
const EVERY: Span = Span::DAY;
/// Forecasts that are kept.
const KEPT: usize = 14;

/// What was foretold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Forecast {
    /// When; it is about the time until the next.
    pub at: Timestamp,
    /// Mean seconds from post to seen.
    pub lag_s: f64,
    /// Visits an hour.
    pub visits_per_h: f64,
}

impl Prices {
    /// Foretells when it is time to. The first forecast is made after a day of learning.
    pub(super) fn foretell(&mut self, now: Timestamp) {
        let last = self.forecasts.last().map(|last| last.at);
        let since = *self.foretold_since.get_or_insert(last.unwrap_or(now));
        if !self.has_price || now - since < EVERY {
            return;
        }
        self.foretold_since = Some(now);
        let (mut waiting, mut posts_per_s, mut visits_per_s) = (0.0, 0.0, 0.0);
        for (at, tariff) in self.tariffs.iter().enumerate() {
            if TariffKey::at(at).robot() != RobotKind::Status {
                continue;
            }
            waiting += tariff.demand.waiting(tariff.price, tariff.stretched(self.pacing), tariff.group);
            posts_per_s += tariff.demand.posts_per_s();
            visits_per_s += tariff.calls_per_s(tariff.price, self.pacing);
        }
        if posts_per_s > 0.0 {
            let forecast =
                Forecast { at: now, lag_s: waiting / posts_per_s, visits_per_h: visits_per_s * 3600.0 };
            self.forecasts.push(forecast);
            self.forecasts.drain(..self.forecasts.len().saturating_sub(KEPT));
        }
    }
}
