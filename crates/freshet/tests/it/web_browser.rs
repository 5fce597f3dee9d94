//! The dashboard in a browser that nobody here wrote: every page opens without an error and without asking
//! another host, its buttons work, its numbers move, and the accessibility checks of axe-core find nothing
//! serious. With `FRESHET_SCREENSHOTS` set to a folder, it leaves pictures of every page there.
//!
//! The API is asked thousands of odd questions by schemathesis, from its own description: none may
//! make it fail inside.

mod chromium;

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use self::chromium::Chromium;
use crate::support::freshet::{Freshet, bare};
use crate::support::process::{Process, free_port};
use crate::support::world::{SPEED, World};
use crate::support::{http, need, provided, until};

/// A busy machine may need a while.
const SOON: Duration = Duration::from_mins(1);
/// Longest that odd questions are asked.
const FUZZ_MAX: Duration = Duration::from_mins(4);
/// Widths and heights of a desk and of a phone.
const DESK: (u32, u32) = (1100, 800);
const PHONE: (u32, u32) = (390, 844);
/// Longest picture: more is scrolled by nobody.
const PICTURE_MAX: u32 = 1300;

/// A crawl of a small world with a forum in it, and its dashboard.
struct Scene {
    base: String,
    freshet: Freshet,
    _run: Process,
    _forum: Process,
    _world: World,
}

impl Scene {
    fn start() -> Self {
        let world = World::start(24);
        let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
        freshet.ok(&["init"]);
        let forum = serve_forum(&freshet, &world);
        let mut authors: Vec<String> =
            world.truth().iter().map(|post| post["author"].as_str().expect("an author").to_owned()).collect();
        authors.sort();
        authors.dedup();
        let mut args = vec!["add".to_owned(), "--allow-private".to_owned()];
        args.extend(authors.iter().take(16).map(|author| format!("{}/@{author}", world.base)));
        freshet.ok(&args.iter().map(String::as_str).collect::<Vec<_>>());
        freshet.ok(&["add", "--allow-private", "--as", "forum", &forum.1]);
        for robot in ["relation", "comment", "tag"] {
            freshet.ok(&["robots", "start", robot]);
        }
        let args = ["run", "--headless", "--depth", "1", "--ceiling", "20m", "--listen", "127.0.0.1:0"];
        let mut run = freshet.start(&args, "run.log");
        let base = until("the dashboard says where it is", SOON, || {
            let said = std::fs::read_to_string(freshet.folder().join("run.log")).unwrap_or_default();
            assert!(run.status().is_none(), "it ended by itself:\n{said}");
            said.lines().find_map(|line| line.strip_prefix("dashboard: ")).map(str::to_owned)
        });
        let base = base.trim_end_matches('/').to_owned();
        until("news are measured and posts of the forum are there", SOON * 2, || {
            let status = http::get(&base, "/api/v1/status");
            let forums = http::get(&base, "/api/v1/forums");
            let is_ready = status["lag_s"].is_object()
                && status["relations_count"].as_u64() > Some(5)
                && forums["forums"][0]["complete_count"].as_u64() > Some(3);
            is_ready.then_some(())
        });
        Self { base, freshet, _run: run, _forum: forum.0, _world: world }
    }

    /// Pages as a person meets them: name of the picture, path.
    fn pages(&self) -> Vec<(&'static str, String)> {
        let sources = http::get(&self.base, "/api/v1/sources?robot=status&sort=visited&network=mastodon");
        let source = sources["sources"][0]["source"].to_string();
        let account = http::get(&self.base, &format!("/api/v1/sources/{source}"))["object"].to_string();
        let post = http::get(&self.base, "/api/v1/posts?network=mastodon")["posts"][0]["post"].to_string();
        let forum = http::get(&self.base, "/api/v1/forums")["forums"][0]["name"].clone();
        let forum = forum.as_str().expect("a forum").to_owned();
        vec![
            ("overview", "/".to_owned()),
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
            ("settings", "/settings".to_owned()),
        ]
    }
}

/// A forum of three boards that lives at the pace of the world; its address.
fn serve_forum(freshet: &Freshet, world: &World) -> (Process, String) {
    let now = http::get(&world.base, "/clock")["now"].as_f64().expect("a time") as i64;
    let mut lines = String::new();
    for thread in 0..36_i64 {
        for post in 0..12_i64 {
            let at = now - 20 * 86_400 + thread * 40_000 + post * (3_000 + thread * 211);
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

#[test]
fn every_page_works_in_a_browser() {
    let Some([program, axe]) =
        need("every_page_works_in_a_browser", ["FRESHET_TEST_CHROMIUM", "FRESHET_TEST_AXE"])
    else {
        return;
    };
    let scene = Scene::start();
    let mut browser = Chromium::start(&program);
    check_buttons(&scene, &mut browser);
    let axe = std::fs::read_to_string(axe).expect("axe-core can be read");
    browser.show_as(DESK.0, DESK.1, false);
    for (name, path) in scene.pages() {
        browser.take_events();
        browser.open(&format!("{}{path}", scene.base));
        check_accessible(&mut browser, &axe, name);
        check_quiet(&mut browser, &scene.base, name);
        // Nothing is wider than a phone.
        browser.show_as(PHONE.0, PHONE.1, true);
        browser.open(&format!("{}{path}", scene.base));
        check_accessible(&mut browser, &axe, &format!("{name}, dark, on a phone"));
        let width = browser.value("document.documentElement.scrollWidth");
        assert!(width.as_u64() <= Some(u64::from(PHONE.0)), "{name} is {width} wide on a phone");
        browser.show_as(DESK.0, DESK.1, false);
    }
    if let Some(folder) = provided("FRESHET_SCREENSHOTS") {
        take_pictures(&scene, &mut browser, &folder);
    }
}

/// Numbers move by themselves, and what people press happens.
fn check_buttons(scene: &Scene, browser: &mut Chromium) {
    browser.show_as(DESK.0, DESK.1, false);
    browser.open(&format!("{}/", scene.base));
    let shown = "document.querySelector('[data-live=fetches]').textContent";
    let before = browser.value(shown);
    until("the number of calls moves", SOON, || (browser.value(shown) != before).then_some(()));
    assert_eq!(browser.value("document.querySelector('.state').textContent"), json!("running"));

    browser.open(&format!("{}/robots", scene.base));
    press(browser, "button[aria-label='pause user']");
    until("the robot is paused", SOON, || {
        (http::get(&scene.base, "/api/v1/status")["robots"]["user"] == "paused").then_some(())
    });
    press(browser, "button[aria-label='resume user']");

    let sources = http::get(&scene.base, "/api/v1/sources?robot=status&network=mastodon");
    let source = sources["sources"][0]["source"].to_string();
    let state = || http::get(&scene.base, &format!("/api/v1/sources/{source}"));
    browser.open(&format!("{}/sources/{source}", scene.base));
    browser.value("document.querySelector('[name=every]').value = '15m'");
    press(browser, "form[action$='/pin'] button");
    until("it is pinned", SOON, || (state()["pinned_s"] == json!(900.0)).then_some(()));
    press(browser, "form[action$='/pause'] button");
    until("it is paused", SOON, || (state()["state"] == "paused").then_some(()));
    assert_eq!(scene.freshet.json(&["status"])["sources"]["paused"], json!(1));
    press(browser, "form[action$='/watch'] button");
    until("it is watched", SOON, || (state()["state"] == "active").then_some(()));

    browser.open(&format!("{}/graph", scene.base));
    let first = browser.value("location.href");
    browser.value("document.querySelector('.graph a').dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))");
    until("a link of the picture is followed", SOON, || {
        (browser.value("location.href") != first).then_some(())
    });

    browser.open(&format!("{}/experiments", scene.base));
    browser.value("document.querySelector('[value=hash]').checked = true");
    press(browser, "form[action='/experiments'] button.main");
    until("the backtest is done", SOON * 2, || {
        let shown = http::get(&scene.base, "/api/v1/experiment");
        assert_eq!(shown["ended"], Value::Null, "{shown}");
        (shown["is_running"] == false && shown["done_count"] == json!(3)).then_some(())
    });
}

fn press(browser: &mut Chromium, selector: &str) {
    let find = format!("document.querySelector({})", json!(selector));
    until(selector, SOON, || (browser.value(&format!("{find} !== null")) == json!(true)).then_some(()));
    // The page that is left takes this with it.
    browser.value("window.isLeft = true");
    browser.value(&format!("{find}.click()"));
    until("the next page", SOON, || {
        let is_new = "window.isLeft === undefined && document.readyState === 'complete'";
        (browser.value(is_new) == json!(true)).then_some(())
    });
}

/// No serious finding of axe-core.
fn check_accessible(browser: &mut Chromium, axe: &str, name: &str) {
    browser.value(&format!("{axe};0"));
    let found = browser.value(
        "axe.run(document, { resultTypes: ['violations'] }).then((it) => it.violations.filter((one) => \
         ['serious', 'critical'].includes(one.impact)).map((one) => one.id + ': ' + one.help + ' at ' + \
         one.nodes.slice(0, 3).map((node) => node.target.join(' ') + ' ' + node.failureSummary).join('; ')))",
    );
    assert_eq!(found, json!([]), "{name}");
}

/// No error in the console, and nothing asked of another host.
fn check_quiet(browser: &mut Chromium, base: &str, name: &str) {
    for event in browser.take_events() {
        let params = &event["params"];
        match event["method"].as_str().unwrap_or_default() {
            "Runtime.exceptionThrown" => panic!("{name}: {params}"),
            "Runtime.consoleAPICalled" if params["type"] == "error" => panic!("{name}: {params}"),
            "Log.entryAdded" if params["entry"]["level"] == "error" => panic!("{name}: {params}"),
            "Network.requestWillBeSent" => {
                let url = params["request"]["url"].as_str().unwrap_or_default();
                assert!(url.starts_with(base) || url.starts_with("data:"), "{name} asks {url}");
            }
            _ => {}
        }
    }
}

/// Every page, light and dark, on a desk and on a phone.
fn take_pictures(scene: &Scene, browser: &mut Chromium, folder: &std::path::Path) {
    std::fs::create_dir_all(folder).expect("a folder for the pictures");
    for (name, path) in scene.pages() {
        for ((width, height), device) in [(DESK, ""), (PHONE, "-phone")] {
            for is_dark in [false, true] {
                browser.show_as(width, height, is_dark);
                browser.open(&format!("{}{path}", scene.base));
                let picture = browser.picture(width, PICTURE_MAX);
                let scheme = if is_dark { "dark" } else { "light" };
                let file: PathBuf = folder.join(format!("{name}{device}-{scheme}.png"));
                std::fs::write(&file, decoded(&picture)).expect("a picture can be written");
            }
        }
    }
}

/// The bytes of base64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |letter: u8| match letter {
        b'A'..=b'Z' => Some(u32::from(letter - b'A')),
        b'a'..=b'z' => Some(u32::from(letter - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(letter - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for six in text.bytes().filter_map(value) {
        (bits, count) = ((bits << 6) | six, count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

#[test]
fn odd_questions_never_break_the_api() {
    let Some([program]) = need("odd_questions_never_break_the_api", ["FRESHET_TEST_SCHEMATHESIS"]) else {
        return;
    };
    let world = World::start(6);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let author = world.truth()[0]["author"].as_str().expect("an author").to_owned();
    freshet.ok(&["add", "--allow-private", &format!("{}/@{author}", world.base)]);
    freshet.ok(&["run", "--headless", "--no-dashboard", "--for", "3s"]);
    let token = "token-of-this-test";
    let freshet = freshet.with_variable("FRESHET_DASHBOARD_TOKEN", token);
    let mut served = freshet.start(&["dashboard", "--listen", "127.0.0.1:0"], "dashboard.log");
    let base = until("the dashboard says where it is", SOON, || {
        let said = std::fs::read_to_string(freshet.folder().join("dashboard.log")).unwrap_or_default();
        assert!(served.status().is_none(), "it ended by itself:\n{said}");
        said.lines().find_map(|line| line.strip_prefix("dashboard: ")).map(str::to_owned)
    });
    let log = freshet.folder().join("schemathesis.log");
    let mut command = Command::new(program);
    command.current_dir(freshet.folder()).args(["run", &format!("{base}api/v1/openapi.json")]);
    // A stream without an end is no question for it.
    command.args([
        "--checks",
        "not_a_server_error",
        "--max-examples",
        "20",
        "--exclude-path",
        "/api/v1/live",
    ]);
    command.args(["--header", &format!("Authorization: Bearer {token}"), "--seed", "1", "--workers", "1"]);
    command.args(["--phases", "examples,coverage,fuzzing", "--request-timeout", "20", "--max-time", "120"]);
    command.stdout(std::fs::File::create(&log).expect("a log")).stderr(Stdio::null());
    let mut asking = Process::start(&mut command);
    let ended = asking.finish_within(FUZZ_MAX);
    let said = std::fs::read_to_string(&log).unwrap_or_default();
    assert!(ended.is_none_or(|status| status.success()), "{said}");
    assert!(!said.contains("Server error"), "{said}");
    assert!(served.status().is_none(), "the dashboard still stands");
    assert_eq!(
        http::send("GET", base.trim_end_matches('/'), "/api/v1/status", Some(token), None)
            .expect("an answer")
            .0,
        200
    );
}
