//! How an exchange ended: what the network said ([`Outcome`]), or why nothing came ([`Fault`]).
//!
//! Both are small codes to branch on; the text for people travels beside them. A fault is
//! ours or the wire's, an outcome is the network's word.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// What the network said about the thing asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
pub enum Outcome {
    /// Here it is.
    #[default]
    Ok,
    /// It does not exist, or no longer.
    Gone,
    /// Its owner was suspended by the network.
    Suspended,
    /// It exists and is not shown to us.
    Private,
    /// It is shown only with a credential.
    AuthRequired,
    /// Too many requests in the window.
    RateLimited {
        /// When to come back, where the network said so.
        until: Option<Timestamp>,
    },
    /// The quota of a longer period (a day) is used up.
    QuotaExhausted {
        /// When it is renewed, where the network said so.
        until: Option<Timestamp>,
    },
    /// It lives elsewhere now.
    Moved {
        /// The new place, as the network names it.
        to: String,
    },
    /// The network has a problem that will pass.
    Transient,
    /// The network says that the request is wrong; repeating it is useless.
    BadRequest,
    /// An answer came, and nothing of it can be read: its layout has changed, or it is a login form or an
    /// error page that calls itself a page.
    Unreadable,
}

impl Outcome {
    /// The name used in reports and in definitions.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Gone => "gone",
            Self::Suspended => "suspended",
            Self::Private => "private",
            Self::AuthRequired => "auth_required",
            Self::RateLimited { .. } => "rate_limited",
            Self::QuotaExhausted { .. } => "quota_exhausted",
            Self::Moved { .. } => "moved",
            Self::Transient => "transient",
            Self::BadRequest => "bad_request",
            Self::Unreadable => "unreadable",
        }
    }

    /// Whether the same request may succeed later without anyone doing anything.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. } | Self::QuotaExhausted { .. } | Self::Transient | Self::Unreadable
        )
    }
}

/// Why an exchange brought no response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// The name does not resolve.
    Dns,
    Connect,
    /// The certificate or the handshake failed.
    Tls,
    /// No answer, or no further byte, in time.
    Timeout,
    /// The connection broke in the middle: reset, half a body, wrong length.
    Broken,
    /// The body is longer than allowed.
    TooLarge,
    /// The body grows beyond the limit when decompressed.
    Bomb,
    /// Too many redirects, or a circle of them.
    Redirects,
    /// The compressed body cannot be decompressed.
    Encoding,
    /// The address is private, loopback or link-local and was not allowed.
    ForbiddenAddress,
    /// robots.txt excludes the page.
    Excluded,
    /// The credential that the request names is missing or was refused.
    Credential,
    /// The request cannot be sent as it is: bad URL, bad header.
    Request,
    /// The answer came, and reading it took too long.
    Unread,
    /// The server says that it has a problem, in an answer beside the one that was asked for.
    Unwell,
    /// This computer has no more file descriptors, ports or memory for connections.
    Exhausted,
    /// The definition by which the request was made was replaced before the fetcher came to it.
    Replaced,
}

/// Whose a fault is, as far as one exchange can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The server's, whatever is asked of it: it cannot be reached.
    Reach,
    /// The server's, or that of the one thing that was asked for.
    Server,
    /// The server answered, and the answer cannot be used.
    Answer,
    /// The request's: the server was not asked, or asks for something else.
    Request,
    Ours,
}

/// A fault with its text for people; the text never holds a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct Fault {
    /// The code to branch on.
    pub kind: FaultKind,
    /// What happened, naming the host or the thing.
    pub message: String,
}

impl Fault {
    /// A fault of this kind.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Whether trying again later can help.
    pub fn is_retryable(&self) -> bool {
        !matches!(self.blame(), Blame::Request) && self.kind != FaultKind::Redirects
    }

    /// Whose it is.
    pub fn blame(&self) -> Blame {
        match self.kind {
            FaultKind::Dns | FaultKind::Connect | FaultKind::Tls => Blame::Reach,
            FaultKind::Timeout | FaultKind::Broken | FaultKind::Unwell => Blame::Server,
            FaultKind::TooLarge
            | FaultKind::Bomb
            | FaultKind::Redirects
            | FaultKind::Encoding
            | FaultKind::Unread => Blame::Answer,
            FaultKind::ForbiddenAddress
            | FaultKind::Excluded
            | FaultKind::Credential
            | FaultKind::Request => Blame::Request,
            FaultKind::Exhausted | FaultKind::Replaced => Blame::Ours,
        }
    }
}
