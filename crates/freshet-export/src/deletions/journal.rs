//! What is done so far, for whoever is killed: written before a file gets its name.
//!
//! It holds counts and hashes and names nobody. A file whose bytes are those of an entry was written by us; one whose bytes are
//! those of before was not renamed any more, and is written again.

use std::path::Path;

use freshet_app::failure::Failure;
use freshet_report::deletions::{DeletionSums, DeletionsFile};
use serde::{Deserialize, Serialize};

use crate::small::{JOURNAL, remove, replace};

/// Largest one that is read: a file a day for many hundred years.
const JOURNAL_BYTES_MAX: u64 = 64 << 20;

/// What is done so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Journal {
    /// The files that are written anew.
    pub(super) files: Vec<DeletionsFile>,
    /// What the receipt will be called.
    pub(super) receipt: Option<String>,
    /// Of a snapshot: which revision this becomes, and what named the one before.
    pub(super) revision: Option<u32>,
    pub(super) id_before: Option<String>,
}

impl Journal {
    pub(super) fn read(dir: &Path) -> anyhow::Result<Option<Self>> {
        let path = dir.join(JOURNAL);
        let Ok(found) = std::fs::metadata(&path) else { return Ok(None) };
        let is_fit = found.len() <= JOURNAL_BYTES_MAX;
        let text = if is_fit { std::fs::read(&path).unwrap_or_default() } else { Vec::new() };
        serde_json::from_slice(&text).map(Some).map_err(|_| {
            Failure::misuse(format!("`{}` is there and cannot be read", path.display()))
                .hint("it says what an interrupted `--apply-deletions` has done; move it away if it is not of freshet")
                .into()
        })
    }

    /// Writes it, and waits until it is on disk.
    pub(super) fn write(&self, dir: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string(self)?;
        replace(&dir.join(JOURNAL), text.as_bytes())
    }

    pub(super) fn remove(dir: &Path) -> anyhow::Result<()> {
        remove(&dir.join(JOURNAL))
    }

    /// Whether we wrote a file with these bytes.
    pub(super) fn has_written(&self, name: &str, sha256: &str) -> bool {
        self.files.iter().any(|file| file.name == name && file.sha256 == sha256)
    }

    /// Notes a file; what was done to it before counts with it.
    pub(super) fn note(&mut self, mut file: DeletionsFile) {
        if let Some(place) = self.files.iter().position(|it| it.name == file.name) {
            let before = self.files.remove(place);
            // One that was not renamed any more is done from the beginning.
            if before.sha256 == file.sha256_before {
                file.sums += before.sums;
                file.records_before_count = before.records_before_count;
                file.sha256_before = before.sha256_before;
            }
        }
        self.files.push(file);
    }

    /// Drops what was noted of files that did not get their name any more.
    pub(super) fn keep_what_was_renamed(&mut self, is_renamed: impl Fn(&DeletionsFile) -> bool) {
        self.files.retain(is_renamed);
    }

    pub(super) fn sums(&self) -> DeletionSums {
        let mut sums = DeletionSums::default();
        self.files.iter().for_each(|file| sums += file.sums);
        sums
    }
}
