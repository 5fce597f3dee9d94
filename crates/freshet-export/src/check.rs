//! Wishes that can only be mistakes are refused before anything is written.

use freshet_app::config::Globals;
use freshet_app::data::{self, Data};
use freshet_app::failure::Failure;
use freshet_app::networks;
use freshet_types::Timestamp;

/// Refuses the name of a network that nobody knows: an export of it would be empty for ever.
pub(crate) fn check_network(data: &Data, globals: &Globals, name: Option<&str>) -> anyhow::Result<()> {
    let Some(name) = name else { return Ok(()) };
    let instances = data.store.instances()?;
    let is_stored = instances.iter().any(|row| {
        let network = &row.instance.network;
        network.as_str() == name || network.definition() == name
    });
    let definition = name.split(':').next().unwrap_or(name);
    if is_stored || networks::text_of(&data::networks(globals)?, definition).is_some() {
        return Ok(());
    }
    let failure = Failure::misuse(format!("there is no network `{name}`"));
    Err(failure
        .hint("`freshet networks list` names those that can be read, `freshet status` those that are")
        .into())
}

/// Refuses a stretch of time in which nothing can lie.
pub(crate) fn check_times(
    since: Option<Timestamp>,
    until: Option<Timestamp>,
) -> anyhow::Result<(Option<Timestamp>, Option<Timestamp>)> {
    if since.zip(until).is_some_and(|(since, until)| since >= until) {
        let failure = Failure::misuse("nothing lies between --since and --until");
        return Err(failure.hint("--since is the earlier one, and --until is not part of it").into());
    }
    Ok((since, until))
}
