//! One exchange: a request made by a connector, a response brought by the fetcher.
//!
//! A request names the credential it wants and never holds the secret; `freshet-fetch` puts
//! the secret in on its way out. It carries what the ledger must grant before it may leave: a
//! redirect is a request too, so whoever keeps a quota has redirects told ([`Redirects`]), and the
//! few exchanges that ride on a request (robots.txt, a login) are counted ([`Meter`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{NetworkName, QuotaNeed, Span, Timestamp};

/// HTTP method; reading needs no others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Method {
    /// Ask.
    #[default]
    Get,
    /// Ask with a body, as a few APIs want it.
    Post,
}

/// How a credential is shown to a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum AuthScheme {
    /// `Authorization: Bearer SECRET`.
    Bearer,
    /// A header of this name whose value is the secret.
    Header {
        /// The header's name.
        name: String,
    },
    /// A query parameter of this name whose value is the secret.
    Query {
        /// The parameter's name.
        name: String,
    },
    /// An app password is exchanged for a token at `url` and shown as `Bearer`.
    Session {
        /// Where the session is made, by POST of `{"identifier", "password"}`; relative to the base URL.
        url: String,
        /// JSON pointer to the token in the answer.
        token: String,
    },
}

/// The credential a request is to be sent with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuthUse {
    /// The credential's name in the vault.
    pub credential: Arc<str>,
    /// How it is shown.
    pub scheme: AuthScheme,
}

/// An answer that sends the asker to another address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirect {
    /// HTTP status, which says whether method and body go along.
    pub status: u16,
    /// Where to, as the answer wrote it.
    pub location: String,
}

/// Who goes where redirects lead.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Redirects {
    /// Whoever fetches, up to a limit.
    #[default]
    Followed,
    /// Whoever asks: each one is told as the answer, and the request is made again with those that
    /// were passed so far, because each needs a grant of its own.
    Told(Vec<Redirect>),
}

/// Counts the exchanges that one request has taken with its server, whatever came of them.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<AtomicU32>);

impl Meter {
    /// One more.
    pub fn count(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Exchanges beyond the one that was granted.
    pub fn extra_count(&self) -> u32 {
        self.0.load(Ordering::Relaxed).saturating_sub(1)
    }
}

/// What was counted is no part of what is asked.
impl PartialEq for Meter {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Whom.
    pub network: NetworkName,
    /// How.
    pub method: Method,
    /// The absolute URL, without secrets.
    pub url: String,
    /// Headers beyond those every request has.
    pub headers: Vec<(String, String)>,
    /// Body of a POST.
    pub body: Option<String>,
    /// The credential to use, if any.
    pub auth: Option<AuthUse>,
    /// What the quota ledger must grant first.
    pub needs: Vec<QuotaNeed>,
    /// Private, loopback and link-local addresses are allowed for this one.
    pub allow_private: bool,
    /// A page for people rather than an API call: robots.txt is asked first.
    pub is_page: bool,
    /// Who goes where redirects lead.
    pub redirects: Redirects,
    /// What it takes; copies of a request count together. It does not travel: whoever fetches counts for itself, and
    /// tells the sum with its answer.
    #[serde(skip)]
    pub meter: Meter,
    /// Wall time that the server has to begin its answer, where that is less than usual: it has not answered lately.
    pub patience: Option<Span>,
}

impl Request {
    /// A plain GET with nothing special.
    pub fn get(network: &NetworkName, url: impl Into<String>) -> Self {
        Self {
            network: network.clone(),
            method: Method::Get,
            url: url.into(),
            headers: Vec::new(),
            body: None,
            auth: None,
            needs: Vec::new(),
            allow_private: false,
            is_page: false,
            redirects: Redirects::default(),
            meter: Meter::default(),
            patience: None,
        }
    }
}

/// What came back, decompressed and within all limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Header names in lower case, in the order received.
    pub headers: Vec<(String, String)>,
    /// The body, decompressed, still in its own text encoding.
    #[serde(with = "serde_bytes")]
    pub body: Vec<u8>,
    /// The URL that answered, after redirects.
    pub url: String,
    /// When the answer was complete.
    pub received_at: Timestamp,
}

impl Response {
    /// The first header of this lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Where it sends the asker, if it does.
    pub fn redirect(&self) -> Option<Redirect> {
        let status = self.status;
        let location = self.header("location").filter(|_| matches!(status, 301 | 302 | 303 | 307 | 308))?;
        Some(Redirect { status, location: location.to_owned() })
    }
}
