//! Starts the Mastodon-API server from `PyPI` and acts as the people who use it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::http::{self, Body};
use crate::support::process::{Process, free_port};
use crate::support::until;

const START_LIMIT: Duration = Duration::from_mins(1);

/// A database that servers with different settings can open one after the other.
#[derive(Debug)]
pub(crate) struct Site {
    program: PathBuf,
    folder: TempDir,
}

impl Site {
    /// An empty one.
    pub(crate) fn new(program: PathBuf) -> Self {
        Self { program, folder: TempDir::with_prefix("freshet-mastodon-").expect("a folder for the server") }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Accounts with posts, made by the server's own generator. Its ids run ahead of the clock, so
    /// such a site cannot take posts through the API afterwards.
    pub(crate) fn generate(&self, accounts: u32, posts: u32) {
        let mut command = Command::new(&self.program);
        command.args(["gen-data", "--seed", "7", "--yes", "--json", "--followers-per-account", "4"]);
        command.args(["--favourites-per-account", "2", "--accounts", &accounts.to_string()]);
        command.args(["--statuses-per-account", &posts.to_string()]).arg("--database").arg(self.at("db"));
        let output = command.output().expect("the generator starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Serves it with these limits.
    pub(crate) fn serve(&self, limits: &str) -> Server {
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
pub(crate) struct Server {
    pub(crate) base: String,
    pub(crate) port: u16,
    _process: Process,
}

impl Server {
    /// Handles of all accounts that have posted.
    pub(crate) fn handles(&self) -> Vec<String> {
        let accounts = http::get(&self.base, "/api/v1/directory?limit=80&local=true");
        let accounts = accounts.as_array().expect("a directory is a list").iter();
        let active = accounts.filter(|account| account["statuses_count"].as_u64() > Some(0));
        active.map(|account| text(account, "acct")).collect()
    }

    /// Ids of all public posts of an account.
    pub(crate) fn posts_of(&self, handle: &str) -> Vec<String> {
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
    pub(crate) fn people(&self, count: usize) -> Vec<(String, String)> {
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
    pub(crate) fn writes(&self, token: &str, status: &str) -> String {
        text(
            &http::post(&self.base, "/api/v1/statuses", Some(token), Body::Form(&[("status", status)])),
            "id",
        )
    }

    /// Changes a post.
    pub(crate) fn edits(&self, token: &str, id: &str, status: &str) {
        let form = [("status", status)];
        let path = format!("/api/v1/statuses/{id}");
        http::call("PUT", &self.base, &path, Some(token), Some(Body::Form(&form)));
    }

    /// Deletes a post.
    pub(crate) fn deletes(&self, token: &str, id: &str) {
        http::call("DELETE", &self.base, &format!("/api/v1/statuses/{id}"), Some(token), None);
    }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("no `{key}` in {value}")).to_owned()
}
