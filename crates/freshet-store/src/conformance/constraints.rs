//! Behaviours that constraints rely on: what is withheld, what is parked, all with the upload.

use freshet_types::{Observation, Post};

use super::kit::{
    Must, account, accounts, all_accounts, all_posts, all_relations, apply, at, compare, lines, network,
    only_post, post, posts, relation, relations, the_account, upload,
};
use crate::api::{Flow, Store};
use crate::row::{Listing, Parked, Upload, Withheld};

fn withheld(posts: &[&str], accounts: &[&str]) -> Withheld {
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    Withheld { posts: ids(posts), accounts: ids(accounts) }
}

fn parked(id: &str, object: &str) -> Parked {
    Parked {
        address: format!("{}/post/{id}", network()),
        missing: "post.like_count".into(),
        parked_at: at(100),
        object: object.into(),
        source: None,
    }
}

pub(super) fn withheld_posts_are_kept_up_to_date_and_not_stored_anew(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "first")]));
    let page = [post("1", "a", 10, "edited"), post("2", "b", 20, "unwanted")];
    let applied = apply(store, Upload { withheld: withheld(&["1", "2"], &[]), ..posts(101, page) });
    assert_eq!((applied.new_posts.len(), applied.edited_count), (0, 1));
    assert_eq!(only_post(store).post.text, "edited");
    assert_eq!(lines(store), ["created account/a", "created post/1", "edited post/1"], "nor is its author");
    let gone = Post { is_deleted: true, ..post("1", "a", 10, "") };
    apply(store, Upload { withheld: withheld(&["1"], &[]), ..posts(102, [gone]) });
    assert!(only_post(store).deleted_at.is_some());
}

pub(super) fn withheld_posts_are_not_missing(store: &mut dyn Store) {
    apply(store, posts(100, [post("1", "a", 10, "x"), post("2", "a", 20, "x"), post("3", "a", 30, "x")]));
    let lists = Some(Listing { author: "a".into(), from: at(5), to: at(40) });
    let page = [post("3", "a", 30, "x"), post("4", "a", 25, "never stored"), post("1", "a", 10, "x")];
    let applied = apply(store, Upload { lists, withheld: withheld(&["1", "4"], &[]), ..posts(101, page) });
    assert_eq!(applied.missing, ["2"]);
}

pub(super) fn withheld_accounts_and_their_relations_stay_out(store: &mut dyn Store) {
    apply(store, accounts(100, [account("a", "ada")]));
    apply(store, relations(100, [relation("a", "b")]));
    let seen = Observation {
        accounts: vec![account("a", "ada2"), account("b", "bob"), account("c", "cy")],
        relations: vec![relation("a", "b"), relation("a", "c")],
        posts: vec![post("1", "c", 10, "x")],
        ..Observation::default()
    };
    apply(store, Upload { withheld: withheld(&[], &["a", "b", "c"]), ..upload(101, seen) });
    assert_eq!(
        the_account(store, "a").account.handle.as_deref(),
        Some("ada2"),
        "a profile is kept up to date"
    );
    assert_eq!(the_account(store, "b").account.handle, None, "a bare row stays bare");
    assert_eq!(all_accounts(store).len(), 2, "nobody is stored anew");
    assert_eq!(all_relations(store).len(), 1);
    assert_eq!(all_posts(store).len(), 1, "posts have constraints of their own");
}

pub(super) fn what_was_withheld_can_be_let_in_by_the_same_transaction(store: &mut dyn Store) {
    let seen = || accounts(100, [account("a", "ada")]);
    let out = Upload { withheld: withheld(&[], &["a"]), ..seen() };
    store.apply(&[out, seen()], compare).must();
    assert_eq!(the_account(store, "a").account.handle.as_deref(), Some("ada"));
}

pub(super) fn parking_is_part_of_the_upload(store: &mut dyn Store) {
    let page = || posts(100, [post("1", "a", 10, "x")]);
    let waits = Upload { withheld: withheld(&["1"], &[]), parked: vec![parked("1", "{}")], ..page() };
    apply(store, waits);
    assert_eq!((all_posts(store).len(), store.counts().must().parked), (0, 1));
    let mut all = Vec::new();
    store
        .each_parked(&mut |one| {
            all.push(one);
            Flow::Continue(())
        })
        .must();
    assert_eq!(all, [parked("1", "{}")]);
    apply(store, Upload { unparked: vec![parked("1", "").address], ..page() });
    assert_eq!((all_posts(store).len(), store.counts().must().parked), (1, 0));
}

pub(super) fn forgetting_reaches_what_is_parked(store: &mut dyn Store) {
    let address = |kind: &str, id: &str| format!("{}/{kind}/{id}", network());
    let by =
        |id: &str, author: &str| parked(id, &format!(r#"{{"author":"{}"}}"#, address("account", author)));
    store.park(&[by("1", "a"), by("2", "a"), by("3", "ab"), by("4", "c")]).must();
    assert_eq!(store.forget(&address("account", "a")).must().parked, 2);
    assert_eq!(store.forget(&address("post", "4")).must().parked, 1);
    assert_eq!(store.counts().must().parked, 1, "a longer id is another id");
}
