//! Rules of a definition about quotas, announcements of limits, and what answers mean.
//!
//! A *place* is `header:NAME` or `body:/json/pointer`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Condition;
use crate::QuotaScope;

/// A quota, as declared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuotaDeclaration {
    /// Its name, shown in `status` and `explain`.
    pub name: String,
    /// Who holds it.
    pub scope: QuotaScope,
    /// Units per window.
    pub limit: u32,
    /// Length of the window: `5m`, `1d`.
    pub window: String,
    /// With or without a credential.
    #[serde(default)]
    pub applies: CredentialUse,
    /// Which requests count.
    #[serde(default)]
    pub requests: RequestChoice,
    /// Units per request by endpoint; 1 for the others.
    #[serde(default)]
    pub costs: BTreeMap<String, u32>,
    /// One service answers for all servers, so all of them take from it.
    #[serde(default)]
    pub is_shared: bool,
}

/// Whether a quota counts requests with a credential or without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CredentialUse {
    /// Both.
    #[default]
    Any,
    /// Without.
    Anonymous,
    /// With.
    Authenticated,
}

/// Which requests a quota counts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "\"all\", \"paged\", or a list of endpoints")]
pub enum RequestChoice {
    /// `all`, or `paged`: those beyond the first page, and those for newer posts.
    Word(RequestWord),
    /// Those of these endpoints.
    Endpoints(Vec<String>),
}

impl Default for RequestChoice {
    fn default() -> Self {
        Self::Word(RequestWord::All)
    }
}

/// Which requests, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RequestWord {
    /// All.
    All,
    /// Those that carry a cursor or a mark.
    Paged,
}

/// Where answers announce a limit. `Retry-After` is understood without a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LimitRule {
    /// The quota it speaks of; none: the bucket closest to exhaustion.
    #[serde(default)]
    pub quota: Option<String>,
    /// Place of the units per window.
    #[serde(default)]
    pub limit: Option<String>,
    /// Place of the units left.
    #[serde(default)]
    pub remaining: Option<String>,
    /// Place of the time at which the bucket is full again.
    #[serde(default)]
    pub reset: Option<String>,
    /// How that time is written.
    #[serde(default)]
    pub reset_format: ResetFormat,
    /// Place of a time before which nothing may be asked.
    #[serde(default)]
    pub backoff: Option<String>,
    /// How that time is written.
    #[serde(default = "ResetFormat::delta")]
    pub backoff_format: ResetFormat,
    /// A header with JSON that tells percentages.
    #[serde(default)]
    pub percent: Option<PercentRule>,
}

/// A header with JSON in which some numbers are percentages of a quota used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PercentRule {
    /// The header.
    pub header: String,
    /// Keys of the percentages, at any depth; the highest counts.
    pub keys: Vec<String>,
    /// Key of the minutes until access is regained.
    #[serde(default)]
    pub regain_min: Option<String>,
}

/// How the time of a reset is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResetFormat {
    /// An instant in RFC 3339.
    #[default]
    Iso8601,
    /// Seconds since 1970.
    EpochS,
    /// Milliseconds since 1970.
    EpochMs,
    /// Seconds from now.
    DeltaS,
    /// Milliseconds from now.
    DeltaMs,
    /// As in HTTP's `Date`.
    HttpDate,
}

impl ResetFormat {
    /// The default of a back-off.
    pub fn delta() -> Self {
        Self::DeltaS
    }
}

/// What an answer means. All parts that are given must hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutcomeRule {
    /// What it means.
    pub outcome: OutcomeName,
    /// Status: `404`, `[404, 410]`, `"4xx"`, `"500-599"`.
    #[serde(default)]
    pub status: Option<StatusChoice>,
    /// A condition on the body.
    #[serde(default)]
    pub body: Option<Condition>,
    /// A further condition on the body.
    #[serde(default)]
    pub and: Option<Condition>,
    /// The body, as text, contains this.
    #[serde(default)]
    pub text: Option<String>,
    /// A header (`at` is its name).
    #[serde(default)]
    pub header: Option<Condition>,
    /// Only for these endpoints.
    #[serde(default)]
    pub endpoints: Option<Vec<String>>,
    /// Place of the time to come back, where it is not among the limits.
    #[serde(default)]
    pub until: Option<String>,
    /// How that time is written.
    #[serde(default = "ResetFormat::delta")]
    pub until_format: ResetFormat,
    /// Place of the new address, for `moved`.
    #[serde(default)]
    pub to: Option<String>,
}

/// Which statuses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "a status, a list of them, \"4xx\", or \"500-599\"")]
pub enum StatusChoice {
    /// One.
    One(u16),
    /// Several.
    Many(Vec<u16>),
    /// A class or a range.
    Range(String),
}

/// The outcomes, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutcomeName {
    /// Here it is.
    Ok,
    /// It does not exist, or no longer.
    Gone,
    /// Its owner was suspended.
    Suspended,
    /// It is not shown to us.
    Private,
    /// A credential is needed.
    AuthRequired,
    /// Too many requests in the window.
    RateLimited,
    /// The quota of a longer period is used up.
    QuotaExhausted,
    /// It lives elsewhere.
    Moved,
    /// It will pass.
    Transient,
    /// The request is wrong.
    BadRequest,
}
