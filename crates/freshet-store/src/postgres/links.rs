//! All links that have a row of their own, in order of number: for exports.
//!
//! Links within a network and links into others stand in two tables and take their numbers from one counter, so that a page is a merge
//! of two tables in the order of their keys, and costs what its rows cost. Links that a column of a post, a list or a relation tells are
//! exported with those.

use freshet_types::{Address, LinkKind, Timestamp};

use super::damage::{Broken, Table};
use super::db::{Connection, Result, Row};
use super::network::Networks;
use super::read::{Query, condition, cross_link, page as read_page};
use super::value;
use crate::api::page::Rows;
use crate::row::{AnyLinkRow, Filter};

const LINKS: Table = Table { one: "link" };

const WITHIN: &str = "SELECT m.id, m.network, m.from_kind, m.from_id, m.name, CASE m.is_member WHEN 0 THEN 'c' ELSE 'co' END, \
     m.to_kind, m.to_id, NULL, NULL, NULL, NULL, m.seen_at, m.last_seen_at, m.cancelled_at FROM object_links m";

const ACROSS: &str = "SELECT c.id, COALESCE(p.network, a.network, o.network), \
     CASE WHEN p.id IS NOT NULL THEN p.kind WHEN a.id IS NOT NULL THEN 'account' ELSE o.kind END, \
     COALESCE(p.native_id, a.native_id, o.native_id), c.name, c.kind, NULL, c.target, c.value, c.field, c.evidence, \
     c.confidence, c.seen_at, c.last_seen_at, c.cancelled_at FROM cross_links c \
     LEFT JOIN posts p ON p.id = c.object LEFT JOIN accounts a ON a.id = c.object LEFT JOIN things o ON o.id = c.object";

/// A page of links, those that ended included.
pub(super) fn page(
    db: &Connection,
    networks: &Networks,
    filter: &Filter,
    limit: usize,
) -> Result<Rows<AnyLinkRow>, Broken> {
    let sql = format!(
        "{WITHIN} WHERE m.id > $4 AND {} UNION ALL {ACROSS} WHERE c.id > $4 AND {} ORDER BY 1 LIMIT $5",
        condition("m.network", "m.seen_at"),
        condition("COALESCE(p.network, a.network, o.network)", "c.seen_at"),
    );
    let query = Query { table: LINKS, sql: &sql, id: 0, texts: &[8, 10] };
    read_page(db, &query, (filter, limit), |row| link_of(db, networks, row))
}

fn link_of(db: &Connection, networks: &Networks, row: &Row) -> Result<AnyLinkRow> {
    let network = networks.name(db, row.get(1)?)?;
    let plain = AnyLinkRow {
        number: row.get::<_, i64>(0)? as u64,
        from: Address::new(&network, row.get_ref(2)?.as_str()?, row.get::<_, String>(3)?),
        kind: if row.get_ref(5)?.as_str()? == "c" { LinkKind::C } else { LinkKind::Co },
        name: row.get_ref(4)?.as_str()?.into(),
        to: Address::new(&network, value::text(row, 6)?.unwrap_or_default(), row.get::<_, String>(7)?),
        value: None,
        claim: None,
        seen_at: Timestamp::from_ms(row.get(12)?),
        last_seen_at: Timestamp::from_ms(row.get(13)?),
        cancelled_at: value::at(row, 14)?,
    };
    // Only a link within a network has a type of its target beside it; of the others that stands in the address.
    if value::text(row, 6)?.is_some() {
        return Ok(plain);
    }
    let link = cross_link(row, [4, 5, 7, 8, 9, 10, 11])?;
    let claim = Some((link.evidence, link.confidence));
    Ok(AnyLinkRow { kind: link.kind, to: link.target, value: link.value, claim, ..plain })
}
