//! `freshet forum`: learns how a forum is read, from its address or from saved pages, and reads saved pages.
//!
//! Pages are fetched or read from folders by [`freshet_app::forum`].

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use freshet_app::config::Globals;
use freshet_app::failure::Failure;
use freshet_app::forum::site::{self, Wanted};
use freshet_app::forum::{folder, report, site_address};
use freshet_forum::definition::ForumDefinition;
use freshet_forum::inspect::inspect;
use freshet_forum::learn::learn;
use freshet_forum::page::Page;
use freshet_report::learn::{InspectReport, LearnReport};

use crate::args::{ForumCommand, ForumFormat, ForumInspectArgs, ForumLearnArgs, ReportFormat};
use crate::failure;
use crate::output::{self, Report};

/// Learns or inspects.
pub(crate) fn execute(globals: &Globals, command: &ForumCommand) -> anyhow::Result<ExitCode> {
    match command {
        ForumCommand::Learn(args) => execute_learn(globals, args),
        ForumCommand::Inspect(args) => execute_inspect(args),
    }
}

impl Report for LearnReport {
    fn text(&self) -> String {
        self.text.lines().map(shown).collect::<Vec<_>>().join("\n")
    }
}

/// A line with text from outside: control characters become spaces, its indent stays.
fn shown(line: &str) -> String {
    line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim_end().to_owned()
}

fn execute_learn(globals: &Globals, args: &ForumLearnArgs) -> anyhow::Result<ExitCode> {
    let learned = if let Some(front) = site_address(&args.source) {
        let wanted = Wanted { pages_max: args.pages, allow_private: args.allow_private };
        site::learn_site(globals, &front, wanted)?.0
    } else {
        let saved = folder::read(Path::new(&args.source))?;
        learn(&saved.into_iter().map(|it| it.page).collect::<Vec<Page>>())
    };
    let has_lists = learned.report.has_lists();
    let definition = learned.definition.to_toml();
    output::print(args.report, &report::learned(learned.report))?;
    if !has_lists {
        return Ok(failure::partly());
    }
    match &args.output {
        Some(path) => {
            std::fs::write(path, definition).with_context(|| format!("cannot write `{}`", path.display()))?;
        }
        None if args.report.format == ReportFormat::Text => output::line(format!("\n{definition}"))?,
        None => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn execute_inspect(args: &ForumInspectArgs) -> anyhow::Result<ExitCode> {
    let given = args.site.as_deref().map(definition).transpose()?;
    let is_folder = args.source.is_dir();
    let saved = if is_folder {
        folder::read(&args.source)?
    } else {
        vec![folder::one(&args.source, args.url.as_ref())?]
    };
    let (files, pages): (Vec<String>, Vec<Page>) = saved.into_iter().map(|it| (it.file, it.page)).unzip();
    let definition = given.unwrap_or_else(|| learn(&pages).definition);
    let mut readings: Vec<InspectReport> = Vec::new();
    for (file, page) in files.iter().zip(&pages) {
        let reading = report::inspected(file, inspect(page, &definition));
        match args.format {
            ForumFormat::Jsonl => output::line(serde_json::to_string(&reading)?)?,
            ForumFormat::Json => readings.push(reading),
        }
    }
    if args.format == ForumFormat::Json {
        let document = match readings.pop() {
            Some(only) if !is_folder => serde_json::to_string_pretty(&only),
            last => serde_json::to_string_pretty(&readings.into_iter().chain(last).collect::<Vec<_>>()),
        };
        output::line(document?)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn definition(path: &Path) -> anyhow::Result<ForumDefinition> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
    let parsed = ForumDefinition::parse(&text);
    parsed.map_err(|error| {
        let failure = Failure::misuse(format!("`{}`: {error}", path.display()));
        failure.hint("give a file that `freshet forum learn URL -o FILE` wrote").into()
    })
}
