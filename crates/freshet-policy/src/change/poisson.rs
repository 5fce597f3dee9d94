//! Poisson process of constant rate with a Gamma prior and decayed evidence.
//!
//! Assumption: posts come independently at a rate that changes slowly. A Gamma prior of shape
//! a₀ around the pooled rate and a Poisson likelihood give the posterior mean
//! λ = (k + a₀) / (T + a₀/λ₀), where k posts were seen in T seconds; both are forgotten by half
//! every [`HALF_LIFE`], which is what lets the rate move. The prior is the exploration: a source
//! of which nothing is known is expected to be like the others, not to be silent (a₀ = 0.02
//! instead of 1 tripled the mean delay of a real trace).
//!
//! | symbol | here |
//! |---|---|
//! | k, T: decayed posts and exposure | `count`, `exposure_s` |
//! | a₀ | [`PRIOR_COUNT`] |
//! | λ₀: pooled rate | [`Pool::rate_per_s`] |
//!
//! Overflow: a full page of c posts shows only the time since its oldest post at o; it is taken
//! as c−1 posts in (o, t], the unbiased estimate of inverse sampling, and the time before it
//! as not looked at. Cost per look: O(news).

use freshet_types::{Span, Timestamp};

use super::{ChangeModel, decay};
use crate::pack::{Reader, Writer};
use crate::{Look, Pool};

/// How fast evidence is forgotten.
const HALF_LIFE: Span = Span::from_ms(7 * 86_400_000);
/// Posts that the prior is worth.
const PRIOR_COUNT: f64 = 1.0;

/// Decayed posts and exposure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poisson {
    count: f64,
    exposure_s: f64,
    at: Timestamp,
}

impl Default for Poisson {
    fn default() -> Self {
        Self { count: 0.0, exposure_s: 0.0, at: Timestamp::MIN }
    }
}

impl Poisson {
    /// Posts seen, decayed.
    pub fn count(&self) -> f64 {
        self.count
    }

    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        Some(Self { count: reader.amount()?, exposure_s: reader.amount()?, at: reader.time()? })
    }

    /// Takes in a look; the half-life is the caller's.
    pub fn learn_with(&mut self, look: &Look<'_>, half_life: Span) {
        if look.at > self.at {
            let keep = if self.at == Timestamp::MIN { 0.0 } else { decay(look.at - self.at, half_life) };
            self.count *= keep;
            self.exposure_s *= keep;
            self.at = look.at;
        }
        let from = look.complete_since();
        let seen = look.news.iter().filter(|at| **at >= from);
        let posts: f64 = seen.map(|at| decay(self.at - *at, half_life)).sum();
        // The oldest post of a full page bounds the stretch, so it is no evidence inside it.
        let bound = if look.is_full { decay(self.at - from, half_life) } else { 0.0 };
        self.count += (posts - bound).max(0.0);
        let mean_life_s = half_life.secs_f64() / std::f64::consts::LN_2;
        let (near, far) = (decay(self.at - look.at, half_life), decay(self.at - from, half_life));
        self.exposure_s += mean_life_s * (near - far).max(0.0);
    }
}

impl ChangeModel for Poisson {
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(&mut Reader(bytes)).unwrap_or_default()
    }

    fn to_bytes(&self) -> Vec<u8> {
        Writer::default().float(self.count).float(self.exposure_s).time(self.at).0
    }

    fn learn(&mut self, look: &Look<'_>, _pool: &Pool) {
        self.learn_with(look, HALF_LIFE);
    }

    fn rate_per_s(&self, pool: &Pool) -> f64 {
        (self.count + PRIOR_COUNT) / (self.exposure_s + PRIOR_COUNT / pool.rate_per_s())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_h(hours: f64) -> Timestamp {
        Timestamp::from_ms((hours * 3_600_000.0) as i64)
    }

    /// Looks every `every_h` for 60 days at a source that posts once an hour.
    fn check(every_h: i64, page_size: Option<usize>, tolerance: f64) {
        let (mut model, pool) = (Poisson::default(), Pool::default());
        let mut since = None;
        for look in 1..=(1440 / every_h) {
            let hours = (look - 1) * every_h..look * every_h;
            let mut news: Vec<_> = hours.map(|hour| at_h(hour as f64 + 0.5)).collect();
            let is_full = page_size.is_some_and(|size| news.len() >= size);
            news.reverse();
            news.truncate(page_size.unwrap_or(usize::MAX));
            let at = at_h((look * every_h) as f64);
            model.learn(&Look { since, at, news: &news, is_full }, &pool);
            since = Some(at);
        }
        let back = Poisson::from_bytes(&model.to_bytes());
        let per_hour = back.rate_per_s(&pool) * 3600.0;
        assert!((per_hour - 1.0).abs() < tolerance, "every {every_h} h, {page_size:?}: {per_hour}");
    }

    #[test]
    fn the_rate_is_found_from_whole_and_from_full_pages() {
        check(1, None, 0.1);
        check(48, None, 0.1);
        // A page of 20 shows 20 of 48 hours, 19 posts in 19.5; the prior counts for more then.
        check(48, Some(20), 0.25);
        check(24, Some(100), 0.1);
    }

    #[test]
    fn nothing_known_is_the_pooled_rate() {
        let pool = Pool::default();
        assert!((Poisson::default().rate_per_s(&pool) - pool.rate_per_s()).abs() < 1e-12);
        assert_eq!(Poisson::from_bytes(b"odd"), Poisson::default());
    }
}
