//! Levels: what a source did lately at four paces, its latest burst, and its hours, in 52 bytes.
//!
//! Assumption: λ(y) hours after the last look is a mixture of the decayed sums of
//! [`sums`](self) with weights that all sources share ([`crate::mixture`]), times the source's own
//! hours where the part follows them. It is the model of the default policy, and this is its
//! whole state: what is hot for ten million sources.
//!
//! | symbol | here | bytes |
//! |---|---|--:|
//! | c₁…c₄, decayed posts | `counts` | 8 |
//! | e₁…e₄, decayed exposure | `exposuresₕ` | 8 |
//! | c₅, the burst | `burst` | 1 |
//! | 24 hour factors of its own posts | `hours` | 24 |
//! | 7 weekday factors | `days` | 7 |
//! | s, the last look | `at_s` | 4 |
//!
//! Hours and weekdays are shares of the c₁ posts, smoothed over neighbouring hours; for a plan
//! they are shrunk to the pool's by [`PSEUDO_COUNT`] posts. All are rounded by a die
//! ([`small`]), so that many small changes add up. What it does not do: hours of its own for
//! weekdays and weekends; too few posts. Cost per look: O(news + 31).

use freshet_types::Timestamp;
use pulp::{Simd, WithSimd};

use super::shape;
use super::week::{Week, hour_of_week};
use super::{ChangeModel, seconds};
use crate::mixture::{self, EDGES_H, Rate, Rates};
use crate::pack::{Reader, Writer};
use crate::rhythm::{Die, LEVEL_COUNT, Small, Sums, Tiny, share_of};
use crate::wide::wide;
use crate::{Look, Pool};

/// Posts that the pool's hours are worth.
const PSEUDO_COUNT: f32 = 20.0;
/// Factors are kept in steps of 1/24, up to 10.6.
const FACTOR_STEPS: f32 = 24.0;
/// Hours to each side that a post counts in.
const ASIDE: usize = 3;
/// A post's share in its own hour and in those beside it: a bell curve of one hour, and nothing to fill a vector.
const BELL: [f32; 2 + 2 * ASIDE] = [0.004_435, 0.054, 0.242_04, 0.399_05, 0.242_04, 0.054, 0.004_435, 0.0];
/// 2²³: a number of this size has no places behind the point.
const WHOLE: f32 = 8_388_608.0;

/// The state of one source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// The last look, in seconds since 1970; 0 before the first.
    at_s: u32,
    counts: [Small; LEVEL_COUNT],
    exposures_h: [Small; LEVEL_COUNT],
    burst: Tiny,
    hours: [u8; 24],
    days: [u8; 7],
}

const _: () = assert!(size_of::<Levels>() == 52, "ten million of them are kept in memory");

impl Default for Levels {
    fn default() -> Self {
        Self {
            at_s: 0,
            counts: [Small::default(); LEVEL_COUNT],
            exposures_h: [Small::default(); LEVEL_COUNT],
            burst: Tiny::default(),
            hours: [FACTOR_STEPS as u8; 24],
            days: [FACTOR_STEPS as u8; 7],
        }
    }
}

impl Levels {
    /// When it was last looked at.
    pub fn looked_at(&self) -> Timestamp {
        Timestamp::from_secs(i64::from(self.at_s))
    }

    #[inline(always)]
    fn sums(&self) -> Sums {
        Sums {
            counts: self.counts.map(Small::get),
            exposures_h: self.exposures_h.map(Small::get),
            burst: self.burst.get(),
        }
    }

    /// Its hours, shrunk to the pool's.
    #[inline(always)]
    pub(crate) fn week(&self, pool: &Pool) -> Week {
        let mut week = Week::default();
        self.fill_week(pool, &mut week);
        week
    }

    /// The same into a week that is there.
    #[inline(always)]
    pub(crate) fn fill_week(&self, pool: &Pool, week: &mut Week) {
        let (pool_hours, pool_days) = pool.shape().factors();
        let count = self.counts[0].get();
        week.set_means(shrunk(&self.hours, pool_hours, count), shrunk(&self.days, pool_days, count));
    }

    /// The rate by horizon after the last look.
    #[inline(always)]
    pub(crate) fn rates(&self, pool: &Pool) -> Rates {
        let sums = self.sums();
        let features = sums.features(pool.rate_per_s() * 3600.0);
        pool.mixture().rates(mixture::class(&sums, &features), &features)
    }

    /// How far its posts stray from what is expected of it, beyond chance.
    pub(crate) fn scatter(&self, pool: &Pool) -> f64 {
        let sums = self.sums();
        let features = sums.features(pool.rate_per_s() * 3600.0);
        pool.mixture().scatter(mixture::class(&sums, &features))
    }

    /// Learns from a look.
    #[inline(always)]
    fn learn_from(&mut self, look: &Look<'_>, pool: &Pool) {
        let from = look.complete_since();
        let mut sums = self.sums();
        let mut die = Die::new(look.at.ms() as u64 ^ u64::from(self.at_s));
        if self.at_s > 0 {
            sums.skip(seconds(self.looked_at(), from) / 3600.0);
        }
        sums.pass(&self.week(pool), hour_of_week(from), seconds(from, look.at) / 3600.0);
        // A stretch that begins with a post is one post short, or rates come out too high.
        let mut begins_with_post = look.since != Some(from) && look.since.is_none_or(|since| since < from);
        let mut news = News::default();
        for &post in look.news {
            let age_h = seconds(post, look.at) / 3600.0;
            if post == from && std::mem::take(&mut begins_with_post) {
                // Its hour counts all the same.
                news.add(post, Sums::default().add(age_h));
            } else {
                news.add(post, sums.add(age_h));
            }
        }
        self.counts = sums.counts.map(|sum| Small::new(sum, &mut die));
        self.exposures_h = sums.exposures_h.map(|sum| Small::new(sum, &mut die));
        self.burst = Tiny::new(sums.burst, &mut die);
        self.learn_hours(&news, sums.counts[0], &mut die);
        self.at_s = look.at.secs().clamp(1, i64::from(u32::MAX)) as u32;
    }

    /// Takes the posts of a look into the hours; `count` posts are known with them.
    #[inline(always)]
    fn learn_hours(&mut self, news: &News, count: f32, die: &mut Die) {
        if news.count <= 0.0 {
            return;
        }
        let step = (news.count / count.max(news.count)).min(1.0);
        self.hours = moved(self.hours, news.hours(), step * 24.0 / news.count, step, die);
        self.days = moved(self.days, news.days, step * 7.0 / news.count, step, die);
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let mut model =
            Self { at_s: u32::from_le_bytes(reader.bytes(4)?.try_into().ok()?), ..Self::default() };
        for sum in model.counts.iter_mut().chain(&mut model.exposures_h) {
            *sum = Small(u16::from_le_bytes(reader.bytes(2)?.try_into().ok()?));
        }
        model.burst = Tiny(reader.byte()?);
        for factor in model.hours.iter_mut().chain(&mut model.days) {
            *factor = reader.byte()?;
        }
        reader.0.is_empty().then_some(model)
    }

    /// Calls with every stretch of one rate between two instants: rate, begin and end in hours
    /// after the last look.
    fn stretches(
        &self,
        pool: &Pool,
        since: Timestamp,
        until: Timestamp,
        mut each: impl FnMut(Rate, f64, f64),
    ) {
        let hours = |at: Timestamp| seconds(self.looked_at(), at) / 3600.0;
        let (from_h, to_h) = (hours(since), hours(until));
        let rates = self.rates(pool);
        for (horizon, edge_h) in EDGES_H.into_iter().enumerate() {
            let low_h = edge_h.max(from_h);
            let high_h = EDGES_H.get(horizon + 1).copied().unwrap_or(f64::INFINITY).min(to_h);
            if high_h > low_h {
                each(rates.at(horizon), low_h, high_h);
            }
        }
    }
}

/// Own factors and the pool's, by posts known and posts the pool is worth; their mean is 1.
#[inline(always)]
fn shrunk<const N: usize>(own: &[u8; N], pool: &[f32; N], count: f32) -> [f32; N] {
    let sum: u32 = own.iter().map(|factor| u32::from(*factor)).sum();
    let known = if sum > 0 { count } else { 0.0 };
    let own_share = known * N as f32 / (sum.max(1) as f32 * (known + PSEUDO_COUNT));
    let pool_share = PSEUDO_COUNT / (known + PSEUDO_COUNT);
    let mut factors = [0.0; N];
    for cell in 0..N {
        factors[cell] = f32::from(own[cell]) * own_share + pool[cell] * pool_share;
    }
    factors
}

/// Decayed posts of one look, by hour and weekday.
#[derive(Debug, Default)]
struct News {
    count: f32,
    /// Hours from the third before the day to the fourth after it.
    around: [f32; 24 + 2 * ASIDE + 1],
    days: [f32; 7],
}

impl News {
    /// A post of which so much is left.
    #[inline(always)]
    fn add(&mut self, post: Timestamp, keep: f32) {
        let (hour, day) = shape::hour_and_day(post);
        self.count += keep;
        self.days[day] += keep;
        for (cell, share) in self.around[hour..][..BELL.len()].iter_mut().zip(BELL) {
            *cell += keep * share;
        }
    }

    /// The hours of one day: what reaches into those beside it is the same hour.
    fn hours(&self) -> [f32; 24] {
        let mut hours: [f32; 24] = std::array::from_fn(|hour| self.around[hour + ASIDE]);
        for aside in 0..ASIDE {
            hours[24 - ASIDE + aside] += self.around[aside];
            hours[aside] += self.around[24 + ASIDE + aside];
        }
        hours
    }
}

/// Factors moved by a step towards others, of which `gain` times the posts of each cell are the
/// step's share.
#[inline(always)]
fn moved<const N: usize>(factors: [u8; N], posts: [f32; N], gain: f32, step: f32, die: &mut Die) -> [u8; N] {
    let (keep, gain, seed) = (1.0 - step, gain * FACTOR_STEPS, die.throw());
    let mut moved = [0; N];
    for cell in 0..N {
        let next = f32::from(factors[cell]) * keep + posts[cell] * gain + share_of(seed, cell as u32);
        // Rounded down by adding 2²³, which leaves no places behind the point.
        let next = (next - 0.5).clamp(0.0, 255.0) + WHOLE;
        moved[cell] = next.to_bits() as u8;
    }
    moved
}

/// The learning from a look, as work that is done on wide vectors.
struct Learning<'a> {
    model: &'a mut Levels,
    look: &'a Look<'a>,
    pool: &'a Pool,
}

impl WithSimd for Learning<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.model.learn_from(self.look, self.pool);
    }
}

impl ChangeModel for Levels {
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(&mut Reader(bytes)).unwrap_or_default()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let sums = self.counts.iter().chain(&self.exposures_h).flat_map(|sum| sum.0.to_le_bytes());
        let writer = Writer(self.at_s.to_le_bytes().into_iter().chain(sums).collect());
        writer.byte(self.burst.0).bytes(&self.hours).bytes(&self.days).0
    }

    fn learn(&mut self, look: &Look<'_>, pool: &Pool) {
        wide(Learning { model: self, look, pool });
    }

    fn rate_per_s(&self, pool: &Pool) -> f64 {
        let sums = self.sums();
        let features = sums.features(pool.rate_per_s() * 3600.0);
        pool.mixture().long_run_per_h(mixture::class(&sums, &features), &features) / 3600.0
    }

    fn rate_per_s_at(&self, pool: &Pool, at: Timestamp) -> f64 {
        let rate = self.rates(pool).at(mixture::horizon(seconds(self.looked_at(), at) / 3600.0));
        let factor = self.week(pool).factor(hour_of_week(at));
        (f64::from(rate.shaped_per_h) * factor + f64::from(rate.flat_per_h)) / 3600.0
    }

    fn posts(&self, pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        let (week, begin_h) = (self.week(pool), hour_of_week(self.looked_at()));
        let mut posts = 0.0;
        self.stretches(pool, since, until, |rate, low_h, high_h| {
            let mass_h = week.mass_h(begin_h + low_h, begin_h + high_h);
            posts += f64::from(rate.shaped_per_h) * mass_h + f64::from(rate.flat_per_h) * (high_h - low_h);
        });
        posts
    }

    fn wait_s(&self, pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        let (week, begin_h) = (self.week(pool), hour_of_week(self.looked_at()));
        let end_h = seconds(self.looked_at(), until) / 3600.0;
        let mut wait_h = 0.0;
        self.stretches(pool, since, until, |rate, low_h, high_h| {
            let mass_h = week.mass_h(begin_h + low_h, begin_h + high_h);
            let first_h2 = week.first_h2(begin_h + high_h) - week.first_h2(begin_h + low_h);
            let shaped = (begin_h + end_h) * mass_h - first_h2;
            let flat = (high_h - low_h) * (end_h - f64::midpoint(low_h, high_h));
            wait_h += f64::from(rate.shaped_per_h) * shaped.max(0.0) + f64::from(rate.flat_per_h) * flat;
        });
        wait_h * 3600.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Forty days with so many posts in each of three evening hours, looked at every so many hours.
    fn learned(posts_per_h: i64, every_h: i64) -> Levels {
        let (mut model, pool, mut since) = (Levels::default(), Pool::default(), None);
        let post = |at: i64| (18..21).contains(&(at / 3600 % 24));
        for look in 1..=(40 * 24 / every_h) {
            let at_s = look * every_h * 3600;
            let times = (at_s - every_h * 3600..at_s).step_by((3600 / posts_per_h) as usize);
            let news: Vec<_> = times.filter(|at| post(*at)).map(Timestamp::from_secs).collect();
            let at = Timestamp::from_secs(at_s);
            model.learn(&Look { since, at, news: &news, is_full: false }, &pool);
            since = Some(at);
        }
        model
    }

    #[test]
    fn levels_and_hours_are_learned_however_often_it_is_looked_at() {
        let pool = Pool::default();
        for (posts_per_h, every_h) in [(1, 24), (4, 24), (4, 1), (4, 6), (30, 3)] {
            let model = learned(posts_per_h, every_h);
            let day = Timestamp::from_secs(40 * 86_400);
            let hour = |hour: i64| day + freshet_types::Span::HOUR * hour as f64;
            let posts = model.posts(&pool, day, hour(24));
            let expected = 3.0 * posts_per_h as f64;
            assert!(
                (posts / expected - 1.0).abs() < 0.35,
                "{posts_per_h} {every_h}: {posts}, not {expected}"
            );
            let (evening, morning) =
                (model.rate_per_s_at(&pool, hour(19)), model.rate_per_s_at(&pool, hour(8)));
            assert!(evening > 3.0 * morning, "{posts_per_h} {every_h}: {evening} {morning}");
        }
    }

    #[test]
    fn it_is_stored_as_it_is() {
        let model = learned(4, 6);
        let bytes = model.to_bytes();
        assert_eq!((bytes.len(), Levels::from_bytes(&bytes)), (52, model));
        assert_eq!(Levels::from_bytes(&bytes[..51]), Levels::default());
    }

    #[test]
    fn posts_and_waits_agree_with_steps() {
        let (model, pool) = (learned(4, 6), Pool::default());
        let at = |hours: f64| model.looked_at() + freshet_types::Span::from_secs_f64(hours * 3600.0);
        let (mut posts, mut wait_s) = (0.0, 0.0);
        for step in 0..(100 * 60) {
            let middle = (f64::from(step) + 0.5) / 60.0;
            posts += model.rate_per_s_at(&pool, at(middle)) * 60.0;
            wait_s += model.rate_per_s_at(&pool, at(middle)) * 60.0 * (100.0 - middle) * 3600.0;
        }
        let (got_posts, got_wait_s) =
            (model.posts(&pool, at(0.0), at(100.0)), model.wait_s(&pool, at(0.0), at(100.0)));
        assert!((got_posts / posts - 1.0).abs() < 0.01, "{got_posts} {posts}");
        assert!((got_wait_s / wait_s - 1.0).abs() < 0.01, "{got_wait_s} {wait_s}");
    }
}
