//! Changing the credentials file: read, changed and written by one process at a time.
//!
//! A crawl saves the tokens that it renews while people add and remove credentials; without the lock the later writer
//! would undo what the earlier one did. The lock is the operating system's, on a file beside it, and dies with its process.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

use secrecy::SecretString;

use super::Vault;
use crate::FetchError;

/// Attempts to get the lock; opening and writing the file takes about two seconds.
const LOCK_ATTEMPTS: u32 = 600;
/// Wall time between two of them.
const LOCK_GAP: Duration = Duration::from_millis(50);

impl Vault {
    /// Opens the file, changes what is in it, and writes it whole, with nobody in between. It takes seconds.
    pub fn change<T>(
        path: &Path,
        passphrase: &SecretString,
        change: impl FnOnce(&mut Self) -> Result<T, FetchError>,
    ) -> Result<(T, Self), FetchError> {
        let _lock = lock(path)?;
        let mut vault = Self::open(path, passphrase)?;
        #[cfg(test)]
        let mut vault = std::mem::take(&mut vault).with_work_factor(super::tests::WORK_FACTOR);
        let given = change(&mut vault)?;
        vault.save()?;
        Ok((given, vault))
    }
}

fn lock(path: &Path) -> Result<File, FetchError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".lock");
    let failed = |cause| FetchError::File { path: path.to_owned(), verb: "locked", cause };
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&beside).map_err(failed)?;
    for _ in 0..LOCK_ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::park_timeout(LOCK_GAP),
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
    }
    Err(failed(std::io::Error::new(std::io::ErrorKind::WouldBlock, "another process is changing it")))
}
