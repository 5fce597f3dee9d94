//! Stands between crawl and world: passes on, counts what is asked, and can be a server that is down.
//!
//! Counting understands request lines and two facts of an answer's head, which is all that the questions here need. A
//! mode that is not `Pass` cuts every connection that is open, as an outage does. One thread accepts, two
//! pass the bytes of each connection; all end with the connection or when the proxy is dropped.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::process;

/// Between two looks for a new connection; crawls keep theirs open, so it costs them little.
const LOOK_EVERY: Duration = Duration::from_millis(2);
/// Ports to try. They lie below those that the system hands out by itself: nobody else gets ours while
/// it is closed on purpose.
const PORTS: std::ops::Range<u16> = 18_000..30_000;
/// What a mode change may take: one turn of the accepting thread, on a busy machine.
const TURN_LIMIT: Duration = Duration::from_secs(10);

/// What the server does at present.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    #[default]
    Pass,
    /// Nobody listens at its port.
    Refuse,
    /// It takes every connection and never says a word.
    Hold,
}

/// What went through.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// When each request of the API came in, and whether it pages through a list.
    pub(super) requests: Vec<(Instant, bool)>,
    /// Connections that were taken and never answered.
    pub(super) held_count: usize,
    /// Answers that say "too many".
    pub(super) refused_count: usize,
    /// The smallest limit that an answer announced.
    pub(super) announced: Option<u32>,
}

#[derive(Debug, Default)]
struct State {
    wanted: Mode,
    /// What the accepting thread has come round to.
    reached: Mode,
    is_over: bool,
    open: Vec<TcpStream>,
    log: Log,
}

type Shared = Arc<Mutex<State>>;

/// A running proxy.
#[derive(Debug)]
pub(super) struct Proxy {
    /// Where the crawl must go.
    pub(super) address: SocketAddr,
    state: Shared,
}

impl Proxy {
    /// Stands before this server until dropped.
    pub(super) fn before(server: SocketAddr) -> Result<Self> {
        let first = std::process::id() as u16;
        let count = PORTS.end - PORTS.start;
        let mut ports = (0..count).map(|at| PORTS.start + (first % count + at) % count);
        let listener = ports.find_map(|port| listen(SocketAddr::from(([127, 0, 0, 1], port))).ok());
        let listener = listener.context("no free port for the proxy")?;
        let address = listener.local_addr().context("the proxy has no address")?;
        let state = Shared::default();
        let shared = Arc::clone(&state);
        std::thread::spawn(move || accept(listener, address, server, &shared));
        Ok(Self { address, state })
    }

    /// Becomes a server of this kind; returns when it is one.
    pub(super) fn turn(&self, mode: Mode) -> Result<()> {
        lock(&self.state).wanted = mode;
        if process::comes_true(TURN_LIMIT, || lock(&self.state).reached == mode) {
            return Ok(());
        }
        bail!("the proxy at `{}` could not become {mode:?}: is its port in use?", self.address)
    }

    /// Requests so far.
    pub(super) fn request_count(&self) -> usize {
        lock(&self.state).log.requests.len()
    }

    /// Connections so far that were taken and never answered.
    pub(super) fn held_count(&self) -> usize {
        lock(&self.state).log.held_count
    }

    /// What went through since the last call.
    pub(super) fn drain_log(&self) -> Log {
        std::mem::take(&mut lock(&self.state).log)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        state.is_over = true;
        cut(&mut state.open);
    }
}

fn lock(state: &Shared) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

fn cut(open: &mut Vec<TcpStream>) {
    for stream in open.drain(..) {
        let _ = stream.shutdown(Shutdown::Both);
    }
}

/// Accepts in the mode that is wanted, until the proxy is over.
fn accept(listener: TcpListener, address: SocketAddr, server: SocketAddr, shared: &Shared) {
    let mut listener = Some(listener);
    loop {
        let (wanted, reached) = {
            let state = lock(shared);
            if state.is_over {
                return;
            }
            (state.wanted, state.reached)
        };
        if wanted != reached {
            listener = if wanted == Mode::Refuse { None } else { listener.or_else(|| listen(address).ok()) };
            if listener.is_some() || wanted == Mode::Refuse {
                let mut state = lock(shared);
                cut(&mut state.open);
                state.reached = wanted;
            }
        }
        match listener.as_ref().map(TcpListener::accept) {
            Some(Ok((client, _))) => serve(client, wanted, server, shared),
            Some(Err(error)) if error.kind() != ErrorKind::WouldBlock => process::wait(LOOK_EVERY * 10),
            _ => process::wait(LOOK_EVERY),
        }
    }
}

fn serve(client: TcpStream, mode: Mode, server: SocketAddr, shared: &Shared) {
    let _ = client.set_nonblocking(false);
    let _ = client.set_nodelay(true);
    if mode == Mode::Hold {
        let mut state = lock(shared);
        state.log.held_count += 1;
        state.open.push(client);
        return;
    }
    let Ok(server) = TcpStream::connect(server) else { return };
    let _ = server.set_nodelay(true);
    pass(&client, &server, shared, |log, piece| log.requests.extend(request_of(piece)));
    pass(&server, &client, shared, note_answer);
    let mut state = lock(shared);
    state.open.extend([client, server]);
    // What has ended by itself need not be cut.
    state.open.retain(|stream| stream.peer_addr().is_ok());
}

/// Copies one direction on its own thread, showing each piece to `note`.
///
/// A piece is what one read gave. Heads of GET requests and of their answers start a piece,
/// because neither side speaks before the other has finished.
fn pass(from: &TcpStream, to: &TcpStream, shared: &Shared, note: fn(&mut Log, &[u8])) {
    let (Ok(mut from), Ok(mut to)) = (from.try_clone(), to.try_clone()) else { return };
    let shared = Arc::clone(shared);
    std::thread::spawn(move || {
        let mut piece = vec![0; 64 * 1024];
        while let Ok(size @ 1..) = from.read(&mut piece) {
            note(&mut lock(&shared).log, &piece[..size]);
            if to.write_all(&piece[..size]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
        let _ = from.shutdown(Shutdown::Both);
    });
}

fn request_of(piece: &[u8]) -> Option<(Instant, bool)> {
    let line = String::from_utf8_lossy(&piece[..piece.len().min(2048)]);
    let path = line.strip_prefix("GET ")?.split(' ').next()?;
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let is_paging = query.split('&').any(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        ["max_id", "min_id", "since_id", "page"].contains(&name)
    });
    path.starts_with("/api/").then(|| (Instant::now(), is_paging))
}

fn note_answer(log: &mut Log, piece: &[u8]) {
    let head = String::from_utf8_lossy(&piece[..piece.len().min(4096)]);
    let Some(rest) = head.strip_prefix("HTTP/1.1 ") else { return };
    log.refused_count += usize::from(rest.starts_with("429"));
    let headers = head.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_once(": "));
    let mut limits = headers.filter(|(name, _)| name.eq_ignore_ascii_case("x-ratelimit-limit"));
    if let Some(limit) = limits.next().and_then(|(_, value)| value.trim().parse().ok()) {
        log.announced = Some(log.announced.map_or(limit, |known: u32| known.min(limit)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chaos::world::get;

    /// A server that answers everything with its own limit, until the tests end.
    fn server() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 1024]);
                let _ = stream
                    .write_all(b"HTTP/1.1 200 OK\r\nX-RateLimit-Limit: 7\r\nconnection: close\r\n\r\nyes");
            }
        });
        address
    }

    #[test]
    fn it_passes_refuses_and_holds() {
        let proxy = Proxy::before(server()).unwrap();
        assert_eq!(get(proxy.address, "/api/v1/a?limit=4").unwrap(), "yes");
        assert_eq!(get(proxy.address, "/api/v1/a?limit=4&max_id=3").unwrap(), "yes");
        assert_eq!(get(proxy.address, "/clock").unwrap(), "yes");
        let log = proxy.drain_log();
        let paging: Vec<bool> = log.requests.iter().map(|(_, is_paging)| *is_paging).collect();
        assert_eq!((paging, log.announced, log.refused_count), (vec![false, true], Some(7), 0));
        proxy.turn(Mode::Refuse).unwrap();
        let error = TcpStream::connect(proxy.address).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
        proxy.turn(Mode::Hold).unwrap();
        let mut silent = TcpStream::connect(proxy.address).unwrap();
        silent.write_all(b"GET /api/v1/a HTTP/1.0\r\n\r\n").unwrap();
        assert!(process::comes_true(TURN_LIMIT, || proxy.held_count() == 1));
        proxy.turn(Mode::Pass).unwrap();
        assert!(!matches!(silent.read(&mut [0; 9]), Ok(1..)), "what was held is cut, never answered");
        assert_eq!(get(proxy.address, "/api/v1/a").unwrap(), "yes");
        assert_eq!(proxy.request_count(), 1);
    }
}
