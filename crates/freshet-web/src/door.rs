//! The door: takes connections, bounded in number and in patience, and hands their requests on.
//!
//! Half-open connections cost a file each, and a crawl without files ends. So there are
//! [`CONNECTIONS_MAX`] in all and [`CONNECTIONS_SHARE`] for one address; a newcomer takes the place of
//! whoever sits there without asking ([`super::seats`]). A handshake, the head of a request and the pause
//! before the next one have a time limit, and so has whoever does not read the answer. What the
//! operating system refuses (for want of files, say) is tried again later: the door never closes by
//! itself. Who may ask for what is decided behind it ([`super::guard`]).

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::Response;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::seats::{Loss, Peer, Room, Seat, Seats};
use super::stall::Unstalled;

/// Connections at once: a quarter of the files that systems give a process by default (1024), so that
/// the crawl has the others.
const CONNECTIONS_MAX: usize = 256;
/// Connections of one address at once: a browser has six, a proxy before us some dozens.
const CONNECTIONS_SHARE: usize = 128;
/// Connections that have lost their place and are not closed yet: they are waited for before more come.
const LEAVING_MAX: usize = 64;
/// Bytes that a head may have, and that wait in memory for a connection.
const BUFFER_BYTES_MAX: usize = 64 * 1024;
/// First wait after the operating system refused a connection; it doubles.
const REFUSED_WAIT_MIN: Duration = Duration::from_millis(100);
/// Longest such wait: whoever frees files finds the door open soon.
const REFUSED_WAIT_MAX: Duration = Duration::from_secs(5);

/// How long a connection may keep us waiting.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// For the handshake of TLS.
    pub(super) handshake: Duration,
    /// For the whole head of a request, from the first instant or from the end of the last answer.
    pub(super) head: Duration,
    /// For an answer to be taken on: no byte of it went away for so long.
    pub(super) answer: Duration,
}

impl Patience {
    /// A slow line needs a second or two for each.
    pub(super) const USUAL: Self = Self {
        handshake: Duration::from_secs(10),
        head: Duration::from_secs(20),
        answer: Duration::from_secs(30),
    };
}

/// Who sent a request, and the place of the connection it came over.
#[derive(Clone, Debug)]
pub(super) struct Guest {
    pub(super) peer: Peer,
    seat: Arc<Seat>,
}

impl Guest {
    /// A request came: somebody is there.
    pub(super) fn asks(&self) {
        self.seat.rests();
    }

    /// Something is done for it: the connection is not given to another.
    pub(super) fn works(&self) -> Work {
        self.seat.works();
        Work(Arc::clone(&self.seat))
    }
}

/// A connection is in use, until this is dropped.
pub(super) struct Work(Arc<Seat>);

impl Work {
    /// As long as this answer is on its way.
    pub(super) fn until_sent(self, response: Response) -> Response {
        response.map(|body| Body::new(Answered { body, _work: self }))
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.0.rests();
    }
}

/// Takes connections until it is dropped.
pub(super) async fn serve(
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    router: Router,
    patience: Patience,
) {
    let room = Room { max: CONNECTIONS_MAX, share: CONNECTIONS_SHARE, patience: Duration::ZERO };
    let seats = Seats::new(room);
    let acceptor = tls.map(TlsAcceptor::from);
    // They end with the door.
    let mut connections = JoinSet::new();
    let mut wait = REFUSED_WAIT_MIN;
    loop {
        while connections.len() >= CONNECTIONS_MAX + LEAVING_MAX {
            connections.join_next().await;
        }
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, from)) => {
                wait = REFUSED_WAIT_MIN;
                if let Some(visit) = Visit::new(&seats, from, patience) {
                    connections.spawn(visit.attend(stream, acceptor.clone(), router.clone()));
                }
            }
            Err(error) if is_of_the_peer(&error) => {}
            Err(error) => {
                tracing::warn!("the dashboard cannot take a connection, and tries again: {error}");
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(REFUSED_WAIT_MAX);
            }
        }
    }
}

/// Whoever knocked has gone; the next one may be there already.
fn is_of_the_peer(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// One connection.
struct Visit {
    guest: Guest,
    loss: Loss,
    patience: Patience,
}

impl Visit {
    /// `None`: this address has as many under way as it may have.
    fn new(seats: &Arc<Seats>, from: SocketAddr, patience: Patience) -> Option<Self> {
        let peer = Peer::from(from.ip());
        let (seat, loss) = seats.occupy(peer)?;
        Some(Self { guest: Guest { peer, seat }, loss, patience })
    }

    /// Answers until either has enough.
    async fn attend(self, stream: TcpStream, acceptor: Option<TlsAcceptor>, router: Router) {
        let Self { guest, mut loss, patience } = self;
        let talk = async {
            // Without it small answers wait for each other; with an error it is only slower.
            let _ = stream.set_nodelay(true);
            let Some(acceptor) = acceptor else { return converse(stream, router, guest, patience).await };
            if let Ok(Ok(stream)) = tokio::time::timeout(patience.handshake, acceptor.accept(stream)).await {
                converse(stream, router, guest, patience).await;
            }
        };
        tokio::select! {
            () = talk => {}
            () = loss.happens() => {}
        }
    }
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    guest: Guest,
    patience: Patience,
) {
    let inner = TowerToHyperService::new(router);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(guest.clone());
        inner.call(request)
    });
    let io = TokioIo::new(Unstalled::new(stream, patience.answer));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .max_buf_size(BUFFER_BYTES_MAX)
        .serve_connection(io, service)
        // One that becomes a WebSocket keeps its seat, and ends where that does (`super::socket`).
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::debug!("a connection to the dashboard ended: {error}");
    }
}

/// An answer on its way.
struct Answered {
    body: Body,
    _work: Work,
}

impl hyper::body::Body for Answered {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        context: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        std::pin::Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    /// Served with little patience in one matter.
    async fn served(patience: Patience, tls: Option<Arc<ServerConfig>>) -> (SocketAddr, JoinSet<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/", axum::routing::get(async || "here\n"));
        let mut door = JoinSet::new();
        door.spawn(serve(listener, tls, router, patience));
        (address, door)
    }

    /// What a connection says until it is closed from the other side.
    async fn said(stream: &mut TcpStream) -> String {
        let mut text = Vec::new();
        // A reset is an end as well.
        let _ = stream.read_to_end(&mut text).await;
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Longer than any test lasts.
    const LONG: Duration = Duration::from_hours(1);
    const SHORT: Duration = Duration::from_millis(50);

    #[tokio::test]
    async fn whoever_does_not_finish_a_request_is_sent_away() {
        let head = Patience { head: SHORT, handshake: LONG, answer: LONG };
        let (address, _door) = served(head, None).await;
        for (sent, expected) in [
            ("", ""),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: never en", ""),
            // Also after an answer: a connection that is kept open has no right to stay.
            ("GET / HTTP/1.1\r\nHost: a\r\n\r\n", "here\n"),
        ] {
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(sent.as_bytes()).await.unwrap();
            let text = said(&mut stream).await;
            assert!(text.ends_with(expected) && text.is_empty() == expected.is_empty(), "{sent}: {text}");
        }
    }

    #[tokio::test]
    async fn a_head_without_end_is_refused() {
        let usual = Patience { head: LONG, handshake: LONG, answer: LONG };
        let (address, _door) = served(usual, None).await;
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!("GET / HTTP/1.1\r\nX: {}", "x".repeat(2 * BUFFER_BYTES_MAX));
        let _ = stream.write_all(head.as_bytes()).await;
        let text = said(&mut stream).await;
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 431"), "{text}");
    }

    #[tokio::test]
    async fn a_handshake_without_end_is_given_up() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| Some(dir.path().join(name));
        std::fs::write(path("cert.pem").unwrap(), include_str!("tests/cert.pem")).unwrap();
        std::fs::write(path("key.pem").unwrap(), include_str!("tests/key.pem")).unwrap();
        let files = crate::tls::TlsFiles { tls_cert: path("cert.pem"), tls_key: path("key.pem") };
        let tls = super::super::tls::config(&files).unwrap();
        let (address, _door) = served(Patience { handshake: SHORT, head: LONG, answer: LONG }, tls).await;
        let mut silent = TcpStream::connect(address).await.unwrap();
        assert_eq!(said(&mut silent).await, "");
    }

    #[tokio::test]
    async fn more_silent_connections_than_there_is_room_for_keep_nobody_out() {
        let usual = Patience { head: LONG, handshake: LONG, answer: LONG };
        let (address, _door) = served(usual, None).await;
        let mut silent = Vec::new();
        for _ in 0..CONNECTIONS_MAX + CONNECTIONS_SHARE / 4 {
            silent.push(TcpStream::connect(address).await.unwrap());
        }
        let mut owner = TcpStream::connect(address).await.unwrap();
        let asked = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        owner.write_all(asked.as_bytes()).await.unwrap();
        assert!(said(&mut owner).await.ends_with("here\n"), "the owner is answered");
        // The first ones have given way; without that, this would wait for ever.
        let many = silent.len() - CONNECTIONS_SHARE;
        for stream in &mut silent[..many] {
            assert_eq!(said(stream).await, "");
        }
    }

    #[test]
    fn refusals_of_the_system_are_told_from_those_of_the_peer() {
        use std::io::{Error, ErrorKind};
        for (error, expected) in [
            (Error::from(ErrorKind::ConnectionReset), true),
            (Error::from(ErrorKind::ConnectionAborted), true),
            // Too many files in the process, and in the system.
            (Error::from_raw_os_error(24), false),
            (Error::from_raw_os_error(23), false),
        ] {
            assert_eq!(is_of_the_peer(&error), expected, "{error}");
        }
    }
}
