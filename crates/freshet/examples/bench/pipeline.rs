//! `pipeline`: fetch → read → compare → apply from a loopback server without a quota, against
//! (a) the bare HTTP client draining the same answers and (b) bare bulk inserts of the very rows
//! that the crawl wrote.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use freshet_engine::budget::Budgets;
use freshet_engine::core::CoreOptions;
use freshet_fetch::{HttpFetch, HttpOptions, Vault};
use freshet_network::networks::Networks;
use freshet_store::bench;
use freshet_store::row::{InstanceRow, OnDelete};
use freshet_store::{Access, Options};
use freshet_types::{Clock, Instance, NetworkName, RobotKind, Source, SystemClock};
use futures::StreamExt as _;
use serde_json::{Value, json};

use crate::Scale;
use crate::crawl::{self, Crawl};
use crate::pages::{PAGE, PAGES, Pages};

/// Accounts served; with ten full pages each.
const ACCOUNTS: usize = 250;
/// Requests under way at once, for the bare client and for the engine.
const IN_FLIGHT: usize = 16;
/// Rounds; the best of each side counts.
const ROUNDS: usize = 3;
/// A round that takes longer has failed.
const ROUND_MAX: Duration = Duration::from_mins(2);

pub(crate) fn run(scale: Scale) -> anyhow::Result<Value> {
    let (accounts, rounds) = scale.pick((ACCOUNTS, ROUNDS), (5, 1));
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(measure(accounts, rounds))
}

async fn measure(accounts: usize, rounds: usize) -> anyhow::Result<Value> {
    let pages = Pages::new(accounts);
    let (posts, page_count) = (pages.post_count(), pages.page_count());
    let address = pages.serve().await?;
    let urls = crate::pages::urls(address, accounts);
    let (mut client, mut engine, mut insert) = (f64::MAX, f64::MAX, f64::MAX);
    for _ in 0..rounds {
        // The engine first: it installs the TLS provider that any client needs.
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("store.sqlite");
        engine = engine.min(crawl(address, posts, &path).await?);
        client = client.min(drain(&urls).await?);
        insert = insert.min(tokio::task::spawn_blocking(move || bench::copy_seconds(&path)).await??);
    }
    let ratio = |bare: f64| bare / engine;
    println!("{posts} posts on {page_count} pages, best of {rounds} rounds each");
    println!("  bare client   {:>10.0} pages/s", page_count as f64 / client);
    println!("  bare inserts  {:>10.0} posts/s", posts as f64 / insert);
    println!(
        "  pipeline      {:>10.0} pages/s  {:>10.0} posts/s",
        page_count as f64 / engine,
        posts as f64 / engine
    );
    Ok(json!({
        "bench": "pipeline",
        "pages_per_s": page_count as f64 / engine,
        "posts_per_s": posts as f64 / engine,
        "client_pages_per_s": page_count as f64 / client,
        "insert_posts_per_s": posts as f64 / insert,
        "ratios": {"client": ratio(client), "insert": ratio(insert), "slower": ratio(client.max(insert))},
    }))
}

/// The bare client: every page once, bodies read and dropped.
async fn drain(urls: &[String]) -> anyhow::Result<f64> {
    let client = reqwest::Client::builder().build()?;
    let began = Instant::now();
    let mut bodies = futures::stream::iter(urls)
        .map(|url| {
            let client = client.clone();
            async move { client.get(url).send().await?.error_for_status()?.bytes().await }
        })
        .buffer_unordered(IN_FLIGHT);
    while let Some(body) = bodies.next().await {
        body.context("the bare client failed")?;
    }
    Ok(began.elapsed().as_secs_f64())
}

/// The whole pipeline into an empty store, until every post is in it.
async fn crawl(address: SocketAddr, posts: usize, path: &Path) -> anyhow::Result<f64> {
    let networks = Arc::new(without_quotas()?);
    let network = NetworkName::new("mastodon", Some(&address.to_string()));
    let mut store = freshet_store::open(path, Access::Write, Options::default())?;
    let instance =
        Instance { network: network.clone(), base: format!("http://{address}"), allow_private: true };
    store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep })?;
    let connector = networks.connector("mastodon").context("mastodon is shipped")?;
    let sources: Vec<Source> = (0..posts / (PAGES * PAGE))
        .flat_map(|account| {
            let id = account.to_string();
            freshet_network::robot::sources_for(&*connector, &network, RobotKind::Status, "account", &id, 0)
        })
        .collect();
    store.add_sources(&sources)?;
    // Whoever names no quota is asked gently unless a person says otherwise; here it is about speed.
    let rate = "100000/s".parse().map_err(anyhow::Error::msg)?;
    Budgets([(network.clone(), rate)].into()).put(&mut store)?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let vault = Arc::new(Vault::empty());
    let mut http = HttpOptions::new("bench", Arc::clone(&clock), vault);
    http.in_flight_per_host_max = IN_FLIGHT;
    let kit = crawl::kit(store, path, Arc::new(HttpFetch::new(http)?), networks)?;
    let core = CoreOptions { fetcher_count: IN_FLIGHT, ..CoreOptions::default() };
    let began = Instant::now();
    let mut crawl = Crawl::start(kit, core, ROUND_MAX);
    let mut stored = 0;
    while stored < posts && crawl.reports.changed().await.is_ok() {
        stored = crawl.reports.borrow().posts_count as usize;
    }
    let took = began.elapsed().as_secs_f64();
    let report = crawl.stop().await?;
    ensure!(stored >= posts, "only {stored} of {posts} posts arrived: {report:?}");
    Ok(took)
}

/// The shipped definition without its quotas and its pause.
fn without_quotas() -> anyhow::Result<Networks> {
    let networks = Networks::shipped();
    let text = include_str!("../../../../networks/mastodon.toml");
    let mut table: toml::Table = toml::from_str(text)?;
    table.remove("quotas");
    table.insert("in_flight_max".to_owned(), toml::Value::Integer(IN_FLIGHT as i64));
    networks.apply_definition("bench.toml", &toml::to_string(&table)?)?;
    Ok(networks)
}
