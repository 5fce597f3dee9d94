//! What a reference given to `forget` means, and the erasing of it.
//!
//! An address names an account, a post, or the root of a source (a feed, a board). Anything else
//! is the number or handle of a source, or the handle of an account; the root of a source found
//! that way is forgotten with it. A handle that several networks know is forgotten in all.
//!
//! Finding may need scans and happens before the transaction; what a running crawl could add
//! meanwhile, an account's posts, is listed again inside it.

use freshet_types::Address;
use rusqlite::{Connection, OptionalExtension, Result, params};

use super::super::log::Tally;
use super::super::network::Networks;
use super::super::source;
use super::{drop_payloads, erase_listed, redact};
use crate::row::Erased;

/// What is to be erased.
#[derive(Debug, Default)]
pub(in super::super) struct Targets {
    /// Accounts: network and id.
    accounts: Vec<(i64, String)>,
    /// Posts, by number.
    posts: Vec<i64>,
    /// Sources, by number.
    sources: Vec<u32>,
    /// Posts by others that repeat an erased one, by number.
    reposts: Vec<i64>,
    /// Addresses of all of these; what is parked shows them, and has no number.
    addresses: Vec<String>,
}

/// What a reference means here; empty if nothing.
pub(in super::super) fn resolve(db: &Connection, networks: &Networks, reference: &str) -> Result<Targets> {
    let mut targets = Targets::default();
    if let Ok(address) = reference.trim().parse::<Address>() {
        if let Some(network) = networks.find(db, &address.network)? {
            targets.add_root(db, network, &address.kind, &address.id)?;
        }
        targets.addresses.push(address.to_string());
    } else {
        let is_number = reference.trim().bytes().all(|byte| byte.is_ascii_digit());
        for found in source::find(db, networks, reference)? {
            // A bare number is a source's number, never by chance an id of some network.
            if is_number && found.id.0.to_string() != reference.trim() {
                continue;
            }
            targets.sources.push(found.id.0);
            if !found.root_id.is_empty() {
                let network = networks.intern(db, &found.network)?;
                targets.add_root(db, network, &found.root_kind, &found.root_id)?;
                targets
                    .addresses
                    .push(Address::new(&found.network, &found.root_kind, found.root_id).to_string());
            }
        }
        if !is_number {
            targets.add_handles(db, reference.trim())?;
        }
    }
    targets.add_reposts(db)?;
    targets.sources.sort_unstable();
    targets.sources.dedup();
    Ok(targets)
}

impl Targets {
    /// An account, a post, or a list without an author: of that, the posts that it brought.
    fn add_root(&mut self, db: &Connection, network: i64, kind: &str, id: &str) -> Result<()> {
        let mut is_list = false;
        if kind == "account" {
            let account = (network, id.to_owned());
            if self.accounts.contains(&account) {
                return Ok(());
            }
            self.accounts.push(account);
        } else {
            let find = "SELECT id FROM posts WHERE network = ?1 AND native_id = ?2";
            let mut find = db.prepare_cached(find)?;
            let post: Option<i64> = find.query_row(params![network, id], |row| row.get(0)).optional()?;
            is_list = post.is_none();
            self.posts.extend(post);
        }
        let find =
            "SELECT id FROM sources WHERE root_id = ?1 AND root_id <> '' AND network = ?2 AND root_kind = ?3";
        let mut find = db.prepare_cached(find)?;
        for source in find.query_map(params![id, network, kind], |row| row.get::<_, u32>(0))? {
            let source = source?;
            self.sources.push(source);
            if is_list {
                let mut brought = db.prepare_cached("SELECT id FROM posts WHERE source = ?1")?;
                let rows = brought.query_map([source], |row| row.get(0))?;
                self.posts.extend(rows.collect::<Result<Vec<i64>>>()?);
                let mut waiting = db.prepare_cached("SELECT address FROM parked WHERE source = ?1")?;
                let rows = waiting.query_map([source], |row| row.get(0))?;
                self.addresses.extend(rows.collect::<Result<Vec<String>>>()?);
            }
        }
        Ok(())
    }

    fn add_handles(&mut self, db: &Connection, reference: &str) -> Result<()> {
        let bare = reference.trim_start_matches('@');
        if bare.is_empty() {
            return Ok(());
        }
        let find = "SELECT a.network, a.native_id, n.name FROM accounts a JOIN networks n ON n.id = a.network \
                    WHERE a.handle IN (?1, ?2)";
        let mut find = db.prepare_cached(find)?;
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let found = find.query_map([bare, &format!("@{bare}")], read)?;
        for found in found {
            let (network, id, name): (i64, String, String) = found?;
            self.add_root(db, network, "account", &id)?;
            self.addresses.push(format!("{name}/account/{id}"));
        }
        Ok(())
    }

    fn add_reposts(&mut self, db: &Connection) -> Result<()> {
        let of_account = "SELECT id FROM posts WHERE network = ?1 AND author IS NOT ?2 AND repost_of IN \
                          (SELECT native_id FROM posts WHERE network = ?1 AND author = ?2)";
        for (network, account) in &self.accounts {
            let mut find = db.prepare_cached(of_account)?;
            let found: Vec<i64> =
                find.query_map(params![network, account], |row| row.get(0))?.collect::<Result<_>>()?;
            self.reposts.extend(found);
        }
        let of_post = "SELECT r.id FROM posts p JOIN posts r ON r.network = p.network AND r.repost_of = p.native_id \
                       WHERE p.id = ?1";
        for post in &self.posts {
            let mut find = db.prepare_cached(of_post)?;
            let found: Vec<i64> = find.query_map([post], |row| row.get(0))?.collect::<Result<_>>()?;
            self.reposts.extend(found);
        }
        Ok(())
    }
}

/// Erases the targets inside the caller's transaction and says what that was.
pub(in super::super) fn forget(db: &Connection, targets: &Targets) -> Result<Erased> {
    let mut erased = Erased::default();
    db.execute_batch("DELETE FROM temp.erased")?;
    for (network, account) in &targets.accounts {
        list_account(db, *network, account)?;
        let tags = "DELETE FROM account_tags WHERE network = ?1 AND account = ?2";
        erased.tags += db.prepare_cached(tags)?.execute(params![network, account])? as u64;
    }
    let mut list = db.prepare_cached("INSERT OR IGNORE INTO temp.erased VALUES (?1)")?;
    for post in &targets.posts {
        list.execute([post])?;
    }
    let mut sources = targets.sources.clone();
    sources.extend(sources_of_listed(db)?);
    sources.sort_unstable();
    sources.dedup();
    erase_sources(db, &sources, &mut erased)?;
    targets.reposts.iter().try_for_each(|&repost| redact(db, repost))?;
    targets.addresses.iter().try_for_each(|address| erase_parked(db, address, &mut erased))?;
    erase_listed(db, &mut erased)?;
    Ok(erased)
}

/// Erases what is parked and is, or shows, the object of this address.
fn erase_parked(db: &Connection, address: &str, erased: &mut Erased) -> Result<()> {
    // Addresses stand in the JSON as texts of their own; the table is small and has no index for this.
    let shown = serde_json::Value::from(address).to_string();
    let delete = "DELETE FROM parked WHERE address = ?1 OR instr(object, ?2) > 0";
    erased.parked += db.prepare_cached(delete)?.execute([address, &shown])? as u64;
    Ok(())
}

/// Lists an account, its posts and its relations in both directions.
fn list_account(db: &Connection, network: i64, account: &str) -> Result<()> {
    for sql in [
        "INSERT OR IGNORE INTO temp.erased SELECT id FROM accounts WHERE network = ?1 AND native_id = ?2",
        "INSERT OR IGNORE INTO temp.erased SELECT id FROM posts WHERE network = ?1 AND author = ?2",
        "INSERT OR IGNORE INTO temp.erased SELECT id FROM relations WHERE network = ?1 AND source = ?2",
        "INSERT OR IGNORE INTO temp.erased SELECT id FROM relations WHERE network = ?1 AND target = ?2",
    ] {
        db.prepare_cached(sql)?.execute(params![network, account])?;
    }
    Ok(())
}

/// Sources that watch a listed post (the comments on it).
fn sources_of_listed(db: &Connection) -> Result<Vec<u32>> {
    let sql = "SELECT s.id FROM temp.erased e CROSS JOIN posts p ON p.id = e.id \
               CROSS JOIN sources s ON s.root_id = p.native_id AND s.root_id <> '' AND s.network = p.network \
               WHERE s.root_kind <> 'account'";
    db.prepare_cached(sql)?.query_map([], |row| row.get(0))?.collect()
}

/// The object that the list of a source is, with its pages and its place in others.
fn erase_list(db: &Connection, source: u32) -> Result<()> {
    const OWN: &str = "IN (SELECT l.id FROM sources s JOIN lists l ON l.network = s.network \
                       AND l.native_id = s.root_id AND l.kind = s.root_kind WHERE s.id = ?1)";
    for table in [
        "DELETE FROM changes WHERE class = 3 AND object",
        "DELETE FROM pages WHERE list",
        "DELETE FROM list_members WHERE list",
        "DELETE FROM list_members WHERE member",
        "UPDATE posts SET list = NULL WHERE list",
        "DELETE FROM lists WHERE id",
    ] {
        db.prepare_cached(&format!("{table} {OWN}"))?.execute([source])?;
    }
    Ok(())
}

fn erase_sources(db: &Connection, sources: &[u32], erased: &mut Erased) -> Result<()> {
    let mut visits = 0;
    for source in sources {
        let mut find = db.prepare_cached("SELECT id FROM payloads WHERE source = ?1")?;
        let payloads: Vec<i64> = find.query_map([source], |row| row.get(0))?.collect::<Result<_>>()?;
        erased.payloads += drop_payloads(db, &payloads)?;
        visits += db.prepare_cached("DELETE FROM visits WHERE source = ?1")?.execute([source])?;
        db.prepare_cached("UPDATE parked SET source = NULL WHERE source = ?1")?.execute([source])?;
        erase_list(db, *source)?;
        let delete = "DELETE FROM sources WHERE id = ?1";
        erased.sources += db.prepare_cached(delete)?.execute([source])? as u64;
    }
    erased.visits += visits as u64;
    Tally { visits: -(visits as i64), ..Tally::default() }.write(db)
}
