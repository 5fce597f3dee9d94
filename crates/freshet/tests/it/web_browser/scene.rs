//! A crawl of a small world with a forum in it, its dashboard, and somebody who is told of alerts.

use std::fmt::Write as _;
use std::process::Stdio;
use std::sync::mpsc::Receiver;

use freshet_fetch::hostile::{Behaviour, Hostile};
use tokio::runtime::Runtime;

use super::SOON;
use crate::alerts::{server, web};
use crate::support::freshet::{Freshet, bare};
use crate::support::process::{Process, free_port};
use crate::support::world::{SPEED, World};
use crate::support::{http, until};

/// Threads of the forum: more than a page of them.
const THREADS: i64 = 54;
/// Accounts of the world, and how many of them are watched from the beginning.
const ACCOUNTS: u32 = 24;
pub(crate) const WATCHED: usize = 16;
/// A feed with a time that nobody understands, so that there is something to complain of.
const FEED: &str = "<rss version=\"2.0\"><channel><title>Tides</title><item><guid>1</guid><title>High</title>\
    <pubDate>the day before yesterday</pubDate></item></channel></rss>";

/// A crawl of a small world with a forum in it, and its dashboard.
pub(crate) struct Scene {
    /// Where its dashboard is.
    pub(crate) base: String,
    pub(crate) freshet: Freshet,
    pub(crate) told: Receiver<String>,
    _run: Process,
    _forum: Process,
    _feed: (Runtime, Hostile),
    pub(crate) world: World,
}

impl Scene {
    pub(crate) fn start() -> Self {
        let world = World::start(ACCOUNTS);
        let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
        freshet.ok(&["init"]);
        let (port, told) = server(web);
        let receivers =
            format!("[receivers.hook]\nwebhook = \"http://127.0.0.1:{port}/\"\nallow_private = true\n");
        std::fs::write(freshet.data().join("alerts.toml"), receivers).expect("receivers can be written down");
        let forum = serve_forum(&freshet, &world);
        let authors = authors(&world);
        let mut args = vec!["add".to_owned(), "--allow-private".to_owned()];
        args.extend(authors.iter().take(WATCHED).map(|author| format!("{}/@{author}", world.base)));
        freshet.ok(&args.iter().map(String::as_str).collect::<Vec<_>>());
        freshet.ok(&["add", "--allow-private", "--as", "forum", &forum.1]);
        let feed = serve_feed();
        freshet.ok(&["add", "--allow-private", &feed.1.url("/tides.xml")]);
        for robot in ["relation", "comment", "tag"] {
            freshet.ok(&["robots", "start", robot]);
        }
        let args = ["run", "--headless", "--depth", "1", "--ceiling", "20m", "--listen", "127.0.0.1:0"];
        let mut run = freshet.start(&args, "run.log");
        let base = address(&freshet, "run.log", &mut run);
        until("news are measured and posts of the forum are there", SOON * 2, || {
            let status = http::get(&base, "/api/v1/status");
            let forums = http::get(&base, "/api/v1/forums");
            let is_ready = status["lag_s"].is_object()
                && status["relations_count"].as_u64() > Some(5)
                && status["complaints_count"].as_u64() > Some(0)
                && forums["forums"][0]["complete_count"].as_u64() > Some(3);
            is_ready.then_some(())
        });
        Self { base, freshet, told, _run: run, _forum: forum.0, _feed: feed, world }
    }

    /// Pages as a person meets them: name of the picture, path.
    pub(crate) fn pages(&self) -> Vec<(&'static str, String)> {
        let sources = http::get(&self.base, "/api/v1/sources?robot=status&sort=visited&network=mastodon");
        let source = sources["sources"][0]["source"].to_string();
        let account = http::get(&self.base, &format!("/api/v1/sources/{source}"))["object"].to_string();
        let post = http::get(&self.base, "/api/v1/posts?network=mastodon")["posts"][0]["post"].to_string();
        let forum = http::get(&self.base, "/api/v1/forums")["forums"][0]["name"].clone();
        let forum = forum.as_str().expect("a forum").to_owned();
        vec![
            ("overview", "/".to_owned()),
            ("plan", "/plan".to_owned()),
            ("sources", "/sources?sort=due".to_owned()),
            ("source", format!("/sources/{source}")),
            ("add", "/sources/add".to_owned()),
            ("posts", "/posts".to_owned()),
            ("post", format!("/posts/{post}")),
            ("graph", format!("/graph?at={account}")),
            ("forums", "/forums".to_owned()),
            ("forum", format!("/forums/{forum}")),
            ("robots", "/robots".to_owned()),
            ("networks", "/networks".to_owned()),
            ("network", "/networks/mastodon".to_owned()),
            ("experiments", "/experiments".to_owned()),
            ("alerts", "/alerts".to_owned()),
            ("complaints", "/complaints".to_owned()),
            ("settings", "/settings".to_owned()),
        ]
    }
}

/// A server with that feed, and the threads that it runs on.
fn serve_feed() -> (Runtime, Hostile) {
    let runtime = Runtime::new().expect("threads can be started");
    let server = runtime.block_on(Hostile::start());
    let headers = [("Content-Type", "application/rss+xml")];
    server.route("/tides.xml", vec![Behaviour::answer(200, &headers, FEED.as_bytes())]);
    (runtime, server)
}

/// A forum of three boards that lives at the pace of the world; its address.
fn serve_forum(freshet: &Freshet, world: &World) -> (Process, String) {
    let now = http::get(&world.base, "/clock")["now"].as_f64().expect("a time") as i64;
    let mut lines = String::new();
    for thread in 0..THREADS {
        for post in 0..12_i64 {
            let at = now - 26 * 86_400 + thread * 40_000 + post * (3_000 + thread * 211);
            let author = (thread * 7 + post * 3) % 11;
            writeln!(lines, "{}\t{thread}\t{at}\t{author}", thread % 3).expect("a text can grow");
        }
    }
    let trace = freshet.folder().join("forum.tsv");
    std::fs::write(&trace, lines).expect("a trace");
    let listen = format!("127.0.0.1:{}", free_port());
    let (speed, from) = (SPEED.to_string(), now.to_string());
    let trace = trace.display().to_string();
    let args = ["world", "serve", "--forum", &trace, "--from", &from, "--speed", &speed, "--listen", &listen];
    let mut command = bare(&args);
    let process = Process::start(command.stdout(Stdio::null()).stderr(Stdio::null()));
    let base = format!("http://{listen}/");
    until("the forum", SOON, || http::is_up(base.trim_end_matches('/'), "/").then_some(()));
    (process, base)
}

/// Everybody who posts in the world, by name.
pub(crate) fn authors(world: &World) -> Vec<String> {
    let mut authors: Vec<String> =
        world.truth().iter().map(|post| post["author"].as_str().expect("an author").to_owned()).collect();
    authors.sort();
    authors.dedup();
    authors
}

/// The address that a command said it serves on.
pub(crate) fn address(freshet: &Freshet, log: &str, process: &mut Process) -> String {
    let url = until("the dashboard says where it is", SOON, || {
        let said = std::fs::read_to_string(freshet.folder().join(log)).unwrap_or_default();
        assert!(process.status().is_none(), "it ended by itself:\n{said}");
        said.lines().find_map(|line| line.strip_prefix("dashboard: ")).map(str::to_owned)
    });
    url.trim_end_matches('/').to_owned()
}
