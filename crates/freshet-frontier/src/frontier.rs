//! The frontier: what is due, by urgency, as far as politeness allows. Step 3 of 10: pick.
//!
//! ```text
//!   schedule ─► wheel ─► front (by class) ─► back (by key) ─► pick ─► lease
//!                 ▲           └─► parked (a busy key's own front) ─┘      │
//!                 └─────────────────── schedule, give_back ◄─────────────┘
//! ```
//!
//! The back queues are kept short, [`KEY_ITEMS_MAX`] a key, so that urgency decides as late as
//! possible; what is due for a busy or held key is parked with that key and blocks nobody. All
//! waiting lists are threaded through one array, so a million sources due at once need no memory
//! that was not there before: 13 bytes a source, and four more for each that is due soon.
//!
//! Invariants: a source is in the wheel, in one list, or leased; a source is picked only when due
//! and when its key allows it. No clock, no I/O, no quotas; rebuilt from the store on start.

mod lanes;

use std::collections::VecDeque;

use freshet_types::{Map, Politeness, ServerKey, SourceId, Span, Timestamp, VisitId};

use crate::back::{Back, Trust};
use crate::front::{Front, Links};
use crate::lease::{Lease, Leases, Pick};
use crate::wheel::Wheel;
use lanes::Lanes;

/// Items of one key in its back queue; the rest waits by urgency.
const KEY_ITEMS_MAX: usize = 2;
/// Keys that are ready before the front is asked for more: enough for any number of fetchers
/// that one process feeds, few enough that urgent sources need not queue behind them.
const READY_KEYS_MAX: usize = 64;
/// Due sources taken from the wheel at once, to bound the time of one pick.
const FEED_MAX: usize = 4096;

/// The class of sources that are handed to the caller when their time comes ([`Frontier::pop_candidate`]) instead of
/// being picked: whether they are visited, and when, is decided elsewhere.
pub const CANDIDATE: u8 = CLASS_MASK;
/// The class of a source, in its state byte.
const CLASS_MASK: u8 = 0x0f;
/// The source is in a list.
const LISTED: u8 = 0x80;
/// The source is due; one that is listed without this has been taken back meanwhile.
const DUE: u8 = 0x40;
/// The source fell due while it was visited, and is due when that visit ends.
const DUE_AFTER: u8 = 0x20;

/// What is due and allowed.
#[derive(Debug)]
pub struct Frontier {
    wheel: Wheel,
    front: Front,
    parked: Map<ServerKey, Front>,
    parked_count: usize,
    lanes: Lanes,
    /// Picks so far.
    turn: u64,
    links: Links,
    back: Back,
    leases: Leases,
    keys: Vec<ServerKey>,
    states: Vec<u8>,
    due: Vec<u32>,
    /// Candidates whose time has come.
    candidates: VecDeque<u32>,
}

impl Frontier {
    /// An empty frontier that tells due times apart by `tick`, at the instant `start`.
    pub fn new(tick: Span, start: Timestamp) -> Self {
        Self {
            wheel: Wheel::new(tick, start),
            front: Front::default(),
            parked: Map::default(),
            parked_count: 0,
            lanes: Lanes::default(),
            turn: 0,
            links: Links::default(),
            back: Back::default(),
            leases: Leases::default(),
            keys: Vec::new(),
            states: Vec::new(),
            due: Vec::new(),
            candidates: VecDeque::new(),
        }
    }

    /// Makes room for sources 0 to `count - 1` at once, where the number is known.
    pub fn reserve(&mut self, count: usize) {
        self.wheel.reserve(count);
        self.keys.reserve_exact(count.saturating_sub(self.keys.len()));
        self.states.reserve_exact(count.saturating_sub(self.states.len()));
        self.grow_to(count);
    }

    /// Says when a source is due next, under which politeness key and how urgent (class 0 most);
    /// replaces what was said before. A source that is being visited waits until that ends.
    pub fn schedule(&mut self, id: SourceId, key: ServerKey, class: u8, due_at: Timestamp) {
        let slot = id.0 as usize;
        self.wheel.schedule(id.0, due_at);
        self.grow_to(slot + 1);
        let (class, state) = (class.min(CLASS_MASK), self.states[slot]);
        if state & LISTED != 0 && (self.keys[slot] != key || state & CLASS_MASK != class) {
            self.leave_key(id.0);
        }
        self.keys[slot] = key;
        self.states[slot] = (self.states[slot] & LISTED) | class;
    }

    /// Takes a source out, due or not; a visit under way is not touched. Gives whether it was in.
    pub fn cancel(&mut self, id: SourceId) -> bool {
        let Some(state) = self.states.get_mut(id.0 as usize) else { return false };
        let was_due = *state & (DUE | DUE_AFTER) != 0;
        *state &= !(DUE | DUE_AFTER);
        self.wheel.cancel(id.0) || was_due
    }

    /// When a source is due, rounded up to the tick; `None` when it is due already or not in.
    pub fn due_at(&self, id: SourceId) -> Option<Timestamp> {
        self.wheel.due_at(id.0)
    }

    /// Says how gently the servers of a key are to be treated.
    pub fn set_politeness(&mut self, key: ServerKey, politeness: Politeness) {
        self.back.set_politeness(key, politeness);
    }

    /// Says how many visits there may be at once in all, of which servers that do not answer get a share.
    pub fn set_room(&mut self, room: usize) {
        self.back.set_room(room);
    }

    /// Says what is known of the answers of a key's servers: without trust, they are asked one by one.
    pub fn set_trust(&mut self, key: ServerKey, trust: Trust) {
        self.back.set_trust(key, trust);
    }

    /// Nothing is picked from a key before `until`.
    pub fn hold(&mut self, key: ServerKey, until: Timestamp) {
        self.back.hold(key, until);
    }

    /// Ends the hold of a key.
    pub fn release(&mut self, key: ServerKey) {
        self.back.release(key);
    }

    /// Nothing of this class is picked from a key before `until`; what waits keeps its order.
    pub fn hold_class(&mut self, key: ServerKey, class: u8, until: Timestamp) {
        self.lanes.hold(key, class, until);
        let class_of = |states: &[u8], id: u32| states[id as usize] & CLASS_MASK;
        while let Some(id) = self.back.remove_last(key, |id| class_of(&self.states, *id) == class) {
            self.park_first(key, class, id);
        }
        self.unpark(key);
    }

    /// Ends the hold of a class at a key.
    pub fn release_class(&mut self, key: ServerKey, class: u8) {
        self.lanes.release(key, class);
        self.unpark(key);
    }

    /// A source of class [`CANDIDATE`] whose time has come; the frontier knows of it no longer until it is scheduled again.
    pub fn pop_candidate(&mut self, now: Timestamp) -> Option<SourceId> {
        if self.candidates.is_empty() {
            self.feed(now);
        }
        self.candidates.pop_front().map(SourceId)
    }

    /// The next source to visit at `now`. `lease` or `give_back` must follow.
    pub fn pick(&mut self, now: Timestamp) -> Option<Pick> {
        while let Some(key) = self.lanes.pop_ended(now) {
            self.unpark(key);
        }
        loop {
            let fed_count = self.feed(now);
            self.pump(now);
            while let Some((key, id)) = self.back.pop(now) {
                self.unpark(key);
                if self.unlist(id) {
                    self.back.started(key, now);
                    self.turn += 1;
                    return Some(Pick { id: SourceId(id), key, picked_at: now, turn: self.turn });
                }
            }
            if fed_count == 0 && self.front.is_empty() {
                return None;
            }
        }
    }

    /// Takes sources of a class that are due and wait at a key, in their order: at most `max`, and none where there are fewer than `min`. The
    /// frontier knows of them no longer until they are scheduled again.
    pub fn take_due(
        &mut self,
        key: ServerKey,
        class: u8,
        bounds: (usize, usize),
        is_meant: impl Fn(SourceId) -> bool,
    ) -> Vec<SourceId> {
        let Some(parked) = self.parked.get_mut(&key) else { return Vec::new() };
        let states = &self.states;
        let is_due = |id: u32| states[id as usize] & DUE != 0 && is_meant(SourceId(id));
        let taken = parked.pop_some(&mut self.links, class, bounds, is_due);
        if parked.is_empty() {
            self.parked.remove(&key);
        }
        self.parked_count -= taken.len();
        for &id in &taken {
            self.states[id as usize] &= CLASS_MASK;
        }
        taken.into_iter().map(SourceId).collect()
    }

    /// Returns a pick that cannot be visited now (no quota, robot paused): due again at `due_at`,
    /// and its key is as free as if it had not been picked.
    pub fn give_back(&mut self, pick: Pick, due_at: Timestamp) {
        self.back.cancel_start(pick.key, pick.picked_at);
        self.reschedule(pick.id, due_at);
    }

    /// Returns a pick that cannot be visited now: it stays due and keeps its turn.
    pub fn give_back_first(&mut self, pick: Pick) {
        self.back.cancel_start(pick.key, pick.picked_at);
        self.put_back(pick.id, pick.turn);
    }

    /// Whether a visit has a place at its server, and with it a turn that it can keep. Those who go with another's request have none.
    pub fn has_place(&self, visit: VisitId) -> bool {
        self.leases.get(visit).is_some()
    }

    /// Ends a visit that got nothing: its source stays due and keeps its turn. The pause stays where something was sent.
    pub fn return_first(&mut self, visit: VisitId, has_sent: bool) {
        let Some(turn) = self.leases.get(visit).map(|lease| lease.turn) else { return };
        let closed = if has_sent { self.close(visit) } else { self.close_unsent(visit) };
        if let Some(id) = closed {
            self.put_back(id, turn);
        }
    }

    /// Begins the visit of a pick. `deadline` is wall time.
    pub fn lease(&mut self, pick: Pick, visit: VisitId, deadline: Timestamp) {
        self.leases.begin(visit, pick, deadline);
    }

    /// Moves the deadline of a visit that makes progress; gives whether there is such a visit.
    pub fn extend(&mut self, visit: VisitId, deadline: Timestamp) -> bool {
        self.leases.extend(visit, deadline)
    }

    /// A visit under way asks to send one more request; if not now, it says when to ask again.
    pub fn allow_request(&mut self, key: ServerKey, now: Timestamp) -> Result<(), Timestamp> {
        self.back.allow_request(key, now)
    }

    /// A visit under way asks nothing until it resumes: others may have its place at the server.
    pub fn rest(&mut self, visit: VisitId) {
        if self.leases.set_resting(visit, true) == Some(true) {
            let key = self.leases.get(visit).expect("it was found a moment ago").key;
            self.back.finished(key);
        }
    }

    /// A visit wants its place back; gives whether it has one now.
    pub fn resume(&mut self, visit: VisitId) -> bool {
        let Some(lease) = self.leases.get(visit).copied() else { return false };
        if lease.is_resting && !self.back.occupy(lease.key) {
            return false;
        }
        self.leases.set_resting(visit, false);
        true
    }

    /// When the next request to a key's servers may leave.
    pub fn allowed_at(&self, key: ServerKey) -> Timestamp {
        self.back.allowed_at(key)
    }

    /// Whether a source that is due waits for a place at this key.
    pub fn is_wanted(&self, key: ServerKey) -> bool {
        self.back.len_of(key) > 0
    }

    /// Ends a visit, however it went; `None` where it had ended. The caller schedules the next.
    pub fn close(&mut self, visit: VisitId) -> Option<SourceId> {
        let lease = self.leases.close(visit)?;
        self.ended(lease);
        Some(lease.id)
    }

    /// Ends a visit that sent nothing: its key is as free as if it had not been picked.
    pub fn close_unsent(&mut self, visit: VisitId) -> Option<SourceId> {
        let lease = self.leases.get(visit).copied()?;
        if !lease.is_resting {
            self.back.unpause(lease.key, lease.picked_at);
        }
        self.close(visit)
    }

    /// The visit whose deadline passed first on the wall, if any has; it stays under way until the
    /// caller ends it or moves its deadline.
    pub fn overdue(&self, wall_now: Timestamp) -> Option<VisitId> {
        self.leases.first_expired(wall_now)
    }

    /// When to pick again after a pick gave nothing, unless a visit ends or something is scheduled
    /// before. Never too late; it may be early.
    pub fn next_wake(&self) -> Option<Timestamp> {
        let candidate = (!self.candidates.is_empty()).then_some(Timestamp::MIN);
        let times = [candidate, self.wheel.next_due(), self.back.next_ready(), self.lanes.next_end()];
        times.into_iter().flatten().min()
    }

    /// The next deadline of a visit, on the wall.
    #[cfg(test)]
    pub(crate) fn next_deadline(&self) -> Option<Timestamp> {
        self.leases.next_deadline()
    }

    /// Sources that wait for their due time.
    #[cfg(test)]
    pub(crate) fn scheduled_count(&self) -> usize {
        self.wheel.len()
    }

    /// Sources that are due and wait for their turn; those taken back meanwhile may be included.
    pub fn due_count(&self) -> usize {
        self.front.len() + self.back.len() + self.parked_count + self.lanes.len()
    }

    /// Of those, the ones that wait with this key.
    pub fn due_count_of(&self, key: ServerKey) -> usize {
        self.back.len_of(key) + self.parked.get(&key).map_or(0, Front::len) + self.lanes.len_of(key)
    }

    /// Visits under way.
    #[cfg(test)]
    pub(crate) fn leased_count(&self) -> usize {
        self.leases.len()
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let columns = (self.keys.capacity() + self.due.capacity()) * 4 + self.states.capacity();
        let queues = self.front.bytes() + self.links.bytes() + self.back.bytes();
        size_of::<Self>()
            + self.wheel.bytes()
            + columns
            + queues
            + self.parked.allocation_size()
            + self.lanes.bytes()
            + self.leases.bytes()
    }

    /// From the wheel to the front; gives how many were due.
    fn feed(&mut self, now: Timestamp) -> usize {
        let mut due = std::mem::take(&mut self.due);
        due.clear();
        self.wheel.advance(now, FEED_MAX, &mut due);
        for &id in &due {
            let state = &mut self.states[id as usize];
            if self.leases.holds(SourceId(id)) {
                *state |= DUE_AFTER;
                continue;
            }
            if *state & CLASS_MASK == CANDIDATE {
                self.candidates.push_back(id);
                continue;
            }
            *state |= DUE;
            if *state & LISTED == 0 {
                *state |= LISTED;
                self.front.push(&mut self.links, *state & CLASS_MASK, id);
            }
        }
        let count = due.len();
        self.due = due;
        count
    }

    /// From the front to the keys, until enough keys are ready.
    fn pump(&mut self, now: Timestamp) {
        while self.back.ready_count(now) < READY_KEYS_MAX {
            let Some((_, id)) = self.front.pop(&self.links, |_| true) else { return };
            // What was said of it while it waited there holds.
            let (key, class) = (self.keys[id as usize], self.states[id as usize] & CLASS_MASK);
            if !self.is_due(id) {
                self.states[id as usize] &= !LISTED;
            } else if self.back.len_of(key) < KEY_ITEMS_MAX && !self.lanes.is_held(key, class) {
                self.back.push(key, id);
            } else {
                self.parked.entry(key).or_default().push(&mut self.links, class, id);
                self.parked_count += 1;
            }
        }
    }

    /// From what is parked with a key to its back queue.
    fn unpark(&mut self, key: ServerKey) {
        while self.back.len_of(key) < KEY_ITEMS_MAX
            && let Some(id) = self.lanes.pop_returned(key)
        {
            self.back.push(key, id);
        }
        let Some(parked) = self.parked.get_mut(&key) else { return };
        let lanes = &self.lanes;
        while self.back.len_of(key) < KEY_ITEMS_MAX {
            let Some((_, id)) = parked.pop(&self.links, |class| !lanes.is_held(key, class)) else {
                if parked.is_empty() {
                    self.parked.remove(&key);
                }
                return;
            };
            self.parked_count -= 1;
            self.back.push(key, id);
        }
    }

    /// A source that is in no list goes back to where it was when it was picked.
    fn put_back(&mut self, id: SourceId, turn: u64) {
        self.wheel.cancel(id.0);
        let state = &mut self.states[id.0 as usize];
        let class = *state & CLASS_MASK;
        *state = class | LISTED | DUE;
        let key = self.keys[id.0 as usize];
        self.lanes.put_back(key, class, turn, id.0);
        self.unpark(key);
    }

    fn park_first(&mut self, key: ServerKey, class: u8, id: u32) {
        self.parked.entry(key).or_default().push_first(&mut self.links, class, id);
        self.parked_count += 1;
    }

    /// Takes a source off the lists; gives whether it is still due.
    fn unlist(&mut self, id: u32) -> bool {
        let state = &mut self.states[id as usize];
        let was_due = *state & DUE != 0;
        *state &= CLASS_MASK;
        was_due
    }

    /// Takes a listed source from its lane, because it moves to another; the front knows no lanes.
    fn leave_key(&mut self, id: u32) {
        let (key, class) = (self.keys[id as usize], self.states[id as usize] & CLASS_MASK);
        let was_back = self.back.remove(key, id) || self.lanes.remove(key, class, id);
        let was_parked = !was_back
            && self.parked.get_mut(&key).is_some_and(|parked| parked.remove(&mut self.links, class, id));
        self.parked_count -= usize::from(was_parked);
        if was_back || was_parked {
            self.states[id as usize] &= !LISTED;
            self.unpark(key);
        }
    }

    fn is_due(&self, id: u32) -> bool {
        self.states.get(id as usize).is_some_and(|state| state & DUE != 0)
    }

    /// Frees what a visit held.
    fn ended(&mut self, lease: Lease) {
        if !lease.is_resting {
            self.back.finished(lease.key);
        }
        let state = &mut self.states[lease.id.0 as usize];
        if *state & DUE_AFTER != 0 {
            *state &= !DUE_AFTER;
            self.wheel.schedule(lease.id.0, Timestamp::MIN);
        }
    }

    /// Due again under the same key and class; a time that was set during the visit prevails.
    fn reschedule(&mut self, id: SourceId, due_at: Timestamp) {
        if !self.wheel.contains(id.0) {
            self.wheel.schedule(id.0, due_at);
        }
    }

    fn grow_to(&mut self, count: usize) {
        if count > self.keys.len() {
            self.keys.resize(count, ServerKey::default());
            self.states.resize(count, 0);
            self.links.grow_to(count);
        }
    }
}

#[cfg(test)]
mod tests;
