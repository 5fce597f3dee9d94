//! Without a mouse, without a script, enlarged, in forced colours, without motion: every page can be read and used.

use serde_json::{Value, json};

use super::chromium::Chromium;
use super::look::check_width;
use super::scene::Scene;
use super::{DESK, PHONE, SOON};
use crate::support::{http, until, wait_ms};

/// Twice as large leaves half the width of a desk; four times leaves that of the narrowest phone.
const ZOOMED: [(u32, u32); 2] = [(DESK.0 / 2, DESK.1 / 2), (320, 640)];
/// Fewer and more stops than any page has.
const STOPS_MIN: usize = 10;
const STOPS_MAX: usize = 400;

/// Where the keyboard is: whether that is the next of all stops in the order of the page, and whether one
/// sees it. A table that was just brought up to date has other stops than a moment ago, so it asks step by step.
const PLACE: &str = "(() => {
    const is_stop = (it) => !it.disabled && it.type !== 'hidden' && it.checkVisibility()
        && !(it.closest('details:not([open])') && !it.matches('summary'));
    const stops = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex=\"0\"]')]
        .filter(is_stop);
    const it = document.activeElement, style = getComputedStyle(it), box = it.getBoundingClientRect();
    const before = window.stoppedAt, at = stops.indexOf(it);
    window.stoppedAt = it;
    return {
        is_next: before?.isConnected === false || at === stops.indexOf(before) + 1,
        is_last: at === stops.length - 1, shown: it.outerHTML.slice(0, 120),
        is_seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2
            && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
    };
})()";

/// Tab reaches everything, in the order in which it is read, and one sees where one is.
pub(crate) fn check_tabs(browser: &mut Chromium, name: &str) {
    browser.value("document.activeElement.blur(); getSelection().removeAllRanges(); scrollTo(0, 0)");
    for count in 1.. {
        browser.key("Tab");
        let place = browser.value(PLACE);
        assert_eq!(place["is_next"], json!(true), "{name}: the order of stops: {place}");
        assert_eq!(place["is_seen"], json!(true), "{name}: one does not see where one is: {place}");
        if place["is_last"] == true {
            assert!(count > STOPS_MIN, "{name} has {count} stops");
            break;
        }
        assert!(count < STOPS_MAX, "{name} has no last stop");
    }
}

/// The first stop leads past the menu.
pub(crate) fn check_skip(scene: &Scene, browser: &mut Chromium) {
    browser.open(&format!("{}/sources", scene.base));
    browser.key("Tab");
    assert_eq!(browser.value("document.activeElement.className"), json!("skip"));
    browser.key("Enter");
    assert_eq!(browser.value("location.hash"), json!("#main"));
    browser.key("Tab");
    assert_eq!(browser.value("document.activeElement.closest('main') !== null"), json!(true));
}

/// Enlarged, nothing is cut off; in forced colours everything is seen; nothing moves for who wants it still.
pub(crate) fn check_enlarged(browser: &mut Chromium, name: &str) {
    for (width, height) in ZOOMED {
        browser.show_as(width, height, false);
        check_width(browser, width, name);
    }
    browser.prefer(&[("forced-colors", "active"), ("prefers-reduced-motion", "reduce")]);
    assert_eq!(browser.value("matchMedia('(forced-colors: active)').matches"), json!(true));
    let unseen = browser.value(
        "[...document.querySelectorAll('.key')].filter((it) => { \
         const style = getComputedStyle(it, '::before'); \
         return style.backgroundColor === 'rgba(0, 0, 0, 0)' || style.forcedColorAdjust !== 'none'; }).length",
    );
    assert_eq!(unseen, json!(0), "{name}: keys of charts without their colour");
    let moving = browser.value(
        "[...document.querySelectorAll('*')].map((it) => getComputedStyle(it)).filter((it) => \
         it.transitionDuration !== '0s' || it.animationName !== 'none').length",
    );
    assert_eq!(moving, json!(0), "{name} moves");
    browser.show_as(DESK.0, DESK.1, false);
}

/// Without a script every page is whole, and its buttons work.
pub(crate) fn check_without_scripts(scene: &Scene, browser: &mut Chromium) {
    browser.run_scripts(false);
    for (name, path) in scene.pages() {
        browser.open(&format!("{}{path}", scene.base));
        let said = browser.value("document.querySelector('main').innerText");
        assert!(said.as_str().is_some_and(|said| said.len() > 80), "{name}: {said}");
    }
    let robot = || http::get(&scene.base, "/api/v1/status")["robots"]["tag"].clone();
    browser.open(&format!("{}/robots", scene.base));
    browser.press("button[aria-label='pause tag']");
    until("the robot is paused", SOON, || (robot() == "paused").then_some(()));
    browser.press("button[aria-label='resume tag']");
    until("the robot goes on", SOON, || (robot() == "running").then_some(()));
    browser.run_scripts(true);
}

/// Live values come in without taking the keyboard away, what is typed, or where one has scrolled to.
pub(crate) fn check_undisturbed(scene: &Scene, browser: &mut Chromium) {
    let mark = "document.querySelector('[data-part]').firstElementChild.dataset.mark = '1'";
    let is_marked = "document.querySelector('[data-part]').firstElementChild.dataset.mark === '1'";
    let scrolled = "document.querySelector('[data-part] .scroll').scrollLeft";
    browser.show_as(PHONE.0, PHONE.1, false);
    browser.open(&format!("{}/experiments", scene.base));
    browser.value(&format!("{scrolled} = 90"));
    browser.value("document.querySelector('[name=from]').focus()");
    browser.call("Input.insertText", json!({ "text": "typed" }));
    browser.value(mark);
    until("the page is brought up to date", SOON, || (browser.value(is_marked) != json!(true)).then_some(()));
    assert_eq!(browser.value("document.activeElement.name"), json!("from"), "the keyboard stays");
    let typed = browser.value("document.activeElement.value");
    assert!(typed.as_str().is_some_and(|typed| typed.contains("typed")), "{typed}");
    assert_eq!(browser.value(scrolled), json!(90), "the table stays scrolled");

    browser.open(&format!("{}/robots", scene.base));
    browser.value("document.querySelector('[data-part] button').focus()");
    browser.value(mark);
    browser.take_events();
    until("another round of news", SOON, || {
        let is_news = |event: &Value| {
            event["method"] == "Network.eventSourceMessageReceived" && event["params"]["eventName"] == "part"
        };
        browser.take_events().iter().any(is_news).then_some(())
    });
    wait_ms(300);
    assert_eq!(browser.value(is_marked), json!(true), "a button is not taken from under the keyboard");
    browser.show_as(DESK.0, DESK.1, false);
}
