//! Pages of sources.
//!
//! The rows are wide (model, coverage), so none is read but those shown. A filter and an order have indexes that hold all columns of both,
//! and the server chooses among them. Words are looked for in all names, which is a walk along them: at most [`LOOKED_MAX`] that fit
//! are filtered and sorted, and then the page says that it may miss some.

use freshet_types::list::{BOARD, PORTAL, THREAD};
use freshet_types::{RobotKind, Source, SourceId, SourceState};

use super::super::db::{Connection, OptionalExtension as _, Result, params};
use super::super::network::{Networks, OF_NETWORK};
use crate::browse::{
    COUNT_MAX, LETTERS_MIN, LOOKED_MAX, OFFSET_MAX, PAGE_MAX, RootName, SourceOrder, SourceQuery,
};

/// What a person calls a source, as its index is made.
const NAME: &str = "lower(COALESCE(handle, root_id))";

/// Numbers of the sources of a page, and what is known of the whole list.
pub(super) struct Found {
    pub(super) ids: Vec<SourceId>,
    pub(super) count: usize,
    pub(super) is_partial: bool,
}

/// Finds the page that is asked for.
pub(super) fn find(db: &Connection, query: &SourceQuery) -> Result<Found> {
    let (limit, offset) = (query.limit.min(PAGE_MAX), query.offset.min(OFFSET_MAX));
    if let Some(text) = query.text.as_deref().map(bare).filter(|text| !text.is_empty()) {
        return by_words(db, query, &text, limit, offset);
    }
    let count = count(db, query)?;
    let sql = format!(
        "SELECT id FROM sources WHERE {} ORDER BY {} LIMIT $5 OFFSET $6",
        filters(query),
        order(query.order)
    );
    let ids = numbers(db, &sql, query, "", limit, offset)?;
    Ok(Found { ids, count, is_partial: false })
}

/// Candidates by name, filtered and sorted.
fn by_words(db: &Connection, query: &SourceQuery, text: &str, limit: usize, offset: usize) -> Result<Found> {
    let candidates = if text.chars().count() < LETTERS_MIN {
        format!("SELECT id FROM sources WHERE starts_with({NAME}, $4) OR starts_with({NAME}, '@' || $4)")
    } else {
        "SELECT id FROM sources WHERE position($4 IN lower(handle)) > 0 OR position($4 IN lower(root_id)) > 0"
            .to_owned()
    };
    let key = text.to_lowercase();
    // One more than is looked at tells whether there are more.
    let looked = format!("{candidates} ORDER BY id LIMIT {}", LOOKED_MAX + 1);
    let looked_count = counted(db, &format!("SELECT count(*) FROM ({looked}) c"), query, &key)?;
    let sql = format!(
        "SELECT id FROM sources WHERE id IN ({looked}) AND {} ORDER BY {} LIMIT $5 OFFSET $6",
        filters(query),
        order(query.order)
    );
    let all = numbers(db, &sql, query, &key, LOOKED_MAX, 0)?;
    let ids = all.iter().copied().skip(offset).take(limit).collect();
    Ok(Found { ids, count: all.len(), is_partial: looked_count > LOOKED_MAX })
}

/// How many there are, up to [`COUNT_MAX`].
fn count(db: &Connection, query: &SourceQuery) -> Result<usize> {
    let filter = filters(query);
    let sql = format!("SELECT count(*) FROM (SELECT 1 FROM sources WHERE {filter} LIMIT {COUNT_MAX}) c");
    counted(db, &sql, query, "")
}

fn counted(db: &Connection, sql: &str, query: &SourceQuery, text: &str) -> Result<usize> {
    let (state, robot) = (query.state.map(SourceState::name), query.robot.map(RobotKind::name));
    let mut statement = db.prepare_cached(sql)?;
    let count: i64 = statement.query_row(params![query.network, state, robot, text], |row| row.get(0))?;
    Ok(count as usize)
}

fn numbers(
    db: &Connection,
    sql: &str,
    query: &SourceQuery,
    text: &str,
    limit: usize,
    offset: usize,
) -> Result<Vec<SourceId>> {
    let (state, robot) = (query.state.map(SourceState::name), query.robot.map(RobotKind::name));
    let mut statement = db.prepare_cached(sql)?;
    let key = params![query.network, state, robot, text, limit as i64, offset as i64];
    let rows = statement.query_map(key, |row| row.get(0).map(SourceId))?;
    rows.collect()
}

/// The order of that index, to its last column: two pages of a list never show the same source.
fn order(order: SourceOrder) -> String {
    match order {
        SourceOrder::Number => "id".to_owned(),
        SourceOrder::Name => format!("{NAME}, state, robot, network, id"),
        SourceOrder::Due => "due_at, state, robot, network, id".to_owned(),
        SourceOrder::Visited => {
            "visited_at DESC NULLS LAST, state DESC, robot DESC, network DESC, id DESC".to_owned()
        }
    }
}

/// Only the conditions that are asked for.
fn filters(query: &SourceQuery) -> String {
    let mut filters = Vec::new();
    if query.network.is_some() {
        filters.push(format!("network {OF_NETWORK}"));
    }
    filters.extend(query.robot.map(|_| "robot = $3".to_owned()));
    filters.extend(query.state.map(|_| "state = $2".to_owned()));
    if filters.is_empty() { "true".to_owned() } else { filters.join(" AND ") }
}

/// What was typed, as names are written.
fn bare(text: &str) -> String {
    text.trim().trim_start_matches('@').replace('\0', "")
}

/// Letters of a post that are read for a name.
const NAME_CHARS: i64 = 200;

/// What people know the root of a source by.
pub(super) fn root_name(db: &Connection, networks: &Networks, source: &Source) -> Result<RootName> {
    if source.handle.is_some() {
        return Ok(RootName { who: source.handle.clone(), text: None });
    }
    let Some(network) = networks.find(db, &source.network)? else { return Ok(RootName::default()) };
    let sql = match &*source.root_kind {
        "account" => {
            "SELECT COALESCE(handle, name), NULL FROM accounts WHERE network = $1 AND native_id = $2 AND $3 > 0 AND $4 <> ''"
        }
        PORTAL | BOARD | THREAD => {
            "SELECT title, NULL FROM lists WHERE network = $1 AND native_id = $2 AND $3 > 0 AND kind = $4 AND title <> ''"
        }
        _ => {
            "SELECT COALESCE(a.handle, p.author), substr(p.text, 1, $3::int) FROM posts p \
             LEFT JOIN accounts a ON a.network = p.network AND a.native_id = p.author \
             WHERE p.network = $1 AND p.native_id = $2 AND (p.kind = $4 OR p.space <> p.kind)"
        }
    };
    let mut find = db.prepare_cached(sql)?;
    let key = params![network, source.root_id, NAME_CHARS, &*source.root_kind];
    let found = find.query_row(key, |row| Ok(RootName { who: row.get(0)?, text: row.get(1)? }));
    Ok(found.optional()?.unwrap_or_default())
}
