//! Who ranks high: scores of accounts, written whole by the run that reckons them, and read for their lists.

use freshet_types::SourceId;

use super::db::{Connection, Result, params};
use crate::api::interest::{RANKED_MAX, Ranked};

/// Lists of accounts that a policy times and that are visited.
const LISTS: &str =
    "s.root_kind = 'account' AND s.root_id <> '' AND s.robot IN ('status', 'comment') AND s.state = 'active'";

/// These scores and no others.
pub(super) fn set(db: &Connection, ranks: &[(u64, f64)]) -> Result<()> {
    db.execute("DELETE FROM ranks", [])?;
    let mut insert = db.prepare_cached(
        "INSERT INTO ranks (account, score) SELECT id, $2 FROM accounts WHERE id = $1 \
         ON CONFLICT (account) DO UPDATE SET score = $2",
    )?;
    let is_score = |score: f64| score.is_finite() && score > 0.0;
    for &(account, score) in ranks.iter().filter(|it| is_score(it.1)).take(RANKED_MAX) {
        insert.execute(params![account as i64, score])?;
    }
    Ok(())
}

/// The scores of watched lists, and how many such lists there are.
pub(super) fn of(db: &Connection) -> Result<Ranked> {
    let mut find = db.prepare_cached(&format!(
        "SELECT s.id, r.score FROM ranks r JOIN accounts a ON a.id = r.account \
         JOIN sources s ON s.root_id = a.native_id AND s.network = a.network WHERE {LISTS} ORDER BY s.id"
    ))?;
    let rows = find.query_map([], |row| Ok((SourceId(row.get(0)?), row.get(1)?)))?;
    let scores: Vec<(SourceId, f64)> = rows.collect::<Result<_>>()?;
    if scores.is_empty() {
        return Ok(Ranked::default());
    }
    let count = format!("SELECT count(*) FROM sources s WHERE {LISTS}");
    let list_count: i64 = db.prepare_cached(&count)?.query_row([], |row| row.get(0))?;
    Ok(Ranked { scores, list_count: list_count as u64 })
}
