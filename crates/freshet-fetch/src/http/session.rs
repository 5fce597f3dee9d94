//! Sessions: an app password is exchanged for a token, and the token is kept until it expires.
//!
//! Invariant: at most one exchange per credential is under way, and a refused password is not
//! tried again for a while, because networks lock accounts that are tried too often. A server
//! that is busy or ill answers for itself: its answer is passed on to be read like any other.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use freshet_types::{Fault, FaultKind, Map, Response};
use futures::future::BoxFuture;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use crate::Scrubber;
use crate::credential::Credential;

/// How long a token is used; the shortest-lived ones known last two hours.
const TOKEN_LIFE_MAX: Duration = Duration::from_hours(1);

/// How long a refused password rests.
const REFUSED_REST: Duration = Duration::from_mins(5);

/// A token younger than this is not replaced: what is refused with it is refused for another reason.
const TOKEN_LIFE_MIN: Duration = Duration::from_mins(1);

/// Sessions remembered; one per credential and server.
const SESSIONS_MAX: usize = 4096;

/// A token that the network did not take.
#[derive(Clone, Copy)]
pub(super) struct Stale<'a> {
    pub(super) token: &'a SecretString,
    /// Because it ran out, as the network says itself; else a new one is given again.
    pub(super) is_told: bool,
}

/// What came of asking for a token.
#[derive(Debug)]
pub(super) enum Made {
    Token(SecretString),
    /// The network said something else: too many requests, or an error that will pass.
    Answer(Response),
}

pub(super) struct Sessions {
    scrubber: Arc<Scrubber>,
    sessions: Mutex<Map<String, Arc<tokio::sync::Mutex<Session>>>>,
}

#[derive(Default)]
struct Session {
    token: Option<(SecretString, Instant)>,
    refused: Option<(Fault, Instant)>,
}

impl Sessions {
    /// No session yet; every token made is told to the scrubber.
    pub(super) fn new(scrubber: Arc<Scrubber>) -> Self {
        Self { scrubber, sessions: Mutex::default() }
    }

    /// The token for this credential, other than a stale one.
    pub(super) async fn token<'a>(
        &self,
        credential: &Credential,
        endpoint: (&Url, &str),
        stale: Option<Stale<'_>>,
        ask: impl FnOnce(String) -> BoxFuture<'a, Result<Response, Fault>>,
    ) -> Result<Made, Fault> {
        let session = self.session(&format!("{} {}", credential.name, endpoint.0));
        let mut session = session.lock().await;
        if let Some((token, made)) = &session.token
            && made.elapsed() < TOKEN_LIFE_MAX
            && stale.is_none_or(|stale| {
                let is_other = stale.token.expose_secret() != token.expose_secret();
                is_other || (!stale.is_told && made.elapsed() < TOKEN_LIFE_MIN)
            })
        {
            return Ok(Made::Token(token.clone()));
        }
        if let Some((fault, at)) = &session.refused
            && at.elapsed() < REFUSED_REST
        {
            return Err(fault.clone());
        }
        let response = ask(login(credential)?).await?;
        let made = read(credential, endpoint, response);
        session.token = match &made {
            Ok(Made::Token(token)) => {
                self.scrubber.learn_token(&credential.name, token);
                Some((token.clone(), Instant::now()))
            }
            _ => None,
        };
        session.refused = made.as_ref().err().map(|fault| (fault.clone(), Instant::now()));
        made
    }

    fn session(&self, key: &str) -> Arc<tokio::sync::Mutex<Session>> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(session) = sessions.get(key) {
            return Arc::clone(session);
        }
        if sessions.len() >= SESSIONS_MAX {
            sessions.retain(|_, session| Arc::strong_count(session) > 1);
        }
        Arc::clone(sessions.entry(key.to_owned()).or_default())
    }
}

/// The body that asks for a session.
fn login(credential: &Credential) -> Result<String, Fault> {
    let Some(identifier) = &credential.identifier else {
        let message = format!(
            "credential `{}` has no identifier, which a session needs; add it as an app password",
            credential.name
        );
        return Err(Fault::new(FaultKind::Credential, message));
    };
    let password = credential.secret.expose_secret();
    Ok(serde_json::json!({ "identifier": identifier, "password": password }).to_string())
}

/// What the answer means.
fn read(credential: &Credential, (url, pointer): (&Url, &str), response: Response) -> Result<Made, Fault> {
    let host = url.host_str().unwrap_or_default();
    let refuse = |why: String| {
        Err(Fault::new(FaultKind::Credential, format!("credential `{}`: {why}", credential.name)))
    };
    match response.status {
        200..=299 => {
            let answer: serde_json::Value = serde_json::from_slice(&response.body).unwrap_or_default();
            match answer.pointer(pointer).and_then(serde_json::Value::as_str) {
                Some(token) => Ok(Made::Token(token.into())),
                None => refuse(format!("`{host}` made a session without a token at `{pointer}`")),
            }
        }
        300..=399 => refuse(format!("`{host}` sends the password elsewhere, where it does not follow")),
        400 | 401 | 403 | 404 => {
            refuse(format!("`{host}` refused it (status {}); check identifier and password", response.status))
        }
        _ => Ok(Made::Answer(response)),
    }
}
