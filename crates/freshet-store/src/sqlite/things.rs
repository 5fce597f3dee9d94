//! Reading things and links back.

use freshet_types::{Address, End, Link, NetworkName, Thing, Timestamp, VisitId};
use rusqlite::{Connection, OptionalExtension, Result, Row, params};

use super::network::Networks;
use super::{read, value};
use crate::row::{CrossLinkQuery, CrossLinkRow, LinkQuery, LinkRow, NumberedLink, ThingRow};

/// Links given at once, whatever is asked for.
const LINKS_MAX: usize = 100_000;

/// The columns of a link.
const LINK: &str = "SELECT from_kind, from_id, name, to_kind, to_id, is_member, seen_at, last_seen_at, cancelled_at, \
     id, network FROM object_links";

/// The thing of this type and id.
pub(super) fn named(
    db: &Connection,
    networks: &Networks,
    name: &NetworkName,
    (kind, id): (&str, &str),
) -> Result<Option<ThingRow>> {
    let Some(network) = networks.find(db, name)? else { return Ok(None) };
    let sql = "SELECT id, seen_at, name, url, created_at, properties FROM things \
               WHERE network = ?1 AND native_id = ?2 AND kind = ?3";
    let read = |row: &Row<'_>| {
        let object: i64 = row.get(0)?;
        let thing = Thing {
            id: id.to_owned(),
            kind: kind.into(),
            name: row.get(2)?,
            url: row.get(3)?,
            created_at: value::at(row, 4)?,
            plinks: value::plinks(value::text(row, 5)?),
            slinks: read::slinks(db, object)?,
            slinks_seen: Vec::new(),
        };
        let seen_at = Timestamp::from_ms(row.get(1)?);
        Ok(ThingRow { object: object as u64, network: name.clone(), thing, seen_at })
    };
    db.prepare_cached(sql)?.query_row(params![network, id, kind], read).optional()
}

/// The links of an object, one way.
pub(super) fn links(db: &Connection, networks: &Networks, query: &LinkQuery<'_>) -> Result<Vec<LinkRow>> {
    let Some(network) = networks.find(db, query.network)? else { return Ok(Vec::new()) };
    let end = if query.is_inward { "to" } else { "from" };
    let sql = format!(
        "{LINK} WHERE network = ?1 AND {end}_id = ?2 AND {end}_kind = ?3 AND (?4 IS NULL OR name = ?4) \
         AND (?5 OR cancelled_at IS NULL) ORDER BY name, id LIMIT ?6"
    );
    let (kind, id) = query.object;
    let limit = query.limit.min(LINKS_MAX) as i64;
    let mut find = db.prepare_cached(&sql)?;
    find.query_map(params![network, id, kind, query.name, query.with_cancelled, limit], link_row)?.collect()
}

/// The links above a number, in order.
pub(super) fn links_above(
    db: &Connection,
    networks: &Networks,
    number: u64,
    limit: usize,
) -> Result<Vec<NumberedLink>> {
    let sql = format!("{LINK} WHERE id > ?1 ORDER BY id LIMIT ?2");
    let mut find = db.prepare_cached(&sql)?;
    let key = [read::number(number), limit.min(LINKS_MAX) as i64];
    let rows = find.query_map(key, |row| {
        let network = networks.name(db, row.get(10)?)?;
        Ok(NumberedLink { number: row.get::<_, i64>(9)? as u64, network, row: link_row(row)? })
    })?;
    rows.collect()
}

fn link_row(row: &Row<'_>) -> Result<LinkRow> {
    let end = |kind: usize, id: usize| -> Result<End> {
        Ok(End { kind: row.get_ref(kind)?.as_str()?.into(), id: row.get(id)? })
    };
    let name = row.get_ref(2)?.as_str()?.into();
    Ok(LinkRow {
        link: Link { from: end(0, 1)?, name, to: end(3, 4)?, is_member: row.get(5)? },
        seen_at: Timestamp::from_ms(row.get(6)?),
        last_seen_at: Timestamp::from_ms(row.get(7)?),
        cancelled_at: value::at(row, 8)?,
    })
}

/// Links into other networks, by what has them or by what they lead to, the surest first.
pub(super) fn cross_links(db: &Connection, query: &CrossLinkQuery<'_>) -> Result<Vec<CrossLinkRow>> {
    let sql = "SELECT o.address, c.name, c.kind, c.target, c.value, c.field, c.evidence, c.confidence, c.visit, c.seen_at, \
               c.last_seen_at, c.cancelled_at FROM cross_links c CROSS JOIN objects o ON o.id = c.object";
    let (sql, key) = match (query.from, query.to) {
        (Some(from), _) => (format!("{sql} WHERE o.network = ?1 AND o.type = ?2 AND o.native_id = ?3"), from),
        (None, Some(to)) => (format!("{sql} WHERE c.target = ?1 || '/' || ?2 || '/' || ?3"), to),
        (None, None) => return Ok(Vec::new()),
    };
    let sql = format!("{sql} AND (?4 OR c.cancelled_at IS NULL) ORDER BY c.confidence DESC, c.id LIMIT ?5");
    let limit = query.limit.min(LINKS_MAX) as i64;
    let read = |row: &Row<'_>| {
        let address = row.get_ref(0)?.as_str()?;
        Ok(CrossLinkRow {
            from: address.parse().map_err(|_| value::unknown(0, "address", address))?,
            link: read::cross_link(row, [1, 2, 3, 4, 5, 6, 7])?,
            visit: VisitId(row.get::<_, i64>(8)? as u64),
            seen_at: Timestamp::from_ms(row.get(9)?),
            last_seen_at: Timestamp::from_ms(row.get(10)?),
            cancelled_at: value::at(row, 11)?,
        })
    };
    let mut find = db.prepare_cached(&sql)?;
    find.query_map(params![key.network.as_str(), &*key.kind, key.id, query.with_ended, limit], read)?
        .collect()
}

/// Objects that lead to an address of another network.
pub(super) fn across(db: &Connection, target: &Address, limit: usize) -> Result<Vec<(Address, String)>> {
    let sql = "SELECT o.address, c.name FROM cross_links c CROSS JOIN objects o ON o.id = c.object \
               WHERE c.target = ?1 AND c.cancelled_at IS NULL ORDER BY c.confidence DESC, c.object LIMIT ?2";
    let mut find = db.prepare_cached(sql)?;
    let rows = find.query_map(params![target.to_string(), limit.min(LINKS_MAX) as i64], |row| {
        let address = row.get_ref(0)?.as_str()?;
        let address = address.parse().map_err(|_| value::unknown(0, "address", address))?;
        Ok((address, row.get(1)?))
    })?;
    rows.collect()
}
