//! `freshet networks`: the definitions, shown, checked and tried on recorded exchanges.

use std::io::{BufRead as _, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use freshet_network::definition::{Definition, json_schema};
use freshet_network::networks::Networks;
use freshet_network::recording;
use freshet_store::control::Control;
use freshet_store::row::OnDelete;
use freshet_types::definition::Hosts;
use freshet_types::{Connector, NetworkName, RobotKind};
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::{NetworksCommand, ReadArgs, ReportArgs};
use crate::config::Globals;
use crate::data::{self, Data};
use crate::failure::{self, Failure};
use crate::mined;
use crate::output::{self, Report};

/// One byte more than the longest line that is understood, so that a longer one is complained about.
const LINE_BYTES_MAX: u64 = recording::LINE_BYTES_MAX as u64 + 1;

/// Shows, checks, reads or sets.
pub(crate) fn execute(globals: &Globals, command: &NetworksCommand) -> anyhow::Result<ExitCode> {
    match command {
        NetworksCommand::List(report) => list(globals, *report)?,
        NetworksCommand::Show { name, report } => show(globals, name, *report)?,
        NetworksCommand::Check { files, report } => return check(files, *report),
        NetworksCommand::Read(args) => read(globals, args)?,
        NetworksCommand::Set { name, value, report, .. } => set_on_delete(globals, name, value, *report)?,
        NetworksCommand::Schema => output::line(serde_json::to_string_pretty(&json_schema())?)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a definition serves many servers, and none is meant where none is named.
pub(super) fn has_many_hosts(networks: &Networks, name: &str) -> bool {
    networks.definition(name).is_some_and(|it| it.hosts == Hosts::Many && it.host.is_none())
}

pub(crate) fn no_network(networks: &Networks, name: &str) -> anyhow::Error {
    let failure = Failure::misuse(format!("there is no network `{name}`"));
    failure.hint(format!("the networks are {}", networks.names().join(", "))).into()
}

/// All networks.
#[derive(Serialize)]
pub(crate) struct ListReport {
    networks: Vec<NetworkLine>,
}

#[derive(Serialize)]
struct NetworkLine {
    name: String,
    title: String,
    hosts: Hosts,
    robots: Vec<&'static str>,
    endpoints_count: usize,
    examples: Vec<String>,
}

fn list(globals: &Globals, args: ReportArgs) -> anyhow::Result<()> {
    output::print(args, &list_report(&data::networks(globals)?))
}

/// All networks, in a line each.
pub(crate) fn list_report(networks: &Networks) -> ListReport {
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
    ListReport { networks: networks.names().into_iter().filter_map(line).collect() }
}

fn robots(connector: &dyn Connector) -> Vec<&'static str> {
    let has_endpoint = |robot: &RobotKind| connector.endpoints().iter().any(|it| it.robot == Some(*robot));
    RobotKind::ALL.into_iter().filter(has_endpoint).map(RobotKind::name).collect()
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

impl Report for ListReport {
    fn text(&self) -> String {
        let row = |it: &NetworkLine| {
            let hosts = if it.hosts == Hosts::Many { "many" } else { "one" };
            vec![it.name.clone(), it.title.clone(), hosts.to_owned(), it.robots.join(" ")]
        };
        let networks =
            output::fitted(&["network", "title", "servers", "robots"], self.networks.iter().map(row));
        let example = |it: &NetworkLine| Some(vec![it.name.clone(), it.examples.first()?.clone()]);
        let examples = output::fitted(&["network", "an example"], self.networks.iter().filter_map(example));
        format!("{networks}\n\n{examples}")
    }
}

/// A definition as JSON, and as the TOML that could be put into `networks/` to change it.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct ShowReport(pub(crate) freshet_types::definition::Definition);

fn show(globals: &Globals, name: &str, args: ReportArgs) -> anyhow::Result<()> {
    let networks = data::networks(globals)?;
    if let Some(front) = networks.snapshot().get(name).and_then(|network| network.front.clone()) {
        return output::print(args, &MinedReport(front.text));
    }
    let definition = networks.definition(name).ok_or_else(|| no_network(&networks, name))?;
    output::print(args, &ShowReport(definition.written()))
}

/// A definition as text, whether it was written or learned.
pub(crate) fn text_of(networks: &Networks, name: &str) -> Option<String> {
    let learned = networks.snapshot().get(name).and_then(|network| network.front.clone());
    match learned {
        Some(front) => Some(front.text),
        None => networks.definition(name).map(|definition| ShowReport(definition.written()).text()),
    }
}

/// What was learned of a forum, as its file says it.
struct MinedReport(String);

impl Serialize for MinedReport {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let table: toml::Table = self.0.parse().map_err(serde::ser::Error::custom)?;
        table.serialize(serializer)
    }
}

impl Report for MinedReport {
    fn text(&self) -> String {
        self.0.clone()
    }
}

impl Report for ShowReport {
    fn text(&self) -> String {
        let shown = toml::Value::try_from(&self.0).map(|value| prune(value, 0));
        let shown = shown
            .map_err(|error| error.to_string())
            .and_then(|value| toml::to_string_pretty(&value).map_err(|error| error.to_string()));
        shown.unwrap_or_else(|error| format!("# cannot be shown as TOML: {error}"))
    }
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

#[derive(Serialize)]
struct CheckReport {
    files: Vec<CheckedFile>,
}

#[derive(Serialize)]
struct CheckedFile {
    file: String,
    is_sound: bool,
    names: Vec<String>,
    problems: Vec<Value>,
    #[serde(skip)]
    text: String,
}

fn check(files: &[PathBuf], args: ReportArgs) -> anyhow::Result<ExitCode> {
    let files = files.iter().map(|path| check_file(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let is_sound = files.iter().all(|file| file.is_sound);
    output::print(args, &CheckReport { files })?;
    if !is_sound {
        output::note(
            "\nhint: docs/reference/definitions.md explains every key; `freshet networks schema` is for editors",
        );
    }
    Ok(if is_sound { ExitCode::SUCCESS } else { failure::partly() })
}

fn check_file(path: &Path) -> anyhow::Result<CheckedFile> {
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
                let problems = vec![json!({ "line": null, "key": null, "what": error.to_string() })];
                return Ok(CheckedFile { file, is_sound: false, names: Vec::new(), problems, text });
            }
            let names: Vec<_> = definition.family().iter().map(|it| it.name.clone()).collect();
            let text = format!("{file}: sound; it defines {}", names.join(", "));
            CheckedFile { file, is_sound: true, names, problems: Vec::new(), text }
        }
        Err(error) => {
            let problem = |it: &freshet_network::definition::Problem| json!({ "line": it.line, "key": it.key, "what": it.what });
            let problems = error.problems.iter().map(problem).collect();
            CheckedFile { file, is_sound: false, names: Vec::new(), problems, text: error.to_string() }
        }
    })
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
                text,
            }
        }
        Err(error) => {
            let problems = vec![json!({ "line": null, "key": null, "what": error.to_string() })];
            CheckedFile { file, is_sound: false, names: Vec::new(), problems, text: format!("{error:#}") }
        }
    }
}

impl Report for CheckReport {
    fn text(&self) -> String {
        self.files.iter().map(|file| file.text.clone()).collect::<Vec<_>>().join("\n")
    }
}

/// Reads every recorded exchange; one JSON line each.
fn read(globals: &Globals, args: &ReadArgs) -> anyhow::Result<()> {
    let networks = data::networks(globals)?;
    let definition =
        networks.definition(&args.network).ok_or_else(|| no_network(&networks, &args.network))?;
    let unreadable = || format!("`{}` cannot be read", args.recordings.display());
    let mut input = data::open_input(&args.recordings)?;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = (&mut input).take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
        if read.with_context(unreadable)? == 0 {
            break;
        }
        if line.len() as u64 == LINE_BYTES_MAX && !line.ends_with(b"\n") {
            input.skip_until(b'\n').with_context(unreadable)?;
        }
        if !line.trim_ascii().is_empty() {
            let report = recording::read_line(&definition, number, &String::from_utf8_lossy(&line));
            output::line(serde_json::to_string(&report)?)?;
        }
    }
    Ok(())
}

#[derive(Serialize)]
struct SetReport {
    networks: Vec<String>,
    on_delete: String,
}

fn set_on_delete(globals: &Globals, name: &str, value: &str, args: ReportArgs) -> anyhow::Result<()> {
    let mut data = Data::open(globals)?;
    let is_meant = |network: &NetworkName| network.as_str() == name || network.definition() == name;
    let rows = data.store.instances()?.into_iter();
    let meant: Vec<_> = rows.map(|row| row.instance.network).filter(is_meant).collect();
    if meant.is_empty() {
        let failure = Failure::misuse(format!("nothing is watched on `{name}` yet"));
        return Err(failure
            .hint("add something of it first; `freshet networks list` shows the names")
            .into());
    }
    let on_delete = if value == "redact" { OnDelete::Redact } else { OnDelete::Keep };
    for network in &meant {
        data.store.set_on_delete(network, on_delete)?;
    }
    data.store.push_control(&Control::Settings("on_delete".to_owned()))?;
    let networks = meant.iter().map(ToString::to_string).collect();
    output::print(args, &SetReport { networks, on_delete: value.to_owned() })
}

impl Report for SetReport {
    fn text(&self) -> String {
        let what = if self.on_delete == "redact" { "erased" } else { "kept, marked as deleted" };
        format!("content that is deleted on {} is {what} from now on", self.networks.join(", "))
    }
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
            let text = ShowReport(definition.written()).text();
            let again = Definition::parse(&name, &text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(again.written(), definition.written(), "{name}");
            let endpoints = |it: &Definition| DefinedConnector::new(it).unwrap().endpoints().to_vec();
            assert_eq!(endpoints(&again), endpoints(&definition), "{name}");
            Networks::shipped().apply_definition(&name, &text).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}
