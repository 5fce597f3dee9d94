//! Control, robots, settings, visit numbers: the small tables.
//!
//! Invariant: a message for the running process is never lost while that process reads at least
//! once every [`CONTROLS_MAX`] messages; older ones are dropped, so the table stays small.

use freshet_types::{RobotKind, RobotState};

use super::db::{Connection, OptionalExtension, Result, Row, params};
use super::value;
use crate::control::{Control, ControlRow};
use crate::row::RobotRow;

/// Messages kept; a person leaves a few, a script perhaps hundreds, and they are read every second.
const CONTROLS_MAX: i64 = 10_000;

/// Leaves a message; gives its number.
pub(super) fn push(db: &Connection, control: &Control) -> Result<u64> {
    let (verb, argument) = control.to_stored();
    let insert = "INSERT INTO controls (verb, argument) VALUES ($1, $2) RETURNING number";
    let number: i64 = db.query_row(insert, [verb, &argument], |row| row.get(0))?;
    db.execute("DELETE FROM controls WHERE number <= $1", [number - CONTROLS_MAX])?;
    Ok(number as u64)
}

/// Messages above this number.
pub(super) fn above(db: &Connection, number: u64) -> Result<Vec<ControlRow>> {
    let sql = "SELECT number, verb, argument FROM controls WHERE number > $1 ORDER BY number";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([number as i64], |row| {
        let control = Control::from_stored(row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str()?);
        Ok(ControlRow { number: row.get::<_, i64>(0)? as u64, control })
    })?;
    rows.collect()
}

/// The robots, in the order of the paper.
pub(super) fn robots(db: &Connection) -> Result<Vec<RobotRow>> {
    let mut statement = db.prepare_cached("SELECT kind, state, credential FROM robots")?;
    let rows = statement.query_map([], robot_row)?;
    let mut robots: Vec<RobotRow> = rows.collect::<Result<_>>()?;
    robots.sort_by_key(|robot| robot.kind);
    Ok(robots)
}

fn robot_row(row: &Row) -> Result<RobotRow> {
    let (kind, state) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
    Ok(RobotRow {
        kind: kind.parse().map_err(|_| value::unknown(0, "robot", kind))?,
        state: state.parse().map_err(|_| value::unknown(1, "robot state", state))?,
        credential: row.get(2)?,
    })
}

/// Sets a robot's state.
pub(super) fn set_robot(db: &Connection, kind: RobotKind, state: RobotState) -> Result<()> {
    db.execute("UPDATE robots SET state = $2 WHERE kind = $1", [kind.name(), state.name()])?;
    Ok(())
}

/// Sets the credential that a robot is to use.
pub(super) fn set_robot_credential(db: &Connection, kind: RobotKind, name: Option<&str>) -> Result<()> {
    db.execute("UPDATE robots SET credential = $2 WHERE kind = $1", params![kind.name(), name])?;
    Ok(())
}

/// A setting.
pub(super) fn setting(db: &Connection, key: &str) -> Result<Option<String>> {
    let mut find = db.prepare_cached("SELECT value FROM settings WHERE key = $1")?;
    find.query_row([key], |row| row.get(0)).optional()
}

/// Writes a setting.
pub(super) fn set_setting(db: &Connection, key: &str, value: &str) -> Result<()> {
    let sql = "INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = $2";
    db.prepare_cached(sql)?.execute([key, value])?;
    Ok(())
}

/// The settings whose keys begin so, in order of key.
pub(super) fn settings_under(db: &Connection, prefix: &str) -> Result<Vec<(String, String)>> {
    // By `substr` and not by `LIKE`, which takes some characters of a key for signs of its own.
    let sql =
        "SELECT key, value FROM settings WHERE key >= $1 AND substr(key, 1, length($1)) = $1 ORDER BY key";
    let mut find = db.prepare_cached(sql)?;
    let rows = find.query_map([prefix], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Writes settings; one without a value is removed.
pub(super) fn set_settings(db: &Connection, settings: &[(String, Option<String>)]) -> Result<()> {
    for (key, value) in settings {
        match value {
            Some(value) => set_setting(db, key, value)?,
            None => {
                db.prepare_cached("DELETE FROM settings WHERE key = $1")?.execute([key])?;
            }
        }
    }
    Ok(())
}

/// Begins the next epoch; gives its number.
pub(super) fn begin_epoch(db: &Connection) -> Result<u64> {
    let sql = "UPDATE counters SET value = value + 1 WHERE name = 'epoch' RETURNING value";
    let epoch: i64 = db.query_row(sql, [], |row| row.get(0))?;
    Ok(epoch as u64)
}

/// Takes `count` visit numbers; gives the first.
pub(super) fn reserve_visits(db: &Connection, count: u64) -> Result<u64> {
    let sql = "UPDATE counters SET value = value + $1 WHERE name = 'visit' RETURNING value - $1";
    let first: i64 = db.query_row(sql, [count as i64], |row| row.get(0))?;
    Ok(first as u64)
}
