//! Collections chosen one by one: what the robot `link` gathers, what it leaves out, and that a choice may change while it works.

use freshet_engine::collections;
use freshet_network::collections::{CollectionName, Collections};
use freshet_types::RobotState::Running;

use super::*;
use crate::Chances;

/// Requests so far through an endpoint.
fn requests<S>(driver: &Driver<S>, endpoint: &str) -> usize {
    driver.journal.iter().filter(|exchange| &*exchange.endpoint == endpoint).count()
}

fn names(text: &str) -> Vec<CollectionName> {
    text.split_whitespace().map(|name| name.parse().unwrap()).collect()
}

#[test]
fn the_robot_of_links_gathers_what_was_chosen() {
    let chances = Chances { repost_share: 0.4, ..Chances::NONE };
    let history = Span::DAY * 10.0;
    let options = WorldOptions {
        seed: 41,
        accounts: 40,
        posts_per_day: 2.0,
        history,
        chances,
        ..WorldOptions::default()
    };
    let scene = Scene::new(options, Span::HOUR * 6.0);
    let mut store = scene.store(15);
    collections::choose(&mut store, &Collections::only(&names("post.likers")).unwrap()).unwrap();
    let mut driver = scene.start(store);
    driver.set_robot(RobotKind::Link, Running).unwrap();
    driver.run_for(Span::DAY).unwrap();
    let likers = requests(&driver, "likers");
    assert!(likers > 20 && requests(&driver, "reposters") == 0, "{likers} requests for likers");
    let gathered = &driver.report.work.collected_by_link;
    assert!(
        gathered.get(&"mastodon/post.likers".to_owned()).is_some_and(|count| *count > 20),
        "{gathered:?}"
    );
    assert_eq!(gathered.get(&"mastodon/post.reposters".to_owned()), None);

    // Everything: posts that were passed by are taken up.
    collections::choose(&mut driver.store, &Collections::default()).unwrap();
    driver.run_for(Span::DAY).unwrap();
    assert!(requests(&driver, "reposters") > 20, "{} requests for reposters", requests(&driver, "reposters"));

    // Likers are left out: their lists are there, and nobody asks for them.
    let chosen = Collections::default().without(&names("mastodon/post.likers")).unwrap().unwrap();
    collections::choose(&mut driver.store, &chosen).unwrap();
    driver.run_for(Span::MINUTE * 10.0).unwrap();
    let (likers, reposters) = (requests(&driver, "likers"), requests(&driver, "reposters"));
    driver.run_for(Span::DAY * 2.0).unwrap();
    assert_eq!(requests(&driver, "likers"), likers, "lists that nobody wants were asked for");
    assert!(requests(&driver, "reposters") > reposters);
    // And taken up where they were left.
    collections::choose(&mut driver.store, &Collections::default()).unwrap();
    driver.run_for(Span::HOUR).unwrap();
    assert!(requests(&driver, "likers") > likers);
    assert_eq!(scene.refused_count(), 0);
}
