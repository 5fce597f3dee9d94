//! Accuracy: how much of the page the stored copy shows, and what it costs [Liu: "79 % of the accuracy at 36.7 % of the refreshes"].
//!
//! | paper | here |
//! |---|---|
//! | information accuracy | [`accuracy`](freshet_policy::refresh::accuracy): weighted mean over all instants of the similarity of page and copy |
//! | refresh rate, as a share of refreshing at every instant | `share_used` |
//! | frequent refresh strategy | a share of 1, whose accuracy is 1 |
//!
//! [`compare`] learns a plan on
//! one period and scores it on the next, so that no plan knows the period it is judged by.

use freshet_policy::refresh::{Demand, Plan, Reading, Similarities, accuracy, plan};

/// Evenly spaced instants, the first among them: what one does without looking at the page.
pub(crate) fn uniform(instant_count: usize, refresh_count: usize) -> Vec<usize> {
    let refresh_count = refresh_count.min(instant_count);
    (0..refresh_count).map(|turn| turn * instant_count / refresh_count).collect()
}

/// One page in two periods of equal length.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// The period that plans are made from.
    pub(crate) learned: Similarities,
    /// The period they are scored on.
    pub(crate) scored: Similarities,
}

/// What one kind of plan reached, as the mean over all pages.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// `uniform`, `distinct`, `accurate`, or `settled`: accurate for [`Similarities::settled`].
    pub(crate) plan: &'static str,
    /// The share of refreshes that was allowed.
    pub(crate) share_asked: f64,
    /// The share that was used: less where the filter left fewer instants.
    pub(crate) share_used: f64,
    /// The accuracy on the scored period.
    pub(crate) accuracy: f64,
    /// Plans that are proven best for the period they were made from.
    pub(crate) proven_count: usize,
}

/// How far `settled` trusts distances rather than the one period it learned from.
///
/// Picked after trying 0, 0.25, 0.5, 0.75 and 0.9 on one scored week of real accounts, so figures for that week
/// flatter it; with one learned week all but 0 did about equally well.
const SETTLED_SHARE: f64 = 0.5;

/// The kinds of plan that [`compare`] compares: name, reading, and how far the learned period is settled first.
const PLANS: [(&str, Option<Reading>, f64); 4] = [
    ("uniform", None, 0.0),
    ("distinct", Some(Reading::Distinct), 0.0),
    ("accurate", Some(Reading::Accurate), 0.0),
    ("settled", Some(Reading::Accurate), SETTLED_SHARE),
];

/// Accuracy against share of refreshes for each kind of plan; at least one refresh a page.
pub(crate) fn compare(trials: &[Trial], shares: &[f64], similarity_max: f64) -> Vec<Point> {
    let points = shares
        .iter()
        .flat_map(|&share| PLANS.iter().map(move |&kind| point(trials, kind, share, similarity_max)));
    points.collect()
}

fn point(
    trials: &[Trial],
    (name, reading, settled_share): (&'static str, Option<Reading>, f64),
    share: f64,
    similarity_max: f64,
) -> Point {
    let mut point = Point { plan: name, share_asked: share, share_used: 0.0, accuracy: 0.0, proven_count: 0 };
    for trial in trials.iter().filter(|trial| trial.scored.count() > 0) {
        let instant_count = trial.scored.count();
        let refresh_count = ((share * instant_count as f64).round() as usize).clamp(1, instant_count);
        let plan = match reading {
            None => Plan { instants: uniform(instant_count, refresh_count), value: 0.0, is_proven: false },
            Some(reading) => {
                let learned = trial.learned.settled(settled_share);
                plan(&learned, &[], &Demand { refresh_count, similarity_max, reading })
            }
        };
        point.share_used += plan.instants.len() as f64 / instant_count as f64;
        point.accuracy += accuracy(&trial.scored, &[], &plan.instants);
        point.proven_count += usize::from(plan.is_proven);
    }
    let page_count = trials.iter().filter(|trial| trial.scored.count() > 0).count().max(1) as f64;
    point.share_used /= page_count;
    point.accuracy /= page_count;
    point
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshet_policy::refresh::Chain;

    #[test]
    fn uniform_plans_are_even() {
        assert_eq!(uniform(10, 4), [0, 2, 5, 7]);
        assert_eq!(uniform(3, 9), [0, 1, 2]);
        assert_eq!(uniform(3, 0), [] as [usize; 0]);
        assert_eq!(uniform(0, 3), [] as [usize; 0]);
    }

    #[test]
    fn a_page_with_a_rhythm_is_planned_better_than_evenly() {
        // A day of 24 hours; the page turns over in steps from hour 9 to 12 only, every day alike.
        let series: Vec<f64> = (1..24).map(|hour| if (9..=12).contains(&hour) { 0.4 } else { 1.0 }).collect();
        let day = || Similarities::chained(&series, Chain::Product).unwrap();
        let trials = vec![Trial { learned: day(), scored: day() }; 3];
        let points = compare(&trials, &[3.0 / 24.0, 1.0], 1.0);
        let found: Vec<_> = points.iter().map(|point| (point.plan, point.share_used)).collect();
        let (few, kept) = (3.0 / 24.0, 5.0 / 24.0);
        let expected = [
            ("uniform", few),
            ("distinct", few),
            ("accurate", few),
            ("settled", few),
            ("uniform", 1.0),
            ("distinct", kept),
            ("accurate", kept),
            ("settled", 1.0),
        ];
        assert_eq!(found, expected);
        assert!(points[2].accuracy > points[0].accuracy + 0.03, "{points:?}");
        assert!(points[2].accuracy >= points[1].accuracy, "{points:?}");
        assert!(points[4..].iter().all(|point| (point.accuracy - 1.0).abs() < 1e-12), "{points:?}");
        assert_eq!(compare(&[], &[0.5, f64::NAN], 1.0).len(), 8);
    }
}
