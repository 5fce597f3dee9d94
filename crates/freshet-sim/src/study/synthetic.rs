//! A synthetic population whose rates are known: where a rule's loss can be told from a model's.
//!
//! 400 accounts; rates lognormal with σ = 1.5, scaled to 43,000 expected posts in 14 days; each has a
//! day of its own, exp(2·cos) around a random hour, which makes its busiest hour 55 times its
//! quietest; posts are Poisson. 28 days to learn from come before, for policies that do.
//! Visits of a rule on known rates do not depend on posts, so they are scored by expectation too.

use freshet_policy::change::Known;
use freshet_policy::change::shape::Shape;
use freshet_policy::policies::capture;
use freshet_types::Timestamp;
use rand::{RngExt as _, SeedableRng as _};
use rand_distr::{LogNormal, Poisson as PoissonCount};
use rand_pcg::Pcg32;

use crate::experiment::SLOT;
use crate::experiment::oracle::Curve;
use crate::trace::{History, Poster, Window};

const ACCOUNT_COUNT: usize = 400;
const RATE_SIGMA: f64 = 1.5;
const POSTS_EXPECTED: f64 = 43_000.0;
/// ln of the busiest hour against the mean of the logarithms.
const CYCLE_STRENGTH: f64 = 2.0;
const HOUR_S: i64 = 3600;
/// Seed of the committed results.
pub(super) const SEED: u64 = 20_080_414;
/// Begins on a Monday.
const WINDOW: Window = Window { from: Timestamp::from_secs(4 * 86_400), warm_days: 28, eval_days: 14 };
/// Slots that count.
pub(super) const SLOT_COUNT: usize = 14 * 96;

/// Accounts, what they posted, and the truth about them.
pub(super) struct Synthetic {
    pub(super) history: History,
    pub(super) models: Vec<Known>,
    pub(super) curves: Vec<Curve>,
}

/// Draws the population.
pub(super) fn synthetic(seed: u64) -> Synthetic {
    let mut rng = Pcg32::seed_from_u64(seed);
    let rates = LogNormal::new(0.0, RATE_SIGMA).expect("a positive deviation");
    let drawn: Vec<f64> = (0..ACCOUNT_COUNT).map(|_| rng.sample(rates)).collect();
    let scale = POSTS_EXPECTED / (f64::from(WINDOW.eval_days) * 86_400.0) / drawn.iter().sum::<f64>();
    let (mut models, mut curves, mut posters) = (Vec::new(), Vec::new(), Vec::new());
    for (user, rate) in (0..).zip(drawn) {
        let rate_per_s = rate * scale;
        let peak_h: f64 = rng.random_range(0.0..24.0);
        let factor = |hour: usize| {
            let angle = (hour as f64 + 0.5 - peak_h) / 24.0 * std::f64::consts::TAU;
            (CYCLE_STRENGTH * angle.cos()).exp() as f32
        };
        let shape = Shape::new(std::array::from_fn(factor), [1.0; 7]);
        posters.push(Poster { user, posts: posts(&mut rng, rate_per_s, &shape), ..Poster::default() });
        models.push(Known::new(shape.factors().0.map(|factor| f64::from(factor) * rate_per_s)));
        curves.push(Curve::new(1.0, SLOT_COUNT, |slot| {
            rate_per_s * shape.factor(WINDOW.start() + SLOT * (slot as f64 + 0.5))
        }));
    }
    Synthetic { history: History { window: WINDOW, posters }, models, curves }
}

/// Poisson posts of the whole window, hour by hour.
fn posts(rng: &mut Pcg32, rate_per_s: f64, shape: &Shape) -> Vec<Timestamp> {
    let mut posts = Vec::new();
    let mut hour_s = WINDOW.from.secs();
    while hour_s < WINDOW.end().secs() {
        let expected = rate_per_s * shape.factor(Timestamp::from_secs(hour_s)) * HOUR_S as f64;
        let count = PoissonCount::new(expected).map_or(0.0, |counts| rng.sample(counts)) as usize;
        posts.extend((0..count).map(|_| Timestamp::from_secs(hour_s + rng.random_range(0..HOUR_S))));
        hour_s += HOUR_S;
    }
    posts.sort_unstable();
    posts
}

/// The visits of a run: the slots after which each source was visited, from 1, ascending.
pub(super) struct Visits(pub(super) Vec<Vec<usize>>);

impl Visits {
    pub(super) fn none() -> Self {
        Self(vec![Vec::new(); ACCOUNT_COUNT])
    }

    pub(super) fn add(&mut self, slot: u64, source: usize) {
        self.0[source].push(slot as usize + 1);
    }

    /// Expected mean wait of a post; what no visit finds waits until the end.
    pub(super) fn mean_wait_s(&self, curves: &[Curve]) -> f64 {
        let mut sum_s = 0.0;
        for (curve, visits) in curves.iter().zip(&self.0) {
            let mut since = 0;
            for &slot in visits.iter().chain(&[SLOT_COUNT]) {
                sum_s += curve.wait_s(since, slot);
                since = slot;
            }
        }
        sum_s / expected_posts(curves)
    }

    /// Expected share of posts that a page of so many shows before they are pushed out.
    pub(super) fn captured(&self, curves: &[Curve], page_size: u32) -> f64 {
        let mut sum = 0.0;
        for (curve, visits) in curves.iter().zip(&self.0) {
            let mut since = 0;
            for &slot in visits {
                sum += capture::brought(curve.posts[slot] - curve.posts[since], Some(page_size));
                since = slot;
            }
        }
        sum / expected_posts(curves)
    }

    /// Expected share of posts after the last visit to their source.
    pub(super) fn left(&self, curves: &[Curve]) -> f64 {
        let left = |(curve, visits): (&Curve, &Vec<usize>)| {
            curve.posts[SLOT_COUNT] - curve.posts[visits.last().copied().unwrap_or(0)]
        };
        curves.iter().zip(&self.0).map(left).sum::<f64>() / expected_posts(curves)
    }
}

/// Expected posts of all sources.
pub(super) fn expected_posts(curves: &[Curve]) -> f64 {
    curves.iter().filter_map(|curve| curve.posts.last()).sum()
}
