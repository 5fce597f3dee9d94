//! The change log: written by step 8, read from a cursor by step 9 and by everything derived.
//!
//! Invariant: numbers rise and are never given twice, not even after `forget` took the newest
//! line away, because the next one stands in `counters` and not in the log. An object's number
//! is the number of its first line, so objects and changes share the counter. The counter is read and moved inside the
//! transaction that writes the lines, and there is one writer at a time: numbers rise in the order of the commits, and
//! every line that can be read is settled.

use freshet_types::{Address, Change, ChangeKind, Map, RobotKind, Span, Timestamp, VisitId};

use super::db::{Connection, Gathered, Many, OptionalExtension, Result, Row, params};
use super::network::Networks;
use super::{read, value};
use crate::row::ObjectRow;

/// Most lines given at once, whatever is asked for.
const LINES_MAX: usize = 100_000;

/// Which table a number leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Account = 0,
    Post = 1,
    Relation = 2,
    List = 3,
    Thing = 4,
    Link = 5,
    Stub = 6,
}

/// How much each count of `status` grows with a transaction.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) posts: i64,
    pub(super) deleted: i64,
    pub(super) accounts: i64,
    pub(super) relations: i64,
    pub(super) things: i64,
    pub(super) links: i64,
    pub(super) changes: i64,
    pub(super) visits: i64,
}

impl Tally {
    /// Adds to the counts.
    pub(super) fn write(&self, db: &Connection) -> Result<()> {
        let counts = [
            ("posts", self.posts),
            ("deleted", self.deleted),
            ("accounts", self.accounts),
            ("relations", self.relations),
            ("things", self.things),
            ("links", self.links),
            ("changes", self.changes),
            ("visits", self.visits),
        ];
        let (names, growths): (Vec<Option<&str>>, Vec<Option<i64>>) = counts
            .into_iter()
            .filter(|(_, growth)| *growth != 0)
            .map(|(name, growth)| (Some(name), Some(growth)))
            .unzip();
        if names.is_empty() {
            return Ok(());
        }
        let add = "UPDATE counters c SET value = c.value + g.growth FROM unnest($1, $2) g (name, growth) WHERE c.name = g.name";
        db.prepare_cached(add)?.execute(params![Many(names), Many(growths)]).map(drop)
    }
}

/// When, in which visit and by which robot a change was noticed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noticed {
    pub(super) seen_at: i64,
    pub(super) visit: i64,
    pub(super) finder: Option<RobotKind>,
}

/// Gives numbers and writes lines for one transaction.
pub(super) struct Writer<'a> {
    next: i64,
    first: i64,
    db: &'a Connection,
    /// Lines that wait to be written together: nobody reads them before the transaction is over.
    lines: Gathered,
    pub(super) tally: Tally,
}

impl<'a> Writer<'a> {
    pub(super) fn open(db: &'a Connection) -> Result<Self> {
        let mut find = db.prepare_cached("SELECT value FROM counters WHERE name = 'number'")?;
        let next = find.query_row([], |row| row.get(0))?;
        let lines =
            Gathered::new("INSERT INTO changes (number, object, class, kind, seen_at, visit, finder)");
        Ok(Self { next, first: next, db, lines, tally: Tally::default() })
    }

    /// The number that the next line will have; a new object takes it.
    pub(super) fn next(&self) -> i64 {
        self.next
    }

    /// Uses up a number without a line.
    pub(super) fn skip(&mut self) {
        self.next += 1;
    }

    pub(super) fn line(
        &mut self,
        kind: ChangeKind,
        class: Class,
        object: i64,
        noticed: Noticed,
    ) -> Result<()> {
        let line = params![
            self.next,
            object,
            class as i64,
            kind_number(kind),
            noticed.seen_at,
            noticed.visit,
            noticed.finder.map(|finder| finder as i64),
        ];
        self.lines.add(self.db, line)?;
        self.next += 1;
        self.tally.changes += 1;
        Ok(())
    }

    /// Writes back where the numbers and counts stand.
    pub(super) fn close(mut self, db: &Connection) -> Result<()> {
        self.lines.write(db)?;
        if self.next != self.first {
            let move_on = "UPDATE counters SET value = $1 WHERE name = 'number'";
            db.prepare_cached(move_on)?.execute([self.next])?;
        }
        self.tally.write(db)
    }
}

/// Lines about an object, in order.
pub(super) fn of(db: &Connection, networks: &Networks, object: u64, limit: usize) -> Result<Vec<Change>> {
    let sql = format!(
        "{LINES} WHERE c.number = $1 OR c.number <> c.object AND c.object = $1 ORDER BY c.number LIMIT $2"
    );
    lines(db, networks, &sql, object, limit)
}

/// A line with the address of its object. An erased object has no lines, so exactly one of the
/// joins finds a row.
const LINES: &str = "SELECT c.number, c.seen_at, c.kind, c.object, c.visit, \
                      COALESCE(p.network, a.network, r.network, l.network, t.network, k.network, u.network), \
                      CASE c.class WHEN 0 THEN 'account' WHEN 1 THEN p.kind WHEN 3 THEN l.kind WHEN 4 THEN t.kind \
                        WHEN 5 THEN 'link' WHEN 6 THEN u.kind ELSE 'relation' END, \
                      COALESCE(p.native_id, a.native_id, l.native_id, t.native_id, u.native_id, r.source || '>' || r.target, \
                        k.from_kind || '/' || k.from_id || '>' || k.name || '>' || k.to_kind || '/' || k.to_id), \
                      COALESCE(p.depth, a.depth, t.depth, u.depth, 0), c.finder \
               FROM changes c \
               LEFT JOIN posts p ON c.class = 1 AND p.id = c.object \
               LEFT JOIN accounts a ON c.class = 0 AND a.id = c.object \
               LEFT JOIN relations r ON c.class = 2 AND r.id = c.object \
               LEFT JOIN lists l ON c.class = 3 AND l.id = c.object \
               LEFT JOIN things t ON c.class = 4 AND t.id = c.object \
               LEFT JOIN object_links k ON c.class = 5 AND k.id = c.object \
               LEFT JOIN stubs u ON c.class = 6 AND u.id = c.object";

/// Lines above this number, in order.
pub(super) fn above(db: &Connection, networks: &Networks, number: u64, limit: usize) -> Result<Vec<Change>> {
    let sql = format!("{LINES} WHERE c.number > $1 ORDER BY c.number LIMIT $2");
    lines(db, networks, &sql, number, limit)
}

/// Lines of accounts above this number, in order, and the number up to which there are no others.
pub(super) fn accounts_above(
    db: &Connection,
    networks: &Networks,
    number: u64,
    limit: usize,
) -> Result<(Vec<Change>, u64)> {
    let newest = last(db)?;
    let sql = "SELECT c.number, c.seen_at, c.kind, c.object, c.visit, a.network, 'account', a.native_id, \
                      a.depth, c.finder \
               FROM changes c JOIN accounts a ON a.id = c.object \
               WHERE c.number > $1 AND c.class = 0 ORDER BY c.number LIMIT $2";
    let changes = lines(db, networks, sql, number, limit)?;
    // What another process wrote since `newest` was read is not passed over.
    let up_to = match changes.last() {
        Some(last) if changes.len() >= limit.min(LINES_MAX) => last.number,
        Some(last) => newest.max(last.number),
        None => newest.max(number),
    };
    Ok((changes, up_to))
}

/// The number of the first line that was noticed at this time or later.
pub(super) fn first_since(db: &Connection, at: Timestamp) -> Result<Option<u64>> {
    let sql = "SELECT number FROM changes WHERE seen_at >= $1 ORDER BY number LIMIT 1";
    let found: Option<i64> = db.prepare_cached(sql)?.query_row([at.ms()], |row| row.get(0)).optional()?;
    Ok(found.map(|number| number as u64))
}

/// The number of the newest line; 0 where there is none.
pub(super) fn last(db: &Connection) -> Result<u64> {
    let newest = "SELECT COALESCE(max(number), 0) FROM changes";
    Ok(db.prepare_cached(newest)?.query_row([], |row| row.get::<_, i64>(0))? as u64)
}

fn lines(db: &Connection, networks: &Networks, sql: &str, number: u64, limit: usize) -> Result<Vec<Change>> {
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map([number as i64, limit.min(LINES_MAX) as i64], |row| {
        let network = networks.name(db, row.get(5)?)?;
        let address = Address::new(&network, row.get_ref(6)?.as_str()?, row.get::<_, String>(7)?);
        Ok(Change {
            number: row.get::<_, i64>(0)? as u64,
            seen_at: Timestamp::from_ms(row.get(1)?),
            kind: kind_of(row, 2)?,
            address,
            object: row.get::<_, i64>(3)? as u64,
            depth: row.get(8)?,
            visit: VisitId(row.get::<_, i64>(4)? as u64),
            finder: finder_of(row, 9)?,
        })
    })?;
    rows.collect()
}

/// Posts, accounts, lists, things or stubs, each with what the source on whose way it was found wants of history: in the order asked for.
pub(super) fn objects(
    db: &Connection,
    networks: &Networks,
    numbers: &[u64],
) -> Result<Vec<Option<ObjectRow>>> {
    let sql = "SELECT o.network, o.kind, o.native_id, o.depth, s.since, s.retention_ms, o.created_at, o.properties, o.id FROM ( \
                 SELECT id, network, kind, native_id, depth, source, created_at, properties FROM posts WHERE id = ANY($1) \
                 UNION ALL SELECT id, network, 'account', native_id, depth, source, NULL, NULL FROM accounts WHERE id = ANY($1) \
                 UNION ALL SELECT id, network, kind, native_id, 0, NULL, NULL, NULL FROM lists WHERE id = ANY($1) \
                 UNION ALL SELECT id, network, kind, native_id, depth, source, created_at, properties FROM things \
                 WHERE id = ANY($1) \
                 UNION ALL SELECT id, network, kind, native_id, depth, source, NULL, NULL FROM stubs WHERE id = ANY($1) \
               ) o LEFT JOIN sources s ON s.id = o.source";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map(params![read::many(numbers)], |row| {
        let object = ObjectRow {
            network: networks.name(db, row.get(0)?)?,
            kind: row.get(1)?,
            id: row.get(2)?,
            depth: row.get(3)?,
            since: value::at(row, 4)?,
            retention: row.get::<_, Option<i64>>(5)?.map(Span::from_ms),
            created_at: value::at(row, 6)?,
            plinks: value::plinks(value::text(row, 7)?),
        };
        Ok((row.get::<_, i64>(8)? as u64, object))
    })?;
    let found: Map<u64, ObjectRow> = rows.collect::<Result<_>>()?;
    Ok(numbers.iter().map(|number| found.get(number).cloned()).collect())
}

/// Where a consumer stands.
pub(super) fn cursor(db: &Connection, consumer: &str) -> Result<u64> {
    let mut find = db.prepare_cached("SELECT number FROM cursors WHERE consumer = $1")?;
    let number: Option<i64> = find.query_row([consumer], |row| row.get(0)).optional()?;
    Ok(number.unwrap_or(0) as u64)
}

/// Moves a consumer.
pub(super) fn set_cursor(db: &Connection, consumer: &str, number: u64) -> Result<()> {
    let sql = "INSERT INTO cursors (consumer, number) VALUES ($1, $2) \
               ON CONFLICT (consumer) DO UPDATE SET number = $2";
    db.prepare_cached(sql)?.execute(params![consumer, number as i64])?;
    Ok(())
}

fn kind_number(kind: ChangeKind) -> i64 {
    ChangeKind::ALL.iter().position(|&other| other == kind).expect("ALL holds all kinds") as i64
}

/// Robots are numbered in the order of the paper.
fn finder_of(row: &Row, column: usize) -> Result<Option<RobotKind>> {
    let Some(number) = row.get::<_, Option<u8>>(column)? else { return Ok(None) };
    let robot = RobotKind::ALL.get(usize::from(number)).copied();
    robot.map(Some).ok_or_else(|| value::unknown(column, "robot", &number.to_string()))
}

fn kind_of(row: &Row, column: usize) -> Result<ChangeKind> {
    let number: u8 = row.get(column)?;
    ChangeKind::ALL
        .get(usize::from(number))
        .copied()
        .ok_or_else(|| value::unknown(column, "kind of change", &number.to_string()))
}
