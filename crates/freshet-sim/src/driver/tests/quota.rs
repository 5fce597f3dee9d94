//! The quota as the server counts it: killed in a loop, redirected, served by a miser.

use std::sync::atomic::{AtomicU64, Ordering};

use freshet_types::{Fault, Redirects, Request, Response};
use futures::future::BoxFuture;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg32;

use super::*;

/// Enough that the quota is short all the time.
const ACCOUNTS: usize = 60;
/// What Mastodon's definition declares, and the world allows.
const API_PER_5_MIN: usize = 300;
const WINDOW: Span = Span::from_secs(300);

fn scene() -> Scene {
    let options =
        WorldOptions { seed: 41, accounts: ACCOUNTS as u32, posts_per_day: 40.0, ..WorldOptions::default() };
    Scene::new(options, Span::MINUTE * 10.0)
}

/// Passes requests on to the world, and spoils the answers in a way of its own.
#[derive(Debug)]
struct Odd {
    world: WorldFetch,
    /// Every request is redirected so often before it is answered.
    redirect_count: usize,
    /// Answers say nothing about limits.
    is_silent: bool,
    /// Requests that the server saw.
    count: AtomicU64,
}

impl Fetch for Odd {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        self.count.fetch_add(1, Ordering::Relaxed);
        let Redirects::Told(passed) = &request.redirects else { panic!("each redirect needs a grant") };
        let passed_count = passed.len();
        let inner = self.world.fetch(request);
        Box::pin(async move {
            let mut response = inner.await?;
            if self.is_silent {
                response.headers.retain(|(name, _)| !name.starts_with("x-ratelimit"));
            }
            if passed_count < self.redirect_count {
                let location = format!("/elsewhere/{passed_count}");
                (response.status, response.body) = (302, Vec::new());
                response.headers.push(("location".to_owned(), location));
            }
            Ok(response)
        })
    }
}

fn odd(redirect_count: usize, is_silent: bool) -> (Scene, Arc<Odd>) {
    let mut scene = scene();
    let world = WorldFetch::new(Arc::clone(&scene.world), Arc::new(scene.clock.clone()));
    let odd = Arc::new(Odd { world, redirect_count, is_silent, count: AtomicU64::new(0) });
    scene.fetch = Some(Arc::clone(&odd) as Arc<dyn Fetch>);
    (scene, odd)
}

#[test]
fn killed_in_a_loop_it_stays_under_the_limit_in_any_window() {
    // How long each process lives, in milliseconds.
    for (lives_ms, is_silent) in [(500..5000, true), (500..5000, false)] {
        let (scene, odd) = odd(0, is_silent);
        let mut rng = Pcg32::seed_from_u64(7);
        let (mut store, mut journal, mut kill_count) = (scene.store(ACCOUNTS), Vec::new(), 0);
        let end = scene.now() + WINDOW * 1.2;
        while scene.now() < end {
            let mut driver = scene.start(store);
            driver.run_for(Span::from_ms(rng.random_range(lives_ms.clone()))).unwrap();
            // It dies in the middle of something, not only between two instants.
            driver.run_steps(rng.random_range(0..12)).unwrap();
            journal.append(&mut driver.journal);
            store = driver.kill();
            kill_count += 1;
        }
        let shown = format!("killed {kill_count} times, lives of {lives_ms:?} ms, silent: {is_silent}");
        let most = invariant::busiest(&journal, WINDOW);
        assert!(most <= API_PER_5_MIN, "{shown}: {most} in five minutes");
        assert_eq!(scene.refused_count(), 0, "{shown}");
        assert_eq!(odd.count.load(Ordering::Relaxed), journal.len() as u64, "{shown}");
        assert!(journal.len() > 100, "{shown}: only {} requests", journal.len());
    }
}

#[test]
fn one_that_stops_and_starts_again_loses_nothing() {
    let calls = |stops: bool| {
        let (scene, odd) = odd(0, true);
        let mut store = scene.store(ACCOUNTS);
        let end = scene.now() + WINDOW * 2.0;
        while scene.now() < end {
            let mut driver = scene.start(store);
            driver.run_for(if stops { Span::from_secs(20) } else { WINDOW * 2.0 }).unwrap();
            store = driver.stop().unwrap();
        }
        assert_eq!(scene.refused_count(), 0);
        odd.count.load(Ordering::Relaxed) as f64
    };
    let (whole, in_pieces) = (calls(false), calls(true));
    assert!(in_pieces > whole * 0.95, "{in_pieces} requests with stops, {whole} without");
}

#[test]
fn redirects_are_requests_and_wait_for_their_grants() {
    for redirect_count in [0, 1, 4] {
        let (scene, odd) = odd(redirect_count, true);
        let authors = scene.accounts(3);
        let mut driver = scene.start(scene.store(ACCOUNTS));
        driver.run_for(WINDOW * 1.5).unwrap();
        let most = invariant::busiest(&driver.journal, WINDOW);
        assert!(most <= API_PER_5_MIN, "{redirect_count} redirects: {most} in five minutes");
        assert_eq!(scene.refused_count(), 0, "{redirect_count} redirects");
        let count = odd.count.load(Ordering::Relaxed);
        assert_eq!(count, driver.journal.len() as u64, "{redirect_count} redirects: all were granted");
        assert!(count > 200, "{redirect_count} redirects: only {count} requests");
        let is_ours = |row: &PostRow| row.post.author.as_ref().is_some_and(|author| authors.contains(author));
        let found = posts(&driver.store).iter().filter(|row| is_ours(row)).count();
        assert!(found > 0, "{redirect_count} redirects: nothing came of them");
    }
}
