//! The vault: all credentials of a process, from the environment and from `credentials.age`.
//!
//! The file is encrypted by age with a passphrase (scrypt), so that `age -d` opens it too; in
//! it stands TOML, one `[[credential]]` after the other. It is replaced whole, by renaming a
//! finished neighbour, readable by its owner only. Secrets leave only towards [`crate::http`].

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use age::{Decryptor, Encryptor, scrypt};
use freshet_types::{Holder, NetworkName, RobotKind};
use secrecy::zeroize::{Zeroize, Zeroizing};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::credential::{Credential, CredentialInfo, CredentialKind, GrantEntry, Origin, from_variable};
use crate::{FetchError, Scrubber};

mod live;
mod locked;

pub use live::{LiveVault, Reloaded};

/// Largest credentials file that is read; a thousand long tokens fit.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// Most credentials; beyond it a mistake is likelier than a need.
const CREDENTIALS_MAX: usize = 10_000;

/// Largest scrypt work factor accepted from a file: 2^22 needs 4 GiB, which age never chooses.
const WORK_FACTOR_MAX: u8 = 21;

/// All credentials that this process may show.
#[derive(Debug, Default)]
pub struct Vault {
    credentials: Vec<Credential>,
    scrubber: Arc<Scrubber>,
    file: Option<VaultFile>,
    has_warned: AtomicBool,
}

#[derive(Clone, Debug)]
struct VaultFile {
    path: PathBuf,
    passphrase: SecretString,
    work_factor: Option<u8>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    #[serde(default)]
    credential: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    network: NetworkName,
    kind: CredentialKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    robot: Option<RobotKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    identifier: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    secret: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    grant: Option<GrantEntry>,
}

impl Vault {
    /// No credentials, no file.
    pub fn empty() -> Self {
        Self::default()
    }

    /// Opens the file; a file that does not exist yet is an empty vault that [`Vault::save`] makes.
    pub fn open(path: &Path, passphrase: &SecretString) -> Result<Self, FetchError> {
        let file = VaultFile { path: path.to_owned(), passphrase: passphrase.clone(), work_factor: None };
        let mut vault = Self { file: Some(file), ..Self::default() };
        let Some(sealed) = read_bounded(path)? else { return Ok(vault) };
        let text = decrypt(path, passphrase, &sealed)?;
        let document: Document = toml::from_str(&text).map_err(|error| {
            // Its own message may quote a value, hence a secret; the place is enough.
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let why = format!("its TOML is wrong in line {}", before.matches('\n').count() + 1);
            FetchError::Vault { path: path.to_owned(), why }
        })?;
        for entry in document.credential {
            vault.insert(entry.into_credential()?)?;
        }
        Ok(vault)
    }

    /// The credentials among these environment variables; the others are ignored.
    pub fn from_environment(
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, FetchError> {
        let mut vault = Self::empty();
        let mut variables: Vec<(String, String)> = variables.into_iter().collect();
        variables.sort();
        for (key, value) in &variables {
            if let Some(credential) = from_variable(key, value) {
                vault.insert(credential?)?;
            }
        }
        Ok(vault)
    }

    /// Cheaper scrypt for tests, or dearer for the careful: `2^work_factor`.
    #[cfg(test)]
    pub(crate) fn with_work_factor(mut self, work_factor: u8) -> Self {
        if let Some(file) = &mut self.file {
            file.work_factor = Some(work_factor.clamp(1, WORK_FACTOR_MAX));
        }
        self
    }

    /// Takes over the credentials of another vault; on equal names the other's wins.
    pub fn merge(&mut self, other: Self) -> Result<(), FetchError> {
        for credential in other.credentials {
            self.credentials.retain(|known| known.name != credential.name);
            self.insert(credential)?;
        }
        Ok(())
    }

    /// Adds a credential; a name that is taken is refused.
    pub fn add(&mut self, credential: Credential) -> Result<(), FetchError> {
        if self.credential(&credential.name).is_some() {
            let why = "the name is taken; remove the old one first, or choose another name".to_owned();
            return Err(FetchError::Credential { name: credential.name.to_string(), why });
        }
        self.insert(credential.checked()?)
    }

    /// Adds a credential, or puts it in the place of the one of its name.
    pub fn put(&mut self, credential: Credential) -> Result<(), FetchError> {
        let credential = credential.checked()?;
        self.credentials.retain(|known| known.name != credential.name);
        self.insert(credential)
    }

    /// Removes a credential of the file by its name.
    pub fn remove(&mut self, name: &str) -> Result<CredentialInfo, FetchError> {
        let is_it = |known: &Credential| &*known.name == name && known.origin == Origin::File;
        let at = self.credentials.iter().position(is_it);
        let at = at.ok_or_else(|| FetchError::NoCredential(name.to_owned()))?;
        Ok(self.credentials.remove(at).info())
    }

    /// All credentials by name, without their secrets.
    pub fn list(&self) -> Vec<CredentialInfo> {
        self.credentials.iter().map(Credential::info).collect()
    }

    /// The credentials that are equally good for this robot on this network, with whom each shares its quotas. One that a
    /// person named for the robot is used before all others.
    pub fn holders(
        &self,
        network: &NetworkName,
        robot: Option<RobotKind>,
        named: Option<&str>,
    ) -> Vec<Holder> {
        let is_fit = |known: &&Credential| {
            known.is_for(network)
                && !known.is_refused()
                && known.robot.is_none_or(|reserved| Some(reserved) == robot)
        };
        let named = named.and_then(|name| self.credential(name)).filter(is_fit);
        if let Some(known) = named {
            return vec![known.holder()];
        }
        self.choices(network, robot).into_iter().map(Credential::holder).collect()
    }

    /// All equally good credentials: the robot's own ones, else those of no robot.
    fn choices(&self, network: &NetworkName, robot: Option<RobotKind>) -> Vec<&Credential> {
        let of = |wanted: Option<RobotKind>| -> Vec<&Credential> {
            self.credentials
                .iter()
                .filter(|known| known.is_for(network) && known.robot == wanted && !known.is_refused())
                .collect()
        };
        let own = if robot.is_some() { of(robot) } else { Vec::new() };
        let names = if own.is_empty() { of(None) } else { own };
        if names.is_empty() {
            self.warn_of_missing_host(network);
        }
        names
    }

    /// A token without a server is never shown to one of many; silence would puzzle its owner.
    fn warn_of_missing_host(&self, network: &NetworkName) {
        let lacks_host =
            |known: &&Credential| network.host().is_some() && known.network.as_str() == network.definition();
        if let Some(known) = self.credentials.iter().find(lacks_host)
            && !self.has_warned.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                credential = &*known.name,
                network = network.as_str(),
                "the credential names no server and is not shown to this one; name it, as in `example.social TOKEN`"
            );
        }
    }

    /// Replaces the file by one with all credentials of the vault but those of the environment.
    pub fn save(&self) -> Result<(), FetchError> {
        let file = self.file.as_ref().ok_or(FetchError::VaultWithoutFile)?;
        let of_file = self.credentials.iter().filter(|known| known.origin == Origin::File);
        let document = Document { credential: of_file.map(Entry::from_credential).collect() };
        let text = toml::to_string(&document).map(Zeroizing::new);
        let text = text.expect("names, words and strings are always TOML");
        let failed = |cause| FetchError::File { path: file.path.clone(), verb: "written", cause };
        let sealed = encrypt(file, text.as_bytes()).map_err(failed)?;
        write_whole(&file.path, &sealed).map_err(failed)
    }

    /// The text without any secret of this vault.
    pub fn scrub(&self, text: &str) -> String {
        self.scrubber.scrub(text).into_owned()
    }

    /// What knows all secrets of this vault, and the tokens they were exchanged for.
    pub fn scrubber(&self) -> Arc<Scrubber> {
        Arc::clone(&self.scrubber)
    }

    /// The credential of this name.
    pub(crate) fn credential(&self, name: &str) -> Option<&Credential> {
        self.credentials.iter().find(|known| &*known.name == name)
    }

    fn insert(&mut self, credential: Credential) -> Result<(), FetchError> {
        if self.credentials.len() >= CREDENTIALS_MAX {
            let why = format!("there are {CREDENTIALS_MAX} already; remove some first");
            return Err(FetchError::Credential { name: credential.name.to_string(), why });
        }
        for secret in credential.secrets() {
            self.scrubber.learn(&credential.name, secret);
        }
        let at = self.credentials.partition_point(|known| known.name < credential.name);
        self.credentials.insert(at, credential);
        Ok(())
    }
}

impl Entry {
    fn from_credential(credential: &Credential) -> Self {
        Self {
            name: credential.name.to_string(),
            network: credential.network.clone(),
            kind: credential.kind,
            robot: credential.robot,
            identifier: credential.identifier.clone(),
            app: credential.app.clone(),
            secret: credential.secret.expose_secret().to_owned(),
            grant: credential.grant.as_ref().map(GrantEntry::of),
        }
    }

    fn into_credential(mut self) -> Result<Credential, FetchError> {
        let credential = Credential {
            name: self.name.as_str().into(),
            network: self.network.clone(),
            kind: self.kind,
            robot: self.robot,
            identifier: self.identifier.take(),
            app: self.app.take(),
            secret: self.secret.as_str().into(),
            grant: self.grant.as_ref().map(GrantEntry::grant),
            origin: Origin::File,
        };
        credential.checked()
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.secret.zeroize();
        self.grant.iter_mut().flat_map(GrantEntry::secrets_mut).for_each(Zeroize::zeroize);
    }
}

fn read_bounded(path: &Path) -> Result<Option<Vec<u8>>, FetchError> {
    let failed = |cause| FetchError::File { path: path.to_owned(), verb: "read", cause };
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut sealed = Vec::new();
    file.take(FILE_BYTES_MAX + 1).read_to_end(&mut sealed).map_err(failed)?;
    if sealed.len() as u64 > FILE_BYTES_MAX {
        return Err(FetchError::Vault { path: path.to_owned(), why: "it is larger than 16 MiB".to_owned() });
    }
    Ok(Some(sealed))
}

fn decrypt(path: &Path, passphrase: &SecretString, sealed: &[u8]) -> Result<Zeroizing<String>, FetchError> {
    let broken = |why: &str| FetchError::Vault { path: path.to_owned(), why: why.to_owned() };
    let decryptor = Decryptor::new_buffered(sealed).map_err(|_| broken("it was not written by age"))?;
    let mut identity = scrypt::Identity::new(passphrase.clone());
    identity.set_max_work_factor(WORK_FACTOR_MAX);
    let mut reader = match decryptor.decrypt(std::iter::once(&identity as &dyn age::Identity)) {
        Ok(reader) => reader,
        Err(age::DecryptError::NoMatchingKeys) => {
            return Err(broken("it is encrypted for a key, not with a passphrase"));
        }
        Err(age::DecryptError::ExcessiveWork { .. }) => return Err(broken("its work factor is too high")),
        Err(_) => return Err(FetchError::Passphrase(path.to_owned())),
    };
    let mut text = Zeroizing::new(String::new());
    reader.read_to_string(&mut text).map_err(|_| broken("it was cut short or changed"))?;
    Ok(text)
}

fn encrypt(file: &VaultFile, text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut recipient = scrypt::Recipient::new(file.passphrase.clone());
    if let Some(work_factor) = file.work_factor {
        recipient.set_work_factor(work_factor);
    }
    let encryptor = Encryptor::with_recipients(std::iter::once(&recipient as &dyn age::Recipient))
        .map_err(std::io::Error::other)?;
    let mut sealed = Vec::new();
    let mut writer = encryptor.wrap_output(&mut sealed)?;
    writer.write_all(text)?;
    writer.finish()?;
    Ok(sealed)
}

/// Writes a neighbour first and renames it, so that a crash leaves the old file or the new one.
fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut neighbour = path.as_os_str().to_owned();
    neighbour.push(format!(".{}.new", std::process::id()));
    // What an earlier crash left there may be readable by others, hence made anew.
    drop(std::fs::remove_file(&neighbour));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(&neighbour).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    let renamed = written.and_then(|()| std::fs::rename(&neighbour, path));
    if renamed.is_err() {
        // Nothing more can be done about the neighbour; the first error is the one to report.
        drop(std::fs::remove_file(&neighbour));
    }
    renamed
}

#[cfg(test)]
mod tests;
