//! Nothing is kept: planted texts reach the subscriber, and no file of the data folder ever holds one of them.
//!
//! The same play with everything kept is the control: there the same search finds every text.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use freshet_fetch::hostile::{Behaviour, Hostile};
use serde_json::{Value, json};

use crate::support::freshet::Freshet;
use crate::support::until;

const LIMIT: Duration = Duration::from_secs(90);

/// Texts that a server shows from the beginning, one for each place where content stands.
pub(crate) const FIRST: [&str; 11] = [
    "zanzibarine one",
    "zanzibarine two",
    "zanzibarine three",
    "zanziwarning",
    "zanzitag",
    "zanzicard",
    "zanziurl",
    "Zanzi Name",
    "zanzi self-description",
    "zanziavatar",
    "zanzi without an id",
];
/// Those that come later: an edit and a new name.
const LATER: [&str; 2] = ["quillwort instead", "Quillwort Name"];

fn account(base: &str, name: &str) -> Value {
    json!({
        "id": "1", "username": "ada", "acct": "ada", "display_name": name, "note": "<p>zanzi self-description</p>",
        "url": format!("{base}/@ada"), "uri": format!("{base}/users/ada"), "locked": false, "bot": false,
        "created_at": "2026-01-01T00:00:00.000Z", "followers_count": 2, "following_count": 3, "statuses_count": 3,
        "fields": [], "emojis": [], "avatar": format!("{base}/zanziavatar.png"),
    })
}

fn status(base: &str, id: &str, text: &str, author: &Value) -> Value {
    json!({
        "id": id, "created_at": format!("2026-11-0{id}T10:00:00.000Z"), "edited_at": null, "language": "en",
        "content": format!("<p>{text}</p>"), "spoiler_text": "zanziwarning", "visibility": "public", "sensitive": false,
        "url": format!("{base}/@ada/{id}-zanziurl"), "uri": format!("{base}/users/ada/statuses/{id}"),
        "account": author, "reblog": null, "in_reply_to_id": null, "in_reply_to_account_id": null,
        "replies_count": 0, "reblogs_count": 0, "favourites_count": 0, "mentions": [], "emojis": [],
        "tags": [{ "name": "zanzitag", "url": format!("{base}/tags/zanzitag") }],
        "media_attachments": [], "card": { "url": format!("{base}/zanzicard") },
    })
}

/// What the server shows: posts by id, and the author's name.
pub(crate) fn serve(server: &Hostile, posts: &[(&str, &str)], name: &str) {
    serve_to(server, None, posts, name);
}

/// The same for whoever shows this token.
pub(crate) fn serve_to(server: &Hostile, token: Option<&str>, posts: &[(&str, &str)], name: &str) {
    let route = |path: &str, behaviours| match token {
        Some(token) => server.route_for(token, path, behaviours),
        None => server.route(path, behaviours),
    };
    let base = server.url("").trim_end_matches('/').to_owned();
    let author = account(&base, name);
    let one = |it: &Value| vec![Behaviour::json(200, &it.to_string())];
    for path in ["/api/v1/accounts/lookup", "/api/v1/accounts/1"] {
        route(path, one(&author));
    }
    let mut list: Vec<Value> = Vec::new();
    for (id, text) in posts {
        let mut post = status(&base, id, text, &author);
        if text.contains("quillwort") {
            post["edited_at"] = "2026-11-09T10:00:00.000Z".into();
        }
        route(&format!("/api/v1/statuses/{id}"), one(&post));
        list.push(post);
    }
    list.push(json!({ "content": "zanzi without an id" }));
    route("/api/v1/accounts/1/statuses", one(&Value::Array(list)));
    // Before the first there is nothing.
    route("/api/v1/accounts/1/statuses?limit=40&max_id=1", one(&json!([])));
}

/// Every file below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.flat_map(|entry| below(entry.path())).collect()
}

/// Which of these texts stand in which file of the data folder. A file that is gone by the time it is read holds none.
pub(crate) fn found<'a>(
    freshet: &Freshet,
    texts: impl IntoIterator<Item = &'a str>,
) -> BTreeMap<&'a str, PathBuf> {
    let contents: Vec<(PathBuf, Vec<u8>)> = files(&freshet.data())
        .into_iter()
        .filter_map(|path| Some((path.clone(), std::fs::read(&path).ok()?)))
        .collect();
    let has_store = contents.iter().any(|(path, bytes)| path.ends_with("store.sqlite") && bytes.len() > 1000);
    assert!(has_store, "there is nothing to search");
    let holds = |bytes: &[u8], text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    let place = |text: &'a str| {
        let (path, _) = contents.iter().find(|(_, bytes)| holds(bytes, text))?;
        Some((text, path.clone()))
    };
    texts.into_iter().filter_map(place).collect()
}

/// What a subscriber has got of posts: their texts in order, and whether each was deleted in the end.
pub(crate) fn told(path: &Path) -> BTreeMap<String, (Vec<String>, bool)> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut all: BTreeMap<String, (Vec<String>, bool)> = BTreeMap::new();
    for line in text.lines().take(text.matches('\n').count()) {
        let line: Value = serde_json::from_str(line).expect("every line is whole");
        if line["kind"] == "posts" {
            let record = &line["record"];
            let entry =
                all.entry(record["native_id"].as_str().expect("a post has an id").to_owned()).or_default();
            entry.1 = !record["deleted_at"].is_null();
            let said = record["text"].as_str().unwrap_or_default();
            let said = said.trim_start_matches("<p>").trim_end_matches("</p>");
            if !entry.1 && entry.0.last().is_none_or(|last| last != said) {
                entry.0.push(said.to_owned());
            }
        }
    }
    all
}

pub(crate) fn entry(id: &str, texts: &[&str], is_deleted: bool) -> (String, (Vec<String>, bool)) {
    (id.to_owned(), (texts.iter().map(|text| (*text).to_owned()).collect(), is_deleted))
}

/// Crawls the server, with what it keeps; `look` is handed the texts that were shown so far, during the run and after it.
fn play(keeping: &str, look: &dyn Fn(&Freshet, &[&'static str])) -> Freshet {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime can be made");
    let server = runtime.block_on(Hostile::start());
    let first = [("3", FIRST[2]), ("2", FIRST[1]), ("1", FIRST[0])];
    serve(&server, &first, "Zanzi Name");
    let freshet = Freshet::new();
    let path = freshet.folder().join("told.jsonl");
    freshet.ok(&["init"]);
    freshet.ok(&["add", "--allow-private", &server.url("/@ada")]);
    let said = freshet.ok(&["networks", "set", "mastodon", "store", keeping]);
    assert_eq!(said.contains("nobody takes it yet"), keeping == "never", "{said}");
    let status = freshet.ok(&["status"]);
    assert_eq!(status.contains("nobody takes it"), keeping == "never", "{status}");
    let file = path.to_string_lossy().into_owned();
    let kinds = "posts,accounts,deletions";
    freshet.ok(&["subscriptions", "add", "taker", "--file", &file, "--from", "beginning", "--kinds", kinds]);
    let mut run =
        freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1s", "--keep-raw"], "run.log");
    let whole: BTreeMap<_, _> = first.iter().map(|(id, text)| entry(id, &[text], false)).collect();
    until("the subscriber has every post", LIMIT, || (told(&path) == whole).then_some(()));
    look(&freshet, &FIRST);

    serve(&server, &[("3", FIRST[2]), ("1", LATER[0])], LATER[1]);
    server.route("/api/v1/statuses/2", vec![Behaviour::json(404, r#"{"error": "Record not found"}"#)]);
    let changed = BTreeMap::from([
        entry("1", &[FIRST[0], LATER[0]], false),
        entry("2", &[FIRST[1]], true),
        entry("3", &[FIRST[2]], false),
    ]);
    until("the subscriber knows the edit and the deletion", LIMIT, || (told(&path) == changed).then_some(()));
    let renamed = || std::fs::read_to_string(&path).unwrap_or_default().contains(LATER[1]);
    until("the subscriber knows the new name", LIMIT, || renamed().then_some(()));
    let all = [&FIRST[..], &LATER[..]].concat();
    look(&freshet, &all);
    run.send("TERM");
    assert!(run.finish_within(LIMIT).is_some_and(|status| status.success()), "the run stops well");
    look(&freshet, &all);
    assert_eq!(told(&path), changed, "nothing comes twice otherwise");
    freshet
}

#[test]
fn planted_texts_reach_the_subscriber_and_no_file() {
    let freshet = play("never", &|freshet, shown| {
        assert_eq!(
            found(freshet, shown.iter().copied()),
            BTreeMap::new(),
            "what is not kept stands in a file"
        );
    });
    for word in ["zanzibarine", "quillwort", "zanzi*"] {
        assert!(freshet.ok(&["search", word]).contains("no post matches"), "{word}");
    }
    let gaps = freshet.json(&["gaps"]);
    assert_eq!(gaps["holes_count"], 0, "it is complete all the same: {gaps}");
    let posts = freshet.posts();
    let ids: Vec<&str> = posts.iter().filter_map(|post| post["native_id"].as_str()).collect();
    assert_eq!(ids.len(), 3, "{posts:?}");
    assert!(
        posts.iter().all(|post| post["text"] == "" && post["properties"]["content"] == "not kept"),
        "{posts:?}"
    );
    assert!(posts.iter().any(|post| !post["deleted_at"].is_null()), "{posts:?}");
    assert!(!freshet.ok(&["complaints"]).contains("zanzi"));
    let explained = freshet.ok(&["explain", "ada"]);
    assert!(
        explained.contains("content: not kept") && explained.contains("goes to subscribers"),
        "{explained}"
    );
    let status = freshet.ok(&["status"]);
    assert!(
        status.contains("goes to subscribers and is not kept") && !status.contains("without their content"),
        "{status}"
    );
}

#[test]
fn the_same_search_finds_what_is_kept_until_it_is_erased() {
    let freshet = play("keep", &|freshet, shown| {
        // Of other texts a run may have the newest alone; posts that are shown are all there.
        let texts = shown.iter().copied().filter(|text| *text != "Zanzi Name");
        let lacking: Vec<&str> = {
            let found = found(freshet, texts.clone());
            texts.filter(|text| !found.contains_key(text)).collect()
        };
        assert_eq!(lacking, [""; 0], "a text that is kept is not found");
    });
    let said = freshet.ok(&["networks", "set", "mastodon", "store", "never", "--erase"]);
    assert!(said.contains("was erased"), "{said}");
    let all = [&FIRST[..], &LATER[..]].concat();
    assert_eq!(found(&freshet, all.iter().copied()), BTreeMap::new(), "what was erased stands in a file");
    for (args, part) in [
        (["set", "mastodon", "store", "redact"].as_slice(), "`store` is `keep` or `never`"),
        (&["set", "mastodon", "on_delete", "never"], "`on_delete` is `keep` or `redact`"),
        (&["set", "mastodon", "store", "keep", "--erase"], "nothing is erased"),
        (&["set", "nowhere", "store", "never"], "nothing is watched on `nowhere`"),
    ] {
        let said = freshet.say(&[&["networks"], args].concat());
        assert!(said.code == 2 && said.err.contains(part), "{args:?}: {said:?}");
    }
}

#[test]
fn a_source_that_keeps_nothing_says_so() {
    let freshet = Freshet::new();
    freshet.ok(&["init"]);
    freshet.ok(&["add", "--store", "never", "@ada@a.example"]);
    freshet.ok(&["add", "@bob@a.example"]);
    assert!(freshet.ok(&["explain", "ada"]).contains("content: not kept (it was added so)"));
    assert!(!freshet.ok(&["explain", "bob"]).contains("not kept"));
    let not_kept = &freshet.json(&["status"])["not_kept"];
    assert_eq!((&not_kept["sources_count"], &not_kept["is_taken"]), (&json!(2), &json!(false)), "{not_kept}");
    freshet.ok(&["add", "--store", "keep", "@ada@a.example"]);
    assert_eq!(freshet.json(&["status"])["not_kept"], Value::Null);
}
