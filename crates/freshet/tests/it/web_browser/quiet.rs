//! A dashboard behind a password over a store where nothing happens: logging in and out, what pages say while
//! there is nothing to show, and what becomes of a page that somebody else has overtaken.

use freshet_store::row::Upload;
use freshet_store::testing;
use freshet_types::{
    Account, Clock as _, NetworkName, Observation, SourceId, SourceState, SystemClock, VisitId,
};
use serde_json::{Value, json};

use super::chromium::Chromium;
use super::look::check_accessible;
use super::pressing::check_says;
use super::scene::address;
use crate::support::freshet::Freshet;
use crate::support::http::{self, Body};
use crate::support::process::Process;

const PASSWORD: &str = "correct horse battery";
const TOKEN: &str = "token-of-this-test";
/// Wrong passwords a minute; see `web::tries`.
const TRIES_MAX: usize = 10;

/// An empty data directory, served.
pub(crate) struct Quiet {
    base: String,
    freshet: Freshet,
    _served: Process,
}

impl Quiet {
    pub(crate) fn start() -> Self {
        let freshet = Freshet::new().with_variable("FRESHET_DASHBOARD_TOKEN", TOKEN);
        freshet.ok(&["init"]);
        let said = freshet.say_with_input(&["dashboard", "password"], &format!("{PASSWORD}\n"));
        assert_eq!(said.code, 0, "{said:?}");
        let mut served = freshet.start(&["dashboard", "--listen", "127.0.0.1:0"], "dashboard.log");
        let base = address(&freshet, "dashboard.log", &mut served);
        Self { base, freshet, _served: served }
    }

    fn open(&self, browser: &mut Chromium, path: &str) {
        browser.open(&format!("{}{path}", self.base));
    }

    fn source(&self) -> Value {
        let answer =
            http::send("GET", &self.base, "/api/v1/sources/1", Some(TOKEN), None).expect("an answer");
        serde_json::from_str(&answer.1).expect("JSON")
    }

    /// The door opens with the password only, leads where one wanted to go, and closes.
    pub(crate) fn press_login(&self, browser: &mut Chromium, axe: &str) {
        self.open(browser, "/networks");
        assert_eq!(browser.value("location.pathname"), json!("/login"));
        assert_eq!(browser.value("document.activeElement.name"), json!("password"));
        assert_eq!(browser.value("document.querySelector('nav')"), Value::Null, "nothing is shown before");
        browser.fill("[name=password]", "wrong");
        browser.press("main button");
        check_says(browser, "That is not the password");
        check_accessible(browser, axe, "login");
        browser.fill("[name=password]", PASSWORD);
        browser.press("main button");
        assert_eq!(browser.value("location.pathname"), json!("/networks"));
        browser.press("header button");
        assert_eq!(browser.value("location.pathname"), json!("/login"));
        self.open(browser, "/sources");
        assert_eq!(browser.value("location.pathname"), json!("/login"));
        browser.fill("[name=password]", PASSWORD);
        browser.press("main button");
        assert_eq!(browser.value("location.pathname"), json!("/sources"));
        self.open(browser, "/nowhere");
        check_accessible(browser, axe, "a problem");
        browser.take_events();
    }

    /// Whoever guesses is sent away, the right password too; guesses of others at the same address do not
    /// keep out a browser that logged in before.
    pub(crate) fn press_often(&self, browser: &mut Chromium) {
        self.open(browser, "/");
        browser.press("header button");
        for _ in 0..TRIES_MAX {
            let form = Body::Form(&[("password", "wrong")]);
            http::send("POST", &self.base, "/login", None, Some(form)).expect("an answer");
        }
        let log_in = |browser: &mut Chromium, password| {
            browser.fill("[name=password]", password);
            browser.press("main button");
        };
        log_in(browser, PASSWORD);
        assert_eq!(browser.value("location.pathname"), json!("/"));
        browser.press("header button");
        // All at once, so that a busy machine does not take longer than the minute in which they count.
        let guess = "fetch('/login', { method: 'POST', body: new URLSearchParams({ password: 'wrong' }) })";
        let guesses = format!(
            "Promise.all(Array.from({{ length: {TRIES_MAX} }}, () => {guess})).then((it) => it.length)"
        );
        assert_eq!(browser.value(&guesses), json!(TRIES_MAX));
        log_in(browser, PASSWORD);
        check_says(browser, "too many wrong passwords");
        browser.press("main a[href='/']");
        browser.take_events();
    }

    /// What stands where there is nothing yet.
    pub(crate) fn press_empty(&self, browser: &mut Chromium) {
        for page in ["/networks", "/graph"] {
            self.open(browser, page);
            browser.press(".empty a[href='/sources/add']");
        }
        self.freshet.ok(&["add", "https://a.example/@eve"]);
        let mut store = testing::open(&self.freshet.data().join("store.sqlite"));
        let source = store.source(SourceId(1)).expect("it can be read").expect("it was added");
        let network: NetworkName = source.network.clone();
        let mut upload = Upload::new(VisitId(1), network, SystemClock.now());
        let account = Account { id: source.root_id, handle: source.handle, ..Account::default() };
        upload.observation = Observation { accounts: vec![account], ..Observation::default() };
        store.apply(&[upload], |_, _| None).expect("it can be stored");
        // Two that were not visited, one of them because it cannot be.
        store.set_state(&[SourceId(1)], SourceState::Failed).expect("it can fail");
        for section in ["failures", "coverage"] {
            self.open(browser, "/");
            browser.press(&format!("section[aria-labelledby={section}] a"));
            assert!(
                browser.value("location.pathname").as_str().is_some_and(|it| it.starts_with("/sources/"))
            );
        }
        store.set_state(&[SourceId(1)], SourceState::Active).expect("it can go on");
        drop(store);
        self.open(browser, "/graph?at=1");
        check_says(browser, "Nothing is known around it yet");
        browser.press(".empty a[href='/robots']");
        browser.take_events();
    }

    /// A page is open while somebody else changes what it shows: each button says what became of it.
    pub(crate) fn check_overtaken(&self, browser: &mut Chromium) {
        let state = || self.source()["state"].clone();
        let freshet = &self.freshet;
        for (meanwhile, button, words, expected) in [
            (&["pause", "1"][..], "form[action$='/pause'] button", "it was paused already", "paused"),
            (&["resume", "1"], "form[action$='/watch'] button", "it was watched already", "active"),
            (&["remove", "1"], "form[action$='/pause'] button", "it was removed meanwhile", "removed"),
            (
                &["add", "https://a.example/@eve"],
                "form[action$='/watch'] button",
                "watched already",
                "active",
            ),
            (&["remove", "1"], "form[action$='/remove'] button", "it was removed already", "removed"),
        ] {
            self.open(browser, "/sources/1");
            freshet.ok(meanwhile);
            browser.press(button);
            check_says(browser, words);
            assert_eq!(state(), expected, "{meanwhile:?} {button}");
        }
        freshet.ok(&["resume", "1"]);
        self.check_pin(browser);
        // A robot that the command line has stopped meanwhile.
        self.open(browser, "/robots");
        freshet.ok(&["robots", "stop", "user"]);
        browser.press("button[aria-label='pause user']");
        check_says(browser, "it is stopped already");
        freshet.ok(&["robots", "start", "user"]);
        // A setting of the command line counts on the next page.
        freshet.ok(&["networks", "set", "mastodon:a.example", "on_delete", "redact"]);
        self.open(browser, "/networks");
        check_says(browser, "erased");
        // Forgotten while its page is open.
        self.open(browser, "/sources/1");
        freshet.ok(&["forget", "--yes", "https://a.example/@eve"]);
        browser.press("form[action$='/pause'] button");
        check_says(browser, "may have been forgotten");
        browser.take_events();
    }

    /// What somebody else has typed is not overwritten unseen.
    fn check_pin(&self, browser: &mut Chromium) {
        self.open(browser, "/sources/1");
        let other = json!({ "every": "10m" });
        http::post(&self.base, "/api/v1/sources/1/pin", Some(TOKEN), Body::Json(&other));
        browser.fill("[name=every]", "15m");
        browser.press("form.filters button");
        check_says(browser, "somebody has changed the interval meanwhile");
        assert_eq!(self.source()["pinned_s"], json!(600.0));
        self.open(browser, "/sources/1");
        browser.fill("[name=every]", "15m");
        browser.press("form.filters button");
        assert_eq!(self.source()["pinned_s"], json!(900.0));
    }
}
