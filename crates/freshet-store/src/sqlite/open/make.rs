//! Making a store: under another name, until it is whole.
//!
//! The last step gives the file its own name without ever replacing one that is there, so that of several who make a store at
//! once one makes it and the others find it. A file that a crash left under the other name is never opened again; it may
//! be removed.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use super::{beside, open_error, refused, try_writer};
use crate::api::StoreError;
use crate::options::Options;

/// Makes the store of this path, unless somebody else is quicker.
pub(super) fn make(path: &Path, options: Options) -> Result<(), StoreError> {
    // Threads of one process may make the same store too.
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let draft = beside(path, &format!(".making-{}-{number}", std::process::id()));
    let cannot = |error: &std::io::Error| {
        open_error(
            path,
            &format!("unable to open it: {error}; is its folder there, and may you write to it?"),
        )
    };
    create(&draft).map_err(|error| cannot(&error))?;
    let made = try_writer(&draft, options)
        .and_then(|db| db.close().map_err(|(_, error)| refused(path)(error)))
        .and_then(|()| publish(&draft, path).map_err(|error| cannot(&error)));
    for ending in ["", "-wal", "-shm", "-journal"] {
        // What is not there need not go.
        let _ = std::fs::remove_file(beside(&draft, ending));
    }
    made
}

/// An empty file that only its owner may read; SQLite makes the files beside it likewise.
fn create(draft: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(draft)
}

/// Gives the file its name, unless another has it, and waits until the folder says so on disk.
fn publish(draft: &Path, path: &Path) -> std::io::Result<()> {
    match std::fs::hard_link(draft, path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(()),
        // Some file systems know no second name; there the moment between the look and the renaming must do.
        Err(_) if !path.exists() => std::fs::rename(draft, path)?,
        linked => linked?,
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Folders cannot be waited for everywhere; then a power cut may cost a store that is new.
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}
