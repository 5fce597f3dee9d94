//! Decayed sums of a source's posts, and what they say of its rate.
//!
//! | symbol | here |
//! |---|---|
//! | h₁…h₄, half-lives 28 d, 7 d, 2 d, 16 h | [`HALF_LIVES_H`] |
//! | cₖ ← cₖ·2^(−Δ/hₖ) + Σ 2^(−age/hₖ) | `counts` |
//! | eₖ: the same over ∫π instead of posts | `exposuresₕ` |
//! | c₅, half-life 21 min, no exposure and no hours | `burst` |
//! | x₀ = m, the mean rate of all sources | [`Sums::features`] |
//! | xₖ = (cₖ + aₖ)/(eₖ + aₖ/m) | [`Sums::features`] |
//! | x₅ = c₅·ln 2/h₅ | [`Sums::features`] |
//!
//! Exposure is weighed by the source's own hours, so that a quiet night is no evidence of a low
//! level. Days that lie wholly in a long gap count as flat. Cost per look: O(news).

use super::power::powers;
use super::week::Week;

/// Levels, from slow to quick.
pub(crate) const LEVEL_COUNT: usize = 4;
/// What a rate is mixed from: the mean of all, the levels, the burst.
pub(crate) const FEATURE_COUNT: usize = LEVEL_COUNT + 2;
/// Half-lives of the levels.
pub(crate) const HALF_LIVES_H: [f32; LEVEL_COUNT] = [672.0, 168.0, 48.0, 16.0];
/// Half-life of the burst.
const BURST_HALF_LIFE_H: f32 = 0.35;
/// Posts at the mean rate that each level starts from; the quick ones nearly believe what they see.
const PSEUDO_COUNTS: [f32; LEVEL_COUNT] = [1.0, 1.0, 0.1, 0.1];
/// What remains at least of a level over a stretch that a full page hid.
const KEEP_HIDDEN_MIN: f32 = 0.05;
/// Exposure is summed in steps of at most so long, each weighed by its middle.
const STEP_H: f64 = 12.0;

/// The sums of one source, as of its last look.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sums {
    pub(crate) counts: [f32; LEVEL_COUNT],
    pub(crate) exposures_h: [f32; LEVEL_COUNT],
    pub(crate) burst: f32,
}

/// 2^(−span/h) for each level, and for the burst.
#[inline(always)]
fn keeps(span_h: f64) -> ([f32; LEVEL_COUNT], f32) {
    let span_h = span_h.max(0.0) as f32;
    // All in one vector, padded to its width.
    let [a, b, c, d] = HALF_LIVES_H;
    let rates = [-1.0 / a, -1.0 / b, -1.0 / c, -1.0 / d, -1.0 / BURST_HALF_LIFE_H, 0.0, 0.0, 0.0];
    let [a, b, c, d, burst, ..] = powers(rates.map(|per_h| span_h * per_h));
    ([a, b, c, d], burst)
}

impl Sums {
    /// So many hours passed that nobody saw.
    #[inline(always)]
    pub(crate) fn skip(&mut self, span_h: f64) {
        if span_h <= 0.0 {
            return;
        }
        let (keeps, burst) = keeps(span_h);
        for (level, keep) in keeps.into_iter().enumerate() {
            let keep = keep.max(KEEP_HIDDEN_MIN);
            self.counts[level] *= keep;
            self.exposures_h[level] *= keep;
        }
        self.burst *= burst;
    }

    /// So many hours passed in full view, from an hour of the week on; posts follow by [`Sums::add`].
    #[inline(always)]
    pub(crate) fn pass(&mut self, week: &Week, since_h: f64, span_h: f64) {
        let span_h = span_h.max(0.0);
        let (keep, burst) = keeps(span_h);
        for (count, keep) in self.counts.iter_mut().zip(keep) {
            *count *= keep;
        }
        self.burst *= burst;
        // The newest part in steps; whole days before it as a geometric series.
        let days_h = if span_h > 24.0 { (span_h / 24.0).floor() * 24.0 - 24.0 } else { 0.0 };
        if days_h > 0.0 {
            for (level, keep) in keeps(days_h).0.into_iter().enumerate() {
                let full = HALF_LIVES_H[level] / std::f32::consts::LN_2 * (1.0 - keep);
                self.exposures_h[level] = self.exposures_h[level] * keep + full;
            }
        }
        let rest_h = span_h - days_h;
        let step_count = (rest_h / STEP_H).ceil().max(1.0);
        let step_h = rest_h / step_count;
        let (half, _) = keeps(step_h / 2.0);
        let mut seen = week.until(since_h + days_h);
        for step in 1..=step_count as u32 {
            let until = week.until(since_h + days_h + step_h * f64::from(step));
            let mass_h = (until - seen).max(0.0) as f32;
            seen = until;
            for (exposure_h, half) in self.exposures_h.iter_mut().zip(half) {
                // Twice the half is the whole step.
                *exposure_h = (*exposure_h * half + mass_h) * half;
            }
        }
    }

    /// A post, so many hours before the look; gives what the slowest level keeps of it.
    #[inline(always)]
    pub(crate) fn add(&mut self, age_h: f64) -> f32 {
        let (keep, burst) = keeps(age_h);
        for (count, keep) in self.counts.iter_mut().zip(keep) {
            *count += keep;
        }
        self.burst += burst;
        keep[0]
    }

    /// What the rate after the look is mixed from, in posts an hour.
    #[inline(always)]
    pub(crate) fn features(&self, mean_per_h: f64) -> [f32; FEATURE_COUNT] {
        let mean = mean_per_h as f32;
        let mut features = [mean; FEATURE_COUNT];
        for level in 0..LEVEL_COUNT {
            let pseudo = PSEUDO_COUNTS[level];
            features[level + 1] = (self.counts[level] + pseudo) / (self.exposures_h[level] + pseudo / mean);
        }
        features[FEATURE_COUNT - 1] = self.burst * std::f32::consts::LN_2 / BURST_HALF_LIFE_H;
        features
    }
}
