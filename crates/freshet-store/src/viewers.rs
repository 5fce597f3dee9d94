//! The stores of viewers: what each may see beyond everybody, or sees differently, in a store of its own.
//!
//! ```text
//! viewers/NAME/store.sqlite    the sources that are read as this viewer, and everything that they showed
//! ```
//!
//! Invariants: nothing that was read as a viewer is ever written to another store, so whoever does not open this one cannot show it;
//! a number of a source is given once over all stores ([`Sources::reserve_sources`](crate::api::Sources::reserve_sources)); what is removed is
//! out of reach at once, and its files go before that is said. Quotas, prices and the wishes of people stay in the store that all
//! share. Who reads two stores as one is [`crate::viewed`]; nothing is asked or decided here.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};

use freshet_types::Viewer;

use crate::api::{Store, StoreError};
use crate::open::{Access, open};
use crate::options::Options;

/// The folder of a data directory in which they lie.
const FOLDER: &str = "viewers";
/// The file of a store in a folder.
const STORE: &str = "store.sqlite";
/// How the folder of a viewer who was removed begins, until it is gone.
const GOING: &str = ".gone-";
/// Zeros that are written at once over what is erased.
static ZEROS: [u8; 64 * 1024] = [0; 64 * 1024];

/// All viewers of a data directory.
#[derive(Clone, Debug)]
pub struct Viewers {
    dir: PathBuf,
}

impl Viewers {
    /// Those of this data directory; there need be none.
    pub fn of(data_dir: &Path) -> Self {
        Self { dir: data_dir.join(FOLDER) }
    }

    /// Who has a store, by name.
    pub fn names(&self) -> Vec<Viewer> {
        let entries = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let name = |entry: std::fs::DirEntry| {
            let is_store = entry.path().join(STORE).is_file();
            name_of(entry.file_name().to_str()?).filter(|_| is_store)
        };
        let mut names: Vec<Viewer> = entries.filter_map(name).map(Viewer::from).collect();
        names.sort();
        names
    }

    /// Whether this viewer has a store.
    pub fn has(&self, viewer: &str) -> bool {
        self.store_path(viewer).is_file()
    }

    /// The folder of a viewer.
    pub fn folder(&self, viewer: &str) -> PathBuf {
        self.dir.join(folder_name(viewer))
    }

    /// The file of a viewer's store.
    pub fn store_path(&self, viewer: &str) -> PathBuf {
        self.folder(viewer).join(STORE)
    }

    /// Opens the store of a viewer who has one.
    pub fn open(&self, viewer: &str, access: Access, options: Options) -> Result<Overlay, StoreError> {
        let path = self.store_path(viewer);
        // Not to be made by opening it: it may have been removed a moment ago.
        let mark = mark_of(&path).ok_or_else(|| gone(viewer))?;
        let store = open(&path, access, options)?;
        Ok(Overlay { viewer: viewer.into(), store, path, mark })
    }

    /// Opens the store of a viewer, which is made where there is none.
    pub fn create(&self, viewer: &str, options: Options) -> Result<Overlay, StoreError> {
        let failed = |error: std::io::Error| StoreError::Database {
            doing: "make the folder of a viewer",
            why: error.to_string(),
        };
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(self.folder(viewer)).map_err(failed)?;
        drop(open(&self.store_path(viewer), Access::Write, options)?);
        self.open(viewer, Access::Write, options)
    }

    /// Removes a viewer with everything that was stored; gives whether there was anything. Where `is_alone`, no other process
    /// has the files open, and their bytes are written over before they go.
    pub fn remove(&self, viewer: &str, is_alone: bool) -> std::io::Result<bool> {
        let was_there = self.folder(viewer).is_dir();
        if was_there {
            let going = self.dir.join(format!("{GOING}{}", folder_name(viewer)));
            if going.is_dir() {
                erase(&going, is_alone)?;
            }
            std::fs::rename(self.folder(viewer), going)?;
        }
        self.finish(is_alone)?;
        Ok(was_there)
    }

    /// Finishes what an interrupted removal left.
    pub fn finish(&self, is_alone: bool) -> std::io::Result<()> {
        for entry in std::fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(GOING) {
                erase(&entry.path(), is_alone)?;
            }
        }
        Ok(())
    }
}

/// The store of a viewer, open.
#[derive(Debug)]
pub struct Overlay {
    pub viewer: Viewer,
    pub store: Box<dyn Store>,
    path: PathBuf,
    mark: Mark,
}

impl Overlay {
    /// Whether the viewer still has this store: it was neither removed, nor removed and begun anew.
    pub fn is_there(&self) -> bool {
        mark_of(&self.path) == Some(self.mark)
    }
}

/// The stores of all viewers, open, for a process that runs for long.
#[derive(Debug)]
pub struct Overlays {
    viewers: Option<Viewers>,
    options: Options,
    open: Vec<Overlay>,
}

impl Overlays {
    /// Those of these viewers, opened with these options; without viewers there are never any.
    pub fn new(viewers: Option<Viewers>, options: Options) -> Self {
        Self { viewers, options, open: Vec::new() }
    }

    /// Opens those that are new, and lets go of those that were removed.
    pub fn refresh(&mut self) -> Result<(), StoreError> {
        let Some(viewers) = &self.viewers else { return Ok(()) };
        self.open.retain(Overlay::is_there);
        for name in viewers.names() {
            if !self.open.iter().any(|it| it.viewer == name) {
                self.open.push(viewers.open(&name, Access::Write, self.options)?);
            }
        }
        Ok(())
    }

    /// Those that are open and still there.
    pub fn all(&self) -> impl Iterator<Item = &Overlay> {
        self.open.iter().filter(|overlay| overlay.is_there())
    }

    /// Whether none is open.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }
}

/// What tells one file from another that has its name later.
type Mark = (u64, u64);

#[cfg(unix)]
fn mark_of(path: &Path) -> Option<Mark> {
    use std::os::unix::fs::MetadataExt as _;
    // The number of a file that is open somewhere is given to no other file.
    std::fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn mark_of(path: &Path) -> Option<Mark> {
    let made = std::fs::metadata(path).ok()?.created().ok()?;
    let since = made.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some((since.as_secs(), u64::from(since.subsec_nanos())))
}

fn gone(viewer: &str) -> StoreError {
    StoreError::Database {
        doing: "read as a viewer",
        why: format!("nothing is kept for `{viewer}`; `freshet add REF --as {viewer}` begins"),
    }
}

/// The name of a viewer's folder: letters that every file system takes, the others as `%` and two digits.
fn folder_name(viewer: &str) -> String {
    let plain = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || matches!(it, b'-' | b'_');
    viewer.bytes().enumerate().fold(String::new(), |name, (at, it)| match it {
        it if plain(it) || (it == b'.' && at > 0) => name + &char::from(it).to_string(),
        it => format!("{name}%{it:02x}"),
    })
}

/// The viewer whose folder has this name, if it is one.
fn name_of(folder: &str) -> Option<String> {
    if folder.starts_with('.') {
        return None;
    }
    let mut bytes = Vec::new();
    let mut rest = folder.bytes();
    while let Some(it) = rest.next() {
        bytes.push(match it {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            it => it,
        });
    }
    String::from_utf8(bytes).ok()
}

/// Removes a folder and what is in it.
fn erase(dir: &Path, is_alone: bool) -> std::io::Result<()> {
    for entry in std::fs::read_dir(dir)?.flatten() {
        if is_alone && entry.path().is_file() {
            write_over(&entry.path())?;
        }
    }
    std::fs::remove_dir_all(dir)
}

fn write_over(path: &Path) -> std::io::Result<()> {
    let mut file: File = OpenOptions::new().write(true).open(path)?;
    let mut left = file.metadata()?.len();
    file.rewind()?;
    while left > 0 {
        let part = left.min(ZEROS.len() as u64);
        file.write_all(&ZEROS[..part as usize])?;
        left -= part;
    }
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(viewer: &str, folder: &str) {
        assert_eq!(folder_name(viewer), folder);
        assert_eq!(name_of(folder).as_deref(), Some(viewer));
    }

    #[test]
    fn names_become_folders_and_come_back() {
        check("ada", "ada");
        check("Ada", "%41da");
        check("mastodon:example.social", "mastodon%3aexample.social");
        check("..", "%2e.");
        check("a%b", "a%25b");
        assert_eq!(name_of(".gone-ada"), None);
        assert_eq!(name_of("a%"), None);
    }

    #[test]
    fn who_is_removed_is_gone_even_where_somebody_has_it_open() {
        let dir = tempfile::tempdir().unwrap();
        let viewers = Viewers::of(dir.path());
        assert!(viewers.names().is_empty() && !viewers.has("ada"));
        assert!(viewers.open("ada", Access::Write, Options::default()).is_err());
        assert!(!viewers.folder("ada").exists(), "opening makes nothing");
        let mut first = viewers.create("ada", Options::default()).unwrap();
        first.store.set_setting("planted", "zanzibarine").unwrap();
        let mut all = Overlays::new(Some(viewers.clone()), Options::default());
        all.refresh().unwrap();
        assert_eq!((all.all().count(), viewers.names()), (1, vec!["ada".into()]));
        assert!(viewers.remove("ada", false).unwrap());
        assert!(!first.is_there() && all.all().next().is_none());
        let again = viewers.create("ada", Options::default()).unwrap();
        assert!(again.is_there() && !first.is_there(), "it is another store");
        assert_eq!(again.store.setting("planted").unwrap(), None);
        all.refresh().unwrap();
        assert_eq!(all.all().count(), 1);
        drop((first, again, all));
        assert!(viewers.remove("ada", true).unwrap() && !viewers.remove("ada", true).unwrap());
        assert_eq!(std::fs::read_dir(dir.path().join(FOLDER)).unwrap().count(), 0);
    }
}
