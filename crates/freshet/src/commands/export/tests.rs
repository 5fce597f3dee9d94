//! From a store with a few rows to the lines of an export.

use std::sync::{Arc, Mutex};

use freshet_sink::{Format, RecordKind};
use freshet_store::row::Upload;
use freshet_store::sqlite::SqliteStore;
use freshet_types::{Account, Observation, Post, Primitive, Relation, Timestamp, VisitId};
use serde_json::{Value, json};

use super::*;

/// A buffer that the test keeps a hand on while the sink owns its writer.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn store() -> SqliteStore {
    let mut store = SqliteStore::in_memory().unwrap();
    let post = |id: &str, at: i64| Post {
        id: id.to_owned(),
        kind: "post".into(),
        author: Some("7".to_owned()),
        created_at: Some(Timestamp::from_secs(at)),
        text: format!("text {id}"),
        tags: vec!["one".to_owned()],
        plinks: vec![("likes".into(), Primitive::Int(3))],
        ..Post::default()
    };
    let account = Account { id: "7".to_owned(), handle: Some("ada".to_owned()), ..Account::default() };
    let observation = Observation {
        posts: vec![post("1", 100), post("2", 200)],
        accounts: vec![account],
        relations: vec![Relation { source: "7".to_owned(), target: "8".to_owned() }],
        tags: Vec::new(),
        leads: Vec::new(),
    };
    let upload = Upload::new(VisitId(5), "social:a.example".into(), Timestamp::from_ms(1_000_500));
    let upload = Upload { observation, ..upload };
    store.apply(&[upload], |_, _| None).unwrap();
    store
}

fn lines(kind: RecordKind, filter: &Filter) -> Vec<Value> {
    let out = Shared::default();
    let record_count = export(&store(), kind, Format::Jsonl, filter, out.clone()).unwrap();
    let bytes = out.0.lock().unwrap();
    let lines: Vec<Value> =
        str::from_utf8(&bytes).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len() as u64, record_count);
    lines
}

#[test]
fn posts_have_the_fields_of_the_contract() {
    let lines = lines(RecordKind::Posts, &Filter::default());
    assert_eq!(lines.len(), 2);
    for (key, value) in [
        ("id", json!("social:a.example/post/1")),
        ("native_id", json!("1")),
        ("network", json!("social:a.example")),
        ("author", json!("ada")),
        ("author_id", json!("7")),
        ("created_at", json!(100)),
        ("seen_at", json!(1000.5)),
        ("text", json!("text 1")),
        ("edited_at", Value::Null),
        ("deleted_at", Value::Null),
        ("reply_to", Value::Null),
        ("repost_of", Value::Null),
        ("url", Value::Null),
        ("tags", json!(["one"])),
        ("properties", json!({ "likes": 3 })),
    ] {
        assert_eq!(lines[0][key], value, "{key}");
    }
}

#[test]
fn filters_hold_for_every_kind() {
    let all = Filter::default();
    let late = Filter { since: Some(Timestamp::from_secs(150)), ..Filter::default() };
    let foreign = Filter { network: Some("other".to_owned()), ..Filter::default() };
    for (kind, filter, line_count) in [
        (RecordKind::Posts, &late, 1),
        (RecordKind::Posts, &foreign, 0),
        (RecordKind::Accounts, &all, 2),
        (RecordKind::Accounts, &foreign, 0),
        (RecordKind::Relations, &all, 1),
        (RecordKind::Relations, &foreign, 0),
        (RecordKind::Changes, &all, 4),
        (RecordKind::Changes, &foreign, 0),
    ] {
        assert_eq!(lines(kind, filter).len(), line_count, "{kind} {filter:?}");
    }
}
