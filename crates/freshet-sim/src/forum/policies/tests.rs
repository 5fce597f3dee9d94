//! Every policy on a small forum: it keeps to sheets, mirrors the archive and finds what is new.

use freshet_types::Timestamp;

use super::super::{Figures, History, Setup, run};
use super::*;

/// Two boards; 60 threads before the start, then a new thread every 8 hours with five posts half an hour apart; one thread of
/// 45 posts that is revived every day.
fn history() -> History {
    let mut rows = Vec::new();
    for thread in 0..60_u32 {
        rows.extend((0..3).map(|post| (thread % 2, thread, i64::from(thread) * 7200 + post * 600, thread)));
    }
    for thread in 60..240_u32 {
        let at_s = START_S + i64::from(thread - 60) * 8 * 3600 + 500;
        rows.extend((0..5).map(|post| (thread % 2, thread, at_s + post * 1800, thread)));
    }
    rows.extend((0..45).map(|post| (0, 240, post * 3600, 7)));
    rows.extend((0..60).map(|day| (0, 240, START_S + day * 86_400 + 40_000, 7)));
    History::from_rows(rows)
}

const START_S: i64 = 7 * 86_400;

fn figures(name: &str, pages_per_day: f64) -> Figures {
    let history = history();
    let setup =
        Setup { start: Timestamp::from_secs(START_S), days: 60, eval_days: 30, pages_per_day, page_size: 10 };
    let mut policy = forum_policy_named(name, &history, &setup).unwrap();
    assert_eq!(policy.name(), name);
    run(&history, &setup, policy.as_mut())
}

#[test]
fn every_policy_mirrors_and_keeps_up() {
    for name in FORUM_POLICY_NAMES {
        let figures = figures(name, 200.0);
        let (index, posts) = (figures.index.coverage, figures.posts.coverage);
        assert!(index > 0.98 && posts > 0.95, "{name}: {index} {posts}");
        let (seen_s, charged_s) = (figures.posts.timeliness_s.unwrap(), figures.posts.charged_s.unwrap());
        assert!(seen_s > 0.0 && seen_s < 86_400.0 && charged_s.is_finite(), "{name}: {seen_s} {charged_s}");
    }
    assert!(
        forum_policy_named(
            "nobody",
            &history(),
            &Setup {
                start: Timestamp::from_secs(0),
                days: 1,
                eval_days: 1,
                pages_per_day: 1.0,
                page_size: 10
            }
        )
        .is_none()
    );
}

#[test]
fn knowing_more_is_better() {
    let wait_s = |name: &str| figures(name, 100.0).posts.charged_s.unwrap();
    let (oracle, freshet, lists, pages) =
        (wait_s("oracle"), wait_s("freshet"), wait_s("lws+bc"), wait_s("curve-fitting"));
    assert!(
        oracle < freshet && freshet < lists,
        "oracle {oracle}, freshet {freshet}, lws+bc {lists}, pages {pages}"
    );
}

#[test]
fn no_bandwidth_is_no_page() {
    for name in FORUM_POLICY_NAMES {
        let figures = figures(name, 0.0);
        assert_eq!((figures.page_count, figures.posts.timeliness_s), (0, None), "{name}");
        assert!(figures.posts.charged_s.unwrap() > 0.0);
    }
}
