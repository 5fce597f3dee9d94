//! Behaviours of lists: front pages, boards and threads as objects, and the pages of threads.

use std::ops::ControlFlow;

use freshet_types::list::{BOARD, PORTAL, THREAD};
use freshet_types::{Lead, Observation, RobotKind, Source, Span, Timestamp};

use super::kit::{Must, add, all_posts, apply, at, network, post, upload};
use crate::api::Store;
use crate::row::{Applied, Filter, ListPage, ListRow, ListTimesBounds, ListTimesKind, StalePage, Upload};

fn board(store: &mut dyn Store, id: &str) -> Source {
    add(store, &Source::new(&network(), "threads", RobotKind::Status, BOARD, id))
}

fn thread(store: &mut dyn Store, id: &str) -> Source {
    add(store, &Source::new(&network(), "posts", RobotKind::Comment, THREAD, id))
}

fn list_page(source: &Source, cursor: Option<&str>, next: Option<&str>) -> ListPage {
    ListPage {
        kind: source.root_kind.clone(),
        id: source.root_id.clone(),
        cursor: cursor.map(str::to_owned),
        next: next.map(str::to_owned),
        ..ListPage::default()
    }
}

/// A page of a thread that shows these posts, made at the seconds of their ids, and is worth a look a day later.
fn posts_page(store: &mut dyn Store, source: &Source, secs: i64, page: ListPage, ids: &[i64]) -> Applied {
    let posts = ids.iter().map(|id| post(&id.to_string(), "a", *id, "words")).collect();
    let shown = ids.iter().map(i64::to_string).collect();
    let observation = Observation { posts, ..Observation::default() };
    let page = ListPage { shown, recheck_at: at(secs) + Span::DAY, ..page };
    apply(store, Upload { source: Some(source.clone()), page: Some(page), ..upload(secs, observation) })
}

fn lead(id: &str, title: Option<&str>, secs: i64) -> Lead {
    Lead {
        endpoint: "posts".into(),
        robot: RobotKind::Comment,
        root_kind: THREAD.into(),
        root_id: id.to_owned(),
        title: title.map(str::to_owned),
        active_at: Some(at(secs - 1)),
        grain: Span::SECOND,
    }
}

/// A list shows a thread under this title.
fn names(store: &mut dyn Store, list: &Source, secs: i64, title: &str) {
    let observation = Observation { leads: vec![lead("/t/1", Some(title), secs)], ..Observation::default() };
    let page = Some(list_page(list, None, None));
    apply(store, Upload { source: Some(list.clone()), page, ..upload(secs, observation) });
}

pub(super) fn lists_are_called_what_the_list_above_calls_them(store: &mut dyn Store) {
    let front = add(store, &Source::new(&network(), "boards", RobotKind::Status, PORTAL, "/"));
    let (board, thread) = (board(store, "/b/1"), thread(store, "/t/1"));
    let heads = |store: &mut dyn Store, secs: i64, title: &str| {
        let page = ListPage { title: Some(title.to_owned()), ..list_page(&thread, None, None) };
        posts_page(store, &thread, secs, page, &[1, 2]);
    };
    let check = |store: &dyn Store, expected: &str| {
        let title = lists(store).into_iter().find(|row| row.id == "/t/1").and_then(|row| row.title);
        assert_eq!(title.as_deref(), Some(expected));
    };
    heads(store, 100, "A site");
    check(store, "A site");
    heads(store, 110, "A site, renamed");
    check(store, "A site, renamed");
    names(store, &front, 200, "How to ba…");
    check(store, "How to ba…");
    names(store, &board, 210, "How to bake");
    check(store, "How to bake");
    heads(store, 220, "A site");
    check(store, "How to bake");
    names(store, &front, 230, "Re: How to bake");
    check(store, "How to bake");
    names(store, &board, 240, "How…");
    check(store, "How to bake");
    names(store, &board, 250, "How to bake bread");
    check(store, "How to bake bread");
}

pub(super) fn the_log_tells_when_a_forum_was_learned_anew(store: &mut dyn Store) {
    let front = add(store, &Source::new(&network(), "boards", RobotKind::Status, PORTAL, "/"));
    let page = ListPage { is_relearnt: true, ..list_page(&front, None, None) };
    apply(store, Upload { page: Some(page), ..upload(300, Observation::default()) });
    let told = |store: &dyn Store| -> Vec<(&'static str, String, i64)> {
        let changes = store.changes_above(0, 10).must().into_iter();
        changes.map(|it| (it.kind.name(), it.address.to_string(), it.seen_at.secs())).collect()
    };
    assert_eq!(told(store), [("relearnt", format!("{}/portal//", network()), 300)]);
    store.forget(&front.id.0.to_string()).must();
    assert_eq!(told(store), [], "what is forgotten leaves no line");
}

fn board_page(store: &mut dyn Store, board: &Source, secs: i64, threads: &[&str]) {
    let leads = threads.iter().map(|id| lead(id, None, secs)).collect();
    let observation = Observation { leads, ..Observation::default() };
    let page = ListPage { title: Some("All of it".to_owned()), ..list_page(board, None, None) };
    apply(store, Upload { source: Some(board.clone()), page: Some(page), ..upload(secs, observation) });
}

fn lists(store: &dyn Store) -> Vec<ListRow> {
    let mut all = Vec::new();
    let each = &mut |row| {
        all.push(row);
        ControlFlow::Continue(())
    };
    store.each_list(&Filter::default(), each).must();
    all
}

pub(super) fn lists_contain_lists_and_posts(store: &mut dyn Store) {
    let board = board(store, "/b/1");
    board_page(store, &board, 100, &["/t/1", "/t/2"]);
    board_page(store, &board, 200, &["/t/2"]);
    let thread = thread(store, "/t/1");
    posts_page(store, &thread, 300, list_page(&thread, None, None), &[10, 20]);
    let shown: Vec<_> = lists(store)
        .into_iter()
        .map(|row| (row.kind, row.id, row.title, row.within.len(), row.active_at.map(Timestamp::secs)))
        .collect();
    let text = |text: &str| text.to_owned();
    assert_eq!(
        shown,
        [
            (text(BOARD), text("/b/1"), Some(text("All of it")), 0, None),
            (text(THREAD), text("/t/1"), None, 1, Some(99)),
            (text(THREAD), text("/t/2"), None, 1, Some(199)),
        ]
    );
    let numbers: Vec<u64> = all_posts(store).iter().map(|row| row.object).collect();
    assert!(lists(store).iter().all(|row| !numbers.contains(&row.object)), "numbers are given once");
}

pub(super) fn a_post_that_a_page_lacks_between_two_was_taken_out(store: &mut dyn Store) {
    let thread = thread(store, "/t/1");
    let first = |next| list_page(&thread, None, next);
    let second = list_page(&thread, Some("2"), None);
    posts_page(store, &thread, 100, first(Some("2")), &[1, 2, 3]);
    posts_page(store, &thread, 110, second.clone(), &[4, 5]);
    // One of the first page is gone, and what stood on the second moved up.
    let applied = posts_page(store, &thread, 200, first(Some("2")), &[1, 3, 4]);
    assert_eq!(applied.deleted_count, 1);
    assert_eq!(posts_page(store, &thread, 210, second, &[5]).deleted_count, 0, "at an end nothing is proven");
    let deleted: Vec<_> = all_posts(store).into_iter().filter(|row| row.deleted_at.is_some()).collect();
    assert_eq!(deleted.iter().map(|row| row.post.id.as_str()).collect::<Vec<_>>(), ["2"]);
    assert_eq!(posts_page(store, &thread, 300, first(Some("2")), &[1, 3, 4]).deleted_count, 0);
}

pub(super) fn pages_are_worth_another_look_in_turn(store: &mut dyn Store) {
    let thread = thread(store, "/t/1");
    for (index, (cursor, next)) in
        [(None, Some("2")), (Some("2"), Some("3")), (Some("3"), None)].into_iter().enumerate()
    {
        let secs = 100 + index as i64;
        posts_page(store, &thread, secs, list_page(&thread, cursor, next), &[secs, secs + 10]);
    }
    let stale = |store: &dyn Store, secs: i64| -> Vec<Option<String>> {
        let pages = store.stale_pages(&network(), at(secs) + Span::DAY, 10).must();
        pages.into_iter().map(|StalePage { cursor, .. }| cursor).collect()
    };
    let some = |cursor: &str| Some(cursor.to_owned());
    assert_eq!(stale(store, 99), []);
    assert_eq!(stale(store, 500), [None, some("2"), some("3")]);
    posts_page(store, &thread, 200, list_page(&thread, None, Some("2")), &[100, 110]);
    assert_eq!(stale(store, 500), [some("2"), some("3"), None], "in turn");
    // The list has become shorter.
    posts_page(store, &thread, 300, list_page(&thread, Some("2"), None), &[101, 111]);
    assert_eq!(stale(store, 500), [None, some("2")]);
    let gone = ListPage { is_gone: true, ..list_page(&thread, Some("2"), None) };
    apply(store, Upload { page: Some(gone), ..upload(400, Observation::default()) });
    assert_eq!(stale(store, 500), [None]);
    store.set_state(&[thread.id], freshet_types::SourceState::Removed).must();
    assert_eq!(stale(store, 500), [], "nobody looks at what was removed");
}

pub(super) fn posting_times_are_those_of_the_list(store: &mut dyn Store) {
    let board = board(store, "/b/1");
    board_page(store, &board, 100, &["/t/1", "/t/2"]);
    for (id, seconds) in [("/t/1", [10, 40]), ("/t/2", [20, 30])] {
        let thread = thread(store, id);
        posts_page(store, &thread, 200, list_page(&thread, None, None), &seconds);
    }
    let bounds = |times_max| ListTimesBounds { since: Timestamp::MIN, lists_max: 10, times_max };
    let times = |kind, times_max| -> Vec<Vec<i64>> {
        let lists = store.list_times(&network(), kind, bounds(times_max)).must();
        lists.into_iter().map(|list| list.times_s).collect()
    };
    assert_eq!(times(ListTimesKind::Index, 10), [[10, 20, 30, 40]]);
    assert_eq!(times(ListTimesKind::Index, 2), [[30, 40]], "the newest");
    let mut threads = times(ListTimesKind::Threads, 10);
    threads.sort();
    assert_eq!(threads, [[10, 40], [20, 30]]);
}

pub(super) fn a_forgotten_list_leaves_nothing(store: &mut dyn Store) {
    let thread = thread(store, "/t/1");
    posts_page(store, &thread, 100, list_page(&thread, None, None), &[1, 2]);
    let erased = store.forget(&thread.id.0.to_string()).must();
    assert_eq!((erased.posts, erased.sources), (2, 1));
    assert_eq!(lists(store), []);
    assert_eq!(store.stale_pages(&network(), Timestamp::MAX, 10).must(), []);
    assert!(store.source(thread.id).must().is_none());
}
