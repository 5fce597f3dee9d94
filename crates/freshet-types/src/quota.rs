//! Quotas: what a network allows a holder per window. Theirs, not ours.
//!
//! Declared in a definition ([`QuotaRule`]), held by somebody ([`QuotaKey`]), asked for by a
//! request ([`QuotaNeed`]), corrected by what the network announces ([`LimitReading`]). The
//! ledger that grants and postpones lives in the engine.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{NetworkName, Span, Timestamp};

/// Who holds a quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuotaScope {
    /// All requests from this computer.
    Ip,
    /// All requests of one registered application.
    App,
    /// All requests with one token.
    Token,
    /// All tokens of one user.
    User,
    /// One endpoint, for one token (or this computer, without one).
    Endpoint,
}

/// A credential, and with whom its quotas are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its name in the vault: what a token holds is its own.
    pub credential: Arc<str>,
    /// The app it belongs to; its own name where nobody said.
    pub app: Arc<str>,
    /// The user whose it is; its own name where nobody said.
    pub user: Arc<str>,
}

impl Holder {
    /// One that shares nothing.
    pub fn alone(credential: Arc<str>) -> Self {
        Self { app: Arc::clone(&credential), user: Arc::clone(&credential), credential }
    }
}

/// A declared quota, with units checked.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaRule {
    /// Its name in the definition.
    pub name: Arc<str>,
    /// Who holds it.
    pub scope: QuotaScope,
    /// Units per window.
    pub limit: u32,
    /// Length of the window.
    pub window: Span,
}

/// One holder's bucket of one rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct QuotaKey {
    /// Which network and server.
    pub network: NetworkName,
    /// Which rule.
    pub rule: Arc<str>,
    /// Whose: `ip`, a credential's, an app's or a user's name, or `credential/endpoint`.
    pub holder: Arc<str>,
}

/// What one request takes from one bucket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QuotaNeed {
    /// Which bucket.
    pub key: QuotaKey,
    /// The rule as declared; the ledger opens the bucket with it.
    pub limit: u32,
    /// The declared window.
    pub window: Span,
    /// Units this request costs.
    pub units: u32,
}

/// What a network announced about its limits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitReading {
    /// The rule it speaks of; `None`: the bucket closest to exhaustion among those used.
    pub rule: Option<Arc<str>>,
    /// Units per window.
    pub limit: Option<u32>,
    /// Units left.
    pub remaining: Option<u32>,
    /// When the bucket is full again.
    pub reset_at: Option<Timestamp>,
    /// Ask nothing before this.
    pub blocked_until: Option<Timestamp>,
}
