//! Which model foretells a site's lists best: trained on the past, asked about what came after, the least error wins.
//!
//! What a policy asks of a model is how many records a list has got since it was looked at: ΔI = Δt/F. So every list is asked about as it was at the
//! split, for the time since then, and the error is the Poisson deviance of the n records that came from the m foretold,
//! 2·(n·ln(n/m) − n + m), mean over lists: zero for a model that knows, and dear for one that expects news of thousands of dormant threads. A
//! published re-implementation of the regression found it worse than the average interval; here every site decides for itself.

use super::features::{ListFacts, SiteFacts};
use super::idle::{Idle, class_of};
use super::regression::Regression;

/// Fewer records than this are not foretold of any list: a logarithm needs a number above zero.
const RECORDS_MIN: f64 = 1e-6;
/// Shortest average interval, in hours: a minute.
const AVERAGE_H_MIN: f64 = 1.0 / 60.0;

/// What the ordinary model expects: given the ascending times of a list up to the first instant, records until the second.
pub type Ordinary<'a> = &'a dyn Fn(&[i64], f64, f64) -> f64;

/// The models that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    Regression,
    /// The mean gap of the list, or of the site.
    Average,
    Idle,
    /// The model of the policy in force, which learns from visits.
    Ordinary,
}

impl ModelKind {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Average => "average interval",
            Self::Idle => "silence",
            Self::Ordinary => "ordinary",
        }
    }
}

/// Errors of the models on one site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backtest {
    /// Mean deviance of each.
    pub errors: [(ModelKind, f64); 3],
    /// That of the ordinary model, where it was asked.
    pub ordinary: Option<f64>,
    /// Lists asked about.
    pub list_count: usize,
}

impl Backtest {
    /// The model with the least error.
    pub fn winner(&self) -> ModelKind {
        self.all().min_by(|a, b| a.1.total_cmp(&b.1)).map_or(ModelKind::Average, |(kind, _)| kind)
    }

    /// All that were asked, with their errors; the ordinary one first, which wins a tie.
    pub fn all(&self) -> impl Iterator<Item = (ModelKind, f64)> {
        self.ordinary.map(|error| (ModelKind::Ordinary, error)).into_iter().chain(self.errors)
    }
}

/// Trains on what is before `split_s` and asks about what is between it and `now_s`; `None` where there is nothing to train on.
pub fn backtest(lists: &[&[i64]], split_s: f64, now_s: f64, longest_h: f64) -> Option<Backtest> {
    backtest_with(lists, split_s, now_s, longest_h, None)
}

/// The same, with the ordinary model beside the others.
pub(crate) fn backtest_with(
    lists: &[&[i64]],
    split_s: f64,
    now_s: f64,
    longest_h: f64,
    ordinary: Option<Ordinary<'_>>,
) -> Option<Backtest> {
    let before = |times_s: &[i64]| times_s.partition_point(|at_s| (*at_s as f64) < split_s);
    let past: Vec<&[i64]> = lists.iter().map(|times_s| &times_s[..before(times_s)]).collect();
    let regression = Regression::train(&past, split_s, longest_h)?;
    let site = SiteFacts::of(past.iter().copied());
    let mut idle = Idle::default();
    for times_s in &past {
        idle.learn_list(times_s);
    }
    idle.refresh(past.iter().filter_map(|times_s| open_gap(times_s, split_s)));
    let (mut sums, mut ordinary_sum, mut list_count) = ([0.0; 3], 0.0, 0_u32);
    for (known, all) in past.iter().zip(lists).filter(|(known, _)| !known.is_empty()) {
        let (facts, span_s) = (ListFacts::of(known), now_s - split_s);
        let silence_s = split_s - facts.last_s;
        let class = class_of((facts.gap_count > 0).then_some(facts.gaps_h[0] * 3600.0));
        let foretold = [
            span_s / regression.interval_s(&facts, split_s),
            span_s / (facts.mean_gap_or(&site).max(AVERAGE_H_MIN) * 3600.0),
            idle.posts(class, silence_s, silence_s + span_s),
        ];
        let came = all.partition_point(|at_s| (*at_s as f64) < now_s).saturating_sub(known.len()) as f64;
        for (sum, foretold) in sums.iter_mut().zip(foretold) {
            *sum += deviance(came, foretold);
        }
        if let Some(ordinary) = ordinary {
            ordinary_sum += deviance(came, ordinary(known, split_s, now_s));
        }
        list_count += 1;
    }
    let kinds = [ModelKind::Regression, ModelKind::Average, ModelKind::Idle];
    let errors = std::array::from_fn(|index| (kinds[index], sums[index] / f64::from(list_count.max(1))));
    let ordinary = ordinary.map(|_| ordinary_sum / f64::from(list_count.max(1)));
    (list_count > 0).then_some(Backtest { errors, ordinary, list_count: list_count as usize })
}

/// Class and silence of a list's open gap.
pub fn open_gap(times_s: &[i64], now_s: f64) -> Option<(usize, f64)> {
    let last_s = *times_s.last()?;
    let before_s = times_s.len().checked_sub(2).map(|index| (last_s - times_s[index]) as f64);
    Some((class_of(before_s), now_s - last_s as f64))
}

/// Of `came` records where `foretold` were expected.
fn deviance(came: f64, foretold: f64) -> f64 {
    let foretold = foretold.max(RECORDS_MIN);
    let surprise = if came > 0.0 { came * (came / foretold).ln() } else { 0.0 };
    2.0 * (surprise - came + foretold)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_foretold_by_its_average() {
        let lists: Vec<Vec<i64>> =
            (1..=12).map(|hours| (0..600).map(|post| post * hours * 3600).collect()).collect();
        let all: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
        let test = backtest(&all, 300.0 * 3600.0, 480.0 * 3600.0, 8760.0).unwrap();
        assert_eq!((test.winner(), test.list_count), (ModelKind::Average, 12), "{test:?}");
        assert_eq!(backtest(&[], 0.0, 1.0, 8760.0), None);
    }

    #[test]
    fn bursts_are_foretold_by_their_silence() {
        // Ten posts a minute apart, one thread a day, nothing after that.
        let lists: Vec<Vec<i64>> =
            (0..300).map(|day| (0..10).map(|post| day * 86_400 + post * 60).collect()).collect();
        let all: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
        let test = backtest(&all, 200.0 * 86_400.0, 214.0 * 86_400.0, 8760.0).unwrap();
        assert_eq!(test.winner(), ModelKind::Idle, "{test:?}");
    }

    #[test]
    fn deviance_is_zero_where_it_came_true() {
        assert!(deviance(3.0, 3.0).abs() < 1e-12 && deviance(0.0, 0.0) < 1e-5);
        assert!(deviance(0.0, 2.0) > 3.9 && deviance(5.0, 0.0).is_finite());
    }
}
