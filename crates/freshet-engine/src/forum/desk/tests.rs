//! Who is next at a desk whose lists were told of by hand.

use freshet_types::Timestamp;

use super::*;

const NOW_S: f64 = 1_600_000_000.0;
const LIMITS: Limits = Limits { floor: Span::from_secs(30), ceiling: Span::from_secs(21_600), price: 50.0 };

/// A lead to a thread that posted so long ago and was read so long ago, if at all.
fn lead(id: u32, active_ago_s: f64, read_ago_s: Option<f64>) -> LeadTold {
    let at = |ago_s: f64| Timestamp::from_ms(((NOW_S - ago_s) * 1000.0) as i64);
    let has_news = read_ago_s.is_none_or(|read_ago_s| active_ago_s < read_ago_s);
    LeadTold {
        id: SourceId(id),
        is_thread: true,
        is_new: false,
        active_at: Some(at(active_ago_s)),
        grain: Span::ZERO,
        newest_at: read_ago_s.map(|ago_s| at(ago_s + 600.0)),
        visited_at: read_ago_s.map(at),
        due_at: has_news.then(|| at(0.0)),
    }
}

/// A desk with one board, 1, that was read a minute and an hour ago and has shown a thread that is long over.
fn desk() -> Desk {
    let mut desk = Desk::new(NOW_S - 86_400.0);
    desk.add_index(SourceId(1), None);
    desk.looked(SourceId(1), NOW_S - 3_600.0);
    desk.looked(SourceId(1), NOW_S - 60.0);
    desk.on_told(SourceId(1), &[lead(99, 9e6, Some(1e6))], NOW_S - 60.0);
    desk
}

/// Who is next when a board has told of these.
fn check(told: &[LeadTold], expected: u32, why: &str) {
    let mut desk = desk();
    told.iter().filter(|lead| lead.visited_at.is_none()).for_each(|lead| desk.add_unread(lead.id));
    desk.on_told(SourceId(1), told, NOW_S - 60.0);
    let best = desk.best(LIMITS, |_| true, NOW_S).map(|offer| offer.id.0);
    assert_eq!(best, Some(expected), "{why}");
}

#[test]
fn a_thread_with_news_goes_first_and_a_silent_one_never() {
    check(&[], 1, "the board tells of news");
    check(&[lead(2, 120.0, Some(600.0))], 2, "it has news");
    check(&[lead(2, 900.0, Some(600.0))], 1, "it was read since");
    check(&[lead(2, 120.0, None)], 2, "it is new");
    check(&[lead(2, 9e6, None)], 1, "it is of the archive");
    check(
        &[lead(2, 100.0, Some(600.0)), lead(3, 3_000.0, Some(4_000.0))],
        3,
        "the next post is further away",
    );
}

#[test]
fn the_archive_and_what_is_due_by_itself_wait_aside() {
    let mut desk = desk();
    (2..5).for_each(|id| desk.add_unread(SourceId(id)));
    desk.on_told(SourceId(1), &[lead(3, 120.0, None)], NOW_S - 60.0);
    desk.add_due(SourceId(3));
    desk.add_due(SourceId(9));
    desk.read(SourceId(3), NOW_S);
    assert_eq!(desk.pop_archived(|id| id.0 != 2).map(|id| id.0), Some(4), "read as news, or busy");
    assert_eq!(desk.pop_aside(|_| true).map(|id| id.0), Some(9));
    assert_eq!(desk.pop_aside(|_| true), None);
}

#[test]
fn where_no_index_tells_of_activity_due_times_count() {
    let mut desk = desk();
    desk.tells = false;
    desk.on_told(SourceId(1), &[LeadTold { active_at: None, ..lead(2, 0.0, Some(600.0)) }], NOW_S - 60.0);
    desk.add_due(SourceId(2));
    assert_eq!(desk.best(LIMITS, |_| true, NOW_S), Some(Offer { id: SourceId(2), price: 50.0 }));
    desk.read(SourceId(2), NOW_S);
    assert_eq!(desk.best(LIMITS, |_| true, NOW_S).map(|offer| offer.id), Some(SourceId(1)));
    desk.want(SourceId(2));
    assert_eq!(
        desk.best(LIMITS, |_| true, NOW_S).map(|offer| offer.id),
        Some(SourceId(2)),
        "a person wants it"
    );
}

#[test]
fn a_front_page_tells_of_its_boards() {
    let mut desk = Desk::new(NOW_S - 86_400.0);
    (1..4).for_each(|id| desk.add_index(SourceId(id), None));
    assert_eq!(desk.best(LIMITS, |_| true, NOW_S).map(|offer| offer.id.0), Some(1), "never read");
    (1..4).for_each(|id| desk.looked(SourceId(id), NOW_S - 600.0));
    let board =
        |id: u32, active_ago_s: f64| LeadTold { is_thread: false, ..lead(id, active_ago_s, Some(600.0)) };
    (2..4).for_each(|id| desk.on_told(SourceId(id), &[lead(90 + id, 9e6, Some(1e6))], NOW_S - 600.0));
    desk.on_told(SourceId(1), &[board(2, 700.0), board(3, 700.0)], NOW_S - 600.0);
    assert_eq!(desk.best(LIMITS, |_| true, NOW_S).map(|offer| offer.id.0), Some(1), "it stands for both");
    desk.looked(SourceId(1), NOW_S - 40.0);
    desk.on_told(SourceId(1), &[board(2, 700.0), board(3, 120.0)], NOW_S);
    assert_eq!(desk.best(LIMITS, |_| true, NOW_S).map(|offer| offer.id.0), Some(3), "it told of news there");
    desk.put_off(SourceId(3), NOW_S + 10.0);
    assert_ne!(desk.best(LIMITS, |_| true, NOW_S).map(|offer| offer.id.0), Some(3), "it could not be read");
    assert_eq!(desk.best(LIMITS, |_| true, NOW_S + 90_000.0).map(|offer| offer.id.0), Some(1), "the ceiling");
}

#[test]
fn silent_threads_are_forgotten_and_their_silence_is_not() {
    let mut desk = desk();
    desk.add_unread(SourceId(2));
    desk.learn(SourceId(2), [0.0, 60.0, 120.0].into_iter().map(|ago_s| NOW_S - 500.0 + ago_s));
    desk.read(SourceId(2), NOW_S);
    desk.refresh(NOW_S);
    assert!(desk.threads.contains_key(&SourceId(2)) && desk.table.post_count == 3);
    let lively = desk.table.idle.rate_per_s(1, 30.0);
    (0..20).for_each(|id| desk.learn(SourceId(100 + id), [0.0, 60.0].into_iter()));
    (0..20).for_each(|id| desk.read(SourceId(100 + id), NOW_S));
    desk.refresh(NOW_S + 90_000.0);
    assert!(desk.threads.is_empty() && desk.table.idle.rate_per_s(1, 30.0) < lively);
    let trained = Table { post_count: 1, ..Table::default() };
    desk.set_table(trained, NOW_S);
    assert_eq!(desk.table.post_count, 43, "more was learned since the start");
}

#[test]
fn a_thread_of_the_archive_that_was_not_read_keeps_its_place() {
    let mut desk = desk();
    for id in [5, 6, 7] {
        desk.add_unread(SourceId(id));
    }
    assert_eq!(desk.pop_archived(|_| false), None, "its robot rests");
    assert_eq!(desk.pop_archived(|id| id.0 != 5), Some(SourceId(6)));
    desk.return_unread(SourceId(6));
    desk.put_off(SourceId(7), NOW_S + 60.0);
    assert_eq!(desk.pop_archived(|_| true), Some(SourceId(6)), "it was turned back");
    desk.read(SourceId(6), NOW_S);
    desk.return_unread(SourceId(6));
    assert_eq!(desk.pop_archived(|_| true), Some(SourceId(5)), "and was read then");
    assert_eq!(desk.pop_archived(|_| true), None, "what failed is tried again by its time, not by its turn");
}

#[test]
fn a_time_to_the_minute_does_not_hide_news_of_that_minute() {
    // It was read in the minute that its board tells of, and may have a post since; told to the second, it has none.
    for (grain, expected) in [(Span::MINUTE, Some(2)), (Span::SECOND, None)] {
        let mut desk = desk();
        let told = LeadTold { grain, due_at: Some(Timestamp::from_secs(0)), ..lead(2, 160.0, Some(101.0)) };
        desk.on_told(SourceId(1), &[told], NOW_S - 60.0);
        let best = desk.best(LIMITS, |_| true, NOW_S - 50.0).map(|offer| offer.id.0);
        assert_eq!(best, expected, "{grain}");
    }
}
