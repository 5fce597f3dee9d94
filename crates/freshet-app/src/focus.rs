//! The focus: which posts are wanted first, how much explores beside, and whether anything else is collected.
//!
//! It is one setting of the store; a run that is under way sees a change within a second. It orders what robots find. What it does not do:
//! take out what was stored before it was set.

use freshet_engine::focus::{self, FOCUS};
use freshet_network::focus::{FocusError, Written};
use freshet_report::focus::FocusReport;
use freshet_store::api::{Settings as _, Store, StoreError};
use freshet_store::setting::Json;

use crate::data::Data;
use crate::failure::Failure;

/// Sets it; one that was set before is replaced.
pub fn set(data: &mut Data, written: &Written) -> anyhow::Result<()> {
    let focus = written.read().map_err(|error| Failure::misuse(error.to_string()).hint(hint(&error)))?;
    Ok(FOCUS.put(&mut data.store, &Json(focus))?)
}

/// Takes it away: what is nearest to what was added is visited first again.
pub fn clear(data: &mut Data) -> anyhow::Result<()> {
    Ok(data.store.set_settings(&[(FOCUS.key().to_owned(), None)])?)
}

/// The focus in force, as a person would write it.
pub fn named(store: &dyn Store) -> Result<Option<String>, StoreError> {
    Ok(FOCUS.find(store)?.map(|stored| stored.0.to_string()))
}

/// The focus that is all that is collected, where there is one.
pub fn only(store: &dyn Store) -> Result<Option<String>, StoreError> {
    Ok(FOCUS.find(store)?.filter(|stored| stored.0.is_only).map(|stored| stored.0.to_string()))
}

/// The focus in force, and how many of the newest posts it wants.
pub fn show(data: &Data) -> anyhow::Result<FocusReport> {
    let Some(Json(focus)) = FOCUS.get(&data.store)? else { return Ok(FocusReport::default()) };
    let (looked, wanted) = focus::sample(&data.store, &focus)?;
    Ok(FocusReport {
        focus: Some(focus.to_string()),
        explore_percent: Some(focus.explore_percent),
        is_only: focus.is_only,
        looked_count: looked as u64,
        wanted_count: wanted as u64,
    })
}

fn hint(error: &FocusError) -> &'static str {
    match error {
        FocusError::Empty => {
            "`freshet focus set --tag weather` wants posts with that tag; `freshet focus clear` takes it away"
        }
        FocusError::Language(_) => {
            "`freshet focus set --lang en`; regions are no matter: `en` means en-GB too"
        }
        FocusError::Share(_) => "`--explore 10%` lets one in ten be visited in order of arrival",
        FocusError::Long(_) => "a focus is a few words, tags, languages or places",
    }
}
