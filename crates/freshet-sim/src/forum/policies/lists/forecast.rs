//! ΔI: how many records a list is expected to have that we have not seen, by the model in force for its kind.
//!
//! The regression's sum is kept split (list, clock, dormant), so that ranking tens of thousands of lists costs an addition and a division each.

use freshet_policy::forum::backtest::open_gap;
use freshet_policy::forum::idle::class_of;
use freshet_policy::forum::{Idle, ModelKind, Regression, SiteFacts, backtest};

use super::super::super::setup::DAY_S;
use super::super::standing::List;

/// Days before a training that the backtest asks about.
const BACKTEST_DAYS: f64 = 14.0;
/// No interval is shorter, in seconds.
const INTERVAL_S_MIN: f64 = 60.0;

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
    Regression(Box<Regression>),
    Idle(Box<Idle>),
}

impl Default for Forecast {
    fn default() -> Self {
        Self { model: Model::Average, site: SiteFacts::of([]), parts: Vec::new() }
    }
}

impl Forecast {
    /// From all lists of a kind; the regression, or the winner of a backtest.
    pub(super) fn train(lists: &[&[i64]], now_s: f64, longest_h: f64, is_choosing: bool) -> Self {
        let test =
            if is_choosing { backtest(lists, now_s - BACKTEST_DAYS * DAY_S, now_s, longest_h) } else { None };
        let kind = test.map_or(ModelKind::Regression, |test| test.winner());
        let site = SiteFacts::of(lists.iter().copied());
        let model = match (kind, Regression::train(lists, now_s, longest_h)) {
            (ModelKind::Regression, Some(regression)) => Model::Regression(Box::new(regression)),
            (ModelKind::Idle, _) => {
                let mut idle = Idle::default();
                for times_s in lists {
                    idle.learn_list(times_s);
                }
                idle.refresh(lists.iter().filter_map(|times_s| open_gap(times_s, now_s)));
                Model::Idle(Box::new(idle))
            }
            _ => Model::Average,
        };
        let mut forecast = Self { model, site, parts: Vec::new() };
        for (number, times_s) in lists.iter().enumerate() {
            let facts = freshet_policy::forum::ListFacts::of(times_s);
            forecast.put(number, &facts);
        }
        forecast
    }

    /// A list has changed.
    pub(super) fn refresh(&mut self, list: &List, number: u32) {
        self.put(number as usize, &list.facts);
    }

    fn put(&mut self, number: usize, facts: &freshet_policy::forum::ListFacts) {
        if self.parts.len() <= number {
            self.parts.resize(number + 1, (0.0, f64::INFINITY));
        }
        self.parts[number] = match &self.model {
            Model::Regression(regression) => {
                (regression.list_part(facts), facts.dormant_from_s(regression.site()))
            }
            Model::Average => (facts.mean_gap_or(&self.site), f64::INFINITY),
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
        let (part, dormant_s) = self.parts.get(number).copied().unwrap_or((self.site.gap_h, f64::INFINITY));
        let elapsed_s = (at_s - list.visited_s).max(0.0);
        match &self.model {
            Model::Average => elapsed_s / (part * 3600.0).max(INTERVAL_S_MIN),
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
