//! How long posts are kept: by source, and by network. Which are too old is judged in [`super::erase`].
//!
//! Invariant: the index that finds old posts of a network is there while any network has a rule, and only then: it would
//! cost every crawl without one.

use freshet_types::{SourceId, Span};

use super::db::{Connection, OptionalExtension, Result, Row, params};
use super::network::Networks;
use super::source;
use crate::keeping::RetentionRow;

/// How long a network's posts are kept, by its own rule.
pub(super) fn of_network(db: &Connection, network: i64) -> Result<Option<Span>> {
    let find = "SELECT retention_ms FROM networks WHERE id = $1";
    let span: Option<Option<i64>> =
        db.prepare_cached(find)?.query_row([network], |row| row.get(0)).optional()?;
    Ok(span.flatten().map(Span::from_ms))
}

pub(super) fn set_network(db: &Connection, network: i64, span: Option<Span>) -> Result<()> {
    let set = "UPDATE networks SET retention_ms = $2 WHERE id = $1";
    db.execute(set, params![network, span.map(Span::ms)])?;
    if has_rule(db)? {
        db.execute_batch("CREATE INDEX IF NOT EXISTS posts_by_age ON posts (network, created_at)")
    } else {
        db.execute_batch("DROP INDEX IF EXISTS posts_by_age")
    }
}

/// Whether any network has a rule.
pub(super) fn has_rule(db: &Connection) -> Result<bool> {
    let find = "SELECT EXISTS (SELECT 1 FROM networks WHERE retention_ms IS NOT NULL)";
    db.prepare_cached(find)?.query_row([], |row| row.get(0))
}

pub(super) fn set_sources(db: &Connection, ids: &[SourceId], span: Option<Span>) -> Result<()> {
    ids.iter().try_for_each(|id| source::keep_for(db, *id, span))
}

/// The rules of networks.
pub(super) fn of_networks(db: &Connection, networks: &Networks) -> Result<Vec<RetentionRow>> {
    let sql = "SELECT id, retention_ms, NULL FROM networks WHERE retention_ms IS NOT NULL ORDER BY id";
    rules(db, networks, sql)
}

/// The rules of sources, in sums.
pub(super) fn of_sources(db: &Connection, networks: &Networks) -> Result<Vec<RetentionRow>> {
    let sql = "SELECT network, retention_ms, count(*) FROM sources WHERE retention_ms IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2";
    rules(db, networks, sql)
}

fn rules(db: &Connection, networks: &Networks, sql: &str) -> Result<Vec<RetentionRow>> {
    let read = |row: &Row| {
        Ok(RetentionRow {
            network: networks.name(db, row.get(0)?)?,
            span: Span::from_ms(row.get(1)?),
            sources: row.get::<_, Option<i64>>(2)?.map(|count| count as u64),
        })
    };
    db.prepare_cached(sql)?.query_map([], read)?.collect()
}
