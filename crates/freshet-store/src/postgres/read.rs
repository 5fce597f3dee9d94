//! Reading rows back, for exports, reports and the search results.
//!
//! Rows come in order of number and in pages that are bounded in rows and bytes, so that an export of any size needs
//! little memory. Posts are filtered by posting time (by first sight where that is
//! unknown), everything else by first sight.

use freshet_types::{Account, Confidence, CrossLink, Evidence, Map, NetworkName, Post, PostKind, Timestamp};

use super::damage::{Broken, Table};
use super::db::{Connection, Many, OptionalExtension, Result, Row, params};
use super::network::Networks;
use super::{source, unkept, value};
use crate::api::page::{PAGE_BYTES_MAX, Rows};
use crate::browse::Counted;
use crate::row::{AccountRow, Counts, Filter, PostRow, RelationRow};

/// The columns of a post with its author's handle.
const POST: &str = "SELECT p.id, p.network, p.kind, p.native_id, p.author, p.created_at, p.edited_at, p.seen_at, \
     p.deleted_at, p.is_embedded, p.reply_to, p.root, p.repost_of, p.quote_of, p.lang, p.url, p.uri, p.tags, \
     p.text, p.properties, a.handle, p.space, p.reply_kind, p.root_kind, p.is_unkept, p.version, \
     EXISTS (SELECT 1 FROM cross_links c WHERE c.object = p.id AND c.cancelled_at IS NULL) \
     FROM posts p LEFT JOIN accounts a ON a.network = p.network AND a.native_id = p.author";

const ACCOUNT: &str = "SELECT t.id, t.network, t.native_id, t.seen_at, t.created_at, t.state, t.opts_out, t.invalid, \
     t.followers_count, t.following_count, t.posts_count, t.handle, t.name, t.bio, t.url, t.uri, t.location, \
     t.properties, t.name_print, t.bio_print, \
     EXISTS (SELECT 1 FROM cross_links c WHERE c.object = t.id AND c.cancelled_at IS NULL) FROM accounts t";

const RELATION: &str =
    "SELECT t.network, t.source, t.target, t.seen_at, t.cancelled_at, t.id FROM relations t";

/// When a post was made; when it was first seen, where nobody says.
const POSTED_AT: &str = "COALESCE(p.created_at, p.seen_at)";

/// Links within networks and into others, as they are counted.
const LINKS: &str = "(SELECT id, network, seen_at FROM object_links UNION ALL \
     SELECT c.id, COALESCE(p.network, a.network, o.network), c.seen_at FROM cross_links c \
     LEFT JOIN posts p ON p.id = c.object LEFT JOIN accounts a ON a.id = c.object LEFT JOIN things o ON o.id = c.object)";

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// The condition of a filter: expressions of the network and of the instant.
pub(super) fn condition(network: &str, at: &str) -> String {
    format!(
        "($1 IS NULL OR {at} >= $1) AND ($2 IS NULL OR {at} < $2) \
         AND ($3 IS NULL OR {network} IN (SELECT id FROM networks \
              WHERE name = $3 OR substr(name, 1, length($3) + 1) = $3 || ':'))"
    )
}

/// A query that obeys a filter.
pub(super) fn filtered(query: &str, alias: &str, at: &str) -> String {
    let condition = condition(&format!("{alias}.network"), at);
    format!("{query} WHERE {alias}.id > $4 AND {condition} ORDER BY {alias}.id LIMIT $5")
}

/// How many rows there are by day, of those whose number is at most `up_to`.
pub(super) fn count_by_day(
    db: &Connection,
    counted: Counted,
    filter: &Filter,
    up_to: u64,
) -> Result<Vec<(i64, u64)>> {
    let (table, alias, at) = match counted {
        Counted::Posts => ("posts", "p", POSTED_AT),
        Counted::Accounts => ("accounts", "t", "t.seen_at"),
        Counted::Relations => ("relations", "t", "t.seen_at"),
        Counted::Things => ("things", "t", "t.seen_at"),
        Counted::Links => (LINKS, "t", "t.seen_at"),
    };
    // Division rounds towards zero, and there are days before 1970.
    let day = format!("({at} - ({at} % {DAY_MS} + {DAY_MS}) % {DAY_MS}) / {DAY_MS}");
    let sql = format!(
        "SELECT {day}, count(*) FROM {table} {alias} WHERE {alias}.id > $4 AND {alias}.id <= $5 AND {} GROUP BY 1 ORDER BY 1",
        condition(&format!("{alias}.network"), at)
    );
    let mut statement = db.prepare_cached(&sql)?;
    let key = params![
        value::ms(filter.since),
        value::ms(filter.until),
        filter.network,
        number(filter.above),
        number(up_to)
    ];
    let rows = statement.query_map(key, |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
    rows.collect()
}

/// The number of the newest relation; 0 before the first.
pub(super) fn last_relation(db: &Connection) -> Result<u64> {
    let sql = "SELECT COALESCE(max(id), 0) FROM relations";
    db.prepare_cached(sql)?.query_row([], |row| Ok(row.get::<_, i64>(0)? as u64))
}

/// A number as the database counts: what lies beyond is as good as the last.
pub(super) fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

const POSTS: Table = Table { one: "post" };
const ACCOUNTS: Table = Table { one: "account" };
const RELATIONS: Table = Table { one: "relation" };

/// A query of rows in order of number.
pub(super) struct Query<'a> {
    pub(super) table: Table,
    pub(super) sql: &'a str,
    /// The column of a row's number.
    pub(super) id: usize,
    /// The columns that may be large.
    pub(super) texts: &'a [usize],
}

/// Reads a page of rows. One that cannot be read ends the page before it, and is the error of the next.
pub(super) fn page<T>(
    db: &Connection,
    query: &Query<'_>,
    (filter, limit): (&Filter, usize),
    read: impl Fn(&Row) -> Result<T>,
) -> Result<Rows<T>, Broken> {
    let table = query.table;
    let mut last = number(filter.above);
    let at = |last: i64, is_row: bool| move |error| Broken { table, number: last, is_row, error };
    let mut statement = db.prepare_cached(query.sql).map_err(at(last, false))?;
    let key = params![value::ms(filter.since), value::ms(filter.until), filter.network, last, limit as i64];
    let mut found = statement.query(key).map_err(at(last, false))?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    loop {
        let next = found.next().map_err(at(last, false)).and_then(|row| {
            let Some(row) = row else { return Ok(None) };
            let number = row.get(query.id).map_err(at(last, false))?;
            let sizes =
                query.texts.iter().map(|column| value::text(row, *column).map(|it| it.map_or(0, str::len)));
            let size = sizes.sum::<Result<usize>>().map_err(at(number, true))?;
            Ok(Some((number, size, read(row).map_err(at(number, true))?)))
        });
        match next {
            Ok(None) => return Ok(Rows { rows, next: None }),
            Ok(Some((number, size, row))) => {
                (last, bytes) = (number, bytes + size);
                rows.push(row);
            }
            Err(broken) if rows.is_empty() => return Err(broken),
            Err(_) => break,
        }
        if rows.len() == limit || bytes >= PAGE_BYTES_MAX {
            break;
        }
    }
    Ok(Rows { rows, next: Some(last as u64) })
}

/// A page of posts.
pub(super) fn posts(
    db: &Connection,
    networks: &Networks,
    filter: &Filter,
    limit: usize,
) -> Result<Rows<PostRow>, Broken> {
    let sql = filtered(POST, "p", POSTED_AT);
    let query = Query { table: POSTS, sql: &sql, id: 0, texts: &[18, 19] };
    page(db, &query, (filter, limit), |row| post_of(db, networks, row))
}

/// One post.
pub(super) fn post(db: &Connection, networks: &Networks, number: u64) -> Result<Option<PostRow>> {
    let mut statement = db.prepare_cached(&format!("{POST} WHERE p.id = $1"))?;
    statement.query_row([number as i64], |row| post_of(db, networks, row)).optional()
}

/// Posts by number, in the order asked for: one question for all of them.
pub(super) fn posts_numbered(
    db: &Connection,
    networks: &Networks,
    numbers: &[u64],
) -> Result<Vec<Option<PostRow>>> {
    let mut statement = db.prepare_cached(&format!("{POST} WHERE p.id = ANY($1)"))?;
    let rows = statement.query_map(params![many(numbers)], |row| post_of(db, networks, row))?;
    let mut found: Map<u64, PostRow> = Map::default();
    for row in rows {
        let row = row?;
        found.insert(row.object, row);
    }
    Ok(numbers.iter().map(|number| found.get(number).cloned()).collect())
}

/// Numbers as one parameter.
pub(super) fn many(numbers: &[u64]) -> Many<Option<i64>> {
    Many(numbers.iter().map(|it| Some(number(*it))).collect())
}

/// Which post a network, an id and a type name: one of that type, or one whose type shares its ids with others and was seen as
/// another.
pub(super) const NAMED: &str = "p.network = $1 AND p.native_id = $2 AND (p.kind = $3 OR p.space <> p.kind) \
     ORDER BY p.kind <> $3 LIMIT 1";

/// The post of this type and id.
pub(super) fn post_named(
    db: &Connection,
    networks: &Networks,
    network: &NetworkName,
    (kind, id): (&str, &str),
) -> Result<Option<PostRow>> {
    let Some(network) = networks.find(db, network)? else { return Ok(None) };
    let mut statement = db.prepare_cached(&format!("{POST} WHERE {NAMED}"))?;
    statement.query_row(params![network, id, kind], |row| post_of(db, networks, row)).optional()
}

/// The number of the post of this type and id, and whether it is marked as deleted.
pub(super) fn post_number(
    db: &Connection,
    network: i64,
    kind: &str,
    id: &str,
) -> Result<Option<(i64, bool)>> {
    let find = format!("SELECT p.id, p.deleted_at IS NOT NULL FROM posts p WHERE {NAMED}");
    let read = |row: &Row| Ok((row.get(0)?, row.get(1)?));
    db.prepare_cached(&find)?.query_row(params![network, id, kind], read).optional()
}

/// The number of the stub of this type and id.
pub(super) fn stub_number(db: &Connection, network: i64, kind: &str, id: &str) -> Result<Option<i64>> {
    let find = "SELECT id FROM stubs WHERE network = $1 AND native_id = $2 AND kind = $3";
    db.prepare_cached(find)?.query_row(params![network, id, kind], |row| row.get(0)).optional()
}

/// The number of the thing of this type and id.
pub(super) fn thing_number(db: &Connection, network: i64, kind: &str, id: &str) -> Result<Option<i64>> {
    let find = "SELECT id FROM things WHERE network = $1 AND native_id = $2 AND kind = $3";
    db.prepare_cached(find)?.query_row(params![network, id, kind], |row| row.get(0)).optional()
}

/// The accounts of these ids, in the order asked for: one question for all of them.
pub(super) fn accounts_named(
    db: &Connection,
    networks: &Networks,
    network: &NetworkName,
    ids: &[&str],
) -> Result<Vec<Option<AccountRow>>> {
    let Some(network) = networks.find(db, network)? else { return Ok(vec![None; ids.len()]) };
    let mut statement =
        db.prepare_cached(&format!("{ACCOUNT} WHERE t.network = $1 AND t.native_id = ANY($2)"))?;
    let key = params![network, Many::<Option<&str>>(ids.iter().map(|id| Some(*id)).collect())];
    let mut found: Map<String, AccountRow> = Map::default();
    for row in statement.query_map(key, |row| account_of(db, networks, row))? {
        let row = row?;
        found.insert(row.account.id.clone(), row);
    }
    Ok(ids.iter().map(|id| found.get(*id).cloned()).collect())
}

/// A page of accounts.
pub(super) fn accounts(
    db: &Connection,
    networks: &Networks,
    filter: &Filter,
    limit: usize,
) -> Result<Rows<AccountRow>, Broken> {
    let sql = filtered(ACCOUNT, "t", "t.seen_at");
    let query = Query { table: ACCOUNTS, sql: &sql, id: 0, texts: &[13, 17] };
    page(db, &query, (filter, limit), |row| account_of(db, networks, row))
}

/// A page of relations, cancelled ones included.
pub(super) fn relations(
    db: &Connection,
    networks: &Networks,
    filter: &Filter,
    limit: usize,
) -> Result<Rows<RelationRow>, Broken> {
    let read = |row: &Row| {
        Ok(RelationRow {
            network: networks.name(db, row.get(0)?)?,
            source: row.get(1)?,
            target: row.get(2)?,
            seen_at: Timestamp::from_ms(row.get(3)?),
            cancelled_at: value::at(row, 4)?,
            number: row.get::<_, i64>(5)? as u64,
        })
    };
    let sql = filtered(RELATION, "t", "t.seen_at");
    page(db, &Query { table: RELATIONS, sql: &sql, id: 5, texts: &[] }, (filter, limit), read)
}

fn post_of(db: &Connection, networks: &Networks, row: &Row) -> Result<PostRow> {
    let object: i64 = row.get(0)?;
    let deleted_at = value::at(row, 8)?;
    let post = Post {
        id: row.get(3)?,
        kind: kind_of(row)?,
        author: row.get(4)?,
        created_at: value::at(row, 5)?,
        edited_at: value::at(row, 6)?,
        is_edit_claimed: false,
        text: row.get(18)?,
        url: row.get(15)?,
        uri: row.get(16)?,
        reply_to: row.get(10)?,
        root: row.get(11)?,
        repost_of: row.get(12)?,
        quote_of: row.get(13)?,
        lang: row.get(14)?,
        tags: value::tags_of(value::text(row, 17)?),
        is_deleted: deleted_at.is_some(),
        is_embedded: row.get(9)?,
        plinks: value::plinks(value::text(row, 19)?),
        slinks: if row.get(26)? { slinks(db, object)? } else { Vec::new() },
        slinks_seen: Vec::new(),
    };
    Ok(PostRow {
        object: object as u64,
        network: networks.name(db, row.get(1)?)?,
        post,
        author_handle: row.get(20)?,
        seen_at: Timestamp::from_ms(row.get(7)?),
        deleted_at,
        unkept: if row.get(24)? { Some(row.get::<_, i64>(25)? as u64) } else { None },
        is_outside: row.get::<_, u8>(24)? == unkept::OUTSIDE,
    })
}

/// The type of a post, with what its row says of ids.
fn kind_of(row: &Row) -> Result<PostKind> {
    let kind = PostKind::new(row.get_ref(2)?.as_str()?).in_space(value::text(row, 21)?);
    Ok(match (value::text(row, 22)?, value::text(row, 23)?) {
        (None, None) => kind,
        (reply_to, root) => kind.leading_to(reply_to, root),
    })
}

fn account_of(db: &Connection, networks: &Networks, row: &Row) -> Result<AccountRow> {
    let object: i64 = row.get(0)?;
    let state = row.get_ref(5)?.as_str()?;
    let account = Account {
        id: row.get(2)?,
        handle: row.get(11)?,
        name: row.get(12)?,
        bio: row.get(13)?,
        url: row.get(14)?,
        uri: row.get(15)?,
        location: row.get(16)?,
        created_at: value::at(row, 4)?,
        followers_count: row.get(8)?,
        following_count: row.get(9)?,
        posts_count: row.get(10)?,
        state: value::state_of(state).ok_or_else(|| value::unknown(5, "account state", state))?,
        opts_out: row.get(6)?,
        plinks: value::plinks(value::text(row, 17)?),
        slinks: if row.get(20)? { slinks(db, object)? } else { Vec::new() },
        slinks_seen: Vec::new(),
    };
    Ok(AccountRow {
        object: object as u64,
        network: networks.name(db, row.get(1)?)?,
        account,
        seen_at: Timestamp::from_ms(row.get(3)?),
        invalid: row.get(7)?,
        unkept: unkept::profile_print(row.get(18)?, row.get(19)?),
    })
}

/// The links of an object to other networks, in the order they were seen in.
pub(super) fn slinks(db: &Connection, object: i64) -> Result<Vec<CrossLink>> {
    let sql = "SELECT name, kind, target, value, field, evidence, confidence FROM cross_links \
               WHERE object = $1 AND cancelled_at IS NULL ORDER BY place, id";
    let mut statement = db.prepare_cached(sql)?;
    statement.query_map([object], |row| cross_link(row, [0, 1, 2, 3, 4, 5, 6]))?.collect()
}

/// A link to another network, of the columns of its name, kind, target, value, field, evidence and confidence.
pub(super) fn cross_link(row: &Row, columns: [usize; 7]) -> Result<CrossLink> {
    let [name, kind, target, value, field, evidence, confidence] = columns;
    let (kind_name, address) = (row.get_ref(kind)?.as_str()?, row.get_ref(target)?.as_str()?);
    Ok(CrossLink {
        name: row.get_ref(name)?.as_str()?.into(),
        kind: value::link_kind_of(kind_name)
            .ok_or_else(|| value::unknown(kind, "kind of link", kind_name))?,
        target: address.parse().map_err(|_| value::unknown(target, "address", address))?,
        value: value::primitive_of(value::text(row, value)?),
        evidence: Evidence { place: row.get(field)?, text: row.get(evidence)? },
        confidence: Confidence::new(row.get(confidence)?).unwrap_or_default(),
    })
}

/// Whether there is an object of this address, however little is known of it; a stub is none.
pub(super) fn is_known(db: &Connection, network: i64, kind: &str, id: &str) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM posts WHERE network = $1 AND native_id = $2 AND kind = $3) \
               OR EXISTS (SELECT 1 FROM accounts WHERE $3 = 'account' AND network = $1 AND native_id = $2) \
               OR EXISTS (SELECT 1 FROM things WHERE network = $1 AND native_id = $2 AND kind = $3)";
    db.prepare_cached(sql)?.query_row(params![network, id, kind], |row| row.get(0))
}

/// The numbers: kept, not counted, so that `status` is quick at any size.
pub(super) fn counts(db: &Connection) -> Result<Counts> {
    let mut counts = Counts::default();
    let mut statement = db.prepare_cached("SELECT name, value FROM counters")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let value = row.get::<_, i64>(1)?.max(0) as u64;
        match row.get_ref(0)?.as_str()? {
            "posts" => counts.posts = value,
            "deleted" => counts.deleted = value,
            "accounts" => counts.accounts = value,
            "relations" => counts.relations = value,
            "things" => counts.things = value,
            "links" => counts.links = value,
            "changes" => counts.changes = value,
            "visits" => counts.visits = value,
            _ => {}
        }
    }
    let parked: i64 = db.query_row("SELECT count(*) FROM parked", [], |row| row.get(0))?;
    counts.parked = parked as u64;
    let mut statement =
        db.prepare_cached("SELECT state, count FROM source_counts WHERE count > 0 ORDER BY state")?;
    let states =
        statement.query_map([], |row| Ok((source::state_of(row, 0)?, row.get::<_, i64>(1)? as u64)))?;
    counts.sources = states.collect::<Result<_>>()?;
    Ok(counts)
}
