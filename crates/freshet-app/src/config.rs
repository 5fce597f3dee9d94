//! Configuration: the one place that reads the environment, once, at the start.
//!
//! | variable | meaning |
//! |---|---|
//! | `FRESHET_DATA` | the data directory, unless `--data` |
//! | `FRESHET_STORE` | the address of the store, unless `--store` |
//! | `FRESHET_PASSPHRASE` | opens `credentials.age` |
//! | `FRESHET_CREDENTIAL_…` | secrets that need no file |
//! | `FRESHET_CONTACT` | address in the user agent; goes before `init --contact` |
//! | `FRESHET_DASHBOARD_TOKEN` | opens the dashboard to programs, and to people instead of a password |
//! | `FRESHET_ALERT_SECRET_…` | password or token of a receiver of alerts |
//! | `FRESHET_LOG` | what to log, as `tracing` directives |
//! | `NO_COLOR` | no colour, unless `--color always` |
//!
//! Nothing here is shown in `Debug`: half of it is secret.

use std::ffi::OsString;
use std::path::PathBuf;

use freshet_fetch::{FetchError, Vault};
use secrecy::{ExposeSecret as _, SecretString};

use crate::place::Place;

/// How the names of variables begin that hold a secret each.
const CREDENTIAL_PREFIX: &str = "FRESHET_CREDENTIAL_";

/// How the names of variables begin that hold a receiver's secret each.
const ALERT_PREFIX: &str = "FRESHET_ALERT_SECRET_";
/// How the names of all our variables begin.
const OWN_PREFIX: &str = "FRESHET_";

/// The names of all our variables that are set: other programs have no business with them.
pub fn own_variables() -> impl Iterator<Item = OsString> {
    let names = std::env::vars_os().map(|(name, _)| name);
    names.filter(|name| name.to_string_lossy().starts_with(OWN_PREFIX))
}

/// What the environment says.
#[derive(Default)]
#[expect(missing_debug_implementations, reason = "half of it is secret")]
pub struct Config {
    data_dir: Option<PathBuf>,
    store: Option<SecretString>,
    /// Opens the credentials file.
    pub passphrase: Option<SecretString>,
    /// Address in the user agent.
    pub contact: Option<String>,
    /// Opens the dashboard.
    pub dashboard_token: Option<SecretString>,
    /// Directives for the log.
    pub log: Option<String>,
    /// Colour is not wanted.
    pub has_no_color: bool,
    credentials: Vec<(String, SecretString)>,
    alert_secrets: Vec<(String, SecretString)>,
}

impl Config {
    /// Reads the environment of this process.
    pub fn from_environment() -> Self {
        Self::from_variables(std::env::vars_os())
    }

    fn from_variables(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut config = Self::default();
        let (mut data, mut xdg, mut home) = (None, None, None);
        for (key, value) in variables {
            let (Some(key), false) = (key.to_str(), value.is_empty()) else { continue };
            let text = || value.to_str().map(str::to_owned);
            match key {
                "FRESHET_DATA" => data = Some(PathBuf::from(&value)),
                "FRESHET_STORE" => config.store = text().map(SecretString::from),
                "XDG_DATA_HOME" => xdg = Some(PathBuf::from(&value)),
                "HOME" => home = Some(PathBuf::from(&value)),
                "FRESHET_PASSPHRASE" => config.passphrase = text().map(SecretString::from),
                "FRESHET_CONTACT" => config.contact = text(),
                "FRESHET_DASHBOARD_TOKEN" => config.dashboard_token = text().map(SecretString::from),
                "FRESHET_LOG" => config.log = text(),
                "NO_COLOR" => config.has_no_color = true,
                _ if key.starts_with(ALERT_PREFIX) => {
                    let name = key[ALERT_PREFIX.len()..].to_owned();
                    config.alert_secrets.extend(text().map(|value| (name, value.into())));
                }
                _ if key.starts_with(CREDENTIAL_PREFIX) => {
                    config.credentials.extend(text().map(|value| (key.to_owned(), value.into())));
                }
                _ => {}
            }
        }
        let shared = xdg.filter(|dir| dir.is_absolute()).or(home.map(|home| home.join(".local/share")));
        config.data_dir = data.or(shared.map(|dir| dir.join("freshet")));
        config
    }

    /// Secrets of receivers of alerts, by name in capitals.
    pub fn alert_secrets(&self) -> Vec<(String, SecretString)> {
        self.alert_secrets.clone()
    }

    /// The credentials among the variables.
    pub fn vault(&self) -> Result<Vault, FetchError> {
        let pairs = self.credentials.iter();
        Vault::from_environment(pairs.map(|(key, secret)| (key.clone(), secret.expose_secret().to_owned())))
    }
}

/// What every command is given.
#[expect(missing_debug_implementations, reason = "half of the configuration is secret")]
pub struct Globals {
    /// The data directory; it need not exist yet.
    pub data_dir: PathBuf,
    /// `--store`, if it was given: the store is not the file of the data directory.
    pub store: Option<SecretString>,
    /// `--clock`, if it was given.
    pub clock: Option<String>,
    /// As whom the store is read; `None`: as everybody.
    pub viewer: Option<String>,
    /// How often `-v` was given.
    pub verbosity: u8,
    /// What the environment says.
    pub config: Config,
}

impl Globals {
    /// Options first, the environment second; with neither, a folder where we stand.
    pub fn new(data_dir: Option<PathBuf>, clock: Option<String>, verbosity: u8, config: Config) -> Self {
        let data_dir = data_dir.or_else(|| config.data_dir.clone());
        let data_dir = data_dir.unwrap_or_else(|| PathBuf::from("freshet-data"));
        Self { data_dir, store: config.store.clone(), clock, viewer: None, verbosity, config }
    }

    /// The same as this viewer, where one is named.
    #[must_use]
    pub fn seen_as(self, viewer: Option<String>) -> Self {
        Self { viewer, ..self }
    }

    /// With the store of this address rather than that of the data directory or of the environment.
    #[must_use]
    pub fn with_store(self, store: Option<String>) -> Self {
        Self { store: store.map(SecretString::from).or(self.store), ..self }
    }

    /// The data directory with its store.
    pub fn place(&self) -> Place {
        Place::new(&self.data_dir, self.store.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[(&str, &str)], data: Option<&str>, shown: &str) {
        let pairs = variables.iter().map(|(key, value)| (OsString::from(key), OsString::from(value)));
        let globals = Globals::new(data.map(PathBuf::from), None, 0, Config::from_variables(pairs));
        assert_eq!(globals.data_dir, PathBuf::from(shown), "{variables:?}");
    }

    #[test]
    fn the_data_directory_is_found() {
        check(&[], None, "freshet-data");
        check(&[("HOME", "/h")], None, "/h/.local/share/freshet");
        check(&[("HOME", "/h"), ("XDG_DATA_HOME", "/x")], None, "/x/freshet");
        check(&[("HOME", "/h"), ("XDG_DATA_HOME", "relative")], None, "/h/.local/share/freshet");
        check(&[("HOME", "/h"), ("FRESHET_DATA", "d")], None, "d");
        check(&[("FRESHET_DATA", "d")], Some("e"), "e");
        check(&[("FRESHET_DATA", "")], None, "freshet-data");
    }

    #[test]
    fn credentials_are_found() {
        let pairs = [("FRESHET_CREDENTIAL_BLUESKY_ALICE", "alice.test:word-word"), ("OTHER", "x")];
        let pairs = pairs.map(|(key, value)| (OsString::from(key), OsString::from(value)));
        let vault = Config::from_variables(pairs).vault().unwrap();
        assert_eq!(vault.list().len(), 1);
    }
}
