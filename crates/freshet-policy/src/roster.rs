//! A roster: many sources under one policy and one budget; it learns, prices, and says who is next.
//!
//! The seam between policies and whoever drives them through a history. [`Ruled`] serves every
//! policy that weighs sources one by one; a policy that must see all of them at once (organ
//! pipes) has a roster of its own. The invariant: a decision depends on the looks it was told
//! of and on nothing else.

use std::sync::Arc;

use freshet_types::Timestamp;

use crate::calendar::Calendar;
use crate::group::Group;
use crate::price::{self, SAMPLE_MAX};
use crate::{Look, Market, Objective, Rule, SourceFacts};

/// All sources under one policy.
pub trait Roster: Send + std::fmt::Debug {
    /// The name of the policy.
    fn name(&self) -> &'static str;
    /// Source `number` was visited, or its history was told.
    fn learn(&mut self, number: usize, look: &Look<'_>);
    /// A new day: prices and plans are made anew for a budget of so many visits a second.
    fn plan(&mut self, now: Timestamp, budget_per_s: f64);
    /// The next `count` sources to visit at `now`, the worthiest first, none twice.
    fn pick(&mut self, now: Timestamp, count: usize, picked: &mut Vec<usize>);
    /// The price of a visit, where the policy knows one.
    fn price(&self) -> Option<f64>;
    /// How it spends calls that may ask about several sources, where it has more to say than an order.
    fn groups(&mut self) -> Option<&mut dyn Groups> {
        None
    }
}

/// A roster that prices calls which ask about several sources at once ([`crate::group`]).
pub trait Groups {
    /// What to spend a call on at `now`; those asked about are put into `members`. `None` when every source was
    /// looked at already.
    fn spend(&mut self, now: Timestamp, members: &mut Vec<usize>) -> Option<Call>;
    /// A probe at `at` told that source `number` has so many posts that no visit fetched, at least one; a probe that finds
    /// none is told of as a look, as is a page of a merged list that shows all of them.
    fn note_told(&mut self, number: usize, at: Timestamp, posts: u32);
}

/// What a call is spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// A visit to one source, which fetches its news.
    Visit(usize),
    /// A call for several sources: a probe, or a page of their merged list.
    Group,
}

/// What a roster starts from.
#[derive(Clone, Debug, Default)]
pub struct RosterKit {
    /// How much the news of each source count; as many as there are sources.
    pub weights: Vec<f64>,
    /// Posts a page shows, where that limits what a visit brings.
    pub page_size: Option<u32>,
    /// What is asked for.
    pub objective: Objective,
    /// For policies that draw lots.
    pub seed: u64,
    /// What one call can do for several sources.
    pub group: Group,
    /// Which days are not like others, for all of them.
    pub calendar: Option<Arc<Calendar>>,
}

impl RosterKit {
    /// So many sources of weight 1, without a page limit.
    pub fn plain(source_count: usize) -> Self {
        Self { weights: vec![1.0; source_count], ..Self::default() }
    }

    /// The facts of every source before the first visit.
    pub fn facts(&self) -> Vec<SourceFacts> {
        let facts = |(number, weight): (usize, &f64)| SourceFacts {
            number: number as u32,
            weight: if weight.is_finite() { weight.max(0.0) } else { 0.0 },
            visited_at: Timestamp::MIN,
            backlog: 0.0,
            turn: number as u64,
            page_size: self.page_size,
        };
        self.weights.iter().enumerate().map(facts).collect()
    }
}

/// The roster of a rule.
#[derive(Debug)]
pub struct Ruled<R: Rule> {
    rule: R,
    market: Market,
    sources: Vec<SourceFacts>,
    models: Vec<R::Model>,
    turn: u64,
    has_price: bool,
    ranked: Vec<(f64, u64, u32)>,
}

impl<R: Rule> Ruled<R> {
    /// Of sources of which nothing is known yet.
    pub fn new(rule: R, kit: &RosterKit) -> Self {
        Self::with_models(rule, kit, Vec::new())
    }

    /// Of sources of which something is known already; those beyond the given models know nothing.
    pub fn with_models(rule: R, kit: &RosterKit, mut models: Vec<R::Model>) -> Self {
        let sources = kit.facts();
        models.resize(sources.len(), R::Model::default());
        let mut market = Market::new(kit.objective);
        market.calendars.usual.clone_from(&kit.calendar);
        Self {
            rule,
            market,
            models,
            turn: sources.len() as u64,
            sources,
            has_price: false,
            ranked: Vec::new(),
        }
    }

    /// Visits a second that a sample of the sources wants at a price, scaled to all of them;
    /// `None` where the rule knows no price.
    fn wanted_per_s(&self, market: &Market) -> Option<f64> {
        let stride = self.sources.len().div_ceil(SAMPLE_MAX).max(1);
        let sample = self.models.iter().zip(&self.sources).step_by(stride);
        let sum =
            sample.map(|(model, source)| self.rule.visits_per_s(model, source, market)).sum::<Option<f64>>();
        sum.map(|sum| sum * stride as f64)
    }
}

impl<R: Rule> Roster for Ruled<R> {
    fn name(&self) -> &'static str {
        self.rule.name()
    }

    fn learn(&mut self, number: usize, look: &Look<'_>) {
        let (source, model) = (&mut self.sources[number], &mut self.models[number]);
        self.market.pool.learn(look);
        self.rule.learn(model, look, source, &self.market);
        source.visited_at = look.at;
        source.turn = self.turn;
        self.turn += 1;
    }

    fn plan(&mut self, _now: Timestamp, budget_per_s: f64) {
        self.market.pool.refresh();
        self.has_price = self.wanted_per_s(&self.market).is_some();
        if !self.has_price {
            return;
        }
        let mut market = self.market.clone();
        self.market.price = price::find(budget_per_s, self.market.price, |price| {
            market.price = price;
            self.wanted_per_s(&market).unwrap_or(0.0)
        });
    }

    fn pick(&mut self, now: Timestamp, count: usize, picked: &mut Vec<usize>) {
        picked.clear();
        let worth = |(model, source): (&R::Model, &SourceFacts)| {
            let worth = self.rule.worth(model, source, &self.market, now);
            // A rule that fails to weigh a source must not lose it: it waits at the end.
            (if worth.is_nan() { f64::NEG_INFINITY } else { worth }, source.turn, source.number)
        };
        self.ranked.clear();
        self.ranked.extend(self.models.iter().zip(&self.sources).map(worth));
        pick_best(&mut self.ranked, count, picked);
    }

    fn price(&self) -> Option<f64> {
        self.has_price.then_some(self.market.price)
    }
}

/// The `count` worthiest, best first; who waited longer goes first among equals.
pub(crate) fn pick_best(ranked: &mut Vec<(f64, u64, u32)>, count: usize, picked: &mut Vec<usize>) {
    let order = |a: &(f64, u64, u32), b: &(f64, u64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if count == 0 {
        return;
    }
    if count < ranked.len() {
        ranked.select_nth_unstable_by(count - 1, order);
        ranked.truncate(count);
    }
    ranked.sort_unstable_by(order);
    picked.extend(ranked.iter().map(|(_, _, number)| *number as usize));
}
