//! Constraints and delivery of a finished crawl: a rule changes while it runs, a file is resumed.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::Value;

use crate::support::freshet::Freshet;
use crate::support::until;
use crate::support::world::World;

fn ids(posts: &[Value]) -> BTreeSet<String> {
    posts.iter().filter_map(|post| post["id"].as_str().map(str::to_owned)).collect()
}

#[test]
fn a_constraint_works_at_once_and_delivery_is_resumed() {
    let world = World::start(6);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let authors: BTreeSet<String> =
        world.truth().iter().filter_map(|post| post["author"].as_str().map(str::to_owned)).collect();
    let references: Vec<String> = authors.iter().map(|author| format!("{}/@{author}", world.base)).collect();
    let (last, first) = references.split_last().expect("the world has accounts");
    let mut add = vec!["add", "--allow-private"];
    add.extend(first.iter().map(String::as_str));
    freshet.ok(&add);
    freshet.ok(&["constraints", "add", "post", "post.text.contains('e')"]);
    let file = freshet.folder().join("new.jsonl");
    let name = file.to_string_lossy().into_owned();
    let run = freshet
        .start(&["run", "--headless", "--no-dashboard", "--ceiling", "10m", "--deliver", &name], "run.log");
    let stored = || (!freshet.posts().is_empty()).then_some(());
    until("wanted posts are stored", Duration::from_secs(20), stored);
    for post in freshet.posts() {
        assert!(post["text"].as_str().is_some_and(|text| text.contains('e')), "{post}");
    }
    // From now on nothing is wanted: an account that is added brings no post.
    freshet.ok(&["constraints", "add", "post", "false"]);
    crate::support::wait_ms(1000);
    let before = ids(&freshet.posts());
    freshet.ok(&["add", "--allow-private", last]);
    let visited = || freshet.json(&["explain", last])["sources"][0]["visited_at"].is_number().then_some(());
    until("the last account is visited", Duration::from_secs(20), visited);
    assert_eq!(ids(&freshet.posts()), before);
    drop(run);
    // Killed; the next run cuts a torn line, delivers the rest, and a third one nothing again.
    let torn = std::fs::read_to_string(&file).expect("the file is there") + "{\"id\":\"torn";
    std::fs::write(&file, torn).expect("the file can be written");
    let deliver = ["run", "--headless", "--no-dashboard", "--for", "2s", "--deliver", &name];
    freshet.ok(&deliver);
    let lines = || -> Vec<Value> {
        let text = std::fs::read_to_string(&file).expect("the file is there");
        text.lines().map(|line| serde_json::from_str(line).expect("every line is whole")).collect()
    };
    assert_eq!(ids(&lines()), ids(&freshet.posts()));
    freshet.ok(&["constraints", "list"]);
}

#[test]
fn each_constraint_has_a_purpose_and_can_be_tried() {
    let world = World::start(6);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let author = world.truth()[0]["author"].as_str().expect("a post has an author").to_owned();
    let reference = format!("{}/@{author}", world.base);
    freshet.ok(&["add", "--allow-private", &reference]);
    freshet.ok(&["constraints", "add", "account", "account.posts.exists(p, p.text != '')"]);
    freshet.ok(&["constraints", "add", "account", "size(account.posts) < 0", "--for", "revisit"]);
    let rules = freshet.json(&["constraints", "list"]);
    let purposes: Vec<_> =
        rules["constraints"].as_array().into_iter().flatten().map(|it| &it["for"]).collect();
    assert_eq!(purposes, ["store", "revisit"]);
    let run = freshet.start(&["run", "--headless", "--no-dashboard", "--ceiling", "10m"], "run.log");
    let answer = |expression: &str| -> Value {
        let told = freshet.json(&["constraints", "test", "account", expression, &reference]);
        told["answers"][0]["answer"].clone()
    };
    // Before its first visit nobody knows the id of the account.
    until("the account is known", Duration::from_secs(20), || {
        let told = freshet.say(&["constraints", "test", "account", "true", &reference]);
        (told.code == 0).then_some(())
    });
    let is_posting = || (answer("account.posts.exists(p, p.text != '')") == "yes").then_some(());
    until("a post is stored, and its author with it", Duration::from_secs(20), is_posting);
    assert_eq!(answer("size(account.posts) > 100000"), "no");
    assert_eq!(answer("account.posts.within('366d').size() > 0"), "yes");
    let held = || {
        let told = freshet.json(&["explain", &reference]);
        let facts = told["sources"][0]["facts"].as_array().cloned().unwrap_or_default();
        facts.iter().any(|fact| fact.to_string().contains("size(account.posts) < 0")).then_some(())
    };
    until("what is not visited again says why", Duration::from_secs(20), held);
    drop(run);
}
