//! The live report: what a running engine tells `freshet status`, the terminal and the tests.
//!
//! Filled from the core's own numbers; what is wrong with the store and how far subscribers are is added by who knows it.

use freshet_policy::forum::{Chosen, ListKind};
use freshet_report::pairs::Pairs;
use freshet_report::run::{
    FailureNote, FaultCount, FetcherCounts, ForumModels, Lag, ListModel, OpenVisit, PriceStatus, Queues,
    QuotaStatus, Relearnt, RingSize, RoundStatus, RunStatus, RunWork, ServerStatus, StreamStatus, Unreadable,
};
use freshet_report::time::{UnixFloat, UnixNumber};
use freshet_store::setting::Json;
use freshet_types::{FaultKind, NetworkName, RobotKind, ServerKey, Span, Timestamp};

use crate::core::{Core, LineView, ServerView, StreamView, UnreadView};
use crate::fetcher::FetcherState;
use crate::quota::QuotaView;
use crate::relearn::Note;
use crate::tally;

/// Setting that holds the live report for `freshet status`.
pub const STATUS: freshet_store::setting::Setting<Json<RunStatus>> =
    freshet_store::setting::Setting::new("status");
/// Visits that a report names.
const VISITS_SHOWN: usize = 8;
/// Servers that do not answer, quotas and prices that it names, each: it is made twice a second, and a run may know a
/// hundred thousand servers.
const SERVERS_SHOWN: usize = 100;

/// Ids that wait in each robot's ring, in the order of [`RobotKind::ALL`]: in memory, on disk only.
pub type Rings = [(usize, usize); RobotKind::ALL.len()];

/// What the report says beyond the core's own numbers.
#[derive(Clone, Debug)]
pub struct Setting {
    pub pid: u32,
    /// When it started, by the clock of the crawl.
    pub started_at: Timestamp,
    /// What the fetchers are doing.
    pub fetchers: Vec<FetcherState>,
    /// The policy's name.
    pub policy: &'static str,
    /// Ids that wait in the robots' rings: in memory, and on disk only.
    pub rings: Rings,
}

impl Setting {
    /// Of this process, which starts now.
    pub fn new(started_at: Timestamp, policy: &'static str) -> Self {
        let pid = std::process::id();
        Self { pid, started_at, fetchers: Vec::new(), policy, rings: Rings::default() }
    }
}

/// What the core can say of the run.
pub fn report(core: &Core, setting: &Setting, now: Timestamp) -> RunStatus {
    let tally = core.tally();
    let lag = |(median, p90): (Span, Span)| Lag { median: median.secs_f64(), p90: p90.secs_f64() };
    let fitted_at = core.prices().pool().fitted_at();
    RunStatus {
        pid: setting.pid,
        started_at: UnixFloat(setting.started_at),
        now: UnixFloat(now),
        policy: setting.policy.to_owned(),
        fitted_at: fitted_at.map(|at| UnixNumber(Timestamp::from_secs(at.secs()))),
        visits_count: tally.visits_count,
        fetches_count: tally.fetches_count,
        postponed_count: tally.postponed_count,
        repriced_count: tally.repriced_count,
        rate_limited_count: tally.rate_limited_count,
        posts_read_count: tally.posts_read_count,
        posts_count: tally.posts_count,
        edited_count: tally.edited_count,
        deleted_count: tally.deleted_count,
        accounts_count: tally.accounts_count,
        relations_count: tally.relations_count,
        complaints_count: tally.complaints_count,
        lag_s: tally.lag().map(lag),
        work: work(core, setting, now),
    }
}

/// What happens at the moment.
fn work(core: &Core, setting: &Setting, now: Timestamp) -> RunWork {
    let tally = core.tally();
    let (sources, due, backlog) = core.queue_sizes();
    let (servers, servers_count) = servers(core);
    let ring = |(memory, disk): (usize, usize)| RingSize { memory: memory as u64, disk: disk as u64 };
    let fault = |(kind, count): (&FaultKind, &u64)| FaultCount { kind: name_of(*kind), count: *count };
    let failure = |note: &tally::FailureNote| FailureNote {
        source: note.source.clone(),
        why: note.why.clone(),
        at: UnixFloat(note.at),
    };
    RunWork {
        queues: Queues {
            sources: sources as u64,
            due: due as u64,
            backlog: backlog as u64,
            open_visits: core.open_count() as u64,
        },
        visits: visits(core, now),
        robots: by_robot(|robot| core.robot_state(robot)),
        posts_by_robot: by_robot(|robot| tally.posts_by_robot[robot as usize]),
        collected_by_robot: by_robot(|robot| tally.collected[robot as usize]),
        collected_by_link: tally.gathered.iter().map(|(name, count)| (name.to_string(), *count)).collect(),
        rings: by_robot(|robot| ring(setting.rings[robot as usize])),
        quotas: quotas(core, now),
        prices: prices(core, now),
        rounds: core.line_views().take(SERVERS_SHOWN).map(round).collect(),
        servers,
        servers_count,
        streams: core.stream_views(SERVERS_SHOWN).into_iter().map(stream).collect(),
        forums: forums(core),
        unreadable: unreadable(core),
        relearnt: relearnt(core),
        faults: tally.faults.iter().map(fault).collect(),
        failures: tally.failures.iter().map(failure).collect(),
        fetchers: fetchers(&setting.fetchers),
        trouble: None,
        subscribers: Vec::new(),
    }
}

/// A line as it is reported.
fn round(view: LineView) -> RoundStatus {
    RoundStatus {
        network: view.network,
        robot: view.robot,
        round: view.round,
        begun_at: UnixNumber::of(view.begun_at),
        sources_count: view.source_count as u64,
        left_count: view.left_count as u64,
    }
}

/// A stream as it is reported.
fn stream(view: StreamView) -> StreamStatus {
    StreamStatus {
        network: view.network,
        name: view.name,
        transport: view.transport.to_owned(),
        complete: view.complete,
        hinted: view.hinted,
        connected_at: view.connected_at.map(UnixFloat),
        covers_since: view.covers_since.map(UnixFloat),
        heard_at: view.heard_at.map(UnixFloat),
        retry_at: view.retry_at.map(UnixFloat),
        lag_s: view.lag.map(Span::secs_f64),
        messages_count: view.messages_count,
        posts_count: view.posts_count,
        dropped_count: view.dropped_count,
        unwatched_count: view.unwatched_count,
        hints_count: view.hints_count,
        reconnects_count: view.reconnects_count,
        spent_count: view.spent.round() as u64,
        spared_count: view.spared.round() as u64,
        why: view.why,
    }
}

/// The name of a fault in reports.
fn name_of(kind: FaultKind) -> String {
    let name = serde_json::to_value(kind).expect("a fault is a word");
    name.as_str().unwrap_or_default().to_owned()
}

/// How many fetchers are in each state.
fn fetchers(all: &[FetcherState]) -> FetcherCounts {
    let in_state = |state: FetcherState| all.iter().filter(|&&at| at == state).count() as u64;
    FetcherCounts {
        count: all.len() as u64,
        connect: in_state(FetcherState::Connect),
        wait: in_state(FetcherState::Wait),
        fetch: in_state(FetcherState::Fetch),
        upload: in_state(FetcherState::Upload),
    }
}

/// Those that have been under way longest.
fn visits(core: &Core, now: Timestamp) -> Vec<OpenVisit> {
    let visits = core.oldest_visits(VISITS_SHOWN).into_iter();
    visits
        .map(|visit| OpenVisit {
            source: tally::told_label(&visit.source),
            for_s: (now - visit.started_at).secs_f64().max(0.0),
            fetches_count: visit.fetch_count,
        })
        .collect()
}

fn by_robot<T>(value: impl Fn(RobotKind) -> T) -> Pairs<RobotKind, T> {
    RobotKind::ALL.into_iter().map(|robot| (robot, value(robot))).collect()
}

fn prices(core: &Core, now: Timestamp) -> Vec<PriceStatus> {
    let mut views = core.prices().views(now);
    views.retain(|view| view.sources_count > 0);
    // The dearest are shown where there are too many, in the order of the others.
    let views = shown(views, |one, other| other.price.total_cmp(&one.price));
    views
        .into_iter()
        .map(|view| PriceStatus {
            network: view.key.network,
            rule: view.key.rule.to_string(),
            holder: view.key.holder.to_string(),
            price_post_s: view.price,
            saved_post_s_per_h: view.price,
            budget_per_h: view.budget_per_h,
            news_per_h: view.news_per_h,
            others_per_h: view.others_per_h,
            sources_count: view.sources_count,
        })
        .collect()
}

/// The forums: how pages are shared, and which models foretell their lists, with the figures by which they won.
fn forums(core: &Core) -> Vec<ForumModels> {
    let model = |chosen: &Chosen| ListModel {
        model: chosen.kind().name().to_owned(),
        errors: chosen.test().all().map(|it| (it.kind.name().to_owned(), it.deviance)).collect(),
        lists_count: chosen.test().list_count as u64,
        lists: None,
    };
    let forum = |(key, network): (ServerKey, &NetworkName)| {
        let site = core.sites().get(key);
        let of = |kind: ListKind| site.and_then(|site| site.model(kind)).map(model);
        ForumModels {
            network: network.clone(),
            share: core.options().forum_share.name().to_owned(),
            index_share: site.map(|site| site.ratio.index_share()),
            index_spent: site.map(|site| site.ratio.index_spent()),
            trained_at: site.and_then(|site| site.trained_at).map(UnixFloat),
            boards: of(ListKind::Index),
            threads: of(ListKind::Posts),
        }
    };
    core.forums().map(forum).collect()
}

/// Those that come first by this order, as many as are shown, in the order in which they were.
fn shown<T>(views: Vec<T>, compare: impl Fn(&T, &T) -> std::cmp::Ordering) -> Vec<T> {
    if views.len() <= SERVERS_SHOWN {
        return views;
    }
    let mut views: Vec<(usize, T)> = views.into_iter().enumerate().collect();
    views.sort_by(|(_, one), (_, other)| compare(one, other));
    views.truncate(SERVERS_SHOWN);
    views.sort_by_key(|(at, _)| *at);
    views.into_iter().map(|(_, view)| view).collect()
}

/// Servers that do not answer, one line each, and how many there are.
fn servers(core: &Core) -> (Vec<ServerStatus>, u64) {
    let (views, count) = core.server_views(SERVERS_SHOWN);
    let view = |view: ServerView| ServerStatus {
        network: view.network,
        is_down: view.is_down,
        since: UnixFloat(view.since),
        said: view.said,
        faults_count: view.faults_count,
        next_at: view.next_at.map(UnixFloat),
        sources_count: view.sources_count as u64,
    };
    (views.into_iter().map(view).collect(), count as u64)
}

/// Servers whose last pages could not be read.
fn unreadable(core: &Core) -> Vec<Unreadable> {
    let views = core.unread_views().into_iter();
    let view = |view: UnreadView| Unreadable {
        network: view.network,
        pages_count: view.pages_count,
        until: view.until.map(UnixFloat),
        advice: view.advice,
    };
    views.map(view).collect()
}

/// Forums that were learned anew, or not, in order of name.
fn relearnt(core: &Core) -> Vec<Relearnt> {
    let mut notes: Vec<_> = core.relearn_notes().0.iter().collect();
    notes.sort_by_key(|(network, _)| *network);
    let note = |(network, note): (&NetworkName, &Note)| Relearnt {
        network: network.clone(),
        at: UnixFloat(note.at),
        is_accepted: note.is_accepted,
        is_under_way: core.is_relearning(network),
        what: note.what.clone(),
    };
    notes.into_iter().map(note).collect()
}

fn quotas(core: &Core, now: Timestamp) -> Vec<QuotaStatus> {
    let left = |view: &QuotaView| view.ready / f64::from(view.limit.max(1));
    let views = shown(core.ledger().views(now), |one, other| {
        let is_open = |view: &QuotaView| view.blocked_until.is_none();
        is_open(one).cmp(&is_open(other)).then(left(one).total_cmp(&left(other)))
    });
    views
        .into_iter()
        .map(|view| QuotaStatus {
            network: view.key.network,
            rule: view.key.rule.to_string(),
            holder: view.key.holder.to_string(),
            limit: view.limit,
            window_s: view.window.secs_f64(),
            burst: view.burst,
            ready: view.ready.floor(),
            granted_count: view.granted_count,
            blocked_until: view.blocked_until.map(UnixFloat),
        })
        .collect()
}
