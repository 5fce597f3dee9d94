//! The model of one kind of list of one site that won the backtest, ready to be asked.
//!
//! Four compete: [`Regression`], the average interval, [`Idle`], and the ordinary model, which is that of the policy in force and learns
//! from visits; it is given here as a function. Where that wins, nothing here is asked: the policy decides as for any
//! source. Where another wins, two questions are answered:
//!
//! | question | answer |
//! |---|---|
//! | ΔI, records since a look: (CT − LT)/F(x) [list-wise, section 3.4] | [`Chosen::records`] |
//! | when the waiting of these records, ∫ ΔI, has grown to a price | [`Chosen::worth_at_s`] |
//! | when one record is expected: ΔI = 1 | [`Chosen::first_at_s`] |
//!
//! Cost of a question about time: O(instants looked at), some two hundred.

use super::backtest::{Backtest, Loss, ModelKind, Ordinary, backtest_with};
use super::belief::Belief;
use super::features::{ListFacts, SiteFacts};
use super::gap;
use super::idle::{Idle, class_of};
use super::regression::Regression;

/// How far back the backtest goes, in seconds: the last fortnight is foretold from what was before it.
const BACKTEST_S: f64 = 14.0 * 86_400.0;
/// By what models are chosen.
const LOSS: Loss = Loss::Deviance;
/// Instants are looked at in steps that grow by this factor, from a minute on.
const STEP: f64 = 1.1;
const FIRST_STEP_S: f64 = 60.0;

/// The models of one kind of list.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    test: Backtest,
    site: SiteFacts,
    regression: Regression,
    idle: Idle,
}

impl Chosen {
    /// Trains all models on lists by their ascending times and chooses one; `None` where there is too little to tell.
    pub fn train(lists: &[&[i64]], now_s: f64, belief: Belief, ordinary: Ordinary<'_>) -> Option<Self> {
        let test = backtest_with(lists, now_s - BACKTEST_S, now_s, belief, Some(ordinary))?;
        let regression = Regression::train(lists, now_s, belief)?;
        let idle = Idle::of_lists(lists, now_s);
        Some(Self { test, site: SiteFacts::of(lists.iter().copied()), regression, idle })
    }

    /// Which model is used.
    pub fn kind(&self) -> ModelKind {
        self.test.winner(LOSS)
    }

    /// By which figures it won.
    pub fn test(&self) -> &Backtest {
        &self.test
    }

    /// ΔI: records expected between a look and a later instant. Never negative, never NaN.
    pub fn records(&self, facts: &ListFacts, since_s: f64, at_s: f64) -> f64 {
        let span_s = (at_s - since_s).max(0.0);
        let records = match self.kind() {
            ModelKind::Regression => span_s / self.regression.interval_s(facts, at_s),
            ModelKind::Idle => {
                let class = class_of((facts.gap_count > 0).then_some(facts.gaps_h[0] * 3600.0));
                let last_s = if facts.record_count > 0 { facts.last_s } else { since_s };
                self.idle.posts(class, since_s - last_s, at_s - last_s)
            }
            ModelKind::Gap => span_s / gap::interval_s(facts, &self.site, at_s),
            ModelKind::Average | ModelKind::Ordinary => span_s / gap::mean_s(facts, &self.site),
        };
        // `max` swallows a NaN of infinite times.
        records.max(0.0)
    }

    /// Records a second that are expected from now on, over the time in which the next one is.
    pub fn rate_per_s(&self, facts: &ListFacts, since_s: f64, longest_s: f64) -> f64 {
        let span_s = (self.first_at_s(facts, since_s, longest_s) - since_s).max(1.0);
        self.records(facts, since_s, since_s + span_s) / span_s
    }

    /// When one record is expected, at most `longest_s` after the look.
    pub fn first_at_s(&self, facts: &ListFacts, since_s: f64, longest_s: f64) -> f64 {
        let is_reached = |at_s: f64, _: f64| self.records(facts, since_s, at_s) >= 1.0;
        search(since_s, longest_s, |_, _| 0.0, is_reached)
    }

    /// When the records since a look have waited `price_s` in all, at most `longest_s` after it.
    pub fn worth_at_s(&self, facts: &ListFacts, since_s: f64, price_s: f64, longest_s: f64) -> f64 {
        let records = |at_s: f64| self.records(facts, since_s, at_s);
        // Between two instants the records grow about evenly.
        let waited = |from_s: f64, to_s: f64| f64::midpoint(records(from_s), records(to_s)) * (to_s - from_s);
        search(since_s, longest_s, waited, |_, sum_s| sum_s >= price_s)
    }
}

/// The first of growing steps at which something is reached that sums up on the way.
fn search(
    since_s: f64,
    longest_s: f64,
    part: impl Fn(f64, f64) -> f64,
    is_reached: impl Fn(f64, f64) -> bool,
) -> f64 {
    let (end_s, mut span_s) = (since_s + longest_s.max(0.0), FIRST_STEP_S);
    let (mut from_s, mut sum) = (since_s, 0.0);
    while since_s + span_s < end_s {
        let at_s = since_s + span_s;
        sum += part(from_s, at_s);
        if is_reached(at_s, sum) {
            return at_s;
        }
        (from_s, span_s) = (at_s, span_s * STEP);
    }
    end_s
}

#[cfg(test)]
mod tests {
    use super::*;

    const BELIEF: Belief = Belief { shortest_h: 24.0, longest_h: 365.0 * 24.0 };
    const DAY_S: f64 = 86_400.0;

    /// Ten posts a minute apart, one thread a day, nothing after that.
    fn bursts() -> Vec<Vec<i64>> {
        (0..300).map(|day| (0..10).map(|post| day * 86_400 + post * 60).collect()).collect()
    }

    fn trained(lists: &[Vec<i64>], now_s: f64, ordinary: Ordinary<'_>) -> Chosen {
        let lists: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
        Chosen::train(&lists, now_s, BELIEF, ordinary).unwrap()
    }

    #[test]
    fn the_ordinary_model_wins_where_it_knows_better() {
        let lists = bursts();
        let now_s = 214.0 * DAY_S;
        // What came after the split, exactly.
        let knows = |known: &[i64], from_s: f64, to_s: f64| {
            let own = lists.iter().find(|times_s| times_s[0] == known[0]).unwrap();
            let is_later = |at_s: &&i64| (from_s..to_s).contains(&(**at_s as f64));
            own.iter().filter(is_later).count() as f64
        };
        let chosen = trained(&lists, now_s, &knows);
        assert_eq!(chosen.kind(), ModelKind::Ordinary, "{:?}", chosen.test());
        let guesses = |_: &[i64], _: f64, _: f64| 50.0;
        let chosen = trained(&lists, now_s, &guesses);
        assert_eq!(chosen.kind(), ModelKind::Idle, "{:?}", chosen.test());
        assert!(chosen.test().ordinary.is_some_and(|score| score.deviance > 1.0));
    }

    #[test]
    fn silence_makes_waits_longer_and_nothing_is_endless() {
        let lists = bursts();
        let chosen = trained(&lists, 214.0 * DAY_S, &|_, _, _| 50.0);
        let facts = ListFacts::of(&lists[200][..5]);
        let wait_s = |silence_s: f64| {
            let since_s = facts.last_s + silence_s;
            chosen.worth_at_s(&facts, since_s, 600.0, 30.0 * DAY_S) - since_s
        };
        assert!(wait_s(30.0) < 3600.0, "{}", wait_s(30.0));
        assert!(wait_s(60.0 * DAY_S) > 10.0 * wait_s(30.0));
        let first_s = |silence_s: f64| {
            let since_s = facts.last_s + silence_s;
            chosen.first_at_s(&facts, since_s, 30.0 * DAY_S) - since_s
        };
        assert!((first_s(60.0 * DAY_S) - 30.0 * DAY_S).abs() < 1.0, "no longer than asked");
        let blank = ListFacts::default();
        for at_s in [0.0, 1e12, f64::MAX] {
            assert!(chosen.records(&blank, 0.0, at_s).is_finite());
            assert!(chosen.rate_per_s(&blank, at_s, DAY_S).is_finite());
        }
    }

    #[test]
    fn a_steady_list_is_worth_a_visit_by_the_formula() {
        let lists: Vec<Vec<i64>> =
            (1..=12).map(|hours| (0..600).map(|post| post * hours * 3600).collect()).collect();
        let chosen = trained(&lists, 480.0 * 3600.0, &|_, _, _| 0.0);
        assert_eq!(chosen.kind(), ModelKind::Average);
        let facts = ListFacts::of(&lists[3][..100]);
        // √(2·price/λ) with λ of one in four hours.
        let expected_s = (2.0 * 500.0 * 4.0 * 3600.0_f64).sqrt();
        let got_s = chosen.worth_at_s(&facts, facts.last_s, 500.0, DAY_S) - facts.last_s;
        assert!((got_s / expected_s - 1.0).abs() < 0.12, "{got_s} {expected_s}");
        let rate = chosen.rate_per_s(&facts, facts.last_s, DAY_S) * 4.0 * 3600.0;
        assert!((rate - 1.0).abs() < 0.01, "{rate}");
    }
}
