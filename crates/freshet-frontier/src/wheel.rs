//! The timing wheel: when each visited source is due next. Step 3 of 10 (pick) takes from it.
//!
//! Time is cut into windows of 2048 ticks. Only the window that the cursor is in has buckets, one for each tick: a
//! bucket is a queue of entry numbers ([`queues`]). Of the others it is known whether something may be due in them, and of
//! each entry its due tick, in three and a half bytes ([`codes`]). When the cursor enters a window, the due ticks of all
//! entries are looked through for those of that window. Of ten million that takes some ten milliseconds, where moving
//! entries from coarse buckets to finer ones would wait for memory at each, several times over; and an entry that is far
//! away has no place in a queue, which would take more room than its due tick.
//!
//! One turn covers 2^27 ticks: 77 days at a tick of 50 ms, four years at a second. What lies beyond it waits in the last
//! reachable tick with its true time in a side map, and is placed again when that tick comes.
//!
//! Nothing is taken from the middle of a queue. An entry that is moved or taken out leaves its
//! number behind, which is passed over when its bucket's turn comes, because the entry's due tick
//! is another by then; when numbers left behind outweigh the entries, the queues are made anew.
//!
//! Invariants: an entry that is in and due in the cursor's window has its number in the bucket of its due tick, at least
//! once; a window after it that has entries is marked;
//! an entry's due tick is never behind the cursor; nothing is handed out before it is due, nor twice.
//! Within one tick no order is promised.
//! The wheel does no I/O and reads no clock; it is rebuilt from the store on start.

mod codes;
mod queues;

use freshet_types::{Map, Span, Timestamp};

use codes::{Codes, TICK_BITS};
use queues::Queues;

/// Bits of the tick number that a window does not look at.
const SLOT_BITS: u32 = 11;
/// Ticks of a window, a bucket each.
const SLOTS: usize = 1 << SLOT_BITS;
/// Windows of one turn.
const WINDOWS: usize = 1 << (TICK_BITS - SLOT_BITS);
/// The furthest an entry can be placed ahead of the cursor, in ticks: never into the cursor's own window from behind.
const AHEAD_MAX: i64 = (1 << TICK_BITS) - (1 << SLOT_BITS);
/// Numbers left behind are let be up to this count, and up to as many as there are entries.
const STALE_MIN: usize = 4096;

/// The largest entry number plus one.
pub(crate) const ID_LIMIT: u32 = 1 << 31;

/// Which entries are due when.
#[derive(Debug)]
pub struct Wheel {
    tick_ms: i64,
    /// The tick being handed out, counted from 1970; all before it are empty.
    cursor: i64,
    /// The low bits of each entry's due tick; the cursor supplies the rest.
    due: Codes,
    /// The ticks of the cursor's window.
    buckets: Queues,
    /// Buckets that are not empty.
    occupied: [u64; SLOTS / 64],
    /// Other windows in which something may be due.
    marked: Box<[u64; WINDOWS / 64]>,
    /// True due times of entries beyond one turn, in milliseconds.
    far: Map<u32, i64>,
    len: usize,
    /// Entries that are due in the cursor's window.
    near_count: usize,
    /// Numbers in the buckets; more than `near_count` where some were left behind.
    number_count: usize,
}

impl Wheel {
    /// An empty wheel with buckets of `tick` (at least a millisecond), standing at `start`.
    pub fn new(tick: Span, start: Timestamp) -> Self {
        let tick_ms = tick.ms().max(1);
        Self {
            tick_ms,
            cursor: start.ms().div_euclid(tick_ms),
            due: Codes::default(),
            buckets: Queues::new(SLOTS),
            occupied: [0; SLOTS / 64],
            marked: Box::new([0; WINDOWS / 64]),
            far: Map::default(),
            len: 0,
            near_count: 0,
            number_count: 0,
        }
    }

    /// Makes room for entries 0 to `count - 1` at once, where the number is known.
    pub fn reserve(&mut self, count: usize) {
        self.due.reserve(count);
    }

    /// Entries in the wheel.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether nothing is scheduled.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Puts an entry in, or moves it. What is already due comes out at the next `advance`.
    pub fn schedule(&mut self, id: u32, due_at: Timestamp) {
        assert!(id < ID_LIMIT, "entry {id} is beyond the wheel's limit of {ID_LIMIT}");
        self.cancel(id);
        self.due.grow_to(id as usize + 1);
        self.insert(id, due_at.ms());
        if self.number_count > 2 * self.near_count + STALE_MIN {
            self.buckets.clear();
            self.occupied = [0; SLOTS / 64];
            self.fill_buckets();
        }
    }

    /// Takes an entry out; gives whether it was in.
    pub fn cancel(&mut self, id: u32) -> bool {
        let tick = self.due_tick(id);
        if let Some(tick) = tick {
            self.leave(id, tick);
            self.far.remove(&id);
        }
        tick.is_some()
    }

    /// Whether an entry is in the wheel.
    pub fn contains(&self, id: u32) -> bool {
        self.due.get(id).is_some()
    }

    /// When an entry is due, rounded up to the tick; overdue entries say the tick they wait in.
    pub fn due_at(&self, id: u32) -> Option<Timestamp> {
        let tick = self.due_tick(id)?;
        let far = self.far.get(&id).copied();
        Some(Timestamp::from_ms(far.unwrap_or_else(|| tick.saturating_mul(self.tick_ms))))
    }

    /// Appends at most `limit` entries that are due at `now`, earliest tick first, and takes them
    /// out. A clock that goes backwards is waited for.
    pub fn advance(&mut self, now: Timestamp, limit: usize, out: &mut Vec<u32>) {
        let target = now.ms().div_euclid(self.tick_ms);
        let full = out.len().saturating_add(limit);
        if target < self.cursor {
            return;
        }
        while self.pop_current(full, out) {
            match self.next_event() {
                Some(tick) if tick <= target => self.enter(tick),
                _ => return self.enter(target),
            }
        }
    }

    /// When to call `advance` again. Never later than the first due time; it may be earlier,
    /// by the width of a window, and then `advance` sharpens it.
    pub fn next_due(&self) -> Option<Timestamp> {
        // Numbers left behind are no reason to wake.
        self.next_event()
            .filter(|_| self.len > 0)
            .map(|tick| Timestamp::from_ms(tick.saturating_mul(self.tick_ms)))
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let columns = self.due.bytes() + size_of_val(&*self.marked);
        size_of::<Self>() + columns + self.buckets.bytes() + self.far.allocation_size()
    }

    /// Empties the cursor's bucket into `out`; gives whether it did so before `full`.
    fn pop_current(&mut self, full: usize, out: &mut Vec<u32>) -> bool {
        let slot = slot_of(self.cursor);
        while !self.buckets.is_empty(slot) {
            if out.len() >= full {
                return false;
            }
            let Some(id) = self.buckets.pop(slot) else { break };
            self.number_count -= 1;
            // Else it was left behind.
            if self.due_tick(id) == Some(self.cursor) {
                self.leave(id, self.cursor);
                match if self.far.is_empty() { None } else { self.far.remove(&id) } {
                    Some(ms) if self.tick_of_due(ms) > self.cursor => self.insert(id, ms),
                    _ => out.push(id),
                }
            }
        }
        self.occupied[slot / 64] &= !(1 << (slot % 64));
        true
    }

    /// The first tick, from the cursor on, at which a bucket must be emptied or a window begins.
    fn next_event(&self) -> Option<i64> {
        let slot = first_set(&self.occupied, slot_of(self.cursor), SLOTS);
        if let Some(slot) = slot {
            return Some(self.cursor - slot_of(self.cursor) as i64 + slot as i64);
        }
        let (now, window) = (self.cursor >> SLOT_BITS, window_of(self.cursor));
        let later = first_set(&self.marked[..], window, WINDOWS).map(|found| found - window);
        let ahead =
            later.or_else(|| first_set(&self.marked[..], 0, window).map(|found| found + WINDOWS - window));
        ahead.map(|ahead| (now + ahead as i64) << SLOT_BITS)
    }

    /// Moves the cursor; all buckets before that are empty.
    fn enter(&mut self, tick: i64) {
        let is_same = tick >> SLOT_BITS == self.cursor >> SLOT_BITS;
        self.cursor = tick;
        if is_same {
            return;
        }
        self.near_count = 0;
        let window = window_of(tick);
        let mark = 1 << (window % 64);
        if self.marked[window / 64] & mark != 0 {
            self.marked[window / 64] &= !mark;
            self.fill_buckets();
        }
    }

    /// Puts what is due in the cursor's window into its buckets, which are empty.
    fn fill_buckets(&mut self) {
        let (buckets, occupied, mut count) = (&mut self.buckets, &mut self.occupied, 0);
        self.due.each_in(SLOT_BITS, window_of(self.cursor) as u32, |id, tick| {
            let slot = slot_of(i64::from(tick));
            buckets.push(slot, id);
            occupied[slot / 64] |= 1 << (slot % 64);
            count += 1;
        });
        (self.near_count, self.number_count) = (count, count);
    }

    /// Notes that an entry is in no more; its number may stay behind.
    fn leave(&mut self, id: u32, tick: i64) {
        self.due.set(id, None);
        self.len -= 1;
        self.near_count -= usize::from(tick >> SLOT_BITS == self.cursor >> SLOT_BITS);
    }

    /// Inserts an entry by its due time, with a note where it is beyond one turn.
    fn insert(&mut self, id: u32, due_ms: i64) {
        let due = self.tick_of_due(due_ms).max(self.cursor);
        let tick = due.min(self.cursor.saturating_add(AHEAD_MAX));
        if due > tick {
            self.far.insert(id, due_ms);
        }
        self.due.set(id, Some(tick));
        self.len += 1;
        if tick >> SLOT_BITS != self.cursor >> SLOT_BITS {
            self.marked[window_of(tick) / 64] |= 1 << (window_of(tick) % 64);
            return;
        }
        let slot = slot_of(tick);
        self.buckets.push(slot, id);
        self.occupied[slot / 64] |= 1 << (slot % 64);
        self.near_count += 1;
        self.number_count += 1;
    }

    /// The tick in which an entry that is in waits.
    fn due_tick(&self, id: u32) -> Option<i64> {
        let ahead = self.due.get(id)?.wrapping_sub(self.cursor as u32) % (1 << TICK_BITS);
        Some(self.cursor + i64::from(ahead))
    }

    /// Rounded up, so that nothing comes out early.
    fn tick_of_due(&self, ms: i64) -> i64 {
        ms.div_euclid(self.tick_ms) + i64::from(ms.rem_euclid(self.tick_ms) != 0)
    }
}

fn slot_of(tick: i64) -> usize {
    tick as usize % SLOTS
}

fn window_of(tick: i64) -> usize {
    (tick >> SLOT_BITS) as usize % WINDOWS
}

/// The first bit from `from` on and before `end` that is set.
fn first_set(bits: &[u64], from: usize, end: usize) -> Option<usize> {
    let first_word = bits[from / 64] & (u64::MAX << (from % 64));
    let later = bits[from / 64 + 1..].iter().copied();
    let mut words = std::iter::once(first_word).chain(later);
    let (at, word) = (from / 64..).zip(&mut words).find(|(_, word)| *word != 0)?;
    Some(64 * at + word.trailing_zeros() as usize).filter(|found| *found < end)
}

#[cfg(test)]
mod tests;
