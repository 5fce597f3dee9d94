//! Streams in PostgreSQL: one row each, and the sources that they are for.
//!
//! Invariant: a row is written in the transaction of what the stream brought, so its cursor never stands for something that is not
//! stored; a stretch only ever grows, unless a new one begins.

use freshet_types::{RobotKind, SourceId, Timestamp};

use super::db::{Connection, Result, Row, params};
use super::network::Networks;
use super::{source, value};
use crate::row::{SourceSlot, StreamMark, StreamRow, WatchedQuery, WatchedRow};

const WATCHED: &str = "SELECT id, robot, state, weight, due_at, root_id, visited_at, depth FROM sources";

/// Writes how far a stream has come.
pub(super) fn write(db: &Connection, network: i64, mark: &StreamMark) -> Result<()> {
    let sql = "INSERT INTO streams (network, name, since, until, cursor) VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT (network, name) DO UPDATE SET since = $3, cursor = $5, \
               until = CASE WHEN streams.since = $3 THEN GREATEST(streams.until, $4) ELSE $4 END";
    let row = params![network, &*mark.name, mark.since.ms(), mark.until.ms(), mark.cursor];
    db.prepare_cached(sql)?.execute(row).map(drop)
}

pub(super) fn all(db: &Connection, networks: &Networks) -> Result<Vec<StreamRow>> {
    let sql = "SELECT network, name, since, until, cursor FROM streams ORDER BY network, name";
    let mut find = db.prepare_cached(sql)?;
    let rows = find.query_map([], |row| {
        Ok(StreamRow {
            network: networks.name(db, row.get(0)?)?,
            name: row.get(1)?,
            since: Timestamp::from_ms(row.get(2)?),
            until: Timestamp::from_ms(row.get(3)?),
            cursor: row.get(4)?,
        })
    })?;
    rows.collect()
}

pub(super) fn watched(
    db: &Connection,
    networks: &Networks,
    query: &WatchedQuery<'_>,
) -> Result<Vec<WatchedRow>> {
    let Some(network) = networks.find(db, query.network)? else { return Ok(Vec::new()) };
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    let read = |row: &Row| watched_row(row, query);
    let mut rows = Vec::new();
    match query.roots {
        None => {
            let sql = format!(
                "{WATCHED} WHERE network = $1 AND endpoint = $2 AND state = 'active' ORDER BY id LIMIT $3"
            );
            let mut find = db.prepare_cached(&sql)?;
            rows.extend(
                find.query_map(params![network, query.endpoint, limit], read)?.collect::<Result<Vec<_>>>()?,
            );
        }
        Some(roots) => {
            let sql = format!(
                "{WATCHED} WHERE root_id = $3 AND root_id <> '' AND network = $1 AND endpoint = $2 AND state = 'active'"
            );
            let mut find = db.prepare_cached(&sql)?;
            for root in roots {
                let found = find.query_map(params![network, query.endpoint, root], read)?;
                rows.extend(found.collect::<Result<Vec<_>>>()?);
            }
            rows.sort_by_key(|row| row.slot.id);
            rows.dedup_by_key(|row| row.slot.id);
            rows.truncate(query.limit);
        }
    }
    Ok(rows)
}

fn watched_row(row: &Row, query: &WatchedQuery<'_>) -> Result<WatchedRow> {
    let robot: String = row.get(1)?;
    let robot: RobotKind = robot.parse().map_err(|_| value::unknown(1, "robot", &robot))?;
    let slot = SourceSlot {
        id: SourceId(row.get(0)?),
        network: query.network.clone(),
        robot,
        state: source::state_of(row, 2)?,
        weight: row.get(3)?,
        due_at: Timestamp::from_ms(row.get(4)?),
        gap: None,
    };
    Ok(WatchedRow { slot, root_id: row.get(5)?, visited_at: value::at(row, 6)?, depth: row.get(7)? })
}
