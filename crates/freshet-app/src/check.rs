//! Checking: is what is stored whole, and may nobody else read it?
//!
//! It looks and changes nothing; a crawl may go on beside it. Each finding says what to do. What
//! is asked of the store itself is the business of `store::sqlite::check`; here are the files around it: who may read
//! them, the rings, definitions, and what an interrupted `init` left.

use std::path::Path;

use freshet_frontier::Coordinator;
use freshet_frontier::ring::coordinator::MEMORY_MAX_TOTAL;
use freshet_frontier::ring::error::RingWarning;
use freshet_store::row::Finding;
use serde::Serialize;

use crate::config::Globals;
use crate::data::{self, Data, private};
use crate::{failure, notice, progress};

/// Things that are named in one finding.
const NAMED_MAX: usize = 5;

/// What a check found.
#[derive(Debug, Serialize)]
pub struct CheckReport {
    /// The data directory.
    pub data: String,
    /// Nothing was found.
    pub is_whole: bool,
    /// What was found.
    pub findings: Vec<Found>,
}

/// Something that is not as it should be.
#[derive(Debug, Serialize)]
pub struct Found {
    /// Where.
    pub subject: String,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub remedy: String,
}

/// Looks at everything.
pub fn check(globals: &Globals) -> anyhow::Result<CheckReport> {
    let mut findings = around(globals, &globals.data_dir);
    match Data::look(globals) {
        Ok(data) => {
            notice::on_interrupt("stopped: nothing was changed");
            let found = progress::during("checking the store", || {
                data.store.check(&mut |what| tracing::info!("looking at {what}"))
            })?;
            findings.extend(found.into_iter().map(Found::from));
            findings.extend(rings(&data));
        }
        // A directory that is not there is a misuse; a store that cannot be opened is a finding.
        Err(error) if failure::explain(&error).2 => return Err(error),
        Err(error) => findings.push(Found {
            subject: "store".to_owned(),
            what: format!("{error:#}"),
            remedy: "do what it says, then check again; keep a copy of the directory first".to_owned(),
        }),
    }
    let data = globals.data_dir.display().to_string();
    Ok(CheckReport { data, is_whole: findings.is_empty(), findings })
}

impl From<Finding> for Found {
    fn from(Finding { subject, what, remedy }: Finding) -> Self {
        Self { subject, what, remedy }
    }
}

/// The files around the store.
fn around(globals: &Globals, dir: &Path) -> Vec<Found> {
    let mut findings = Vec::new();
    let mut found = |subject: &str, what: String, remedy: &str| {
        findings.push(Found { subject: subject.to_owned(), what, remedy: remedy.to_owned() });
    };
    let exposed = private::exposed(dir);
    if !exposed.is_empty() {
        let names: Vec<String> =
            exposed.iter().take(NAMED_MAX).map(|path| format!("`{}`", path.display())).collect();
        let more = exposed.len().saturating_sub(NAMED_MAX);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let remedy = "every command that writes closes them, as `freshet init` does; or `chmod -R go= DIR`";
        found("permissions", format!("others may look into {}{more}", names.join(", ")), remedy);
    }
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    for name in names.filter(|name| name.starts_with("store.sqlite.making-")).take(NAMED_MAX) {
        let remedy = "remove the file, unless a `freshet init` is at work";
        found("files", format!("`{name}` is what an interrupted `init` left"), remedy);
    }
    if let Err(error) = data::networks(globals) {
        let remedy = "correct the file, or move it away; `freshet networks check FILE` names every mistake";
        found("definitions", format!("{error:#}"), remedy);
    }
    findings
}

/// The rings, as a run would find them: opening may repair, so a copy is opened.
fn rings(data: &Data) -> Vec<Found> {
    let remedy = "delete the folder `rings` while nothing runs: rings are filled again from the change log";
    let found = |what: String| Found { subject: "rings".to_owned(), what, remedy: remedy.to_owned() };
    // The files of a crawl at work change while they are copied; it repairs its own rings when it starts.
    if data.runner().is_some() || !data.rings_dir().is_dir() {
        return Vec::new();
    }
    let looked = || -> anyhow::Result<Vec<Found>> {
        let copy = tempfile::tempdir()?;
        for entry in std::fs::read_dir(data.rings_dir())? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                std::fs::copy(entry.path(), copy.path().join(entry.file_name()))?;
            }
        }
        let newest = data.store.last_number()?;
        let rings = Coordinator::open(copy.path(), MEMORY_MAX_TOTAL)?;
        // An end that is not whole is what every kill leaves, and what every start repairs.
        let wrong = rings.warnings().filter(|warning| !matches!(warning, RingWarning::TornTail { .. }));
        let mut all: Vec<Found> = wrong.map(|warning| found(warning.to_string())).collect();
        let ahead = rings.rings().filter(|(_, ring)| ring.log_cursor() > newest);
        all.extend(ahead.map(|(robot, ring)| {
            let cursor = ring.log_cursor();
            found(format!("the ring of `{robot}` stands at {cursor}, and the change log ends at {newest}"))
        }));
        Ok(all)
    };
    looked().unwrap_or_else(|error| vec![found(format!("{error:#}"))])
}
