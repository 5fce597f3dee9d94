//! ΔI: how many records a list is expected to have that we have not seen, by the model in force for its kind.
//!
//! The regression's sum is kept split (list, clock, dormant), so that ranking tens of thousands of lists costs an addition and a division each.

use freshet_policy::forum::idle::class_of;
use freshet_policy::forum::{Belief, Idle, ListFacts, Loss, ModelKind, Regression, SiteFacts, backtest, gap};

use super::super::super::setup::DAY_S;
use super::super::standing::List;

/// Days before a training that the backtest asks about.
const BACKTEST_DAYS: f64 = 14.0;

/// Where F comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Forecaster {
    /// One model, wherever there is enough to train it.
    Fixed(ModelKind),
    /// The model that wins the backtest on what is known of the site.
    Best(Loss),
}

/// The model of one kind of list.
#[derive(Debug)]
pub(super) struct Forecast {
    model: Model,
    site: SiteFacts,
    /// The list's part of the sum, and from when it is dormant.
    parts: Vec<(f64, f64)>,
}

#[derive(Debug)]
enum Model {
    Average,
    Gap,
    Regression(Box<Regression>),
    Idle(Box<Idle>),
}

impl Default for Forecast {
    fn default() -> Self {
        Self { model: Model::Average, site: SiteFacts::of([]), parts: Vec::new() }
    }
}

impl Forecast {
    /// From all lists of a kind.
    pub(super) fn train(lists: &[&[i64]], now_s: f64, belief: Belief, forecaster: Forecaster) -> Self {
        let kind = match forecaster {
            Forecaster::Fixed(kind) => kind,
            Forecaster::Best(loss) => backtest(lists, now_s - BACKTEST_DAYS * DAY_S, now_s, belief)
                .map_or(ModelKind::Regression, |test| test.winner(loss)),
        };
        let site = SiteFacts::of(lists.iter().copied());
        let model = match kind {
            ModelKind::Regression => Regression::train(lists, now_s, belief)
                .map_or(Model::Average, |regression| Model::Regression(Box::new(regression))),
            ModelKind::Idle => Model::Idle(Box::new(Idle::of_lists(lists, now_s))),
            ModelKind::Gap => Model::Gap,
            ModelKind::Average | ModelKind::Ordinary => Model::Average,
        };
        let mut forecast = Self { model, site, parts: Vec::new() };
        for (number, times_s) in lists.iter().enumerate() {
            forecast.put(number, &ListFacts::of(times_s));
        }
        forecast
    }

    /// A list has changed.
    pub(super) fn refresh(&mut self, list: &List, number: u32) {
        self.put(number as usize, &list.facts);
    }

    fn put(&mut self, number: usize, facts: &ListFacts) {
        if self.parts.len() <= number {
            self.parts.resize(number + 1, (0.0, f64::INFINITY));
        }
        self.parts[number] = match &self.model {
            Model::Regression(regression) => {
                (regression.list_part(facts), facts.dormant_from_s(regression.site()))
            }
            Model::Average | Model::Gap => (gap::mean_s(facts, &self.site), f64::INFINITY),
            Model::Idle(_) => {
                let class = class_of((facts.gap_count > 0).then_some(facts.gaps_h[0] * 3600.0));
                (class as f64, f64::INFINITY)
            }
        };
    }

    /// The clock's part of the sum.
    pub(super) fn clock(&self, at_s: f64) -> f64 {
        if let Model::Regression(regression) = &self.model { regression.clock_part(at_s) } else { 0.0 }
    }

    /// ΔI.
    pub(super) fn records(&self, number: usize, list: &List, clock: f64, at_s: f64) -> f64 {
        // Every list that was looked at has been put.
        let Some(&(part, dormant_s)) = self.parts.get(number) else { return 0.0 };
        let elapsed_s = (at_s - list.visited_s).max(0.0);
        match &self.model {
            Model::Average => elapsed_s / part,
            Model::Gap => elapsed_s / part.max(at_s - list.facts.last_s),
            Model::Regression(model) => {
                let dormant = if at_s >= dormant_s { model.dormant_part() } else { 0.0 };
                elapsed_s / model.believed_s(part + clock + dormant)
            }
            Model::Idle(idle) => {
                let last_s = list.facts.last_s;
                idle.posts(part as usize, list.visited_s - last_s, at_s - last_s)
            }
        }
    }
}
