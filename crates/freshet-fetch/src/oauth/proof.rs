//! What proves that an answer is to our question: `state` and PKCE of OAuth 2, the request token of OAuth 1.0a.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::SecureRandom as _;
use ring::{digest, hmac, rand};
use secrecy::SecretString;
use url::Url;

use crate::FetchError;

/// Bytes of a random word: 256 bits, 43 letters, the shortest verifier that PKCE allows.
const WORD_BYTES: usize = 32;
/// What tells an address, or its query, from a code alone.
const ANSWER_SIGNS: [&str; 5] = ["://", "code=", "error=", "oauth_verifier=", "denied="];
/// Longest answer that is read.
const ANSWER_BYTES_MAX: usize = 16 * 1024;
/// Longest reason of a refusal that is shown.
const REASON_CHARS_MAX: usize = 120;

/// What we know that nobody else does.
#[derive(Debug)]
pub(crate) enum Proof {
    Code {
        state: String,
        /// What the code is bound to.
        verifier: Option<SecretString>,
    },
    Signed {
        token: String,
        secret: SecretString,
    },
}

/// What an answer says.
#[derive(Debug)]
pub(crate) enum Answered {
    /// Here is the code, or the verifier.
    Yes(SecretString),
    /// The person or the network refused.
    No(String),
    /// It is the answer to another question.
    Foreign,
    Nothing,
}

impl Proof {
    /// For a code of OAuth 2.
    pub(crate) fn code(is_bound: bool) -> Result<Self, FetchError> {
        let verifier = if is_bound { Some(random_word()?.into()) } else { None };
        Ok(Self::Code { state: random_word()?, verifier })
    }

    /// What the answer means, be it a whole address, its query or the code alone.
    pub(crate) fn check(&self, answer: &str) -> Answered {
        let answer = answer.trim();
        if answer.is_empty() || answer.len() > ANSWER_BYTES_MAX {
            return Answered::Nothing;
        }
        if !ANSWER_SIGNS.iter().any(|sign| answer.contains(sign)) {
            // A person read it off a page: there is no state that somebody could have forged.
            return Answered::Yes(answer.into());
        }
        let query = Url::parse(answer).ok().and_then(|url| url.query().map(str::to_owned));
        let query = query.unwrap_or_else(|| answer.rsplit('?').next().unwrap_or_default().to_owned());
        let pairs: Vec<(String, String)> =
            url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let get = |name: &str| pairs.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let (given, ours, theirs) = match self {
            Self::Code { state, .. } => (get("code"), state, get("state")),
            Self::Signed { token, .. } => {
                (get("oauth_verifier"), token, get("oauth_token").or(get("denied")))
            }
        };
        let refusal = get("error").or(get("denied").map(|_| "denied"));
        if given.is_none() && refusal.is_none() {
            return Answered::Nothing;
        }
        if !is_same(ours, theirs.unwrap_or_default()) {
            return Answered::Foreign;
        }
        match (refusal, given) {
            (Some(refusal), _) => {
                let reason = get("error_description").unwrap_or(refusal);
                let plain = reason.chars().filter(|c| !c.is_control()).take(REASON_CHARS_MAX);
                Answered::No(plain.collect())
            }
            (None, Some(given)) => Answered::Yes(given.into()),
            (None, None) => Answered::Nothing,
        }
    }
}

/// The hash that a code is bound to: S256 of RFC 7636.
pub(crate) fn challenge(verifier: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, verifier.as_bytes()))
}

/// Nobody can guess it.
pub(crate) fn random_word() -> Result<String, FetchError> {
    let mut bytes = [0; WORD_BYTES];
    fill(&mut bytes)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(bytes))
}

fn fill(bytes: &mut [u8]) -> Result<(), FetchError> {
    let filled = rand::SystemRandom::new().fill(bytes);
    filled.map_err(|_| FetchError::Client("this computer gives no random numbers".to_owned()))
}

/// Compared in a time that tells nothing: both are hashed with a key that was never seen.
fn is_same(ours: &str, theirs: &str) -> bool {
    let mut key = [0; WORD_BYTES];
    if fill(&mut key).is_err() {
        return false;
    }
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    let tag = hmac::sign(&key, ours.as_bytes());
    hmac::verify(&key, theirs.as_bytes(), tag.as_ref()).is_ok()
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn shown(proof: &Proof, answer: &str) -> String {
        match proof.check(answer) {
            Answered::Yes(given) => format!("yes {}", given.expose_secret()),
            Answered::No(why) => format!("no {why}"),
            Answered::Foreign => "foreign".to_owned(),
            Answered::Nothing => "nothing".to_owned(),
        }
    }

    #[test]
    fn an_answer_must_be_to_our_question() {
        let code = Proof::Code { state: "s-1".to_owned(), verifier: None };
        let signed = Proof::Signed { token: "t-1".to_owned(), secret: "secret".into() };
        for (proof, answer, expected) in [
            (&code, "http://127.0.0.1:1/?code=a%2Fb&state=s-1", "yes a/b"),
            (&code, "?code=ab&state=s-1", "yes ab"),
            (&code, "code=ab&state=s-1", "yes ab"),
            (&code, " abc-123== \n", "yes abc-123=="),
            (&code, "http://127.0.0.1:1/?code=ab&state=s-2", "foreign"),
            (&code, "http://127.0.0.1:1/?code=ab", "foreign"),
            (&code, "http://127.0.0.1:1/?error=access_denied&state=s-1", "no access_denied"),
            (&code, "?error=x&error_description=Go%0Aaway&state=s-1", "no Goaway"),
            (&code, "http://127.0.0.1:1/?state=s-1", "nothing"),
            (&code, "", "nothing"),
            (&signed, "http://127.0.0.1:1/?oauth_token=t-1&oauth_verifier=v", "yes v"),
            (&signed, "http://127.0.0.1:1/?oauth_token=t-2&oauth_verifier=v", "foreign"),
            (&signed, "http://127.0.0.1:1/?denied=t-1", "no denied"),
        ] {
            assert_eq!(shown(proof, answer), expected, "{answer}");
        }
    }

    /// The example of RFC 7636, appendix B.
    #[test]
    fn a_challenge_is_that_of_the_standard() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert_ne!(random_word().unwrap(), random_word().unwrap());
        assert!(random_word().unwrap().len() >= 43);
    }
}
