//! Scrubbing: every known secret is cut out of every text that leaves this crate.
//!
//! A secret is looked for in all the forms a text may hold it: as it is, percent-encoded as in
//! a URL, and escaped as in JSON. Invariant: what [`Scrubber::scrub`] returns holds none of
//! them. It does not guess at secrets it was never told.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock};

use secrecy::{ExposeSecret, SecretString};

/// What stands where a secret stood.
pub(crate) const SCRUBBED: &str = "[secret]";

/// Shorter secrets cannot be told from ordinary text; no network issues any.
pub(crate) const SECRET_BYTES_MIN: usize = 4;

/// Forms of session tokens remembered per credential; a token is out of use long before.
const TOKEN_FORMS_MAX: usize = 64;

/// All secrets this process knows, by the credential they belong to.
#[derive(Default)]
pub struct Scrubber {
    /// The longest first, so that a secret that contains another leaves no remainder.
    forms: RwLock<Vec<Form>>,
}

struct Form {
    owner: Arc<str>,
    text: SecretString,
    /// Counts up for tokens, which are forgotten oldest first; `None` is kept for good.
    age: Option<u64>,
}

impl Scrubber {
    /// Remembers a secret of the credential named `owner` for good.
    pub fn learn(&self, owner: &Arc<str>, secret: &SecretString) {
        self.remember(owner, secret, false);
    }

    /// Remembers a session token of the credential named `owner`.
    pub(crate) fn learn_token(&self, owner: &Arc<str>, token: &SecretString) {
        self.remember(owner, token, true);
    }

    fn remember(&self, owner: &Arc<str>, secret: &SecretString, is_token: bool) {
        if secret.expose_secret().len() < SECRET_BYTES_MIN {
            return;
        }
        let mut forms = self.forms.write().unwrap_or_else(PoisonError::into_inner);
        let newest = forms.iter().filter_map(|form| form.age).max().unwrap_or(0);
        for text in forms_of(secret.expose_secret()) {
            if !forms.iter().any(|form| form.owner == *owner && form.text.expose_secret() == text) {
                let age = is_token.then_some(newest + 1);
                forms.push(Form { owner: Arc::clone(owner), text: text.into(), age });
            }
        }
        let is_old = |form: &Form| form.owner == *owner && form.age.is_some();
        while forms.iter().filter(|form| is_old(form)).count() > TOKEN_FORMS_MAX {
            let oldest = forms.iter().filter(|form| is_old(form)).filter_map(|form| form.age).min();
            forms.retain(|form| form.owner != *owner || form.age != oldest);
        }
        forms.sort_by_key(|form| std::cmp::Reverse(form.text.expose_secret().len()));
    }

    /// The text without any known secret.
    pub fn scrub<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.scrub_where(text, |_| true)
    }

    /// The text without the secrets of this credential; for answers to its own requests.
    pub(crate) fn scrub_of<'a>(&self, owner: &str, text: &'a str) -> Cow<'a, str> {
        self.scrub_where(text, |name| name == owner)
    }

    /// The bytes without the secrets of this credential; untouched, uncopied where there are none.
    pub(crate) fn scrub_bytes_of(&self, owner: &str, bytes: Vec<u8>) -> Vec<u8> {
        match std::str::from_utf8(&bytes) {
            Ok(text) => match self.scrub_of(owner, text) {
                Cow::Borrowed(_) => bytes,
                Cow::Owned(clean) => clean.into_bytes(),
            },
            Err(_) => self.scrub_opaque(owner, bytes),
        }
    }

    fn scrub_where<'a>(&self, text: &'a str, is_wanted: impl Fn(&str) -> bool) -> Cow<'a, str> {
        let forms = self.forms.read().unwrap_or_else(PoisonError::into_inner);
        let mut clean = Cow::Borrowed(text);
        for form in forms.iter().filter(|form| is_wanted(&form.owner)) {
            if clean.contains(form.text.expose_secret()) {
                clean = Cow::Owned(clean.replace(form.text.expose_secret(), SCRUBBED));
            }
        }
        clean
    }

    /// For bodies in other text encodings, in which an ASCII secret still is its own bytes.
    fn scrub_opaque(&self, owner: &str, mut bytes: Vec<u8>) -> Vec<u8> {
        let forms = self.forms.read().unwrap_or_else(PoisonError::into_inner);
        for form in forms.iter().filter(|form| &*form.owner == owner) {
            let needle = form.text.expose_secret().as_bytes();
            let mut from = 0;
            // What takes its place may hold it again, and is passed over.
            while let Some(at) = bytes[from..].windows(needle.len()).position(|window| window == needle) {
                let at = from + at;
                bytes.splice(at..at + needle.len(), SCRUBBED.bytes());
                from = at + SCRUBBED.len();
            }
        }
        bytes
    }
}

impl std::fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.forms.read().unwrap_or_else(PoisonError::into_inner).len();
        f.debug_struct("Scrubber").field("form_count", &count).finish()
    }
}

/// Every way a text may spell the secret.
fn forms_of(secret: &str) -> BTreeSet<String> {
    let form_encoded: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let percent: String = secret
        .bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect();
    let json = serde_json::Value::from(secret).to_string();
    let json = json[1..json.len() - 1].to_owned();
    let debug = format!("{secret:?}");
    BTreeSet::from([
        secret.to_owned(),
        lower_escapes(&form_encoded),
        form_encoded,
        lower_escapes(&percent),
        percent,
        json.replace('/', "\\/"),
        json,
        debug[1..debug.len() - 1].to_owned(),
    ])
}

/// `%2F` and `%2f` mean the same; servers echo either.
fn lower_escapes(text: &str) -> String {
    let mut left = 0;
    text.chars()
        .map(|c| {
            left = if c == '%' { 3 } else { left };
            let is_escape = left > 0;
            left = i32::max(left - 1, 0);
            if is_escape { c.to_ascii_lowercase() } else { c }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(secret: &str, text: &str, clean: &str) {
        let scrubber = Scrubber::default();
        scrubber.learn(&"one".into(), &secret.into());
        assert_eq!(scrubber.scrub(text), clean, "{secret} in {text}");
        let bytes = scrubber.scrub_bytes_of("one", text.as_bytes().to_vec());
        assert_eq!(String::from_utf8(bytes).unwrap(), clean);
        let mut other = text.as_bytes().to_vec();
        other.push(0xff);
        let mut wanted = clean.as_bytes().to_vec();
        wanted.push(0xff);
        assert_eq!(scrubber.scrub_bytes_of("one", other), wanted);
    }

    #[test]
    fn every_form_of_a_secret_is_found() {
        check("s3cret", "a s3cret and s3cret again", "a [secret] and [secret] again");
        check("s3cret", "nothing here", "nothing here");
        check("a/b+c=d", "?key=a%2Fb%2Bc%3Dd&x", "?key=[secret]&x");
        check("a/b+c=d", "?key=a%2fb%2bc%3dd&x", "?key=[secret]&x");
        check("a b/c d", "?key=a+b%2Fc+d", "?key=[secret]");
        check("a b/c d", "?key=a%20b%2Fc%20d", "?key=[secret]");
        check("a/b\"cd", r#"{"next":"a\/b\"cd"}"#, r#"{"next":"[secret]"}"#);
        check("AbC/DeF", "AbC%2fDeF", "[secret]");
        check("abc", "too short abc", "too short abc");
    }

    #[test]
    fn a_secret_that_is_part_of_its_replacement_ends() {
        let scrubber = Scrubber::default();
        scrubber.learn(&"a".into(), &"secret".into());
        let bytes = [b"\xffsecretsecret \xe9".as_slice()].concat();
        let clean = scrubber.scrub_bytes_of("a", bytes);
        assert_eq!(clean, [b"\xff".as_slice(), SCRUBBED.as_bytes(), SCRUBBED.as_bytes(), b" \xe9"].concat());
    }

    #[test]
    fn old_tokens_are_forgotten_and_owners_kept_apart() {
        let scrubber = Scrubber::default();
        for number in 0..1000 {
            scrubber.learn_token(&"one".into(), &format!("token-{number:04}").into());
        }
        scrubber.learn(&"one".into(), &"for-good".into());
        scrubber.learn(&"two".into(), &"other-secret".into());
        assert_eq!(scrubber.scrub("token-0999"), SCRUBBED);
        assert_eq!(scrubber.scrub("token-0000"), "token-0000");
        assert_eq!(scrubber.scrub("for-good"), SCRUBBED);
        assert_eq!(scrubber.scrub_of("one", "other-secret"), "other-secret");
        assert_eq!(scrubber.scrub("other-secret"), SCRUBBED);
        assert!(!format!("{scrubber:?}").contains("token"));
    }
}
