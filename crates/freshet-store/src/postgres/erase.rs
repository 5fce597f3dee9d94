//! Care: redacting deleted posts, forgetting people and things, dropping what is too old.
//!
//! Invariant: what is erased leaves no copy: row, earlier texts, log lines, links, search words, raw payloads
//! that show it. The last step of forgetting asks the server to clear its tables and indexes of their remains
//! (`VACUUM`). Forgetting marks first ([`target`]) and erases what was marked
//! in pieces ([`piece`]).
//!
//! A repost by somebody else stays as an event, but its text, which is the erased text, goes.
//! What others wrote *about* somebody cannot be found and stays.

mod links;
mod names;
pub(super) mod piece;
mod step;
mod target;

use freshet_types::Timestamp;

pub(super) use self::target::{mark, resolve};
use super::db::{Connection, Result, params};
use super::log::Tally;
use super::{complaints, keeping, network, notices, retention};
use crate::keeping::{Erasure, ErasureKind};
use crate::row::{Erased, OnDelete};

/// Posts dropped in one transaction: some tens of milliseconds, so that a crawl is not held up.
const EXPIRED_POSTS_MAX: i64 = 2_000;

/// Erases the content of a post that was deleted, where its network asks for that.
pub(super) fn redact_if_asked(db: &Connection, network: i64, object: i64) -> Result<()> {
    match network::on_delete(db, network)? {
        OnDelete::Keep => Ok(()),
        OnDelete::Redact => redact(db, object),
    }
}

/// Erases the content of all posts of an author who asks not to be collected, where the network's
/// deleted posts are treated so.
pub(super) fn redact_author_if_asked(
    db: &Connection,
    (network, author): (i64, &str),
    now: Timestamp,
) -> Result<()> {
    if network::on_delete(db, network)? == OnDelete::Keep {
        return Ok(());
    }
    let sql = "SELECT id FROM posts WHERE network = $1 AND author = $2 AND version <> 0";
    let mut find = db.prepare_cached(sql)?;
    let objects: Vec<i64> =
        find.query_map(params![network, author], |row| row.get(0))?.collect::<Result<_>>()?;
    note(db, ErasureKind::Redacted, objects.len() as u64, now)?;
    objects.into_iter().try_for_each(|object| redact(db, object))
}

/// Erases the content of all posts of a network that were deleted before it asked for that.
pub(super) fn redact_deleted(db: &Connection, network: i64) -> Result<()> {
    let sql = "SELECT id FROM posts WHERE network = $1 AND deleted_at IS NOT NULL AND version <> 0";
    let mut find = db.prepare_cached(sql)?;
    let objects: Vec<i64> = find.query_map([network], |row| row.get(0))?.collect::<Result<_>>()?;
    objects.into_iter().try_for_each(|object| redact(db, object))
}

/// Leaves id, author, times and marks. The author stays so that forgetting them finds this too.
fn redact(db: &Connection, object: i64) -> Result<()> {
    let sql = "UPDATE posts SET text = '', version = 0, url = NULL, uri = NULL, reply_to = NULL, root = NULL, \
               repost_of = NULL, quote_of = NULL, lang = NULL, tags = NULL, properties = NULL WHERE id = $1";
    db.prepare_cached(sql)?.execute([object])?;
    drop_copies(db, object)?;
    complaints::forget_of(db, object)
}

/// Erases what shows the content of an object beside its row.
pub(super) fn drop_copies(db: &Connection, object: i64) -> Result<()> {
    db.prepare_cached("DELETE FROM cross_links WHERE object = $1")?.execute([object])?;
    db.prepare_cached("DELETE FROM post_text WHERE post = $1")?.execute([object])?;
    db.prepare_cached("DELETE FROM earlier_texts WHERE post = $1")?.execute([object])?;
    let mut find = db.prepare_cached("SELECT payload FROM payload_objects WHERE object = $1")?;
    let payloads: Vec<i64> = find.query_map([object], |row| row.get(0))?.collect::<Result<_>>()?;
    drop_payloads(db, &payloads).map(drop)
}

/// Notes that the remains of what was erased are to be scrubbed from indexes and the log, once.
pub(super) fn note_scrub(db: &Connection) -> Result<()> {
    if !step::is_noted(db, step::Step::Scrub)? {
        step::note(db, 0, step::Step::Scrub, (0, ""))?;
    }
    Ok(())
}

fn drop_payloads(db: &Connection, payloads: &[i64]) -> Result<u64> {
    let mut count = 0;
    for payload in payloads {
        count += db.prepare_cached("DELETE FROM payloads WHERE id = $1")?.execute([payload])?;
        db.prepare_cached("DELETE FROM payload_objects WHERE payload = $1")?.execute([payload])?;
    }
    Ok(count as u64)
}

/// Drops some posts that are older than the retention of their source; gives how many.
pub(super) fn expire_some(db: &Connection, now: Timestamp) -> Result<u64> {
    db.execute_batch("DELETE FROM erased")?;
    complaints::expire(db, now)?;
    notices::expire(db, now)?;
    // Few sources have a retention: they come first, each with its own stretch of the index.
    // A post without a time of its own is as old as our knowledge of it.
    for is_old in
        ["p.created_at < $1 - s.retention_ms", "p.created_at IS NULL AND p.seen_at < $1 - s.retention_ms"]
    {
        let sql = format!(
            "INSERT INTO erased SELECT p.id FROM sources s JOIN posts p \
             ON p.source = s.id AND p.is_retained = 1 AND {is_old} \
             WHERE s.retention_ms IS NOT NULL LIMIT $2 ON CONFLICT DO NOTHING"
        );
        db.prepare_cached(&sql)?.execute([now.ms(), EXPIRED_POSTS_MAX])?;
    }
    if retention::has_rule(db)? {
        list_old_of_networks(db, now)?;
    }
    let mut erased = Erased::default();
    erase_listed(db, &mut erased)?;
    note(db, ErasureKind::Expired, erased.posts, now)?;
    Ok(erased.posts)
}

/// Lists posts that are older than the rule of their network allows, whatever brought them.
fn list_old_of_networks(db: &Connection, now: Timestamp) -> Result<()> {
    for is_old in
        ["p.created_at < $1 - n.retention_ms", "p.created_at IS NULL AND p.seen_at < $1 - n.retention_ms"]
    {
        let sql = format!(
            "INSERT INTO erased SELECT p.id FROM networks n JOIN posts p \
             ON p.network = n.id AND {is_old} WHERE n.retention_ms IS NOT NULL LIMIT $2 ON CONFLICT DO NOTHING"
        );
        db.prepare_cached(&sql)?.execute([now.ms(), EXPIRED_POSTS_MAX])?;
    }
    Ok(())
}

/// Notes that so many posts were erased, so that exports made before can be told.
fn note(db: &Connection, kind: ErasureKind, posts: u64, now: Timestamp) -> Result<()> {
    if posts == 0 {
        return Ok(());
    }
    let erasure = Erasure { number: 0, kind, first_at: now, last_at: now, posts, others: 0, receipt: None };
    keeping::note_erasure(db, &erasure).map(drop)
}

/// Erases every object whose number stands in `erased`.
fn erase_listed(db: &Connection, erased: &mut Erased) -> Result<()> {
    let run = |sql: &str| -> Result<u64> { Ok(db.prepare_cached(sql)?.execute([])? as u64) };
    let sql = "SELECT DISTINCT payload FROM payload_objects WHERE object IN (SELECT id FROM erased)";
    let payloads = db.prepare_cached(sql)?.query_map([], |row| row.get(0))?.collect::<Result<Vec<_>>>()?;
    erased.payloads += drop_payloads(db, &payloads)?;
    run("DELETE FROM post_text WHERE post IN (SELECT id FROM erased)")?;
    run("DELETE FROM cross_links WHERE object IN (SELECT id FROM erased)")?;
    run("DELETE FROM earlier_texts WHERE post IN (SELECT id FROM erased)")?;
    erased.parked +=
        run("DELETE FROM parked WHERE address IN (SELECT n.name || '/' || p.kind || '/' || p.native_id \
         FROM posts p JOIN networks n ON n.id = p.network WHERE p.id IN (SELECT id FROM erased))")?;
    erased.parked +=
        run("DELETE FROM parked WHERE address IN (SELECT n.name || '/account/' || a.native_id \
         FROM accounts a JOIN networks n ON n.id = a.network WHERE a.id IN (SELECT id FROM erased))")?;
    // A link has two ends, and goes with either.
    let (links, link_lines) = links::erase(db)?;
    // The first line of an object bears its number; the later ones have an index of their own.
    let lines = link_lines
        + run("DELETE FROM changes WHERE number IN (SELECT id FROM erased)")?
        + run("DELETE FROM changes WHERE object IN (SELECT id FROM erased) AND number <> object")?;
    let count = "SELECT count(*) FROM posts WHERE id IN (SELECT id FROM erased) AND deleted_at IS NOT NULL";
    let deleted: i64 = db.prepare_cached(count)?.query_row([], |row| row.get(0))?;
    let posts = run("DELETE FROM posts WHERE id IN (SELECT id FROM erased)")?;
    let accounts = run("DELETE FROM accounts WHERE id IN (SELECT id FROM erased)")?;
    let relations = run("DELETE FROM relations WHERE id IN (SELECT id FROM erased)")?;
    let things = run("DELETE FROM things WHERE id IN (SELECT id FROM erased)")?;
    erased.changes += lines;
    erased.posts += posts;
    erased.accounts += accounts;
    erased.relations += relations;
    erased.things += things;
    erased.links += links;
    let less = |count: u64| -(count as i64);
    Tally {
        posts: less(posts),
        deleted: -deleted,
        accounts: less(accounts),
        relations: less(relations),
        things: less(things),
        links: less(links),
        changes: less(lines),
        visits: 0,
    }
    .write(db)
}
