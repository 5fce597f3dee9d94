//! Fetching over HTTP: one request in, one response or one typed fault out.
//!
//! The order of one exchange: check the URL ([`guard`]), ask the exclusion rules for pages, take
//! a place at the host ([`hosts`]) and one of all, show the credential ([`auth`], [`shown`]), send, read the body within
//! its limits ([`body`]), follow redirects by the same steps, or tell them to whoever wants to grant
//! each one. Invariants: every wait, every buffer and the number of connections, idle ones included
//! ([`idle`]), is bounded; credentials never follow to another server; no fault holds a secret; every
//! exchange with the request's server is counted. It neither retries nor paces: the engine does.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use freshet_types::{
    Clock, Fault, FaultKind, Meter, Redirect, Redirects, Request, Response, Span, Transport,
};
use futures::future::BoxFuture;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HeaderMap, HeaderValue};
use reqwest::{Client, ClientBuilder};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use url::Url;

use crate::credential::Credential;
use crate::exclusion::{self, Exclusions};
use crate::stream::Opened;
use crate::{Fetch, FetchError, Scrubber, Vault};
use body::{BodyLimits, BodySink, Wanted};
use hop::Hop;
use renewal::Renewals;
use session::Sessions;

mod auth;
mod body;
mod fault;
pub mod guard;
mod hop;
mod hosts;
mod idle;
pub mod options;
mod renewal;
mod session;
mod shown;
mod stream;

pub use options::HttpOptions;
pub use stream::accepted as websocket_answer;

/// How long an idle connection is kept; servers close theirs after a minute or less.
const IDLE_MAX: Duration = Duration::from_secs(30);

/// When the client has closed it for certain: it looks as often as that.
const IDLE_CLOSED: Duration = Duration::from_secs(65);

/// Of a request with little patience, the whole exchange has so many times as long.
const PATIENCE_TOTAL: u32 = 5;

/// Longest contact in the `User-Agent`.
const CONTACT_BYTES_MAX: usize = 200;

/// Fetches over HTTP; cheap to share, made once per process.
pub struct HttpFetch {
    guarded: Clients,
    open: Clients,
    in_flight: Semaphore,
    idle: idle::Idle,
    options: HttpOptions,
    user_agent: String,
    hosts: hosts::Hosts,
    exclusions: Exclusions,
    sessions: Sessions,
    renewals: Renewals,
    scrubber: Arc<Scrubber>,
}

/// Two ways to the same addresses.
struct Clients {
    /// Keeps connections open for the next request.
    keeping: Client,
    closing: Client,
    /// For streams, which stay open.
    streaming: Client,
}

impl Clients {
    fn new(options: &HttpOptions, user_agent: &str, allow_private: bool) -> Result<Self, FetchError> {
        let finish: [fn(ClientBuilder) -> reqwest::Result<Client>; 2] =
            [ClientBuilder::build, stream::streaming];
        let make =
            |idle_per_host, finish| client(options, user_agent, (allow_private, idle_per_host), finish);
        Ok(Self {
            keeping: make(options.in_flight_per_host_max, finish[0])?,
            closing: make(0, finish[0])?,
            streaming: make(0, finish[1])?,
        })
    }
}

impl fmt::Debug for HttpFetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpFetch").field("user_agent", &self.user_agent).finish_non_exhaustive()
    }
}

impl HttpFetch {
    /// Makes the clients: one that reaches public addresses only, one for sources with allowance.
    pub fn new(options: HttpOptions) -> Result<Self, FetchError> {
        let user_agent = user_agent(&options.contact)?;
        Ok(Self {
            guarded: Clients::new(&options, &user_agent, false)?,
            open: Clients::new(&options, &user_agent, true)?,
            in_flight: Semaphore::new(options.in_flight_max.clamp(1, Semaphore::MAX_PERMITS)),
            idle: idle::Idle::new(options.idle_max, IDLE_CLOSED),
            user_agent,
            hosts: hosts::Hosts::new(options.in_flight_per_host_max),
            exclusions: Exclusions::new(Arc::clone(&options.clock)),
            sessions: Sessions::new(options.vault.scrubber()),
            renewals: Renewals::default(),
            scrubber: options.vault.scrubber(),
            options,
        })
    }

    /// What every request says about us.
    #[cfg(test)]
    pub(crate) fn user_agent(&self) -> &str {
        &self.user_agent
    }

    /// The pause that the site's robots.txt asks for, once one of its pages was fetched.
    pub fn exclusion_pause(&self, url: &str) -> Option<Span> {
        self.exclusions.pause(&Url::parse(url).ok()?)
    }

    /// The clock that answers are dated by.
    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.options.clock
    }

    /// What knows all secrets of this process.
    pub(crate) fn scrubber(&self) -> &Scrubber {
        &self.scrubber
    }

    /// The same, with this credential and no other.
    pub(crate) fn holding(&self, credential: Credential) -> Result<Self, FetchError> {
        let mut vault = Vault::empty();
        vault.put(credential)?;
        Self::new(HttpOptions { vault: vault.into(), ..self.options.clone() })
    }

    /// The text without any secret this process knows.
    pub fn scrub(&self, text: &str) -> String {
        self.scrubber.scrub(text).into_owned()
    }

    async fn within_total(&self, request: &Request, limits: BodyLimits) -> Result<Response, Fault> {
        let patient = request.patience.map(|patience| patience.to_std() * PATIENCE_TOTAL);
        let total_max = patient.map_or(self.options.total_max, |patient| patient.min(self.options.total_max));
        let outcome = match timeout(total_max, self.follow(request, limits)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(fault::timeout(&host_of(&request.url), "the exchange did not end")),
        };
        outcome.map_err(|fault| {
            let fault = Fault::new(fault.kind, self.scrubber.scrub(&fault.message));
            tracing::debug!(network = request.network.as_str(), kind = ?fault.kind, "fetch failed: {}", fault.message);
            fault
        })
    }

    async fn follow(&self, request: &Request, limits: BodyLimits) -> Result<Response, Fault> {
        let mut hop = Hop::first(request)?;
        let mut passed: Vec<Url> = Vec::new();
        if let Redirects::Told(redirects) = &request.redirects {
            for redirect in redirects {
                hop = self.next(hop, redirect, &mut passed)?;
            }
        }
        loop {
            if request.is_page && self.options.honour_exclusion {
                let check = self.exclusions.check(&hop.url, |url| self.robots_txt(&hop, url));
                Box::pin(check).await?;
            }
            let response = self.answer(&hop, limits).await?;
            let Some(redirect) = response.redirect() else { return Ok(response) };
            // Where it leads is judged at once: what must not be followed needs no grant.
            hop = self.next(hop, &redirect, &mut passed)?;
            if matches!(request.redirects, Redirects::Told(_)) {
                return Ok(response);
            }
        }
    }

    /// The hop after this one; a circle or too long a way ends here.
    fn next<'r>(&self, hop: Hop<'r>, redirect: &Redirect, passed: &mut Vec<Url>) -> Result<Hop<'r>, Fault> {
        let next = hop.next(redirect, &self.scrubber)?;
        let host = hop.url.host_str().unwrap_or_default().to_owned();
        passed.push(hop.url);
        if passed.contains(&next.url) {
            return Err(Fault::new(FaultKind::Redirects, format!("`{host}` redirects in a circle")));
        }
        if passed.len() > self.options.redirects_max {
            let message = format!("`{host}` redirects more than {} times", self.options.redirects_max);
            return Err(Fault::new(FaultKind::Redirects, message));
        }
        Ok(next)
    }

    /// Asks for exclusion rules under the same guards, without credentials.
    fn robots_txt<'a>(&'a self, page: &Hop<'_>, url: String) -> BoxFuture<'a, Result<Response, Fault>> {
        let network = &page.request.network;
        let meter = if page.is_home { page.request.meter.clone() } else { Meter::default() };
        let (allow_private, patience) = (page.allow_private, page.request.patience);
        let request = Request { allow_private, patience, meter, ..Request::get(network, url) };
        let bytes_max = exclusion::FILE_BYTES_MAX;
        let limits = BodyLimits { wire_bytes_max: bytes_max, decoded_bytes_max: bytes_max, is_cut: true };
        Box::pin(async move { self.within_total(&request, limits).await })
    }

    /// One hop's answer, with the credential where the hop may still show it.
    async fn answer(&self, hop: &Hop<'_>, limits: BodyLimits) -> Result<Response, Fault> {
        let Some(auth) = hop.request.auth.as_ref().filter(|_| hop.is_home) else {
            return self.exchange(hop, hop.url.clone(), hop.headers()?, limits).await;
        };
        // Boxed, so that requests without a credential do not carry the room for one.
        Box::pin(self.answer_as(hop, auth, limits)).await
    }

    /// Sends and reads; `url` may carry a secret in its query, `hop.url` never does.
    async fn exchange(
        &self,
        hop: &Hop<'_>,
        url: Url,
        headers: HeaderMap,
        limits: BodyLimits,
    ) -> Result<Response, Fault> {
        let authority = &hop.url[url::Position::BeforeHost..url::Position::AfterPort];
        let _slot = self.hosts.enter(authority).await;
        // Of all places, last: whoever waits for its host keeps nobody else waiting.
        let _one_of_all = self.in_flight.acquire().await.expect("the semaphore is never closed");
        let mut outgoing = reqwest::Request::new(hop.method.clone(), url);
        *outgoing.headers_mut() = headers;
        *outgoing.body_mut() = hop.body().map(|body| body.to_owned().into());
        let clients = if hop.allow_private { &self.open } else { &self.guarded };
        let kept = self.idle.enter(authority, Instant::now());
        let client = if kept.is_some() { &clients.keeping } else { &clients.closing };
        let first_byte_max = self.options.first_byte_max;
        let patience = hop.request.patience.map_or(first_byte_max, |it| it.to_std().min(first_byte_max));
        if hop.is_home {
            hop.request.meter.count();
        }
        let sent = timeout(patience, client.execute(outgoing)).await;
        let mut incoming = sent
            .map_err(|_| fault::timeout(authority, "no answer"))?
            .map_err(|error| fault::fault_of(error, authority))?;
        let status = incoming.status().as_u16();
        let mut response = Response {
            status,
            headers: headers_of(incoming.headers(), self.options.header_bytes_max)?,
            body: Vec::new(),
            url: hop.url.to_string(),
            received_at: self.options.clock.now(),
        };
        response.body = self.body(&mut incoming, authority, limits).await?;
        response.received_at = self.options.clock.now();
        tracing::trace!(host = authority, status, byte_count = response.body.len(), "fetched");
        Ok(response)
    }

    async fn body(
        &self,
        incoming: &mut reqwest::Response,
        host: &str,
        limits: BodyLimits,
    ) -> Result<Vec<u8>, Fault> {
        let headers = incoming.headers();
        let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
        let length = text(CONTENT_LENGTH).and_then(|length| length.trim().parse().ok());
        let mut sink =
            BodySink::new(text(CONTENT_ENCODING), length, limits).map_err(|fault| at(host, &fault))?;
        loop {
            let chunk = timeout(self.options.between_bytes_max, incoming.chunk()).await;
            let chunk = chunk
                .map_err(|_| fault::timeout(host, "no further byte"))?
                .map_err(|error| fault::fault_of(error, host))?;
            let Some(chunk) = chunk else { break };
            if sink.write_chunk(&chunk).map_err(|fault| at(host, &fault))? == Wanted::Enough {
                return Ok(sink.into_part());
            }
        }
        sink.finish().map_err(|fault| at(host, &fault))
    }
}

impl Fetch for HttpFetch {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let limits = BodyLimits {
            wire_bytes_max: self.options.body_bytes_max,
            decoded_bytes_max: self.options.decoded_bytes_max,
            is_cut: false,
        };
        Box::pin(self.within_total(request, limits))
    }

    fn open<'a>(
        &'a self,
        request: &'a Request,
        transport: Transport,
    ) -> BoxFuture<'a, Result<Opened, Fault>> {
        self.open_stream(request, transport)
    }
}

/// `freshet/VERSION (+CONTACT)`: who we are and whom to write to.
fn user_agent(contact: &str) -> Result<String, FetchError> {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '(' | ')' | '\\');
    if contact.is_empty() || contact.len() > CONTACT_BYTES_MAX || !contact.chars().all(is_plain) {
        return Err(FetchError::Contact(contact.chars().take(CONTACT_BYTES_MAX).collect()));
    }
    Ok(format!("freshet/{} (+{contact})", env!("CARGO_PKG_VERSION")))
}

/// A builder with the TLS provider in place; making it twice is harmless.
pub(crate) fn client_builder() -> ClientBuilder {
    // An error means that a provider is installed already, by us or by the program around us.
    drop(rustls::crypto::ring::default_provider().install_default());
    Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none())
}

fn client(
    options: &HttpOptions,
    user_agent: &str,
    (allow_private, idle_per_host): (bool, usize),
    finish: fn(ClientBuilder) -> reqwest::Result<Client>,
) -> Result<Client, FetchError> {
    let builder = || {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(body::ACCEPT_ENCODING));
        let resolver = guard::Resolver { lookup: Arc::clone(&options.lookup), allow_private };
        client_builder()
            .user_agent(user_agent)
            .default_headers(headers)
            .referer(false)
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .connect_timeout(options.connect_max)
            .pool_max_idle_per_host(idle_per_host)
            .pool_idle_timeout(IDLE_MAX)
            .http2_max_header_list_size(u32::try_from(options.header_bytes_max).unwrap_or(u32::MAX))
            .dns_resolver(Arc::new(resolver))
    };
    finish(builder()).or_else(|error| {
        // A bare container has no root certificates; http and simulated worlds still work there.
        tracing::warn!("https will fail, as there are no usable root certificates: {error}");
        let bare = finish(builder().tls_certs_only(std::iter::empty()));
        bare.map_err(|error| FetchError::Client(error.to_string()))
    })
}

/// Names are lower-case already; values that are not text are kept as well as they can be.
fn headers_of(headers: &HeaderMap, bytes_max: usize) -> Result<Vec<(String, String)>, Fault> {
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if bytes > bytes_max {
        return Err(Fault::new(
            FaultKind::TooLarge,
            format!("the headers are longer than {bytes_max} bytes"),
        ));
    }
    let pair = |(name, value): (&reqwest::header::HeaderName, &HeaderValue)| {
        (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    Ok(headers.iter().map(pair).collect())
}

fn at(host: &str, fault: &Fault) -> Fault {
    Fault::new(fault.kind, format!("`{host}`: {}", fault.message))
}

fn host_of(url: &str) -> String {
    Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
