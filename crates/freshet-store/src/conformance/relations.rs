//! Behaviours of relations and tags: seen, swept, cancelled, revived.

use freshet_types::{End, Observation, RobotKind, Tag};

use super::kit::{Must, all_accounts, all_relations, apply, at, lines, network, relation, relations, upload};
use crate::api::Store;
use crate::row::{Applied, LinkSweep, RelationSweep, Upload};

/// The last page of a list that was begun at this second.
fn swept(secs: i64, account: &str, is_following: bool, began: i64) -> Upload {
    let sweep = RelationSweep { account: account.into(), is_following, began_at: at(began) };
    Upload { relations_swept: Some(sweep), ..relations(secs, []) }
}

fn cancelled(store: &dyn Store) -> Vec<String> {
    let all = all_relations(store).into_iter().filter(|row| row.cancelled_at.is_some());
    all.map(|row| format!("{}>{}", row.source, row.target)).collect()
}

pub(super) fn relations_are_stored_once_and_make_accounts_known(store: &mut dyn Store) {
    let page = relations(100, [relation("a", "b"), relation("a", "c"), relation("b", "a")]);
    let applied = apply(store, page.clone());
    assert_eq!((applied.new_relation_count, applied.new_account_count), (3, 3));
    assert_eq!(apply(store, page), Applied::default());
    assert_eq!(all_relations(store).len(), 3);
    assert_eq!(all_accounts(store).len(), 3);
    assert_eq!(lines(store), ["created account/a", "created account/b", "created account/c"]);
    let page = tags(200, &["rust", "rust"]);
    assert_eq!(apply(store, page.clone()), Applied { new_tag_count: 1, ..Applied::default() });
    assert_eq!(apply(store, page), Applied::default());
}

/// A page of the tags of account a.
fn tags(secs: i64, names: &[&str]) -> Upload {
    let tag = |name: &&str| Tag { account: "a".into(), name: (*name).into() };
    let tags = names.iter().map(tag).collect();
    Upload { robot: Some(RobotKind::Tag), ..upload(secs, Observation { tags, ..Observation::default() }) }
}

/// The last page of that list, begun at this second.
fn tags_swept(secs: i64, names: &[&str], began: i64) -> Upload {
    let from = End { kind: "account".into(), id: "a".into() };
    let sweep = LinkSweep { from, name: "tags".into(), began_at: at(began) };
    Upload { links_swept: Some(sweep), ..tags(secs, names) }
}

/// The tags that account a has now.
fn standing_tags(store: &dyn Store) -> Vec<String> {
    let node = store.account_of(&network(), "a").must().expect("it is known").object;
    let node = store.node(node).must().expect("it is there");
    let around = store.neighbours(&node, 100).must();
    let ties = around.ties.iter().filter(|tie| tie.name == "tag");
    let mut names: Vec<String> = ties.map(|tie| around.nodes[tie.node].id.clone()).collect();
    names.sort_unstable();
    names
}

pub(super) fn tags_that_vanish_are_cancelled_and_come_back(store: &mut dyn Store) {
    apply(store, relations(90, [relation("a", "b")]));
    apply(store, tags_swept(100, &["rivers", "rust"], 100));
    // Seen in part: nothing is proven.
    apply(store, tags(200, &["rust"]));
    assert_eq!(standing_tags(store), ["rivers", "rust"]);
    let swept = tags_swept(301, &["moss"], 300);
    assert_eq!(apply(store, swept.clone()).new_tag_count, 1);
    assert_eq!(standing_tags(store), ["moss"]);
    assert_eq!(apply(store, swept), Applied::default());
    apply(store, tags(250, &["rust"]));
    assert_eq!(standing_tags(store), ["moss"], "what was seen before says nothing about now");
    assert_eq!(apply(store, tags(400, &["rust"])).new_tag_count, 0);
    assert_eq!(standing_tags(store), ["moss", "rust"], "it is shown again");
    apply(store, tags_swept(500, &[], 500));
    assert_eq!(standing_tags(store), [] as [&str; 0]);
    assert_eq!(all_relations(store).len(), 1, "a sweep of tags is about tags");
}

pub(super) fn a_swept_list_cancels_what_it_lacks(store: &mut dyn Store) {
    apply(store, relations(100, [relation("a", "b"), relation("a", "c"), relation("a", "d")]));
    apply(store, relations(200, [relation("a", "b")]));
    let last = Upload {
        observation: relations(210, [relation("a", "d")]).observation,
        ..swept(210, "a", true, 200)
    };
    apply(store, last.clone());
    assert_eq!(cancelled(store), ["a>c"]);
    let row = all_relations(store).into_iter().find(|row| row.target == "c").expect("it stays as a row");
    assert_eq!((row.seen_at, row.cancelled_at), (at(100), Some(at(210))));
    assert_eq!(lines(store).last().map(String::as_str), Some("unlinked relation/a>c"));
    let before = lines(store);
    apply(store, last);
    assert_eq!(lines(store), before);
    assert_eq!(store.counts().must().relations, 3);
}

pub(super) fn a_sweep_keeps_to_its_direction(store: &mut dyn Store) {
    apply(store, relations(100, [relation("a", "b"), relation("b", "a"), relation("c", "a")]));
    apply(store, relations(200, [relation("c", "a")]));
    apply(store, swept(210, "a", false, 200));
    assert_eq!(cancelled(store), ["b>a"], "followers of a, not whom a follows");
}

pub(super) fn a_cancelled_relation_is_revived_when_seen(store: &mut dyn Store) {
    apply(store, relations(100, [relation("a", "b")]));
    apply(store, swept(200, "a", true, 200));
    assert_eq!(cancelled(store), ["a>b"]);
    let applied = apply(store, relations(300, [relation("a", "b")]));
    assert_eq!(applied, Applied::default(), "it is not new");
    assert_eq!(cancelled(store), Vec::<String>::new());
    assert_eq!(lines(store).last().map(String::as_str), Some("restored relation/a>b"));
}

pub(super) fn a_late_page_revives_nothing(store: &mut dyn Store) {
    let page = relations(100, [relation("a", "b")]);
    apply(store, page.clone());
    apply(store, swept(200, "a", true, 150));
    apply(store, page);
    assert_eq!(cancelled(store), ["a>b"]);
}
