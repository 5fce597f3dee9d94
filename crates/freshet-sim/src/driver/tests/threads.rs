//! Threads that are asked about together: more is found of what others answer, with fewer calls, however probes are answered.

use std::fmt;

use freshet_types::RobotState::Running;

use super::grouped;
use super::probes::{Oddly, Way};
use super::*;
use crate::world::Relation;
use crate::{Chances, Limits};

/// Accounts whose posts are watched; answers come from all.
const WATCHED: usize = 12;
const DAYS: u32 = 6;
/// Answers of the last hours may wait for the next look, whoever crawls.
const SETTLES: Span = Span::DAY;
/// What probes of threads are told apart by.
const NAMES: (&str, &str) = ("/api/v1/statuses?", "replies_count");

/// Calls an hour that the world announces, and what its people do.
fn options(calls_per_h: u32) -> WorldOptions {
    WorldOptions {
        accounts: 40,
        chances: Chances { reply_share: 0.6, ..Chances::NONE },
        limits: Limits { api: Some((calls_per_h, Span::HOUR)), ..Limits::OFF },
        ..grouped::options()
    }
}

/// What a crawl found.
struct Crawled {
    /// Calls about threads.
    calls: usize,
    /// Answers of others to posts of those who are watched, since the crawl began and up to a day before its end.
    answers: usize,
    /// Of those, the ones that are stored.
    found: usize,
    /// Mean time until they were; those that are not stored wait until the end.
    delay: Span,
    /// Probes.
    probes: u32,
}

impl fmt::Debug for Crawled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { calls, answers, found, delay, probes } = self;
        write!(f, "{found} of {answers} answers after {delay}, {calls} calls about threads, {probes} probes")
    }
}

/// Crawls posts and threads of some accounts, with so many calls an hour.
fn crawl(calls_per_h: u32, group_max: usize, way: Way) -> Crawled {
    let (mut scene, fetch) = grouped::scene(options(calls_per_h), |world| Oddly::new(world, way, NAMES));
    scene.group_max = group_max;
    let began_at = scene.now();
    let lists = scene.sources(WATCHED).into_iter().filter(|source| source.robot == RobotKind::Status);
    let mut driver = scene.start(furnish(testing::memory(), &lists.collect::<Vec<_>>()));
    driver.set_robot(RobotKind::Comment, Running).unwrap();
    driver.run_for(Span::DAY * f64::from(DAYS)).unwrap();
    assert_eq!(scene.refused_count(), 0, "{way:?}");
    let rows = posts(&driver.store);
    expect_none("invented", &invariant::nothing_invented(&scene.with_world(invariant::facts), &rows));
    let seen: Map<String, Timestamp> = rows.into_iter().map(|row| (row.post.id, row.seen_at)).collect();
    let answers = answers_between(&scene, (began_at, scene.now() - SETTLES));
    let delays = answers.iter().map(|(id, at)| *seen.get(id).unwrap_or(&scene.now()) - *at);
    Crawled {
        calls: driver.journal.iter().filter(|exchange| &*exchange.endpoint == "replies").count(),
        answers: answers.len(),
        found: answers.iter().filter(|(id, _)| seen.contains_key(id)).count(),
        delay: Span::from_secs_f64(delays.map(Span::secs_f64).sum::<f64>() / answers.len() as f64),
        probes: fetch.probe_count(),
    }
}

/// Answers of others to posts of those who are watched.
fn answers_between(scene: &Scene, (from, to): (Timestamp, Timestamp)) -> Vec<(String, Timestamp)> {
    scene.with_world(|world| {
        let is_watched = |author: u32| (author as usize) < WATCHED;
        let is_meant = |post: &&crate::world::Post| match post.relation() {
            Relation::ReplyTo(parent) => {
                is_watched(world.posts.get(parent).author) && !is_watched(post.author)
            }
            _ => false,
        };
        let made =
            |post: &crate::world::Post| (post.id.to_string(), Timestamp::from_ms(post.created_at_ms()));
        world
            .posts
            .all()
            .iter()
            .filter(is_meant)
            .map(made)
            .filter(|(_, at)| *at > from && *at <= to)
            .collect()
    })
}

/// What is found with so many calls an hour, each thread asked about alone and together: as much, sooner, with fewer calls.
fn check(calls_per_h: u32) {
    let (alone, together) = (crawl(calls_per_h, 1, Way::Well), crawl(calls_per_h, usize::MAX, Way::Well));
    let what = format!("{calls_per_h}/h alone: {alone:?}; together: {together:?}");
    assert!(alone.answers > 80 && alone.probes == 0 && together.probes > 40, "{what}");
    assert!(together.found >= alone.found && together.calls * 20 <= alone.calls * 19, "{what}");
    assert!(together.delay <= alone.delay * 0.75, "{what}");
}

#[test]
fn threads_asked_about_together_are_known_sooner_with_fewer_calls() {
    check(4);
    check(6);
    check(8);
}

#[test]
fn probes_of_threads_that_are_answered_badly_cost_little() {
    let alone = crawl(4, 1, Way::Well);
    for way in [Way::Fewer, Way::Falling, Way::Broken, Way::Refused(400), Way::Garbage] {
        let found = crawl(4, usize::MAX, way);
        // Calls are so few that it is a matter of luck which threads are read in time.
        assert!(found.probes > 0 && found.found * 4 >= alone.found * 3, "{way:?}: {found:?}; {alone:?}");
        assert!(found.delay <= alone.delay * 1.3, "{way:?}: {found:?}; {alone:?}");
    }
}
