//! The five robots: breadth-first growth, and being switched at any moment.

use freshet_types::RobotState::{Paused, Running, Stopped};

use super::*;
use crate::{Chances, Standing};

fn options() -> WorldOptions {
    let chances = Chances { departure_per_day: 0.01, follow_per_day: 1.0, ..Chances::default() };
    WorldOptions { seed: 41, accounts: 60, posts_per_day: 1.0, chances, ..WorldOptions::default() }
}

/// The follows among accounts, as everybody can see them: nobody is hidden.
fn follows(world: &World) -> Set<(String, String)> {
    let mut found = Set::default();
    for account in &world.accounts {
        for edge in &account.following {
            let other = &world.accounts[edge.other as usize];
            let is_shown = |standing| !matches!(standing, Standing::Suspended | Standing::Departed);
            if is_shown(account.standing) && is_shown(other.standing) {
                found.insert((account.id.to_string(), other.id.to_string()));
            }
        }
    }
    found
}

fn requests_of<S>(driver: &Driver<S>, endpoints: &[&str]) -> usize {
    driver.journal.iter().filter(|exchange| endpoints.contains(&&*exchange.endpoint)).count()
}

#[test]
fn relations_spread_breadth_first_to_the_given_depth() {
    for depth_max in [1, 2] {
        let mut scene = Scene::new(options(), Span::DAY);
        scene.depth_max = depth_max;
        let seeds = scene.accounts(2);
        let mut driver = scene.start(scene.store(2));
        for robot in [RobotKind::Relation, RobotKind::Comment, RobotKind::Tag] {
            driver.set_robot(robot, Running).unwrap();
        }
        driver.run_for(Span::DAY * 4.0).unwrap();
        let sources = all_sources(&driver.store);
        assert!(sources.iter().all(|source| source.depth <= depth_max), "no source beyond {depth_max}");
        let visited: Set<String> = sources
            .iter()
            .filter(|source| source.robot == RobotKind::Relation && source.state == SourceState::Active)
            .map(|source| source.root_id.clone())
            .collect();
        assert!(seeds.iter().all(|seed| visited.contains(seed)));

        // Follows that changed since the last sweep, a day ago at most, may differ.
        let (truth, now) = (scene.with_world(follows), scene.now());
        let stored: Set<(String, String)> = relations(&driver.store)
            .into_iter()
            .filter(|row| row.cancelled_at.is_none())
            .map(|row| (row.source, row.target))
            .collect();
        let of_visited = |pair: &&(String, String)| visited.contains(&pair.0) || visited.contains(&pair.1);
        let missing = truth.iter().filter(of_visited).filter(|pair| !stored.contains(*pair)).count();
        let extra = stored.iter().filter(|pair| !truth.contains(*pair)).count();
        let (wanted, changed) = (truth.iter().filter(of_visited).count(), 60 * 2);
        assert!(
            wanted > 20 && missing < changed && extra < changed,
            "{missing} and {extra} of {wanted} at {now}"
        );

        let known: Set<String> =
            stored_accounts(&driver.store).into_iter().map(|row| row.account.id).collect();
        for row in posts(&driver.store) {
            let author = row.post.author.unwrap_or_default();
            assert!(author.is_empty() || known.contains(&author), "the author {author} is not known");
        }
        let commented = sources.iter().filter(|source| source.robot == RobotKind::Comment).count();
        assert!(commented > 0, "posts become sources of the comment robot");
        assert!(requests_of(&driver, &["tags"]) > 0 && requests_of(&driver, &["replies"]) > 0);
        assert_eq!(scene.refused_count(), 0);
        eprintln!(
            "depth {depth_max}: {} sources, {wanted} follows, {missing} missing, {extra} extra",
            sources.len()
        );
    }
}

#[test]
fn who_vanishes_and_what_is_cancelled_is_found() {
    let mut scene = Scene::new(options(), Span::DAY);
    scene.depth_max = 0;
    let everybody = scene.accounts(60);
    let mut driver = scene.start(scene.store(60));
    driver.set_robot(RobotKind::Relation, Running).unwrap();
    driver.run_for(Span::DAY * 10.0).unwrap();
    let settled_at = scene.now() - Span::DAY * 2.0 - SLACK;
    let accounts = stored_accounts(&driver.store);
    let standings =
        scene.with_world(|world| invariant::standings_known(world, &accounts, &everybody, settled_at));
    expect_none("standings", standings);
    let departed =
        scene.with_world(|world| world.accounts().filter(|a| a.standing == Standing::Departed).count());
    assert!(departed > 0, "nobody departed: choose another seed");
    let gone = accounts.iter().filter(|row| row.invalid.is_some()).count();
    assert!(gone > 0);
    let truth = scene.with_world(follows);
    let cancelled: Vec<_> =
        relations(&driver.store).into_iter().filter(|row| row.cancelled_at.is_some()).collect();
    assert!(!cancelled.is_empty(), "no follow was cancelled: choose another seed");
    let revived =
        cancelled.iter().filter(|row| truth.contains(&(row.source.clone(), row.target.clone()))).count();
    assert!(revived * 10 <= cancelled.len(), "{revived} of {} are alive", cancelled.len());
    assert_eq!(scene.refused_count(), 0);
}

#[test]
fn a_robot_that_is_off_asks_nothing_and_catches_up() {
    let mut scene = Scene::new(options(), Span::HOUR * 6.0);
    scene.depth_max = 1;
    let mut driver = scene.start(scene.store(6));
    driver.run_for(Span::HOUR).unwrap();
    let relation = ["followers", "following"];
    assert_eq!(requests_of(&driver, &relation), 0, "the relation robot is stopped at first");
    for (robot, endpoints) in [
        (RobotKind::Relation, &relation[..]),
        (RobotKind::User, &["account"]),
        (RobotKind::Status, &["posts", "status"]),
        (RobotKind::Comment, &["replies"]),
        (RobotKind::Tag, &["tags"]),
    ] {
        driver.set_robot(robot, Running).unwrap();
        driver.run_for(Span::HOUR * 7.0).unwrap();
        assert!(requests_of(&driver, endpoints) > 0, "{robot} works");
        for rest in [Paused, Stopped] {
            driver.set_robot(robot, rest).unwrap();
            // What is under way ends; then there is silence.
            driver.run_for(Span::MINUTE * 5.0).unwrap();
            let before = requests_of(&driver, endpoints);
            driver.run_for(Span::HOUR * 13.0).unwrap();
            assert_eq!(requests_of(&driver, endpoints), before, "{robot} is {rest:?}");
            driver.set_robot(robot, Running).unwrap();
            driver.run_for(Span::HOUR * 7.0).unwrap();
            assert!(requests_of(&driver, endpoints) > before, "{robot} works again after {rest:?}");
        }
    }
    let authors = scene.accounts(6);
    scene.check_posts(&driver.store, &authors);
}
