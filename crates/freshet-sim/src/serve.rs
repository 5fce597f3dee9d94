//! A world on real HTTP, its time running at a multiple of the wall's.
//!
//! Beside the dialect there are `GET /clock` and `GET /truth.jsonl`, which no limit and no
//! fault touches. It binds nothing itself: who calls decides where it listens. The world sits
//! behind one lock, held for the making of one answer and never across a wait.

mod stream;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::serve::ListenerExt;
use freshet_types::Clock;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::world::percent_decoded;
use crate::{RunningClock, SimError, World, WorldRequest, WorldResponse};

/// Posts per piece of `truth.jsonl`: big enough to be quick, small enough not to hold the lock.
const TRUTH_POSTS_PER_PIECE: usize = 8192;
/// Open connections get so long to finish once the server is to stop.
const STOP_WAIT: Duration = Duration::from_secs(3);
/// A world that stands still or runs faster than this is of no use to anybody.
const SPEED_MAX: f64 = 1e7;

/// A world about to be served; [`run`](Self::run) it.
#[derive(Debug)]
pub struct Server {
    shared: Arc<Shared>,
    listener: TcpListener,
    stop: watch::Sender<bool>,
}

/// Stops a server from anywhere; clones stop the same one.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Lets the server finish what it is answering and end.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

#[derive(Debug)]
struct Shared {
    world: Arc<Mutex<World>>,
    clock: RunningClock,
    stop: watch::Sender<bool>,
}

impl Shared {
    fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Serves a world until the process ends; [`Server`] gives more control.
pub async fn serve(world: World, listener: TcpListener, speed: f64) -> Result<(), SimError> {
    Server::new(world, listener, speed)?.run().await
}

impl Server {
    /// Readies a world for serving; its clock starts now, at the end of its history.
    pub fn new(world: World, listener: TcpListener, speed: f64) -> Result<Self, SimError> {
        if !(speed > 0.0 && speed <= SPEED_MAX) {
            let wanted = "above 0 and at most 10000000";
            return Err(SimError::Option { name: "speed", value: speed.to_string(), wanted });
        }
        let clock = RunningClock::new(world.now(), speed);
        let stop = watch::Sender::new(false);
        let shared = Arc::new(Shared { world: Arc::new(Mutex::new(world)), clock, stop: stop.clone() });
        Ok(Self { shared, listener, stop })
    }

    /// Where it listens.
    pub fn address(&self) -> Result<SocketAddr, SimError> {
        Ok(self.listener.local_addr()?)
    }

    /// The world's clock, for an engine in the same process.
    pub fn clock(&self) -> RunningClock {
        self.shared.clock
    }

    /// The world itself, for reports in the same process.
    pub fn world(&self) -> Arc<Mutex<World>> {
        Arc::clone(&self.shared.world)
    }

    /// A handle that stops it.
    pub fn stopper(&self) -> Stopper {
        Stopper(self.stop.clone())
    }

    /// Answers until it is stopped.
    pub async fn run(self) -> Result<(), SimError> {
        let Self { shared, listener, stop } = self;
        let router = Router::new()
            .route("/clock", get(clock))
            .route("/truth.jsonl", get(truth))
            .fallback(answer)
            .with_state(shared)
            .into_make_service_with_connect_info::<SocketAddr>();
        // Small answers must not wait for each other's acknowledgement.
        let listener = listener.tap_io(|stream| {
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "a connection keeps its delay");
            }
        });
        let (mut told, mut overdue) = (stop.subscribe(), stop.subscribe());
        let stopped = async move {
            // An error means that nobody is left who could stop us, which cannot be: we hold `stop`.
            let _ = told.wait_for(|is_stopped| *is_stopped).await;
        };
        let given_up = async move {
            let _ = overdue.wait_for(|is_stopped| *is_stopped).await;
            tokio::time::sleep(STOP_WAIT).await;
        };
        tokio::select! {
            served = async { axum::serve(listener, router).with_graceful_shutdown(stopped).await } => Ok(served?),
            () = given_up => Ok(()),
        }
    }
}

async fn clock(State(shared): State<Arc<Shared>>) -> Response {
    let (now, speed) = (shared.clock.now().secs_f64(), shared.clock.speed());
    let body = serde_json::json!({"now": now, "speed": speed}).to_string();
    ([(header::CONTENT_TYPE, "application/json")], body).into_response()
}

async fn truth(State(shared): State<Arc<Shared>>) -> Response {
    let count = {
        let mut world = shared.world();
        world.advance_to(shared.clock.now());
        world.post_count()
    };
    let pieces = futures::stream::unfold(0, move |first| {
        let shared = Arc::clone(&shared);
        async move {
            let posts = TRUTH_POSTS_PER_PIECE.min(count - first);
            let piece = (posts > 0).then(|| shared.world().truth_jsonl(first, posts))?;
            Some((Ok::<_, std::io::Error>(Bytes::from(piece)), first + posts))
        }
    });
    ([(header::CONTENT_TYPE, "application/jsonl")], Body::from_stream(pieces)).into_response()
}

async fn answer(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    let asked = translate(&request, peer);
    if shared.world().is_stream(&asked) {
        return stream::answer(shared, &asked);
    }
    let answer = shared.world().answer(&asked, shared.clock.now());
    if answer.delay.ms() > 0 {
        tokio::time::sleep(answer.delay.to_std()).await;
    }
    respond(answer)
}

fn translate(request: &Request, peer: SocketAddr) -> WorldRequest {
    let uri = request.uri();
    let query = uri.query().unwrap_or_default();
    let mut headers = Vec::new();
    for name in [header::HOST, header::AUTHORIZATION] {
        if let Some(value) = request.headers().get(&name).and_then(|value| value.to_str().ok()) {
            headers.push((name.as_str().to_owned(), value.to_owned()));
        }
    }
    WorldRequest {
        method: request.method().as_str().to_owned(),
        path: percent_decoded(uri.path()),
        query: url::form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        headers,
        client: peer.ip().to_string(),
    }
}

fn respond(answer: WorldResponse) -> Response {
    let length = answer.body.len();
    let body = if answer.is_broken { broken(answer.body) } else { Body::from(answer.body) };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        // Names are our own; a value could hold what a client sent, so it is checked.
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(&value)) {
            response.headers_mut().append(name, value);
        }
    }
    if answer.is_broken {
        response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    response
}

/// A body that promises all, gives half and breaks off.
fn broken(mut body: Vec<u8>) -> Body {
    body.truncate(body.len() / 2);
    let end = std::io::Error::other("broken on purpose");
    Body::from_stream(futures::stream::iter([Ok(Bytes::from(body)), Err(end)]))
}

#[cfg(test)]
mod tests;
