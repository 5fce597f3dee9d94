//! Telling somebody: one message for all alerts that came together, to one receiver.
//!
//! Every way is bounded in time and size and tried once; whether it is tried again is the business of
//! [`super::outbox`]. Web addresses are asked by the rules of the fetch seam, without redirects,
//! so that nothing reaches a host that nobody wrote down. Secrets go to their receiver and nowhere else.

mod command;

use std::sync::Arc;
use std::time::Duration;

use freshet_app::config::Config;
use freshet_app::failure::Failure;
use freshet_app::text;
use freshet_fetch::{
    Credential, CredentialKind, Fetch as _, FetchError, HttpFetch, HttpOptions, Vault, mail,
};
use freshet_report::alerts::{Alert, AlertMessage, Sent, ToldAlert};
use freshet_types::{AuthScheme, AuthUse, Clock, Method, NetworkName, Request, Timestamp};
use secrecy::SecretString;
use url::{Position, Url};

use super::config::{AlertConfig, Receiver, Way};
use super::rule::{Finding, RuleName};
use crate::alert_of;

/// Alerts told in one message; the others are counted, and listed by `freshet alerts`.
const ALERTS_PER_MESSAGE_MAX: usize = 20;
/// Longest that a web address or a mail server may take.
const SEND_LIMIT: Duration = Duration::from_secs(15);
/// The name under which a message's own vault keeps the receiver's token.
const TOKEN: &str = "token";
/// Longest reason kept.
const WHY_CHARS_MAX: usize = 200;

/// Sends.
#[derive(Debug)]
pub struct Sender {
    contact: String,
    clock: Arc<dyn Clock>,
    secrets: Vec<(String, SecretString)>,
}

impl Sender {
    /// With the secrets of the environment.
    pub fn new(config: &Config, contact: String, clock: Arc<dyn Clock>) -> Self {
        Self { contact, clock, secrets: config.alert_secrets() }
    }

    /// A client that knows at most the receiver's own secret and follows no redirect; made for each
    /// message, since there are few and connections do not outlive their runtime.
    fn client(&self, vault: Vault) -> Result<HttpFetch, FetchError> {
        let mut options = HttpOptions::new(self.contact.clone(), Arc::clone(&self.clock), Arc::new(vault));
        options.redirects_max = 0;
        options.total_max = SEND_LIMIT;
        HttpFetch::new(options)
    }

    /// Tells a receiver; says why where it was not taken.
    pub fn tell(&self, receiver: &Receiver, alerts: &[&Alert], is_test: bool) -> Result<(), String> {
        let outcome = self.send(receiver, alerts, is_test);
        let outcome = outcome.map_err(|why| text::shorten(&text::one_line(&why), WHY_CHARS_MAX));
        if let Err(why) = &outcome {
            tracing::warn!(receiver = receiver.name, "an alert was not taken: {why}");
        }
        outcome
    }

    /// Sends a test to a receiver, or to all who want to know of a rule, to all of them at the same time.
    pub fn test(&self, config: &AlertConfig, name: &str, at: Timestamp) -> Result<Vec<Sent>, Failure> {
        let rule = name.parse::<RuleName>().ok();
        let is_meant = |it: &&Receiver| it.name == name || rule.is_some_and(|rule| it.wants(rule));
        let receivers: Vec<Receiver> = config.receivers.iter().filter(is_meant).cloned().collect();
        let Some(first) = receivers.first() else { return Err(nobody(config, name, rule)) };
        let rule = rule.or_else(|| first.rules.first().copied()).unwrap_or(RuleName::Silence);
        let text = "a test, sent by `freshet alerts test`".to_owned();
        let finding = Finding { rule, subject: "test".to_owned(), text, value: 0.0 };
        let alert = &alert_of(0, finding, config.rules.of(rule).threshold, at);
        let tell = |receiver: &Receiver| {
            let outcome = self.tell(receiver, &[alert], true);
            let (is_ok, why) = (outcome.is_ok(), outcome.err());
            Sent { to: receiver.name.clone(), is_ok, why, tries_count: 1, again_at: None }
        };
        Ok(std::thread::scope(|scope| {
            let threads: Vec<_> =
                receivers.iter().map(|receiver| scope.spawn(move || tell(receiver))).collect();
            threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
        }))
    }

    fn send(&self, receiver: &Receiver, alerts: &[&Alert], is_test: bool) -> Result<(), String> {
        let secret = self.secret_of(&receiver.name);
        match &receiver.way {
            Way::Webhook { url, allow_private } => {
                self.post(url, *allow_private, secret, written(&message(alerts, is_test))?)
            }
            Way::Command { line, limit } => {
                command::run(line, *limit, &(written(&message(alerts, is_test))? + "\n"))
            }
            Way::Mail(route) => {
                let (subject, text) = letter(alerts, is_test);
                mail::send(route, secret, &subject, &text, SEND_LIMIT)
            }
        }
    }

    fn post(
        &self,
        url: &Url,
        allow_private: bool,
        secret: Option<&SecretString>,
        body: String,
    ) -> Result<(), String> {
        // The secret is for this server alone, and is shown to it over https or where it was allowed.
        let authority = &url[Position::BeforeHost..Position::AfterPort];
        let network = NetworkName::from(format!("alerts:{authority}").as_str());
        let mut vault = Vault::empty();
        let put = |secret: &SecretString| -> Result<AuthUse, FetchError> {
            vault.add(Credential::new(TOKEN, &network, CredentialKind::Bearer, None, secret)?)?;
            Ok(AuthUse { credential: TOKEN.into(), scheme: AuthScheme::Bearer })
        };
        let auth = secret.map(put).transpose().map_err(|error| error.to_string())?;
        let request = Request {
            method: Method::Post,
            body: Some(body),
            auth,
            allow_private,
            ..Request::get(&network, url.as_str())
        };
        let client = self.client(vault).map_err(|error| error.to_string())?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let answer = runtime.block_on(client.fetch(&request));
        // A name that is still being looked up is not waited for.
        runtime.shutdown_background();
        match answer.map_err(|fault| fault.message)?.status {
            200..=299 => Ok(()),
            status => Err(format!("`{}` answered {status}", url.host_str().unwrap_or("?"))),
        }
    }

    fn secret_of(&self, name: &str) -> Option<&SecretString> {
        let wanted = name.to_ascii_uppercase().replace('-', "_");
        self.secrets.iter().find(|(name, _)| *name == wanted).map(|(_, secret)| secret)
    }
}

fn nobody(config: &AlertConfig, name: &str, rule: Option<RuleName>) -> Failure {
    let names: Vec<&str> = config.receivers.iter().map(|it| it.name.as_str()).collect();
    let message = match rule {
        Some(rule) => format!("nobody is told of `{rule}`"),
        None => format!("there is neither a receiver nor a rule `{name}`"),
    };
    let known = if names.is_empty() { "none yet".to_owned() } else { names.join(", ") };
    let rules = RuleName::ALL.map(RuleName::name).join(", ");
    Failure::misuse(message).hint(format!(
        "receivers: {known}; rules: {rules}; `freshet alerts config` prints a file to start from"
    ))
}

/// For programs.
fn message(alerts: &[&Alert], is_test: bool) -> AlertMessage {
    let told = |it: &&Alert| ToldAlert {
        number: it.number,
        rule: it.rule,
        subject: it.subject.clone(),
        text: it.text.clone(),
        value: it.value,
        threshold: it.threshold,
        at: it.at,
    };
    AlertMessage {
        freshet: env!("CARGO_PKG_VERSION").to_owned(),
        is_test,
        text: letter(alerts, is_test).0,
        alerts: alerts.iter().take(ALERTS_PER_MESSAGE_MAX).map(told).collect(),
        more_count: alerts.len().saturating_sub(ALERTS_PER_MESSAGE_MAX),
    }
}

fn written(message: &AlertMessage) -> Result<String, String> {
    serde_json::to_string(message).map_err(|error| error.to_string())
}

/// For people: a subject and lines.
fn letter(alerts: &[&Alert], is_test: bool) -> (String, String) {
    /// Longest subject: what a telephone shows.
    const SUBJECT_CHARS_MAX: usize = 120;
    let what = match alerts {
        [only] => only.text.clone(),
        _ => text::count(alerts.len() as u64, "alert"),
    };
    let test = if is_test { "test: " } else { "" };
    let subject = text::shorten(&format!("freshet: {test}{what}"), SUBJECT_CHARS_MAX);
    let mut lines: Vec<String> = alerts
        .iter()
        .take(ALERTS_PER_MESSAGE_MAX)
        .map(|it| format!("{}: {}", it.rule, text::one_line(&it.text)))
        .collect();
    if alerts.len() > ALERTS_PER_MESSAGE_MAX {
        lines.push(format!("and {} more: `freshet alerts`", alerts.len() - ALERTS_PER_MESSAGE_MAX));
    }
    if is_test {
        lines.push("This is a test. Nothing happened.".to_owned());
    }
    (subject, lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alert(text: &str) -> Alert {
        let finding =
            Finding { rule: RuleName::Dead, subject: "ada".to_owned(), text: text.to_owned(), value: 1.0 };
        alert_of(7, finding, 24.0, Timestamp::from_ms(1500))
    }

    #[test]
    fn many_alerts_are_one_message() {
        let alerts: Vec<Alert> = (0..30).map(|number| alert(&format!("ada {number} is dead"))).collect();
        let alerts: Vec<&Alert> = alerts.iter().collect();
        let (subject, text) = letter(&alerts, false);
        assert_eq!((subject.as_str(), text.lines().count()), ("freshet: 30 alerts", 21));
        let message = message(&alerts, false);
        assert_eq!((message.alerts.len(), message.more_count), (20, 10));
    }

    #[test]
    fn one_alert_is_its_own_subject_in_one_line() {
        let odd = alert("ada\r\nBcc: everybody@example.org is dead");
        let (subject, text) = letter(&[&odd], true);
        assert_eq!(subject, "freshet: test: ada  Bcc: everybody@example.org is dead");
        assert!(text.contains("This is a test"));
        assert!(!text.contains('\r'));
    }
}
