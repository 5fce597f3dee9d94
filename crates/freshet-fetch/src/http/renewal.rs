//! Renewing what OAuth granted: an access token that runs out, or was refused, is exchanged for the next one.
//!
//! Invariants: one renewal per credential is under way; its answer is saved before the token is used; the secrets go to
//! the place of the grant only, whatever the definition says today. A grant that the network took back is marked, asked
//! for no more, and passed over by whoever chooses credentials; a server that is ill rests and is asked again.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use freshet_types::{
    AuthScheme, AuthUse, Fault, FaultKind, Map, Meter, NetworkName, Request, Response, Span,
};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use secrecy::{ExposeSecret as _, SecretString};
use tokio::time::timeout;
use url::Url;

use super::body::BodyLimits;
use super::hop::{self, Hop};
use super::{HttpFetch, auth, fault, guard, host_of};
use crate::credential::{Credential, Grant};
use crate::oauth::App;
use crate::oauth::token::{self, Ask, Said, Tokens};

/// A token with less than this left is renewed before it is used.
const NEAR: Span = Span::MINUTE;
/// How long a place rests that gave no token, without a word of OAuth.
const UNCLEAR_REST: Duration = Duration::from_mins(5);
/// A token younger than this is not replaced: what is refused with it is refused for another reason.
const TOKEN_LIFE_MIN: Duration = Duration::from_mins(1);
/// How long refusals count as being about something else, once a new token was refused as well.
const HELPLESS_REST: Duration = Duration::from_hours(1);
/// Credentials whose renewals are remembered.
const FLIGHTS_MAX: usize = 4096;
/// Longest answer of the place where tokens are made.
const ANSWER_BYTES_MAX: usize = 1 << 20;

/// A token as it is to be shown.
#[derive(Debug)]
pub(super) struct Granted {
    pub(super) secret: SecretString,
    pub(super) shown: AuthScheme,
}

/// What came of wanting a token.
#[derive(Debug)]
pub(super) enum Held {
    Token(Granted),
    /// The place where tokens are made said something that will pass.
    Answer(Response),
}

/// Renewals under way, and what came of the last.
#[derive(Debug, Default)]
pub(super) struct Renewals(Mutex<Map<Arc<str>, Arc<tokio::sync::Mutex<Flight>>>>);

#[derive(Debug, Default)]
struct Flight {
    renewed_at: Option<Instant>,
    failed: Option<(Fault, Instant)>,
    helpless_since: Option<Instant>,
}

impl Renewals {
    /// A new token was refused like the one before: refusals are about something else.
    pub(super) async fn note_helpless(&self, name: &Arc<str>) {
        self.flight(name).lock().await.helpless_since = Some(Instant::now());
    }

    fn flight(&self, name: &Arc<str>) -> Arc<tokio::sync::Mutex<Flight>> {
        let mut flights = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if flights.len() >= FLIGHTS_MAX && !flights.contains_key(name) {
            flights.retain(|_, flight| Arc::strong_count(flight) > 1);
        }
        Arc::clone(flights.entry(Arc::clone(name)).or_default())
    }
}

impl Flight {
    /// Whether a refused token is worth replacing.
    fn may_replace(&self) -> bool {
        let is_past = |at: Option<Instant>, span: Duration| at.is_none_or(|at| at.elapsed() >= span);
        is_past(self.renewed_at, TOKEN_LIFE_MIN) && is_past(self.helpless_since, HELPLESS_REST)
    }
}

impl HttpFetch {
    /// The token of a grant, renewed where it runs out or is the stale one.
    pub(super) async fn granted(
        &self,
        hop: &Hop<'_>,
        auth: &AuthUse,
        stale: Option<&SecretString>,
        limits: BodyLimits,
    ) -> Result<Held, Fault> {
        let flight = self.renewals.flight(&auth.credential);
        let mut flight = flight.lock().await;
        let vault = self.options.vault.now();
        let credential = auth::credential(&vault, auth, hop, &hop.url)?;
        let Some(grant) = &credential.grant else { return Err(needs_login(credential, "has no grant")) };
        if grant.is_refused {
            return Err(needs_login(credential, "was taken back by the network"));
        }
        let token = |secret: &SecretString| {
            Held::Token(Granted { secret: secret.clone(), shown: grant.shown.clone() })
        };
        let left = grant.expires_at.map(|at| at - self.options.clock.now());
        let is_near = left.is_some_and(|left| left < NEAR);
        let is_stale = stale.is_some_and(|stale| stale.expose_secret() == credential.secret.expose_secret());
        if !(is_near || is_stale && flight.may_replace()) || !grant.is_renewable() {
            return Ok(token(&credential.secret));
        }
        if let Some((fault, at)) = &flight.failed
            && at.elapsed() < UNCLEAR_REST
        {
            // What is left of the token is still good.
            let is_good = !is_stale && left.is_some_and(|left| left > Span::ZERO);
            return if is_good { Ok(token(&credential.secret)) } else { Err(fault.clone()) };
        }
        let made = self.renew(hop, credential, grant, limits).await;
        (flight.failed, flight.renewed_at) = match &made {
            Ok(Held::Token(_)) => (None, Some(Instant::now())),
            Ok(Held::Answer(_)) => (None, flight.renewed_at),
            Err(fault) => (Some((fault.clone(), Instant::now())), flight.renewed_at),
        };
        made
    }

    async fn renew(
        &self,
        hop: &Hop<'_>,
        credential: &Credential,
        grant: &Grant,
        limits: BodyLimits,
    ) -> Result<Held, Fault> {
        let (name, network) = (&credential.name, &credential.network);
        let unclear = |why: String| Fault::new(FaultKind::Unwell, format!("credential `{name}`: {why}"));
        let url = grant.token_url.as_deref().unwrap_or_default();
        let form = token::renewal(grant).unwrap_or_default();
        let form: Vec<(&str, &str)> = form.iter().map(|(key, value)| (*key, value.expose_secret())).collect();
        let app = App { id: credential.app.clone().unwrap_or_default(), secret: grant.app_secret.clone() };
        let (form, basic) = token::with_client(&form, &app, grant.client_auth);
        let form: Vec<(&str, &str)> =
            form.iter().map(|(key, it)| (key.as_str(), it.expose_secret())).collect();
        // A renewal elsewhere takes nothing from the quotas of the request's server.
        let is_here = Url::parse(url).is_ok_and(|url| hop::is_same_server(&hop.url, &url));
        let meter = if is_here { hop.request.meter.clone() } else { Meter::default() };
        let request = Request {
            allow_private: hop.allow_private,
            patience: hop.request.patience,
            meter,
            ..Request::get(&hop.request.network, url)
        };
        let response =
            self.post_form(request, &Ask { url, form: &form, authorization: basic.as_ref() }, limits).await?;
        let received_at = response.received_at;
        match token::read(response) {
            Said::Tokens(Tokens { access, refresh, lasts }) => {
                let mut grant = grant.clone();
                // Some networks give the next refresh token, others let the old one stand.
                grant.refresh = refresh.or(grant.refresh);
                grant.expires_at = lasts.map(|lasts| received_at + lasts);
                let shown = grant.shown.clone();
                self.save_renewed(Credential {
                    secret: access.clone(),
                    grant: Some(grant),
                    ..credential.clone()
                })
                .await;
                tracing::info!(credential = &**name, "token renewed");
                Ok(Held::Token(Granted { secret: access, shown }))
            }
            Said::Refused(why) => {
                let grant = Grant { is_refused: true, ..grant.clone() };
                self.save_renewed(Credential { grant: Some(grant), ..credential.clone() }).await;
                let fault = needs_login(credential, &format!("was not renewed ({why})"));
                let message = self.scrubber.scrub(&fault.message).into_owned();
                tracing::warn!(network = network.as_str(), "{message}");
                Err(Fault::new(fault.kind, message))
            }
            Said::Unclear(why) => Err(unclear(format!("`{}`: {why}", host_of(url)))),
            Said::Busy(response) if is_here => Ok(Held::Answer(response)),
            // What another server says of itself must not be read as the network's word.
            Said::Busy(response) => {
                Err(unclear(format!("`{}` answered status {}", host_of(url), response.status)))
            }
        }
    }

    /// A task of its own: whoever waits for the request may give up, and the next token must not be lost by that.
    async fn save_renewed(&self, credential: Credential) {
        let vault = self.options.vault.clone();
        if let Err(error) = tokio::spawn(async move { vault.renewed(credential).await }).await {
            tracing::warn!("saving a renewed token failed: {error}");
        }
    }

    /// Asks a place where tokens are made; for logging in.
    pub(crate) async fn ask_token(
        &self,
        network: &NetworkName,
        ask: &Ask<'_>,
        allow_private: bool,
    ) -> Result<Response, Fault> {
        let limits = BodyLimits {
            wire_bytes_max: ANSWER_BYTES_MAX,
            decoded_bytes_max: ANSWER_BYTES_MAX,
            is_cut: false,
        };
        let request = Request { allow_private, ..Request::get(network, ask.url) };
        let sent = timeout(self.options.total_max, self.post_form(request, ask, limits)).await;
        sent.unwrap_or_else(|_| Err(fault::timeout(&host_of(ask.url), "the exchange did not end")))
    }

    /// Sends a form with secrets, to an address that is encrypted or on this computer; no redirect is followed.
    async fn post_form(
        &self,
        request: Request,
        ask: &Ask<'_>,
        limits: BodyLimits,
    ) -> Result<Response, Fault> {
        let url = guard::check_url(ask.url, request.allow_private)?;
        if url.scheme() != "https" && !request.allow_private {
            let host = url.host_str().unwrap_or_default();
            let message = format!("no secret is sent to `{host}` without encryption");
            return Err(Fault::new(FaultKind::Credential, message));
        }
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(ask.form).finish();
        let request = Request { body: Some(body), ..request };
        let hop = Hop::login(&request, url);
        let mut headers = hop.headers()?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(authorization) = ask.authorization {
            headers.insert(AUTHORIZATION, auth::sensitive(authorization.expose_secret())?);
        }
        self.exchange(&hop, hop.url.clone(), headers, limits).await
    }
}

fn needs_login(credential: &Credential, what: &str) -> Fault {
    let (name, network) = (&credential.name, &credential.network);
    Fault::new(
        FaultKind::Credential,
        format!("credential `{name}` {what}; it needs `freshet login {network} --name {name}` again"),
    )
}
