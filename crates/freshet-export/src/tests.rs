//! From a store with a few rows to the lines and files of an export.

use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex};

use freshet_sink::{Format, RecordKind};
use freshet_store::api::Store;
use freshet_store::row::Upload;
use freshet_store::testing;
use freshet_types::{
    Account, CrossLink, End, Evidence, Link, LinkKind, Observation, Post, Primitive, Relation, Thing,
    Timestamp, VisitId,
};
use serde_json::{Value, json};

use super::manifest::MANIFEST;
use super::stream::to_writer;
use super::*;

mod resume;

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

fn post(id: &str, at: i64) -> Post {
    Post {
        id: id.to_owned(),
        kind: "post".into(),
        author: Some("7".to_owned()),
        created_at: Some(Timestamp::from_secs(at)),
        text: format!("text {id}"),
        tags: vec!["one".to_owned()],
        plinks: vec![("likes".into(), Primitive::Int(3))],
        ..Post::default()
    }
}

/// A place that leads into another network, and states a value of what it leads to.
fn place() -> Thing {
    let (site, guests) = ("web/page/https://ghent.example/", "stays/house/5");
    let evidence = Evidence::new("/about", "12 guests");
    let value = CrossLink {
        kind: LinkKind::Sp,
        value: Some(Primitive::Int(12)),
        evidence,
        ..CrossLink::new("guests", guests.parse().unwrap())
    };
    Thing {
        id: "3".to_owned(),
        kind: "place".into(),
        name: Some("Ghent".to_owned()),
        plinks: vec![("longitude".into(), Primitive::Float(3.7))],
        slinks: vec![CrossLink::new("site", site.parse().unwrap()), value],
        ..Thing::default()
    }
}

fn link(name: &str, account: &str) -> Link {
    let end = |kind: &str, id: &str| End { kind: kind.into(), id: id.to_owned() };
    Link { from: end("post", "1"), name: name.into(), to: end("account", account), is_member: true }
}

fn apply(store: &mut dyn Store, posts: Vec<Post>) {
    let account = Account { id: "7".to_owned(), handle: Some("ada".to_owned()), ..Account::default() };
    let observation = Observation {
        posts,
        accounts: vec![account],
        relations: vec![Relation { source: "7".to_owned(), target: "8".to_owned() }],
        tags: Vec::new(),
        things: vec![place()],
        links: vec![link("likers", "8"), link("likers", "9")],
        ..Observation::default()
    };
    let upload = Upload::new(VisitId(5), "social:a.example".into(), Timestamp::from_ms(1_000_500));
    store.apply(&[Upload { observation, ..upload }], |_, _| None).unwrap();
}

fn store() -> Box<dyn Store> {
    let mut store = testing::memory();
    apply(&mut store, vec![post("1", 100), post("2", 200)]);
    store
}

fn lines(kind: RecordKind, filter: &Filter) -> Vec<Value> {
    let out = Shared::default();
    let (record_count, damages) = to_writer(&store(), kind, Format::Jsonl, filter, out.clone()).unwrap();
    assert!(damages.is_empty());
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
fn objects_and_links_have_the_fields_of_the_contract() {
    let (objects, links) =
        (lines(RecordKind::Objects, &Filter::default()), lines(RecordKind::Links, &Filter::default()));
    let expected = json!({
        "id": "social:a.example/place/3", "native_id": "3", "network": "social:a.example", "kind": "place",
        "name": "Ghent", "created_at": null, "seen_at": 1000.5, "url": null,
        "properties": { "longitude": 3.7, "site": ["web/page/https://ghent.example/"], "guests": 12 },
    });
    assert_eq!(objects, [expected]);
    let of = |name: &str| links.iter().find(|line| line["name"] == name).unwrap();
    let likers = json!({
        "network": "social:a.example", "from": "social:a.example/post/1", "kind": "co", "name": "likers",
        "to": "social:a.example/account/8", "to_network": "social:a.example", "value": null,
        "first_seen_at": 1000.5, "last_seen_at": 1000.5, "ended_at": null,
        "evidence_place": null, "evidence": null, "confidence": null,
    });
    assert_eq!(*of("likers"), likers);
    let guests = json!({
        "network": "social:a.example", "from": "social:a.example/place/3", "kind": "sp", "name": "guests",
        "to": "stays/house/5", "to_network": "stays", "value": "12",
        "first_seen_at": 1000.5, "last_seen_at": 1000.5, "ended_at": null,
        "evidence_place": "/about", "evidence": "12 guests", "confidence": 0.5,
    });
    assert_eq!(*of("guests"), guests);
    assert_eq!(of("site")["kind"], "sc");
}

#[test]
fn filters_hold_for_every_kind() {
    let all = Filter::default();
    let late = Filter { since: Some(Timestamp::from_secs(150)), ..Filter::default() };
    let foreign = Filter { network: Some("other".to_owned()), ..Filter::default() };
    for (kind, filter, line_count) in [
        (RecordKind::Posts, &late, 1),
        (RecordKind::Posts, &foreign, 0),
        (RecordKind::Accounts, &all, 3),
        (RecordKind::Accounts, &foreign, 0),
        (RecordKind::Relations, &all, 1),
        (RecordKind::Relations, &foreign, 0),
        (RecordKind::Changes, &all, 6),
        (RecordKind::Changes, &foreign, 0),
        (RecordKind::Objects, &all, 1),
        (RecordKind::Objects, &foreign, 0),
        (RecordKind::Links, &all, 4),
        (RecordKind::Links, &foreign, 0),
    ] {
        assert_eq!(lines(kind, filter).len(), line_count, "{kind} {filter:?}");
        // What is counted before is what is written after.
        let wish = Wish { kinds: vec![kind], filter: filter.clone(), ..wish(Bounds::NONE, false) };
        let counted: u64 = plan(&store(), &wish).unwrap().iter().map(|part| part.record_count).sum();
        assert_eq!(counted, line_count as u64, "{kind} {filter:?}");
    }
}

const DAY: i64 = 86_400;

fn wish(up_to: Bounds, is_split: bool) -> Wish {
    let kinds = vec![RecordKind::Posts, RecordKind::Accounts];
    Wish { format: Format::Jsonl, kinds, filter: Filter::default(), is_split, up_to, checkpoint_every: 7 }
}

fn manifest(up_to: Bounds) -> Manifest {
    Manifest::new(Asked::default(), "a store".to_owned(), (None, None), up_to)
}

/// Files of a folder and how many lines each has, sorted.
fn found(dir: &Path) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if !entry.path().ends_with(MANIFEST) {
                let lines = std::fs::read_to_string(entry.path()).unwrap().lines().count();
                let name = entry.path().strip_prefix(dir).unwrap().display().to_string();
                found.push((name, lines));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_split_export_has_a_file_for_each_day() {
    let mut store = testing::memory();
    // Days come mixed, some have nothing, one is before 1970.
    let times = [3 * DAY, 20 * DAY, 3 * DAY + 5, -10, 20 * DAY - 1, 400 * DAY];
    let posts = times.iter().enumerate().map(|(n, at)| post(&n.to_string(), *at)).collect();
    apply(&mut store, posts);
    let dir = tempfile::tempdir().unwrap();
    let (wish, mut manifest) = (wish(Bounds::NONE, true), manifest(Bounds::NONE));
    let parts = plan(&store, &wish).unwrap();
    let _ = to_folder(&store, dir.path(), &wish, &parts, &mut manifest).unwrap();
    let expected = [
        ("accounts/1970-01-01.jsonl", 3),
        ("posts/1969-12-31.jsonl", 1),
        ("posts/1970-01-04.jsonl", 2),
        ("posts/1970-01-20.jsonl", 1),
        ("posts/1970-01-21.jsonl", 1),
        ("posts/1971-02-05.jsonl", 1),
    ];
    assert_eq!(found(dir.path()), expected.map(|(name, lines)| (name.to_owned(), lines)));
    assert!(Manifest::read(dir.path()).unwrap().unwrap().is_complete);
    for file in &manifest.files {
        let hashed = hash_file(&dir.path().join(&file.name)).unwrap();
        assert_eq!(hashed, (file.bytes, file.sha256.clone()), "{}", file.name);
    }
}

#[test]
fn an_interrupted_export_goes_on_and_is_of_one_piece() {
    let mut store = testing::memory();
    apply(&mut store, (0..40).map(|n| post(&n.to_string(), n * DAY)).collect());
    let up_to = Bounds::now(&store).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (wish, mut first) = (wish(up_to, true), manifest(up_to));
    let parts = plan(&store, &wish).unwrap();
    // The first attempt got as far as ten files; a half of the eleventh lies about.
    let _ = to_folder(&store, dir.path(), &wish, &parts[..10], &mut first).unwrap();
    std::fs::write(dir.path().join("posts/1970-01-11.jsonl.part"), "{\"half\":").unwrap();
    first.is_complete = false;
    first.write(dir.path()).unwrap();
    // Somebody spoilt one of the ten; and the crawl went on meanwhile.
    std::fs::write(dir.path().join("posts/1970-01-03.jsonl"), "").unwrap();
    apply(&mut store, vec![post("new", 5 * DAY), post("newer", 500 * DAY)]);
    let mut second = Manifest::read(dir.path()).unwrap().unwrap();
    second.keep_what_is_there(dir.path());
    assert_eq!(second.files.len(), 9);
    let kept = std::fs::metadata(dir.path().join("posts/1970-01-05.jsonl")).unwrap().modified().unwrap();
    let _ = to_folder(&store, dir.path(), &wish, &plan(&store, &wish).unwrap(), &mut second).unwrap();
    let files = found(dir.path());
    assert_eq!(files.len(), 41, "{files:?}");
    assert_eq!(files.iter().map(|(_, lines)| lines).sum::<usize>(), 43);
    let still = std::fs::metadata(dir.path().join("posts/1970-01-05.jsonl")).unwrap().modified().unwrap();
    assert_eq!(kept, still, "finished files are left alone");
    assert!(second.is_complete && second.records_count() == 43);
}

#[test]
fn days_have_names() {
    for (day, name) in
        [(0, "1970-01-01"), (-1, "1969-12-31"), (20_000, "2024-10-04"), (i64::MAX, "day9223372036854775807")]
    {
        assert_eq!(day_name(day), name);
    }
}
