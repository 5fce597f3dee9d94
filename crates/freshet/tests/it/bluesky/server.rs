//! Starts Bluesky's servers from npm and acts as the people who use them.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::http::{self, Body};
use crate::support::process::{Process, free_port};
use crate::support::services::{Postgres, Redis};
use crate::support::until;

/// Cold, on two busy cores, the whole network took 13 s.
const START_LIMIT: Duration = Duration::from_mins(4);
/// The server takes at most so many writes in one call.
const WRITES_PER_CALL: usize = 100;

/// The running servers; databases end after them.
#[derive(Debug)]
pub(crate) struct Bluesky {
    /// Port of the personal data server.
    pub(crate) pds_port: u16,
    /// Port of the AppView.
    pub(crate) appview_port: u16,
    has_appview: bool,
    _process: Process,
    _folder: TempDir,
    _services: Option<(Postgres, Redis)>,
}

impl Bluesky {
    /// Identities and one personal data server.
    pub(crate) fn personal_data_server(node: &Path, packages: &Path) -> Self {
        Self::start(node, packages, None, true)
    }

    /// The same, and it lets people write as much as they like.
    pub(crate) fn data_server_without_limits(node: &Path, packages: &Path) -> Self {
        Self::start(node, packages, None, false)
    }

    /// The whole network, with private databases.
    pub(crate) fn whole_network(node: &Path, packages: &Path, postgres: &Path, redis: &Path) -> Self {
        Self::start(node, packages, Some((Postgres::start(postgres), Redis::start(redis))), true)
    }

    fn start(node: &Path, packages: &Path, services: Option<(Postgres, Redis)>, is_limited: bool) -> Self {
        let folder = TempDir::with_prefix("freshet-bluesky-").expect("a folder for Bluesky");
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../xtask/servers");
        let (plc_port, pds_port, appview_port) = (free_port(), free_port(), free_port());
        let log = folder.path().join("log");
        let mut command = Command::new(node);
        command.arg("--require").arg(scripts.join("loopback.cjs")).arg(scripts.join("bluesky.mjs"));
        command
            .env("FRESHET_TEST_BLUESKY", packages)
            .env("TMPDIR", folder.path())
            .env("RATE_LIMITS", if is_limited { "on" } else { "off" })
            .env("LOG_ENABLED", "false");
        command.env("PLC_PORT", plc_port.to_string()).env("PDS_PORT", pds_port.to_string());
        command.env("APPVIEW_PORT", appview_port.to_string()).current_dir(folder.path());
        match &services {
            Some((postgres, redis)) => command
                .env("MODE", "network")
                .env("POSTGRES_URL", &postgres.url)
                .env("REDIS_HOST", &redis.host),
            None => command.env("MODE", "pds"),
        };
        let file = File::create(&log).expect("a file for the log");
        let twin = file.try_clone().expect("a file can be shared");
        // Its standard input stays open as long as this process lives; the script ends with it.
        let mut process =
            Process::with_input(command.stdin(Stdio::piped()).stdout(file).stderr(twin)).ended_by("TERM");
        let read = || std::fs::read_to_string(&log).unwrap_or_default();
        until("Bluesky", START_LIMIT, || {
            assert!(process.status().is_none(), "Bluesky ended by itself:\n{}", read());
            read().contains("\"ready\":true").then_some(())
        });
        let has_appview = services.is_some();
        Self { pds_port, appview_port, has_appview, _process: process, _folder: folder, _services: services }
    }

    /// Is it the whole network?
    pub(crate) fn has_appview(&self) -> bool {
        self.has_appview
    }

    /// Address of the AppView.
    pub(crate) fn appview(&self) -> String {
        format!("http://127.0.0.1:{}", self.appview_port)
    }

    fn pds(&self) -> String {
        format!("http://127.0.0.1:{}", self.pds_port)
    }

    /// New accounts.
    pub(crate) fn people(&self, count: usize) -> Vec<Person> {
        (0..count).map(|number| self.person(&format!("person{number}"))).collect()
    }

    /// A new account.
    pub(crate) fn person(&self, name: &str) -> Person {
        let handle = format!("{name}.test");
        let body = json!({
            "handle": handle, "email": format!("{name}@example.com"), "password": "correct horse",
        });
        let session =
            http::post(&self.pds(), "/xrpc/com.atproto.server.createAccount", None, Body::Json(&body));
        let text = |key: &str| session[key].as_str().expect("a session has it").to_owned();
        Person { handle, did: text("did"), token: text("accessJwt") }
    }

    /// Record keys of all posts of a person, from the server's own records.
    pub(crate) fn posts_of(&self, did: &str) -> Vec<String> {
        let mut keys = Vec::new();
        let mut cursor = String::new();
        loop {
            let path = format!(
                "/xrpc/com.atproto.repo.listRecords?repo={did}&collection=app.bsky.feed.post&limit=100{cursor}"
            );
            let page = http::get(&self.pds(), &path);
            let records = page["records"].as_array().expect("a page has records");
            let uris = records.iter().filter_map(|record| record["uri"].as_str());
            keys.extend(uris.filter_map(|uri| uri.rsplit('/').next()).map(str::to_owned));
            match page["cursor"].as_str().filter(|_| !records.is_empty()) {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return keys,
            }
        }
    }
}

/// Somebody with an account.
#[derive(Debug)]
pub(crate) struct Person {
    /// The name people type.
    pub(crate) handle: String,
    /// The account's lasting id.
    pub(crate) did: String,
    token: String,
}

impl Person {
    fn call(&self, bluesky: &Bluesky, method: &str, body: &Value) -> Value {
        http::post(
            &bluesky.pds(),
            &format!("/xrpc/com.atproto.repo.{method}"),
            Some(&self.token),
            Body::Json(body),
        )
    }

    fn creates(&self, bluesky: &Bluesky, collection: &str, record: &Value) -> Value {
        let body = json!({"repo": self.did, "collection": collection, "record": record});
        self.call(bluesky, "createRecord", &body)
    }

    /// Writes a post, as a reply where a parent is given; gives a reference to it for replies.
    pub(crate) fn writes(&self, bluesky: &Bluesky, text: &str, parent: Option<&Value>) -> Value {
        let mut record = post(text);
        if let Some(parent) = parent {
            record["reply"] = json!({"root": parent["root"], "parent": parent["own"]});
        }
        let made = self.creates(bluesky, "app.bsky.feed.post", &record);
        let own = json!({"uri": made["uri"], "cid": made["cid"]});
        json!({"root": parent.map_or(&own, |parent| &parent["root"]), "own": own})
    }

    /// Writes so many posts in few calls.
    pub(crate) fn writes_many(&self, bluesky: &Bluesky, count: usize) {
        let writes: Vec<Value> = (0..count)
            .map(|number| {
                json!({
                    "$type": "com.atproto.repo.applyWrites#create", "collection": "app.bsky.feed.post",
                    "value": post(&format!("many {number}")),
                })
            })
            .collect();
        for writes in writes.chunks(WRITES_PER_CALL) {
            self.applies(bluesky, writes);
        }
    }

    /// Creates, changes and deletes records in one call; gives what the server says of each.
    pub(crate) fn applies(&self, bluesky: &Bluesky, writes: &[Value]) -> Value {
        self.call(bluesky, "applyWrites", &json!({"repo": self.did, "writes": writes}))
    }

    /// Follows somebody; gives the key of the record.
    pub(crate) fn follows(&self, bluesky: &Bluesky, did: &str) -> String {
        let record = json!({"$type": "app.bsky.graph.follow", "subject": did, "createdAt": now()});
        let made = self.creates(bluesky, "app.bsky.graph.follow", &record);
        let uri = made["uri"].as_str().expect("a record has an address");
        uri.rsplit('/').next().unwrap_or_default().to_owned()
    }

    /// Follows somebody no more.
    pub(crate) fn unfollows(&self, bluesky: &Bluesky, key: &str) {
        let body = json!({"repo": self.did, "collection": "app.bsky.graph.follow", "rkey": key});
        self.call(bluesky, "deleteRecord", &body);
    }
}

/// A post as people's programs write it.
pub(crate) fn post(text: &str) -> Value {
    json!({"$type": "app.bsky.feed.post", "text": text, "langs": ["en"], "createdAt": now()})
}

/// The time that people's programs would write into their records.
#[expect(clippy::disallowed_methods, reason = "a person's program stamps posts with the real time")]
fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("it is after 1970");
    let at = jiff::Timestamp::from_millisecond(since.as_millis() as i64).expect("the present is in range");
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
