//! Links of what is erased: a link has two ends, and goes with either of them.

use super::super::db::{Connection, Result};

/// The tables in which an end of a link may stand, and what its type is there.
const TABLES: [(&str, &str); 3] = [("posts", "o.kind"), ("accounts", "'account'"), ("things", "o.kind")];

/// Erases the links of every object whose number stands in `erased`; gives how many links and how many lines of the log.
pub(super) fn erase(db: &Connection) -> Result<(u64, u64)> {
    let mut links: Vec<i64> = Vec::new();
    for (table, kind) in TABLES {
        for (id, end) in [("from_id", "from_kind"), ("to_id", "to_kind")] {
            let sql = format!(
                "SELECT k.id FROM erased e JOIN {table} o ON o.id = e.id JOIN object_links k \
                 ON k.network = o.network AND k.{id} = o.native_id AND k.{end} = {kind}"
            );
            let mut find = db.prepare_cached(&sql)?;
            links.extend(find.query_map([], |row| row.get::<_, i64>(0))?.collect::<Result<Vec<_>>>()?);
        }
    }
    links.sort_unstable();
    links.dedup();
    let mut erase = db.prepare_cached("DELETE FROM object_links WHERE id = $1")?;
    let mut silence = db.prepare_cached("DELETE FROM changes WHERE object = $1 AND number <> object")?;
    let mut lines = 0;
    for link in &links {
        erase.execute([link])?;
        lines += silence.execute([link])? as u64;
    }
    Ok((links.len() as u64, lines))
}
