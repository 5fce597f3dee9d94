//! How far `settled` plans trust distances: chosen by weeks that are not scored.
//!
//! A plan has one parameter that is not given by the question: the share by which similarities are drawn towards a page
//! without a rhythm ([`Similarities::settled`]). For each history it is the one of [`TRIED`] whose plans from the first
//! three weeks did best on the fourth, over all pages and shares of refreshes. The fifth week, which counts, is not looked at.

use freshet_policy::refresh::{Demand, Reading, Similarities, accuracy, plan};

use crate::refresh::Trial;

/// Shares that are tried.
pub(super) const TRIED: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 0.9];
/// ζ: only instants at which nothing had changed are dropped.
pub(super) const SIMILARITY_MAX: f64 = 1.0;

/// What is tried, in words.
pub(super) fn tried() -> String {
    TRIED.map(|share| share.to_string()).join(", ")
}

/// Refreshes of so large a share of the instants, at least one.
pub(super) fn refresh_count(instant_count: usize, share: f64) -> usize {
    ((share * instant_count as f64).round() as usize).clamp(1, instant_count.max(1))
}

/// The instants of a plan for what was learned.
pub(super) fn planned(learned: &Similarities, share: f64, reading: Reading) -> Vec<usize> {
    let refresh_count = refresh_count(learned.count(), share);
    plan(learned, &[], &Demand { refresh_count, similarity_max: SIMILARITY_MAX, reading }).instants
}

/// The mean accuracy over all trials and shares of refreshes, settled by so much.
pub(super) fn settled_accuracy(trials: &[Trial], shares: &[f64], settled: f64) -> f64 {
    let of_trial = |trial: &Trial| {
        let learned = trial.learned.settled(settled);
        let of_share =
            |share: &f64| accuracy(&trial.scored, &[], &planned(&learned, *share, Reading::Accurate));
        shares.iter().map(of_share).sum::<f64>()
    };
    trials.iter().map(of_trial).sum::<f64>() / (trials.len() * shares.len()).max(1) as f64
}

/// The best of [`TRIED`] on these trials; of equal ones the first.
pub(super) fn best(trials: &[Trial], shares: &[f64]) -> f64 {
    let scored = TRIED.map(|settled| (settled, settled_accuracy(trials, shares, settled)));
    scored.into_iter().rev().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0.0, |(settled, _)| settled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshet_policy::refresh::Chain;

    fn similarities(series: &[f64]) -> Similarities {
        Similarities::chained(series, Chain::Product).unwrap()
    }

    #[test]
    fn a_rhythm_is_trusted_and_an_accident_is_not() {
        let early: Vec<f64> = (1..24).map(|hour| if hour < 8 { 0.5 } else { 1.0 }).collect();
        let late: Vec<f64> = (1..24).map(|hour| if hour > 15 { 0.5 } else { 1.0 }).collect();
        let same = [Trial { learned: similarities(&early), scored: similarities(&early) }];
        assert!(best(&same, &[0.25]).abs() < 1e-12);
        let other = [Trial { learned: similarities(&early), scored: similarities(&late) }];
        assert!(best(&other, &[0.25]) > 0.0);
        assert!(best(&[], &[0.25]).abs() < 1e-12);
    }

    #[test]
    fn at_least_one_refresh_is_allowed() {
        assert_eq!([0.0, 0.01, 0.5, 2.0].map(|share| refresh_count(10, share)), [1, 1, 5, 10]);
        assert_eq!(refresh_count(0, 0.5), 1);
    }
}
