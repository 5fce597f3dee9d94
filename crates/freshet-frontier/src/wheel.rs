//! The timing wheel: when each visited source is due next. Step 3 of 10 (pick) takes from it.
//!
//! A hierarchical wheel of four levels of 256 buckets, so that one turn of the whole covers 2^32
//! ticks: 49 days at a tick of a millisecond, 136 years at a second. A bucket is a queue of entry
//! numbers ([`queues`]); besides, each entry has its due tick and a bit that says whether it is
//! in: eight and a half bytes in all. What lies beyond one turn waits in the last reachable tick
//! with its true time in a side map, and is placed again when that tick comes.
//!
//! Nothing is taken from the middle of a queue. An entry that is moved or taken out leaves its
//! number behind, which is passed over when its bucket's turn comes, because the entry's due tick
//! is another by then; when numbers left behind outweigh the entries, all queues are made anew.
//!
//! Invariants: an entry that is in has its number in the bucket of its due tick, at least once;
//! its due tick is never behind the cursor; nothing is handed out before it is due, nor twice.
//! Within one tick no order is promised.
//! The wheel does no I/O and reads no clock; it is rebuilt from the store on start.

mod queues;

use freshet_types::{Map, Span, Timestamp};

use queues::Queues;

/// Levels of the hierarchy; each has a byte of the tick number.
const LEVELS: usize = 4;
/// Buckets of one level.
const SLOTS: usize = 256;
/// Bits of the tick number that one level looks at.
const SLOT_BITS: usize = 8;
/// The furthest an entry can be placed ahead of the cursor, in ticks.
const AHEAD_MAX: i64 = u32::MAX as i64;
/// The arrays grow by an eighth instead of doubling: at 10^7 entries doubling wastes 40 MB.
const GROWTH_DIVISOR: usize = 8;
/// The least they grow by.
const GROWTH_MIN: usize = 1024;
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
    /// Low half of each entry's due tick; the cursor supplies the rest.
    due: Vec<u32>,
    /// A bit for each entry: whether it is in.
    is_in: Vec<u64>,
    buckets: Queues,
    occupied: [[u64; SLOTS / 64]; LEVELS],
    /// True due times of entries beyond one turn, in milliseconds.
    far: Map<u32, i64>,
    len: usize,
    /// Numbers in the buckets; more than `len` where some were left behind.
    number_count: usize,
}

impl Wheel {
    /// An empty wheel with buckets of `tick` (at least a millisecond), standing at `start`.
    pub fn new(tick: Span, start: Timestamp) -> Self {
        let tick_ms = tick.ms().max(1);
        Self {
            tick_ms,
            cursor: start.ms().div_euclid(tick_ms),
            due: Vec::new(),
            is_in: Vec::new(),
            buckets: Queues::new(LEVELS * SLOTS),
            occupied: [[0; SLOTS / 64]; LEVELS],
            far: Map::default(),
            len: 0,
            number_count: 0,
        }
    }

    /// Makes room for entries 0 to `count - 1` at once, where the number is known.
    pub fn reserve(&mut self, count: usize) {
        self.due.reserve_exact(count.saturating_sub(self.due.len()));
        self.is_in.reserve_exact(count.div_ceil(64).saturating_sub(self.is_in.len()));
        self.buckets.reserve(count);
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
        self.cancel(id);
        self.grow_to(id);
        self.is_in[id as usize / 64] |= 1 << (id % 64);
        self.len += 1;
        self.insert(id, due_at.ms());
        if self.number_count > 2 * self.len + STALE_MIN {
            self.rebuild();
        }
    }

    /// Takes an entry out; gives whether it was in.
    pub fn cancel(&mut self, id: u32) -> bool {
        let is_in = self.contains(id);
        if is_in {
            self.leave(id);
            self.far.remove(&id);
        }
        is_in
    }

    /// Whether an entry is in the wheel.
    pub fn contains(&self, id: u32) -> bool {
        self.is_in.get(id as usize / 64).is_some_and(|word| word >> (id % 64) & 1 != 0)
    }

    /// When an entry is due, rounded up to the tick; overdue entries say the tick they wait in.
    pub fn due_at(&self, id: u32) -> Option<Timestamp> {
        if !self.contains(id) {
            return None;
        }
        let ms = match self.far.get(&id) {
            Some(&ms) => ms,
            None => self.due_tick(id).saturating_mul(self.tick_ms),
        };
        Some(Timestamp::from_ms(ms))
    }

    /// Appends at most `limit` entries that are due at `now`, earliest tick first, and takes them
    /// out. A clock that goes backwards is waited for.
    pub fn advance(&mut self, now: Timestamp, limit: usize, out: &mut Vec<u32>) {
        let target = now.ms().div_euclid(self.tick_ms);
        let full = out.len().saturating_add(limit);
        if target < self.cursor {
            return;
        }
        loop {
            let begun = out.len();
            let is_emptied = self.pop_current(full, out);
            // Costs nothing beyond the memory that placing them anew would have to wait for, one by one.
            let is_due = |id: &u32| self.due[*id as usize] == self.cursor as u32;
            assert!(out[begun..].iter().all(is_due), "nothing is handed out before it is due");
            if !is_emptied {
                return;
            }
            match self.next_event() {
                Some(tick) if tick <= target => {
                    self.cursor = tick;
                    self.cascade();
                }
                _ => {
                    self.cursor = target;
                    return;
                }
            }
        }
    }

    /// When to call `advance` again. Never later than the first due time; it may be earlier,
    /// by the width of a coarse bucket, and then `advance` sharpens it.
    pub fn next_due(&self) -> Option<Timestamp> {
        // Numbers left behind are no reason to wake.
        self.next_event()
            .filter(|_| self.len > 0)
            .map(|tick| Timestamp::from_ms(tick.saturating_mul(self.tick_ms)))
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let columns = 4 * self.due.capacity() + 8 * self.is_in.capacity();
        size_of::<Self>() + columns + self.buckets.bytes() + self.far.allocation_size()
    }

    /// Empties the cursor's bucket into `out`; gives whether it did so before `full`.
    fn pop_current(&mut self, full: usize, out: &mut Vec<u32>) -> bool {
        let bucket = bucket_of(0, self.cursor);
        while !self.buckets.is_empty(bucket) {
            if out.len() >= full {
                return false;
            }
            let Some(id) = self.pop(bucket, 0) else { continue };
            match if self.far.is_empty() { None } else { self.far.remove(&id) } {
                Some(ms) if self.tick_of_due(ms) > self.cursor => self.insert(id, ms),
                _ => {
                    self.leave(id);
                    out.push(id);
                }
            }
        }
        self.vacate(bucket);
        true
    }

    /// Takes the next number from a bucket of a level whose turn it is; `None` if it was left
    /// behind.
    fn pop(&mut self, bucket: usize, level: usize) -> Option<u32> {
        let has_stale = self.number_count > self.len;
        let id = self.buckets.pop(bucket)?;
        self.number_count -= 1;
        let is_here = |wheel: &Self| {
            wheel.contains(id) && (wheel.due_tick(id) - wheel.cursor) >> (SLOT_BITS * level) == 0
        };
        (!has_stale || is_here(self)).then_some(id)
    }

    /// Notes that an entry is in no more; its number may stay behind.
    fn leave(&mut self, id: u32) {
        self.is_in[id as usize / 64] &= !(1 << (id % 64));
        self.len -= 1;
    }

    fn vacate(&mut self, bucket: usize) {
        let slot = bucket % SLOTS;
        self.occupied[bucket / SLOTS][slot / 64] &= !(1 << (slot % 64));
    }

    /// Makes the queues anew, without numbers left behind.
    fn rebuild(&mut self) {
        self.buckets.clear();
        self.occupied = [[0; SLOTS / 64]; LEVELS];
        self.number_count = 0;
        for id in 0..self.due.len() as u32 {
            if self.contains(id) {
                self.link(id, self.due_tick(id));
            }
        }
    }

    /// The first tick, from the cursor on, at which a bucket must be emptied or cascaded.
    fn next_event(&self) -> Option<i64> {
        let first = distance(&self.occupied[0], slot_of(0, self.cursor)).map(|ticks| self.cursor + ticks);
        let coarse = (1..LEVELS).filter_map(|level| {
            let after = (slot_of(level, self.cursor) + 1) % SLOTS;
            let slots = 1 + distance(&self.occupied[level], after)?;
            let shift = SLOT_BITS * level;
            Some(((self.cursor >> shift) + slots) << shift)
        });
        first.into_iter().chain(coarse).min()
    }

    /// Moves what the coarse buckets that begin at the cursor hold into finer ones.
    fn cascade(&mut self) {
        for level in (1..LEVELS).rev() {
            if self.cursor & ((1 << (SLOT_BITS * level)) - 1) != 0 {
                continue;
            }
            let bucket = bucket_of(level, self.cursor);
            while !self.buckets.is_empty(bucket) {
                if let Some(id) = self.pop(bucket, level) {
                    self.link(id, self.due_tick(id));
                }
            }
            self.vacate(bucket);
        }
    }

    /// Inserts an entry by its due time, with a note where it is beyond one turn.
    fn insert(&mut self, id: u32, due_ms: i64) {
        let tick = self.tick_of_due(due_ms).max(self.cursor);
        let reach = self.cursor.saturating_add(AHEAD_MAX);
        if tick > reach {
            self.far.insert(id, due_ms);
        }
        self.link(id, tick.min(reach));
    }

    fn link(&mut self, id: u32, tick: i64) {
        let ahead = tick - self.cursor;
        debug_assert!((0..=AHEAD_MAX).contains(&ahead), "a tick within one turn of the cursor");
        let level = (0..LEVELS).find(|level| ahead >> (SLOT_BITS * (level + 1)) == 0).unwrap_or(LEVELS - 1);
        let slot = slot_of(level, tick);
        self.due[id as usize] = tick as u32;
        self.buckets.push(bucket_of(level, tick), id);
        self.number_count += 1;
        self.occupied[level][slot / 64] |= 1 << (slot % 64);
    }

    fn due_tick(&self, id: u32) -> i64 {
        self.cursor + i64::from(self.due[id as usize].wrapping_sub(self.cursor as u32))
    }

    /// Rounded up, so that nothing comes out early.
    fn tick_of_due(&self, ms: i64) -> i64 {
        ms.div_euclid(self.tick_ms) + i64::from(ms.rem_euclid(self.tick_ms) != 0)
    }

    fn grow_to(&mut self, id: u32) {
        assert!(id < ID_LIMIT, "entry {id} is beyond the wheel's limit of {ID_LIMIT}");
        let needed = id as usize + 1;
        if needed > self.due.len() {
            if needed > self.due.capacity() {
                let step = (self.due.len() / GROWTH_DIVISOR).max(GROWTH_MIN);
                self.due.reserve_exact((needed - self.due.len()).max(step));
                let words = self.due.capacity().div_ceil(64);
                self.is_in.reserve_exact(words.saturating_sub(self.is_in.len()));
            }
            self.due.resize(needed, 0);
            self.is_in.resize(needed.div_ceil(64), 0);
        }
    }
}

fn slot_of(level: usize, tick: i64) -> usize {
    (tick >> (SLOT_BITS * level)) as usize % SLOTS
}

fn bucket_of(level: usize, tick: i64) -> usize {
    level * SLOTS + slot_of(level, tick)
}

/// Slots from `from` to the first occupied one, going round; 0 when `from` itself is.
fn distance(bits: &[u64; SLOTS / 64], from: usize) -> Option<i64> {
    let (word, bit) = (from / 64, from % 64);
    let first = bits[word] >> bit;
    if first != 0 {
        return Some(i64::from(first.trailing_zeros()));
    }
    for step in 1..bits.len() {
        let other = bits[(word + step) % bits.len()];
        if other != 0 {
            return Some((step * 64 - bit) as i64 + i64::from(other.trailing_zeros()));
        }
    }
    let wrapped = bits[word] & ((1 << bit) - 1);
    (wrapped != 0).then(|| (SLOTS - bit) as i64 + i64::from(wrapped.trailing_zeros()))
}

#[cfg(test)]
mod tests;
