//! The dashboard in a browser that nobody here wrote: every page opens without an error and without asking
//! another host, every link and button works, numbers move, and the accessibility checks of axe-core find
//! nothing serious. With `FRESHET_SCREENSHOTS` set to a folder, it leaves pictures of every page there.
//!
//! The API is asked thousands of odd questions by schemathesis, from its own description: none may
//! make it fail inside.

mod chromium;
mod hands;
mod hostile;
mod keyboard;
mod look;
mod pictures;
mod pressable;
mod pressing;
mod quiet;
mod scene;

use std::process::{Command, Stdio};
use std::time::Duration;

use self::chromium::Chromium;
use self::look::{check_accessible, check_quiet, check_width};
use self::quiet::Quiet;
use self::scene::{Scene, address};
use crate::support::freshet::Freshet;
use crate::support::process::Process;
use crate::support::world::World;
use crate::support::{http, need, provided};

/// A busy machine may need a while.
const SOON: Duration = Duration::from_mins(1);
/// Longest that odd questions are asked.
const FUZZ_MAX: Duration = Duration::from_mins(4);
/// Widths and heights of a desk and of a phone.
const DESK: (u32, u32) = (1100, 800);
const PHONE: (u32, u32) = (390, 844);

#[test]
fn every_page_works_in_a_browser() {
    let Some([program, axe]) =
        need("every_page_works_in_a_browser", ["FRESHET_TEST_CHROMIUM", "FRESHET_TEST_AXE"])
    else {
        return;
    };
    let scene = Scene::start();
    let mut browser = Chromium::start(&program);
    pressing::check_buttons(&scene, &mut browser);
    let axe = std::fs::read_to_string(axe).expect("axe-core can be read");
    browser.show_as(DESK.0, DESK.1, false);
    for (name, path) in scene.pages() {
        browser.take_events();
        browser.open(&format!("{}{path}", scene.base));
        check_accessible(&mut browser, &axe, name);
        check_quiet(&mut browser, &scene.base, name);
        keyboard::check_tabs(&mut browser, name);
        keyboard::check_enlarged(&mut browser, name);
        // Nothing is wider than a phone.
        browser.show_as(PHONE.0, PHONE.1, true);
        browser.open(&format!("{}{path}", scene.base));
        check_accessible(&mut browser, &axe, &format!("{name}, dark, on a phone"));
        check_width(&mut browser, PHONE.0, name);
        browser.show_as(DESK.0, DESK.1, false);
    }
    keyboard::check_skip(&scene, &mut browser);
    keyboard::check_undisturbed(&scene, &mut browser);
    keyboard::check_without_scripts(&scene, &mut browser);
    if let Some(folder) = provided("FRESHET_SCREENSHOTS") {
        pictures::take_pictures(&scene, &mut browser, &folder);
    }
    pressing::press_all(&scene, &mut browser, &axe);
    let quiet = Quiet::start();
    quiet.press_login(&mut browser, &axe);
    quiet.press_empty(&mut browser);
    quiet.check_overtaken(&mut browser);
    quiet.press_often(&mut browser);
    pressable::check_all_pressed(&browser.pressed);
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
    let base = address(&freshet, "dashboard.log", &mut served);
    let log = freshet.folder().join("schemathesis.log");
    let mut command = Command::new(program);
    command.current_dir(freshet.folder()).args(["run", &format!("{base}/api/v1/openapi.json")]);
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
    command.args(["--phases", "examples,coverage,fuzzing", "--request-timeout", "60", "--max-time", "120"]);
    command.stdout(std::fs::File::create(&log).expect("a log")).stderr(Stdio::null());
    let mut asking = Process::start(&mut command);
    let ended = asking.finish_within(FUZZ_MAX);
    let said = std::fs::read_to_string(&log).unwrap_or_default();
    assert!(ended.is_none_or(|status| status.success()), "{said}");
    assert!(!said.contains("Server error"), "{said}");
    assert!(served.status().is_none(), "the dashboard still stands");
    assert_eq!(http::send("GET", &base, "/api/v1/status", Some(token), None).expect("an answer").0, 200);
}
