//! A forum on real HTTP, its time running at a multiple of the wall's.
//!
//! Every answer is a page in one layout as it is at that instant; `GET /clock` gives the time, `GET /truth.jsonl` every post so far, and `POST
//! /layout/NAME` rebuilds the site: from then on pages look otherwise, or say that it is closed (`closed`), with the same addresses. It binds
//! nothing itself: who calls decides where it listens. What is not there is a 404.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use freshet_types::{Clock as _, Timestamp};
use tokio::net::TcpListener;

use super::address::Address;
use super::history::History;
use super::layout::Layout;
use super::site::{Edits, PostOrder, Site};
use crate::{RunningClock, SimError};

/// The name under which the site is closed.
const CLOSED: &str = "closed";
/// What it shows then; many sites say so with status 200.
const CLOSED_PAGE: &str =
    "<!DOCTYPE html><title>Closed</title><h1>We will be back</h1><p>The forum is being rebuilt.</p>";

/// A forum about to be served; [`run`](Self::run) it.
#[derive(Debug)]
pub struct ForumServer {
    shared: Arc<Shared>,
    listener: TcpListener,
}

#[derive(Debug)]
struct Shared {
    history: &'static History,
    site: Mutex<Site<'static>>,
    /// `None` while it is closed.
    layout: Mutex<Option<Layout>>,
    edits: Option<Edits>,
    clock: RunningClock,
}

/// How a forum is shown.
#[derive(Clone, Copy, Debug)]
pub struct Showing {
    /// How pages look.
    pub layout: Layout,
    /// In which order posts stand.
    pub post_order: PostOrder,
    /// Records a page shows.
    pub page_size: u32,
    /// Posts that are changed.
    pub edits: Option<Edits>,
    /// The first instant.
    pub start: Timestamp,
    /// How many times as fast as on the wall time passes.
    pub speed: f64,
}

impl ForumServer {
    /// Readies a forum for serving; its clock starts now. The history stays in memory for the rest of the process, which serves it until its
    /// end.
    pub fn new(history: History, showing: &Showing, listener: TcpListener) -> Self {
        let history: &'static History = Box::leak(Box::new(history));
        let site = Site::new(history, showing.page_size, showing.post_order).with_edits(showing.edits);
        let clock = RunningClock::new(showing.start, showing.speed);
        let (layout, edits) = (showing.layout, showing.edits);
        let (site, layout) = (Mutex::new(site), Mutex::new(Some(layout)));
        let shared = Shared { history, site, layout, edits, clock };
        Self { shared: Arc::new(shared), listener }
    }

    /// Where it listens.
    pub fn address(&self) -> Result<SocketAddr, SimError> {
        Ok(self.listener.local_addr()?)
    }

    /// Answers until `stopped` is ready.
    pub async fn run(self, stopped: impl Future<Output = ()> + Send + 'static) -> Result<(), SimError> {
        let router = Router::new()
            .route("/clock", get(clock))
            .route("/truth.jsonl", get(truth))
            .route("/layout/{name}", post(rebuild))
            .fallback(answer)
            .with_state(self.shared);
        Ok(axum::serve(self.listener, router).with_graceful_shutdown(stopped).await?)
    }
}

async fn clock(State(shared): State<Arc<Shared>>) -> Response {
    let body = serde_json::json!({"now": shared.clock.now().secs_f64(), "speed": shared.clock.speed()});
    ([(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

async fn truth(State(shared): State<Arc<Shared>>) -> Response {
    let count = shared.history.count_before(shared.clock.now().secs_f64());
    let mut lines = String::new();
    for (number, post) in shared.history.posts[..count].iter().enumerate() {
        let board = shared.history.boards[post.thread as usize];
        let edited_s = shared.edits.and_then(|edits| edits.edited_s(number as u32, post.at_s));
        let line = serde_json::json!({
            "id": number, "board": board, "thread": post.thread, "created_at": post.at_s, "author": post.author,
            "edited_at": edited_s.filter(|edited_s| (*edited_s as f64) < shared.clock.now().secs_f64()),
        });
        let _ = writeln!(lines, "{line}");
    }
    ([(header::CONTENT_TYPE, "application/jsonl")], lines).into_response()
}

/// The site looks otherwise from now on.
async fn rebuild(State(shared): State<Arc<Shared>>, Path(name): Path<String>) -> Response {
    let layout = if name == CLOSED { Ok(None) } else { name.parse().map(Some) };
    match layout {
        Ok(layout) => {
            *shared.layout.lock().unwrap_or_else(PoisonError::into_inner) = layout;
            StatusCode::NO_CONTENT.into_response()
        }
        Err(why) => (StatusCode::BAD_REQUEST, why).into_response(),
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let path = request.uri().path_and_query().map_or("/", |it| it.as_str());
    let Some(address) = Address::parse(path) else { return missing() };
    let now_s = shared.clock.now().secs_f64();
    let sheet = {
        let mut site = shared.site.lock().unwrap_or_else(PoisonError::into_inner);
        site.advance_to(now_s);
        site.answer(address)
    };
    if sheet.is_missing() {
        return missing();
    }
    let layout = *shared.layout.lock().unwrap_or_else(PoisonError::into_inner);
    let html = layout.map_or_else(|| CLOSED_PAGE.to_owned(), |layout| layout.write(address, &sheet, now_s));
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response()
}

fn missing() -> Response {
    (StatusCode::NOT_FOUND, "<!DOCTYPE html><title>Not found</title><p>There is no such page.</p>")
        .into_response()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    async fn get(address: SocketAddr, path: &str) -> String {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn pages_are_served_as_they_are_now() {
        let history = History::from_rows(vec![(0, 0, 0, 1), (0, 0, 50, 2), (0, 0, 10_000_000, 1)]);
        let showing = Showing {
            layout: Layout::Modern,
            post_order: PostOrder::OldestFirst,
            page_size: 10,
            edits: None,
            start: Timestamp::from_secs(100),
            speed: 1.0,
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = ForumServer::new(history, &showing, listener);
        let address = server.address().unwrap();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let serving = tokio::spawn(server.run(async {
            let _ = stopped.await;
        }));
        let thread = get(address, "/thread/0").await;
        assert_eq!(thread.matches("class=\"message\"").count(), 2, "{thread}");
        assert!(get(address, "/").await.contains("/board/0"));
        assert!(get(address, "/board/0").await.contains("/thread/0"));
        assert_eq!(get(address, "/truth.jsonl").await.matches("created_at").count(), 2);
        for nothing in ["/thread/1", "/thread/0?page=2", "/elsewhere"] {
            assert!(get(address, nothing).await.starts_with("HTTP/1.1 404"), "{nothing}");
        }
        stop.send(()).unwrap();
        serving.await.unwrap().unwrap();
    }
}
