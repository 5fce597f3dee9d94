//! Who has to hear of what is not kept: exports that were made from here, and what was erased since, in counts.

use freshet_types::{Span, Timestamp};

use super::db::{Connection, OptionalExtension, Result, Row, params};
use super::value;
use crate::keeping::{Erasure, ErasureKind, ExportRow};

/// Notes that something was erased; gives its number.
pub(super) fn note_erasure(db: &Connection, erasure: &Erasure) -> Result<u64> {
    if erasure.number > 0 && erasure.receipt.is_none() {
        let delete = "DELETE FROM erasures WHERE number = $1";
        db.prepare_cached(delete)?.execute([erasure.number as i64])?;
        return Ok(erasure.number);
    }
    let number = if erasure.number > 0 { Some(erasure.number as i64) } else { of_the_day(db, erasure)? };
    let Erasure { first_at, last_at, posts, others, receipt, .. } = erasure;
    let row = params![
        number,
        erasure.kind.name(),
        first_at.ms(),
        last_at.ms(),
        *posts as i64,
        *others as i64,
        receipt,
        erasure.number > 0,
    ];
    let sql = "INSERT INTO erasures (number, what, first_at, last_at, posts, others, receipt) \
               VALUES (COALESCE($1, (SELECT COALESCE(max(number), 0) + 1 FROM erasures)), $2, $3, $4, $5, $6, $7) \
               ON CONFLICT (number) DO UPDATE SET last_at = $4, receipt = $7, \
               posts = CASE WHEN $8 = 1 THEN $5 ELSE erasures.posts + $5 END, \
               others = CASE WHEN $8 = 1 THEN $6 ELSE erasures.others + $6 END RETURNING number";
    db.prepare_cached(sql)?.query_row(row, |row| row.get::<_, i64>(0)).map(|number| number as u64)
}

/// What expires and is redacted all the time has one row a day.
fn of_the_day(db: &Connection, erasure: &Erasure) -> Result<Option<i64>> {
    if erasure.kind == ErasureKind::Forgotten {
        return Ok(None);
    }
    let day = Timestamp::from_ms(erasure.first_at.ms().div_euclid(Span::DAY.ms()) * Span::DAY.ms());
    let find = "SELECT number FROM erasures WHERE what = $1 AND first_at >= $2 AND first_at < $3";
    let key = params![erasure.kind.name(), day.ms(), (day + Span::DAY).ms()];
    db.prepare_cached(find)?.query_row(key, |row| row.get(0)).optional()
}

pub(super) fn erasures(db: &Connection) -> Result<Vec<Erasure>> {
    let sql = "SELECT number, what, first_at, last_at, posts, others, receipt FROM erasures ORDER BY number";
    let mut find = db.prepare_cached(sql)?;
    let read = |row: &Row| {
        let name: String = row.get(1)?;
        let kind = ErasureKind::ALL.into_iter().find(|kind| kind.name() == name);
        Ok(Erasure {
            number: row.get::<_, i64>(0)? as u64,
            kind: kind.ok_or_else(|| value::unknown(1, "erasure", &name))?,
            first_at: Timestamp::from_ms(row.get(2)?),
            last_at: Timestamp::from_ms(row.get(3)?),
            posts: row.get::<_, i64>(4)? as u64,
            others: row.get::<_, i64>(5)? as u64,
            receipt: row.get(6)?,
        })
    };
    find.query_map([], read)?.collect()
}

/// Posts up to a number that were found deleted after an instant, and when the first of them was.
pub(super) fn deleted_since(
    db: &Connection,
    since: Timestamp,
    up_to: u64,
) -> Result<(u64, Option<Timestamp>)> {
    let sql = "SELECT count(*), min(deleted_at) FROM posts WHERE deleted_at IS NOT NULL AND deleted_at > $1 AND id <= $2";
    let key = params![since.ms(), super::read::number(up_to)];
    db.prepare_cached(sql)?.query_row(key, |row| Ok((row.get::<_, i64>(0)? as u64, value::at(row, 1)?)))
}

pub(super) fn note_export(db: &Connection, export: &ExportRow) -> Result<()> {
    let sql = "INSERT INTO exports (path, what, made_at, up_to, heard_at) VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT (path) DO UPDATE SET what = $2, made_at = $3, up_to = $4, heard_at = $5";
    let what = if export.is_snapshot { "snapshot" } else { "export" };
    let up_to = super::read::number(export.up_to);
    let row = params![export.path, what, export.made_at.ms(), up_to, export.heard_at.ms()];
    db.prepare_cached(sql)?.execute(row).map(drop)
}

pub(super) fn drop_export(db: &Connection, path: &str) -> Result<bool> {
    Ok(db.prepare_cached("DELETE FROM exports WHERE path = $1")?.execute([path])? > 0)
}

pub(super) fn exports(db: &Connection) -> Result<Vec<ExportRow>> {
    let mut find =
        db.prepare_cached("SELECT path, what, made_at, up_to, heard_at FROM exports ORDER BY path")?;
    let read = |row: &Row| {
        Ok(ExportRow {
            path: row.get(0)?,
            is_snapshot: row.get_ref(1)?.as_str()? == "snapshot",
            made_at: Timestamp::from_ms(row.get(2)?),
            up_to: row.get::<_, i64>(3)? as u64,
            heard_at: Timestamp::from_ms(row.get(4)?),
        })
    };
    find.query_map([], read)?.collect()
}
