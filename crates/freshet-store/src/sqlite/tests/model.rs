//! Random histories against a plain map: duplicates, edits, deletions, forgetting, reopening.
//!
//! The twin knows the contract and nothing of SQL. After every step the store must hold the
//! same posts, give the same answer, and its log must replay to the same state.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use freshet_types::{ChangeKind, Observation, Post, Set, Timestamp, VisitId};
use proptest::prelude::*;

use crate::api::prelude::*;
use crate::conformance::compare;
use crate::row::{Applied, Filter, Upload};
use crate::sqlite::SqliteStore;

pub(super) const NETWORK: &str = "mastodon:a.example";

/// An upload of posts seen in this second.
pub(super) fn page(secs: i64, posts: Vec<Post>) -> Upload {
    let upload = Upload::new(VisitId(secs as u64), NETWORK.into(), Timestamp::from_secs(secs));
    Upload { observation: Observation { posts, ..Observation::default() }, ..upload }
}

/// What happens; small numbers, so that things meet.
#[derive(Clone, Debug)]
enum Action {
    /// Uploads of (post, version of its text, is it a tombstone).
    Apply(Vec<Vec<(u8, u8, bool)>>),
    /// The last uploads once more, as after a lost acknowledgement.
    Repeat,
    /// The network says that this post is gone.
    Delete(u8),
    /// This author is forgotten.
    Forget(u8),
    /// The process ends and another begins.
    Reopen,
}

const AUTHORS: u8 = 3;

fn author(post: u8) -> String {
    format!("author{}", post % AUTHORS)
}

fn kind(post: u8) -> &'static str {
    if post.is_multiple_of(2) { "post" } else { "comment" }
}

fn post((id, version, is_deleted): (u8, u8, bool)) -> Post {
    Post {
        id: id.to_string(),
        kind: kind(id).into(),
        author: Some(author(id)),
        created_at: Some(Timestamp::from_secs(i64::from(id))),
        text: if is_deleted { String::new() } else { format!("text {version}") },
        is_deleted,
        ..Post::default()
    }
}

fn action() -> impl Strategy<Value = Action> {
    let one = (0..12_u8, 0..3_u8, prop::bool::weighted(0.1));
    let upload = prop::collection::vec(one, 0..6);
    prop_oneof![
        6 => prop::collection::vec(upload, 0..4).prop_map(Action::Apply),
        1 => Just(Action::Repeat),
        2 => (0..12_u8).prop_map(Action::Delete),
        1 => (0..AUTHORS).prop_map(Action::Forget),
        1 => Just(Action::Reopen),
    ]
}

/// What is known of a post: its text and since when it is deleted.
#[derive(Clone, Debug)]
struct Known {
    text: String,
    deleted_at: Option<Timestamp>,
}

impl Known {
    /// Marks it as deleted; gives 1 when it was not.
    fn delete(&mut self, at: Timestamp) -> u32 {
        let is_news = self.deleted_at.is_none();
        self.deleted_at.get_or_insert(at);
        u32::from(is_news)
    }
}

/// All posts, and who is forgotten.
#[derive(Default)]
struct Twin(BTreeMap<String, Known>, Set<String>);

impl Twin {
    fn apply(&mut self, upload: &Upload) -> Applied {
        let mut applied = Applied::default();
        for seen in &upload.observation.posts {
            if seen.author.as_ref().is_some_and(|author| self.1.contains(author)) {
                continue;
            }
            match self.0.get_mut(&seen.id) {
                None => {
                    let deleted_at = seen.is_deleted.then_some(upload.seen_at);
                    self.0.insert(seen.id.clone(), Known { text: seen.text.clone(), deleted_at });
                    applied.new_posts.push(seen.created_at.unwrap());
                    applied.deleted_count += u32::from(seen.is_deleted);
                }
                Some(known) if seen.is_deleted => applied.deleted_count += known.delete(upload.seen_at),
                // A page from before the post was deleted does not bring it back.
                Some(known) if known.deleted_at > Some(upload.seen_at) => {}
                Some(known) => {
                    applied.edited_count += u32::from(known.deleted_at.is_none() && known.text != seen.text);
                    *known = Known { text: seen.text.clone(), deleted_at: None };
                }
            }
        }
        for (_, id) in &upload.deleted {
            if let Some(known) = self.0.get_mut(id) {
                applied.deleted_count += known.delete(upload.seen_at);
            }
        }
        applied
    }

    /// Each post with its text, and whether it is deleted.
    fn posts(&self) -> BTreeMap<String, (String, bool)> {
        let shown = |known: &Known| (known.text.clone(), known.deleted_at.is_some());
        self.0.iter().map(|(id, known)| (id.clone(), shown(known))).collect()
    }
}

fn check(store: &SqliteStore, twin: &Twin) {
    let mut stored = BTreeMap::new();
    let each = &mut |row: crate::row::PostRow| {
        let is_new = stored.insert(row.post.id, (row.post.text, row.deleted_at.is_some())).is_none();
        assert!(is_new, "a post is there twice");
        ControlFlow::Continue(())
    };
    store.each_post(&Filter::default(), each).unwrap();
    let posts = twin.posts();
    assert_eq!(stored, posts);
    let counts = store.counts().unwrap();
    assert_eq!(counts.posts, posts.len() as u64);
    assert_eq!(counts.deleted, posts.values().filter(|(_, is_deleted)| *is_deleted).count() as u64);
    check_log(store, &posts);
}

/// The log alone tells which posts there are and which of them are deleted.
fn check_log(store: &SqliteStore, posts: &BTreeMap<String, (String, bool)>) {
    let changes = store.changes_above(0, 100_000).unwrap();
    assert!(changes.is_sorted_by(|one, next| one.number < next.number));
    let mut told = BTreeMap::new();
    for change in changes.into_iter().filter(|change| &*change.address.kind != "account") {
        match change.kind {
            ChangeKind::Created => assert_eq!(told.insert(change.address.id, false), None, "created twice"),
            ChangeKind::Deleted => assert_eq!(told.insert(change.address.id, true), Some(false)),
            ChangeKind::Restored => assert_eq!(told.insert(change.address.id, false), Some(true)),
            ChangeKind::Edited => assert_eq!(told.get(&change.address.id), Some(&false)),
            kind => panic!("{kind:?} of a post"),
        }
    }
    let expected: BTreeMap<_, _> =
        posts.iter().map(|(id, (_, is_deleted))| (id.clone(), *is_deleted)).collect();
    assert_eq!(told, expected);
}

fn run(path: &Path, actions: Vec<Action>) {
    let mut store = SqliteStore::open(path).unwrap();
    let mut twin = Twin::default();
    let mut last: Vec<Upload> = Vec::new();
    for (step, action) in actions.into_iter().enumerate() {
        let secs = 1000 + step as i64;
        match action {
            Action::Apply(pages) => {
                last = pages.into_iter().map(|one| page(secs, one.into_iter().map(post).collect())).collect();
                let expected: Vec<_> = last.iter().map(|upload| twin.apply(upload)).collect();
                let mut applied = store.apply(&last, compare).unwrap();
                for one in &mut applied {
                    one.new_account_count = 0;
                }
                assert_eq!(applied, expected);
            }
            Action::Repeat => {
                // Once more may still change things (a history of edits runs again), but a second
                // time in a row ends in the same state.
                for upload in &last {
                    twin.apply(upload);
                }
                store.apply(&last, compare).unwrap();
            }
            Action::Delete(id) => {
                let upload =
                    Upload { deleted: vec![(kind(id).into(), id.to_string())], ..page(secs, vec![]) };
                assert_eq!(
                    store.apply(std::slice::from_ref(&upload), compare).unwrap(),
                    [twin.apply(&upload)]
                );
            }
            Action::Forget(which) => {
                let erased = store.forget(&format!("{NETWORK}/account/{}", author(which))).unwrap();
                let before = twin.0.len();
                twin.0.retain(|id, _| author(id.parse().unwrap()) != author(which));
                assert_eq!(erased.posts, (before - twin.0.len()) as u64);
                twin.1.insert(author(which));
            }
            Action::Reopen => {
                drop(store);
                store = SqliteStore::open(path).unwrap();
            }
        }
        check(&store, &twin);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn the_store_agrees_with_a_plain_map(actions in prop::collection::vec(action(), 1..25)) {
        let dir = tempfile::tempdir().unwrap();
        run(&dir.path().join("freshet.db"), actions);
    }
}
