//! A small OAuth server with a small network behind it, on loopback: apps, consent, tokens that run out, and posts.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Longest that a connection may be silent.
const SILENCE: Duration = Duration::from_secs(5);

/// What the server does and has done.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Seconds that a token is said to last; none: for ever.
    pub(crate) lasts: Option<u32>,
    /// Consent is refused.
    pub(crate) is_denying: bool,
    /// The place where tokens are made answers this instead, if anything.
    pub(crate) token_answer: Option<(u16, &'static str)>,
    /// Refresh tokens are refused.
    pub(crate) is_taken_back: bool,
    /// Access tokens that are good.
    pub(crate) tokens: Vec<String>,
    /// The one refresh token that is good.
    pub(crate) refresh: Option<String>,
    made_count: usize,
    /// Bodies of what was asked of `/oauth/token`, and its `Authorization`.
    pub(crate) asked: Vec<String>,
    /// Tokens that posts were asked with, one by one.
    pub(crate) shown: Vec<String>,
}

/// The server; it dies with the process of the tests.
#[derive(Clone, Debug)]
pub(crate) struct OauthServer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl OauthServer {
    /// Starts on a free port.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let state = Arc::new(Mutex::new(State::default()));
        let theirs = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&theirs);
                std::thread::spawn(move || serve(stream, &state));
            }
        });
        Self { address, state }
    }

    /// `127.0.0.1:PORT`.
    pub(crate) fn authority(&self) -> String {
        self.address.to_string()
    }

    /// Changes or reads what it does and has done.
    pub(crate) fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        look(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn serve(mut stream: TcpStream, state: &Mutex<State>) {
    drop(stream.set_read_timeout(Some(SILENCE)));
    let Some((head, body)) = read(&mut stream) else { return };
    let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let authorization =
        head.lines().find_map(|line| line.strip_prefix("authorization: ")).unwrap_or_default();
    let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
    let (status, headers, answer) = match path {
        "/api/v1/apps" => {
            (200, String::new(), r#"{"client_id":"app-1","client_secret":"app-secret"}"#.to_owned())
        }
        "/oauth/authorize" => (302, format!("Location: {}\r\n", state.consent(query)), String::new()),
        "/oauth/token" => {
            let (status, answer) = state.token(&body, authorization);
            (status, String::new(), answer)
        }
        "/me" => (200, String::new(), r#"{"name":"ada"}"#.to_owned()),
        _ => {
            let (status, answer) = state.posts(path, authorization);
            (status, String::new(), answer)
        }
    };
    drop(state);
    let text = format!(
        "HTTP/1.1 {status} Said\r\nContent-Type: application/json\r\nContent-Length: {}\r\n{headers}Connection: close\r\n\r\n{answer}",
        answer.len()
    );
    drop(stream.write_all(text.as_bytes()));
}

impl State {
    /// Where the browser is sent.
    fn consent(&self, query: &str) -> String {
        let get = |name: &str| {
            let mut pairs = url::form_urlencoded::parse(query.as_bytes());
            pairs.find(|(key, _)| key == name).map(|(_, value)| value.into_owned()).unwrap_or_default()
        };
        assert_eq!(get("code_challenge_method"), "S256", "{query}");
        let answer = if self.is_denying { "error=access_denied" } else { "code=code-1" };
        format!("{}?{answer}&state={}", get("redirect_uri"), get("state"))
    }

    fn token(&mut self, body: &str, authorization: &str) -> (u16, String) {
        self.asked.push(format!("{authorization} {body}"));
        if let Some((status, answer)) = self.token_answer {
            return (status, answer.to_owned());
        }
        let refused = (400, r#"{"error":"invalid_grant","error_description":"gone"}"#.to_owned());
        let refresh = self.refresh.as_ref().map(|refresh| format!("refresh_token={refresh}&"));
        let is_renewal = body.contains("grant_type=refresh_token");
        if is_renewal && (self.is_taken_back || !refresh.is_some_and(|it| format!("{body}&").contains(&it))) {
            return refused;
        }
        if body.contains("grant_type=authorization_code") && !body.contains("code=code-1&") {
            return refused;
        }
        self.made_count += 1;
        let number = self.made_count;
        self.tokens.push(format!("access-{number}"));
        let mut answer =
            serde_json::json!({ "access_token": format!("access-{number}"), "token_type": "Bearer" });
        if !body.contains("client_credentials") {
            self.refresh = Some(format!("refresh-{number}"));
            answer["refresh_token"] = format!("refresh-{number}").into();
        }
        if let Some(lasts) = self.lasts {
            answer["expires_in"] = lasts.into();
        }
        (200, answer.to_string())
    }

    /// One post of whoever is asked about, for those with a good token.
    fn posts(&mut self, path: &str, authorization: &str) -> (u16, String) {
        let token = authorization.strip_prefix("Bearer ").unwrap_or_default().to_owned();
        self.shown.push(token.clone());
        if !self.tokens.contains(&token) {
            return (401, r#"{"error":"The access token is invalid"}"#.to_owned());
        }
        let id = format!("post-of-{}", path.trim_start_matches('/'));
        let at = 1_700_000_000;
        (200, serde_json::json!({ "posts": [{ "id": id, "at": at, "text": "hello" }] }).to_string())
    }
}

fn read(stream: &mut TcpStream) -> Option<(String, String)> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let count = stream.read(&mut chunk).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head
            .lines()
            .find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
        if body.len() >= length.unwrap_or(0) {
            return Some((head.to_owned(), body.to_owned()));
        }
    }
}
