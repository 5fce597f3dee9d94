//! The mixture: how much of a source's next hours each of its decayed sums explains.
//!
//! Assumption: so long after a visit, the rate is a sum of non-negative shares of what is known
//! at the visit: λ(y) = π·Σ wₖ xₖ + w₅ x₅, with weights that depend on the horizon y (a
//! burst says much of the next quarter of an hour and nothing of tomorrow) and on how much is
//! known of the source (its class). One set of weights serves all sources; it is fitted on what
//! visits returned ([`fit`]).
//!
//! | symbol | here |
//! |---|---|
//! | horizons 0, ¼, ½, 1, 2, 4, 8, 16, 32, 72, 168 h … ∞ | [`EDGES_H`] |
//! | classes by c₁: below 1.2, 4, 15, 60, above; and those that fell silent | [`class`] |
//! | w\[class\]\[horizon\]\[k\] | `weights` |
//! | σ\[class\]: posts in a stretch have mean L and variance L + σL² | `scatters` |
//!
//! A source fell *silent* when one of its quick levels saw far less than its slow one led to expect: it rests,
//! or it is gone. A sum of shares cannot say "none of it", so such sources have weights of their
//! own, and a scatter of their own: they write much or nothing. Scatter matters where a page shows only so
//! many posts, and what counts is how likely it is full ([`crate::policies::capture`]).
//!
//! What it does not do: weights of a single source. They were not worth their evidence.

pub mod evidence;
pub mod fit;
pub(crate) mod seen;

use serde::{Deserialize, Serialize};

use crate::rhythm::{FEATURE_COUNT, Sums};

/// Where each horizon begins, in hours after the last visit; the last is open.
pub(crate) const EDGES_H: [f64; HORIZON_COUNT] =
    [0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 72.0, 168.0];
/// Horizons.
pub(crate) const HORIZON_COUNT: usize = 11;
/// Classes of sources.
pub const CLASS_COUNT: usize = 7;
/// The classes of those that fell silent: days ago, and lately.
const SILENT: [usize; 2] = [CLASS_COUNT - 1, CLASS_COUNT - 2];
/// Where each class but the first and the silent begins, in decayed posts of a month.
const CLASS_EDGES: [f32; CLASS_COUNT - 3] = [1.2, 4.0, 15.0, 60.0];
/// The horizons whose mean is a source's rate in the long run: eight hours to three days ahead.
const LONG_RUN: [usize; 2] = [7, 8];

/// The levels whose silence tells: two days, sixteen hours.
const QUICK: [usize; 2] = [2, 3];
/// Fewer expected posts than these may be missing by chance.
const SILENT_EXPECTED_MIN: f32 = 3.0;
/// Silent is who wrote less than this share of what was expected.
const SILENT_SHARE: f32 = 0.2;

/// Room for all horizons: a power of two, so that they fill whole vectors and a masked number has its place.
pub(crate) const HORIZON_ROOM: usize = 16;

/// Weights of one horizon.
pub(crate) type Weights = [f32; FEATURE_COUNT];

/// The shared weights.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Mixture {
    /// By class and feature, so that the rates of all horizons are added up side by side.
    columns: Box<[[[f32; HORIZON_ROOM]; FEATURE_COUNT]; CLASS_COUNT]>,
    scatters: [f32; CLASS_COUNT],
}

/// A mixture as it is written down.
#[derive(Serialize, Deserialize)]
struct Written {
    weights: Box<[[Weights; HORIZON_COUNT]; CLASS_COUNT]>,
    scatters: [f32; CLASS_COUNT],
}

impl From<Written> for Mixture {
    fn from(Written { weights, scatters }: Written) -> Self {
        let columns = Box::new([[[0.0; HORIZON_ROOM]; FEATURE_COUNT]; CLASS_COUNT]);
        let mut mixture = Self { columns, scatters };
        for (class, weights) in weights.iter().enumerate() {
            for (horizon, weights) in weights.iter().enumerate() {
                mixture.set_weights(class, horizon, *weights);
            }
        }
        mixture
    }
}

impl From<Mixture> for Written {
    fn from(mixture: Mixture) -> Self {
        let of_class = |class| std::array::from_fn(|horizon| mixture.weights(class, horizon));
        Self { weights: Box::new(std::array::from_fn(of_class)), scatters: mixture.scatters }
    }
}

/// What a source's rate is at one horizon: a part that follows its hours, and one that does not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Rate {
    pub(crate) shaped_per_h: f32,
    pub(crate) flat_per_h: f32,
}

/// The same at every horizon; what is beyond the last means nothing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rates {
    pub(crate) shaped_per_h: [f32; HORIZON_ROOM],
    pub(crate) flat_per_h: [f32; HORIZON_ROOM],
}

impl Rates {
    /// The rate at one horizon.
    pub(crate) fn at(&self, horizon: usize) -> Rate {
        Rate { shaped_per_h: self.shaped_per_h[horizon], flat_per_h: self.flat_per_h[horizon] }
    }
}

/// The class of a source with these sums, and the rates that they make.
#[inline(always)]
pub(crate) fn class(sums: &Sums, features: &Weights) -> usize {
    let is_silent = |level: usize| {
        let expected = features[1] * sums.exposures_h[level];
        expected >= SILENT_EXPECTED_MIN && sums.counts[level] < SILENT_SHARE * expected
    };
    let by_count = || CLASS_EDGES.iter().filter(|edge| sums.counts[0] >= **edge).count();
    QUICK
        .into_iter()
        .zip(SILENT)
        .find(|(level, _)| is_silent(*level))
        .map_or_else(by_count, |(_, class)| class)
}

/// The horizon of so many hours after the visit.
pub(crate) fn horizon(hours: f64) -> usize {
    EDGES_H[1..].iter().filter(|edge| hours >= **edge).count()
}

impl Default for Mixture {
    /// What fits on the histories this was developed with have in common, rounded, and scaled so that
    /// a steady source is expected to go on.
    fn default() -> Self {
        let mut weights = Box::new([USUAL; CLASS_COUNT]);
        for (class, share) in SILENT.into_iter().zip(SILENT_USUAL) {
            weights[class].as_flattened_mut().iter_mut().for_each(|weight| *weight *= share);
        }
        Written { weights, scatters: SCATTERS_USUAL }.into()
    }
}

impl Mixture {
    /// The weights of a class at a horizon.
    pub(crate) fn weights(&self, class: usize, horizon: usize) -> Weights {
        self.columns[class].map(|column| column[horizon])
    }

    fn set_weights(&mut self, class: usize, horizon: usize, weights: Weights) {
        for (column, weight) in self.columns[class].iter_mut().zip(weights) {
            column[horizon] = weight;
        }
    }

    /// The same with weights that a fit may give: an earlier version fitted others.
    pub(crate) fn sound(mut self) -> Self {
        let most = fit::WEIGHT_MAX as f32;
        for weight in self.columns.as_flattened_mut().as_flattened_mut() {
            *weight = if weight.is_finite() { weight.clamp(0.0, most) } else { 0.0 };
        }
        self
    }

    /// The rate of a source by horizon.
    #[inline(always)]
    pub(crate) fn rates(&self, class: usize, features: &Weights) -> Rates {
        let (columns, last) = (&self.columns[class], FEATURE_COUNT - 1);
        let mut rates = Rates { shaped_per_h: [0.0; HORIZON_ROOM], flat_per_h: [0.0; HORIZON_ROOM] };
        for (column, feature) in columns[..last].iter().zip(features) {
            for (rate, weight) in rates.shaped_per_h.iter_mut().zip(column) {
                *rate += weight * feature;
            }
        }
        for (rate, weight) in rates.flat_per_h.iter_mut().zip(&columns[last]) {
            *rate = weight * features[last];
        }
        rates
    }

    /// σ of a class.
    pub(crate) fn scatter(&self, class: usize) -> f64 {
        f64::from(self.scatters[class])
    }

    /// Posts an hour in the long run.
    pub(crate) fn long_run_per_h(&self, class: usize, features: &Weights) -> f64 {
        let (columns, last) = (&self.columns[class], FEATURE_COUNT - 1);
        let of = |horizon: usize| {
            let shaped_per_h: f32 = (0..last).map(|k| columns[k][horizon] * features[k]).sum();
            f64::from(shaped_per_h) + f64::from(columns[last][horizon] * features[last])
        };
        LONG_RUN.into_iter().map(of).sum::<f64>() / LONG_RUN.len() as f64
    }
}

/// See [`Mixture::default`]: what those who fell silent still write of what was expected.
const SILENT_USUAL: [f32; 2] = [0.5, 0.8];
/// See [`Mixture::default`].
const SCATTERS_USUAL: [f32; CLASS_COUNT] = [2.0, 1.0, 0.6, 0.5, 0.4, 1.0, 3.0];
/// See [`Mixture::default`]: mean of all, 28 d, 7 d, 2 d, 16 h, burst; a row for each horizon.
const USUAL: [Weights; HORIZON_COUNT] = [
    [0.01, 0.35, 0.05, 0.25, 0.05, 0.2],
    [0.01, 0.3, 0.05, 0.4, 0.1, 0.08],
    [0.01, 0.35, 0.05, 0.35, 0.08, 0.04],
    [0.01, 0.35, 0.05, 0.4, 0.08, 0.02],
    [0.01, 0.4, 0.1, 0.35, 0.05, 0.003],
    [0.01, 0.45, 0.12, 0.3, 0.05, 0.003],
    [0.02, 0.55, 0.15, 0.2, 0.02, 0.002],
    [0.02, 0.65, 0.15, 0.08, 0.02, 0.001],
    [0.02, 0.7, 0.15, 0.05, 0.005, 0.001],
    [0.02, 0.7, 0.18, 0.03, 0.001, 0.0],
    [0.02, 0.7, 0.2, 0.01, 0.001, 0.0],
];
