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
