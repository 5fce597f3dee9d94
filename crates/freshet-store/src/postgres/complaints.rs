//! Complaints in the store: counted by network, endpoint and kind, with a bounded number of samples.
//!
//! Invariants: an upload counts once, however often it is applied, for as long as a sample of it is kept; there are never more than
//! [`KINDS_MAX`] kinds with [`SAMPLES_MAX`] samples each, and what was complained about longest ago goes first. No sample outlives
//! [`SAMPLES_KEPT`], the retention of its source, or anybody's wish to be forgotten.

use freshet_types::{Complaint, SourceId, Span, Timestamp};

use super::db::{Connection, OptionalExtension, Result, Row, params};
use super::network::{Networks, OF_NETWORK};
use crate::row::{ComplaintRow, ComplaintSample};

/// Kinds that are kept, of all networks together.
const KINDS_MAX: i64 = 500;
/// Samples of one kind: the newest. With the kinds, at most 10,000 of a kilobyte.
const SAMPLES_MAX: i64 = 20;
/// How long a sample is kept.
const SAMPLES_KEPT: Span = Span::from_secs(30 * 24 * 3600);

/// What some complaints of one answer are about.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    pub(super) network: i64,
    pub(super) endpoint: &'a str,
    pub(super) source: Option<u32>,
    pub(super) visit: i64,
    pub(super) seen_at: i64,
}

/// Counts complaints of one kind, and keeps some of them.
pub(super) fn add(db: &Connection, about: &About<'_>, kind: &str, complaints: &[&Complaint]) -> Result<()> {
    let About { network, endpoint, source, visit, seen_at } = *about;
    let find = "SELECT id FROM complaint_kinds WHERE network = $1 AND endpoint = $2 AND what = $3";
    let key = params![network, endpoint, kind];
    let known: Option<i64> = db.prepare_cached(find)?.query_row(key, |row| row.get(0)).optional()?;
    let id = if let Some(id) = known {
        id
    } else {
        let insert = "INSERT INTO complaint_kinds (network, endpoint, what, count, first_at, last_at) \
                      VALUES ($1, $2, $3, 0, $4, $4) RETURNING id";
        let key = params![network, endpoint, kind, seen_at];
        let id = db.prepare_cached(insert)?.query_row(key, |row| row.get(0))?;
        drop_oldest_kinds(db, id)?;
        id
    };
    let was =
        "SELECT EXISTS (SELECT 1 FROM complaint_samples WHERE kind = $1 AND visit = $2 AND seen_at = $3)";
    if db.prepare_cached(was)?.query_row([id, visit, seen_at], |row| row.get(0))? {
        return Ok(());
    }
    let count = "UPDATE complaint_kinds SET count = count + $2, first_at = LEAST(first_at, $3), \
                 last_at = GREATEST(last_at, $3) WHERE id = $1";
    db.prepare_cached(count)?.execute(params![id, complaints.len() as i64, seen_at])?;
    let insert = "INSERT INTO complaint_samples (kind, source, visit, seen_at, place, what, sample) \
                  VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let mut insert = db.prepare_cached(insert)?;
    for it in complaints.iter().take(SAMPLES_MAX as usize) {
        insert.execute(params![id, source, visit, seen_at, it.place, it.what, it.sample])?;
    }
    let trim = "DELETE FROM complaint_samples WHERE kind = $1 AND id <= \
                (SELECT id FROM complaint_samples WHERE kind = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)";
    db.prepare_cached(trim)?.execute([id, SAMPLES_MAX])?;
    Ok(())
}

/// Makes room for the kind that was just made.
fn drop_oldest_kinds(db: &Connection, made: i64) -> Result<()> {
    let oldest =
        "SELECT id FROM complaint_kinds WHERE id <> $1 ORDER BY last_at DESC, id DESC LIMIT ALL OFFSET $2";
    let mut find = db.prepare_cached(oldest)?;
    let oldest: Vec<i64> = find.query_map([made, KINDS_MAX - 1], |row| row.get(0))?.collect::<Result<_>>()?;
    for kind in oldest {
        db.prepare_cached("DELETE FROM complaint_samples WHERE kind = $1")?.execute([kind])?;
        db.prepare_cached("DELETE FROM complaint_kinds WHERE id = $1")?.execute([kind])?;
    }
    Ok(())
}

/// Erases all samples: whom one of them shows cannot be told. Gives whether there were any.
pub(super) fn forget(db: &Connection) -> Result<bool> {
    Ok(db.prepare_cached("DELETE FROM complaint_samples")?.execute([])? > 0)
}

/// Erases the samples of a network, one of which may show a post whose content must go.
pub(super) fn forget_of(db: &Connection, object: i64) -> Result<()> {
    let delete = "DELETE FROM complaint_samples WHERE kind IN \
                  (SELECT id FROM complaint_kinds WHERE network = (SELECT network FROM posts WHERE id = $1))";
    db.prepare_cached(delete)?.execute([object]).map(drop)
}

/// Erases samples that are too old, or older than their source keeps posts.
pub(super) fn expire(db: &Connection, now: Timestamp) -> Result<()> {
    let delete = "DELETE FROM complaint_samples WHERE seen_at < $1 - $2 OR seen_at < \
                  $1 - (SELECT s.retention_ms FROM sources s WHERE s.id = complaint_samples.source)";
    db.prepare_cached(delete)?.execute([now.ms(), SAMPLES_KEPT.ms()]).map(drop)
}

/// The kinds of a network, or of all, those met last first; each with its newest samples.
pub(super) fn list(
    db: &Connection,
    networks: &Networks,
    network: Option<&str>,
    (limit, samples): (usize, usize),
) -> Result<Vec<ComplaintRow>> {
    let sql = format!(
        "SELECT id, network, endpoint, what, count, first_at, last_at FROM complaint_kinds \
         WHERE $1 IS NULL OR network {OF_NETWORK} ORDER BY last_at DESC, id DESC LIMIT $2"
    );
    let mut find = db.prepare_cached(&sql)?;
    let rows = find.query_map(params![network, limit as i64], |row| {
        let samples = samples_of(db, row.get(0)?, samples)?;
        Ok(ComplaintRow {
            network: networks.name(db, row.get(1)?)?,
            endpoint: row.get(2)?,
            what: row.get(3)?,
            count: row.get::<_, i64>(4)? as u64,
            first_at: Timestamp::from_ms(row.get(5)?),
            last_at: Timestamp::from_ms(row.get(6)?),
            samples,
        })
    })?;
    rows.collect()
}

fn samples_of(db: &Connection, kind: i64, limit: usize) -> Result<Vec<ComplaintSample>> {
    let sql = "SELECT source, seen_at, place, what, sample FROM complaint_samples WHERE kind = $1 \
               ORDER BY id DESC LIMIT $2";
    let mut find = db.prepare_cached(sql)?;
    let read = |row: &Row| {
        Ok(ComplaintSample {
            source: row.get::<_, Option<u32>>(0)?.map(SourceId),
            seen_at: Timestamp::from_ms(row.get(1)?),
            complaint: Complaint { place: row.get(2)?, what: row.get(3)?, sample: row.get(4)? },
        })
    };
    find.query_map([kind, limit.min(SAMPLES_MAX as usize) as i64], read)?.collect()
}
