//! `freshet forget`: erases everything of an account, a post or a source, and says what.
//!
//! Unlike `remove` this cannot be undone, so a person is asked first. Nothing is kept back:
//! texts, links, values, raw answers, the search index and the lines of the change log go.

use std::io::{BufRead as _, IsTerminal as _};
use std::ops::ControlFlow;
use std::process::ExitCode;

use anyhow::Context as _;
use freshet_network::robot;
use freshet_store::api::{Store, StoreError};
use freshet_store::row::{Erased, Filter};
use freshet_types::{Address, Reference};
use serde::Serialize;
use serde_json::json;

use super::{sources_meant, understood};
use crate::args::ForgetArgs;
use crate::config::Globals;
use crate::data::{self, Data};
use crate::failure::Failure;
use crate::output::{self, Report};
use crate::progress;

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

/// Erases.
pub(crate) fn execute(globals: &Globals, args: &ForgetArgs) -> anyhow::Result<ExitCode> {
    let mut data = Data::open(globals)?;
    let keys = keys(globals, &data.store, args.reference.trim())?;
    if !args.yes {
        confirm(&args.reference)?;
    }
    let mut erased = Erased::default();
    progress::on_interrupt("stopped: nothing was erased by halves; the same command erases what is left");
    for key in keys {
        let what = format!("erasing `{}`", args.reference);
        add(&mut erased, &progress::during(&what, || data.store.forget(&key))?);
    }
    if erased == Erased::default() {
        let failure = Failure::misuse(format!("nothing is stored of `{}`", args.reference));
        return Err(failure
            .hint("give an address (network/type/id), a handle, or what `add` was given")
            .into());
    }
    data.store.push_control("sources", &json!({ "forgotten": args.reference }).to_string())?;
    // A running crawl holds parked objects in memory too.
    data.store.push_control("constraints", "forgotten")?;
    output::print(args.report, &ForgetReport::new(&args.reference, &erased))?;
    Ok(ExitCode::SUCCESS)
}

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

fn add(total: &mut Erased, more: &Erased) {
    total.accounts += more.accounts;
    total.posts += more.posts;
    total.relations += more.relations;
    total.tags += more.tags;
    total.sources += more.sources;
    total.visits += more.visits;
    total.changes += more.changes;
    total.payloads += more.payloads;
    total.parked += more.parked;
}

fn confirm(reference: &str) -> anyhow::Result<()> {
    if !std::io::stdin().is_terminal() {
        let failure =
            Failure::misuse(format!("`forget {reference}` cannot be undone, and nobody is here to ask"));
        return Err(failure.hint("say --yes to erase without being asked").into());
    }
    output::aside(format!("Erase everything that was collected of `{reference}`? This cannot be undone."));
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
        let rows = rows.into_iter().filter(|(_, count)| *count > 0);
        let rows = rows.map(|(what, count)| vec![what.to_owned(), count.to_string()]);
        output::table(&[&format!("erased of {}", self.reference), "#count"], rows)
    }
}
