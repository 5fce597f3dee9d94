//! Credentials: secrets into the encrypted file, and out of it again; only their names are ever shown.

use std::path::Path;

use freshet_fetch::{Credential, CredentialInfo, CredentialKind, Vault};
use freshet_network::networks::Networks;
use freshet_report::credentials::CredentialLine;
use freshet_types::{NetworkName, RobotKind};
use secrecy::SecretString;

use crate::failure::Failure;
use crate::networks::has_many_hosts;

/// The file is opened with its passphrase when a crawl starts, and not again.
pub const RESTART: &str = "a crawl that runs sees it when it is started again";

/// A credential to keep, wherever it was typed.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// For this network or server.
    pub network: &'a str,
    /// What to call it; the network's name unless given.
    pub name: Option<&'a str>,
    /// What sort it is.
    pub kind: CredentialKind,
    /// The only robot that may use it.
    pub robot: Option<RobotKind>,
    pub secret: &'a SecretString,
}

/// Adds a credential to the file; gives what may be shown of it, and of all in the file.
pub fn keep(
    path: &Path,
    passphrase: &SecretString,
    networks: &Networks,
    wanted: &Wanted<'_>,
) -> anyhow::Result<(CredentialInfo, Vec<CredentialInfo>)> {
    let network = check_network(networks, wanted.network)?;
    let mut vault = Vault::open(path, passphrase)?;
    let name = wanted.name.unwrap_or(wanted.network);
    let credential = Credential::new(name, &network, wanted.kind, wanted.robot, wanted.secret)?;
    let info = credential.info();
    vault.add(credential)?;
    vault.save()?;
    Ok((info, vault.list()))
}

/// Removes a credential from the file; gives what it was, and what is left.
pub fn discard(
    path: &Path,
    passphrase: &SecretString,
    name: &str,
) -> anyhow::Result<(CredentialInfo, Vec<CredentialInfo>)> {
    let mut vault = Vault::open(path, passphrase)?;
    let removed = vault.remove(name)?;
    vault.save()?;
    Ok((removed, vault.list()))
}

/// What may be shown of it, as reports have it.
pub fn line_of(info: &CredentialInfo) -> CredentialLine {
    CredentialLine {
        name: info.name.to_string(),
        network: info.network.clone(),
        kind: info.kind.name().to_owned(),
        robot: info.robot,
        identifier: info.identifier.clone(),
        origin: info.origin.name().to_owned(),
    }
}

/// The network that is meant, where a secret can be kept for it.
pub fn check_network(networks: &Networks, name: &str) -> anyhow::Result<NetworkName> {
    let network = NetworkName::from(name);
    if networks.connector_for(&network).is_none() {
        let failure = Failure::misuse(format!("there is no network `{}`", network.definition()));
        return Err(failure.hint(format!("the networks are {}", networks.names().join(", "))).into());
    }
    if network.host().is_none() && has_many_hosts(networks, network.definition()) {
        let name = network.definition();
        let failure =
            Failure::misuse(format!("`{name}` has many servers, and a secret is shown to one only"));
        return Err(failure.hint(format!("name it, as in `{name}:example.social`")).into());
    }
    Ok(network)
}
