//! What a reference given to `forget` means, and the marking of it.
//!
//! An address names an account, a post, or the root of a source (a feed, a board). Anything else
//! is the number or handle of a source, or the handle of an account; the root of a source found
//! that way is forgotten with it. A handle that several networks know is forgotten in all.
//!
//! Invariant: marking is one short transaction, and from its end on nothing of the marked comes back: it is on the list of the
//! forgotten, its sources are gone, and what is left to erase stands in the table `erasing`. Finding may need scans
//! and happens before. [`super::piece`] erases what was marked.

use freshet_types::{Address, NetworkName, Timestamp};

use super::super::db::{Connection, OptionalExtension, Result, params};
use super::super::forgotten::{Forgotten, Named};
use super::super::log::Tally;
use super::super::network::Networks;
use super::super::{complaints, notices, read, source};
use super::names::post_names;
use super::step::{Step, note};
use crate::row::{Erased, Forgetting};
use crate::subscription::Kind;

/// What is to be erased.
#[derive(Debug, Default)]
pub(in super::super) struct Targets {
    /// Accounts: network and id.
    accounts: Vec<(i64, String)>,
    /// Posts, by number.
    posts: Vec<i64>,
    /// Sources, by number.
    sources: Vec<u32>,
    /// Those of the sources whose posts go with them: lists without an author.
    lists: Vec<u32>,
    /// Addresses of all of these; what is parked shows them, and has no number.
    addresses: Vec<String>,
    /// What is remembered of them, before it becomes hashes.
    names: Vec<Named>,
    /// What subscribers are told: addresses of accounts, posts and lists, not of what is parked.
    told: Vec<String>,
}

/// What a reference means here; empty if nothing.
pub(in super::super) fn resolve(db: &Connection, networks: &Networks, reference: &str) -> Result<Targets> {
    let mut targets = Targets::default();
    if let Ok(address) = reference.trim().parse::<Address>() {
        targets.add_address(db, networks, &address)?;
    } else {
        let is_number = reference.trim().bytes().all(|byte| byte.is_ascii_digit());
        for found in source::find(db, networks, reference)? {
            // A bare number is a source's number, never by chance an id of some network.
            if is_number && found.id.0.to_string() != reference.trim() {
                continue;
            }
            targets.sources.push(found.id.0);
            if &*found.root_kind == "account" {
                targets.add_handle(&found.network, found.handle.as_deref());
            }
            if !found.root_id.is_empty() {
                let address = Address::new(&found.network, &found.root_kind, found.root_id);
                targets.add_address(db, networks, &address)?;
            }
        }
        if !is_number {
            targets.add_handles(db, networks, reference.trim())?;
        }
    }
    targets.sources.sort_unstable();
    targets.sources.dedup();
    Ok(targets)
}

impl Targets {
    fn add_address(&mut self, db: &Connection, networks: &Networks, address: &Address) -> Result<()> {
        let network = networks.find(db, &address.network)?;
        match network {
            Some(network) => self.add_root(db, network, address)?,
            // Somebody may be kept out before anything of them was seen.
            None if &*address.kind == "account" => {
                self.names.push(Named::account(address.network.as_str(), &address.id));
            }
            None => {}
        }
        self.told.push(address.to_string());
        self.addresses.push(address.to_string());
        Ok(())
    }

    /// An account, a post, or a list without an author: of that, the posts that it brought.
    fn add_root(&mut self, db: &Connection, network: i64, address: &Address) -> Result<()> {
        let (name, kind, id) = (address.network.as_str(), &*address.kind, address.id.as_str());
        let mut is_list = false;
        if kind == "account" {
            let account = (network, id.to_owned());
            if self.accounts.contains(&account) {
                return Ok(());
            }
            self.accounts.push(account);
            self.names.push(Named::account(name, id));
            let find = "SELECT handle FROM accounts WHERE network = $1 AND native_id = $2";
            let handle: Option<Option<String>> =
                db.prepare_cached(find)?.query_row(params![network, id], |row| row.get(0)).optional()?;
            self.add_handle(&address.network, handle.flatten().as_deref());
        } else {
            let post = read::post_number(db, network, kind, id)?.map(|(number, _)| number);
            let thing = read::thing_number(db, network, kind, id)?;
            is_list = post.or(thing).is_none();
            if let Some(post) = post {
                self.names.extend(post_names(db, post)?);
            }
            self.names.extend(thing.map(|_| Named::root(name, kind, id)));
            let stub = read::stub_number(db, network, kind, id)?.filter(|_| is_list);
            self.names.extend(stub.map(|_| Named::root(name, kind, id)));
            self.posts.extend(post.or(thing));
        }
        self.add_sources(db, network, address, is_list)
    }

    /// The sources that watch a root.
    fn add_sources(&mut self, db: &Connection, network: i64, address: &Address, is_list: bool) -> Result<()> {
        let find = "SELECT id, handle FROM sources \
                    WHERE root_id = $1 AND root_id <> '' AND network = $2 AND root_kind = $3";
        let mut find = db.prepare_cached(find)?;
        let read =
            |row: &crate::postgres::db::Row| Ok((row.get::<_, u32>(0)?, row.get::<_, Option<String>>(1)?));
        let key = params![address.id, network, &*address.kind];
        for found in find.query_map(key, read)? {
            let (source, handle) = found?;
            self.sources.push(source);
            if &*address.kind == "account" {
                self.add_handle(&address.network, handle.as_deref());
            }
            if is_list && !self.lists.contains(&source) {
                self.lists.push(source);
                self.names.push(Named::root(address.network.as_str(), &address.kind, &address.id));
                let mut waiting = db.prepare_cached("SELECT address FROM parked WHERE source = $1")?;
                let rows = waiting.query_map([source], |row| row.get(0))?;
                self.addresses.extend(rows.collect::<Result<Vec<String>>>()?);
            }
        }
        Ok(())
    }

    fn add_handle(&mut self, network: &NetworkName, handle: Option<&str>) {
        let handle = handle.filter(|handle| !handle.trim_start_matches('@').is_empty());
        let named = handle.map(|handle| Named::handle(network.as_str(), handle));
        self.names.extend(named.filter(|named| !self.names.contains(named)));
    }

    fn add_handles(&mut self, db: &Connection, networks: &Networks, reference: &str) -> Result<()> {
        let bare = reference.trim_start_matches('@');
        if bare.is_empty() {
            return Ok(());
        }
        let find = "SELECT n.name, a.native_id FROM accounts a JOIN networks n ON n.id = a.network \
                    WHERE a.handle IN ($1, $2)";
        let mut find = db.prepare_cached(find)?;
        let read = |row: &crate::postgres::db::Row| {
            let network = NetworkName::from(row.get_ref(0)?.as_str()?);
            Ok(Address::new(&network, "account", row.get::<_, String>(1)?))
        };
        let found = find.query_map([bare, &format!("@{bare}")], read)?.collect::<Result<Vec<_>>>()?;
        found.iter().try_for_each(|address| self.add_address(db, networks, address))
    }

    /// How many posts there are to erase, for whoever shows progress; those of lists are not counted.
    pub(in super::super) fn posts_count(&self, db: &Connection) -> Result<u64> {
        let mut count = db.prepare_cached("SELECT count(*) FROM posts WHERE network = $1 AND author = $2")?;
        let mut total = self.posts.len() as i64;
        for (network, account) in &self.accounts {
            total += count.query_row(params![network, account], |row| row.get::<_, i64>(0))?;
        }
        Ok(total as u64)
    }
}

/// Puts the targets on the list, erases their sources, and notes what is left to erase.
pub(in super::super) fn mark(
    db: &Connection,
    forgotten: &mut Forgotten,
    targets: &Targets,
    at: Timestamp,
) -> Result<Forgetting> {
    let mut marked = Forgetting::default();
    forgotten.refresh(db)?;
    let mut subject = None;
    for named in &targets.names {
        // Who was forgotten before by another name of theirs keeps that wish.
        let known = forgotten.subject(db, named)?;
        subject = subject.or(known);
    }
    for named in &targets.names {
        let (under, is_new) = forgotten.remember(db, subject, named)?;
        subject = Some(under);
        marked.is_new |= is_new;
    }
    let subject = subject.unwrap_or(0);
    for address in &targets.addresses {
        erase_parked(db, address, &mut marked.erased)?;
        erase_pointed(db, address, &mut marked.erased)?;
    }
    let had_samples = complaints::forget(db)?;
    note_work(db, subject, targets)?;
    erase_sources(db, subject, &targets.sources, &mut marked.erased)?;
    let has_work = "SELECT EXISTS (SELECT 1 FROM erasing)";
    let has_work: bool = db.prepare_cached(has_work)?.query_row([], |row| row.get(0))?;
    if has_work || had_samples || marked.erased != Erased::default() {
        note(db, subject, Step::Scrub, (0, ""))?;
    }
    if marked.is_new || marked.erased != Erased::default() {
        tell(db, targets, at)?;
    }
    Ok(marked)
}

/// Lets subscribers who want to hear of it be told.
fn tell(db: &Connection, targets: &Targets, at: Timestamp) -> Result<()> {
    let mut told: Vec<&String> = targets.told.iter().collect();
    told.sort_unstable();
    told.dedup();
    for address in told {
        let record = serde_json::json!({ "id": address, "forgotten_at": at.secs() });
        notices::put(db, Kind::Forgettings, &record.to_string(), at)?;
    }
    Ok(())
}

/// What is left to erase. Reposts come first: they are found by the posts that they repeat.
fn note_work(db: &Connection, subject: i64, targets: &Targets) -> Result<()> {
    for (network, id) in &targets.accounts {
        if is_stored(db, *network, id)? {
            note(db, subject, Step::RepostsOfAccount, (*network, id))?;
        }
    }
    for post in &targets.posts {
        note(db, subject, Step::RepostsOfPost, (*post, ""))?;
    }
    for source in &targets.lists {
        note(db, subject, Step::RepostsOfList, (i64::from(*source), ""))?;
        note(db, subject, Step::PostsOfList, (i64::from(*source), ""))?;
    }
    for post in &targets.posts {
        note(db, subject, Step::Post, (*post, ""))?;
    }
    for (network, id) in &targets.accounts {
        if is_stored(db, *network, id)? {
            note(db, subject, Step::Account, (*network, id))?;
        }
    }
    Ok(())
}

/// Whether anything hangs on an account, its own row or what others said of it.
fn is_stored(db: &Connection, network: i64, id: &str) -> Result<bool> {
    let any = "SELECT EXISTS (SELECT 1 FROM accounts WHERE network = $1 AND native_id = $2) \
               OR EXISTS (SELECT 1 FROM posts WHERE network = $1 AND author = $2) \
               OR EXISTS (SELECT 1 FROM relations WHERE network = $1 AND source = $2) \
               OR EXISTS (SELECT 1 FROM relations WHERE network = $1 AND target = $2) \
               OR EXISTS (SELECT 1 FROM account_tags WHERE network = $1 AND account = $2)";
    db.prepare_cached(any)?.query_row(params![network, id], |row| row.get(0))
}

/// Erases what is parked and is, or shows, the object of this address.
fn erase_parked(db: &Connection, address: &str, erased: &mut Erased) -> Result<()> {
    // Addresses stand in the JSON as texts of their own; the table is small and has no index for this.
    let shown = serde_json::Value::from(address).to_string();
    let delete = "DELETE FROM parked WHERE address = $1 OR position($2 IN object) > 0";
    erased.parked += db.prepare_cached(delete)?.execute([address, &shown])? as u64;
    Ok(())
}

/// Erases links of other networks that lead to this address, and its stub.
fn erase_pointed(db: &Connection, address: &str, erased: &mut Erased) -> Result<()> {
    db.prepare_cached("DELETE FROM cross_links WHERE target = $1")?.execute([address])?;
    let Ok(address) = address.parse::<Address>() else { return Ok(()) };
    let find = "SELECT s.id FROM stubs s JOIN networks n ON n.id = s.network AND n.name = $1 \
                WHERE s.native_id = $2 AND s.kind = $3";
    let key = params![address.network.as_str(), address.id, &*address.kind];
    let Some(stub) = db.prepare_cached(find)?.query_row(key, |row| row.get::<_, i64>(0)).optional()? else {
        return Ok(());
    };
    db.prepare_cached("DELETE FROM stubs WHERE id = $1")?.execute([stub])?;
    let lines = "DELETE FROM changes WHERE number = $1 OR object = $1 AND number <> object";
    let lines = db.prepare_cached(lines)?.execute([stub])?;
    erased.changes += lines as u64;
    Tally { changes: -(lines as i64), ..Tally::default() }.write(db)
}

/// Erases sources, so that their late pages are dropped; their visits and lists are noted as left to do.
pub(super) fn erase_sources(
    db: &Connection,
    subject: i64,
    sources: &[u32],
    erased: &mut Erased,
) -> Result<()> {
    for source in sources {
        erase_source(db, subject, *source, erased)?;
    }
    if !sources.is_empty() {
        let unlink = "UPDATE parked SET source = NULL \
                      WHERE source IS NOT NULL AND source NOT IN (SELECT id FROM sources)";
        db.prepare_cached(unlink)?.execute([])?;
    }
    Ok(())
}

fn erase_source(db: &Connection, subject: i64, source: u32, erased: &mut Erased) -> Result<()> {
    let find = "SELECT l.id FROM sources s JOIN lists l ON l.network = s.network \
                AND l.native_id = s.root_id AND l.kind = s.root_kind WHERE s.id = $1";
    let list: Option<i64> = db.prepare_cached(find)?.query_row([source], |row| row.get(0)).optional()?;
    if let Some(list) = list {
        note(db, subject, Step::List, (list, ""))?;
    }
    let delete = "DELETE FROM sources WHERE id = $1";
    if db.prepare_cached(delete)?.execute([source])? > 0 {
        erased.sources += 1;
        note(db, subject, Step::Visits, (i64::from(source), ""))?;
    }
    Ok(())
}
