//! What a hub and we share (`WebSub`): the secret that it signs by, the request that tells it, and whether a body is signed so.
//!
//! The secret is made here, lives in memory and goes to its hub alone, in the body of one request. A hub signs what it brings with an HMAC over the body
//! (`X-Hub-Signature: METHOD=DIGITS`); of the methods that the standard names all are read, since many hubs know the oldest only. As
//! a MAC with a key of 256 bits that one is sound. What a signature is worth is said here, what follows from it elsewhere.
//! (`WebSub`, W3C Recommendation, section 8.1)

use std::fmt;
#[cfg(any(test, feature = "testing"))]
use std::fmt::Write as _;

use freshet_types::{Fault, Method, NetworkName, Redirects, Request};
use ring::hmac;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;
use url::form_urlencoded::Serializer;

use crate::FetchError;
use crate::http::guard::check_url;
use crate::oauth::proof::random_word;

/// Longest signature that is read: the longest method's digits, and its name.
const SIGNATURE_BYTES_MAX: usize = 256;

/// What one hub signs by for one feed.
pub struct HubSecret(SecretString);

impl fmt::Debug for HubSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HubSecret")
    }
}

/// What a hub is asked for.
#[derive(Clone, Copy, Debug)]
pub struct HubAsk<'a> {
    pub hub: &'a str,
    pub topic: &'a str,
    /// Where it reaches us.
    pub callback: &'a str,
    /// To be told for so many seconds; `None`: not any more.
    pub lease_s: Option<u32>,
    /// Private, loopback and link-local addresses are allowed.
    pub allow_private: bool,
}

impl HubSecret {
    /// One that nobody can guess.
    pub fn new() -> Result<Self, FetchError> {
        random_word().map(|word| Self(SecretString::from(word)))
    }

    /// This one.
    #[cfg(any(test, feature = "testing"))]
    pub fn of(word: &str) -> Self {
        Self(SecretString::from(word.to_owned()))
    }

    /// The signature of these bytes, as hubs write it.
    #[cfg(any(test, feature = "testing"))]
    pub fn signature(&self, body: &[u8]) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.0.expose_secret().as_bytes());
        let mut signature = "sha256=".to_owned();
        for byte in hmac::sign(&key, body).as_ref() {
            let _ = write!(signature, "{byte:02x}");
        }
        signature
    }

    /// The request that asks a hub; its body holds the secret and is for nobody else. The network is the definition's, at the hub's host.
    pub fn request(&self, definition: &str, ask: HubAsk<'_>) -> Result<Request, Fault> {
        let url = check_url(ask.hub, ask.allow_private)?;
        let mut form = Serializer::new(String::new());
        form.append_pair("hub.mode", if ask.lease_s.is_some() { "subscribe" } else { "unsubscribe" });
        form.append_pair("hub.topic", ask.topic).append_pair("hub.callback", ask.callback);
        if let Some(lease_s) = ask.lease_s {
            form.append_pair("hub.secret", self.0.expose_secret());
            form.append_pair("hub.lease_seconds", &lease_s.to_string());
        }
        let network = NetworkName::new(definition, url.host_str());
        let kind = ("content-type".to_owned(), "application/x-www-form-urlencoded".to_owned());
        Ok(Request {
            method: Method::Post,
            headers: vec![kind],
            body: Some(form.finish()),
            allow_private: ask.allow_private,
            // A hub elsewhere is told of by the feed itself.
            redirects: Redirects::Told(Vec::new()),
            ..Request::get(&network, ask.hub)
        })
    }

    /// Whether these bytes were signed by whoever knows it. Compared in a time that tells nothing.
    pub fn has_signed(&self, body: &[u8], signature: &str) -> bool {
        let Some((method, digits)) = signature.trim().split_once('=') else { return false };
        let algorithm = match method {
            "sha1" => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
            "sha256" => hmac::HMAC_SHA256,
            "sha384" => hmac::HMAC_SHA384,
            "sha512" => hmac::HMAC_SHA512,
            _ => return false,
        };
        let Some(tag) = bytes(digits).filter(|_| signature.len() <= SIGNATURE_BYTES_MAX) else {
            return false;
        };
        let key = hmac::Key::new(algorithm, self.0.expose_secret().as_bytes());
        hmac::verify(&key, body, &tag).is_ok()
    }
}

/// A path that nobody can guess.
pub fn new_path() -> Result<String, FetchError> {
    random_word()
}

/// Whether others reach this address at all, or only who is on this computer or in its network.
pub fn is_public(url: &Url) -> bool {
    check_url(url.as_str(), false).is_ok()
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let is_whole = digits.is_ascii() && digits.len().is_multiple_of(2);
    let pairs = digits.as_bytes().chunks(2).filter(|_| is_whole);
    let read = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let read: Option<Vec<u8>> = pairs.map(read).collect();
    read.filter(|bytes| !bytes.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(word: &str) -> HubSecret {
        HubSecret::of(word)
    }

    #[test]
    fn only_what_was_signed_by_the_secret_is_signed() {
        // The second case of RFC 2202 and RFC 4231: the key `Jefe`.
        let body = b"what do ya want for nothing?";
        let sha1 = "sha1=effcdf6ae5eb2fa2d27416d5f184df9c259a7c79";
        let sha256 = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        let sha512 = "sha512=164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737";
        for signature in [sha1, sha256, sha512] {
            assert!(secret("Jefe").has_signed(body, signature), "{signature}");
            assert!(!secret("jefe").has_signed(body, signature), "{signature}");
            assert!(!secret("Jefe").has_signed(b"something else", signature), "{signature}");
        }
        let cut = &sha256[..sha256.len() - 2];
        for wrong in [
            "",
            "sha256",
            "sha256=",
            "sha256=zz",
            "sha256=é",
            "md5=00",
            cut,
            &sha256[7..],
            &sha1.replace("sha1", "sha256"),
        ] {
            assert!(!secret("Jefe").has_signed(body, wrong), "{wrong}");
        }
    }

    #[test]
    fn a_hub_is_asked_by_a_form_and_private_ones_are_refused() {
        let ask = HubAsk {
            hub: "https://hub.example/",
            topic: "https://a.example/feed?x=1&y",
            callback: "https://me.example/hub/p",
            lease_s: Some(60),
            allow_private: false,
        };
        let request = secret("s").request("rss", ask).unwrap();
        assert_eq!((request.network.as_str(), &*request.url), ("rss:hub.example", "https://hub.example/"));
        let body = request.body.unwrap();
        assert_eq!(
            body,
            "hub.mode=subscribe&hub.topic=https%3A%2F%2Fa.example%2Ffeed%3Fx%3D1%26y&\
             hub.callback=https%3A%2F%2Fme.example%2Fhub%2Fp&hub.secret=s&hub.lease_seconds=60"
        );
        let leaving = secret("s").request("rss", HubAsk { lease_s: None, ..ask }).unwrap().body.unwrap();
        assert!(leaving.starts_with("hub.mode=unsubscribe&") && !leaving.contains("secret"), "{leaving}");
        for hub in ["http://127.0.0.1:9/", "http://10.0.0.1/", "ftp://hub.example/", "no address"] {
            assert!(secret("s").request("rss", HubAsk { hub, ..ask }).is_err(), "{hub}");
        }
        let near = HubAsk { hub: "http://127.0.0.1:9/", allow_private: true, ..ask };
        assert!(secret("s").request("rss", near).unwrap().allow_private);
    }
}
