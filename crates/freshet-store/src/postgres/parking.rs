//! Objects that wait for a property which a constraint needs.
//!
//! Invariant: one that is parked again waits since the first time.

use freshet_types::{SourceId, Timestamp};

use super::db::{Connection, OptionalExtension, Result, Row, params};
use crate::api::page::{PAGE_BYTES_MAX, Rows};
use crate::row::Parked;

/// Parks objects; one that is parked already keeps its time.
pub(super) fn park(db: &Connection, parked: &[Parked]) -> Result<()> {
    let sql = "INSERT INTO parked (address, missing, parked_at, object, source) VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT (address) DO UPDATE SET missing = $2, object = $4, source = COALESCE(parked.source, $5)";
    let mut insert = db.prepare_cached(sql)?;
    for one in parked {
        let source = one.source.map(|source| source.0);
        insert.execute(params![one.address, one.missing, one.parked_at.ms(), one.object, source])?;
    }
    Ok(())
}

const PARKED: &str = "SELECT address, missing, parked_at, object, source FROM parked";

fn parked_row(row: &Row) -> Result<Parked> {
    Ok(Parked {
        address: row.get(0)?,
        missing: row.get(1)?,
        parked_at: Timestamp::from_ms(row.get(2)?),
        object: row.get(3)?,
        source: row.get::<_, Option<u32>>(4)?.map(SourceId),
    })
}

/// A page of parked objects above this address.
pub(super) fn above(db: &Connection, address: &str, limit: usize) -> Result<Rows<Parked, String>> {
    let mut find = db.prepare_cached(&format!("{PARKED} WHERE address > $1 ORDER BY address LIMIT $2"))?;
    let mut found = find.query(params![address, limit as i64])?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = found.next()? {
        let row = parked_row(row)?;
        bytes += row.object.len();
        rows.push(row);
        if bytes >= PAGE_BYTES_MAX {
            break;
        }
    }
    let is_cut = rows.len() == limit || bytes >= PAGE_BYTES_MAX;
    let next = rows.last().filter(|_| is_cut).map(|row| row.address.clone());
    Ok(Rows { rows, next })
}

/// The parked object of this address.
pub(super) fn get(db: &Connection, address: &str) -> Result<Option<Parked>> {
    let mut find = db.prepare_cached(&format!("{PARKED} WHERE address = $1"))?;
    find.query_row([address], parked_row).optional()
}

/// Takes these off the list.
pub(super) fn unpark(db: &Connection, addresses: &[String]) -> Result<()> {
    let mut delete = db.prepare_cached("DELETE FROM parked WHERE address = $1")?;
    for address in addresses {
        delete.execute([address])?;
    }
    Ok(())
}

/// Drops what was parked before this.
pub(super) fn drop_old(db: &Connection, before: Timestamp) -> Result<u64> {
    Ok(db.execute("DELETE FROM parked WHERE parked_at < $1", [before.ms()])? as u64)
}
