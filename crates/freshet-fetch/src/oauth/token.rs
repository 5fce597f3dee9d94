//! The place where tokens are made: what it is asked, and what it says.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use freshet_types::definition::ClientAuth;
use freshet_types::{Response, Span};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

use super::App;
use crate::credential::Grant;

/// Longest that a token is believed to last: a mistaken number must not keep it for ever.
const LASTS_MAX: Span = Span::from_ms(366 * 86_400_000);
/// Longest reason that is shown.
const REASON_CHARS_MAX: usize = 160;
/// Longest name of a user that is kept.
const USER_CHARS_MAX: usize = 100;

/// One question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) url: &'a str,
    /// The body, as a form.
    pub(crate) form: &'a [(&'a str, &'a str)],
    /// The header of the app, or the signature.
    pub(crate) authorization: Option<&'a SecretString>,
}

/// A new token.
#[derive(Debug)]
pub(crate) struct Tokens {
    pub(crate) access: SecretString,
    pub(crate) refresh: Option<SecretString>,
    pub(crate) lasts: Option<Span>,
}

/// What came of asking.
#[derive(Debug)]
pub(crate) enum Said {
    Tokens(Tokens),
    /// In the words of OAuth: it will say so again.
    Refused(String),
    /// Not in the words of OAuth.
    Unclear(String),
    /// Too many requests, or an error that will pass.
    Busy(Response),
}

#[derive(Default, Deserialize)]
struct Answer {
    access_token: Option<String>,
    refresh_token: Option<String>,
    expires_in: Option<Lasts>,
    error: Option<serde_json::Value>,
    error_description: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
}

/// Seconds; some servers write them as text.
#[derive(Deserialize)]
#[serde(untagged)]
enum Lasts {
    Number(f64),
    Text(String),
}

impl Answer {
    fn of(response: &Response) -> Option<Self> {
        serde_json::from_slice(&response.body).ok()
    }

    fn reason(&self) -> Option<String> {
        let word = match self.error.as_ref()? {
            serde_json::Value::String(word) => word.clone(),
            _ => "an error".to_owned(),
        };
        Some(match &self.error_description {
            Some(description) => plain(&format!("{word}: {description}")),
            None => plain(&word),
        })
    }
}

/// What the answer means.
pub(crate) fn read(response: Response) -> Said {
    let status = response.status;
    let Some(answer) = Answer::of(&response) else {
        return match status {
            429 | 500.. => Said::Busy(response),
            300..=399 => Said::Unclear("it sends secrets elsewhere, where they do not follow".to_owned()),
            _ => {
                Said::Unclear(format!("where tokens are made, it answered something else (status {status})"))
            }
        };
    };
    if let (Some(access), 200..=299) = (&answer.access_token, status) {
        let secs = match &answer.expires_in {
            Some(Lasts::Number(secs)) => Some(*secs),
            Some(Lasts::Text(text)) => text.trim().parse().ok(),
            None => None,
        };
        let lasts = secs.filter(|secs: &f64| *secs > 0.0);
        return Said::Tokens(Tokens {
            access: access.as_str().into(),
            refresh: answer.refresh_token.as_deref().map(SecretString::from),
            lasts: lasts.map(|secs| Span::from_secs_f64(secs.min(LASTS_MAX.secs_f64()))),
        });
    }
    match (status, answer.reason()) {
        (429 | 500.., _) => Said::Busy(response),
        (200..=299 | 400..=499, Some(reason)) => Said::Refused(reason),
        _ => Said::Unclear(format!("it answered status {status} without a token")),
    }
}

/// What to do about a refusal.
pub(crate) fn advice(reason: &str) -> String {
    let what = match reason.split(':').next().unwrap_or_default() {
        "invalid_grant" | "bad_verification_code" => "the code has expired or was used; log in once more",
        "invalid_client" | "unauthorized_client" | "incorrect_client_credentials" => {
            "check the app's id and secret"
        }
        "invalid_scope" => "the app may not ask for this; see what it is registered for",
        "redirect_uri_mismatch" => "register the address it comes back to, and give its port with `--port`",
        _ => "see what the app is registered for, and log in once more",
    };
    format!("it refused ({reason}); {what}")
}

/// The app that was registered.
pub(crate) fn registered(response: &Response) -> Result<App, String> {
    let answer = Answer::of(response);
    match (response.status, answer) {
        (200..=299, Some(Answer { client_id: Some(id), client_secret, .. })) => {
            Ok(App { id, secret: client_secret.map(SecretString::from) })
        }
        (429, _) => Err("it registers no more apps for now; try again in ten minutes".to_owned()),
        (status, answer) => {
            let reason = answer.and_then(|answer| answer.reason()).unwrap_or_default();
            Err(format!(
                "it registered no app (status {status} {reason}); is it the right server? else give `--client-id`"
            ))
        }
    }
}

/// A token of OAuth 1.0a.
#[derive(Debug)]
pub(crate) struct Signed {
    pub(crate) token: SecretString,
    pub(crate) secret: SecretString,
    pub(crate) user: Option<String>,
}

/// The token that an answer of OAuth 1.0a holds.
pub(crate) fn signed(response: &Response) -> Result<Signed, String> {
    let pairs: Vec<(String, String)> = url::form_urlencoded::parse(&response.body).into_owned().collect();
    let get = |name: &str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    match (response.status, get("oauth_token"), get("oauth_token_secret")) {
        (200..=299, Some(token), Some(secret)) => Ok(Signed {
            token: token.into(),
            secret: secret.into(),
            user: get("screen_name").map(|name| name.chars().take(USER_CHARS_MAX).collect()),
        }),
        (status, ..) => Err(format!("status {status}, and no token")),
    }
}

/// The body and the header that show the app, beside what is asked.
pub(crate) fn with_client(
    form: &[(&str, &str)],
    app: &App,
    client_auth: ClientAuth,
) -> (Vec<(String, SecretString)>, Option<SecretString>) {
    let mut form: Vec<(String, SecretString)> =
        form.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())).collect();
    form.push(("client_id".to_owned(), app.id.as_str().into()));
    let secret = app.secret.as_ref().map_or("", |secret| secret.expose_secret());
    match client_auth {
        ClientAuth::Body => {
            form.extend(app.secret.clone().map(|secret| ("client_secret".to_owned(), secret)));
            (form, None)
        }
        ClientAuth::Basic => {
            let encode =
                |text: &str| -> String { url::form_urlencoded::byte_serialize(text.as_bytes()).collect() };
            let pair = format!("{}:{}", encode(&app.id), encode(secret));
            (form, Some(format!("Basic {}", BASE64_STANDARD.encode(pair)).into()))
        }
    }
}

/// What asks for the next token of a grant, if anything does.
pub(crate) fn renewal(grant: &Grant) -> Option<Vec<(&'static str, SecretString)>> {
    if let Some(refresh) = &grant.refresh {
        return Some(vec![("grant_type", "refresh_token".into()), ("refresh_token", refresh.clone())]);
    }
    let scopes = grant.scopes.join(" ");
    grant.is_app_only.then(|| vec![("grant_type", "client_credentials".into()), ("scope", scopes.into())])
}

/// The name of the user at this place of an answer.
pub(crate) fn user_at(answer: &serde_json::Value, pointer: &str) -> Option<String> {
    let name = match answer.pointer(pointer)? {
        serde_json::Value::String(name) => name.clone(),
        serde_json::Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let is_plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic());
    is_plain.then(|| name.chars().take(USER_CHARS_MAX).collect())
}

fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(REASON_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use freshet_types::Timestamp;

    use super::*;

    fn check(status: u16, body: &str, expected: &str) {
        let response = Response {
            status,
            headers: Vec::new(),
            body: body.as_bytes().to_vec(),
            url: String::new(),
            received_at: Timestamp::default(),
        };
        let shown = match read(response) {
            Said::Tokens(Tokens { access, refresh, lasts }) => format!(
                "{} {} {:?}",
                access.expose_secret(),
                refresh.as_ref().map_or("-", |it| it.expose_secret()),
                lasts.map(Span::ms)
            ),
            Said::Refused(why) => format!("refused {why}"),
            Said::Unclear(why) => format!("unclear {why}"),
            Said::Busy(response) => format!("busy {}", response.status),
        };
        assert_eq!(shown, expected, "{status} {body}");
    }

    #[test]
    fn answers_are_told_apart() {
        check(200, r#"{"access_token":"a1","token_type":"Bearer","expires_in":3600}"#, "a1 - Some(3600000)");
        check(200, r#"{"access_token":"a1","refresh_token":"r1","expires_in":"60"}"#, "a1 r1 Some(60000)");
        check(200, r#"{"access_token":"a1","created_at":1}"#, "a1 - None");
        check(200, r#"{"access_token":"a1","expires_in":-5}"#, "a1 - None");
        check(200, r#"{"access_token":"a1","expires_in":1e300}"#, "a1 - Some(31622400000)");
        check(200, r#"{"error":"bad_verification_code"}"#, "refused bad_verification_code");
        check(
            400,
            r#"{"error":"invalid_grant","error_description":"no\nmore"}"#,
            "refused invalid_grant: nomore",
        );
        check(401, r#"{"error":{"message":"no"}}"#, "refused an error");
        check(400, "{}", "unclear it answered status 400 without a token");
        check(
            200,
            "<html>hello</html>",
            "unclear where tokens are made, it answered something else (status 200)",
        );
        check(302, "", "unclear it sends secrets elsewhere, where they do not follow");
        check(503, r#"{"error":"temporarily_unavailable"}"#, "busy 503");
        check(429, "slow down", "busy 429");
    }

    #[test]
    fn an_app_shows_itself_as_the_network_wants() {
        let app = App { id: "i:d".to_owned(), secret: Some("s/1".into()) };
        let (form, header) = with_client(&[("grant_type", "x")], &app, ClientAuth::Basic);
        assert_eq!(form.len(), 2);
        assert_eq!(header.unwrap().expose_secret(), "Basic aSUzQWQ6cyUyRjE=");
        let (form, header) = with_client(&[("grant_type", "x")], &app, ClientAuth::Body);
        assert_eq!((form.len(), header.is_none()), (3, true));
    }
}
