//! Bursts: a self-exciting (Hawkes) term on top of the profile, fitted to each source.
//!
//! Assumption: a post makes further posts likely for a while:
//! λ(t) = (1−α)·μ(t) + αβ·F(t), F(t) = Σ e^{−β(t−pⱼ)} over past posts. α is the branching ratio
//! (share of posts that are echoes), 1/β how long an echo lasts. From the state at the last look
//! the expectation is closed: with a = β(1−α) and x = αβF − αμ,
//! L(s,t) = ∫μ + x·(1−e^{−aτ})/a. So what was seen raises (or lowers) what is expected for about 1/a.
//!
//! | symbol | here |
//! |---|---|
//! | μ(t) | `base`, a [`Profile`] |
//! | F for each β | `echoes` |
//! | log-likelihood ratio to α = 0, decayed | `scores` |
//!
//! Fitted, not fixed: α and β are chosen from a grid by posterior weight, under a prior that
//! gives half of its mass to α = 0, because a common α helped some sources and harmed as many.
//! Cost per look: O(news · grid).

use freshet_types::{Span, Timestamp};

use super::{ChangeModel, Profile, RATE_PER_S_MIN, decay, seconds};
use crate::pack::{Reader, Writer};
use crate::{Look, Pool};

/// Lengths of echoes: ten minutes, an hour, five hours.
const ECHO_S: [f64; 3] = [600.0, 3600.0, 18_000.0];
/// Branching ratios.
const RATIOS: [f64; 4] = [0.15, 0.35, 0.55, 0.75];
/// Prior mass of no bursts at all.
const PRIOR_NONE: f64 = 0.5;
/// How fast scores are forgotten.
const HALF_LIFE: Span = Span::from_ms(28 * 86_400_000);
/// Scores beyond this are certain.
const SCORE_MAX: f64 = 200.0;

const GRID: usize = ECHO_S.len() * RATIOS.len();

/// A profile with echoes.
#[derive(Clone, Debug, PartialEq)]
pub struct Burst {
    base: Profile,
    echoes: [f32; ECHO_S.len()],
    scores: [f32; GRID],
    at: Timestamp,
}

impl Default for Burst {
    fn default() -> Self {
        let (echoes, scores) = ([0.0; ECHO_S.len()], [0.0; GRID]);
        Self { base: Profile::default(), echoes, scores, at: Timestamp::MIN }
    }
}

impl Burst {
    /// The profile under the bursts.
    pub fn base(&self) -> &Profile {
        &self.base
    }

    /// The fitted branching ratio (shrunk) and the length of an echo.
    pub fn fitted(&self) -> (f64, f64) {
        let (ratio, echo) = self.best();
        (ratio, ECHO_S[echo])
    }

    /// The same, with the place of the echo.
    fn best(&self) -> (f64, usize) {
        let prior = (1.0 - PRIOR_NONE) / GRID as f64;
        let weight = |index: usize| prior * f64::from(self.scores[index]).exp();
        let total: f64 = PRIOR_NONE + (0..GRID).map(weight).sum::<f64>();
        let best = (0..ECHO_S.len()).max_by(|a, b| {
            let mass =
                |echo: usize| (0..RATIOS.len()).map(|ratio| weight(echo * RATIOS.len() + ratio)).sum::<f64>();
            mass(*a).total_cmp(&mass(*b))
        });
        let echo = best.unwrap_or(0);
        let ratio: f64 = (0..GRID).map(|index| weight(index) * RATIOS[index % RATIOS.len()]).sum();
        (ratio / total, echo)
    }

    /// (excess rate now, its rate of decay): x and a of the header.
    fn excess(&self, pool: &Pool, since: Timestamp) -> (f64, f64) {
        let (ratio, index) = self.best();
        let echo_s = ECHO_S[index];
        let echo = f64::from(self.echoes[index]) * (-seconds(self.at, since) / echo_s).exp();
        let excess = ratio * echo / echo_s - ratio * self.base.rate_per_s_at(pool, since);
        (excess, (1.0 - ratio) / echo_s)
    }

    /// Adds to every hypothesis how much better than no bursts it explains a look.
    fn judge(&mut self, pool: &Pool, look: &Look<'_>, news: &[Timestamp]) {
        let from = look.complete_since();
        let span_s = seconds(from, look.at);
        let base_posts = self.base.posts(pool, from, look.at);
        for (index, score) in self.scores.iter_mut().enumerate() {
            let (echo_s, ratio) = (ECHO_S[index / RATIOS.len()], RATIOS[index % RATIOS.len()]);
            let start =
                f64::from(self.echoes[index / RATIOS.len()]) * (-seconds(self.at, from) / echo_s).exp();
            let (mut echo, mut last, mut gain) = (start, from, 0.0);
            for &at in news {
                echo *= (-seconds(last, at) / echo_s).exp();
                let base = self.base.rate_per_s_at(pool, at).max(RATE_PER_S_MIN);
                gain += ((1.0 - ratio) + ratio * echo / echo_s / base).ln();
                (echo, last) = (echo + 1.0, at);
            }
            let faded = |since_s: f64| 1.0 - (-since_s / echo_s).exp();
            let echoed: f64 =
                news.iter().map(|at| faded(seconds(*at, look.at))).sum::<f64>() + start * faded(span_s);
            gain += ratio * (base_posts - echoed);
            *score = (f64::from(*score) + gain).clamp(-SCORE_MAX, SCORE_MAX) as f32;
        }
    }
}

impl ChangeModel for Burst {
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(&mut Reader(bytes)).unwrap_or_default()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let writer = Writer::default().time(self.at).floats(&self.echoes).floats(&self.scores);
        writer.bytes(&self.base.to_bytes()).0
    }

    fn learn(&mut self, look: &Look<'_>, pool: &Pool) {
        // Pages of history come from before what is known; they change the profile only.
        if look.at > self.at {
            let from = look.complete_since();
            let mut news: Vec<_> = look.news.iter().copied().filter(|at| *at >= from).collect();
            news.sort_unstable();
            if self.at > Timestamp::MIN {
                let keep = decay(look.at - self.at, HALF_LIFE) as f32;
                self.scores.iter_mut().for_each(|score| *score *= keep);
                self.judge(pool, look, &news);
            }
            for (echo, echo_s) in self.echoes.iter_mut().zip(ECHO_S) {
                let kept = f64::from(*echo) * (-seconds(self.at, look.at) / echo_s).exp();
                let new: f64 = news.iter().map(|at| (-seconds(*at, look.at) / echo_s).exp()).sum();
                *echo = (kept + new) as f32;
            }
            self.at = look.at;
        }
        self.base.learn(look, pool);
    }

    fn rate_per_s(&self, pool: &Pool) -> f64 {
        self.base.rate_per_s(pool)
    }

    fn rate_per_s_at(&self, pool: &Pool, at: Timestamp) -> f64 {
        let (excess, fade_per_s) = self.excess(pool, self.at.max(Timestamp::from_ms(0)));
        let faded = excess * (-fade_per_s * seconds(self.at, at)).exp();
        (self.base.rate_per_s_at(pool, at) + faded).max(0.0)
    }

    fn posts(&self, pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        let (excess, fade_per_s) = self.excess(pool, since);
        let lasting_s = -(-fade_per_s * seconds(since, until)).exp_m1() / fade_per_s;
        (self.base.posts(pool, since, until) + excess * lasting_s).max(0.0)
    }

    fn wait_s(&self, pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        let (excess, fade_per_s) = self.excess(pool, since);
        let span_s = seconds(since, until);
        let lasting_s = -(-fade_per_s * span_s).exp_m1() / fade_per_s;
        (self.base.wait_s(pool, since, until) + excess * (span_s - lasting_s) / fade_per_s).max(0.0)
    }
}

impl Burst {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (at, echoes) = (reader.time()?, reader.floats()?);
        let mut scores = [0.0; GRID];
        for score in &mut scores {
            *score = reader.float()?.clamp(-SCORE_MAX, SCORE_MAX) as f32;
        }
        Some(Self { base: Profile::from_bytes(reader.0), echoes, scores, at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A month of daily looks at posts given in seconds of the day.
    fn fitted(posts_of_day: impl Fn(i64) -> Vec<i64>) -> Burst {
        let (mut model, pool) = (Burst::default(), Pool::default());
        let mut since = None;
        for day in 0..60 {
            let news: Vec<_> =
                posts_of_day(day).into_iter().map(|s| Timestamp::from_secs(day * 86_400 + s)).collect();
            let at = Timestamp::from_secs((day + 1) * 86_400);
            model.learn(&Look { since, at, news: &news, is_full: false }, &pool);
            since = Some(at);
        }
        let back = Burst::from_bytes(&model.to_bytes());
        assert_eq!((back.echoes, back.at), (model.echoes, model.at));
        model
    }

    #[test]
    fn bursts_are_found_where_they_are() {
        // Six posts in five minutes at a time that moves through the day.
        let bursty = fitted(|day| (0..6).map(|post| day * 7_919 % 80_000 + post * 60).collect());
        assert!(bursty.fitted().0 > 0.4, "{:?}", bursty.fitted());
        // Six posts spread over the day.
        let even = fitted(|day| (0..6).map(|post| (day * 977 + post * 14_000) % 86_000).collect());
        assert!(even.fitted().0 < 0.1, "{:?}", even.fitted());
    }

    #[test]
    fn a_burst_raises_what_is_expected_and_fades() {
        let mut model = fitted(|day| (0..6).map(|post| day * 7_919 % 80_000 + post * 60).collect());
        let pool = Pool::default();
        let start = Timestamp::from_secs(60 * 86_400);
        let quiet = model.posts(&pool, start, start + Span::HOUR);
        let news: Vec<_> = (1..5).map(|minute| start + Span::MINUTE * f64::from(minute)).collect();
        let at = start + Span::MINUTE * 6.0;
        model.learn(&Look { since: Some(start), at, news: &news, is_full: false }, &pool);
        let excited = model.posts(&pool, at, at + Span::HOUR);
        assert!(excited > 2.0 * quiet, "{excited} after a burst, {quiet} before");
        assert!(model.rate_per_s_at(&pool, at + Span::MINUTE) > model.rate_per_s_at(&pool, at + Span::HOUR));
        assert!(model.wait_s(&pool, at, at + Span::HOUR) > 0.0);
    }
}
