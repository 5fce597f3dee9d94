//! Credentials: what a network gave us to show, one by one; the vault holds them together.
//!
//! A credential belongs to one network, or to one server of it, and is shown to no other: a
//! token of one server sent to a second would be a gift to its owner. The environment gives
//! them as `FRESHET_CREDENTIAL_<NETWORK>[_<NAME>]`; the environment itself is read elsewhere.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use freshet_types::{Holder, NetworkName, RobotKind, Timestamp};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::FetchError;
use crate::scrub::SECRET_BYTES_MIN;

mod grant;

pub use grant::Grant;
pub(crate) use grant::GrantEntry;

/// How the names of credentials in the environment begin.
pub(crate) const ENVIRONMENT_PREFIX: &str = "FRESHET_CREDENTIAL_";

/// Longest name, network or identifier; longer ones are a mistake.
const NAME_BYTES_MAX: usize = 256;

/// Longest secret; JSON web tokens reach a few kilobytes, and servers refuse longer headers.
const SECRET_BYTES_MAX: usize = 8192;

/// What sort of secret it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CredentialKind {
    /// A token shown as it is.
    Bearer,
    /// An identifier and a password that are exchanged for a session.
    AppPassword,
    /// A key of an application.
    ApiKey,
    /// An access token of OAuth 2, with what renews it.
    Oauth2,
    /// A token of OAuth 1.0a, with the secrets that requests are signed by.
    Oauth1,
}

impl CredentialKind {
    /// The name that people type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bearer => "bearer",
            Self::AppPassword => "app_password",
            Self::ApiKey => "api_key",
            Self::Oauth2 => "oauth2",
            Self::Oauth1 => "oauth1",
        }
    }
}

impl fmt::Display for CredentialKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for CredentialKind {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Bearer, Self::AppPassword, Self::ApiKey, Self::Oauth2, Self::Oauth1]
            .into_iter()
            .find(|kind| kind.name() == text)
            .ok_or_else(|| {
                format!(
                    "there is no credential kind `{text}`; the kinds are bearer, app_password, api_key, oauth1, oauth2"
                )
            })
    }
}

/// Where a credential came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// An environment variable; never saved.
    Environment,
    /// The encrypted file.
    File,
}

impl Origin {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Environment => "environment",
            Self::File => "file",
        }
    }
}

/// One credential with its secret; its `Debug` shows none.
#[derive(Clone, Debug)]
pub struct Credential {
    /// Its name, unique in the vault; requests and quotas use it.
    pub name: Arc<str>,
    /// The network it is for, or the one server of it.
    pub network: NetworkName,
    /// What sort it is.
    pub kind: CredentialKind,
    /// The only robot that may use it, if it is reserved.
    pub robot: Option<RobotKind>,
    /// Who it speaks for: the user, whose tokens share the quotas of a user.
    pub identifier: Option<String>,
    /// The app's id at the network: tokens of one app share its quotas.
    pub app: Option<String>,
    pub secret: SecretString,
    /// What OAuth gave with it.
    pub grant: Option<Grant>,
    /// Where it came from.
    pub origin: Origin,
}

/// A credential without its secret, for lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CredentialInfo {
    pub name: Arc<str>,
    /// The network it is for, or the one server of it.
    pub network: NetworkName,
    /// What sort it is.
    pub kind: CredentialKind,
    /// The only robot that may use it, if it is reserved.
    pub robot: Option<RobotKind>,
    /// Who it speaks for.
    pub identifier: Option<String>,
    /// The app it belongs to.
    pub app: Option<String>,
    /// Where it came from.
    pub origin: Origin,
    /// When its token runs out, where that is known.
    pub expires_at: Option<Timestamp>,
    /// Whether it can be used, as far as is known.
    pub state: CredentialState,
}

/// Whether a credential can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CredentialState {
    /// As far as anybody knows.
    Ready,
    /// The network took it back: somebody must log in again.
    Refused,
}

impl CredentialState {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Refused => "refused",
        }
    }
}

impl Credential {
    /// A credential for the file. An app password is given as `identifier:password`.
    pub fn new(
        name: &str,
        network: &NetworkName,
        kind: CredentialKind,
        robot: Option<RobotKind>,
        secret: &SecretString,
    ) -> Result<Self, FetchError> {
        if kind == CredentialKind::Oauth2 {
            let why = format!("it comes by logging in; use `freshet login {network}`");
            return Err(FetchError::Credential { name: name.to_owned(), why });
        }
        let (app, grant, secret) = match kind {
            CredentialKind::Oauth1 => {
                let (app, grant, token) = grant::typed(name, secret)?;
                (Some(app), Some(grant), token)
            }
            _ => (None, None, secret.clone()),
        };
        let (identifier, secret) = split(name, kind, &secret)?;
        let credential = Self {
            name: name.into(),
            network: network.clone(),
            kind,
            robot,
            identifier,
            app,
            secret,
            grant,
            origin: Origin::File,
        };
        credential.checked()
    }

    /// Refuses what could not be shown to a network or could not be scrubbed.
    pub(crate) fn checked(self) -> Result<Self, FetchError> {
        let fail =
            |why: &str| Err(FetchError::Credential { name: self.name.to_string(), why: why.to_owned() });
        let is_name = |text: &str| {
            !text.is_empty() && text.len() <= NAME_BYTES_MAX && text.chars().all(|c| c.is_ascii_graphic())
        };
        let secret = self.secret.expose_secret();
        if !is_name(&self.name) || self.name.contains('/') {
            return fail("a name is up to 256 visible ASCII characters without `/`");
        }
        if !is_name(self.network.as_str()) {
            return fail("its network is not a name; give `network` or `network:host`");
        }
        if secret.len() < SECRET_BYTES_MIN || secret.len() > SECRET_BYTES_MAX {
            return fail("a secret has between 4 and 8192 bytes");
        }
        if secret.chars().any(char::is_control) {
            return fail("its secret holds a line break or another control character");
        }
        if self.kind == CredentialKind::AppPassword && self.identifier.is_none() {
            return fail("an app password needs its identifier; give `identifier:password`");
        }
        let is_named = |text: &Option<String>| text.as_deref().is_none_or(is_name);
        if !is_named(&self.app) || !is_named(&self.identifier) {
            return fail("the names of its app and its user have up to 256 visible ASCII characters");
        }
        let is_oauth = matches!(self.kind, CredentialKind::Oauth2 | CredentialKind::Oauth1);
        if is_oauth && (self.grant.is_none() || self.app.is_none()) {
            return fail("a token of OAuth belongs to an app, which is missing; log in again");
        }
        Ok(self)
    }

    /// What may be shown in lists.
    pub fn info(&self) -> CredentialInfo {
        CredentialInfo {
            name: Arc::clone(&self.name),
            network: self.network.clone(),
            kind: self.kind,
            robot: self.robot,
            identifier: self.identifier.clone(),
            app: self.app.clone(),
            origin: self.origin,
            expires_at: self.grant.as_ref().and_then(|grant| grant.expires_at),
            state: if self.is_refused() { CredentialState::Refused } else { CredentialState::Ready },
        }
    }

    /// Whose quotas its requests take from.
    pub(crate) fn holder(&self) -> Holder {
        let named = |text: &Option<String>| text.as_deref().map_or_else(|| Arc::clone(&self.name), Arc::from);
        Holder { credential: Arc::clone(&self.name), app: named(&self.app), user: named(&self.identifier) }
    }

    /// Whether the network took it back.
    pub fn is_refused(&self) -> bool {
        self.grant.as_ref().is_some_and(|grant| grant.is_refused)
    }

    /// Every secret in it.
    pub(crate) fn secrets(&self) -> impl Iterator<Item = &SecretString> {
        let granted = self.grant.iter().flat_map(Grant::secrets);
        std::iter::once(&self.secret).chain(granted)
    }

    /// Whether it is for this network: the same server, or a network that has only one.
    pub fn is_for(&self, network: &NetworkName) -> bool {
        self.network == *network
    }

    /// Whether it may be shown to the server behind this URL.
    pub(crate) fn may_go_to(&self, network: &NetworkName, url: &Url) -> bool {
        self.is_for(network)
            && network.host().is_none_or(|host| {
                let authority = &url[url::Position::BeforeHost..url::Position::AfterPort];
                authority.eq_ignore_ascii_case(host)
                    || authority.to_ascii_lowercase().ends_with(&format!(".{}", host.to_ascii_lowercase()))
            })
    }
}

/// Reads one variable; `None` for other variables and for empty ones.
///
/// `FRESHET_CREDENTIAL_MASTODON="example.social TOKEN"`: the server first, where a network has
/// many. `…_BLUESKY_ALICE="identifier:password"` is an app password. A name that is a robot's
/// (`…_STATUS`) reserves the credential for it.
pub(crate) fn from_variable(key: &str, value: &str) -> Option<Result<Credential, FetchError>> {
    let rest = key.strip_prefix(ENVIRONMENT_PREFIX).filter(|rest| !rest.is_empty())?.to_ascii_lowercase();
    let value = value.trim();
    if value.is_empty() {
        return None;
    }
    let (definition, label) = match rest.split_once('_') {
        Some((definition, label)) => (definition, Some(label)),
        None => (rest.as_str(), None),
    };
    let name = rest.replace('_', "-");
    let (host, secret) = match value.split_once(char::is_whitespace) {
        Some((host, secret)) => (Some(host), secret.trim()),
        None => (None, value),
    };
    let kind = if secret.contains(':') { CredentialKind::AppPassword } else { CredentialKind::Bearer };
    let robot = label.and_then(|label| label.parse().ok());
    let network = NetworkName::new(definition, host);
    let made = Credential::new(&name, &network, kind, robot, &secret.into());
    Some(made.map(|credential| Credential { origin: Origin::Environment, ..credential }))
}

/// An app password is cut at its last colon, since identifiers (`did:plc:…`) have their own.
fn split(
    name: &str,
    kind: CredentialKind,
    secret: &SecretString,
) -> Result<(Option<String>, SecretString), FetchError> {
    if kind != CredentialKind::AppPassword {
        return Ok((None, secret.clone()));
    }
    match secret.expose_secret().rsplit_once(':') {
        Some((identifier, password)) if !identifier.is_empty() => {
            Ok((Some(identifier.to_owned()), password.into()))
        }
        _ => Err(FetchError::Credential {
            name: name.to_owned(),
            why: "an app password needs its identifier; give `identifier:password`".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: &str, value: &str, shown: &str) {
        let text = match from_variable(key, value) {
            None => "ignored".to_owned(),
            Some(Err(error)) => error.to_string(),
            Some(Ok(credential)) => format!(
                "{} {} {} {:?} {:?} {}",
                credential.name,
                credential.network,
                credential.kind,
                credential.robot,
                credential.identifier,
                credential.secret.expose_secret()
            ),
        };
        assert!(text.contains(shown), "{key}={value}: {text}");
    }

    #[test]
    fn variables_are_read() {
        check("PATH", "/bin", "ignored");
        check("FRESHET_CREDENTIAL_", "token", "ignored");
        check("FRESHET_CREDENTIAL_REDDIT", " ", "ignored");
        check("FRESHET_CREDENTIAL_REDDIT", "token", "reddit reddit bearer None None token");
        check(
            "FRESHET_CREDENTIAL_MASTODON",
            "example.social token",
            "mastodon mastodon:example.social bearer None None token",
        );
        check(
            "FRESHET_CREDENTIAL_MASTODON_STATUS",
            "a.example token",
            "mastodon-status mastodon:a.example bearer Some(Status) None token",
        );
        check(
            "FRESHET_CREDENTIAL_BLUESKY_ALICE",
            "alice.test:word-word",
            "bluesky-alice bluesky app_password None Some(\"alice.test\") word-word",
        );
        check(
            "FRESHET_CREDENTIAL_BLUESKY_BOB",
            "localhost:2583 did:plc:abc:word",
            "bluesky-bob bluesky:localhost:2583 app_password None Some(\"did:plc:abc\") word",
        );
        check("FRESHET_CREDENTIAL_REDDIT", "abc", "between 4 and 8192 bytes");
        check("FRESHET_CREDENTIAL_BLUESKY", ":password", "needs its identifier");
    }

    #[test]
    fn a_token_goes_to_its_own_server_only() {
        let network = NetworkName::from("mastodon:example.social");
        let secret = SecretString::from("token");
        let credential = Credential::new("one", &network, CredentialKind::Bearer, None, &secret).unwrap();
        for (url, is_allowed) in [
            ("https://example.social/api", true),
            ("https://api.EXAMPLE.social/api", true),
            ("https://example.social:8443/api", false),
            ("https://badexample.social/api", false),
            ("https://example.social.evil.example/api", false),
        ] {
            assert_eq!(credential.may_go_to(&network, &url.parse().unwrap()), is_allowed, "{url}");
        }
        assert!(!credential.is_for(&NetworkName::from("mastodon:other.example")));
        assert!(!credential.is_for(&NetworkName::from("mastodon")));
    }
}
