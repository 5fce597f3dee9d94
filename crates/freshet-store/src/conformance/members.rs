//! Behaviours of collections: each is read in parts, in its own order, and counted.

use freshet_types::list::{BOARD, THREAD};
use freshet_types::{End, Lead, Link, Observation, Post, RobotKind, Source, Span, Tag};

use super::kit::{Must, add, apply, at, network, post, posts, relation, relations, upload};
use crate::api::Store;
use crate::browse::{Association, MemberQuery};
use crate::row::{ListPage, Upload};

/// The ids of a collection from `offset` on, at most `limit`, and how many there are.
#[track_caller]
fn check(
    store: &dyn Store,
    (object, association): ((&str, &str), Association<'_>),
    (offset, limit): (usize, usize),
    expected: (&[&str], usize),
) {
    let network = network();
    let query = MemberQuery { network: &network, object, association, offset, limit };
    let page = store.members(&query).must();
    let ids: Vec<&str> = page.members.iter().map(|(_, id)| id.as_str()).collect();
    assert_eq!((ids.as_slice(), page.count), expected, "{association:?} of {object:?} from {offset}");
}

pub(super) fn collections_are_read_in_parts(store: &mut dyn Store) {
    let all = (0, 100);
    let of = |association| (("account", "a"), association);
    apply(store, posts(1, [post("1", "a", 10, "x"), post("3", "a", 30, "y"), post("2", "a", 20, "z")]));
    let written = Association::Written("post");
    check(store, of(written), all, (&["3", "2", "1"], 3));
    check(store, of(written), (0, 2), (&["3", "2"], 3));
    check(store, of(written), (2, 2), (&["1"], 3));
    check(store, of(written), (3, 2), (&[], 3));
    check(store, of(Association::Written("comment")), all, (&[], 0));
    let repost = Post { repost_of: Some("1".into()), ..post("4", "a", 5, "") };
    apply(store, posts(2, [repost]));
    check(store, of(Association::Repeated), all, (&["4"], 1));
    apply(store, relations(3, [relation("a", "b"), relation("c", "a"), relation("d", "a")]));
    check(store, of(Association::Following), all, (&["b"], 1));
    check(store, of(Association::Followers), all, (&["c", "d"], 2));
    let tags = ["rain", "cats"].map(|name| Tag { account: "a".into(), name: name.into() });
    apply(store, upload(4, Observation { tags: tags.into(), ..Observation::default() }));
    check(store, of(Association::Tags), all, (&["cats", "rain"], 2));
    let end = |kind: &str, id: &str| End { kind: kind.into(), id: id.into() };
    let like = |who: &str| Link {
        from: end("post", "1"),
        name: "likers".into(),
        to: end("account", who),
        is_member: true,
    };
    apply(store, upload(5, Observation { links: vec![like("d"), like("b")], ..Observation::default() }));
    let likers = (("post", "1"), Association::Named("likers"));
    check(store, likers, all, (&["d", "b"], 2));
    check(store, likers, (1, 1), (&["b"], 2));
    check(store, (("post", "none"), Association::Answers), all, (&[], 0));
    check(store, (("account", "none"), Association::Followers), all, (&[], 0));
}

pub(super) fn what_leads_to_a_post_is_found_whichever_was_seen_first(store: &mut dyn Store) {
    let all = (0, 100);
    let early = Post { reply_to: Some("1".into()), ..post("2", "b", 20, "seen before") };
    apply(store, posts(1, [early]));
    apply(store, posts(2, [post("1", "a", 10, "the post")]));
    let late = Post { root: Some("1".into()), ..post("3", "b", 30, "in its thread") };
    let deep = Post { root: Some("1".into()), reply_to: Some("2".into()), ..post("4", "c", 40, "deeper") };
    let repost = Post { repost_of: Some("1".into()), ..post("5", "c", 50, "") };
    let quote = Post { quote_of: Some("1".into()), ..post("6", "c", 60, "so") };
    apply(store, posts(3, [late, deep, repost, quote]));
    let of = |association| (("post", "1"), association);
    check(store, of(Association::Answers), all, (&["2", "3"], 2));
    check(store, of(Association::Reposts), all, (&["5"], 1));
    check(store, of(Association::Quotes), all, (&["6"], 1));
}

pub(super) fn lists_contain_lists_and_posts(store: &mut dyn Store) {
    let board = add(store, &Source::new(&network(), "threads", RobotKind::Status, BOARD, "/b"));
    let thread = add(store, &Source::new(&network(), "posts", RobotKind::Comment, THREAD, "/t"));
    let page = |of: &Source, shown: &[&str]| ListPage {
        kind: of.root_kind.clone(),
        id: of.root_id.clone(),
        shown: shown.iter().map(|id| (*id).to_owned()).collect(),
        recheck_at: at(1000),
        ..ListPage::default()
    };
    let lead = Lead {
        endpoint: "posts".into(),
        robot: RobotKind::Comment,
        root_kind: THREAD.into(),
        root_id: "/t".to_owned(),
        title: Some("Rain".to_owned()),
        active_at: Some(at(5)),
        grain: Span::SECOND,
    };
    let leads = Observation { leads: vec![lead], ..Observation::default() };
    apply(store, Upload { source: Some(board.clone()), page: Some(page(&board, &[])), ..upload(10, leads) });
    let shown =
        Observation { posts: vec![post("1", "a", 1, "x"), post("2", "b", 2, "y")], ..Observation::default() };
    apply(
        store,
        Upload { source: Some(thread.clone()), page: Some(page(&thread, &["1", "2"])), ..upload(11, shown) },
    );
    check(store, ((BOARD, "/b"), Association::Contained(THREAD)), (0, 10), (&["/t"], 1));
    check(store, ((THREAD, "/t"), Association::Contained("post")), (0, 10), (&["1", "2"], 2));
    check(store, ((THREAD, "/none"), Association::Contained("post")), (0, 10), (&[], 0));
    let rows = store.lists_of(&network(), &[(THREAD, "/t"), (BOARD, "/t")]).must();
    let thread = rows[0].clone().expect("it is there");
    assert_eq!((thread.title.as_deref(), &rows[1]), (Some("Rain"), &None));
    let node = store.node(thread.object).must().expect("a list is an object");
    let around = store.neighbours(&node, 10).must();
    let ties: Vec<String> =
        around.ties.iter().map(|it| format!("{} {}", it.name, around.nodes[it.node].id)).collect();
    assert_eq!(
        (node.label.as_str(), ties),
        ("Rain", vec!["threads /b".to_owned(), "posts 1".into(), "posts 2".into()])
    );
}
