//! The definitions of networks: listed, shown as text and checked; and what is kept of what a network deletes.

use std::fmt::Write as _;
use std::path::Path;

use freshet_network::definition::Definition;
use freshet_network::networks::Networks;
use freshet_network::recording;
use freshet_report::networks::{CheckedFile, DefinitionProblem, NetworkLine, NetworksReport, ReadReport};
use freshet_store::api::Store;
use freshet_store::control::Control;
use freshet_store::keeping::{Erasure, ErasureKind};
use freshet_store::row::OnDelete;
use freshet_types::definition::{self, Hosts};
use freshet_types::{Clock as _, Connector, NetworkName, RobotKind, SystemClock};

use crate::config::Globals;
use crate::data::{self, Data};
use crate::failure::Failure;
use crate::mined;
use crate::viewers;

/// Whether a definition serves many servers, and none is meant where none is named.
pub(crate) fn has_many_hosts(networks: &Networks, name: &str) -> bool {
    networks.definition(name).is_some_and(|it| it.hosts == Hosts::Many && it.host.is_none())
}

/// For a name that leads to no network.
pub fn no_network(networks: &Networks, name: &str) -> anyhow::Error {
    let failure = Failure::misuse(format!("there is no network `{name}`"));
    failure.hint(format!("the networks are {}", networks.names().join(", "))).into()
}

/// What a recorded exchange shows, by its line of the recording.
pub fn read_line(definition: &Definition, number: usize, line: &str) -> ReadReport {
    let read = recording::read_line(definition, number, line, SystemClock.now());
    ReadReport {
        line: read.line,
        kind: read.kind,
        posts: read.posts,
        accounts: read.accounts,
        first_id: read.first_id,
        last_id: read.last_id,
        newest_created_at: read.newest_created_at,
        oldest_created_at: read.oldest_created_at,
        outcome: read.outcome.to_owned(),
        complaints: read.complaints,
    }
}

/// All networks, in a line each.
pub fn list_report(networks: &Networks) -> NetworksReport {
    let snapshot = networks.snapshot();
    let line = |name: String| {
        let network = snapshot.get(&name)?;
        match (&network.definition, &network.front) {
            (Some(definition), _) => Some(network_line(definition, &*network.connector)),
            (None, Some(front)) => Some(NetworkLine {
                title: "a learned forum".to_owned(),
                hosts: Hosts::One,
                robots: robots(&*network.connector),
                endpoints_count: network.connector.endpoints().len(),
                examples: vec![front.url.clone()],
                name,
            }),
            (None, None) => None,
        }
    };
    NetworksReport { networks: networks.names().into_iter().filter_map(line).collect() }
}

fn robots(connector: &dyn Connector) -> Vec<RobotKind> {
    let has_endpoint = |robot: &RobotKind| connector.endpoints().iter().any(|it| it.robot == Some(*robot));
    RobotKind::ALL.into_iter().filter(has_endpoint).collect()
}

fn network_line(definition: &Definition, connector: &dyn Connector) -> NetworkLine {
    NetworkLine {
        name: definition.name.clone(),
        title: definition.title.clone(),
        hosts: definition.hosts,
        robots: robots(connector),
        endpoints_count: connector.endpoints().len(),
        examples: definition.references.iter().map(|reference| reference.example.clone()).collect(),
    }
}

/// A definition as text, whether it was written or learned.
pub fn text_of(networks: &Networks, name: &str) -> Option<String> {
    let learned = networks.snapshot().get(name).and_then(|network| network.front.clone());
    match learned {
        Some(front) => Some(front.text),
        None => networks.definition(name).map(|definition| to_toml(&definition.written())),
    }
}

/// A definition as the TOML that could be put into `networks/` to change it.
pub fn to_toml(definition: &definition::Definition) -> String {
    let shown = toml::Value::try_from(definition).map(|value| prune(value, 0));
    let shown = shown
        .map_err(|error| error.to_string())
        .and_then(|value| toml::to_string_pretty(&value).map_err(|error| error.to_string()));
    shown.unwrap_or_else(|error| format!("# cannot be shown as TOML: {error}"))
}

/// Leaves out empty lists and tables, which say nothing; an object type may be empty and stays.
fn prune(value: toml::Value, depth: usize) -> toml::Value {
    /// `types.NAME`, `endpoints.NAME` and the like: entries that count by being there.
    const NAMED_DEPTH: usize = 1;
    let toml::Value::Table(table) = value else { return value };
    let is_empty = |value: &toml::Value| match value {
        toml::Value::Table(table) => table.is_empty(),
        toml::Value::Array(list) => list.is_empty(),
        _ => false,
    };
    let pruned = table.into_iter().map(|(key, value)| (key, prune(value, depth + 1)));
    toml::Value::Table(pruned.filter(|(_, value)| depth == NAMED_DEPTH || !is_empty(value)).collect())
}

/// Checks the file of a definition or of a forum.
pub fn check_file(path: &Path) -> anyhow::Result<CheckedFile> {
    let file = path.display().to_string();
    let text = data::read_definition(path)?;
    if mined::is_forum(&text) {
        return Ok(check_forum(path, file, &text));
    }
    Ok(match Definition::parse(&file, &text) {
        Ok(definition) => {
            // Sound by itself, it must also live with the others: its references, its name.
            if let Err(error) = Networks::shipped().apply_definition(&file, &text) {
                let text = format!("{file}: {error}");
                let problems = vec![whole_file(error.to_string())];
                return Ok(unsound(file, problems, text));
            }
            let names: Vec<_> = definition.family().iter().map(|it| it.name.clone()).collect();
            let mut text = format!("{file}: sound; it defines {}", names.join(", "));
            let unfilled = definition.unfilled();
            for it in &unfilled {
                let _ = write!(text, "\n{file}:{}: key `{}`: {}", it.line, it.key, it.what);
            }
            let unfilled = unfilled.iter().map(problem_of).collect();
            CheckedFile { file, is_sound: true, names, problems: Vec::new(), unfilled, text }
        }
        Err(error) => {
            let problems = error.problems.iter().map(problem_of).collect();
            unsound(file, problems, error.to_string())
        }
    })
}

fn problem_of(it: &freshet_network::definition::Problem) -> DefinitionProblem {
    DefinitionProblem { line: Some(it.line), key: Some(it.key.clone()), what: it.what.clone() }
}

/// A file that cannot be used.
fn unsound(file: String, problems: Vec<DefinitionProblem>, text: String) -> CheckedFile {
    CheckedFile { file, is_sound: false, names: Vec::new(), problems, unfilled: Vec::new(), text }
}

/// A mistake that belongs to no line.
fn whole_file(what: String) -> DefinitionProblem {
    DefinitionProblem { line: None, key: None, what }
}

fn check_forum(path: &Path, file: String, text: &str) -> CheckedFile {
    match mined::network(path, text) {
        Ok(network) => {
            let text = format!("{file}: sound; it is the forum {}", network.name);
            CheckedFile {
                file,
                is_sound: true,
                names: vec![network.name.to_string()],
                problems: Vec::new(),
                unfilled: Vec::new(),
                text,
            }
        }
        Err(error) => {
            let problems = vec![whole_file(error.to_string())];
            unsound(file, problems, format!("{error:#}"))
        }
    }
}

/// What is done with content that networks delete; gives the networks for which it holds.
pub fn set_on_delete(globals: &Globals, name: &str, on_delete: OnDelete) -> anyhow::Result<Vec<NetworkName>> {
    let mut data = Data::open(globals)?;
    let meant = servers_meant(&data.store, name)?;
    for network in &meant {
        data.store.set_on_delete(network, on_delete)?;
    }
    if on_delete == OnDelete::Redact {
        note_redacted(&mut data)?;
    }
    data.store.push_control(&Control::Settings("on_delete".to_owned()))?;
    viewers::share_rules(&mut data)?;
    Ok(meant)
}

/// The servers that a person means who names one, or a definition.
pub(crate) fn servers_meant(store: &dyn Store, name: &str) -> anyhow::Result<Vec<NetworkName>> {
    let is_meant = |network: &NetworkName| network.as_str() == name || network.definition() == name;
    let rows = store.instances()?.into_iter();
    let meant: Vec<_> = rows.map(|row| row.instance.network).filter(is_meant).collect();
    if meant.is_empty() {
        let failure = Failure::misuse(format!("nothing is watched on `{name}` yet"));
        return Err(failure
            .hint("add something of it first; `freshet networks list` shows the names")
            .into());
    }
    Ok(meant)
}

/// Exports that were made before have to hear of what is erased by that.
fn note_redacted(data: &mut Data) -> anyhow::Result<()> {
    let posts = data.store.counts()?.deleted;
    if posts == 0 {
        return Ok(());
    }
    let now = data.now_for_report(None);
    let kind = ErasureKind::Redacted;
    let erasure = Erasure { number: 0, kind, first_at: now, last_at: now, posts, others: 0, receipt: None };
    data.store.note_erasure(&erasure)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use freshet_network::connector::DefinedConnector;

    use super::*;

    #[test]
    fn a_definition_that_is_shown_can_be_used() {
        let networks = Networks::shipped();
        for name in networks.names() {
            let definition = networks.definition(&name).unwrap();
            let text = to_toml(&definition.written());
            assert!(!mined::is_forum(&text), "{name} is taken for a forum");
            let reread = Definition::parse(&name, &text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(reread.written(), definition.written(), "{name}");
            let endpoints = |it: &Definition| DefinedConnector::new(it).unwrap().endpoints().to_vec();
            assert_eq!(endpoints(&reread), endpoints(&definition), "{name}");
            Networks::shipped().apply_definition(&name, &text).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}
