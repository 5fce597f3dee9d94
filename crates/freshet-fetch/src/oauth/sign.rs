//! Signatures of OAuth 1.0a (RFC 5849): HMAC-SHA1 over method, address and all parameters.
//!
//! The moment is a parameter, so that the clock of the crawl gives it. Bodies of a crawl are JSON and no part of a
//! signature; what a form would send is given as extra parameters.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use freshet_types::Timestamp;
use ring::hmac;
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use super::proof::random_word;
use crate::FetchError;

/// What a request is signed with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Keys<'a> {
    /// The consumer key.
    pub(crate) app: &'a str,
    pub(crate) app_secret: &'a SecretString,
    /// The token with its secret, once there is one.
    pub(crate) token: Option<(&'a str, &'a SecretString)>,
}

/// What makes one request differ from all others.
#[derive(Clone, Debug)]
pub(crate) struct SignedMoment {
    /// Seconds since 1970.
    secs: i64,
    nonce: String,
}

/// A moment by this clock.
pub(crate) fn moment(now: Timestamp) -> Result<SignedMoment, FetchError> {
    Ok(SignedMoment { secs: now.secs(), nonce: random_word()? })
}

/// The value of the `Authorization` header. It holds no secret, but whoever has it can ask the same once more.
pub(crate) fn header(
    method: &str,
    url: &Url,
    extra: &[(&str, &str)],
    keys: &Keys<'_>,
    moment: &SignedMoment,
) -> SecretString {
    let secs = moment.secs.to_string();
    let mut own = vec![
        ("oauth_consumer_key", keys.app),
        ("oauth_nonce", &moment.nonce),
        ("oauth_signature_method", "HMAC-SHA1"),
        ("oauth_timestamp", &secs),
        ("oauth_version", "1.0"),
    ];
    own.extend(keys.token.map(|(token, _)| ("oauth_token", token)));
    own.extend(extra);
    let signature = signature(method, url, &own, keys);
    own.push(("oauth_signature", &signature));
    let written = own.iter().map(|(name, value)| format!("{}=\"{}\"", encode(name), encode(value)));
    format!("OAuth {}", written.collect::<Vec<_>>().join(", ")).into()
}

fn signature(method: &str, url: &Url, params: &[(&str, &str)], keys: &Keys<'_>) -> String {
    let mut all: Vec<(String, String)> =
        url.query_pairs().map(|(name, value)| (encode(&name), encode(&value))).collect();
    all.extend(params.iter().map(|(name, value)| (encode(name), encode(value))));
    all.sort();
    let all: Vec<String> = all.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    // The port stands there only where it is unusual, which is how URLs keep it.
    let base = &url[..url::Position::AfterPath];
    let text = format!("{method}&{}&{}", encode(base), encode(&all.join("&")));
    let token_secret = keys.token.map_or("", |(_, secret)| secret.expose_secret());
    let key = format!("{}&{}", encode(keys.app_secret.expose_secret()), encode(token_secret));
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, key.as_bytes());
    BASE64_STANDARD.encode(hmac::sign(&key, text.as_bytes()))
}

/// Percent-encoded as the standard wants it: all but letters, digits and four signs.
fn encode(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut encoded, byte| {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => write!(encoded, "%{byte:02X}").expect("a string takes every text"),
        }
        encoded
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(method: &str, url: &str, params: &[(&str, &str)], secrets: (&str, &str), expected: &str) {
        let (app_secret, token_secret) = (secrets.0.into(), SecretString::from(secrets.1));
        let keys = Keys { app: "unused", app_secret: &app_secret, token: Some(("unused", &token_secret)) };
        assert_eq!(signature(method, &url.parse().unwrap(), params, &keys), expected, "{url}");
    }

    #[test]
    fn published_signatures_are_reached() {
        // RFC 5849, section 1.2: the request for a photo.
        check(
            "GET",
            "http://photos.example.net/photos?file=vacation.jpg&size=original",
            &[
                ("oauth_consumer_key", "dpf43f3p2l4k3l03"),
                ("oauth_token", "nnch734d00sl2jdk"),
                ("oauth_signature_method", "HMAC-SHA1"),
                ("oauth_timestamp", "137131202"),
                ("oauth_nonce", "chapoH"),
            ],
            ("kd94hf93k423kf44", "pfkkdhi9sl3r4s00"),
            "MdpQcU8iPSUjWoN/UDMsK2sui9I=",
        );
        // The example of Twitter's documentation, with a parameter of the body.
        check(
            "POST",
            "https://api.twitter.com/1/statuses/update.json?include_entities=true",
            &[
                ("status", "Hello Ladies + Gentlemen, a signed OAuth request!"),
                ("oauth_consumer_key", "xvz1evFS4wEEPTGEFPHBog"),
                ("oauth_nonce", "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg"),
                ("oauth_signature_method", "HMAC-SHA1"),
                ("oauth_timestamp", "1318622958"),
                ("oauth_token", "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb"),
                ("oauth_version", "1.0"),
            ],
            ("kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw", "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE"),
            "tnnArxj06cWHq44gCs1OSKk/jLY=",
        );
    }

    #[test]
    fn a_header_names_all_but_the_secrets() {
        let (app_secret, token_secret) = ("app-secret".into(), SecretString::from("token-secret"));
        let keys = Keys { app: "app", app_secret: &app_secret, token: Some(("token", &token_secret)) };
        let moment = SignedMoment { secs: 1_700_000_000, nonce: "n".to_owned() };
        let url = "https://api.example/posts?a=1".parse().unwrap();
        let header = header("GET", &url, &[("oauth_callback", "a b")], &keys, &moment);
        let text = header.expose_secret();
        for part in
            ["OAuth ", "oauth_timestamp=\"1700000000\"", "oauth_callback=\"a%20b\"", "oauth_signature="]
        {
            assert!(text.contains(part), "{text}");
        }
        assert!(!text.contains("secret") && !text.contains("a=1"), "{text}");
    }
}
