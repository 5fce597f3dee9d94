//! Behaviours of streams: one row for all that a stream covers, written with what it brought.

use freshet_types::{SourceState, Timestamp};

use super::kit::{Must, NETWORK, add, all_posts, apply, post, posts, timeline};
use crate::api::Store;
use crate::row::{StreamMark, Upload, WatchedQuery};

fn mark(since: i64, until: i64, cursor: Option<&str>) -> StreamMark {
    StreamMark {
        name: "local".into(),
        since: Timestamp::from_secs(since),
        until: Timestamp::from_secs(until),
        cursor: cursor.map(str::to_owned),
        covers: Vec::new(),
        revisit: Vec::new(),
    }
}

fn brought(mark: StreamMark, upload: Upload) -> Upload {
    Upload { stream: Some(mark), ..upload }
}

/// Name, beginning, end and cursor of all streams.
fn shown(store: &dyn Store) -> Vec<(String, i64, i64, Option<String>)> {
    let rows = store.streams().must().into_iter();
    rows.map(|row| (row.name, row.since.secs(), row.until.secs(), row.cursor)).collect()
}

pub(super) fn a_stream_is_one_row_that_is_written_with_what_it_brought(store: &mut dyn Store) {
    assert_eq!(shown(store), []);
    let page = posts(100, [post("p1", "ada", 90, "x")]);
    let first = brought(mark(50, 100, Some("7")), page);
    apply(store, first.clone());
    assert_eq!(shown(store), [("local".to_owned(), 50, 100, Some("7".to_owned()))]);
    assert_eq!(all_posts(store).len(), 1);
    apply(store, first);
    assert_eq!(all_posts(store).len(), 1, "the same again changes nothing");
    apply(store, brought(mark(50, 90, Some("8")), posts(110, [])));
    assert_eq!(shown(store), [("local".to_owned(), 50, 100, Some("8".to_owned()))], "a stretch only grows");
    apply(store, brought(mark(200, 205, None), posts(205, [])));
    assert_eq!(shown(store), [("local".to_owned(), 200, 205, None)], "after a hole it begins anew");
}

pub(super) fn the_sources_of_a_stream_are_those_that_are_visited(store: &mut dyn Store) {
    let (ada, bob) = (add(store, &timeline("ada")), add(store, &timeline("bob")));
    let gone = add(store, &timeline("gone"));
    store.set_state(&[gone.id], SourceState::Removed).must();
    let endpoint = ada.endpoint.clone();
    let found = |store: &dyn Store, roots: Option<&[String]>, limit: usize| {
        let network = NETWORK.into();
        let query = WatchedQuery { network: &network, endpoint: &endpoint, roots, limit };
        let rows = store.watched(&query).must().into_iter();
        rows.map(|row| (row.slot.id, row.root_id)).collect::<Vec<_>>()
    };
    let (a, b) = ((ada.id, "ada".to_owned()), (bob.id, "bob".to_owned()));
    assert_eq!(found(store, None, 1), std::slice::from_ref(&a));
    assert_eq!(found(store, None, 9), [a, b.clone()]);
    let roots = ["bob".to_owned(), "nobody".to_owned(), "gone".to_owned(), String::new(), "bob".to_owned()];
    assert_eq!(found(store, Some(&roots), 9), [b]);
    let other = WatchedQuery { network: &"other".into(), endpoint: &endpoint, roots: None, limit: 9 };
    assert_eq!(store.watched(&other).must().len(), 0);
}
