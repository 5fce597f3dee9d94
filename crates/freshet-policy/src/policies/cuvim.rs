//! `cuvim`: the whole of [CUVIM]: the kind of an account chooses its model.
//!
//! Formula: the expected backlog, by the Poisson process for inactive and unstable accounts and
//! by the Hash table for constant ones and authorities ([`crate::change::kind`]); the largest
//! goes first, and a source unvisited for s before all others. Where a source has a calendar, the table has one part for workdays, one for
//! weekends and one for each holiday; without one all days are alike, as in the paper's experiment.

use freshet_types::Timestamp;

use super::hash::ceiling;
use crate::calendar::Calendar;
use crate::change::hash::WEIGHT;
use crate::change::kind::Week;
use crate::change::{ChangeModel, HashTable, Poisson};
use crate::explanation::Spoken;
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
        self.learn_with(look, pool, &Calendar::default());
    }

    fn rate_per_s(&self, pool: &Pool) -> f64 {
        if self.week.kind().is_regular() { self.table.rate_per_s(pool) } else { self.level.rate_per_s(pool) }
    }

    fn posts(&self, pool: &Pool, since: Timestamp, until: Timestamp) -> f64 {
        self.posts_with(pool, &Calendar::default(), since, until)
    }
}

impl Cuvim {
    fn learn_with(&mut self, look: &Look<'_>, pool: &Pool, calendar: &Calendar) {
        self.week.learn(look);
        self.level.learn(look, pool);
        self.table.learn_with(look, WEIGHT, calendar);
    }

    fn posts_with(&self, pool: &Pool, calendar: &Calendar, since: Timestamp, until: Timestamp) -> f64 {
        if self.week.kind().is_regular() {
            self.table.posts_with(calendar, since, until)
        } else {
            self.level.posts(pool, since, until)
        }
    }

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
        source.weight * self.posts(model, source, market, at) / market.price
    }

    fn learn(&self, model: &mut Cuvim, look: &Look<'_>, source: &SourceFacts, market: &Market) {
        let alike = Calendar::default();
        model.learn_with(look, &market.pool, market.calendars.of(source.number).unwrap_or(&alike));
    }

    fn posts(&self, model: &Cuvim, source: &SourceFacts, market: &Market, until: Timestamp) -> f64 {
        let alike = Calendar::default();
        let calendar = market.calendars.of(source.number).unwrap_or(&alike);
        model.posts_with(&market.pool, calendar, source.visited_at, until)
    }

    fn rate_now(&self, model: &Cuvim, source: &SourceFacts, market: &Market, at: Timestamp) -> f64 {
        let calendar = market.calendars.of(source.number).filter(|_| model.week.kind().is_regular());
        calendar.map_or_else(
            || model.rate_per_s_at(&market.pool, at),
            |calendar| model.table.rate_per_s_with(calendar, at),
        )
    }

    fn spoken(&self, model: &Cuvim, source: &SourceFacts, market: &Market, at: Timestamp) -> Option<Spoken> {
        let calendar = market.calendars.of(source.number).filter(|_| model.week.kind().is_regular())?;
        Some(Spoken::of(&model.table, calendar, at))
    }

    fn visits_per_s(&self, model: &Cuvim, source: &SourceFacts, market: &Market) -> Option<f64> {
        let wanted = source.weight * model.rate_per_s(&market.pool) / market.price;
        Some(wanted.max(1.0 / ceiling(market.objective).secs_f64()))
    }
}
