//! Credentials: secrets into the encrypted file, and out of it again; only their names are ever shown.

use std::collections::BTreeSet;
use std::path::Path;

use freshet_fetch::{Credential, CredentialInfo, CredentialKind, Vault};
use freshet_network::networks::Networks;
use freshet_report::credentials::CredentialLine;
use freshet_report::time::UnixNumber;
use freshet_store::api::{Settings, Store, StoreError};
use freshet_store::browse::SourceQuery;
use freshet_store::control::{Control, SourcesChange};
use freshet_store::setting::{Json, Setting};
use freshet_types::{NetworkName, RobotKind, Source, SourceId, SourceState, Timestamp};
use secrecy::SecretString;

use crate::data::{Data, vault_path};
use crate::failure::Failure;
use crate::networks::{has_many_hosts, no_network};
use crate::viewers;

/// Sources that a new credential wakes at most; the others come when they are due.
const WAKE_MAX: usize = 10_000;

/// Networks whose terms allow several tokens.
const MANY_TOKENS: Setting<Json<BTreeSet<String>>> = Setting::new("many_tokens");

/// When a crawl that has the passphrase knows of a change.
pub const SEEN: &str = "a crawl that runs sees it within seconds";

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
    /// The app it belongs to: tokens of one app share its quotas.
    pub app: Option<&'a str>,
    /// Whose it is: tokens of one user share the user's quotas.
    pub user: Option<&'a str>,
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
    let name = wanted.name.unwrap_or(wanted.network);
    let mut credential = Credential::new(name, &network, wanted.kind, wanted.robot, wanted.secret)?;
    let named = |text: Option<&str>| text.map(str::to_owned);
    credential.app = named(wanted.app).or(credential.app);
    credential.identifier = named(wanted.user).or(credential.identifier);
    let info = credential.info();
    let ((), vault) = Vault::change(path, passphrase, |vault| vault.add(credential))?;
    Ok((info, vault.list()))
}

/// Removes a credential from the file, with everything that was read as it; gives what it was, and what is left.
pub fn discard(
    data: &mut Data,
    passphrase: &SecretString,
    name: &str,
) -> anyhow::Result<(CredentialInfo, Vec<CredentialInfo>)> {
    let path = vault_path(data.dir());
    // A wrong passphrase, or a name that nobody has, removes nothing.
    let known = Vault::open(&path, passphrase)?.list();
    if known.iter().any(|info| &*info.name == name) {
        // First: whoever dies in between can say the same again.
        viewers::remove(data, name)?;
    }
    let (removed, vault) = Vault::change(&path, passphrase, |vault| vault.remove(name))?;
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
        app: info.app.clone(),
        expires_at: info.expires_at.and_then(UnixNumber::of),
        state: info.state.name().to_owned(),
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

/// Networks on which several tokens are used in turn. Elsewhere one is, until a person has read the terms and says otherwise.
pub(crate) fn many_tokens(store: &(impl Settings + ?Sized)) -> Result<BTreeSet<String>, StoreError> {
    Ok(MANY_TOKENS.get(store)?.unwrap_or_default().0)
}

/// Says whether a network's terms allow several tokens to be used in turn; gives all networks of which that holds now.
pub fn set_many_tokens(
    data: &mut Data,
    networks: &Networks,
    name: &str,
    is_allowed: bool,
) -> anyhow::Result<Vec<String>> {
    let network = NetworkName::from(name);
    if networks.connector_for(&network).is_none() {
        return Err(no_network(networks, network.definition()));
    }
    let mut known = many_tokens(&data.store)?;
    if is_allowed {
        known.insert(name.to_owned());
    } else {
        known.remove(name);
    }
    let report = known.iter().cloned().collect();
    MANY_TOKENS.put(&mut data.store, &Json(known))?;
    Ok(report)
}

/// What a network showed only to those who log in is looked at again: somebody did. A run that is under way does this by
/// itself once it has the credential, since it would ask without it before.
pub fn wake_unless_running(data: &mut Data, network: &NetworkName) -> anyhow::Result<()> {
    if data.runner().is_none() {
        wake(&mut data.store, network)?;
    }
    Ok(())
}

/// The same, at once.
pub(crate) fn wake(store: &mut dyn Store, network: &NetworkName) -> Result<(), StoreError> {
    let query = SourceQuery {
        state: Some(SourceState::AuthRequired),
        network: Some(network.to_string()),
        limit: WAKE_MAX,
        ..SourceQuery::default()
    };
    let sources = store.list_sources(&query)?.sources;
    let ids: Vec<SourceId> = sources.iter().map(|source| source.id).collect();
    if ids.is_empty() {
        return Ok(());
    }
    for source in sources {
        let due_at = Timestamp::default();
        store.put_source(&Source {
            state: SourceState::Active,
            attempts: 0,
            failure: None,
            due_at,
            ..source
        })?;
    }
    store.push_control(&Control::Sources(SourcesChange::Watched(ids)))?;
    Ok(())
}
