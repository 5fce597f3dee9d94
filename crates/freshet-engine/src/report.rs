//! The live report: what a running engine tells `freshet status`, the terminal and the tests.

use freshet_policy::forum::{Chosen, ListKind};
use freshet_types::{NetworkName, RobotKind, ServerKey, Timestamp};
use serde_json::{Value, json};

use crate::core::{Core, ServerView, UnreadView};
use crate::fetcher::FetcherState;
use crate::quota::QuotaView;
use crate::relearn::Note;

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
    /// The process.
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

/// The report as JSON; times in unix seconds.
pub fn report(core: &Core, setting: &Setting, now: Timestamp) -> Value {
    let tally = core.tally();
    let (sources, due, backlog) = core.queue_sizes();
    let (servers, servers_count) = servers(core);
    let busy = |state: FetcherState| setting.fetchers.iter().filter(|&&at| at == state).count();
    json!({
        "pid": setting.pid,
        "started_at": setting.started_at.secs_f64(),
        "now": now.secs_f64(),
        "policy": setting.policy,
        "fitted_at": core.prices().pool().fitted_at().map(Timestamp::secs),
        "visits_count": tally.visits_count,
        "fetches_count": tally.fetches_count,
        "postponed_count": tally.postponed_count,
        "repriced_count": tally.repriced_count,
        "rate_limited_count": tally.rate_limited_count,
        "posts_read_count": tally.posts_read_count,
        "posts_count": tally.posts_count,
        "edited_count": tally.edited_count,
        "deleted_count": tally.deleted_count,
        "accounts_count": tally.accounts_count,
        "relations_count": tally.relations_count,
        "complaints_count": tally.complaints_count,
        "lag_s": tally.lag().map(|(median, p90)| json!({"median": median.secs_f64(), "p90": p90.secs_f64()})),
        "queues": {"sources": sources, "due": due, "backlog": backlog, "open_visits": core.open_count()},
        "visits": visits(core, now),
        "robots": robots(core),
        "posts_by_robot": by_robot(|robot| json!(tally.posts_by_robot[robot as usize])),
        "rings": by_robot(|robot| {
            let (memory, disk) = setting.rings[robot as usize];
            json!({"memory": memory, "disk": disk})
        }),
        "quotas": quotas(core, now),
        "prices": prices(core, now),
        "servers": servers,
        "servers_count": servers_count,
        "forums": forums(core),
        "unreadable": unreadable(core),
        "relearnt": relearnt(core),
        "faults": tally.faults.iter().map(|(kind, count)| json!({"kind": kind, "count": count})).collect::<Vec<_>>(),
        "failures": tally.failures.iter().map(|note| json!({
            "source": note.source, "why": note.why, "at": note.at.secs_f64(),
        })).collect::<Vec<_>>(),
        "fetchers": {
            "count": setting.fetchers.len(),
            "connect": busy(FetcherState::Connect),
            "wait": busy(FetcherState::Wait),
            "fetch": busy(FetcherState::Fetch),
            "upload": busy(FetcherState::Upload),
        },
    })
}

/// Those that have been under way longest.
fn visits(core: &Core, now: Timestamp) -> Vec<Value> {
    let visits = core.oldest_visits(VISITS_SHOWN).into_iter();
    visits
        .map(|visit| {
            json!({
                "source": visit.source.label(),
                "for_s": (now - visit.started_at).secs_f64().max(0.0),
                "fetches_count": visit.fetch_count,
            })
        })
        .collect()
}

fn robots(core: &Core) -> Value {
    by_robot(|robot| json!(core.robot_state(robot).name()))
}

fn by_robot(value: impl Fn(RobotKind) -> Value) -> Value {
    RobotKind::ALL.into_iter().map(|robot| (robot.name().to_owned(), value(robot))).collect()
}

fn prices(core: &Core, now: Timestamp) -> Vec<Value> {
    let mut views = core.prices().views(now);
    views.retain(|view| view.sources_count > 0);
    // The dearest are shown where there are too many, in the order of the others.
    let views = shown(views, |one, other| other.price.total_cmp(&one.price));
    views
        .into_iter()
        .map(|view| {
            json!({
                "network": view.key.network,
                "rule": view.key.rule,
                "holder": view.key.holder,
                "price_post_s": view.price,
                "saved_post_s_per_h": view.price,
                "budget_per_h": view.budget_per_h,
                "news_per_h": view.news_per_h,
                "others_per_h": view.others_per_h,
                "sources_count": view.sources_count,
            })
        })
        .collect()
}

/// The forums: how pages are shared, and which models foretell their lists, with the figures by which they won.
fn forums(core: &Core) -> Vec<Value> {
    let model = |chosen: &Chosen| {
        json!({
            "model": chosen.kind().name(),
            "errors": chosen.test().all().map(|(kind, error)| (kind.name().to_owned(), json!(error)))
                .collect::<serde_json::Map<_, _>>(),
            "lists_count": chosen.test().list_count,
        })
    };
    let forum = |(key, network): (ServerKey, &NetworkName)| {
        let site = core.sites().get(key);
        let of = |kind: ListKind| site.and_then(|site| site.model(kind)).map(model);
        json!({
            "network": network,
            "share": core.options().forum_share.name(),
            "index_share": site.map(|site| site.ratio.index_share()),
            "index_spent": site.map(|site| site.ratio.index_spent()),
            "trained_at": site.and_then(|site| site.trained_at).map(Timestamp::secs_f64),
            "boards": of(ListKind::Index),
            "threads": of(ListKind::Posts),
        })
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
fn servers(core: &Core) -> (Vec<Value>, usize) {
    let (views, count) = core.server_views(SERVERS_SHOWN);
    let view = |view: ServerView| {
        json!({
            "network": view.network,
            "is_down": view.is_down,
            "since": view.since.secs_f64(),
            "said": view.said,
            "faults_count": view.faults_count,
            "next_at": view.next_at.map(Timestamp::secs_f64),
            "sources_count": view.sources_count,
        })
    };
    (views.into_iter().map(view).collect(), count)
}

/// Servers whose last pages could not be read.
fn unreadable(core: &Core) -> Vec<Value> {
    let views = core.unread_views().into_iter();
    let view = |view: UnreadView| {
        json!({
            "network": view.network,
            "pages_count": view.pages_count,
            "until": view.until.map(Timestamp::secs_f64),
            "advice": view.advice,
        })
    };
    views.map(view).collect()
}

/// Forums that were learned anew, or not, in order of name.
fn relearnt(core: &Core) -> Vec<Value> {
    let mut notes: Vec<_> = core.relearn_notes().0.iter().collect();
    notes.sort_by_key(|(network, _)| *network);
    let note = |(network, note): (&NetworkName, &Note)| {
        json!({
            "network": network,
            "at": note.at.secs_f64(),
            "is_accepted": note.is_accepted,
            "is_under_way": core.is_relearning(network),
            "what": note.what,
        })
    };
    notes.into_iter().map(note).collect()
}

fn quotas(core: &Core, now: Timestamp) -> Vec<Value> {
    let left = |view: &QuotaView| view.ready / f64::from(view.limit.max(1));
    let views = shown(core.ledger().views(now), |one, other| {
        let is_open = |view: &QuotaView| view.blocked_until.is_none();
        is_open(one).cmp(&is_open(other)).then(left(one).total_cmp(&left(other)))
    });
    views
        .into_iter()
        .map(|view| {
            json!({
                "network": view.key.network,
                "rule": view.key.rule,
                "holder": view.key.holder,
                "limit": view.limit,
                "window_s": view.window.secs_f64(),
                "ready": view.ready.floor(),
                "granted_count": view.granted_count,
                "blocked_until": view.blocked_until.map(Timestamp::secs_f64),
            })
        })
        .collect()
}
