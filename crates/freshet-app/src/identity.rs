//! What tells one store from another: a random number, given when it is first opened for writing.

use freshet_store::api::{Store, StoreError};

/// Setting under which a store keeps its identity.
const IDENTITY_KEY: &str = "store";

/// What tells a store from others, so that an export of one is not gone on with from another; empty where it was never
/// opened for writing since there are identities.
pub fn identity(store: &dyn Store) -> Result<String, StoreError> {
    Ok(store.setting(IDENTITY_KEY)?.unwrap_or_default())
}

/// Gives a store its identity, if it has none.
pub fn make_identity(store: &mut dyn Store) -> Result<(), StoreError> {
    if store.setting(IDENTITY_KEY)?.is_some() {
        return Ok(());
    }
    store.set_setting(IDENTITY_KEY, &format!("{:032x}", rand::random::<u128>()))
}
