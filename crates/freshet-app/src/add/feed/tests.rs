//! A small site on this computer, asked for its feed.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};

use super::*;
use crate::config::Config;

const FEED: &str =
    "<rss version='2.0'><channel><title>T</title><item><guid>1</guid><title>A</title></item></channel></rss>";

/// A path, the type of what is there, and what is there.
type Answer = (&'static str, &'static str, &'static str);

/// A site of these pages; whatever else is asked for is not there.
struct Site {
    base: String,
    /// The paths that were asked for.
    asked: Arc<Mutex<Vec<String>>>,
}

fn site_of(pages: Vec<Answer>) -> Site {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has a free port");
    let base = format!("http://{}", listener.local_addr().expect("it listens"));
    let asked = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&asked);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut bytes = [0; 4096];
            let count = stream.read(&mut bytes).unwrap_or(0);
            let head = String::from_utf8_lossy(&bytes[..count]).into_owned();
            let path = head.split_whitespace().nth(1).unwrap_or_default().to_owned();
            let page = pages.iter().find(|(at, ..)| *at == path);
            let (status, kind, body) =
                page.map_or((404, "text/html", "no"), |(_, kind, body)| (200, kind, body));
            let answer = format!(
                "HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            told.lock().expect("nobody panics with it").push(path);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    Site { base, asked }
}

/// What is found of the front page of a site: `feed …`, `spare …`, `vain …` or nothing; and how many requests that took.
fn check(pages: &[Answer], allow_private: bool, expected: &str, requests_max: usize) {
    let site = site_of(pages.to_vec());
    let dir = tempfile::tempdir().expect("there is room");
    let globals = Globals {
        data_dir: dir.path().join("data"),
        store: None,
        clock: None,
        viewer: None,
        verbosity: 0,
        config: Config::default(),
    };
    let text = format!("{}/", site.base);
    let args = AddWish { references: vec![text.clone()], allow_private, ..AddWish::default() };
    let found = find(&globals, &Networks::shipped(), &args).expect("it is asked");
    let shown =
        |name: &str, feed: &FoundFeed| format!("{name} {} others {}", feed.feed, feed.others.join(" "));
    let feed = found.feeds.get(&text).map(|feed| shown("feed", feed));
    let spare = || found.spare.get(&text).map(|feed| shown("spare", feed));
    let vain = || found.vain.get(&text).map(|why| format!("vain {why}"));
    let told = feed.or_else(spare).or_else(vain).unwrap_or_default().replace(&site.base, "");
    assert_eq!(told.trim_end(), expected);
    let asked = site.asked.lock().expect("nobody panics with it");
    assert!(asked.len() <= requests_max, "{asked:?}");
    assert!(!globals.data_dir.exists(), "nothing is stored");
}

#[test]
fn a_page_offers_its_feed() {
    let offers = "<html><head><link rel='alternate' type='application/json+oembed' href='/o'><link rel=alternate type='application/rss+xml' href='news'>\
                  <link rel='alternate' type='application/feed+json' href='/j'></head><body>Bread</body></html>";
    check(
        &[("/", "text/html", offers), ("/news", "application/rss+xml", FEED)],
        true,
        "feed /news others /j",
        3,
    );
}

#[test]
fn a_feed_is_one_whatever_its_address_and_type() {
    check(&[("/", "text/html", FEED)], true, "feed / others", 2);
}

#[test]
fn usual_places_are_tried_where_a_page_offers_nothing() {
    let plain = "<html><body>Bread <a href='/forum'>forum</a></body></html>";
    check(&[("/", "text/html", plain), ("/atom.xml", "text/xml", FEED)], true, "feed /atom.xml others", 5);
    let why =
        "vain its page offers no feed, and there is none at /feed, /rss, /atom.xml, /index.xml, /feed.xml";
    check(&[("/", "text/html", plain)], true, why, 7);
}

#[test]
fn a_forum_is_tried_as_one_first() {
    let front = "<html><head><link rel='alternate' type='application/atom+xml' href='/f'></head><body>\
                 <a href='/viewforum?f=1'>a</a><a href='/viewforum?f=2'>b</a><a href='/viewforum?f=3'>c</a>\
                 <a href='/viewtopic?t=4'>d</a><a href='/viewtopic?t=5'>e</a></body></html>";
    check(&[("/", "text/html", front), ("/f", "text/xml", FEED)], true, "spare /f others", 3);
}

#[test]
fn nothing_is_asked_that_is_private_or_excluded() {
    check(&[("/", "text/html", FEED)], false, "", 0);
    check(
        &[("/", "text/html", FEED), ("/robots.txt", "text/plain", "User-agent: *\nDisallow: /\n")],
        true,
        "",
        1,
    );
}
