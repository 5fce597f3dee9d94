//! What OAuth gives with a token: the app's secret, what renews it, and when it runs out.
//!
//! A grant names the one address that its secrets go to besides the network itself: where tokens are made. It is that
//! of the definition by which somebody logged in, so a definition that changes later sends no secret elsewhere.

use freshet_types::definition::ClientAuth;
use freshet_types::{AuthScheme, Timestamp};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::FetchError;

/// The parts of a typed OAuth 1.0a credential.
const TYPED_PARTS: usize = 4;

/// What OAuth gave with a token.
#[derive(Clone, Debug)]
pub struct Grant {
    /// The app's own secret, where it has one.
    pub app_secret: Option<SecretString>,
    /// The second half of a token of OAuth 1.0a.
    pub token_secret: Option<SecretString>,
    /// What the next token is got for.
    pub refresh: Option<SecretString>,
    /// When the token runs out, by the clock of the crawl.
    pub expires_at: Option<Timestamp>,
    /// Where tokens are made; nothing is renewed without.
    pub token_url: Option<String>,
    /// How the app shows its secret there.
    pub client_auth: ClientAuth,
    /// How the token is shown to the network.
    pub shown: AuthScheme,
    /// What was asked for.
    pub scopes: Vec<String>,
    /// The app speaks for itself: a new token needs nobody's consent.
    pub is_app_only: bool,
    /// The network took it back.
    pub is_refused: bool,
}

impl Grant {
    /// Nothing is known but how the token is shown.
    pub fn new(shown: AuthScheme) -> Self {
        Self {
            app_secret: None,
            token_secret: None,
            refresh: None,
            expires_at: None,
            token_url: None,
            client_auth: ClientAuth::default(),
            shown,
            scopes: Vec::new(),
            is_app_only: false,
            is_refused: false,
        }
    }

    /// Whether a new token can be got without a person.
    pub(crate) fn is_renewable(&self) -> bool {
        self.token_url.is_some() && (self.refresh.is_some() || self.is_app_only)
    }

    pub(super) fn secrets(&self) -> impl Iterator<Item = &SecretString> {
        self.app_secret.iter().chain(&self.token_secret).chain(&self.refresh)
    }
}

/// A credential of OAuth 1.0a as a person has it from the network's console, in one line:
/// `consumer key:consumer secret:token:token secret`. Gives the app, the grant and the token.
pub(super) fn typed(name: &str, line: &SecretString) -> Result<(String, Grant, SecretString), FetchError> {
    let parts: Vec<&str> = line.expose_secret().split(':').collect();
    match *parts {
        [app, app_secret, token, token_secret] if parts.iter().all(|part| !part.is_empty()) => {
            let mut grant = Grant::new(AuthScheme::Bearer);
            grant.app_secret = Some(app_secret.into());
            grant.token_secret = Some(token_secret.into());
            Ok((app.to_owned(), grant, token.into()))
        }
        _ => {
            let why = format!(
                "OAuth 1.0a needs {TYPED_PARTS} parts; give `consumer_key:consumer_secret:token:token_secret`"
            );
            Err(FetchError::Credential { name: name.to_owned(), why })
        }
    }
}

/// A grant as it stands in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrantEntry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    app_secret: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token_secret: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refresh: Option<String>,
    /// Milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    token_url: Option<String>,
    #[serde(default)]
    client_auth: ClientAuth,
    #[serde(default)]
    scopes: Vec<String>,
    #[serde(default)]
    is_app_only: bool,
    #[serde(default)]
    is_refused: bool,
    shown: AuthScheme,
}

impl GrantEntry {
    pub(crate) fn of(grant: &Grant) -> Self {
        let text = |secret: &Option<SecretString>| secret.as_ref().map(|it| it.expose_secret().to_owned());
        Self {
            app_secret: text(&grant.app_secret),
            token_secret: text(&grant.token_secret),
            refresh: text(&grant.refresh),
            expires_at: grant.expires_at,
            token_url: grant.token_url.clone(),
            client_auth: grant.client_auth,
            shown: grant.shown.clone(),
            scopes: grant.scopes.clone(),
            is_app_only: grant.is_app_only,
            is_refused: grant.is_refused,
        }
    }

    /// The secrets in it, to be wiped.
    pub(crate) fn secrets_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.app_secret.iter_mut().chain(&mut self.token_secret).chain(&mut self.refresh)
    }

    pub(crate) fn grant(&self) -> Grant {
        let secret = |text: &Option<String>| text.as_deref().map(SecretString::from);
        Grant {
            app_secret: secret(&self.app_secret),
            token_secret: secret(&self.token_secret),
            refresh: secret(&self.refresh),
            expires_at: self.expires_at,
            token_url: self.token_url.clone(),
            client_auth: self.client_auth,
            shown: self.shown.clone(),
            scopes: self.scopes.clone(),
            is_app_only: self.is_app_only,
            is_refused: self.is_refused,
        }
    }
}
