//! Step 5 of 10: fetch. The only crate that opens a socket towards a network.
//!
//! One request in, one response or one typed fault out. Secrets enter here and nowhere else:
//! a request names a credential, [`vault`] holds it, [`http`] shows it to the network, and
//! [`scrub`] keeps it out of every text that leaves. Nothing here decides when to fetch, or
//! what an answer means.

use std::fmt::Debug;

use freshet_types::{Fault, FaultKind, Request, Response, Transport};
use futures::future::BoxFuture;
use stream::Opened;

pub mod clock;
pub mod credential;
pub mod descriptors;
pub mod error;
pub mod exclusion;
pub mod hook;
#[cfg(any(test, feature = "testing"))]
pub mod hostile;
pub mod http;
pub mod hub;
pub mod login;
pub mod mail;
pub mod nats;
pub mod oauth;
pub mod recording;
pub mod scrub;
pub mod stream;
pub mod vault;

pub use clock::RemoteClock;
pub use credential::{Credential, CredentialInfo, CredentialKind, CredentialState, Grant, Origin};
pub use error::FetchError;
pub use http::{HttpFetch, HttpOptions};
pub use recording::{Recorder, Replay};
pub use scrub::Scrubber;
pub use vault::{LiveVault, Vault};

/// The fetch seam: the web ([`http`]), a recording, or a simulated world.
pub trait Fetch: Send + Sync + Debug {
    /// Sends one request. Never panics, never hangs: every wait is bounded.
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>>;

    /// Opens a stream. Never panics, never hangs: every wait is bounded.
    fn open<'a>(
        &'a self,
        request: &'a Request,
        transport: Transport,
    ) -> BoxFuture<'a, Result<Opened, Fault>> {
        let what = format!("`{}`: there are no streams here ({})", request.network, transport.name());
        Box::pin(std::future::ready(Err(Fault::new(FaultKind::Request, what))))
    }
}

#[cfg(test)]
mod tests;
