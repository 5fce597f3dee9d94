//! The forms of values on the command line; each refusal says what would do.

use std::net::SocketAddr;

use freshet_app::data::CLOCK_SYSTEM;
use freshet_engine::importance::Switch;
use freshet_store::setting::SettingValue as _;
use freshet_types::Span;

pub(super) fn span(text: &str) -> Result<Span, String> {
    let span = Span::parse(text).filter(|span| *span > Span::ZERO);
    span.ok_or_else(|| "a span is a number with a unit, such as 30s, 10m, 1h30m or 7d".to_owned())
}

/// Where something listens; a name would have to be looked up.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| "an address is IP:PORT, such as 127.0.0.1:8640; port 0 takes a free one".to_owned())
}

/// Where a page comes from.
pub(super) fn page(text: &str) -> Result<url::Url, String> {
    let url = url::Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    url.ok_or_else(|| "the address of a page starts with http:// or https://".to_owned())
}

/// Longest contact that a user agent takes.
const CONTACT_BYTES_MAX: usize = 200;

pub(super) fn contact(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '(' | ')' | '\\');
    let is_address = text.contains(['@', '.', ':']);
    if is_address && text.len() <= CONTACT_BYTES_MAX && text.chars().all(is_plain) {
        return Ok(text.to_owned());
    }
    Err("a contact is a web or mail address in plain ASCII, such as you@example.org".to_owned())
}

pub(super) fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|speed: &f64| speed.is_finite() && *speed > 0.0);
    speed.ok_or_else(|| "the speed is a number above 0; 600 lets ten minutes pass in a second".to_owned())
}

/// A budget; zero has no lag to speak of.
pub(super) fn calls(text: &str) -> Result<f64, String> {
    let calls = text.parse().ok().filter(|calls: &f64| calls.is_finite() && *calls > 0.0);
    calls.ok_or_else(|| "calls an hour are a number above 0, such as 200".to_owned())
}

pub(super) fn clock(text: &str) -> Result<String, String> {
    let is_url = url::Url::parse(text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    if is_url || text == CLOCK_SYSTEM {
        return Ok(text.to_owned());
    }
    Err("a clock is an http:// or https:// address, or `system`".to_owned())
}

/// The address of a store; a bare word is none, so that a slip of the pen makes no file.
pub(super) fn store(text: &str) -> Result<String, String> {
    if text.contains(['/', '.', ':', '\\']) {
        return Ok(text.to_owned());
    }
    Err("a store is `postgres://USER@HOST/DATABASE`, or a SQLite file with its folder".to_owned())
}

/// What `add` takes by the same name: an address, or what is kept.
pub(super) fn store_or_keeping(text: &str) -> Result<String, String> {
    if is_keeping(text) {
        return Ok(text.to_owned());
    }
    store(text).map_err(|error| format!("write `never` or `keep`; {error}"))
}

/// Whether this says what is kept, and names no store.
pub(super) fn is_keeping(text: &str) -> bool {
    matches!(text, "never" | "keep")
}

/// On or off.
pub(super) fn switch(text: &str) -> Result<Switch, String> {
    Switch::from_stored(text).map_err(|_| "write `on` or `off`".to_owned())
}
