//! No policy knows the future: histories that differ only after an instant are treated alike up to it.

use super::*;

/// Days of warm-up and of evaluation.
const WINDOW: Window = Window { from: Timestamp::from_secs(0), warm_days: 5, eval_days: 4 };

/// Posts of 23 users with rates from a post in days to many an hour, some in bursts.
fn posts(seed: u64) -> Vec<(u64, i64)> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = move |most: i64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as i64) % most
    };
    let mut posts = Vec::new();
    for user in 0..23_u64 {
        posts.push((user, draw(86_400)));
        let gap_s = 400_000 / (1 + (user as i64).pow(2));
        let mut at_s = 0;
        while at_s < 9 * 86_400 {
            at_s += 1 + draw(2 * gap_s);
            let burst = if user % 3 == 0 { 1 + draw(6) } else { 1 };
            posts.extend((0..burst).map(|post| (user, at_s + post * 47)));
        }
    }
    posts
}

fn decisions(posts: Vec<(u64, i64)>, name: &str, setup: &Setup, until_slot: u64) -> Vec<(u64, usize)> {
    let history = History::from_posts(WINDOW, posts);
    assert_eq!(history.posters.len(), 23);
    let mut made = Vec::new();
    run_watched(&history, name, setup, &mut |slot, source| {
        if slot < until_slot {
            made.push((slot, source));
        }
    })
    .unwrap();
    made
}

#[test]
fn no_policy_peeks() {
    let lost = Setup { page_size: Some(3), objective: Objective::Capture, ..Setup::new(11.0) };
    let grouped = Setup { group: 6, ..Setup::new(12.0) };
    for setup in [Setup::new(10.0), lost, grouped] {
        for name in POLICY_NAMES {
            for slot in [1, 130, 251] {
                // What is posted in a slot is not known to the decision for that slot, unless a probe told of it.
                let known = if setup.group > 1 { slot } else { slot - 1 };
                let differs_s = WINDOW.start().secs() + known * 900;
                let kept = posts(1).into_iter().filter(|(_, at_s)| *at_s < differs_s);
                let other = posts(2).into_iter().filter(|(_, at_s)| *at_s >= differs_s);
                let changed = kept.chain(other).collect();
                let one = decisions(posts(1), name, &setup, slot as u64);
                let two = decisions(changed, name, &setup, slot as u64);
                assert!(!one.is_empty() && one == two, "`{name}` knew of posts after slot {slot}");
            }
        }
    }
}

#[test]
fn one_seed_one_result() {
    let history = History::from_posts(WINDOW, posts(3));
    for name in POLICY_NAMES.iter().chain(ORACLE_NAMES) {
        let mut results = [0, 1].map(|_| run(&history, name, &Setup::new(7.0)).unwrap());
        for outcome in &mut results {
            outcome.wall_ms = 0;
        }
        assert_eq!(results[0], results[1], "{name}");
    }
}

fn check_finite(history: &History, name: &str, setup: &Setup) {
    let outcome = run(history, name, setup).unwrap();
    let figures = [outcome.mean_delay_s, outcome.coverage, outcome.p90_delay_s, outcome.median_delay_s];
    let shares = [outcome.posts_per_call, outcome.useful_call_share];
    let prices = outcome.series.prices_by_day.iter().copied();
    for figure in figures.into_iter().flatten().chain(shares).chain(prices) {
        assert!(figure.is_finite() && figure >= 0.0, "{name} {setup:?}: {outcome:?}");
    }
    assert!(outcome.captured <= outcome.posts_total, "{name}");
    assert_eq!(outcome.posts_total, history.eval_count(), "{name}");
    let slot_count = 4.0 * 96.0;
    // With groups a source may be asked about and visited in one slot.
    let once = if setup.group > 1 { 2.0 } else { 1.0 };
    let allowed = (setup.calls_per_hour * 96.0).min(23.0 * slot_count * once);
    assert!(outcome.calls as f64 <= allowed + 1e-6, "{name}: {} calls of {allowed}", outcome.calls);
}

#[test]
fn results_are_finite_whatever_the_budget() {
    let shown = [(None, Objective::Delay), (Some(1), Objective::Capture), (Some(20), Objective::Delay)];
    for (seed, calls_per_hour) in [(4, 0.0), (5, 0.01), (6, 3.0), (7, 90.0), (8, 1e9)] {
        let history = History::from_posts(WINDOW, posts(seed));
        for (page_size, objective) in shown {
            let weights = [(3, 0.0), (5, 1e6), (7, 1e-6)].into_iter().collect();
            let setup = Setup { page_size, objective, weights, ..Setup::new(calls_per_hour) };
            for setup in [setup.clone(), Setup { group: 7, ..setup }] {
                POLICY_NAMES.iter().chain(ORACLE_NAMES).for_each(|name| check_finite(&history, name, &setup));
            }
        }
    }
}

#[test]
fn the_clairvoyant_is_never_beaten() {
    let history = History::from_posts(WINDOW, posts(9));
    for calls_per_hour in [2.0, 10.0, 40.0] {
        let setup = Setup::new(calls_per_hour);
        let least = run(&history, "clairvoyant", &setup).unwrap().mean_delay_s.unwrap();
        let capture = Setup { page_size: Some(5), objective: Objective::Capture, ..setup.clone() };
        let most = run(&history, "clairvoyant", &capture).unwrap().captured;
        for name in POLICY_NAMES {
            for group in [1, 9] {
                let setup = Setup { group, ..setup.clone() };
                assert!(run(&history, name, &setup).unwrap().mean_delay_s.unwrap() >= least, "{name}");
            }
            assert!(run(&history, name, &capture).unwrap().captured <= most, "{name}");
        }
    }
}
