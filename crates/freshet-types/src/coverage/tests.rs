//! Pages as text: `ids -> next`, and the intervals they leave.

use super::*;

/// Adds pages written as `cursor: newest..oldest -> next` and shows the intervals.
fn check(pages: &[&str], expected: &str) {
    check_with(pages, false, expected);
}

fn check_with(pages: &[&str], is_window: bool, expected: &str) {
    let mut coverage = Coverage::default();
    for page in pages {
        add(&mut coverage, page, is_window);
    }
    let mut shown: Vec<String> = Vec::new();
    for interval in &coverage.intervals {
        let end = match (&interval.below, interval.is_bottom) {
            (_, true) => "|".to_owned(),
            (Some(cursor), _) => format!(">{cursor}"),
            (None, _) => "?".to_owned(),
        };
        shown.push(format!("{}..{}{end}", interval.newest.id, interval.oldest.id));
    }
    assert_eq!(shown.join(" "), expected, "after {pages:?}");
}

fn add(coverage: &mut Coverage, page: &str, is_window: bool) {
    add_in_order(coverage, page, is_window, IdOrder::Numeric);
}

/// The last two digits of an id are no part of its time.
fn add_in_order(coverage: &mut Coverage, page: &str, is_window: bool, order: IdOrder) {
    let (cursor, rest) = page.split_once(": ").unwrap_or(("", page));
    let (ends, next) = rest.split_once(" -> ").unwrap_or((rest, ""));
    let mark =
        |id: &str| Mark { id: id.to_owned(), at: Timestamp::from_secs(id.parse::<i64>().unwrap() / 100) };
    let look = Look {
        ends: ends.split_once("..").map(|(newest, oldest)| (mark(newest), mark(oldest))),
        cursor: Some(cursor).filter(|cursor| !cursor.is_empty()),
        next: Some(next).filter(|next| !next.is_empty()),
        seen_at: Timestamp::from_secs(1000),
        visit: VisitId(1),
        since: None,
        is_window,
        is_broken_off: false,
        unsure: &[],
    };
    coverage.add_page(&look, order);
}

#[test]
fn a_refused_cursor_is_forgotten_with_what_hangs_on_it() {
    let mut coverage = Coverage::default();
    for page in ["50..41 -> c41", "90..81 -> c81", "120..111 -> c111"] {
        add(&mut coverage, page, false);
    }
    let newest = |coverage: &Coverage| coverage.newest().map(|mark| mark.id.clone());
    coverage.forget_down_to("nowhere");
    assert_eq!(newest(&coverage).as_deref(), Some("120"));
    coverage.forget_down_to("c81");
    assert_eq!(newest(&coverage).as_deref(), Some("50"));
}

#[test]
fn history_is_read_down_to_its_end() {
    check(&["90..71 -> c71"], "90..71>c71");
    check(&["90..71 -> c71", "c71: 70..51 -> c51"], "90..51>c51");
    check(&["90..71 -> c71", "c71: 70..51"], "90..51|");
    check(&["90..71 -> c71", "c71:  -> "], "90..71|");
}

#[test]
fn news_join_what_is_known_when_the_page_reaches_it() {
    check(&["90..10", "95..60 -> c60"], "95..10|");
    check(&["90..71 -> c71", "95..80 -> c80"], "95..71>c71");
    check(&["9..3", "12..8 -> c8"], "12..3|");
}

#[test]
fn a_visit_cut_short_leaves_a_hole_that_later_closes() {
    check(&["90..10", "200..150 -> c150"], "200..150>c150 90..10|");
    check(&["90..10", "200..150 -> c150", "c150: 149..100 -> c100"], "200..100>c100 90..10|");
    check(&["90..10", "200..150 -> c150", "c150: 149..80 -> c80"], "200..10|");
    check(&["90..10", "200..150 -> c150", "300..250 -> c250"], "300..250>c250 200..150>c150 90..10|");
}

#[test]
fn a_window_that_scrolled_on_leaves_a_hole_for_good() {
    check_with(&["20..1", "30..11"], true, "30..1|");
    check_with(&["20..1", "60..41"], true, "60..41? 20..1|");
    check(&["20..1", "60..41"], "60..41|");
}

#[test]
fn holes_name_their_edges_and_empty_lists_are_complete() {
    let mut coverage = Coverage::default();
    assert!(!coverage.is_complete());
    add(&mut coverage, " -> ", false);
    assert!(coverage.is_complete());
    for page in ["90..50 -> c50", "200..150 -> c150"] {
        add(&mut coverage, page, false);
    }
    let holes = coverage.holes();
    assert_eq!(holes.len(), 2);
    assert_eq!(holes[0].above.id, "150");
    assert_eq!(holes[0].below.as_ref().unwrap().id, "90");
    assert_eq!(holes[1].cursor.as_deref(), Some("c50"));
    assert!(holes[1].below.is_none());
}

#[test]
fn the_number_of_intervals_is_bounded() {
    let mut coverage = Coverage::default();
    for step in 1..=2 * INTERVALS_MAX as i64 {
        add(&mut coverage, &format!("{}..{} -> c{step}", step * 100 + 9, step * 100), false);
    }
    assert_eq!(coverage.intervals.len(), INTERVALS_MAX);
    assert!(!coverage.is_complete());
}

#[test]
fn posts_of_one_instant_do_not_reopen_what_is_complete() {
    let mut coverage = Coverage::default();
    for page in ["530..410 -> c", "c: 402..401", "612..407 -> d"] {
        add_in_order(&mut coverage, page, false, IdOrder::None);
    }
    assert!(coverage.is_complete(), "{coverage:?}");
}

#[test]
fn a_list_of_posts_of_one_instant_is_one_interval() {
    let mut coverage = Coverage::default();
    for page in ["412..411 -> c", "c: 410..409 -> d", "d: 408..407"] {
        add_in_order(&mut coverage, page, false, IdOrder::None);
    }
    assert_eq!(coverage.newest().map(|newest| newest.id.as_str()), Some("412"), "{coverage:?}");
    assert!(coverage.is_complete(), "{coverage:?}");
}
