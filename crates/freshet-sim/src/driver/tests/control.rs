//! What people do while a crawl runs: remove, add, replace a definition, bound what is kept.

use super::*;
use crate::Chances;

fn scene(seed: u64) -> Scene {
    // Nobody vanishes: here people do the surprising.
    let chances = Chances {
        departure_per_day: 0.0,
        suspension_per_day: 0.0,
        privacy_per_day: 0.0,
        ..Chances::default()
    };
    let options =
        WorldOptions { seed, accounts: 10, posts_per_day: 10.0, chances, ..WorldOptions::default() };
    Scene::new(options, Span::HOUR * 6.0)
}

fn state_of<S: Store>(driver: &Driver<S>, id: SourceId) -> SourceState {
    driver.store.source(id).unwrap().unwrap().state
}

#[test]
fn a_source_removed_in_the_middle_of_its_history_is_left_alone() {
    let scene = scene(51);
    let mut driver = scene.start(scene.store(10));
    // So few minutes in, histories are being read, wait in the backlog, and wait for quota.
    for minutes in [1.0, 2.0, 4.0] {
        driver.run_for(Span::MINUTE * minutes).unwrap();
        let removed: Vec<SourceId> = all_sources(&driver.store)
            .into_iter()
            .filter(|source| source.robot == RobotKind::Status && source.state == SourceState::Active)
            .take(2)
            .map(|source| source.id)
            .collect();
        driver.remove(&removed).unwrap();
        driver.run_for(Span::SECOND * 10.0).unwrap();
        let before = driver.journal.len();
        driver.run_for(Span::MINUTE * 20.0).unwrap();
        let roots: Vec<String> =
            removed.iter().map(|&id| driver.store.source(id).unwrap().unwrap().root_id).collect();
        let later = driver.journal[before..]
            .iter()
            .filter(|one| &*one.endpoint == "posts" && roots.contains(&one.root))
            .count();
        assert_eq!(later, 0, "a removed source is not asked about");
        assert!(removed.iter().all(|&id| state_of(&driver, id) == SourceState::Removed));
    }
    // The rest of the history is read to the end all the same.
    driver.run_for(Span::HOUR * 8.0).unwrap();
    let is_open = |source: &&Source| {
        source.robot == RobotKind::Status
            && source.state == SourceState::Active
            && !source.coverage.is_complete()
    };
    assert_eq!(all_sources(&driver.store).iter().filter(is_open).count(), 0);

    // Added again, they are taken up where they were left.
    driver.store.add_sources(&scene.sources(10)).unwrap();
    driver.load().unwrap();
    driver.run_for(Span::HOUR * 8.0).unwrap();
    scene.check_posts(&driver.store, &scene.accounts(10));
    assert_eq!(scene.refused_count(), 0);
}

#[test]
fn being_told_of_the_sources_again_and_again_costs_nothing() {
    let quiet = scene(52);
    let mut driver = quiet.start(quiet.store(10));
    driver.run_for(Span::HOUR * 1.5).unwrap();
    let undisturbed = driver.journal.len();

    let told = scene(52);
    let mut driver = told.start(told.store(10));
    for _ in 0..90 {
        driver.run_for(Span::MINUTE).unwrap();
        driver.load().unwrap();
    }
    let disturbed = driver.journal.len();
    assert!(disturbed <= undisturbed + undisturbed / 10, "{disturbed} requests instead of {undisturbed}");
    let (_, _, backlog) = driver.core().queue_sizes();
    assert!(backlog <= 10, "{backlog} entries for 10 lists");
}

#[test]
fn a_definition_replaced_while_running_is_followed() {
    let scene = scene(53);
    let mut driver = scene.start(scene.store(10));
    driver.run_for(Span::MINUTE * 10.0).unwrap();
    let slower = include_str!("../../../../../networks/mastodon.toml")
        .replace("pause = \"0s\"", "pause = \"3s\"")
        .replace("in_flight_max = 4", "in_flight_max = 1");
    scene.networks.apply_definition("mastodon.toml", &slower).unwrap();
    driver.run_for(Span::MINUTE * 2.0).unwrap();
    let before = driver.journal.len();
    driver.run_for(Span::HOUR * 5.0).unwrap();
    let manners = freshet_types::Politeness { pause: Span::SECOND * 3.0, in_flight_max: 1 };
    expect_none("manners", &invariant::polite(&driver.journal[before..], manners));

    // Without the endpoint its sources fail in the open; with it they are taken up again.
    let renamed = slower
        .replace("[endpoints.posts]", "[endpoints.writings]")
        .replace("{ endpoint = \"posts\", proof", "{ endpoint = \"writings\", proof");
    scene.networks.apply_definition("mastodon.toml", &renamed).unwrap();
    driver.run_for(Span::HOUR * 7.0).unwrap();
    let failed = all_sources(&driver.store).into_iter().filter(|one| one.state == SourceState::Failed);
    let failed: Vec<Source> = failed.collect();
    assert_eq!(failed.len(), 10);
    assert!(failed.iter().all(|one| one.failure.as_ref().unwrap().contains("no endpoint `posts`")));
    scene.networks.apply_definition("mastodon.toml", &slower).unwrap();
    driver.run_for(Span::HOUR * 8.0).unwrap();
    scene.check_posts(&driver.store, &scene.accounts(10));
}

#[test]
fn a_source_without_a_definition_fails_in_the_open() {
    let scene = scene(54);
    let network = NetworkName::new("vanished", Some("old.test"));
    let mut store = scene.store(2);
    let instance =
        Instance { network: network.clone(), base: "https://old.test".into(), allow_private: false };
    store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep }).unwrap();
    let lost = Source::new(&network, "posts", RobotKind::Status, "account", "1");
    let id = store.add_sources(&[lost]).unwrap()[0].0;
    let mut driver = scene.start(store);
    driver.run_for(Span::HOUR * 4.0).unwrap();
    let source = driver.store.source(id).unwrap().unwrap();
    assert_eq!(source.state, SourceState::Failed);
    assert!(source.failure.unwrap().contains("vanished:old.test"));
    scene.check_posts(&driver.store, &scene.accounts(2));
}

#[test]
fn history_ends_where_a_person_or_the_retention_says() {
    for by_retention in [false, true] {
        let scene = scene(55);
        let bound = scene.now() - Span::DAY * 3.0;
        let bounded = scene.sources(10).into_iter().map(|source| {
            let (since, retention) =
                if by_retention { (None, Some(Span::DAY * 3.0)) } else { (Some(bound), None) };
            Source { since, retention, ..source }
        });
        let sources: Vec<Source> = bounded.collect();
        let mut driver = scene.start(furnish(testing::memory(), &sources));
        driver.run_for(Span::HOUR * 8.0).unwrap();
        let lists = driver.journal.iter().filter(|one| &*one.endpoint == "posts").count();
        assert!(lists < 250, "{lists} requests: the whole history was read");
        let (authors, settled_at) = (scene.accounts(10), scene.now() - Span::HOUR * 7.0);
        let from = if by_retention { scene.now() - Span::DAY * 3.0 } else { bound };
        let facts: Vec<_> =
            scene.with_world(invariant::facts).into_iter().filter(|fact| fact.created_at >= from).collect();
        expect_none("lost", &invariant::nothing_lost(&facts, &posts(&driver.store), &authors, settled_at));
        if by_retention {
            let oldest = scene.now() - Span::DAY * 3.0 - Span::HOUR * 2.0;
            let of_ours = |row: &PostRow| row.post.author.as_ref().is_some_and(|one| authors.contains(one));
            let kept = posts(&driver.store).into_iter().filter(of_ours);
            assert!(kept.filter_map(|row| row.post.created_at).all(|at| at > oldest));
        }
    }
}
