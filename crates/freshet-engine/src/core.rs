//! The core of the engine: a state machine, events in, effects out.
//!
//! It does no I/O and reads no clock: `drive` moves it with tokio and a real store, the
//! simulator moves the very same code on a virtual clock. Everything that can make it act is a
//! variant of [`Event`]; everything it can want is a variant of [`Effect`].
//!
//! A visit is leased, never removed: from `pick` to the last confirmed `apply` its source is in
//! no queue, and the store still has it as due. Dying at any instant therefore loses nothing.
//!
//! The file holds the door and the loop. What is known lies in parts that own their fields: `core/sources.rs`, `core/visits.rs`,
//! `core/servers.rs`, `core/backlogs.rs`, `core/forums.rs` (with `core/desk.rs`, `core/recheck.rs` and `core/relearn.rs`), `core/groups.rs`, `core/guests.rs`, `core/turns.rs`, `core/robots.rs`. What happens
//! stands in rooms by verb: `core/intake.rs` learns of servers, sources and robots, `core/budgets.rs` of budgets, `core/begin.rs` starts visits (steps 3 and
//! 4), `core/page.rs` reacts to answers (step 7), `core/learn.rs` learns from what the store has confirmed (step 10), `core/finish.rs` ends visits (step 2), `core/timing.rs` lets prices move
//! what waits, `core/fetchers.rs` hands orders to the fetchers that are there, `core/health.rs` lets servers rest that do not answer, `core/unread.rs` those whose pages cannot be read, `core/streams.rs` hears what servers send by themselves. No event
//! walks over all servers or all sources: what has something to do stands in a set.

mod auction;
mod backlogs;
mod begin;
mod budgets;
mod calls;
mod complain;
mod desk;
mod fetchers;
mod finish;
mod forums;
mod groups;
mod guests;
mod health;
mod hold;
mod intake;
mod learn;
mod message;
mod page;
mod recheck;
mod relearn;
mod robots;
mod servers;
mod shares;
mod sources;
mod streams;
mod timing;
mod turns;
mod unread;
mod upload;
mod viewers;
mod visits;
mod weight;

pub(crate) use health::ServerView;
pub use message::{Effect, Event, Moment, Restored};
pub(crate) use recheck::{RECHECKS, STALE_MAX};
pub(crate) use streams::StreamView;
pub(crate) use turns::LineView;
pub(crate) use unread::UnreadView;
pub(crate) use visits::VISITS_RESERVED;

use std::sync::Arc;

use freshet_frontier::Frontier;
use freshet_network::networks::{Networks, Registry};
use freshet_policy::calendar::Calendar;
use freshet_policy::{Objective, Policy};
use freshet_types::{
    Holder, NetworkName, RobotKind, RobotState, ServerKey, SourceId, SourceState, Span, Timestamp,
};

use crate::budget::Budgets;
use crate::forum::{Share, Sites};
use crate::load::Placement;
use crate::price::Prices;
use crate::quota::Ledger;
use crate::tally::Tally;
use crate::visit::Visit;
use backlogs::Backlogs;
use forums::Forums;
use guests::Guests;
use recheck::Rechecks;
use relearn::Relearn;
use robots::Robots;
use servers::Servers;
use sources::{Slot, Sources};
use visits::Visits;

/// Limits and choices of one run.
#[derive(Clone, Debug)]
pub struct CoreOptions {
    /// Visits under way at once.
    pub visits_max: usize,
    /// Uploads not yet committed, beyond which nothing new is begun.
    pub uploads_max: usize,
    /// Fetchers that the driver starts and lets join.
    pub fetcher_count: usize,
    /// Longest a source stays unvisited, quota permitting.
    pub ceiling: Span,
    /// Opt-out flags of the networks are honoured.
    pub honours_opt_out: bool,
    /// Wall time after which a request that never came back is given up, in milliseconds.
    pub lease_ms: u64,
    /// Who decides between boards and threads of a forum when both wait.
    pub forum_share: Share,
    /// Sources that one call may ask about, where a network can tell of several; with 1 each is asked alone.
    pub group_max: usize,
    /// What visits are to bring: little delay, or many distinct posts where lists show their newest only.
    pub objective: Objective,
    /// Which days are not like others, where the store says nothing of it.
    pub calendar: Option<Arc<Calendar>>,
    /// Streams of servers are opened, where definitions have some.
    pub uses_streams: bool,
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
            group_max: usize::MAX,
            objective: Objective::Delay,
            calendar: None,
            uses_streams: false,
        }
    }
}

/// The definition of single pages.
const PAGE: &str = "page";
/// Due times are told apart by this much.
const TICK: Span = Span::from_ms(50);

/// Which credentials a robot may use on a network, in turn.
pub type CredentialChoice = Arc<dyn Fn(&NetworkName, RobotKind, AskedAs<'_>) -> Vec<Holder> + Send + Sync>;

/// As whom a request is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedAs<'a> {
    /// For everybody: never with the credential of a viewer. A person may have named one for the robot.
    Everybody { named: Option<&'a str> },
    /// As this viewer: with that credential, or not at all.
    Viewer(&'a str),
}

/// The state machine: parts that own what they know, and the rooms of `core/` that let them work together.
pub struct Core {
    networks: Arc<Networks>,
    /// The definitions whose politeness everybody was told of.
    registry: Arc<Registry>,
    policy: Arc<dyn Policy>,
    options: CoreOptions,
    credential: CredentialChoice,
    robots: Robots,
    sources: Sources,
    visits: Visits,
    servers: Servers,
    backlogs: Backlogs,
    auction: auction::Auction,
    desks: desk::Desks,
    lines: turns::Lines,
    shares: shares::Shares,
    groups: groups::Groups,
    forums: Forums,
    rechecks: Rechecks,
    relearn: Relearn,
    guests: Guests,
    streams: streams::Streams,
    frontier: Frontier,
    ledger: Ledger,
    budgets: Budgets,
    prices: Prices,
    placement: Placement,
    tally: Tally,
    /// Uploads that the store has not confirmed yet.
    upload_count: usize,
    wall_ms: u64,
    is_draining: bool,
    /// The store takes nothing at the moment.
    is_held: bool,
    effects: Vec<Effect>,
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core").field("visits", &self.visits.count()).finish_non_exhaustive()
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
            prices: Prices::new(&*policy, options.objective),
            policy,
            credential,
            robots: Robots::default(),
            sources: Sources::default(),
            visits: Visits::new(visit_numbers),
            servers: Servers::default(),
            backlogs: Backlogs::default(),
            auction: auction::Auction::default(),
            desks: desk::Desks::default(),
            lines: turns::Lines::default(),
            shares: shares::Shares::default(),
            groups: groups::Groups::default(),
            forums: Forums::default(),
            rechecks: Rechecks::default(),
            relearn: Relearn::default(),
            guests: Guests::default(),
            streams: streams::Streams::default(),
            frontier,
            ledger: Ledger::default(),
            budgets: Budgets::default(),
            placement: Placement::default(),
            tally: Tally::default(),
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
            Event::Instances(instances) => self.add_servers(instances, now),
            Event::Slots(slots) => slots.into_iter().for_each(|slot| self.add_source(&slot, now)),
            Event::Wanted(slots) => slots.iter().for_each(|slot| self.bring_forward(slot, now)),
            Event::Weighed(source) => self.reweigh(&source, now),
            Event::Loaded(id, source) => self.begin(id, source, now),
            Event::Held(source, until) => self.hold_back(source, until, now),
            Event::Wake(ids) => self.wake(&ids, now),
            Event::Begun(order) => self.renew_lease(order),
            Event::FetcherJoined(id) => self.join_fetcher(id, now),
            Event::FetcherLeft(id) => self.leave_fetcher(id, now),
            Event::Fetched(answers) => answers.into_iter().for_each(|fetched| self.on_answer(fetched, now)),
            Event::Reserved(number) => self.on_reserved(number, now),
            Event::VisitNumbers(numbers) => self.visits.set_numbers(numbers),
            Event::Applied(applied) => {
                for (visit, applied) in applied {
                    self.confirm(visit, &applied, now);
                }
            }
            Event::Budgets(budgets) => self.set_budgets(budgets, now),
            Event::Calendars(calendars) => {
                self.prices.set_calendars(calendars.or_for_all(self.options.calendar.as_ref()));
            }
            Event::Robots(rows) => rows.into_iter().for_each(|row| self.set_robot(row)),
            Event::Stale(network, pages) => self.on_stale_pages(&network, pages),
            Event::GrantWanted(request) => self.want_grant(*request),
            Event::RelearnEnded(network, outcome) => self.on_relearn_ended(&network, outcome, now),
            Event::Guest(number, ask) => self.on_guest(number, *ask, now),
            Event::Trained(trained) => self.on_trained(*trained, now),
            Event::Fitted(mixture) => self.prices.set_mixture(*mixture, now),
            Event::StreamFound(found) => self.on_stream_found(*found, now),
            Event::StreamOpened(id) => self.on_stream_opened(id, now),
            Event::StreamHeard(id, batch) => self.on_stream_heard(id, *batch),
            Event::StreamClosed(id, end) => self.on_stream_closed(id, &end, now),
            Event::StreamSifted(sifted) => self.on_stream_sifted(&sifted, now),
            Event::Hold(is_held) => self.is_held = is_held,
            Event::Drain => self.drain(now),
            Event::Farewell => {
                let reservation = self.ledger.farewell(now);
                self.want(Effect::Reserve(Box::new(reservation)));
                return std::mem::take(&mut self.effects);
            }
        }
        // A person waits for it, so it goes before what is planned.
        self.grant_guests(now);
        self.pump(now);
        self.grant_errands(now);
        self.reserve(now);
        std::mem::take(&mut self.effects)
    }

    fn tick(&mut self, now: Timestamp) {
        self.refresh_politeness(now);
        self.expire_leases(now);
        self.pull_forward(now);
        self.want_relearning(now);
        self.want_stale();
        self.tend_streams(now);
    }

    fn restore(&mut self, restored: Restored) {
        self.ledger = restored.ledger;
        if let Some(memory) = restored.prices {
            self.prices.restore(memory);
        }
        self.restore_relearn(restored.relearnt);
        self.rechecks.restore(restored.rechecks);
    }

    /// Uploads that the store has not confirmed yet.
    pub(crate) fn upload_count(&self) -> usize {
        self.upload_count
    }

    /// Nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.visits.count() == 0 && self.upload_count == 0
    }

    /// When it must be woken though nothing happened.
    pub fn wake_at(&self) -> Option<Timestamp> {
        let held = self.visits.waits_until().filter(|_| self.may_ask());
        let errand = [self.errands_wake_at(), self.guests_wake_at()].into_iter().flatten().min();
        if self.is_draining || !self.has_room() {
            return [held, errand].into_iter().flatten().min();
        }
        let calls = [self.auction.wake_at(), self.desks.wake_at(), self.lines.wake_at()];
        let waits = [self.backlogs.ready_at(), self.frontier.next_wake()].into_iter().chain(calls);
        [held, errand].into_iter().chain(waits).flatten().min()
    }

    /// Sources known, due ones waiting, and sources with holes: for reports.
    pub fn queue_sizes(&self) -> (usize, usize, usize) {
        (self.sources.known_count(), self.frontier.due_count(), self.backlogs.count())
    }

    /// Visits under way.
    pub fn open_count(&self) -> usize {
        self.visits.count()
    }

    /// The visits that have been under way longest, at most so many, oldest first.
    pub(crate) fn oldest_visits(&self, max: usize) -> Vec<&Visit> {
        let mut visits: Vec<&Visit> = self.visits.iter().collect();
        visits.sort_unstable_by_key(|visit| (visit.started_at, visit.id));
        visits.truncate(max);
        visits
    }

    /// What happened since the start.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The quotas.
    pub(crate) fn ledger(&self) -> &Ledger {
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
    pub(crate) fn robot_state(&self, robot: RobotKind) -> RobotState {
        self.robots.state(robot)
    }

    /// The forums that are crawled, by the key of their server and their network.
    pub fn forums(&self) -> impl Iterator<Item = (ServerKey, &NetworkName)> {
        self.forums.keys().map(|key| (key, self.servers.network(key)))
    }

    /// Some sources of posts that are visited, evenly from all of them.
    pub fn sample(&self, count_max: usize) -> Vec<SourceId> {
        // Index lists of a forum show no posts, and single pages are compared with themselves.
        let is_read = |slot: &Slot| {
            slot.robot == RobotKind::Status
                && slot.state == SourceState::Active
                && !self.forums.contains(slot.key)
                && self.servers.network(slot.key).definition() != PAGE
        };
        let all = self.sources.all().filter(|(_, slot)| is_read(slot));
        let stride = all.clone().count().div_ceil(count_max.max(1)).max(1);
        all.step_by(stride).map(|(id, _)| id).collect()
    }

    /// The models of forums.
    pub fn sites(&self) -> &Sites {
        self.forums.sites()
    }

    /// What is in force.
    pub fn options(&self) -> &CoreOptions {
        &self.options
    }

    fn want(&mut self, effect: Effect) {
        if matches!(effect, Effect::Apply(_)) {
            self.upload_count += 1;
        }
        self.effects.push(effect);
    }
}

#[cfg(test)]
pub(crate) mod tests;
