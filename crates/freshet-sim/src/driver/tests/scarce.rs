//! Robots beside posts where calls are few: what posts lose by profiles, and by lists of members whatever these are like.

use std::sync::atomic::{AtomicUsize, Ordering};

use freshet_types::RobotState::Running;
use freshet_types::{Fault, Request, Response, RobotState};
use futures::future::BoxFuture;

use super::*;
use crate::{Chances, Limits};

/// What the lists of members are like.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Lists {
    /// Nobody asks for them.
    Unasked,
    /// As the world has them: some accounts on one page.
    Short,
    /// Each has this many pages.
    Long(usize),
    /// The network says of each that it is not there.
    Gone,
}

/// Tells lists of members in another way.
#[derive(Debug)]
struct Retold {
    inner: WorldFetch,
    lists: Lists,
    asked: AtomicUsize,
}

impl Fetch for Retold {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        Box::pin(async move {
            // The world counts the request all the same.
            let answer = self.inner.fetch(request).await?;
            let is_list = ["/reblogged_by", "/favourited_by"].iter().any(|it| request.url.contains(it));
            if !is_list || answer.status != 200 {
                return Ok(answer);
            }
            self.asked.fetch_add(1, Ordering::Relaxed);
            Ok(match self.lists {
                Lists::Unasked | Lists::Short => answer,
                Lists::Gone => Response { status: 404, body: br#"{"error":"no"}"#.to_vec(), ..answer },
                Lists::Long(pages) => long(answer, &request.url, pages),
            })
        })
    }
}

/// A page of a long list: its number stands in the address.
fn long(answer: Response, url: &str, pages: usize) -> Response {
    let (list, rest) = url.split_once('?').unwrap_or((url, ""));
    let number =
        rest.split('&').find_map(|it| it.strip_prefix("max_id=")).map_or(0, |it| it.parse().unwrap());
    let account = |place: usize| {
        let id = format!("77{:06}", number * 80 + place);
        serde_json::json!({"id": id, "acct": id, "username": id})
    };
    let body: Vec<serde_json::Value> = (0..80).map(account).collect();
    let mut headers = answer.headers.clone();
    headers.retain(|(name, _)| name != "link");
    if number + 1 < pages {
        headers.push(("link".to_owned(), format!("<{list}?limit=80&max_id={}>; rel=\"next\"", number + 1)));
    }
    Response { headers, body: serde_json::to_vec(&body).unwrap(), ..answer }
}

/// What was asked for, and how late posts were.
#[derive(Debug)]
struct Figures {
    posts_calls: usize,
    profiles_calls: usize,
    links_calls: usize,
    /// Calls for lists of members on the last day.
    links_last_day: usize,
    /// Lists of members that were found.
    lists_count: usize,
    /// Mean seconds from post to seen, of the last two days.
    lag_s: f64,
}

/// A crawl of so many accounts for so many days, with so many calls an hour.
fn crawl(policy: &'static str, scale: (u32, u32, u32), lists: Lists) -> Figures {
    crawl_with(policy, scale, lists, Running)
}

/// The same with the robot of profiles in this state.
fn crawl_with(
    policy: &'static str,
    (accounts, days, calls_per_h): (u32, u32, u32),
    lists: Lists,
    profiles: RobotState,
) -> Figures {
    let limits = Limits { api: Some((calls_per_h, Span::HOUR)), ..Limits::OFF };
    let chances = Chances { repost_share: 0.3, ..Chances::NONE };
    let history = Span::DAY * 10.0;
    let world = WorldOptions::default();
    let options = WorldOptions { seed: 41, accounts, posts_per_day: 8.0, history, chances, limits, ..world };
    let mut scene = Scene::new(options, Span::HOUR * 6.0);
    scene.policy = policy;
    let inner = WorldFetch::new(Arc::clone(&scene.world), Arc::new(scene.clock.clone()));
    let retold = Arc::new(Retold { inner, lists, asked: AtomicUsize::new(0) });
    scene.fetch = Some(Arc::<Retold>::clone(&retold));
    let mut driver = scene.start(scene.store(accounts as usize));
    driver.set_robot(RobotKind::User, profiles).unwrap();
    if lists != Lists::Unasked {
        driver.set_robot(RobotKind::Link, Running).unwrap();
    }
    driver.run_for(Span::DAY * f64::from(days - 1)).unwrap();
    let before = retold.asked.load(Ordering::Relaxed);
    driver.run_for(Span::DAY).unwrap();
    let begun_at = scene.now() - Span::DAY * 2.0;
    let lag = |row: PostRow| {
        let created_at = row.post.created_at.filter(|at| *at > begun_at && !row.post.is_embedded)?;
        Some((row.seen_at - created_at).secs_f64())
    };
    let lags: Vec<f64> = posts(&driver.store).into_iter().filter_map(lag).collect();
    let of = |endpoints: &[&str]| {
        driver.journal.iter().filter(|exchange| endpoints.contains(&&*exchange.endpoint)).count()
    };
    let sources = all_sources(&driver.store);
    let figures = Figures {
        posts_calls: of(&["posts", "several"]),
        profiles_calls: of(&["account"]),
        links_calls: of(&["likers", "reposters"]),
        links_last_day: retold.asked.load(Ordering::Relaxed) - before,
        lists_count: sources.iter().filter(|source| source.robot == RobotKind::Link).count(),
        lag_s: lags.iter().sum::<f64>() / lags.len() as f64,
    };
    assert_eq!(scene.refused_count(), 0);
    eprintln!("{policy}, {calls_per_h} calls an hour, {lists:?}, profiles {profiles:?}: {figures:?}");
    figures
}

/// Under this policy, lists of any kind take a share of the calls that is bounded, and posts are seen nearly as soon.
fn check(policy: &'static str, all: &[Lists]) {
    let scene = (20, 3, 30);
    let alone = crawl(policy, scene, Lists::Unasked);
    assert_eq!(alone.links_calls, 0);
    for &lists in all {
        let beside = crawl(policy, scene, lists);
        let share = beside.links_calls as f64 / (beside.links_calls + beside.posts_calls) as f64;
        assert!(share > 0.05 && share < 0.13, "{policy}, {lists:?}: {share:.2} of the calls, {beside:?}");
        let is_near = beside.lag_s < alone.lag_s * 1.4;
        assert!(is_near, "{policy}, {lists:?}: {:.0} s instead of {:.0} s", beside.lag_s, alone.lag_s);
    }
}

#[test]
fn lists_of_members_do_not_starve_posts_where_calls_are_few() {
    check("freshet", &[Lists::Short, Lists::Long(30)]);
}

#[test]
fn nor_do_they_under_a_policy_without_prices() {
    check("rr", &[Lists::Long(30)]);
}

/// Under this policy, profiles take a share of the calls that is bounded, though a third of all calls would be due for them, and posts are
/// seen nearly as soon.
fn check_profiles(policy: &'static str) {
    let scene = (60, 3, 30);
    let alone = crawl_with(policy, scene, Lists::Unasked, RobotState::Stopped);
    assert_eq!(alone.profiles_calls, 0);
    let beside = crawl_with(policy, scene, Lists::Unasked, Running);
    let share = beside.profiles_calls as f64 / (beside.profiles_calls + beside.posts_calls) as f64;
    assert!(share > 0.05 && share < 0.13, "{policy}: {share:.2} of the calls, {beside:?}");
    let is_near = beside.lag_s < alone.lag_s * 1.25;
    assert!(is_near, "{policy}: {:.0} s instead of {:.0} s", beside.lag_s, alone.lag_s);
}

#[test]
fn profiles_do_not_starve_posts_where_calls_are_few() {
    check_profiles("freshet");
}

#[test]
fn nor_do_profiles_under_a_policy_without_prices() {
    check_profiles("rr");
}

#[test]
fn lists_that_are_not_there_are_asked_for_ever_more_seldom() {
    let figures = crawl("freshet", (6, 6, 1200), Lists::Gone);
    let per_list = figures.links_last_day as f64 / figures.lists_count as f64;
    // One look a day each, for ever, would be more than 0.8: some are young.
    assert!(figures.lists_count > 100 && per_list < 0.4, "{per_list:.2} calls a day for each: {figures:?}");
}
