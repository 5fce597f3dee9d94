//! Sources in the store: the whole record in one row, its coverage ledger as JSON beside it.
//!
//! Invariants: one source per network, endpoint and root (or handle, until that is resolved);
//! a number is never given twice; what others said of a source while a visit was under way (a
//! person's `remove` or weight, an owner's wish not to be collected, a shorter way to it) outlasts the visit.

use freshet_types::{
    Address, Coverage, Map, NetworkName, Set, Source, SourceId, SourceState, Span, Timestamp, Validators,
    Weight,
};

use super::db::{Connection, Many, OptionalExtension, Result, Row, params};
use super::forgotten::Forgotten;
use super::network::Networks;
use super::{unkept, value};
use crate::api::page::{PAGE_BYTES_MAX, Rows};
use crate::row::{SourceSlot, Upload};

/// Most sources given for one reference: a handle has one per endpoint and network.
const FOUND_MAX: i64 = 1000;

pub(super) const COLUMNS: &str = "id, network, robot, state, weight, due_at, depth, endpoint, root_kind, root_id, handle, \
                       since, retention_ms, visited_at, attempts, failure, etag, last_modified, model, coverage, pinned_ms, epoch, pulse, read_at, timetable";

const UPDATE: &str = "UPDATE sources SET network = $2, robot = $3, state = $4, weight = $5, due_at = $6, \
     depth = $7, endpoint = $8, root_kind = $9, root_id = $10, handle = $11, since = $12, retention_ms = $13, \
     visited_at = $14, attempts = $15, failure = $16, etag = $17, last_modified = $18, model = $19, \
     coverage = $20, pinned_ms = $21, epoch = GREATEST(epoch, $22), pulse = $23, read_at = $24, timetable = $25 WHERE id = $1";

/// What most visits change: nothing that other indexes than those by time stand on, or each visit
/// would write them all anew.
const UPDATE_VISITED: &str = "UPDATE sources SET weight = $2, due_at = $3, depth = $4, visited_at = $5, \
     attempts = $6, failure = $7, etag = $8, last_modified = $9, model = $10, coverage = $11, epoch = $12, pulse = $13, read_at = $14, \
     timetable = $15 WHERE id = $1";

const INSERT: &str = "INSERT INTO sources (id, network, robot, state, weight, due_at, depth, endpoint, root_kind, \
     root_id, handle, since, retention_ms, visited_at, attempts, failure, etag, last_modified, model, coverage, pinned_ms, epoch, pulse, read_at, timetable) \
     VALUES (COALESCE($1, nextval('sources_id_seq')), $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, \
     $21, $22, $23, $24, $25)";

/// What others may have written of a source while it was visited.
pub(super) struct Stored {
    state: SourceState,
    depth: u16,
    since: Option<Timestamp>,
    /// How long what it brings is kept, by its own rule and that of its network: the shorter of both.
    pub(super) retention: Option<Span>,
    /// By its own rule.
    own_retention: Option<Span>,
    pinned: Option<Span>,
    root_id: String,
    handle: Option<String>,
    epoch: u64,
    weight: f32,
}

impl Stored {
    /// Whether somebody else has taken the source over since the visit of this upload was leased.
    pub(super) fn is_ahead_of(&self, upload: &Upload) -> bool {
        upload.epoch != 0 && upload.epoch < self.epoch
    }

    /// Whether this upload is the first of a lease that is newer than what is stored.
    pub(super) fn is_behind(&self, upload: &Upload) -> bool {
        upload.epoch > self.epoch
    }

    /// The state after a visit: what a person or the owner said meanwhile outlasts it. That it is removed or paused is
    /// never seen by a visit, only known to one that began before a person wanted it back.
    fn state_after(&self, upload: &Upload, seen: SourceState) -> SourceState {
        match self.state {
            told @ (SourceState::Removed | SourceState::Paused) => told,
            told if matches!(seen, SourceState::Removed | SourceState::Paused) => told,
            SourceState::OptedOut if !upload.was_opted_out => SourceState::OptedOut,
            _ => seen,
        }
    }

    /// Whether more of the past is wanted than this.
    fn wants_more(&self, since: Option<Timestamp>, retention: Option<Span>) -> bool {
        // Nothing said is before any time, and longer than any span.
        let kept_ms = |retention: Option<Span>| retention.map_or(i64::MAX, Span::ms);
        self.since < since || kept_ms(self.retention) > kept_ms(retention)
    }
}

/// The shorter of two spans; none is longer than any.
pub(super) fn shorter(one: Option<Span>, other: Option<Span>) -> Option<Span> {
    one.into_iter().chain(other).min()
}

/// What is stored of this source; `None` if it was forgotten.
pub(super) fn stored(db: &Connection, id: SourceId) -> Result<Option<Stored>> {
    let sql = "SELECT s.state, s.depth, s.since, s.retention_ms, s.pinned_ms, s.root_id, s.handle, s.epoch, s.weight, n.retention_ms \
               FROM sources s LEFT JOIN networks n ON n.id = s.network WHERE s.id = $1";
    let mut find = db.prepare_cached(sql)?;
    let stored = find.query_row([id.0], |row| {
        let span = |column| row.get::<_, Option<i64>>(column).map(|ms| ms.map(Span::from_ms));
        Ok(Stored {
            state: state_of(row, 0)?,
            depth: row.get(1)?,
            since: value::at(row, 2)?,
            retention: shorter(span(3)?, span(9)?),
            own_retention: span(3)?,
            pinned: span(4)?,
            root_id: row.get(5)?,
            handle: row.get(6)?,
            epoch: row.get::<_, i64>(7)? as u64,
            weight: row.get(8)?,
        })
    });
    stored.optional()
}

/// Writes the record that an upload of a visit brings.
pub(super) fn write_after_visit(
    db: &Connection,
    networks: &Networks,
    upload: &Upload,
    (source, stored): (&Source, &Stored),
) -> Result<()> {
    // What this visit proved complete is not, by what a person wants since.
    if stored.wants_more(source.since, source.retention) {
        return raise_epoch(db, source.id, upload, stored);
    }
    let state = stored.state_after(upload, source.state);
    let is_named_so = stored.root_id == source.root_id && stored.handle == source.handle;
    if is_named_so && state == stored.state {
        return write_visited(db, source, stored, upload.epoch.max(stored.epoch));
    }
    let network = networks.intern(db, &source.network)?;
    let after = Source {
        depth: source.depth.min(stored.depth),
        since: stored.since,
        retention: stored.own_retention,
        pinned: stored.pinned,
        weight: stored.weight,
        epoch: upload.epoch,
        ..source.clone()
    };
    write(db, UPDATE, network, state, &after)?;
    Ok(())
}

/// Notes the epoch of an upload that writes nothing else of its source: the first of a lease at most.
pub(super) fn raise_epoch(db: &Connection, id: SourceId, upload: &Upload, stored: &Stored) -> Result<()> {
    if stored.is_behind(upload) {
        let raise = "UPDATE sources SET epoch = $2 WHERE id = $1";
        db.prepare_cached(raise)?.execute(params![id.0, upload.epoch as i64])?;
    }
    Ok(())
}

fn write_visited(db: &Connection, source: &Source, stored: &Stored, epoch: u64) -> Result<()> {
    let coverage = value::coverage_text(&source.coverage);
    db.prepare_cached(UPDATE_VISITED)?.execute(params![
        source.id.0,
        stored.weight,
        source.due_at.ms(),
        source.depth.min(stored.depth),
        value::ms(source.visited_at),
        source.attempts,
        source.failure,
        source.validators.etag,
        source.validators.last_modified,
        source.model,
        coverage,
        epoch as i64,
        source.pulse,
        value::ms(source.read_at),
        value::timetable_text(&source.timetable),
    ])?;
    Ok(())
}

/// Writes the whole record outside a visit; adds it if it is not there.
pub(super) fn put(db: &Connection, networks: &Networks, source: &Source) -> Result<()> {
    let network = networks.intern(db, &source.network)?;
    let stored = stored(db, source.id)?;
    let sql = if stored.is_some() { UPDATE } else { INSERT };
    write(db, sql, network, source.state, source)?;
    if stored.is_none() {
        pass_numbers(db)?;
    }
    match stored {
        Some(stored) if stored.own_retention.is_none() && source.retention.is_some() => {
            retain(db, source.id.0)
        }
        _ => Ok(()),
    }
}

/// Numbers that were given by hand are not given again.
fn pass_numbers(db: &Connection) -> Result<()> {
    let pass = "SELECT setval('sources_id_seq', GREATEST((SELECT max(id) FROM sources), (SELECT last_value FROM sources_id_seq)))";
    db.prepare_cached(pass)?.query_row([], |_| Ok(()))
}

/// Puts the posts of a source that now has a retention under it; rare, so a scan will do.
fn retain(db: &Connection, source: u32) -> Result<()> {
    db.execute("UPDATE posts SET is_retained = 1 WHERE source = $1 AND is_retained = 0", [source])?;
    Ok(())
}

/// Runs one of the two statements above; a source without a number is given one. Gives its number.
fn write(db: &Connection, sql: &str, network: i64, state: SourceState, source: &Source) -> Result<SourceId> {
    let coverage = value::coverage_text(&source.coverage);
    let key = params![
        Some(source.id.0).filter(|&id| id != 0),
        network,
        source.robot.name(),
        state.name(),
        source.weight,
        source.due_at.ms(),
        source.depth,
        &*source.endpoint,
        &*source.root_kind,
        source.root_id,
        source.handle,
        value::ms(source.since),
        source.retention.map(Span::ms),
        value::ms(source.visited_at),
        source.attempts,
        source.failure,
        source.validators.etag,
        source.validators.last_modified,
        source.model,
        coverage,
        source.pinned.map(Span::ms),
        source.epoch as i64,
        source.pulse,
        value::ms(source.read_at),
        value::timetable_text(&source.timetable),
    ];
    db.prepare_cached(&format!("{sql} RETURNING id"))?.query_row(key, |row| row.get(0)).map(SourceId)
}

/// Whether what a source watches is forgotten.
fn is_forgotten(forgotten: &Forgotten, source: &Source) -> bool {
    let network = source.network.as_str();
    let is_named = || match &source.handle {
        Some(handle) => &*source.root_kind == "account" && forgotten.has_handle(network, handle),
        None => false,
    };
    !forgotten.is_empty() && (forgotten.has_root(network, &source.root_kind, &source.root_id) || is_named())
}

/// Adds what is not there and not forgotten; revives what was removed.
pub(super) fn add(
    db: &Connection,
    networks: &Networks,
    forgotten: &Forgotten,
    (mut number, sources): (Option<SourceId>, &[Source]),
) -> Result<Vec<(SourceId, bool)>> {
    let mut added = Vec::with_capacity(sources.len());
    for source in sources {
        if is_forgotten(forgotten, source) {
            added.push((SourceId(0), false));
            continue;
        }
        let network = networks.intern(db, &source.network)?;
        let state = match &*source.root_kind {
            "account" => first_state(db, network, &source.root_id, source.state)?,
            _ => source.state,
        };
        if let Some(id) = find_same(db, network, source)? {
            revive(db, id, source, state)?;
            added.push((SourceId(id), false));
        } else {
            let source = Source { id: number.unwrap_or_default(), ..source.clone() };
            number = number.map(|number| SourceId(number.0 + 1));
            let id = insert(db, network, state, &source)?;
            unkept::inherit(db, id, None)?;
            added.push((id, true));
        }
    }
    if number.is_some() && added.iter().any(|(_, is_new)| *is_new) {
        pass_numbers(db)?;
    }
    Ok(added)
}

/// Sets numbers aside, so that none of them is given here; gives the first.
pub(super) fn reserve(db: &Connection, count: u32) -> Result<SourceId> {
    let sql = "SELECT GREATEST((SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM sources_id_seq), \
               (SELECT COALESCE(max(id), 0) FROM sources))";
    let last: i64 = db.query_row(sql, [], |row| row.get(0))?;
    let after = last + i64::from(count);
    let first = u32::try_from(after)
        .map_err(|_| value::unknown(0, "number of a source", &after.to_string()))?
        - count
        + 1;
    db.query_row("SELECT setval('sources_id_seq', $1)", [after], |_| Ok(()))?;
    Ok(SourceId(first))
}

/// The state in which a source of this account begins: at rest, where the account asks not to be collected.
fn first_state(db: &Connection, network: i64, root_id: &str, wanted: SourceState) -> Result<SourceState> {
    let find = "SELECT opts_out FROM accounts WHERE network = $1 AND native_id = $2";
    let opts_out = db.prepare_cached(find)?.query_row(params![network, root_id], |row| row.get(0));
    let is_out = opts_out.optional()?.unwrap_or(false);
    Ok(if is_out && wanted == SourceState::Active { SourceState::OptedOut } else { wanted })
}

/// Adds a source that has no number yet; gives it one.
pub(super) fn insert(db: &Connection, network: i64, state: SourceState, source: &Source) -> Result<SourceId> {
    write(db, INSERT, network, state, source)
}

/// The source that this is: by its number where it has one, else by its root or handle.
fn find_same(db: &Connection, network: i64, source: &Source) -> Result<Option<u32>> {
    let by_number = "SELECT id FROM sources WHERE id = $1 AND network = $2 AND endpoint = $3";
    let mut find = db.prepare_cached(by_number)?;
    let found = find.query_row(params![source.id.0, network, &*source.endpoint], |row| row.get(0));
    if let Some(id) = found.optional()? {
        return Ok(Some(id));
    }
    let by_root =
        "SELECT id FROM sources WHERE root_id = $1 AND root_id <> '' AND network = $2 AND endpoint = $3";
    let by_handle = "SELECT id FROM sources WHERE handle = $1 AND network = $2 AND endpoint = $3";
    let keys = [(by_root, Some(&source.root_id)), (by_handle, source.handle.as_ref())];
    for (sql, key) in keys {
        let Some(key) = key.filter(|key| !key.is_empty()) else { continue };
        let mut find = db.prepare_cached(sql)?;
        let id = find.query_row(params![key, network, &*source.endpoint], |row| row.get(0)).optional()?;
        if id.is_some() {
            return Ok(id);
        }
    }
    Ok(None)
}

/// A person who adds a source that is known already brings it nearer, and back if it was removed.
/// What they say of its past, how far to go back and how long to keep it, holds from now on.
fn revive(db: &Connection, id: u32, source: &Source, state: SourceState) -> Result<()> {
    let Some(known) = stored(db, SourceId(id))? else { return Ok(()) };
    let nearer = "UPDATE sources SET depth = $2 WHERE id = $1 AND depth > $2";
    db.prepare_cached(nearer)?.execute(params![id, source.depth])?;
    let back = "UPDATE sources SET state = $3, due_at = $2, attempts = 0, failure = NULL \
                WHERE id = $1 AND state IN ('removed', 'paused')";
    let is_back = db.prepare_cached(back)?.execute(params![id, source.due_at.ms(), state.name()])? > 0;
    // Robots add what they find again and again; what a person said nothing about stays.
    let (since, retention) = match source.depth {
        _ if is_back => (source.since, source.retention),
        0 => (source.since.or(known.since), source.retention.or(known.own_retention)),
        _ => return Ok(()),
    };
    if (since, retention) == (known.since, known.own_retention) {
        return Ok(());
    }
    let known = Stored { retention: known.own_retention, ..known };
    let wish = "UPDATE sources SET since = $2, retention_ms = $3 WHERE id = $1";
    db.prepare_cached(wish)?.execute(params![id, value::ms(since), retention.map(Span::ms)])?;
    if (Stored { since, retention, ..known }).wants_more(known.since, known.retention) {
        read_anew(db, id)?;
    }
    if known.own_retention.is_none() && retention.is_some() { retain(db, id) } else { Ok(()) }
}

/// What a source brings is kept so long from now on; where that is longer than before it is read anew.
pub(super) fn keep_for(db: &Connection, id: SourceId, retention: Option<Span>) -> Result<()> {
    let Some(known) = stored(db, id)? else { return Ok(()) };
    let known = Stored { retention: known.own_retention, ..known };
    let wish = "UPDATE sources SET retention_ms = $2 WHERE id = $1";
    db.prepare_cached(wish)?.execute(params![id.0, retention.map(Span::ms)])?;
    let (since, before) = (known.since, known.retention);
    if (Stored { retention, ..known }).wants_more(since, before) {
        read_anew(db, id.0)?;
    }
    if before.is_none() && retention.is_some() { retain(db, id.0) } else { Ok(()) }
}

/// The source is read from the top as if it were new: how to get below what was wanted so far is not
/// known. Posts that are stored are not stored twice.
fn read_anew(db: &Connection, id: u32) -> Result<()> {
    let fresh = serde_json::to_string(&Coverage::default()).expect("a coverage is plain data");
    let anew = "UPDATE sources SET coverage = $2, model = ''::bytea, visited_at = NULL, etag = NULL, \
                last_modified = NULL WHERE id = $1";
    db.prepare_cached(anew)?.execute(params![id, fresh])?;
    Ok(())
}

/// One source.
pub(super) fn load(db: &Connection, networks: &Networks, id: SourceId) -> Result<Option<Source>> {
    let mut statement = db.prepare_cached(&format!("SELECT {COLUMNS} FROM sources WHERE id = $1"))?;
    statement.query_row([id.0], |row| source_of(db, networks, row)).optional()
}

/// Sources by number, in the order asked for: one question for all of them.
pub(super) fn load_all(
    db: &Connection,
    networks: &Networks,
    ids: &[SourceId],
) -> Result<Vec<Option<Source>>> {
    let mut statement = db.prepare_cached(&format!("SELECT {COLUMNS} FROM sources WHERE id = ANY($1)"))?;
    let key = params![Many::<Option<i64>>(ids.iter().map(|id| Some(i64::from(id.0))).collect())];
    let mut found: Map<SourceId, Source> = Map::default();
    for source in statement.query_map(key, |row| source_of(db, networks, row))? {
        let source = source?;
        found.insert(source.id, source);
    }
    Ok(ids.iter().map(|id| found.get(id).cloned()).collect())
}

/// A page of sources above this number, whole.
pub(super) fn above(
    db: &Connection,
    networks: &Networks,
    above: SourceId,
    limit: usize,
) -> Result<Rows<Source, SourceId>> {
    let sql = format!("SELECT {COLUMNS} FROM sources WHERE id > $1 ORDER BY id LIMIT $2");
    let mut statement = db.prepare_cached(&sql)?;
    let mut found = statement.query(params![above.0, limit as i64])?;
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = found.next()? {
        // Its coverage and its model are what may be large.
        bytes += row.get_ref(19)?.as_str()?.len() + row.get_ref(18)?.as_bytes()?.len();
        rows.push(source_of(db, networks, row)?);
        if bytes >= PAGE_BYTES_MAX {
            break;
        }
    }
    let is_cut = rows.len() == limit || bytes >= PAGE_BYTES_MAX;
    let next = rows.last().filter(|_| is_cut).map(|source| source.id);
    Ok(Rows { rows, next })
}

/// Sources above this number, slim.
pub(super) fn slots_above(
    db: &Connection,
    networks: &Networks,
    above: SourceId,
    limit: usize,
) -> Result<Vec<SourceSlot>> {
    let sql =
        "SELECT id, network, robot, state, weight, due_at, CASE WHEN pinned_ms IS NULL THEN due_at - visited_at END
               FROM sources WHERE id > $1 ORDER BY id LIMIT $2";
    let mut statement = db.prepare_cached(sql)?;
    let rows = statement.query_map(params![above.0, limit as i64], |row| {
        let robot = row.get_ref(2)?.as_str()?;
        Ok(SourceSlot {
            id: SourceId(row.get(0)?),
            network: networks.name(db, row.get(1)?)?,
            robot: robot.parse().map_err(|_| value::unknown(2, "robot", robot))?,
            state: state_of(row, 3)?,
            weight: row.get(4)?,
            due_at: Timestamp::from_ms(row.get(5)?),
            gap: row.get::<_, Option<i64>>(6)?.map(Span::from_ms),
        })
    })?;
    rows.collect()
}

/// The states of those of these sources that are stored.
pub(super) fn states(
    db: &Connection,
    networks: &Networks,
    sources: &[Source],
) -> Result<Vec<Option<SourceState>>> {
    let sql =
        "SELECT state FROM sources WHERE root_id = $1 AND root_id <> '' AND network = $2 AND endpoint = $3";
    let mut find = db.prepare_cached(sql)?;
    let mut states = Vec::with_capacity(sources.len());
    for source in sources {
        let network = networks.find(db, &source.network)?;
        let key = params![source.root_id, network, &*source.endpoint];
        states.push(find.query_row(key, |row| state_of(row, 0)).optional()?);
    }
    Ok(states)
}

/// Whether a source of this network has each of these root ids.
pub(super) fn have_roots(
    db: &Connection,
    networks: &Networks,
    network: &NetworkName,
    root_ids: &[String],
) -> Result<Vec<bool>> {
    let network = networks.find(db, network)?;
    let sql = "SELECT root_id FROM sources WHERE root_id = ANY($1) AND root_id <> '' AND network = $2";
    let mut find = db.prepare_cached(sql)?;
    let key = params![Many::<Option<&str>>(root_ids.iter().map(|id| Some(id.as_str())).collect()), network];
    let found: Set<String> = find.query_map(key, |row| row.get(0))?.collect::<Result<_>>()?;
    Ok(root_ids.iter().map(|root_id| found.contains(root_id)).collect())
}

/// What a person may mean: number, handle, root id, or address of the root.
pub(super) fn find(db: &Connection, networks: &Networks, reference: &str) -> Result<Vec<Source>> {
    let bare = reference.trim().trim_start_matches('@');
    if bare.is_empty() {
        return Ok(Vec::new());
    }
    let with_at = format!("@{bare}");
    let (network, kind, id) = match reference.parse::<Address>() {
        Ok(address) => (networks.find(db, &address.network)?, address.kind.to_string(), address.id),
        Err(_) => (None, String::new(), String::new()),
    };
    let sql = format!(
        "SELECT {COLUMNS} FROM sources WHERE id IN ( \
           SELECT id FROM sources WHERE id = $1 \
           UNION SELECT id FROM sources WHERE handle IN ($2, $3, $4) AND handle IS NOT NULL \
           UNION SELECT id FROM sources WHERE root_id = $4 AND root_id <> '' \
           UNION SELECT id FROM sources WHERE root_id = $7 AND root_id <> '' AND network = $5 AND root_kind = $6 \
         ) ORDER BY id LIMIT $8"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let number = reference.trim().parse::<u32>().ok();
    let key = params![number, bare, with_at, reference.trim(), network, kind, id, FOUND_MAX];
    let rows = statement.query_map(key, |row| source_of(db, networks, row))?;
    rows.collect()
}

/// Sets the state of these sources.
pub(super) fn set_state(db: &Connection, ids: &[SourceId], state: SourceState) -> Result<()> {
    let mut update = db.prepare_cached("UPDATE sources SET state = $2 WHERE id = $1")?;
    for id in ids {
        update.execute(params![id.0, state.name()])?;
    }
    Ok(())
}

/// Says how often a source is visited, and brings its next visit forward.
pub(super) fn pin(db: &Connection, id: SourceId, every: Option<Span>, due_at: Timestamp) -> Result<()> {
    let sql = "UPDATE sources SET pinned_ms = $2, due_at = LEAST(due_at, $3) WHERE id = $1";
    db.prepare_cached(sql)?.execute(params![id.0, every.map(Span::ms), due_at.ms()])?;
    Ok(())
}

/// Says how much the news of these sources count.
pub(super) fn weigh(db: &Connection, sources: &[(SourceId, Timestamp)], weight: Weight) -> Result<()> {
    let sql = "UPDATE sources SET weight = $2, due_at = LEAST(due_at, $3) WHERE id = $1";
    let mut update = db.prepare_cached(sql)?;
    for (id, due_at) in sources {
        update.execute(params![id.0, weight.value(), due_at.ms()])?;
    }
    Ok(())
}

/// The record in a row of [`COLUMNS`].
pub(super) fn source_of(db: &Connection, networks: &Networks, row: &Row) -> Result<Source> {
    let robot = row.get_ref(2)?.as_str()?;
    let coverage: Coverage = serde_json::from_str(row.get_ref(19)?.as_str()?)
        .map_err(|error| value::unknown(19, "coverage", &error.to_string()))?;
    let network: NetworkName = networks.name(db, row.get(1)?)?;
    Ok(Source {
        id: SourceId(row.get(0)?),
        network,
        robot: robot.parse().map_err(|_| value::unknown(2, "robot", robot))?,
        state: state_of(row, 3)?,
        weight: row.get(4)?,
        due_at: Timestamp::from_ms(row.get(5)?),
        depth: row.get(6)?,
        endpoint: row.get_ref(7)?.as_str()?.into(),
        root_kind: row.get_ref(8)?.as_str()?.into(),
        root_id: row.get(9)?,
        handle: row.get(10)?,
        since: value::at(row, 11)?,
        retention: row.get::<_, Option<i64>>(12)?.map(Span::from_ms),
        visited_at: value::at(row, 13)?,
        attempts: row.get(14)?,
        failure: row.get(15)?,
        coverage,
        model: row.get(18)?,
        validators: Validators { etag: row.get(16)?, last_modified: row.get(17)? },
        pinned: row.get::<_, Option<i64>>(20)?.map(Span::from_ms),
        epoch: row.get::<_, i64>(21)? as u64,
        pulse: row.get(22)?,
        read_at: value::at(row, 23)?,
        timetable: value::timetable(row, 24)?,
        viewer: None,
    })
}

/// The state named in this column.
pub(super) fn state_of(row: &Row, column: usize) -> Result<SourceState> {
    let name = row.get_ref(column)?.as_str()?;
    SourceState::ALL
        .into_iter()
        .find(|state| state.name() == name)
        .ok_or_else(|| value::unknown(column, "source state", name))
}
