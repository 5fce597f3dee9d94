//! Behaviours of reading: filters, search, counts.

use std::ops::ControlFlow;

use super::kit::{
    Must, all_accounts, all_posts, all_relations, apply, at, changes, filtered_posts, hits, network, post,
    posts, relation, relations,
};
use crate::api::{Store, StoreError};
use crate::row::{Filter, Upload};

pub(super) fn filters_choose_by_time_and_network(store: &mut dyn Store) {
    let page = [10, 20, 30].map(|secs| post(&secs.to_string(), "a", secs, "x"));
    apply(store, posts(100, page));
    apply(store, Upload { network: "hackernews".into(), ..posts(100, [post("7", "a", 20, "x")]) });
    let mut undated = post("8", "a", 0, "x");
    undated.created_at = None;
    apply(store, Upload { network: "hackernews".into(), ..posts(25, [undated]) });
    let check = |since: Option<i64>, until: Option<i64>, network: Option<&str>, expected: &[&str]| {
        let filter = Filter {
            since: since.map(at),
            until: until.map(at),
            network: network.map(str::to_owned),
            above: 0,
        };
        let ids: Vec<_> = filtered_posts(store, &filter).into_iter().map(|row| row.post.id).collect();
        assert_eq!(ids, expected, "{filter:?}");
    };
    check(None, None, None, &["10", "20", "30", "7", "8"]);
    check(Some(20), None, None, &["20", "30", "7", "8"]);
    check(Some(20), Some(30), None, &["20", "7", "8"]);
    check(None, None, Some("mastodon"), &["10", "20", "30"]);
    check(None, None, Some("mastodon:a.example"), &["10", "20", "30"]);
    check(None, None, Some("mastodon:a"), &[]);
    check(None, Some(25), Some("hackernews"), &["7"]);
    check(None, None, Some("masto%"), &[]);
    let numbers: Vec<u64> = all_posts(store).iter().map(|row| row.object).collect();
    for (above, count) in [(0, 5), (numbers[0], 4), (numbers[2], 2), (numbers[4], 0), (u64::MAX, 0)] {
        let rest = filtered_posts(store, &Filter { above, ..Filter::default() });
        let rest: Vec<u64> = rest.iter().map(|row| row.object).collect();
        assert_eq!(rest, numbers[5 - count..], "above {above}");
    }
}

pub(super) fn reading_stops_when_told(store: &mut dyn Store) {
    apply(store, posts(100, (0..9).map(|n| post(&n.to_string(), "a", n, "x"))));
    let mut count = 0;
    let each = &mut |_| {
        count += 1;
        if count == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    store.each_post(&Filter::default(), each).must();
    assert_eq!(count, 3);
}

pub(super) fn search_finds_words_and_shows_them(store: &mut dyn Store) {
    let page = [
        post("1", "a", 10, "<p>The river rose <b>fast</b> in the night &amp; the bridge was closed</p>"),
        post("2", "b", 20, "Der Fluß stieg, die Brücke war gesperrt"),
        post("3", "c", 30, "span class href"),
    ];
    apply(store, posts(100, page));
    assert_eq!(hits(store, "bridge"), ["1"]);
    assert_eq!(hits(store, "RIVER rose"), ["1"], "all words, in any case");
    assert_eq!(hits(store, "brucke"), ["2"], "with or without accents");
    assert_eq!(hits(store, "river gesperrt"), [] as [&str; 0]);
    assert_eq!(hits(store, "b"), [] as [&str; 0], "markup is no text");
    let hit = &store.search("fast", 10).must()[0];
    assert!(hit.snippet.contains("rose [fast] in"), "{}", hit.snippet);
    assert_eq!(hit.row, all_posts(store)[0]);
    assert_eq!(store.search("the OR der OR class", 2).must().len(), 2, "no more than asked for");
}

pub(super) fn search_understands_operators_and_refuses_nonsense(store: &mut dyn Store) {
    let page =
        [post("1", "a", 10, "storm over the c++ coast"), post("2", "a", 20, "calm coast, don't worry")];
    apply(store, posts(100, page));
    let check = |query: &str, expected: &[&str]| {
        let mut ids = hits(store, query);
        ids.sort();
        assert_eq!(ids, expected, "{query}");
    };
    check("storm OR calm", &["1", "2"]);
    check("coast NOT storm", &["2"]);
    check("\"calm coast\"", &["2"]);
    check("sto*", &["1"]);
    check("don't", &["2"]);
    check("c++", &["1"]);
    check("user@example.org", &[]);
    for query in ["", "  ", "\"open", "(storm", "AND", "storm AND"] {
        let refused = store.search(query, 10);
        assert!(matches!(refused, Err(StoreError::Query { .. })), "`{query}`: {refused:?}");
    }
}

pub(super) fn search_follows_edits(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "before")]));
    assert_eq!(hits(store, "before"), ["1"]);
    apply(store, posts(200, [post("1", "a", 10, "after")]));
    assert_eq!(hits(store, "before"), [] as [&str; 0]);
    assert_eq!(hits(store, "after"), ["1"]);
}

pub(super) fn the_index_is_brought_up_in_steps(store: &mut dyn Store) {
    apply(store, posts(100, (0..10).map(|n| post(&n.to_string(), "a", n, "word"))));
    assert_eq!(store.index(4).must(), 4);
    assert_eq!(store.index(100).must(), 7, "ten posts and their author");
    assert_eq!(store.index(100).must(), 0);
    assert_eq!(hits(store, "word").len(), 10);
}

pub(super) fn counts_are_those_of_the_rows(store: &mut dyn Store) {
    apply(store, posts(100, (0..20).map(|n| post(&n.to_string(), &(n % 3).to_string(), n, "x"))));
    apply(store, relations(101, [relation("0", "1"), relation("1", "9")]));
    apply(store, Upload { deleted: vec![("post".into(), "4".into())], ..posts(102, []) });
    let check = |store: &dyn Store| {
        let counts = store.counts().must();
        let posts = all_posts(store);
        assert_eq!(counts.posts, posts.len() as u64);
        assert_eq!(counts.deleted, posts.iter().filter(|row| row.deleted_at.is_some()).count() as u64);
        assert_eq!(counts.accounts, all_accounts(store).len() as u64);
        assert_eq!(counts.relations, all_relations(store).len() as u64);
        assert_eq!(counts.changes, changes(store).len() as u64);
    };
    check(store);
    store.forget("mastodon:a.example/account/1").must();
    check(store);
    assert_eq!(store.counts().must().deleted, 0, "it was one of theirs");
}

pub(super) fn one_post_and_one_account_are_found_by_id(store: &mut dyn Store) {
    let elsewhere = freshet_types::NetworkName::from("mastodon:b.example");
    apply(store, posts(100, [post("1", "a", 10, "x")]));
    assert_eq!(store.post_of(&network(), "post", "1").must().map(|row| row.post.text).as_deref(), Some("x"));
    assert_eq!(store.account_of(&network(), "a").must().map(|row| row.account.id).as_deref(), Some("a"));
    for (network, id) in [(&network(), "2"), (&elsewhere, "1")] {
        assert!(store.post_of(network, "post", id).must().is_none());
        assert!(store.account_of(network, id).must().is_none());
    }
}

pub(super) fn search_forgets_a_text_that_was_taken_out(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "regrettable words")]));
    assert_eq!(hits(store, "regrettable"), ["1"]);
    apply(store, posts(101, [post("1", "a", 10, "")]));
    assert_eq!(hits(store, "regrettable"), [] as [&str; 0]);
    apply(store, posts(102, [post("1", "a", 10, "better words")]));
    assert_eq!((hits(store, "regrettable").len(), hits(store, "better").len()), (0, 1));
}
