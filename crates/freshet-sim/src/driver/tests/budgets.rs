//! Budgets on the virtual clock: kept and spent wholly whatever they cover, shared fairly by servers, changed while the crawl runs.

use freshet_engine::budget::Budgets;
use freshet_types::Rate;

use super::*;
use crate::{Chances, Limits};

const ACCOUNTS: usize = 40;
/// Hours that count, at the end of a day.
const HOURS: usize = 12;

/// A world that limits nobody, whose accounts live on so many servers.
fn scene(servers: usize) -> (Scene, Box<dyn Store>) {
    let options = WorldOptions {
        seed: 77,
        accounts: ACCOUNTS as u32,
        posts_per_day: 10.0,
        chances: Chances::NONE,
        limits: Limits { api_per_5_min: None, paging_per_15_min: None, api: None },
        history: Span::DAY,
        ..WorldOptions::default()
    };
    let mut scene = Scene::new(options, Span::HOUR * 6.0);
    scene.policy = "freshet";
    let mut store = testing::memory();
    let server = |at: usize| NetworkName::new("mastodon", Some(&format!("server{at}.test")));
    for at in 0..servers {
        let instance =
            Instance { network: server(at), base: format!("https://server{at}.test"), allow_private: false };
        store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).unwrap();
    }
    let lists = scene.sources(ACCOUNTS).into_iter().filter(|source| source.robot == RobotKind::Status);
    let spread = lists.enumerate().map(|(at, source)| Source { network: server(at % servers), ..source });
    store.add_sources(&spread.collect::<Vec<_>>()).unwrap();
    (scene, store)
}

fn allow<S: Store>(store: &mut S, budgets: &[(&str, &str)]) {
    let rate = |text: &str| text.parse::<Rate>().unwrap();
    let budgets = budgets.iter().map(|(scope, text)| (NetworkName::from(*scope), rate(text))).collect();
    Budgets(budgets).put(store).unwrap();
}

/// Requests before now, in each of so many hours.
fn by_hour<S>(driver: &Driver<S>, now: Timestamp, hours: usize) -> Vec<usize> {
    let counts = |hour: usize| {
        let from = now - Span::HOUR * (hour + 1) as f64;
        let is_meant = |it: &&Exchange| (from..from + Span::HOUR).contains(&it.sent_at);
        driver.journal.iter().filter(is_meant).count()
    };
    (0..hours).map(counts).collect()
}

/// Crawls so many servers under these budgets, which allow so many calls an hour in all.
fn check(servers: usize, budgets: &[(&str, &str)], per_h: usize) {
    let (scene, mut store) = scene(servers);
    allow(&mut store, budgets);
    let mut driver = scene.start(store);
    driver.run_for(Span::HOUR * 24.0).unwrap();
    let hours = by_hour(&driver, scene.now(), HOURS);
    let named = format!("{budgets:?} over {servers}");
    assert!(hours.iter().all(|count| *count <= per_h), "{named}: {hours:?}");
    let sum: usize = hours.iter().sum();
    assert!(sum as f64 >= 0.97 * (HOURS * per_h) as f64, "{named}: {sum} calls, {hours:?}");
    // The ceiling is six hours.
    let since = scene.now() - Span::HOUR * HOURS as f64;
    let is_read = |source: &&Source| source.read_at.is_some_and(|at| at >= since);
    let read_count = all_sources(&driver.store).iter().filter(is_read).count();
    assert_eq!(read_count, ACCOUNTS, "{named}: nobody is starved");
}

#[test]
fn a_budget_is_spent_wholly_and_never_overdrawn() {
    check(1, &[("mastodon", "60/h")], 60);
    check(1, &[("mastodon:server0.test", "1440/d"), ("all", "10/s")], 60);
}

#[test]
fn servers_that_share_a_budget_share_it_fairly() {
    check(4, &[("all", "60/h")], 60);
    check(8, &[("mastodon", "60/h")], 60);
    check(4, &[("mastodon", "1/min"), ("mastodon:server0.test", "20/h")], 60);
}

#[test]
fn a_budget_that_changes_while_the_crawl_runs_counts_at_once() {
    let (scene, store) = scene(4);
    let mut driver = scene.start(store);
    let mut last_hour = |budgets: &[(&str, &str)]| {
        allow(&mut driver.store, budgets);
        driver.load().unwrap();
        driver.run_for(Span::HOUR * 2.0).unwrap();
        by_hour(&driver, scene.now(), 1)[0]
    };
    let free = last_hour(&[]);
    let (day, hour) = (last_hour(&[("all", "24/d")]), last_hour(&[("all", "120/h")]));
    assert!(free > 120 && day <= 1 && (100..=120).contains(&hour), "{free}, {day}, {hour}");
    let (less, again) = (last_hour(&[("all", "12/h")]), last_hour(&[]));
    assert!(less <= 12 && again > 120, "{less}, {again}");
}
