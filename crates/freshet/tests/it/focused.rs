//! A focus that is all that is collected, through the program: what does not fit reaches no file and no subscriber, edits and deletions are
//! known, and every report says so.
//!
//! The server is that of [`super::unkept`], whose search looks through all files of the data folder.

use std::collections::BTreeMap;
use std::time::Duration;

use freshet_fetch::hostile::{Behaviour, Hostile};
use serde_json::{Value, json};

use super::unkept::{FIRST, entry, found, serve, told};
use crate::support::freshet::Freshet;
use crate::support::until;

const LIMIT: Duration = Duration::from_secs(90);
/// How reports name it.
const NOTHING_ELSE: &str = "words two; 10% explore; nothing else is collected";
/// What the first post says after an edit: now it fits.
const LATER: &str = "quillwort two";

#[test]
fn what_does_not_fit_reaches_no_file_and_nobody() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime can be made");
    let server = runtime.block_on(Hostile::start());
    serve(&server, &[("3", FIRST[2]), ("2", FIRST[1]), ("1", FIRST[0])], "Ada");
    let freshet = Freshet::new();
    let path = freshet.folder().join("told.jsonl");
    freshet.ok(&["init"]);
    freshet.ok(&["add", "--allow-private", &server.url("/@ada")]);
    assert!(!freshet.ok(&["status"]).contains("focus"));
    for said in [freshet.ok(&["focus", "set", "--words", "two", "--only"]), freshet.ok(&["status"])] {
        assert!(said.contains(NOTHING_ELSE), "{said}");
    }
    assert!(freshet.ok(&["robots", "list"]).contains(NOTHING_ELSE));
    assert_eq!(freshet.json(&["focus", "show"])["is_only"], true);
    let file = path.to_string_lossy().into_owned();
    freshet.ok(&[
        "subscriptions",
        "add",
        "taker",
        "--file",
        &file,
        "--from",
        "beginning",
        "--kinds",
        "posts",
    ]);
    let mut run =
        freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "1s", "--keep-raw"], "run.log");
    let whole = BTreeMap::from([entry("2", &[FIRST[1]], false)]);
    until("the subscriber has the post that fits", LIMIT, || (told(&path) == whole).then_some(()));
    assert_eq!(found(&freshet, [FIRST[0], FIRST[2]]), BTreeMap::new(), "what does not fit stands in a file");

    serve(&server, &[("3", FIRST[2]), ("1", LATER)], "Ada");
    server.route("/api/v1/statuses/2", vec![Behaviour::json(404, r#"{"error": "Record not found"}"#)]);
    let changed = BTreeMap::from([entry("1", &[LATER], false), entry("2", &[FIRST[1]], true)]);
    until("the subscriber knows the edit and the deletion", LIMIT, || (told(&path) == changed).then_some(()));
    run.send("TERM");
    assert!(run.finish_within(LIMIT).is_some_and(|status| status.success()), "the run stops well");
    assert_eq!(found(&freshet, [FIRST[0], FIRST[2]]), BTreeMap::new(), "what does not fit stands in a file");
    assert_eq!(freshet.json(&["status"])["posts_count"], 3, "its id does");
    assert_eq!(freshet.json(&["subscriptions", "list"])["subscriptions"][0]["lost_count"], 0);

    let mut posts = freshet.posts();
    posts.sort_by_key(|post| post["native_id"].to_string());
    let ids: Vec<&Value> = posts.iter().map(|post| &post["native_id"]).collect();
    assert_eq!(ids, [&json!("1"), &json!("2")], "an export has what fits");
    let folder = freshet.folder().join("snapshot");
    freshet.ok(&["snapshot", &folder.to_string_lossy()]);
    let text = |name: &str| std::fs::read_to_string(folder.join(name)).expect("a snapshot has it");
    assert!(
        text("README.md").contains(&format!("Only posts inside this focus were stored: `{NOTHING_ELSE}`"))
    );
    assert_eq!(text("ids.txt").lines().count(), 2);
    let said = freshet.ok(&["focus", "set", "--words", "two"]);
    assert!(!said.contains("nothing else"), "set without it takes it off: {said}");
}
