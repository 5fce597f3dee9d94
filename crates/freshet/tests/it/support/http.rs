//! A small HTTP client: the tests' own eyes and hands, independent of the code under test.
//!
//! HTTP/1.0, so that an answer ends where its connection does; loopback only.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// Longest silence of a server.
const LIMIT: Duration = Duration::from_secs(30);

/// What a request carries.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body<'a> {
    /// A JSON document.
    Json(&'a Value),
    /// Fields of a form.
    Form(&'a [(&'a str, &'a str)]),
}

impl Body<'_> {
    fn written(self) -> (&'static str, String) {
        match self {
            Self::Json(value) => ("application/json", value.to_string()),
            Self::Form(fields) => {
                let fields = fields.iter().map(|(name, value)| format!("{name}={}", escaped(value)));
                ("application/x-www-form-urlencoded", fields.collect::<Vec<_>>().join("&"))
            }
        }
    }
}

fn escaped(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(escape).collect::<Vec<_>>().concat()
}

/// Status and body of the answer to a GET; an error when there was none.
pub(crate) fn ask(base: &str, path: &str) -> std::io::Result<(u16, String)> {
    send("GET", base, path, None, None)
}

/// Status and body of the answer to a request of any method; an error when there was none.
pub(crate) fn send(
    method: &str,
    base: &str,
    path: &str,
    token: Option<&str>,
    body: Option<Body<'_>>,
) -> std::io::Result<(u16, String)> {
    let host = base.trim_start_matches("http://");
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(LIMIT))?;
    let (kind, content) = body.map_or(("text/plain", String::new()), Body::written);
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
    let length = content.len();
    let head = format!("{method} {path} HTTP/1.0\r\nHost: {host}\r\n{token}Content-Type: {kind}\r\n");
    write!(stream, "{head}Content-Length: {length}\r\n\r\n{content}")?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Ok((status, body.to_owned()))
}

/// A GET that must give JSON.
pub(crate) fn get(base: &str, path: &str) -> Value {
    let (status, body) = ask(base, path).unwrap_or_else(|error| panic!("{base}{path}: {error}"));
    assert_eq!(status, 200, "{base}{path}: {body}");
    serde_json::from_str(&body).unwrap_or_else(|error| panic!("{base}{path}: {error}: {body}"))
}

/// A POST that must succeed; an empty answer is null.
pub(crate) fn post(base: &str, path: &str, token: Option<&str>, body: Body<'_>) -> Value {
    call("POST", base, path, token, Some(body))
}

/// A request of any method that must succeed; an empty answer is null.
pub(crate) fn call(
    method: &str,
    base: &str,
    path: &str,
    token: Option<&str>,
    body: Option<Body<'_>>,
) -> Value {
    let (status, answer) =
        send(method, base, path, token, body).unwrap_or_else(|error| panic!("{base}{path}: {error}"));
    assert!((200..300).contains(&status), "{method} {base}{path}: {status} {answer}");
    serde_json::from_str(&answer).unwrap_or_default()
}

/// Does the server answer this path with success?
pub(crate) fn is_up(base: &str, path: &str) -> bool {
    ask(base, path).is_ok_and(|(status, _)| status == 200)
}
