//! One call for many, on a history in which most sources are silent most of the time.

use super::*;

/// Days on each side of the start.
const WINDOW: Window = Window { from: Timestamp::from_secs(1_700_006_400), warm_days: 6, eval_days: 6 };
const CALLS_PER_HOUR: f64 = 4.0;

/// Sixty accounts that post between once in six days and four times a day, at odd hours.
pub(super) fn quiet() -> History {
    let mut posts = Vec::new();
    for user in 0..60_u64 {
        let gap_s = 21_600 * (1 + (60 - user as i64) * 23 / 60);
        let mut at_s = 1 + (user as i64 * 7919) % gap_s;
        let begin_s = WINDOW.from.secs();
        posts.push((user, begin_s + 1));
        let mut turn = user as i64;
        while at_s < 12 * 86_400 {
            posts.push((user, begin_s + at_s));
            turn = (turn * 31 + 17) % 97;
            at_s += gap_s / 2 + gap_s * turn / 97;
        }
    }
    History::from_posts(WINDOW, posts)
}

fn delay_s(history: &History, name: &str, group: u32) -> f64 {
    let outcome = run(history, name, &Setup { group, ..Setup::new(CALLS_PER_HOUR) }).unwrap();
    assert!(outcome.calls <= 6 * 96, "{name} spends what it has: {}", outcome.calls);
    assert_eq!(outcome.posts_total, history.eval_count());
    outcome.mean_delay_s.unwrap()
}

/// With groups of this size a policy waits for this share at most of what it waits without.
fn check(history: &History, name: &str, group: u32, share_max: f64) {
    let share = delay_s(history, name, group) / delay_s(history, name, 1);
    assert!(share <= share_max, "{name}, {group} at once: {share:.2} of the delay, {share_max} at most");
}

#[test]
fn asking_about_many_at_once_ends_more_waiting() {
    let history = quiet();
    check(&history, "freshet", 40, 0.6);
    check(&history, "freshet", 10, 0.75);
    check(&history, "freshet", 2, 1.1);
    check(&history, "rr", 40, 0.6);
    check(&history, "organ-pipe", 40, 0.6);
    let informed = delay_s(&history, "informed", 40);
    assert!(informed <= delay_s(&history, "freshet", 40) * 1.05, "who knows who has news waits least");
}

#[test]
fn a_page_of_many_lists_ends_more_waiting_than_news_of_them() {
    let history = quiet();
    let delay_s = |name: &str, merged_page: u32| {
        let setup = Setup { group: 40, merged_page, ..Setup::new(CALLS_PER_HOUR) };
        run(&history, name, &setup).unwrap().mean_delay_s.unwrap()
    };
    for name in ["freshet", "rr"] {
        let (told, merged, narrow) = (delay_s(name, 0), delay_s(name, 40), delay_s(name, 3));
        assert!(merged < told * 0.8, "{name}: {merged:.0} s with the posts, {told:.0} s without");
        assert!(merged <= narrow * 1.1, "{name}: {merged:.0} s with pages of 40, {narrow:.0} s of 3");
    }
}

#[test]
fn a_page_too_short_for_its_members_is_taken_for_those_it_reaches() {
    // One of the first posts long before the others, which fill the page: it is told, and visited next.
    let three = history(&[&[0], &[600, 700], &[800]]);
    let setup = Setup { group: 4, merged_page: 3, ..Setup::new(4.0) };
    let outcome = run(&three, "rr", &setup).unwrap();
    assert_eq!((outcome.captured, outcome.posts_total), (4, 4));
}

#[test]
fn a_call_that_asks_fetches_nothing() {
    // Two sources, one call a slot: asked about in the first slot, visited in the second and third.
    let two = history(&[&[0], &[0]]);
    let outcome = run(&two, "rr", &Setup { group: 4, ..Setup::new(4.0) }).unwrap();
    assert_eq!((outcome.captured, outcome.mean_delay_s), (2, Some(2250.0)));
}
