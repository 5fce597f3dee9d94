//! A policy as the engine uses it: on one source at a time, its model as stored bytes.
//!
//! The first bytes are always the change rate of [SocWeb, section 4.1], whatever the policy:
//! reports read them, and a policy that was switched to starts from the others' rate. Then come
//! the policy's name and its own model; another policy's model is not understood and starts anew.
//! Prices are found for a budget by a [`crate::Roster`]; a policy alone uses the price at which
//! a source that posts every hour is visited every quarter of an hour.

use std::sync::Arc;

use freshet_types::Timestamp;

use crate::change::ChangeRate;
use crate::pack::{Reader, Writer};
use crate::{ChangeModel, Look, Market, Objective, Pacing, Pool, Rule, SourceFacts, price};

/// Visits a second to a source that posts every hour: one in a quarter of an hour.
const VISITS_PER_S: f64 = 1.0 / 900.0;

/// Decides when a source is visited next.
pub trait Policy: Send + Sync + std::fmt::Debug {
    /// The name that people select it by.
    fn name(&self) -> &'static str;
    /// Takes in what a visit saw; gives the model's bytes.
    fn learn(&self, bytes: &[u8], source: &SourceFacts, look: &Look<'_>) -> Vec<u8>;
    /// When to look again at a source that was looked at `now`.
    fn due_at(&self, bytes: &[u8], source: &SourceFacts, now: Timestamp) -> Timestamp;
}

/// A rule with its bounds and a price.
#[derive(Debug)]
pub(crate) struct Stored<R: Rule> {
    rule: R,
    pacing: Pacing,
    market: Market,
}

impl<R: Rule> Stored<R> {
    pub(crate) fn new(rule: R, pacing: Pacing) -> Self {
        let mut market = Market::new(Objective::Delay);
        let (model, source) = example::<R>();
        let mut priced = market.clone();
        market.price = price::find(VISITS_PER_S, 1.0, |price| {
            priced.price = price;
            rule.visits_per_s(&model, &source, &priced).unwrap_or(0.0)
        });
        Self { rule, pacing, market }
    }

    fn model(&self, bytes: &[u8]) -> R::Model {
        self.own(bytes).map_or_else(R::Model::default, R::Model::from_bytes)
    }

    /// The bytes after the change rate and the name, if the name is ours.
    fn own<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let mut reader = Reader(bytes);
        reader.take(crate::change::CHANGE_RATE_BYTES)?;
        let length = usize::from(reader.byte()?);
        (reader.take(length)? == self.rule.name().as_bytes()).then_some(reader.0)
    }
}

impl<R: Rule> Policy for Stored<R> {
    fn name(&self) -> &'static str {
        self.rule.name()
    }

    fn learn(&self, bytes: &[u8], source: &SourceFacts, look: &Look<'_>) -> Vec<u8> {
        let mut rate = ChangeRate::from_bytes(bytes);
        rate.learn(look, &self.market.pool);
        let mut model = self.model(bytes);
        self.rule.learn(&mut model, look, source, &self.market);
        let name = self.rule.name().as_bytes();
        Writer(rate.to_bytes()).byte(name.len() as u8).bytes(name).bytes(&model.to_bytes()).0
    }

    fn due_at(&self, bytes: &[u8], source: &SourceFacts, now: Timestamp) -> Timestamp {
        let Pacing { floor, ceiling } = self.pacing;
        let due_at = self.rule.due_at(&self.model(bytes), source, &self.market, ceiling, now);
        due_at.clamp(now + floor.min(ceiling), now + ceiling)
    }
}

/// A source that posts every hour, as the rule's model knows it after a month.
fn example<R: Rule>() -> (R::Model, SourceFacts) {
    let (mut model, pool) = (R::Model::default(), Pool::default());
    let hour = |hour: i64| Timestamp::from_secs(hour * 3600);
    let mut since = None;
    for day in 0..28 {
        let news: Vec<_> = (0..24).map(|it| hour(day * 24 + it)).collect();
        let at = hour((day + 1) * 24);
        model.learn(&Look { since, at, news: &news, is_full: false }, &pool);
        since = Some(at);
    }
    let source = SourceFacts { number: 0, weight: 1.0, visited_at: hour(28 * 24), turn: 0, page_size: None };
    (model, source)
}

/// A policy that asks for its turn at once: the quota alone sets the pace.
#[derive(Debug)]
pub(crate) struct InTurn(pub(crate) &'static str);

impl Policy for InTurn {
    fn name(&self) -> &'static str {
        self.0
    }

    fn learn(&self, bytes: &[u8], _source: &SourceFacts, look: &Look<'_>) -> Vec<u8> {
        let mut rate = ChangeRate::from_bytes(bytes);
        rate.learn(look, &Pool::default());
        rate.to_bytes()
    }

    fn due_at(&self, _bytes: &[u8], _source: &SourceFacts, now: Timestamp) -> Timestamp {
        now
    }
}

/// The policy of a rule, for the engine.
pub(crate) fn stored<R: Rule + 'static>(rule: R, pacing: Pacing) -> Arc<dyn Policy> {
    Arc::new(Stored::new(rule, pacing))
}
