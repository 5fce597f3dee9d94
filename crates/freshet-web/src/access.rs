//! Who may look: a password (kept as an argon2 hash in the data directory), a token, or, on loopback
//! without either, whoever sits at this computer.
//!
//! A login makes a session: a random name in a cookie that scripts cannot read and other sites cannot
//! send, and a second random word that every form must show. Wrong guesses of passwords and tokens are
//! counted for whoever guesses ([`super::tries`]): by address, and for browsers that logged in before by the
//! word they were given then. Sessions and these words live in memory; a restart ends them. The page that asks for the
//! password is [`super::login`].

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE};
use freshet_app::failure::Failure;
use freshet_store::viewers::Viewers;
use freshet_types::Map;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

use super::seats::Peer;
use super::tries::{Tries, Who};

/// A session ends when it was not used for so long.
const SESSION_FOR: Duration = Duration::from_hours(12);
/// Sessions at once; the one that was used least recently gives way.
const SESSIONS_MAX: usize = 256;
/// Shortest password and token: what a person can type and nobody can guess at ten a minute.
const SECRET_CHARS_MIN: usize = 8;
/// The cookie of a session.
pub(super) const COOKIE_NAME: &str = "freshet_session";
/// The cookie of a browser that logged in before. It opens nothing; its wrong passwords are counted apart.
pub(super) const BROWSER_COOKIE_NAME: &str = "freshet_browser";
/// Browsers that are remembered; the one that logged in least recently gives way.
const BROWSERS_MAX: usize = 256;
/// Viewers whose passwords are tried, each as slow as the first.
const VIEWERS_MAX: usize = 16;
/// Passwords judged at once: each takes 19 MiB and a processor for a moment, on purpose.
const JUDGED_MAX: usize = 2;

/// Where the hash of the password is kept.
pub(super) fn password_path(dir: &Path) -> PathBuf {
    dir.join("dashboard.password")
}

/// What opens the dashboard.
#[expect(missing_debug_implementations, reason = "it holds secrets")]
pub struct Access {
    password: Option<String>,
    token: Option<SecretString>,
    /// Whose passwords open it for themselves.
    viewers: Viewers,
}

/// What somebody who typed a password may see.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Opened {
    /// Everything, as whom they please.
    Whole,
    /// What this viewer sees.
    As(String),
}

impl Access {
    /// The password of the data directory and the token of the environment.
    pub fn new(dir: &Path, token: Option<SecretString>) -> anyhow::Result<Self> {
        let path = password_path(dir);
        let password = match std::fs::read_to_string(&path) {
            Ok(hash) => Some(hash.trim().to_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(error).with_context(|| format!("`{}` cannot be read", path.display())),
        };
        if let Some(hash) = &password
            && PasswordHash::new(hash).is_err()
        {
            let failure = Failure::new(format!("`{}` holds no password hash", path.display()));
            return Err(failure.hint("set the password anew with `freshet dashboard password`").into());
        }
        if token.as_ref().is_some_and(|token| token.expose_secret().chars().count() < SECRET_CHARS_MIN) {
            let message = format!("FRESHET_DASHBOARD_TOKEN is shorter than {SECRET_CHARS_MIN} characters");
            return Err(Failure::misuse(message).hint("take a long random one").into());
        }
        Ok(Self { password, token, viewers: Viewers::of(dir) })
    }

    /// Nobody is asked for anything.
    pub fn is_open(&self) -> bool {
        self.password.is_none() && self.token.is_none()
    }

    fn has_token(&self, shown: &str) -> bool {
        self.token.as_ref().is_some_and(|token| is_same(token.expose_secret(), shown))
    }

    /// Whether this opens it; slow on purpose, so not on a thread that others wait for.
    pub(super) fn opened_by(&self, typed: &str) -> Option<Opened> {
        let is_of = |hash: &str| {
            let hash = PasswordHash::new(hash).ok();
            hash.is_some_and(|hash| Argon2::default().verify_password(typed.as_bytes(), &hash).is_ok())
        };
        if self.password.as_deref().is_some_and(is_of) || self.has_token(typed) {
            return Some(Opened::Whole);
        }
        // Read anew each time: a viewer who was removed has none, and one who was given another one has that.
        let own = |viewer: &str| std::fs::read_to_string(password_path(&self.viewers.folder(viewer)));
        let mut names = self.viewers.names().into_iter().take(VIEWERS_MAX);
        let viewer = names.find(|viewer| own(viewer).is_ok_and(|hash| is_of(hash.trim())))?;
        Some(Opened::As(viewer.to_string()))
    }
}

/// The hash to keep of a new password.
pub(super) fn hash(password: &SecretString) -> anyhow::Result<String> {
    let password = password.expose_secret();
    if password.chars().count() < SECRET_CHARS_MIN {
        let message = format!("the password is shorter than {SECRET_CHARS_MIN} characters");
        return Err(Failure::misuse(message).hint("several words are easy to type and hard to guess").into());
    }
    let hash = Argon2::default().hash_password(password.as_bytes());
    Ok(hash.map_err(|error| anyhow::anyhow!("the password cannot be hashed: {error}"))?.to_string())
}

/// Sets the password by which a viewer logs in, or takes it away. Without a password of the dashboard itself it would keep nobody out.
pub fn set_viewer_password(dir: &Path, viewer: &str, password: &SecretString) -> anyhow::Result<bool> {
    let viewers = Viewers::of(dir);
    if !viewers.has(viewer) {
        return Err(Failure::misuse(format!("nothing was read as `{viewer}`")).into());
    }
    if !password.expose_secret().is_empty() && !password_path(dir).is_file() {
        let failure =
            Failure::misuse("the dashboard has no password of its own, so whoever comes sees everything");
        return Err(failure.hint("set that one first: `freshet dashboard password`").into());
    }
    set_password(&viewers.folder(viewer), password)
}

/// Keeps the hash of a new password, or takes the password away where it is empty; says whether there is one now.
pub fn set_password(dir: &Path, password: &SecretString) -> anyhow::Result<bool> {
    let path = password_path(dir);
    if password.expose_secret().is_empty() {
        return match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).with_context(|| format!("`{}` cannot be removed", path.display()))
            }
            _ => Ok(false),
        };
    }
    let hash = hash(password)?;
    let mut options = std::fs::OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::mode(options.write(true).create(true).truncate(true), 0o600);
    let written = options.open(&path).and_then(|mut file| writeln!(file, "{hash}"));
    written.with_context(|| format!("`{}` cannot be written", path.display()))?;
    Ok(true)
}

/// Equal, in a time that tells neither where they differ nor how long the right one is.
fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (Sha256::digest(one), Sha256::digest(other));
    one.iter().zip(other.iter()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

/// A word that nobody can guess.
fn random_word() -> String {
    let (one, other): (u128, u128) = rand::random();
    format!("{one:032x}{other:032x}")
}

/// Who asks.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    /// What forms must show.
    pub(super) csrf: String,
    /// A program with the token: no browser sends that by itself.
    pub(super) is_token: bool,
    /// There is something to log out of.
    pub(super) is_session: bool,
    /// As whom alone they may look; `None`: whoever owns the dashboard.
    pub(super) viewer: Option<String>,
}

impl Identity {
    pub(super) fn has_csrf(&self, shown: &str) -> bool {
        is_same(&self.csrf, shown)
    }
}

struct Session {
    csrf: String,
    viewer: Option<String>,
    used_at: Instant,
}

/// Who is logged in, and who tried.
pub(super) struct Sessions {
    /// What forms must show where nobody logs in.
    csrf: String,
    known: Mutex<Map<String, Session>>,
    /// Browsers that logged in, and when last.
    browsers: Mutex<Map<String, Instant>>,
    pub(super) passwords: Tries,
    tokens: Tries,
    /// Passwords that are judged just now.
    pub(super) judging: Semaphore,
}

impl Sessions {
    pub(super) fn new() -> Self {
        Self {
            csrf: random_word(),
            known: Mutex::default(),
            browsers: Mutex::default(),
            passwords: Tries::default(),
            tokens: Tries::default(),
            judging: Semaphore::new(JUDGED_MAX),
        }
    }

    /// Who types a password: a browser that is known, or somebody at this address.
    pub(super) fn who(&self, headers: &HeaderMap, peer: Peer) -> Who {
        let browsers = self.browsers.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = cookie(headers, BROWSER_COOKIE_NAME).filter(|word| browsers.contains_key(word));
        shown.map_or(Who::Peer(peer), Who::Browser)
    }

    /// The word of a browser that logged in just now.
    pub(super) fn remember(&self, who: Who) -> String {
        let mut browsers = self.browsers.lock().unwrap_or_else(PoisonError::into_inner);
        let word = if let Who::Browser(word) = who { word } else { random_word() };
        if browsers.len() >= BROWSERS_MAX && !browsers.contains_key(&word) {
            let oldest = browsers.iter().min_by_key(|(_, at)| **at).map(|(word, _)| word.clone());
            oldest.map(|word| browsers.remove(&word));
        }
        browsers.insert(word.clone(), Instant::now());
        word
    }

    /// The name of a session that begins.
    pub(super) fn begin(&self, viewer: Option<String>) -> String {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, session| session.used_at.elapsed() < SESSION_FOR);
        if known.len() >= SESSIONS_MAX {
            let oldest =
                known.iter().min_by_key(|(_, session)| session.used_at).map(|(name, _)| name.clone());
            oldest.map(|name| known.remove(&name));
        }
        let name = random_word();
        known.insert(name.clone(), Session { csrf: random_word(), viewer, used_at: Instant::now() });
        name
    }

    fn find(&self, name: &str) -> Option<(String, Option<String>)> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let session = known.get_mut(name).filter(|session| session.used_at.elapsed() < SESSION_FOR)?;
        session.used_at = Instant::now();
        Some((session.csrf.clone(), session.viewer.clone()))
    }

    /// Ends a session.
    pub(super) fn end(&self, name: &str) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(name);
    }
}

/// Who sends a request, as far as it can be told.
pub(super) enum Caller {
    /// Somebody who may look.
    Known(Identity),
    /// Somebody who must log in first.
    Unknown,
    /// Somebody who showed too many wrong tokens, and must wait for so long.
    Guessing(Duration),
}

impl Caller {
    pub(super) fn identity(&self) -> Option<&Identity> {
        if let Self::Known(identity) = self { Some(identity) } else { None }
    }
}

impl Sessions {
    /// Who asks for what `access` guards.
    pub(super) fn caller(&self, access: &Access, headers: &HeaderMap, peer: Peer) -> Caller {
        let text = |value: &axum::http::HeaderValue| value.to_str().ok().map(str::to_owned);
        let shown = headers.get(AUTHORIZATION).and_then(text);
        if let Some(token) = shown.as_deref().and_then(|shown| shown.strip_prefix("Bearer ")) {
            let token = token.trim();
            return match self.tokens.judge(&Who::Peer(peer), token, || access.has_token(token)) {
                Ok(true) => Caller::Known(Identity {
                    csrf: String::new(),
                    is_token: true,
                    is_session: false,
                    viewer: None,
                }),
                Ok(false) => Caller::Unknown,
                Err(wait) => Caller::Guessing(wait),
            };
        }
        if access.is_open() {
            let csrf = self.csrf.clone();
            return Caller::Known(Identity { csrf, is_token: false, is_session: false, viewer: None });
        }
        let found = cookie(headers, COOKIE_NAME).and_then(|name| self.find(&name));
        found.map_or(Caller::Unknown, |(csrf, viewer)| {
            Caller::Known(Identity { csrf, is_token: false, is_session: true, viewer })
        })
    }
}

/// The value of a cookie.
pub(super) fn cookie(headers: &HeaderMap, wanted: &str) -> Option<String> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == wanted).map(|(_, value)| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_kept_as_hashes_and_short_ones_refused() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Access::new(dir.path(), None).unwrap().is_open());
        let hashed = hash(&SecretString::from("correct horse")).unwrap();
        assert!(hashed.starts_with("$argon2id$") && !hashed.contains("horse"), "{hashed}");
        std::fs::write(password_path(dir.path()), &hashed).unwrap();
        let access = Access::new(dir.path(), Some(SecretString::from("token-token"))).unwrap();
        for (typed, expected) in
            [("correct horse", true), ("token-token", true), ("wrong horse", false), ("", false)]
        {
            let opened = access.opened_by(typed);
            assert_eq!(opened, expected.then_some(Opened::Whole), "{typed}");
        }
        assert!(hash(&SecretString::from("short")).is_err());
        assert!(Access::new(dir.path(), Some(SecretString::from("short"))).is_err());
        std::fs::write(password_path(dir.path()), "nonsense").unwrap();
        assert!(Access::new(dir.path(), None).is_err());
    }

    #[test]
    fn browsers_that_logged_in_are_remembered_and_strangers_are_not() {
        let sessions = Sessions::new();
        let peer = Peer::from(std::net::IpAddr::from([10, 0, 0, 1]));
        let shown = |word: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, format!("a=b; {BROWSER_COOKIE_NAME}={word}").parse().unwrap());
            sessions.who(&headers, peer)
        };
        let word = sessions.remember(Who::Peer(peer));
        assert_eq!(shown(&word), Who::Browser(word.clone()));
        assert_eq!(shown("made up"), Who::Peer(peer));
        assert_eq!(sessions.remember(Who::Browser(word.clone())), word, "it keeps its word");
        for _ in 0..BROWSERS_MAX {
            sessions.remember(Who::Peer(peer));
        }
        assert_eq!(sessions.browsers.lock().unwrap().len(), BROWSERS_MAX);
        assert_eq!(shown(&word), Who::Peer(peer), "the oldest gave way");
    }

    #[test]
    fn words_are_compared_whole() {
        for (one, other, expected) in
            [("token", "token", true), ("token", "tokens", false), ("token", "toke", false), ("", "a", false)]
        {
            assert_eq!(is_same(one, other), expected, "{one} {other}");
        }
    }
}
