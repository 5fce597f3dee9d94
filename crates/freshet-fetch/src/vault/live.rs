//! The vault of a process that runs on: what is in force now, replaced whole when the file changes.
//!
//! A new file that cannot be opened changes nothing: the credentials before it stay in use. What the network renews is
//! known to everybody at once, and whoever had it renewed uses it when it is in the file. Secrets once known stay known to the scrubber.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::SystemTime;

use secrecy::SecretString;

use super::Vault;
use crate::credential::{Credential, Origin};
use crate::{FetchError, Scrubber};

/// The credentials in force; cheap to copy, all copies are one.
#[derive(Clone, Debug)]
pub struct LiveVault(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    present: RwLock<Arc<Vault>>,
    scrubber: Arc<Scrubber>,
    /// Where new credentials appear.
    path: Option<PathBuf>,
    passphrase: Option<SecretString>,
    seen: Mutex<Option<Stamp>>,
}

/// What tells one state of a file from the next.
type Stamp = (SystemTime, u64);

/// What a new file brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// Names that were not there before, or are another credential now.
    pub added: Vec<Arc<str>>,
    /// Names that are gone.
    pub removed: Vec<Arc<str>>,
}

impl LiveVault {
    /// These credentials; what appears in the file at `path` joins them, where its passphrase is known.
    pub fn watching(vault: Vault, path: &Path, passphrase: Option<SecretString>) -> Self {
        let passphrase = passphrase.or_else(|| vault.file.as_ref().map(|file| file.passphrase.clone()));
        Self::made(vault, Some(path.to_owned()), passphrase)
    }

    fn made(vault: Vault, path: Option<PathBuf>, passphrase: Option<SecretString>) -> Self {
        let scrubber = vault.scrubber();
        let seen = Mutex::new(path.as_deref().and_then(stamp));
        Self(Arc::new(Inner { present: RwLock::new(Arc::new(vault)), scrubber, path, passphrase, seen }))
    }

    /// What is in force now.
    pub fn now(&self) -> Arc<Vault> {
        Arc::clone(&self.0.present.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What knows all secrets that were ever in force.
    pub fn scrubber(&self) -> Arc<Scrubber> {
        Arc::clone(&self.0.scrubber)
    }

    /// Whether the file is another than at the last look; each change is told once.
    pub fn has_changed(&self) -> bool {
        let now = self.0.path.as_deref().and_then(stamp);
        let mut seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *seen, now) != now
    }

    /// Puts what is in the file into force; those of the environment stay. It takes a second.
    pub fn reload(&self) -> Result<Reloaded, FetchError> {
        let Some(path) = &self.0.path else { return Ok(Reloaded::default()) };
        let passphrase = self.0.passphrase.as_ref().ok_or_else(|| FetchError::Locked(path.clone()))?;
        let mut vault = Vault::open(path, passphrase)?;
        let before = self.now();
        for credential in before.credentials.iter().filter(|known| known.origin == Origin::Environment) {
            vault.put(credential.clone())?;
        }
        let reloaded = Reloaded {
            added: names(&vault, |known| {
                before.credential(&known.name).is_none_or(|it| it.info() != known.info())
            }),
            removed: names(&before, |known| vault.credential(&known.name).is_none()),
        };
        self.put(vault);
        Ok(reloaded)
    }

    /// The network gave this credential a new token, or took it back: everybody learns of it, and the file.
    pub(crate) async fn renewed(&self, credential: Credential) {
        let name = Arc::clone(&credential.name);
        let mut vault = self.now().copy();
        if vault.put(credential.clone()).is_ok() {
            self.put(vault);
        }
        if let Err(error) = self.save(&credential).await {
            tracing::warn!(credential = &*name, "its new token is in use and could not be saved: {error}");
        }
    }

    async fn save(&self, credential: &Credential) -> Result<(), FetchError> {
        let (Some(path), Some(passphrase)) = (self.0.path.clone(), self.0.passphrase.clone()) else {
            return Ok(());
        };
        if credential.origin != Origin::File {
            return Ok(());
        }
        let credential = credential.clone();
        let change = move || {
            Vault::change(&path, &passphrase, |vault| match vault.credential(&credential.name) {
                // Whoever removed it meanwhile wants it gone.
                None => Ok(()),
                Some(_) => vault.put(credential),
            })
        };
        match tokio::task::spawn_blocking(change).await {
            Ok(changed) => changed.map(|_| ()),
            Err(error) => Err(FetchError::Client(error.to_string())),
        }
    }

    fn put(&self, vault: Vault) {
        for credential in &vault.credentials {
            credential.secrets().for_each(|secret| self.0.scrubber.learn(&credential.name, secret));
        }
        *self.0.present.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(vault);
    }
}

impl From<Vault> for LiveVault {
    fn from(vault: Vault) -> Self {
        Self::made(vault, None, None)
    }
}

impl From<Arc<Vault>> for LiveVault {
    fn from(vault: Arc<Vault>) -> Self {
        Self::from(vault.copy())
    }
}

impl Vault {
    /// The same credentials, and the same scrubber.
    fn copy(&self) -> Self {
        Self {
            credentials: self.credentials.clone(),
            scrubber: Arc::clone(&self.scrubber),
            file: self.file.clone(),
            has_warned: self.has_warned.load(std::sync::atomic::Ordering::Relaxed).into(),
        }
    }
}

fn names(vault: &Vault, is_wanted: impl Fn(&Credential) -> bool) -> Vec<Arc<str>> {
    let wanted = vault.credentials.iter().filter(|known| is_wanted(known));
    wanted.map(|known| Arc::clone(&known.name)).collect()
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
