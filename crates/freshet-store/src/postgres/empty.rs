//! Taking out the content of rows that are not to be kept: posts, accounts, things and what hangs on them.
//!
//! Invariant: a row that is emptied is what it would be had it never been kept; its fingerprint is [`super::unkept`]'s. In pieces, so that a
//! crawl is not held up.

use super::db::{Connection, Result, Row, params};
use super::unkept::{Prints, Said};
use super::{complaints, erase, value};

/// Rows that are emptied in one transaction: some tens of milliseconds.
const PIECE: i64 = 1_000;
const COUNTS: &str = "(SELECT json_object_agg(key, value)::text FROM json_each(properties::json) \
     WHERE value::text ~ '^-?[0-9]+$' AND right(key, 6) = '_count')";
/// There is a value that is not kept.
const HAS_OTHERS: &str = "EXISTS (SELECT 1 FROM json_each(properties::json) WHERE value::text !~ '^-?[0-9]+$' OR right(key, 6) <> '_count')";

/// Takes the content out of a post that was kept.
pub(super) fn empty_post(db: &Connection, object: i64) -> Result<()> {
    let sql = format!(
        "UPDATE posts SET text = '', url = NULL, uri = NULL, lang = NULL, tags = NULL, properties = {COUNTS} WHERE id = $1"
    );
    db.prepare_cached(&sql)?.execute([object])?;
    erase::drop_copies(db, object)?;
    complaints::forget_of(db, object)
}

/// Takes what it says of itself out of an account, and notes by which fingerprints it is known.
pub(super) fn empty_account(db: &Connection, object: i64, name: Option<i64>, bio: Option<i64>) -> Result<()> {
    let sql = format!(
        "UPDATE accounts SET name = NULL, bio = NULL, url = NULL, uri = NULL, location = NULL, properties = {COUNTS}, \
         name_print = COALESCE($2, name_print), bio_print = COALESCE($3, bio_print) WHERE id = $1"
    );
    db.prepare_cached(&sql)?.execute(params![object, name, bio])?;
    erase::drop_copies(db, object)
}

/// Empties some of what is kept of a network; gives how many rows that were.
pub(super) fn empty_some(db: &Connection, network: i64) -> Result<u64> {
    let prints = Prints::default();
    let some = [posts(db, network, &prints)?, accounts(db, network, &prints)?, things(db, network)?];
    let count = some.iter().sum::<u64>() + rest(db, network)?;
    if count > 0 {
        erase::note_scrub(db)?;
    }
    Ok(count)
}

fn posts(db: &Connection, network: i64, prints: &Prints) -> Result<u64> {
    let find = "SELECT id, version FROM posts WHERE network = $1 AND is_unkept = 0 LIMIT $2";
    let mut find = db.prepare_cached(find)?;
    let read = |row: &Row| Ok((row.get(0)?, row.get(1)?));
    let found: Vec<(i64, i64)> = find.query_map([network, PIECE], read)?.collect::<Result<_>>()?;
    for (object, version) in &found {
        empty_post(db, *object)?;
        // A redacted post said nothing, and still does.
        let print = match *version {
            0 => 0,
            version => prints.of(db, Said::Post, *object, &version.to_le_bytes())?,
        };
        let note = "UPDATE posts SET is_unkept = 1, version = $2 WHERE id = $1";
        db.prepare_cached(note)?.execute([*object, print])?;
    }
    Ok(found.len() as u64)
}

fn accounts(db: &Connection, network: i64, prints: &Prints) -> Result<u64> {
    let find = format!(
        "SELECT id, name, bio FROM accounts WHERE network = $1 AND (name IS NOT NULL OR bio IS NOT NULL OR url IS NOT NULL \
         OR uri IS NOT NULL OR location IS NOT NULL OR {HAS_OTHERS}) LIMIT $2"
    );
    let mut find = db.prepare_cached(&find)?;
    let mut rows = find.query([network, PIECE])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let object: i64 = row.get(0)?;
        let name = prints.of_text(db, Said::Name, object, value::text(row, 1)?)?;
        found.push((object, name, prints.of_text(db, Said::Bio, object, value::text(row, 2)?)?));
    }
    for (object, name, bio) in &found {
        empty_account(db, *object, *name, *bio)?;
    }
    Ok(found.len() as u64)
}

fn things(db: &Connection, network: i64) -> Result<u64> {
    let find = format!(
        "SELECT id FROM things WHERE network = $1 AND (name IS NOT NULL OR url IS NOT NULL OR {HAS_OTHERS}) LIMIT $2"
    );
    let mut find = db.prepare_cached(&find)?;
    let found: Vec<i64> = find.query_map([network, PIECE], |row| row.get(0))?.collect::<Result<_>>()?;
    let empty = format!("UPDATE things SET name = NULL, url = NULL, properties = {COUNTS} WHERE id = $1");
    for object in &found {
        db.prepare_cached(&empty)?.execute([*object])?;
        erase::drop_copies(db, *object)?;
    }
    Ok(found.len() as u64)
}

/// What hangs on no single object: titles of lists, tags of accounts, raw answers, samples, what waits for a judgement.
fn rest(db: &Connection, network: i64) -> Result<u64> {
    let run = |sql: &str| -> Result<u64> { Ok(db.prepare_cached(sql)?.execute([network, PIECE])? as u64) };
    Ok(run("UPDATE lists SET title = NULL WHERE id IN \
            (SELECT id FROM lists WHERE network = $1 AND title IS NOT NULL LIMIT $2)")?
        + run(
            "DELETE FROM account_tags WHERE (network, account, tag) IN (SELECT t.network, t.account, t.tag FROM account_tags t \
               JOIN tags g ON g.id = t.tag WHERE t.network = $1 AND substr(g.name, 1, 1) <> '~' LIMIT $2)",
        )?
        + run(
            "DELETE FROM tags WHERE substr(name, 1, 1) <> '~' AND $1 IS NOT NULL AND id IN (SELECT g.id FROM tags g \
               WHERE NOT EXISTS (SELECT 1 FROM account_tags t WHERE t.tag = g.id) LIMIT $2)",
        )?
        + run(
            "DELETE FROM payloads WHERE id IN (SELECT p.id FROM payloads p JOIN sources s ON s.id = p.source \
               WHERE s.network = $1 LIMIT $2)",
        )?
        + run("DELETE FROM complaint_samples WHERE id IN (SELECT c.id FROM complaint_samples c \
               JOIN complaint_kinds k ON k.id = c.kind WHERE k.network = $1 LIMIT $2)")?
        + run(
            "DELETE FROM parked WHERE address IN (SELECT p.address FROM parked p JOIN networks n ON n.id = $1 \
               WHERE substr(p.address, 1, length(n.name) + 1) = n.name || '/' LIMIT $2)",
        )?)
}
