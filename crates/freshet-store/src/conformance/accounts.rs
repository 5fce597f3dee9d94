//! Behaviours of accounts: merging, being only named, becoming invalid and coming back.

use freshet_types::{Account, AccountState, ChangeKind, CrossLink, Primitive};

use super::kit::{
    Must, accounts, add, all_accounts, apply, at, changes, lines, post, posts, the_account, timeline, upload,
};
use crate::api::Store;
use crate::row::{Applied, Upload};

fn whole(id: &str) -> Account {
    Account {
        id: id.into(),
        handle: Some(format!("{id}@a.example")),
        name: Some("Name".into()),
        bio: Some("bio".into()),
        url: Some("https://a.example/@a".into()),
        uri: Some("https://a.example/users/a".into()),
        location: Some("here".into()),
        created_at: Some(at(5)),
        followers_count: Some(10),
        following_count: Some(20),
        posts_count: Some(30),
        plinks: vec![("is_bot".into(), Primitive::Bool(false))],
        slinks: vec![CrossLink::new("same_as", "bluesky/account/did:plc:x".parse().expect("an address"))],
        ..Account::default()
    }
}

pub(super) fn a_partial_account_erases_nothing(store: &mut dyn Store) {
    let applied = apply(store, accounts(100, [whole("a")]));
    assert_eq!(applied, Applied { new_account_count: 1, ..Applied::default() });
    assert_eq!(the_account(store, "a").account, whole("a"));
    let partial = Account { id: "a".into(), followers_count: Some(11), ..Account::default() };
    assert_eq!(apply(store, accounts(200, [partial])), Applied::default());
    let expected = Account { followers_count: Some(11), ..whole("a") };
    let stored = the_account(store, "a");
    assert_eq!(stored.account, expected);
    assert_eq!(stored.seen_at, at(100));
    let before = changes(store);
    assert_eq!(apply(store, accounts(300, [expected.clone(), expected])), Applied::default());
    assert_eq!(changes(store), before);
}

pub(super) fn authors_become_known_accounts(store: &mut dyn Store) {
    let applied =
        apply(store, posts(100, [post("1", "a", 10, "x"), post("2", "b", 11, "y"), post("3", "a", 12, "z")]));
    assert_eq!(applied.new_account_count, 2);
    assert_eq!(all_accounts(store).len(), 2);
    assert_eq!(lines(store)[0], "created account/a", "the author is known before the post");
    let applied = apply(store, accounts(200, [whole("a")]));
    assert_eq!(applied.new_account_count, 0, "it was known by name");
    assert_eq!(the_account(store, "a").account, whole("a"));
    assert_eq!(lines(store).len(), 5, "filling a bare account is no edit");
    assert_eq!(super::kit::all_posts(store)[0].author_handle.as_deref(), Some("a@a.example"));
}

pub(super) fn the_suspended_are_invalid_until_they_are_back(store: &mut dyn Store) {
    apply(store, accounts(100, [whole("a")]));
    let suspended = Account { state: AccountState::Suspended, ..whole("a") };
    apply(store, accounts(200, [suspended.clone()]));
    apply(store, accounts(201, [suspended]));
    let stored = the_account(store, "a");
    assert_eq!(stored.invalid.as_deref(), Some("suspended"));
    assert_eq!(stored.account.state, AccountState::Suspended);
    apply(store, accounts(300, [whole("a")]));
    let stored = the_account(store, "a");
    assert_eq!((stored.invalid, stored.account.state), (None, AccountState::Active));
    assert_eq!(lines(store), ["created account/a", "invalidated account/a", "restored account/a"]);
}

pub(super) fn an_unknown_account_can_be_found_invalid(store: &mut dyn Store) {
    let gone = |secs| {
        let invalid = Some(("a".into(), "gone".into()));
        Upload { invalid, ..upload(secs, freshet_types::Observation::default()) }
    };
    apply(store, gone(100));
    assert_eq!(apply(store, gone(200)), Applied::default());
    let stored = the_account(store, "a");
    assert_eq!((stored.invalid.as_deref(), stored.account.state), (Some("gone"), AccountState::Gone));
    let unresolved = Some((String::new(), "gone".into()));
    apply(store, Upload { invalid: unresolved, ..posts(250, [post("1", "", 10, "x")]) });
    assert_eq!(all_accounts(store).len(), 1, "nobody is called nothing");
    assert_eq!(lines(store), ["invalidated account/a", "created post/1"]);
    assert_eq!(store.counts().must().accounts, 1);
    // The same batch may bring both words; the later one counts.
    store
        .apply(&[accounts(300, [whole("a")]), gone(301), accounts(302, [whole("a")])], super::compare)
        .must();
    assert_eq!(the_account(store, "a").invalid, None);
}

pub(super) fn a_bare_mention_says_nothing_about_the_state(store: &mut dyn Store) {
    apply(store, accounts(100, [Account { state: AccountState::Private, ..whole("a") }]));
    apply(store, accounts(200, [Account { id: "a".into(), ..Account::default() }]));
    apply(store, posts(201, [post("1", "a", 10, "x")]));
    let stored = the_account(store, "a");
    assert_eq!((stored.invalid.as_deref(), stored.account.state), (Some("private"), AccountState::Private));
}

pub(super) fn a_new_name_is_an_edit_and_new_counts_are_not(store: &mut dyn Store) {
    apply(store, accounts(100, [whole("a")]));
    apply(store, accounts(200, [Account { posts_count: Some(31), ..whole("a") }]));
    assert_eq!(lines(store), ["created account/a"]);
    apply(store, accounts(300, [Account { name: Some("New".into()), ..whole("a") }]));
    assert_eq!(lines(store), ["created account/a", "edited account/a"]);
    assert_eq!(the_account(store, "a").account.name.as_deref(), Some("New"));
}

pub(super) fn opting_out_is_kept(store: &mut dyn Store) {
    apply(store, accounts(100, [Account { opts_out: true, ..whole("a") }]));
    apply(store, accounts(200, [super::kit::account("a", "a@a.example")]));
    assert!(the_account(store, "a").account.opts_out, "a short form does not opt in again");
    apply(store, accounts(300, [whole("a")]));
    assert!(!the_account(store, "a").account.opts_out);
}

pub(super) fn the_own_account_is_not_a_step_away(store: &mut dyn Store) {
    let source = add(store, &timeline("a"));
    let seen = Upload { source: Some(source), depth: 2, ..accounts(100, [whole("a"), whole("b")]) };
    apply(store, seen);
    let depths: Vec<_> = changes(store).iter().map(|change| change.depth).collect();
    assert_eq!(depths, [2, 3]);
    let nearer = Upload { depth: 0, ..posts(200, [post("1", "b", 10, "x")]) };
    apply(store, nearer);
    let object = the_account(store, "b").object;
    assert_eq!(store.object(object).must().map(|found| found.depth), Some(1));
    let told = changes(store).into_iter().filter(|change| change.object == object).map(|change| change.kind);
    let told: Vec<_> = told.collect();
    assert_eq!(told, [ChangeKind::Created, ChangeKind::Approached], "a shorter way is told, once");
}
