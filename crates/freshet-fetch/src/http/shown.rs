//! A request that shows a credential, by the kind of it: as it is, in a session, granted by OAuth, or signed.
//!
//! Invariant: what a credential is exchanged for is asked for once, however many requests wait for it, and a token that
//! was refused is replaced once; then the network's word stands.

use freshet_types::{AuthScheme, AuthUse, Fault, FaultKind, Meter, Request, Response};
use futures::future::BoxFuture;
use reqwest::header::AUTHORIZATION;
use secrecy::{ExposeSecret as _, SecretString};

use super::body::BodyLimits;
use super::hop::{self, Hop};
use super::renewal::Held;
use super::session::{Made, Stale};
use super::{HttpFetch, auth, guard};
use crate::credential::{Credential, CredentialKind};
use crate::oauth::sign;

impl HttpFetch {
    /// The answer to a request that shows a credential, without the secret, should the server repeat it.
    pub(super) async fn answer_as(
        &self,
        hop: &Hop<'_>,
        auth: &AuthUse,
        limits: BodyLimits,
    ) -> Result<Response, Fault> {
        let vault = self.options.vault.now();
        let credential = auth::credential(&vault, auth, hop, &hop.url)?;
        let response = match (credential.kind, &auth.scheme) {
            (CredentialKind::Oauth2, _) => self.answer_granted(hop, auth, limits).await?,
            (CredentialKind::Oauth1, _) => self.answer_signed(hop, credential, limits).await?,
            (_, AuthScheme::Session { .. }) => self.answer_in_session(hop, auth, limits).await?,
            (_, scheme) => self.show(hop, scheme, &credential.secret, limits).await?,
        };
        Ok(auth::scrubbed(&self.scrubber, &auth.credential, response))
    }

    async fn answer_in_session(
        &self,
        hop: &Hop<'_>,
        auth: &AuthUse,
        limits: BodyLimits,
    ) -> Result<Response, Fault> {
        let mut refused: Option<(SecretString, Response)> = None;
        loop {
            // By the standard a 401 may mean many things; the other form says that the token ran out.
            let stale =
                refused.as_ref().map(|(token, response)| Stale { token, is_told: response.status != 401 });
            let token = match self.session(hop, auth, stale, limits).await? {
                Made::Token(token) => token,
                Made::Answer(response) => return Ok(response),
            };
            if let Some((_, response)) = refused.take_if(|(stale, _)| is_same(stale, &token)) {
                return Ok(response);
            }
            let response = self.show(hop, &auth.scheme, &token, limits).await?;
            if refused.is_some() || !is_expired(&response) {
                return Ok(response);
            }
            refused = Some((token, response));
        }
    }

    async fn answer_granted(
        &self,
        hop: &Hop<'_>,
        auth: &AuthUse,
        limits: BodyLimits,
    ) -> Result<Response, Fault> {
        let held = match self.granted(hop, auth, None, limits).await? {
            Held::Token(held) => held,
            Held::Answer(response) => return Ok(response),
        };
        let response = self.show(hop, &held.shown, &held.secret, limits).await?;
        if response.status != 401 {
            return Ok(response);
        }
        match self.granted(hop, auth, Some(&held.secret), limits).await? {
            Held::Token(next) if !is_same(&next.secret, &held.secret) => {
                let again = self.show(hop, &next.shown, &next.secret, limits).await?;
                if again.status == 401 {
                    self.renewals.note_helpless(&auth.credential).await;
                }
                Ok(again)
            }
            // No other token is to be had, or the place where they are made is busy: this is the answer.
            _ => Ok(response),
        }
    }

    async fn answer_signed(
        &self,
        hop: &Hop<'_>,
        credential: &Credential,
        limits: BodyLimits,
    ) -> Result<Response, Fault> {
        let broken =
            |why: &str| Fault::new(FaultKind::Credential, format!("credential `{}` {why}", credential.name));
        let grant = credential.grant.as_ref();
        let app = credential.app.as_deref();
        let secrets =
            grant.and_then(|grant| Some((grant.app_secret.as_ref()?, grant.token_secret.as_ref()?)));
        let (Some(app), Some((app_secret, token_secret))) = (app, secrets) else {
            return Err(broken("lacks a part that signing needs; log in again"));
        };
        let token = Some((credential.secret.expose_secret(), token_secret));
        let moment = sign::moment(self.options.clock.now()).map_err(|error| broken(&error.to_string()))?;
        let keys = sign::Keys { app, app_secret, token };
        let signed = sign::header(hop.method.as_str(), &hop.url, &[], &keys, &moment);
        let mut headers = hop.headers()?;
        headers.insert(AUTHORIZATION, auth::sensitive(signed.expose_secret())?);
        self.exchange(hop, hop.url.clone(), headers, limits).await
    }

    async fn show(
        &self,
        hop: &Hop<'_>,
        scheme: &AuthScheme,
        secret: &SecretString,
        limits: BodyLimits,
    ) -> Result<Response, Fault> {
        let (mut url, mut headers) = (hop.url.clone(), hop.headers()?);
        auth::show(scheme, secret, &mut url, &mut headers)?;
        self.exchange(hop, url, headers, limits).await
    }

    /// A token for the session, from the cache or by logging in.
    async fn session(
        &self,
        hop: &Hop<'_>,
        auth: &AuthUse,
        stale: Option<Stale<'_>>,
        limits: BodyLimits,
    ) -> Result<Made, Fault> {
        let AuthScheme::Session { url, token } = &auth.scheme else {
            return Err(Fault::new(FaultKind::Credential, "only sessions have tokens"));
        };
        let url = hop.url.join(url).map_err(|_| {
            Fault::new(FaultKind::Request, format!("`{url}` is no place to make a session at"))
        })?;
        guard::check_parsed(&url, hop.allow_private)?;
        // The password itself goes to this URL, which may be another server than the request's.
        let vault = self.options.vault.now();
        let credential = auth::credential(&vault, auth, hop, &url)?;
        // A login elsewhere takes nothing from the quotas of the request's server.
        let is_here = hop::is_same_server(&hop.url, &url);
        let meter = if is_here { hop.request.meter.clone() } else { Meter::default() };
        let (allow_private, patience) = (hop.allow_private, hop.request.patience);
        let request = Request { allow_private, patience, meter, ..Request::get(&hop.request.network, "") };
        let ask = |login: String| -> BoxFuture<'_, Result<Response, Fault>> {
            let request = Request { body: Some(login), ..request };
            let url = url.clone();
            Box::pin(async move {
                let hop = Hop::login(&request, url);
                self.exchange(&hop, hop.url.clone(), hop.headers()?, limits).await
            })
        };
        self.sessions.token(credential, (&url, token), stale, ask).await
    }
}

fn is_same(one: &SecretString, other: &SecretString) -> bool {
    one.expose_secret() == other.expose_secret()
}

/// A token has run out: 401 by the standard, 400 `ExpiredToken` by the AT protocol.
fn is_expired(response: &Response) -> bool {
    let word = b"ExpiredToken";
    response.status == 401
        || response.status == 400 && response.body.windows(word.len()).take(4096).any(|window| window == word)
}
