//! Subscriptions: one small table, and their cursors among all others.
//!
//! Invariant: a cursor of a subscription moves in the same transaction as its counts, so that what was counted was passed.

use super::db::{Connection, Result, Row, params};
use super::{log, notices, value};
use crate::subscription::{Kind, Standing, State, Subscription, SubscriptionRow, consumer};

/// All of them.
pub(super) fn all(db: &Connection) -> Result<Vec<SubscriptionRow>> {
    let sql = "SELECT name, generation, kinds, way, filters, buffer_max, state, added_at, delivered_count, \
                 dropped_count, untold_count, failed_count, failure, failed_at, lost_count FROM subscriptions ORDER BY name";
    let mut find = db.prepare_cached(sql)?;
    let rows = find.query_map([], |row| {
        let subscription = subscription(row)?;
        let count = |column: usize| row.get::<_, i64>(column).map(|count| count as u64);
        let failed_at = value::at(row, 13)?;
        let standing = Standing {
            generation: count(1)?,
            cursor: log::cursor(db, &consumer(&subscription.name))?,
            delivered_count: count(8)?,
            dropped_count: count(9)?,
            untold_count: count(10)?,
            lost_count: count(14)?,
            failed_count: count(11)?,
            failure: failed_at.zip(row.get(12)?),
            is_ended: subscription.state == State::Ended,
        };
        Ok(SubscriptionRow { subscription, standing })
    })?;
    rows.collect()
}

fn subscription(row: &Row) -> Result<Subscription> {
    let (kinds, state) = (row.get_ref(2)?.as_str()?, row.get_ref(6)?.as_str()?);
    let kind = |word: &str| word.parse::<Kind>().map_err(|_| value::unknown(2, "kind of record", word));
    let (way, filters) = (row.get_ref(3)?.as_str()?, row.get_ref(4)?.as_str()?);
    Ok(Subscription {
        name: row.get(0)?,
        kinds: kinds.split(',').map(kind).collect::<Result<_>>()?,
        way: serde_json::from_str(way).map_err(|_| value::unknown(3, "way to a subscriber", way))?,
        filters: serde_json::from_str(filters).map_err(|_| value::unknown(4, "filter", filters))?,
        buffer_max: row.get::<_, Option<i64>>(5)?.map(|max| max as u64),
        state: State::ALL
            .into_iter()
            .find(|known| known.name() == state)
            .ok_or_else(|| value::unknown(6, "state of a subscription", state))?,
        added_at: freshet_types::Timestamp::from_ms(row.get(7)?),
    })
}

/// Adds one; gives whether the name was free.
pub(super) fn add(db: &Connection, it: &Subscription, cursor: u64) -> Result<bool> {
    let sql = "INSERT INTO subscriptions (name, kinds, way, filters, buffer_max, state, added_at, generation) \
               VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";
    let kinds: Vec<&str> = it.kinds.iter().map(|kind| kind.name()).collect();
    let added = db.execute(
        sql,
        params![
            it.name,
            kinds.join(","),
            serde_json::to_string(&it.way).expect("a way is plain data"),
            serde_json::to_string(&it.filters).expect("filters are plain data"),
            it.buffer_max.map(|max| i64::try_from(max).unwrap_or(i64::MAX)),
            it.state.name(),
            it.added_at.ms(),
            next_generation(db)?,
        ],
    )?;
    if added > 0 {
        log::set_cursor(db, &consumer(&it.name), cursor)?;
    }
    Ok(added > 0)
}

/// The number of a generation that nobody had.
fn next_generation(db: &Connection) -> Result<i64> {
    let sql = "UPDATE counters SET value = value + 1 WHERE name = 'subscription' RETURNING value";
    db.query_row(sql, [], |row| row.get(0))
}

/// Sets its state.
pub(super) fn set_state(db: &Connection, name: &str, state: State) -> Result<bool> {
    let sql = "UPDATE subscriptions SET state = $2 WHERE name = $1";
    Ok(db.execute(sql, [name, state.name()])? > 0)
}

/// Moves it to a change.
pub(super) fn move_to(db: &Connection, name: &str, cursor: u64) -> Result<bool> {
    let sql = "UPDATE subscriptions SET generation = $2 WHERE name = $1";
    let found = db.execute(sql, params![name, next_generation(db)?])? > 0;
    if found {
        log::set_cursor(db, &consumer(name), cursor)?;
    }
    Ok(found)
}

/// Removes it.
pub(super) fn remove(db: &Connection, name: &str) -> Result<bool> {
    let found = db.execute("DELETE FROM subscriptions WHERE name = $1", [name])? > 0;
    if found {
        db.execute("DELETE FROM cursors WHERE consumer = $1", [consumer(name)])?;
        notices::settle(db)?;
    }
    Ok(found)
}

/// Writes down how far it has got, where it is still of this generation.
pub(super) fn note(db: &Connection, name: &str, standing: &Standing) -> Result<bool> {
    let sql = "UPDATE subscriptions SET delivered_count = $3, dropped_count = $4, untold_count = $5, failed_count = $6, \
               failure = $7, failed_at = $8, lost_count = $10, state = CASE WHEN $9 = 1 THEN 'ended' ELSE state END \
               WHERE name = $1 AND generation = $2";
    let (failed_at, failure) = standing.failure.as_ref().map(|(at, why)| (at.ms(), why)).unzip();
    let key = params![
        name,
        standing.generation as i64,
        standing.delivered_count as i64,
        standing.dropped_count as i64,
        standing.untold_count as i64,
        standing.failed_count as i64,
        failure,
        failed_at,
        standing.is_ended,
        standing.lost_count as i64,
    ];
    let is_noted = db.prepare_cached(sql)?.execute(key)? > 0;
    if is_noted {
        log::set_cursor(db, &consumer(name), standing.cursor)?;
        notices::settle(db)?;
    }
    Ok(is_noted)
}
