//! Single pages on a virtual clock: what changes at nine is looked at after nine, what only fidgets is left alone.

use std::sync::atomic::{AtomicU64, Ordering};

use freshet_engine::pages;
use freshet_policy::page::PageModel;
use freshet_types::{Fault, Request, Response};
use futures::future::BoxFuture;

use super::*;

const SITE: &str = "http://pages.test/";
const DAY_S: i64 = 86_400;
const DAYS: f64 = 24.0;
/// One is taken down between these days.
const AWAY_DAYS: (f64, f64) = (10.0, 13.0);

/// A site of pages, each with a habit.
#[derive(Debug)]
struct PageSite {
    clock: VirtualClock,
    began_at: Timestamp,
    fetches: AtomicU64,
}

impl PageSite {
    fn text(&self, name: &str) -> String {
        let now = self.clock.now();
        let body =
            |from: i64| (from..from + 150).map(|word| format!("word{word}")).collect::<Vec<_>>().join(" ");
        let day = (now.secs() - 9 * 3600).div_euclid(DAY_S);
        match name {
            "daily" => format!(
                "{} {}",
                body(0),
                (0..60).map(|at| format!("d{}", day * 100 + at)).collect::<Vec<_>>().join(" ")
            ),
            "token" => format!("token{0} {1} token{0}", self.fetches.load(Ordering::Relaxed), body(0)),
            "long" => "long ".repeat(60_000),
            _ => body(1000),
        }
    }

    fn response(&self, request: &Request) -> Response {
        self.fetches.fetch_add(1, Ordering::Relaxed);
        let name = request.url.strip_prefix(SITE).unwrap_or_default();
        let days = (self.clock.now() - self.began_at).secs_f64() / DAY_S as f64;
        let is_known =
            request.headers.iter().any(|(name, value)| name == "if-none-match" && value == "\"s\"");
        let (status, kind, body) = match name {
            "still" if is_known => (304, "text/html", String::new()),
            "away" if (AWAY_DAYS.0..AWAY_DAYS.1).contains(&days) => {
                (404, "text/html", "<p>no</p>".to_owned())
            }
            "picture" => (200, "image/png", "\u{89}PNG".to_owned()),
            "blank" => (200, "text/html", "<html><body><script>draw()</script></body></html>".to_owned()),
            _ => {
                let text = self.text(name);
                let ad = self.fetches.load(Ordering::Relaxed);
                let page = format!(
                    "<title>{name}</title><nav>Home</nav><p>{text}</p><script>let a = {ad};</script>"
                );
                (200, "text/html; charset=utf-8", page)
            }
        };
        let mut headers = vec![("content-type".to_owned(), kind.to_owned())];
        if name == "still" {
            headers.push(("etag".to_owned(), "\"s\"".to_owned()));
        }
        let received_at = self.clock.now();
        Response { status, headers, body: body.into_bytes(), url: request.url.clone(), received_at }
    }
}

impl Fetch for PageSite {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        Box::pin(std::future::ready(Ok(self.response(request))))
    }
}

fn scene() -> Scene {
    let mut scene = Scene::new(WorldOptions { accounts: 1, ..WorldOptions::default() }, Span::HOUR * 6.0);
    let site = PageSite { clock: scene.clock.clone(), began_at: scene.now(), fetches: AtomicU64::new(0) };
    scene.fetch = Some(Arc::new(site));
    scene.policy = "freshet";
    scene
}

/// A store with the site's pages, added as a person adds them.
fn store(scene: &Scene, names: &[&str]) -> Box<dyn Store> {
    let mut store = testing::memory();
    for name in names {
        let reference = scene.networks.understand(&format!("page:{SITE}{name}")).unwrap();
        let connector = scene.networks.connector_for(&reference.instance.network).unwrap();
        let row = InstanceRow { instance: reference.instance.clone(), on_delete: OnDelete::Keep };
        store.put_instance(&row).unwrap();
        let id = reference.root_id.as_deref().unwrap();
        let network = &reference.instance.network;
        let sources =
            robot::sources_for(&*connector, network, RobotKind::Status, &reference.root_kind, id, 0);
        assert_eq!(sources.len(), 1);
        store.add_sources(&sources).unwrap();
    }
    store
}

fn page<S: Store>(store: &S, name: &str) -> (Source, Option<PostRow>) {
    let url = format!("{SITE}{name}");
    let source = all_sources(store).into_iter().find(|source| source.root_id == url).unwrap();
    (source, posts(store).into_iter().find(|post| post.post.id == url))
}

/// How often a page was asked for from one day to another.
fn visits(journal: &[Exchange], scene: &Scene, name: &str, from_day: f64, to_day: f64) -> Vec<Timestamp> {
    let began_at = scene.now() - Span::DAY * DAYS;
    let during = |at: Timestamp| {
        let days = (at - began_at).secs_f64() / DAY_S as f64;
        (from_day..to_day).contains(&days)
    };
    let own = journal.iter().filter(|exchange| exchange.root.ends_with(name) && during(exchange.sent_at));
    own.map(|exchange| exchange.sent_at).collect()
}

#[test]
fn pages_are_looked_at_as_they_change() {
    let scene = scene();
    let mut driver = scene.start(store(&scene, &["daily", "token", "still"]));
    driver.run_for(Span::DAY * (DAYS / 2.0)).unwrap();
    let before = PageModel::from_bytes(&page(&driver.store, "daily").0.model).looks().len();
    assert!(before > 20, "{before}");
    let mut journal = driver.journal.clone();
    let edited_count = driver.core().tally().edited_count;
    // A killed process has lost nothing: the model stands in the store.
    let mut driver = scene.start(driver.kill());
    driver.run_for(Span::DAY * (DAYS / 2.0)).unwrap();
    journal.extend(driver.journal.iter().cloned());
    let edited_count = edited_count + driver.core().tally().edited_count;

    let (daily, stored) = page(&driver.store, "daily");
    let days = DAYS as u64;
    assert!((days - 2..=days + 1).contains(&edited_count), "{edited_count} edits, all of the daily page");
    assert!(PageModel::from_bytes(&daily.model).looks().len() > before.min(40));
    assert!(
        stored.is_some_and(
            |post| post.post.text.starts_with("word0 word1 ") && !post.post.text.contains("Home")
        )
    );
    // The last week: looked at in the hour after nine, and seldom at night.
    let late = visits(&journal, &scene, "daily", DAYS - 7.0, DAYS);
    let soon = late.iter().filter(|at| (at.secs() - 9 * 3600).rem_euclid(DAY_S) < 5400).count();
    assert!(soon >= 7, "{soon} of {} looks in the hour after nine", late.len());

    let (token, stored) = page(&driver.store, "token");
    let model = PageModel::from_bytes(&token.model);
    let edits: Vec<_> = model.looks().iter().filter(|look| look.is_edit).collect();
    assert!(edits.is_empty(), "a token is no edit: {edits:?}");
    assert!(stored.is_some_and(|post| post.post.text.starts_with("token")), "the first it had is kept");
    for quiet in ["token", "still"] {
        let late = visits(&journal, &scene, quiet, DAYS - 7.0, DAYS).len();
        assert!((26..=36).contains(&late), "{quiet}: {late} looks in a week, the ceiling is four a day");
    }
    let (still, _) = page(&driver.store, "still");
    let market = freshet_policy::Market {
        price: 112.5,
        ..freshet_policy::Market::new(freshet_policy::Objective::Delay)
    };
    let plan = pages::plan(&still, &market, Pacing::default(), scene.now());
    assert_eq!(plan.due_at - scene.now(), Pacing::default().ceiling);
}

#[test]
fn pages_that_go_come_back_or_are_none_are_told_apart() {
    let scene = scene();
    let began_at = scene.now();
    let mut driver = scene.start(store(&scene, &["away", "picture", "blank", "long"]));
    driver.run_until(began_at + Span::DAY * (AWAY_DAYS.0 + 1.0)).unwrap();
    let (away, stored) = page(&driver.store, "away");
    assert_eq!(away.state, SourceState::Gone);
    assert!(
        stored.is_some_and(|post| post.deleted_at.is_some()),
        "what is not there any more was taken down"
    );
    driver.run_until(began_at + Span::DAY * (AWAY_DAYS.1 + 2.0)).unwrap();
    let (away, stored) = page(&driver.store, "away");
    assert_eq!(away.state, SourceState::Active);
    assert!(stored.is_some_and(|post| post.deleted_at.is_none()), "and is back");
    for (name, why) in [("picture", "`image/png`, which is no page of text"), ("blank", "shows no text")] {
        let (source, stored) = page(&driver.store, name);
        assert!(stored.is_none(), "{name}");
        assert_eq!(source.state, SourceState::Failed, "{name}");
        assert!(
            source.failure.as_deref().is_some_and(|failure| failure.contains(why)),
            "{:?}",
            source.failure
        );
    }
    let (_, long) = page(&driver.store, "long");
    assert!(long.is_some_and(|post| post.post.text.len() <= 256 << 10), "what is too long is cut");
    assert!(driver.core().tally().complaints_count > 0, "and said to be");
}
