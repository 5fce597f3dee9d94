//! A snapshot is cited by its hash, so what is taken out of it makes a revision: who has the old id can tell that it was this
//! snapshot, and reads what changed.
//!
//! ```text
//! revisions/SHA256SUMS.HEX  the list of hashes of an earlier revision, by its own hash: what its id names
//! revisions/2.json          the receipt of the second revision
//! ```
//!
//! The list of hashes is written last: until then `snapshot verify` says that the snapshot is not whole, and the same
//! command goes on.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;

use anyhow::Context as _;
use freshet_report::deletions::{DeletionSums, DeletionsFile, DeletionsReceipt, DeletionsReport};
use freshet_report::snapshot::{CoverageLine, SnapshotFacts};
use freshet_store::api::Store;
use freshet_store::keeping::{Fate, Taken};

use super::folder::Folder;
use super::journal::Journal;
use super::{Place, exported, receipt};
use crate::hash_file;
use crate::manifest::cannot_write;
use crate::small::replace;
use crate::snapshot::sums;

/// Where earlier lists of hashes and receipts lie.
const REVISIONS: &str = "revisions";
/// The facts for programs.
const FACTS: &str = "snapshot.json";
/// Lists of one line each that name posts and sources.
const LISTS: [&str; 2] = ["ids.txt", "coverage.jsonl"];

/// Whether a folder is a finished snapshot.
pub(super) fn is_snapshot(dir: &Path) -> bool {
    [FACTS, sums::SUMS].iter().all(|name| dir.join(name).is_file()) && dir.join("data").is_dir()
}

/// Takes what is to go out of a snapshot, and makes a revision of it.
pub(super) fn apply(place: &Place, mut folder: Folder<'_>) -> anyhow::Result<DeletionsReport> {
    let dir = &place.dir;
    let mut facts = read_facts(dir)?;
    if folder.journal.revision.is_none() {
        folder.journal.revision = Some(facts.revision.unwrap_or(1).saturating_add(1));
        folder.journal.id_before = Some(sums::id(&dir.join(sums::SUMS))?);
    }
    keep_sums(dir, &folder.journal)?;
    folder.rewrite()?;
    let mut journal = std::mem::take(&mut folder.journal);
    let left_alone = folder.left_alone();
    for name in LISTS {
        rewrite_list(&place.data.store, dir, name, &mut journal)?;
    }
    let deletions = DeletionsReceipt {
        files: journal.files.iter().map(within).collect(),
        left_alone: exported(&left_alone),
        revision: journal.revision.filter(|_| !journal.files.is_empty()),
        id_before: journal.id_before.clone().filter(|_| !journal.files.is_empty()),
        ..place.receipt(journal.sums())
    };
    let mut report = place.report(deletions, left_alone);
    if journal.files.is_empty() {
        drop_unused(dir, &journal);
        return Ok(report);
    }
    let number = journal.revision.unwrap_or(2);
    let name = format!("{REVISIONS}/{number}.json");
    receipt::write(dir, &name, &mut report)?;
    tell(dir, &report, number, &mut facts)?;
    sums::write(dir)?;
    Ok(report)
}

/// A file by its path in the snapshot.
fn within(file: &DeletionsFile) -> DeletionsFile {
    let is_above = LISTS.contains(&file.name.as_str());
    let name = if is_above { file.name.clone() } else { format!("data/{}", file.name) };
    DeletionsFile { name, ..file.clone() }
}

/// Keeps the list of hashes as it was, by its hash.
fn keep_sums(dir: &Path, journal: &Journal) -> anyhow::Result<()> {
    let path = sums_of(dir, journal);
    if path.is_file() {
        return Ok(());
    }
    let folder = dir.join(REVISIONS);
    std::fs::create_dir_all(&folder).map_err(|error| cannot_write(&folder, &error))?;
    let list = std::fs::read(dir.join(sums::SUMS)).context("the list of hashes cannot be read")?;
    replace(&path, &list)?;
    journal.write(dir)
}

fn sums_of(dir: &Path, journal: &Journal) -> std::path::PathBuf {
    let id = journal.id_before.as_deref().unwrap_or_default();
    dir.join(REVISIONS).join(format!("{}.{}", sums::SUMS, id.trim_start_matches("sha256:")))
}

/// Where nothing was to be changed there is no revision.
fn drop_unused(dir: &Path, journal: &Journal) {
    // What cannot go is named by `snapshot verify`; the folder stays where it holds earlier revisions.
    let _ = std::fs::remove_file(sums_of(dir, journal));
    let _ = std::fs::remove_dir(dir.join(REVISIONS));
}

/// Takes lines out of a list: addresses of posts, or lines of what is proven complete.
fn rewrite_list(store: &dyn Store, dir: &Path, name: &str, journal: &mut Journal) -> anyhow::Result<()> {
    let path = dir.join(name);
    let cannot_read = || format!("`{}` cannot be read", path.display());
    let (_, before) = hash_file(&path).with_context(cannot_read)?;
    let (mut kept, mut sums, mut count) = (String::new(), DeletionSums::default(), 0);
    for line in BufReader::new(File::open(&path).with_context(cannot_read)?).lines() {
        let line = line.with_context(cannot_read)?;
        count += 1;
        match fate(store, &line)? {
            Fate::Forgotten => sums.forgotten_count += 1,
            Fate::Gone => sums.expired_count += 1,
            _ => {
                kept.push_str(&line);
                kept.push('\n');
            }
        }
    }
    if sums.is_empty() {
        return Ok(());
    }
    let sha256 = crate::file::hash_bytes(kept.as_bytes());
    journal.note(DeletionsFile {
        name: name.to_owned(),
        records_before_count: count,
        records_count: count - sums.erased_count(),
        sums,
        sha256_before: before,
        sha256,
        bytes: kept.len() as u64,
    });
    journal.write(dir)?;
    replace(&path, kept.as_bytes())
}

/// What became of what a line is about; a line that says nothing stays.
fn fate(store: &dyn Store, line: &str) -> anyhow::Result<Fate> {
    let taken = if line.starts_with('{') {
        serde_json::from_str::<CoverageLine>(line).ok().map(|line| Taken::Source(line.source))
    } else {
        line.parse().ok().map(|address| Taken::Object { address, author: None })
    };
    let Some(taken) = taken else { return Ok(Fate::Kept) };
    Ok(store.fates(&[taken])?.first().copied().unwrap_or(Fate::Kept))
}

fn read_facts(dir: &Path) -> anyhow::Result<SnapshotFacts> {
    let path = dir.join(FACTS);
    let text = std::fs::read(&path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    serde_json::from_slice(&text).with_context(|| format!("`{}` are no facts of a snapshot", path.display()))
}

/// Says in the facts and in the README that this is a revision, and of what.
fn tell(dir: &Path, report: &DeletionsReport, number: u32, facts: &mut SnapshotFacts) -> anyhow::Result<()> {
    let deletions = &report.deletions;
    facts.revision = Some(number);
    facts.revised_at = deletions.applied_at;
    facts.revises.clone_from(&deletions.id_before);
    let count = |(key, before): (&String, &u64)| {
        let kind = key.trim_end_matches("_count");
        let is_of = |file: &&DeletionsFile| file.name.split(['/', '.']).nth(1) == Some(kind);
        let now = deletions.files.iter().find(is_of).map_or(*before, |file| file.records_count);
        (key.clone(), now)
    };
    facts.counts = facts.counts.iter().map(count).collect();
    replace(&dir.join(FACTS), (serde_json::to_string_pretty(facts)? + "\n").as_bytes())?;
    let path = dir.join("README.md");
    let readme =
        std::fs::read_to_string(&path).with_context(|| format!("`{}` cannot be read", path.display()))?;
    let head = format!("## Revision {number}\n");
    let kept = readme.split(&format!("\n{head}")).next().unwrap_or_default();
    replace(&path, format!("{kept}\n{head}\n{}", words(deletions, number)).as_bytes())
}

fn words(deletions: &DeletionsReceipt, number: u32) -> String {
    let sums = deletions.sums;
    let mut text = String::new();
    if let Some(at) = deletions.applied_at {
        let _ = writeln!(text, "Made at {} (UTC).", at.0);
    }
    let _ = writeln!(
        text,
        "Records taken out: {} that were to be forgotten, {} that are not kept any more. Emptied: {}. Marked: {}.",
        sums.forgotten_count, sums.expired_count, sums.redacted_count, sums.marked_count
    );
    let _ = writeln!(
        text,
        "Counts above are those of the first revision; `{REVISIONS}/{number}.json` has those of now, with the hash of every file \
         before and after."
    );
    if let Some(id) = &deletions.id_before {
        let _ =
            writeln!(text, "The revision before was named `{id}`; its list of hashes is in `{REVISIONS}/`.");
    }
    text
}
