//! Which model foretells a site's lists best: trained on the past, asked about what came after, the least loss wins.
//!
//! What a policy asks of a model is how many records a list has got since it was looked at: ΔI = Δt/F. So every list is asked about as it was at the
//! split, for the time since then. Two losses are measured ([`Loss`]):
//!
//! | loss | of one site | right for |
//! |---|---|---|
//! | deviance | the Poisson deviance of the n records that came from the m foretold, 2·(n·ln(n/m) − n + m), mean over lists: zero for a model that knows, and dear for one that expects news of thousands of dormant threads | how long to wait, at a price |
//! | ranking | the share of pairs of lists in the wrong order ([`super::ranking`]) | whom to visit first, at a budget |
//!
//! A published re-implementation of the regression found it worse than the average interval; here every site decides for itself.

use super::belief::Belief;
use super::features::{ListFacts, SiteFacts};
use super::gap;
use super::idle::{Idle, class_of};
use super::ranking;
use super::regression::Regression;

/// Fewer records than this are not foretold of any list: a logarithm needs a number above zero.
const RECORDS_MIN: f64 = 1e-6;
/// Models that every site can train.
const MODEL_COUNT: usize = 4;

/// What the ordinary model expects: given the ascending times of a list up to the first instant, records until the second.
pub type Ordinary<'a> = &'a dyn Fn(&[i64], f64, f64) -> f64;

/// The models that can be chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    Regression,
    /// The mean gap of the list, or of the site.
    Average,
    /// The mean gap, or the silence so far where that is longer.
    Gap,
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
            Self::Gap => "gap or silence",
            Self::Idle => "silence",
            Self::Ordinary => "ordinary",
        }
    }
}

/// What is made small by choosing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// How far numbers of records are off.
    Deviance,
    /// How many pairs of lists are in the wrong order.
    Ranking,
}

/// What one model came to on one site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    pub kind: ModelKind,
    /// Mean over lists.
    pub deviance: f64,
    /// Share of pairs; `None` where too few can be compared, of a site with one board for instance.
    pub ranking: Option<f64>,
}

impl Score {
    /// The loss that is asked for; where there is no order, the deviance says which model wins.
    fn loss(&self, loss: Loss) -> f64 {
        match loss {
            Loss::Deviance => self.deviance,
            Loss::Ranking => self.ranking.unwrap_or(self.deviance),
        }
    }
}

/// Scores of the models on one site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backtest {
    pub scores: [Score; MODEL_COUNT],
    /// That of the ordinary model, where it was asked.
    pub ordinary: Option<Score>,
    /// Lists asked about.
    pub list_count: usize,
}

impl Backtest {
    /// The model with the least loss.
    pub fn winner(&self, loss: Loss) -> ModelKind {
        let least = self.all().min_by(|a, b| a.loss(loss).total_cmp(&b.loss(loss)));
        least.map_or(ModelKind::Average, |score| score.kind)
    }

    /// All that were asked; the ordinary one first, which wins a tie.
    pub fn all(&self) -> impl Iterator<Item = Score> {
        self.ordinary.into_iter().chain(self.scores)
    }
}

/// Trains on what is before `split_s` and asks about what is between it and `now_s`; `None` where there is nothing to train on.
pub fn backtest(lists: &[&[i64]], split_s: f64, now_s: f64, belief: Belief) -> Option<Backtest> {
    backtest_with(lists, split_s, now_s, belief, None)
}

/// Answers of a model about all lists, and what came: records and the time of the first.
#[derive(Default)]
struct Answers {
    deviance: f64,
    order: Vec<ranking::Asked>,
}

impl Answers {
    fn put(&mut self, foretold: f64, came: f64, next_s: f64) {
        self.deviance += deviance(came, foretold);
        self.order.push((foretold, next_s));
    }

    fn score(&self, kind: ModelKind) -> Score {
        let deviance = self.deviance / self.order.len().max(1) as f64;
        Score { kind, deviance, ranking: ranking::loss(&self.order) }
    }
}

/// The same, with the ordinary model beside the others.
pub(crate) fn backtest_with(
    lists: &[&[i64]],
    split_s: f64,
    now_s: f64,
    belief: Belief,
    ordinary: Option<Ordinary<'_>>,
) -> Option<Backtest> {
    let before = |times_s: &[i64], at_s: f64| times_s.partition_point(|time_s| (*time_s as f64) < at_s);
    let past: Vec<&[i64]> = lists.iter().map(|times_s| &times_s[..before(times_s, split_s)]).collect();
    let regression = Regression::train(&past, split_s, belief)?;
    let site = SiteFacts::of(past.iter().copied());
    let idle = Idle::of_lists(&past, split_s);
    let mut answers: [Answers; MODEL_COUNT] = std::array::from_fn(|_| Answers::default());
    let mut ordinary_answers = Answers::default();
    for (known, all) in past.iter().zip(lists).filter(|(known, _)| !known.is_empty()) {
        let (facts, span_s) = (ListFacts::of(known), now_s - split_s);
        let silence_s = split_s - facts.last_s;
        let class = class_of((facts.gap_count > 0).then_some(facts.gaps_h[0] * 3600.0));
        let foretold = [
            span_s / regression.interval_s(&facts, split_s),
            span_s / gap::mean_s(&facts, &site),
            span_s / gap::interval_s(&facts, &site, now_s),
            idle.posts(class, silence_s, silence_s + span_s),
        ];
        let later = &all[known.len()..before(all, now_s)];
        let (came, next_s) =
            (later.len() as f64, later.first().map_or(f64::INFINITY, |next_s| *next_s as f64));
        for (answers, foretold) in answers.iter_mut().zip(foretold) {
            answers.put(foretold, came, next_s);
        }
        if let Some(ordinary) = ordinary {
            ordinary_answers.put(ordinary(known, split_s, now_s), came, next_s);
        }
    }
    let kinds = [ModelKind::Regression, ModelKind::Average, ModelKind::Gap, ModelKind::Idle];
    let scores = std::array::from_fn(|index| answers[index].score(kinds[index]));
    let list_count = answers[0].order.len();
    let ordinary = ordinary.map(|_| ordinary_answers.score(ModelKind::Ordinary));
    (list_count > 0).then_some(Backtest { scores, ordinary, list_count })
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

    const BELIEF: Belief = Belief { shortest_h: 24.0, longest_h: 365.0 * 24.0 };

    #[test]
    fn a_clock_is_foretold_by_its_average() {
        let lists: Vec<Vec<i64>> =
            (1..=12).map(|hours| (0..600).map(|post| post * hours * 3600).collect()).collect();
        let all: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
        let test = backtest(&all, 300.0 * 3600.0, 480.0 * 3600.0, BELIEF).unwrap();
        assert_eq!((test.winner(Loss::Deviance), test.list_count), (ModelKind::Average, 12), "{test:?}");
        assert_eq!(backtest(&[], 0.0, 1.0, BELIEF), None);
    }

    #[test]
    fn bursts_are_foretold_by_their_silence() {
        // Ten posts a minute apart, one thread a day, nothing after that.
        let lists: Vec<Vec<i64>> =
            (0..300).map(|day| (0..10).map(|post| day * 86_400 + post * 60).collect()).collect();
        let all: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
        let test = backtest(&all, 200.0 * 86_400.0, 214.0 * 86_400.0, BELIEF).unwrap();
        assert_eq!(test.winner(Loss::Deviance), ModelKind::Idle, "{test:?}");
    }

    #[test]
    fn deviance_is_zero_where_it_came_true() {
        assert!(deviance(3.0, 3.0).abs() < 1e-12 && deviance(0.0, 0.0) < 1e-5);
        assert!(deviance(0.0, 2.0) > 3.9 && deviance(5.0, 0.0).is_finite());
    }
}
