//! Which rows stand where, and when.

use super::*;

/// Board 0: threads 0 (12 posts, one an hour from 0) and 2 (one post at 5.5 h); board 1: thread 1 (one post at 3 h).
fn history() -> History {
    let mut rows: Vec<_> = (0..12).map(|hour| (0, 0, hour * 3600, 7)).collect();
    rows.push((1, 1, 3 * 3600, 8));
    rows.push((0, 2, 19_800, 9));
    History::from_rows(rows)
}

fn threads(site: &Site<'_>, board: u32, page: u32) -> Vec<(u32, i64, u32)> {
    let Rows::Threads(rows) = site.answer(Address::Index { board, page }).rows else { panic!("no index") };
    rows.iter().map(|row| (row.thread, row.last_s, row.post_count)).collect()
}

fn hours(site: &Site<'_>, thread: u32, page: u32) -> Vec<i64> {
    let Rows::Posts(rows) = site.answer(Address::Posts { thread, page }).rows else { panic!("no posts") };
    rows.iter().map(|row| row.at_s / 3600).collect()
}

#[test]
fn threads_stand_by_last_activity_and_only_what_was_posted_shows() {
    let history = history();
    let mut site = Site::new(&history, 10, PostOrder::OldestFirst);
    site.advance_to(0.0);
    assert_eq!(threads(&site, 0, 1), [], "a post at this very second is not there yet");
    assert_eq!(site.answer(Address::Portal).rows, Rows::Boards(Vec::new()));
    site.advance_to(20_000.0);
    assert_eq!(threads(&site, 0, 1), [(2, 19_800, 1), (0, 18_000, 6)]);
    site.advance_to(21_601.0);
    assert_eq!(threads(&site, 0, 1), [(0, 21_600, 7), (2, 19_800, 1)]);
    assert_eq!(threads(&site, 1, 1), [(1, 10_800, 1)]);
    assert_eq!((threads(&site, 0, 2), threads(&site, 9, 1)), (vec![], vec![]));
    let Rows::Boards(boards) = site.answer(Address::Portal).rows else { panic!("no portal") };
    assert_eq!(boards[0], BoardRow { board: 0, thread_count: 2, post_count: 8, last_s: 21_600 });
    // Back in time.
    site.advance_to(20_000.0);
    assert_eq!(threads(&site, 0, 1), [(2, 19_800, 1), (0, 18_000, 6)]);
}

#[test]
fn posts_stand_in_either_order() {
    let history = history();
    let mut site = Site::new(&history, 10, PostOrder::OldestFirst);
    site.advance_to(1e6);
    assert_eq!(hours(&site, 0, 1), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert_eq!((hours(&site, 0, 2), hours(&site, 0, 3)), (vec![10, 11], vec![]));
    assert_eq!(site.answer(Address::Posts { thread: 0, page: 1 }).page_count, 2);
    let mut site = Site::new(&history, 1, PostOrder::NewestFirst);
    site.advance_to(1e6);
    assert_eq!(site.page_size(), 10, "page sizes are what forums use");
    assert_eq!((hours(&site, 0, 1)[0], hours(&site, 0, 2)), (11, vec![1, 0]));
}
