//! Upper and lower step curves of divergence, without any parametric curve [Olston 2008].
//!
//! Between two observations of a base version the divergence jumped at some time: the upper
//! curve lets it jump right after the earlier one, the lower right before the later one. The
//! areas under both, averaged over the profiles kept, bound the utility of a visit:
//! at most `Δ·D − A_min`, at least `Δ·D − A_max`, Δ the time since the reference.
//!
//! | paper | here |
//! |---|---|
//! | φ | `interval_s` |
//! | `t_R` | the base of the newest profile |
//! | h profiles | `profiles`, at most [`PROFILES_MAX`] |
//! | T | the caller's threshold |

use freshet_types::Timestamp;

use super::curve::Scroll;
use super::{ChangeModel, seconds};
use crate::pack::{Reader, Writer};
use crate::{Look, Pool};

/// Profiles that areas are averaged over.
const PROFILES_MAX: usize = 3;
/// Points of a profile; a base that is older is given up.
const POINTS_MAX: usize = 24;
/// Interval before anything is known: short, because it can only be shown to be too long by
/// several observations of one base.
const START_S: f64 = 900.0;
/// Shortest and longest interval.
const RANGE_S: (f64, f64) = (300.0, 60.0 * 86_400.0);

/// Divergence from one base version.
#[derive(Clone, Debug, Default, PartialEq)]
struct Steps {
    base_at: Timestamp,
    count: u32,
    points: Vec<(f32, f32)>,
}

impl Steps {
    /// Areas under the lower and the upper curve up to `span_s`.
    fn areas(&self, span_s: f64) -> (f64, f64) {
        let (mut lower, mut upper, mut last_s, mut last) = (0.0, 0.0, 0.0, 0.0);
        for (point_s, seen) in self.points.iter().map(|(s, d)| (f64::from(*s), f64::from(*d))) {
            let length_s = (point_s.min(span_s) - last_s).max(0.0);
            lower += length_s * last;
            upper += length_s * seen;
            (last_s, last) = (point_s, seen);
        }
        // Beyond what was observed nothing is known: unchanged at least, all new at most.
        let rest_s = (span_s - last_s).max(0.0);
        (lower + rest_s * last, upper + rest_s)
    }
}

/// The interval and what bounds it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bounds {
    profiles: Vec<Steps>,
    interval_s: Option<f64>,
    threshold_s: f64,
}

impl Bounds {
    /// Of a source that is first looked at again after so long.
    pub fn starting_at(interval_s: f64) -> Self {
        Self { interval_s: Some(interval_s.clamp(RANGE_S.0, RANGE_S.1)), ..Self::default() }
    }

    /// φ.
    pub fn interval_s(&self) -> f64 {
        self.interval_s.unwrap_or(START_S)
    }

    /// The threshold under which the interval was learned; 0 before the first.
    pub fn threshold_s(&self) -> f64 {
        self.threshold_s
    }

    /// A look under threshold T: the interval moves, and perhaps the reference.
    pub fn learn_with(&mut self, look: &Look<'_>, scroll: &Scroll, threshold_s: f64) {
        for steps in &mut self.profiles {
            steps.count = steps.count.saturating_add(look.news.len() as u32);
            let span_s = seconds(steps.base_at, look.at);
            if span_s > 0.0 && steps.points.len() < POINTS_MAX {
                steps.points.push((span_s as f32, scroll.after(steps.count) as f32));
            }
        }
        self.threshold_s = threshold_s;
        let Some(newest) = self.profiles.last() else { return self.open(look.at) };
        let span_s = seconds(newest.base_at, look.at);
        let gained_s = span_s * scroll.after(newest.count);
        let profiles = self.profiles.len() as f64;
        let sum = |(low, high): (f64, f64), (l, h): (f64, f64)| (low + l, high + h);
        let (low, high) = self.profiles.iter().map(|steps| steps.areas(span_s)).fold((0.0, 0.0), sum);
        let (least_s, most_s) = (gained_s - high / profiles, gained_s - low / profiles);
        let is_full = newest.points.len() >= POINTS_MAX;
        let interval_s = self.interval_s();
        let moved_s = if most_s < threshold_s {
            interval_s * 2.0
        } else if least_s >= threshold_s {
            interval_s / 2.0
        } else {
            interval_s
        };
        self.interval_s = Some(moved_s.clamp(RANGE_S.0, RANGE_S.1));
        if most_s >= threshold_s || is_full {
            self.open(look.at);
        }
    }

    /// The reference is reset to now.
    fn open(&mut self, base_at: Timestamp) {
        self.profiles.push(Steps { base_at, ..Steps::default() });
        let too_many = self.profiles.len().saturating_sub(PROFILES_MAX);
        self.profiles.drain(..too_many);
    }
}

impl ChangeModel for Bounds {
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(&mut Reader(bytes)).unwrap_or_default()
    }

    /// Profiles are short-lived and start anew; the interval is what was learned.
    fn to_bytes(&self) -> Vec<u8> {
        Writer::default().float(self.interval_s()).float(self.threshold_s).0
    }

    fn learn(&mut self, look: &Look<'_>, _pool: &Pool) {
        self.learn_with(look, &Scroll::new(20), self.threshold_s);
    }

    fn rate_per_s(&self, _pool: &Pool) -> f64 {
        1.0 / self.interval_s()
    }
}

impl Bounds {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let (interval_s, threshold_s) = (reader.amount()?, reader.amount()?);
        let interval_s = Some(interval_s.clamp(RANGE_S.0, RANGE_S.1));
        Some(Self { interval_s, threshold_s, ..Self::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Posts every `gap_s`; looks when the interval says so; gives the interval in the end.
    fn settled_s(gap_s: i64, threshold_s: f64) -> f64 {
        let (mut model, scroll) = (Bounds::default(), Scroll::new(20));
        let mut at_s = 0.0;
        for _ in 0..200 {
            let since_s = at_s;
            at_s += model.interval_s();
            let posts = (since_s as i64 / gap_s + 1)..=(at_s as i64 / gap_s);
            let news: Vec<_> = posts.map(|post| Timestamp::from_secs(post * gap_s)).collect();
            let since = Some(Timestamp::from_secs(since_s as i64));
            let at = Timestamp::from_secs(at_s as i64);
            model.learn_with(&Look { since, at, news: &news, is_full: false }, &scroll, threshold_s);
        }
        model.interval_s()
    }

    #[test]
    fn quiet_sources_get_longer_intervals_and_higher_thresholds_too() {
        assert!(settled_s(86_400, 3_600.0) > settled_s(3_600, 3_600.0));
        assert!(settled_s(3_600, 36_000.0) > settled_s(3_600, 360.0));
    }
}
