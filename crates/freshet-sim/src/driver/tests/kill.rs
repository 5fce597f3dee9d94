//! Killed anywhere, started again on what the store has: nothing lost, nothing doubled.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use super::*;
use crate::Limits;

const KILLS: usize = 60;
const ACCOUNTS: usize = 10;

fn options() -> WorldOptions {
    WorldOptions { seed: 21, accounts: ACCOUNTS as u32, posts_per_day: 8.0, ..WorldOptions::default() }
}

/// Ids of the posts that the watched accounts wrote before `before`.
fn stored_ids<S: Store>(store: &S, authors: &Set<String>, before: Timestamp) -> Vec<String> {
    let is_meant = |row: &PostRow| {
        row.post.author.as_ref().is_some_and(|author| authors.contains(author))
            && row.post.created_at.is_some_and(|at| at < before)
    };
    let mut ids: Vec<String> = posts(store).into_iter().filter(is_meant).map(|row| row.post.id).collect();
    ids.sort_unstable();
    ids
}

#[test]
fn killed_anywhere_and_started_again_it_ends_where_it_would_have() {
    let began_at = options().ready_at();
    let undisturbed = Scene::new(options(), Span::HOUR * 6.0);
    let authors = undisturbed.accounts(ACCOUNTS);
    let mut driver = undisturbed.start(undisturbed.store(ACCOUNTS));
    driver.run_for(Span::DAY).unwrap();
    let expected = stored_ids(&driver.store, &authors, began_at);

    for seed in [1u64, 2] {
        eprintln!("kill seed {seed}");
        let mut rng = Pcg32::seed_from_u64(seed);
        let scene = Scene::new(options(), Span::HOUR * 6.0);
        let file = scene.rings.path().join("store.sqlite");
        drop(furnish(testing::open(&file), &scene.sources(ACCOUNTS)));
        for _ in 0..KILLS {
            let mut driver = scene.start(testing::open(&file));
            driver.run_steps(rng.random_range(1..80)).unwrap();
            drop(driver.kill());
        }
        let mut driver = scene.start(testing::open(&file));
        driver.run_until(began_at + Span::DAY).unwrap();
        scene.check_posts(&driver.store, &authors);
        assert_eq!(stored_ids(&driver.store, &authors, began_at), expected, "seed {seed}");
        assert_eq!(scene.refused_count(), 0, "seed {seed}");
    }
}

#[test]
fn killed_again_and_again_it_remembers_what_it_spent() {
    // A server with limits of its own, far below the declared ones: nobody knows them who starts anew.
    let limits = Limits { api_per_5_min: Some(20), paging_per_15_min: Some(20), ..Limits::default() };
    let scene = Scene::new(WorldOptions { limits, ..options() }, Span::HOUR * 6.0);
    let file = scene.rings.path().join("store.sqlite");
    drop(furnish(testing::open(&file), &scene.sources(ACCOUNTS)));
    let mut request_count = 0;
    for round in 0..KILLS {
        let mut driver = scene.start(testing::open(&file));
        driver.run_for(Span::SECOND * (10.0 + 7.0 * (round % 9) as f64)).unwrap();
        request_count += driver.journal.len();
        drop(driver.kill());
        assert_eq!(scene.refused_count(), 0, "round {round}, after {request_count} requests");
    }
    assert!(request_count > 60, "only {request_count} requests in {}", scene.now() - options().ready_at());
}
