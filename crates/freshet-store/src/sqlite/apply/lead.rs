//! Step 8 of 10: apply, leads. A list that a page leads to becomes a source in the page's own transaction, so
//! that dying loses neither; one that is known is due when the page shows that something happened in it.
//!
//! Invariant: what a person removed stays removed, and a source that is due sooner stays so.

use freshet_types::{Coverage, Lead, Source, SourceId, SourceState, Timestamp};
use rusqlite::{Connection, OptionalExtension, Result, Row, params};

use super::super::{source, value};
use super::Scene;
use crate::row::{Applied, SourceSlot, Upload};

const FIND: &str = "SELECT id, state, weight, due_at, visited_at, coverage FROM sources \
     WHERE root_id = ?1 AND root_id <> '' AND network = ?2 AND endpoint = ?3";

/// What is stored of a list.
struct Known {
    slot: SourceSlot,
    visited_at: Option<Timestamp>,
    newest_at: Option<Timestamp>,
}

/// Follows one lead of an upload.
pub(super) fn follow(
    db: &Connection,
    scene: &Scene<'_>,
    upload: &Upload,
    lead: &Lead,
    applied: &mut Applied,
) -> Result<()> {
    let mut find = db.prepare_cached(FIND)?;
    let key = params![lead.root_id, scene.network, &*lead.endpoint];
    let slot = match find.query_row(key, |row| known(row, upload, lead)).optional()? {
        None => Some(add(db, scene, upload, lead)?),
        Some(known) => nudge(db, upload, lead, known)?,
    };
    applied.led_to.extend(slot);
    Ok(())
}

fn known(row: &Row<'_>, upload: &Upload, lead: &Lead) -> Result<Known> {
    let coverage: Coverage = serde_json::from_str(row.get_ref(5)?.as_str()?)
        .map_err(|error| value::unknown(5, "coverage", &error.to_string()))?;
    let slot = SourceSlot {
        id: SourceId(row.get(0)?),
        network: upload.network.clone(),
        robot: lead.robot,
        state: source::state_of(row, 1)?,
        weight: row.get(2)?,
        due_at: Timestamp::from_ms(row.get(3)?),
        gap: None,
    };
    Ok(Known { slot, visited_at: value::at(row, 4)?, newest_at: coverage.newest().map(|newest| newest.at) })
}

fn add(db: &Connection, scene: &Scene<'_>, upload: &Upload, lead: &Lead) -> Result<SourceSlot> {
    let from = upload.source.as_ref();
    let source = Source {
        depth: upload.depth,
        since: from.and_then(|from| from.since),
        retention: from.and_then(|from| from.retention),
        due_at: upload.seen_at,
        ..Source::new(&upload.network, &lead.endpoint, lead.robot, &lead.root_kind, &lead.root_id)
    };
    let id = source::insert(db, scene.network, source.state, &source)?;
    Ok(SourceSlot {
        id,
        network: source.network,
        robot: source.robot,
        state: source.state,
        weight: source.weight,
        due_at: source.due_at,
        gap: None,
    })
}

/// Brings the next visit of a known list forward, where the page gives a reason.
fn nudge(db: &Connection, upload: &Upload, lead: &Lead, known: Known) -> Result<Option<SourceSlot>> {
    let is_watched = matches!(known.slot.state, SourceState::Active | SourceState::Gone);
    let Some(visited_at) = known.visited_at.filter(|_| is_watched) else { return Ok(None) };
    let due_at = lead.due_at(known.newest_at, visited_at, upload.seen_at);
    let Some(due_at) = due_at.filter(|&due_at| due_at < known.slot.due_at) else { return Ok(None) };
    db.prepare_cached("UPDATE sources SET due_at = ?2 WHERE id = ?1")?
        .execute(params![known.slot.id.0, due_at.ms()])?;
    Ok(Some(SourceSlot { due_at, ..known.slot }))
}
