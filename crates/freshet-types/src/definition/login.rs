//! How people and apps log in: the addresses of OAuth, as a definition declares them.
//!
//! An address is whole, with `{{ host }}` where a definition has many servers, or begins with `/` and stands on the
//! base URL. Nothing here is secret: whose app it is and what it may show is given by whoever logs in.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AuthScheme;

/// One way to log in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoginRule {
    /// Which protocol.
    pub kind: LoginKind,
    /// Where a person says yes, in a browser.
    #[serde(default)]
    pub authorize_url: Option<String>,
    /// Where a code, a refresh token or an app's own word becomes an access token.
    #[serde(alias = "access_token_url")]
    pub token_url: String,
    /// Where OAuth 1.0a begins: the request token is made here.
    #[serde(default)]
    pub request_token_url: Option<String>,
    /// Where an app is registered on the spot, as on Mastodon; none: a person registers it, and gives its id.
    #[serde(default)]
    pub register_url: Option<String>,
    /// What is asked for; no more than reading needs.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Whether a code is bound to who asked for it (PKCE, S256).
    #[serde(default = "yes")]
    pub pkce: bool,
    /// How an app shows its own secret at `token_url`.
    #[serde(default)]
    pub client_auth: ClientAuth,
    /// What can be asked for; the first is the usual one.
    #[serde(default = "code")]
    pub grants: Vec<GrantName>,
    /// Further parameters of `authorize_url`.
    #[serde(default)]
    pub params: BTreeMap<String, String>,
    /// How an access token is shown, where that is not `Authorization: Bearer`.
    #[serde(default = "bearer")]
    pub shown: AuthScheme,
    /// Where a token says whose it is.
    #[serde(default)]
    pub user: Option<UserRule>,
}

/// The protocols.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoginKind {
    /// OAuth 2 (RFC 6749).
    Oauth2,
    /// OAuth 1.0a (RFC 5849): every request is signed.
    Oauth1,
}

impl LoginKind {
    /// The name that people type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Oauth2 => "oauth2",
            Self::Oauth1 => "oauth1",
        }
    }
}

/// How an app shows its id and secret where tokens are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClientAuth {
    /// As parameters of the body.
    #[default]
    Body,
    /// As user and password of HTTP.
    Basic,
}

/// Whose consent makes a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantName {
    /// A person's, given in a browser.
    Code,
    /// The app's own.
    ClientCredentials,
}

impl GrantName {
    /// The name that people type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::ClientCredentials => "client-credentials",
        }
    }
}

/// Where a token says whose it is: one request with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UserRule {
    /// The address.
    pub url: String,
    /// JSON pointer to the name.
    pub at: String,
}

fn yes() -> bool {
    true
}

fn code() -> Vec<GrantName> {
    vec![GrantName::Code]
}

fn bearer() -> AuthScheme {
    AuthScheme::Bearer
}
