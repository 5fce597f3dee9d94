//! Logging in: how a person's consent, or an app's own word, becomes a credential.
//!
//! Invariants: a code is taken only with the `state` that we gave out; secrets go to the addresses of the definition and
//! follow no redirect; no message holds one. Who is asked for consent, and where the credential is kept, is decided elsewhere.

use freshet_types::definition::{GrantName, LoginKind, LoginRule};
use freshet_types::{AuthUse, NetworkName, Request, RobotKind};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::credential::{Credential, CredentialKind, Grant, Origin};
use crate::oauth::proof::{self, Answered, Proof};
use crate::oauth::token::{self, Said, Tokens};
use crate::oauth::{App, sign};
use crate::{Fetch as _, FetchError, HttpFetch};

/// What an app that registers itself is called.
const APP_NAME: &str = "freshet";
/// Where a code is shown instead of sent, for apps that register without a browser.
const NO_REDIRECT: &str = "urn:ietf:wg:oauth:2.0:oob";

/// Where somebody logs in; every address is whole.
#[derive(Clone, Debug)]
pub struct Place {
    pub network: NetworkName,
    /// The definition's rule, with its addresses made whole.
    pub rule: LoginRule,
    /// Private addresses may be asked.
    pub allow_private: bool,
}

/// A login that waits for a person.
#[derive(Debug)]
pub struct Pending {
    /// What the person opens in a browser.
    pub address: String,
    app: App,
    redirect: String,
    proof: Proof,
}

/// Logs in at one place.
#[derive(Clone, Copy, Debug)]
pub struct Login<'a> {
    pub fetch: &'a HttpFetch,
    pub place: &'a Place,
    /// What the credential is to be called.
    pub name: &'a str,
}

impl Login<'_> {
    /// Registers an app on the spot. Without an address to come back to, it can only speak for itself.
    pub async fn register(&self, redirect: Option<&str>) -> Result<App, FetchError> {
        let Some(url) = self.place.rule.register_url.as_deref() else {
            return self
                .failed("it knows no app of yours; register one there, and give its id with `--client-id`");
        };
        let scopes = self.place.rule.scopes.join(" ");
        let redirect = redirect.unwrap_or(NO_REDIRECT);
        let form = [("client_name", APP_NAME), ("redirect_uris", redirect), ("scopes", &scopes)];
        let response = self.post(url, &form, None).await?;
        let app = token::registered(&response).map_err(|why| self.failure(&why))?;
        self.learn(app.secret.as_ref());
        Ok(app)
    }

    /// Begins a login that a person must consent to, in a browser that comes back to `redirect`.
    pub async fn begin(&self, app: App, redirect: String) -> Result<Pending, FetchError> {
        self.learn(app.secret.as_ref());
        let rule = &self.place.rule;
        let authorize = rule.authorize_url.as_deref().map(Url::parse);
        let Some(Ok(mut address)) = authorize else {
            return self.failed("its definition names no address where a person can say yes");
        };
        let proof = match rule.kind {
            LoginKind::Oauth2 => Proof::code(rule.pkce)?,
            LoginKind::Oauth1 => self.request_token(&app, &redirect).await?,
        };
        {
            let mut query = address.query_pairs_mut();
            match &proof {
                Proof::Code { state, verifier } => {
                    query.append_pair("response_type", "code");
                    query.append_pair("client_id", &app.id);
                    query.append_pair("redirect_uri", &redirect);
                    query.append_pair("scope", &rule.scopes.join(" "));
                    query.append_pair("state", state);
                    if let Some(verifier) = verifier {
                        query.append_pair("code_challenge", &proof::challenge(verifier.expose_secret()));
                        query.append_pair("code_challenge_method", "S256");
                    }
                }
                Proof::Signed { token, .. } => {
                    query.append_pair("oauth_token", token);
                }
            }
            query.extend_pairs(&rule.params);
        }
        Ok(Pending { address: address.into(), app, redirect, proof })
    }

    /// Ends it with what the browser came back with: the whole address, or the code alone.
    pub async fn finish(&self, pending: Pending, answer: &str) -> Result<Credential, FetchError> {
        let Pending { app, redirect, proof, .. } = pending;
        let given = match proof.check(answer) {
            Answered::Yes(given) => given,
            Answered::No(why) => return self.failed(&format!("it said no ({why}); log in again to say yes")),
            Answered::Foreign => {
                return self.failed(
                    "the answer is not to our question (its state differs); close other logins and try again",
                );
            }
            Answered::Nothing => {
                return self
                    .failed("there is no code in that; paste the whole address that the browser shows");
            }
        };
        self.learn(Some(&given));
        match proof {
            Proof::Code { verifier, .. } => {
                let mut form = vec![
                    ("grant_type", "authorization_code"),
                    ("code", given.expose_secret()),
                    ("redirect_uri", &redirect),
                ];
                form.extend(verifier.as_ref().map(|it| ("code_verifier", it.expose_secret())));
                self.granted(&app, &form, false).await
            }
            Proof::Signed { token, secret } => self.access_token(&app, (&token, &secret), &given).await,
        }
    }

    /// A token of the app alone.
    pub async fn app_token(&self, app: &App) -> Result<Credential, FetchError> {
        self.learn(app.secret.as_ref());
        if !self.place.rule.grants.contains(&GrantName::ClientCredentials) {
            return self.failed("it gives no tokens to apps alone; log in as a person, without `--grant`");
        }
        let scopes = self.place.rule.scopes.join(" ");
        self.granted(app, &[("grant_type", "client_credentials"), ("scope", &scopes)], true).await
    }

    async fn granted(
        &self,
        app: &App,
        form: &[(&str, &str)],
        is_app_only: bool,
    ) -> Result<Credential, FetchError> {
        let rule = &self.place.rule;
        let (form, basic) = token::with_client(form, app, rule.client_auth);
        let response = self.post(&rule.token_url, &pairs(&form), basic.as_ref()).await?;
        let received_at = response.received_at;
        let tokens = match token::read(response) {
            Said::Tokens(tokens) => tokens,
            Said::Refused(why) => return self.failed(&token::advice(&why)),
            Said::Unclear(why) => return self.failed(&format!("{why}; try again later")),
            Said::Busy(response) => {
                return self.failed(&format!("it answered status {}; try again later", response.status));
            }
        };
        let mut grant = Grant::new(rule.shown.clone());
        grant.app_secret.clone_from(&app.secret);
        grant.token_url = Some(rule.token_url.clone());
        grant.client_auth = rule.client_auth;
        grant.scopes.clone_from(&rule.scopes);
        grant.is_app_only = is_app_only;
        let Tokens { access, refresh, lasts } = tokens;
        (grant.refresh, grant.expires_at) = (refresh, lasts.map(|lasts| received_at + lasts));
        let mut credential = self.credential(CredentialKind::Oauth2, app, access, grant);
        if !is_app_only {
            credential.identifier = self.user(&credential).await;
        }
        Ok(credential)
    }

    /// Begins OAuth 1.0a: a token that means nothing until a person says yes to it.
    async fn request_token(&self, app: &App, redirect: &str) -> Result<Proof, FetchError> {
        let url = self.place.rule.request_token_url.clone().unwrap_or_default();
        let said = self.post_signed(&url, app, None, &[("oauth_callback", redirect)]).await?;
        Ok(Proof::Signed { token: said.token.expose_secret().to_owned(), secret: said.secret })
    }

    /// Ends OAuth 1.0a.
    async fn access_token(
        &self,
        app: &App,
        request: (&str, &SecretString),
        verifier: &SecretString,
    ) -> Result<Credential, FetchError> {
        let extra = [("oauth_verifier", verifier.expose_secret())];
        let said = self.post_signed(&self.place.rule.token_url, app, Some(request), &extra).await?;
        let mut grant = Grant::new(self.place.rule.shown.clone());
        grant.app_secret.clone_from(&app.secret);
        grant.token_secret = Some(said.secret);
        let mut credential = self.credential(CredentialKind::Oauth1, app, said.token, grant);
        credential.identifier = said.user;
        Ok(credential)
    }

    async fn post_signed(
        &self,
        url: &str,
        app: &App,
        token: Option<(&str, &SecretString)>,
        extra: &[(&str, &str)],
    ) -> Result<token::Signed, FetchError> {
        let parsed = Url::parse(url).map_err(|_| self.failure(&format!("`{url}` is no address")))?;
        let Some(secret) = &app.secret else {
            return self.failed("OAuth 1.0a signs with the app's secret; give it too");
        };
        let keys = sign::Keys { app: &app.id, app_secret: secret, token };
        let now = self.fetch.clock().now();
        let header = sign::header("POST", &parsed, extra, &keys, &sign::moment(now)?);
        let response = self.post(url, &[], Some(&header)).await?;
        let signed = token::signed(&response).map_err(|why| self.failure(&token::advice(&why)))?;
        self.learn(Some(&signed.token));
        self.learn(Some(&signed.secret));
        Ok(signed)
    }

    /// Whose token it is, where the network says so; a login does not fail for it.
    async fn user(&self, credential: &Credential) -> Option<String> {
        let rule = self.place.rule.user.as_ref()?;
        let request = Request {
            allow_private: self.place.allow_private,
            auth: Some(AuthUse {
                credential: credential.name.clone(),
                scheme: self.place.rule.shown.clone(),
            }),
            ..Request::get(&self.place.network, rule.url.clone())
        };
        // As it is: what renews it is not to be spent on this.
        let mut plain = credential.clone();
        plain.grant = plain.grant.map(|grant| Grant { refresh: None, expires_at: None, ..grant });
        let fetch = self.fetch.holding(plain).ok()?;
        let response = fetch.fetch(&request).await.ok()?;
        let answer: serde_json::Value = serde_json::from_slice(&response.body).ok()?;
        token::user_at(&answer, &rule.at).filter(|_| response.status == 200)
    }

    fn credential(&self, kind: CredentialKind, app: &App, secret: SecretString, grant: Grant) -> Credential {
        self.learn(Some(&secret));
        Credential {
            name: self.name.into(),
            network: self.place.network.clone(),
            kind,
            robot: None::<RobotKind>,
            identifier: None,
            app: Some(app.id.clone()),
            secret,
            grant: Some(grant),
            origin: Origin::File,
        }
    }

    async fn post(
        &self,
        url: &str,
        form: &[(&str, &str)],
        authorization: Option<&SecretString>,
    ) -> Result<freshet_types::Response, FetchError> {
        let ask = token::Ask { url, form, authorization };
        let sent = self.fetch.ask_token(&self.place.network, &ask, self.place.allow_private).await;
        sent.map_err(|fault| self.failure(&format!("{fault}; is the server up? try again later")))
    }

    fn learn(&self, secret: Option<&SecretString>) {
        if let Some(secret) = secret {
            self.fetch.scrubber().learn(&self.name.into(), secret);
        }
    }

    fn failure(&self, why: &str) -> FetchError {
        let why = self.fetch.scrub(why);
        FetchError::Login { network: self.place.network.to_string(), why }
    }

    fn failed<T>(&self, why: &str) -> Result<T, FetchError> {
        Err(self.failure(why))
    }
}

fn pairs(form: &[(String, SecretString)]) -> Vec<(&str, &str)> {
    form.iter().map(|(key, value)| (key.as_str(), value.expose_secret())).collect()
}
