//! Where a data directory is, and where its store: a file in it, unless another one was named.
//!
//! Invariant: an address is never shown whole, for it may hold a password; what is shown of it is where it leads.

use std::ffi::OsStr;
use std::fmt::{Display, Formatter, Result};
use std::path::{Path, PathBuf};

use secrecy::{ExposeSecret as _, SecretString};

/// The store of a data directory that names no other.
const FILE: &str = "store.sqlite";

/// A data directory with its store.
#[derive(Clone, Debug)]
pub struct Place {
    dir: PathBuf,
    named: Option<SecretString>,
}

impl Place {
    /// A directory with the store of this address; without one, that in it.
    pub fn new(dir: &Path, store: Option<&SecretString>) -> Self {
        Self { dir: dir.to_owned(), named: store.cloned() }
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The address of the store.
    pub fn store(&self) -> StoreAddress {
        match &self.named {
            Some(named) => StoreAddress::Named(named.clone()),
            None => StoreAddress::File(self.dir.join(FILE)),
        }
    }

    /// Options by which a command of ours finds the same.
    pub fn options(&self) -> Vec<std::ffi::OsString> {
        vec!["--data".into(), self.dir.clone().into()]
    }

    /// The address that was named, for the environment of a command of ours.
    pub fn named(&self) -> Option<&str> {
        self.named.as_ref().map(secrecy::ExposeSecret::expose_secret)
    }
}

/// The address of a store, as `freshet_store::open` takes it.
#[derive(Clone, Debug)]
pub enum StoreAddress {
    /// The file of a data directory.
    File(PathBuf),
    /// As it was named.
    Named(SecretString),
}

impl StoreAddress {
    /// Whether a file is there; of another store that is not known before it is opened.
    pub(crate) fn is_there(&self) -> bool {
        match self {
            Self::File(path) => path.is_file(),
            Self::Named(_) => true,
        }
    }
}

impl AsRef<OsStr> for StoreAddress {
    fn as_ref(&self) -> &OsStr {
        match self {
            Self::File(path) => path.as_ref(),
            Self::Named(address) => OsStr::new(address.expose_secret()),
        }
    }
}

/// Where it leads, without who asks and by which password.
impl Display for StoreAddress {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Named(address) => {
                let address = address.expose_secret();
                let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
                let rest = rest.split(['?', '#']).next().unwrap_or_default();
                let place = rest.rsplit_once('@').map_or(rest, |(_, place)| place);
                if scheme.is_empty() { f.write_str(place) } else { write!(f, "{scheme}://{place}") }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_there_and_shows_no_password() {
        let dir = Path::new("data");
        assert_eq!(Place::new(dir, None).store().as_ref(), Path::new("data/store.sqlite"));
        for (address, shown) in [
            ("postgres://me:secret@db:5432/freshet?options=secret", "postgres://db:5432/freshet"),
            ("postgres://me:se@cret@db/freshet", "postgres://db/freshet"),
            ("sqlite:other/store.sqlite", "sqlite:other/store.sqlite"),
        ] {
            let place = Place::new(dir, Some(&SecretString::from(address)));
            assert_eq!(place.store().as_ref(), OsStr::new(address));
            assert_eq!(place.store().to_string(), shown);
            assert!(!format!("{place:?}{:?}", place.store()).contains("secret"), "{address}");
        }
    }
}
