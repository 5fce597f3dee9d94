//! A witness between crawl and server: passes bytes on and writes down what was asked and answered.
//!
//! It proves from outside that limits were respected and that known pages were not fetched again. It understands
//! only request lines, credentials and status lines, which is all that these questions need.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};

/// What went through.
#[derive(Clone, Debug, Default)]
struct Log {
    requests: Vec<Asked>,
    statuses: Vec<u16>,
}

/// What was asked.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// Path and query.
    pub(crate) path: String,
    /// The `Authorization` header.
    pub(crate) authorization: Option<String>,
    /// When, in seconds since 1970.
    pub(crate) at: f64,
}

/// A running proxy.
#[derive(Debug)]
pub(crate) struct Proxy {
    /// Where the crawl must go.
    pub(crate) base: String,
    log: Arc<Mutex<Log>>,
}

impl Proxy {
    /// Stands before the server at this loopback port, until the tests end.
    pub(crate) fn before(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        Self::passing(listener, ("127.0.0.1", port))
    }

    /// Stands before the server at the same port of another loopback address, for servers that listen at
    /// the port of their own address only; gives that port.
    pub(crate) fn at_own_port(ip: &'static str) -> (Self, u16) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        (Self::passing(listener, (ip, port)), port)
    }

    fn passing(listener: TcpListener, server: (&'static str, u16)) -> Self {
        let base = format!("http://{}", listener.local_addr().expect("a bound socket has an address"));
        let log = Arc::new(Mutex::new(Log::default()));
        let shared = Arc::clone(&log);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(server) = TcpStream::connect(server) else { continue };
                pass(&client, &server, &shared, |log, head| log.requests.extend(request_of(head)));
                pass(&server, &client, &shared, |log, head| log.statuses.extend(status_of(head)));
            }
        });
        Self { base, log }
    }

    /// Path and query of each request since the last call.
    pub(crate) fn take_requests(&self) -> Vec<String> {
        self.take_asked().into_iter().map(|asked| asked.path).collect()
    }

    /// The same, with the credentials that were shown.
    pub(crate) fn take_asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.log.lock().unwrap_or_else(PoisonError::into_inner).requests)
    }

    /// How many answers were errors of the server so far.
    pub(crate) fn error_count(&self) -> usize {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.statuses.iter().filter(|seen| **seen >= 500).count()
    }

    /// How many answers had this status so far.
    pub(crate) fn status_count(&self, status: u16) -> usize {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.statuses.iter().filter(|seen| **seen == status).count()
    }
}

/// Copies one direction on its own thread, showing each piece to `note`.
///
/// A piece is what one read gave. Heads of GET requests and of their answers start a piece,
/// because neither side speaks before the other has finished.
fn pass(from: &TcpStream, to: &TcpStream, log: &Arc<Mutex<Log>>, note: fn(&mut Log, &[u8])) {
    let (Ok(mut from), Ok(mut to)) = (from.try_clone(), to.try_clone()) else { return };
    let log = Arc::clone(log);
    std::thread::spawn(move || {
        let mut piece = vec![0; 64 * 1024];
        while let Ok(size @ 1..) = from.read(&mut piece) {
            note(&mut log.lock().unwrap_or_else(PoisonError::into_inner), &piece[..size]);
            if to.write_all(&piece[..size]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Write);
    });
}

fn request_of(piece: &[u8]) -> Option<Asked> {
    let line = first_line(piece)?;
    let mut words = line.split(' ');
    let is_request = matches!(words.next(), Some("GET" | "POST" | "HEAD"));
    let path = words.next().filter(|path| is_request && path.starts_with('/'))?.to_owned();
    let head = String::from_utf8_lossy(piece);
    let headers = head.lines().take_while(|line| !line.is_empty()).filter_map(|line| line.split_once(": "));
    let mut shown = headers.filter(|(name, _)| name.eq_ignore_ascii_case("authorization"));
    Some(Asked { path, authorization: shown.next().map(|(_, value)| value.to_owned()), at: now_s() })
}

#[expect(clippy::disallowed_methods, reason = "the servers that are watched live on the wall")]
fn now_s() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0.0, |since| since.as_secs_f64())
}

fn status_of(piece: &[u8]) -> Option<u16> {
    let line = first_line(piece)?;
    let mut words = line.split(' ');
    let is_answer = words.next().is_some_and(|word| word.starts_with("HTTP/1."));
    words.next().filter(|_| is_answer)?.parse().ok()
}

fn first_line(piece: &[u8]) -> Option<&str> {
    let end = piece.iter().position(|byte| *byte == b'\r')?;
    std::str::from_utf8(&piece[..end]).ok()
}
