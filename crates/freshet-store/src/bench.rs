//! The ingest benchmark: step 8 against bare prepared inserts of the same rows, in one run.
//!
//! Both sides write the same tables with the same indexes in transactions of the same size, by
//! turns, batch after batch, so that a busy machine slows down both alike; the quickest round
//! counts. Bare inserts know beforehand that every row is new, its number and its version: what
//! `apply` spends above them is the price of looking things up, comparing and logging. A third side applies the same
//! to a store with a long list of the forgotten, against which every page is held.

use std::path::Path;
use std::time::{Duration, Instant};

use freshet_types::{
    Account, ChangeKind, NetworkName, Observation, Post, RobotKind, Source, Timestamp, VisitId, VisitSummary,
};
use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};

use crate::api::prelude::*;
use crate::api::{Store, StoreError};
use crate::open::Access;
use crate::options::Options;
use crate::row::{KnownPost, Upload};
use crate::sqlite::SqliteStore;

/// Posts on a page, as most networks give them.
const PAGE_POSTS: usize = 40;
/// Pages in one transaction: the group commit of a busy crawl.
const BATCH_PAGES: usize = 250;
/// Sources that take turns.
const SOURCES: usize = 10_000;
/// Bytes of each text.
const TEXT_BYTES: usize = 120;
/// Rows in one transaction of bare copies, as in the group commit of a busy crawl.
const COPY_ROWS: usize = 20_000;
/// Tables that a crawl of posts fills.
const COPIED: [&str; 5] = ["accounts", "posts", "changes", "sources", "visits"];
/// Accounts and posts that are forgotten on the third side, so many of each: far more than people ask for.
const FORGOTTEN: usize = 100_000;
/// Rounds of which the best counts.
const ROUNDS: usize = 3;

/// What the benchmark measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IngestFigures {
    /// Posts per second through [`Store::apply`].
    pub apply_per_s: f64,
    /// Posts per second through bare prepared inserts of the same rows.
    pub raw_per_s: f64,
    /// The first divided by the second.
    pub ratio: f64,
    /// Posts per second through [`Store::apply`] where many accounts and posts are forgotten, none of these.
    pub guarded_per_s: f64,
}

/// Measures with about so many posts a round.
pub fn ingest(posts: usize) -> Result<IngestFigures, StoreError> {
    let batches = posts.div_ceil(PAGE_POSTS * BATCH_PAGES).max(1);
    let mut best = Times { apply: Duration::MAX, raw: Duration::MAX, guarded: Duration::MAX };
    for _ in 0..ROUNDS {
        let dir = tempfile::tempdir()
            .map_err(|error| StoreError::Database { doing: "measure", why: error.to_string() })?;
        let times = round(dir.path(), batches)?;
        best.guarded = best.guarded.min(times.guarded);
        if times.apply.saturating_add(times.raw) < best.apply.saturating_add(best.raw) {
            best = Times { guarded: best.guarded, ..times };
        }
    }
    let per_s = |time: Duration| (batches * BATCH_PAGES * PAGE_POSTS) as f64 / time.as_secs_f64();
    let (apply_per_s, raw_per_s) = (per_s(best.apply), per_s(best.raw));
    let guarded_per_s = per_s(best.guarded);
    Ok(IngestFigures { apply_per_s, raw_per_s, ratio: apply_per_s / raw_per_s, guarded_per_s })
}

/// Posts per second through [`Store::apply`] into a file, and into the new and empty store of this address: the same uploads by turns.
pub fn ingest_beside(address: &str, posts: usize) -> Result<(f64, f64), StoreError> {
    let dir = tempfile::tempdir()
        .map_err(|error| StoreError::Database { doing: "measure", why: error.to_string() })?;
    let mut file = crate::open(&dir.path().join("apply.db"), Access::Write, Options::default())?;
    let mut other = crate::open(address, Access::Write, Options::default())?;
    let sources = [add_sources(&mut file)?, add_sources(&mut other)?];
    let batches = posts.div_ceil(PAGE_POSTS * BATCH_PAGES).max(1);
    let mut times = [Duration::ZERO; 2];
    for batch in 0..batches {
        let stores = [&mut file, &mut other].into_iter().zip(&sources).zip(&mut times);
        for ((store, sources), time) in stores {
            let uploads = batch_of(batch, sources);
            let start = Instant::now();
            store.apply(&uploads, compare)?;
            *time += start.elapsed();
        }
    }
    let per_s = |time: Duration| (batches * BATCH_PAGES * PAGE_POSTS) as f64 / time.as_secs_f64();
    Ok((per_s(times[0]), per_s(times[1])))
}

/// Seconds that bare prepared inserts of all rows of the store at `from` take, with the same
/// indexes and into an empty store: what a crawl that brought these rows cannot beat.
pub fn copy_seconds(from: &Path) -> Result<f64, StoreError> {
    let dir = tempfile::tempdir()
        .map_err(|error| StoreError::Database { doing: "measure", why: error.to_string() })?;
    copy_all(from, &dir.path().join("copy.db"))
}

fn copy_all(from: &Path, to: &Path) -> Result<f64, StoreError> {
    let (from, to) = (SqliteStore::open(from)?, SqliteStore::open(to)?);
    let one = |table: &&str| copy(from.connection(), to.connection(), table);
    COPIED
        .iter()
        .map(one)
        .sum::<rusqlite::Result<Duration>>()
        .map(|time| time.as_secs_f64())
        .map_err(crate::sqlite::failed("measure"))
}

/// Reads a table first; only the inserts are timed.
fn copy(from: &Connection, to: &Connection, table: &str) -> rusqlite::Result<Duration> {
    // A column that the database works out by itself can be read and not be written: `table_info` leaves it
    // out, `SELECT *` would not.
    let mut columns = from.prepare("SELECT name FROM pragma_table_info(?1) ORDER BY cid")?;
    let columns = columns.query_map([table], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    let names = columns.join(", ");
    let mut read = from.prepare(&format!("SELECT {names} FROM {table}"))?;
    let rows = read.query_map([], |row| (0..columns.len()).map(|at| row.get(at)).collect())?;
    let rows: Vec<Vec<Value>> = rows.collect::<rusqlite::Result<_>>()?;
    let marks = vec!["?"; columns.len()].join(", ");
    let insert = format!("INSERT INTO {table} ({names}) VALUES ({marks})");
    let start = Instant::now();
    for group in rows.chunks(COPY_ROWS) {
        to.execute_batch("BEGIN IMMEDIATE")?;
        let mut insert = to.prepare_cached(&insert)?;
        for row in group {
            insert.execute(params_from_iter(row))?;
        }
        drop(insert);
        to.execute_batch("COMMIT")?;
    }
    Ok(start.elapsed())
}

fn compare(_: &Post, _: &KnownPost) -> Option<ChangeKind> {
    None
}

/// The time that each side took for all batches.
struct Times {
    apply: Duration,
    raw: Duration,
    guarded: Duration,
}

/// Puts strangers on the list of the forgotten.
fn fill_forgotten(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(&format!(
        "INSERT INTO settings VALUES ('forgotten_salt', hex(randomblob(32))); \
         INSERT INTO forgotten (number, subject, class, hash) \
         WITH RECURSIVE n(at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n WHERE at < {}) \
         SELECT at, at, 2 * (at % 2), random() FROM n;",
        2 * FORGOTTEN
    ))
}

fn round(dir: &Path, batches: usize) -> Result<Times, StoreError> {
    let mut guarded_store = SqliteStore::open(&dir.join("guarded.db"))?;
    add_sources(&mut guarded_store)?;
    fill_forgotten(guarded_store.connection()).map_err(crate::sqlite::failed("measure"))?;
    let mut guarded = Duration::ZERO;
    let mut store = SqliteStore::open(&dir.join("apply.db"))?;
    let mut bare = SqliteStore::open(&dir.join("raw.db"))?;
    let sources = add_sources(&mut store)?;
    add_sources(&mut bare)?;
    let (mut apply, mut raw, mut number) = (Duration::ZERO, Duration::ZERO, 0);
    for batch in 0..batches {
        let uploads = batch_of(batch, &sources);
        let bare_first = batch % 2 == 0;
        if bare_first {
            raw += raw_batch(bare.connection(), &uploads, &mut number)?;
        }
        let start = Instant::now();
        store.apply(&uploads, compare)?;
        apply += start.elapsed();
        if !bare_first {
            raw += raw_batch(bare.connection(), &uploads, &mut number)?;
        }
        let start = Instant::now();
        guarded_store.apply(&uploads, compare)?;
        guarded += start.elapsed();
    }
    Ok(Times { apply, raw, guarded })
}

fn raw_batch(db: &Connection, uploads: &[Upload], number: &mut i64) -> Result<Duration, StoreError> {
    let coverage: Vec<_> = uploads.iter().map(coverage).collect();
    let start = Instant::now();
    db.execute_batch("BEGIN IMMEDIATE")
        .and_then(|()| insert(db, uploads, &coverage, number))
        .and_then(|()| db.execute_batch("COMMIT"))
        .map_err(crate::sqlite::failed("measure"))?;
    Ok(start.elapsed())
}

fn coverage(upload: &Upload) -> String {
    let coverage = upload.source.as_ref().map(|source| &source.coverage);
    serde_json::to_string(&coverage).unwrap_or_default()
}

/// The rows that `apply` writes for these uploads, and nothing else.
fn insert(
    db: &Connection,
    uploads: &[Upload],
    coverage: &[String],
    number: &mut i64,
) -> rusqlite::Result<()> {
    let mut post = db.prepare_cached(
        "INSERT INTO posts (id, network, kind, native_id, author, created_at, edited_at, seen_at, deleted_at, \
         version, depth, is_embedded, is_retained, source, reply_to, root, repost_of, quote_of, lang, url, uri, \
         tags, text, properties, space) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, \
         ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?3)",
    )?;
    let mut account = db.prepare_cached(
        "INSERT INTO accounts (id, network, native_id, depth, seen_at, handle) VALUES (?1, 1, ?2, 0, ?3, ?4)",
    )?;
    let mut change = db.prepare_cached(
        "INSERT INTO changes (number, object, class, kind, seen_at, visit, finder) VALUES (?1, ?1, ?2, 0, ?3, ?4, 2)",
    )?;
    let mut source = db.prepare_cached("UPDATE sources SET due_at = ?2, coverage = ?3 WHERE id = ?1")?;
    let mut visit = db.prepare_cached("INSERT INTO visits VALUES (?1, ?2, ?3, ?3, 1, ?4, 'ok', 1)")?;
    for (upload, coverage) in uploads.iter().zip(coverage) {
        let (seen_at, id) = (upload.seen_at.ms(), upload.visit.0 as i64);
        let source_id = upload.source.as_ref().map_or(0, |source| source.id.0);
        for one in &upload.observation.accounts {
            // Every source comes round again and again; its account is new once.
            if upload.visit.0 < SOURCES as u64 {
                *number += 1;
                account.execute(params![*number, one.id, seen_at, one.handle])?;
                change.execute(params![*number, 0, seen_at, id])?;
            }
        }
        for one in &upload.observation.posts {
            *number += 1;
            post.execute(params![
                *number,
                1,
                &*one.kind,
                one.id,
                one.author,
                one.created_at.map(Timestamp::ms),
                one.edited_at.map(Timestamp::ms),
                seen_at,
                None::<i64>,
                *number << 30,
                0,
                false,
                false,
                source_id,
                one.reply_to,
                one.root,
                one.repost_of,
                one.quote_of,
                one.lang,
                one.url,
                one.uri,
                None::<&str>,
                one.text,
                None::<&str>,
            ])?;
            change.execute(params![*number, 1, seen_at, id])?;
        }
        source.execute(params![source_id, seen_at, coverage])?;
        visit.execute(params![id, source_id, seen_at, PAGE_POSTS as i64])?;
    }
    Ok(())
}

fn add_sources(store: &mut impl Store) -> Result<Vec<Source>, StoreError> {
    let network = NetworkName::from("bench");
    let one = |n: usize| Source::new(&network, "statuses", RobotKind::Status, "account", &author(n));
    let mut sources: Vec<_> = (0..SOURCES).map(one).collect();
    let ids = store.add_sources(&sources)?;
    for (source, (id, _)) in sources.iter_mut().zip(ids) {
        source.id = id;
    }
    Ok(sources)
}

/// Eighteen digits, as rising ids of Mastodon have them; scattered, as accounts are.
fn author(source: usize) -> String {
    format!("{:018}", (source * 7919 % SOURCES) as u64 * 99_991_777_333)
}

fn batch_of(batch: usize, sources: &[Source]) -> Vec<Upload> {
    (0..BATCH_PAGES).map(|page| upload(batch * BATCH_PAGES + page, sources)).collect()
}

/// The page with this number; ids rise over all pages, as they do on one server.
fn upload(page: usize, sources: &[Source]) -> Upload {
    let source = &sources[page % SOURCES];
    let seen_at = Timestamp::from_secs(1_700_000_000 + page as i64);
    let account = Account {
        id: source.root_id.clone(),
        handle: Some(format!("user{}@bench.example", source.root_id)),
        ..Account::default()
    };
    let visit = VisitId(page as u64);
    let summary = VisitSummary {
        id: visit,
        source: source.id,
        started_at: seen_at,
        ended_at: seen_at,
        fetch_count: 1,
        new_post_count: PAGE_POSTS as u32,
        outcome: "ok".to_owned(),
        attempt: 1,
    };
    Upload {
        robot: Some(source.robot),
        observation: Observation {
            posts: (0..PAGE_POSTS).map(|index| post(page * PAGE_POSTS + index, source, seen_at)).collect(),
            accounts: vec![account],
            ..Observation::default()
        },
        source: Some(Source { due_at: seen_at, visited_at: Some(seen_at), ..source.clone() }),
        summary: Some(summary),
        ..Upload::new(visit, source.network.clone(), seen_at)
    }
}

fn post(number: usize, source: &Source, seen_at: Timestamp) -> Post {
    let id = format!("{}", 110_000_000_000_000_000 + number as u64 * 1_048_576);
    let mut text = format!("post {number} of {} ", source.root_id);
    while text.len() < TEXT_BYTES {
        text.push_str("the river rose in the night ");
    }
    text.truncate(TEXT_BYTES);
    Post {
        url: Some(format!("https://bench.example/@user/{id}")),
        uri: Some(format!("https://bench.example/users/user/statuses/{id}")),
        kind: "post".into(),
        author: Some(source.root_id.clone()),
        created_at: Some(seen_at),
        text,
        lang: Some("en".to_owned()),
        id,
        ..Post::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(one: &Path, other: &Path) {
        let (one, other) = (SqliteStore::open(one).unwrap(), SqliteStore::open(other).unwrap());
        for table in COPIED {
            let sql = format!("SELECT count(*) FROM {table}");
            let count = |store: &SqliteStore| -> i64 {
                store.connection().query_row(&sql, [], |row| row.get(0)).unwrap()
            };
            assert_eq!(count(&one), count(&other), "{table}");
            assert!(count(&one) > 0, "{table}");
        }
    }

    #[test]
    fn both_sides_write_the_same_rows() {
        let dir = tempfile::tempdir().unwrap();
        let _ = round(dir.path(), 1).unwrap();
        check(&dir.path().join("apply.db"), &dir.path().join("raw.db"));
    }

    #[test]
    fn every_row_of_a_crawl_can_be_copied() {
        let dir = tempfile::tempdir().unwrap();
        let _ = round(dir.path(), 1).unwrap();
        let (from, to) = (dir.path().join("apply.db"), dir.path().join("copy.db"));
        copy_all(&from, &to).unwrap();
        check(&from, &to);
    }

    /// `cargo test --release -p freshet-store --features bench -- --nocapture figures`
    #[test]
    fn figures_are_sane() {
        let posts = if cfg!(debug_assertions) { 1 } else { 400_000 };
        let figures = ingest(posts).unwrap();
        println!("{figures:?}");
        assert!(figures.apply_per_s > 0.0 && figures.ratio > 0.0 && figures.guarded_per_s > 0.0);
    }
}
