//! Small files beside an export: written whole or not at all; which are there for a while only.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use crate::manifest::cannot_write;

/// What is done so far of applying deletions to a folder.
pub(crate) const JOURNAL: &str = "deletions.json.part";
/// The list of what is to go from a folder.
pub(crate) const TOMBSTONES: &str = "tombstones.jsonl";

/// Whether a file is there only while deletions are applied.
pub(crate) fn is_passing(name: &str) -> bool {
    [JOURNAL, TOMBSTONES].contains(&name)
}

/// Writes a small file whole: under another name, renamed when it is on disk.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(".new");
    let write = || {
        let mut file = File::create(&fresh)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&fresh, path)
    };
    write().map_err(|error| cannot_write(path, &error))
}

/// Takes a file away, if it is there.
pub(crate) fn remove(path: &Path) -> anyhow::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(cannot_write(path, &error)),
        _ => Ok(()),
    }
}
