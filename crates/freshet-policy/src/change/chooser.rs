//! The chooser: several models of one source, mixed by how well each predicted it.
//!
//! Assumption: none is right for all sources, and the right one for a source stays so for a
//! while. Before a look is learned each model is scored by the log-likelihood that it gave to
//! what the look then showed (prequential, so richer models get no credit for mere fitting);
//! scores are forgotten by half every [`HALF_LIFE`], and the weights are their exponentials
//! (Bayesian model averaging with forgetting). One dominant weight is a switch, several are a mix.
//!
//! | symbol | here |
//! |---|---|
//! | decayed Σ log-likelihood of model m | `scores[m]` |
//! | weight ∝ e^{score − best} + [`SHARE_MIN`] | [`Chooser::shares`] |
//!
//! Cost per look: that of the models.

use freshet_types::{Span, Timestamp};

use super::{Burst, ChangeModel, HashTable, Poisson, decay};
use crate::pack::{Reader, Writer};
use crate::{Look, Pool};

/// How fast scores are forgotten.
const HALF_LIFE: Span = Span::from_ms(14 * 86_400_000);
/// No model is ever ruled out: it may become right.
const SHARE_MIN: f64 = 1e-3;
/// Models that are mixed: Poisson, profile, burst, hash.
const COUNT: usize = 4;

/// The names of the models, in the order of [`Chooser::shares`].
#[cfg(test)]
pub(crate) const MODEL_NAMES: [&str; COUNT] = ["poisson", "profile", "burst", "hash"];

/// Four models and their scores; the profile is the burst model's own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Chooser {
    level: Poisson,
    burst: Burst,
    hash: HashTable,
    scores: [f32; COUNT],
    shares: [f64; COUNT],
    at: Timestamp,
}

impl Default for Chooser {
    fn default() -> Self {
        Self {
            level: Poisson::default(),
            burst: Burst::default(),
            hash: HashTable::default(),
            scores: [0.0; COUNT],
            shares: [1.0 / COUNT as f64; COUNT],
            at: Timestamp::MIN,
        }
    }
}

impl Chooser {
    /// How much each model counts; they sum to 1.
    #[cfg(test)]
    pub(crate) fn shares(&self) -> [f64; COUNT] {
        self.shares
    }

    fn share(&mut self) {
        let best = self.scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights = self.scores.map(|score| f64::from(score - best).exp() + SHARE_MIN);
        let total: f64 = weights.iter().sum();
        self.shares = weights.map(|weight| weight / total);
    }

    fn mixed(&self, ask: [f64; COUNT]) -> f64 {
        self.shares.iter().zip(ask).map(|(share, answer)| share * answer).sum()
    }
}

impl ChangeModel for Chooser {
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(&mut Reader(bytes)).unwrap_or_default()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default().time(self.at).bytes(&self.level.to_bytes());
        for score in self.scores {
            writer = writer.float(f64::from(score));
        }
        for part in [self.burst.to_bytes(), self.hash.to_bytes()] {
            writer = writer.bytes(&(part.len() as u16).to_le_bytes()).bytes(&part);
        }
        writer.0
    }

    fn learn(&mut self, look: &Look<'_>, pool: &Pool) {
        if look.at > self.at {
            if self.at > Timestamp::MIN {
                let keep = decay(look.at - self.at, HALF_LIFE);
                let gains = [
                    self.level.score(pool, look),
                    self.burst.base().score(pool, look),
                    self.burst.score(pool, look),
                    self.hash.score(pool, look),
                ];
                let best = gains.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                for (score, gain) in self.scores.iter_mut().zip(gains) {
                    *score = (f64::from(*score) * keep + (gain - best).max(-1e6)) as f32;
                }
                self.share();
            }
            self.at = look.at;
        }
        self.level.learn(look, pool);
        self.burst.learn(look, pool);
        self.hash.learn(look, pool);
    }

    fn rate_per_s(&self, pool: &Pool) -> f64 {
        self.level.rate_per_s(pool)
    }

    fn rate_per_s_at(&self, pool: &Pool, at: Timestamp) -> f64 {
        self.mixed([
            self.level.rate_per_s_at(pool, at),
            self.burst.base().rate_per_s_at(pool, at),
            self.burst.rate_per_s_at(pool, at),
            self.hash.rate_per_s_at(pool, at),
        ])
    }

    fn posts(&self, pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        self.mixed([
            self.level.posts(pool, since, until),
            self.burst.base().posts(pool, since, until),
            self.burst.posts(pool, since, until),
            self.hash.posts(pool, since, until),
        ])
    }

    fn wait_s(&self, pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        self.mixed([
            self.level.wait_s(pool, since, until),
            self.burst.base().wait_s(pool, since, until),
            self.burst.wait_s(pool, since, until),
            self.hash.wait_s(pool, since, until),
        ])
    }
}

impl Chooser {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let at = reader.time()?;
        let mut model = Self { at, level: Poisson::from_bytes(reader.bytes(16)?), ..Self::default() };
        for score in &mut model.scores {
            *score = reader.float()? as f32;
        }
        let mut part = || {
            let length = u16::from_le_bytes(reader.bytes(2)?.try_into().ok()?);
            reader.bytes(usize::from(length))
        };
        model.burst = Burst::from_bytes(part()?);
        model.hash = HashTable::from_bytes(part()?);
        model.share();
        Some(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three months of looks every half hour at posts given in seconds of each day.
    fn check(posts_of_day: impl Fn(i64) -> Vec<i64>, expected: &str) {
        let (mut model, pool) = (Chooser::default(), Pool::default());
        let mut since = None;
        for step in 0..90 * 48 {
            let (day, first_s) = (step / 48, step % 48 * 1800);
            let posts = posts_of_day(day);
            let news: Vec<_> = posts
                .into_iter()
                .filter(|s| (first_s..first_s + 1800).contains(s))
                .map(|s| Timestamp::from_secs(day * 86_400 + s))
                .collect();
            let at = Timestamp::from_secs(day * 86_400 + first_s + 1800);
            model.learn(&Look { since, at, news: &news, is_full: false }, &pool);
            since = Some(at);
        }
        let shares = Chooser::from_bytes(&model.to_bytes()).shares();
        let best = (0..COUNT).max_by(|a, b| shares[*a].total_cmp(&shares[*b])).unwrap();
        assert_eq!(MODEL_NAMES[best], expected, "{shares:?}");
    }

    #[test]
    fn the_model_that_predicts_is_chosen() {
        // Eight posts an evening, at slightly different minutes: the table of hours explains them.
        check(|day| (0..8).map(|post| 64_800 + (day * 37 + post * 1_301) % 10_000).collect(), "hash");
        // Bursts of two hours at times that say nothing: looks fall into them.
        check(
            |day| (0..12).map(|post| (day * 7_919 + day * day * 131) % 76_000 + post * 700).collect(),
            "burst",
        );
    }
}
