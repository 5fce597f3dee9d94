//! One hop of a request: the URL asked now, and where a redirect leads from it.
//!
//! Invariant: once a redirect leaves the first server, the credential, the body and every header
//! that is not about the form of the answer stay behind, and do not come back. Nor does a private
//! address that a person allowed open the way to another one. Another port is another server.

use freshet_types::{Fault, FaultKind, Method, Redirect, Request};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::guard;
use crate::Scrubber;

/// Headers that go along to another server: they say what form of answer is wanted, no more.
const HEADERS_TO_STRANGERS: [&str; 4] = ["accept", "accept-language", "if-modified-since", "if-none-match"];

/// Headers that a request may not bring: the client makes them, or they hold secrets.
const HEADERS_REFUSED: [&str; 10] = [
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "cookie",
    "host",
    "proxy-authorization",
    "te",
    "transfer-encoding",
    "user-agent",
];

pub(super) struct Hop<'r> {
    pub(super) request: &'r Request,
    pub(super) url: Url,
    pub(super) method: reqwest::Method,
    /// No redirect has left the first server yet.
    pub(super) is_home: bool,
    /// A private address may be asked: the person who allowed it meant this server.
    pub(super) allow_private: bool,
}

impl<'r> Hop<'r> {
    /// The request as it was asked for.
    pub(super) fn first(request: &'r Request) -> Result<Self, Fault> {
        let method = match request.method {
            Method::Get => reqwest::Method::GET,
            Method::Post => reqwest::Method::POST,
        };
        Ok(Self {
            request,
            url: guard::check_url(&request.url, request.allow_private)?,
            method,
            is_home: true,
            allow_private: request.allow_private,
        })
    }

    /// The exchange of a password for a token, at a URL that is checked already.
    pub(super) fn login(request: &'r Request, url: Url) -> Self {
        let allow_private = request.allow_private;
        Self { request, url, method: reqwest::Method::POST, is_home: true, allow_private }
    }

    /// The body to send, if this hop still sends one.
    pub(super) fn body(&self) -> Option<&'r str> {
        let is_sent = self.method == reqwest::Method::POST;
        self.request.body.as_deref().filter(|_| is_sent)
    }

    /// The headers to send, beyond those of every request.
    pub(super) fn headers(&self) -> Result<HeaderMap, Fault> {
        let bad = |name: &str, why| Fault::new(FaultKind::Request, format!("the header `{name}` {why}"));
        let mut headers = HeaderMap::with_capacity(self.request.headers.len() + 2);
        for (name, value) in &self.request.headers {
            let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad(name, "has a bad name"))?;
            if HEADERS_REFUSED.contains(&name.as_str()) {
                return Err(bad(name.as_str(), "is not a request's to set; secrets belong in the vault"));
            }
            if self.is_home || HEADERS_TO_STRANGERS.contains(&name.as_str()) {
                let value =
                    HeaderValue::from_str(value).map_err(|_| bad(name.as_str(), "has a bad value"))?;
                headers.append(name, value);
            }
        }
        if self.body().is_some() && !headers.contains_key(CONTENT_TYPE) {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        Ok(headers)
    }

    /// The hop to where a redirect leads.
    pub(super) fn next(&self, redirect: &Redirect, scrubber: &Scrubber) -> Result<Self, Fault> {
        let Redirect { status, location } = redirect;
        let from = self.url.host_str().unwrap_or_default();
        let fail = |what: &str| Fault::new(FaultKind::Redirects, format!("`{from}` redirects {what}"));
        let mut url = self.url.join(location).map_err(|_| fail("to something that is no URL"))?;
        url.set_fragment(None);
        let is_same = is_same_server(&self.url, &url);
        let allow_private = self.allow_private && is_same;
        guard::check_parsed(&url, allow_private)
            .map_err(|fault| Fault::new(fault.kind, format!("`{from}` redirects: {}", fault.message)))?;
        let is_home = self.is_home && is_same;
        if !is_home && scrubber.scrub(location) != *location {
            return Err(fail("to another server with a secret in the URL"));
        }
        let keeps_method = matches!(status, 307 | 308);
        if self.body().is_some() && keeps_method && !is_home {
            return Err(fail("a request with a body to another server"));
        }
        let method = if keeps_method { self.method.clone() } else { reqwest::Method::GET };
        Ok(Self { request: self.request, url, method, is_home, allow_private })
    }
}

/// The same scheme, host and port, or the step from http to https on the same host.
pub(super) fn is_same_server(from: &Url, to: &Url) -> bool {
    let is_upgrade =
        from.scheme() == "http" && to.scheme() == "https" && from.port().is_none() && to.port().is_none();
    from.host_str() == to.host_str()
        && (is_upgrade
            || from.scheme() == to.scheme() && from.port_or_known_default() == to.port_or_known_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A redirect from one address to another stays at its server (`home`), leaves it (`away`), or is
    /// refused; a private address was allowed.
    fn check(from: &str, to: &str, expected: &str) {
        let network = freshet_types::NetworkName::from("test");
        let headers = vec![("x-own".to_owned(), "own".to_owned()), ("accept".to_owned(), "*/*".to_owned())];
        let request = Request { allow_private: true, headers, ..Request::get(&network, from) };
        let redirect = Redirect { status: 302, location: to.to_owned() };
        let shown = match Hop::first(&request).unwrap().next(&redirect, &Scrubber::default()) {
            Ok(hop) => {
                let headers = hop.headers().unwrap();
                assert_eq!(headers.contains_key("x-own"), hop.is_home, "{from} to {to}");
                assert!(headers.contains_key("accept"), "{from} to {to}");
                assert_eq!(hop.allow_private, hop.is_home, "{from} to {to}");
                if hop.is_home { "home".to_owned() } else { "away".to_owned() }
            }
            Err(fault) => format!("{:?}", fault.kind),
        };
        assert_eq!(shown, expected, "{from} to {to}");
    }

    #[test]
    fn a_body_stays_at_its_server() {
        let network = freshet_types::NetworkName::from("test");
        let post = Request {
            method: Method::Post,
            body: Some("{}".to_owned()),
            ..Request::get(&network, "https://a.example/")
        };
        for (status, to, expected) in [
            (307, "/b", Ok(Some("{}"))),
            (303, "/b", Ok(None)),
            (303, "https://b.example/", Ok(None)),
            (307, "https://b.example/", Err(FaultKind::Redirects)),
            (308, "https://a.example:8443/", Err(FaultKind::Redirects)),
        ] {
            let redirect = Redirect { status, location: to.to_owned() };
            let next = Hop::first(&post).unwrap().next(&redirect, &Scrubber::default());
            let shown = next.as_ref().map(Hop::body).map_err(|fault| fault.kind);
            assert_eq!(shown, expected, "{status} to {to}");
        }
    }

    #[test]
    fn another_port_is_another_server() {
        for (from, to, expected) in [
            ("http://a.example/", "/b", "home"),
            ("http://a.example/", "http://a.example:80/b", "home"),
            ("http://a.example/", "https://a.example/b", "home"),
            ("http://a.example/", "https://a.example:443/b", "home"),
            ("https://a.example/", "http://a.example/b", "away"),
            ("http://a.example:80/", "http://a.example:8080/b", "away"),
            ("http://a.example:8080/", "https://a.example:8443/b", "away"),
            ("https://a.example/", "https://b.example/", "away"),
            ("http://127.0.0.1:80/", "http://127.0.0.1/b", "home"),
            ("http://127.0.0.1/", "http://127.0.0.1:8080/b", "ForbiddenAddress"),
            ("http://127.0.0.1:3000/", "http://127.0.0.1:9200/b", "ForbiddenAddress"),
            ("http://localhost:3000/", "http://127.0.0.1:3000/b", "ForbiddenAddress"),
        ] {
            check(from, to, expected);
        }
    }
}
