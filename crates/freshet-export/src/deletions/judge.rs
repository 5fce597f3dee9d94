//! What a record's fate means for it. Pure but for the one question to the store.

use freshet_report::deletions::DeletionSums;
use freshet_sink::back::{Cell, Row};
use freshet_sink::record::Properties;
use freshet_sink::{Record as _, RecordKind};
use freshet_store::api::{Store, StoreError};
use freshet_store::keeping::{Fate, Taken};
use freshet_types::{Address, Timestamp};

/// Columns of a post that are empty after its content was erased, as the store leaves them.
const ERASED: [&str; 8] = ["text", "lang", "reply_to", "root", "repost_of", "quote_of", "url", "uri"];

/// What happens to a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It stays as it is.
    Kept,
    /// It is marked as deleted then.
    Marked(Timestamp),
    /// It is marked as of somebody who asks not to be collected.
    OptedOut,
    /// Its content goes.
    Redacted(Option<Timestamp>),
    /// It goes, because somebody asked for that.
    Forgotten,
    /// It goes, because it is kept no longer.
    Gone,
}

impl Outcome {
    /// Whether the record is in the file afterwards.
    pub(super) fn stays(self) -> bool {
        !matches!(self, Self::Forgotten | Self::Gone)
    }

    pub(super) fn count(self, sums: &mut DeletionSums) {
        match self {
            Self::Kept => {}
            Self::Marked(_) | Self::OptedOut => sums.marked_count += 1,
            Self::Redacted(_) => sums.redacted_count += 1,
            Self::Forgotten => sums.forgotten_count += 1,
            Self::Gone => sums.expired_count += 1,
        }
    }
}

/// Changes each record as its fate wants it; `None` where a record does not say what it is about.
pub(super) fn judge(store: &dyn Store, rows: &mut [Row]) -> Result<Option<Vec<Outcome>>, StoreError> {
    let taken: Option<Vec<Taken>> = rows.iter().map(taken).collect();
    let Some(taken) = taken else { return Ok(None) };
    let fates = store.fates(&taken)?;
    Ok(Some(rows.iter_mut().zip(fates).map(|(row, fate)| settle(row, fate)).collect()))
}

/// What a record is about.
fn taken(row: &Row) -> Option<Taken> {
    let address = |column: &str| row.text(column)?.parse::<Address>().ok();
    Some(match row.kind() {
        RecordKind::Posts | RecordKind::Accounts | RecordKind::Objects => {
            Taken::Object { address: address("id")?, author: row.text("author_id").map(str::to_owned) }
        }
        RecordKind::Relations => Taken::Relation {
            network: row.text("network")?.into(),
            source: row.text("source")?.to_owned(),
            target: row.text("target")?.to_owned(),
        },
        RecordKind::Changes => {
            let Some(Cell::Int(number)) = row.cell("number") else { return None };
            Taken::Change { number: u64::try_from(*number).ok()?, address: address("id")? }
        }
        RecordKind::Links => {
            Taken::Link { from: address("from")?, name: row.text("name")?.to_owned(), to: address("to")? }
        }
    })
}

fn settle(row: &mut Row, fate: Fate) -> Outcome {
    match fate {
        Fate::Kept => Outcome::Kept,
        Fate::Forgotten => Outcome::Forgotten,
        Fate::Gone => Outcome::Gone,
        Fate::Deleted(at) if mark(row, at) => Outcome::Marked(at),
        Fate::OptedOut if row.set("opts_out", Cell::Bool(true)) => Outcome::OptedOut,
        Fate::Redacted(at) => {
            let is_marked = at.is_some_and(|at| mark(row, at));
            if redact(row) {
                return Outcome::Redacted(at);
            }
            at.filter(|_| is_marked).map_or(Outcome::Kept, Outcome::Marked)
        }
        Fate::Deleted(_) | Fate::OptedOut => Outcome::Kept,
    }
}

/// Marks a post as deleted, unless it says so already.
fn mark(row: &mut Row, at: Timestamp) -> bool {
    row.cell("deleted_at") == Some(&Cell::Null) && row.set("deleted_at", Cell::Time(at))
}

/// Empties a post; gives whether there was anything.
fn redact(row: &mut Row) -> bool {
    let texts = ERASED.map(|column| {
        let empty = if column == "text" { Cell::Text(String::new()) } else { Cell::Null };
        row.set(column, empty)
    });
    let rest = [
        row.set("tags", Cell::Texts(Vec::new())),
        row.set("properties", Cell::Properties(Properties::new())),
    ];
    texts.into_iter().chain(rest).any(|is_changed| is_changed)
}
