//! The dashboard over HTTP, served from a small store: who may ask, what is shown, what changes.
//!
//! Here stands what the tests share: the store, its hostile names, somebody who asks. A subject is a
//! file; what needs a browser is in `tests/it/web_browser.rs`.

mod absurd;
mod access;
mod care;
mod change;
mod forums;
mod inert;
mod limits;
mod show;
mod socket;
mod subscriptions;
mod told;
mod walk;

use std::sync::Arc;

use freshet_app::place::Place;
use freshet_engine::deliver::Readers;
use freshet_fetch::{HttpFetch, HttpOptions, Vault};
use freshet_forum::definition::{ForumDefinition, ListDefinition};
use freshet_network::networks::Networks;
use freshet_store::row::{InstanceRow, OnDelete, Upload};
use freshet_store::testing;
use freshet_types::{
    Account, Instance, NetworkName, Observation, Post, RobotKind, Source, SystemClock, Timestamp, VisitId,
};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Method, RequestBuilder, Response};
use secrecy::SecretString;
use tempfile::TempDir;

use super::access::{hash, password_path};
use super::{Access, Parts, Served, bind, serve};

/// A name and a text that would do harm if they were markup.
const SCRIPT: &str = "<script>alert(1)</script>";
const NAME: &str = "ada\"><img src=x onerror=alert(2)>";
const FORUM: &str = "forum-forum.example";
const TOKEN: &str = "a-token-for-tests";
const PASSWORD: &str = "correct horse battery";

struct Visitor {
    served: Served,
    client: Client,
    folder: TempDir,
}

impl Visitor {
    async fn start(password: Option<&str>, token: Option<&str>) -> Self {
        Self::start_with(password, token, None).await
    }

    /// One whose subscriptions are delivered in this process.
    async fn start_with(password: Option<&str>, token: Option<&str>, readers: Option<Readers>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fill(&folder.path().join("store.sqlite"));
        if let Some(password) = password {
            let hash = hash(&SecretString::from(password)).unwrap();
            std::fs::write(password_path(folder.path()), hash).unwrap();
        }
        let parts = Parts {
            place: Place::new(folder.path(), None),
            networks: Arc::new(networks()),
            clock: Arc::new(SystemClock),
            credentials: Some(Vec::new()),
            passphrase: None,
            tls: None,
            access: Access::new(folder.path(), token.map(SecretString::from)).unwrap(),
            choices: vec![("depth", "0".to_owned())],
            readers,
            hubs: None,
        };
        let listener = bind(Some("127.0.0.1:0".parse().unwrap())).await.unwrap();
        let served = serve(listener, parts).unwrap();
        // Making one of ours chooses the provider of cryptography for the process.
        let options =
            HttpOptions::new("a@b.example".to_owned(), Arc::new(SystemClock), Arc::new(Vault::empty()));
        drop(HttpFetch::new(options).unwrap());
        let client =
            Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build().unwrap();
        Self { served, client, folder }
    }

    fn ask(&self, method: &str, path: &str) -> RequestBuilder {
        let url = format!("{}{}", self.served.url.trim_end_matches('/'), path);
        self.client.request(Method::from_bytes(method.as_bytes()).unwrap(), url)
    }

    async fn get(&self, path: &str) -> Response {
        self.ask("GET", path).send().await.unwrap()
    }

    async fn text(&self, path: &str, expected: u16) -> String {
        let response = self.get(path).await;
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        assert_eq!(status, expected, "{path}\n{text}");
        text
    }

    async fn csrf(&self) -> String {
        let session: serde_json::Value =
            serde_json::from_str(&self.text("/api/v1/session", 200).await).unwrap();
        session["csrf"].as_str().unwrap().to_owned()
    }
}

/// The shipped networks, and a forum that was learned.
fn networks() -> Networks {
    let networks = Networks::shipped();
    let list = ListDefinition { urls: vec![format!("/t/*{SCRIPT}")], ..ListDefinition::default() };
    let forum = ForumDefinition {
        format: 1,
        host: "forum.example".to_owned(),
        front: Some("https://forum.example/".to_owned()),
        index: Some(list.clone()),
        post: Some(list),
        ..ForumDefinition::default()
    };
    let name =
        freshet_app::mined::apply(&networks, std::path::Path::new("forum.toml"), &forum.to_toml()).unwrap();
    assert_eq!(name, FORUM);
    networks
}

/// Two sources and two posts, with names and texts that try to break out.
fn fill(path: &std::path::Path) {
    let mut store = testing::open(path);
    let network = NetworkName::from("mastodon:a.example");
    let instance =
        Instance { network: network.clone(), base: "https://a.example".to_owned(), allow_private: false };
    store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).unwrap();
    let mut source = Source::new(&network, "account_posts", RobotKind::Status, "account", "1");
    source.handle = Some(NAME.to_owned());
    source.failure = Some(SCRIPT.to_owned());
    let other = Source::new(&network, "account", RobotKind::User, "account", "2");
    store.add_sources(&[source, other]).unwrap();
    let mut upload = Upload::new(VisitId(1), network, Timestamp::from_secs(1_700_000_100));
    let post = |id: &str, text: &str, url: &str| Post {
        id: id.to_owned(),
        kind: "post".into(),
        author: Some("1".to_owned()),
        created_at: Some(Timestamp::from_secs(1_700_000_000)),
        text: text.to_owned(),
        url: Some(url.to_owned()),
        ..Post::default()
    };
    upload.robot = Some(RobotKind::Status);
    upload.observation = Observation {
        posts: vec![
            post("10", &format!("<p>the river {SCRIPT}rises &lt;script&gt;</p>"), "javascript:alert(3)"),
            post("11", "quiet", "https://a.example/11"),
        ],
        accounts: vec![Account { id: "1".to_owned(), handle: Some(NAME.to_owned()), ..Account::default() }],
        ..Observation::default()
    };
    store.apply(&[upload], |_, _| None).unwrap();
}

/// Sends the fields of a form.
trait WithForm {
    fn fields(self, fields: &[(&str, &str)]) -> RequestBuilder;
}

impl WithForm for RequestBuilder {
    fn fields(self, fields: &[(&str, &str)]) -> RequestBuilder {
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        self.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(body)
    }
}

/// The path with something in its holes.
fn filled(path: &str) -> String {
    let name = if path.contains("/forums/") { FORUM } else { "mastodon" };
    let known = [
        ("{*address}", "mastodon:a.example/account/1"),
        ("{robot}", "tag"),
        ("{number}", "1"),
        ("{name}", name),
    ];
    let path = known.iter().fold(path.to_owned(), |path, (hole, value)| path.replace(hole, value));
    let verb = if path.contains("/robots/") { "start" } else { "pause" };
    path.replace("{verb}", verb)
}

/// Sends JSON with the word of the session.
async fn send(served: &Visitor, path: &str, body: serde_json::Value) -> (u16, serde_json::Value) {
    let call = served.ask("POST", path).header("x-csrf-token", served.csrf().await);
    let response = call.header(CONTENT_TYPE, "application/json").body(body.to_string()).send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_str(&response.text().await.unwrap()).unwrap())
}
