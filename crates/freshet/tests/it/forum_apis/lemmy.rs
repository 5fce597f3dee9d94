//! Starts Lemmy from the crate registry on a private PostgreSQL, and acts as the people who write there.
//!
//! Its addresses must have a name in them: with a bare address of the loopback it cannot store comments.

use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::http::{self, Body};
use crate::support::process::{Process, free_port};
use crate::support::proxy::Proxy;
use crate::support::services::Postgres;
use crate::support::until;

/// It builds its tables first; on two busy cores that took 20 s.
const START_LIMIT: Duration = Duration::from_mins(2);
const PASSWORD: &str = "correct horse 1";
/// Kinds of requests that the server counts apart.
const COUNTED: [&str; 6] = ["message", "register", "post", "image", "comment", "search"];

/// A running server; the database ends after it.
#[derive(Debug)]
pub(crate) struct Lemmy {
    /// Where the crawl goes.
    pub(crate) proxy: Proxy,
    base: String,
    /// Of those who write, the administrator first.
    tokens: Vec<String>,
    _process: Process,
    _folder: TempDir,
    _postgres: Postgres,
}

impl Lemmy {
    /// The server with an administrator and these members.
    pub(crate) fn start(program: &Path, postgres: &Path, members: &[&str]) -> Self {
        let postgres = Postgres::start(postgres);
        let folder = TempDir::with_prefix("freshet-lemmy-").expect("a folder for Lemmy");
        let (port, database_port) = (free_port(), port_of(&postgres.url));
        let settings = json!({
            "database": {
                "user": "postgres", "password": "x", "host": "127.0.0.1", "port": database_port,
                "database": "postgres", "pool_size": 5,
            },
            "hostname": format!("localhost:{port}"), "bind": "127.0.0.1", "port": port, "tls_enabled": false,
            "setup": { "admin_username": "admin", "admin_password": PASSWORD, "site_name": "Loopback" },
        });
        std::fs::write(folder.path().join("lemmy.hjson"), settings.to_string())
            .expect("a file can be written");
        let log = folder.path().join("log");
        let file = File::create(&log).expect("a file for the log");
        let twin = file.try_clone().expect("a file can be shared");
        let mut command = Command::new(program);
        command.env("LEMMY_CONFIG_LOCATION", folder.path().join("lemmy.hjson")).env("RUST_LOG", "warn");
        command.current_dir(folder.path()).stdout(file).stderr(twin);
        let mut process = Process::start(&mut command).ended_by("TERM");
        let base = format!("http://127.0.0.1:{port}");
        until("Lemmy", START_LIMIT, || {
            let read = || std::fs::read_to_string(&log).unwrap_or_default();
            assert!(process.status().is_none(), "Lemmy ended by itself:\n{}", read());
            http::is_up(&base, "/api/v3/site").then_some(())
        });
        let mut lemmy = Self {
            proxy: Proxy::before(port),
            base,
            tokens: Vec::new(),
            _process: process,
            _folder: folder,
            _postgres: postgres,
        };
        lemmy.open(members);
        lemmy
    }

    /// Lets everybody register, and write as fast as a test does.
    fn open(&mut self, members: &[&str]) {
        let login = json!({ "username_or_email": "admin", "password": PASSWORD });
        let token = |answer: &Value| answer["jwt"].as_str().expect("whoever logs in gets a token").to_owned();
        self.tokens.push(token(&self.post("/user/login", &login)));
        let mut site = json!({
            "registration_mode": "open", "captcha_enabled": false, "federation_enabled": false,
            "auth": self.tokens[0],
        });
        for kind in COUNTED {
            site[format!("rate_limit_{kind}")] = 10_000.into();
            site[format!("rate_limit_{kind}_per_second")] = 60.into();
        }
        http::call("PUT", &self.base, "/api/v3/site", None, Some(Body::Json(&site)));
        for name in members {
            let form = json!({
                "username": name, "password": PASSWORD, "password_verify": PASSWORD, "show_nsfw": true,
            });
            let joined = token(&self.post("/user/register", &form));
            self.tokens.push(joined);
        }
    }

    /// A new board; gives its number.
    pub(crate) fn board(&self, name: &str) -> i64 {
        let form = json!({ "name": name, "title": name, "auth": self.tokens[0] });
        number(&self.post("/community", &form)["community_view"]["community"]["id"])
    }

    /// A new post of whoever's turn it is; gives its number.
    pub(crate) fn writes(&self, turn: usize, board: i64, title: &str) -> i64 {
        let form = json!({
            "name": title, "body": format!("{title}, at length"), "community_id": board, "auth": self.token(turn),
        });
        number(&self.post("/post", &form)["post_view"]["post"]["id"])
    }

    /// A new comment, perhaps on another; gives its number.
    pub(crate) fn comments(&self, turn: usize, post: i64, parent: Option<i64>, text: &str) -> i64 {
        let mut form = json!({ "content": text, "post_id": post, "auth": self.token(turn) });
        if let Some(parent) = parent {
            form["parent_id"] = parent.into();
        }
        number(&self.post("/comment", &form)["comment_view"]["comment"]["id"])
    }

    /// Removes a post, as its author would.
    pub(crate) fn deletes(&self, turn: usize, post: i64) {
        self.post("/post/delete", &json!({ "post_id": post, "deleted": true, "auth": self.token(turn) }));
    }

    fn token(&self, turn: usize) -> &str {
        &self.tokens[turn % self.tokens.len()]
    }

    fn post(&self, path: &str, form: &Value) -> Value {
        http::post(&self.base, &format!("/api/v3{path}"), None, Body::Json(form))
    }
}

fn number(value: &Value) -> i64 {
    value.as_i64().expect("the server numbers what it is given")
}

fn port_of(url: &str) -> u16 {
    let port = url.rsplit(':').next().and_then(|rest| rest.split('/').next());
    port.and_then(|port| port.parse().ok()).expect("an address has a port")
}
