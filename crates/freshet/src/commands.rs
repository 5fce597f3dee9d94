//! One file per command, and the one place that chooses among them.
//!
//! Every command is `execute(&Globals, its arguments) -> anyhow::Result<ExitCode>`: it opens
//! what it needs, calls the crates below, and prints one report. Commands never call each other;
//! the dashboard shows the same reports, so those that it shows are made by functions of their own.

pub(crate) mod add;
pub(crate) mod alerts;
mod check;
mod completions;
pub(crate) mod constraints;
pub(crate) mod credentials;
mod dashboard;
mod demo;
pub(crate) mod explain;
mod export;
mod forget;
pub(crate) mod forum;
pub(crate) mod gaps;
mod init;
mod man;
pub(crate) mod networks;
pub(crate) mod pause;
pub(crate) mod plan;
pub(crate) mod remove;
pub(crate) mod robots;
mod run;
pub(crate) mod search;
pub(crate) mod simulate;
mod snapshot;
pub(crate) mod status;
mod world;

use std::process::ExitCode;

use freshet_network::networks::Networks;
use freshet_store::api::Store;
use freshet_types::{Reference, Source, SourceId};

use crate::args::{Command, WorldCommand};
use crate::config::Globals;
use crate::data;
use crate::failure::Failure;

/// Carries out a command.
pub(crate) fn execute(globals: &Globals, command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Demo(args) => demo::execute(&args),
        Command::Init(args) => init::execute(globals, &args),
        Command::Add(args) => add::execute(globals, &args),
        Command::Remove(args) => remove::execute(globals, &args),
        Command::Pause(args) => pause::execute(globals, &args, true),
        Command::Resume(args) => pause::execute(globals, &args, false),
        Command::Forget(args) => forget::execute(globals, &args),
        Command::Run(args) => run::execute(globals, &args),
        Command::Dashboard(args) => dashboard::execute(globals, &args),
        Command::Status(args) => status::execute(globals, args),
        Command::Explain(args) => explain::execute(globals, &args),
        Command::Plan(args) => plan::execute(globals, &args),
        Command::Gaps(args) => gaps::execute(globals, &args),
        Command::Alerts(args) => alerts::execute(globals, &args),
        Command::Check(args) => check::execute(globals, args),
        Command::Search(args) => search::execute(globals, &args),
        Command::Robots(command) => robots::execute(globals, &command),
        Command::Constraints(command) => constraints::execute(globals, &command),
        Command::Export(args) => export::execute(globals, &args),
        Command::Snapshot(args) => snapshot::execute(globals, &args),
        Command::Forum(command) => forum::execute(globals, &command),
        Command::Networks(command) => networks::execute(globals, &command),
        Command::Credentials(command) => credentials::execute(globals, &command),
        Command::Simulate(args) => simulate::execute(globals, &args),
        Command::Completions(args) => completions::execute(&args),
        Command::Man(args) => man::execute(&args),
        Command::World(WorldCommand::Serve(args)) => world::execute(&args),
    }
}

/// The sources a person means: by number, handle, id or address, else by what `add` understands.
///
/// They all belong to one thing: a handle that is known on two networks is refused.
fn sources_meant(globals: &Globals, store: &dyn Store, text: &str) -> anyhow::Result<Vec<Source>> {
    let number = text.trim().parse().ok().map(SourceId);
    if let Some(source) = number.map(|number| store.source(number)).transpose()?.flatten() {
        return Ok(vec![source]);
    }
    let mut found = store.find_sources(text)?;
    if found.is_empty()
        && let Some(reference) = understood(&data::networks(globals)?, text)
    {
        let key = reference.root_id.as_deref().or(reference.handle.as_deref()).unwrap_or_default();
        found = store.find_sources(key)?;
        found.retain(|source| source.network == reference.instance.network);
    }
    add_kin(store, &mut found)?;
    if found.iter().any(|source| !is_about_the_same(&found[0], source)) {
        let labels: Vec<_> = found.iter().map(|it| format!("{}  {}", it.id.0, it.label())).collect();
        let failure = Failure::misuse(format!("`{text}` may mean several\n  {}", labels.join("\n  ")));
        return Err(failure.hint("give the number of the source, or an address (network/type/id)").into());
    }
    Ok(found)
}

/// Adds the sources that robots made of the same things: those know the id and not the handle.
fn add_kin(store: &dyn Store, found: &mut Vec<Source>) -> anyhow::Result<()> {
    for at in 0..found.len() {
        let source = found[at].clone();
        let kin = if source.root_id.is_empty() { Vec::new() } else { store.find_sources(&source.root_id)? };
        let is_new = |other: &Source| found.iter().all(|known| known.id != other.id);
        let kin: Vec<Source> =
            kin.into_iter().filter(|other| is_about_the_same(&source, other) && is_new(other)).collect();
        found.extend(kin);
    }
    Ok(())
}

/// Whether two sources show the same thing through different endpoints. One that was added by its
/// handle has no id before its first visit.
fn is_about_the_same(one: &Source, other: &Source) -> bool {
    let is_alike = (&one.network, &one.root_kind) == (&other.network, &other.root_kind);
    let has_ids = !one.root_id.is_empty() && !other.root_id.is_empty();
    is_alike && if has_ids { one.root_id == other.root_id } else { one.handle == other.handle }
}

/// What `add` would understand by it.
fn understood(networks: &Networks, text: &str) -> Option<Reference> {
    networks.understand(text).ok()
}

/// For a reference that leads to no source.
fn no_source(text: &str) -> anyhow::Error {
    let failure = Failure::misuse(format!("no source is known as `{text}`"));
    failure.hint("give what `add` was given, a handle, an address, or the number of a source").into()
}
