//! Where installed test servers and the continuous-integration build live: one folder outside the clone.
//!
//! Invariant: nothing here is precious. Every entry carries a stamp (name and version) that is written
//! last, so a half-finished installation is seen as missing and made again.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The folder: `FRESHET_CACHE`, else `freshet` in the user's cache folder.
pub(crate) fn folder() -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("FRESHET_CACHE").unwrap_or_else(|| {
        set("XDG_CACHE_HOME")
            .or_else(|| set("HOME").map(|home| home.join(".cache")))
            .unwrap_or_else(std::env::temp_dir)
            .join("freshet")
    })
}

/// The root of the clone. Cargo says at run time where it lies: with one target folder for several
/// clones, this program may have been built in another one.
pub(crate) fn repository() -> PathBuf {
    let said = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let xtask = said.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    xtask.parent().expect("xtask lies in the root of the workspace").to_path_buf()
}

/// Does `folder` hold a finished installation of exactly `what`?
pub(crate) fn is_stamped(folder: &Path, what: &str) -> bool {
    fs::read_to_string(folder.join(STAMP)).is_ok_and(|found| found.trim() == what)
}

/// Declares the installation of `what` in `folder` finished.
pub(crate) fn stamp(folder: &Path, what: &str) -> Result<()> {
    fs::write(folder.join(STAMP), format!("{what}\n"))
        .with_context(|| format!("cannot stamp `{}`", folder.display()))
}

/// An empty folder, whatever was there before.
pub(crate) fn emptied(folder: &Path) -> Result<()> {
    if folder.is_dir() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove `{}`", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create `{}`", folder.display()))
}

/// One installer at a time: held until the returned file is dropped.
pub(crate) fn lock() -> Result<fs::File> {
    let folder = folder();
    fs::create_dir_all(&folder).with_context(|| format!("cannot create `{}`", folder.display()))?;
    let path = folder.join("lock");
    let file = fs::File::create(&path).with_context(|| format!("cannot create `{}`", path.display()))?;
    file.lock().with_context(|| format!("cannot lock `{}`", path.display()))?;
    Ok(file)
}

const STAMP: &str = "stamp";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_counts_for_its_own_version_only() {
        let folder = std::env::temp_dir().join(format!("freshet-stamp-{}", std::process::id()));
        emptied(&folder).unwrap();
        assert!(!is_stamped(&folder, "a 1"));
        stamp(&folder, "a 1").unwrap();
        assert!(is_stamped(&folder, "a 1"));
        assert!(!is_stamped(&folder, "a 2"));
        emptied(&folder).unwrap();
        assert!(!is_stamped(&folder, "a 1"));
        fs::remove_dir_all(&folder).unwrap();
    }
}
