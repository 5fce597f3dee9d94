//! Curves of divergence: how unlike its last copy a page becomes [Olston 2008].
//!
//! Assumption: a page is made of regions. In a *churn* region fragments are replaced at random,
//! D*(t) = a(1−e^{−λt}). A *scroll* region shows the last K items, D*(t) = E d(min(N,K)),
//! N ~ Poisson(λt), where j of K items replaced are a Jaccard distance of d(j) = 2j/(K+j). A
//! timeline is a scroll region with K the page size. A visit is due when
//! U(τ) = τ·D*(τ) − ∫₀^τ D* reaches a threshold T that all sources share.
//!
//! | paper | here |
//! |---|---|
//! | change profile: (time, divergence) from a base version | `bases`: its time and the posts since; `points`: pooled |
//! | at most h profiles | [`BASES_MAX`] |
//! | D*(t), U(t) | [`Curve::divergence`], [`Curve::utility_s`] |
//!
//! The fit is least squares over a grid of rates, the better curve is kept. Cost per look:
//! O(points · grid).

use std::sync::Arc;

use freshet_types::Timestamp;

use super::{ChangeModel, seconds};
use crate::pack::{Reader, Writer};
use crate::{Look, Pool};

/// Base versions that are followed at once, the paper's h.
const BASES_MAX: usize = 4;
/// Points that a fit is made of, the newest.
const POINTS_MAX: usize = 32;
/// Rates tried: from one in a year to one in a minute, in equal ratios.
const RATES: usize = 32;
const RATE_PER_S_MIN: f64 = 1.0 / (365.0 * 86_400.0);
const RATE_PER_S_MAX: f64 = 1.0 / 60.0;
/// Steps of the table of a scroll region, up to four pages of posts.
const TABLE_STEPS: usize = 400;

/// D* and its integral for a scroll region of K items, by expected posts x = λt.
#[derive(Clone, Debug)]
pub struct Scroll {
    items: u32,
    step: f64,
    values: Arc<[f64]>,
    sums: Arc<[f64]>,
}

impl Scroll {
    /// For pages of so many items.
    pub fn new(items: u32) -> Self {
        let items = items.clamp(1, 1000);
        let step = (4.0 * f64::from(items) + 8.0) / TABLE_STEPS as f64;
        let values: Vec<f64> = (0..=TABLE_STEPS).map(|index| expected(index as f64 * step, items)).collect();
        let mut sums = vec![0.0];
        for pair in values.windows(2) {
            sums.push(sums[sums.len() - 1] + step * f64::midpoint(pair[0], pair[1]));
        }
        Self { items, step, values: values.into(), sums: sums.into() }
    }

    /// Divergence after `count` new posts.
    pub fn after(&self, count: u32) -> f64 {
        distance(count.min(self.items), self.items)
    }

    /// D* and ∫D* at x expected posts.
    fn at(&self, x: f64) -> (f64, f64) {
        let index = (x / self.step).max(0.0);
        if index >= TABLE_STEPS as f64 {
            return (1.0, self.sums[TABLE_STEPS] + (x - TABLE_STEPS as f64 * self.step));
        }
        let (low, part) = (index as usize, index.fract());
        let between = |table: &[f64]| table[low] + (table[low + 1] - table[low]) * part;
        (between(&self.values), between(&self.sums))
    }
}

/// Jaccard distance when `new` of `items` items were replaced.
fn distance(new: u32, items: u32) -> f64 {
    2.0 * f64::from(new) / f64::from(items + new).max(1.0)
}

/// E d(min(N, items)), N ~ Poisson(x).
fn expected(x: f64, items: u32) -> f64 {
    let (mut term, mut sum, mut mass) = ((-x).exp(), 0.0, 0.0);
    for count in 0..items {
        sum += term * distance(count, items);
        mass += term;
        term *= x / f64::from(count + 1);
    }
    // For long pages e^{−x} underflows; by then the page is new.
    sum + (1.0 - mass).clamp(0.0, 1.0)
}

/// A fitted curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curve {
    Churn {
        /// Share of the page that changes at all.
        share: f64,
        rate_per_s: f64,
    },
    /// The last K items.
    Scroll { rate_per_s: f64 },
}

impl Curve {
    /// D*(t).
    pub(crate) fn divergence(&self, span_s: f64, scroll: &Scroll) -> f64 {
        match *self {
            Self::Churn { share, rate_per_s } => -share * (-rate_per_s * span_s).exp_m1(),
            Self::Scroll { rate_per_s } => scroll.at(rate_per_s * span_s).0,
        }
    }

    /// U(t), in seconds of whole divergence; never falls.
    pub fn utility_s(&self, span_s: f64, scroll: &Scroll) -> f64 {
        match *self {
            Self::Churn { share, rate_per_s } => {
                let mean_s = 1.0 / rate_per_s;
                share * (mean_s - (span_s + mean_s) * (-rate_per_s * span_s).exp()).max(0.0)
            }
            Self::Scroll { rate_per_s } => {
                let (value, sum) = scroll.at(rate_per_s * span_s);
                (span_s * value - sum / rate_per_s).max(0.0)
            }
        }
    }

    /// The better of both, by least squares.
    fn fit(points: &[(f32, f32)], scroll: &Scroll) -> Option<Self> {
        let ratio = (RATE_PER_S_MAX / RATE_PER_S_MIN).powf(1.0 / (RATES - 1) as f64);
        let rates = (0..RATES).map(|step| RATE_PER_S_MIN * ratio.powi(step as i32));
        let curves =
            rates.flat_map(|rate_per_s| [Self::Scroll { rate_per_s }, Self::churn(points, rate_per_s)]);
        let error = |curve: &Self| -> f64 {
            let miss = |(span, seen): &(f32, f32)| {
                (curve.divergence(f64::from(*span), scroll) - f64::from(*seen)).powi(2)
            };
            points.iter().map(miss).sum()
        };
        let best = curves.map(|curve| (error(&curve), curve)).min_by(|a, b| a.0.total_cmp(&b.0));
        best.filter(|_| !points.is_empty()).map(|(_, curve)| curve)
    }

    /// The churn curve of this rate with its best share.
    fn churn(points: &[(f32, f32)], rate_per_s: f64) -> Self {
        let (mut above, mut below) = (0.0, 0.0);
        for (span, seen) in points {
            let base = -(-rate_per_s * f64::from(*span)).exp_m1();
            above += base * f64::from(*seen);
            below += base * base;
        }
        let share = if below > 0.0 { (above / below).clamp(0.0, 1.0) } else { 0.0 };
        Self::Churn { share, rate_per_s }
    }
}

/// Base versions, pooled points and the curve through them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profiles {
    bases: Vec<(Timestamp, u32)>,
    points: Vec<(f32, f32)>,
    curve: Option<Curve>,
    look_count: u32,
}

impl Profiles {
    /// The curve; `None` before the second look.
    pub fn curve(&self) -> Option<&Curve> {
        self.curve.as_ref()
    }

    /// Looks so far.
    pub fn look_count(&self) -> u32 {
        self.look_count
    }

    /// Takes in a look and fits the curve.
    pub fn learn_with(&mut self, look: &Look<'_>, scroll: &Scroll) {
        self.note(look, scroll);
        self.fit(scroll);
    }

    /// Fits the curve to what was seen.
    pub fn fit(&mut self, scroll: &Scroll) {
        self.curve = Curve::fit(&self.points, scroll);
    }

    /// Takes in a look: every live profile gets a point, and a new one is opened; the curve stays.
    pub fn note(&mut self, look: &Look<'_>, scroll: &Scroll) {
        self.look_count = self.look_count.saturating_add(1);
        for (at, count) in &mut self.bases {
            *count = count.saturating_add(look.news.len() as u32);
            let span_s = seconds(*at, look.at);
            if span_s > 0.0 {
                self.points.push((span_s as f32, scroll.after(*count) as f32));
            }
        }
        let too_many = self.points.len().saturating_sub(POINTS_MAX);
        self.points.drain(..too_many);
        self.bases.push((look.at, 0));
        let too_old = self.bases.len().saturating_sub(BASES_MAX);
        self.bases.drain(..too_old);
    }
}

impl ChangeModel for Profiles {
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(&mut Reader(bytes)).unwrap_or_default()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default().bytes(&self.look_count.to_le_bytes()).byte(self.bases.len() as u8);
        for (at, count) in &self.bases {
            writer = writer.time(*at).bytes(&count.to_le_bytes());
        }
        for (span, seen) in &self.points {
            writer = writer.floats(&[*span, *seen]);
        }
        writer.0
    }

    fn learn(&mut self, look: &Look<'_>, _pool: &Pool) {
        self.learn_with(look, &Scroll::new(20));
    }

    fn rate_per_s(&self, pool: &Pool) -> f64 {
        match self.curve {
            Some(Curve::Churn { share, rate_per_s }) => share * rate_per_s,
            Some(Curve::Scroll { rate_per_s }) => rate_per_s,
            None => pool.rate_per_s(),
        }
    }
}

impl Profiles {
    /// The curve is fitted again with the next look.
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let look_count = u32::from_le_bytes(reader.bytes(4)?.try_into().ok()?);
        let base_count = usize::from(reader.byte()?).min(BASES_MAX);
        let mut model = Self { look_count, ..Self::default() };
        for _ in 0..base_count {
            let (at, count) = (reader.time()?, reader.bytes(4)?);
            model.bases.push((at, u32::from_le_bytes(count.try_into().ok()?)));
        }
        while let (Some(span), Some(seen)) = (reader.amount(), reader.amount()) {
            model.points.push((span as f32, seen as f32));
        }
        model.points.truncate(POINTS_MAX);
        model.curve = Curve::fit(&model.points, &Scroll::new(20));
        Some(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utility_is_the_area_above_the_curve() {
        let scroll = Scroll::new(20);
        for curve in [Curve::Churn { share: 0.7, rate_per_s: 1e-4 }, Curve::Scroll { rate_per_s: 1e-3 }] {
            for span_s in [600.0, 5_000.0, 40_000.0, 400_000.0] {
                let steps = 4000;
                let step_s = span_s / f64::from(steps);
                let area: f64 = (0..steps)
                    .map(|it| curve.divergence((f64::from(it) + 0.5) * step_s, &scroll) * step_s)
                    .sum();
                let expected = span_s * curve.divergence(span_s, &scroll) - area;
                let got = curve.utility_s(span_s, &scroll);
                assert!((got - expected).abs() < 2e-3 * span_s, "{curve:?} {span_s}: {got}, not {expected}");
            }
        }
    }

    #[test]
    fn a_timeline_is_fitted() {
        let (mut model, scroll) = (Profiles::default(), Scroll::new(20));
        let hour = |hour: i64| Timestamp::from_secs(hour * 3600);
        for look in 1..60 {
            let news: Vec<_> = (0..6).map(|post| hour(look * 6 - post - 1)).collect();
            let since = Some(hour((look - 1) * 6));
            model.learn_with(&Look { since, at: hour(look * 6), news: &news, is_full: false }, &scroll);
        }
        let day = model.curve().unwrap().divergence(86_400.0, &scroll);
        assert!(day > 0.8, "a day of 24 posts renews a page of 20: {day}");
        let two_hours = model.curve().unwrap().divergence(7_200.0, &scroll);
        assert!((0.05..0.45).contains(&two_hours), "two hours bring 2 of 20: {two_hours}");
        let back = Profiles::from_bytes(&model.to_bytes());
        assert_eq!(back, model);
    }
}
