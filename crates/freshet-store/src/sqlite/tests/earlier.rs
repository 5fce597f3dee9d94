//! What a post said before it was edited: kept in order, no more of it than the limit, and gone with the post.

use freshet_types::{Post, Timestamp};

use super::model::{NETWORK, page};
use crate::api::prelude::*;
use crate::conformance::compare;
use crate::row::{OnDelete, Upload};
use crate::sqlite::SqliteStore;

fn said(text: &str) -> Post {
    Post {
        id: "1".into(),
        kind: "post".into(),
        author: Some("a".into()),
        created_at: Some(Timestamp::from_secs(1)),
        text: text.into(),
        ..Post::default()
    }
}

fn apply(store: &mut SqliteStore, upload: Upload) {
    store.apply(&[upload], compare).unwrap();
}

/// A post that was edited so often, and its number.
fn edited(count: i64) -> (SqliteStore, u64) {
    let mut store = SqliteStore::in_memory().unwrap();
    for secs in 0..=count {
        apply(&mut store, page(secs, vec![said(&format!("text {secs}"))]));
    }
    let number = store.post_of(&NETWORK.into(), "post", "1").unwrap().unwrap().object;
    (store, number)
}

fn texts(store: &SqliteStore, number: u64) -> Vec<String> {
    store.earlier_texts(number).unwrap().into_iter().map(|(_, text)| text).collect()
}

#[test]
fn every_earlier_text_stands_with_its_line_of_the_log() {
    let (mut store, number) = edited(2);
    assert_eq!(texts(&store, number), ["text 0", "text 1"]);
    apply(&mut store, page(3, vec![said("text 2")]));
    assert_eq!(texts(&store, number).len(), 2, "the same again is no edit");
    let lines = store.changes_of(number, 10).unwrap();
    let edits: Vec<u64> = lines.iter().skip(1).map(|line| line.number).collect();
    let kept: Vec<u64> = store.earlier_texts(number).unwrap().into_iter().map(|(line, _)| line).collect();
    assert_eq!(kept, edits);
    let shown = "SELECT status_id, text, replaced_at FROM earlier_statuses ORDER BY replaced_at";
    super::views::check(&store, shown, &["1|text 0|1", "1|text 1|2"]);
}

#[test]
fn the_latest_texts_are_kept() {
    let (store, number) = edited(130);
    let texts = texts(&store, number);
    assert_eq!((texts.len(), texts[0].as_str(), texts[99].as_str()), (100, "text 30", "text 129"));
}

#[test]
fn earlier_texts_go_with_the_post() {
    let (mut store, number) = edited(2);
    store.forget(&format!("{NETWORK}/account/a")).unwrap();
    assert!(texts(&store, number).is_empty(), "forgotten");
    let (mut store, number) = edited(2);
    let deleted = || Upload { deleted: vec![("post".into(), "1".into())], ..page(9, Vec::new()) };
    apply(&mut store, deleted());
    assert_eq!(texts(&store, number).len(), 2, "kept, as the network's rule is");
    store.set_on_delete(&NETWORK.into(), OnDelete::Redact).unwrap();
    assert!(texts(&store, number).is_empty(), "redacted");
    apply(&mut store, page(10, vec![said("back")]));
    assert!(texts(&store, number).is_empty(), "who was redacted said nothing");
}
