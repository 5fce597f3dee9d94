//! What the behaviours are made of: short ways to make uploads and to look at a store.

use std::ops::ControlFlow;

use freshet_types::{
    Account, Change, ChangeKind, NetworkName, Observation, Post, Relation, RobotKind, Source, SourceId,
    Timestamp, VisitId,
};

use crate::api::{Store, StoreError};
use crate::row::{AccountRow, Applied, Filter, KnownPost, PostRow, RelationRow, Upload};

/// What a difference means, as the engine sees it.
pub fn compare(seen: &Post, known: &KnownPost) -> Option<ChangeKind> {
    match (seen.is_deleted, known.is_deleted) {
        (true, false) => Some(ChangeKind::Deleted),
        (true, true) => None,
        (false, true) => Some(ChangeKind::Restored),
        (false, false) => (seen.version() != known.version).then_some(ChangeKind::Edited),
    }
}

/// A store that fails here fails the behaviour.
pub(super) trait Must<T> {
    fn must(self) -> T;
}

impl<T> Must<T> for Result<T, StoreError> {
    #[track_caller]
    fn must(self) -> T {
        self.unwrap_or_else(|error| panic!("{error}"))
    }
}

pub(super) const NETWORK: &str = "mastodon:a.example";

pub(super) fn network() -> NetworkName {
    NETWORK.into()
}

pub(super) fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(secs)
}

pub(super) fn post(id: &str, author: &str, secs: i64, text: &str) -> Post {
    Post {
        id: id.into(),
        kind: "post".into(),
        author: Some(author.into()),
        created_at: Some(at(secs)),
        text: text.into(),
        ..Post::default()
    }
}

pub(super) fn account(id: &str, handle: &str) -> Account {
    Account { id: id.into(), handle: Some(handle.into()), ..Account::default() }
}

pub(super) fn relation(source: &str, target: &str) -> Relation {
    Relation { source: source.into(), target: target.into() }
}

/// An upload of visit 1 seen at this second.
pub(super) fn upload(secs: i64, observation: Observation) -> Upload {
    Upload { observation, ..Upload::new(VisitId(1), network(), at(secs)) }
}

pub(super) fn posts(secs: i64, posts: impl IntoIterator<Item = Post>) -> Upload {
    upload(secs, Observation { posts: posts.into_iter().collect(), ..Observation::default() })
}

pub(super) fn accounts(secs: i64, accounts: impl IntoIterator<Item = Account>) -> Upload {
    upload(secs, Observation { accounts: accounts.into_iter().collect(), ..Observation::default() })
}

pub(super) fn relations(secs: i64, relations: impl IntoIterator<Item = Relation>) -> Upload {
    upload(secs, Observation { relations: relations.into_iter().collect(), ..Observation::default() })
}

#[track_caller]
pub(super) fn apply(store: &mut dyn Store, upload: Upload) -> Applied {
    let mut applied = store.apply(&[upload], compare).must();
    assert_eq!(applied.len(), 1, "one answer per upload");
    applied.remove(0)
}

/// The timeline of this account.
pub(super) fn timeline(root_id: &str) -> Source {
    Source::new(&network(), "statuses", RobotKind::Status, "account", root_id)
}

/// Adds one source and gives it back as stored.
#[track_caller]
pub(super) fn add(store: &mut dyn Store, source: &Source) -> Source {
    let (id, _) = store.add_sources(std::slice::from_ref(source)).must()[0];
    load(store, id)
}

#[track_caller]
pub(super) fn load(store: &dyn Store, id: SourceId) -> Source {
    store.source(id).must().expect("the source is there")
}

#[track_caller]
pub(super) fn all_posts(store: &dyn Store) -> Vec<PostRow> {
    filtered_posts(store, &Filter::default())
}

#[track_caller]
pub(super) fn filtered_posts(store: &dyn Store, filter: &Filter) -> Vec<PostRow> {
    let mut all = Vec::new();
    let each = &mut |row| {
        all.push(row);
        ControlFlow::Continue(())
    };
    store.each_post(filter, each).must();
    all
}

/// The only post.
#[track_caller]
pub(super) fn only_post(store: &dyn Store) -> PostRow {
    let mut all = all_posts(store);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[track_caller]
pub(super) fn all_accounts(store: &dyn Store) -> Vec<AccountRow> {
    let mut all = Vec::new();
    let each = &mut |row| {
        all.push(row);
        ControlFlow::Continue(())
    };
    store.each_account(&Filter::default(), each).must();
    all
}

#[track_caller]
pub(super) fn the_account(store: &dyn Store, id: &str) -> AccountRow {
    let found = all_accounts(store).into_iter().find(|row| row.account.id == id);
    found.unwrap_or_else(|| panic!("there is no account `{id}`"))
}

#[track_caller]
pub(super) fn all_relations(store: &dyn Store) -> Vec<RelationRow> {
    let mut all = Vec::new();
    let each = &mut |row| {
        all.push(row);
        ControlFlow::Continue(())
    };
    store.each_relation(&Filter::default(), each).must();
    all
}

#[track_caller]
pub(super) fn changes(store: &dyn Store) -> Vec<Change> {
    store.changes_above(0, 1000).must()
}

/// The log as `created post/1`, one word pair a line.
#[track_caller]
pub(super) fn lines(store: &dyn Store) -> Vec<String> {
    let line =
        |change: Change| format!("{} {}/{}", change.kind.name(), change.address.kind, change.address.id);
    changes(store).into_iter().map(line).collect()
}

#[track_caller]
pub(super) fn hits(store: &dyn Store, query: &str) -> Vec<String> {
    store.search(query, 10).must().into_iter().map(|hit| hit.row.post.id).collect()
}
