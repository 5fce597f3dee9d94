//! A policy as the engine uses it: on one source at a time, its model as stored bytes.
//!
//! The market (what a call costs, what the sources have in common) is handed in with every
//! question, so that a policy has no memory of its own. Prices come in post-seconds and are
//! turned into the rule's unit here ([`crate::units`]).
//!
//! The first bytes are always the change rate of [SocWeb, section 4.1], whatever the policy:
//! reports read them, and a policy that was switched to starts from the others' rate. Then come
//! the policy's name, the week that tells the kind of the account [CUVIM, section 3], and the
//! policy's own model; another policy's model is not understood and starts anew. Between name and week stands how many posts the list
//! shows, where it is a *window*: one that shows its newest posts only, so that others scroll out of it unseen. After it stands what the
//! profile says of its rate ([`Prior`]), where that is known: to the models it is the mean of all, as this source sees it.
//!
//! Whatever is asked for, a window is looked at before what is expected fills a share of it ([`FILLED_SHARE`]): then a burst that nobody
//! foresaw may be some times as large as what was expected before a post is lost. Where distinct posts are asked for and calls are so
//! scarce that losses are planned, the price alone decides. Where they are not, no call is needed to see more posts, and those that are left
//! are spent as if delay were asked for: a call that nobody makes is lost, and a burst is found while it is still in its window.

use std::borrow::Cow;
use std::sync::Arc;

use freshet_types::{Span, Timestamp};

use crate::change::ChangeRate;
use crate::change::kind::Week;
use crate::explanation::Spoken;
use crate::mixture::Mixture;
use crate::mixture::evidence::Evidence;
use crate::pack::{Reader, Writer};
use crate::prior::Prior;
use crate::rule::first;
use crate::turns::TurnOrder;
use crate::units::Units;
use crate::{
    ChangeModel, Explanation, Look, Market, Objective, Otherwise, Pacing, Pool, Reason, Rule, Slack,
    SourceFacts,
};

/// Times nearer than this to a bound are at the bound.
const NEAR: Span = Span::SECOND;
/// Posts that are expected in a window when it is looked at, as a share of what it shows.
pub(crate) const FILLED_SHARE: f64 = 1.0 / 3.0;
/// Where a call must bring more than this share of a window, losses are planned.
const PLANNED_LOSS: f64 = 0.05;
/// And this is the most that it can be asked to bring: a window is due about when it is full, however dear calls are. Later its posts are
/// lost, and so would be the order of those that wait.
const BROUGHT_MAX: f64 = 0.3;
/// Marks the length of the name where the size of a window follows.
const HAS_WINDOW: u8 = 0x80;
/// And where a prior does. No name of a policy is as long as this.
const HAS_PRIOR: u8 = 0x40;
/// How far ahead `explain` looks where there is no ceiling: a month.
const FAR: Span = Span::from_ms(30 * 86_400_000);

/// Decides when a source is visited next.
pub trait Policy: Send + Sync + std::fmt::Debug {
    /// The name that people select it by.
    fn name(&self) -> &'static str;
    /// Whether a price moves its decisions.
    fn has_price(&self) -> bool;
    /// The bounds that it keeps.
    fn pacing(&self) -> Pacing;
    /// In which order sources have their turns, where that is all it says.
    fn turn_order(&self) -> Option<TurnOrder> {
        None
    }
    /// Takes in what a visit saw; gives the model's bytes.
    fn learn(&self, bytes: &[u8], source: &SourceFacts, market: &Market, look: &Look<'_>) -> Vec<u8>;
    /// When to look again at a source that was looked at at `source.visited_at`.
    fn due_at(&self, bytes: &[u8], source: &SourceFacts, market: &Market) -> Timestamp;
    /// How much a visit loses that comes earlier or later than `due_at`.
    fn slack(&self, _bytes: &[u8], source: &SourceFacts, _market: &Market, due_at: Timestamp) -> Slack {
        Slack::even(due_at - source.visited_at)
    }
    /// Posts a second that are expected of a source in the long run; finite, never negative.
    fn rate_per_s(&self, bytes: &[u8], market: &Market) -> f64;
    /// Posts that are expected of a source between two instants; finite, never negative.
    fn posts(&self, bytes: &[u8], market: &Market, from: Timestamp, to: Timestamp) -> f64;
    /// The weights that all sources share, fitted anew on what is stored of some; `None` where the policy has none, or
    /// the evidence is too little.
    fn refit(&self, _evidence: &[Evidence], _pool: &Pool, _now: Timestamp) -> Option<Mixture> {
        None
    }
    /// What the day is by the source's calendar, and which table of its model speaks for it, where it has tables.
    fn spoken(
        &self,
        _bytes: &[u8],
        _source: &SourceFacts,
        _market: &Market,
        _at: Timestamp,
    ) -> Option<Spoken> {
        None
    }
    /// Why then.
    fn explain(&self, bytes: &[u8], source: &SourceFacts, market: &Market, now: Timestamp) -> Explanation;
}

/// A rule with its bounds.
#[derive(Debug)]
pub(crate) struct Stored<R: Rule> {
    rule: R,
    pacing: Pacing,
    /// For delay, and for distinct posts.
    units: [Units; 2],
}

/// The market of a source in the rule's own unit.
struct OwnMarket {
    asked: Market,
    /// What the calls that are left are spent on where distinct posts are asked for and none is given up: delay.
    spare: Option<Market>,
}

/// A source's bytes, read.
struct Known<M> {
    week: Week,
    model: M,
}

impl<R: Rule> Stored<R> {
    pub(crate) fn new(rule: R, pacing: Pacing) -> Self {
        Self { units: [Objective::Delay, Objective::Capture].map(|it| Units::of(&rule, it)), rule, pacing }
    }

    fn read(&self, bytes: &[u8]) -> Known<R::Model> {
        let fresh = Known { week: week_of(bytes).unwrap_or_default(), model: R::Model::default() };
        self.own(bytes).map_or(fresh, |(week, own)| Known { week, model: R::Model::from_bytes(own) })
    }

    /// The week and what is ours, if the name is ours.
    fn own<'a>(&self, bytes: &'a [u8]) -> Option<(Week, &'a [u8])> {
        let mut reader = Reader(bytes);
        let name = named(&mut reader)?.name;
        let week = Week::read(&mut reader)?;
        (name == self.rule.name().as_bytes()).then_some((week, reader.0))
    }

    fn own_market(&self, source: &SourceFacts, market: &Market) -> OwnMarket {
        let for_delay = self.units[0].own_price(market.price);
        let price = match market.objective {
            Objective::Delay => for_delay,
            Objective::Capture => {
                let most = source.page_size.map_or(f64::INFINITY, |size| f64::from(size) * source.weight);
                self.units[1].own_price(market.price).min((most * BROUGHT_MAX).max(1e-9))
            }
        };
        let asked = Market { price, ..market.clone() };
        let has_spare = market.objective == Objective::Capture
            && source.page_size.is_some()
            && !plans_loss(source, &asked);
        let delay = || Market { price: for_delay, objective: Objective::Delay, ..market.clone() };
        OwnMarket { spare: has_spare.then(delay), asked }
    }

    /// When what is expected fills so much of a window that it must be looked at; `None` where that is not within the ceiling.
    fn fills_at(
        &self,
        model: &R::Model,
        source: &SourceFacts,
        market: &Market,
        ceiling: Span,
    ) -> Option<Timestamp> {
        let size = f64::from(source.page_size?);
        if plans_loss(source, market) {
            return None;
        }
        first(source.visited_at, ceiling, |at| {
            self.rule.posts(model, source, market, at) >= size * FILLED_SHARE
        })
    }

    fn ceiling(&self, market: &Market) -> Span {
        self.pacing.ceiling * market.ceiling_stretch.max(1.0)
    }

    /// When a source is due in a market of the rule's own unit.
    fn due(&self, model: &R::Model, source: &SourceFacts, market: &OwnMarket, ceiling: Span) -> Timestamp {
        let since = source.visited_at;
        let worth_at = |market: &Market| self.rule.due_at(model, source, market, ceiling, since);
        let due_at = worth_at(&market.asked);
        let sooner =
            [market.spare.as_ref().map(worth_at), self.fills_at(model, source, &market.asked, ceiling)];
        sooner
            .into_iter()
            .flatten()
            .fold(due_at, Timestamp::min)
            .clamp(since + self.pacing.floor.min(ceiling), since + ceiling)
    }

    /// When it would be due if nothing but its worth spoke for a visit.
    fn due_without_rounds(
        &self,
        model: &R::Model,
        source: &SourceFacts,
        market: &OwnMarket,
        ceiling: Span,
    ) -> Timestamp {
        let boundless = |market: &Market| Market { gap_h_max: f64::INFINITY, ..market.clone() };
        let market =
            OwnMarket { asked: boundless(&market.asked), spare: market.spare.as_ref().map(boundless) };
        self.due(model, source, &market, ceiling)
    }

    fn otherwise(&self, model: &R::Model, source: &SourceFacts, market: &Market) -> Otherwise {
        let ceiling = self.ceiling(market);
        let at_price = |factor: f64| {
            let market = self.own_market(source, &Market { price: market.price * factor, ..market.clone() });
            self.due(model, source, &market, ceiling)
        };
        let market = self.own_market(source, market);
        let at = source.visited_at;
        let mut luckier = model.clone();
        let look = Look { since: Some(at), at, news: &[at], is_full: false };
        self.rule.learn(&mut luckier, &look, source, &market.asked);
        Otherwise {
            one_more_post: self.due(&luckier, source, &market, ceiling),
            price_doubled: at_price(2.0),
            price_halved: at_price(0.5),
            no_ceiling: self.due(model, source, &market, FAR.max(ceiling)),
        }
    }
}

impl<R: Rule> Policy for Stored<R> {
    fn name(&self) -> &'static str {
        self.rule.name()
    }

    fn has_price(&self) -> bool {
        self.units[0].has_price()
    }

    fn pacing(&self) -> Pacing {
        self.pacing
    }

    fn learn(&self, bytes: &[u8], source: &SourceFacts, market: &Market, look: &Look<'_>) -> Vec<u8> {
        let mut rate = ChangeRate::from_bytes(bytes);
        rate.learn(look, &market.pool);
        let Known { mut week, mut model } = self.read(bytes);
        week.learn(look);
        self.rule.learn(&mut model, look, source, market);
        let extras = Extras { window: source.page_size, prior: prior_of(bytes) };
        week.write(head(&rate, self.rule.name(), extras)).bytes(&model.to_bytes()).0
    }

    fn due_at(&self, bytes: &[u8], source: &SourceFacts, market: &Market) -> Timestamp {
        let market = &expecting(market, bytes);
        self.due(&self.read(bytes).model, source, &self.own_market(source, market), self.ceiling(market))
    }

    fn slack(&self, bytes: &[u8], source: &SourceFacts, market: &Market, due_at: Timestamp) -> Slack {
        let market = &expecting(market, bytes);
        let (model, OwnMarket { asked, spare }) = (self.read(bytes).model, self.own_market(source, market));
        let ceiling = self.ceiling(market);
        if self.fills_at(&model, source, &asked, ceiling).is_some_and(|at| at <= due_at + NEAR) {
            // What scrolls out of a window is lost, whatever a plan for its delay says.
            return Slack::even(due_at - source.visited_at);
        }
        let worth_at = |market: &Market| self.rule.due_at(&model, source, market, ceiling, source.visited_at);
        let market = spare.filter(|spare| worth_at(spare) <= due_at + NEAR).unwrap_or(asked);
        self.rule.slack(&model, source, &market, due_at)
    }

    fn rate_per_s(&self, bytes: &[u8], market: &Market) -> f64 {
        self.read(bytes).model.rate_per_s(&expecting(market, bytes).pool)
    }

    fn posts(&self, bytes: &[u8], market: &Market, from: Timestamp, to: Timestamp) -> f64 {
        finite(self.read(bytes).model.posts(&expecting(market, bytes).pool, from, to))
    }

    fn refit(&self, evidence: &[Evidence], pool: &Pool, now: Timestamp) -> Option<Mixture> {
        let models: Vec<R::Model> = evidence.iter().map(|it| self.read(&it.model).model).collect();
        self.rule.refit(&models, evidence, pool, now)
    }

    fn spoken(&self, bytes: &[u8], source: &SourceFacts, market: &Market, at: Timestamp) -> Option<Spoken> {
        self.rule.spoken(&self.read(bytes).model, source, market, at)
    }

    fn explain(&self, bytes: &[u8], source: &SourceFacts, market: &Market, now: Timestamp) -> Explanation {
        let market = &*expecting(market, bytes);
        let Known { week, model } = self.read(bytes);
        let (own, ceiling, pool) = (self.own_market(source, market), self.ceiling(market), &market.pool);
        let due_at = self.due(&model, source, &own, ceiling);
        let gap = due_at - source.visited_at;
        let reason = if ceiling - gap <= NEAR {
            Reason::Ceiling
        } else if gap - self.pacing.floor <= NEAR {
            Reason::Floor
        } else if self.fills_at(&model, source, &own.asked, ceiling).is_some_and(|at| at - due_at <= NEAR) {
            Reason::Window
        } else if self.due_without_rounds(&model, source, &own, ceiling) - due_at > NEAR {
            Reason::Rounds
        } else {
            Reason::Worth
        };
        let worth_now = |market: &Market| self.rule.worth(&model, source, market, now);
        let worth_now = own.spare.as_ref().map_or(0.0, worth_now).max(worth_now(&own.asked));
        Explanation {
            due_at,
            reason,
            posts_expected: finite(self.rule.posts(&model, source, market, due_at)),
            wait_s_expected: finite(model.wait_s(pool, source.visited_at, due_at)),
            rate_now_per_s: finite(self.rule.rate_now(&model, source, market, now)),
            rate_per_s: finite(model.rate_per_s(pool)),
            price: market.price,
            worth_now: finite(worth_now),
            kind: week.kind(),
            otherwise: self.otherwise(&model, source, market),
        }
    }
}

/// Whether calls are so dear that what scrolls out of this window meanwhile is given up; the market is in the rule's own unit.
fn plans_loss(source: &SourceFacts, market: &Market) -> bool {
    let size = source.page_size.map_or(f64::INFINITY, f64::from);
    market.objective == Objective::Capture && market.price > PLANNED_LOSS * size * source.weight
}

/// What reports can show: infinite worth is shown as very much.
fn finite(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(0.0, 1e12) }
}

/// The market as a source sees it of whose rate something was told before any look.
fn expecting<'a>(market: &'a Market, bytes: &[u8]) -> Cow<'a, Market> {
    match prior_of(bytes) {
        Some(prior) => Cow::Owned(Market { pool: market.pool.expecting(prior), ..market.clone() }),
        None => Cow::Borrowed(market),
    }
}

/// What stands between name and week, where it is known.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extras {
    /// How many posts the list shows, where it is a window.
    window: Option<u32>,
    prior: Option<Prior>,
}

/// The begin of a model's bytes, but for its rate.
struct Head<'a> {
    name: &'a [u8],
    extras: Extras,
}

/// Change rate, name and extras: how every policy's bytes begin.
pub(crate) fn head(rate: &ChangeRate, name: &str, extras: Extras) -> Writer {
    head_of(rate, &Head { name: name.as_bytes(), extras })
}

fn head_of(rate: &ChangeRate, head: &Head<'_>) -> Writer {
    let Extras { window, prior } = head.extras;
    let marks = [(window.is_some(), HAS_WINDOW), (prior.is_some(), HAS_PRIOR)];
    let mark: u8 = marks.into_iter().map(|(is_there, mark)| if is_there { mark } else { 0 }).sum();
    let writer = Writer(rate.to_bytes()).byte(head.name.len() as u8 | mark).bytes(head.name);
    let writer = window.into_iter().fold(writer, |writer, size| writer.bytes(&size.to_le_bytes()));
    prior.into_iter().fold(writer, |writer, prior| writer.float(prior.told_per_s()))
}

/// The name of the policy that wrote these bytes, and what stands behind it.
fn named<'a>(reader: &mut Reader<'a>) -> Option<Head<'a>> {
    reader.bytes(crate::change::CHANGE_RATE_BYTES)?;
    let length = reader.byte()?;
    let name = reader.bytes(usize::from(length & !(HAS_WINDOW | HAS_PRIOR)))?;
    let mut extras = Extras::default();
    if length & HAS_WINDOW != 0 {
        extras.window = Some(u32::from_le_bytes(reader.bytes(4)?.try_into().ok()?));
    }
    if length & HAS_PRIOR != 0 {
        extras.prior = Prior::told(reader.amount()?);
    }
    Some(Head { name, extras })
}

/// How many posts a list shows that is a window, as these bytes know it.
pub fn window_of(bytes: &[u8]) -> Option<u32> {
    named(&mut Reader(bytes))?.extras.window.filter(|size| *size > 0)
}

/// What a profile said of the rate, as these bytes know it.
pub fn prior_of(bytes: &[u8]) -> Option<Prior> {
    named(&mut Reader(bytes))?.extras.prior
}

/// The same model with this prior. Bytes that cannot be read know nothing but the prior then, whatever the policy.
pub fn with_prior(bytes: &[u8], prior: Prior) -> Vec<u8> {
    let mut reader = Reader(bytes);
    let known = named(&mut reader);
    let rate = if known.is_some() { ChangeRate::from_bytes(bytes) } else { ChangeRate::default() };
    let rest = if known.is_some() { reader.0 } else { &[] };
    let mut head = known.unwrap_or(Head { name: &[], extras: Extras::default() });
    head.extras.prior = Some(prior);
    head_of(&rate, &head).bytes(rest).0
}

/// What follows upon the week, if the name is this one.
pub(crate) fn own<'a>(bytes: &'a [u8], name: &str) -> Option<Reader<'a>> {
    let mut reader = Reader(bytes);
    let is_own = named(&mut reader)?.name == name.as_bytes();
    Week::read(&mut reader)?;
    is_own.then_some(reader)
}

/// The week, whichever policy wrote it down.
fn week_of(bytes: &[u8]) -> Option<Week> {
    let mut reader = Reader(bytes);
    named(&mut reader)?;
    Week::read(&mut reader)
}

/// A policy that is an order alone: from the floor on a source waits for its turn, and the quota sets the pace.
#[derive(Debug)]
pub(crate) struct InTurn {
    pub(crate) name: &'static str,
    pub(crate) order: TurnOrder,
    pub(crate) pacing: Pacing,
}

impl Policy for InTurn {
    fn name(&self) -> &'static str {
        self.name
    }

    fn has_price(&self) -> bool {
        false
    }

    fn pacing(&self) -> Pacing {
        self.pacing
    }

    fn turn_order(&self) -> Option<TurnOrder> {
        Some(self.order)
    }

    fn learn(&self, bytes: &[u8], source: &SourceFacts, market: &Market, look: &Look<'_>) -> Vec<u8> {
        let mut rate = ChangeRate::from_bytes(bytes);
        rate.learn(look, &market.pool);
        let mut week = week_of(bytes).unwrap_or_default();
        week.learn(look);
        let extras = Extras { window: source.page_size, prior: prior_of(bytes) };
        week.write(head(&rate, self.name, extras)).0
    }

    fn due_at(&self, _bytes: &[u8], source: &SourceFacts, _market: &Market) -> Timestamp {
        source.visited_at + self.pacing.floor.min(self.pacing.ceiling)
    }

    fn rate_per_s(&self, bytes: &[u8], market: &Market) -> f64 {
        ChangeRate::from_bytes(bytes).rate_per_s(&expecting(market, bytes).pool)
    }

    fn posts(&self, bytes: &[u8], market: &Market, from: Timestamp, to: Timestamp) -> f64 {
        finite(self.rate_per_s(bytes, market) * (to - from).secs_f64())
    }

    fn explain(&self, bytes: &[u8], source: &SourceFacts, market: &Market, now: Timestamp) -> Explanation {
        let rate_per_s = finite(self.rate_per_s(bytes, market));
        let (at, elapsed_s) = (self.due_at(bytes, source, market), source.elapsed_s(now));
        Explanation {
            due_at: at,
            reason: Reason::Turn,
            posts_expected: rate_per_s * elapsed_s,
            wait_s_expected: rate_per_s * elapsed_s * elapsed_s / 2.0,
            rate_now_per_s: rate_per_s,
            rate_per_s,
            price: market.price,
            worth_now: 1.0,
            kind: week_of(bytes).unwrap_or_default().kind(),
            otherwise: Otherwise { one_more_post: at, price_doubled: at, price_halved: at, no_ceiling: at },
        }
    }
}

/// The policy of a rule, for the engine.
pub(crate) fn stored<R: Rule + 'static>(rule: R, pacing: Pacing) -> Arc<dyn Policy> {
    Arc::new(Stored::new(rule, pacing))
}

#[cfg(test)]
mod tests;
