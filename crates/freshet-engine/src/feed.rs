//! Feeding the robots: from the change log to the rings, from the rings to sources.
//!
//! Everything newly known is in the change log, as `created`, and as `approached` when a shorter
//! way to it is found. Each robot's ring consumes the log from its own cursor, so a robot that was
//! switched off finds everything it missed when it is started, and a ring file that is lost is
//! rebuilt. An id that comes again makes no second source; it brings the first one nearer.
//! An id leaves its ring when it has become sources; from then on the wheel holds it.
//!
//! How far to go is bounded: `depth` steps from what a person added, and never more than
//! [`AHEAD_MAX`] sources that wait to be visited, of which the robot of links may fill half. Started with a greater depth than before, the
//! rings take in what they had passed by ([`Feeder::deepen`]). What constraints say about following is asked when an id leaves
//! its ring (`feed/follow.rs`).
//!
//! Where there is a way to go, or a focus ([`crate::focus`]), the best leave a ring first (`scores`), few at a time: by the focus, or by how near they are to what a
//! person added. Elsewhere, and in a ring of which ids go round, they leave as they came.

mod across;
mod counted;
mod follow;
mod scores;

use std::sync::Arc;

use freshet_frontier::{Coordinator, RingError};
use freshet_network::collections::Collections;
use freshet_network::networks::Networks;
use freshet_network::robot;
use freshet_store::api::interest::Ranked;
use freshet_store::api::{Store, StoreError, Trouble};
use freshet_store::control::{Control, SourcesChange};
use freshet_store::row::{Held, SourceSlot};
use freshet_store::setting::Setting;
use freshet_types::{Change, ChangeKind, RobotKind, RobotState, Set, Source, SourceState, Timestamp};

use self::counted::{Round, heirs};
use self::scores::Scores;
use crate::collections;
use crate::constrain::Judge;
use crate::focus::FOCUS;
use crate::report::Rings;

/// Changes read from the log at once.
const LOG_BATCH: usize = 4096;
/// Ids turned into sources at once.
const POP_BATCH: usize = 256;
/// Setting that holds the depth to which the rings have taken in what is known.
const FED_DEPTH: Setting<u16> = Setting::new("fed_depth");
/// Sources that were made from rings and never visited yet.
pub const AHEAD_MAX: usize = 10_000;

/// Why the rings could not be fed.
#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A ring file failed.
    #[error(transparent)]
    Ring(#[from] RingError),
}

impl FeedError {
    /// Whether the same may be tried again: all steps here may be repeated, so only the cause decides.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Store(error) => error.trouble().is_some(),
            Self::Ring(error) => matches!(error, RingError::Io { .. }),
        }
    }

    /// What a person can do about it.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Store(error) => error.trouble().map_or("start again; see `freshet check`", Trouble::advice),
            Self::Ring(_) => {
                "look at the disk of the data directory: is there room, and may you write there?"
            }
        }
    }
}

/// Whose find it is. An account at depth 0 is what a person added, whoever looked at it first: it
/// feeds every robot. A post that the comment robot saw first counts as the status robot's: a near
/// one stands in a timeline that this robot reads too, and it is in the log only once.
fn finder(change: &Change) -> Option<RobotKind> {
    match (change.finder, &*change.address.kind == robot::ACCOUNT) {
        (_, true) if change.depth == 0 => None,
        (Some(RobotKind::Comment), false) => Some(RobotKind::Status),
        (finder, _) => finder,
    }
}

/// What a person added has its status and user sources from the start.
fn is_added(robot: RobotKind, change: &Change) -> bool {
    let is_first = matches!(robot, RobotKind::Status | RobotKind::User);
    is_first && change.depth == 0 && &*change.address.kind == robot::ACCOUNT
}

/// An id may come twice; what a person took off the list meanwhile stays off it.
fn drop_removed(store: &dyn Store, sources: &mut Vec<Source>) -> Result<(), StoreError> {
    let mut states = store.states_of(sources)?.into_iter();
    sources.retain(|_| states.next().flatten().is_none_or(SourceState::is_watched));
    Ok(())
}

/// Networks that the store knows something of.
#[derive(Debug, Default)]
struct Met {
    /// The newest of them.
    number: u64,
    definitions: Set<String>,
}

impl Met {
    fn tend(&mut self, store: &dyn Store) -> Result<(), StoreError> {
        for (number, network) in store.networks_above(self.number)? {
            self.number = number;
            self.definitions.insert(network.definition().to_owned());
        }
        Ok(())
    }

    /// How many they are, about: numbers are given in order.
    fn count(&self) -> usize {
        usize::try_from(self.number).unwrap_or(usize::MAX)
    }
}

/// Owns the rings.
#[derive(Debug)]
pub struct Feeder {
    rings: Coordinator,
    networks: Arc<Networks>,
    met: Met,
    depth_max: u16,
    is_deep: bool,
    /// Where the ring of each robot stands of which some ids wait.
    rounds: [Round; RobotKind::ALL.len()],
    /// Who says what is followed.
    judge: Option<Judge>,
    /// What the robot `link` gathers.
    collections: Collections,
    /// Who leaves first, where robots go beyond what was added or there is a focus.
    scores: Option<Scores>,
    /// There may be ranks in the store that an earlier run or a focus left.
    may_rank: bool,
    /// Sources that were made and that nobody was told of yet, because something failed after them.
    made: Vec<SourceSlot>,
}

impl Feeder {
    /// A feeder over these rings that goes `depth_max` steps from what a person added.
    pub fn new(rings: Coordinator, networks: Arc<Networks>, depth_max: u16) -> Self {
        for warning in rings.warnings() {
            tracing::warn!("{warning}");
        }
        let rounds = Default::default();
        Self {
            rings,
            networks,
            met: Met::default(),
            depth_max,
            is_deep: false,
            rounds,
            judge: None,
            collections: Collections::default(),
            scores: None,
            may_rank: true,
            made: Vec::new(),
        }
    }

    /// The networks it knows.
    pub fn networks(&self) -> Arc<Networks> {
        Arc::clone(&self.networks)
    }

    /// Ids waiting in a robot's ring.
    pub fn waiting(&mut self, robot: RobotKind) -> usize {
        self.rings.ring(robot).len()
    }

    /// Ids waiting in all rings: in memory, and on disk only.
    pub fn lengths(&self) -> Rings {
        let mut lengths = Rings::default();
        for (robot, ring) in self.rings.rings() {
            let memory = ring.memory_count();
            lengths[robot as usize] = (memory, ring.len().saturating_sub(memory));
        }
        lengths
    }

    /// Moves what the log has for running robots into their rings, and up to `room` ids on into
    /// sources; gives the new ones. After an error it may be called again: nothing is left out.
    pub fn tend(
        &mut self,
        store: &mut dyn Store,
        room: usize,
        now: Timestamp,
    ) -> Result<Vec<SourceSlot>, FeedError> {
        self.tend_all(store, room, now)?;
        Ok(std::mem::take(&mut self.made))
    }

    fn tend_all(&mut self, store: &mut dyn Store, room: usize, now: Timestamp) -> Result<(), FeedError> {
        if !self.is_deep {
            self.doubt(store)?;
            self.deepen(store)?;
            self.is_deep = true;
        }
        self.choose_collections(store)?;
        let robots = store.robots()?;
        let awake = robots.iter().filter(|row| row.state != RobotState::Stopped);
        self.fill(store, &awake.map(|row| row.kind).collect::<Vec<_>>())?;
        self.score(store, now)?;
        let scores = self.scores.as_ref().filter(|scores| scores.are_any());
        let (is_scored, ahead_max) =
            (scores.is_some(), scores.map_or(AHEAD_MAX, |it| it.ahead_max(self.met.count())));
        let room = room.saturating_sub(AHEAD_MAX - ahead_max);
        let running: Vec<RobotKind> =
            robots.iter().filter(|row| row.state == RobotState::Running).map(|row| row.kind).collect();
        // Where there is little room, no robot takes it all.
        let share = if is_scored { room.div_ceil(running.len().max(1)) } else { room };
        for &robot in &running {
            let room = match robot {
                // There are several lists of members for each post: all of them together hold up no other robot.
                RobotKind::Link => room.saturating_sub(ahead_max / 2),
                _ => room,
            };
            if self.made.len() < room {
                self.drain(store, robot, share.min(room - self.made.len()), now)?;
            }
        }
        self.judge_held(store, &running, room.saturating_sub(self.made.len()), now)?;
        Ok(self.rings.tend()?)
    }

    /// Writes down where the rings stand; without it ids are handed out again, never lost.
    pub fn sync(&mut self) -> Result<(), FeedError> {
        Ok(self.rings.sync()?)
    }

    /// Learns what scores rest on. A focus that cannot be read is none. Without one, and where robots stay with what was added, all that is there
    /// was added and nobody comes before others.
    fn score(&mut self, store: &mut dyn Store, now: Timestamp) -> Result<(), StoreError> {
        let focus = FOCUS.find(store)?.map(|stored| stored.0);
        let has_scores = focus.is_some() || self.depth_max > 0;
        if self.scores.as_ref().map(Scores::focus) != has_scores.then_some(focus.as_ref()) {
            self.scores = has_scores.then(|| Scores::new(focus));
            self.may_rank = true;
        }
        match &mut self.scores {
            Some(scores) => scores.tend(store, now)?,
            None if self.may_rank => {
                if store.ranked()? != Ranked::default() {
                    store.set_ranks(&[])?;
                }
                self.may_rank = false;
            }
            None => {}
        }
        Ok(())
    }

    /// Learns what the robot `link` gathers. What it passed by before is in the log: where the choice has grown, its ring is filled anew, and
    /// an id that comes again makes no second source. Dying in the middle means to begin again.
    fn choose_collections(&mut self, store: &mut dyn Store) -> Result<(), FeedError> {
        self.collections = collections::chosen(store)?;
        let fed = collections::fed(store)?;
        if self.collections == fed {
            return Ok(());
        }
        if self.collections.widen(&fed) {
            self.rings.ring(RobotKind::Link).begin_anew()?;
            self.rounds[RobotKind::Link as usize] = Round::default();
        }
        Ok(collections::set_fed(store, &self.collections)?)
    }

    /// A ring that stands ahead of the log consumed another one: a power cut took the newest changes,
    /// or the store is a restored copy. Their numbers are given anew, so it is filled anew.
    fn doubt(&mut self, store: &dyn Store) -> Result<(), FeedError> {
        let last = store.last_change()?;
        for robot in RobotKind::ALL {
            let ring = self.rings.ring(robot);
            if ring.log_cursor() > last {
                let cursor = ring.log_cursor();
                tracing::warn!(
                    "the ring of `{robot}` stands at change {cursor}, the store's newest is {last}: \
                     it is filled anew from the change log"
                );
                ring.begin_anew()?;
            }
        }
        Ok(())
    }

    /// Goes through the log once more for what lies beyond the depth of the last time. Dying in the
    /// middle means to begin again: an id that is handed out twice makes its sources once.
    fn deepen(&mut self, store: &mut dyn Store) -> Result<(), FeedError> {
        let fed = FED_DEPTH.find(store)?;
        if fed == Some(self.depth_max) {
            return Ok(());
        }
        let mut at = 0;
        while let Some(fed) = fed.filter(|&fed| fed < self.depth_max) {
            let changes = store.changes_above(at, LOG_BATCH)?;
            let Some(last) = changes.last() else { break };
            at = last.number;
            for change in changes.iter().filter(|change| change.depth > fed) {
                for robot in RobotKind::ALL {
                    if change.number <= self.rings.ring(robot).log_cursor() && self.is_for(robot, change) {
                        self.rings.ring(robot).push(change.object)?;
                    }
                }
            }
        }
        self.rings.sync()?;
        Ok(FED_DEPTH.put(store, &self.depth_max)?)
    }

    /// The rings mostly stand at the same place: one reading of the log serves all of them.
    fn fill(&mut self, store: &dyn Store, robots: &[RobotKind]) -> Result<(), FeedError> {
        self.met.tend(store)?;
        loop {
            let cursors = robots.iter().map(|&robot| self.rings.ring(robot).log_cursor());
            let Some(lowest) = cursors.min() else { return Ok(()) };
            let (changes, up_to) = self.log(store, robots, lowest)?;
            if up_to == lowest {
                return Ok(());
            }
            for &robot in robots {
                let cursor = self.rings.ring(robot).log_cursor();
                if cursor >= up_to {
                    continue;
                }
                let is_new = |change: &&Change| change.number > cursor && self.is_for(robot, change);
                let ids: Vec<u64> = changes.iter().filter(is_new).map(|change| change.object).collect();
                self.rings.ring(robot).push_from_log(up_to, &ids)?;
            }
        }
    }

    /// The next stretch of the log, and where it ends. Most of the log is about posts, which the
    /// robots that run by default do not visit.
    fn log(
        &self,
        store: &dyn Store,
        robots: &[RobotKind],
        above: u64,
    ) -> Result<(Vec<Change>, u64), StoreError> {
        let definitions = self.met.definitions.iter().map(String::as_str);
        if !self.networks.are_others_visited(definitions, robots) && !robots.contains(&RobotKind::Across) {
            return store.account_changes_above(above, LOG_BATCH);
        }
        let changes = store.changes_above(above, LOG_BATCH)?;
        let up_to = changes.last().map_or(above, |last| last.number);
        Ok((changes, up_to))
    }

    fn is_for(&self, robot: RobotKind, change: &Change) -> bool {
        if robot == RobotKind::Across || change.kind == ChangeKind::Pointed {
            return robot == RobotKind::Across && self.is_across(change);
        }
        // Who was first seen as suspended or gone is found when they come back.
        let is_found =
            matches!(change.kind, ChangeKind::Created | ChangeKind::Approached | ChangeKind::Restored);
        let is_near = is_found && change.depth <= self.depth_max;
        is_near && !is_added(robot, change) && self.is_fed(robot, change)
    }

    /// Whether the finder of this object feeds `robot` with it [MBCrawler, sections 2.1–2.2].
    fn is_fed(&self, robot: RobotKind, change: &Change) -> bool {
        let connector = self.networks.connector_for(&change.address.network);
        connector.is_some_and(|connector| {
            robot::fed_by(finder(change), &*connector, &change.address.kind).contains(&robot)
        })
    }

    /// Makes sources of some ids of a ring. Ids whose sources could not be stored go back into it, and so do those that wait.
    fn drain(
        &mut self,
        store: &mut dyn Store,
        robot: RobotKind,
        room: usize,
        now: Timestamp,
    ) -> Result<(), FeedError> {
        if self.rounds[robot as usize].rests(now) {
            return Ok(());
        }
        let mut ids = Vec::new();
        let made = self.make_sources(store, robot, (room, now), &mut ids);
        for (id, waits) in ids {
            match made {
                Ok(()) if waits => {
                    self.rounds[robot as usize].note(id);
                    self.rings.ring(robot).put_back(id)?;
                }
                Ok(()) => self.rings.ring(robot).done(id)?,
                // The lease ends and the id waits in memory, whatever the disk says to that.
                Err(_) => drop(self.rings.ring(robot).put_back(id)),
            }
        }
        made
    }

    /// Pops ids off a ring until there are so many more; gives whether there may be others.
    fn pop_some(
        &mut self,
        robot: RobotKind,
        count_max: usize,
        now: Timestamp,
        ids: &mut Vec<(u64, bool)>,
    ) -> Result<bool, FeedError> {
        let first = ids.len();
        let ring = self.rings.ring(robot);
        let is_in_order = ring.is_owing() || self.rounds[robot as usize].is_open();
        if let Some(scores) = self.scores.as_mut().filter(|it| it.are_any() && !is_in_order) {
            let chosen =
                scores.choose(robot, &ring.window(scores::WINDOW)?, count_max.min(POP_BATCH - first));
            ids.extend(ring.pop_at(&chosen).into_iter().map(|id| (id, false)));
            return Ok(ids.len() > first);
        }
        while ids.len() < POP_BATCH && ids.len() - first < count_max {
            let Some(id) = self.rings.ring(robot).pop()? else { return Ok(false) };
            ids.push((id, false));
            let round = &mut self.rounds[robot as usize];
            if round.ends_with(id) {
                round.end(now);
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Each id with whether it waits.
    fn make_sources(
        &mut self,
        store: &mut dyn Store,
        robot: RobotKind,
        (room, now): (usize, Timestamp),
        ids: &mut Vec<(u64, bool)>,
    ) -> Result<(), FeedError> {
        let mut sources: Vec<Source> = Vec::new();
        let (mut held, mut has_more) = (Vec::new(), true);
        while has_more && ids.len() < POP_BATCH && sources.len() < room {
            let first = ids.len();
            has_more = self.pop_some(robot, room - sources.len(), now, ids)?;
            let numbers: Vec<u64> = ids[first..].iter().map(|(id, _)| *id).collect();
            for ((object, waits), found) in ids[first..].iter_mut().zip(store.objects(&numbers)?) {
                let Some(found) = found else { continue };
                if let Some(judge_at) = self.held_until(store, robot, &found, now)? {
                    held.push(Held { object: *object, robot, judge_at });
                } else if let Some(connector) = self.networks.connector_for(&found.network) {
                    let heirs = heirs((&*connector, &self.collections), robot, &found, now);
                    sources.extend(heirs.sources);
                    *waits = heirs.waits;
                }
            }
        }
        if !held.is_empty() {
            store.hold(&held)?;
        }
        self.add(store, sources)
    }

    /// Has sources stored, and tells of those that are new.
    fn add(&mut self, store: &mut dyn Store, mut sources: Vec<Source>) -> Result<(), FeedError> {
        drop_removed(store, &mut sources)?;
        let has_new_servers = self.meet_servers(store, &mut sources)?;
        if sources.is_empty() {
            return Ok(());
        }
        let added = store.add_sources(&sources)?;
        if has_new_servers {
            // The run hears of servers as of those that a person adds.
            store.push_control(&Control::Sources(SourcesChange::Added(sources.len() as u64)))?;
        }
        for (source, (number, is_new)) in sources.iter().zip(added) {
            if is_new {
                self.made.push(SourceSlot {
                    id: number,
                    network: source.network.clone(),
                    robot: source.robot,
                    state: source.state,
                    weight: source.weight,
                    due_at: source.due_at,
                    gap: None,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
