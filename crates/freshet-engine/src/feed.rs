//! Feeding the robots: from the change log to the rings, from the rings to sources.
//!
//! Everything newly known is in the change log, as `created`, and as `approached` when a shorter
//! way to it is found. Each robot's ring consumes the log from its own cursor, so a robot that was
//! switched off finds everything it missed when it is started, and a ring file that is lost is
//! rebuilt. An id that comes again makes no second source; it brings the first one nearer.
//! An id leaves its ring when it has become sources; from then on the wheel holds it.
//!
//! How far to go is bounded: `depth` steps from what a person added, and never more than
//! [`AHEAD_MAX`] sources that were never visited. Started with a greater depth than before, the
//! rings take in what they had passed by ([`Feeder::deepen`]).

use std::sync::Arc;

use freshet_frontier::{Coordinator, RingError};
use freshet_network::networks::Networks;
use freshet_network::robot;
use freshet_store::api::{Store, StoreError, Trouble};
use freshet_store::row::{ObjectRow, SourceSlot};
use freshet_store::setting::Setting;
use freshet_types::{Change, ChangeKind, Connector, RobotKind, RobotState, Source, SourceState};

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

/// The sources that a robot makes of what was found. They go back no further, and keep no longer,
/// than the source on whose way it was found: what a person said of that holds for all beyond.
fn heirs(connector: &dyn Connector, robot: RobotKind, found: &ObjectRow) -> impl Iterator<Item = Source> {
    let (since, retention) = (found.since, found.retention);
    robot::sources_for(connector, &found.network, robot, &found.kind, &found.id, found.depth)
        .into_iter()
        .map(move |source| Source { since, retention, ..source })
}

/// Owns the rings.
#[derive(Debug)]
pub struct Feeder {
    rings: Coordinator,
    networks: Arc<Networks>,
    depth_max: u16,
    is_deep: bool,
    /// Sources that were made and that nobody was told of yet, because something failed after them.
    made: Vec<SourceSlot>,
}

impl Feeder {
    /// A feeder over these rings that goes `depth_max` steps from what a person added.
    pub fn new(rings: Coordinator, networks: Arc<Networks>, depth_max: u16) -> Self {
        for warning in rings.warnings() {
            tracing::warn!("{warning}");
        }
        Self { rings, networks, depth_max, is_deep: false, made: Vec::new() }
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
    pub fn tend(&mut self, store: &mut dyn Store, room: usize) -> Result<Vec<SourceSlot>, FeedError> {
        self.tend_all(store, room)?;
        Ok(std::mem::take(&mut self.made))
    }

    fn tend_all(&mut self, store: &mut dyn Store, room: usize) -> Result<(), FeedError> {
        if !self.is_deep {
            self.doubt(store)?;
            self.deepen(store)?;
            self.is_deep = true;
        }
        let robots = store.robots()?;
        let awake = robots.iter().filter(|row| row.state != RobotState::Stopped);
        self.fill(store, &awake.map(|row| row.kind).collect::<Vec<_>>())?;
        for row in robots {
            if row.state == RobotState::Running && self.made.len() < room {
                self.drain(store, row.kind, room - self.made.len())?;
            }
        }
        Ok(self.rings.tend()?)
    }

    /// Writes down where the rings stand; without it ids are handed out again, never lost.
    pub fn sync(&mut self) -> Result<(), FeedError> {
        Ok(self.rings.sync()?)
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
        if !self.networks.are_posts_visited(robots) {
            return store.account_changes_above(above, LOG_BATCH);
        }
        let changes = store.changes_above(above, LOG_BATCH)?;
        let up_to = changes.last().map_or(above, |last| last.number);
        Ok((changes, up_to))
    }

    fn is_for(&self, robot: RobotKind, change: &Change) -> bool {
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

    /// Makes sources of some ids of a ring. Ids whose sources could not be stored go back into it.
    fn drain(&mut self, store: &mut dyn Store, robot: RobotKind, room: usize) -> Result<(), FeedError> {
        let mut ids = Vec::new();
        let made = self.make_sources(store, robot, room, &mut ids);
        for id in ids {
            match made {
                Ok(()) => self.rings.ring(robot).done(id)?,
                // The lease ends and the id waits in memory, whatever the disk says to that.
                Err(_) => drop(self.rings.ring(robot).put_back(id)),
            }
        }
        made
    }

    fn make_sources(
        &mut self,
        store: &mut dyn Store,
        robot: RobotKind,
        room: usize,
        ids: &mut Vec<u64>,
    ) -> Result<(), FeedError> {
        let mut sources: Vec<Source> = Vec::new();
        while ids.len() < POP_BATCH && sources.len() < room {
            let first = ids.len();
            while ids.len() < POP_BATCH && sources.len() + ids.len() - first < room {
                let Some(id) = self.rings.ring(robot).pop()? else { break };
                ids.push(id);
            }
            if ids.len() == first {
                break;
            }
            for found in store.objects(&ids[first..])?.into_iter().flatten() {
                if let Some(connector) = self.networks.connector_for(&found.network) {
                    sources.extend(heirs(&*connector, robot, &found));
                }
            }
        }
        drop_removed(store, &mut sources)?;
        if sources.is_empty() {
            return Ok(());
        }
        let added = store.add_sources(&sources)?;
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
mod tests {
    use freshet_store::row::Upload;
    use freshet_store::testing;
    use freshet_types::{Account, NetworkName, Observation, Post, Timestamp, VisitId};

    use super::*;

    /// Everything that `finder` meets in one page: an account one step away, and a post.
    fn upload(finder: RobotKind, network: &NetworkName) -> Upload {
        let account = Account { id: "9".to_owned(), ..Account::default() };
        let post = Post { id: "1".to_owned(), kind: "post".into(), ..Post::default() };
        Upload {
            robot: Some(finder),
            observation: Observation { accounts: vec![account], posts: vec![post], ..Observation::default() },
            ..Upload::new(VisitId(1), network.clone(), Timestamp::from_secs(1))
        }
    }

    /// Paused robots let their rings grow and hand nothing out.
    fn pause_all(store: &mut dyn Store) {
        for robot in RobotKind::ALL {
            store.set_robot(robot, RobotState::Paused).unwrap();
        }
    }

    /// Which rings grow, and by how many ids, when `finder` meets an account and a post.
    fn check(finder: RobotKind, expected: &str) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = testing::memory();
        let network = NetworkName::from("mastodon:a.example");
        store.apply(&[upload(finder, &network)], |_, _| None).unwrap();
        pause_all(&mut store);
        let rings = Coordinator::open(dir.path(), 1000).unwrap();
        let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 5);
        feeder.tend(&mut store, 0).unwrap();
        let grown: Vec<_> = RobotKind::ALL
            .into_iter()
            .filter_map(|robot| Some((robot, feeder.waiting(robot))).filter(|(_, count)| *count > 0))
            .map(|(robot, count)| format!("{robot}:{count}"))
            .collect();
        assert_eq!(grown.join(" "), expected, "{finder} found them");
    }

    #[test]
    fn ids_whose_sources_cannot_be_stored_come_again() {
        let dir = tempfile::tempdir().unwrap();
        let db = dir.path().join("store.db");
        let mut store = testing::open(&db);
        let network = NetworkName::from("mastodon:a.example");
        store.apply(&[upload(RobotKind::Relation, &network)], |_, _| None).unwrap();
        pause_all(&mut store);
        let rings = Coordinator::open(&dir.path().join("rings"), 1000).unwrap();
        let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 5);
        feeder.tend(&mut store, 100).unwrap();
        store.set_robot(RobotKind::Status, RobotState::Running).unwrap();
        let waiting = feeder.waiting(RobotKind::Status);
        assert!(waiting > 0, "the robot has something to do");
        let mut reader = testing::reader(&db);
        feeder.tend(&mut reader, 100).unwrap_err();
        assert_eq!(feeder.waiting(RobotKind::Status), waiting);
        assert!(!feeder.tend(&mut store, 100).unwrap().is_empty());
        assert_eq!(feeder.waiting(RobotKind::Status), 0);
    }

    #[test]
    fn robots_feed_each_other_as_in_the_paper() {
        check(RobotKind::Relation, "relation:1 user:1 status:1 tag:1");
        check(RobotKind::User, "");
        check(RobotKind::Status, "relation:1 user:1 status:1 comment:1 tag:1 link:1");
        check(RobotKind::Comment, "relation:1 user:1 status:1 comment:1 tag:1 link:1");
        check(RobotKind::Tag, "");
    }

    #[test]
    fn who_was_first_known_as_gone_is_found_when_back() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = testing::memory();
        pause_all(&mut store);
        let rings = Coordinator::open(dir.path(), 1000).unwrap();
        let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 5);
        let network = NetworkName::from("mastodon:a.example");
        let upload = |observation| Upload {
            robot: Some(RobotKind::Relation),
            observation,
            ..Upload::new(VisitId(1), network.clone(), Timestamp::from_secs(1))
        };
        let invalid = Some(("9".to_owned(), "suspended".to_owned()));
        let account = Account { id: "9".to_owned(), name: Some("back".to_owned()), ..Account::default() };
        let back = Observation { accounts: vec![account], ..Observation::default() };
        for (upload, expected) in
            [(Upload { invalid, ..upload(Observation::default()) }, 0), (upload(back), 1)]
        {
            store.apply(&[upload], |_, _| None).unwrap();
            feeder.tend(&mut store, 0).unwrap();
            assert_eq!(
                [RobotKind::Relation, RobotKind::Tag].map(|robot| feeder.waiting(robot)),
                [expected; 2]
            );
        }
    }

    #[test]
    fn a_ring_that_is_ahead_of_the_store_is_filled_anew() {
        let dir = tempfile::tempdir().unwrap();
        let network = NetworkName::from("mastodon:a.example");
        let mut waiting = Vec::new();
        // The second store stands for a copy that was made before most of the first one's changes.
        for extra in [50, 0] {
            let mut store = testing::memory();
            let mut first = upload(RobotKind::Relation, &network);
            let account = |id: u32| Account { id: format!("x{id}"), ..Account::default() };
            first.observation.accounts.extend((0..extra).map(account));
            store.apply(&[first], |_, _| None).unwrap();
            pause_all(&mut store);
            let rings = Coordinator::open(dir.path(), 1000).unwrap();
            let mut feeder = Feeder::new(rings, Arc::new(Networks::shipped()), 5);
            feeder.tend(&mut store, 0).unwrap();
            feeder.sync().unwrap();
            waiting.push(feeder.waiting(RobotKind::User));
        }
        assert_eq!(waiting, [51, 1]);
    }

    #[test]
    fn what_a_person_added_feeds_all_whoever_saw_it_first() {
        let change = |finder, depth, kind: &str| Change {
            number: 1,
            seen_at: Timestamp::from_secs(1),
            kind: ChangeKind::Created,
            address: freshet_types::Address::new(&NetworkName::from("mastodon:a.example"), kind, "9"),
            object: 1,
            depth,
            visit: VisitId(1),
            finder: Some(finder),
        };
        assert_eq!(finder(&change(RobotKind::User, 0, "account")), None);
        assert_eq!(finder(&change(RobotKind::User, 1, "account")), Some(RobotKind::User));
        assert_eq!(finder(&change(RobotKind::Comment, 0, "post")), Some(RobotKind::Status));
    }
}
