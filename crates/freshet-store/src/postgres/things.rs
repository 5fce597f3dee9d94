//! Reading things and links back.

use freshet_types::{Address, End, Link, NetworkName, Thing, Timestamp, VisitId};

use super::damage::{Broken, Table};
use super::db::{Connection, OptionalExtension, Result, Row, params};
use super::network::Networks;
use super::read::Query;
use super::{read, value};
use crate::api::page::Rows;
use crate::row::{CrossLinkQuery, CrossLinkRow, Filter, LinkQuery, LinkRow, ThingRow};

const THING: &str = "SELECT t.id, t.network, t.kind, t.native_id, t.seen_at, t.name, t.url, t.created_at, t.properties, \
     EXISTS (SELECT 1 FROM cross_links c WHERE c.object = t.id AND c.cancelled_at IS NULL) FROM things t";

const THINGS: Table = Table { one: "object" };

/// Links given at once, whatever is asked for.
const LINKS_MAX: usize = 100_000;

/// The thing of this type and id.
pub(super) fn named(
    db: &Connection,
    networks: &Networks,
    name: &NetworkName,
    (kind, id): (&str, &str),
) -> Result<Option<ThingRow>> {
    let Some(network) = networks.find(db, name)? else { return Ok(None) };
    let sql = format!("{THING} WHERE t.network = $1 AND t.native_id = $2 AND t.kind = $3");
    let mut find = db.prepare_cached(&sql)?;
    find.query_row(params![network, id, kind], |row| thing_of(db, networks, row)).optional()
}

/// A page of things.
pub(super) fn page(
    db: &Connection,
    networks: &Networks,
    filter: &Filter,
    limit: usize,
) -> Result<Rows<ThingRow>, Broken> {
    let sql = read::filtered(THING, "t", "t.seen_at");
    let query = Query { table: THINGS, sql: &sql, id: 0, texts: &[8] };
    read::page(db, &query, (filter, limit), |row| thing_of(db, networks, row))
}

fn thing_of(db: &Connection, networks: &Networks, row: &Row) -> Result<ThingRow> {
    let object: i64 = row.get(0)?;
    let thing = Thing {
        id: row.get(3)?,
        kind: row.get_ref(2)?.as_str()?.into(),
        name: row.get(5)?,
        url: row.get(6)?,
        created_at: value::at(row, 7)?,
        plinks: value::plinks(value::text(row, 8)?),
        slinks: if row.get(9)? { read::slinks(db, object)? } else { Vec::new() },
        slinks_seen: Vec::new(),
    };
    let (network, seen_at) = (networks.name(db, row.get(1)?)?, Timestamp::from_ms(row.get(4)?));
    Ok(ThingRow { object: object as u64, network, thing, seen_at })
}

/// The links of an object, one way.
pub(super) fn links(db: &Connection, networks: &Networks, query: &LinkQuery<'_>) -> Result<Vec<LinkRow>> {
    let Some(network) = networks.find(db, query.network)? else { return Ok(Vec::new()) };
    let end = if query.is_inward { "to" } else { "from" };
    let sql = format!(
        "SELECT from_kind, from_id, name, to_kind, to_id, is_member, seen_at, last_seen_at, cancelled_at \
         FROM object_links WHERE network = $1 AND {end}_id = $2 AND {end}_kind = $3 AND ($4 IS NULL OR name = $4) \
         AND ($5 = 1 OR cancelled_at IS NULL) ORDER BY name, id LIMIT $6"
    );
    let (kind, id) = query.object;
    let limit = query.limit.min(LINKS_MAX) as i64;
    let read = |row: &Row| {
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
    };
    let mut find = db.prepare_cached(&sql)?;
    find.query_map(params![network, id, kind, query.name, query.with_cancelled, limit], read)?.collect()
}

/// Links into other networks, by what has them or by what they lead to, the surest first.
pub(super) fn cross_links(db: &Connection, query: &CrossLinkQuery<'_>) -> Result<Vec<CrossLinkRow>> {
    let sql = "SELECT o.address, c.name, c.kind, c.target, c.value, c.field, c.evidence, c.confidence, c.visit, c.seen_at, \
               c.last_seen_at, c.cancelled_at FROM cross_links c JOIN objects o ON o.id = c.object";
    let (sql, key) = match (query.from, query.to) {
        (Some(from), _) => (format!("{sql} WHERE o.network = $1 AND o.type = $2 AND o.native_id = $3"), from),
        (None, Some(to)) => (format!("{sql} WHERE c.target = $1 || '/' || $2 || '/' || $3"), to),
        (None, None) => return Ok(Vec::new()),
    };
    let sql =
        format!("{sql} AND ($4 = 1 OR c.cancelled_at IS NULL) ORDER BY c.confidence DESC, c.id LIMIT $5");
    let limit = query.limit.min(LINKS_MAX) as i64;
    let read = |row: &Row| {
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
    let sql = "SELECT o.address, c.name FROM cross_links c JOIN objects o ON o.id = c.object \
               WHERE c.target = $1 AND c.cancelled_at IS NULL ORDER BY c.confidence DESC, c.object LIMIT $2";
    let mut find = db.prepare_cached(sql)?;
    let rows = find.query_map(params![target.to_string(), limit.min(LINKS_MAX) as i64], |row| {
        let address = row.get_ref(0)?.as_str()?;
        let address = address.parse().map_err(|_| value::unknown(0, "address", address))?;
        Ok((address, row.get(1)?))
    })?;
    rows.collect()
}
