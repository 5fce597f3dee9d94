//! A crawl with constraints, of a simulated network on a virtual clock.
//!
//! What a constraint leaves out is still seen: the coverage of a crawl is that of one without
//! constraints, and it asks for nothing more. Only the store is smaller.

use std::sync::{Arc, Mutex};

use freshet_engine::core::CoreOptions;
use freshet_network::constraint::{Constraint, Constraints};
use freshet_network::networks::Networks;
use freshet_policy::{POLICY_NAMES, Pacing, policy_named};
use freshet_sim::driver::{Driver, DriverKit};
use freshet_sim::{Limits, VirtualClock, World, WorldFetch, WorldOptions};
use freshet_store::api::Flow;
use freshet_store::row::{Filter, InstanceRow, OnDelete, PostRow};
use freshet_store::testing;
use freshet_types::{Clock, Instance, NetworkName, Primitive, RobotKind, Source, Span};

const ACCOUNTS: u32 = 12;
/// A dozen accounts could be looked at every minute; a quarter of an hour is enough for constraints.
const PACING: Pacing = Pacing {
    floor: Span::from_secs(900),
    ceiling: Span::from_secs(21_600),
    ceiling_share: Pacing::WANTED_SHARE,
};
/// Calls that ask about missing posts must not make other visits wait: the crawls are compared to the last minute.
const LIMITS: Limits = Limits { api_per_5_min: None, paging_per_15_min: None, api: None };

/// What a crawl of one day came to.
struct Crawl {
    posts: Vec<PostRow>,
    /// Coverage of each source as JSON, the numbers of visits left out.
    coverage: Vec<String>,
    fetches_count: u64,
}

fn crawl(rules: &[(&str, &str)]) -> Crawl {
    let world =
        World::new(WorldOptions { accounts: ACCOUNTS, seed: 5, limits: LIMITS, ..WorldOptions::default() })
            .expect("a simulation has no faults of its own");
    let clock = VirtualClock::new(world.now());
    let network = NetworkName::new("mastodon", Some("w.test"));
    let mut store = testing::memory();
    let instance =
        Instance { network: network.clone(), base: "https://w.test".to_owned(), allow_private: false };
    store
        .put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep })
        .expect("a simulation has no faults of its own");
    let timeline = |id: String| Source::new(&network, "posts", RobotKind::Status, "account", &id);
    let sources: Vec<Source> = world.accounts().map(|account| timeline(account.id.to_string())).collect();
    store.add_sources(&sources).expect("a simulation has no faults of its own");
    let end = clock.now() + Span::DAY;
    let kit = DriverKit {
        fetch: Arc::new(WorldFetch::new(Arc::new(Mutex::new(world)), Arc::new(clock.clone()))),
        clock,
        networks: Arc::new(Networks::shipped()),
        policy: policy_named(POLICY_NAMES[0], PACING).expect("a simulation has no faults of its own"),
        options: CoreOptions::default(),
        credentials: Vec::new(),
        feeder: None,
        latency: Span::ZERO,
        crowd: None,
        pass_bytes_max: freshet_store::pass::PASS_BYTES_MAX,
    };
    let mut driver = Driver::start(store, kit).expect("a simulation has no faults of its own");
    let all = rules
        .iter()
        .map(|(kind, text)| Constraint::parse(kind, text).expect("a simulation has no faults of its own"))
        .collect();
    driver
        .constrain(Constraints::new(all).expect("a simulation has no faults of its own"))
        .expect("a simulation has no faults of its own");
    driver.run_until(end).expect("a simulation has no faults of its own");
    let mut crawl =
        Crawl { posts: Vec::new(), coverage: Vec::new(), fetches_count: driver.core().tally().fetches_count };
    let mut keep = |row| {
        crawl.posts.push(row);
        Flow::Continue(())
    };
    driver.store.each_post(&Filter::default(), &mut keep).expect("a simulation has no faults of its own");
    let mut note = |source: Source| {
        let intervals = source.coverage.intervals.iter();
        let marks: Vec<_> =
            intervals.map(|it| format!("{}..{} {}", it.newest.id, it.oldest.id, it.is_bottom)).collect();
        crawl.coverage.push(format!("{} {marks:?}", source.root_id));
        Flow::Continue(())
    };
    driver.store.each_source(&mut note).expect("a simulation has no faults of its own");
    crawl
}

fn ids(posts: &[PostRow], is_wanted: impl Fn(&PostRow) -> bool) -> Vec<String> {
    let mut ids: Vec<_> = posts.iter().filter(|row| is_wanted(row)).map(|row| row.post.id.clone()).collect();
    ids.sort();
    ids
}

fn like_count(row: &PostRow) -> i64 {
    let found = row.post.plinks.iter().find(|(name, _)| &**name == "like_count");
    match found {
        Some((_, Primitive::Int(count))) => *count,
        _ => 0,
    }
}

#[test]
fn what_a_constraint_leaves_out_still_counts_as_seen() {
    let all = crawl(&[]);
    assert!(all.posts.len() > 100, "{} posts", all.posts.len());
    assert_eq!(all.coverage.len(), ACCOUNTS as usize);
    for (rule, is_wanted) in [
        ("post.text.contains('a')", (|row| row.post.text.contains('a')) as fn(&PostRow) -> bool),
        (r#"post.plinks["like_count"] > 1000"#, |row| like_count(row) > 1000),
        ("false", |_| false),
    ] {
        let some = crawl(&[("post", rule)]);
        assert_eq!(ids(&some.posts, |_| true), ids(&all.posts, is_wanted), "{rule}");
        assert_eq!(some.coverage, all.coverage, "{rule}: coverage is that of the whole crawl");
        // Posts that were never stored cannot be missing, so fewer are asked about, and none more.
        assert!(some.fetches_count <= all.fetches_count, "{rule}: {} requests", some.fetches_count);
    }
}
