//! The watch: looks at a few sources at each tick of a running crawl, and tells who wants to know.
//!
//! A thread of its own with a connection of its own: a crawl never waits for it, except a few seconds at its
//! end. Work is bounded: so many sources a tick, all of them in turn; one message for the alerts of several
//! ticks. What it knows of a source is read from the store, so that it sees what every robot did, and no more.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use freshet_engine::price;
use freshet_policy::{ChangeModel as _, ChangeRate, Market, Policy};
use freshet_report::alerts::Alert;
use freshet_report::run::{QuotaStatus, RunStatus, ServerStatus, TroubledPart};
use freshet_store::api::{Store, StoreError};
use freshet_store::browse::Browse as _;
use freshet_store::control::Control;
use freshet_store::subscription::Kind;
use freshet_types::{
    Clock, Map, RobotKind, Set, Source, SourceId, SourceState, Span, SystemClock, Timestamp, VisitSummary,
};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::config::{self, AlertConfig};
use super::courier::{Courier, Delivery};
use super::memory::Memory;
use super::rule::{self, Down, Finding, Known, Quota};
use super::send::Sender;

/// Wall time between two ticks.
const TICK_EVERY: Duration = Duration::from_secs(1);
/// Sources looked at in a tick: a hundred thousand in five minutes, at less than a percent of a core.
const SOURCES_PER_TICK: usize = 300;
/// Wall time that alerts wait for others, so that a bad minute is one message.
const GATHER: Span = Span::from_ms(5000);
/// Wall time that the end of a run waits for messages under way; the next run sends what was not taken.
const END_WAIT_MAX: Duration = Duration::from_secs(5);
/// Bursts are told while they are news.
const BURST_MAX: Span = Span::HOUR;
/// Fewer new posts than this are no burst, whoever makes them.
const BURST_POSTS_MIN: u32 = 10;
/// After which the hours are the same again.
const WEEK: Span = Span::from_ms(7 * 86_400_000);
/// The hours may make a stretch this much busier than the mean, whatever a young model says.
const SHAPE_MAX: f64 = 3.0;

/// What a watch is made of.
#[derive(Debug)]
pub struct WatchKit {
    /// The data directory.
    pub dir: PathBuf,
    pub store: Box<dyn Store>,
    /// The clock of the crawl.
    pub clock: Arc<dyn Clock>,
    /// What the engine reports.
    pub reports: watch::Receiver<RunStatus>,
    pub sender: Sender,
}

/// A watch that runs; dropping it takes a last look and ends it.
#[derive(Debug)]
pub struct RunningWatch {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Drop for RunningWatch {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A watch that failed has said so; the crawl is over either way.
            let _ = thread.join();
        }
    }
}

/// Starts watching. Rules or receivers that are not understood are refused here.
pub fn start(kit: WatchKit) -> anyhow::Result<RunningWatch> {
    let is_over = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&is_over);
    let mut watch = Watch::new(kit)?;
    let work = move || loop {
        let is_last = told.load(Ordering::Relaxed);
        if let Err(error) = watch.tick(is_last) {
            // A store that is busy is asked again.
            tracing::debug!("alerts wait: {error}");
        }
        if is_last {
            return;
        }
        std::thread::park_timeout(TICK_EVERY);
    };
    let thread = std::thread::Builder::new().name("alerts".to_owned()).spawn(work)?;
    Ok(RunningWatch { is_over, thread: Some(thread) })
}

struct Watch {
    dir: PathBuf,
    store: Box<dyn Store>,
    clock: Arc<dyn Clock>,
    reports: watch::Receiver<RunStatus>,
    config: AlertConfig,
    config_at: Option<SystemTime>,
    memory: Memory,
    prices: price::Memory,
    policy: Arc<dyn Policy>,
    /// The source that was looked at last.
    last_source: SourceId,
    /// Servers that are down.
    down: Set<String>,
    /// Sources without a login by network, of this round.
    lost_logins: Map<String, u32>,
    courier: Courier,
    /// The memory has something that the store has not.
    is_unsaved: bool,
    /// Alerts that subscribers are to be told of once the store can be written, each with its time. Quiet times bound them.
    unsaid: VecDeque<(Alert, Timestamp)>,
    /// The last message in the store that was read.
    last_control: u64,
}

impl Watch {
    fn new(kit: WatchKit) -> anyhow::Result<Self> {
        let prices = price::Memory::from_store(&kit.store)?;
        let last_control = kit.store.controls_above(0)?.last().map_or(0, |control| control.number);
        let config = config::read(&kit.dir)?;
        let mut memory = Memory::from_store(&kit.store)?;
        let is_unsaved = memory.drop_gone(&config.receivers);
        let WatchKit { dir, store, clock, reports, sender } = kit;
        Ok(Self {
            last_control,
            config,
            config_at: written_at(&dir),
            memory,
            policy: prices.policy(),
            prices,
            last_source: SourceId(0),
            down: Set::default(),
            lost_logins: Map::default(),
            courier: Courier::new(sender),
            is_unsaved,
            unsaid: VecDeque::new(),
            dir,
            store,
            clock,
            reports,
        })
    }

    /// Looks at some sources and at the quotas; tells what gathered long enough.
    fn tick(&mut self, is_last: bool) -> Result<(), StoreError> {
        self.refresh();
        let now = self.clock.now();
        let obeyed = self.obey(now);
        let finished = self.courier.collect_finished();
        self.note(finished);
        let down = self.servers_down();
        self.down = down.iter().map(|server| server.network.clone()).collect();
        let (looked, mut findings) = match self.look(now) {
            Ok(findings) => (Ok(()), findings),
            Err(error) => (Err(error), Vec::new()),
        };
        findings.extend(self.quotas(now));
        findings.extend(self.store_trouble(now));
        findings.extend(down.iter().filter_map(|it| rule::judge_server(&self.config.rules, it, now)));
        let new =
            findings.into_iter().filter_map(|finding| self.memory.raise(&self.config.rules, finding, now));
        let new: Vec<Alert> = new.collect();
        self.unsaid.extend(new.iter().map(|alert| (alert.clone(), now)));
        let new: Vec<u64> = new.iter().map(|alert| alert.number).collect();
        if !new.is_empty() {
            self.memory.address(&new, &self.config.receivers, SystemClock.now() + GATHER);
            self.is_unsaved = true;
        }
        // A store that cannot be written must not keep an alert about just that from being told.
        let saved = self.save();
        self.dispatch(is_last);
        if is_last {
            let finished = self.courier.wait(END_WAIT_MAX);
            self.note(finished);
        }
        obeyed.and(looked).and(saved)?;
        self.save()
    }

    /// Sends what is due; at the end of a run also what would wait for others.
    fn dispatch(&mut self, is_last: bool) {
        let now = if is_last { SystemClock.now() + GATHER } else { SystemClock.now() };
        for (receiver, alerts) in self.memory.due(&self.config.receivers, self.courier.busy(), now) {
            self.courier.send(receiver, alerts);
        }
    }

    /// Notes what came back from receivers.
    fn note(&mut self, finished: Vec<Delivery>) {
        for delivery in finished {
            self.is_unsaved = true;
            match delivery {
                Delivery::Told { to, numbers, outcome } => {
                    self.memory.note(&to, &numbers, &outcome, SystemClock.now());
                }
                Delivery::Tested(tested) => self.memory.tested = tested.or(self.memory.tested.take()),
            }
        }
    }

    /// Writes the memory down where it has something new, and what subscribers are to be told.
    fn save(&mut self) -> Result<(), StoreError> {
        while let Some((alert, at)) = self.unsaid.front() {
            self.store.put_notice(Kind::Alerts, &record(alert).to_string(), *at)?;
            self.unsaid.pop_front();
        }
        if self.is_unsaved {
            self.memory.save(&mut self.store)?;
            self.is_unsaved = false;
        }
        Ok(())
    }

    /// Sends the tests that somebody asked for.
    fn obey(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let controls = self.store.controls_above(self.last_control)?;
        let Some(last) = controls.last() else { return Ok(()) };
        self.last_control = last.number;
        // However often the button was pressed, the last wish counts.
        let asked = controls.into_iter().rev().find_map(|row| match row.control {
            Control::AlertTest(receiver) => Some(receiver),
            _ => None,
        });
        if let Some(receiver) = asked {
            self.courier.test(&self.config, receiver, now);
        }
        Ok(())
    }

    /// Reads `alerts.toml` again where it changed; a wrong one is told, and the old one stays.
    fn refresh(&mut self) {
        let written_at = written_at(&self.dir);
        if written_at == self.config_at {
            return;
        }
        self.config_at = written_at;
        match config::read(&self.dir) {
            Ok(config) => {
                self.is_unsaved |= self.memory.drop_gone(&config.receivers);
                self.config = config;
            }
            Err(error) => tracing::warn!("the old rules of alerts stay in force: {error:#}"),
        }
    }

    /// The next sources in turn.
    fn look(&mut self, now: Timestamp) -> Result<Vec<Finding>, StoreError> {
        let mut ids = Vec::with_capacity(SOURCES_PER_TICK);
        while ids.len() < SOURCES_PER_TICK {
            let slots = self.store.slots_above(self.last_source, SOURCES_PER_TICK - ids.len())?;
            let Some(last) = slots.last() else { break };
            self.last_source = last.id;
            ids.extend(slots.iter().filter(|slot| slot.state.is_watched()).map(|slot| slot.id));
        }
        let is_round_over = ids.len() < SOURCES_PER_TICK;
        let mut findings = Vec::new();
        let sources: Vec<Source> = self.store.sources(&ids)?.into_iter().flatten().collect();
        let recent = self.recent(&sources, now)?;
        for source in &sources {
            let known = self.known(source, recent.get(&source.id), now);
            if known.has_lost_login() {
                *self.lost_logins.entry(known.network.clone()).or_default() += 1;
            }
            findings.extend(rule::judge(&self.config.rules, &known, now));
        }
        if is_round_over {
            let lost = std::mem::take(&mut self.lost_logins);
            let rules = &self.config.rules;
            findings.extend(lost.iter().filter_map(|(name, count)| rule::judge_login(rules, name, *count)));
            self.last_source = SourceId(0);
            self.prices = price::Memory::from_store(&self.store)?;
            self.policy = self.prices.policy();
        }
        Ok(findings)
    }

    /// The last visits of the sources that may just have had a burst.
    fn recent(&self, sources: &[Source], now: Timestamp) -> Result<Map<SourceId, Recent>, StoreError> {
        let is_recent = |it: &&Source| it.visited_at.is_some_and(|at| now - at < BURST_MAX);
        let ids: Vec<SourceId> = sources.iter().filter(is_recent).map(|it| it.id).collect();
        let visits = self.store.visits_of_all(&ids, 3)?;
        let recent = ids.into_iter().zip(visits).filter_map(|(id, visits)| {
            let visits: [VisitSummary; 3] = visits.try_into().ok()?;
            let is_many = visits[0].new_post_count >= BURST_POSTS_MIN;
            is_many.then_some((id, Recent { visits, posting_times: Vec::new() }))
        });
        let mut recent: Map<SourceId, Recent> = recent.collect();
        let is_meant = |it: &&Source| is_of_account(it) && recent.contains_key(&it.id);
        let accounts: Vec<Source> = sources.iter().filter(is_meant).cloned().collect();
        for (source, times) in accounts.iter().zip(self.store.posting_times_of(&accounts)?) {
            recent.entry(source.id).and_modify(|it| it.posting_times = times);
        }
        Ok(recent)
    }

    fn known(&self, source: &Source, recent: Option<&Recent>, now: Timestamp) -> Known {
        let rate = ChangeRate::from_bytes(&source.model);
        let evidence = rate.evidence();
        let last_post_at = rate.forecast(now).last_at;
        let market = self.prices.market(&source.network, source.robot);
        let expected = |since, until| expected((&*self.policy, &market), source, now, (since, until));
        let silent = last_post_at.zip(source.visited_at).filter(|(last_at, visited_at)| last_at < visited_at);
        let latest = recent.and_then(|recent| latest(source, recent, &expected));
        let is_open = source.state == SourceState::Active;
        let holes = if is_open { source.coverage.holes() } else { Vec::new() };
        let lost = holes.into_iter().filter(|hole| hole.cursor.is_none()).map(|hole| {
            let since = hole.below.map(|mark| mark.at);
            (hole.above.at, since, since.map_or(0.0, |since| expected(since, hole.above.at)))
        });
        Known {
            label: source.label(),
            network: source.network.to_string(),
            state: source.state,
            is_thread: source.robot == RobotKind::Comment,
            visited_at: source.visited_at,
            last_post_at,
            evidence,
            expected: silent.map_or(0.0, |(last_at, visited_at)| expected(last_at, visited_at)),
            latest,
            lost: lost.collect(),
            failure: source.failure.clone(),
            is_server_down: self.down.contains(source.network.as_str()),
        }
    }

    /// Trouble of the store, as the engine reports it; a clock that was set back is no matter of the store.
    fn store_trouble(&self, now: Timestamp) -> Option<Finding> {
        let report = self.reports.borrow();
        let trouble = report.work.trouble.as_ref().filter(|it| it.part != TroubledPart::Clock)?;
        rule::judge_store(&self.config.rules, (&trouble.what, trouble.since.0, &trouble.advice), now)
    }

    /// The servers that are down, as the engine last reported.
    fn servers_down(&self) -> Vec<Down> {
        let report = self.reports.borrow();
        let down = |it: &ServerStatus| Down {
            network: it.network.to_string(),
            since: it.since.0,
            said: it.said.clone(),
            sources_count: it.sources_count,
        };
        report.work.servers.iter().filter(|it| it.is_down).map(down).collect()
    }

    fn quotas(&self, now: Timestamp) -> Vec<Finding> {
        let report = self.reports.borrow();
        let quota = |it: &QuotaStatus| Quota {
            name: format!("{} {} {}", it.network, it.rule, it.holder),
            window: Span::from_secs_f64(it.window_s),
            blocked_until: it.blocked_until.map(|at| at.0),
        };
        let quotas = report.work.quotas.iter().map(quota);
        quotas.filter_map(|quota| rule::judge_quota(&self.config.rules, &quota, now)).collect()
    }
}

/// What is asked of a source that may just have had a burst.
#[derive(Debug)]
struct Recent {
    /// Its last visits, newest first.
    visits: [VisitSummary; 3],
    /// When its posts were made, where it is an account's.
    posting_times: Vec<Timestamp>,
}

/// An alert as subscribers are told of it; whom else it was sent to is no matter of theirs.
fn record(alert: &Alert) -> Value {
    json!({
        "id": format!("alert/{}", alert.number),
        "rule": alert.rule,
        "subject": alert.subject,
        "text": alert.text,
        "raised_at": alert.at,
    })
}

fn is_of_account(source: &Source) -> bool {
    &*source.root_kind == "account"
}

/// New posts of the last visit, and how many were expected since the one before. A visit may also bring
/// history, which is no news: of accounts, whose posting times are at hand, only posts made since then
/// count; of other lists, only visits that did not go on to older pages.
fn latest(
    source: &Source,
    recent: &Recent,
    expected: &dyn Fn(Timestamp, Timestamp) -> f64,
) -> Option<(u32, f64)> {
    let [last, before, _] = &recent.visits;
    let count = if is_of_account(source) {
        let is_news = |at: &&Timestamp| (before.started_at..=last.ended_at).contains(*at);
        recent.posting_times.iter().filter(is_news).count() as u32
    } else if recent.visits.iter().all(|visit| visit.outcome == "ok" && visit.fetch_count <= 1) {
        last.new_post_count
    } else {
        return None;
    };
    Some((count, expected(before.started_at, last.ended_at)))
}

/// Posts that are usual in a stretch: the mean rate of all that was seen, by the hours that the model
/// has learned. A model that has grown used to a silence would no longer be surprised by it, so only
/// its hours are asked, not its present rate; and about the same hours of a week to come, since models
/// speak of what comes.
fn expected(
    (policy, market): (&dyn Policy, &Market),
    source: &Source,
    now: Timestamp,
    (since, until): (Timestamp, Timestamp),
) -> f64 {
    let (posts, active) = ChangeRate::from_bytes(&source.model).evidence();
    let seconds = (until - since).secs_f64().max(0.0);
    let weeks = ((now - since).secs_f64() / WEEK.secs_f64()).ceil().max(0.0);
    let ahead = policy.posts(&source.model, market, since + WEEK * weeks, until + WEEK * weeks);
    let usual = policy.rate_per_s(&source.model, market) * seconds;
    let shape = if usual > 0.0 { ahead / usual } else { 1.0 };
    let mean = f64::from(posts) / active.max(Span::SECOND).secs_f64() * seconds;
    if mean.is_finite() && shape.is_finite() { mean * shape.clamp(0.0, SHAPE_MAX) } else { 0.0 }
}

fn written_at(dir: &Path) -> Option<SystemTime> {
    std::fs::metadata(config::path(dir)).and_then(|found| found.modified()).ok()
}

#[cfg(test)]
mod tests;
