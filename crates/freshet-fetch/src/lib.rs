//! Step 5 of 10: fetch. The only crate that opens a socket towards a network.
//!
//! One request in, one response or one typed fault out. Secrets enter here and nowhere else.

use std::fmt::Debug;

use freshet_types::{Fault, Request, Response};
use futures::future::BoxFuture;

/// The fetch seam: the web ([`http`]), a recording, or a simulated world.
pub trait Fetch: Send + Sync + Debug {
    /// Sends one request. Never panics, never hangs: every wait is bounded.
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>>;
}
