//! Full-text search over posts. The index follows the change log with a cursor of its own.
//!
//! Invariant: the index holds no text, only words and places, and nothing of an erased post.
//! Snippets are made by putting the few hits into a passing index of the same kind and asking
//! that one, so words are split and matched exactly as in the search itself.

use rusqlite::{Connection, Error, Result, Transaction, TransactionBehavior, params};

use super::network::{Networks, OF_NETWORK};
use super::{SqliteStore, failed, log, read, value};
use crate::api::StoreError;
use crate::browse::{OFFSET_MAX, PAGE_MAX, PostQuery};
use crate::plain::plain;
use crate::row::Hit;

/// The index's place in the change log.
const CONSUMER: &str = "search";
/// Changes taken in one transaction: some tens of milliseconds, so that a crawl is not held up.
const STEP_CHANGES: usize = 2_000;
/// Steps that one search waits for; beyond 2 million changes behind, it answers with what it has.
const STEPS_MAX: usize = 1_000;
/// Most hits given, whatever is asked for.
const HITS_MAX: usize = 10_000;

impl SqliteStore {
    /// Brings the index up to date before a search, as far as this connection may write.
    pub(super) fn catch_up(&self) {
        // Looking first spares a search that is up to date the wait for a busy writer.
        if self.db.is_readonly("main").unwrap_or(true) || !is_behind(&self.db).unwrap_or(true) {
            return;
        }
        for _ in 0..STEPS_MAX {
            match self.write("bring the search index up to date", |db| index(db, STEP_CHANGES)) {
                Ok(STEP_CHANGES) => {}
                Ok(_) => return,
                Err(error) => {
                    tracing::debug!(%error, "the search index stays behind");
                    return;
                }
            }
        }
    }
}

/// Whether the log has lines that the index has not taken in.
pub(super) fn is_behind(db: &Connection) -> Result<bool> {
    let cursor = log::cursor(db, CONSUMER)? as i64;
    let mut find = db.prepare_cached("SELECT EXISTS (SELECT 1 FROM changes WHERE number > ?1)")?;
    find.query_row([cursor], |row| row.get(0))
}

/// Takes in at most `limit` changes; gives how many it took.
pub(super) fn index(db: &Connection, limit: usize) -> Result<usize> {
    let cursor = log::cursor(db, CONSUMER)? as i64;
    // Created, edited and restored posts; a deletion that erases takes the words away itself.
    let sql = "SELECT c.number, p.id, p.text, c.kind = 0 FROM changes c \
               LEFT JOIN posts p ON c.class = 1 AND c.kind IN (0, 1, 3) AND p.id = c.object \
               WHERE c.number > ?1 ORDER BY c.number LIMIT ?2";
    let mut statement = db.prepare_cached(sql)?;
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO post_text (rowid, text) VALUES (?1, ?2)")?;
    // A post whose text was taken out keeps no words.
    let mut delete = db.prepare_cached("DELETE FROM post_text WHERE rowid = ?1")?;
    let mut rows = statement.query([cursor, limit as i64])?;
    let (mut count, mut last) = (0, cursor);
    while let Some(row) = rows.next()? {
        (count, last) = (count + 1, row.get(0)?);
        let Some(object) = row.get::<_, Option<i64>>(1)? else { continue };
        let text = row.get_ref(2)?.as_str()?;
        if !text.is_empty() {
            insert.execute((object, plain(text)))?;
        } else if !row.get::<_, bool>(3)? {
            delete.execute([object])?;
        }
    }
    if count > 0 {
        log::set_cursor(db, CONSUMER, last as u64)?;
    }
    Ok(count)
}

/// Posts whose text matches, best first.
pub(super) fn search(
    db: &Connection,
    networks: &Networks,
    query: &str,
    limit: usize,
) -> Result<Vec<Hit>, StoreError> {
    let asked = expression(query).ok_or_else(|| no_words(query))?;
    let best = |db: &Connection| {
        let best = "SELECT rowid FROM post_text WHERE post_text MATCH ?1 ORDER BY rank LIMIT ?2";
        let mut statement = db.prepare_cached(best)?;
        let ids = statement.query_map((&asked, limit.min(HITS_MAX) as i64), |row| row.get(0))?;
        ids.collect()
    };
    find(db, networks, &asked, best).map_err(|error| refused(query, error))
}

/// A page of posts: those that match, best first; without words the newest in the store.
pub(super) fn list(db: &Connection, networks: &Networks, query: &PostQuery) -> Result<Vec<Hit>, StoreError> {
    let Some(text) = &query.text else {
        let list = || {
            let numbers = post_numbers(db, query, None)?.into_iter();
            let rows = numbers.map(|number| read::post(db, networks, number as u64));
            let rows = rows.filter_map(Result::transpose);
            rows.map(|row| Ok(Hit { row: row?, snippet: String::new() })).collect::<Result<Vec<_>>>()
        };
        return list().map_err(failed("list posts"));
    };
    let asked = expression(text).ok_or_else(|| no_words(text))?;
    let page = |db: &Connection| post_numbers(db, query, Some(&asked));
    find(db, networks, &asked, page).map_err(|error| refused(text, error))
}

/// Conditions on posts, beside the network: since, until, author.
const POSTS_WHERE: &str = "(?2 IS NULL OR COALESCE(p.created_at, p.seen_at) >= ?2) \
     AND (?3 IS NULL OR COALESCE(p.created_at, p.seen_at) < ?3) \
     AND (?4 IS NULL OR p.author = ?4 OR p.author IN (SELECT native_id FROM accounts WHERE handle = ?4))";

/// Numbers of the posts that are meant, in the order in which they are shown.
fn post_numbers(db: &Connection, query: &PostQuery, asked: Option<&str>) -> Result<Vec<i64>> {
    let sql = match asked {
        Some(_) => format!(
            "SELECT p.id FROM post_text JOIN posts p ON p.id = post_text.rowid \
             WHERE post_text MATCH ?7 AND (?1 IS NULL OR p.network {OF_NETWORK}) AND {POSTS_WHERE} \
             ORDER BY rank LIMIT ?5 OFFSET ?6"
        ),
        None => format!(
            "SELECT p.id FROM posts p WHERE (?1 IS NULL OR p.network {OF_NETWORK}) AND {POSTS_WHERE} \
             AND ?7 IS NULL ORDER BY p.id DESC LIMIT ?5 OFFSET ?6"
        ),
    };
    let author = query.author.as_deref().map(|author| author.trim().trim_start_matches('@'));
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map(
        params![
            query.network,
            value::ms(query.since),
            value::ms(query.until),
            author,
            query.limit.min(PAGE_MAX) as i64,
            query.offset.min(OFFSET_MAX) as i64,
            asked,
        ],
        |row| row.get(0),
    )?;
    rows.collect()
}

fn no_words(query: &str) -> StoreError {
    StoreError::Query { query: query.to_owned(), why: "it has no words".to_owned() }
}

fn refused(query: &str, error: Error) -> StoreError {
    match &error {
        // SQLite has one code for all mistakes in a query, and for hardly anything else.
        Error::SqliteFailure(code, Some(message)) if code.extended_code == rusqlite::ffi::SQLITE_ERROR => {
            let why = message.trim_start_matches("fts5: ").to_owned();
            StoreError::Query { query: query.to_owned(), why }
        }
        _ => failed("search")(error),
    }
}

fn find(
    db: &Connection,
    networks: &Networks,
    asked: &str,
    choose: impl FnOnce(&Connection) -> Result<Vec<i64>>,
) -> Result<Vec<Hit>> {
    // One snapshot for all statements; rolled back in the end, which empties the passing index.
    let snapshot = Transaction::new_unchecked(db, TransactionBehavior::Deferred)?;
    let ids = choose(&snapshot)?;
    snapshot.execute_batch(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.snippets \
         USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2')",
    )?;
    let mut insert = snapshot.prepare("INSERT INTO temp.snippets (rowid, text) VALUES (?1, ?2)")?;
    let cut = "SELECT snippet(snippets, 0, '[', ']', '…', 24) FROM temp.snippets \
               WHERE snippets MATCH ?1 AND rowid = ?2";
    let mut hits = Vec::with_capacity(ids.len());
    for id in &ids {
        if let Some(row) = read::post(db, networks, *id as u64)? {
            insert.execute((id, plain(&row.post.text).trim()))?;
            hits.push(row);
        }
    }
    let mut cut = snapshot.prepare(cut)?;
    let hits = hits.into_iter().map(|row| {
        let snippet = cut.query_row((asked, row.object as i64), |row| row.get(0));
        Ok(Hit { snippet: snippet.unwrap_or_default(), row })
    });
    hits.collect()
}

/// What FTS5 is asked: as typed where the query uses its operators, else all words, each quoted,
/// so that `don't`, `c++` and `user@example.org` need no thought.
fn expression(query: &str) -> Option<String> {
    if !query.contains(char::is_alphanumeric) {
        return None;
    }
    let is_operator = |word: &str| matches!(word, "AND" | "OR" | "NOT") || word.starts_with("NEAR(");
    if query.contains(['"', '(', ')', '*', '^']) || query.split_whitespace().any(is_operator) {
        return Some(query.to_owned());
    }
    let words = query.split_whitespace().filter(|word| word.contains(char::is_alphanumeric));
    Some(words.map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_are_quoted_and_operators_pass() {
        for (query, expected) in [
            ("flood warning", Some("\"flood\" \"warning\"")),
            ("don't c++", Some("\"don't\" \"c++\"")),
            ("flood OR storm", Some("flood OR storm")),
            ("flo*", Some("flo*")),
            ("a - b", Some("\"a\" \"b\"")),
            ("  ", None),
            ("*", None),
        ] {
            assert_eq!(expression(query).as_deref(), expected, "{query}");
        }
    }
}
