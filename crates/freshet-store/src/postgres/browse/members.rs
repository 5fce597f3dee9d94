//! Collections of one object, a part at a time: each is a statement over the rows that tell it.
//!
//! Who answers a post has no index, because it would cost every post that is stored: answers are looked for among the
//! [`ANSWERS_AMONG`] posts that were seen before and after it, like the links of a graph.

use super::super::db::{Connection, Result, ToSql};
use super::super::network::Networks;
use super::super::{lists, read};
use crate::browse::{ANSWERS_AMONG, Association, COUNT_MAX, MemberPage, MemberQuery, OFFSET_MAX, PAGE_MAX};

/// Members in the order of their collection, before it is cut: type and id of each.
struct Rows {
    sql: String,
    keys: Vec<Box<dyn ToSql>>,
}

impl Rows {
    fn new(sql: impl Into<String>, keys: Vec<Box<dyn ToSql>>) -> Self {
        Self { sql: sql.into(), keys }
    }
}

/// A part of a collection.
pub(super) fn page(db: &Connection, networks: &Networks, query: &MemberQuery<'_>) -> Result<MemberPage> {
    let Some(network) = networks.find(db, query.network)? else { return Ok(MemberPage::default()) };
    let Some(rows) = rows(db, networks, query, network)? else { return Ok(MemberPage::default()) };
    let next = rows.keys.len();
    let count = format!("SELECT count(*) FROM (SELECT 1 FROM ({}) m LIMIT {COUNT_MAX}) n", rows.sql);
    let cut = format!("{} LIMIT ${} OFFSET ${}", rows.sql, next + 1, next + 2);
    let limit = query.limit.min(PAGE_MAX) as i64;
    let offset = query.offset.min(OFFSET_MAX) as i64;
    let keys = || rows.keys.iter().map(|key| &**key);
    let bounds: [&dyn ToSql; 2] = [&limit, &offset];
    let count: i64 = {
        let keys: Vec<&dyn ToSql> = keys().collect();
        db.prepare_cached(&count)?.query_row(&*keys, |row| row.get(0))?
    };
    let keys: Vec<&dyn ToSql> = keys().chain(bounds).collect();
    let mut find = db.prepare_cached(&cut)?;
    let members = find.query_map(&*keys, |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_>>()?;
    Ok(MemberPage { members, count: count as usize })
}

/// The statement of a collection; `None` where its object is not stored.
fn rows(db: &Connection, networks: &Networks, query: &MemberQuery<'_>, network: i64) -> Result<Option<Rows>> {
    let (kind, id) = query.object;
    let own = || -> Vec<Box<dyn ToSql>> { vec![Box::new(network), Box::new(id.to_owned())] };
    let with = |more: &str| -> Vec<Box<dyn ToSql>> {
        own().into_iter().chain([Box::new(more.to_owned()) as Box<dyn ToSql>]).collect()
    };
    Ok(Some(match query.association {
        Association::Written(of) => Rows::new(
            "SELECT kind, native_id FROM posts WHERE network = $1 AND author = $2 AND kind = $3 \
             ORDER BY created_at DESC NULLS LAST, id DESC",
            with(of),
        ),
        Association::Repeated => Rows::new(
            "SELECT kind, native_id FROM posts WHERE network = $1 AND author = $2 AND repost_of IS NOT NULL \
             ORDER BY created_at DESC NULLS LAST, id DESC",
            own(),
        ),
        Association::Followers => Rows::new(
            "SELECT 'account', source FROM relations WHERE network = $1 AND target = $2 \
             AND cancelled_at IS NULL ORDER BY id",
            own(),
        ),
        Association::Following => Rows::new(
            "SELECT 'account', target FROM relations WHERE network = $1 AND source = $2 \
             AND cancelled_at IS NULL ORDER BY id",
            own(),
        ),
        Association::Tags => Rows::new(
            "SELECT 'tag', g.name FROM account_tags t JOIN tags g ON g.id = t.tag \
             WHERE t.network = $1 AND t.account = $2 AND t.cancelled_at IS NULL ORDER BY g.name",
            own(),
        ),
        Association::Named(name) => {
            let mut keys = with(kind);
            keys.push(Box::new(name.to_owned()));
            Rows::new(
                "SELECT to_kind, to_id FROM object_links WHERE network = $1 AND from_id = $2 AND from_kind = $3 \
                 AND name = $4 AND is_member = 1 AND cancelled_at IS NULL ORDER BY id",
                keys,
            )
        }
        Association::Contained(of) => {
            let Some(list) = lists::named(db, networks, query.network, query.object)? else {
                return Ok(None);
            };
            let sql = "SELECT l.kind, l.native_id FROM list_members i JOIN lists l ON l.id = i.member \
                       WHERE i.list = $1 AND l.kind = $2 ORDER BY l.id";
            let posts = "SELECT kind, native_id FROM posts WHERE list = $1 AND kind = $2 ORDER BY created_at NULLS FIRST, id";
            let sql = if freshet_types::list::is_list(of) { sql } else { posts };
            Rows::new(sql, vec![Box::new(read::number(list.object)), Box::new(of.to_owned())])
        }
        Association::Answers => {
            let is_it = "(reply_to = $2 AND COALESCE(reply_kind, kind) = $3 \
                         OR reply_to IS NULL AND root = $2 AND COALESCE(root_kind, kind) = $3)";
            return near(db, network, query, is_it);
        }
        Association::Reposts => return near(db, network, query, "repost_of = $2 AND kind = $3"),
        Association::Quotes => return near(db, network, query, "quote_of = $2 AND kind = $3"),
    }))
}

/// Posts that lead to a post, among those that were seen about when it was.
fn near(db: &Connection, network: i64, query: &MemberQuery<'_>, is_it: &str) -> Result<Option<Rows>> {
    let (kind, id) = query.object;
    let Some((number, _)) = read::post_number(db, network, kind, id)? else { return Ok(None) };
    let among = ANSWERS_AMONG as i64;
    // The sign keeps the index of authors out, by which all posts of the network would be walked through.
    let sql = format!(
        "SELECT kind, native_id FROM posts WHERE id BETWEEN $4 AND $5 AND network = $1 AND {is_it} \
         AND NOT (native_id = $2 AND kind = $3) ORDER BY created_at NULLS FIRST, id"
    );
    let keys: Vec<Box<dyn ToSql>> = vec![
        Box::new(network),
        Box::new(id.to_owned()),
        Box::new(kind.to_owned()),
        Box::new(number.saturating_sub(among)),
        Box::new(number.saturating_add(among)),
    ];
    Ok(Some(Rows::new(sql, keys)))
}
