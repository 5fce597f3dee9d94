//! Every button and link of every page, pressed: what it promises happens, in the store and on the next page.
//!
//! That none is left out is judged in [`super::pressable`]; what only an empty or locked dashboard shows is
//! pressed in [`super::quiet`].

use serde_json::{Value, json};

use super::chromium::Chromium;
use super::look::{check_accessible, check_quiet};
use super::scene::{Scene, WATCHED, authors};
use super::{DESK, SOON};
use crate::support::{http, until};

/// Somebody who is not there.
const NOBODY: &str = "nobody_of_this_name";

/// Numbers move by themselves, and what people press happens.
pub(crate) fn check_buttons(scene: &Scene, browser: &mut Chromium) {
    browser.show_as(DESK.0, DESK.1, false);
    browser.open(&format!("{}/", scene.base));
    let shown = "document.querySelector('[data-live=fetches]').textContent";
    let before = browser.value(shown);
    until("the number of calls moves", SOON, || (browser.value(shown) != before).then_some(()));
    assert_eq!(browser.value("document.querySelector('.state').textContent"), json!("running"));

    browser.open(&format!("{}/robots", scene.base));
    browser.press("button[aria-label='pause user']");
    until("the robot is paused", SOON, || {
        (http::get(&scene.base, "/api/v1/status")["robots"]["user"] == "paused").then_some(())
    });
    browser.press("button[aria-label='resume user']");

    let sources = http::get(&scene.base, "/api/v1/sources?robot=status&network=mastodon");
    let source = sources["sources"][0]["source"].to_string();
    let state = || http::get(&scene.base, &format!("/api/v1/sources/{source}"));
    browser.open(&format!("{}/sources/{source}", scene.base));
    browser.value("document.querySelector('[name=every]').value = '15m'");
    browser.press("form[action$='/pin'] button");
    until("it is pinned", SOON, || (state()["pinned_s"] == json!(900.0)).then_some(()));
    browser.press("form[action$='/pause'] button");
    until("it is paused", SOON, || (state()["state"] == "paused").then_some(()));
    assert_eq!(scene.freshet.json(&["status"])["sources"]["paused"], json!(1));
    browser.press("form[action$='/watch'] button");
    until("it is watched", SOON, || (state()["state"] == "active").then_some(()));

    browser.open(&format!("{}/graph", scene.base));
    let first = browser.value("location.href");
    browser.press(".graph a");
    assert_ne!(browser.value("location.href"), first, "a link of the picture is followed");

    browser.open(&format!("{}/experiments", scene.base));
    browser.value("document.querySelector('[value=hash]').checked = true");
    browser.press("form[action='/experiments'] button.main");
    until("the backtest is done", SOON * 2, || {
        let shown = http::get(&scene.base, "/api/v1/experiment");
        assert_eq!(shown["ended"], Value::Null, "{shown}");
        (shown["is_running"] == false && shown["done_count"] == json!(3)).then_some(())
    });
}

/// Presses all that the first look at the buttons has not.
pub(crate) fn press_all(scene: &Scene, browser: &mut Chromium, axe: &str) {
    browser.take_events();
    press_frame(scene, browser);
    press_add(scene, browser, axe);
    press_sources(scene, browser);
    press_source(scene, browser);
    press_posts(scene, browser);
    press_post(scene, browser);
    press_graph(scene, browser);
    press_forums(scene, browser);
    press_networks(scene, browser);
    press_credentials(scene, browser);
    press_alerts(scene, browser);
    press_experiments(scene, browser);
    press_robots(scene, browser);
    press_overview(scene, browser);
    press_plan(scene, browser);
    press_complaints(scene, browser);
    press_subscriptions(scene, browser);
    press_care(scene, browser);
    press_settings(scene, browser);
}

/// Texts of all elements of a selector.
fn texts(browser: &mut Chromium, selector: &str) -> Vec<String> {
    let found = browser
        .value(&format!("[...document.querySelectorAll({})].map((it) => it.textContent)", json!(selector)));
    serde_json::from_value(found).expect("texts")
}

/// The page says this.
pub(crate) fn check_says(browser: &mut Chromium, words: &str) {
    let said = browser.value("document.querySelector('main')?.textContent");
    let said = said.as_str().unwrap_or_default();
    assert!(said.contains(words), "`{words}` is not on the page\n{said}");
}

/// What stands around every page.
fn press_frame(scene: &Scene, browser: &mut Chromium) {
    browser.open(&format!("{}/settings", scene.base));
    browser.press_here("a.skip");
    assert_eq!(browser.value("location.hash"), json!("#main"));
    browser.press("a.brand");
    let pages = browser.value("[...document.querySelectorAll('nav a')].map((it) => it.getAttribute('href'))");
    let pages: Vec<String> = serde_json::from_value(pages).expect("a menu");
    for page in &pages {
        browser.press(&format!("nav a[href='{page}']"));
        assert_eq!(
            browser.value("document.querySelector('nav [aria-current]').getAttribute('href')"),
            json!(page)
        );
        check_quiet(browser, &scene.base, page);
    }
    for link in ["footer a[href='/metrics']", "footer a[href='/api/v1/openapi.json']"] {
        browser.press(link);
        assert!(browser.value("document.body.textContent.length").as_u64() > Some(1000), "{link}");
        browser.open(&format!("{}/nowhere", scene.base));
    }
    check_says(browser, "no such page");
    browser.press("main a[href='/']");
    // What is not there is an error of the console, and meant to be.
    browser.take_events();
}

/// First what would be added is shown, then it is added.
fn press_add(scene: &Scene, browser: &mut Chromium, axe: &str) {
    scene.freshet.ok(&["robots", "stop", "user"]);
    let author = authors(&scene.world)[WATCHED].clone();
    let base = &scene.world.base;
    browser.open(&format!("{}/sources/add", scene.base));
    browser.fill("[name=references]", &format!("{base}/@{author}\nno such thing\n{base}/@{NOBODY}"));
    browser.fill("[name=allow_private]", "on");
    browser.press("form.stack button");
    check_says(browser, "2 of 3 are understood");
    check_accessible(browser, axe, "a preview");
    let is_there = || {
        let found = http::get(&scene.base, &format!("/api/v1/sources?q={NOBODY}"));
        found["count"].as_u64() > Some(0)
    };
    assert!(!is_there(), "a preview adds nothing");
    assert_eq!(
        browser.value("document.querySelector('[name=allow_private][type=checkbox]').checked"),
        json!(true)
    );
    browser.press("button.main");
    check_says(browser, "1 not understood");
    check_accessible(browser, axe, "what was added");
    assert!(is_there(), "now it is added");
    browser.press("main p.bad a[href='/robots']");
    browser.press("button[aria-label='start user']");
    // The same again adds nothing, and leads back to the list.
    browser.open(&format!("{}/sources/add", scene.base));
    browser.fill("[name=references]", &format!("{base}/@{author}"));
    browser.fill("[name=allow_private]", "on");
    browser.press("form.stack button");
    browser.press("button.main");
    check_says(browser, "0 added");
    browser.press("main p.good a[href='/sources']");
    assert_eq!(browser.value("location.pathname"), json!("/sources"));
    check_quiet(browser, &scene.base, "add");
}

/// Search, filter, order, and pages of the list.
fn press_sources(scene: &Scene, browser: &mut Chromium) {
    for order in ["name", "due", "visited", "number"] {
        browser.press(&format!("thead a[href$='sort={order}']"));
        let current = browser.value("document.querySelector('thead [aria-current]').getAttribute('href')");
        assert!(current.as_str().unwrap_or_default().ends_with(&format!("sort={order}")), "{current}");
    }
    let numbers = texts(browser, "tbody td:first-child");
    let numbers: Vec<u64> = numbers.iter().map(|it| it.parse().expect("a number")).collect();
    assert!(numbers.is_sorted() && numbers.len() == 50, "{numbers:?}");
    browser.press("a[rel=next]");
    check_says(browser, "Page 2");
    browser.press("a[rel=prev]");
    check_says(browser, "Page 1");
    let author = authors(&scene.world)[0].clone();
    browser.fill("[name=q]", &author);
    browser.fill("[name=robot]", "status");
    browser.fill("[name=state]", "active");
    browser.press("form.filters button");
    assert!(texts(browser, "tbody tr").iter().all(|row| row.contains(&author) && row.contains("status")));
    assert_eq!(browser.value("document.querySelector('[name=robot]').value"), json!("status"));
    for link in [".empty a[href='/sources']", ".empty a[href='/sources/add']"] {
        browser.open(&format!("{}/sources?q=zzzzzzzz", scene.base));
        check_says(browser, "No source matches");
        browser.press(link);
    }
    browser.open(&format!("{}/sources", scene.base));
    browser.press("main a[href='/sources/add']");
    browser.press("nav a[href='/sources']");
    browser.press("tbody a");
    assert!(browser.value("location.pathname").as_str().unwrap_or_default().starts_with("/sources/"));
    check_quiet(browser, &scene.base, "sources");
}

/// Its links, and letting it go: unpinned, removed, watched again.
fn press_source(scene: &Scene, browser: &mut Chromium) {
    let sources = http::get(&scene.base, "/api/v1/sources?robot=status&network=mastodon&sort=visited");
    let source = sources["sources"][0]["source"].to_string();
    let about = || http::get(&scene.base, &format!("/api/v1/sources/{source}"));
    let page = format!("{}/sources/{source}", scene.base);
    for link in ["main a[href^='/graph?at=']", "main a[href^='/posts?network=']"] {
        browser.open(&page);
        browser.press(link);
        check_says(browser, "");
    }
    browser.open(&page);
    browser.fill("[name=every]", "15m");
    browser.press("form.filters button");
    check_says(browser, "pinned to 15m 00s");
    browser.press("button.quiet:not(header *)");
    assert_eq!(about()["pinned_s"], Value::Null);
    browser.fill("[name=weight]", "2.5");
    browser.press("form[action$='/weight'] button");
    check_says(browser, "Its weight was changed");
    assert_eq!(about()["counts"]["weight"], 2.5);
    browser.press("form[action$='/remove'] button");
    check_says(browser, "It is removed");
    assert_eq!(about()["state"], "removed");
    browser.press("form[action$='/watch'] button");
    assert_eq!(about()["state"], "active");
    let replies = http::get(&scene.base, "/api/v1/sources?robot=comment&network=mastodon&sort=visited");
    browser.open(&format!("{}/sources/{}", scene.base, replies["sources"][0]["source"]));
    browser.press("main a[href^='/posts/']");
    check_says(browser, "Post of");
    check_quiet(browser, &scene.base, "source");
}

/// Search and filters; the query as a file; pages.
fn press_posts(scene: &Scene, browser: &mut Chromium) {
    browser.open(&format!("{}/posts?network=mastodon", scene.base));
    browser.press("article a[rel~=noopener]");
    assert!(browser.value("location.href").as_str().unwrap_or_default().starts_with(&scene.world.base));
    browser.open(&format!("{}/posts", scene.base));
    browser.press("a[rel=next]");
    browser.press("a[rel=prev]");
    let found = http::get(&scene.base, "/api/v1/posts?network=mastodon");
    let letters = |word: &&str| word.len() > 3 && word.chars().all(|it| it.is_ascii_alphabetic());
    // Some people of the world write without spaces between words.
    let word = |post: &Value| post["shown"].as_str()?.split_whitespace().find(letters).map(str::to_owned);
    let posts = found["posts"].as_array().into_iter().flatten();
    let (post, word) = { posts }.find_map(|post| Some((post, word(post)?))).expect("a post with words");
    let author = post["author"].as_str().unwrap_or_default().to_owned();
    browser.fill("[name=q]", &word);
    browser.fill("[name=author]", &author);
    browser.fill("[name=since]", "400d");
    browser.press("form.filters button");
    let shown = texts(browser, "article .by strong");
    assert!(!shown.is_empty() && shown.iter().all(|it| *it == author), "{shown:?}");
    browser.press_here("a[download='posts.jsonl']");
    let file = browser.downloads().join("posts.jsonl");
    let lines =
        until("the file arrives", SOON, || std::fs::read_to_string(&file).ok().filter(|it| !it.is_empty()));
    let lines: Vec<Value> =
        lines.lines().map(|it| serde_json::from_str(it).expect("a line is JSON")).collect();
    assert!(lines.len() >= shown.len() && lines.iter().all(|it| it["native_id"].is_string()), "{lines:?}");
    browser.take_events();
    browser.open(&format!("{}/posts?network=mastodon", scene.base));
    browser.press("article a[href^='/posts/']");
    check_says(browser, "History");
    browser.open(&format!("{}/posts?network=mastodon", scene.base));
    browser.press("article .by a");
    let by = texts(browser, "article .by strong");
    assert!(!by.is_empty() && by.iter().all(|it| *it == by[0]), "all by one author: {by:?}");
    check_quiet(browser, &scene.base, "posts");
}

/// What a post leads to.
fn press_post(scene: &Scene, browser: &mut Chromium) {
    let find = |key: &str| {
        until(&format!("a post with `{key}`"), SOON, || {
            (1..20).find_map(|page| {
                let list = http::get(&scene.base, &format!("/api/v1/posts?network=mastodon&page={page}"));
                list["posts"].as_array().into_iter().flatten().find_map(|post| {
                    let one = http::get(&scene.base, &format!("/api/v1/posts/{}", post["post"]));
                    one[key].is_u64().then(|| one["post"].to_string())
                })
            })
        })
    };
    let (answer, repost) = (find("reply_to_post"), find("repost_of_post"));
    for (post, link) in [
        (&answer, "dd a[rel~=noopener]"),
        (&answer, "main a[href^='/graph?at=']"),
        (&answer, "dd a[href^='/posts?network=']"),
        (&answer, "dd a[href^='/posts/']"),
        (&repost, "dd a[href^='/posts/']"),
    ] {
        browser.open(&format!("{}/posts/{post}", scene.base));
        browser.press(link);
    }
    browser.take_events();
}

/// What is asked for stands in the middle, and leads on.
fn press_graph(scene: &Scene, browser: &mut Chromium) {
    let author = authors(&scene.world)[0].clone();
    browser.open(&format!("{}/graph", scene.base));
    browser.fill("[name=at]", &author);
    browser.press("form.filters button");
    check_says(browser, &author);
    browser.press("p.note a[href^='/graph?at=']");
    browser.press("p a[href^='/posts?network=']");
    let post = http::get(&scene.base, "/api/v1/posts?network=mastodon")["posts"][0]["post"].to_string();
    browser.open(&format!("{}/graph?at={post}", scene.base));
    browser.press("tbody a");
    browser.open(&format!("{}/graph?at={post}", scene.base));
    browser.press("p a[href^='/posts/']");
    check_says(browser, "History");
    check_quiet(browser, &scene.base, "graph");
}

fn press_forums(scene: &Scene, browser: &mut Chromium) {
    browser.open(&format!("{}/forums", scene.base));
    browser.press("tbody a");
    let forum = browser.value("location.href");
    let forum = forum.as_str().expect("an address").to_owned();
    browser.press("a[rel=next]");
    check_says(browser, "Page 2");
    browser.press("a[rel=prev]");
    browser.press(".switch a[href='?only=lacking']");
    assert_eq!(texts(browser, ".switch [aria-current]"), ["only those that are not"]);
    browser.press(".switch a[href='?only=']");
    for link in [
        "p a[rel~=noopener]",
        "p a[href^='/sources?network=']",
        "p a[href^='/posts?network=']",
        "section[aria-labelledby=boards] tbody a",
        "section[aria-labelledby=threads] tbody a",
    ] {
        browser.open(&forum);
        browser.press(link);
    }
    browser.take_events();
}

fn press_networks(scene: &Scene, browser: &mut Chromium) {
    browser.open(&format!("{}/networks", scene.base));
    browser.press("section[aria-labelledby=servers] tbody a");
    assert!(!texts(browser, "tbody tr").is_empty(), "the sources of a server");
    browser.open(&format!("{}/networks", scene.base));
    browser.press("a[href='/networks/mastodon']");
    browser.press("main a[href^='/sources?network=']");
    check_quiet(browser, &scene.base, "networks");
}

/// A secret goes into the encrypted file and is never seen again.
fn press_credentials(scene: &Scene, browser: &mut Chromium) {
    const SECRET: &str = "secret-of-the-browser-test";
    browser.open(&format!("{}/networks", scene.base));
    browser.value("document.querySelector('details').open = true");
    for (field, text) in [
        ("network", "mastodon:b.example"),
        ("name", "mine"),
        ("secret", SECRET),
        ("passphrase", "open sesame"),
    ] {
        browser.fill(&format!("form.stack [name={field}]"), text);
    }
    browser.press("form[action='/credentials'] button");
    check_says(browser, "The credential was added");
    let page = browser.value("document.documentElement.outerHTML");
    assert!(!page.as_str().unwrap_or_default().contains(SECRET), "it is shown");
    press_viewer(scene, browser);
    browser.open(&format!("{}/networks", scene.base));
    browser.fill("form[action$='/remove'] [name=passphrase]", "wrong");
    browser.press("form[action$='/remove'] button");
    check_says(browser, "passphrase");
    browser.open(&format!("{}/networks", scene.base));
    browser.fill("form[action$='/remove'] [name=passphrase]", "open sesame");
    browser.press("form[action$='/remove'] button");
    check_says(browser, "The credential was removed");
    // A refusal is an error of the console, and meant to be.
    browser.take_events();
}

/// The owner looks as somebody who has a credential, and as everybody again.
fn press_viewer(scene: &Scene, browser: &mut Chromium) {
    let mut add = scene.freshet.command(&["add", "@nina@b.example", "--as", "mine"]);
    let said = add.env("FRESHET_PASSPHRASE", "open sesame").output().expect("the program can be started");
    assert!(said.status.success(), "{said:?}");
    browser.open(&format!("{}/settings", scene.base));
    browser.press("main a[href='/?as=mine']");
    let shown = "document.querySelector('.state').textContent";
    assert_eq!(browser.value(shown), json!("as mine · as everybody"));
    browser.open(&format!("{}/sources?q=nina", scene.base));
    check_says(browser, "nina");
    browser.press("a[href='?as=']");
    assert_ne!(browser.value(shown), json!("as mine · as everybody"));
    let everybody = http::get(&scene.base, "/api/v1/sources?q=nina");
    assert_eq!(everybody["sources"], json!([]), "what is watched as somebody is shown to nobody else");
}

/// A test reaches the receiver, and the page says so.
fn press_alerts(scene: &Scene, browser: &mut Chromium) {
    browser.open(&format!("{}/alerts", scene.base));
    browser.press("form[action='/alerts/test/hook'] button");
    check_says(browser, "was asked to send a test");
    let heard = until("the test arrives", SOON, || {
        scene.told.try_iter().find(|heard| heard.contains("\"is_test\":true"))
    });
    assert!(heard.starts_with("POST / "), "{heard}");
    until("the page says who took it", SOON, || {
        browser.open(&format!("{}/alerts", scene.base));
        let said = browser.value("document.querySelector('main').textContent");
        said.as_str().is_some_and(|said| said.contains("hook took it")).then_some(())
    });
    check_quiet(browser, &scene.base, "alerts");
}

/// A long backtest is cancelled.
fn press_experiments(scene: &Scene, browser: &mut Chromium) {
    browser.open(&format!("{}/experiments", scene.base));
    // So many calls that it would take minutes.
    browser.fill("[name=calls_per_hour]", "1000000");
    browser.press("form[action='/experiments'] button.main");
    browser.press("form[action='/experiments/cancel'] button");
    until("it ends", SOON, || {
        let shown = http::get(&scene.base, "/api/v1/experiment");
        (shown["is_running"] == false).then(|| assert_eq!(shown["ended"], "it was cancelled"))
    });
    check_quiet(browser, &scene.base, "experiments");
}

fn press_robots(scene: &Scene, browser: &mut Chromium) {
    browser.open(&format!("{}/robots", scene.base));
    browser.press("button[aria-label='stop tag']");
    browser.press("button[aria-label='start tag']");
    browser.press("[data-part] tbody a");
    check_quiet(browser, &scene.base, "robots");
}

/// The switch of the charts.
fn press_overview(scene: &Scene, browser: &mut Chromium) {
    browser.open(&format!("{}/", scene.base));
    browser.press("a[href='/?over=week']");
    assert_eq!(texts(browser, ".switch [aria-current]"), ["last week"]);
    browser.press(".switch a[href='/']");
    assert_eq!(texts(browser, ".switch [aria-current]"), ["last half hour"]);
    check_quiet(browser, &scene.base, "overview");
}

/// What could not be used of answers.
fn press_complaints(scene: &Scene, browser: &mut Chromium) {
    browser.open(&format!("{}/", scene.base));
    browser.press("main a[href='/complaints']");
    check_says(browser, "What could not be used of answers");
    check_says(browser, "the day before yesterday");
    browser.press("main a[href^='/complaints?network=rss']");
    check_says(browser, "Show all");
    browser.press("main a[href='/complaints']");
    browser.press("main a[href^='/sources/']");
    check_says(browser, "/tides.xml");
    check_quiet(browser, &scene.base, "complaints");
}

/// Who gets changes.
fn press_subscriptions(scene: &Scene, browser: &mut Chromium) {
    scene.freshet.ok(&["subscriptions", "add", "news", "--", "cat"]);
    browser.open(&format!("{}/", scene.base));
    browser.press("nav a[href='/subscriptions']");
    browser.press("button[aria-label='pause news']");
    check_says(browser, "paused");
    browser.press("button[aria-label='resume news']");
    browser.press("button[aria-label='remove news']");
    check_says(browser, "Nobody is told of changes");
    check_quiet(browser, &scene.base, "subscriptions");
}

/// What is kept of whom, and who has to hear of what is not.
fn press_care(scene: &Scene, browser: &mut Chromium) {
    // It takes nothing, so it is behind for as long as it is there.
    scene.freshet.ok(&[
        "subscriptions",
        "add",
        "late",
        "--kinds",
        "deletions",
        "--from",
        "beginning",
        "--",
        "false",
    ]);
    browser.open(&format!("{}/", scene.base));
    browser.press("nav a[href='/care']");
    check_says(browser, "a person watches it");
    browser.press("main a[href='/subscriptions']");
    browser.press("button[aria-label='remove late']");
    check_quiet(browser, &scene.base, "care");
}

/// What more calls would bring.
fn press_plan(scene: &Scene, browser: &mut Chromium) {
    browser.open(&format!("{}/", scene.base));
    browser.press("main a[href='/plan']");
    check_says(browser, "calls an hour bring a mean lag of");
    browser.press("main a[href^='?calls_per_hour=']");
    browser.fill("[name=calls_per_hour]", "");
    browser.fill("[name=lag]", "30m");
    browser.press("form.filters button");
    assert_eq!(browser.value("document.querySelector('[name=lag]').value"), json!("30m"));
    check_quiet(browser, &scene.base, "plan");
}

/// A budget and a constraint come and go.
fn press_settings(scene: &Scene, browser: &mut Chromium) {
    browser.open(&format!("{}/settings", scene.base));
    browser.fill("[name=scope]", "all");
    browser.fill("[name=rate]", "1000/s");
    browser.press("form[action='/budgets'] button");
    check_says(browser, "1000/s");
    let budgets = scene.freshet.json(&["budget", "list"]);
    assert_eq!(budgets["budgets"][0]["rate"], "1000/s", "{budgets}");
    browser.press("form[action='/budgets/remove'] button");
    let budgets = scene.freshet.json(&["budget", "list"]);
    assert_ne!(budgets["budgets"][0]["scope"], "all", "{budgets}");
    browser.fill("[name=expression]", "size(post.text) < 9000");
    browser.press("form[action='/constraints'] button");
    check_says(browser, "size(post.text) < 9000");
    let rules = scene.freshet.json(&["constraints", "list"]);
    assert_eq!(rules["constraints"].as_array().map(Vec::len), Some(1), "{rules}");
    browser.press("form[action^='/constraints/'] button");
    check_says(browser, "everything is wanted");
    check_quiet(browser, &scene.base, "settings");
}
