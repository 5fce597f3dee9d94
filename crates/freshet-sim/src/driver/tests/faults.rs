//! Answers that are spoilt, refused for long, or never come.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use freshet_types::{Fault, FaultKind, Politeness, Request, Response};
use futures::future::BoxFuture;

use super::*;
use crate::{Faults, Limits};

#[test]
fn a_fifth_of_all_answers_spoilt_costs_time_and_nothing_else() {
    let faults = Faults { share: 0.2, delay_max: Span::SECOND };
    let options =
        WorldOptions { seed: 31, accounts: 12, posts_per_day: 6.0, faults, ..WorldOptions::default() };
    let scene = Scene::new(options, Span::HOUR * 6.0);
    let authors = scene.accounts(12);
    let mut driver = scene.start(scene.store(12));
    driver.run_for(Span::DAY * 2.0).unwrap();
    let counters = scene.with_world(World::counters);
    assert!(counters.fault_count > 50, "too few faults to mean anything: {counters:?}");
    assert_eq!(counters.refused_count, 0);
    scene.check_posts(&driver.store, &authors);
    assert!(invariant::busiest(&driver.journal, Span::MINUTE * 5.0) <= 300);
}

/// Answers some requests in its own way and hands the others on.
struct Moody<F> {
    inner: WorldFetch,
    count: AtomicU64,
    mood: F,
}

/// What a moody server does with a request.
enum Mood {
    Answers,
    /// With this status and nothing in it.
    Says(u16),
    /// That it was asked too much, and how many seconds to stay away, if it says so.
    Refuses(Option<&'static str>),
    NeverAnswers,
    /// It cannot be reached.
    IsDown,
}

impl<F> std::fmt::Debug for Moody<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Moody")
    }
}

impl<F: Fn(u64, &Request) -> Mood + Send + Sync> Fetch for Moody<F> {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let (status, told) = match (self.mood)(number, request) {
            Mood::Answers => return self.inner.fetch(request),
            Mood::NeverAnswers => return Box::pin(std::future::pending()),
            Mood::IsDown => {
                let fault = Fault::new(FaultKind::Connect, "the connection is refused");
                return Box::pin(std::future::ready(Err(fault)));
            }
            Mood::Says(status) => (status, None),
            Mood::Refuses(told) => (429, told),
        };
        let inner = self.inner.fetch(request);
        Box::pin(async move {
            let response = inner.await?;
            let headers = told.map(|told| ("retry-after".to_owned(), told.to_owned()));
            let body = br#"{"error":"no"}"#.to_vec();
            Ok(Response { status, headers: headers.into_iter().collect(), body, ..response })
        })
    }
}

fn moody(
    options: WorldOptions,
    ceiling: Span,
    mood: impl Fn(u64, &Request) -> Mood + Send + Sync + 'static,
) -> Scene {
    let mut scene = Scene::new(options, ceiling);
    let inner = WorldFetch::new(Arc::clone(&scene.world), Arc::new(scene.clock.clone()));
    scene.fetch = Some(Arc::new(Moody { inner, count: AtomicU64::new(0), mood }));
    scene
}

#[test]
fn requests_that_are_never_answered_are_given_up_and_made_again() {
    let options = WorldOptions { seed: 32, accounts: 8, posts_per_day: 6.0, ..WorldOptions::default() };
    let scene = moody(options, Span::HOUR * 6.0, |number, _| match number % 10 {
        7 => Mood::NeverAnswers,
        _ => Mood::Answers,
    });
    let authors = scene.accounts(8);
    let mut driver = scene.start(scene.store(8));
    driver.run_for(Span::DAY).unwrap();
    let silent = driver.journal.iter().filter(|exchange| exchange.answered_at.is_none()).count();
    assert!(silent > 5, "only {silent} requests were left unanswered");
    scene.check_posts(&driver.store, &authors);
    assert!(driver.core().open_count() <= 4, "{} visits are still open", driver.core().open_count());
}

/// A server that is like this for twenty minutes, in which all its lists come due.
fn check_outage(mood: fn() -> Mood, what: &str) {
    let options = WorldOptions { seed: 37, accounts: 12, posts_per_day: 20.0, ..WorldOptions::default() };
    let is_out = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&is_out);
    let is_meant = move || told.load(Ordering::Relaxed);
    let scene =
        moody(options, Span::MINUTE * 10.0, move |_, _| if is_meant() { mood() } else { Mood::Answers });
    let authors = scene.accounts(12);
    let mut driver = scene.start(scene.store(12));
    driver.run_for(Span::HOUR).unwrap();
    let before = driver.journal.len();
    is_out.store(true, Ordering::Relaxed);
    driver.run_for(Span::MINUTE * 20.0).unwrap();
    let asked = driver.journal.len() - before;
    assert!((5..=24).contains(&asked), "{what}: {asked} requests in twenty minutes");
    is_out.store(false, Ordering::Relaxed);
    let back_at = scene.now();
    driver.run_for(Span::MINUTE * 8.0).unwrap();
    for source in all_sources(&driver.store) {
        let is_failed = source.state == SourceState::Failed || source.attempts > 0;
        assert!(!is_failed, "{what}: {} pays for its server", source.label());
        // Profiles have a pace of their own, and so has what is gone.
        let is_due = source.state == SourceState::Active && source.robot == RobotKind::Status;
        let is_fresh = source.visited_at.is_some_and(|at| at >= back_at);
        assert!(is_fresh || !is_due, "{what}: {} is not caught up", source.label());
    }
    assert!(driver.core().tally().failures.is_empty(), "{what}");
    driver.run_for(Span::HOUR * 2.0).unwrap();
    scene.check_posts(&driver.store, &authors);
}

#[test]
fn an_outage_is_the_servers_and_its_sources_catch_up_at_once() {
    check_outage(|| Mood::IsDown, "refused");
    check_outage(|| Mood::Says(503), "ill");
    check_outage(|| Mood::NeverAnswers, "silent");
}

#[test]
fn what_always_fails_is_tried_three_times_an_hour_and_shown() {
    // The first page is fine, everything below it is not: as bad as it gets for a retry.
    for (status, attempts_per_rest) in [(500, 3), (400, 1)] {
        let options = WorldOptions { seed: 33, accounts: 1, posts_per_day: 100.0, ..WorldOptions::default() };
        let scene = moody(options, Span::HOUR * 6.0, move |_, request| {
            if request.url.contains("max_id") { Mood::Says(status) } else { Mood::Answers }
        });
        let mut driver = scene.start(scene.store(1));
        driver.run_for(Span::HOUR * 10.0).unwrap();
        let list_count = driver.journal.iter().filter(|exchange| &*exchange.endpoint == "posts").count();
        assert!(list_count > 10, "{status}: {list_count} requests are no test: choose another seed");
        let allowed = 11 * attempts_per_rest * 2;
        assert!(list_count <= allowed, "{status}: {list_count} requests in ten hours, {allowed} at most");
        let source =
            all_sources(&driver.store).into_iter().find(|one| one.robot == RobotKind::Status).unwrap();
        assert_eq!(source.state, SourceState::Failed, "{status}");
        assert!(source.failure.is_some() && !driver.core().tally().failures.is_empty(), "{status}");
    }
}

#[test]
fn a_refusal_for_hours_is_waited_out_without_a_request() {
    let options = WorldOptions { seed: 34, accounts: 6, ..WorldOptions::default() };
    let mut scene = Scene::new(options, Span::HOUR * 6.0);
    let inner = WorldFetch::new(Arc::clone(&scene.world), Arc::new(scene.clock.clone()));
    let (clock, since) = (scene.clock.clone(), OnceLock::new());
    scene.fetch = Some(Arc::new(Strict { inner, clock, calls: AtomicU64::new(0), since }));
    let authors = scene.accounts(6);
    let mut driver = scene.start(scene.store(6));
    driver.run_for(Span::HOUR * 11.0).unwrap();
    let early = driver.journal.len();
    assert!(early <= 20, "{early} requests before the refusal ends");
    assert!(driver.core().open_count() <= 1, "a long wait holds no place at the server");
    driver.run_for(Span::DAY).unwrap();
    assert!(driver.journal.len() > early);
    scene.check_posts(&driver.store, &authors);
}

#[test]
fn a_storm_meets_one_request_at_a_time_and_ever_fewer() {
    for told in [None, Some("120")] {
        let options = WorldOptions { seed: 36, accounts: 12, ..WorldOptions::default() };
        let scene = moody(options, Span::MINUTE * 10.0, move |_, _| Mood::Refuses(told));
        let mut driver = scene.start(scene.store(12));
        driver.run_for(Span::HOUR * 12.0).unwrap();
        let sent: Vec<Timestamp> = driver.journal.iter().map(|exchange| exchange.sent_at).collect();
        let gaps = sent.windows(2).map(|pair| pair[1] - pair[0]);
        for (round, gap) in gaps.enumerate() {
            let gap_min = Span::MINUTE * f64::from(1 << round.min(6));
            assert!(gap >= gap_min, "{told:?}: request {} came only {gap} after the last", round + 1);
        }
        assert!(sent.len() > 12, "{told:?}: {} requests: the storm is looked at now and then", sent.len());
    }
}

/// Refuses its tenth request and all that follow within twelve hours.
#[derive(Debug)]
struct Strict {
    inner: WorldFetch,
    clock: VirtualClock,
    calls: AtomicU64,
    /// When it began to refuse.
    since: OnceLock<Timestamp>,
}

impl Fetch for Strict {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let (number, now) = (self.calls.fetch_add(1, Ordering::Relaxed), self.clock.now());
        let refuses = number >= 10 && now - *self.since.get_or_init(|| now) < Span::HOUR * 12.0;
        let inner = self.inner.fetch(request);
        Box::pin(async move {
            let response = inner.await?;
            if !refuses {
                return Ok(response);
            }
            let headers = vec![("retry-after".to_owned(), "43200".to_owned())];
            Ok(Response { status: 429, headers, body: b"{}".to_vec(), ..response })
        })
    }
}

#[test]
fn a_pause_is_kept_by_visits_that_waited_together() {
    let options = WorldOptions {
        seed: 35,
        accounts: 12,
        limits: Limits { api_per_5_min: Some(60), paging_per_15_min: Some(60), ..Limits::default() },
        ..WorldOptions::default()
    };
    let scene = Scene::new(options, Span::HOUR * 6.0);
    let text = include_str!("../../../../../networks/mastodon.toml")
        .replace("pause = \"0s\"", "pause = \"2s\"")
        .replace("limit = 300", "limit = 60");
    scene.networks.apply_definition("mastodon.toml", &text).unwrap();
    let authors = scene.accounts(12);
    let mut driver = scene.start(scene.store(12));
    driver.run_for(Span::DAY).unwrap();
    expect_none(
        "manners",
        &invariant::polite(&driver.journal, Politeness { pause: Span::SECOND * 2.0, in_flight_max: 4 }),
    );
    assert_eq!(scene.refused_count(), 0);
    scene.check_posts(&driver.store, &authors);
}
