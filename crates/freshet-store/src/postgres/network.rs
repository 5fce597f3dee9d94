//! Networks in the store: names interned to small integers, and what care each server asks for.
//!
//! Invariant: a network's row is never deleted, so what the cache holds stays true. A failed
//! transaction may take back a row that was just made; then the whole cache is dropped.

use std::cell::RefCell;

use freshet_types::{Instance, Map, NetworkName};

use super::db::{Connection, OptionalExtension, Result, Row, params};
use crate::row::{InstanceRow, OnDelete};

/// The networks that a filter names: one server, or all of a definition.
pub(super) const OF_NETWORK: &str =
    "IN (SELECT id FROM networks WHERE name = $1 OR substr(name, 1, length($1) + 1) = $1 || ':')";

/// Names and numbers of networks, remembered per connection.
#[derive(Debug, Default)]
pub(super) struct Networks {
    ids: RefCell<Map<NetworkName, i64>>,
    names: RefCell<Map<i64, NetworkName>>,
}

impl Networks {
    /// The number of this network, if it was ever seen.
    pub(super) fn find(&self, db: &Connection, name: &NetworkName) -> Result<Option<i64>> {
        if let Some(&id) = self.ids.borrow().get(name) {
            return Ok(Some(id));
        }
        let mut find = db.prepare_cached("SELECT id FROM networks WHERE name = $1")?;
        let id: Option<i64> = find.query_row([name.as_str()], |row| row.get(0)).optional()?;
        if let Some(id) = id {
            self.ids.borrow_mut().insert(name.clone(), id);
        }
        Ok(id)
    }

    /// The number of this network, given now if need be.
    pub(super) fn intern(&self, db: &Connection, name: &NetworkName) -> Result<i64> {
        if let Some(id) = self.find(db, name)? {
            return Ok(id);
        }
        db.query_row("INSERT INTO networks (name) VALUES ($1) RETURNING id", [name.as_str()], |row| {
            row.get(0)
        })
    }

    /// The name of a number that stands in a row.
    pub(super) fn name(&self, db: &Connection, id: i64) -> Result<NetworkName> {
        if let Some(name) = self.names.borrow().get(&id) {
            return Ok(name.clone());
        }
        let mut find = db.prepare_cached("SELECT name FROM networks WHERE id = $1")?;
        let name: String = find.query_row([id], |row| row.get(0))?;
        let name = NetworkName::from(name.as_str());
        self.names.borrow_mut().insert(id, name.clone());
        Ok(name)
    }

    /// Forgets what an undone transaction may have made.
    pub(super) fn forget(&self) {
        self.ids.borrow_mut().clear();
        self.names.borrow_mut().clear();
    }
}

/// Adds a server, or updates all but its `on_delete`. A server that is asked by https stays so: one
/// reference that says http is no reason to show secrets on the way.
pub(super) fn put_instance(db: &Connection, row: &InstanceRow) -> Result<()> {
    let sql = "INSERT INTO networks (name, base, allow_private, on_delete) VALUES ($1, $2, $3, $4)
               ON CONFLICT (name) DO UPDATE SET allow_private = $3,
                   base = CASE WHEN $2 LIKE 'http:%' AND networks.base = 'https' || substr($2, 5) THEN networks.base ELSE $2 END";
    let Instance { network, base, allow_private } = &row.instance;
    db.execute(sql, params![network.as_str(), base, allow_private, on_delete_name(row.on_delete)])?;
    Ok(())
}

/// All servers that were added, in the order of adding.
pub(super) fn instances(db: &Connection) -> Result<Vec<InstanceRow>> {
    let sql = "SELECT name, base, allow_private, on_delete FROM networks WHERE base IS NOT NULL ORDER BY id";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([], |row| {
        let network = NetworkName::from(row.get_ref(0)?.as_str()?);
        let instance = Instance { network, base: row.get(1)?, allow_private: row.get(2)? };
        Ok(InstanceRow { instance, on_delete: on_delete_of(row.get_ref(3)?.as_str()?) })
    })?;
    rows.collect()
}

/// Networks that were met after the one with this number.
pub(super) fn above(db: &Connection, above: u64) -> Result<Vec<(u64, NetworkName)>> {
    let mut statement = db.prepare_cached("SELECT id, name FROM networks WHERE id > $1 ORDER BY id")?;
    let read = |row: &Row| Ok((row.get::<_, i64>(0)? as u64, NetworkName::from(row.get_ref(1)?.as_str()?)));
    statement.query_map([above as i64], read)?.collect()
}

/// Sets what happens to the content of deleted posts.
pub(super) fn set_on_delete(db: &Connection, id: i64, on_delete: OnDelete) -> Result<()> {
    db.execute("UPDATE networks SET on_delete = $2 WHERE id = $1", params![id, on_delete_name(on_delete)])?;
    Ok(())
}

/// What happens to the content of deleted posts.
pub(super) fn on_delete(db: &Connection, id: i64) -> Result<OnDelete> {
    let mut find = db.prepare_cached("SELECT on_delete FROM networks WHERE id = $1")?;
    find.query_row([id], |row| Ok(on_delete_of(row.get_ref(0)?.as_str()?)))
}

fn on_delete_name(on_delete: OnDelete) -> &'static str {
    match on_delete {
        OnDelete::Keep => "keep",
        OnDelete::Redact => "redact",
    }
}

/// An unknown word is read as the careful choice.
fn on_delete_of(name: &str) -> OnDelete {
    if name == "keep" { OnDelete::Keep } else { OnDelete::Redact }
}
