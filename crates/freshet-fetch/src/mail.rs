//! Mail to people: one plain text to one server, by SMTP (`lettre`).
//!
//! Not a way to collect anything; it is here because this crate alone opens sockets and shows secrets. A
//! password never goes over a line that others can read: without encryption it is refused, except on
//! loopback. Every wait is bounded by the caller.

use std::time::Duration;

use lettre::message::header::ContentType;
use lettre::message::{Mailbox, Message};
use lettre::transport::smtp::authentication::Credentials;
use lettre::{SmtpTransport, Transport as _};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;

/// Most people who get one mail.
const TO_MAX: usize = 20;

/// How the line to the server is encrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Security {
    /// After a greeting in the clear; port 587.
    #[default]
    Starttls,
    /// From the first byte; port 465.
    Tls,
    /// Not at all; port 25. No password is sent.
    None,
}

/// From whom to whom, and by which server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailRoute {
    /// Addresses of the receivers.
    pub to: Vec<String>,
    /// Address of the sender.
    pub from: String,
    /// Name of the server.
    pub server: String,
    pub port: u16,
    /// How the line is encrypted.
    pub security: Security,
    /// Who logs in there, if somebody must.
    pub user: Option<String>,
}

impl MailRoute {
    /// A route whose addresses are addresses; says what is wrong otherwise.
    pub fn new(
        to: Vec<String>,
        from: String,
        server: String,
        (security, port): (Security, Option<u16>),
        user: Option<String>,
    ) -> Result<Self, String> {
        if to.is_empty() || to.len() > TO_MAX {
            return Err(format!("a mail has 1 to {TO_MAX} receivers"));
        }
        to.iter().chain([&from]).try_for_each(|text| mailbox(text).map(drop))?;
        if server.is_empty() || server.contains(['/', ':', ' ']) {
            return Err(format!("`{server}` is no name of a mail server"));
        }
        let usual = match security {
            Security::Starttls => 587,
            Security::Tls => 465,
            Security::None => 25,
        };
        let is_loopback = matches!(server.as_str(), "localhost" | "127.0.0.1");
        if user.is_some() && security == Security::None && !is_loopback {
            return Err("a password is not sent without encryption; use `starttls` or `tls`".to_owned());
        }
        Ok(Self { to, from, server, port: port.unwrap_or(usual), security, user })
    }
}

fn mailbox(text: &str) -> Result<Mailbox, String> {
    text.parse().map_err(|_| format!("`{text}` is no mail address"))
}

/// Sends one mail; says why where it was not taken. The password is needed where the route has a user.
pub fn send(
    route: &MailRoute,
    password: Option<&SecretString>,
    subject: &str,
    text: &str,
    limit: Duration,
) -> Result<(), String> {
    let mut message = Message::builder().from(mailbox(&route.from)?).subject(subject);
    for to in &route.to {
        message = message.to(mailbox(to)?);
    }
    let message = message
        .header(ContentType::TEXT_PLAIN)
        .body(text.to_owned())
        .map_err(|error| format!("the mail cannot be written: {error}"))?;
    // An error means that a provider is installed already.
    drop(rustls::crypto::ring::default_provider().install_default());
    let builder = match route.security {
        Security::Starttls => SmtpTransport::starttls_relay(&route.server),
        Security::Tls => SmtpTransport::relay(&route.server),
        Security::None => Ok(SmtpTransport::builder_dangerous(&route.server)),
    };
    let mut builder =
        builder.map_err(|error| failed(route, &error, password))?.port(route.port).timeout(Some(limit));
    if let Some(user) = &route.user {
        let password = password.ok_or("the password of the mail server is not in the environment")?;
        builder = builder.credentials(Credentials::new(user.clone(), password.expose_secret().to_owned()));
    }
    builder.build().send(&message).map(drop).map_err(|error| failed(route, &error, password))
}

/// What went wrong, without the password: servers have been seen to repeat what they were told.
fn failed(route: &MailRoute, error: &dyn std::error::Error, password: Option<&SecretString>) -> String {
    let mut text = format!("`{}:{}`: {error}", route.server, route.port);
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    match password.map(SecretString::expose_secret) {
        Some(password) if !password.is_empty() => text.replace(password, "…"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(to: &[&str], server: &str, security: Security, user: Option<&str>, expected: Result<u16, &str>) {
        let to = to.iter().map(|&to| to.to_owned()).collect();
        let route = MailRoute::new(
            to,
            "freshet@example.org".to_owned(),
            server.to_owned(),
            (security, None),
            user.map(str::to_owned),
        );
        match (route, expected) {
            (Ok(route), Ok(port)) => assert_eq!(route.port, port),
            (Err(why), Err(part)) => assert!(why.contains(part), "{why}"),
            (got, _) => panic!("{got:?}"),
        }
    }

    #[test]
    fn routes_are_checked_before_anything_is_sent() {
        use Security::{None as Bare, Starttls, Tls};
        let me = &["me@example.org"][..];
        check(me, "smtp.example.org", Starttls, Some("me"), Ok(587));
        check(me, "smtp.example.org", Tls, Some("me"), Ok(465));
        check(me, "smtp.example.org", Bare, None, Ok(25));
        check(me, "127.0.0.1", Bare, Some("me"), Ok(25));
        check(me, "smtp.example.org", Bare, Some("me"), Err("without encryption"));
        check(&[], "smtp.example.org", Tls, None, Err("receivers"));
        check(&["me"], "smtp.example.org", Tls, None, Err("`me`"));
        check(&["a@b.example\r\nBcc: c@d.example"], "smtp.example.org", Tls, None, Err("no mail address"));
        check(me, "smtp://x", Tls, None, Err("no name"));
    }

    #[test]
    fn a_server_that_is_not_there_is_named_without_the_password() {
        let to = vec!["me@example.org".to_owned()];
        let from = "freshet@example.org".to_owned();
        let security = (Security::None, Some(9));
        let route =
            MailRoute::new(to, from, "127.0.0.1".to_owned(), security, Some("me".to_owned())).unwrap();
        let password = SecretString::from("127.0.0.1");
        let why = send(&route, Some(&password), "a", "b", Duration::from_secs(5)).unwrap_err();
        assert!(why.contains(":9") && !why.contains("127.0.0.1"), "{why}");
        assert!(send(&route, None, "a", "b", Duration::from_secs(5)).unwrap_err().contains("password"));
    }
}
