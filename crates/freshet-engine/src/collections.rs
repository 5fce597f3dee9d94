//! Which collections the robot `link` gathers, as a run and the commands know it: where the choice is stored.
//!
//! What a choice means is [`freshet_network::collections`]. Discovery obeys it when an id leaves the ring ([`feed`](crate::feed)), which is filled
//! anew where the choice has grown; sources that were made before are passed over when they come due (`runner/revisit.rs`).

use freshet_network::collections::Collections;
use freshet_store::api::{Store, StoreError};
use freshet_store::control::Control;
use freshet_store::setting::{Json, Setting};
use freshet_types::RobotKind;

/// Setting that holds the choice; absent for all of them.
const COLLECTIONS: Setting<Json<Collections>> = Setting::new("collections");
/// Setting that holds the choice by which the ring was fed.
const FED: Setting<Json<Collections>> = Setting::new("fed_collections");

/// What is chosen. A choice that cannot be read is none.
pub fn chosen(store: &dyn Store) -> Result<Collections, StoreError> {
    Ok(COLLECTIONS.find(store)?.map(|stored| stored.0).unwrap_or_default())
}

/// Writes the choice and tells a running process.
pub fn choose(store: &mut dyn Store, collections: &Collections) -> Result<(), StoreError> {
    COLLECTIONS.put(store, &Json(collections.clone()))?;
    store.push_control(&Control::Robots(RobotKind::Link)).map(drop)
}

/// The choice by which the ring was fed.
pub(crate) fn fed(store: &dyn Store) -> Result<Collections, StoreError> {
    Ok(FED.find(store)?.map(|stored| stored.0).unwrap_or_default())
}

/// The ring was fed by this choice.
pub(crate) fn set_fed(store: &mut dyn Store, collections: &Collections) -> Result<(), StoreError> {
    FED.put(store, &Json(collections.clone()))
}
