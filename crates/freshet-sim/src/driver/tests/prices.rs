//! Prices on the virtual clock: a quota is spent evenly and wholly, never overdrawn, and prices
//! survive a restart.

use super::*;
use crate::{Chances, Limits};

/// Calls in five minutes that the world allows.
const API_PER_5_MIN: u32 = 5;
/// What the ledger spends of them in an hour: all, since the world tells what is left.
const BUDGET_PER_H: f64 = API_PER_5_MIN as f64 * 12.0;

/// Mastodon as such a world limits it.
fn scarce() -> Arc<Networks> {
    let networks = Networks::shipped();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../networks/mastodon.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let scarce = format!("limit = {API_PER_5_MIN}\nwindow = \"5m\"");
    networks.apply_definition("scarce", &text.replace("limit = 300\nwindow = \"5m\"", &scarce)).unwrap();
    Arc::new(networks)
}

pub(super) fn scene(policy: &'static str, accounts: u32, posts_per_day: f64) -> Scene {
    let chances = Chances {
        departure_per_day: 0.0,
        suspension_per_day: 0.0,
        privacy_per_day: 0.0,
        deletion_share: 0.0,
        edit_share: 0.0,
        ..Chances::default()
    };
    let history = Span::DAY * 2.0;
    let limits = Limits { api_per_5_min: Some(API_PER_5_MIN), ..Limits::default() };
    let options = WorldOptions {
        seed: 21,
        accounts,
        posts_per_day,
        chances,
        limits,
        history,
        ..WorldOptions::default()
    };
    let mut scene = Scene::new(options, Span::DAY * 2.0);
    (scene.policy, scene.networks) = (policy, scarce());
    scene
}

/// Requests in each hour before now, from old to new.
fn by_hour<S>(driver: &Driver<S>, now: Timestamp, hours: usize) -> Vec<usize> {
    let from = now - Span::HOUR * hours as f64;
    let mut counts = vec![0; hours];
    for exchange in driver.journal.iter().filter(|it| it.sent_at >= from && it.sent_at < now) {
        counts[((exchange.sent_at - from).ms() / Span::HOUR.ms()) as usize] += 1;
    }
    counts
}

fn price_of<S: Store>(driver: &Driver<S>, now: Timestamp) -> f64 {
    let views = driver.core().prices().views(now);
    views.into_iter().map(|view| view.price).fold(0.0, f64::max)
}

/// Half of the lists count nine times as much.
fn weigh(store: &mut dyn Store) -> Set<String> {
    let lists = all_sources(store).into_iter().filter(|source| source.robot == RobotKind::Status);
    let heavy: Vec<Source> = lists.step_by(2).map(|source| Source { weight: 9.0, ..source }).collect();
    for source in &heavy {
        store.put_source(source).unwrap();
    }
    heavy.into_iter().map(|source| source.root_id).collect()
}

/// `off_max`: hours of twenty that may be off by more than a tenth.
fn check_even_spending(policy: &'static str, off_max: usize) {
    let scene = scene(policy, 60, 8.0);
    let mut store = scene.store(60);
    let heavy = weigh(&mut store);
    let mut driver = scene.start(store);
    driver.run_for(Span::HOUR * 74.0).unwrap();
    let hours = by_hour(&driver, scene.now(), 20);
    let is_off = |count: &&usize| (**count as f64 / BUDGET_PER_H - 1.0).abs() > 0.1;
    let off_count = hours.iter().filter(is_off).count();
    assert!(off_count <= off_max, "`{policy}`: {hours:?} calls an hour, not {BUDGET_PER_H}");
    let mean = hours.iter().sum::<usize>() as f64 / hours.len() as f64;
    assert!((mean / BUDGET_PER_H - 1.0).abs() < 0.05, "`{policy}`: {mean} of {BUDGET_PER_H} calls an hour");
    assert!(invariant::busiest(&driver.journal, Span::MINUTE * 5.0) <= API_PER_5_MIN as usize);
    assert_eq!(scene.refused_count(), 0);

    let from = scene.now() - Span::HOUR * 20.0;
    let lists = driver.journal.iter().filter(|it| &*it.endpoint == "posts" && it.sent_at >= from);
    let (heavy_visits, light_visits): (Vec<_>, Vec<_>) = lists.partition(|it| heavy.contains(&it.root));
    let ratio = heavy_visits.len() as f64 / light_visits.len().max(1) as f64;
    // Visits follow the root of the weight; a short quota and the queue blur it.
    assert!((1.8..4.5).contains(&ratio), "`{policy}`: weight 9 brings {ratio} times the visits, not 3");

    let price = price_of(&driver, scene.now());
    let restarted = scene.start(driver.kill());
    let after = price_of(&restarted, scene.now());
    assert!(price > 10.0 && (after / price - 1.0).abs() < 0.2, "`{policy}`: {price} became {after}");
    let mut driver = restarted;
    driver.run_for(Span::HOUR * 6.0).unwrap();
    // What must not happen is that a restart costs calls.
    let hours = by_hour(&driver, scene.now(), 6);
    let mean = hours.iter().sum::<usize>() as f64 / 6.0;
    assert!(mean > 0.85 * BUDGET_PER_H, "`{policy}`: {hours:?} calls an hour after the restart");
}

#[test]
fn a_short_quota_is_spent_evenly_and_prices_survive() {
    check_even_spending("freshet", 0);
}

#[test]
fn a_short_quota_is_spent_evenly_by_the_plain_index() {
    check_even_spending("index", 0);
}

#[test]
fn a_policy_without_prices_overdraws_nothing_either() {
    let scene = scene("change-rate", 40, 8.0);
    let mut driver = scene.start(scene.store(40));
    driver.run_for(Span::HOUR * 12.0).unwrap();
    assert!(invariant::busiest(&driver.journal, Span::MINUTE * 5.0) <= API_PER_5_MIN as usize);
    assert_eq!(scene.refused_count(), 0);
    assert!(price_of(&driver, scene.now()) >= 0.0);
}

#[test]
fn with_little_demand_the_floor_holds_and_quota_is_left() {
    let scene = scene("freshet", 2, 30.0);
    let mut driver = scene.start(scene.store(2));
    driver.run_for(Span::HOUR * 12.0).unwrap();
    let hours = by_hour(&driver, scene.now(), 8);
    assert!(hours.iter().all(|count| (1..=40).contains(count)), "{hours:?}: 2 lists, each every 5 minutes");
    let mut last: Map<&str, Timestamp> = Map::default();
    let from = scene.now() - Span::HOUR * 8.0;
    for exchange in driver.journal.iter().filter(|it| &*it.endpoint == "posts" && it.sent_at >= from) {
        if let Some(before) = last.insert(exchange.root.as_str(), exchange.sent_at) {
            let gap = exchange.sent_at - before;
            // Pages of one visit follow each other; visits keep the floor.
            assert!(gap < Span::MINUTE || gap >= Span::MINUTE * 5.0, "{gap} between two visits");
        }
    }
    assert!(price_of(&driver, scene.now()) < 1.0);
}
