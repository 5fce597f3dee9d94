//! What can be set about fetching over HTTP: every limit with its reason.
//!
//! Time-outs are wall time, whatever clock the crawl runs on: a server is as slow as it is.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use freshet_types::Clock;

use super::guard::{Lookup, system_lookup};
use crate::LiveVault;
use crate::descriptors::Share;

/// What can be set; start from [`HttpOptions::new`].
#[derive(Clone)]
pub struct HttpOptions {
    /// Whom a server's owner can write to: a web or mail address, shown in the `User-Agent`.
    pub contact: String,
    /// Gives `received_at` and ages the cache of exclusion rules.
    pub clock: Arc<dyn Clock>,
    /// The credentials that requests may name.
    pub vault: LiveVault,
    /// Longest wait for a connection, its TLS handshake included.
    pub connect_max: Duration,
    /// Longest wait from sending to the end of the headers, connecting included.
    pub first_byte_max: Duration,
    /// Longest silence within a body.
    pub between_bytes_max: Duration,
    /// Longest exchange in all, redirects and exclusion rules included.
    pub total_max: Duration,
    /// Longest body on the wire; the largest real pages measured are a tenth of it.
    pub body_bytes_max: usize,
    /// Longest body once decompressed.
    pub decoded_bytes_max: usize,
    /// Most bytes of headers; servers that send more are broken or hostile.
    pub header_bytes_max: usize,
    /// Most redirects in a row (RFC 9309 asks for five; browsers follow twenty, APIs need two).
    pub redirects_max: usize,
    /// Most exchanges at once with one host: the last guard behind the engine's politeness.
    pub in_flight_per_host_max: usize,
    /// Most exchanges at once in all; each takes a file descriptor.
    pub in_flight_max: usize,
    /// Most connections that are kept open between exchanges, in all.
    pub idle_max: usize,
    /// Whether robots.txt is asked before pages.
    pub honour_exclusion: bool,
    /// How names become addresses.
    pub lookup: Lookup,
}

impl HttpOptions {
    /// The usual limits, and those that follow from the file descriptors there are.
    pub fn new(contact: impl Into<String>, clock: Arc<dyn Clock>, vault: impl Into<LiveVault>) -> Self {
        let share = Share::now();
        Self {
            contact: contact.into(),
            clock,
            vault: vault.into(),
            connect_max: Duration::from_secs(10),
            first_byte_max: Duration::from_secs(30),
            between_bytes_max: Duration::from_secs(20),
            total_max: Duration::from_mins(2),
            body_bytes_max: 16 << 20,
            decoded_bytes_max: 64 << 20,
            header_bytes_max: 64 << 10,
            redirects_max: 5,
            in_flight_per_host_max: 8,
            in_flight_max: share.visits_max,
            idle_max: share.idle_max,
            honour_exclusion: true,
            lookup: system_lookup(),
        }
    }
}

impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions")
            .field("contact", &self.contact)
            .field("connect_max", &self.connect_max)
            .field("first_byte_max", &self.first_byte_max)
            .field("between_bytes_max", &self.between_bytes_max)
            .field("total_max", &self.total_max)
            .field("body_bytes_max", &self.body_bytes_max)
            .field("decoded_bytes_max", &self.decoded_bytes_max)
            .field("header_bytes_max", &self.header_bytes_max)
            .field("redirects_max", &self.redirects_max)
            .field("in_flight_per_host_max", &self.in_flight_per_host_max)
            .field("in_flight_max", &self.in_flight_max)
            .field("idle_max", &self.idle_max)
            .field("honour_exclusion", &self.honour_exclusion)
            .finish_non_exhaustive()
    }
}
