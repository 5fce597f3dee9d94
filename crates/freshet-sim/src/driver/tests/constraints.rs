//! What constraints decide in a run: what robots follow, what is visited again, and when owners of collections are judged.

use freshet_engine::constrain::setting::{Rule, set_rules};
use freshet_network::constraint::Purpose;
use freshet_types::RobotState::Running;

use super::*;
use crate::Chances;

/// Nobody vanishes, so that a crawl can be exact.
const STILL: Chances = Chances { reply_share: 0.3, repost_share: 0.2, ..Chances::NONE };

fn scene(ceiling: Span) -> Scene {
    let history = Span::DAY * 10.0;
    let options = WorldOptions {
        seed: 41,
        accounts: 40,
        posts_per_day: 0.5,
        history,
        chances: STILL,
        ..WorldOptions::default()
    };
    Scene::new(options, ceiling)
}

fn rule(purpose: Purpose, type_name: &str, text: &str) -> Rule {
    Rule { purpose, ..Rule::new(type_name, text) }
}

fn constrained(scene: &Scene, count: usize, rules: &[Rule]) -> Box<dyn Store> {
    let mut store = scene.store(count);
    set_rules(&mut store, rules).unwrap();
    store
}

fn followers<S: Store>(store: &S) -> BTreeMap<String, Option<i64>> {
    stored_accounts(store).into_iter().map(|row| (row.account.id, row.account.followers_count)).collect()
}

#[test]
fn robots_follow_only_whom_a_constraint_lets_them() {
    let mut scene = scene(Span::DAY);
    scene.depth_max = 1;
    let crawl = |rules: &[Rule]| {
        let mut driver = scene.start(constrained(&scene, 2, rules));
        driver.set_robot(RobotKind::Relation, Running).unwrap();
        driver.run_for(Span::DAY).unwrap();
        driver
    };
    let free = crawl(&[]);
    let mut counts: Vec<i64> = followers(&free.store).into_values().flatten().collect();
    counts.sort_unstable();
    let many = counts[counts.len() / 2];
    let expanded = |driver: &Driver<Box<dyn Store>>| -> Set<String> {
        let sources = all_sources(&driver.store).into_iter();
        let found = sources.filter(|source| source.depth == 1 && source.robot == RobotKind::Status);
        found.map(|source| source.root_id).collect()
    };
    let all = expanded(&free);
    drop(free);
    std::fs::remove_dir_all(scene.rings.path()).unwrap();
    let text = format!("depth == 0 || account.followers_count > {many}");
    let some = crawl(&[rule(Purpose::Follow, "account", &text)]);
    let known = followers(&some.store);
    let expected: Set<String> = all
        .iter()
        .filter(|id| known.get(*id).copied().flatten().is_some_and(|count| count > many))
        .cloned()
        .collect();
    assert_eq!(expanded(&some), expected);
    assert!(expected.len() > 2 && expected.len() + 2 < all.len(), "{} of {}", expected.len(), all.len());
    assert!(all.iter().all(|id| known.contains_key(id)), "who is not followed is stored all the same");
    assert!(some.store.held_count().unwrap() > 0);
}

#[test]
fn owners_are_stored_as_soon_as_their_collections_suffice() {
    let scene = scene(Span::HOUR * 6.0);
    let few = 5;
    let text = format!("size(account.posts) > {few}");
    let mut driver = scene.start(constrained(&scene, 12, &[rule(Purpose::Store, "account", &text)]));
    driver.run_for(Span::DAY * 2.0).unwrap();
    let mut posted: BTreeMap<String, usize> = BTreeMap::new();
    for row in posts(&driver.store) {
        *posted.entry(row.post.author.unwrap_or_default()).or_default() += 1;
    }
    let has_profile = |row: &&AccountRow| row.account.handle.is_some();
    let stored: Set<String> =
        stored_accounts(&driver.store).iter().filter(has_profile).map(|row| row.account.id.clone()).collect();
    let expected: Set<String> =
        posted.iter().filter(|(_, count)| **count > few).map(|(id, _)| id.clone()).collect();
    assert_eq!(stored, expected);
    assert!(!stored.is_empty() && stored.len() < posted.len(), "{} of {}", stored.len(), posted.len());
}

/// When each list of posts was asked for.
fn asked<S>(driver: &Driver<S>) -> Vec<(String, Timestamp)> {
    let posts = driver.journal.iter().filter(|exchange| &*exchange.endpoint == "posts");
    posts.map(|exchange| (exchange.root.clone(), exchange.sent_at)).collect()
}

#[test]
fn what_a_constraint_refuses_is_not_visited_again_until_it_changes() {
    let scene = scene(Span::HOUR * 6.0);
    let lively = "account.posts.within('3d').size() > 0";
    let mut driver = scene.start(constrained(&scene, 12, &[rule(Purpose::Revisit, "account", lively)]));
    let began = scene.now();
    driver.run_for(Span::DAY).unwrap();
    let newest = |driver: &Driver<Box<dyn Store>>, id: &str| {
        let own = posts(&driver.store).into_iter().filter(|row| row.post.author.as_deref() == Some(id));
        own.filter_map(|row| row.post.created_at).max()
    };
    // Whoever posted nothing for four days before the crawl, and nothing since, was visited once.
    let later: Set<String> = asked(&driver)
        .into_iter()
        .filter(|(_, at)| *at > began + Span::HOUR * 3.0)
        .map(|(id, _)| id)
        .collect();
    let (mut silent_count, mut lively_count) = (0, 0);
    for id in scene.accounts(12) {
        match newest(&driver, &id) {
            Some(at) if at > began - Span::DAY * 1.5 => {
                lively_count += 1;
                assert!(later.contains(&id), "{id} is lively, and visited again");
            }
            None => {}
            Some(at) if at < began - Span::DAY * 4.0 => {
                silent_count += 1;
                assert!(!later.contains(&id), "{id} is silent, and was visited again");
            }
            Some(_) => {}
        }
    }
    assert!(silent_count > 0 && lively_count > 0, "{silent_count} and {lively_count}: choose another seed");
    // Without the constraint everybody is visited again at once.
    set_rules(&mut driver.store, &[]).unwrap();
    let removed_at = scene.now();
    driver.run_for(Span::HOUR * 7.0).unwrap();
    let again: Set<String> =
        asked(&driver).into_iter().filter(|(_, at)| *at >= removed_at).map(|(id, _)| id).collect();
    assert_eq!(again, scene.accounts(12));
}
