//! Looking around in the SQLite store: pages of sources and posts, histories, rhythms.
//!
//! Filters become one statement each with every condition in it, where an absent one is NULL: the
//! statement stays prepared and nothing typed by a person ever becomes SQL.

use freshet_types::{
    Change, NetworkName, RobotKind, Source, SourceId, SourceState, Timestamp, VisitId, VisitRecord,
};
use rusqlite::{Connection, Result, Row, params};

use super::{SqliteStore, failed, log, read, search, source, value};
use crate::api::StoreError;
use crate::browse::{Browse, Counted, OFFSET_MAX, PAGE_MAX, PostQuery, RHYTHM_MAX, SourceOrder, SourceQuery};
use crate::row::{Filter, Hit};

/// Posts looked through for the rhythm of a source that is no account: the newest of all.
const NEWEST_POSTS: i64 = 200_000;

/// The networks that a filter names: one server, or all of a definition.
const OF_NETWORK: &str =
    "IN (SELECT id FROM networks WHERE name = ?1 OR substr(name, 1, length(?1) + 1) = ?1 || ':')";

impl Browse for SqliteStore {
    fn list_sources(&self, query: &SourceQuery) -> Result<Vec<Source>, StoreError> {
        let order = match query.order {
            SourceOrder::Number => "id",
            SourceOrder::Name => "COALESCE(handle, root_id), id",
            SourceOrder::Due => "due_at, id",
            SourceOrder::Visited => "visited_at DESC, id",
        };
        let sql = format!(
            "SELECT {} FROM sources WHERE {} ORDER BY {order} LIMIT ?5 OFFSET ?6",
            source::COLUMNS,
            sources_where(query)
        );
        let read = |row: &Row<'_>| source::source_of(&self.db, &self.networks, row);
        let list = || {
            let mut statement = self.db.prepare_cached(&sql)?;
            let (limit, offset) = (query.limit.min(PAGE_MAX) as i64, query.offset.min(OFFSET_MAX) as i64);
            let (state, robot) = (query.state.map(SourceState::name), query.robot.map(RobotKind::name));
            let pattern = query.text.as_deref().map(pattern);
            let rows =
                statement.query_map(params![query.network, state, robot, pattern, limit, offset], read)?;
            rows.collect::<Result<Vec<_>>>()
        };
        list().map_err(failed("list sources"))
    }

    fn count_sources(&self, query: &SourceQuery, max: usize) -> Result<usize, StoreError> {
        let sql =
            format!("SELECT count(*) FROM (SELECT 1 FROM sources WHERE {} LIMIT ?5)", sources_where(query));
        let (state, robot) = (query.state.map(SourceState::name), query.robot.map(RobotKind::name));
        let key = params![query.network, state, robot, query.text.as_deref().map(pattern), max as i64];
        let count =
            self.db.prepare_cached(&sql).and_then(|mut it| it.query_row(key, |row| row.get::<_, i64>(0)));
        count.map(|count| count as usize).map_err(failed("count sources"))
    }

    fn source_networks(&self) -> Result<Vec<NetworkName>, StoreError> {
        let sql = "SELECT id FROM networks WHERE base IS NOT NULL ORDER BY name";
        let list = || {
            let mut statement = self.db.prepare_cached(sql)?;
            let rows = statement.query_map([], |row| self.networks.name(&self.db, row.get(0)?))?;
            rows.collect::<Result<Vec<_>>>()
        };
        list().map_err(failed("list networks"))
    }

    fn list_posts(&self, query: &PostQuery) -> Result<Vec<Hit>, StoreError> {
        if query.text.is_some() {
            self.catch_up();
        }
        search::list(&self.db, &self.networks, query)
    }

    fn changes_of(&self, object: u64, limit: usize) -> Result<Vec<Change>, StoreError> {
        log::of(&self.db, &self.networks, object, limit).map_err(failed("read the change log"))
    }

    fn visits_of(&self, source: SourceId, limit: usize) -> Result<Vec<VisitRecord>, StoreError> {
        visits(&self.db, source, limit.min(PAGE_MAX)).map_err(failed("list visits"))
    }

    fn posting_times(&self, source: &Source) -> Result<Vec<Timestamp>, StoreError> {
        let times = || {
            let network = self.networks.find(&self.db, &source.network)?;
            if &*source.root_kind == "account" && !source.root_id.is_empty() {
                let sql = "SELECT created_at FROM posts WHERE network = ?1 AND author = ?2 \
                           AND created_at IS NOT NULL AND is_embedded = 0 ORDER BY created_at DESC LIMIT ?3";
                return times(&self.db, sql, params![network, source.root_id, RHYTHM_MAX as i64]);
            }
            let sql = "SELECT created_at FROM posts WHERE id > (SELECT max(id) FROM posts) - ?1 \
                       AND source = ?2 AND created_at IS NOT NULL ORDER BY id DESC LIMIT ?3";
            times(&self.db, sql, params![NEWEST_POSTS, source.id.0, RHYTHM_MAX as i64])
        };
        times().map_err(failed("read posting times"))
    }

    fn count_by_day(
        &self,
        counted: Counted,
        filter: &Filter,
        up_to: u64,
    ) -> Result<Vec<(i64, u64)>, StoreError> {
        read::count_by_day(&self.db, counted, filter, up_to).map_err(failed("count by day"))
    }
}

/// Only the conditions that are asked for, so that an index can be used; the others name their
/// parameter all the same.
fn sources_where(query: &SourceQuery) -> String {
    let network = format!("network {OF_NETWORK}");
    let text = r"(handle LIKE ?4 ESCAPE '\' OR root_id LIKE ?4 ESCAPE '\')";
    [
        if query.network.is_some() { &network } else { "?1 IS NULL" },
        if query.state.is_some() { "state = ?2" } else { "?2 IS NULL" },
        if query.robot.is_some() { "robot = ?3" } else { "?3 IS NULL" },
        if query.text.is_some() { text } else { "?4 IS NULL" },
    ]
    .join(" AND ")
}

/// What is typed may stand anywhere in a name; its own `%` and `_` are letters like others.
fn pattern(text: &str) -> String {
    let text = text.trim().trim_start_matches('@');
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}

fn times(db: &Connection, sql: &str, key: &[&dyn rusqlite::ToSql]) -> Result<Vec<Timestamp>> {
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map(key, |row| row.get(0).map(Timestamp::from_ms))?;
    rows.collect()
}

fn visits(db: &Connection, source: SourceId, limit: usize) -> Result<Vec<VisitRecord>> {
    let sql = "SELECT id, source, started_at, ended_at, fetch_count, new_post_count, outcome, attempt \
               FROM visits WHERE source = ?1 ORDER BY id DESC LIMIT ?2";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map(params![source.0, limit as i64], |row| {
        Ok(VisitRecord {
            id: VisitId(row.get::<_, i64>(0)? as u64),
            source: SourceId(row.get(1)?),
            started_at: Timestamp::from_ms(row.get(2)?),
            ended_at: Timestamp::from_ms(row.get(3)?),
            fetch_count: row.get(4)?,
            new_post_count: row.get(5)?,
            outcome: row.get(6)?,
            attempt: row.get(7)?,
        })
    })?;
    rows.collect()
}

/// Conditions on posts, beside the network: since, until, author.
pub(super) const POSTS_WHERE: &str = "(?2 IS NULL OR COALESCE(p.created_at, p.seen_at) >= ?2) \
     AND (?3 IS NULL OR COALESCE(p.created_at, p.seen_at) < ?3) \
     AND (?4 IS NULL OR p.author = ?4 OR p.author IN (SELECT native_id FROM accounts WHERE handle = ?4))";

/// Numbers of the posts that are meant, in the order in which they are shown.
pub(super) fn post_numbers(db: &Connection, query: &PostQuery, asked: Option<&str>) -> Result<Vec<i64>> {
    let sql = match asked {
        Some(_) => format!(
            "SELECT p.id FROM post_text JOIN posts p ON p.id = post_text.rowid \
             WHERE post_text MATCH ?7 AND (?1 IS NULL OR p.network {OF_NETWORK}) AND {POSTS_WHERE} \
             ORDER BY rank LIMIT ?5 OFFSET ?6"
        ),
        None => format!(
            "SELECT p.id FROM posts p WHERE (?1 IS NULL OR p.network {OF_NETWORK}) AND {POSTS_WHERE} \
             AND ?7 IS NULL ORDER BY p.id DESC LIMIT ?5 OFFSET ?6"
        ),
    };
    let author = query.author.as_deref().map(|author| author.trim().trim_start_matches('@'));
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map(
        params![
            query.network,
            value::ms(query.since),
            value::ms(query.until),
            author,
            query.limit.min(PAGE_MAX) as i64,
            query.offset.min(OFFSET_MAX) as i64,
            asked,
        ],
        |row| row.get(0),
    )?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use freshet_types::{Account, Instance, Observation, Post};

    use super::*;
    use crate::api::Store as _;
    use crate::row::{InstanceRow, OnDelete, Upload};

    fn store() -> SqliteStore {
        let mut store = SqliteStore::in_memory().unwrap();
        let (one, other) = (NetworkName::from("mastodon:a.example"), NetworkName::from("rss:b.example"));
        let mut sources = Vec::new();
        for (network, id, handle) in [(&one, "1", "ada"), (&one, "2", "b_b"), (&other, "f", "100%")] {
            let mut source = Source::new(network, "posts", RobotKind::Status, "account", id);
            source.handle = Some(handle.to_owned());
            sources.push(source);
        }
        store.add_sources(&sources).unwrap();
        let base = "https://a.example".to_owned();
        let instance = Instance { network: one.clone(), base, allow_private: false };
        store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).unwrap();
        store.set_state(&[SourceId(2)], SourceState::Removed).unwrap();
        let mut upload = Upload::new(VisitId(1), one, Timestamp::from_secs(1000));
        let post = |id: &str, author: &str, at: i64, text: &str| Post {
            id: id.to_owned(),
            author: Some(author.to_owned()),
            created_at: Some(Timestamp::from_secs(at)),
            text: text.to_owned(),
            ..Post::default()
        };
        let ada = Account { id: "1".to_owned(), handle: Some("ada".to_owned()), ..Account::default() };
        upload.observation = Observation {
            posts: vec![post("10", "1", 100, "the river rises"), post("11", "2", 200, "a dry river")],
            accounts: vec![ada],
            ..Observation::default()
        };
        store.apply(&[upload], |_, _| None).unwrap();
        store
    }

    #[test]
    fn sources_are_found_by_every_filter() {
        let store = store();
        let all = SourceQuery { limit: 10, ..SourceQuery::default() };
        let text = |text: &str| SourceQuery { text: Some(text.to_owned()), ..all.clone() };
        for (query, expected) in [
            (all.clone(), &[1, 2, 3][..]),
            (text("@ad"), &[1]),
            (text("_"), &[2]),
            (text("%"), &[3]),
            (text("'; DROP TABLE sources"), &[]),
            (SourceQuery { state: Some(SourceState::Removed), ..all.clone() }, &[2]),
            (SourceQuery { network: Some("mastodon".to_owned()), ..all.clone() }, &[1, 2]),
            (SourceQuery { robot: Some(RobotKind::Tag), ..all.clone() }, &[]),
            (SourceQuery { order: SourceOrder::Name, ..all.clone() }, &[3, 1, 2]),
            (SourceQuery { limit: 1, offset: 1, ..all.clone() }, &[2]),
            (SourceQuery { limit: usize::MAX, offset: usize::MAX, ..all.clone() }, &[]),
        ] {
            let found: Vec<u32> = store.list_sources(&query).unwrap().iter().map(|it| it.id.0).collect();
            assert_eq!(found, expected, "{query:?}");
        }
        assert_eq!(store.count_sources(&all, 100).unwrap(), 3);
        assert_eq!(store.count_sources(&all, 2).unwrap(), 2);
        assert_eq!(store.source_networks().unwrap(), [NetworkName::from("mastodon:a.example")]);
    }

    #[test]
    fn posts_are_found_by_every_filter() {
        let store = store();
        let all = PostQuery { limit: 10, ..PostQuery::default() };
        let at = |secs| Some(Timestamp::from_secs(secs));
        for (query, expected) in [
            (all.clone(), &["11", "10"][..]),
            (PostQuery { text: Some("river rises".to_owned()), ..all.clone() }, &["10"]),
            (PostQuery { author: Some("@ada".to_owned()), ..all.clone() }, &["10"]),
            (PostQuery { author: Some("2".to_owned()), ..all.clone() }, &["11"]),
            (PostQuery { since: at(150), ..all.clone() }, &["11"]),
            (PostQuery { until: at(150), text: Some("river".to_owned()), ..all.clone() }, &["10"]),
            (PostQuery { network: Some("rss".to_owned()), ..all.clone() }, &[]),
        ] {
            let hits = store.list_posts(&query).unwrap();
            let found: Vec<_> = hits.iter().map(|hit| hit.row.post.id.as_str()).collect();
            assert_eq!(found, expected, "{query:?}");
        }
        let refused = store.list_posts(&PostQuery { text: Some("\"".to_owned()), ..all });
        assert!(matches!(refused, Err(StoreError::Query { .. })), "{refused:?}");
        let source = store.source(SourceId(1)).unwrap().unwrap();
        assert_eq!(store.posting_times(&source).unwrap(), [Timestamp::from_secs(100)]);
        assert_eq!(store.visits_of(SourceId(1), 10).unwrap(), []);
        let object = store.post_of(&source.network, "10").unwrap().unwrap().object;
        assert_eq!(store.changes_of(object, 10).unwrap().len(), 1);
    }
}
