//! Lists of forums, read back: for exports, for rechecks of old pages, for models, and for people.
//!
//! A list is an object (`lists`) and the root of a source (`sources`); both have its network, type and id. Whether it is complete is
//! asked of the source's coverage, the one proof there is.

use freshet_types::list::{LIST_KINDS, is_list};
use freshet_types::{Map, NetworkName, Source, SourceId, SourceState, Timestamp};

use super::db::{Connection, OptionalExtension as _, Result, Row, params};
use super::network::Networks;
use super::{read, source, value};
use crate::api::Rows;
use crate::browse::{ForumQuery, ForumState, Lack, ListState, OFFSET_MAX, PAGE_MAX};
use crate::row::{Filter, ListRow, ListTimes, ListTimesBounds, ListTimesKind, StalePage};

/// Lists that are named as containers of one list.
const WITHIN_MAX: i64 = 100;
/// As the index of lists has it, so that it is found for a query.
const IS_LIST: &str = "root_kind IN ('portal', 'board', 'thread')";
/// The index cannot say what such a list lacks: its ledger must be looked at.
const UNTOLD: &str = "(proven = 3 AND state IN ('active', 'paused'))";

/// A page of lists in order of number, filtered by first sight.
pub(super) fn page(
    db: &Connection,
    networks: &Networks,
    filter: &Filter,
    limit: usize,
) -> Result<Rows<ListRow>> {
    let sql = "SELECT l.id, l.network, l.kind, l.native_id, l.title, l.seen_at, l.active_at FROM lists l \
               WHERE ($1 IS NULL OR l.seen_at >= $1) AND ($2 IS NULL OR l.seen_at < $2) \
               AND ($3 IS NULL OR l.network IN (SELECT id FROM networks \
                    WHERE name = $3 OR substr(name, 1, length($3) + 1) = $3 || ':')) AND l.id > $4 \
               ORDER BY l.id LIMIT $5";
    let mut statement = db.prepare_cached(sql)?;
    let above = read::number(filter.above);
    let key = params![value::ms(filter.since), value::ms(filter.until), filter.network, above, limit as i64];
    let rows = statement.query_map(key, |row| row_of(db, networks, row))?;
    let rows = rows.collect::<Result<Vec<_>>>()?;
    let next = rows.last().filter(|_| rows.len() == limit).map(|row| row.object);
    Ok(Rows { rows, next })
}

/// The list of this type and id.
pub(super) fn named(
    db: &Connection,
    networks: &Networks,
    network: &NetworkName,
    (kind, id): (&str, &str),
) -> Result<Option<ListRow>> {
    let Some(network) = networks.find(db, network)? else { return Ok(None) };
    let sql = "SELECT id, network, kind, native_id, title, seen_at, active_at FROM lists \
               WHERE network = $1 AND native_id = $2 AND kind = $3";
    let mut statement = db.prepare_cached(sql)?;
    statement.query_row(params![network, id, kind], |row| row_of(db, networks, row)).optional()
}

fn row_of(db: &Connection, networks: &Networks, row: &Row) -> Result<ListRow> {
    Ok(ListRow {
        object: row.get::<_, i64>(0)? as u64,
        network: networks.name(db, row.get(1)?)?,
        kind: row.get(2)?,
        id: row.get(3)?,
        title: row.get(4)?,
        within: within(db, row.get(0)?)?,
        seen_at: Timestamp::from_ms(row.get(5)?),
        active_at: value::at(row, 6)?,
    })
}

fn within(db: &Connection, member: i64) -> Result<Vec<(String, String)>> {
    let sql = "SELECT l.kind, l.native_id FROM list_members i JOIN lists l ON l.id = i.list \
               WHERE i.member = $1 ORDER BY i.seen_at, l.id LIMIT $2";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([member, WITHIN_MAX], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// Pages of threads that are worth another look, the longest due first.
pub(super) fn stale(
    db: &Connection,
    networks: &Networks,
    network: &NetworkName,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<StalePage>> {
    let Some(network) = networks.find(db, network)? else { return Ok(Vec::new()) };
    // The order of the joins is given: by the network, all of its lists would be walked through for a few pages.
    let sql = "SELECT s.id, g.cursor, g.seen_at FROM pages g JOIN lists l ON l.id = g.list \
               JOIN sources s ON s.root_id = l.native_id AND s.root_id <> '' AND s.network = l.network \
                 AND s.root_kind = l.kind \
               WHERE g.due_at <= $1 AND l.network = $2 AND s.state = $3 ORDER BY g.due_at LIMIT $4";
    let mut statement = db.prepare_cached(sql)?;
    let active = SourceState::Active.name();
    let rows =
        statement.query_map(params![now.ms(), network, active, limit.min(PAGE_MAX) as i64], |row| {
            let cursor: String = row.get(1)?;
            Ok(StalePage {
                source: SourceId(row.get(0)?),
                cursor: Some(cursor).filter(|cursor| !cursor.is_empty()),
                seen_at: Timestamp::from_ms(row.get(2)?),
            })
        })?;
    rows.collect()
}

/// Posting times of lists, ascending.
pub(super) fn times(
    db: &Connection,
    networks: &Networks,
    network: &NetworkName,
    kind: ListTimesKind,
    bounds: ListTimesBounds,
) -> Result<Vec<ListTimes>> {
    let Some(network) = networks.find(db, network)? else { return Ok(Vec::new()) };
    let (kinds, posts) = match kind {
        ListTimesKind::Threads => (
            "l.kind = 'thread'",
            "SELECT created_at FROM posts WHERE list = $1 AND created_at >= $2 \
             ORDER BY created_at DESC NULLS LAST LIMIT $3",
        ),
        ListTimesKind::Index => (
            "l.kind IN ('portal', 'board')",
            "SELECT p.created_at FROM list_members i JOIN posts p ON p.list = i.member AND p.created_at >= $2 \
             WHERE i.list = $1 ORDER BY p.created_at DESC NULLS LAST LIMIT $3",
        ),
    };
    let sql = format!(
        "SELECT s.id, l.id FROM lists l JOIN sources s ON s.root_id = l.native_id AND s.root_id <> '' \
           AND s.network = l.network AND s.root_kind = l.kind \
         WHERE l.network = $1 AND {kinds} ORDER BY COALESCE(l.active_at, l.seen_at) DESC LIMIT $2"
    );
    let mut lists = db.prepare_cached(&sql)?;
    let lists: Vec<(u32, i64)> = lists
        .query_map(params![network, bounds.lists_max as i64], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_>>()?;
    let mut read = db.prepare_cached(posts)?;
    let mut all = Vec::with_capacity(lists.len());
    for (source, list) in lists {
        let key = params![list, bounds.since.ms(), bounds.times_max as i64];
        let times = read.query_map(key, |row| Ok(row.get::<_, i64>(0)?.div_euclid(1000)))?;
        let mut times_s: Vec<i64> = times.collect::<Result<_>>()?;
        times_s.reverse();
        all.push(ListTimes { source: SourceId(source), times_s });
    }
    Ok(all)
}

/// The title of the list that a source is.
pub(super) fn title(db: &Connection, networks: &Networks, source: &Source) -> Result<Option<String>> {
    if !is_list(&source.root_kind) {
        return Ok(None);
    }
    let Some(network) = networks.find(db, &source.network)? else { return Ok(None) };
    let find = "SELECT title FROM lists WHERE network = $1 AND native_id = $2 AND kind = $3";
    let mut find = db.prepare_cached(find)?;
    let key = params![network, source.root_id, &*source.root_kind];
    Ok(find.query_row(key, |row| row.get(0)).optional()?.flatten())
}

/// One list, loaded: its source, with its object's title, pages and posts.
fn state_of(db: &Connection, networks: &Networks, id: SourceId) -> Result<Option<ListState>> {
    let Some(source) = source::load(db, networks, id)? else { return Ok(None) };
    let find = "SELECT l.title, (SELECT count(*) FROM pages g WHERE g.list = l.id), \
                  (SELECT count(*) FROM posts p WHERE p.list = l.id) \
                FROM sources s JOIN lists l ON l.network = s.network AND l.native_id = s.root_id AND l.kind = s.root_kind \
                WHERE s.id = $1";
    let mut find = db.prepare_cached(find)?;
    let counts = find.query_row([id.0], |row| {
        Ok((row.get(0)?, row.get::<_, i64>(1)? as usize, row.get::<_, i64>(2)? as usize))
    });
    let (title, pages_count, posts_count) = counts.optional()?.unwrap_or_default();
    Ok(Some(ListState {
        source: source.id,
        kind: source.root_kind.to_string(),
        id: source.root_id.clone(),
        title,
        pages_count,
        posts_count,
        lack: Lack::of(&source),
        visited_at: source.visited_at,
        due_at: source.due_at,
    }))
}

/// Every forum, in sums: counted along an index that knows what most ledgers prove; only those that it cannot judge are read.
pub(super) fn forums(db: &Connection, networks: &Networks) -> Result<Vec<ForumState>> {
    let sql = format!(
        "SELECT network, root_kind, state, proven, count(*), min(id) FROM sources \
         WHERE {IS_LIST} AND state <> 'removed' AND NOT {UNTOLD} GROUP BY network, root_kind, state, proven \
         UNION ALL SELECT network, root_kind, state, proven, 1, id FROM sources \
         WHERE {IS_LIST} AND {UNTOLD}"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query([])?;
    let mut forums: Map<i64, ForumState> = Map::default();
    while let Some(row) = rows.next()? {
        let (network, kind): (i64, String) = (row.get(0)?, row.get(1)?);
        // All of a group lack the same, so one speaks for them.
        let Some(source) = source::load(db, networks, SourceId(row.get(5)?))? else { continue };
        let forum = forums.entry(network).or_insert_with(|| blank(source.network.clone()));
        forum.add_lists(&kind, Lack::of(&source), row.get::<_, i64>(4)? as usize);
    }
    let sums = "SELECT pages_count, posts_count FROM forum_sums WHERE network = $1";
    let mut sums = db.prepare_cached(sums)?;
    for (network, forum) in &mut forums {
        let counts = sums.query_row([network], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
        let (pages_count, posts_count) = counts.optional()?.unwrap_or_default();
        (forum.pages_count, forum.posts_count) = (pages_count.max(0) as usize, posts_count.max(0) as usize);
    }
    let mut forums: Vec<ForumState> = forums.into_values().collect();
    forums.sort_by(|one, other| one.network.cmp(&other.network));
    Ok(forums)
}

fn blank(network: NetworkName) -> ForumState {
    ForumState {
        network,
        boards_count: 0,
        complete_boards_count: 0,
        threads_count: 0,
        complete_threads_count: 0,
        pages_count: 0,
        posts_count: 0,
        lacks: Vec::new(),
    }
}

/// A page of the lists of one forum: numbers along the index first, then the rows of those shown.
pub(super) fn of_forum(
    db: &Connection,
    networks: &Networks,
    network: &NetworkName,
    query: &ForumQuery,
) -> Result<Vec<ListState>> {
    let Some(network) = networks.find(db, network)? else { return Ok(Vec::new()) };
    let lacking =
        if query.is_lacking { "NOT (proven = 0 AND state IN ('active', 'paused'))" } else { "true" };
    let mut wanted = query.limit.min(PAGE_MAX);
    let mut offset = query.offset.min(OFFSET_MAX);
    let mut found = Vec::new();
    // Kind after kind, each in order of number.
    for kind in LIST_KINDS.into_iter().filter(|kind| query.kind.as_deref().is_none_or(|it| it == *kind)) {
        let which = format!(
            "FROM sources WHERE network = $1 AND {IS_LIST} AND root_kind = $2 \
             AND state <> 'removed' AND {lacking}"
        );
        let mut page = db.prepare_cached(&format!("SELECT id {which} ORDER BY id LIMIT $3 OFFSET $4"))?;
        let ids = page.query_map(params![network, kind, wanted as i64, offset as i64], |row| row.get(0))?;
        let ids: Vec<u32> = ids.collect::<Result<_>>()?;
        for id in &ids {
            found.extend(state_of(db, networks, SourceId(*id))?);
        }
        wanted -= ids.len();
        if wanted == 0 {
            break;
        }
        if ids.is_empty() && offset > 0 {
            let mut count = db.prepare_cached(&format!("SELECT count(*) {which}"))?;
            let count: i64 = count.query_row(params![network, kind], |row| row.get(0))?;
            offset = offset.saturating_sub(count as usize);
        } else {
            offset = 0;
        }
    }
    Ok(found)
}
