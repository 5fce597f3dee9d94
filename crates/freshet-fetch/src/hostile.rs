//! A hostile server for tests: raw TCP on a loopback port, misbehaving by path.
//!
//! [`builtin`] lists the ready-made misbehaviours; [`Hostile::route`] adds others, in order, the
//! last one repeating. Every request is kept for the test to look at. The server dies with its
//! handle. It is test equipment: it shares no code with what it tests.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use freshet_types::Map;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub use behaviour::{Behaviour, Step, builtin};

mod behaviour;

/// Longest request that is read.
const REQUEST_BYTES_MAX: usize = 1 << 20;

/// How long a stall lasts; far longer than any time-out of a test.
const STALL: Duration = Duration::from_mins(10);

/// A running server.
#[derive(Debug)]
pub struct Hostile {
    address: SocketAddr,
    state: Arc<State>,
    accepting: tokio::task::JoinHandle<()>,
}

#[derive(Debug, Default)]
struct State {
    routes: Mutex<Map<String, Vec<Behaviour>>>,
    requests: Mutex<Vec<(Instant, String)>>,
}

impl Hostile {
    /// Starts on a free loopback port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("loopback has a free port");
        let address = listener.local_addr().expect("a bound socket has an address");
        let state = Arc::new(State::default());
        let accepting = tokio::spawn(accept(listener, Arc::clone(&state)));
        Self { address, state, accepting }
    }

    /// `http://127.0.0.1:PORT` and the path.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// `127.0.0.1:PORT`.
    pub fn authority(&self) -> String {
        self.address.to_string()
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Sets what a path does, request by request; the last behaviour repeats. A path with a query goes before the path alone.
    pub fn route(&self, path: &str, behaviours: Vec<Behaviour>) {
        assert!(!behaviours.is_empty(), "a route needs a behaviour");
        self.state.routes.lock().unwrap_or_else(PoisonError::into_inner).insert(path.to_owned(), behaviours);
    }

    /// The same for whoever shows this token, `Authorization: Bearer …`; others get what the path does otherwise.
    pub fn route_for(&self, token: &str, path: &str, behaviours: Vec<Behaviour>) {
        self.route(&of_bearer(token, path), behaviours);
    }

    /// All requests so far, heads and bodies.
    pub fn requests(&self) -> Vec<String> {
        self.kept(|(_, request)| request.clone())
    }

    /// When each of them came, on the wall.
    pub fn arrivals(&self) -> Vec<Instant> {
        self.kept(|(at, _)| *at)
    }

    /// How many requests asked for this path.
    pub fn count(&self, path: &str) -> usize {
        self.requests().iter().filter(|request| path_of(request) == path).count()
    }

    fn kept<T>(&self, part: impl FnMut(&(Instant, String)) -> T) -> Vec<T> {
        self.state.requests.lock().unwrap_or_else(PoisonError::into_inner).iter().map(part).collect()
    }
}

impl Drop for Hostile {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, state: Arc<State>) {
    // Connections end with this set, hence with the server.
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(serve(stream, Arc::clone(&state)));
        while connections.try_join_next().is_some() {}
    }
}

async fn serve(mut stream: TcpStream, state: Arc<State>) {
    drop(stream.set_nodelay(true));
    let mut buffer = Vec::new();
    while let Some(request) = read_request(&mut stream, &mut buffer).await {
        let target = target_of(&request).to_owned();
        state.requests.lock().unwrap_or_else(PoisonError::into_inner).push((Instant::now(), request.clone()));
        let bearer = request.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            value.trim().strip_prefix("Bearer ").filter(|_| name.eq_ignore_ascii_case("authorization"))
        });
        let behaviour = state.behaviour(bearer, &target);
        for step in behaviour.steps {
            if !play(&mut stream, step, &request).await {
                return;
            }
        }
    }
}

impl State {
    fn behaviour(&self, bearer: Option<&str>, target: &str) -> Behaviour {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let path = before_query(target);
        let own = bearer.into_iter().flat_map(|token| [of_bearer(token, target), of_bearer(token, path)]);
        let keys = own.chain([target.to_owned(), path.to_owned()]);
        let key = keys.into_iter().find(|key| routes.contains_key(key)).unwrap_or_default();
        match routes.get_mut(&key) {
            Some(behaviours) if behaviours.len() > 1 => behaviours.remove(0),
            Some(behaviours) => behaviours[0].clone(),
            None => builtin(path).unwrap_or_else(|| Behaviour::json(404, "{\"error\":\"not found\"}")),
        }
    }
}

/// Under which key a path is kept that is answered differently for a token; no path begins so.
fn of_bearer(token: &str, path: &str) -> String {
    format!("{token} {path}")
}

/// One request with its body; `None` when the client has gone.
async fn read_request(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<String> {
    loop {
        if let Some(head) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            let text = String::from_utf8_lossy(&buffer[..head]).to_ascii_lowercase();
            let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
            let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
            if buffer.len() >= head + 4 + length {
                let request: Vec<u8> = buffer.drain(..head + 4 + length).collect();
                return Some(String::from_utf8_lossy(&request).into_owned());
            }
        }
        let mut chunk = [0; 8192];
        let count = stream.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        buffer.extend_from_slice(&chunk[..count]);
        if buffer.len() > REQUEST_BYTES_MAX {
            return None;
        }
    }
}

/// Whether the connection goes on.
async fn play(stream: &mut TcpStream, step: Step, request: &str) -> bool {
    match step {
        Step::Send(bytes) => stream.write_all(&bytes).await.is_ok(),
        Step::Echo => stream.write_all(&Behaviour::bytes_of(200, &[], request.as_bytes())).await.is_ok(),
        Step::Drip(bytes, pause) => {
            for byte in bytes {
                if stream.write_all(&[byte]).await.is_err() {
                    return false;
                }
                tokio::time::sleep(pause).await;
            }
            true
        }
        Step::Forever(bytes) => {
            while stream.write_all(&bytes).await.is_ok() {}
            false
        }
        Step::Stall => {
            tokio::time::sleep(STALL).await;
            false
        }
        Step::Reset => {
            // Lingering for no time makes the system send RST instead of FIN.
            drop(stream.set_zero_linger());
            false
        }
        Step::Close => false,
    }
}

/// What a request asks for.
fn target_of(request: &str) -> &str {
    request.split(' ').nth(1).unwrap_or_default()
}

/// The path of a request, without its query.
fn path_of(request: &str) -> &str {
    before_query(target_of(request))
}

fn before_query(target: &str) -> &str {
    target.split('?').next().unwrap_or_default()
}
