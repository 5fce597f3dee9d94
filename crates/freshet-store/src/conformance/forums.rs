//! Behaviours of looking at forums: what is complete, why not, and what lists are called.

use freshet_types::list::{BOARD, PORTAL, THREAD};
use freshet_types::{Coverage, Interval, Mark, Observation, RobotKind, Source, SourceState, VisitId};

use super::kit::{Must, add, apply, at, network, upload};
use crate::api::Store;
use crate::browse::{ForumQuery, Lack};
use crate::row::{ListPage, Upload};

/// A list whose pages chain, down to its end or not.
fn covered(is_bottom: bool, below: Option<&str>) -> Coverage {
    let mark = Mark { id: "1".to_owned(), at: at(1) };
    let (newest, until, below) = (mark.clone(), mark.at, below.map(str::to_owned));
    let top = Interval { newest, oldest: mark, until, below, is_bottom, visit: VisitId(1) };
    Coverage { intervals: vec![top], ..Coverage::default() }
}

fn list(kind: &str, id: &str) -> Source {
    Source::new(&network(), kind, RobotKind::Status, kind, id)
}

/// A front page that was never visited, a board, and threads in all states of completeness.
fn fill(store: &mut dyn Store) {
    let visited = |kind: &str, id: &str| Source { visited_at: Some(at(1)), ..list(kind, id) };
    for (source, coverage, state) in [
        (list(PORTAL, "/"), Coverage::default(), SourceState::Active),
        (visited(BOARD, "/b/1"), covered(true, None), SourceState::Active),
        (visited(THREAD, "/t/1"), covered(true, Some("2")), SourceState::Active),
        (visited(THREAD, "/t/2"), covered(false, Some("2")), SourceState::Active),
        (visited(THREAD, "/t/3"), covered(false, None), SourceState::Active),
        (visited(THREAD, "/t/4"), covered(true, None), SourceState::Failed),
        (visited(THREAD, "/t/5"), covered(true, None), SourceState::Private),
        (visited(THREAD, "/t/6"), covered(true, None), SourceState::Removed),
    ] {
        let added = add(store, &source);
        store.put_source(&Source { id: added.id, coverage, state, ..source }).must();
    }
}

pub(super) fn forums_say_what_is_complete(store: &mut dyn Store) {
    assert_eq!(store.forums().must(), []);
    fill(store);
    let forums = store.forums().must();
    assert_eq!(forums.len(), 1, "{forums:?}");
    let forum = &forums[0];
    assert_eq!(forum.network, network());
    assert_eq!((forum.boards_count, forum.complete_boards_count), (2, 1));
    assert_eq!((forum.threads_count, forum.complete_threads_count), (5, 1), "a removed one is not counted");
    let each = [Lack::Unvisited, Lack::Unread, Lack::Broken, Lack::Failed, Lack::Hidden];
    assert_eq!(forum.lacks, each.map(|lack| (lack, 1)));
}

pub(super) fn lists_of_a_forum_are_shown_in_pages(store: &mut dyn Store) {
    fill(store);
    let all = ForumQuery { limit: 10, ..ForumQuery::default() };
    let threads = ForumQuery { kind: Some(THREAD.to_owned()), ..all.clone() };
    for (query, expected) in [
        (all.clone(), &["/", "/b/1", "/t/1", "/t/2", "/t/3", "/t/4", "/t/5"][..]),
        (ForumQuery { offset: 1, limit: 2, ..all.clone() }, &["/b/1", "/t/1"]),
        (ForumQuery { offset: 3, ..threads.clone() }, &["/t/4", "/t/5"]),
        (ForumQuery { is_lacking: true, ..threads }, &["/t/2", "/t/3", "/t/4", "/t/5"]),
        (ForumQuery { limit: 0, ..all.clone() }, &[]),
    ] {
        let found = store.forum_lists(&network(), &query).must();
        let ids: Vec<&str> = found.iter().map(|list| list.id.as_str()).collect();
        assert_eq!(ids, expected, "{query:?}");
    }
    assert_eq!(store.forum_lists(&"forum-elsewhere.example".into(), &all).must(), []);
}

pub(super) fn lists_have_the_titles_that_pages_showed(store: &mut dyn Store) {
    let shown = add(store, &list(THREAD, "/t/1"));
    let unseen = add(store, &list(THREAD, "/t/2"));
    let title = Some("How to bake".to_owned());
    let page = ListPage {
        kind: THREAD.into(),
        id: shown.root_id.clone(),
        title: title.clone(),
        ..ListPage::default()
    };
    apply(store, Upload { page: Some(page), ..upload(5, Observation::default()) });
    assert_eq!(store.titles_of(&[unseen.clone(), shown.clone()]).must(), [None, title.clone()]);
    assert_eq!(store.title_of(&shown).must(), title);
    let names = store.root_names(&[shown, unseen]).must();
    assert_eq!(names.into_iter().map(|name| name.who).collect::<Vec<_>>(), [title, None]);
}
