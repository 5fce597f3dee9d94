//! What tells one store from another: a random number, given when it is first opened for writing.

use freshet_store::api::{Store, StoreError};
use freshet_store::setting::Setting;

/// Setting under which a store keeps its identity.
const IDENTITY: Setting<String> = Setting::new("store");

/// What tells a store from others, so that an export of one is not gone on with from another; empty where it was never
/// opened for writing since there are identities.
pub fn identity(store: &dyn Store) -> Result<String, StoreError> {
    Ok(IDENTITY.get(store)?.unwrap_or_default())
}

/// Gives a store its identity, if it has none.
pub(crate) fn make_identity(store: &mut dyn Store) -> Result<(), StoreError> {
    if IDENTITY.get(store)?.is_some() {
        return Ok(());
    }
    IDENTITY.put(store, &format!("{:032x}", rand::random::<u128>()))
}
