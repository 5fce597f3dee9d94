//! The engine on a small forum, beside the policy that it goes by.

use freshet_types::Timestamp;

use super::*;
use crate::forum::policies::{Freshet, Sharing};
use crate::forum::{Address, run as run_policy};

const START_S: i64 = 1_600_000_000;

/// Threads that are started three times a day on two boards, with some posts each, for so many days around the start.
fn history(days: i64) -> &'static History {
    let mut rows = Vec::new();
    for thread in 0..days * 3 {
        let from_s = START_S - days * 43_200 + thread * 28_789;
        rows.extend(
            (0..4).map(|post| {
                (thread as u32 % 2, thread as u32, from_s + post * post * 1_801, thread as u32 % 7)
            }),
        );
    }
    Box::leak(Box::new(History::from_rows(rows)))
}

#[test]
fn the_engine_crawls_from_the_portal_within_its_pages() {
    let setup = Setup {
        start: Timestamp::from_secs(START_S),
        days: 6,
        eval_days: 3,
        pages_per_day: 200.0,
        page_size: 20,
    };
    let history = history(20);
    let crawl = run(history, &setup).unwrap();
    assert_eq!(crawl.answers[0].address, Some(Address::Portal));
    assert!(crawl.answers.len() <= 1200 + 1, "{}", crawl.answers.len());
    assert!(crawl.figures.posts.coverage > 0.95, "{:?}", crawl.figures.posts.coverage);
    let told = run_policy(history, &setup, &mut Freshet::new("freshet", &setup, Sharing::Together));
    let (told_s, live_s) = (told.posts.charged_s.unwrap(), crawl.figures.posts.charged_s.unwrap());
    assert!(live_s <= 1.15 * told_s, "{live_s} s of the engine, {told_s} s of the policy");
    assert!(crawl.figures.page_count >= 590, "every page is spent: {}", crawl.figures.page_count);
}
