//! The robots: breadth-first growth, being switched at any moment, and what each of them collects.

use freshet_store::row::LinkQuery;
use freshet_types::RobotState::{Paused, Running, Stopped};
use freshet_types::{Fault, Request, Response};
use futures::future::BoxFuture;

use super::*;
use crate::Chances;

fn options(chances: Chances) -> WorldOptions {
    let history = Span::DAY * 10.0;
    WorldOptions { seed: 41, accounts: 40, posts_per_day: 0.5, history, chances, ..WorldOptions::default() }
}

/// Nobody vanishes and nobody changes whom they follow, so that a crawl can be exact.
const STILL: Chances = Chances { reply_share: 0.3, repost_share: 0.2, ..Chances::NONE };

/// Who follows whom.
fn follows(world: &World) -> Set<(String, String)> {
    let of_one = |account: &crate::world::Account| {
        let id = account.id.to_string();
        let others = account.following.iter().map(|edge| world.accounts[edge.other as usize].id.to_string());
        others.map(|other| (id.clone(), other)).collect::<Vec<_>>()
    };
    world.accounts.iter().flat_map(of_one).collect()
}

fn requests_of<S>(driver: &Driver<S>, endpoints: &[&str]) -> usize {
    driver.journal.iter().filter(|exchange| endpoints.contains(&&*exchange.endpoint)).count()
}

fn roots(sources: &[Source], robot: RobotKind) -> Set<String> {
    sources.iter().filter(|source| source.robot == robot).map(|source| source.root_id.clone()).collect()
}

/// What must hold of a crawl to `depth_max` from `seeds` in a still world.
fn check_growth<S: Store>(scene: &Scene, driver: &Driver<S>, seeds: &Set<String>) {
    let (depth_max, sources) = (scene.depth_max, all_sources(&driver.store));
    assert!(sources.iter().all(|source| source.depth <= depth_max), "no source beyond {depth_max}");
    let truth = scene.with_world(follows);
    // Breadth first: who is met at one step from whoever is visited becomes a source of every robot.
    let mut near = seeds.clone();
    for _ in 0..depth_max {
        let met = truth.iter().filter(|(one, other)| near.contains(one) || near.contains(other));
        near = met.flat_map(|(one, other)| [one.clone(), other.clone()]).chain(near.clone()).collect();
    }
    for robot in [RobotKind::Relation, RobotKind::User, RobotKind::Status, RobotKind::Tag] {
        let visited = roots(&sources, robot);
        let left_out = near.iter().filter(|one| !visited.contains(*one)).count();
        assert_eq!(left_out, 0, "{robot} at depth {depth_max} leaves out {left_out} of {}", near.len());
    }
    let visited = roots(&sources, RobotKind::Relation);
    let stored: Set<(String, String)> =
        relations(&driver.store).into_iter().map(|row| (row.source, row.target)).collect();
    let expected: Set<(String, String)> =
        truth.into_iter().filter(|(one, other)| visited.contains(one) || visited.contains(other)).collect();
    assert_eq!(stored, expected, "the relations of those visited, and no others");

    let known: Set<String> = stored_accounts(&driver.store).into_iter().map(|row| row.account.id).collect();
    let comments = roots(&sources, RobotKind::Comment);
    for row in posts(&driver.store) {
        let author = row.post.author.unwrap_or_default();
        assert!(author.is_empty() || known.contains(&author), "the author {author} is not known");
        let is_near = !row.post.is_embedded && near.contains(&author) && row.seen_at < scene.now() - SLACK;
        assert!(!is_near || comments.contains(&row.post.id), "post {} is not asked for replies", row.post.id);
    }
    assert!(requests_of(driver, &["tags"]) > 0 && requests_of(driver, &["replies"]) > 0);
    assert_eq!(scene.refused_count(), 0);
    eprintln!(
        "depth {depth_max}: {} sources, {} follows, {} accounts",
        sources.len(),
        stored.len(),
        near.len()
    );
}

fn start_all<S: Store>(driver: &mut Driver<S>) {
    for robot in RobotKind::ALL {
        driver.set_robot(robot, Running).unwrap();
    }
}

#[test]
fn robots_spread_breadth_first_to_the_given_depth() {
    let mut scene = Scene::new(options(STILL), Span::DAY);
    let seeds = scene.accounts(2);
    scene.depth_max = 1;
    let mut driver = scene.start(scene.store(2));
    start_all(&mut driver);
    driver.run_for(Span::DAY).unwrap();
    check_growth(&scene, &driver, &seeds);

    // Started again with a greater depth, it takes up what it had passed by.
    scene.depth_max = 2;
    let mut driver = scene.start(driver.kill());
    driver.run_for(Span::DAY).unwrap();
    check_growth(&scene, &driver, &seeds);
}

#[test]
fn what_robots_find_goes_back_no_further_than_what_a_person_added() {
    let mut scene = Scene::new(options(STILL), Span::DAY);
    scene.depth_max = 1;
    let since = scene.now() - Span::DAY * 2.0;
    let sources: Vec<Source> =
        scene.sources(2).into_iter().map(|source| Source { since: Some(since), ..source }).collect();
    let mut driver = scene.start(furnish(testing::memory(), &sources));
    start_all(&mut driver);
    driver.run_for(Span::HOUR * 2.0).unwrap();
    let found = all_sources(&driver.store).into_iter().filter(|source| source.depth == 1);
    let found: Vec<Source> = found.collect();
    assert!(found.len() > 20, "only {} sources were found: choose another seed", found.len());
    let others = found.iter().filter(|source| source.since != Some(since));
    assert_eq!(others.map(Source::label).collect::<Vec<_>>(), [] as [String; 0]);
}

#[test]
fn who_vanishes_and_what_is_cancelled_is_found() {
    let chances = Chances { departure_per_day: 0.02, follow_per_day: 1.0, ..Chances::default() };
    let scene = Scene::new(options(chances), Span::DAY);
    let everybody = scene.accounts(40);
    let mut driver = scene.start(scene.store(40));
    driver.set_robot(RobotKind::Relation, Running).unwrap();
    driver.run_for(Span::DAY * 6.0).unwrap();
    let settled_at = scene.now() - Span::DAY * 2.0 - SLACK;
    let accounts = stored_accounts(&driver.store);
    let standings =
        scene.with_world(|world| invariant::standings_known(world, &accounts, &everybody, settled_at));
    expect_none("standings", &standings);
    let is_gone = |row: &&AccountRow| row.invalid.as_deref() == Some("gone");
    assert!(accounts.iter().filter(is_gone).count() > 0, "nobody departed: choose another seed");

    let truth = scene.with_world(follows);
    let rows = relations(&driver.store);
    let is_alive = |row: &&RelationRow| truth.contains(&(row.source.clone(), row.target.clone()));
    let cancelled: Vec<_> = rows.iter().filter(|row| row.cancelled_at.is_some()).collect();
    assert!(cancelled.len() > 10, "few follows were cancelled: choose another seed");
    // Forty accounts change their mind once a day each, and are asked once a day.
    let (revived, stale) = (
        cancelled.iter().filter(|row| is_alive(row)).count(),
        rows.iter().filter(|row| row.cancelled_at.is_none() && !is_alive(row)).count(),
    );
    assert!(revived <= 5 && stale <= 40, "{revived} revived and {stale} stale");
    assert_eq!(scene.refused_count(), 0);
}

#[test]
fn a_robot_that_is_off_asks_nothing_and_catches_up() {
    let mut scene = Scene::new(options(STILL), Span::HOUR * 6.0);
    scene.depth_max = 1;
    let mut driver = scene.start(scene.store(1));
    driver.run_for(Span::HOUR).unwrap();
    let relation = ["followers", "following"];
    assert_eq!(requests_of(&driver, &relation), 0, "the relation robot is stopped at first");
    let endpoints_of = [
        (RobotKind::Relation, &relation[..]),
        (RobotKind::User, &["account"]),
        (RobotKind::Status, &["posts", "status"]),
        (RobotKind::Comment, &["replies"]),
        (RobotKind::Tag, &["tags"]),
    ];
    for (robot, endpoints) in endpoints_of {
        driver.set_robot(robot, Running).unwrap();
        driver.run_for(Span::HOUR).unwrap();
        assert!(requests_of(&driver, endpoints) > 0, "{robot} works");
    }
    for (robot, endpoints) in endpoints_of {
        for rest in [Paused, Stopped] {
            driver.set_robot(robot, rest).unwrap();
            // What is under way ends; then there is silence.
            driver.run_for(Span::MINUTE * 2.0).unwrap();
            let before = requests_of(&driver, endpoints);
            driver.run_for(Span::HOUR * 7.0).unwrap();
            assert_eq!(requests_of(&driver, endpoints), before, "{robot} is {rest:?}");
            driver.set_robot(robot, Running).unwrap();
            driver.run_for(Span::MINUTE * 30.0).unwrap();
            assert!(requests_of(&driver, endpoints) > before, "{robot} works again after {rest:?}");
        }
    }
    scene.check_posts(&driver.store, &scene.accounts(1));
}

#[test]
fn a_source_found_by_a_robot_and_removed_stays_removed() {
    let mut scene = Scene::new(options(STILL), Span::DAY);
    scene.depth_max = 1;
    let mut driver = scene.start(scene.store(1));
    start_all(&mut driver);
    driver.run_for(Span::HOUR).unwrap();
    let found = all_sources(&driver.store).into_iter().find(|source| source.depth == 1).unwrap();
    driver.remove(&[found.id]).unwrap();
    // The rings are lost: everything known is handed out again.
    let store = driver.kill();
    scene.rings = tempfile::tempdir().unwrap();
    let mut driver = scene.start(store);
    driver.run_for(Span::HOUR).unwrap();
    assert_eq!(driver.store.source(found.id).unwrap().unwrap().state, SourceState::Removed);
}

/// Tells some answers of the world in another way.
struct Retold<F> {
    inner: WorldFetch,
    tell: F,
}

impl<F> std::fmt::Debug for Retold<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Retold")
    }
}

impl<F: Fn(&str, Response) -> Response + Send + Sync> Fetch for Retold<F> {
    fn fetch<'a>(&'a self, request: &'a Request) -> BoxFuture<'a, Result<Response, Fault>> {
        Box::pin(async move { Ok((self.tell)(&request.url, self.inner.fetch(request).await?)) })
    }
}

fn retold(options: WorldOptions, tell: impl Fn(&str, Response) -> Response + Send + Sync + 'static) -> Scene {
    let mut scene = Scene::new(options, Span::DAY);
    let inner = WorldFetch::new(Arc::clone(&scene.world), Arc::new(scene.clock.clone()));
    scene.fetch = Some(Arc::new(Retold { inner, tell }));
    scene
}

fn invalid<S: Store>(driver: &Driver<S>) -> Vec<String> {
    let gone = stored_accounts(&driver.store).into_iter().filter(|row| row.invalid.is_some());
    gone.map(|row| format!("{} {}", row.account.id, row.invalid.unwrap_or_default())).collect()
}

#[test]
fn only_a_profile_that_is_gone_makes_an_account_invalid() {
    let lost = |response: Response| Response { status: 404, body: br#"{"error":"no"}"#.to_vec(), ..response };
    let lists = ["featured_tags", "followers", "following", "statuses", "favourited_by", "reblogged_by"];
    let is_list = move |url: &str| lists.iter().any(|list| url.contains(&format!("/{list}")));
    // First every list that can be asked for is broken, then the profiles too.
    let scene = retold(options(STILL), move |url, page| if is_list(url) { lost(page) } else { page });
    let mut driver = scene.start(scene.store(12));
    start_all(&mut driver);
    driver.run_for(Span::DAY * 2.0).unwrap();
    assert_eq!(invalid(&driver), [] as [&str; 0]);
    let resting: Vec<Source> =
        all_sources(&driver.store).into_iter().filter(|source| source.state == SourceState::Gone).collect();
    assert!(resting.len() >= 12 * 4, "posts, followers, following and tags of each rest: {}", resting.len());
    assert!(resting.iter().all(|source| source.failure.as_deref() == Some("the network says `gone`")));
    let mut kept = all_sources(&driver.store).into_iter().filter(|source| source.robot == RobotKind::User);
    assert!(kept.all(|source| source.state == SourceState::Active), "profiles are read as ever");

    let mut scene = scene;
    let inner = WorldFetch::new(Arc::clone(&scene.world), Arc::new(scene.clock.clone()));
    let tell = move |url: &str, page| if url.contains("/api/v1/accounts/") { lost(page) } else { page };
    scene.fetch = Some(Arc::new(Retold { inner, tell }));
    let mut driver = scene.start(driver.kill());
    driver.run_for(Span::DAY * 2.0).unwrap();
    let told = invalid(&driver);
    assert_eq!(told.len(), 12);
    assert!(told.iter().all(|told| told.ends_with(" gone")), "{told:?}");
}

#[test]
fn tags_that_are_taken_away_are_cancelled_and_come_back() {
    static DAY: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let scene = retold(options(STILL), |url, page| {
        let day = DAY.load(std::sync::atomic::Ordering::Relaxed);
        if !url.contains("/featured_tags") || day == 0 {
            return page;
        }
        let mut tags: Vec<serde_json::Value> = serde_json::from_slice(&page.body).unwrap();
        // On the first day after, one is gone; then all; then all are back.
        match day {
            1 => drop(tags.pop()),
            2 => tags.clear(),
            _ => {}
        }
        Response { body: serde_json::to_vec(&tags).unwrap(), ..page }
    });
    let mut driver = scene.start(scene.store(12));
    driver.set_robot(RobotKind::Tag, Running).unwrap();
    driver.run_for(Span::HOUR * 12.0).unwrap();
    let mut counts = Vec::new();
    for day in 0..4 {
        DAY.store(day, std::sync::atomic::Ordering::Relaxed);
        driver.run_for(Span::DAY + Span::HOUR).unwrap();
        let with_tags = stored_accounts(&driver.store).into_iter().map(|row| row.object);
        let ties = with_tags.map(|object| {
            let node = driver.store.node(object).unwrap().unwrap();
            driver
                .store
                .neighbours(&node, 100)
                .unwrap()
                .ties
                .into_iter()
                .filter(|tie| tie.name == "tag")
                .count()
        });
        counts.push(ties.sum::<usize>());
    }
    let all = counts[0];
    assert!(all > 12, "the accounts have few tags: choose another seed");
    assert_eq!(counts, [all, all - 12, 0, all]);
}

/// The members that are stored of a list of a post.
fn members<S: Store>(driver: &Driver<S>, post: &str, name: &str) -> Set<String> {
    let network = Scene::network();
    let query = LinkQuery {
        network: &network,
        object: ("post", post),
        is_inward: false,
        name: Some(name),
        with_cancelled: false,
        limit: 1000,
    };
    driver.store.links_of(&query).unwrap().into_iter().map(|row| row.link.to.id).collect()
}

#[test]
fn reposters_and_likers_become_accounts_links_and_sources() {
    let chances = Chances { reply_share: 0.1, repost_share: 0.4, ..Chances::NONE };
    let options = WorldOptions { posts_per_day: 2.0, ..options(chances) };
    let mut scene = Scene::new(options, Span::DAY);
    scene.depth_max = 1;
    let seeds = scene.accounts(15);
    let mut driver = scene.start(scene.store(15));
    driver.set_robot(RobotKind::Link, Running).unwrap();
    let begun_at = scene.now();
    driver.run_for(Span::DAY * 2.0).unwrap();
    let (mut listed, mut silent) = (0, 0);
    let known: Set<String> = stored_accounts(&driver.store).into_iter().map(|row| row.account.id).collect();
    let visited = roots(&all_sources(&driver.store), RobotKind::Link);
    for row in posts(&driver.store) {
        let is_own = row.post.author.as_ref().is_some_and(|author| seeds.contains(author));
        if !is_own || row.post.repost_of.is_some() || row.post.created_at.is_none_or(|at| at > begun_at) {
            continue;
        }
        let truth: Set<String> = scene.with_world(|world| {
            let index = world.posts.find(row.post.id.parse().unwrap()).unwrap();
            let before = |repost: &u32| world.posts.get(*repost).created_at_ms() < begun_at.ms();
            let who = |repost: u32| world.accounts[world.posts.get(repost).author as usize].id.to_string();
            world.posts.reposts(index).filter(before).map(who).collect()
        });
        let stored = members(&driver, &row.post.id, "reposters");
        let left_out: Vec<_> = truth.difference(&stored).collect();
        assert!(left_out.is_empty(), "post {}: {left_out:?} repeat it", row.post.id);
        assert!(stored.iter().all(|one| known.contains(one)), "who repeats it is an account");
        listed += stored.len();
        silent += usize::from(!visited.contains(&row.post.id));
    }
    assert!(listed > 20 && silent > 5, "{listed} reposters, {silent} posts without any: choose another seed");
    // The chain goes on: their own posts are read.
    let status = roots(&all_sources(&driver.store), RobotKind::Status);
    assert!(status.len() > seeds.len(), "reposters feed the robot of posts");
    let resting = all_sources(&driver.store).into_iter().filter(|source| source.state != SourceState::Active);
    assert_eq!(resting.map(|source| source.label()).collect::<Vec<_>>(), [] as [String; 0]);
    assert_eq!(scene.refused_count(), 0);
}
