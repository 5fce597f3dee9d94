//! The core of the engine: a state machine, events in, effects out.
//!
//! It does no I/O and reads no clock: `drive` moves it with tokio and a real store, the
//! simulator moves the very same code on a virtual clock. Everything that can make it act is a
//! variant of [`Event`]; everything it can want is a variant of [`Effect`].
//!
//! A visit is leased, never removed: from `pick` to the last confirmed `apply` its source is in
//! no queue, and the store still has it as due. Dying at any instant therefore loses nothing.
//!
//! The file holds the state and the loop; `core/begin.rs` starts visits (steps 3 and 4),
//! `core/page.rs` takes answers in (steps 7 and 10), `core/finish.rs` ends visits (step 2),
//! `core/sweep.rs` lets prices move what waits, `core/unread.rs` lets servers wait whose pages cannot be read, `core/relearn.rs` has forums learned anew,
//! `core/again.rs` looks at old pages of threads again, `core/share.rs` deals turns between lists of a forum,
//! `core/health.rs` lets servers rest that do not answer. No event walks over all servers or all sources: what has
//! something to do stands in a set.

mod again;
mod begin;
mod finish;
mod health;
mod message;
mod page;
mod relearn;
mod share;
mod sweep;
mod unread;

pub use again::STALE_MAX;
pub use health::ServerView;
pub use message::{Effect, Event, Moment, Restored};
pub use unread::{UNREAD_MAX, UnreadView};

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use freshet_frontier::{Frontier, Trust};
use freshet_network::networks::{Networks, Registry};
use freshet_policy::{Grade, Policy};
use freshet_store::row::{RobotRow, SourceSlot};
use freshet_types::{
    Instance, Map, NetworkName, RobotKind, RobotState, SourceId, SourceState, Span, Timestamp, VisitId,
};

use crate::forum::{Share, Sites};
use crate::load::Placement;
use crate::price::{self, Prices};
use crate::quota::Ledger;
use crate::schedule;
use crate::tally::Tally;
use crate::visit::{Order, Visit};
use crate::walk::Aim;

/// Limits and choices of one run.
#[derive(Clone, Debug)]
pub struct CoreOptions {
    /// Visits under way at once.
    pub visits_max: usize,
    /// Uploads not yet committed, beyond which nothing new is begun.
    pub uploads_max: usize,
    /// Fetchers to place work with.
    pub fetcher_count: usize,
    /// Longest a source stays unvisited, quota permitting.
    pub ceiling: Span,
    /// Opt-out flags of the networks are honoured.
    pub honours_opt_out: bool,
    /// Wall time after which a request that never came back is given up, in milliseconds.
    pub lease_ms: u64,
    /// Who decides between boards and threads of a forum when both wait.
    pub forum_share: Share,
}

impl Default for CoreOptions {
    fn default() -> Self {
        Self {
            visits_max: 256,
            uploads_max: 1024,
            fetcher_count: 16,
            ceiling: Span::HOUR * 6.0,
            honours_opt_out: true,
            lease_ms: 120_000,
            forum_share: Share::default(),
        }
    }
}

/// Visit numbers reserved at once: a write for each visit would cost as much as the visit.
pub const VISITS_RESERVED: u64 = 1_000_000;
/// New numbers are reserved when so few are left: enough for every visit that begins until the store has answered.
const VISITS_LOW: u64 = 200_000;
/// Due times are told apart by this much.
const TICK: Span = Span::from_ms(50);

/// Which credential a robot uses on a network; a person may have named one for it.
pub type CredentialChoice =
    Arc<dyn Fn(&NetworkName, RobotKind, Option<&str>) -> Option<Arc<str>> + Send + Sync>;

/// What the core keeps of a source between visits, beside the frontier's entry.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// When its news are due, while the frontier may have it for its history.
    news_at: Timestamp,
    key: u32,
    robot: RobotKind,
    state: SourceState,
    class: u8,
    /// Its pull, as it is counted in the demand of its tariff.
    grade: Grade,
    /// The price at which it was scheduled; 0 where it was not the policy that did.
    price_step: u8,
    /// `History` while the frontier has it for its history.
    aim: Aim,
    is_leased: bool,
    /// It is in its server's backlog, once.
    is_backlogged: bool,
}

/// Sources of one server whose history has holes, in turn, behind the news.
#[derive(Debug, Default)]
struct Backlog {
    queue: VecDeque<SourceId>,
    ready_at: Timestamp,
    open_count: usize,
    open_max: usize,
    /// The time under which it stands among those that have something to do.
    listed_at: Option<Timestamp>,
}

/// What the core keeps of a server.
#[derive(Debug, Default)]
struct Server {
    /// A mined forum: its lists were asked for with it, whatever robots do elsewhere.
    is_forum: bool,
    unread: unread::Unread,
    again: again::Again,
    health: health::Health,
}

/// The state machine.
pub struct Core {
    networks: Arc<Networks>,
    /// The networks whose manners the frontier was told of.
    registry: Arc<Registry>,
    policy: Arc<dyn Policy>,
    options: CoreOptions,
    credential: CredentialChoice,
    instances: Vec<Arc<Instance>>,
    keys: Map<NetworkName, u32>,
    slots: Vec<Option<Slot>>,
    frontier: Frontier,
    backlogs: Vec<Backlog>,
    /// The servers whose backlog may have a source begin, by when.
    histories: BTreeSet<(Timestamp, u32)>,
    /// The servers with old pages that are worth another look, by when.
    stale: BTreeSet<(Timestamp, u32)>,
    /// The servers that did not answer when they were last asked.
    unwell: BTreeSet<u32>,
    /// The servers of mined forums.
    forum_keys: BTreeSet<u32>,
    /// Sources that are known, and those that stand in backlogs.
    known_count: usize,
    backlog_count: usize,
    /// What is known of each server beside its manners.
    servers: Vec<Server>,
    /// Forums that are learned anew.
    relearn: relearn::Relearn,
    /// The models of forums.
    sites: Sites,
    visits: Map<VisitId, Visit>,
    loading: Map<SourceId, (VisitId, Aim)>,
    waiting: BTreeSet<(Timestamp, VisitId)>,
    ledger: Ledger,
    /// Requests that were granted and leave when the store has written the reservation of this number.
    held: BTreeMap<u64, Vec<(VisitId, Order)>>,
    prices: Prices,
    /// The slot that is told next of prices that fell.
    swept_to: usize,
    /// How many slots are still to be told.
    sweep_left: usize,
    placement: Placement,
    robots: [RobotState; 5],
    /// The credentials that a person named for them.
    robot_credentials: [Option<String>; 5],
    /// Until when a robot finds no quota on a server.
    rests: Map<(u32, RobotKind), Timestamp>,
    handles: Map<(NetworkName, String), String>,
    tally: Tally,
    visit_numbers: std::ops::Range<u64>,
    /// More of them are being reserved.
    is_reserving: bool,
    upload_count: usize,
    wall_ms: u64,
    is_draining: bool,
    /// The store takes nothing at the moment.
    is_held: bool,
    effects: Vec<Effect>,
}

impl Backlog {
    fn is_waiting(&self) -> bool {
        !self.queue.is_empty() && self.open_count < self.open_max
    }
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core").field("visits", &self.visits.len()).finish_non_exhaustive()
    }
}

impl Core {
    /// A core that knows no source yet at `now`. `visit_numbers` were reserved in the store.
    pub fn new(
        networks: Arc<Networks>,
        policy: Arc<dyn Policy>,
        credential: CredentialChoice,
        options: CoreOptions,
        visit_numbers: std::ops::Range<u64>,
        now: Timestamp,
    ) -> Self {
        let mut frontier = Frontier::new(TICK, now);
        frontier.set_room(options.visits_max);
        Self {
            registry: networks.snapshot(),
            networks,
            prices: Prices::new(&*policy),
            swept_to: 0,
            sweep_left: 0,
            policy,
            credential,
            instances: Vec::new(),
            keys: Map::default(),
            slots: Vec::new(),
            frontier,
            backlogs: Vec::new(),
            histories: BTreeSet::new(),
            stale: BTreeSet::new(),
            unwell: BTreeSet::new(),
            forum_keys: BTreeSet::new(),
            known_count: 0,
            backlog_count: 0,
            servers: Vec::new(),
            relearn: relearn::Relearn::default(),
            sites: Sites::default(),
            visits: Map::default(),
            loading: Map::default(),
            waiting: BTreeSet::new(),
            ledger: Ledger::default(),
            held: BTreeMap::new(),
            placement: Placement::new(options.fetcher_count),
            robots: [RobotState::Running; 5],
            robot_credentials: Default::default(),
            rests: Map::default(),
            handles: Map::default(),
            tally: Tally::default(),
            visit_numbers,
            is_reserving: false,
            upload_count: 0,
            wall_ms: 0,
            is_draining: false,
            is_held: false,
            effects: Vec::new(),
            options,
        }
    }

    /// The one door: takes in an event, and gives what is wanted because of it.
    pub fn handle(&mut self, event: Event, moment: Moment) -> Vec<Effect> {
        let now = moment.now;
        self.wall_ms = moment.wall_ms;
        match event {
            Event::Restored(restored) => self.restore(*restored),
            Event::Tick => self.tick(now),
            Event::Instances(instances) => self.add_servers(instances),
            Event::Slots(slots) => slots.into_iter().for_each(|slot| self.add_source(&slot, now)),
            Event::Wanted(slots) => slots.iter().for_each(|slot| self.bring_forward(slot, now)),
            Event::Loaded(id, source) => self.begin(id, source, now),
            Event::Begun(visit) => self.renew_lease(visit),
            Event::Fetched(answers) => answers.into_iter().for_each(|fetched| self.on_answer(fetched, now)),
            Event::Reserved(number) => self.on_reserved(number),
            Event::VisitNumbers(numbers) => self.set_visit_numbers(numbers),
            Event::Applied(applied) => {
                for (visit, applied) in applied {
                    self.confirm(visit, &applied, now);
                }
            }
            Event::Robots(rows) => rows.into_iter().for_each(|row| self.set_robot(row)),
            Event::Stale(network, pages) => self.on_stale_pages(&network, pages),
            Event::GrantWanted(request) => self.want_grant(*request),
            Event::RelearnEnded(network, outcome) => self.on_relearn_ended(&network, outcome, now),
            Event::Trained(trained) => self.on_trained(*trained),
            Event::Fitted(mixture) => self.prices.set_mixture(*mixture, now),
            Event::Hold(is_held) => self.is_held = is_held,
            Event::Drain => self.drain(now),
            Event::Farewell => {
                let reservation = self.ledger.farewell(now);
                self.want(Effect::Reserve(Box::new(reservation)));
                return std::mem::take(&mut self.effects);
            }
        }
        self.pump(now);
        self.grant_errands(now);
        self.reserve(now);
        std::mem::take(&mut self.effects)
    }

    fn tick(&mut self, now: Timestamp) {
        self.refresh_politeness(now);
        self.expire_leases(now);
        self.sweep(now);
        self.want_relearning(now);
        self.want_stale();
    }

    fn restore(&mut self, restored: Restored) {
        self.ledger = restored.ledger;
        if let Some(memory) = restored.prices {
            self.prices.restore(memory);
        }
        self.restore_relearn(restored.relearnt);
    }

    /// Uploads that the store has not confirmed yet.
    pub fn upload_count(&self) -> usize {
        self.upload_count
    }

    /// Nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.visits.is_empty() && self.loading.is_empty() && self.upload_count == 0
    }

    /// When it must be woken though nothing happened.
    pub fn wake_at(&self) -> Option<Timestamp> {
        let held = self.waiting.first().map(|&(at, _)| at).filter(|_| self.may_ask());
        let errand = self.errands_wake_at();
        if self.is_draining || !self.has_room() {
            return [held, errand].into_iter().flatten().min();
        }
        let backlog = self.histories.first().map(|&(at, _)| at);
        [held, errand, backlog, self.frontier.next_wake()].into_iter().flatten().min()
    }

    /// Sources known, due ones waiting, and sources with holes: for reports.
    pub fn queue_sizes(&self) -> (usize, usize, usize) {
        (self.known_count, self.frontier.due_count(), self.backlog_count)
    }

    /// Visits under way.
    pub fn open_count(&self) -> usize {
        self.visits.len() + self.loading.len()
    }

    /// The visits that have been under way longest, at most so many, oldest first.
    pub fn oldest_visits(&self, max: usize) -> Vec<&Visit> {
        let mut visits: Vec<&Visit> = self.visits.values().collect();
        visits.sort_unstable_by_key(|visit| (visit.started_at, visit.id));
        visits.truncate(max);
        visits
    }

    /// What happened since the start.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The quotas.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The prices.
    pub fn prices(&self) -> &Prices {
        &self.prices
    }

    /// The networks that it crawls.
    pub fn networks(&self) -> &Networks {
        &self.networks
    }

    /// What a robot is to do.
    pub fn robot_state(&self, robot: RobotKind) -> RobotState {
        self.robots[robot as usize]
    }

    /// The forums that are crawled, by the key of their server and their network.
    pub fn forums(&self) -> impl Iterator<Item = (u32, &NetworkName)> {
        self.forum_keys.iter().map(|&key| (key, &self.instances[key as usize].network))
    }

    /// Some sources of posts that are visited, evenly from all of them.
    pub fn sample(&self, count_max: usize) -> Vec<SourceId> {
        let is_read = |slot: &Slot| slot.robot == RobotKind::Status && slot.state == SourceState::Active;
        let slots = self.slots.iter().enumerate();
        let all = || slots.clone().filter(|(_, slot)| slot.as_ref().is_some_and(is_read));
        let stride = all().count().div_ceil(count_max.max(1)).max(1);
        all().step_by(stride).map(|(at, _)| SourceId(at as u32)).collect()
    }

    /// The models of forums.
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// What is in force.
    pub fn options(&self) -> &CoreOptions {
        &self.options
    }

    /// The fetchers as the scheduler sees them.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    fn want(&mut self, effect: Effect) {
        if matches!(effect, Effect::Apply(_)) {
            self.upload_count += 1;
        }
        self.effects.push(effect);
    }

    fn add_servers(&mut self, instances: Vec<Instance>) {
        for instance in instances {
            if let Some(&key) = self.keys.get(&instance.network) {
                self.instances[key as usize] = Arc::new(instance);
                continue;
            }
            let key =
                u32::try_from(self.instances.len()).expect("servers are numbered like sources, in 32 bits");
            let manners = begin::manners(&self.networks, &instance);
            self.frontier.set_manners(key, manners);
            self.prices.add_server(&instance.network, manners);
            self.keys.insert(instance.network.clone(), key);
            self.instances.push(Arc::new(instance));
            self.backlogs.push(Backlog { open_max: begin::history_open_max(manners), ..Backlog::default() });
            let is_forum = self.is_forum(key);
            self.servers.push(Server { is_forum, ..Server::default() });
            if is_forum {
                self.forum_keys.insert(key);
            }
            self.frontier.set_trust(key, Trust::New);
        }
    }

    /// Whether a server's network was mined.
    fn is_forum(&self, key: u32) -> bool {
        let network = &self.instances[key as usize].network;
        self.networks.snapshot().get(network.definition()).is_some_and(|network| network.front.is_some())
    }

    /// Tells the frontier anew how gentle to be, where definitions were replaced.
    fn refresh_politeness(&mut self, now: Timestamp) {
        let registry = self.networks.snapshot();
        if Arc::ptr_eq(&registry, &self.registry) {
            return;
        }
        let before = std::mem::replace(&mut self.registry, registry);
        for (key, instance) in self.instances.iter().enumerate() {
            let manners = begin::manners(&self.networks, instance);
            self.frontier.set_manners(key as u32, manners);
            self.prices.set_politeness(key, manners);
            self.backlogs[key].open_max = begin::history_open_max(manners);
        }
        for key in 0..self.servers.len() as u32 {
            self.list_history(key);
            let is_forum = self.is_forum(key);
            self.servers[key as usize].is_forum = is_forum;
            if is_forum {
                self.forum_keys.insert(key);
            } else {
                self.forum_keys.remove(&key);
            }
            let name = self.instances[key as usize].network.definition().to_owned();
            let connector = |registry: &Registry| registry.get(&name).map(|it| Arc::clone(&it.connector));
            let is_same = match (connector(&before), connector(&self.registry)) {
                (Some(before), Some(after)) => Arc::ptr_eq(&before, &after),
                _ => false,
            };
            if !is_same {
                self.forgive_unread(key, now);
            }
        }
    }

    /// Whether the core knows this slot, and knows better when it is due: the store has a source
    /// that waits for a price, a quota or its history as due sooner.
    fn is_current(&self, slot: &SourceSlot) -> bool {
        let known = self.slots.get(slot.id.0 as usize).copied().flatten();
        known.is_some_and(|known| {
            let is_touched = !known.state.is_watched() || !slot.state.is_watched();
            // What a visit finds is written page by page, and known here when it ends.
            known.state == slot.state || (known.is_leased && !is_touched)
        })
    }

    /// A person wants this source: its server is asked even if it was down.
    fn bring_forward(&mut self, slot: &SourceSlot, now: Timestamp) {
        self.on_lead(slot, now);
        if let Some(&key) = self.keys.get(&slot.network) {
            self.probe_now(key, now);
        }
    }

    /// A page led to this source: it is new, or due because of what the page showed.
    fn on_lead(&mut self, slot: &SourceSlot, now: Timestamp) {
        if !self.is_current(slot) {
            self.note_found(slot);
            return self.add_source(slot, now);
        }
        let Some(known) = self.slot_mut(slot.id).filter(|known| slot.due_at < known.news_at) else { return };
        known.news_at = slot.due_at;
        known.price_step = 0;
        let Slot { key, class, is_leased, aim, .. } = *known;
        if !is_leased && aim == Aim::News {
            self.frontier.schedule(slot.id, key, class, slot.due_at);
        }
    }

    fn add_source(&mut self, slot: &SourceSlot, now: Timestamp) {
        let Some(&key) = self.keys.get(&slot.network) else { return };
        if self.is_current(slot) {
            return;
        }
        let at = slot.id.0 as usize;
        if self.slots.len() <= at {
            self.slots.resize(at + 1, None);
        }
        let class = schedule::class_of(slot.robot, slot.weight, 0.0);
        let (robot, state) = (slot.robot, slot.state);
        // The ceiling may have been lowered since the source was last visited, or the clock set back.
        let news_at = slot.due_at.min(schedule::latest(robot, state, self.options.ceiling, now));
        let fresh = Slot {
            news_at,
            key,
            robot,
            state,
            class,
            grade: Grade::NONE,
            price_step: 0,
            aim: Aim::News,
            is_leased: false,
            is_backlogged: false,
        };
        let before = self.slots[at];
        let was_watched = before.is_some_and(|slot| slot.state.is_watched());
        self.known_count += usize::from(before.is_none());
        match before {
            None if state == SourceState::Failed => self.note_failed(key, slot.id),
            // Only a person changes what is known and not being visited.
            Some(before) if !before.is_leased && state == SourceState::Active => self.probe_now(key, now),
            _ => {}
        }
        let mut known = before.unwrap_or(fresh);
        (known.news_at, known.price_step) = (news_at, 0);
        (known.robot, known.state, known.class) = (robot, state, class);
        self.slots[at] = Some(known);
        let is_watched = state.is_watched();
        if was_watched != is_watched {
            self.prices.count(price::place(key, robot), is_watched);
        }
        if !is_watched {
            self.ungrade(slot.id);
            self.frontier.cancel(slot.id);
            self.leave_history(slot.id);
        } else if !known.is_leased && known.aim == Aim::News {
            self.frontier.schedule(slot.id, key, class, known.news_at);
        }
    }

    /// A robot that works again finds its sources where they were; see [`Core::pick`].
    fn set_robot(&mut self, row: RobotRow) {
        let (robot, state) = (row.kind, row.state);
        self.robot_credentials[robot as usize] = row.credential;
        let before = std::mem::replace(&mut self.robots[robot as usize], state);
        if state == before {
            return;
        }
        for (at, slot) in self.slots.iter().enumerate() {
            let Some(slot) = slot.filter(|slot| slot.robot == robot && self.is_at_work(slot)) else {
                continue;
            };
            if slot.state.is_watched() && !slot.is_leased && slot.aim == Aim::News {
                self.frontier.schedule(SourceId(at as u32), slot.key, slot.class, slot.news_at);
            }
        }
    }

    /// Whether the robot of a source works on its server. The lists of a forum were asked for with the forum: a robot
    /// that was not started elsewhere reads them all the same; one that is paused waits.
    fn is_at_work(&self, slot: &Slot) -> bool {
        match self.robots[slot.robot as usize] {
            RobotState::Running => true,
            RobotState::Paused => false,
            RobotState::Stopped => self.servers[slot.key as usize].is_forum,
        }
    }

    fn slot_mut(&mut self, id: SourceId) -> Option<&mut Slot> {
        self.slots.get_mut(id.0 as usize)?.as_mut()
    }

    fn next_visit(&mut self) -> VisitId {
        let number = self.visit_numbers.next().expect("visit numbers are renewed long before they run out");
        if self.visit_numbers.end - self.visit_numbers.start < VISITS_LOW && !self.is_reserving {
            self.is_reserving = true;
            self.want(Effect::ReserveVisits(VISITS_RESERVED));
        }
        VisitId(number)
    }

    fn set_visit_numbers(&mut self, numbers: std::ops::Range<u64>) {
        self.is_reserving = false;
        self.visit_numbers = numbers;
    }
}

#[cfg(test)]
pub(crate) mod tests;
