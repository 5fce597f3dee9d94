//! The same crawl with messages handed over as they are, and written and read back on their way.

use freshet_types::Change;
use freshet_types::RobotState::Running;

use super::*;

/// Everything that a crawl leaves behind.
#[derive(Debug, PartialEq)]
struct Left {
    journal: Vec<Exchange>,
    posts: Vec<PostRow>,
    accounts: Vec<AccountRow>,
    relations: Vec<RelationRow>,
    sources: Vec<Source>,
    changes: Vec<Change>,
}

fn crawl(policy: &'static str, loops_back: bool) -> Left {
    let options = WorldOptions {
        seed: 23,
        accounts: 22,
        posts_per_day: 1.0,
        history: Span::DAY * 2.0,
        ..WorldOptions::default()
    };
    let mut scene = Scene::new(options, Span::HOUR * 6.0);
    (scene.depth_max, scene.policy) = (1, policy);
    let mut driver = scene.start(scene.store(5));
    driver.loops_back = loops_back;
    for robot in [RobotKind::Relation, RobotKind::Comment, RobotKind::Tag] {
        driver.set_robot(robot, Running).unwrap();
    }
    driver.run_for(Span::HOUR * 5.0).unwrap();
    let changes = driver.store.changes_above(0, 1_000_000).unwrap();
    let Driver { journal, store, .. } = driver;
    Left {
        posts: posts(&store),
        accounts: stored_accounts(&store),
        relations: relations(&store),
        sources: all_sources(&store),
        journal,
        changes,
    }
}

fn check(policy: &'static str) {
    let (handed, travelled) = (crawl(policy, false), crawl(policy, true));
    for (what, count) in [
        ("requests", handed.journal.len()),
        ("posts", handed.posts.len()),
        ("accounts", handed.accounts.len()),
        ("relations", handed.relations.len()),
        ("changes", handed.changes.len()),
    ] {
        assert!(count > 20, "{policy}: {count} {what} prove little");
    }
    assert_eq!(handed.journal, travelled.journal, "{policy}: the same requests at the same instants");
    assert!(handed == travelled, "{policy}: the stores differ");
}

#[test]
fn messages_that_travel_lead_to_the_same_crawl() {
    check("change-rate");
    check("freshet");
}
