//! Notices: what subscribers are told that is no change of a stored object. They stay no longer than somebody waits for them.
//!
//! Invariant: a notice of who is forgotten is the one place where their name still stands. It is written only where a
//! subscription wants it, in the transaction that forgets them; it goes in the transaction in which the last of these has
//! taken it, and after [`KEPT_MAX`] whoever still waits. A subscription that its receiver has ended is not waited for. What
//! that leaves in its table is cleared by the last step of forgetting ([`super::erase`]).

use freshet_types::{Span, Timestamp};

use super::db::{Connection, Result, params};
use super::{log, value};
use crate::subscription::{Kind, Notice};

/// How long a notice waits for whoever does not take it: who comes back after a month begins anew anyway, and a name must not
/// stay because somebody is away.
const KEPT_MAX: Span = Span::from_ms(30 * 86_400_000);
/// Those who want to hear of a kind and have not ended, and how far each has got.
const WAITING: &str = "FROM subscriptions s LEFT JOIN cursors c ON c.consumer = 'deliver:' || s.name \
                       WHERE s.state <> 'ended' AND position(',' || $1 || ',' IN ',' || s.kinds || ',') > 0";

/// Asks for the last step of forgetting ([`super::erase`], `Step::Scrub`), which clears remains; of no subject.
const REMAINS: &str = "INSERT INTO erasing (subject, step, object, id) VALUES (0, 8, 0, '')";

/// Writes one down, where somebody wants it; gives whether that is so.
pub(super) fn put(db: &Connection, kind: Kind, record: &str, at: Timestamp) -> Result<bool> {
    let is_wanted = format!("SELECT EXISTS (SELECT 1 {WAITING})");
    let is_wanted: bool = db.prepare_cached(&is_wanted)?.query_row([kind.name()], |row| row.get(0))?;
    if is_wanted {
        let mut writer = log::Writer::open(db)?;
        let insert = "INSERT INTO notices (number, kind, at, record) VALUES ($1, $2, $3, $4)";
        db.prepare_cached(insert)?.execute(params![writer.next(), kind.name(), at.ms(), record])?;
        writer.skip();
        writer.close(db)?;
    }
    Ok(is_wanted)
}

/// Those above a number, in order.
pub(super) fn above(db: &Connection, number: u64, limit: usize) -> Result<Vec<Notice>> {
    let sql = "SELECT number, kind, at, record FROM notices WHERE number > $1 ORDER BY number LIMIT $2";
    let mut find = db.prepare_cached(sql)?;
    let rows = find.query_map(params![number as i64, limit as i64], |row| {
        let kind = row.get_ref(1)?.as_str()?;
        Ok(Notice {
            number: row.get::<_, i64>(0)? as u64,
            kind: kind.parse().map_err(|_| value::unknown(1, "kind of record", kind))?,
            at: Timestamp::from_ms(row.get(2)?),
            record: row.get(3)?,
        })
    })?;
    rows.collect()
}

/// Drops those for which nobody waits any more.
pub(super) fn settle(db: &Connection) -> Result<()> {
    // Nearly always there is none, and this is asked with every batch.
    if db.prepare_cached("SELECT NOT EXISTS (SELECT 1 FROM notices)")?.query_row([], |row| row.get(0))? {
        return Ok(());
    }
    for kind in Kind::ALL {
        let taken = format!("SELECT COALESCE(min(COALESCE(c.number, 0)), $2) {WAITING}");
        let taken: i64 =
            db.prepare_cached(&taken)?.query_row(params![kind.name(), i64::MAX], |row| row.get(0))?;
        let drop = "DELETE FROM notices WHERE kind = $1 AND number <= $2";
        note_remains(db, kind, db.prepare_cached(drop)?.execute(params![kind.name(), taken])?)?;
    }
    Ok(())
}

/// Drops those that have waited too long.
pub(super) fn expire(db: &Connection, now: Timestamp) -> Result<()> {
    for kind in Kind::ALL {
        let drop = "DELETE FROM notices WHERE kind = $1 AND at < $2";
        let count = db.prepare_cached(drop)?.execute(params![kind.name(), (now - KEPT_MAX).ms()])?;
        note_remains(db, kind, count)?;
    }
    Ok(())
}

fn note_remains(db: &Connection, kind: Kind, count: usize) -> Result<()> {
    if kind == Kind::Forgettings && count > 0 {
        db.prepare_cached(REMAINS)?.execute([])?;
    }
    Ok(())
}
