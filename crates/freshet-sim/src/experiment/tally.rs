//! What an experiment measures.
//!
//! Every post of the evaluation counts once, seen or not; so a policy cannot look better by
//! losing posts. Nothing is ever NaN: what has no value (a mean over no posts) is absent.

use freshet_types::Span;

use crate::trace::Window;

/// Bins of the delay distribution, from a minute to the length of a month, in equal ratios.
const BIN_COUNT: usize = 60;
/// Lower end of the first bin.
const BIN_MIN_S: f64 = 60.0;
/// Upper end of the last.
const BIN_MAX_S: f64 = 60.0 * 86_400.0;

/// What one policy reached at one budget.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    pub policy: String,
    pub calls_per_hour: f64,
    pub calls: u64,
    /// Posts of the evaluation.
    pub posts_total: u64,
    /// Posts that a visit returned.
    pub captured: u64,
    /// Share of them; absent without posts.
    pub coverage: Option<f64>,
    /// Mean delay over all posts, weighted where sources have weights.
    pub mean_delay_s: Option<f64>,
    /// Half of the posts waited at most so long.
    pub median_delay_s: Option<f64>,
    /// Nine of ten waited at most so long.
    pub p90_delay_s: Option<f64>,
    /// Posts returned per call.
    pub posts_per_call: f64,
    /// Share of the visits that returned anything.
    pub useful_call_share: f64,
    /// Time the computation took.
    pub wall_ms: u64,
    /// What changed over the days and among the posts.
    pub series: Series,
}

/// What plots are drawn from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Upper end of each bin in seconds, and the share of posts that waited at most so long.
    pub delay_shares: Vec<(f64, f64)>,
    /// Calls of each day.
    pub calls_by_day: Vec<u64>,
    /// The price of each day, where the policy knows one.
    pub prices_by_day: Vec<f64>,
}

/// Counts while an experiment runs.
#[derive(Clone, Debug)]
pub struct Tally {
    eval_days: usize,
    delays_s: Vec<f32>,
    weighted_s: f64,
    weights: f64,
    calls: u64,
    visits: u64,
    useful: u64,
    captured: u64,
    series: Series,
}

impl Tally {
    /// For so many posts.
    pub fn new(window: Window, posts_total: u64) -> Self {
        Self {
            eval_days: window.eval_days as usize,
            delays_s: Vec::with_capacity(posts_total as usize),
            weighted_s: 0.0,
            weights: 0.0,
            calls: 0,
            visits: 0,
            useful: 0,
            captured: 0,
            series: Series::default(),
        }
    }

    /// A day begins.
    pub fn day(&mut self, price: Option<f64>) {
        self.series.calls_by_day.push(0);
        self.series.prices_by_day.extend(price.filter(|price| price.is_finite()));
        debug_assert!(self.series.calls_by_day.len() <= self.eval_days);
    }

    /// A visit took so many calls.
    pub fn call(&mut self, call_count: u32, is_useful: bool) {
        self.calls += u64::from(call_count);
        self.visits += 1;
        self.useful += u64::from(is_useful);
        if let Some(day) = self.series.calls_by_day.last_mut() {
            *day += u64::from(call_count);
        }
    }

    /// A post was returned.
    pub fn seen(&mut self, delay: Span, weight: f64) {
        self.captured += 1;
        self.unseen(delay, weight);
    }

    /// A post was never returned, and waited until the end.
    pub fn unseen(&mut self, delay: Span, weight: f64) {
        self.delays_s.push(delay.secs_f64() as f32);
        self.weighted_s += delay.secs_f64() * weight;
        self.weights += weight;
    }

    /// The result.
    pub fn outcome(mut self) -> Outcome {
        let posts_total = self.delays_s.len() as u64;
        self.delays_s.sort_unstable_by(f32::total_cmp);
        let share = |count: u64, of: u64| if of == 0 { 0.0 } else { count as f64 / of as f64 };
        let mut series = self.series;
        series.delay_shares = delay_shares(&self.delays_s);
        Outcome {
            calls: self.calls,
            posts_total,
            captured: self.captured,
            coverage: (posts_total > 0).then(|| share(self.captured, posts_total)),
            mean_delay_s: (self.weights > 0.0).then(|| self.weighted_s / self.weights),
            median_delay_s: quantile(&self.delays_s, 0.5),
            p90_delay_s: quantile(&self.delays_s, 0.9),
            posts_per_call: share(self.captured, self.calls),
            useful_call_share: share(self.useful, self.visits),
            series,
            ..Outcome::default()
        }
    }
}

/// The smallest value that at least `share` of the sorted values do not exceed.
fn quantile(sorted: &[f32], share: f64) -> Option<f64> {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.max(1) - 1).map(|value| f64::from(*value))
}

fn delay_shares(sorted: &[f32]) -> Vec<(f64, f64)> {
    if sorted.is_empty() {
        return Vec::new();
    }
    let ratio = (BIN_MAX_S / BIN_MIN_S).powf(1.0 / (BIN_COUNT - 1) as f64);
    let bin = |number: usize| {
        let upper_s = BIN_MIN_S * ratio.powi(number as i32);
        let count = sorted.partition_point(|delay| f64::from(*delay) <= upper_s);
        (upper_s, count as f64 / sorted.len() as f64)
    };
    (0..BIN_COUNT).map(bin).collect()
}

/// For oracles, which know sums only.
pub(crate) fn of_sums(posts_total: u64, calls: u64, weighted_s: f64, weights: f64) -> Outcome {
    Outcome {
        calls,
        posts_total,
        mean_delay_s: (weights > 0.0).then(|| weighted_s.max(0.0) / weights),
        ..Outcome::default()
    }
}
