//! The pool: what all sources have in common, and what a new one is expected to be like.
//!
//! Assumption: sources of one network share a time zone and habits to some degree, so that the
//! mean rate and the hours of all of them are the best guess for one of which little is known
//! (empirical Bayes; the pseudo-counts stand with the models that shrink). Evidence is decayed:
//! the pool forgets half of what it knew every [`HALF_LIFE`]. Cost per look: O(news).

use freshet_types::{Span, Timestamp};
use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer, Serialize};

use crate::Look;
use crate::mixture::Mixture;
use crate::prior::Prior;
use crate::rhythm::decay;
use crate::rhythm::shape::{self, Shape};

/// How fast the pool forgets: four weeks, so that every weekday was seen four times.
const HALF_LIFE: Span = Span::from_ms(28 * 86_400_000);
/// Rate of a source before any evidence at all: a post a day.
pub(crate) const RATE_PER_S_UNKNOWN: f64 = 1.0 / 86_400.0;
/// The pooled rate never falls below a post in ten years, so that its inverse stays finite.
const RATE_PER_S_MIN: f64 = 1.0 / (3650.0 * 86_400.0);

/// Counts of all sources together; stored without the shape, which [`Pool::refresh`] brings back.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct Pool {
    count: f64,
    exposure_s: f64,
    hours: [f32; 24],
    days: [f32; 7],
    at: Timestamp,
    #[serde(skip)]
    shape: Shape,
    #[serde(deserialize_with = "mixture")]
    mixture: Mixture,
    /// When the mixture was fitted on this crawl's own posts.
    fitted_at: Option<Timestamp>,
    /// What is expected of one source in place of the mean, where something was told of it before any look.
    #[serde(skip)]
    expected_per_s: Option<f64>,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            count: 0.0,
            exposure_s: 0.0,
            hours: [0.0; 24],
            days: [0.0; 7],
            at: Timestamp::MIN,
            shape: Shape::default(),
            mixture: Mixture::default(),
            fitted_at: None,
            expected_per_s: None,
        }
    }
}

/// A mixture as it was written down; the usual one where an earlier version wrote another.
fn mixture<'de, D: Deserializer<'de>>(from: D) -> Result<Mixture, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Mixture(Mixture),
        Other(IgnoredAny),
    }
    Ok(match Written::deserialize(from)? {
        Written::Mixture(mixture) => mixture.sound(),
        Written::Other(_) => Mixture::default(),
    })
}

impl Pool {
    /// Takes in what a visit to any source saw.
    pub fn learn(&mut self, look: &Look<'_>) {
        if look.at > self.at {
            let keep = if self.at == Timestamp::MIN { 1.0 } else { decay(look.at - self.at, HALF_LIFE) };
            self.count *= keep;
            self.exposure_s *= keep;
            self.hours.iter_mut().chain(&mut self.days).for_each(|count| *count *= keep as f32);
            self.at = look.at;
        }
        let from = look.complete_since();
        self.exposure_s += look.complete_span().secs_f64();
        // A stretch that begins with a post is one post short, or rates come out too high.
        let mut begins_with_post = look.since != Some(from) && look.since.is_none_or(|since| since < from);
        for &at in look.news.iter().filter(|at| **at >= from) {
            if at == from && std::mem::take(&mut begins_with_post) {
                continue;
            }
            let (hour, day) = shape::hour_and_day(at);
            self.count += 1.0;
            self.hours[hour] += 1.0;
            self.days[day] += 1.0;
        }
    }

    /// Brings the pooled shape up to date; cheap, and done when plans are made.
    pub fn refresh(&mut self) {
        self.shape = Shape::shrunk(&self.hours, &self.days, &Shape::default(), shape::POOL_PSEUDO_COUNT);
    }

    /// The same as one source sees it: with what its profile says in place of the mean.
    pub(crate) fn expecting(&self, prior: Prior) -> Self {
        let expected_per_s = prior.rate_per_s(self.mean_per_s()).max(RATE_PER_S_MIN);
        Self { expected_per_s: Some(expected_per_s), ..self.clone() }
    }

    /// Rate of a source of which nothing was seen: the mean, unless its profile says otherwise.
    pub fn rate_per_s(&self) -> f64 {
        self.expected_per_s.unwrap_or_else(|| self.mean_per_s())
    }

    /// Mean rate of a source.
    fn mean_per_s(&self) -> f64 {
        if self.exposure_s <= 0.0 {
            return RATE_PER_S_UNKNOWN;
        }
        // A first page may show posts of one second: before a day was seen in all, nobody is expected to go on like that.
        (self.count / self.exposure_s.max(Span::DAY.secs_f64())).max(RATE_PER_S_MIN)
    }

    /// The hours and weekdays of all sources.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// How a source's sums foretell its posts.
    pub fn mixture(&self) -> &Mixture {
        &self.mixture
    }

    /// Replaces the mixture by one that was fitted anew.
    pub fn set_mixture(&mut self, mixture: Mixture, fitted_at: Timestamp) {
        (self.mixture, self.fitted_at) = (mixture, Some(fitted_at));
    }

    /// When the mixture was last fitted; before that it is the usual one.
    pub fn fitted_at(&self) -> Option<Timestamp> {
        self.fitted_at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_earlier_version_wrote_is_read_as_far_as_it_goes() {
        let mut pool = Pool::default();
        let at = Timestamp::from_secs(1_000_000);
        pool.learn(&Look { since: Some(at - Span::DAY), at, news: &[at - Span::HOUR], is_full: false });
        let mut written = serde_json::to_value(&pool).unwrap();
        written["mixture"]["scatters"] = serde_json::json!([0.5]);
        written.as_object_mut().unwrap().remove("fitted_at");
        let read: Pool = serde_json::from_value(written).unwrap();
        assert_eq!(read.mixture(), &Mixture::default());
        assert!((read.rate_per_s() - pool.rate_per_s()).abs() < 1e-12);
    }
}
