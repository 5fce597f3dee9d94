//! `freshet forget`: erases everything of an account, a post or a source, says what, and keeps it out from then on.
//!
//! Erasing cannot be undone, so a person is asked first; `--undo` takes it off the list of what is kept out.

use std::io::{BufRead as _, IsTerminal as _};
use std::process::ExitCode;

use anyhow::Context as _;
use freshet_app::config::Globals;
use freshet_app::failure::Failure;
use freshet_app::forget;
use freshet_report::forget::{ForgetReport, UndoReport};

use crate::args::ForgetArgs;
use crate::output::{self, Report};

/// Erases, or lets in again.
pub(crate) fn execute(globals: &Globals, args: &ForgetArgs) -> anyhow::Result<ExitCode> {
    if args.undo {
        output::print(args.report, &forget::undo(globals, &args.reference)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let confirm = || if args.yes { Ok(()) } else { confirm(&args.reference) };
    let report = forget::forget(globals, &args.reference, confirm)?;
    if let (Some(path), Some(receipt)) = (&args.receipt, &report.receipt) {
        std::fs::write(path, forget::receipt_text(receipt)?).with_context(|| {
            format!("it is erased, but the receipt `{}` cannot be written", path.display())
        })?;
    }
    output::print(args.report, &report)?;
    Ok(ExitCode::SUCCESS)
}

fn confirm(reference: &str) -> anyhow::Result<()> {
    if !std::io::stdin().is_terminal() {
        let failure =
            Failure::misuse(format!("`forget {reference}` cannot be undone, and nobody is here to ask"));
        return Err(failure.hint("say --yes to erase without being asked").into());
    }
    output::aside(format!(
        "Erase everything that was collected of `{reference}`, and never collect it again? This cannot be undone."
    ));
    output::aside("Type `yes` to go on:");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer).context("the answer cannot be read")?;
    if answer.trim() == "yes" {
        Ok(())
    } else {
        Err(Failure::new("nothing was erased").hint("type the whole word `yes` to erase").into())
    }
}

impl Report for ForgetReport {
    fn text(&self) -> String {
        let rows = [
            ("accounts", self.accounts_count),
            ("posts", self.posts_count),
            ("relations", self.relations_count),
            ("tags", self.tags_count),
            ("sources", self.sources_count),
            ("visits", self.visits_count),
            ("lines of the change log", self.changes_count),
            ("raw answers", self.payloads_count),
            ("parked objects", self.parked_count),
        ];
        let rows: Vec<_> = rows.into_iter().filter(|(_, count)| *count > 0).collect();
        if rows.is_empty() {
            return format!("nothing was stored of {}; it is kept out from now on", self.reference);
        }
        let unheard = self.receipt.as_ref().map_or(0, |receipt| receipt.exports_count);
        let rows = rows.into_iter();
        let rows = rows.map(|(what, count)| vec![what.to_owned(), count.to_string()]);
        let mut text = output::table(&[&format!("erased of {}", self.reference), "#count"], rows);
        if let Some(sha256) = &self.receipt_sha256 {
            text = format!("{text}\nreceipt: sha256 {sha256}");
        }
        if unheard > 0 {
            let exports = output::count(unheard, "export");
            text = format!("{text}\n{exports} made before may hold it; `freshet care` says what to run");
        }
        text
    }
}

impl Report for UndoReport {
    fn text(&self) -> String {
        let lines = [
            format!("{} may be collected again; what was erased is gone", self.reference),
            format!("next: `freshet add {}`, or let a robot find it", self.reference),
        ];
        lines.join("\n")
    }
}
