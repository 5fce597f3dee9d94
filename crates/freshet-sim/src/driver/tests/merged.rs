//! Lists of many sources as one, against servers that show them well or badly: nothing is lost, and nobody is starved.

use freshet_types::{Fault, Request, Response};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::Value;

use super::grouped::{self, DAYS, options};
use super::*;
use crate::Limits;
use crate::world::text;

/// How merged lists are shown.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// As they should be.
    Well,
    /// With this status.
    Refused(u16),
    /// Without every other member.
    Dropped,
    /// From old to new.
    Reversed,
    /// Without saying whose the posts are.
    Nobodys,
    /// Without an end, and with nothing on it.
    Hollow,
    /// With something else.
    Garbage,
}

/// A world in which merged lists are shown in some way.
#[derive(Debug)]
struct Oddly {
    world: WorldFetch,
    way: Way,
    count: Mutex<u32>,
}

impl Fetch for Oddly {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        let is_merged = request.url.contains("/timelines/accounts") || request.url.contains("any[]");
        let answer = self.world.fetch(request);
        async move {
            let mut response = answer.await?;
            if is_merged && response.status == 200 {
                *self.count.lock().unwrap() += 1;
                self.bend(&mut response);
            }
            Ok(response)
        }
        .boxed()
    }
}

impl Oddly {
    fn bend(&self, response: &mut Response) {
        let mut posts: Vec<Value> = serde_json::from_slice(&response.body).unwrap();
        match self.way {
            Way::Well => return,
            Way::Refused(status) => response.status = status,
            Way::Dropped => posts.retain(|post| {
                post["account"]["id"].as_str().is_some_and(|id| id.ends_with(['0', '2', '4', '6', '8']))
            }),
            Way::Reversed => posts.reverse(),
            Way::Nobodys => posts.iter_mut().for_each(|post| post["account"] = Value::Null),
            Way::Hollow => posts.clear(),
            Way::Garbage => {
                response.body = b"<html>hello</html>".to_vec();
                return;
            }
        }
        response.body = serde_json::to_vec(&posts).unwrap();
    }
}

/// A scene in which merged lists of accounts are shown in some way.
fn scene(way: Way, options: WorldOptions) -> (Scene, Arc<Oddly>) {
    grouped::scene(options, |world| Oddly { world, way, count: Mutex::default() })
}

/// Crawls for some days; gives how many merged pages there were.
fn check(way: Way) -> u32 {
    let (mut scene, fetch) = scene(way, options());
    scene.networks = Arc::new(crate::merged::networks(40, 40));
    grouped::check(&scene, Vec::new(), way);
    *fetch.count.lock().unwrap()
}

#[test]
fn however_merged_lists_are_shown_nothing_is_lost_and_nobody_starved() {
    let well = check(Way::Well);
    assert!(well > 100, "where they are shown they are used: {well}");
    for way in [Way::Dropped, Way::Nobodys, Way::Reversed] {
        check(way);
    }
    // Who refuses them is asked so once a day.
    for way in [Way::Refused(400), Way::Refused(404)] {
        let count = check(way);
        assert!((1..=DAYS).contains(&count), "{way:?}: {count} merged pages");
    }
    // What cannot be read or reaches nobody is tried thrice, then after 1, 2, 4, 8, 16 hours, then once a day.
    for way in [Way::Garbage, Way::Hollow] {
        let count = check(way);
        assert!((3..=3 + 5 + DAYS - 2).contains(&count), "{way:?}: {count} merged pages");
    }
}

#[test]
fn tags_of_a_server_are_read_as_one_list() {
    let limits = Limits { api: Some((4, Span::HOUR)), ..Limits::OFF };
    let (scene, fetch) = scene(Way::Well, WorldOptions { limits, ..options() });
    let connector = scene.networks.connector("mastodon").unwrap();
    let tags: Vec<Source> = (0..text::TAG_COUNT)
        .map(text::tag_name)
        .flat_map(|tag| robot::sources_for(&*connector, &Scene::network(), RobotKind::Status, "tag", tag, 0))
        .collect();
    let mut driver = scene.start(furnish(testing::memory(), &tags));
    driver.run_for(Span::DAY * f64::from(DAYS)).unwrap();
    let count = *fetch.count.lock().unwrap();
    assert!(count > 20, "{count} merged pages");
    // Whatever bears a tag and was posted a day ago is here.
    let stored: Set<String> = posts(&driver.store).into_iter().map(|row| row.post.id).collect();
    let settled_at = scene.now() - Span::DAY;
    let tagged: Vec<String> = scene.with_world(|world| {
        let bearing = world.tagged.iter().flatten().map(|post_index| world.posts.get(*post_index));
        let settled = bearing.filter(|post| post.created_at_ms() < settled_at.ms());
        settled.map(|post| post.id.to_string()).collect()
    });
    let lost = tagged.iter().filter(|id| !stored.contains(*id)).count();
    assert!(tagged.len() > 50 && lost == 0, "{lost} of {} are lost", tagged.len());
}
