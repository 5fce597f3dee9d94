//! Tests of fetching over HTTP against the hostile server, by subject: every fault is typed, none hangs.

mod credentials;
mod granted;
mod guarded;
mod manners;
mod redirects;
mod wire;

use std::net::IpAddr;
use std::time::{Duration, Instant};

use freshet_types::{AuthScheme, AuthUse, Method, NetworkName, SystemClock, Timestamp};

use super::*;
use crate::hostile::{Behaviour, Hostile};
use crate::{Credential, CredentialKind, Vault};

/// A test that takes longer has hung; a loaded machine needs much of it.
const HANG: Duration = Duration::from_mins(1);

fn options(vault: Vault) -> HttpOptions {
    HttpOptions {
        body_bytes_max: 1 << 20,
        decoded_bytes_max: 4 << 20,
        ..HttpOptions::new("test@example.org", Arc::new(SystemClock), Arc::new(vault))
    }
}

fn fetcher() -> HttpFetch {
    HttpFetch::new(options(Vault::empty())).unwrap()
}

/// Short waits, for servers that keep silent.
fn impatient() -> HttpFetch {
    let options = HttpOptions {
        first_byte_max: Duration::from_millis(300),
        between_bytes_max: Duration::from_millis(300),
        total_max: Duration::from_millis(900),
        ..options(Vault::empty())
    };
    HttpFetch::new(options).unwrap()
}

fn request(url: &str) -> Request {
    Request { allow_private: true, ..Request::get(&NetworkName::from("test"), url) }
}

async fn shown(fetch: &HttpFetch, request: &Request) -> String {
    match timeout(HANG, fetch.fetch(request)).await.expect("no fetch hangs") {
        Ok(response) => format!("{} {}", response.status, String::from_utf8_lossy(&response.body)),
        Err(fault) => format!("{:?}: {}", fault.kind, fault.message),
    }
}

/// Fetches each path and compares what came of it.
async fn check(fetch: &HttpFetch, server: &Hostile, cases: &[(&str, &str)]) {
    for (path, expected) in cases {
        let shown = shown(fetch, &request(&server.url(path))).await;
        let start: String = shown.chars().take(200).collect();
        assert!(start.starts_with(expected), "{path}: {start}");
    }
}
