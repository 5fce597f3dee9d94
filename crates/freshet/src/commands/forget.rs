//! `freshet forget`: erases everything of an account, a post or a source, says what, and keeps it out from then on.
//!
//! Erasing cannot be undone, so a person is asked first. Nothing is kept back: texts, links, values, raw answers, the search
//! index and the lines of the change log go. What stays is a keyed hash that names nobody and that every page is held
//! against; `--undo` takes it off the list. What is forgotten is marked first and then erased in pieces, so that a crawl beside
//! it goes on and an interruption leaves nothing that is not known to be left.

use std::io::{BufRead as _, IsTerminal as _};
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use freshet_network::robot;
use freshet_store::api::{Store, StoreError};
use freshet_store::control::{ConstraintsChange, Control, SourcesChange};
use freshet_store::row::{Erased, Filter, Forgetting};
use freshet_types::{Address, Reference};
use serde::Serialize;

use super::{sources_meant, understood};
use crate::args::ForgetArgs;
use crate::config::Globals;
use crate::data::{self, Data};
use crate::failure::Failure;
use crate::output::{self, Report};
use crate::progress::{self, Progress};

#[derive(Serialize)]
struct ForgetReport {
    reference: String,
    accounts_count: u64,
    posts_count: u64,
    relations_count: u64,
    tags_count: u64,
    sources_count: u64,
    visits_count: u64,
    changes_count: u64,
    payloads_count: u64,
    parked_count: u64,
}

/// Between two pieces, while a crawl is at work beside this: it gets its turn at the store.
const PIECE_GAP: Duration = Duration::from_millis(20);

/// What was let in again.
#[derive(Serialize)]
struct UndoReport {
    reference: String,
    hashes_count: u64,
}

/// Erases, or lets in again.
pub(crate) fn execute(globals: &Globals, args: &ForgetArgs) -> anyhow::Result<ExitCode> {
    let mut data = Data::open(globals)?;
    if args.undo {
        return undo(globals, &mut data, args);
    }
    let keys = keys(globals, &data.store, args.reference.trim())?;
    if !args.yes {
        confirm(&args.reference)?;
    }
    progress::on_interrupt(
        "stopped: it stays forgotten; the same command, or the next run, erases what is left",
    );
    let mut total = Forgetting::default();
    for key in keys {
        let what = format!("looking for `{}`", args.reference);
        let marked = progress::during(&what, || data.store.mark_forgotten(&key))?;
        total.is_new |= marked.is_new;
        total.posts_left += marked.posts_left;
        total.erased += marked.erased;
    }
    let mut erased = total.erased;
    erased += erase(&mut data, total.posts_left)?;
    if erased == Erased::default() && !total.is_new {
        let failure = Failure::misuse(format!("nothing is stored of `{}`", args.reference));
        return Err(failure
            .hint("give an address (network/type/id), a handle, or what `add` was given")
            .into());
    }
    data.store.push_control(&Control::Sources(SourcesChange::Forgotten(args.reference.clone())))?;
    // A running crawl holds parked objects in memory too.
    data.store.push_control(&Control::Constraints(ConstraintsChange::Forgotten))?;
    output::print(args.report, &ForgetReport::new(&args.reference, &erased))?;
    Ok(ExitCode::SUCCESS)
}

/// Erases what an interrupted `forget` left.
pub(super) fn finish(data: &mut Data) -> anyhow::Result<()> {
    erase(data, 0).map(drop)
}

/// Erases everything that is marked, piece by piece.
fn erase(data: &mut Data, posts_left: u64) -> anyhow::Result<Erased> {
    let mut erased = Erased::default();
    let mut progress = Progress::new("erasing", 0, posts_left);
    while let Some(more) = data.store.erase_some()? {
        progress.advance(more.posts);
        erased += more;
        if data.runner().is_some() {
            std::thread::park_timeout(PIECE_GAP);
        }
    }
    Ok(erased)
}

/// Takes a wish back. The store knows hashes only, so it is asked by every name that the reference may mean.
fn undo(globals: &Globals, data: &mut Data, args: &ForgetArgs) -> anyhow::Result<ExitCode> {
    let text = args.reference.trim();
    let reference =
        if text.parse::<Address>().is_ok() { None } else { understood(&data::networks(globals)?, text) };
    let key = match &reference {
        Some(Reference { instance, root_kind, root_id: Some(id), .. }) => {
            Address::new(&instance.network, root_kind, id.as_str()).to_string()
        }
        Some(Reference { instance, handle: Some(handle), .. }) => {
            Address::new(&instance.network, HANDLE, handle.as_str()).to_string()
        }
        _ => text.to_owned(),
    };
    let hashes_count = data.store.unforget(&key)?;
    if hashes_count == 0 {
        let failure = Failure::misuse(format!("`{text}` is not forgotten"));
        return Err(failure.hint("give what `forget` was given, or the address (network/type/id)").into());
    }
    output::print(args.report, &UndoReport { reference: text.to_owned(), hashes_count })?;
    Ok(ExitCode::SUCCESS)
}

/// The type by which the store is asked for an account by its handle.
const HANDLE: &str = "handle";

/// The exact things that a person means: addresses, and numbers of sources. The store would
/// take a bare handle for everybody of that name, and erasing namesakes cannot be undone.
fn keys(globals: &Globals, store: &dyn Store, text: &str) -> anyhow::Result<Vec<String>> {
    if text.parse::<Address>().is_ok() {
        return Ok(vec![text.to_owned()]);
    }
    let sources = sources_meant(globals, store, text)?;
    if !sources.is_empty() {
        return Ok(sources.iter().map(|source| source.id.0.to_string()).collect());
    }
    let reference = understood(&data::networks(globals)?, text);
    if let Some(Reference { instance, root_kind, root_id: Some(id), .. }) = &reference {
        return Ok(vec![Address::new(&instance.network, root_kind, id.as_str()).to_string()]);
    }
    let found = accounts(store, text, reference.as_ref())?;
    if found.len() > 1 {
        let failure = Failure::misuse(format!("`{text}` may mean several\n  {}", found.join("\n  ")));
        return Err(failure.hint("give the address of the one to forget").into());
    }
    Ok(found)
}

/// Addresses of accounts that nobody added but that were met, by their handle.
fn accounts(store: &dyn Store, text: &str, reference: Option<&Reference>) -> Result<Vec<String>, StoreError> {
    let handle = reference.and_then(|it| it.handle.as_deref()).unwrap_or(text).trim_start_matches('@');
    let network = reference.map(|it| it.instance.network.to_string());
    let mut found = Vec::new();
    store.each_account(&Filter { network, ..Filter::default() }, &mut |row| {
        if row.account.handle.as_deref().is_some_and(|it| it.trim_start_matches('@') == handle) {
            found.push(Address::new(&row.network, robot::ACCOUNT, row.account.id).to_string());
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
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

impl ForgetReport {
    fn new(reference: &str, erased: &Erased) -> Self {
        Self {
            reference: reference.to_owned(),
            accounts_count: erased.accounts,
            posts_count: erased.posts,
            relations_count: erased.relations,
            tags_count: erased.tags,
            sources_count: erased.sources,
            visits_count: erased.visits,
            changes_count: erased.changes,
            payloads_count: erased.payloads,
            parked_count: erased.parked,
        }
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
        let rows = rows.into_iter();
        let rows = rows.map(|(what, count)| vec![what.to_owned(), count.to_string()]);
        output::table(&[&format!("erased of {}", self.reference), "#count"], rows)
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
