//! Who may look into the data directory: its owner alone.
//!
//! It holds what people posted, whom they follow, and secrets. What is made is made so; what an earlier version made is
//! tightened when a command that writes opens the directory, and that is said. What belongs to somebody else is left alone, and so
//! is a folder that holds other things besides a store: only the store's own files are tightened there.

use std::fs::{DirBuilder, Metadata};
use std::path::{Path, PathBuf};

/// What may be done by others than the owner.
const OTHERS: u32 = 0o077;
/// A folder in which everybody may make files, such as `/tmp`; it is nobody's own.
const STICKY: u32 = 0o1000;
/// Beginnings of the names of what is nobody else's business; definitions may be read by all.
const SECRET: [&str; 7] =
    ["store.sqlite", "credentials.age", "dashboard.password", "alerts.toml", "lock", "rings", "viewers"];

/// Makes the directory, for its owner alone.
pub(crate) fn make_dir(dir: &Path) -> std::io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

/// What in a data directory others may look into; nothing where the directory itself is closed to them.
pub(crate) fn exposed(dir: &Path) -> Vec<PathBuf> {
    if std::fs::metadata(dir).is_ok_and(|meta| may_enter(&meta)) { open(dir) } else { Vec::new() }
}

/// What others could look into if they could enter the directory: its secret files, and the directory where it holds
/// nothing else.
fn open(dir: &Path) -> Vec<PathBuf> {
    let entries = |dir: &Path| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let starts = |path: &Path, names: &[&str]| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        names.iter().any(|it| name.starts_with(it))
    };
    let mut all = entries(dir);
    let is_alone = all.iter().all(|path| starts(path, &SECRET) || starts(path, &["networks"]));
    all.retain(|path| starts(path, &SECRET));
    all.extend(entries(&dir.join("rings")));
    all.extend(is_alone.then(|| dir.to_owned()));
    all.retain(|path| std::fs::symlink_metadata(path).is_ok_and(|meta| is_exposed(&meta)));
    all.sort();
    all
}

/// Takes from others what they may do there; gives how many things that were.
pub(super) fn tighten(dir: &Path) -> usize {
    let is_done = |path: &PathBuf| {
        let Ok(meta) = std::fs::symlink_metadata(path) else { return false };
        is_ours(&meta) && close(path, &meta).is_ok()
    };
    open(dir).iter().filter(|path| is_done(path)).count()
}

#[cfg(unix)]
fn may_enter(meta: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::mode(meta) & OTHERS != 0
}

#[cfg(not(unix))]
fn may_enter(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn is_exposed(meta: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    !meta.is_symlink() && meta.mode() & STICKY == 0 && meta.mode() & OTHERS != 0
}

#[cfg(unix)]
fn close(path: &Path, meta: &Metadata) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(meta.mode() & !OTHERS & 0o7777))
}

/// Whether a file belongs to who runs this; where the system does not say, it refuses strangers itself.
#[cfg(unix)]
fn is_ours(meta: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").map_or(true, |this| this.uid() == meta.uid())
}

#[cfg(not(unix))]
fn is_exposed(_: &Metadata) -> bool {
    false
}

#[cfg(not(unix))]
fn close(_: &Path, _: &Metadata) -> std::io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
fn is_ours(_: &Metadata) -> bool {
    true
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().mode() & 0o777
    }

    fn open_up(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_others_may_read_is_tightened_once() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path().join("a/b");
        make_dir(&dir).unwrap();
        assert_eq!((mode(&dir), tighten(&dir)), (0o700, 0));
        std::fs::create_dir(dir.join("rings")).unwrap();
        let files = ["store.sqlite", "store.sqlite-wal", "credentials.age", "rings/status.ring"];
        for name in files {
            std::fs::write(dir.join(name), "").unwrap();
            open_up(&dir.join(name), 0o644);
        }
        open_up(&dir.join("rings"), 0o755);
        open_up(&dir, 0o755);
        assert_eq!(tighten(&dir), files.len() + 2);
        assert!(files.iter().all(|name| mode(&dir.join(name)) == 0o600));
        assert_eq!((mode(&dir), mode(&dir.join("rings"))), (0o700, 0o700));
        assert_eq!((tighten(&dir), exposed(&dir)), (0, Vec::new()));
    }

    #[test]
    fn a_folder_that_holds_other_things_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let dir = folder.path();
        for name in ["store.sqlite", "letters.txt"] {
            std::fs::write(dir.join(name), "").unwrap();
            open_up(&dir.join(name), 0o644);
        }
        open_up(dir, 0o755);
        assert_eq!(tighten(dir), 1);
        let modes =
            [dir.to_owned(), dir.join("store.sqlite"), dir.join("letters.txt")].map(|path| mode(&path));
        assert_eq!(modes, [0o755, 0o600, 0o644]);
    }
}
