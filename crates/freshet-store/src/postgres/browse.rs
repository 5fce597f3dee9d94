//! Looking around in the PostgreSQL store: pages of sources and posts, histories, rhythms.
//!
//! Filters become one statement each with every condition in it, where an absent one is NULL: the
//! statement stays prepared and nothing typed by a person ever becomes SQL.

mod graph;
mod members;
mod sources;

use freshet_types::{Change, NetworkName, Source, SourceId, Timestamp, VisitId, VisitSummary};

use super::db::{Connection, Result, Row, ToSql, params};
use super::network::Networks;
use super::{PostgresStore, complaints, failed, lists, log, read, search, source, value};
use crate::api::StoreError;
use crate::browse::{
    Browse, Counted, ForumQuery, ForumState, KindCount, ListState, MemberPage, MemberQuery, Neighbours, Node,
    PAGE_MAX, PostQuery, RHYTHM_MAX, RootName, SourcePage, SourceQuery, VisitLine,
};
use crate::row::{ComplaintRow, Filter, Hit};

/// Posts looked through for the rhythm of a source that is no account: the newest of all.
const NEWEST_POSTS: i64 = 200_000;

impl Browse for PostgresStore {
    fn list_sources(&self, query: &SourceQuery) -> Result<SourcePage, StoreError> {
        let list = || {
            let found = sources::find(&self.db, query)?;
            let sources =
                source::load_all(&self.db, &self.networks, &found.ids)?.into_iter().flatten().collect();
            Ok(SourcePage { sources, count: found.count, is_partial: found.is_partial })
        };
        list().map_err(failed("list sources"))
    }

    fn node(&self, object: u64) -> Result<Option<Node>, StoreError> {
        graph::node(&self.db, &self.networks, object as i64).map_err(failed("find an object"))
    }

    fn neighbours(&self, node: &Node, limit: usize) -> Result<Neighbours, StoreError> {
        graph::around(&self.db, &self.networks, node, limit.min(PAGE_MAX)).map_err(failed("read links"))
    }

    fn members(&self, query: &MemberQuery<'_>) -> Result<MemberPage, StoreError> {
        members::page(&self.db, &self.networks, query).map_err(failed("read a collection"))
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

    fn root_names(&self, sources: &[Source]) -> Result<Vec<RootName>, StoreError> {
        let name = |source: &Source| sources::root_name(&self.db, &self.networks, source);
        sources.iter().map(name).collect::<Result<_>>().map_err(failed("look up a name"))
    }

    fn earlier_texts(&self, object: u64) -> Result<Vec<(u64, String)>, StoreError> {
        earlier_texts(&self.db, object as i64).map_err(failed("read earlier texts"))
    }

    fn visits_of_all(
        &self,
        sources: &[SourceId],
        limit: usize,
    ) -> Result<Vec<Vec<VisitSummary>>, StoreError> {
        let visits = |source: &SourceId| visits(&self.db, *source, limit.min(PAGE_MAX));
        sources.iter().map(visits).collect::<Result<_>>().map_err(failed("list visits"))
    }

    fn last_visits(&self, limit: usize) -> Result<Vec<VisitLine>, StoreError> {
        last_visits(&self.db, limit.min(PAGE_MAX)).map_err(failed("list visits"))
    }

    fn forums(&self) -> Result<Vec<ForumState>, StoreError> {
        lists::forums(&self.db, &self.networks).map_err(failed("look at the forums"))
    }

    fn titles_of(&self, sources: &[Source]) -> Result<Vec<Option<String>>, StoreError> {
        let title = |source: &Source| lists::title(&self.db, &self.networks, source);
        sources.iter().map(title).collect::<Result<_>>().map_err(failed("find the title of a list"))
    }

    fn forum_lists(&self, network: &NetworkName, query: &ForumQuery) -> Result<Vec<ListState>, StoreError> {
        lists::of_forum(&self.db, &self.networks, network, query).map_err(failed("list a forum"))
    }

    fn count_by_day(
        &self,
        counted: Counted,
        filter: &Filter,
        up_to: u64,
    ) -> Result<Vec<(i64, u64)>, StoreError> {
        read::count_by_day(&self.db, counted, filter, up_to)
            .map_err(super::damage::somewhere("the store", "count by day"))
    }

    fn complaints(
        &self,
        network: Option<&str>,
        limit: usize,
        samples: usize,
    ) -> Result<Vec<ComplaintRow>, StoreError> {
        complaints::list(&self.db, &self.networks, network, (limit.min(PAGE_MAX), samples))
            .map_err(failed("list complaints"))
    }

    fn count_by_kind(&self) -> Result<Vec<KindCount>, StoreError> {
        let sql = "SELECT n.name, o.kind, count(*) FROM (\
                   SELECT network, kind FROM posts WHERE deleted_at IS NULL \
                   UNION ALL SELECT network, 'account' FROM accounts \
                   UNION ALL SELECT network, kind FROM things) o \
                   JOIN networks n ON n.id = o.network GROUP BY n.name, o.kind ORDER BY n.name, o.kind";
        let count = || {
            let mut statement = self.db.prepare_cached(sql)?;
            let row = |row: &Row| {
                let (network, kind) = (row.get::<_, String>(0)?, row.get(1)?);
                let count: i64 = row.get(2)?;
                Ok(KindCount { network: network.as_str().into(), kind, count: count.unsigned_abs() })
            };
            statement.query_map([], row)?.collect::<Result<Vec<_>>>()
        };
        count().map_err(failed("count objects by type"))
    }

    fn last_relation(&self) -> Result<u64, StoreError> {
        read::last_relation(&self.db).map_err(failed("look for the newest relation"))
    }
}

/// Posting times of a source, newest first.
pub(super) fn posting_times(db: &Connection, networks: &Networks, source: &Source) -> Result<Vec<Timestamp>> {
    let network = networks.find(db, &source.network)?;
    if &*source.root_kind == "account" && !source.root_id.is_empty() {
        let sql = "SELECT created_at FROM posts WHERE network = $1 AND author = $2 \
                   AND created_at IS NOT NULL AND is_embedded = 0 ORDER BY created_at DESC NULLS LAST LIMIT $3";
        return times(db, sql, params![network, source.root_id, RHYTHM_MAX as i64]);
    }
    let sql = "SELECT created_at FROM posts WHERE id > (SELECT max(id) FROM posts) - $1 \
               AND source = $2 AND created_at IS NOT NULL ORDER BY id DESC LIMIT $3";
    times(db, sql, params![NEWEST_POSTS, source.id.0, RHYTHM_MAX as i64])
}

fn times(db: &Connection, sql: &str, key: &[&dyn ToSql]) -> Result<Vec<Timestamp>> {
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map(key, |row| row.get(0).map(Timestamp::from_ms))?;
    rows.collect()
}

fn earlier_texts(db: &Connection, object: i64) -> Result<Vec<(u64, String)>> {
    let sql = "SELECT number, text FROM earlier_texts WHERE post = $1 ORDER BY number";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([object], |row| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?)))?;
    rows.collect()
}

fn visits(db: &Connection, source: SourceId, limit: usize) -> Result<Vec<VisitSummary>> {
    let sql = "SELECT id, source, started_at, ended_at, fetch_count, new_post_count, outcome, attempt \
               FROM visits WHERE source = $1 ORDER BY id DESC LIMIT $2";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map(params![source.0, limit as i64], visit_of)?;
    rows.collect()
}

fn visit_of(row: &Row) -> Result<VisitSummary> {
    Ok(VisitSummary {
        id: VisitId(row.get::<_, i64>(0)? as u64),
        source: SourceId(row.get(1)?),
        started_at: Timestamp::from_ms(row.get(2)?),
        ended_at: Timestamp::from_ms(row.get(3)?),
        fetch_count: row.get(4)?,
        new_post_count: row.get(5)?,
        outcome: row.get(6)?,
        attempt: row.get(7)?,
    })
}

/// A visit whose source was forgotten tells nothing any more.
fn last_visits(db: &Connection, limit: usize) -> Result<Vec<VisitLine>> {
    let sql = "SELECT v.id, v.source, v.started_at, v.ended_at, v.fetch_count, v.new_post_count, v.outcome, \
               v.attempt, s.robot, COALESCE(s.handle, l.title, s.root_id) \
               FROM (SELECT * FROM visits ORDER BY id DESC LIMIT $1) v JOIN sources s ON s.id = v.source \
               LEFT JOIN lists l ON l.network = s.network AND l.native_id = s.root_id AND l.kind = s.root_kind \
               ORDER BY v.id DESC";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([limit as i64], |row| {
        let robot = row.get_ref(8)?.as_str()?;
        let robot = robot.parse().map_err(|_| value::unknown(8, "robot", robot))?;
        Ok(VisitLine { visit: visit_of(row)?, robot, name: row.get(9)? })
    })?;
    rows.collect()
}
