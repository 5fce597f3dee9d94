//! The purse and what guests store: nothing is granted twice, and nothing is stored that a visit would not store.

use freshet_store::testing;
use freshet_types::{Account, Post, Rate};

use super::*;
use crate::constrain::setting::{Rule, set_rules};

const NETWORK: &str = "mastodon:a.example";

fn at(secs: i64) -> Timestamp {
    Timestamp::from_secs(secs)
}

#[test]
fn what_a_purse_grants_the_next_process_knows() {
    let mut store = testing::memory();
    let network = NetworkName::from(NETWORK);
    let request = Request::get(&network, "https://a.example/".to_owned());
    Budgets([(network, Rate::per_hour(3))].into_iter().collect()).put(&mut store).unwrap();
    let mut granted = Vec::new();
    // Each question is a process of its own, and one was killed before it could part.
    for (secs, is_killed) in [(1000, false), (1000, true), (1000, false), (1000, false), (5000, false)] {
        let mut purse = Purse::open(&store, at(secs)).unwrap();
        granted.push(purse.grant(&mut store, &request, at(secs)).unwrap() == Granted::Now);
        if !is_killed {
            purse.close(&mut store, at(secs)).unwrap();
        }
    }
    assert!(granted.iter().filter(|granted| **granted).count() <= 4, "{granted:?}");
    assert_eq!((granted[0], granted[3], granted[4]), (true, false, true), "{granted:?}");
}

#[test]
fn whoever_was_refused_waits() {
    let mut store = testing::memory();
    let request = Request::get(&NETWORK.into(), "https://a.example/".to_owned());
    let mut purse = Purse::open(&store, at(0)).unwrap();
    assert_eq!(purse.grant(&mut store, &request, at(0)).unwrap(), Granted::Now);
    let refused = Spent { is_refused: true, refused_until: Some(at(60)), ..Spent::default() };
    purse.charge(&mut store, (&request, refused), at(1)).unwrap();
    purse.close(&mut store, at(1)).unwrap();
    let mut next = Purse::open(&store, at(2)).unwrap();
    assert!(
        matches!(next.grant(&mut store, &request, at(2)).unwrap(), Granted::NotBefore(until) if until >= at(60))
    );
}

#[test]
fn what_was_seen_is_stored_as_a_visit_would() {
    let mut store = testing::memory();
    let networks = Arc::new(Networks::shipped());
    let rule = Rule::new("post", "post.text.contains(\"yes\")");
    set_rules(&mut store, &[rule]).unwrap();
    let post = |id: &str, author: &str, text: &str| Post {
        id: id.to_owned(),
        author: Some(author.to_owned()),
        text: text.to_owned(),
        kind: "post".into(),
        ..Post::default()
    };
    let shy = Account { id: "2".to_owned(), opts_out: true, ..Account::default() };
    let observation = Observation {
        posts: vec![post("10", "1", "yes"), post("11", "1", "no"), post("12", "2", "yes, but")],
        accounts: vec![shy],
        ..Observation::default()
    };
    let sight = Sight { network: NETWORK.into(), observation, seen_at: at(5), depth: LOOKED_UP };
    super::store(&mut store, &networks, vec![sight]).unwrap();
    let posts = store.posts_of(&NETWORK.into(), &[("post", "10"), ("post", "11"), ("post", "12")]).unwrap();
    let stored: Vec<bool> = posts.iter().map(Option::is_some).collect();
    assert_eq!(stored, [true, false, false], "the constraint and the opt-out are kept to");
}
