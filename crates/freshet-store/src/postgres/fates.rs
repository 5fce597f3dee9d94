//! What became of something that an export holds: looked up by its name, and by its keyed hash where it is not stored any more.
//!
//! One look along a unique index for each; nothing is written.

use freshet_types::{Address, NetworkName};

use super::db::{Connection, OptionalExtension, Result, Row, params};
use super::forgotten::Forgotten;
use super::network::Networks;
use super::{read, value};
use crate::keeping::{Fate, Taken};

/// What the look-ups need.
pub(super) struct Means<'a> {
    pub(super) db: &'a Connection,
    pub(super) networks: &'a Networks,
    pub(super) forgotten: &'a Forgotten,
}

impl Means<'_> {
    pub(super) fn fate(&self, taken: &Taken) -> Result<Fate> {
        Ok(match taken {
            Taken::Object { address, author } => {
                let is_author = |id: &String| self.forgotten.has_account(address.network.as_str(), id);
                let is_forgotten =
                    || self.forgotten.has_address(address) || author.as_ref().is_some_and(is_author);
                self.object(address)?.unwrap_or_else(|| gone(is_forgotten()))
            }
            Taken::Relation { network, source, target } => {
                let has = |id: &str| self.forgotten.has_account(network.as_str(), id);
                kept(self.relation(network, source, target)?, || has(source) || has(target))
            }
            Taken::Link { from, name, to } => {
                let has = |address| self.forgotten.has_address(address);
                kept(self.link(from, name, to)?, || has(from) || has(to))
            }
            Taken::Change { number, address } => {
                let find = "SELECT EXISTS (SELECT 1 FROM changes WHERE number = $1)";
                let is_there =
                    self.db.prepare_cached(find)?.query_row([read::number(*number)], |row| row.get(0))?;
                kept(is_there, || self.forgotten.has_address(address))
            }
            Taken::Source(id) => {
                let find = "SELECT EXISTS (SELECT 1 FROM sources WHERE id = $1)";
                let is_there = self.db.prepare_cached(find)?.query_row([id.0], |row| row.get(0))?;
                kept(is_there, || false)
            }
        })
    }

    /// What is said of an object that is stored.
    fn object(&self, address: &Address) -> Result<Option<Fate>> {
        let Some(network) = self.networks.find(self.db, &address.network)? else { return Ok(None) };
        if &*address.kind == "account" {
            let find = "SELECT opts_out FROM accounts WHERE network = $1 AND native_id = $2";
            let opts_out: Option<bool> = self
                .db
                .prepare_cached(find)?
                .query_row(params![network, address.id], |row| row.get(0))
                .optional()?;
            return Ok(opts_out.map(|opts_out| if opts_out { Fate::OptedOut } else { Fate::Kept }));
        }
        let find = format!("SELECT p.version, p.deleted_at FROM posts p WHERE {}", read::NAMED);
        let fate = |row: &Row| {
            let deleted_at = value::at(row, 1)?;
            let is_redacted = row.get::<_, i64>(0)? == 0;
            Ok(match deleted_at {
                _ if is_redacted => Fate::Redacted(deleted_at),
                Some(at) => Fate::Deleted(at),
                None => Fate::Kept,
            })
        };
        let key = params![network, address.id, &*address.kind];
        let post = self.db.prepare_cached(&find)?.query_row(key, fate).optional()?;
        if post.is_some() {
            return Ok(post);
        }
        let thing = read::thing_number(self.db, network, &address.kind, &address.id)?;
        Ok(thing.map(|_| Fate::Kept))
    }

    fn relation(&self, network: &NetworkName, source: &str, target: &str) -> Result<bool> {
        let Some(network) = self.networks.find(self.db, network)? else { return Ok(false) };
        let find =
            "SELECT EXISTS (SELECT 1 FROM relations WHERE network = $1 AND source = $2 AND target = $3)";
        self.db.prepare_cached(find)?.query_row(params![network, source, target], |row| row.get(0))
    }

    /// A link within a network, or one into another, which hangs on the number of its object.
    fn link(&self, from: &Address, name: &str, to: &Address) -> Result<bool> {
        let Some(network) = self.networks.find(self.db, &from.network)? else { return Ok(false) };
        let within = "SELECT EXISTS (SELECT 1 FROM object_links WHERE network = $1 AND from_id = $2 AND from_kind = $3 \
                      AND name = $4 AND to_id = $5 AND to_kind = $6)";
        let key = params![network, from.id, &*from.kind, name, to.id, &*to.kind];
        let is_within = from.network == to.network;
        if is_within && self.db.prepare_cached(within)?.query_row(key, |row| row.get(0))? {
            return Ok(true);
        }
        let Some(object) = self.number(network, from)? else { return Ok(false) };
        let across =
            "SELECT EXISTS (SELECT 1 FROM cross_links WHERE object = $1 AND name = $2 AND target = $3)";
        let key = params![object, name, to.to_string()];
        self.db.prepare_cached(across)?.query_row(key, |row| row.get(0))
    }

    fn number(&self, network: i64, address: &Address) -> Result<Option<i64>> {
        if &*address.kind == "account" {
            let find = "SELECT id FROM accounts WHERE network = $1 AND native_id = $2";
            let key = params![network, address.id];
            return self.db.prepare_cached(find)?.query_row(key, |row| row.get(0)).optional();
        }
        let post = read::post_number(self.db, network, &address.kind, &address.id)?.map(|(number, _)| number);
        if post.is_some() {
            return Ok(post);
        }
        read::thing_number(self.db, network, &address.kind, &address.id)
    }
}

fn kept(is_there: bool, is_forgotten: impl FnOnce() -> bool) -> Fate {
    if is_there { Fate::Kept } else { gone(is_forgotten()) }
}

fn gone(is_forgotten: bool) -> Fate {
    if is_forgotten { Fate::Forgotten } else { Fate::Gone }
}
