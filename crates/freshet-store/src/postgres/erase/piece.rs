//! Erasing what was marked, piece by piece: each piece is one short transaction, so that a crawl beside it never waits long.
//!
//! Invariants: what a piece needs scans for is found before its transaction, without a lock; a process that dies between two
//! pieces leaves the rest noted in `erasing`, and whoever goes on ends with the same store. Two may erase at
//! once: what one has erased the other does not find.

use super::super::db::{Connection, OptionalExtension, Result, Row, ToSql, params};
use super::super::forgotten::Forgotten;
use super::super::log::Tally;
use super::names::post_names;
use super::step::{STEPS, Step};
use super::target::erase_sources;
use super::{drop_payloads, erase_listed, redact};
use crate::row::Erased;

/// Rows of one piece: some tens of milliseconds, a few hundred where every post has a source that watches it.
const PIECE: i64 = 1_000;
/// Tables that hold what people said or are.
const SCRUBBED: [&str; 9] = [
    "posts",
    "post_text",
    "accounts",
    "relations",
    "earlier_texts",
    "payloads",
    "sources",
    "changes",
    "notices",
];

/// One line of `erasing`.
#[derive(Debug)]
pub(in super::super) struct Work {
    number: i64,
    subject: i64,
    step: Step,
    object: i64,
    id: String,
    reached: i64,
}

impl Work {
    /// Whether this is the last step, which needs no transaction around it.
    pub(in super::super) fn is_scrub(&self) -> bool {
        self.step == Step::Scrub
    }
}

/// What is to be done next; scrubbing comes when everything else is done.
pub(in super::super) fn next(db: &Connection) -> Result<Option<Work>> {
    let line = "SELECT number, subject, step, object, id, reached FROM erasing";
    let read = |row: &Row| {
        let step: u8 = row.get(2)?;
        Ok(Work {
            number: row.get(0)?,
            subject: row.get(1)?,
            // A step that is not known here is as good as done by who knows it; scrubbing harms nothing.
            step: STEPS.get(usize::from(step)).copied().unwrap_or(Step::Scrub),
            object: row.get(3)?,
            id: row.get(4)?,
            reached: row.get(5)?,
        })
    };
    let other = format!("{line} WHERE step <> 8 ORDER BY number LIMIT 1");
    if let Some(work) = db.prepare_cached(&other)?.query_row([], read).optional()? {
        return Ok(Some(work));
    }
    db.prepare_cached(&format!("{line} ORDER BY number LIMIT 1"))?.query_row([], read).optional()
}

/// The numbers of what this piece is about, found without a lock.
pub(in super::super) fn find(db: &Connection, work: &Work) -> Result<Vec<i64>> {
    // One walk along the posts, each looking up what it repeats; the other way round there is no index.
    const REPOSTS: &str = "SELECT r.id FROM posts r JOIN posts p ON p.network = r.network AND p.native_id = r.repost_of AND p.space = r.space \
                           WHERE r.id > $1 AND r.repost_of IS NOT NULL AND r.version <> 0";
    let all = |sql: &str, key: &[&dyn ToSql]| -> Result<Vec<i64>> {
        db.prepare_cached(sql)?.query_map(key, |row| row.get(0))?.collect()
    };
    let Work { object, id, reached, .. } = work;
    match work.step {
        Step::RepostsOfAccount => {
            let own = "AND r.network = $2 AND p.author = $3 AND r.author IS DISTINCT FROM $3 ORDER BY r.id LIMIT $4";
            all(&format!("{REPOSTS} {own}"), params![reached, object, id, PIECE])
        }
        Step::RepostsOfPost => {
            let own = "AND p.id = $2 ORDER BY r.id LIMIT $3";
            all(&format!("{REPOSTS} {own}"), params![reached, object, PIECE])
        }
        Step::RepostsOfList => {
            let own = "AND p.source = $2 AND r.source IS DISTINCT FROM $2 ORDER BY r.id LIMIT $3";
            all(&format!("{REPOSTS} {own}"), params![reached, object, PIECE])
        }
        Step::PostsOfList => {
            let sql = "SELECT id FROM posts WHERE id > $1 AND source = $2 ORDER BY id LIMIT $3";
            all(sql, params![reached, object, PIECE])
        }
        Step::Post => Ok(vec![*object]),
        Step::Account => {
            for sql in [
                "SELECT id FROM posts WHERE network = $1 AND author = $2 LIMIT $3",
                "SELECT id FROM relations WHERE network = $1 AND source = $2 LIMIT $3",
                "SELECT id FROM relations WHERE network = $1 AND target = $2 LIMIT $3",
            ] {
                let found = all(sql, params![object, id, PIECE])?;
                if !found.is_empty() {
                    return Ok(found);
                }
            }
            Ok(Vec::new())
        }
        Step::Visits | Step::List | Step::Scrub => Ok(Vec::new()),
    }
}

/// Erases one piece inside the caller's transaction, and notes how far that is.
pub(in super::super) fn erase(
    db: &Connection,
    forgotten: &mut Forgotten,
    work: &Work,
    found: &[i64],
) -> Result<Erased> {
    let mut erased = Erased::default();
    let is_done = match work.step {
        Step::RepostsOfAccount | Step::RepostsOfPost | Step::RepostsOfList => {
            forgotten.refresh(db)?;
            found.iter().try_for_each(|&repost| hollow(db, forgotten, work.subject, repost))?;
            (found.len() as i64) < PIECE
        }
        Step::PostsOfList | Step::Post => {
            erase_found(db, work, found, &mut erased)?;
            (found.len() as i64) < PIECE
        }
        Step::Account if !found.is_empty() => {
            erase_found(db, work, found, &mut erased)?;
            false
        }
        Step::Account => {
            erase_account(db, work, &mut erased)?;
            true
        }
        Step::Visits => erase_visits(db, work.number, &mut erased)?,
        Step::List => erase_list(db, work.object, &mut erased)?,
        Step::Scrub => true,
    };
    let reached = found.last().copied().unwrap_or(work.reached);
    let note = if is_done {
        "DELETE FROM erasing WHERE number = $1 AND $2 IS NOT NULL"
    } else {
        "UPDATE erasing SET reached = GREATEST(reached, $2) WHERE number = $1"
    };
    db.prepare_cached(note)?.execute([work.number, reached])?;
    Ok(erased)
}

/// A post by somebody else stays as an event; what it repeats goes, and does not come back with the next look at it.
fn hollow(db: &Connection, forgotten: &mut Forgotten, subject: i64, repost: i64) -> Result<()> {
    let names = post_names(db, repost)?;
    if names.is_empty() {
        return Ok(());
    }
    for named in &names {
        forgotten.remember(db, Some(subject), named)?;
    }
    redact(db, repost)
}

/// Erases objects with the sources that watch them (the comments on a post).
fn erase_found(db: &Connection, work: &Work, found: &[i64], erased: &mut Erased) -> Result<()> {
    db.execute_batch("DELETE FROM erased")?;
    let mut list = db.prepare_cached("INSERT INTO erased VALUES ($1) ON CONFLICT DO NOTHING")?;
    for object in found {
        list.execute([object])?;
    }
    let watching = "SELECT s.id FROM erased e JOIN posts p ON p.id = e.id \
                    JOIN sources s ON s.root_id = p.native_id AND s.root_id <> '' AND s.network = p.network \
                    WHERE s.root_kind <> 'account' AND (s.root_kind = p.kind OR p.space <> p.kind)";
    let mut watching = db.prepare_cached(watching)?;
    let sources: Vec<u32> = watching.query_map([], |row| row.get(0))?.collect::<Result<_>>()?;
    erase_sources(db, work.subject, &sources, erased)?;
    erase_listed(db, erased)
}

/// The account itself, when nothing hangs on it any more.
fn erase_account(db: &Connection, work: &Work, erased: &mut Erased) -> Result<()> {
    let tags = "DELETE FROM account_tags WHERE network = $1 AND account = $2";
    erased.tags += db.prepare_cached(tags)?.execute(params![work.object, work.id])? as u64;
    let links = "DELETE FROM cross_links WHERE target = \
                 (SELECT name || '/account/' || $2 FROM networks WHERE id = $1)";
    db.prepare_cached(links)?.execute(params![work.object, work.id])?;
    let find = "SELECT id FROM accounts WHERE network = $1 AND native_id = $2";
    let found: Option<i64> =
        db.prepare_cached(find)?.query_row(params![work.object, work.id], |row| row.get(0)).optional()?;
    erase_found(db, work, found.as_slice(), erased)
}

/// Some visits and raw answers of sources that are gone, of this line and the next ones of its kind: an account may have a
/// source for each of its posts. Gives whether none are left of this line.
fn erase_visits(db: &Connection, first: i64, erased: &mut Erased) -> Result<bool> {
    let last = "SELECT max(number) FROM (SELECT number FROM erasing WHERE step = 6 AND number >= $1 \
                ORDER BY number LIMIT $2) e";
    let last: Option<i64> = db.prepare_cached(last)?.query_row([first, PIECE], |row| row.get(0))?;
    let stretch = [first, last.unwrap_or(first), PIECE];
    let visits = "DELETE FROM visits WHERE id IN (SELECT v.id FROM erasing e JOIN visits v ON v.source = e.object \
                  WHERE e.step = 6 AND e.number BETWEEN $1 AND $2 LIMIT $3)";
    let visits = db.prepare_cached(visits)?.execute(stretch)?;
    let find = "SELECT p.id FROM erasing e JOIN payloads p ON p.source = e.object \
                WHERE e.step = 6 AND e.number BETWEEN $1 AND $2 LIMIT $3";
    let mut find = db.prepare_cached(find)?;
    let payloads: Vec<i64> = find.query_map(stretch, |row| row.get(0))?.collect::<Result<_>>()?;
    erased.payloads += drop_payloads(db, &payloads)?;
    erased.visits += visits as u64;
    Tally { visits: -(visits as i64), ..Tally::default() }.write(db)?;
    let is_done = visits.max(payloads.len()) < PIECE as usize;
    if is_done {
        let done = "DELETE FROM erasing WHERE step = 6 AND number BETWEEN $1 AND $2";
        db.prepare_cached(done)?.execute([stretch[0], stretch[1]])?;
    }
    Ok(is_done)
}

/// Some of what hangs on a list, and when that was the last of it, the list; gives whether it was.
fn erase_list(db: &Connection, list: i64, erased: &mut Erased) -> Result<bool> {
    let run =
        |sql: &str| -> Result<u64> { Ok(db.prepare_cached(sql)?.execute(params![list, PIECE])? as u64) };
    let unlisted =
        run("UPDATE posts SET list = NULL WHERE id IN (SELECT id FROM posts WHERE list = $1 LIMIT $2)")?;
    let sums = "UPDATE forum_sums SET posts_count = posts_count - $2 \
                WHERE network = (SELECT network FROM lists WHERE id = $1)";
    db.prepare_cached(sums)?.execute(params![list, unlisted as i64])?;
    let lines = run("DELETE FROM changes WHERE number IN \
                     (SELECT number FROM changes WHERE object = $1 AND number <> object AND class = 3 LIMIT $2)")?;
    erased.changes += lines;
    Tally { changes: -(lines as i64), ..Tally::default() }.write(db)?;
    let rest = [
        unlisted,
        lines,
        run(
            "DELETE FROM pages WHERE list = $1 AND cursor IN (SELECT cursor FROM pages WHERE list = $1 LIMIT $2)",
        )?,
        run("DELETE FROM list_members WHERE list = $1 AND member IN \
             (SELECT member FROM list_members WHERE list = $1 LIMIT $2)")?,
        run("DELETE FROM list_members WHERE member = $1 AND list IN \
             (SELECT list FROM list_members WHERE member = $1 LIMIT $2)")?,
    ];
    if rest.iter().any(|&count| count >= PIECE as u64) {
        return Ok(false);
    }
    db.prepare_cached("DELETE FROM lists WHERE id = $1")?.execute([list])?;
    Ok(true)
}

/// The last step. The server frees the room of what was erased by itself (autovacuum), and its search index drops it then; this asks for
/// it at once, where this user may. What its own log (WAL, archives) and its backups hold is the server's owner's business.
pub(in super::super) fn scrub(db: &Connection, work: &Work) -> Result<()> {
    for table in SCRUBBED {
        if let Err(error) = db.execute_batch(&format!("VACUUM {table}")) {
            if error.is_away() {
                return Err(error);
            }
            tracing::warn!(%error, table, "remains of what was erased stay until the server clears them away");
        }
    }
    let done = "DELETE FROM erasing WHERE step = $1 OR number = $2";
    db.execute(done, [Step::Scrub as i64, work.number]).map(drop)
}
