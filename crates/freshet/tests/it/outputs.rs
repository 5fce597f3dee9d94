//! What comes out again: search, exports in every format, recordings that are read back.

use std::collections::BTreeSet;
use std::fs::File;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
use serde_json::Value;

use crate::support::freshet::Freshet;
use crate::support::world::World;

/// A small world, crawled for some seconds with its exchanges recorded.
fn crawled() -> (World, Freshet, String) {
    let world = World::start(5);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let author = world.truth()[0]["author"].as_str().expect("a post has an author").to_owned();
    let reference = format!("{}/@{author}", world.base);
    freshet.ok(&["add", "--allow-private", &reference]);
    freshet.ok(&["run", "--headless", "--no-dashboard", "--for", "4s", "--record", "exchanges.jsonl"]);
    (world, freshet, reference)
}

#[test]
fn recordings_are_read_as_the_crawl_read_them() {
    let (_world, freshet, _) = crawled();
    let stored: BTreeSet<String> =
        freshet.posts().iter().map(|post| post["native_id"].as_str().unwrap().to_owned()).collect();
    assert!(!stored.is_empty(), "the crawl stored something");
    let read = freshet.ok(&["networks", "read", "--network", "mastodon", "--recordings", "exchanges.jsonl"]);
    let lines: Vec<Value> = read.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let fetched = freshet.json(&["status"])["fetches_count"].as_u64();
    assert_eq!(Some(lines.len() as u64), fetched, "every exchange is recorded once");
    let (mut kinds, mut posts_count) = (BTreeSet::new(), 0);
    for line in &lines {
        assert_eq!(line["outcome"], "ok", "{line}");
        assert!(line["complaints"].as_array().is_some_and(Vec::is_empty), "{line}");
        kinds.insert(line["kind"].as_str().unwrap().to_owned());
        posts_count += line["posts"].as_u64().unwrap();
        for end in ["first_id", "last_id"]
            .map(|key| &line[key])
            .into_iter()
            .filter(|it| line["kind"] == "posts" && !it.is_null())
        {
            assert!(stored.contains(end.as_str().unwrap()), "{end} was read and not stored");
        }
    }
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["account", "posts"]);
    assert!(posts_count > 0, "{lines:?}");
}

#[test]
fn every_format_has_every_record() {
    let (_world, freshet, _) = crawled();
    let posts = freshet.posts();
    let folder = freshet.folder().join("out");
    let out = folder.to_string_lossy().into_owned();
    for format in ["jsonl", "csv", "parquet"] {
        freshet.ok(&["export", "--format", format, "--kind", "posts,accounts,changes", "-o", &out]);
    }
    for (kind, count) in [
        ("posts", posts.len()),
        ("accounts", freshet.export("accounts").len()),
        ("changes", freshet.export("changes").len()),
    ] {
        assert!(count > 0, "{kind}");
        let jsonl = std::fs::read_to_string(folder.join(format!("{kind}.jsonl"))).unwrap();
        assert_eq!(jsonl.lines().count(), count, "{kind}.jsonl");
        let rows = SerializedFileReader::new(File::open(folder.join(format!("{kind}.parquet"))).unwrap());
        assert_eq!(rows.unwrap().metadata().file_metadata().num_rows(), count as i64, "{kind}.parquet");
        // Texts hold line breaks, so records are not counted by lines: no line lacks, at least.
        let csv = std::fs::read_to_string(folder.join(format!("{kind}.csv"))).unwrap();
        assert!(csv.lines().count() > count, "{kind}.csv");
    }
    let bytes = std::fs::read(folder.join("posts.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "it is a Parquet file");
    let csv = std::fs::read_to_string(folder.join("posts.csv")).unwrap();
    for post in &posts {
        assert!(csv.contains(post["id"].as_str().unwrap()), "{post} is not in the CSV");
    }
}

#[test]
fn what_is_stored_is_found_until_it_is_forgotten() {
    let (_world, freshet, reference) = crawled();
    let author = reference.rsplit('@').next().unwrap();
    let posts = freshet.posts();
    let own = posts.iter().find(|post| post["author"] == author && word_of(post).is_some());
    let own = own.expect("somebody wrote a word");
    let word = word_of(own).unwrap();
    let hits = |word: &str| {
        let found = freshet.json(&["search", word, "--limit", "1000"]);
        found["hits"].as_array().expect("hits are listed").clone()
    };
    let found = hits(&word);
    assert!(found.iter().any(|hit| hit["id"] == own["id"]), "`{word}` of {own} is not found in {found:?}");
    for hit in &found {
        let text = hit["text"].as_str().unwrap().to_lowercase();
        assert!(text.contains(&word.to_lowercase()), "`{word}` is not in {hit}");
    }
    assert!(hits("zyxwvutsrq").is_empty());
    freshet.ok(&["forget", &reference, "--yes"]);
    assert!(hits(&word).iter().all(|hit| hit["author"] != author), "it is forgotten");
    assert!(freshet.say(&["forget", &reference, "--yes"]).code != 0, "there is nothing left to forget");
}

/// A long Latin word of a post's text, outside its markup.
fn word_of(post: &Value) -> Option<String> {
    let text = post["text"].as_str()?.split('<').nth(1)?.split('>').nth(1)?;
    let mut words =
        text.split(' ').filter(|word| word.len() > 4 && word.bytes().all(|it| it.is_ascii_alphabetic()));
    words.next().map(str::to_owned)
}
