//! Which model foretells a site's lists best: trained on the past, asked about what came after, the least error wins.
//!
//! The error of one forecast is |ln(foretold / actual)|, both at least a minute: intervals span minutes to months, and a mean
//! of hours would be about dormant threads alone. Forecasts are asked for at every record after the split whose next record is known or whose
//! silence has outlasted the forecast; an open gap is charged only for what it has already shown to be too short. A published
//! re-implementation of the regression found it worse than the average interval; here every site decides for itself.

use super::features::{ListFacts, SiteFacts};
use super::idle::{Idle, class_of};
use super::regression::{INTERVAL_H_MAX, INTERVAL_H_MIN, Regression};

/// Records that are asked about.
const QUESTIONS_MAX: usize = 20_000;

/// The models that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    /// [`Regression`].
    Regression,
    /// The mean gap of the list, or of the site.
    Average,
    /// [`Idle`].
    Idle,
}

impl ModelKind {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Average => "average interval",
            Self::Idle => "silence",
        }
    }
}

/// Errors of the models on one site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backtest {
    /// Mean of |ln(foretold / actual)| of each.
    pub errors: [(ModelKind, f64); 3],
    /// Forecasts made.
    pub question_count: usize,
}

impl Backtest {
    /// The model with the least error.
    pub fn winner(&self) -> ModelKind {
        let best = self.errors.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(ModelKind::Average, |(kind, _)| *kind)
    }
}

/// Trains on what is before `split_s` and asks about what is between it and `now_s`; `None` where there is nothing to train on or to ask.
pub fn backtest(lists: &[&[i64]], split_s: f64, now_s: f64) -> Option<Backtest> {
    let before = |times_s: &[i64]| times_s.partition_point(|at_s| (*at_s as f64) < split_s);
    let past: Vec<&[i64]> = lists.iter().map(|times_s| &times_s[..before(times_s)]).collect();
    let regression = Regression::train(&past, split_s)?;
    let site = SiteFacts::of(past.iter().copied());
    let mut idle = Idle::default();
    past.iter().for_each(|times_s| idle.learn_list(times_s));
    idle.refresh(past.iter().filter_map(|times_s| open_gap(times_s, split_s)));
    let asked = lists.iter().enumerate().flat_map(|(list, times_s)| (before(times_s)..times_s.len()).map(move |end| (list, end)));
    let asked: Vec<_> = asked.collect();
    let (mut sums, mut question_count) = ([0.0; 3], 0);
    for &(list, end) in asked.iter().step_by(asked.len().div_ceil(QUESTIONS_MAX).max(1)) {
        let facts = ListFacts::of(&lists[list][..=end]);
        let next_s = lists[list].get(end + 1).map(|next| *next as f64);
        let class = class_of((facts.gap_count > 0).then_some(facts.gaps_h[0] * 3600.0));
        let foretold_s = [
            regression.interval_s(&facts, facts.last_s),
            facts.mean_gap_or(&site) * 3600.0,
            idle.median_left_s(class, 0.0, INTERVAL_H_MAX * 3600.0),
        ];
        for (sum, foretold_s) in sums.iter_mut().zip(foretold_s) {
            *sum += error(foretold_s, next_s.unwrap_or(now_s) - facts.last_s, next_s.is_none());
        }
        question_count += 1;
    }
    let mean = |sum: f64| sum / f64::from(question_count);
    let kinds = [ModelKind::Regression, ModelKind::Average, ModelKind::Idle];
    let errors = std::array::from_fn(|place| (kinds[place], mean(sums[place])));
    (question_count > 0).then_some(Backtest { errors, question_count: question_count as usize })
}

/// Class and silence of a list's open gap.
pub fn open_gap(times_s: &[i64], now_s: f64) -> Option<(usize, f64)> {
    let last_s = *times_s.last()?;
    let before_s = times_s.len().checked_sub(2).map(|place| (last_s - times_s[place]) as f64);
    Some((class_of(before_s), now_s - last_s as f64))
}

fn error(foretold_s: f64, actual_s: f64, is_open: bool) -> f64 {
    let ratio = foretold_s.max(INTERVAL_H_MIN * 3600.0).ln() - actual_s.max(INTERVAL_H_MIN * 3600.0).ln();
    if is_open { (-ratio).max(0.0) } else { ratio.abs() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_foretold_and_an_empty_site_is_not() {
        let lists: Vec<Vec<i64>> =
            (1..=12).map(|hours| (0..300).map(|post| post * hours * 3600).collect()).collect();
        let all: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
        let test = backtest(&all, 150.0 * 3600.0, 3600.0 * 3600.0).unwrap();
        assert_ne!(test.winner(), ModelKind::Idle, "{test:?}");
        let best = test.errors.iter().map(|(_, error)| *error).fold(f64::INFINITY, f64::min);
        assert!(best < 0.1, "{test:?}");
        assert_eq!(backtest(&[], 0.0, 1.0), None);
        assert_eq!(backtest(&[&[0, 5]], 100.0, 200.0), None, "nothing came after");
    }

    #[test]
    fn an_open_gap_is_charged_for_what_it_has_shown() {
        assert!(error(7200.0, 3600.0, true).abs() < 1e-12);
        assert!((error(3600.0, 7200.0, true) - std::f64::consts::LN_2).abs() < 1e-12);
        assert!((error(7200.0, 3600.0, false) - std::f64::consts::LN_2).abs() < 1e-12);
    }
}
