//! The reports of `freshet credentials`: names and kinds of secrets, never a secret.

use freshet_types::{NetworkName, RobotKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::time::UnixNumber;

/// All credentials, or the one that was added or removed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CredentialsReport {
    /// One by one.
    pub credentials: Vec<CredentialLine>,
    /// What was just done, for people.
    #[serde(skip)]
    pub headline: Option<String>,
}

/// On which networks several tokens are used in turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TermsReport {
    /// Networks and servers whose terms allow it, as a person says.
    pub many_tokens: Vec<String>,
}

/// A credential without its secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CredentialLine {
    /// Its name, unique among all.
    pub name: String,
    /// The network it is for, or the one server of it.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// What sort it is: `bearer`, `app_password`, `api_key`, `oauth2` or `oauth1`.
    pub kind: String,
    /// The only robot that may use it, if it is reserved.
    pub robot: Option<RobotKind>,
    /// Who it speaks for.
    pub identifier: Option<String>,
    /// Where it came from: `environment` or `file`.
    pub origin: String,
    /// The app it belongs to: tokens of one app share its quotas.
    pub app: Option<String>,
    /// When its token runs out, where that is known; freshet renews what it can.
    pub expires_at: Option<UnixNumber>,
    /// `ready`, or `refused`: the network took it back, and somebody must log in again.
    pub state: String,
}

/// A credential was added, as the dashboard says it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CredentialAdded {
    /// Which.
    pub credential: CredentialLine,
    /// When it is used.
    pub note: String,
}

/// A credential was removed, as the dashboard says it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CredentialRemoved {
    /// Which.
    pub removed: CredentialLine,
    /// Until when it is used.
    pub note: String,
}
