//! Behaviours of forgetting for good: who is forgotten does not come back, and erasing goes in pieces.

use freshet_types::{
    Address, CrossLink, End, Lead, Link, Observation, Post, PostKind, RobotKind, Source, SourceId, Span, Tag,
    VisitId,
};

use super::kit::{
    Must, account, accounts, add, all_accounts, all_posts, all_relations, apply, at, hits, network, post,
    posts, relation, relations, timeline, upload,
};
use crate::api::Store;
use crate::row::{Applied, Erased, ForgottenList, Parked, Upload};

/// The address of the account that these behaviours forget.
const ALICE: &str = "mastodon:a.example/account/a";

fn repost(id: &str, of: &str) -> Post {
    Post { repost_of: Some(of.into()), ..post(id, "b", 20, "secret") }
}

fn embedded(id: &str) -> Post {
    Post { is_embedded: true, ..post(id, "a", 10, "secret") }
}

fn ids(store: &dyn Store) -> Vec<String> {
    all_posts(store).into_iter().map(|row| row.post.id).collect()
}

fn known(store: &dyn Store) -> Vec<String> {
    all_accounts(store).into_iter().map(|row| row.account.id).collect()
}

/// A page on which alice and bob stand in every way that a page can show somebody.
fn crowded(secs: i64) -> Upload {
    let observation = Observation {
        accounts: vec![account("a", "alice"), account("b", "bob")],
        posts: vec![post("1", "a", 10, "secret"), post("2", "b", 11, "harmless")],
        relations: vec![relation("a", "b"), relation("b", "a"), relation("b", "c")],
        tags: vec![
            Tag { account: "a".into(), name: "x".into() },
            Tag { account: "b".into(), name: "x".into() },
        ],
        ..Observation::default()
    };
    upload(secs, observation)
}

pub(super) fn who_is_forgotten_stays_forgotten(store: &mut dyn Store) {
    apply(store, crowded(100));
    assert_eq!(store.forget(ALICE).must().posts, 1);
    apply(store, crowded(200));
    // A mere mention as an author, and the network's word that the account is gone.
    apply(store, posts(201, [post("3", "a", 12, "secret")]));
    apply(store, Upload { invalid: Some(("a".into(), "suspended".into())), ..posts(202, []) });
    assert_eq!(ids(store), ["2"]);
    assert_eq!(known(store), ["b", "c"]);
    assert_eq!(all_relations(store).len(), 1);
    assert_eq!(hits(store, "secret"), [] as [&str; 0]);
    assert_eq!(store.forget(ALICE).must(), Erased::default(), "nothing came back");
    assert_eq!(store.counts().must().relations, 1);
}

pub(super) fn reposts_do_not_bring_the_forgotten_back(store: &mut dyn Store) {
    apply(store, posts(100, [embedded("1"), repost("5", "1"), post("2", "b", 11, "harmless")]));
    store.forget(ALICE).must();
    // The repost that was known stays as an event without its text; a new one is not stored.
    apply(store, posts(200, [embedded("1"), repost("5", "1"), repost("6", "1")]));
    // A page may show a repost that is known and not say whose post it repeats.
    apply(store, posts(201, [repost("5", "1")]));
    let left: Vec<(String, String)> =
        all_posts(store).into_iter().map(|row| (row.post.id, row.post.text)).collect();
    assert_eq!(left, [("5".to_owned(), String::new()), ("2".to_owned(), "harmless".to_owned())]);
    assert_eq!(known(store), ["b"]);
    assert_eq!(hits(store, "secret"), [] as [&str; 0]);
}

pub(super) fn who_was_forgotten_by_handle_is_known_by_id(store: &mut dyn Store) {
    add(store, &Source { handle: Some("@Alice@a.example".into()), ..timeline("") });
    assert_eq!(store.forget("@Alice@a.example").must(), Erased { sources: 1, ..Erased::default() });
    let page = Observation {
        accounts: vec![account("a", "alice@a.example"), account("b", "bob@a.example")],
        posts: vec![post("1", "a", 10, "secret"), post("2", "b", 11, "harmless")],
        ..Observation::default()
    };
    apply(store, upload(100, page));
    assert_eq!((ids(store), known(store)), (vec!["2".to_owned()], vec!["b".to_owned()]));
    // From then on the id alone is enough.
    apply(store, posts(200, [post("3", "a", 12, "secret")]));
    assert_eq!(ids(store), ["2"]);
}

pub(super) fn forgotten_posts_and_lists_stay_away(store: &mut dyn Store) {
    apply(store, crowded(100));
    store.forget("mastodon:a.example/post/1").must();
    apply(store, crowded(200));
    assert_eq!(ids(store), ["2"], "a post is forgotten for good, its author is not");
    assert!(known(store).contains(&"a".to_owned()));
    let lead = Lead {
        endpoint: "thread".into(),
        robot: RobotKind::Status,
        root_kind: "thread".into(),
        root_id: "/t/1".into(),
        title: None,
        active_at: None,
        grain: Span::ZERO,
    };
    let page = |secs| upload(secs, Observation { leads: vec![lead.clone()], ..Observation::default() });
    let found = apply(store, page(300)).led_to;
    store.forget(&found[0].id.0.to_string()).must();
    assert_eq!(apply(store, page(400)).led_to, [], "a thread that is forgotten is not followed again");
}

pub(super) fn what_is_forgotten_of_one_type_is_not_of_another(store: &mut dyn Store) {
    let comment = |id: &str| Post { kind: "comment".into(), ..post(id, "b", 11, "harmless") };
    let story = |kind: &str| Post {
        kind: PostKind::new(kind).in_space(Some("item")),
        ..post("7", "b", 12, "an item")
    };
    let end = |kind: &str, id: &str| End { kind: kind.into(), id: id.into() };
    let liked = |kind: &str| Link {
        from: end(kind, "12"),
        name: "likers".into(),
        to: end("account", "b"),
        is_member: true,
    };
    let page = |secs, kind: &str| {
        let mut page = posts(secs, [post("12", "a", 10, "secret"), comment("12"), story(kind)]);
        page.observation.links = vec![liked("post"), liked("comment")];
        page
    };
    apply(store, page(100, "story"));
    let told = |store: &dyn Store| -> Vec<String> {
        all_posts(store).into_iter().map(|row| format!("{}/{}", row.post.kind, row.post.id)).collect()
    };
    store.forget("mastodon:a.example/post/12").must();
    // The same id of another type: it is wanted, and so is what is linked to it.
    store.forget("mastodon:a.example/story/7").must();
    apply(store, page(200, "job"));
    assert_eq!(told(store), ["comment/12"], "types that share their ids are one object");
    assert_eq!(store.counts().must().links, 1, "of the comment");
    assert_eq!(store.unforget("mastodon:a.example/comment/12").must(), 0);
    assert!(store.unforget("mastodon:a.example/post/12").must() > 0);
    apply(store, page(300, "job"));
    assert_eq!(told(store), ["comment/12", "post/12"]);
}

pub(super) fn the_forgotten_are_not_added_again(store: &mut dyn Store) {
    let profile = Source { handle: Some("alice".into()), ..timeline("a") };
    add(store, &profile);
    apply(store, crowded(100));
    store.forget(ALICE).must();
    let by_handle = Source { handle: Some("@Alice".into()), ..timeline("") };
    let feed = Source::new(&network(), "feed", RobotKind::Status, "feed", "a");
    let added = store.add_sources(&[timeline("a"), by_handle, timeline("b"), feed]).must();
    let refused = (SourceId(0), false);
    assert_eq!(added[..2], [refused, refused], "by id, and by handle");
    assert!(added[2].1 && added[3].1, "others are added, whatever their ids");
}

pub(super) fn forgetting_can_be_taken_back(store: &mut dyn Store) {
    apply(store, crowded(100));
    for reference in [ALICE, "@Alice", "mastodon:a.example/handle/alice"] {
        store.forget(ALICE).must();
        assert_eq!(store.unforget("mastodon:a.example/account/b").must(), 0);
        assert_eq!(store.unforget("mastodon:b.example/handle/alice").must(), 0, "another network");
        assert!(store.unforget(reference).must() >= 2, "{reference}: the id and the handle");
        apply(store, crowded(200));
        assert_eq!(ids(store).len(), 2, "{reference}: collected again");
        assert!(store.add_sources(&[timeline("a")]).must()[0].0 != SourceId(0));
    }
}

pub(super) fn somebody_may_be_kept_out_before_they_are_seen(store: &mut dyn Store) {
    let marked = store.mark_forgotten(ALICE, at(90)).must();
    assert!(marked.is_new);
    assert_eq!(store.erase_some().must(), None, "there is nothing to erase");
    apply(store, crowded(100));
    assert_eq!((ids(store), known(store).contains(&"a".to_owned())), (vec!["2".to_owned()], false));
    assert!(!store.mark_forgotten(ALICE, at(90)).must().is_new);
}

pub(super) fn what_another_store_keeps_out_is_kept_out(store: &mut dyn Store) {
    assert_eq!(store.forgotten().must(), ForgottenList::default());
    apply(store, crowded(100));
    store.forget(ALICE).must();
    let list = store.forgotten().must();
    assert!(list.key.is_some() && !list.hashes.is_empty());
    assert!(store.unforget(ALICE).must() > 0 && store.forgotten().must().hashes.is_empty());
    assert!(store.keep_out(&ForgottenList::default()).must(), "nobody is kept out there");
    assert!(store.keep_out(&list).must() && store.keep_out(&list).must());
    assert_eq!(store.forgotten().must().hashes.len(), list.hashes.len(), "each once");
    apply(store, crowded(200));
    assert!(!ids(store).contains(&"1".to_owned()) && !known(store).contains(&"a".to_owned()));
    assert!(store.unforget(ALICE).must() > 0, "it is taken back like one's own");
    let other = ForgottenList { key: Some("other".into()), ..list };
    assert!(!store.keep_out(&other).must(), "hashes by another key say nothing here");
}

pub(super) fn what_is_parked_shows_nobody_forgotten(store: &mut dyn Store) {
    store.forget(ALICE).must();
    let parked = |id: &str, author: &str| Parked {
        address: format!("{}/post/{id}", network()),
        missing: "likes".into(),
        parked_at: at(103),
        object: serde_json::json!({ "links": [{ "author": author }] }).to_string(),
        source: None,
    };
    let bob = "mastodon:a.example/account/b";
    let all =
        vec![parked("1", ALICE), parked("2", bob), Parked { address: ALICE.into(), ..parked("3", bob) }];
    apply(store, Upload { parked: all, ..posts(100, []) });
    assert_eq!(store.counts().must().parked, 1);
    assert!(store.parked("mastodon:a.example/post/2").must().is_some());
}

/// Enough posts for several pieces.
fn many(from: usize, count: usize) -> Upload {
    posts(100, (from..from + count).map(|n| post(&format!("m{n}"), "a", n as i64, "secret")))
}

pub(super) fn forgetting_goes_in_pieces(store: &mut dyn Store) {
    apply(store, many(0, 5_000));
    let other: Address = ALICE.parse().expect("an address");
    let linked = Post { slinks: vec![CrossLink::new("same_as", other)], ..post("9", "b", 9, "linked") };
    apply(store, posts(100, [linked.clone()]));
    let marked = store.mark_forgotten(ALICE, at(90)).must();
    assert_eq!(marked.posts_left, 5_000);
    let (mut pieces, mut erased) = (0, marked.erased);
    while let Some(more) = store.erase_some().must() {
        assert!(more.posts <= 2_000, "a piece is bounded: {more:?}");
        pieces += u32::from(more.posts > 0);
        // Between two pieces others write, and bring nothing back.
        assert_eq!(apply(store, many(10_000 * pieces as usize, 10)), Applied::default());
        erased += more;
    }
    assert_eq!((erased.posts, erased.accounts), (5_000, 1));
    assert!(pieces >= 3, "{pieces}");
    assert_eq!(ids(store), ["9"]);
    assert_eq!(all_posts(store)[0].post.slinks, [], "no link leads to who is forgotten");
    apply(store, posts(200, [linked]));
    assert_eq!(all_posts(store)[0].post.slinks, []);
    assert_eq!((store.counts().must().posts, store.counts().must().changes), (1, 2));
}

pub(super) fn what_one_forgets_the_other_does_not_store(one: &mut dyn Store, other: &mut dyn Store) {
    apply(other, crowded(100));
    one.mark_forgotten(ALICE, at(90)).must();
    // Before anything is erased, nothing new is stored.
    apply(other, posts(101, [post("3", "a", 12, "secret")]));
    one.forget(ALICE).must();
    apply(other, crowded(200));
    assert_eq!((ids(one), known(other)), (vec!["2".to_owned()], vec!["b".to_owned(), "c".to_owned()]));
    other.unforget(ALICE).must();
    apply(one, crowded(300));
    assert_eq!(ids(other).len(), 2, "and what the other takes back is taken back");
}

pub(super) fn an_interrupted_forget_is_finished_by_another(one: &mut dyn Store, other: &mut dyn Store) {
    apply(one, many(0, 4_000));
    apply(one, posts(100, [repost("5", "m1")]));
    let begun = one.mark_forgotten(ALICE, at(90)).must();
    let first = one.erase_some().must().expect("there is work");
    assert!(begun.erased.posts + first.posts < 4_000, "not all at once");
    // Whoever asks next, for whatever, finishes it.
    other.forget("nobody").must();
    assert_eq!(ids(other), ["5"]);
    assert_eq!(hits(other, "secret"), [] as [&str; 0]);
    assert_eq!(one.erase_some().must(), None);
}

pub(super) fn raw_payloads_show_nobody_forgotten(store: &mut dyn Store) {
    store.forget(ALICE).must();
    let page = |visit, observation| Upload {
        visit: VisitId(visit),
        raw: Some(b"alice".to_vec()),
        ..upload(100, observation)
    };
    let of = |posts: Vec<Post>| Observation { posts, ..Observation::default() };
    apply(store, page(1, of(vec![embedded("1"), post("2", "b", 11, "harmless")])));
    apply(store, page(2, of(vec![post("2", "b", 11, "harmless")])));
    let mentions = Observation { relations: vec![relation("b", "a")], ..Observation::default() };
    apply(store, page(3, mentions));
    apply(store, Upload { raw: None, ..relations(101, [relation("b", "c")]) });
    apply(store, Upload { raw: None, ..accounts(101, [account("b", "bob")]) });
    assert_eq!(store.forget("mastodon:a.example/account/b").must().payloads, 1, "of one page in three");
}
