//! The reports of `freshet credentials`: names and kinds of secrets, never a secret.

use freshet_types::{NetworkName, RobotKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All credentials, or the one that was added or removed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CredentialsReport {
    /// One by one.
    pub credentials: Vec<CredentialLine>,
    /// What was just done, for people.
    #[serde(skip)]
    pub headline: Option<String>,
}

/// A credential without its secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CredentialLine {
    /// Its name, unique among all.
    pub name: String,
    /// The network it is for, or the one server of it.
    #[schemars(with = "String")]
    pub network: NetworkName,
    /// What sort it is: `bearer`, `app_password` or `api_key`.
    pub kind: String,
    /// The only robot that may use it, if it is reserved.
    pub robot: Option<RobotKind>,
    /// Who it speaks for.
    pub identifier: Option<String>,
    /// Where it came from: `environment` or `file`.
    pub origin: String,
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
