//! `freshet networks`: the definitions, shown, checked and tried on recorded exchanges.

use std::io::{BufRead as _, Read as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use freshet_app::config::Globals;
use freshet_app::data;
use freshet_app::failure::Failure;
use freshet_app::networks::{self, no_network};
use freshet_app::retention;
use freshet_app::storing;
use freshet_network::definition::json_schema;
use freshet_network::recording;
use freshet_report::networks::{
    DefinitionsReport, KeepingReport, NetworkLine, NetworksReport, OnDeleteReport,
};
use freshet_store::row::OnDelete;
use freshet_types::definition::{Definition, Hosts};
use serde::Serialize;

use crate::args::{NetworkSetting, NetworksCommand, ReadArgs, ReportArgs, RetentionSpan};
use crate::failure;
use crate::output::{self, Report};

/// One byte more than the longest line that is understood, so that a longer one is complained about.
const LINE_BYTES_MAX: u64 = recording::LINE_BYTES_MAX as u64 + 1;

/// Shows, checks, reads or sets.
pub(crate) fn execute(globals: &Globals, command: &NetworksCommand) -> anyhow::Result<ExitCode> {
    match command {
        NetworksCommand::List(report) => {
            output::print(*report, &networks::list_report(&data::networks(globals)?))?;
        }
        NetworksCommand::Show { name, report } => show(globals, name, *report)?,
        NetworksCommand::Check { files, report } => return check(files, *report),
        NetworksCommand::Read(args) => read(globals, args)?,
        NetworksCommand::Set { name, setting, value, yes, erase, report } => {
            set(globals, name, (*setting, value), Leave { yes: *yes, erase: *erase }, *report)?;
        }
        NetworksCommand::Schema => output::line(serde_json::to_string_pretty(&json_schema())?)?,
    }
    Ok(ExitCode::SUCCESS)
}

impl Report for NetworksReport {
    fn text(&self) -> String {
        let row = |it: &NetworkLine| {
            let hosts = if it.hosts == Hosts::Many { "many" } else { "one" };
            vec![
                it.name.clone(),
                it.title.clone(),
                hosts.to_owned(),
                it.robots.iter().map(|robot| robot.name()).collect::<Vec<_>>().join(" "),
            ]
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
struct ShowReport(Definition);

fn show(globals: &Globals, name: &str, args: ReportArgs) -> anyhow::Result<()> {
    let networks = data::networks(globals)?;
    if let Some(front) = networks.snapshot().get(name).and_then(|network| network.front.clone()) {
        return output::print(args, &MinedReport(front.text));
    }
    let definition = networks.definition(name).ok_or_else(|| no_network(&networks, name))?;
    output::print(args, &ShowReport(definition.written()))
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
        networks::to_toml(&self.0)
    }
}

fn check(files: &[PathBuf], args: ReportArgs) -> anyhow::Result<ExitCode> {
    let files = files.iter().map(|path| networks::check_file(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let is_sound = files.iter().all(|file| file.is_sound);
    output::print(args, &DefinitionsReport { files })?;
    if !is_sound {
        output::note(
            "\nhint: docs/reference/definitions.md explains every key; `freshet networks schema` is for editors",
        );
    }
    Ok(if is_sound { ExitCode::SUCCESS } else { failure::partly() })
}

impl Report for DefinitionsReport {
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
            let report = networks::read_line(&definition, number, &String::from_utf8_lossy(&line));
            output::line(serde_json::to_string(&report)?)?;
        }
    }
    Ok(())
}

/// What a person agrees to beside a value.
#[derive(Clone, Copy)]
struct Leave {
    /// To a retention that is short.
    yes: bool,
    /// To have stored content taken out.
    erase: bool,
}

fn set(
    globals: &Globals,
    name: &str,
    (setting, value): (NetworkSetting, &str),
    leave: Leave,
    args: ReportArgs,
) -> anyhow::Result<()> {
    if leave.erase && (setting, value) != (NetworkSetting::Store, storing::NEVER) {
        return Err(Failure::misuse("nothing is erased with this")
            .hint("`--erase` goes with `store never`")
            .into());
    }
    match setting {
        NetworkSetting::OnDelete => set_on_delete(globals, name, value, args),
        NetworkSetting::Retention => {
            let hint = "as in `freshet networks set mastodon retention 90d`";
            let span: Result<RetentionSpan, String> = value.parse();
            let RetentionSpan(span) = span.map_err(|why| Failure::misuse(why).hint(hint))?;
            output::print(args, &retention::keep_network(globals, name, span, leave.yes)?)
        }
        NetworkSetting::Store if ["keep", storing::NEVER].contains(&value) => {
            output::print(args, &storing::set(globals, name, storing::keeping(value), leave.erase)?)
        }
        NetworkSetting::Store => {
            let failure = Failure::misuse(format!("`store` is `keep` or `never`, not `{value}`"));
            Err(failure.hint("as in `freshet networks set mastodon store never`").into())
        }
    }
}

impl Report for KeepingReport {
    fn text(&self) -> String {
        let whose = self.networks.join(", ");
        if self.store != storing::NEVER {
            return format!(
                "what is seen on {whose} is kept from now on; what was not kept comes as it is seen again"
            );
        }
        let mut lines =
            vec![format!("what is seen on {whose} goes to subscribers and is not kept from now on")];
        lines.push(match self.erased_count {
            Some(count) => format!("the content of {} was erased", output::count(count, "row")),
            None => "what is stored stays; `--erase` takes its content out".to_owned(),
        });
        if !self.is_taken {
            lines.push(format!("nobody takes it yet: {}", storing::ADVICE));
        }
        lines.join("\n")
    }
}

fn set_on_delete(globals: &Globals, name: &str, value: &str, args: ReportArgs) -> anyhow::Result<()> {
    let on_delete = match value {
        "redact" => OnDelete::Redact,
        "keep" => OnDelete::Keep,
        _ => {
            let failure = Failure::misuse(format!("`on_delete` is `keep` or `redact`, not `{value}`"));
            return Err(failure.hint("as in `freshet networks set mastodon on_delete redact`").into());
        }
    };
    let networks =
        networks::set_on_delete(globals, name, on_delete)?.iter().map(ToString::to_string).collect();
    output::print(args, &OnDeleteReport { networks, on_delete: value.to_owned() })
}

impl Report for OnDeleteReport {
    fn text(&self) -> String {
        let what = if self.on_delete == "redact" { "erased" } else { "kept, marked as deleted" };
        format!("content that is deleted on {} is {what} from now on", self.networks.join(", "))
    }
}
