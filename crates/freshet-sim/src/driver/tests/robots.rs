//! The five robots: breadth-first growth, and being switched at any moment.

use freshet_types::RobotState::{Paused, Running, Stopped};

use super::*;
use crate::Chances;

fn options(chances: Chances) -> WorldOptions {
    let history = Span::DAY * 10.0;
    WorldOptions { seed: 41, accounts: 40, posts_per_day: 0.5, history, chances, ..WorldOptions::default() }
}

/// Nobody vanishes and nobody changes whom they follow, so that a crawl can be exact.
const STILL: Chances = Chances { reply_share: 0.3, repost_share: 0.2, ..Chances::NONE };

/// Who follows whom.
fn follows(world: &World) -> Set<(String, String)> {
    let of_one = |account: &crate::world::Account| {
        let id = account.id.to_string();
        let others = account.following.iter().map(|edge| world.accounts[edge.other as usize].id.to_string());
        others.map(|other| (id.clone(), other)).collect::<Vec<_>>()
    };
    world.accounts.iter().flat_map(of_one).collect()
}

fn requests_of<S>(driver: &Driver<S>, endpoints: &[&str]) -> usize {
    driver.journal.iter().filter(|exchange| endpoints.contains(&&*exchange.endpoint)).count()
}

fn roots(sources: &[Source], robot: RobotKind) -> Set<String> {
    sources.iter().filter(|source| source.robot == robot).map(|source| source.root_id.clone()).collect()
}

/// What must hold of a crawl to `depth_max` from `seeds` in a still world.
fn check_growth<S: Store>(scene: &Scene, driver: &Driver<S>, seeds: &Set<String>) {
    let (depth_max, sources) = (scene.depth_max, all_sources(&driver.store));
    assert!(sources.iter().all(|source| source.depth <= depth_max), "no source beyond {depth_max}");
    let truth = scene.with_world(follows);
    // Breadth first: who is met at one step from whoever is visited becomes a source of every robot.
    let mut near = seeds.clone();
    for _ in 0..depth_max {
        let met = truth.iter().filter(|(one, other)| near.contains(one) || near.contains(other));
        near = met.flat_map(|(one, other)| [one.clone(), other.clone()]).chain(near.clone()).collect();
    }
    for robot in [RobotKind::Relation, RobotKind::User, RobotKind::Status, RobotKind::Tag] {
        let visited = roots(&sources, robot);
        let left_out = near.iter().filter(|one| !visited.contains(*one)).count();
        assert_eq!(left_out, 0, "{robot} at depth {depth_max} leaves out {left_out} of {}", near.len());
    }
    let visited = roots(&sources, RobotKind::Relation);
    let stored: Set<(String, String)> =
        relations(&driver.store).into_iter().map(|row| (row.source, row.target)).collect();
    let expected: Set<(String, String)> =
        truth.into_iter().filter(|(one, other)| visited.contains(one) || visited.contains(other)).collect();
    assert_eq!(stored, expected, "the relations of those visited, and no others");

    let known: Set<String> = stored_accounts(&driver.store).into_iter().map(|row| row.account.id).collect();
    let comments = roots(&sources, RobotKind::Comment);
    for row in posts(&driver.store) {
        let author = row.post.author.unwrap_or_default();
        assert!(author.is_empty() || known.contains(&author), "the author {author} is not known");
        let is_near = !row.post.is_embedded && near.contains(&author) && row.seen_at < scene.now() - SLACK;
        assert!(!is_near || comments.contains(&row.post.id), "post {} is not asked for replies", row.post.id);
    }
    assert!(requests_of(driver, &["tags"]) > 0 && requests_of(driver, &["replies"]) > 0);
    assert_eq!(scene.refused_count(), 0);
    eprintln!(
        "depth {depth_max}: {} sources, {} follows, {} accounts",
        sources.len(),
        stored.len(),
        near.len()
    );
}

fn start_all<S: Store>(driver: &mut Driver<S>) {
    for robot in RobotKind::ALL {
        driver.set_robot(robot, Running).unwrap();
    }
}

#[test]
fn robots_spread_breadth_first_to_the_given_depth() {
    let mut scene = Scene::new(options(STILL), Span::DAY);
    let seeds = scene.accounts(2);
    scene.depth_max = 1;
    let mut driver = scene.start(scene.store(2));
    start_all(&mut driver);
    driver.run_for(Span::DAY).unwrap();
    check_growth(&scene, &driver, &seeds);

    // Started again with a greater depth, it takes up what it had passed by.
    scene.depth_max = 2;
    let mut driver = scene.start(driver.kill());
    driver.run_for(Span::DAY).unwrap();
    check_growth(&scene, &driver, &seeds);
}

#[test]
fn what_robots_find_goes_back_no_further_than_what_a_person_added() {
    let mut scene = Scene::new(options(STILL), Span::DAY);
    scene.depth_max = 1;
    let since = scene.now() - Span::DAY * 2.0;
    let sources: Vec<Source> =
        scene.sources(2).into_iter().map(|source| Source { since: Some(since), ..source }).collect();
    let mut driver = scene.start(furnish(testing::memory(), &sources));
    start_all(&mut driver);
    driver.run_for(Span::HOUR * 2.0).unwrap();
    let found = all_sources(&driver.store).into_iter().filter(|source| source.depth == 1);
    let found: Vec<Source> = found.collect();
    assert!(found.len() > 20, "only {} sources were found: choose another seed", found.len());
    let others = found.iter().filter(|source| source.since != Some(since));
    assert_eq!(others.map(Source::label).collect::<Vec<_>>(), [] as [String; 0]);
}

#[test]
fn who_vanishes_and_what_is_cancelled_is_found() {
    let chances = Chances { departure_per_day: 0.02, follow_per_day: 1.0, ..Chances::default() };
    let scene = Scene::new(options(chances), Span::DAY);
    let everybody = scene.accounts(40);
    let mut driver = scene.start(scene.store(40));
    driver.set_robot(RobotKind::Relation, Running).unwrap();
    driver.run_for(Span::DAY * 6.0).unwrap();
    let settled_at = scene.now() - Span::DAY * 2.0 - SLACK;
    let accounts = stored_accounts(&driver.store);
    let standings =
        scene.with_world(|world| invariant::standings_known(world, &accounts, &everybody, settled_at));
    expect_none("standings", &standings);
    let is_gone = |row: &&AccountRow| row.invalid.as_deref() == Some("gone");
    assert!(accounts.iter().filter(is_gone).count() > 0, "nobody departed: choose another seed");

    let truth = scene.with_world(follows);
    let rows = relations(&driver.store);
    let is_alive = |row: &&RelationRow| truth.contains(&(row.source.clone(), row.target.clone()));
    let cancelled: Vec<_> = rows.iter().filter(|row| row.cancelled_at.is_some()).collect();
    assert!(cancelled.len() > 10, "few follows were cancelled: choose another seed");
    // Forty accounts change their mind once a day each, and are asked once a day.
    let (revived, stale) = (
        cancelled.iter().filter(|row| is_alive(row)).count(),
        rows.iter().filter(|row| row.cancelled_at.is_none() && !is_alive(row)).count(),
    );
    assert!(revived <= 5 && stale <= 40, "{revived} revived and {stale} stale");
    assert_eq!(scene.refused_count(), 0);
}

#[test]
fn a_robot_that_is_off_asks_nothing_and_catches_up() {
    let mut scene = Scene::new(options(STILL), Span::HOUR * 6.0);
    scene.depth_max = 1;
    let mut driver = scene.start(scene.store(1));
    driver.run_for(Span::HOUR).unwrap();
    let relation = ["followers", "following"];
    assert_eq!(requests_of(&driver, &relation), 0, "the relation robot is stopped at first");
    let endpoints_of = [
        (RobotKind::Relation, &relation[..]),
        (RobotKind::User, &["account"]),
        (RobotKind::Status, &["posts", "status"]),
        (RobotKind::Comment, &["replies"]),
        (RobotKind::Tag, &["tags"]),
    ];
    for (robot, endpoints) in endpoints_of {
        driver.set_robot(robot, Running).unwrap();
        driver.run_for(Span::HOUR).unwrap();
        assert!(requests_of(&driver, endpoints) > 0, "{robot} works");
    }
    for (robot, endpoints) in endpoints_of {
        for rest in [Paused, Stopped] {
            driver.set_robot(robot, rest).unwrap();
            // What is under way ends; then there is silence.
            driver.run_for(Span::MINUTE * 2.0).unwrap();
            let before = requests_of(&driver, endpoints);
            driver.run_for(Span::HOUR * 7.0).unwrap();
            assert_eq!(requests_of(&driver, endpoints), before, "{robot} is {rest:?}");
            driver.set_robot(robot, Running).unwrap();
            driver.run_for(Span::MINUTE * 30.0).unwrap();
            assert!(requests_of(&driver, endpoints) > before, "{robot} works again after {rest:?}");
        }
    }
    scene.check_posts(&driver.store, &scene.accounts(1));
}

#[test]
fn a_source_found_by_a_robot_and_removed_stays_removed() {
    let mut scene = Scene::new(options(STILL), Span::DAY);
    scene.depth_max = 1;
    let mut driver = scene.start(scene.store(1));
    start_all(&mut driver);
    driver.run_for(Span::HOUR).unwrap();
    let found = all_sources(&driver.store).into_iter().find(|source| source.depth == 1).unwrap();
    driver.remove(&[found.id]).unwrap();
    // The rings are lost: everything known is handed out again.
    let store = driver.kill();
    scene.rings = tempfile::tempdir().unwrap();
    let mut driver = scene.start(store);
    driver.run_for(Span::HOUR).unwrap();
    assert_eq!(driver.store.source(found.id).unwrap().unwrap().state, SourceState::Removed);
}
