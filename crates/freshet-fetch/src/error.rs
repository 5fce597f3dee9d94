//! What can go wrong in setting up this crate's parts; exchanges fail with a `Fault` instead.
//!
//! Invariant: no message holds a secret. Secrets are never given to a variant.

use std::path::PathBuf;

/// Why a part of this crate could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The contact for the `User-Agent` cannot be used.
    #[error("`{0}` cannot be the contact in the user agent; give a web or mail address in plain ASCII")]
    Contact(String),
    /// The HTTP client could not be made.
    #[error("the HTTP client could not be made: {0}")]
    Client(String),
    /// A file could not be read or written.
    #[error("`{path}` could not be {verb}: {cause}")]
    File {
        path: PathBuf,
        /// `read`, `written` or `locked`.
        verb: &'static str,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The credentials file does not open with this passphrase.
    #[error("the passphrase does not open `{0}`; try again, or remove the file to start anew")]
    Passphrase(PathBuf),
    /// There is a credentials file, and nobody gave its passphrase.
    #[error("`{0}` is there now, and its passphrase is not known; start again with FRESHET_PASSPHRASE")]
    Locked(PathBuf),
    /// Logging in failed.
    #[error("no login at `{network}`: {why}")]
    Login {
        network: String,
        /// What went wrong, and what to do.
        why: String,
    },
    /// The credentials file is not one.
    #[error("`{path}` is not a credentials file: {why}; restore it from a copy, or remove it")]
    Vault {
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The vault came from nowhere and cannot be saved.
    #[error("these credentials have no file; open the vault with a path and a passphrase to save them")]
    VaultWithoutFile,
    /// A credential cannot be used.
    #[error("credential `{name}` cannot be used: {why}")]
    Credential {
        name: String,
        /// What is wrong, and what to do.
        why: String,
    },
    /// There is no such credential.
    #[error("there is no credential `{0}` in the file; `freshet credentials list` shows them")]
    NoCredential(String),
    /// A recording cannot be read.
    #[error("line {line} of the recording `{path}` cannot be read: {why}")]
    Recording {
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// The remote clock does not answer as one.
    #[error("`{url}` is not a clock: {why}; a clock answers {{\"now\": unix seconds, \"speed\": number}}")]
    Clock {
        url: String,
        /// What is wrong.
        why: String,
    },
}
