//! A crawl of a third party's server that speaks Mastodon's API, with its limits and faults switched on.
//!
//! The server is independent of ours but is no Mastodon; what matters here is that its paging, its limit of
//! 50 requests in 10 s and its injected faults were written by somebody else. Its `X-RateLimit-Reset` is in
//! unix seconds, where Mastodon writes ISO 8601, and its 429 carries no `Retry-After`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::freshet::Freshet;
use crate::support::http::{self, Body};
use crate::support::process::{Process, free_port};
use crate::support::proxy::Proxy;
use crate::support::{assert_each_once, need, until};

const START_LIMIT: Duration = Duration::from_mins(1);
/// Sixty requests at five a second take two windows; faults and a busy machine may double that.
const CRAWL_LIMIT: Duration = Duration::from_secs(90);
/// The server's limit while it is crawled.
const LIMITS: &str = "enabled = true\nlimit = 50\nwindow_seconds = 10\n";
const NO_LIMITS: &str = "enabled = false\n";

#[test]
fn limits_and_faults() {
    let Some([program]) = need("mastodon_server::limits_and_faults", ["FRESHET_TEST_MASTODON"]) else {
        return;
    };
    let site = Site::new(program);
    site.generate(12, 90);
    let (handles, wanted) = {
        let server = site.serve(NO_LIMITS);
        let handles = server.handles();
        (handles.clone(), handles.iter().flat_map(|handle| server.posts_of(handle)).collect::<Vec<_>>())
    };
    let server = site.serve(LIMITS);
    for effect in [
        json!({"type": "status", "status": 500}),
        json!({"type": "malformed"}),
        json!({"type": "status", "status": 503}),
        json!({"type": "latency", "delay_ms": 800}),
    ] {
        let rule = json!({"match": {"path_regex": "/statuses$"}, "effect": effect, "count": 1});
        http::post(&server.base, "/api/v1/_mock/faults", None, Body::Json(&rule));
    }
    let proxy = Proxy::before(server.port);
    let freshet = added(&proxy, &handles);
    freshet.run_until_stored(&wanted, "1h", CRAWL_LIMIT);
    assert_each_once(&freshet.posts(), &wanted);
    assert_eq!(proxy.status_count(500) + proxy.status_count(503), 2, "the faults were met");
    assert_in_order(&freshet, &proxy);
    let left = http::get(&server.base, "/api/v1/_mock/faults");
    assert!(left.as_array().is_none_or(Vec::is_empty), "each fault was met: {left}");
}

#[test]
fn new_posts() {
    let Some([program]) = need("mastodon_server::new_posts", ["FRESHET_TEST_MASTODON"]) else { return };
    let site = Site::new(program);
    let (people, mut wanted) = {
        let server = site.serve(NO_LIMITS);
        let people = server.people(3);
        let posts =
            (0..150).map(|number| server.writes(&people[number % 3].0, &format!("post {number} #tag")));
        let posts: Vec<String> = posts.collect();
        (people, posts)
    };
    let server = site.serve(LIMITS);
    let proxy = Proxy::before(server.port);
    let handles: Vec<String> = people.iter().map(|(_, handle)| handle.clone()).collect();
    let freshet = added(&proxy, &handles);
    freshet.run_until_stored(&wanted, "5s", CRAWL_LIMIT);
    assert_each_once(&freshet.posts(), &wanted);
    assert!(proxy.take_requests().iter().any(|request| request.contains("max_id=")), "lists have two pages");

    wanted.extend(people.iter().map(|(token, _)| server.writes(token, "one more")));
    freshet.run_until_stored(&wanted, "3s", CRAWL_LIMIT);
    assert_each_once(&freshet.posts(), &wanted);
    let deep: Vec<String> =
        proxy.take_requests().into_iter().filter(|request| request.contains("max_id=")).collect();
    assert!(deep.is_empty(), "known pages were fetched again: {deep:?}");
    assert_in_order(&freshet, &proxy);
}

fn added(proxy: &Proxy, handles: &[String]) -> Freshet {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    let list = freshet.folder().join("references");
    let lines: Vec<String> = handles.iter().map(|handle| format!("{}/@{handle}\n", proxy.base)).collect();
    std::fs::write(&list, lines.concat()).expect("the list can be written");
    freshet.ok(&["add", "--allow-private", "-f", &list.to_string_lossy()]);
    freshet
}

fn assert_in_order(freshet: &Freshet, proxy: &Proxy) {
    assert_eq!(proxy.status_count(429), 0, "a limit was overrun");
    let status = freshet.json(&["status"]);
    assert_eq!(status["rate_limited_count"], 0, "{status}");
    assert!(status["fetches_count"].as_u64().is_some_and(|count| count > 0), "{status}");
    let gaps = freshet.json(&["gaps"]);
    assert_eq!(gaps["holes_count"], 0, "{gaps}");
}

/// A database that servers with different settings can open one after the other.
#[derive(Debug)]
struct Site {
    program: PathBuf,
    folder: TempDir,
}

impl Site {
    fn new(program: PathBuf) -> Self {
        Self { program, folder: TempDir::with_prefix("freshet-mastodon-").expect("a folder for the server") }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Accounts with posts, made by the server's own generator. Its ids run ahead of the clock, so
    /// such a site cannot take posts through the API afterwards.
    fn generate(&self, accounts: u32, posts: u32) {
        let mut command = Command::new(&self.program);
        command.args(["gen-data", "--seed", "7", "--yes", "--json", "--followers-per-account", "4"]);
        command.args(["--favourites-per-account", "2", "--accounts", &accounts.to_string()]);
        command.args(["--statuses-per-account", &posts.to_string()]).arg("--database").arg(self.at("db"));
        let output = command.output().expect("the generator starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn serve(&self, limits: &str) -> Server {
        let port = free_port();
        let database = self.at("db");
        let settings = format!(
            "[database]\npath = {:?}\n[server]\nhost = \"127.0.0.1\"\nport = {port}\n[ratelimit]\n{limits}",
            path_text(&database)
        );
        let file = self.at("settings.toml");
        std::fs::write(&file, settings).expect("the settings can be written");
        let log = File::create(self.at("log")).expect("a file for the log");
        let twin = log.try_clone().expect("a file can be shared");
        let mut command = Command::new(&self.program);
        command
            .arg("serve")
            .arg("--config")
            .arg(file)
            .args(["--log-level", "warning"])
            .stdout(log)
            .stderr(twin);
        let mut process = Process::start(&mut command).ended_by("TERM");
        let base = format!("http://127.0.0.1:{port}");
        until("the Mastodon-API server", START_LIMIT, || {
            let log = || std::fs::read_to_string(self.at("log")).unwrap_or_default();
            assert!(process.status().is_none(), "the server ended by itself:\n{}", log());
            http::is_up(&base, "/api/v1/instance").then_some(())
        });
        Server { base, port, _process: process }
    }
}

fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A running server.
#[derive(Debug)]
struct Server {
    base: String,
    port: u16,
    _process: Process,
}

impl Server {
    /// Handles of all accounts that have posted.
    fn handles(&self) -> Vec<String> {
        let accounts = http::get(&self.base, "/api/v1/directory?limit=80&local=true");
        let accounts = accounts.as_array().expect("a directory is a list").iter();
        let active = accounts.filter(|account| account["statuses_count"].as_u64() > Some(0));
        active.map(|account| text(account, "acct")).collect()
    }

    /// Ids of all public posts of an account.
    fn posts_of(&self, handle: &str) -> Vec<String> {
        let account = http::get(&self.base, &format!("/api/v1/accounts/lookup?acct={handle}"));
        let base = format!("/api/v1/accounts/{}/statuses?limit=40", text(&account, "id"));
        let mut ids: Vec<String> = Vec::new();
        loop {
            let path = ids.last().map_or(base.clone(), |last| format!("{base}&max_id={last}"));
            let page = http::get(&self.base, &path);
            let page = page.as_array().expect("a page is a list");
            if page.is_empty() {
                return ids;
            }
            ids.extend(page.iter().map(|post| text(post, "id")));
        }
    }

    /// New accounts through the API: token and handle of each.
    fn people(&self, count: usize) -> Vec<(String, String)> {
        let scopes = "read write follow";
        let app =
            [("client_name", "test"), ("redirect_uris", "urn:ietf:wg:oauth:2.0:oob"), ("scopes", scopes)];
        let app = http::post(&self.base, "/api/v1/apps", None, Body::Form(&app));
        let (id, secret) = (text(&app, "client_id"), text(&app, "client_secret"));
        let grant = [("client_id", &*id), ("client_secret", &secret), ("scope", scopes)];
        let grant = [&grant[..], &[("grant_type", "client_credentials")]].concat();
        let token = text(&http::post(&self.base, "/oauth/token", None, Body::Form(&grant)), "access_token");
        (0..count)
            .map(|number| {
                let handle = format!("person{number}");
                let mail = format!("{handle}@example.com");
                let account = [("username", &*handle), ("email", &mail), ("password", "correct horse")];
                let account = [&account[..], &[("agreement", "true"), ("locale", "en")]].concat();
                let made = http::post(&self.base, "/api/v1/accounts", Some(&token), Body::Form(&account));
                (text(&made, "access_token"), handle)
            })
            .collect()
    }

    /// Writes a post; gives its id.
    fn writes(&self, token: &str, status: &str) -> String {
        text(
            &http::post(&self.base, "/api/v1/statuses", Some(token), Body::Form(&[("status", status)])),
            "id",
        )
    }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("no `{key}` in {value}")).to_owned()
}
