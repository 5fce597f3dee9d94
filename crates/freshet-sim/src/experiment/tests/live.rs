//! The engine beside the policies of experiments, on a small history under few calls.
//!
//! The bounds are those of a crawl that gives every source its turn. What goes wrong when calls are few shows at once as a multiple:
//! sources that lose their turn at every refusal, history in the way of news, a list cut in two.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use super::*;

/// Days on each side of the start.
const DAYS: u32 = 4;
/// Calls an hour for [`USERS`] accounts: each could be visited every four hours.
const CALLS_PER_HOUR: f64 = 10.0;
const USERS: u64 = 40;

/// Accounts that post between once in two days and two dozen times a day, mostly in the afternoon.
fn lively() -> History {
    let window = Window { from: Timestamp::from_secs(1_700_006_400), warm_days: DAYS, eval_days: DAYS };
    let mut rng = Pcg32::seed_from_u64(7);
    let mut posts = Vec::new();
    for user in 0..USERS {
        let per_day = 0.5 * 48.0_f64.powf(user as f64 / (USERS - 1) as f64);
        posts.push((user, window.from.secs() + 60));
        for day in 0..i64::from(2 * DAYS) {
            let count = (per_day + rng.random::<f64>()) as u32;
            for _ in 0..count {
                let second = (43_200.0 + 43_200.0 * rng.random::<f64>().powi(2)) as i64;
                posts.push((user, window.from.secs() + day * 86_400 + second));
            }
        }
    }
    History::from_posts(window, posts)
}

/// The engine waits at most so many times as long as the policy, and spends nearly all that it is allowed.
fn check(history: &History, weights: Map<u64, f64>, live: &str, beside: &str, ratio_max: f64) {
    let setup = Setup { weights, ..Setup::new(CALLS_PER_HOUR) };
    let outcome = |name: &str| run(history, name, &setup).unwrap();
    let (own, other) = (outcome(live), outcome(beside));
    let ratio = own.mean_delay_s.unwrap() / other.mean_delay_s.unwrap();
    assert!(ratio <= ratio_max, "{live} waits {ratio:.2} times as long as {beside}, {ratio_max} at most");
    let share = own.calls as f64 / (CALLS_PER_HOUR * 24.0 * f64::from(DAYS));
    assert!((0.95..=1.0).contains(&share), "{live} spends {share:.2} of what is allowed");
}

#[test]
fn who_crawls_for_real_gives_every_source_its_turn() {
    let history = lively();
    check(&history, Map::default(), "live:rr", "rr", 1.05);
    check(&history, Map::default(), "live:ring", "rr", 1.05);
    check(&history, Map::default(), "live:organ-pipe", "organ-pipe", 1.05);
    check(&history, Map::default(), "live:random", "random", 1.1);
    check(&history, Map::default(), "live", "freshet", 1.1);
}

#[test]
fn who_counts_more_is_waited_for_less() {
    // Without weights, posts that count sixteen times wait a third longer than those of the experiment.
    let weights: Map<u64, f64> = (0..USERS).step_by(2).map(|user| (user, 16.0)).collect();
    check(&lively(), weights, "live", "freshet", 1.15);
}

#[test]
fn who_asks_about_many_at_once_hears_of_them_sooner() {
    let history = group::quiet();
    let delay_s = |group: u32| {
        let setup = Setup { group, ..Setup::new(CALLS_PER_HOUR) };
        run(&history, "live", &setup).unwrap().mean_delay_s.unwrap()
    };
    let ratio = delay_s(40) / delay_s(1);
    assert!(ratio <= 0.4, "asking in groups, it waits {ratio:.2} times as long");
}

/// Feeds that show sixteen posts: some post in bursts of six within minutes, once or twice a day, others now and then.
fn bursts() -> History {
    let window = Window { from: Timestamp::from_secs(1_700_006_400), warm_days: DAYS, eval_days: DAYS };
    let mut rng = Pcg32::seed_from_u64(11);
    let mut posts = Vec::new();
    for user in 0..USERS {
        posts.push((user, window.from.secs() + 60));
        // Nobody posts on the last day: what no visit could have found by the end is no loss.
        for day in 0..i64::from(2 * DAYS) - 1 {
            let midnight = window.from.secs() + day * 86_400;
            let (burst_count, size) = if user % 2 == 0 { (1 + user % 3, 6) } else { (1 + user % 5, 1) };
            for _ in 0..burst_count {
                let begin = (rng.random::<f64>() * 80_000.0) as i64;
                posts.extend((0..size).map(|post| (user, midnight + begin + post * 120)));
            }
        }
    }
    History::from_posts(window, posts)
}

/// The share of posts that a crawl sees at all, of lists that show `size` posts.
fn captured(history: &History, calls_per_hour: f64, objective: Objective, size: u32) -> f64 {
    let setup = Setup { page_size: Some(size), objective, ..Setup::new(calls_per_hour) };
    run(history, "live", &setup).unwrap().coverage.unwrap()
}

#[test]
fn a_window_loses_nothing_where_calls_allow_and_little_where_posts_count() {
    let history = bursts();
    // Calls that suffice for delay suffice for posts: none is left unspent while a burst scrolls out.
    for objective in [Objective::Delay, Objective::Capture] {
        let generous = captured(&history, 20.0, objective, 16);
        assert!(generous > 0.9999, "{}: {generous}", objective.name());
    }
    let lively = lively();
    let [delay, capture] =
        [Objective::Delay, Objective::Capture].map(|objective| captured(&lively, 3.0, objective, 5));
    assert!(capture >= delay && capture < 0.95, "{capture} of the posts, {delay} where delay counts");
}

#[test]
fn who_reads_many_lists_as_one_hears_of_them_sooner_still() {
    let history = group::quiet();
    let delay_s = |name: &str, merged_page: u32| {
        let setup = Setup { group: 40, merged_page, ..Setup::new(CALLS_PER_HOUR) };
        run(&history, name, &setup).unwrap().mean_delay_s.unwrap()
    };
    let (told, merged) = (delay_s("live", 0), delay_s("live", 40));
    assert!(merged <= told * 0.9, "{merged:.0} s with their posts, {told:.0} s with news of them");
    let ratio = merged / delay_s("freshet", 40);
    assert!(ratio <= 1.6, "live waits {ratio:.2} times as long as the experiment");
}

#[test]
fn what_cannot_be_a_world_is_refused() {
    let history = lively();
    let setup = Setup { calls_per_hour: 0.001, ..Setup::new(1.0) };
    assert!(run(&history, "live", &setup).unwrap_err().to_string().contains("one call a day"));
    let early = Window { from: Timestamp::from_secs(0), warm_days: 1, eval_days: 1 };
    let ancient = History::from_posts(early, vec![(1, 10)]);
    assert!(run(&ancient, "live", &Setup::new(1.0)).unwrap_err().to_string().contains("1980"));
    let long = Setup { page_size: Some(50), overflow: Overflow::Pages, ..Setup::new(10.0) };
    assert!(run(&history, "live", &long).unwrap_err().to_string().contains("40 posts a page"));
    let weightless = Setup { weights: [(3, 0.0)].into_iter().collect(), ..Setup::new(10.0) };
    let refused = run(&history, "live", &weightless).unwrap_err().to_string();
    assert!(refused.contains("the weight of user 3: `0`") && refused.contains("from 0.001"), "{refused}");
    assert!(check_names(&["live:rr".to_owned(), "live".to_owned()]).is_ok());
    assert!(check_names(&["live:nobody".to_owned()]).is_err());
}
