//! A search seeds a crawl: words become accounts, and accounts are watched; robots tell what they collected.

use serde_json::Value;

use crate::support::freshet::Freshet;
use crate::support::world::World;

fn handles(found: &Value) -> Vec<String> {
    let accounts = found["accounts"].as_array().expect("accounts");
    accounts.iter().map(|account| account["handle"].as_str().expect("a handle").to_owned()).collect()
}

#[test]
fn accounts_are_found_by_a_word_and_watched() {
    let world = World::start(40);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    let author = world.truth()[0]["author"].as_str().expect("an author").to_owned();
    // Handles are two words and a number; the second is a noun that several share.
    let word = author.split('_').nth(1).expect("a second word").to_owned();
    let network = format!("mastodon:{}", world.base);
    let find = ["find", &network, &word, "--allow-private"];
    let found = freshet.json(&find);
    let names = handles(&found);
    assert!(names.contains(&author) && names.iter().all(|name| name.contains(&word)), "{names:?}");
    assert!(found["added"].is_null());
    assert_eq!(freshet.json(&["status"])["sources_count"], 0, "who only looks changes nothing");

    let added = &freshet.json(&[&find[..], &["--add"]].concat())["added"];
    assert_eq!(added["added_count"], names.len());
    let again = &freshet.json(&[&find[..], &["--add"]].concat())["added"];
    assert_eq!((&again["added_count"], &again["known_count"]), (&0.into(), &names.len().into()));
    freshet.ok(&["robots", "start", "tag"]);
    freshet.run_for(8, "1h");
    let authors: Vec<Value> = freshet.posts().into_iter().map(|post| post["author"].clone()).collect();
    assert!(authors.iter().any(|it| it.as_str() == Some(&author)), "{author} is read");

    let robots = freshet.json(&["robots", "list"])["robots"].clone();
    for (robot, collects) in [("status", "posts"), ("user", "profiles"), ("tag", "tags")] {
        let line = robots.as_array().unwrap().iter().find(|line| line["name"] == robot).unwrap();
        assert_eq!(line["collects"], collects);
        assert!(line["collected_count"].as_u64() > Some(0), "{line}");
        assert!(line["collected_per_hour"].as_f64() > Some(0.0), "{line}");
    }
}

#[test]
fn a_search_asks_for_room_in_the_budgets() {
    let world = World::start(10);
    let freshet = Freshet::new().with_clock(format!("{}/clock", world.base));
    freshet.ok(&["init"]);
    let network = format!("mastodon:{}", world.base);
    let find = ["find", &network, "a", "--allow-private"];
    freshet.ok(&["budget", "set", "all", "1/d"]);
    freshet.ok(&find);
    let said = freshet.say(&find);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("has no room for") && said.err.contains("freshet budget list"), "{said:?}");
    freshet.ok(&["budget", "clear"]);
    freshet.ok(&find);
}
