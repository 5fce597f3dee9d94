//! Asking the network for one object and its links, through the generic API and under the ledger of the run.
//!
//! Definitions, credentials and constraints are those of the data directory. What may be asked is asked of the run that is under way
//! here, or, without one, of the stored ledger, for a moment under the run's lock ([`freshet_engine::guest`]). What the answers showed is
//! stored as what a visit shows, and the report is read from the store like every other: what the constraints keep out, nobody gets to see.

use std::sync::Arc;
use std::time::Duration;

use freshet_engine::constrain::setting;
use freshet_engine::guest::{self, Granted, Purse, Sight, Spent};
use freshet_fetch::{Fetch as _, HttpFetch, HttpOptions, LiveVault};
use freshet_network::constraint::{Constraint, Purpose};
use freshet_network::networks::{Networks, Registry};
use freshet_network::snapi::{App, Call, CallOptions, Snapi, Step};
use freshet_report::object::{ObjectReport, OnlineReport};
use freshet_types::{
    Clock, Fault, FaultKind, Instance, LinkKind, LinkType, Outcome, Reference, Request, Span, Timestamp,
};

use super::meant::{self, Meant};
use super::path::Path;
use super::{Found, ObjectWish, absent, find, paths};
use crate::config::Globals;
use crate::data::{self, CONTACT_UNKNOWN, Data, RunLock, block_on};
use crate::failure::Failure;
use crate::text::brief;

/// Requests that one question may take.
const REQUESTS_MAX: usize = 100;
/// Pages of one collection.
const PAGES_MAX: usize = 20;
/// Attempts at an answer that does not come.
const ATTEMPTS_MAX: u32 = 3;
/// Wall time between two of them.
const RETRY_PAUSE: Duration = Duration::from_secs(2);
/// Wall time between two looks for the run's answer, and how long it may take.
const LOOK_EVERY: Duration = Duration::from_millis(100);
const ANSWER_MAX: Duration = Duration::from_secs(15);
/// Longest wait for room in a quota, by the clock of the crawl; who must wait longer is told so.
const ROOM_MAX: Span = Span::from_secs(30);

/// Asks the network, stores what it shows, and reads the object.
pub fn get(globals: &Globals, wish: &ObjectWish, allow_private: bool) -> anyhow::Result<ObjectReport> {
    let paths = paths(&wish.links)?;
    let mut data = Data::open(globals)?;
    let networks = Arc::new(data::networks(globals)?);
    let registry = networks.snapshot();
    let target = target(&data, &registry, &wish.reference, allow_private)?;
    let (address, online) = block_on(ask(globals, &mut data, &networks, (&target, &paths, wish)))?;
    let wish = ObjectWish { reference: address, ..wish.clone() };
    match find(&data.store, &registry, &wish)? {
        Found::Object(mut report) => {
            report.complaints.extend(online.complaints);
            report.online = Some(online.report);
            Ok(*report)
        }
        Found::Absent(why) if online.report.unwanted_count + online.report.parked_count > 0 => {
            let why = format!("{why}: the constraints keep it out");
            Err(Failure::new(why).hint("`freshet constraints list` shows them").into())
        }
        Found::Absent(why) => Err(absent(why)),
    }
}

/// What is asked for.
struct Target {
    instance: Instance,
    kind: Arc<str>,
    /// An id, or a handle.
    root: String,
    is_handle: bool,
}

/// What came of it.
struct Came {
    report: OnlineReport,
    complaints: Vec<String>,
}

fn target(data: &Data, registry: &Registry, text: &str, allow_private: bool) -> anyhow::Result<Target> {
    let (network, kind, root, is_handle, named) = match meant::meant(&data.store, registry, text)? {
        Meant::Known(address) => (address.network, address.kind, address.id, false, None),
        Meant::Named(Reference { instance, root_kind, handle, .. }) => {
            let handle = handle.unwrap_or_default();
            (instance.network.clone(), root_kind, handle, true, Some(instance))
        }
        Meant::Unknown => return Err(absent(format!("no network knows what `{text}` is"))),
    };
    let stored = data.store.instances()?.into_iter().find(|row| row.instance.network == network);
    let instance = stored.map(|row| row.instance).or(named).or_else(|| registry.instance_of(&network));
    let mut instance = instance.ok_or_else(|| {
        absent(format!("the server of `{text}` is not known: there is no definition of it"))
    })?;
    instance.allow_private |= allow_private;
    Ok(Target { instance, kind, root, is_handle })
}

/// The generic API over this data directory.
fn snapi(
    globals: &Globals,
    data: &Data,
    networks: &Arc<Networks>,
    instance: &Instance,
) -> anyhow::Result<(Snapi, Asker)> {
    let name = instance.network.definition().to_owned();
    let snapi =
        Snapi::initialize(Arc::clone(networks), vec![App { network: name.clone(), id: name.clone() }])?;
    let vault = data.live_vault(globals)?;
    if let Some(holder) = vault.now().holders(&instance.network, None, None).into_iter().next() {
        snapi.apply_credentials(&name, &name, &holder.credential)?;
    }
    let rules = setting::rules(&data.store)?;
    let of_storing = rules.iter().filter(|rule| rule.purpose == Purpose::Store);
    let constraints = of_storing.map(|rule| Constraint::parse(&rule.type_name, &rule.text));
    snapi.apply_constraints(&constraints.collect::<Result<Vec<_>, _>>()?)?;
    let contact = data.contact(globals)?.unwrap_or_else(|| CONTACT_UNKNOWN.to_owned());
    Ok((snapi, Asker { contact, vault }))
}

/// Who asks, and with which secrets.
struct Asker {
    contact: String,
    vault: LiveVault,
}

async fn ask(
    globals: &Globals,
    data: &mut Data,
    networks: &Arc<Networks>,
    (target, paths, wish): (&Target, &[Path], &ObjectWish),
) -> anyhow::Result<(String, Came)> {
    let (snapi, parts) = snapi(globals, data, networks, &target.instance)?;
    let clock = data.clock().await?;
    let fetch = HttpFetch::new(HttpOptions::new(parts.contact, Arc::clone(&clock), parts.vault))?;
    let (kinds, collections) = wanted(networks, target, paths);
    let are_lists = kinds.iter().all(|kind| *kind == LinkKind::Co);
    let options = CallOptions {
        pages_max: PAGES_MAX,
        objects_max: wish.offset.saturating_add(wish.limit).min(super::LIMIT_MAX),
        requests_max: REQUESTS_MAX,
        collections,
        is_handle: target.is_handle,
        ..CallOptions::default()
    };
    let (instance, kind, root) = (&target.instance, &*target.kind, target.root.as_str());
    let mut call = if are_lists {
        snapi.get_links(instance, kind, root, &kinds, options)?
    } else {
        snapi.get_object(instance, kind, root, &kinds, options)?
    };
    let mut asking = Asking { data, networks, fetch: &fetch, clock: &*clock, count: 0, is_by_run: false };
    let is_parked = asking.carry_out(&mut call).await?;
    let (requests_count, is_by_run) = (asking.count, asking.is_by_run);
    let (unwanted_count, parked_count) =
        (call.unwanted_count(), call.parked_count() + usize::from(is_parked));
    let report = OnlineReport { requests_count, is_by_run, unwanted_count, parked_count };
    let complaints = call.complaints().iter().map(|it| format!("{}: {}", it.place, it.what)).collect();
    Ok((call.address().to_string(), Came { report, complaints }))
}

/// The kinds of links to ask for, and the names of collections.
fn wanted(networks: &Networks, target: &Target, paths: &[Path]) -> (Vec<LinkKind>, Vec<String>) {
    let registry = networks.snapshot();
    let schema =
        registry.get(target.instance.network.definition()).map(|network| Arc::clone(&network.schema));
    let links = schema.as_ref().and_then(|schema| schema.types.get(&*target.kind)).map(|it| &it.links);
    let link = |path: &Path| links.and_then(|links| links.get(path.first())).map(LinkType::kind);
    let mut kinds: Vec<LinkKind> = paths.iter().filter_map(link).collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() {
        kinds.push(LinkKind::P);
    }
    let lists = paths.iter().filter(|path| link(path) == Some(LinkKind::Co));
    (kinds, lists.map(|path| path.first().to_owned()).collect())
}

/// A call being carried out.
struct Asking<'a> {
    data: &'a mut Data,
    networks: &'a Arc<Networks>,
    fetch: &'a HttpFetch,
    clock: &'a dyn Clock,
    /// Requests that were sent.
    count: usize,
    /// A run granted some of them.
    is_by_run: bool,
}

impl Asking<'_> {
    /// Does what the call wants until it ends; gives whether the object itself cannot be judged yet.
    async fn carry_out(&mut self, call: &mut Call) -> anyhow::Result<bool> {
        let mut failure_count = 0;
        loop {
            match call.step() {
                Step::Ask(request) => {
                    self.pause(&request).await;
                    self.exchange(call, &request).await?;
                    let seen_at = self.clock.now();
                    let shown = call.take_shown().into_iter();
                    let sights = shown.map(|(network, observation)| Sight { network, observation, seen_at });
                    let sights: Vec<Sight> = sights.collect();
                    guest::store(&mut self.data.store, self.networks, sights)?;
                }
                Step::Done(_) => return Ok(false),
                Step::Parked { .. } => return Ok(true),
                Step::Refused(why) => return Err(Failure::new(why).into()),
                Step::Failed(outcome) => {
                    failure_count += 1;
                    let may_pass = outcome == Outcome::Transient && failure_count < ATTEMPTS_MAX;
                    if !may_pass {
                        return Err(refused(&outcome, call));
                    }
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
    }

    /// Sends one request that was granted, and hands its answer to the call.
    async fn exchange(&mut self, call: &mut Call, request: &Request) -> anyhow::Result<()> {
        self.grant(request).await?;
        self.count += 1;
        let answered = self.fetch.fetch(request).await;
        let now = self.clock.now();
        let mut spent = Spent { extra_count: request.meter.extra_count(), ..Spent::default() };
        let result = match answered {
            Ok(response) => {
                let outcome = call.on_answer(&response, now);
                if let Outcome::RateLimited { until } | Outcome::QuotaExhausted { until } = outcome {
                    (spent.is_refused, spent.refused_until) = (true, until);
                }
                Ok(())
            }
            Err(fault) => failed(call, fault),
        };
        self.tell_spent(request, spent, now)?;
        result
    }

    /// As long as there must be between two requests to a server.
    async fn pause(&self, request: &Request) {
        let connector = self.networks.connector_for(&request.network).filter(|_| self.count > 0);
        let pauses = connector.iter().flat_map(|it| it.endpoints()).map(|it| it.politeness.pause.ms());
        let pause_ms = pauses.max().unwrap_or_default().unsigned_abs();
        tokio::time::sleep(Duration::from_millis(pause_ms)).await;
    }

    /// Waits until a request may leave, or says when it might.
    async fn grant(&mut self, request: &Request) -> anyhow::Result<()> {
        let began_at = self.clock.now();
        loop {
            let now = self.clock.now();
            let Granted::NotBefore(until) = self.ask_for_grant(request, now).await? else { return Ok(()) };
            if until - began_at > ROOM_MAX {
                let wait = brief(until - now);
                let what = format!("the quota of `{}` has no room for {wait}", request.network);
                return Err(Failure::new(what)
                    .hint("try again then, or raise the budget: `freshet budget list`")
                    .into());
            }
            let wait_ms = (until - now).ms().clamp(0, 1000).unsigned_abs();
            tokio::time::sleep(Duration::from_millis(wait_ms).max(LOOK_EVERY)).await;
        }
    }

    async fn ask_for_grant(&mut self, request: &Request, now: Timestamp) -> anyhow::Result<Granted> {
        loop {
            if let Some(mut purse) = self.purse(now)? {
                let granted = purse.0.grant(&mut self.data.store, request, now)?;
                purse.0.close(&mut self.data.store, now)?;
                return Ok(granted);
            }
            if let Some(granted) = self.ask_the_run(request).await? {
                self.is_by_run |= granted == Granted::Now;
                return Ok(granted);
            }
            // It has ended meanwhile.
        }
    }

    /// The stored ledger, where no run is under way. No run begins as long as it is in hand, so that is a moment only: what was
    /// granted is written down, and the run that begins next knows of it.
    fn purse(&self, now: Timestamp) -> anyhow::Result<Option<(Purse, RunLock)>> {
        if self.data.runner().is_some() {
            return Ok(None);
        }
        // A run that has just begun has the lock.
        let Ok(lock) = self.data.lock() else { return Ok(None) };
        Ok(Some((Purse::open(&self.data.store, now)?, lock)))
    }

    /// What a request took beyond its grant is charged too.
    fn tell_spent(&mut self, request: &Request, spent: Spent, now: Timestamp) -> anyhow::Result<()> {
        let Some((mut purse, _lock)) = self.purse(now)? else {
            return Ok(guest::spent(&mut self.data.store, request, spent)?);
        };
        purse.charge(&mut self.data.store, (request, spent), now)?;
        Ok(purse.close(&mut self.data.store, now)?)
    }

    /// The run's answer; `None` when it has ended.
    async fn ask_the_run(&mut self, request: &Request) -> anyhow::Result<Option<Granted>> {
        let number = guest::wish(&mut self.data.store, request)?;
        let deadline = tokio::time::Instant::now() + ANSWER_MAX;
        loop {
            tokio::time::sleep(LOOK_EVERY).await;
            if let Some(granted) = guest::answer(&self.data.store, number)? {
                return Ok(Some(granted));
            }
            if self.data.runner().is_none() {
                return Ok(None);
            }
            if tokio::time::Instant::now() >= deadline {
                let failure = Failure::new("the run that is under way here does not answer");
                return Err(failure.hint("it may have just begun, or wait for its store: try again").into());
            }
        }
    }
}

/// No answer came. What stays so ends the call.
fn failed(call: &mut Call, fault: Fault) -> anyhow::Result<()> {
    match fault.kind {
        FaultKind::ForbiddenAddress => {
            Err(Failure::new(fault.to_string()).hint("--allow-private allows it").into())
        }
        FaultKind::Excluded | FaultKind::Credential | FaultKind::Request => Err(fault.into()),
        _ => {
            tracing::info!("no answer: {fault}");
            call.fail(Outcome::Transient);
            Ok(())
        }
    }
}

fn refused(outcome: &Outcome, call: &Call) -> anyhow::Error {
    let network = &call.address().network;
    let failure = Failure::new(format!("`{network}` says `{}` of `{}`", outcome.name(), call.address()));
    match outcome {
        Outcome::AuthRequired => {
            failure.hint(format!("add a credential with `freshet credentials add {network}`")).into()
        }
        Outcome::Gone => failure.hint("what is stored of it: the same command without --online").into(),
        _ => failure.hint("try again later").into(),
    }
}
