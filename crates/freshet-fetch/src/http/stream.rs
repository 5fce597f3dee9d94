//! Opening a stream over the same client as everything else: the same TLS, guard, user agent and credentials.
//!
//! A WebSocket begins as an HTTP request too, so both transports are opened here, without a pool and over HTTP/1.1. Redirects are not
//! followed: a stream is where the definition says. A stream takes none of the places of exchanges, since it never ends; the engine
//! opens one of a kind for each server.

mod sse;
mod websocket;

use freshet_types::{AuthScheme, AuthUse, Fault, FaultKind, Request, Response, Transport};
use futures::future::BoxFuture;
use reqwest::Client;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue};
use tokio::time::timeout;
use url::Url;

use super::body::BodyLimits;
use super::hop::Hop;
use super::renewal::Held;
use super::{HttpFetch, auth, fault, headers_of};
use crate::credential::CredentialKind;
use crate::stream::Opened;
pub use websocket::accepted;

/// Longest part that is read of an answer that is no stream: enough for an error.
const REFUSAL_BYTES_MAX: usize = 16 << 10;

/// How the stream is reached.
struct Way {
    url: Url,
    headers: HeaderMap,
}

impl HttpFetch {
    /// Opens a stream. Never hangs: every wait is bounded.
    pub(super) fn open_stream<'a>(
        &'a self,
        request: &'a Request,
        transport: Transport,
    ) -> BoxFuture<'a, Result<Opened, Fault>> {
        Box::pin(async move {
            let opening = timeout(self.options.total_max, self.connect(request, transport)).await;
            let host = super::host_of(&request.url);
            let opened = opening.unwrap_or_else(|_| Err(fault::timeout(&host, "the stream did not open")));
            opened.map_err(|fault| Fault::new(fault.kind, self.scrubber.scrub(&fault.message)))
        })
    }

    async fn connect(&self, request: &Request, transport: Transport) -> Result<Opened, Fault> {
        let hop = Hop::first(request)?;
        let limits = BodyLimits {
            wire_bytes_max: REFUSAL_BYTES_MAX,
            decoded_bytes_max: REFUSAL_BYTES_MAX,
            is_cut: true,
        };
        let mut way = Way { url: hop.url.clone(), headers: hop.headers()? };
        if let Some(auth) = &request.auth {
            match self.shown_on_stream(&hop, auth, &mut way, limits).await? {
                None => {}
                Some(answer) => return Ok(Opened::Refused(Box::new(answer))),
            }
        }
        way.headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let key = (transport == Transport::Websocket).then(|| websocket::ask(&mut way.headers));
        if key.is_none() {
            way.headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        }
        let host = hop.url.host_str().unwrap_or_default().to_owned();
        let mut outgoing = reqwest::Request::new(reqwest::Method::GET, way.url);
        *outgoing.headers_mut() = way.headers;
        request.meter.count();
        let client = if hop.allow_private { &self.open.streaming } else { &self.guarded.streaming };
        let sent = timeout(self.options.first_byte_max, client.execute(outgoing)).await;
        let incoming = sent
            .map_err(|_| fault::timeout(&host, "no answer"))?
            .map_err(|error| fault::fault_of(error, &host))?;
        let scrubber = request.auth.is_some().then(|| std::sync::Arc::clone(&self.scrubber));
        match key {
            None if is_event_stream(&incoming)? => {
                Ok(Opened::Stream(Box::new(sse::Events::new(incoming, host, scrubber))))
            }
            Some(key) if incoming.status().as_u16() == 101 => {
                let mut socket = websocket::upgrade(incoming, &key, host, scrubber).await?;
                if let Some(hello) = &request.body {
                    socket.say(hello).await?;
                }
                Ok(Opened::Stream(Box::new(socket)))
            }
            _ => Ok(Opened::Refused(Box::new(self.refusal(incoming, &hop, limits).await?))),
        }
    }

    /// Shows the credential; gives the answer of who should have given a token and did not.
    async fn shown_on_stream(
        &self,
        hop: &Hop<'_>,
        auth: &AuthUse,
        way: &mut Way,
        limits: BodyLimits,
    ) -> Result<Option<Response>, Fault> {
        let vault = self.options.vault.now();
        let credential = auth::credential(&vault, auth, hop, &hop.url)?;
        match (credential.kind, &auth.scheme) {
            (CredentialKind::Oauth2, _) => match self.granted(hop, auth, None, limits).await? {
                Held::Token(held) => auth::show(&held.shown, &held.secret, &mut way.url, &mut way.headers)?,
                Held::Answer(response) => return Ok(Some(response)),
            },
            (CredentialKind::Oauth1, _) | (_, AuthScheme::Session { .. }) => {
                let what = format!("credential `{}` cannot open a stream", auth.credential);
                return Err(Fault::new(FaultKind::Credential, what));
            }
            (_, scheme) => auth::show(scheme, &credential.secret, &mut way.url, &mut way.headers)?,
        }
        Ok(None)
    }

    async fn refusal(
        &self,
        mut incoming: reqwest::Response,
        hop: &Hop<'_>,
        limits: BodyLimits,
    ) -> Result<Response, Fault> {
        let host = hop.url.host_str().unwrap_or_default();
        let response = Response {
            status: incoming.status().as_u16(),
            headers: headers_of(incoming.headers(), self.options.header_bytes_max)?,
            // What stands in the body does not matter if it cannot be had.
            body: self.body(&mut incoming, host, limits).await.unwrap_or_default(),
            url: hop.url.to_string(),
            received_at: self.options.clock.now(),
        };
        Ok(match &hop.request.auth {
            Some(auth) => auth::scrubbed(&self.scrubber, &auth.credential, response),
            None => response,
        })
    }
}

/// Whether an answer is a stream of events, not compressed.
fn is_event_stream(incoming: &reqwest::Response) -> Result<bool, Fault> {
    let text = |name| incoming.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let is_stream = incoming.status().is_success()
        && text(CONTENT_TYPE).is_some_and(|it| it.trim_start().starts_with("text/event-stream"));
    match text(CONTENT_ENCODING) {
        Some(encoding) if is_stream && !encoding.eq_ignore_ascii_case("identity") => Err(Fault::new(
            FaultKind::Encoding,
            format!("the stream is compressed with `{encoding}`, unasked"),
        )),
        _ => Ok(is_stream),
    }
}

/// A client for connections that stay: no pool, and the only version of HTTP that can become a WebSocket.
pub(super) fn streaming(builder: reqwest::ClientBuilder) -> reqwest::Result<Client> {
    builder.http1_only().pool_max_idle_per_host(0).build()
}

#[cfg(test)]
mod tests;
