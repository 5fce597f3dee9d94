//! Full-text search over posts. The index follows the change log with a cursor of its own.
//!
//! Invariant: the index holds no text, only words and places, and nothing of an erased post. Words are made by [`super::words`] and not by
//! the server, so that they are the same whatever its locale and extensions.

use freshet_types::{Map, Set};

use super::db::{Connection, Many, Result, params};
use super::network::{Networks, OF_NETWORK};
use super::words::{Asked, snippet, vector};
use super::{PostgresStore, failed, log, read, value};
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

impl PostgresStore {
    /// Brings the index up to date before a search, as far as this connection may write.
    pub(super) fn catch_up(&self) {
        // Looking first spares a search that is up to date the wait for a busy writer.
        if self.db.is_reader() || !is_behind(&self.db).unwrap_or(true) {
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
    let mut find = db.prepare_cached("SELECT EXISTS (SELECT 1 FROM changes WHERE number > $1)")?;
    find.query_row([cursor], |row| row.get(0))
}

/// Takes in at most `limit` changes; gives how many it took.
pub(super) fn index(db: &Connection, limit: usize) -> Result<usize> {
    let cursor = log::cursor(db, CONSUMER)? as i64;
    // Created, edited and restored posts; a deletion that erases takes the words away itself.
    let sql = "SELECT c.number, p.id, p.text, c.kind = 0 FROM changes c \
               LEFT JOIN posts p ON c.class = 1 AND c.kind IN (0, 1, 3) AND p.id = c.object \
               WHERE c.number > $1 ORDER BY c.number LIMIT $2";
    let mut statement = db.prepare_cached(sql)?;
    let mut rows = statement.query([cursor, limit as i64])?;
    let (mut count, mut last) = (0, cursor);
    // The last word of a post counts; one whose text was taken out keeps no words.
    let (mut words, mut gone): (Map<i64, String>, Set<i64>) = Default::default();
    while let Some(row) = rows.next()? {
        (count, last) = (count + 1, row.get(0)?);
        let Some(object) = row.get::<_, Option<i64>>(1)? else { continue };
        let text = row.get_ref(2)?.as_str()?;
        if !text.is_empty() {
            words.insert(object, vector(&plain(text)));
        } else if !row.get::<_, bool>(3)? {
            gone.insert(object);
        }
    }
    if !gone.is_empty() {
        let delete = "DELETE FROM post_text WHERE post = ANY($1)";
        db.prepare_cached(delete)?.execute(params![Many(gone.into_iter().map(Some).collect::<Vec<_>>())])?;
    }
    if !words.is_empty() {
        let insert = "INSERT INTO post_text (post, words) SELECT post, words::tsvector FROM unnest($1, $2) n (post, words) \
                      ON CONFLICT (post) DO UPDATE SET words = EXCLUDED.words";
        let (posts, words): (Vec<_>, Vec<_>) =
            words.into_iter().map(|(post, words)| (Some(post), Some(words))).unzip();
        db.prepare_cached(insert)?.execute(params![Many(posts), Many(words)])?;
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
    let asked = understood(query)?;
    let best = || -> Result<Vec<i64>> {
        let best = "SELECT post FROM post_text, CAST($1 AS tsquery) q WHERE words @@ q \
                    ORDER BY ts_rank(words, q, 1) DESC, post DESC LIMIT $2";
        let mut statement = db.prepare_cached(best)?;
        let key = params![asked.query, limit.min(HITS_MAX) as i64];
        statement.query_map(key, |row| row.get(0))?.collect()
    };
    best().and_then(|ids| hits(db, networks, &asked, &ids)).map_err(failed("search"))
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
    let asked = understood(text)?;
    let page = || hits(db, networks, &asked, &post_numbers(db, query, Some(&asked))?);
    page().map_err(failed("search"))
}

/// Conditions on posts, beside the network: since, until, author.
const POSTS_WHERE: &str = "($2 IS NULL OR COALESCE(p.created_at, p.seen_at) >= $2) \
     AND ($3 IS NULL OR COALESCE(p.created_at, p.seen_at) < $3) \
     AND ($4 IS NULL OR p.author = $4 OR p.author IN (SELECT native_id FROM accounts WHERE handle = $4))";

/// Numbers of the posts that are meant, in the order in which they are shown.
fn post_numbers(db: &Connection, query: &PostQuery, asked: Option<&Asked>) -> Result<Vec<i64>> {
    let sql = match asked {
        Some(_) => format!(
            "SELECT p.id FROM CAST($7 AS tsquery) q, post_text t JOIN posts p ON p.id = t.post \
             WHERE t.words @@ q AND ($1 IS NULL OR p.network {OF_NETWORK}) AND {POSTS_WHERE} \
             ORDER BY ts_rank(t.words, q, 1) DESC, p.id DESC LIMIT $5 OFFSET $6"
        ),
        None => format!(
            "SELECT p.id FROM posts p WHERE ($1 IS NULL OR p.network {OF_NETWORK}) AND {POSTS_WHERE} \
             AND $7 IS NULL ORDER BY p.id DESC LIMIT $5 OFFSET $6"
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
            asked.map(|asked| asked.query.as_str()),
        ],
        |row| row.get(0),
    )?;
    rows.collect()
}

fn understood(query: &str) -> Result<Asked, StoreError> {
    Asked::parse(query).map_err(|why| StoreError::Query { query: query.to_owned(), why })
}

/// These posts, each with where it says what was asked for.
fn hits(db: &Connection, networks: &Networks, asked: &Asked, ids: &[i64]) -> Result<Vec<Hit>> {
    let rows = ids.iter().filter_map(|id| read::post(db, networks, *id as u64).transpose());
    let hit = |row: Result<_>| {
        let row: crate::row::PostRow = row?;
        Ok(Hit { snippet: snippet(plain(&row.post.text).trim(), asked), row })
    };
    rows.map(hit).collect()
}
