//! Calls that ask about many sources, against servers that answer them badly: nothing is lost, and nobody is starved.

use freshet_types::{Fault, Request, Response};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;

use super::grouped::{self, DAYS};
use super::*;

/// How probes are answered.
#[derive(Clone, Copy, Debug)]
pub(super) enum Way {
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
pub(super) struct Oddly {
    world: WorldFetch,
    way: Way,
    /// What is in the addresses of probes, and what the pulse is called in answers.
    names: (&'static str, &'static str),
    probe_count: Mutex<u32>,
}

impl Fetch for Oddly {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let is_probe = request.url.contains(self.names.0);
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
    pub(super) fn new(world: WorldFetch, way: Way, names: (&'static str, &'static str)) -> Self {
        Self { world, way, names, probe_count: Mutex::default() }
    }

    pub(super) fn probe_count(&self) -> u32 {
        *self.probe_count.lock().unwrap()
    }

    fn bend(&self, response: &mut Response, probe_count: u32) -> Result<(), Fault> {
        let mut accounts: Vec<Value> = serde_json::from_slice(&response.body).unwrap();
        match self.way {
            Way::Well => return Ok(()),
            Way::Refused(status) => response.status = status,
            Way::Fewer => accounts = accounts.into_iter().step_by(2).collect(),
            Way::Doubled => accounts = accounts.iter().rev().chain(&accounts).cloned().collect(),
            Way::Falling => self.count_as(&mut accounts, 9999 - probe_count),
            Way::Stuck => self.count_as(&mut accounts, 7),
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

    fn count_as(&self, accounts: &mut [Value], count: u32) {
        for account in accounts {
            account[self.names.1] = count.into();
        }
    }
}

/// Crawls for some days; gives how many probes there were.
fn check(way: Way) -> u32 {
    let oddly = |world| Oddly::new(world, way, ("/api/v1/accounts?", "statuses_count"));
    let (scene, fetch) = grouped::scene(grouped::options(), oddly);
    // A list of which no probe tells.
    let connector = scene.networks.connector("mastodon").unwrap();
    let tag = robot::sources_for(&*connector, &Scene::network(), RobotKind::Status, "tag", "news", 0);
    assert_eq!(tag.len(), 1);
    grouped::check(&scene, tag, way);
    fetch.probe_count()
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
