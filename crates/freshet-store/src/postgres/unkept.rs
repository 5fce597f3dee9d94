//! What is seen and not kept: whose it is, and the fingerprints that stay.
//!
//! Invariants: a fingerprint is made by a key that is random and of this store alone, and with the number of its object, so equal texts
//! have different ones; nothing of a text can be had back from it by whoever has not the store itself. What was kept before is taken out
//! in `empty.rs`. What an upload loses before it is applied is `apply/unkept.rs`'s business.

use std::cell::OnceCell;

use freshet_types::{Account, NetworkName, Primitive, SourceId};
use sha2::{Digest as _, Sha256};

use super::db::{Connection, OptionalExtension, Result, params};
use super::{PostgresStore, control};
use crate::pass::Content;
use crate::row::{AccountRow, NotKept, PostRow};

/// Setting that holds the key, 64 hexadecimal digits.
const SALT_KEY: &str = "unkept_salt";
/// The word in the store.
pub(super) const NEVER: &str = "never";
/// What the row of a post says (`is_unkept`) that lies outside of what is collected: nobody is given its content. 0 is kept, 1 is for
/// subscribers only.
pub(super) const OUTSIDE: u8 = 2;
/// Of other values of an object only counts are kept: whole numbers that are named so. Robots are led by them.
const COUNT: &str = "_count";

/// What a fingerprint is of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Said {
    Post = 0,
    Name = 1,
    Bio = 2,
    Tag = 3,
}

/// Makes fingerprints; the key is read with the first of a transaction.
#[derive(Debug, Default)]
pub(super) struct Prints(OnceCell<Sha256>);

impl Prints {
    /// That of what an object says; never 0.
    pub(super) fn of(&self, db: &Connection, said: Said, object: i64, what: &[u8]) -> Result<i64> {
        let mut hash = self.keyed(db)?.clone();
        hash.update([said as u8]);
        hash.update(object.to_le_bytes());
        hash.update(what);
        let first = hash.finalize().first_chunk::<8>().map_or(0, |first| i64::from_le_bytes(*first));
        Ok(if first == 0 { 1 } else { first })
    }

    /// That of a text, where there is one.
    pub(super) fn of_text(
        &self,
        db: &Connection,
        said: Said,
        object: i64,
        text: Option<&str>,
    ) -> Result<Option<i64>> {
        text.map(|text| self.of(db, said, object, text.as_bytes())).transpose()
    }

    /// Those of what this look at an account shows.
    pub(super) fn of_profile(&self, db: &Connection, object: i64, seen: &Account) -> Result<ProfilePrints> {
        Ok((
            self.of_text(db, Said::Name, object, seen.name.as_deref())?,
            self.of_text(db, Said::Bio, object, seen.bio.as_deref())?,
        ))
    }

    fn keyed(&self, db: &Connection) -> Result<&Sha256> {
        if let Some(keyed) = self.0.get() {
            return Ok(keyed);
        }
        let make = "INSERT INTO settings (key, value) VALUES ($1, upper(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''))) ON CONFLICT DO NOTHING";
        db.execute(make, [SALT_KEY])?;
        let salt = control::setting(db, SALT_KEY)?.ok_or(crate::postgres::db::Error::NoRow)?;
        Ok(self.0.get_or_init(|| Sha256::new_with_prefix(salt.as_bytes())))
    }
}

/// Fingerprints of the name and the self-description of an account.
pub(super) type ProfilePrints = (Option<i64>, Option<i64>);

/// By what a pass knows what an account says of itself; `None` where nothing was seen that is not kept.
pub(super) fn profile_print(name: Option<i64>, bio: Option<i64>) -> Option<u64> {
    (name.is_some() || bio.is_some())
        .then(|| (name.unwrap_or(0) as u64).rotate_left(1) ^ bio.unwrap_or(0) as u64)
}

/// Whether a value of an object is kept where its content is not.
pub(super) fn is_count(name: &str, value: &Primitive) -> bool {
    name.ends_with(COUNT) && matches!(value, Primitive::Int(_))
}

/// Whether anything is to be not kept at all.
pub(super) fn has_any(db: &Connection) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM networks WHERE store = $1) \
               OR EXISTS (SELECT 1 FROM sources WHERE store IS NOT NULL)";
    db.prepare_cached(sql)?.query_row([NEVER], |row| row.get(0))
}

/// Whether a network keeps nothing.
pub(super) fn is_network(db: &Connection, network: i64) -> Result<bool> {
    let sql = "SELECT store = $2 FROM networks WHERE id = $1";
    let found = db.prepare_cached(sql)?.query_row(params![network, NEVER], |row| row.get(0));
    Ok(found.optional()?.unwrap_or(false))
}

/// Whether a source was told to keep nothing.
pub(super) fn is_source(db: &Connection, source: u32) -> Result<bool> {
    let sql = "SELECT store IS NOT NULL FROM sources WHERE id = $1";
    let found = db.prepare_cached(sql)?.query_row([source], |row| row.get(0));
    Ok(found.optional()?.unwrap_or(false))
}

/// Whether a source with this root was told to keep nothing.
pub(super) fn is_root(db: &Connection, network: i64, kind: &str, id: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sources WHERE network = $1 AND root_kind = $2 AND root_id = $3 \
               AND store IS NOT NULL)";
    db.prepare_cached(sql)?.query_row(params![network, kind, id], |row| row.get(0))
}

/// A source that comes of what another brought keeps as little as that: `from`, or whoever brought its root.
pub(super) fn inherit(db: &Connection, source: SourceId, from: Option<SourceId>) -> Result<()> {
    let sql = "UPDATE sources SET store = $3 WHERE id = $1 AND EXISTS (SELECT 1 FROM sources f WHERE f.store IS NOT NULL AND f.id IN ( \
               SELECT $2 UNION ALL \
               SELECT p.source FROM posts p WHERE p.network = sources.network AND p.native_id = sources.root_id \
                   AND (p.kind = sources.root_kind OR p.space <> p.kind) UNION ALL \
               SELECT a.source FROM accounts a WHERE sources.root_kind = 'account' AND a.network = sources.network \
                   AND a.native_id = sources.root_id))";
    db.prepare_cached(sql)?.execute(params![source.0, from.map(|from| from.0), NEVER]).map(drop)
}

pub(super) fn not_kept(db: &Connection) -> Result<NotKept> {
    let mut names = db.prepare_cached("SELECT name FROM networks WHERE store = $1 ORDER BY id")?;
    let networks = names.query_map([NEVER], |row| Ok(NetworkName::from(row.get_ref(0)?.as_str()?)))?;
    let count = "SELECT count(*) FROM sources WHERE store IS NOT NULL AND state <> 'removed'";
    Ok(NotKept {
        networks: networks.collect::<Result<_>>()?,
        sources_count: db.prepare_cached(count)?.query_row([], |row| row.get::<_, i64>(0))? as u64,
    })
}

impl PostgresStore {
    /// A post with what is passing of it.
    pub(super) fn filled(&self, mut row: PostRow) -> PostRow {
        if let Some(Content::Post(said)) = self.passing(row.object, row.unkept) {
            let it = &mut row.post;
            (it.text, it.lang, it.tags) = (said.text, said.lang, said.tags);
            (it.url, it.uri, it.plinks, it.slinks) = (said.url, said.uri, said.plinks, said.slinks);
            row.unkept = None;
        }
        row
    }

    /// An account with what is passing of it.
    pub(super) fn filled_account(&self, mut row: AccountRow) -> AccountRow {
        if let Some(Content::Account(said)) = self.passing(row.object, row.unkept) {
            let it = &mut row.account;
            (it.name, it.bio, it.location) = (said.name, said.bio, said.location);
            (it.url, it.uri, it.plinks, it.slinks) = (said.url, said.uri, said.plinks, said.slinks);
            row.unkept = None;
        }
        row
    }

    /// What is passing of an object whose content is not kept.
    fn passing(&self, object: u64, unkept: Option<u64>) -> Option<Content> {
        self.pass.as_ref()?.get((object, unkept?))
    }
}
