//! A web address that is told something: one POST, signed, with one bounded answer.
//!
//! The signature is HMAC-SHA256 over the timestamp, a full stop and the body; the secret stays here, found in the vault by its
//! name. No redirect is followed: a receiver moves when a person says so. Addresses are guarded as those of sources are.
//! Whether and when it is tried again is the caller's business.

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::time::Duration;

use freshet_types::{Clock, Fault, FaultKind, Method, NetworkName, Redirects, Request, Response};
use ring::hmac;
use secrecy::{ExposeSecret as _, SecretString};
use tokio::runtime::Runtime;
use url::Url;

use crate::http::guard::check_url;
use crate::oauth::proof::random_word;
use crate::{Fetch as _, FetchError, HttpFetch, HttpOptions, LiveVault};

/// Longest exchange: a receiver that works for longer should take the batch first and work then.
const TOTAL_MAX: Duration = Duration::from_secs(30);
/// Longest answer that is read; nobody needs more than a line of it.
const ANSWER_BYTES_MAX: usize = 256 * 1024;
/// Characters of an answer that are told.
const SAID_CHARS_MAX: usize = 200;
/// When it was signed, in unix seconds.
const TIMESTAMP_HEADER: &str = "freshet-timestamp";
/// `sha256=` and the signature in hexadecimal digits.
const SIGNATURE_HEADER: &str = "freshet-signature";

/// Where to, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookTarget {
    pub url: String,
    /// Private, loopback and link-local addresses are allowed.
    pub allow_private: bool,
    /// The name under which the vault has what signs; unsigned without it.
    pub secret: Option<String>,
}

/// What a receiver answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookAnswer {
    pub status: u16,
    /// The beginning of what it said, on one line.
    pub said: String,
}

/// A web address that is told something.
pub struct Hook {
    client: HttpFetch,
    clock: Arc<dyn Clock>,
    vault: LiveVault,
    target: HookTarget,
    network: NetworkName,
    /// Its connections live in it; gone only while it is dropped.
    runtime: Option<Runtime>,
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hook").field("target", &self.target).finish_non_exhaustive()
    }
}

impl Hook {
    /// A client for this address alone.
    pub fn open(
        contact: &str,
        clock: &Arc<dyn Clock>,
        vault: &LiveVault,
        target: HookTarget,
    ) -> Result<Self, FetchError> {
        Self::patient(HttpOptions::new(contact, Arc::clone(clock), vault.clone()), target, TOTAL_MAX)
    }

    /// One that waits for so long.
    fn patient(
        mut options: HttpOptions,
        target: HookTarget,
        total_max: Duration,
    ) -> Result<Self, FetchError> {
        options.total_max = total_max;
        options.first_byte_max = total_max;
        options.body_bytes_max = ANSWER_BYTES_MAX;
        options.decoded_bytes_max = ANSWER_BYTES_MAX;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| FetchError::Client(error.to_string()))?;
        let host = Url::parse(&target.url).ok().and_then(|url| url.host_str().map(str::to_owned));
        let network = format!("hook:{}", host.unwrap_or_default());
        Ok(Self {
            clock: Arc::clone(&options.clock),
            vault: options.vault.clone(),
            client: HttpFetch::new(options)?,
            target,
            network: NetworkName::from(network.as_str()),
            runtime: Some(runtime),
        })
    }

    /// Sends this body, which is JSON, with these headers beside the signature.
    pub fn post(&self, body: String, headers: &[(&str, String)]) -> Result<HookAnswer, Fault> {
        let mut all = vec![("content-type".to_owned(), "application/json".to_owned())];
        all.extend(headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        all.extend(self.signature(&body)?);
        let request = Request {
            method: Method::Post,
            headers: all,
            body: Some(body),
            allow_private: self.target.allow_private,
            redirects: Redirects::Told(Vec::new()),
            ..Request::get(&self.network, self.target.url.as_str())
        };
        let runtime = self.runtime.as_ref().expect("it is there until it is dropped");
        let fetched = runtime.block_on(self.client.fetch(&request));
        fetched.map(|response| answer(&response)).map_err(explained)
    }

    /// The headers that prove who sent it, and when.
    fn signature(&self, body: &str) -> Result<Vec<(String, String)>, Fault> {
        let at = self.clock.now().secs().to_string();
        let stamped = (TIMESTAMP_HEADER.to_owned(), at.clone());
        let Some(name) = &self.target.secret else { return Ok(vec![stamped]) };
        let vault = self.vault.now();
        let credential = vault.credential(name).ok_or_else(|| {
            let why = format!(
                "the secret `{name}` is not known here; give FRESHET_PASSPHRASE, or remove the subscription and add it anew"
            );
            Fault::new(FaultKind::Credential, why)
        })?;
        let signature = sign(credential.secret.expose_secret(), &at, body);
        Ok(vec![stamped, (SIGNATURE_HEADER.to_owned(), format!("sha256={signature}"))])
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        // A name that is still being looked up is not waited for.
        self.runtime.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

/// Whether this address can be told anything; a private one only where that is allowed.
pub fn check(target: &HookTarget) -> Result<(), Fault> {
    check_url(&target.url, target.allow_private).map(drop).map_err(explained)
}

fn explained(fault: Fault) -> Fault {
    match fault.kind {
        FaultKind::ForbiddenAddress => Fault::new(
            fault.kind,
            "it is, or leads to, a private or loopback address; only `--allow-private` allows those",
        ),
        _ => fault,
    }
}

/// A secret to sign with, which nobody can guess.
pub fn new_secret() -> Result<SecretString, FetchError> {
    random_word().map(SecretString::from)
}

/// What a receiver computes too: the digits that prove timestamp and body.
fn sign(secret: &str, timestamp: &str, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, format!("{timestamp}.{body}").as_bytes());
    let mut digits = String::new();
    for byte in tag.as_ref() {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

fn answer(response: &Response) -> HookAnswer {
    let said = String::from_utf8_lossy(&response.body);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    HookAnswer { status: response.status, said: said.chars().take(SAID_CHARS_MAX).collect() }
}

#[cfg(test)]
mod tests;
