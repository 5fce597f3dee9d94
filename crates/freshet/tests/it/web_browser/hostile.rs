//! Hostile names and texts, crawled from a server and shown on every page: nothing of them runs or is even
//! tried, nothing of ours is turned around by them, and no page grows wider than a phone or without end.

mod server;

use freshet_forum::definition::{ForumDefinition, ListDefinition};
use freshet_store::testing;
use freshet_types::{NetworkName, RobotKind, Source};
use serde_json::{Value, json};

use self::server::{FLAG, Server, texts};
use super::chromium::Chromium;
use super::look::{check_quiet, check_width};
use super::scene::address;
use super::{DESK, PHONE, SOON};
use crate::support::freshet::Freshet;
use crate::support::process::Process;
use crate::support::{http, need, until};

/// The forum that was learned, from pages that do not like us.
const FORUM: &str = "forum-forum.example";
/// Largest page: a post may be long, a list of names may not.
const PAGE_BYTES_MAX: u64 = 2_000_000;

/// What a page must not have: an element or address that came from outside, and words of ours that run backwards.
const FOUND: &str = "(() => {
    const strange = [...document.querySelectorAll('script:not([src^=\"/assets/\"]), img, iframe, object, embed, svg *, main *')]
        .filter((it) => it.matches('img, iframe, object, embed, script, style, b, textarea:not([name])')
            || [...it.attributes].some((one) => one.name.startsWith('on'))
            || /^\\s*(javascript|data):/i.test(it.getAttribute('href') ?? ''));
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const turned = [], range = document.createRange();
    const left = (node, at) => { range.setStart(node, at); range.setEnd(node, at + 1); return range.getBoundingClientRect(); };
    while (walker.nextNode()) {
        const node = walker.currentNode, at = node.data.search(/[A-Za-z]{3}/);
        if (at < 0 || node.parentElement.closest('bdi, title, option, script, article > p:not(.by):not(.note), svg, pre, .foreign')) continue;
        const [one, two] = [left(node, at), left(node, at + 1)];
        if (one.width > 0 && Math.abs(one.top - two.top) < 2 && one.left > two.left) turned.push(node.data.slice(0, 60));
    }
    return { strange: strange.map((it) => it.outerHTML.slice(0, 200)), turned };
})()";

#[test]
fn hostile_texts_stay_inert_in_a_browser() {
    let Some([program]) = need("hostile_texts_stay_inert_in_a_browser", ["FRESHET_TEST_CHROMIUM"]) else {
        return;
    };
    let server = Server::start();
    let freshet = Freshet::new();
    let mut run = crawl(&freshet, &server);
    let base = address(&freshet, "run.log", &mut run);
    until("hostile posts and accounts are stored", SOON, || {
        let status = http::get(&base, "/api/v1/status");
        let (posts, relations) = (status["posts_count"].as_u64(), status["relations_count"].as_u64());
        (posts >= Some(10) && relations >= Some(5)).then_some(())
    });
    let mut browser = Chromium::start(&program);
    for path in pages(&base) {
        browser.take_events();
        browser.show_as(DESK.0, DESK.1, false);
        browser.open(&format!("{base}{path}"));
        check_inert(&mut browser, &path);
        check_quiet(&mut browser, &base, &path);
        browser.show_as(PHONE.0, PHONE.1, true);
        check_width(&mut browser, PHONE.0, &path);
    }
    // Typed into a page, they come back as they were typed.
    for text in texts().iter().filter(|text| text.len() < 200) {
        for (path, name) in [("/sources", "q"), ("/posts", "author")] {
            let asked: String = url::form_urlencoded::byte_serialize(text.as_bytes()).collect();
            browser.open(&format!("{base}{path}?{name}={asked}"));
            check_inert(&mut browser, &format!("{path}?{name}={text}"));
        }
    }
}

/// Crawls the server, with the robots that find names; a forum with hostile threads lies beside it.
fn crawl(freshet: &Freshet, server: &Server) -> Process {
    freshet.ok(&["init"]);
    let list = ListDefinition { urls: vec![format!("/t/*{}", texts()[0])], ..ListDefinition::default() };
    let forum = ForumDefinition {
        format: 1,
        host: "forum.example".to_owned(),
        front: Some("https://forum.example/".to_owned()),
        index: Some(list.clone()),
        post: Some(list),
        ..ForumDefinition::default()
    };
    let folder = freshet.data().join("networks");
    std::fs::create_dir_all(&folder).expect("a folder for definitions");
    std::fs::write(folder.join(format!("{FORUM}.toml")), forum.to_toml())
        .expect("a definition can be written");
    freshet.ok(&["add", "--allow-private", &format!("{}/@eve", server.base)]);
    let mut store = testing::open(&freshet.data().join("store.sqlite"));
    let network = NetworkName::from(FORUM);
    let thread = |(at, text): (usize, &String)| {
        let (endpoint, robot, kind) = if at % 2 == 0 {
            ("posts", RobotKind::Comment, "thread")
        } else {
            ("threads", RobotKind::Status, "board")
        };
        let mut source = Source::new(&network, endpoint, robot, kind, &format!("/t/{at}"));
        source.handle = Some(text.clone());
        source.failure = Some(text.chars().take(500).collect());
        // Shown, and never asked for.
        source.state = freshet_types::SourceState::Paused;
        source
    };
    let threads: Vec<Source> = texts().iter().enumerate().map(thread).collect();
    store.add_sources(&threads).expect("threads can be added");
    drop(store);
    for robot in ["relation", "comment", "tag"] {
        freshet.ok(&["robots", "start", robot]);
    }
    freshet.start(&["run", "--headless", "--depth", "1", "--listen", "127.0.0.1:0"], "run.log")
}

/// Every page that shows what somebody else wrote.
fn pages(base: &str) -> Vec<String> {
    let list = |path: &str, key: &str, of: &str| -> Vec<String> {
        let found = http::get(base, path);
        found[key].as_array().into_iter().flatten().map(|it| it[of].to_string()).collect()
    };
    let posts = list("/api/v1/posts", "posts", "post");
    let sources = list("/api/v1/sources?sort=visited", "sources", "source");
    let fixed = [
        "/",
        "/sources",
        "/sources?sort=name",
        "/posts",
        "/posts?q=script",
        "/graph",
        "/robots",
        "/networks",
    ];
    let more = ["/forums", "/alerts", "/settings", "/experiments", "/sources/add"];
    let mut pages: Vec<String> = fixed.iter().chain(&more).map(ToString::to_string).collect();
    pages.push(format!("/forums/{FORUM}"));
    pages.extend(posts.iter().map(|post| format!("/posts/{post}")));
    pages.extend(posts.iter().take(2).map(|post| format!("/graph?at={post}")));
    pages.extend(sources.iter().take(8).map(|source| format!("/sources/{source}")));
    pages
}

fn check_inert(browser: &mut Chromium, path: &str) {
    assert_eq!(browser.value(&format!("window.{FLAG} ?? null")), Value::Null, "{path}: something ran");
    let found = browser.value(FOUND);
    assert_eq!(found, json!({ "strange": [], "turned": [] }), "{path}");
    let size = browser.value("document.documentElement.outerHTML.length").as_u64();
    assert!(size < Some(PAGE_BYTES_MAX), "{path} is {size:?} long");
}
