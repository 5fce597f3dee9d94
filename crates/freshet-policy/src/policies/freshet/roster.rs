//! Many sources under one look-ahead: what they learn from each other, and who goes first.
//!
//! Each slot the largest regrets are visited ([`crate::lookahead`]). What is shared:
//!
//! | what | when it is made anew |
//! |---|---|
//! | the price, at which the planned visits of a sample equal the budget | daily |
//! | the prices of the hours ([`crate::price::HourPrices`]) | daily, from the marginal regret of every slot |
//! | the hours of the pool | daily |
//! | the weights of the mixture ([`crate::mixture::fit`]) | every [`FIT_DAYS`] days, from what visits returned |
//!
//! The price is the same for rates that are known and for those that are learned. A closed form for constant rates,
//! (Σ√(wλ))²/(2B²), is no worse on histories, but up to half too dear where days are strongly marked: visits
//! that choose their hours save more than it knows.
//!
//! A plan is made at each visit, and again when it is old or the price has moved: lazily, when
//! the source is next compared. No plan leaves a source alone for much more than [`GAP_ROUNDS`]
//! rounds over all of them, which keeps those in sight of which nothing is expected.
//! What it does not do: look at more than the looks it was told of.

use freshet_types::{Span, Timestamp};

use super::super::{capture, index};
use super::{Sketch, WEIGHT_MIN};
use crate::group::reach::Recent;
use crate::lookahead::{self, Curve, Outlook};
use crate::mixture::fit;
use crate::mixture::seen::{History, Seen};
use crate::price::{self, SAMPLE_MAX};
use crate::roster::Groups;
use crate::roster::pick_best;
use crate::{Look, Market, Objective, Roster, RosterKit, SourceFacts};

/// Days between two fits of the mixture.
const FIT_DAYS: u32 = 3;
/// How far back posts are kept for fits: twice what a fit looks at, for the slow sums' sake.
const KEPT: Span = Span::from_ms(56 * 86_400_000);
/// The longest planned gap, in rounds over all sources.
const GAP_ROUNDS: f64 = 4.0;
/// A plan is made anew after so long, or where its nodes end.
const PLAN_AGE_MAX: Span = Span::from_ms(36 * 3_600_000);
/// A plan is made anew when the price moved by this share.
const PRICE_SHIFT_MAX: f64 = 0.04;

/// Where the rates come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rates {
    /// From looks: what all sources have in common is fitted anew every few days.
    Learned,
    /// They were given, and nothing is fitted.
    Known,
}

/// A plan as it is kept: regrets, or posts, by node.
#[derive(Clone, Debug)]
pub(super) struct Card {
    made_at: Timestamp,
    price: f64,
    values: Curve,
    /// Posts by node, where looks may be probes.
    pub(super) posts: Option<Curve>,
}

/// Sources under the look-ahead.
#[derive(Debug)]
pub struct Lookahead<M: Outlook> {
    pub(super) market: Market,
    rates: Rates,
    pub(super) sources: Vec<SourceFacts>,
    models: Vec<M>,
    pub(super) cards: Vec<Option<Card>>,
    /// Of the sources that a fit looks at.
    seen: Vec<Seen>,
    /// A fit looks at every so manieth source.
    stride: usize,
    sketch: Sketch,
    budget_per_s: f64,
    day: u32,
    turn: u64,
    pub(super) ranked: Vec<(f64, u64, u32)>,
    /// What the last call was worth more than it cost, and when: the next instant marks it.
    pub(super) marginal: Option<(Timestamp, f64)>,
    /// The newest posts that looks showed.
    pub(super) recent: Recent,
    /// Who was asked about in groups at the last instant, reached or not.
    pub(super) asked: (Timestamp, Vec<usize>),
}

impl<M: Outlook> Lookahead<M> {
    /// Of sources of which the models know what they know.
    pub fn new(models: Vec<M>, kit: &RosterKit, rates: Rates) -> Self {
        let sources = kit.facts();
        let stride = sources.len().div_ceil(SAMPLE_MAX).max(1);
        Self {
            market: Market { group: kit.group, ..Market::new(kit.objective) },
            rates,
            models,
            cards: vec![None; sources.len()],
            seen: vec![Seen::default(); sources.len().div_ceil(stride)],
            stride,
            sketch: Sketch::default(),
            budget_per_s: 0.0,
            day: 0,
            turn: sources.len() as u64,
            sources,
            ranked: Vec::new(),
            marginal: None,
            recent: Recent::default(),
            asked: (Timestamp::MIN, Vec::new()),
        }
    }

    fn remember(&mut self, number: usize, look: &Look<'_>) {
        if !number.is_multiple_of(self.stride) {
            return;
        }
        self.seen[number / self.stride].add_look(look);
    }

    fn fit(&mut self, now: Timestamp) {
        let (pool, stride) = (&self.market.pool, self.stride);
        self.seen.iter_mut().for_each(|seen| seen.forget(now - KEPT));
        let known = self.seen.iter().enumerate();
        let histories: Vec<History<'_>> = known
            .map(|(index, seen)| {
                let number = index * stride;
                seen.history(self.sources[number].visited_at, self.models[number].week(pool))
            })
            .collect();
        let mixture = fit::fit(&histories, now, pool.rate_per_s() * 3600.0, pool.mixture());
        self.market.pool.set_mixture(mixture, now);
    }

    /// Visits a second that a sample of the sources wants at a price, scaled to all of them.
    fn wanted_per_s(&mut self, market: &Market, now: Timestamp) -> f64 {
        let mut sum = 0.0;
        for number in (0..self.models.len()).step_by(self.stride) {
            let (model, source) = (&self.models[number], &self.sources[number]);
            sum += match market.objective {
                Objective::Delay => self.sketch.calls_per_h(model, source, market, now) / 3600.0,
                Objective::Capture => index::visits_per_s(model.rate_per_s(&market.pool), source, market),
            };
        }
        sum * self.stride as f64
    }

    fn set_price(&mut self, now: Timestamp) {
        let mut market = self.market.clone();
        let (budget_per_s, guess) = (self.budget_per_s, market.price);
        self.market.price = price::find(budget_per_s, guess, |price| {
            market.price = price;
            self.wanted_per_s(&market, now)
        });
    }

    /// The value of a source at an instant: its regret, or its backlog.
    pub(super) fn value(&mut self, number: usize, now: Timestamp) -> f64 {
        let (source, market) = (&self.sources[number], &self.market);
        let elapsed_h = lookahead::hours(source.visited_at, now);
        let is_good = |card: &Card| {
            now - card.made_at <= PLAN_AGE_MAX
                && elapsed_h <= card.values.end_h()
                && (card.price / market.price - 1.0).abs() <= PRICE_SHIFT_MAX
        };
        let card = match &self.cards[number] {
            Some(card) if is_good(card) => card,
            _ => {
                let model = &self.models[number];
                let values = if market.objective == Objective::Delay {
                    self.sketch.regrets(model, source, market, elapsed_h)
                } else {
                    let wanted = source.page_size.map_or(market.price, f64::from);
                    self.sketch.draw_posts(model, market, source.visited_at, elapsed_h, wanted);
                    Curve::of_posts(&self.sketch.path)
                };
                let posts = market.group.is_any().then(|| Curve::of_posts(&self.sketch.path));
                self.cards[number].insert(Card { made_at: now, price: market.price, values, posts })
            }
        };
        let value = card.values.at(elapsed_h);
        match market.objective {
            Objective::Delay => value * source.weight.max(WEIGHT_MIN) * 3600.0 / market.price,
            Objective::Capture => {
                let scatter = self.models[number].scatter(&market.pool);
                source.weight * capture::index_of(value, source.page_size, scatter) / market.price
            }
        }
    }
}

impl<M: Outlook> Roster for Lookahead<M> {
    fn name(&self) -> &'static str {
        "freshet"
    }

    fn learn(&mut self, number: usize, look: &Look<'_>) {
        self.market.pool.learn(look);
        self.models[number].learn(look, &self.market.pool);
        self.remember(number, look);
        if self.market.group.is_merged() {
            self.recent.note(number as u32, look.news.iter().copied());
        }
        self.cards[number] = None;
        let source = &mut self.sources[number];
        source.visited_at = look.at;
        source.backlog = 0.0;
        source.turn = self.turn;
        self.turn += 1;
    }

    fn plan(&mut self, now: Timestamp, budget_per_s: f64) {
        self.budget_per_s = budget_per_s.max(0.0);
        self.market.gap_h_max = GAP_ROUNDS * self.sources.len() as f64 / (self.budget_per_s * 3600.0);
        self.market.pool.refresh();
        if self.rates == Rates::Learned && self.day.is_multiple_of(FIT_DAYS) {
            self.fit(now);
            self.cards.fill(None);
        }
        self.day += 1;
        self.market.hours.turn();
        self.set_price(now);
    }

    fn pick(&mut self, now: Timestamp, count: usize, picked: &mut Vec<usize>) {
        picked.clear();
        let mut ranked = std::mem::take(&mut self.ranked);
        ranked.clear();
        for number in 0..self.sources.len() {
            let value = self.value(number, now);
            // What cannot be weighed must not be lost: it waits at the end.
            let value = if value.is_nan() { f64::NEG_INFINITY } else { value };
            ranked.push((value, self.sources[number].turn, number as u32));
        }
        pick_best(&mut ranked, count, picked);
        if let Some((marginal, ..)) = ranked.last().filter(|_| count > 0) {
            // The slot that ends now belongs to the hour it was in.
            self.market.hours.mark(now - Span::SECOND, *marginal);
        }
        self.ranked = ranked;
    }

    fn price(&self) -> Option<f64> {
        Some(self.market.price)
    }

    fn groups(&mut self) -> Option<&mut dyn Groups> {
        (self.market.objective == Objective::Delay).then_some(self as &mut dyn Groups)
    }
}
