//! Hour-of-week profile: a level that moves quickly times a weekly shape that moves slowly.
//!
//! Assumption: λ(t) = level · shape(t). The level is the decayed Gamma-Poisson rate of
//! [`super::Poisson`]; the shape is the source's own hours and weekdays, shrunk to the pooled
//! shape by [`SHAPE_PSEUDO_COUNT`] posts, so that a source with few posts has the hours of the
//! others and a busy one its own. Both are learned again with every look.
//!
//! | symbol | here |
//! |---|---|
//! | level | `level` |
//! | decayed posts by hour and weekday | `hours`, `days` |
//! | shape(t) | `shape` |
//! | L(s,t) = level·∫shape | [`ChangeModel::posts`] |
//! | D(s,t) = level·∫shape(u)(t−u)du | [`ChangeModel::wait_s`] |
//!
//! Stored, the 24 + 7 counts take a byte each: their share of the largest, by its square root,
//! which keeps small shares apart. Cost per look: O(news + 31).

use freshet_types::{Span, Timestamp};

use super::shape::{self, Shape};
use super::{ChangeModel, Poisson, decay};
use crate::pack::{Reader, Writer};
use crate::{Look, Pool};

/// How fast hours and weekdays are forgotten: habits are kept longer than moods.
const SHAPE_HALF_LIFE: Span = Span::from_ms(28 * 86_400_000);
/// Posts that the pooled shape is worth.
const SHAPE_PSEUDO_COUNT: f64 = 30.0;

/// Level, hours and weekdays.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    level: Poisson,
    hours: [f32; 24],
    days: [f32; 7],
    at: Timestamp,
    shape: Shape,
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            level: Poisson::default(),
            hours: [0.0; 24],
            days: [0.0; 7],
            at: Timestamp::MIN,
            shape: Shape::default(),
        }
    }
}

impl Profile {
    /// The shape of its week.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let level = Poisson::from_bytes(reader.bytes(16)?);
        let (at, scale) = (reader.time()?, reader.amount()?);
        let (mut hours, mut days) = ([0.0; 24], [0.0; 7]);
        for cell in hours.iter_mut().chain(&mut days) {
            *cell = (scale * (f64::from(reader.byte()?) / 255.0).powi(2)) as f32;
        }
        let mut profile = Self { level, hours, days, at, shape: Shape::default() };
        profile.reshape(&Shape::default());
        Some(profile)
    }

    fn reshape(&mut self, prior: &Shape) {
        self.shape = Shape::shrunk(&self.hours, &self.days, prior, SHAPE_PSEUDO_COUNT);
    }
}

impl ChangeModel for Profile {
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(&mut Reader(bytes)).unwrap_or_default()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let cells = || self.hours.iter().chain(&self.days).map(|cell| f64::from(*cell));
        let scale = cells().fold(0.0, f64::max);
        let writer = Writer::default().bytes(&self.level.to_bytes()).time(self.at).float(scale);
        cells()
            .fold(writer, |writer, cell| {
                let share = if scale > 0.0 { (cell / scale).sqrt() } else { 0.0 };
                writer.byte((share * 255.0).round() as u8)
            })
            .0
    }

    fn learn(&mut self, look: &Look<'_>, pool: &Pool) {
        self.level.learn(look, pool);
        if look.at > self.at {
            let keep =
                if self.at == Timestamp::MIN { 0.0 } else { decay(look.at - self.at, SHAPE_HALF_LIFE) };
            self.hours.iter_mut().chain(&mut self.days).for_each(|count| *count *= keep as f32);
            self.at = look.at;
        }
        for &at in look.news {
            let (hour, day) = shape::hour_and_day(at);
            let weight = decay(self.at - at, SHAPE_HALF_LIFE) as f32;
            self.hours[hour] += weight;
            self.days[day] += weight;
        }
        self.reshape(pool.shape());
    }

    fn rate_per_s(&self, pool: &Pool) -> f64 {
        self.level.rate_per_s(pool)
    }

    fn rate_per_s_at(&self, pool: &Pool, at: Timestamp) -> f64 {
        self.level.rate_per_s(pool) * self.shape.factor(at)
    }

    fn posts(&self, pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        self.level.rate_per_s(pool) * self.shape.mass_s(since, until)
    }

    fn wait_s(&self, pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        self.level.rate_per_s(pool) * self.shape.moment_s2(since, until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_learned_and_survive_storage() {
        let (mut model, pool) = (Profile::default(), Pool::default());
        let mut since = None;
        for day in 0..60 {
            let post = |minute: i64| Timestamp::from_secs(day * 86_400 + 18 * 3600 + minute * 60);
            let news: Vec<_> = (0..10).map(|post_no| post(post_no * 5)).collect();
            let at = Timestamp::from_secs((day + 1) * 86_400);
            model.learn(&Look { since, at, news: &news, is_full: false }, &pool);
            since = Some(at);
        }
        for model in [model.clone(), Profile::from_bytes(&model.to_bytes())] {
            let rate =
                |hour: i64| model.rate_per_s_at(&pool, Timestamp::from_secs(60 * 86_400 + hour * 3600));
            assert!(rate(18) > 5.0 * rate(6), "{} {}", rate(18), rate(6));
            let day =
                model.posts(&pool, Timestamp::from_secs(60 * 86_400), Timestamp::from_secs(61 * 86_400));
            // The weekday's factor and the prior of a post a day are in it.
            assert!((day - 10.0).abs() < 2.0, "{day}");
        }
        assert_eq!(model.to_bytes().len(), 16 + 8 + 4 + 31);
    }
}
