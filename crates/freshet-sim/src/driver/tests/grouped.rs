//! What crawls with odd calls for groups have in common: the world that they crawl, and what must hold when they end.

use std::fmt::Debug;

use super::*;
use crate::{Chances, Limits};

pub(super) const ACCOUNTS: usize = 50;
/// Calls an hour that the world announces.
const CALLS_PER_H: u32 = 20;
pub(super) const DAYS: u32 = 5;

pub(super) fn options() -> WorldOptions {
    WorldOptions {
        seed: 5,
        accounts: ACCOUNTS as u32,
        posts_per_day: 3.0,
        chances: Chances::NONE,
        limits: Limits { api: Some((CALLS_PER_H, Span::HOUR)), ..Limits::OFF },
        history: Span::HOUR,
        ..WorldOptions::default()
    }
}

/// A scene whose world is asked through what is made of it here.
pub(super) fn scene<F: Fetch + 'static>(
    options: WorldOptions,
    through: impl FnOnce(WorldFetch) -> F,
) -> (Scene, Arc<F>) {
    let mut scene = Scene::new(options, Span::HOUR * 6.0);
    scene.policy = "freshet";
    let world = WorldFetch::new(Arc::clone(&scene.world), Arc::new(scene.clock.clone()));
    let fetch = Arc::new(through(world));
    scene.fetch = Some(Arc::clone(&fetch) as Arc<dyn Fetch>);
    (scene, fetch)
}

/// Crawls all accounts, and what else is given, for some days: nothing is lost, and nobody starved.
pub(super) fn check(scene: &Scene, others: Vec<Source>, way: impl Debug) {
    let lists = scene.sources(ACCOUNTS).into_iter().filter(|source| source.robot == RobotKind::Status);
    let lists: Vec<Source> = lists.chain(others).collect();
    let mut driver = scene.start(furnish(testing::memory(), &lists));
    driver.run_for(Span::DAY * f64::from(DAYS)).unwrap();
    let stored = posts(&driver.store);
    let facts = scene.with_world(invariant::facts);
    // Twenty calls an hour for fifty accounts: each was read within a day, whatever calls for groups say.
    let settled_at = scene.now() - Span::DAY;
    let lost = invariant::nothing_lost(&facts, &stored, &scene.accounts(ACCOUNTS), settled_at);
    assert!(lost.is_empty(), "{way:?}: {} lost, among them {:?}", lost.len(), lost.first());
    expect_none("invented", &invariant::nothing_invented(&facts, &stored));
    let sources = all_sources(&driver.store);
    let unread: Vec<_> = sources.iter().filter(|it| it.read_at.is_none_or(|at| at < settled_at)).collect();
    assert!(unread.is_empty(), "{way:?}: {} sources were not read for a day", unread.len());
    assert!(sources.iter().all(|source| source.state == SourceState::Active), "{way:?}");
    assert_eq!(scene.refused_count(), 0, "{way:?}");
}
