//! Prices on the virtual clock: a quota is spent evenly and wholly, never overdrawn, and prices
//! survive a restart.

use super::*;
use crate::{Chances, Limits};

/// Calls in five minutes that the world allows.
const API_PER_5_MIN: u32 = 10;
/// What the ledger spends of them in an hour: all but the burst, which covers any alignment.
const BUDGET_PER_H: f64 = 9.0 * 12.0;

/// Mastodon as such a world limits it.
fn scarce() -> Arc<Networks> {
    let networks = Networks::shipped();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../networks/mastodon.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let scarce = format!("limit = {API_PER_5_MIN}\nwindow = \"5m\"");
    networks.apply_definition("scarce", &text.replace("limit = 300\nwindow = \"5m\"", &scarce)).unwrap();
    Arc::new(networks)
}

fn scene(policy: &'static str, accounts: u32, posts_per_day: f64) -> Scene {
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
    let options = WorldOptions { seed: 21, accounts, posts_per_day, chances, limits, history, ..WorldOptions::default() };
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

#[test]
fn look() {
    for policy in [std::env::var("P").unwrap_or("index".into()).leak() as &str] {
        let t = std::time::Instant::now(); let scene = scene(policy, 60, 8.0);
        let store = scene.store(60);
        let mut driver = scene.start(store);
        for day in 0..4 {
            driver.run_for(Span::DAY).unwrap();
            let now = scene.now();
            let tally = driver.core.tally();
            eprintln!(
                "{policy} day {day}: {:?} lag {:?} repriced {} postponed {}",
                by_hour(&driver, now, 24),
                tally.lag(),
                tally.repriced_count,
                tally.postponed_count
            );
            for view in driver.core.prices().views(now).iter().filter(|it| it.sources_count > 0) {
                eprintln!(
                    "  {} {:.0} budget {:.1} news {:.1} others {:.1} n {}",
                    view.key.rule,
                    view.price,
                    view.budget_per_h,
                    view.news_per_h,
                    view.others_per_h,
                    view.sources_count
                );
            }
        }
    }
}
