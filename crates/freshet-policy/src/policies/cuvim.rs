//! `cuvim`: the whole of [CUVIM]: the kind of an account chooses its model.
//!
//! Formula: the expected backlog, by the Poisson process for inactive and unstable accounts and
//! by the Hash table for constant ones and authorities ([`crate::change::kind`]); the largest
//! goes first, and a source unvisited for s before all others.

use freshet_types::Timestamp;

use super::hash::ceiling;
use crate::change::kind::Week;
use crate::change::{ChangeModel, HashTable, Poisson};
use crate::pack::{Reader, Writer};
use crate::{Look, Market, Pool, Rule, SourceFacts};

/// Kind, Poisson process and Hash table of an account.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cuvim {
    week: Week,
    level: Poisson,
    table: HashTable,
}

impl ChangeModel for Cuvim {
    fn from_bytes(bytes: &[u8]) -> Self {
        Self::read(&mut Reader(bytes)).unwrap_or_default()
    }

    fn to_bytes(&self) -> Vec<u8> {
        let writer = self.week.write(Writer::default());
        writer.bytes(&self.level.to_bytes()).bytes(&self.table.to_bytes()).0
    }

    fn learn(&mut self, look: &Look<'_>, pool: &Pool) {
        self.week.learn(look);
        self.level.learn(look, pool);
        self.table.learn(look, pool);
    }

    fn rate_per_s(&self, pool: &Pool) -> f64 {
        if self.week.kind().is_regular() { self.table.rate_per_s(pool) } else { self.level.rate_per_s(pool) }
    }

    fn posts(&self, pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        if self.week.kind().is_regular() {
            self.table.posts(pool, since, until)
        } else {
            self.level.posts(pool, since, until)
        }
    }
}

impl Cuvim {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let week = Week::read(reader)?;
        let level = Poisson::from_bytes(reader.bytes(16)?);
        Some(Self { week, level, table: HashTable::from_bytes(reader.0) })
    }
}

/// The kind chooses the model.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ByKind;

impl Rule for ByKind {
    type Model = Cuvim;

    fn name(&self) -> &'static str {
        "cuvim"
    }

    fn worth(&self, model: &Cuvim, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        if at - source.visited_at >= ceiling(market.objective) {
            return f64::INFINITY;
        }
        source.weight * model.posts(&market.pool, source.visited_at, at) / market.price
    }

    fn visits_per_s(&self, model: &Cuvim, source: &SourceFacts, market: &Market) -> Option<f64> {
        let wanted = source.weight * model.rate_per_s(&market.pool) / market.price;
        Some(wanted.max(1.0 / ceiling(market.objective).secs_f64()))
    }
}
