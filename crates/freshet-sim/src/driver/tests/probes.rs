//! Calls that ask about many sources, against servers that answer them badly: nothing is lost, and nobody is starved.

use freshet_types::{Fault, Request, Response};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;

use super::*;
use crate::{Chances, Limits};

const ACCOUNTS: usize = 50;
/// Calls an hour that the world announces.
const CALLS_PER_H: u32 = 20;
const DAYS: u32 = 5;

/// How probes are answered.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// As they should be.
    Well,
    /// With this status.
    Refused(u16),
    /// Without every other account.
    Fewer,
    /// In another order, each twice.
    Doubled,
    /// With counts that fall and fall.
    Falling,
    /// With counts that never change.
    Stuck,
    /// With an empty list.
    Empty,
    /// With something else.
    Garbage,
    /// Now and then with nothing at all.
    Broken,
}

/// A world in which probes are answered in some way.
#[derive(Debug)]
struct Oddly {
    world: WorldFetch,
    way: Way,
    probe_count: Mutex<u32>,
}

impl Fetch for Oddly {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let is_probe = request.url.contains("/api/v1/accounts?");
        let answer = self.world.fetch(request);
        async move {
            let mut response = answer.await?;
            if is_probe && response.status == 200 {
                let mut count = self.probe_count.lock().unwrap();
                *count += 1;
                self.bend(&mut response, *count)?;
            }
            Ok(response)
        }
        .boxed()
    }
}

impl Oddly {
    fn bend(&self, response: &mut Response, probe_count: u32) -> Result<(), Fault> {
        let mut accounts: Vec<Value> = serde_json::from_slice(&response.body).unwrap();
        match self.way {
            Way::Well => return Ok(()),
            Way::Refused(status) => response.status = status,
            Way::Fewer => accounts = accounts.into_iter().step_by(2).collect(),
            Way::Doubled => accounts = accounts.iter().rev().chain(&accounts).cloned().collect(),
            Way::Falling => count_as(&mut accounts, 9999 - probe_count),
            Way::Stuck => count_as(&mut accounts, 7),
            Way::Empty => accounts.clear(),
            Way::Garbage => {
                response.body = b"<html>hello</html>".to_vec();
                return Ok(());
            }
            Way::Broken if probe_count.is_multiple_of(3) => {
                return Err(Fault::new(FaultKind::Broken, "the connection broke"));
            }
            Way::Broken => return Ok(()),
        }
        response.body = serde_json::to_vec(&accounts).unwrap();
        Ok(())
    }
}

fn count_as(accounts: &mut [Value], count: u32) {
    for account in accounts {
        account["statuses_count"] = count.into();
    }
}

/// Crawls for some days; gives how many probes there were.
fn check(way: Way) -> u32 {
    let options = WorldOptions {
        seed: 5,
        accounts: ACCOUNTS as u32,
        posts_per_day: 3.0,
        chances: Chances::NONE,
        limits: Limits { api: Some((CALLS_PER_H, Span::HOUR)), ..Limits::OFF },
        history: Span::HOUR,
        ..WorldOptions::default()
    };
    let mut scene = Scene::new(options, Span::HOUR * 6.0);
    scene.policy = "freshet";
    let world = WorldFetch::new(Arc::clone(&scene.world), Arc::new(scene.clock.clone()));
    let fetch = Arc::new(Oddly { world, way, probe_count: Mutex::default() });
    scene.fetch = Some(Arc::clone(&fetch) as Arc<dyn Fetch>);
    let lists: Vec<Source> =
        scene.sources(ACCOUNTS).into_iter().filter(|source| source.robot == RobotKind::Status).collect();
    // A list of which no probe tells.
    let connector = scene.networks.connector("mastodon").unwrap();
    let tag = robot::sources_for(&*connector, &Scene::network(), RobotKind::Status, "tag", "news", 0);
    assert_eq!(tag.len(), 1);
    let lists = [lists, tag].concat();
    let mut driver = scene.start(furnish(testing::memory(), &lists));
    driver.run_for(Span::DAY * f64::from(DAYS)).unwrap();
    let stored = posts(&driver.store);
    let facts = scene.with_world(invariant::facts);
    // Twenty calls an hour for fifty accounts: each was read within a day, whatever its probes say.
    let settled_at = scene.now() - Span::DAY;
    let lost = invariant::nothing_lost(&facts, &stored, &scene.accounts(ACCOUNTS), settled_at);
    assert!(lost.is_empty(), "{way:?}: {} lost, among them {:?}", lost.len(), lost.first());
    expect_none("invented", &invariant::nothing_invented(&facts, &stored));
    let sources = all_sources(&driver.store);
    let unread: Vec<_> = sources.iter().filter(|it| it.read_at.is_none_or(|at| at < settled_at)).collect();
    assert!(unread.is_empty(), "{way:?}: {} sources were not read for a day", unread.len());
    assert!(sources.iter().all(|source| source.state == SourceState::Active), "{way:?}");
    assert_eq!(scene.refused_count(), 0, "{way:?}");
    *fetch.probe_count.lock().unwrap()
}

#[test]
fn however_probes_are_answered_nothing_is_lost_and_nobody_starved() {
    let well = check(Way::Well);
    assert!(well > 100, "where they are answered they are used: {well}");
    for way in [Way::Fewer, Way::Doubled, Way::Falling, Way::Stuck, Way::Broken] {
        check(way);
    }
    // Who refuses them is asked so once a day.
    for way in [Way::Refused(400), Way::Refused(404), Way::Refused(403), Way::Empty] {
        let count = check(way);
        assert!((1..=DAYS).contains(&count), "{way:?}: {count} probes");
    }
    // What cannot be read is tried thrice, then after 1, 2, 4, 8, 16 hours, then once a day.
    let count = check(Way::Garbage);
    assert!((3..=3 + 5 + DAYS - 2).contains(&count), "{count} probes answered with garbage");
}
