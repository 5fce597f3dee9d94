//! Step 8 of 10 in bulk: the only writer of the store, as a state machine.
//!
//! Fetchers produce, the writer consumes [SocWeb, section 4.1]. It commits whatever has
//! gathered since the last commit in one transaction, so that commits grow with the load and a
//! lone page never waits. Between commits it feeds the robots' rings from the change log, moves the
//! cursors of subscribers and brings the search index up to date; all stand on log cursors, so being killed is no loss.
//!
//! There is no thread, channel or clock here: whoever owns a [`Writer`] hands it jobs ([`Writer::take`]), and the store and
//! the moment for each turn ([`Writer::turn`]). Under tokio that is a thread (`drive/threads.rs`), in the simulator its driver.
//!
//! Invariant: a store that fails for a while (locked, full, no files) ends nothing. What could not be written stays in the
//! pile (`writer/pile.rs`) and is tried again; the runner is told, and asks for nothing more meanwhile.
//! Ring files that cannot be written hold up the robots only.

mod pile;

use std::sync::Arc;

use freshet_network::constraint::Constraints;
use freshet_network::networks::Networks;
use freshet_store::api::{Store, StoreError};
use freshet_store::row::{Applied, Upload};
use freshet_store::subscription::Standing;
use freshet_types::{Span, Timestamp, Viewer, VisitId};

use crate::constrain::{Constrainer, setting};
use crate::core::Event;
use crate::core::Moment;
use crate::feed::{AHEAD_MAX, FeedError, Feeder};
use crate::quota::Reservation;
use crate::report::Rings;
use crate::spell::Spell;
use crate::stream;
use pile::{Group, Pile};

/// How often the rings are tended while there is work, in milliseconds of wall time.
const FEED_EVERY_MS: u64 = 200;
/// How often the rings write down where they stand.
const SYNC_EVERY_MS: u64 = 2_000;
/// Without a page for so long, the writer turns to the search index. Its owner lets it have a turn as often.
pub(crate) const IDLE_AFTER_MS: u64 = 100;
/// Changes indexed at once.
const INDEX_BATCH: usize = 2_000;
/// How often old posts and parked objects are dropped.
const CLEAN_EVERY: Span = Span::HOUR;

/// Where the writer tells what it has done, as soon as it is done: requests wait for some of it.
pub type Tell<'a> = &'a mut dyn FnMut(Told);

/// What the writer is asked to do.
#[derive(Debug)]
pub enum Job {
    Apply(Box<Upload>),
    /// From now on, these constraints.
    Constraints(Constraints),
    /// Write the live report for `freshet status`.
    Report(String),
    /// Write down what was granted of the quotas, before it is used.
    Ledger(Box<Reservation>),
    /// Write down the prices.
    Prices(String),
    /// Write down the recent past, for charts.
    History(String),
    /// Write down this setting.
    Note(&'static str, String),
    /// Reserve this many visit numbers.
    Reserve(u64),
    /// This consumer of the change log has got so far.
    Cursor(String, u64),
    /// The subscriber of this name has got so far.
    Standing(String, Standing),
    /// So many sources may come out of the rings.
    Room(usize),
    /// Commit what is left and end.
    Stop,
}

/// A part of the run that can be in trouble; the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Writing to the store.
    Store,
    /// Reading from it.
    Reading,
    /// The files of the robots' rings.
    Rings,
    /// The clock was set back.
    Clock,
}

impl Part {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Store => "store",
            Self::Reading => "reading",
            Self::Rings => "rings",
            Self::Clock => "clock",
        }
    }
}

/// What the writer tells.
#[derive(Debug)]
pub enum Told {
    /// Something for the core.
    Event(Event),
    /// How many ids wait in the rings.
    Rings(Rings),
    /// Visit numbers, reserved.
    Reserved(std::ops::Range<u64>),
    /// What was applied, to be freed by whoever has the time: the writer is waited for.
    Spent(Vec<Upload>),
    /// Something fails that may pass: what, and what to do about it. It is tried again.
    Trouble(Part, String, &'static str),
    /// It works again.
    Mended(Part),
    /// It cannot go on.
    Failed(FeedError),
}

/// The only writer.
#[derive(Debug)]
pub struct Writer {
    /// The robots' rings; without them no robot is fed.
    feeder: Option<Feeder>,
    constrainer: Constrainer,
    /// Whose store it writes; `None`: the one that everybody reads.
    viewer: Option<Viewer>,
    /// The constraints of the run were told.
    is_constrained: bool,
    pile: Pile,
    /// Whether the store takes nothing.
    spell: Spell,
    /// Whether the rings cannot be written.
    ring_spell: Spell,
    /// Sources that may come out of the rings.
    room: usize,
    /// Wall times of the last page, feeding and writing down of the rings.
    worked_ms: u64,
    fed_ms: Option<u64>,
    synced_ms: Option<u64>,
    cleaned_at: Timestamp,
    is_indexed: bool,
    is_done: bool,
}

impl Writer {
    /// A writer that feeds these rings.
    pub fn new(networks: Arc<Networks>, feeder: Option<Feeder>) -> Self {
        Self {
            feeder,
            constrainer: Constrainer::new(networks),
            viewer: None,
            is_constrained: false,
            pile: Pile::default(),
            spell: Spell::default(),
            ring_spell: Spell::default(),
            room: AHEAD_MAX,
            worked_ms: 0,
            fed_ms: None,
            synced_ms: None,
            cleaned_at: Timestamp::MIN,
            is_indexed: false,
            is_done: false,
        }
    }

    /// A writer of the store of this viewer: no robot is fed with what it shows.
    pub fn of_viewer(networks: Arc<Networks>, viewer: Viewer) -> Self {
        Self { viewer: Some(viewer), ..Self::new(networks, None) }
    }

    /// Accepts a job; it is done in one of the next turns.
    pub fn accept(&mut self, job: Job) {
        match job {
            Job::Room(room) => self.room = room,
            job => self.pile.add(job),
        }
    }

    /// Nothing of what waits is ever written: gives what is to be said of it.
    pub(crate) fn give_up(&mut self) -> Vec<(VisitId, Applied)> {
        let groups = std::mem::take(&mut self.pile.groups);
        let of = |group: &Group| match group {
            Group::Uploads(uploads, _) => uploads.iter().map(refused).collect(),
            Group::Constraints(_) => Vec::new(),
        };
        groups.iter().flat_map(of).collect()
    }

    /// Enough waits for one turn.
    pub fn is_full(&self) -> bool {
        self.pile.is_full()
    }

    /// It was told to stop, and has written everything.
    pub fn is_done(&self) -> bool {
        self.is_done
    }

    /// The wall time from which a turn has something to do: at once where jobs wait, later where the store takes nothing.
    /// `None` where nothing is urgent; a turn now and then is wanted all the same, for the rings and the index.
    pub fn wake_ms(&self) -> Option<u64> {
        self.spell.retry_ms().or_else(|| (!self.pile.is_empty() || self.pile.is_last).then_some(0))
    }

    /// Writes what waits; then it looks after what is derived from it. Trouble that may pass is told when it begins and
    /// when it is over; what does not pass is the error.
    pub fn turn(&mut self, store: &mut dyn Store, moment: Moment, tell: Tell<'_>) -> Result<(), FeedError> {
        if self.spell.waits(moment) || self.is_done {
            return Ok(());
        }
        match self.work(store, moment, tell) {
            Ok(()) => {
                if self.spell.worked() {
                    tracing::info!("the store works again");
                    tell(Told::Mended(Part::Store));
                }
                self.is_done = self.pile.is_last;
            }
            Err(error) if error.is_passing() => {
                if self.spell.failed(moment) {
                    tracing::warn!("{error}; it is tried again, and nothing new is asked for meanwhile");
                    tell(Told::Trouble(Part::Store, error.to_string(), error.advice()));
                }
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    fn work(&mut self, store: &mut dyn Store, moment: Moment, tell: Tell<'_>) -> Result<(), FeedError> {
        let is_idle = moment.wall_ms.saturating_sub(self.worked_ms) >= IDLE_AFTER_MS;
        if self.pile.has_pages() {
            self.worked_ms = moment.wall_ms;
        }
        self.write(store, moment, tell)?;
        if self.pile.is_last {
            self.move_cursors(store)?;
            if let Some(Err(error)) = self.feeder.as_mut().map(Feeder::sync) {
                tracing::warn!("where the rings stand is not written down, some ids come again: {error}");
            }
            return Ok(());
        }
        self.feed(store, moment, tell)?;
        if is_idle { self.idle(store, moment) } else { Ok(()) }
    }

    /// Writes all that waits; what fails stays in the pile.
    fn write(&mut self, store: &mut dyn Store, moment: Moment, tell: Tell<'_>) -> Result<(), StoreError> {
        // Reservations first: requests wait for them.
        while let Some(reservation) = self.pile.reservations.front() {
            store.set_settings(&reservation.settings)?;
            tell(Told::Event(Event::Reserved(reservation.number)));
            self.pile.reservations.pop_front();
        }
        while let Some(group) = self.pile.groups.front_mut() {
            match group {
                Group::Uploads(uploads, _) => {
                    turn_away(uploads, self.viewer.as_ref(), tell);
                    let mut sifted = Vec::new();
                    for upload in uploads.iter_mut().filter(|upload| upload.stream.is_some()) {
                        sifted.extend(stream::sift(store, upload)?);
                    }
                    let confirmed = self.constrainer.apply(store, uploads)?;
                    let uploads = std::mem::take(uploads);
                    let stale_count = confirmed.iter().filter(|(_, applied)| applied.is_stale).count();
                    if stale_count > 0 {
                        tracing::warn!(
                            "{stale_count} pages of sources that another run leads now are not stored"
                        );
                    }
                    self.is_indexed = false;
                    tell(Told::Event(Event::Applied(confirmed)));
                    for sifted in sifted {
                        tell(Told::Event(Event::StreamSifted(Box::new(sifted))));
                    }
                    tell(Told::Spent(uploads));
                }
                Group::Constraints(constraints) => {
                    self.constrainer.replace(store, constraints.clone(), moment.now)?;
                    store.hasten_held(None)?;
                    if let Some(feeder) = &mut self.feeder {
                        feeder.constrain(self.constrainer.judge().clone());
                    }
                    self.is_constrained = true;
                }
            }
            self.pile.groups.pop_front();
        }
        while let Some(entry) = self.pile.settings.first_entry() {
            store.set_setting(entry.key(), entry.get())?;
            entry.remove();
        }
        if let Some(count) = self.pile.reserve {
            let first = store.reserve_visits(count)?;
            self.pile.reserve = None;
            tell(Told::Reserved(first..first + count));
        }
        Ok(())
    }

    /// Writes down how far the subscribers have got.
    fn move_cursors(&mut self, store: &mut dyn Store) -> Result<(), StoreError> {
        while let Some(entry) = self.pile.cursors.first_entry() {
            store.set_cursor(entry.key(), *entry.get())?;
            entry.remove();
        }
        while let Some(entry) = self.pile.standings.first_entry() {
            if !store.note_standing(entry.key(), entry.get())? {
                tracing::debug!("`{}` was moved or removed by a person meanwhile", entry.key());
            }
            entry.remove();
        }
        Ok(())
    }

    fn feed(&mut self, store: &mut dyn Store, moment: Moment, tell: Tell<'_>) -> Result<(), FeedError> {
        if is_recent(self.fed_ms, FEED_EVERY_MS, moment) {
            return Ok(());
        }
        self.fed_ms = Some(moment.wall_ms);
        self.move_cursors(store)?;
        // What is followed is not known before the constraints are.
        if self.ring_spell.waits(moment) || !self.is_constrained {
            return Ok(());
        }
        match self.feed_rings(store, moment, tell) {
            Err(error @ FeedError::Ring(_)) if error.is_passing() => {
                if self.ring_spell.failed(moment) {
                    tracing::warn!("{error}; the robots wait, the crawl goes on");
                    tell(Told::Trouble(Part::Rings, error.to_string(), error.advice()));
                }
            }
            Err(error) => return Err(error),
            Ok(()) if self.ring_spell.worked() => tell(Told::Mended(Part::Rings)),
            Ok(()) => {}
        }
        Ok(())
    }

    fn feed_rings(&mut self, store: &mut dyn Store, moment: Moment, tell: Tell<'_>) -> Result<(), FeedError> {
        let Some(feeder) = &mut self.feeder else { return Ok(()) };
        if !is_recent(self.synced_ms, SYNC_EVERY_MS, moment) {
            feeder.sync()?;
            self.synced_ms = Some(moment.wall_ms);
            tell(Told::Rings(feeder.lengths()));
        }
        let slots = feeder.tend(store, self.room, moment.now)?;
        if !slots.is_empty() {
            tell(Told::Event(Event::Slots(slots)));
        }
        Ok(())
    }

    fn idle(&mut self, store: &mut dyn Store, moment: Moment) -> Result<(), FeedError> {
        if !self.is_indexed {
            self.is_indexed = store.index(INDEX_BATCH)? < INDEX_BATCH;
        }
        if moment.now - self.cleaned_at > CLEAN_EVERY {
            store.expire(moment.now)?;
            let parked_max = setting::parked_max(store)?;
            self.constrainer.drop_expired(store, moment.now, parked_max)?;
            self.cleaned_at = moment.now;
        }
        Ok(())
    }
}

/// What another viewer saw, or everybody, is not written here: nothing of it is stored.
fn turn_away(uploads: &mut Vec<Upload>, viewer: Option<&Viewer>, tell: Tell<'_>) {
    let is_other = |upload: &mut Upload| upload.viewer.as_ref() != viewer;
    let refused: Vec<_> = uploads.extract_if(.., is_other).map(|upload| refused(&upload)).collect();
    if !refused.is_empty() {
        tell(Told::Event(Event::Applied(refused)));
    }
}

/// The answer about an upload of which nothing is stored.
pub(crate) fn refused(upload: &Upload) -> (VisitId, Applied) {
    (upload.visit, Applied { is_stale: true, ..Applied::default() })
}

/// Whether something was done less than so long ago.
fn is_recent(done_ms: Option<u64>, every_ms: u64, moment: Moment) -> bool {
    done_ms.is_some_and(|at_ms| moment.wall_ms.saturating_sub(at_ms) < every_ms)
}

#[cfg(test)]
mod tests;
