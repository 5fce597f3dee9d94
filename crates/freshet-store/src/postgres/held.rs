//! Objects that a constraint keeps from becoming sources of a robot.

use freshet_types::{RobotKind, Timestamp};

use super::db::{Connection, Result, Row, params};
use crate::row::Held;

/// Holds these; one that is held already is judged again when this says.
pub(super) fn hold(db: &Connection, held: &[Held]) -> Result<()> {
    let sql = "INSERT INTO held (object, robot, judge_at) VALUES ($1, $2, $3) \
               ON CONFLICT (object, robot) DO UPDATE SET judge_at = $3";
    let mut insert = db.prepare_cached(sql)?;
    for one in held {
        insert.execute(params![one.object as i64, one.robot as i64, one.judge_at.ms()])?;
    }
    Ok(())
}

/// Those to be judged again by now, the longest due first.
pub(super) fn due(db: &Connection, now: Timestamp, limit: usize) -> Result<Vec<Held>> {
    let sql = "SELECT object, robot, judge_at FROM held WHERE judge_at <= $1 ORDER BY judge_at, object, robot LIMIT $2";
    let mut find = db.prepare_cached(sql)?;
    let read = |row: &Row| {
        let robot: i64 = row.get(1)?;
        // A robot of a later version is left to that version.
        let robot = usize::try_from(robot).ok().and_then(|place| RobotKind::ALL.get(place).copied());
        let (object, judge_at) = (row.get::<_, i64>(0)? as u64, Timestamp::from_ms(row.get(2)?));
        Ok(robot.map(|robot| Held { object, robot, judge_at }))
    };
    let found = find.query_map(params![now.ms(), limit as i64], read)?;
    found.filter_map(Result::transpose).collect()
}

/// Holds these no longer.
pub(super) fn let_go(db: &Connection, held: &[(u64, RobotKind)]) -> Result<()> {
    let mut delete = db.prepare_cached("DELETE FROM held WHERE object = $1 AND robot = $2")?;
    for (object, robot) in held {
        delete.execute(params![*object as i64, *robot as i64])?;
    }
    Ok(())
}

/// These are judged again at once; without any, all of them.
pub(super) fn hasten(db: &Connection, objects: Option<&[u64]>) -> Result<()> {
    let Some(objects) = objects else {
        return db.execute("UPDATE held SET judge_at = 0 WHERE judge_at > 0", []).map(drop);
    };
    let mut update = db.prepare_cached("UPDATE held SET judge_at = 0 WHERE object = $1 AND judge_at > 0")?;
    for object in objects {
        update.execute([*object as i64])?;
    }
    Ok(())
}

/// How many are held.
pub(super) fn count(db: &Connection) -> Result<u64> {
    db.query_row("SELECT count(*) FROM held", [], |row| Ok(row.get::<_, i64>(0)? as u64))
}
