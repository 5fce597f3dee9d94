//! What is kept of whom, and why: counted over all accounts, and looked up for one.

use freshet_types::{Address, RobotKind, SourceId, Span, Timestamp};

use super::db::{Connection, Result, Row, params};
use super::forgotten::{Forgotten, HANDLE};
use super::network::Networks;
use super::{source, value};
use crate::keeping::{KeptOf, KeptPosts, KeptReason, KeptRow, KeptSource, KeptSums};

/// For each account the number of its reason, by the nearest source that watches it: see [`KeptReason::ALL`].
const REASONS: &str = "WITH reasons AS (SELECT a.network, a.native_id, a.opts_out, COALESCE( \
         (SELECT min(CASE WHEN s.state = 'removed' THEN 2 WHEN s.depth > 0 THEN 1 ELSE 0 END) FROM sources s \
          WHERE s.root_id = a.native_id AND s.root_id <> '' AND s.network = a.network AND s.root_kind = 'account'), \
         CASE WHEN EXISTS (SELECT 1 FROM posts p WHERE p.network = a.network AND p.author = a.native_id) THEN 3 ELSE 4 END \
     ) AS reason FROM accounts a) \
     SELECT network, reason, count(*), \
         sum((SELECT count(*) FROM posts p WHERE p.network = r.network AND p.author = r.native_id))::bigint, sum(opts_out)::bigint \
     FROM reasons r GROUP BY 1, 2 ORDER BY 1, 2";

/// Rows that are given of one account: sources, and sources that brought posts.
const ROWS_MAX: i64 = 1000;

pub(super) fn sums(db: &Connection, networks: &Networks) -> Result<KeptSums> {
    let read = |row: &Row| {
        let reason: u8 = row.get(1)?;
        Ok(KeptRow {
            network: networks.name(db, row.get(0)?)?,
            reason: KeptReason::ALL.get(usize::from(reason)).copied().unwrap_or(KeptReason::Named),
            accounts: row.get::<_, i64>(2)? as u64,
            posts: row.get::<_, i64>(3)? as u64,
            opted_out: row.get::<_, i64>(4)? as u64,
        })
    };
    let rows = db.prepare_cached(REASONS)?.query_map([], read)?.collect::<Result<_>>()?;
    let held = "SELECT (SELECT count(DISTINCT subject) FROM forgotten), EXISTS (SELECT 1 FROM erasing)";
    let (forgotten, is_erasing) =
        db.prepare_cached(held)?.query_row([], |row| Ok((row.get::<_, i64>(0)? as u64, row.get(1)?)))?;
    Ok(KeptSums { rows, forgotten, is_erasing })
}

/// What is kept of an account.
pub(super) fn of(
    db: &Connection,
    networks: &Networks,
    forgotten: &Forgotten,
    account: &Address,
) -> Result<KeptOf> {
    let is_handle = &*account.kind == HANDLE;
    let network_name = account.network.as_str();
    let is_forgotten = if is_handle {
        forgotten.has_handle(network_name, &account.id)
    } else {
        forgotten.has_address(account)
    };
    if is_handle {
        return Ok(KeptOf { is_forgotten, ..KeptOf::default() });
    }
    let Some(network) = networks.find(db, &account.network)? else {
        return Ok(KeptOf { is_forgotten, ..KeptOf::default() });
    };
    let id = account.id.as_str();
    let count = |sql: &str| -> Result<u64> {
        db.prepare_cached(sql)?
            .query_row(params![network, id], |row| row.get::<_, i64>(0))
            .map(|it| it as u64)
    };
    Ok(KeptOf {
        is_forgotten,
        sources: sources(db, network, id)?,
        posts: posts(db, network, id)?,
        deleted_posts: count(
            "SELECT count(*) FROM posts WHERE network = $1 AND author = $2 AND deleted_at IS NOT NULL",
        )?,
        earlier_texts: count(
            "SELECT count(*) FROM posts p JOIN earlier_texts e ON e.post = p.id WHERE p.network = $1 AND p.author = $2",
        )?,
        following: count("SELECT count(*) FROM relations WHERE network = $1 AND source = $2")?,
        followers: count("SELECT count(*) FROM relations WHERE network = $1 AND target = $2")?,
        tags: count("SELECT count(*) FROM account_tags WHERE network = $1 AND account = $2")?,
        links: count(
            "SELECT (SELECT count(*) FROM object_links WHERE network = $1 AND from_id = $2 AND from_kind = 'account') \
             + (SELECT count(*) FROM object_links WHERE network = $1 AND to_id = $2 AND to_kind = 'account') \
             + (SELECT count(*) FROM accounts a JOIN cross_links c ON c.object = a.id \
                WHERE a.network = $1 AND a.native_id = $2)",
        )?,
        payloads: count(
            "SELECT count(DISTINCT o.payload) FROM payload_objects o WHERE o.object IN ( \
             SELECT id FROM posts WHERE network = $1 AND author = $2 \
             UNION ALL SELECT id FROM accounts WHERE network = $1 AND native_id = $2)",
        )?,
    })
}

fn sources(db: &Connection, network: i64, id: &str) -> Result<Vec<KeptSource>> {
    let sql = "SELECT id, robot, state, depth, retention_ms, visited_at FROM sources WHERE root_id = $2 \
               AND root_id <> '' AND network = $1 AND root_kind = 'account' ORDER BY id LIMIT $3";
    let read = |row: &Row| {
        let robot: String = row.get(1)?;
        let robot: RobotKind = robot.parse().map_err(|_| value::unknown(1, "robot", &robot))?;
        Ok(KeptSource {
            id: SourceId(row.get(0)?),
            robot,
            state: source::state_of(row, 2)?,
            depth: row.get(3)?,
            retention: row.get::<_, Option<i64>>(4)?.map(Span::from_ms),
            visited_at: value::at(row, 5)?,
        })
    };
    db.prepare_cached(sql)?.query_map(params![network, id, ROWS_MAX], read)?.collect()
}

/// By the source that brought them first.
fn posts(db: &Connection, network: i64, id: &str) -> Result<Vec<KeptPosts>> {
    let sql = "SELECT p.source, COALESCE(s.handle, s.root_id), count(*), min(p.seen_at), max(p.seen_at) FROM posts p \
               LEFT JOIN sources s ON s.id = p.source WHERE p.network = $1 AND p.author = $2 \
               GROUP BY p.source, 2 ORDER BY 3 DESC, 1 LIMIT $3";
    let read = |row: &Row| {
        Ok(KeptPosts {
            source: row.get::<_, Option<u32>>(0)?.map(SourceId),
            label: row.get(1)?,
            posts: row.get::<_, i64>(2)? as u64,
            first_at: Timestamp::from_ms(row.get(3)?),
            last_at: Timestamp::from_ms(row.get(4)?),
        })
    };
    db.prepare_cached(sql)?.query_map(params![network, id, ROWS_MAX], read)?.collect()
}
