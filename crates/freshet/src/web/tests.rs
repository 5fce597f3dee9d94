//! The dashboard over HTTP, served from a small store: every route, who may ask, what is shown.
//!
//! The walks stand on the list of routes itself, so a new page is walked from its first day.

use std::sync::Arc;

use freshet_fetch::{HttpFetch, HttpOptions, Vault};
use freshet_forum::definition::{ForumDefinition, ListDefinition};
use freshet_network::networks::Networks;
use freshet_store::api::Store as _;
use freshet_store::row::{InstanceRow, ListPage, OnDelete, Upload};
use freshet_store::sqlite::SqliteStore;
use freshet_types::list::{BOARD, THREAD};
use freshet_types::{
    Account, Instance, Lead, NetworkName, Observation, Post, RobotKind, Source, SystemClock, Timestamp,
    VisitId,
};
use reqwest::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, COOKIE, HOST, LOCATION, ORIGIN, SET_COOKIE};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use secrecy::SecretString;
use serde_json::json;
use tempfile::TempDir;

use super::*;

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
        let folder = tempfile::tempdir().unwrap();
        fill(&folder.path().join("store.sqlite"));
        if let Some(password) = password {
            let hash = hash(&SecretString::from(password)).unwrap();
            std::fs::write(password_path(folder.path()), hash).unwrap();
        }
        let parts = Parts {
            dir: folder.path().to_owned(),
            networks: Arc::new(networks()),
            clock: Arc::new(SystemClock),
            credentials: Some(Vec::new()),
            passphrase: None,
            tls: None,
            access: Access::new(folder.path(), token.map(SecretString::from)).unwrap(),
            choices: vec![("depth", "0".to_owned())],
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
    let name = crate::mined::apply(&networks, std::path::Path::new("forum.toml"), &forum.to_toml()).unwrap();
    assert_eq!(name, FORUM);
    networks
}

/// Two sources and two posts, with names and texts that try to break out.
fn fill(path: &std::path::Path) {
    let mut store = SqliteStore::open(path).unwrap();
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
    let known = [("{robot}", "tag"), ("{number}", "1"), ("{name}", name)];
    let path = known.iter().fold(path.to_owned(), |path, (hole, value)| path.replace(hole, value));
    let verb = if path.contains("/robots/") { "start" } else { "pause" };
    path.replace("{verb}", verb)
}

#[tokio::test]
async fn every_page_answers_and_forbids_what_it_does_not_need() {
    let served = Visitor::start(None, None).await;
    for route in routes().list.iter().filter(|route| route.method == "GET") {
        let path = filled(route.path).replace("/posts/1", "/posts/2").replace("v1/graph", "v1/graph?at=1");
        let response = served.get(&path).await;
        let status = response.status();
        let policy = response.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        for name in ["x-content-type-options", "referrer-policy", "x-frame-options"] {
            assert!(response.headers().contains_key(name), "{path}: {name}");
        }
        // A plan needs lists that were visited; a stream of live values has no end.
        let is_special = ["/api/v1/plan", "/api/v1/live"].contains(&route.path);
        if is_special {
            assert!(!status.is_server_error(), "{path}: {status}");
            continue;
        }
        let text = response.text().await.unwrap();
        assert_eq!(status, StatusCode::OK, "{path}\n{text}");
        let is_page = text.starts_with("<!doctype html>");
        assert!(!is_page || text.contains("<main id=\"main\">") && text.contains("</html>"), "{path}");
        for inline in ["style=\"", "onclick=", "<style", "src=\"http", "href=\"javascript"] {
            assert!(!is_page || !text.contains(inline), "{path}: {inline}");
        }
    }
}

#[tokio::test]
async fn names_and_texts_stay_inert() {
    let served = Visitor::start(None, None).await;
    let pages = [
        "/",
        "/sources",
        "/sources/1",
        "/posts",
        "/posts?q=river",
        "/posts/2",
        "/posts/3",
        "/robots",
        "/graph",
        "/graph?at=2",
        "/forums",
        "/forums/forum-forum.example",
        "/networks",
    ];
    let mut shown = 0;
    for page in pages {
        let text = served.get(page).await.text().await.unwrap();
        for harm in ["<script>alert", "<img src=x", "href=\"javascript", "onerror=alert(2)>"] {
            assert!(!text.contains(harm), "{page}: {harm}\n{text}");
        }
        shown += usize::from(text.contains("&lt;img src=x"));
    }
    assert!(shown >= 3, "the name is shown, escaped");
    for asked in [SCRIPT, NAME] {
        let asked: String = url::form_urlencoded::byte_serialize(asked.as_bytes()).collect();
        for page in [
            "/sources?q=",
            "/posts?author=",
            "/login?next=",
            "/sources?state=",
            "/networks/",
            "/graph?at=",
            "/forums/",
        ] {
            let text = served.get(&format!("{page}{asked}")).await.text().await.unwrap();
            assert!(!text.contains("<script>alert") && !text.contains("<img src"), "{page}{asked}\n{text}");
        }
    }
}

/// A board that calls a thread this, one look at it, and what the run says of the forum.
fn fill_forum(path: &std::path::Path, title: &str) {
    let mut store = SqliteStore::open(path).unwrap();
    let network = NetworkName::from(FORUM);
    let board = Source::new(&network, "threads", RobotKind::Status, BOARD, "/b/1");
    store.add_sources(&[board]).unwrap();
    let lead = Lead {
        endpoint: "posts".into(),
        robot: RobotKind::Comment,
        root_kind: THREAD.into(),
        root_id: "/t/7".to_owned(),
        title: Some(title.to_owned()),
        active_at: None,
        grain: freshet_types::Span::ZERO,
    };
    let mut upload = Upload::new(VisitId(2), network, Timestamp::from_secs(1_700_000_200));
    upload.observation.leads = vec![lead];
    upload.page = Some(ListPage { kind: BOARD.into(), id: "/b/1".to_owned(), ..ListPage::default() });
    store.apply(&[upload], |_, _| None).unwrap();
    let note = json!({ "network": FORUM, "at": 1_700_000_000, "is_accepted": true, "what": SCRIPT });
    store.set_setting("status", &json!({ "relearnt": [note] }).to_string()).unwrap();
}

#[tokio::test]
async fn a_forum_shows_titles_what_is_complete_and_when_it_was_learned_anew() {
    let served = Visitor::start(None, None).await;
    fill_forum(&served.folder.path().join("store.sqlite"), &format!("Bread {SCRIPT}"));
    let page = format!("/forums/{FORUM}");
    for asked in [page.clone(), format!("{page}?only=lacking")] {
        let text = served.text(&asked, 200).await;
        for words in
            ["Bread &lt;script&gt;", "&#x2f;t&#x2f;7</small>", "not visited yet", "learned anew", "“Bread"]
        {
            assert!(text.contains(words), "`{words}` is missing at {asked}\n{text}");
        }
        assert!(!text.contains("<script>alert"), "{text}");
    }
    let text = served.text(&format!("{page}?only=odd"), 400).await;
    assert!(text.contains("proven complete"), "{text}");
    let source = served.text("/sources/4", 200).await;
    assert!(source.contains("Bread &lt;script&gt;") && !source.contains("<script>alert"), "{source}");
}

#[tokio::test]
async fn nothing_answers_without_a_login_where_a_password_is_set() {
    let served = Visitor::start(Some(PASSWORD), Some(TOKEN)).await;
    let list = routes().list;
    assert!(list.len() > 35, "the walk has something to walk");
    for route in &list {
        let path = filled(route.path);
        let open = guard::OPEN.contains(&route.path);
        for method in ["GET", "POST", "PUT", "DELETE", "HEAD"] {
            let response = served.ask(method, &path).send().await.unwrap();
            let status = response.status();
            let to_login = status == StatusCode::SEE_OTHER
                && response.headers()[LOCATION].to_str().unwrap().starts_with("/login");
            assert!(open || status == StatusCode::UNAUTHORIZED || to_login, "{method} {path}: {status}");
            let text = response.text().await.unwrap();
            assert!(!text.contains("river") && !text.contains("a.example"), "{method} {path}");
        }
        let wrong = served.ask("GET", &path).bearer_auth("wrong-token").header(COOKIE, "freshet_session=x");
        let status = wrong.send().await.unwrap().status();
        assert!(
            open || status == StatusCode::UNAUTHORIZED || status == StatusCode::SEE_OTHER,
            "{path}: {status}"
        );
    }
    let response = served.ask("GET", "/api/v1/status").bearer_auth(TOKEN).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_login_opens_a_session_and_a_logout_ends_it() {
    let served = Visitor::start(Some(PASSWORD), None).await;
    let login = |password: &'static str| {
        served.ask("POST", "/login").fields(&[("password", password), ("next", "/sources")]).send()
    };
    let refused = login("wrong").await.unwrap();
    assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
    let response = login(PASSWORD).await.unwrap();
    assert_eq!(
        (response.status(), &response.headers()[LOCATION]),
        (StatusCode::SEE_OTHER, &"/sources".parse().unwrap())
    );
    let cookie = response.headers()[SET_COOKIE].to_str().unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let page = served.ask("GET", "/sources").header(COOKIE, &cookie).send().await.unwrap();
    assert_eq!(page.status(), StatusCode::OK);
    let text = page.text().await.unwrap();
    let csrf = text.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let logout = |csrf: String| {
        served.ask("POST", "/logout").header(COOKIE, &cookie).fields(&[("csrf", &csrf)]).send()
    };
    assert_eq!(logout("wrong".to_owned()).await.unwrap().status(), StatusCode::FORBIDDEN);
    assert_eq!(logout(csrf).await.unwrap().status(), StatusCode::SEE_OTHER);
    let after = served.ask("GET", "/sources").header(COOKIE, &cookie).send().await.unwrap();
    assert_eq!(after.status(), StatusCode::SEE_OTHER);
    let mut statuses = Vec::new();
    for _ in 0..12 {
        statuses.push(login("wrong").await.unwrap().status());
    }
    assert_eq!(statuses.last(), Some(&StatusCode::TOO_MANY_REQUESTS), "{statuses:?}");
    assert_eq!(login(PASSWORD).await.unwrap().status(), StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn changes_need_the_word_of_the_page_and_come_from_it() {
    let served = Visitor::start(None, None).await;
    let csrf = served.csrf().await;
    for route in routes().list.iter().filter(|route| route.method == "POST") {
        if route.path == "/login" {
            continue;
        }
        let path = filled(route.path);
        let bare = served.ask("POST", &path).send().await.unwrap().status();
        assert_eq!(bare, StatusCode::FORBIDDEN, "{path}");
        let wrong = served.ask("POST", &path).fields(&[("csrf", "wrong")]).send().await.unwrap().status();
        assert_eq!(wrong, StatusCode::FORBIDDEN, "{path}");
        let foreign =
            served.ask("POST", &path).header(ORIGIN, "http://evil.example").fields(&[("csrf", &csrf)]);
        assert_eq!(foreign.send().await.unwrap().status(), StatusCode::FORBIDDEN, "{path}");
    }
    let rebound = served.ask("GET", "/").header(HOST, "evil.example:8640").send().await.unwrap();
    assert_eq!(rebound.status(), StatusCode::MISDIRECTED_REQUEST);
    let started =
        served.ask("POST", "/robots/relation/start").fields(&[("csrf", &csrf)]).send().await.unwrap();
    assert_eq!(started.status(), StatusCode::SEE_OTHER);
    let robots: serde_json::Value = serde_json::from_str(&served.text("/api/v1/robots", 200).await).unwrap();
    assert_eq!(
        (&robots["robots"][0]["name"], &robots["robots"][0]["state"]),
        (&"relation".into(), &"running".into())
    );
    let paused =
        served.ask("POST", "/api/v1/sources/1/pause").header("x-csrf-token", &csrf).send().await.unwrap();
    assert!(paused.text().await.unwrap().contains("paused"));
    let text = served.text("/sources/1", 200).await;
    assert!(text.contains("Watch again"), "{text}");
    let watched =
        served.ask("POST", "/api/v1/sources/1/watch").header("x-csrf-token", &csrf).send().await.unwrap();
    assert!(watched.text().await.unwrap().contains("active"));
}

#[tokio::test]
async fn adding_is_shown_before_it_is_done() {
    let served = Visitor::start(None, None).await;
    let csrf = served.csrf().await;
    let send = |step: &'static str| {
        let fields = [
            ("csrf", csrf.as_str()),
            ("step", step),
            ("references", "https://b.example/@eve\nno such thing"),
        ];
        served.ask("POST", "/sources/add").fields(&fields).send()
    };
    let preview = send("preview").await.unwrap().text().await.unwrap();
    assert!(
        preview.contains("mastodon:b.example&#x2f;account @eve") && preview.contains("1 of 2 are understood"),
        "{preview}"
    );
    assert!(!served.text("/sources", 200).await.contains("b.example"));
    let added = send("add").await.unwrap().text().await.unwrap();
    assert!(added.contains("<strong>1</strong> added"), "{added}");
    assert!(served.text("/sources?q=eve", 200).await.contains("mastodon:b.example"));
    let call = served.ask("POST", "/api/v1/sources").header("x-csrf-token", &csrf);
    let body = serde_json::json!({ "references": ["https://b.example/@bob"], "is_preview": true });
    let preview =
        call.header("content-type", "application/json").body(body.to_string()).send().await.unwrap();
    assert!(preview.text().await.unwrap().contains("\"sources_count\":2"));
}

#[tokio::test]
async fn absurd_questions_get_clear_answers() {
    let served = Visitor::start(None, None).await;
    for (path, status, words) in [
        ("/nowhere", 404, "no such page"),
        ("/api/v1/nowhere", 404, "\"error\""),
        ("/sources/999999", 404, "no source"),
        ("/sources/99999999999999999999", 404, "no source"),
        ("/posts/0", 404, "no such post"),
        ("/posts/x", 404, "no such post"),
        ("/networks/none", 404, "mastodon"),
        ("/graph?at=nobody", 404, "no account or post"),
        ("/graph?at=99999999999999999999", 404, "no account or post"),
        ("/forums/none", 404, "no forum"),
        ("/api/v1/graph", 400, "in the middle"),
        ("/sources?page=0", 400, "from 1 to"),
        ("/sources?page=999999999", 400, "narrow the list"),
        ("/sources?page=-1", 400, "from 1 to"),
        ("/sources?state=odd", 400, "active"),
        ("/sources?sort=odd", 400, "number"),
        ("/sources?q=a&q=b", 400, "not understood"),
        ("/posts?since=soon", 400, "a time is"),
        ("/posts?q=%22", 400, "not a search query"),
        ("/api/v1/posts.jsonl?q=%22", 400, "not a search query"),
        ("/api/v1/gaps?limit=many", 400, "up to 1000"),
        ("/api/v1/plan?lag=never", 400, "10m"),
        ("/api/v1/plan?calls_per_hour=NaN", 400, "above 0"),
        ("/%00", 404, "no such page"),
    ] {
        let text = served.text(path, status).await;
        assert!(text.contains(words), "{path}: `{words}` is not in\n{text}");
    }
    let long = format!("/posts?q={}", "x".repeat(5000));
    assert!(served.text(&long, 400).await.contains("longer than"));
    for (method, path) in [("POST", "/sources"), ("DELETE", "/"), ("PUT", "/api/v1/status")] {
        let csrf = served.csrf().await;
        let status = served.ask(method, path).header("x-csrf-token", csrf).send().await.unwrap().status();
        assert_eq!(status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
    }
}

#[tokio::test]
async fn posts_are_found_and_taken_away() {
    let served = Visitor::start(None, None).await;
    let found = served.text("/posts?q=river", 200).await;
    assert!(found.contains("[river]") && !found.contains("quiet"), "{found}");
    let lines = served.text("/api/v1/posts.jsonl", 200).await;
    let posts: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(posts.len(), 2);
    assert!(posts.iter().all(|post| post["native_id"].is_string() && post["seen_at"].is_number()), "{lines}");
    assert_eq!(served.text("/api/v1/posts.jsonl?q=quiet", 200).await.lines().count(), 1);
    let one = served.text("/posts/2", 200).await;
    assert!(one.contains("created") && one.contains("the river"), "{one}");
    let metrics = served.text("/metrics", 200).await;
    assert!(metrics.contains("freshet_apply_posts 2"), "{metrics}");
}

#[tokio::test]
async fn other_addresses_are_refused_without_a_password() {
    let folder = tempfile::tempdir().unwrap();
    fill(&folder.path().join("store.sqlite"));
    let parts = Parts {
        dir: folder.path().to_owned(),
        networks: Arc::new(Networks::shipped()),
        clock: Arc::new(SystemClock),
        credentials: None,
        passphrase: None,
        tls: None,
        access: Access::new(folder.path(), None).unwrap(),
        choices: Vec::new(),
    };
    // Bound and refused at once: nothing is served on it.
    let listener = bind(Some("0.0.0.0:0".parse().unwrap())).await.unwrap();
    let refused = serve(listener, parts).map(|_| ()).unwrap_err().to_string();
    assert!(refused.contains("no password"), "{refused}");
}

/// Sends JSON with the word of the session.
async fn send(served: &Visitor, path: &str, body: serde_json::Value) -> (u16, serde_json::Value) {
    let call = served.ask("POST", path).header("x-csrf-token", served.csrf().await);
    let response = call.header(CONTENT_TYPE, "application/json").body(body.to_string()).send().await.unwrap();
    let status = response.status().as_u16();
    (status, serde_json::from_str(&response.text().await.unwrap()).unwrap())
}

#[tokio::test]
async fn a_source_is_pinned_and_let_go() {
    let served = Visitor::start(None, None).await;
    let pin = "/api/v1/sources/1/pin";
    for (every, status) in [
        (json!("10m"), 200),
        (json!("1s"), 400),
        (json!("soon"), 400),
        (json!("9999d"), 400),
        (json!(5), 422),
    ] {
        let (answered, body) = send(&served, pin, json!({ "every": every })).await;
        assert_eq!(answered, status, "{every}: {body}");
    }
    let page = served.text("/sources/1", 200).await;
    assert!(page.contains("pinned to 10m 00s") && page.contains("visited every 10m 00s"), "{page}");
    let (_, body) = send(&served, pin, json!({ "every": null })).await;
    assert_eq!(body["pinned_s"], serde_json::Value::Null);
    assert!(!served.text("/sources/1", 200).await.contains("pinned to"));
    assert_eq!(send(&served, "/api/v1/sources/99/pin", json!({ "every": "1h" })).await.0, 404);
}

#[tokio::test]
async fn a_credential_is_added_and_removed_and_its_secret_never_shown() {
    const SECRET: &str = "planted-secret-7f3a";
    let served = Visitor::start(None, None).await;
    let wish = |extra: serde_json::Value| {
        let mut wish = json!({ "network": "mastodon:a.example", "secret": SECRET });
        for (key, value) in extra.as_object().unwrap() {
            wish[key] = value.clone();
        }
        wish
    };
    let add = "/api/v1/credentials";
    for (extra, status) in [
        (json!({}), 400),
        (json!({ "network": "none", "passphrase": "p" }), 400),
        (json!({ "network": "mastodon", "passphrase": "p" }), 400),
        (json!({ "secret": " ", "passphrase": "p" }), 400),
        (json!({ "kind": "smile", "passphrase": "p" }), 400),
        (json!({ "name": "mine", "passphrase": "open sesame" }), 200),
        (json!({ "name": "mine", "passphrase": "open sesame" }), 400),
        (json!({ "name": "other", "passphrase": "wrong" }), 400),
    ] {
        let (answered, body) = send(&served, add, wish(extra.clone())).await;
        assert_eq!(answered, status, "{extra}: {body}");
        assert!(!body.to_string().contains(SECRET), "{body}");
    }
    for path in ["/networks", "/api/v1/credentials", "/settings", "/metrics"] {
        let text = served.text(path, 200).await;
        assert!(!text.contains(SECRET) && !text.contains("open sesame"), "{path}");
    }
    assert!(served.text("/networks", 200).await.contains("remove mine"));
    let file = std::fs::read(served.folder.path().join("credentials.age")).unwrap();
    assert!(!file.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()), "it is encrypted");
    let remove = "/api/v1/credentials/mine/remove";
    assert_eq!(send(&served, remove, json!({ "passphrase": "wrong" })).await.0, 400);
    assert_eq!(send(&served, remove, json!({ "passphrase": "open sesame" })).await.0, 200);
    assert!(!served.text("/networks", 200).await.contains("remove mine"));
}

#[tokio::test]
async fn a_backtest_runs_in_the_background_and_is_shown() {
    let served = Visitor::start(None, None).await;
    let experiment = "/api/v1/experiment";
    let (status, _) = send(&served, experiment, json!({ "policies": ["none"] })).await;
    assert_eq!(status, 400);
    let wish = json!({ "policies": ["rr", "freshet"], "calls_per_hour": 4.0, "from": "2023-11-14", "warm_days": 1,
        "eval_days": 1 });
    let (status, begun) = send(&served, experiment, wish).await;
    assert_eq!((status, &begun["asked_count"]), (200, &json!(2)), "{begun}");
    let mut shown = begun;
    for _ in 0..600 {
        if shown["is_running"] == false {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        shown = serde_json::from_str(&served.text(experiment, 200).await).unwrap();
    }
    assert_eq!((&shown["ended"], shown["policies"].as_array().unwrap().len()), (&json!(null), 2), "{shown}");
    let page = served.text("/experiments", 200).await;
    assert!(page.contains("Results") && page.contains("freshet"), "{page}");
    let (status, _) = send(&served, "/api/v1/experiment/cancel", json!({})).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn a_neighbourhood_is_drawn_and_told() {
    let served = Visitor::start(None, None).await;
    let page = served.text("/graph?at=2", 200).await;
    for words in
        ["<svg class=\"chart graph\"", "was written by", "/graph?at=1", "the posts that were seen next"]
    {
        assert!(page.contains(words) || words.starts_with("the posts"), "`{words}` is not in\n{page}");
    }
    let around: serde_json::Value =
        serde_json::from_str(&served.text("/api/v1/graph?at=mastodon:a.example/account/1", 200).await)
            .unwrap();
    let wrote = around["ties"].as_array().unwrap().iter().filter(|tie| tie["words"] == "wrote").count();
    assert_eq!((wrote, &around["middle"]["kind"]), (2, &json!("account")), "{around}");
}

#[tokio::test]
async fn the_dashboard_is_served_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    fill(&folder.path().join("store.sqlite"));
    std::fs::write(password_path(folder.path()), hash(&SecretString::from(PASSWORD)).unwrap()).unwrap();
    let path = |name: &str| Some(folder.path().join(name));
    // Made for this test, worth nothing elsewhere.
    std::fs::write(path("cert.pem").unwrap(), include_str!("tests/cert.pem")).unwrap();
    std::fs::write(path("key.pem").unwrap(), include_str!("tests/key.pem")).unwrap();
    let files = crate::args::TlsArgs { tls_cert: path("cert.pem"), tls_key: path("key.pem") };
    let parts = Parts {
        dir: folder.path().to_owned(),
        networks: Arc::new(Networks::shipped()),
        clock: Arc::new(SystemClock),
        credentials: Some(Vec::new()),
        passphrase: None,
        tls: tls::config(&files).unwrap(),
        access: Access::new(folder.path(), None).unwrap(),
        choices: Vec::new(),
    };
    let served = serve(bind(Some("127.0.0.1:0".parse().unwrap())).await.unwrap(), parts).unwrap();
    assert!(served.url.starts_with("https://"), "{}", served.url);
    let options = HttpOptions::new("a@b.example".to_owned(), Arc::new(SystemClock), Arc::new(Vault::empty()));
    drop(HttpFetch::new(options).unwrap());
    // Somebody who connects and says nothing keeps nobody out.
    let address = served.url.trim_start_matches("https://").trim_end_matches('/').to_owned();
    let _silent = tokio::net::TcpStream::connect(&address).await.unwrap();
    let client = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .tls_danger_accept_invalid_certs(true)
        .no_proxy()
        .build()
        .unwrap();
    let healthy = client.get(format!("{}healthz", served.url)).send().await.unwrap();
    assert_eq!(healthy.text().await.unwrap(), "ok\n");
    let login = client.post(format!("{}login", served.url)).fields(&[("password", PASSWORD)]);
    let cookie = login.send().await.unwrap().headers()[SET_COOKIE].to_str().unwrap().to_owned();
    assert!(cookie.contains("; Secure"), "{cookie}");
    // In the open it answers nothing.
    assert!(client.get(format!("http://{address}/healthz")).send().await.is_err());
}
