//! Pages of sources, within a tenth of a second among a million of them.
//!
//! The rows are wide (model, coverage), so none is read but those shown. What is asked decides the way:
//!
//! - words: the index of names gives candidates, at most [`LOOKED_MAX`]; these are filtered and sorted;
//! - a filter that few pass, at most [`RARE_MAX`]: the index by facet gives them all;
//! - else: a walk along the index of the order, which holds all that is filtered by.
//!
//! Only the first may miss something, and then the page says so.

use freshet_types::list::{BOARD, PORTAL, THREAD};
use freshet_types::{RobotKind, Source, SourceId, SourceState};
use rusqlite::{Connection, OptionalExtension as _, Result, params};

use super::super::log;
use super::super::network::{Networks, OF_NETWORK};
use crate::browse::{
    COUNT_MAX, LETTERS_MIN, LOOKED_MAX, OFFSET_MAX, PAGE_MAX, RootName, SourceOrder, SourceQuery,
};

/// So many are sorted rather than found by a walk: one lookup of a row each, some microseconds.
const RARE_MAX: usize = 5_000;

/// What a person calls a source, as its index is made.
const NAME: &str = "COALESCE(handle, root_id) COLLATE NOCASE";

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
    let is_filtered = query.network.is_some() || query.state.is_some() || query.robot.is_some();
    let count = count(db, query, is_filtered)?;
    let sql = if is_filtered && count <= RARE_MAX {
        let (index, filter) = facets(query);
        format!("SELECT id FROM sources INDEXED BY {index} WHERE {filter} ORDER BY {}", order(query.order))
    } else {
        let (index, filter) = (walked(query.order), filters(query));
        format!("SELECT id FROM sources INDEXED BY {index} WHERE {filter} ORDER BY {}", order(query.order))
    };
    let ids = numbers(db, &format!("{sql} LIMIT ?5 OFFSET ?6"), query, "", limit, offset)?;
    Ok(Found { ids, count, is_partial: false })
}

/// Candidates by name, filtered and sorted.
fn by_words(db: &Connection, query: &SourceQuery, text: &str, limit: usize, offset: usize) -> Result<Found> {
    let candidates = if text.chars().count() < LETTERS_MIN {
        let range = |from: &str| {
            format!(
                "SELECT id AS number FROM sources INDEXED BY sources_by_name \
                 WHERE {NAME} >= {from} AND {NAME} < {from} || char(1114111)"
            )
        };
        format!("{} UNION ALL {}", range("?4"), range("('@' || ?4)"))
    } else {
        "SELECT rowid AS number FROM source_text WHERE source_text MATCH ?4".to_owned()
    };
    let is_short = text.chars().count() < LETTERS_MIN;
    // As a phrase, in which nothing is a word of the query language.
    let key = if is_short { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) };
    let looked = format!("SELECT number FROM ({candidates}) LIMIT {}", LOOKED_MAX + 1);
    let sql = format!(
        "SELECT s.id FROM ({looked}) c CROSS JOIN sources s ON s.id = c.number \
         WHERE {} ORDER BY {} LIMIT ?5 OFFSET ?6",
        filters(query),
        order(query.order)
    );
    let is_plain = query.network.is_none() && query.state.is_none() && query.robot.is_none();
    // One more than is looked at tells whether there are more.
    let looked_count = counted(db, &format!("SELECT count(*) FROM ({looked})"), query, &key)?;
    let is_partial = looked_count > LOOKED_MAX;
    if is_plain && !is_short && query.order == SourceOrder::Number {
        // The index of names is in order of number itself.
        let sql = format!("SELECT number FROM ({candidates} ORDER BY rowid) LIMIT ?5 OFFSET ?6");
        let ids = numbers(db, &sql, query, &key, limit, offset)?;
        return Ok(Found { ids, count: looked_count.min(COUNT_MAX), is_partial: false });
    }
    let all = numbers(db, &sql, query, &key, LOOKED_MAX, 0)?;
    let ids = all.iter().copied().skip(offset).take(limit).collect();
    Ok(Found { ids, count: all.len(), is_partial })
}

/// How many there are, up to [`COUNT_MAX`].
fn count(db: &Connection, query: &SourceQuery, is_filtered: bool) -> Result<usize> {
    let (index, filter) = if is_filtered { facets(query) } else { ("sources_by_number", "1".to_owned()) };
    let sql = format!(
        "SELECT count(*) FROM (SELECT 1 FROM sources INDEXED BY {index} WHERE {filter} LIMIT {COUNT_MAX})"
    );
    counted(db, &sql, query, "")
}

fn counted(db: &Connection, sql: &str, query: &SourceQuery, text: &str) -> Result<usize> {
    // A parameter beyond those of the statement is refused: it names them all.
    let sql = format!("{sql} WHERE ?1 IS NULL OR ?2 IS NULL OR ?3 IS NULL OR ?4 IS NOT NULL");
    let (state, robot) = (query.state.map(SourceState::name), query.robot.map(RobotKind::name));
    let mut statement = db.prepare_cached(&sql)?;
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

/// The index that holds all columns of an order and of the filters.
fn walked(order: SourceOrder) -> &'static str {
    match order {
        SourceOrder::Number => "sources_by_number",
        SourceOrder::Name => "sources_by_name",
        SourceOrder::Due => "sources_by_due",
        SourceOrder::Visited => "sources_by_visit",
    }
}

/// The order of that index, to its last column: two pages of a list never show the same source.
fn order(order: SourceOrder) -> String {
    match order {
        SourceOrder::Number => "id".to_owned(),
        SourceOrder::Name => format!("{NAME}, state, robot, network, id"),
        SourceOrder::Due => "due_at, state, robot, network, id".to_owned(),
        SourceOrder::Visited => "visited_at DESC, state DESC, robot DESC, network DESC, id DESC".to_owned(),
    }
}

/// Only the conditions that are asked for.
fn filters(query: &SourceQuery) -> String {
    let mut filters = Vec::new();
    if query.network.is_some() {
        filters.push(format!("network {OF_NETWORK}"));
    }
    filters.extend(query.robot.map(|_| "robot = ?3".to_owned()));
    filters.extend(query.state.map(|_| "state = ?2".to_owned()));
    if filters.is_empty() { "1".to_owned() } else { filters.join(" AND ") }
}

/// The same with every column before the last one named, so that each is a step down the index.
fn facets(query: &SourceQuery) -> (&'static str, String) {
    if query.network.is_none() && query.robot.is_none() {
        return ("sources_by_state", filters(query));
    }
    let network = match query.network {
        Some(_) => format!("network {OF_NETWORK}"),
        None => "network IN (SELECT id FROM networks)".to_owned(),
    };
    let robots = || RobotKind::ALL.map(|robot| format!("'{}'", robot.name())).join(", ");
    let robot = match query.robot {
        Some(_) => "robot = ?3".to_owned(),
        None => format!("robot IN ({})", robots()),
    };
    let state = if query.state.is_some() { " AND state = ?2" } else { "" };
    ("sources_by_facet", format!("{network} AND {robot}{state}"))
}

/// Who stands where the index of names is.
const NAMES: &str = "names";

/// Takes the names of sources that were added since into their index; gives how many.
pub(in crate::sqlite) fn index_names(db: &Connection, limit: usize) -> Result<usize> {
    let cursor = log::cursor(db, NAMES)? as i64;
    let last = "SELECT max(id) FROM (SELECT id FROM sources WHERE id > ?1 ORDER BY id LIMIT ?2)";
    let last: Option<i64> = db.prepare_cached(last)?.query_row([cursor, limit as i64], |row| row.get(0))?;
    let Some(last) = last else { return Ok(0) };
    let insert = "INSERT INTO source_text (rowid, handle, root_id) \
                SELECT id, handle, root_id FROM sources WHERE id > ?1 AND id <= ?2";
    let count = db.prepare_cached(insert)?.execute([cursor, last])?;
    log::set_cursor(db, NAMES, last as u64)?;
    Ok(count)
}

/// Whether there are sources that the index has not taken in.
pub(super) fn is_behind(db: &Connection) -> Result<bool> {
    let cursor = log::cursor(db, NAMES)? as i64;
    let mut find = db.prepare_cached("SELECT EXISTS (SELECT 1 FROM sources WHERE id > ?1)")?;
    find.query_row([cursor], |row| row.get(0))
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
            "SELECT COALESCE(handle, name), NULL FROM accounts WHERE network = ?1 AND native_id = ?2 AND ?3 > 0 AND ?4 <> ''"
        }
        PORTAL | BOARD | THREAD => {
            "SELECT title, NULL FROM lists WHERE network = ?1 AND native_id = ?2 AND ?3 > 0 AND kind = ?4 AND title <> ''"
        }
        _ => {
            "SELECT COALESCE(a.handle, p.author), substr(p.text, 1, ?3) FROM posts p \
             LEFT JOIN accounts a ON a.network = p.network AND a.native_id = p.author \
             WHERE p.network = ?1 AND p.native_id = ?2 AND (p.kind = ?4 OR p.space <> p.kind)"
        }
    };
    let mut find = db.prepare_cached(sql)?;
    let key = params![network, source.root_id, NAME_CHARS, &*source.root_kind];
    let found = find.query_row(key, |row| Ok(RootName { who: row.get(0)?, text: row.get(1)? }));
    Ok(found.optional()?.unwrap_or_default())
}
