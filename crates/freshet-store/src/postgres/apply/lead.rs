//! Step 8 of 10: apply, leads. A list that a page leads to becomes a source in the page's own transaction, so
//! that dying loses neither; one that is known is due when the page shows that something happened in it.
//!
//! Invariant: what a person removed stays removed, and a source that is due sooner stays so.

use freshet_types::list::THREAD;
use freshet_types::{Coverage, Lead, Source, SourceId, SourceState, Timestamp, Weight};

use super::super::db::{Connection, OptionalExtension, Result, Row, params};
use super::super::{retention, source, unkept, value};
use super::Scene;
use crate::row::{Applied, LeadTold, SourceSlot, Upload};

const FIND: &str = "SELECT id, state, weight, due_at, visited_at, coverage FROM sources \
     WHERE root_id = $1 AND root_id <> '' AND network = $2 AND endpoint = $3";

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
    match find.query_row(key, |row| known(row, upload, lead)).optional()? {
        None => {
            let slot = add(db, scene, upload, lead)?;
            let due_at = Some(slot.due_at);
            applied.told.push(LeadTold { is_new: true, due_at, ..told(slot.id, lead) });
            applied.led_to.push(slot);
        }
        Some(known) if is_watched(&known) => {
            let due_at = match known.visited_at {
                Some(visited_at) => lead.due_at(known.newest_at, visited_at, upload.seen_at),
                None => Some(upload.seen_at),
            };
            let (newest_at, visited_at) = (known.newest_at, known.visited_at);
            applied.told.push(LeadTold { newest_at, visited_at, due_at, ..told(known.slot.id, lead) });
            applied.led_to.extend(nudge(db, due_at, known)?);
        }
        Some(_) => {}
    }
    Ok(())
}

fn known(row: &Row, upload: &Upload, lead: &Lead) -> Result<Known> {
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
    let of_network = retention::of_network(db, scene.network)?;
    let source = Source {
        depth: upload.depth,
        since: from.and_then(|from| from.since),
        // What the network's own rule says is not the list's.
        retention: from.and_then(|from| from.retention).filter(|span| of_network != Some(*span)),
        due_at: upload.seen_at,
        weight: weight_of(db, from)?,
        ..Source::new(&upload.network, &lead.endpoint, lead.robot, &lead.root_kind, &lead.root_id)
    };
    let id = source::insert(db, scene.network, source.state, &source)?;
    unkept::inherit(db, id, scene.source.map(SourceId))?;
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

/// What a list weighs, its lists weigh.
fn weight_of(db: &Connection, from: Option<&Source>) -> Result<f32> {
    let Some(from) = from else { return Ok(Weight::USUAL.value()) };
    let mut find = db.prepare_cached("SELECT weight FROM sources WHERE id = $1")?;
    let weight = find.query_row([from.id.0], |row| row.get(0)).optional()?;
    Ok(weight.unwrap_or(Weight::USUAL.value()))
}

/// What a page told of a list of which nothing else is known.
fn told(id: SourceId, lead: &Lead) -> LeadTold {
    let (is_thread, active_at) = (&*lead.root_kind == THREAD, lead.active_at);
    let grain = lead.grain;
    LeadTold {
        id,
        is_thread,
        is_new: false,
        active_at,
        grain,
        newest_at: None,
        visited_at: None,
        due_at: None,
    }
}

fn is_watched(known: &Known) -> bool {
    matches!(known.slot.state, SourceState::Active | SourceState::Gone)
}

/// Brings the next visit of a list that was visited forward, where the page gives a reason.
fn nudge(db: &Connection, due_at: Option<Timestamp>, known: Known) -> Result<Option<SourceSlot>> {
    let due_at = due_at.filter(|&due_at| known.visited_at.is_some() && due_at < known.slot.due_at);
    let Some(due_at) = due_at else { return Ok(None) };
    db.prepare_cached("UPDATE sources SET due_at = $2 WHERE id = $1")?
        .execute(params![known.slot.id.0, due_at.ms()])?;
    Ok(Some(SourceSlot { due_at, ..known.slot }))
}
