//! `freshet care`: what is kept of whom and why, and which exports have to hear of what is not kept any more.

use std::process::ExitCode;

use freshet_app::care;
use freshet_app::config::Globals;
use freshet_app::data::Data;
use freshet_export::deletions;
use freshet_report::care::{CareAccount, CareExport, CareReport, CareSetReport, CareSource};
use freshet_report::deletions::{DeletionsAppliedReport, DeletionsReport, LeftAlone};
use freshet_report::time::UnixNumber;
use freshet_types::{Span, Timestamp};
use serde::Serialize;

use crate::args::{CareArgs, CareCommand, CareSetting};
use crate::failure;
use crate::output::{self, Report, count, relative, table};

/// Shows, or sets.
pub(crate) fn execute(globals: &Globals, args: &CareArgs) -> anyhow::Result<ExitCode> {
    match (&args.command, &args.reference) {
        (Some(CareCommand::Set(CareSetting::Within { span, report })), _) => {
            output::print(*report, &care::set_within(globals, *span)?)?;
        }
        (Some(CareCommand::Apply { report }), _) => {
            let applied = deletions::apply_all(globals)?;
            output::print(*report, &applied)?;
            let is_whole = applied.failed.is_empty()
                && applied.folders.iter().flat_map(|it| &it.left_alone).all(|it| !it.is_export);
            return Ok(if is_whole { ExitCode::SUCCESS } else { failure::partly() });
        }
        (Some(CareCommand::Drop { dir, report }), _) => {
            output::print(*report, &care::drop_export(globals, dir)?)?;
        }
        (None, reference) => {
            let data = Data::look(globals)?;
            let now = data.now_for_report(None);
            match reference {
                Some(reference) => {
                    let report = care::account(globals, &data, reference)?;
                    output::print(args.report, &Shown { report, now })?;
                }
                None => output::print(args.report, &Shown { report: care::report(&data, now)?, now })?,
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Report for DeletionsAppliedReport {
    fn text(&self) -> String {
        if self.folders.is_empty() && self.failed.is_empty() {
            return "no export or snapshot has to hear of anything".to_owned();
        }
        let folder = |it: &DeletionsReport| format!("{}\n{}", it.folder, it.text());
        let failed =
            |it: &LeftAlone| format!("failed: {}: {}", output::one_line(&it.name), output::one_line(&it.why));
        let parts: Vec<String> =
            self.folders.iter().map(folder).chain(self.failed.iter().map(failed)).collect();
        parts.join("\n\n")
    }
}

/// A report, and the present by which its times are told.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown<R> {
    report: R,
    #[serde(skip)]
    now: Timestamp,
}

impl Report for Shown<CareReport> {
    fn text(&self) -> String {
        let it = &self.report;
        let mut parts = vec![self.kept(), rules(it)];
        parts.push(self.erased());
        parts.push(self.exports());
        if !it.subscriptions.is_empty() {
            let row = |one: &freshet_report::care::CareSubscription| {
                vec![one.name.clone(), one.state.clone(), one.behind.to_string()]
            };
            parts
                .push(table(&["subscription", "state", "#changes behind"], it.subscriptions.iter().map(row)));
        }
        parts.retain(|part| !part.is_empty());
        parts.join("\n\n")
    }
}

/// A reason, for people.
fn reason(name: &str) -> &str {
    match name {
        "watched" => "a person watches it",
        "robot" => "found by a robot",
        "removed" => "watched before",
        "shown" => "on pages of others",
        "named" => "named in a relation",
        other => other,
    }
}

impl Shown<CareReport> {
    fn kept(&self) -> String {
        if self.report.kept.is_empty() {
            return "nothing is kept of anybody".to_owned();
        }
        let row = |it: &freshet_report::care::KeptLine| {
            vec![
                it.network.to_string(),
                reason(&it.reason).to_owned(),
                it.accounts_count.to_string(),
                it.posts_count.to_string(),
                it.opted_out_count.to_string(),
            ]
        };
        output::fitted(
            &["kept of", "because", "#accounts", "#posts", "#opted out"],
            self.report.kept.iter().map(row),
        )
    }

    fn erased(&self) -> String {
        let it = &self.report;
        let mut lines = vec![format!(
            "{} forgotten and kept out, {} found deleted",
            it.forgotten_count,
            count(it.deleted_posts_count, "post")
        )];
        if it.is_erasing {
            lines.push("some of it is not erased yet; `freshet run` goes on with it".to_owned());
        }
        let row = |one: &freshet_report::care::ErasureLine| {
            vec![
                one.what.clone(),
                self.when(one.last_at),
                one.posts_count.to_string(),
                one.others_count.to_string(),
                one.receipt_sha256
                    .as_ref()
                    .map_or_else(|| "-".to_owned(), |it| it.chars().take(12).collect()),
            ]
        };
        if !it.erasures.is_empty() {
            let header = ["erased", "when", "#posts", "#others", "receipt"];
            lines.push(table(&header, it.erasures.iter().map(row)));
        }
        lines.join("\n")
    }

    fn exports(&self) -> String {
        let it = &self.report;
        let within = Span::from_secs_f64(it.within_s);
        if it.exports.is_empty() {
            return format!(
                "no export or snapshot is remembered (they are to hear of deletions within {within})"
            );
        }
        let mut lines = vec![format!("exports and snapshots, to hear of deletions within {within}:")];
        lines.extend(it.exports.iter().map(|export| self.export(export)));
        lines.join("\n")
    }

    fn export(&self, it: &CareExport) -> String {
        let what = if it.is_snapshot { "snapshot" } else { "export" };
        let state = if !it.is_there {
            "it is not there any more".to_owned()
        } else if it.since.is_none() {
            "nothing was deleted since".to_owned()
        } else {
            let due = if it.is_overdue { "OVERDUE since" } else { "due" };
            format!(
                "has not heard of {} and {}; {due} {}",
                count(it.deleted_count, "deleted post"),
                count(it.erasures_count, "erasure"),
                self.when(it.due_at)
            )
        };
        let head = format!("  {what} {} of {}: {state}", output::one_line(&it.path), self.when(it.made_at));
        it.command.as_ref().map_or_else(|| head.clone(), |command| format!("{head}\n    next: `{command}`"))
    }
}

impl<R> Shown<R> {
    fn when(&self, at: Option<UnixNumber>) -> String {
        at.map_or_else(|| "-".to_owned(), |at| relative(at.0, self.now))
    }
}

/// What content is subject to.
fn rules(it: &CareReport) -> String {
    let networks = it.networks.iter().map(|one| {
        let span =
            one.retention_s.map_or_else(|| "kept".to_owned(), |secs| Span::from_secs_f64(secs).to_string());
        vec![one.network.to_string(), one.on_delete.clone(), span, "all".to_owned()]
    });
    let sources = it.sources.iter().map(|one| {
        let span = Span::from_secs_f64(one.retention_s).to_string();
        vec![one.network.to_string(), "-".to_owned(), span, one.sources_count.to_string()]
    });
    let rows: Vec<_> = networks.chain(sources).collect();
    if rows.is_empty() {
        return String::new();
    }
    output::fitted(&["rules of", "on_delete", "retention", "#sources"], rows)
}

impl Report for Shown<CareAccount> {
    fn text(&self) -> String {
        let it = &self.report;
        let Some(address) = &it.address else {
            return if it.is_forgotten {
                format!("{} is forgotten: nothing is kept of it, and it is kept out", it.reference)
            } else {
                format!("nothing is kept of {}", it.reference)
            };
        };
        let mut rows = vec![
            ("account".to_owned(), address.clone()),
            ("handle".to_owned(), it.handle.clone().unwrap_or_else(|| "-".to_owned())),
            ("first seen".to_owned(), self.when(it.seen_at)),
            ("kept because".to_owned(), it.reason.as_deref().map_or("-", reason).to_owned()),
            ("asks not to be collected".to_owned(), if it.opts_out { "yes" } else { "no" }.to_owned()),
        ];
        let counts = [
            ("posts", it.posts_count),
            ("  of these deleted", it.deleted_count),
            ("texts before an edit", it.earlier_texts_count),
            ("accounts that it follows", it.following_count),
            ("accounts that follow it", it.followers_count),
            ("tags", it.tags_count),
            ("links", it.links_count),
            ("raw answers", it.payloads_count),
        ];
        rows.extend(counts.map(|(what, count)| (what.to_owned(), count.to_string())));
        let facts = table(&["kept of", &it.reference], rows.into_iter().map(|(what, is)| vec![what, is]));
        let mut parts = vec![facts, self.sources(), self.posts()];
        parts.retain(|part| !part.is_empty());
        parts.push(format!("`freshet forget {}` erases all of it", it.reference));
        parts.join("\n\n")
    }
}

impl Shown<CareAccount> {
    fn sources(&self) -> String {
        if self.report.sources.is_empty() {
            return String::new();
        }
        let row = |it: &CareSource| {
            let word = if it.depth == 0 {
                "a person's word".to_owned()
            } else {
                format!("{} from what was added", count(u64::from(it.depth), "step"))
            };
            let span =
                it.retention_s.map_or_else(|| "-".to_owned(), |secs| Span::from_secs_f64(secs).to_string());
            vec![
                it.source.0.to_string(),
                it.robot.name().to_owned(),
                it.state.name().to_owned(),
                word,
                span,
                self.when(it.visited_at),
            ]
        };
        let header = ["#source", "robot", "state", "by", "retention", "visited"];
        output::fitted(&header, self.report.sources.iter().map(row))
    }

    fn posts(&self) -> String {
        if self.report.posts.is_empty() {
            return String::new();
        }
        let row = |it: &freshet_report::care::CarePosts| {
            let source = it.source.map_or_else(|| "-".to_owned(), |source| source.0.to_string());
            vec![
                source,
                it.label.clone().unwrap_or_else(|| "not known any more".to_owned()),
                it.posts_count.to_string(),
                self.when(it.first_at),
                self.when(it.last_at),
            ]
        };
        let header = ["#source", "brought by", "#posts", "since", "last"];
        output::fitted(&header, self.report.posts.iter().map(row))
    }
}

impl Report for CareSetReport {
    fn text(&self) -> String {
        if let Some(path) = &self.dropped {
            return format!("{} is not remembered any more", output::one_line(path));
        }
        let within = Span::from_secs_f64(self.within_s);
        format!("exports and snapshots are to hear of deletions within {within} from now on")
    }
}
