//! Members of collections, for constraints that ask about them: found by an index, the newest first, bounded.
//!
//! A member is where its own row says so (the author of a post, what a reply answers, who follows whom), or a link does. What was
//! deleted or cancelled is no member.

use freshet_types::{End, NetworkName, Timestamp};

use super::db::{Connection, Params, Result, Row, params};
use super::network::Networks;
use crate::row::{Collection, Member, NewestQuery};

/// Links and followed accounts looked at to find the newest of them: their index is not in the order of time.
const LOOKED_AT_MAX: usize = 10_000;

const POSTS: &str = "SELECT kind, native_id, COALESCE(created_at, seen_at) FROM posts \
     WHERE network = $1 AND author = $2 AND deleted_at IS NULL ORDER BY created_at DESC NULLS LAST LIMIT $3";

const REPLIES: &str = "SELECT kind, native_id, COALESCE(created_at, seen_at) FROM posts \
     WHERE network = $1 AND reply_to = $2 AND (COALESCE(reply_kind, kind) = $4 OR space <> kind) \
     AND deleted_at IS NULL ORDER BY created_at DESC NULLS LAST LIMIT $3";

const FOLLOWERS: &str = "SELECT 'account', source, seen_at FROM relations \
     WHERE network = $1 AND target = $2 AND cancelled_at IS NULL ORDER BY id DESC LIMIT $3";

const FOLLOWING: &str = "SELECT 'account', target, seen_at FROM (SELECT id, target, seen_at FROM relations \
     WHERE network = $1 AND source = $2 AND cancelled_at IS NULL LIMIT $4) r ORDER BY id DESC LIMIT $3";

const LINKED: &str = "SELECT to_kind, to_id, seen_at FROM (SELECT id, to_kind, to_id, seen_at FROM object_links \
     WHERE network = $1 AND from_id = $2 AND from_kind = $4 AND name = $5 AND is_member = 1 AND cancelled_at IS NULL \
     LIMIT $6) k ORDER BY id DESC LIMIT $3";

/// The members that are asked for.
pub(super) fn of(
    db: &Connection,
    networks: &Networks,
    name: &NetworkName,
    query: &NewestQuery<'_>,
) -> Result<Vec<Member>> {
    let Some(network) = networks.find(db, name)? else { return Ok(Vec::new()) };
    let (kind, id) = query.object;
    let limit = query.limit.min(LOOKED_AT_MAX) as i64;
    let most = LOOKED_AT_MAX as i64;
    match query.collection {
        Collection::Posts => rows(db, POSTS, params![network, id, limit]),
        Collection::Replies => rows(db, REPLIES, params![network, id, limit, kind]),
        Collection::Followers => rows(db, FOLLOWERS, params![network, id, limit]),
        Collection::Following => rows(db, FOLLOWING, params![network, id, limit, most]),
        Collection::Linked(link) => rows(db, LINKED, params![network, id, limit, kind, link, most]),
    }
}

fn rows(db: &Connection, sql: &str, params: impl Params) -> Result<Vec<Member>> {
    let mut find = db.prepare_cached(sql)?;
    let read = |row: &Row| {
        let end = End { kind: row.get_ref(0)?.as_str()?.into(), id: row.get(1)? };
        Ok(Member { end, at: Timestamp::from_ms(row.get(2)?) })
    };
    find.query_map(params, read)?.collect()
}
