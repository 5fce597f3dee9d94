//! The list of who and what is forgotten, as keyed hashes: it says "not this one again" and can name nobody.
//!
//! Invariants: a name never stands in the list; the key is random, of this store alone, and made with the first wish; what
//! one connection puts on the list holds for the next transaction of every other, because each looks first whether the list
//! has grown. The hashes are kept in memory, so that a page costs one look at two numbers, and a hash for each account where
//! anybody is forgotten at all.
//!
//! It does not erase ([`super::erase`]) and does not judge pages ([`super::apply`]).

use freshet_types::{Address, Lead, NetworkName, PostKind, Set};
use sha2::{Digest as _, Sha256};

use super::control;
use super::db::{Connection, OptionalExtension, Result, params};
use crate::row::ForgottenList;

/// Setting that holds the key, 64 hexadecimal digits: one block of the hash, which is then computed once.
const SALT_KEY: &str = "forgotten_salt";
/// Counter of wishes that were taken back.
const UNDONE: &str = "SELECT (SELECT value FROM counters WHERE name = 'forgotten_undone'), \
                      (SELECT COALESCE(max(number), 0) FROM forgotten)";
/// How many classes there are.
const CLASSES: usize = 6;

/// What a hash stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Account = 0,
    Handle = 1,
    /// A post by its id alone. Stores of before types had ids of their own hold these; nothing new becomes one.
    Untyped = 2,
    /// A feed, a board, a thread, a tag: what a source may watch and is neither of the above.
    Root = 3,
    /// A post, by its type or the space of its ids, and its id: a post 12 is not the comment 12.
    Post = 4,
    /// The id of a post, whatever its type: for texts that may name it, such as complaints.
    Mention = 5,
}

/// Something with a name, on its way to becoming a hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Named {
    class: Class,
    network: String,
    id: String,
}

impl Named {
    pub(super) fn account(network: &str, id: &str) -> Self {
        Self { class: Class::Account, network: network.to_owned(), id: id.to_owned() }
    }

    pub(super) fn handle(network: &str, handle: &str) -> Self {
        Self { class: Class::Handle, network: network.to_owned(), id: bare(handle) }
    }

    /// A post by its type, or by the space of its ids.
    pub(super) fn post(network: &str, kind: &str, id: &str) -> Self {
        Self { class: Class::Post, network: network.to_owned(), id: format!("{kind}/{id}") }
    }

    /// A post as a text may name it.
    pub(super) fn mention(network: &str, id: &str) -> Self {
        Self { class: Class::Mention, network: network.to_owned(), id: id.to_owned() }
    }

    /// A post as earlier versions remembered it.
    fn untyped(network: &str, id: &str) -> Self {
        Self { class: Class::Untyped, network: network.to_owned(), id: id.to_owned() }
    }

    pub(super) fn root(network: &str, kind: &str, id: &str) -> Self {
        Self { class: Class::Root, network: network.to_owned(), id: format!("{kind}/{id}") }
    }
}

/// A handle as people write it in many ways, in one.
fn bare(handle: &str) -> String {
    handle.trim().trim_start_matches('@').to_lowercase()
}

/// The list in memory.
#[derive(Debug, Default)]
pub(super) struct Forgotten {
    /// The hash with the key taken in.
    keyed: Option<Sha256>,
    undone: i64,
    last: i64,
    hashes: [Set<i64>; CLASSES],
}

impl Forgotten {
    /// Takes in what others put on the list since; inside a transaction nobody can add to it meanwhile.
    pub(super) fn refresh(&mut self, db: &Connection) -> Result<()> {
        let (undone, last) =
            db.prepare_cached(UNDONE)?.query_row([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))?;
        if (undone, last) == (self.undone, self.last) {
            return Ok(());
        }
        if undone != self.undone || last < self.last {
            *self = Self { undone, ..Self::default() };
        }
        self.keyed = control::setting(db, SALT_KEY)?.map(|salt| Sha256::new_with_prefix(salt.as_bytes()));
        let mut rows = db.prepare_cached("SELECT class, hash FROM forgotten WHERE number > $1")?;
        let mut rows = rows.query([self.last])?;
        while let Some(row) = rows.next()? {
            let class: u8 = row.get(0)?;
            if let Some(hashes) = self.hashes.get_mut(usize::from(class)) {
                hashes.insert(row.get(1)?);
            }
        }
        self.last = last;
        Ok(())
    }

    /// What is in memory may be of a transaction that failed: it is read anew.
    pub(super) fn reset(&mut self) {
        *self = Self { undone: -1, ..Self::default() };
    }

    /// Nobody and nothing is forgotten.
    pub(super) fn is_empty(&self) -> bool {
        self.hashes.iter().all(Set::is_empty)
    }

    pub(super) fn has_account(&self, network: &str, id: &str) -> bool {
        self.has(Class::Account, network, id)
    }

    pub(super) fn has_handle(&self, network: &str, handle: &str) -> bool {
        !self.hashes[Class::Handle as usize].is_empty() && self.has(Class::Handle, network, &bare(handle))
    }

    pub(super) fn has_post(&self, network: &str, kind: &PostKind, id: &str) -> bool {
        let is_shared = kind.space() != &**kind;
        self.has_post_of(network, kind, id)
            || (is_shared && self.has_typed(Class::Post, network, kind.space(), id))
    }

    /// The same where only the name of the type is known; a post is remembered by that, too.
    fn has_post_of(&self, network: &str, kind: &str, id: &str) -> bool {
        self.has(Class::Untyped, network, id) || self.has_typed(Class::Post, network, kind, id)
    }

    /// Whether a word is the id of a post that is forgotten, of whatever type.
    pub(super) fn has_mention(&self, network: &str, word: &str) -> bool {
        self.has(Class::Untyped, network, word) || self.has(Class::Mention, network, word)
    }

    /// The root of a source: an account, a post, or anything else.
    pub(super) fn has_root(&self, network: &str, kind: &str, id: &str) -> bool {
        match kind {
            "account" => self.has_account(network, id),
            _ => self.has_post_of(network, kind, id) || self.has_typed(Class::Root, network, kind, id),
        }
    }

    /// A list that a page leads to.
    pub(super) fn has_lead(&self, network: &NetworkName, lead: &Lead) -> bool {
        self.has_root(network.as_str(), &lead.root_kind, &lead.root_id)
    }

    pub(super) fn has_address(&self, address: &Address) -> bool {
        self.has_root(address.network.as_str(), &address.kind, &address.id)
    }

    fn has_typed(&self, class: Class, network: &str, kind: &str, id: &str) -> bool {
        // Looking at the number first spares everybody else the text.
        !self.hashes[class as usize].is_empty() && self.has(class, network, &format!("{kind}/{id}"))
    }

    fn has(&self, class: Class, network: &str, id: &str) -> bool {
        let hashes = &self.hashes[class as usize];
        // Looking at the number first spares everybody else the hash.
        !hashes.is_empty() && self.hash(class, network, id).is_some_and(|hash| hashes.contains(&hash))
    }

    /// The first 64 bits: with a million on the list, one stranger in 10^13 is taken for one of them.
    fn hash(&self, class: Class, network: &str, id: &str) -> Option<i64> {
        let mut hash = self.keyed.clone()?;
        hash.update([class as u8]);
        hash.update(network.as_bytes());
        // No name of a network has this byte, so that two pairs never read alike.
        hash.update([0]);
        hash.update(id.as_bytes());
        hash.finalize().first_chunk::<8>().map(|first| i64::from_be_bytes(*first))
    }

    /// Puts something on the list, under this subject or one of its own; gives the subject, and whether it is new.
    pub(super) fn remember(
        &mut self,
        db: &Connection,
        subject: Option<i64>,
        named: &Named,
    ) -> Result<(i64, bool)> {
        if self.keyed.is_none() {
            let make = "INSERT INTO settings (key, value) VALUES ($1, upper(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''))) ON CONFLICT DO NOTHING";
            db.execute(make, [SALT_KEY])?;
            self.keyed = control::setting(db, SALT_KEY)?.map(|salt| Sha256::new_with_prefix(salt.as_bytes()));
        }
        let hash = self.hash(named.class, &named.network, &named.id);
        let hash = hash.ok_or(crate::postgres::db::Error::NoRow)?;
        let class = named.class as u8;
        if let Some(known) = subject_of(db, class, hash)? {
            return Ok((subject.unwrap_or(known), false));
        }
        let number = "SELECT COALESCE(max(number), 0) + 1 FROM forgotten";
        let number: i64 = db.prepare_cached(number)?.query_row([], |row| row.get(0))?;
        let subject = subject.unwrap_or(number);
        let insert = "INSERT INTO forgotten (number, subject, class, hash) VALUES ($1, $2, $3, $4)";
        db.prepare_cached(insert)?.execute(params![number, subject, class, hash])?;
        self.hashes[usize::from(class)].insert(hash);
        self.last = number;
        Ok((subject, true))
    }

    /// The subject under which something stands on the list.
    pub(super) fn subject(&self, db: &Connection, named: &Named) -> Result<Option<i64>> {
        match self.hash(named.class, &named.network, &named.id) {
            Some(hash) => subject_of(db, named.class as u8, hash),
            None => Ok(None),
        }
    }

    /// Takes wishes back: everything of their subjects. Gives how many hashes went.
    pub(super) fn undo(&mut self, db: &Connection, all: &[Named]) -> Result<u64> {
        let mut count = 0;
        for named in all {
            if let Some(subject) = self.subject(db, named)? {
                count += db.execute("DELETE FROM forgotten WHERE subject = $1", [subject])?;
            }
        }
        if count > 0 {
            db.execute("UPDATE counters SET value = value + 1 WHERE name = 'forgotten_undone'", [])?;
            self.refresh(db)?;
        }
        Ok(count as u64)
    }
}

/// The list with its key, for a store beside this one.
pub(super) fn list(db: &Connection) -> Result<ForgottenList> {
    let mut rows = db.prepare_cached("SELECT subject, class, hash FROM forgotten ORDER BY number")?;
    let hashes = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    Ok(ForgottenList { key: control::setting(db, SALT_KEY)?, hashes: hashes.collect::<Result<_>>()? })
}

/// Takes over what another store keeps out, and its key where there is none yet; gives whether both keys are one.
pub(super) fn keep_out(db: &Connection, list: &ForgottenList) -> Result<bool> {
    let Some(key) = &list.key else { return Ok(true) };
    let adopt = "INSERT INTO settings (key, value) VALUES ($1, $2) ON CONFLICT DO NOTHING";
    db.execute(adopt, params![SALT_KEY, key])?;
    if control::setting(db, SALT_KEY)?.as_ref() != Some(key) {
        return Ok(false);
    }
    // Subjects of two stores must not meet: those that are taken over stand below zero.
    let insert = "INSERT INTO forgotten (number, subject, class, hash) \
                  VALUES ((SELECT COALESCE(max(number), 0) + 1 FROM forgotten), $1, $2, $3) ON CONFLICT DO NOTHING";
    let mut insert = db.prepare_cached(insert)?;
    for (subject, class, hash) in &list.hashes {
        insert.execute(params![-subject.abs() - 1, class, hash])?;
    }
    Ok(true)
}

fn subject_of(db: &Connection, class: u8, hash: i64) -> Result<Option<i64>> {
    let find = "SELECT subject FROM forgotten WHERE class = $1 AND hash = $2";
    db.prepare_cached(find)?.query_row(params![class, hash], |row| row.get(0)).optional()
}

/// What a person may mean who takes a wish back; names of all networks where the reference says none.
pub(super) fn meant(db: &Connection, reference: &str) -> Result<Vec<Named>> {
    let reference = reference.trim();
    if let Ok(address) = reference.parse::<Address>() {
        let (network, id) = (address.network.as_str(), address.id.as_str());
        return Ok(match &*address.kind {
            "account" => vec![Named::account(network, id)],
            HANDLE => vec![Named::handle(network, id)],
            kind => vec![
                Named::post(network, kind, id),
                Named::untyped(network, id),
                Named::root(network, kind, id),
            ],
        });
    }
    let mut networks = db.prepare_cached("SELECT name FROM networks ORDER BY id")?;
    let networks = networks.query_map([], |row| row.get::<_, String>(0))?;
    let mut all = Vec::new();
    for network in networks {
        let network = network?;
        all.extend([Named::handle(&network, reference), Named::account(&network, reference)]);
    }
    Ok(all)
}

/// The type by which an address names an account whose id is not known.
pub(super) const HANDLE: &str = "handle";
