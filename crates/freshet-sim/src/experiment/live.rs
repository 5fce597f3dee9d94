//! The engine as a row of an experiment: the whole product crawls a world made of the history.
//!
//! Walk, ledger, prices, learning and storing are those of `run`, on a virtual clock. The world speaks
//! Mastodon's dialect and announces the budget as its limit, so the crawl has exactly the calls that the other rows
//! have. It knows nothing when the warm-up begins, unlike the others, to whom all posts of the warm-up
//! are told: what it knows when the evaluation begins it has learned with its own calls. Delays are taken in the world: from a
//! post to the first answered page that shows it.

use std::sync::{Arc, Mutex, PoisonError};

use freshet_engine::core::CoreOptions;
use freshet_engine::runner::RunError;
use freshet_network::networks::Networks;
use freshet_network::robot;
use freshet_policy::{DEFAULT_POLICY, Pacing, policy_named};
use freshet_store::row::{InstanceRow, OnDelete};
use freshet_store::{Access, MEMORY, Options};
use freshet_types::{Instance, NetworkName, RobotKind, Source, Span, Weight};

use super::{ExperimentError, Outcome, Overflow, Profiles, Setup, Tally};
use crate::driver::{Driver, DriverKit, Exchange};
use crate::trace::{History, Window};
use crate::world::{AccountInfo, Limits, World};
use crate::{VirtualClock, WorldFetch, merged};

/// The name of this row; `live:NAME` is the engine under another policy than the usual one.
pub(crate) const NAME: &str = "live";
/// Where the world is.
const HOST: &str = "history.test";
/// How the world is read.
const MASTODON: &str = include_str!("../../../../networks/mastodon.toml");
/// How the line begins that says where a profile counts its posts.
const COUNTED: &str = "posts_count = ";
/// Posts that the world gives on one page at most.
const PAGE_MAX: u32 = 40;
/// Longest way of an answer.
const LATENCY: Span = Span::from_ms(400);
/// A budget that is no whole number of calls an hour becomes a whole number in so many hours at most.
const WINDOW_HOURS_MAX: u32 = 24;

/// The policy that a name asks the engine to crawl by, where it names the engine at all.
pub(crate) fn policy_of(name: &str) -> Option<&str> {
    if name == NAME { Some(DEFAULT_POLICY) } else { name.strip_prefix(NAME)?.strip_prefix(':') }
}

/// Crawls the history by this policy.
pub(super) fn run(history: &History, setup: &Setup, policy: &str) -> Result<Outcome, ExperimentError> {
    let failed = |error: RunError| ExperimentError::Live(error.to_string());
    check(setup)?;
    let weights = weights(history, setup)?;
    let limits = Limits { api: Some(limit(setup.calls_per_hour)?), ..Limits::OFF };
    let mut world =
        World::of_history(history, limits).map_err(|error| ExperimentError::Live(error.to_string()))?;
    if let (Some(size), Overflow::Lost) = (setup.page_size, setup.overflow) {
        world.set_window(size);
    }
    if setup.is_cold {
        world.advance_to(history.window.start());
    }
    let clock = VirtualClock::new(world.now());
    let networks = Arc::new(networks(setup)?);
    let sources = sources(&networks, &world, &weights, setup.profiles)?;
    let world = Arc::new(Mutex::new(world));
    let pacing = Pacing::default();
    let fetch = WorldFetch::new(Arc::clone(&world), Arc::new(clock.clone()));
    let policy = policy_named(policy, pacing).ok_or_else(|| super::unknown(policy))?;
    let mut kit = DriverKit::new(Arc::new(fetch), clock, networks, policy);
    kit.options = CoreOptions {
        ceiling: pacing.ceiling,
        group_max: setup.group.max(1) as usize,
        objective: setup.objective,
        calendar: setup.calendar.clone(),
        ..CoreOptions::default()
    };
    kit.latency = LATENCY;
    let mut store = freshet_store::open(MEMORY, Access::Write, Options::default())
        .map_err(|error| failed(error.into()))?;
    let instance = Instance { network: network(), base: format!("https://{HOST}"), allow_private: false };
    let row = InstanceRow { instance, on_delete: OnDelete::Keep };
    store
        .put_instance(&row)
        .and_then(|()| store.add_sources(&sources))
        .map_err(|error| failed(error.into()))?;
    let mut driver = Driver::start(store, kit).map_err(failed)?;
    driver.loops_back = false;
    driver.run_until(history.window.end()).map_err(failed)?;
    let world = world.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(measure(history, setup, &world, &driver.journal))
}

fn check(setup: &Setup) -> Result<(), ExperimentError> {
    let refused = |what: &str| {
        Err(ExperimentError::Live(format!("the engine knows no {what}; leave it out, or leave `{NAME}` out")))
    };
    if setup.merged_page > 0 && (setup.page_size.is_some() || setup.profiles == Profiles::Uncounted) {
        return refused("merged lists beside other changes of its definition");
    }
    let is_long = setup.page_size.is_some_and(|size| size > PAGE_MAX);
    if is_long && setup.overflow == Overflow::Pages {
        return Err(ExperimentError::Live(format!("its server gives {PAGE_MAX} posts a page at most")));
    }
    Ok(())
}

/// The networks, whose Mastodon has pages of the size that is asked for: a window where the rest is lost.
fn networks(setup: &Setup) -> Result<Networks, ExperimentError> {
    if setup.merged_page > 0 {
        return Ok(merged::networks(setup.group, setup.merged_page));
    }
    let networks = Networks::shipped();
    let is_lost = setup.overflow == Overflow::Lost;
    let text = setup.page_size.map_or_else(|| MASTODON.to_owned(), |size| definition(size, is_lost));
    let text = if setup.profiles == Profiles::Uncounted { uncounted(&text) } else { text };
    if text != MASTODON {
        let applied = networks.apply_definition("mastodon.toml", &text);
        applied.map_err(|error| ExperimentError::Live(error.to_string()))?;
    }
    Ok(networks)
}

/// The same definition, which does not read how many posts a profile counts.
fn uncounted(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.starts_with(COUNTED)).collect()
}

/// The definition of Mastodon with another list of posts.
fn definition(size: u32, is_window: bool) -> String {
    let mut lines = Vec::new();
    let mut is_meant = false;
    for line in MASTODON.lines() {
        is_meant = if line.starts_with('[') { line == "[endpoints.posts]" } else { is_meant };
        let is_dropped = is_meant && is_window && ["paging", "newer"].iter().any(|key| line.starts_with(key));
        if is_meant && line.starts_with("page_size") {
            lines.extend([format!("page_size = {size}"), format!("is_window = {is_window}")]);
        } else if !is_dropped {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n")
}

/// So many calls in such a window.
fn limit(calls_per_hour: f64) -> Result<(u32, Span), ExperimentError> {
    let error = |hours: &u32| {
        let calls = calls_per_hour * f64::from(*hours);
        (calls - calls.round()).abs() / calls.max(1e-9)
    };
    let hours = (1..=WINDOW_HOURS_MAX)
        .find(|hours| error(hours) < 0.001)
        .or_else(|| (1..=WINDOW_HOURS_MAX).min_by(|a, b| error(a).total_cmp(&error(b))));
    let hours = hours.unwrap_or(1);
    let calls = (calls_per_hour * f64::from(hours)).round();
    if calls < 1.0 || calls > f64::from(u32::MAX) {
        return Err(ExperimentError::Live(format!(
            "a server cannot announce {calls_per_hour} calls an hour; choose one call a day or more"
        )));
    }
    Ok((calls as u32, Span::HOUR * f64::from(hours)))
}

fn network() -> NetworkName {
    NetworkName::new("mastodon", Some(HOST))
}

/// How much each account's posts count, as a person may say it.
fn weights(history: &History, setup: &Setup) -> Result<Vec<Weight>, ExperimentError> {
    let weight = |user: u64| {
        let text = setup.weight(user).to_string();
        text.parse::<Weight>()
            .map_err(|why| ExperimentError::Live(format!("the weight of user {user}: {why}")))
    };
    history.posters.iter().map(|poster| weight(poster.user)).collect()
}

/// The timelines of all accounts, as a person adds them: the accounts of the world are the posters of its history, in their order.
fn sources(
    networks: &Networks,
    world: &World,
    weights: &[Weight],
    profiles: Profiles,
) -> Result<Vec<Source>, ExperimentError> {
    let connector = networks
        .connector("mastodon")
        .ok_or_else(|| ExperimentError::Live("the definition of `mastodon` is not there".to_owned()))?;
    let posts_of =
        |id: &str| robot::sources_for(&*connector, &network(), RobotKind::Status, "account", id, 0);
    let added = |(account, weight): (AccountInfo<'_>, &Weight)| -> Vec<Source> {
        let (id, handle) = match profiles {
            Profiles::Unasked => (account.id.to_string(), None),
            Profiles::Shown | Profiles::Uncounted => (String::new(), Some(account.handle.to_owned())),
        };
        let weight = weight.value();
        let sources = posts_of(&id).into_iter();
        sources.map(|source| Source { handle: handle.clone(), weight, ..source }).collect()
    };
    Ok(world.accounts().zip(weights).flat_map(added).collect())
}

/// What the world saw of the crawl in the evaluation.
fn measure(history: &History, setup: &Setup, world: &World, journal: &[Exchange]) -> Outcome {
    let window = history.window;
    let mut tally = Tally::new(window, history.eval_count());
    let mut shown_counts = vec![0_u32; journal.len()];
    for post in world.shown().filter(|post| (window.start()..window.end()).contains(&post.posted_at)) {
        let weight = setup.weight(history.posters[post.poster].user);
        match post.first_at.filter(|at| *at < window.end()) {
            Some(at) => {
                tally.seen(at - post.posted_at, weight);
                let call = journal.partition_point(|exchange| exchange.sent_at < at);
                if let Some(count) = shown_counts.get_mut(call) {
                    *count += 1;
                }
            }
            None => tally.unseen(window.end() - post.posted_at, weight),
        }
    }
    count_calls(window, &mut tally, journal, &shown_counts);
    tally.outcome()
}

fn count_calls(window: Window, tally: &mut Tally, journal: &[Exchange], shown_counts: &[u32]) {
    let mut calls =
        journal.iter().zip(shown_counts).filter(|(call, _)| call.sent_at >= window.start()).peekable();
    for day in 1..=window.eval_days {
        tally.day(None);
        let until = window.start() + Span::DAY * f64::from(day);
        while let Some((_, shown_count)) = calls.next_if(|(call, _)| call.sent_at < until) {
            tally.call(1, *shown_count > 0);
        }
    }
}
