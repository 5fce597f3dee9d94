//! Asking the network for one object and its links, through the generic API and under the ledger of the run.
//!
//! Definitions, credentials and constraints are those of the data directory. Each request is granted first ([`crate::guest`]). What the answers showed is
//! stored as what a visit shows, and the report is read from the store like every other: what the constraints keep out, nobody gets to see.

use std::sync::Arc;
use std::time::Duration;

use freshet_engine::constrain::setting;
use freshet_engine::guest::{self, Sight};
use freshet_fetch::{HttpFetch, HttpOptions, LiveVault};
use freshet_network::constraint::{Constraint, Purpose};
use freshet_network::networks::{Networks, Registry};
use freshet_network::snapi::{App, Call, CallOptions, Snapi, Step};
use freshet_report::object::{ObjectReport, OnlineReport};
use freshet_types::{Fault, FaultKind, Instance, LinkKind, LinkType, Outcome, Reference, Request};

use super::meant::{self, Meant};
use super::path::Path;
use super::{Found, ObjectWish, absent, find, paths};
use crate::config::Globals;
use crate::data::{self, CONTACT_UNKNOWN, Data, block_on};
use crate::failure::Failure;
use crate::guest::Guest;

/// Requests that one question may take.
const REQUESTS_MAX: usize = 100;
/// Pages of one collection.
const PAGES_MAX: usize = 20;
/// Attempts at an answer that does not come.
const ATTEMPTS_MAX: u32 = 3;
/// Wall time between two of them.
const RETRY_PAUSE: Duration = Duration::from_secs(2);

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
        Found::Absent(why) => {
            let failure = Failure::misuse(format!("{why}; the network was asked, and showed nothing of it"));
            Err(failure
                .hint("is the id right? `freshet complaints` tells what could not be used of answers")
                .into())
        }
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
    let viewers = data.viewers();
    let mut holders = vault.now().holders(&instance.network, None, None).into_iter();
    if let Some(holder) = holders.find(|holder| !viewers.has(&holder.credential)) {
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
    let mut asking = Asking { guest: Guest::new(data, networks, &fetch, &*clock), networks };
    let is_parked = asking.carry_out(&mut call).await?;
    let (requests_count, is_by_run) = (asking.guest.count(), asking.guest.is_by_run());
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
    guest: Guest<'a>,
    networks: &'a Arc<Networks>,
}

impl Asking<'_> {
    /// Does what the call wants until it ends; gives whether the object itself cannot be judged yet.
    async fn carry_out(&mut self, call: &mut Call) -> anyhow::Result<bool> {
        let mut failure_count = 0;
        loop {
            match call.step() {
                Step::Ask(request) => {
                    self.exchange(call, &request).await?;
                    let seen_at = self.guest.now();
                    let shown = call.take_shown().into_iter();
                    let depth = guest::LOOKED_UP;
                    let sights =
                        shown.map(|(network, observation)| Sight { network, observation, seen_at, depth });
                    let sights: Vec<Sight> = sights.collect();
                    guest::store(self.guest.store(), self.networks, sights)?;
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
        let sent = self.guest.send(request, |response, now| call.on_answer(response, now)).await?;
        sent.or_else(|fault| failed(call, fault))
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
