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
    let tally = driver.core().tally();
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
fn who_deletes_everything_is_told_from_who_is_hidden() {
    let chances = Chances {
        suspension_per_day: 0.02,
        privacy_per_day: 0.02,
        deletion_share: 0.95,
        ..Chances::default()
    };
    let options = WorldOptions {
        seed: 13,
        accounts: 20,
        posts_per_day: 0.2,
        chances,
        history: Span::DAY * 5.0,
        ..WorldOptions::default()
    };
    let scene = Scene::new(options, Span::HOUR * 6.0);
    let authors = scene.accounts(20);
    let mut driver = scene.start(scene.store(20));
    driver.run_for(Span::DAY * 20.0).unwrap();
    scene.check_posts(&driver.store, &authors);
    assert_eq!(scene.refused_count(), 0);

    let facts = scene.with_world(invariant::facts);
    let alive: Set<&str> =
        facts.iter().filter(|fact| fact.deleted_at.is_none()).map(|fact| fact.author.as_str()).collect();
    let emptied = authors.iter().filter(|author| !alive.contains(author.as_str()));
    let deleted_of = |author: &String| {
        let is_deleted =
            |row: &&PostRow| row.post.author.as_ref() == Some(author) && row.deleted_at.is_some();
        posts(&driver.store).iter().filter(is_deleted).count()
    };
    let found = emptied.filter(|author| deleted_of(author) > 0).count();
    let hidden =
        scene.with_world(|world| world.accounts().filter(|a| a.standing != Standing::Public).count());
    assert!(found > 2 && hidden > 2, "{found} emptied, {hidden} hidden: choose another seed");
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
    // Nobody can prove that a list is complete which its server does not show: one whose owner was
    // suspended, went private or left before its history was read keeps its holes, whatever the
    // crawl does. So the world, not the state that the crawl believes in, says who may have holes.
    let hidden: Set<String> = scene.with_world(|world| {
        let hidden = world.accounts().filter(|account| account.standing != Standing::Public);
        hidden.flat_map(|account| [account.id.to_string(), account.handle.to_owned()]).collect()
    });
    for source in all_sources(&driver.store).iter().filter(|source| source.robot == RobotKind::Status) {
        let is_hidden =
            hidden.contains(&source.root_id) || source.handle.as_ref().is_some_and(|it| hidden.contains(it));
        let is_complete = source.coverage.is_complete();
        assert!(is_complete || is_hidden, "{} has holes: {:?}", source.label(), source.coverage);
        assert_eq!(source.state == SourceState::Active, !is_hidden, "{}: {:?}", source.label(), source.state);
    }
}
