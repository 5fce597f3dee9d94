//! `memory`: the resident set of an engine that knows a million sources and has ten million ids
//! queued in the robots' rings, with a page cache of 16 MB for the store.

use std::sync::Arc;

use anyhow::Context as _;
use freshet_engine::core::{Core, CoreOptions, Event, Moment};
use freshet_frontier::Coordinator;
use freshet_network::networks::Networks;
use freshet_policy::{Pacing, policy_named};
use freshet_store::api::Store;
use freshet_store::row::{InstanceRow, OnDelete};
use freshet_store::{Access, Options};
use freshet_types::{Clock as _, Instance, NetworkName, RobotKind, Source, SourceId, Span, SystemClock};
use serde_json::{Value, json};

use crate::Scale;

/// Sources in the store and in the scheduler.
const SOURCES: u32 = 1_000_000;
/// Ids in all rings together.
const IDS: u64 = 10_000_000;
/// Page cache of the store.
const CACHE_KIB: u32 = 16 * 1024;
/// Ids that the rings keep in memory.
const RINGS_MEMORY_MAX: usize = 1 << 20;
/// Sources told to the core at once, as the driver does it.
const CHUNK: usize = 10_000;

pub(crate) fn run(scale: Scale) -> anyhow::Result<Value> {
    let folder = tempfile::tempdir()?;
    let before = resident_mb()?;
    let options = Options { cache_kib: CACHE_KIB, ..Options::default() };
    let mut store = freshet_store::open(&folder.path().join("store.sqlite"), Access::Write, options)?;
    let network = NetworkName::from("hackernews");
    let instance =
        Instance { network: network.clone(), base: "https://hn.example".to_owned(), allow_private: false };
    store.put_instance(&InstanceRow { instance, on_delete: OnDelete::Keep })?;
    add_sources(&mut store, &network, scale.pick(SOURCES, CHUNK as u32))?;
    let mut rings = Coordinator::open(&folder.path().join("rings"), RINGS_MEMORY_MAX)?;
    fill_rings(&mut rings, scale.pick(IDS, 100_000))?;
    let core = load_core(&store)?;
    let (sources, due, _) = core.queue_sizes();
    let queued: usize = RobotKind::ALL.into_iter().map(|robot| rings.ring(robot).len()).sum();
    let resident = resident_mb()?;
    println!(
        "{sources} sources known ({due} due), {queued} ids in the rings, page cache {} MB",
        CACHE_KIB / 1024
    );
    println!("  before        {before:>7.1} MB");
    println!("  resident set  {resident:>7.1} MB  (limit 200)");
    println!("  rings         {:>7.1} MB  (limit 64)", rings.bytes() as f64 / 1e6);
    Ok(json!({
        "bench": "memory",
        "resident_mb": resident,
        "rings_mb": rings.bytes() as f64 / 1e6,
        "sources": sources,
        "queued_ids": queued,
        "ratios": {"of_200_mb": resident / 200.0, "rings_of_64_mb": rings.bytes() as f64 / 64e6},
    }))
}

fn add_sources(store: &mut dyn Store, network: &NetworkName, count: u32) -> anyhow::Result<()> {
    let now = SystemClock.now();
    for chunk in 0..count / CHUNK as u32 {
        let sources: Vec<Source> = (0..CHUNK as u32)
            .map(|at| {
                let number = chunk * CHUNK as u32 + at;
                let id = format!("user{number:07}");
                let mut source = Source::new(network, "posts", RobotKind::Status, "account", &id);
                source.due_at = now + Span::from_ms(i64::from(number % 86_400) * 1000);
                source
            })
            .collect();
        store.add_sources(&sources)?;
    }
    Ok(())
}

fn fill_rings(rings: &mut Coordinator, count: u64) -> anyhow::Result<()> {
    let share = count / RobotKind::ALL.len() as u64;
    for robot in RobotKind::ALL {
        for first in (0..share).step_by(CHUNK) {
            let ids: Vec<u64> = (first..(first + CHUNK as u64).min(share)).collect();
            rings.ring(robot).push_from_log(first + CHUNK as u64, &ids)?;
        }
    }
    rings.tend()?;
    rings.sync()?;
    Ok(())
}

fn load_core(store: &dyn Store) -> anyhow::Result<Core> {
    let policy = policy_named("change-rate", Pacing::default()).context("it exists")?;
    let now = SystemClock.now();
    let networks = Arc::new(Networks::shipped());
    let mut core =
        Core::new(networks, policy, Arc::new(|_, _, _| Vec::new()), CoreOptions::default(), 0..1, now);
    let moment = Moment { now, wall_ms: 0 };
    core.handle(Event::Drain, moment); // Begin nothing: only what waits is weighed.
    let instances = store.instances()?.into_iter().map(|row| row.instance).collect();
    core.handle(Event::Instances(instances), moment);
    let mut above = SourceId(0);
    loop {
        let slots = store.slots_above(above, CHUNK)?;
        let Some(last) = slots.last() else { return Ok(core) };
        above = last.id;
        core.handle(Event::Slots(slots), moment);
    }
}

/// The resident set of this process, as the system counts it.
fn resident_mb() -> anyhow::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status").context("the system does not tell")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS")).context("VmRSS is told")?;
    let kib: f64 = line.split_whitespace().nth(1).context("a number follows")?.parse()?;
    Ok(kib / 1024.0)
}
