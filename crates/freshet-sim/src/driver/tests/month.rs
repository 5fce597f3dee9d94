//! An undisturbed crawl: a simulated month, and the first hours of a large history.

use freshet_types::Politeness;

use super::*;
use crate::{Chances, Standing};

const MANNERS: Politeness = Politeness { pause: Span::ZERO, in_flight_max: 4 };

#[test]
fn a_month_is_collected_whole_and_politely() {
    let chances = Chances {
        suspension_per_day: 0.01,
        privacy_per_day: 0.01,
        departure_per_day: 0.002,
        deletion_share: 0.08,
        edit_share: 0.08,
        ..Chances::default()
    };
    let options = WorldOptions {
        seed: 11,
        accounts: 60,
        posts_per_day: 0.4,
        chances,
        history: Span::DAY * 5.0,
        ..WorldOptions::default()
    };
    let scene = Scene::new(options, Span::DAY);
    let authors = scene.accounts(60);
    let mut driver = scene.start(scene.store(60));
    driver.run_for(Span::DAY * 30.0).unwrap();

    scene.check_posts(&driver.store, &authors);
    // Someone who vanished is looked at once a day; that may be a day after the last look.
    let settled_at = scene.now() - Span::DAY * 2.0 - SLACK;
    let accounts = stored_accounts(&driver.store);
    let standings =
        scene.with_world(|world| invariant::standings_known(world, &accounts, &authors, settled_at));
    expect_none("standings", &standings);
    expect_none("manners", &invariant::polite(&driver.journal, MANNERS));
    assert_eq!(scene.refused_count(), 0);
    let steps_max = 20 * driver.journal.len() as u64 + 2 * 30 * 24 * 60;
    assert!(driver.steps() < steps_max, "{} steps: the loop turns without doing anything", driver.steps());

    let fired =
        |standing| scene.with_world(|world| world.accounts().filter(|a| a.standing == standing).count());
    assert!(
        fired(Standing::Suspended) + fired(Standing::Private) > 0,
        "nobody was hidden: choose another seed"
    );
    let tally = driver.core.tally();
    assert!(tally.deleted_count > 0 && tally.edited_count > 0, "nothing changed: choose another seed");
    eprintln!(
        "month: {} requests, {} steps, {} posts, {} edited, {} deleted, {} postponed",
        driver.journal.len(),
        driver.steps(),
        tally.posts_count,
        tally.edited_count,
        tally.deleted_count,
        tally.postponed_count,
    );
}

#[test]
fn a_large_history_spends_the_quota_and_news_come_first() {
    let options = WorldOptions { seed: 12, accounts: 14, posts_per_day: 30.0, ..WorldOptions::default() };
    let scene = Scene::new(options, Span::HOUR);
    let authors = scene.accounts(14);
    let mut driver = scene.start(scene.store(14));
    driver.run_for(Span::MINUTE).unwrap();
    let is_seen = |source: &Source| source.visited_at.is_some();
    let unseen = all_sources(&driver.store).iter().filter(|source| !is_seen(source)).count();
    assert_eq!(unseen, 0, "every first page comes before anybody's history");

    driver.run_for(Span::MINUTE * 14.0).unwrap();
    // The paging quota is what a history costs: 300 in 15 minutes, of which about 85 % are spent.
    let paged_count = driver.journal.iter().filter(|exchange| &*exchange.endpoint == "posts").count() - 14;
    assert!(paged_count > 210, "only {paged_count} of 300 in the first quarter of an hour");

    driver.run_for(Span::HOUR * 2.0).unwrap();
    scene.check_posts(&driver.store, &authors);
    expect_none("manners", &invariant::polite(&driver.journal, MANNERS));
    assert_eq!(scene.refused_count(), 0);
    for source in all_sources(&driver.store) {
        let is_list = source.robot == RobotKind::Status && source.state == SourceState::Active;
        assert!(
            !is_list || source.coverage.is_complete(),
            "{} has holes: {:?}",
            source.label(),
            source.coverage
        );
    }
}
