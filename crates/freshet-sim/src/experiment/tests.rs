//! Experiments on small histories.

mod group;
mod live;
mod peek;
mod profiles;

use super::*;
use crate::trace::{Before, Window};

const WINDOW: Window = Window { from: Timestamp::from_secs(0), warm_days: 1, eval_days: 1 };

/// Evaluation posts at seconds after the start; each user posts once in the warm-up.
fn history(users: &[&[i64]]) -> History {
    let mut posts = Vec::new();
    for (user, times) in (0..).zip(users) {
        posts.push((user, 10));
        posts.extend(times.iter().map(|time| (user, 86_400 + time)));
    }
    History::from_posts(WINDOW, posts)
}

fn check(history: &History, setup: &Setup, calls: u64, captured: u64, mean_delay_s: Option<f64>) {
    let outcome = run(history, "rr", setup).unwrap();
    let got = (outcome.calls, outcome.captured, outcome.mean_delay_s);
    assert_eq!(got, (calls, captured, mean_delay_s), "{setup:?}");
}

#[test]
fn visits_are_at_the_end_of_slots_and_return_what_is_before() {
    // One source, one visit a slot: posts at 0, 899 and 900 wait 900, 1 and 900 seconds.
    let one = history(&[&[0, 899, 900]]);
    check(&one, &Setup::new(4.0), 96, 3, Some((900.0 + 1.0 + 900.0) / 3.0));
    // Two calls a slot and one source: the second call is not made.
    check(&one, &Setup::new(8.0), 96, 3, Some((900.0 + 1.0 + 900.0) / 3.0));
    // Half a call a slot: the first visit is at the end of the second slot.
    check(&one, &Setup::new(2.0), 48, 3, Some((1800.0 + 901.0 + 900.0) / 3.0));
    // No budget: everything waits until the end.
    let day = 86_400.0;
    check(&one, &Setup::new(0.0), 0, 0, Some((day + (day - 899.0) + (day - 900.0)) / 3.0));
    // Two sources in turn, the first one first.
    let two = history(&[&[0], &[0]]);
    check(&two, &Setup::new(4.0), 96, 2, Some(1350.0));
    // Nothing to see.
    check(&history(&[&[]]), &Setup::new(4.0), 96, 0, None);
}

#[test]
fn pages_lose_the_oldest_or_cost_more() {
    let one = history(&[&[0, 1, 2, 3, 4]]);
    let lost = Setup { page_size: Some(2), ..Setup::new(4.0) };
    let day = 86_400.0;
    let mean = (897.0 + 896.0 + day + day - 1.0 + day - 2.0) / 5.0;
    check(&one, &lost, 96, 2, Some(mean));
    let pages = Setup { overflow: Overflow::Pages, ..lost };
    // Three pages for the first visit; the two extra calls are saved in the next slots.
    let outcome = run(&one, "rr", &pages).unwrap();
    assert_eq!((outcome.calls, outcome.captured), (96, 5));
    assert_eq!(outcome.mean_delay_s, Some(898.0));
}

#[test]
fn weights_count() {
    let two = history(&[&[0], &[0]]);
    let weights = [(1, 3.0)].into_iter().collect();
    check(&two, &Setup { weights, ..Setup::new(4.0) }, 96, 2, Some((900.0 + 3.0 * 1800.0) / 4.0));
}

#[test]
fn nonsense_is_refused() {
    let one = history(&[&[0]]);
    for calls_per_hour in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(run(&one, "rr", &Setup::new(calls_per_hour)), Err(ExperimentError::Budget(_))));
    }
    let error = run(&one, "nonsense", &Setup::new(1.0)).unwrap_err().to_string();
    assert!(
        error.contains("`nonsense`") && error.contains("hash") && error.contains("clairvoyant"),
        "{error}"
    );
    assert!(check_names(&["rr".into(), "bound".into()]).is_ok());
    assert!(check_names(&["rr".into(), String::new()]).is_err());
}
