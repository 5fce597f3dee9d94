//! Behaviours of leases: who was taken for dead and uploads after all is refused.

use freshet_types::{Observation, Source, VisitId, VisitSummary};

use super::kit::{Must, add, all_posts, apply, at, changes, compare, load, post, posts, timeline, upload};
use crate::api::Store;
use crate::row::{Applied, Upload};

/// A page of this source that shows one post, of a visit that was leased under this epoch.
fn page(source: &Source, epoch: u64, secs: i64, id: &str) -> Upload {
    let visited = Source { visited_at: Some(at(secs)), epoch, ..source.clone() };
    let summary = VisitSummary {
        id: VisitId(secs as u64),
        source: source.id,
        started_at: at(secs),
        ended_at: at(secs),
        fetch_count: 1,
        new_post_count: 1,
        outcome: "ok".into(),
        attempt: 0,
    };
    let shown = posts(secs, [post(id, &source.root_id, secs, "words")]);
    Upload { epoch, source: Some(visited), summary: Some(summary), ..shown }
}

fn ids(store: &dyn Store) -> Vec<String> {
    all_posts(store).into_iter().map(|row| row.post.id).collect()
}

pub(super) fn an_upload_of_an_earlier_lease_is_refused_whole(store: &mut dyn Store) {
    let source = add(store, &timeline("a"));
    let (first, second) = (store.begin_epoch().must(), store.begin_epoch().must());
    assert!(0 < first && first < second, "{first} {second}");
    assert!(!apply(store, page(&source, first, 10, "1")).is_stale);
    assert!(!apply(store, page(&source, second, 20, "2")).is_stale);
    assert_eq!(load(store, source.id).epoch, second);
    let (before, log, counts) = (load(store, source.id), changes(store), store.counts().must());
    // The same page once more, and one that was on its way: with a deletion, and a new post.
    let late = Upload { deleted: vec![("post".into(), "2".into())], ..page(&source, first, 30, "3") };
    let bare = Upload { source: None, brought_by: Some(source.id), ..page(&source, first, 31, "4") };
    for stale in [page(&source, first, 10, "1"), late, bare] {
        let refused = Applied { is_stale: true, ..Applied::default() };
        assert_eq!(apply(store, stale), refused);
    }
    assert_eq!((load(store, source.id), changes(store)), (before, log));
    assert_eq!(store.counts().must(), counts);
    assert_eq!(ids(store), ["1", "2"]);
    let own = page(&source, second, 40, "5");
    assert_eq!(apply(store, own.clone()).new_posts, [at(40)], "the lease goes on");
    assert_eq!(apply(store, own).new_posts, [], "and what is replayed within it is stored once");
}

pub(super) fn the_first_word_of_a_lease_takes_the_source_over(store: &mut dyn Store) {
    let source = add(store, &timeline("a"));
    let (first, second) = (store.begin_epoch().must(), store.begin_epoch().must());
    apply(store, page(&source, first, 10, "1"));
    // It brings nothing of the source itself.
    let word = Upload { epoch: second, brought_by: Some(source.id), ..upload(20, Observation::default()) };
    assert!(!apply(store, word).is_stale);
    assert_eq!(load(store, source.id).epoch, second);
    assert!(apply(store, page(&source, first, 30, "2")).is_stale);
    // What comes of no lease is not fenced, and takes nothing over.
    assert!(!apply(store, page(&source, 0, 40, "3")).is_stale);
    assert_eq!(load(store, source.id).epoch, second);
    // Writing a source outside a visit, as a person does, gives it back to nobody.
    store.put_source(&Source { epoch: first, ..load(store, source.id) }).must();
    assert_eq!(load(store, source.id).epoch, second);
    assert_eq!(ids(store), ["1", "3"]);
}

pub(super) fn leases_are_told_apart_within_one_transaction(store: &mut dyn Store) {
    let (source, other) = (add(store, &timeline("a")), add(store, &timeline("b")));
    let (first, second) = (store.begin_epoch().must(), store.begin_epoch().must());
    let batch = [
        page(&source, first, 10, "1"),
        page(&source, second, 20, "2"),
        page(&other, first, 25, "3"),
        page(&source, first, 30, "4"),
    ];
    let stale: Vec<bool> = store.apply(&batch, compare).must().iter().map(|it| it.is_stale).collect();
    assert_eq!(stale, [false, false, false, true], "each source has a lease of its own");
    assert_eq!(ids(store), ["1", "2", "3"]);
    let source = load(store, source.id);
    assert_eq!((source.epoch, source.visited_at), (second, Some(at(20))), "as the lease left it");
    assert_eq!(load(store, other.id).epoch, first);
}

pub(super) fn who_was_taken_over_cannot_write(one: &mut dyn Store, other: &mut dyn Store) {
    let source = add(one, &timeline("a"));
    let slow = one.begin_epoch().must();
    let quick = other.begin_epoch().must();
    assert!(slow < quick, "no two have the same");
    assert!(!apply(one, page(&source, slow, 10, "1")).is_stale);
    assert!(!apply(other, page(&source, quick, 20, "2")).is_stale);
    assert!(apply(one, page(&source, slow, 30, "3")).is_stale);
    assert_eq!(ids(other), ["1", "2"]);
}
