//! Moving a whole store into another one: a file of SQLite, a data directory, a PostgreSQL database, either way.
//!
//! Only the store is moved. Credentials, definitions of one's own and rings stay where they are: rings are filled again from the log.

use std::path::Path;

use freshet_report::copy::{CopiedTable, CopyReport};
use freshet_store::TableSum;
use secrecy::SecretString;

use crate::failure::Failure;
use crate::place::{Place, StoreAddress};
use crate::{notice, text};

/// What is moved, and where to: addresses, or data directories.
#[derive(Clone, Debug)]
pub struct CopyWish {
    pub from: String,
    pub to: String,
}

/// Moves it; an interrupted copy is gone on with.
pub fn copy(wish: &CopyWish) -> anyhow::Result<CopyReport> {
    let (from, to) = (meant(&wish.from), meant(&wish.to));
    if from.as_ref() == to.as_ref() {
        return Err(Failure::misuse("both addresses are the same")
            .hint("name a new store as the second")
            .into());
    }
    notice::on_interrupt("stopped: the same command goes on from here");
    let mut at = String::new();
    let mut told = |table: &str, rows: u64| {
        if at != table {
            tracing::info!("at {table}");
            table.clone_into(&mut at);
        }
        if notice::draws_progress() {
            notice::draw(&format!("{table}: {} rows", text::grouped(rows)));
        }
    };
    let copied = freshet_store::copy(&from, &to, &mut told);
    if notice::draws_progress() {
        notice::draw("");
    }
    let copied = copied?;
    let table = |TableSum { name, rows, hash }: TableSum| CopiedTable {
        name: name.to_owned(),
        rows_count: rows,
        hash: format!("{hash:016x}"),
    };
    Ok(CopyReport {
        from: from.to_string(),
        to: to.to_string(),
        is_resumed: copied.is_resumed,
        moved_count: copied.moved,
        tables: copied.tables.into_iter().map(table).collect(),
    })
}

/// The store of a data directory, or of an address.
fn meant(named: &str) -> StoreAddress {
    if Path::new(named).is_dir() {
        Place::new(Path::new(named), None).store()
    } else {
        StoreAddress::Named(SecretString::from(named))
    }
}
