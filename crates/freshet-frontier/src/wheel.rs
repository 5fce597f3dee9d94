//! The timing wheel: when each visited source is due next. Step 3 of 10 (pick) takes from it.
//!
//! A hierarchical wheel of four levels of 256 buckets, so that one turn of the whole covers 2^32
//! ticks: 49 days at a tick of a millisecond, 136 years at a second. Entries are numbers into
//! three parallel arrays (due tick, next, previous), twelve bytes each, threaded through the
//! buckets as circular lists. What lies beyond one turn waits in the last reachable tick with
//! its true time in a side map, and is placed again when that tick comes.
//!
//! Invariants: an entry is in exactly one bucket or in none; its due tick is never behind the
//! cursor; nothing is handed out before it is due. Within one tick no order is promised.
//! The wheel does no I/O and reads no clock; it is rebuilt from the store on start.

use freshet_types::{Map, Span, Timestamp};

/// Levels of the hierarchy; each has a byte of the tick number.
const LEVELS: usize = 4;
/// Buckets of one level.
const SLOTS: usize = 256;
/// Bits of the tick number that one level looks at.
const SLOT_BITS: usize = 8;
/// Marks a link that points at a bucket instead of an entry.
const BUCKET_BIT: u32 = 1 << 31;
/// The link of an entry that is in no bucket.
const NOWHERE: u32 = u32::MAX;
/// The furthest an entry can be placed ahead of the cursor, in ticks.
const AHEAD_MAX: i64 = u32::MAX as i64;
/// The arrays grow by an eighth instead of doubling: at 10^7 entries doubling wastes 80 MB.
const GROWTH_DIVISOR: usize = 8;
/// The least they grow by.
const GROWTH_MIN: usize = 1024;

/// The largest entry number plus one; the top bit of a link is taken.
pub const ID_LIMIT: u32 = BUCKET_BIT;

/// Which entries are due when.
#[derive(Debug)]
pub struct Wheel {
    tick_ms: i64,
    /// The tick being handed out, counted from 1970; all before it are empty.
    cursor: i64,
    /// Low half of each entry's due tick; the cursor supplies the rest.
    due: Vec<u32>,
    next: Vec<u32>,
    prev: Vec<u32>,
    heads: Vec<u32>,
    tails: Vec<u32>,
    occupied: [[u64; SLOTS / 64]; LEVELS],
    /// True due times of entries beyond one turn, in milliseconds.
    far: Map<u32, i64>,
    len: usize,
}

impl Wheel {
    /// An empty wheel with buckets of `tick` (at least a millisecond), standing at `start`.
    pub fn new(tick: Span, start: Timestamp) -> Self {
        let tick_ms = tick.ms().max(1);
        let sentinels = || (0..(LEVELS * SLOTS) as u32).map(|bucket| bucket | BUCKET_BIT).collect();
        Self {
            tick_ms,
            cursor: start.ms().div_euclid(tick_ms),
            due: Vec::new(),
            next: Vec::new(),
            prev: Vec::new(),
            heads: sentinels(),
            tails: sentinels(),
            occupied: [[0; SLOTS / 64]; LEVELS],
            far: Map::default(),
            len: 0,
        }
    }

    /// Makes room for entries 0 to `count - 1` at once, where the number is known.
    pub fn reserve(&mut self, count: usize) {
        for column in [&mut self.due, &mut self.next, &mut self.prev] {
            column.reserve_exact(count.saturating_sub(column.len()));
        }
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
        self.place(id, due_at.ms());
        self.len += 1;
    }

    /// Takes an entry out; gives whether it was in.
    pub fn cancel(&mut self, id: u32) -> bool {
        let is_in = self.contains(id);
        if is_in {
            self.unlink(id);
            self.far.remove(&id);
            self.len -= 1;
        }
        is_in
    }

    /// Whether an entry is in the wheel.
    pub fn contains(&self, id: u32) -> bool {
        self.next.get(id as usize).is_some_and(|&next| next != NOWHERE)
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
            if !self.pop_current(full, out) {
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
        self.next_event().map(|tick| Timestamp::from_ms(tick.saturating_mul(self.tick_ms)))
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let words = self.due.capacity() + self.next.capacity() + self.prev.capacity();
        let sentinels = self.heads.capacity() + self.tails.capacity();
        size_of::<Self>() + 4 * (words + sentinels) + self.far.allocation_size()
    }

    /// Empties the cursor's bucket into `out`; gives whether it did so before `full`.
    fn pop_current(&mut self, full: usize, out: &mut Vec<u32>) -> bool {
        let bucket = bucket_of(0, self.cursor);
        loop {
            let id = self.heads[bucket];
            if id & BUCKET_BIT != 0 {
                return true;
            }
            if out.len() >= full {
                return false;
            }
            self.unlink(id);
            match self.far.remove(&id) {
                Some(ms) if self.tick_of_due(ms) > self.cursor => self.place(id, ms),
                _ => {
                    out.push(id);
                    self.len -= 1;
                }
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
            while self.heads[bucket] & BUCKET_BIT == 0 {
                let id = self.heads[bucket];
                let tick = self.due_tick(id);
                self.unlink(id);
                self.link(id, tick);
            }
        }
    }

    /// Links a free entry by its due time, with a note where it is beyond one turn.
    fn place(&mut self, id: u32, due_ms: i64) {
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
        let (slot, bucket) = (slot_of(level, tick), bucket_of(level, tick));
        let last = self.tails[bucket];
        self.due[id as usize] = tick as u32;
        self.set_next(last, id);
        self.prev[id as usize] = last;
        self.next[id as usize] = bucket as u32 | BUCKET_BIT;
        self.tails[bucket] = id;
        self.occupied[level][slot / 64] |= 1 << (slot % 64);
    }

    fn unlink(&mut self, id: u32) {
        let (next, prev) = (self.next[id as usize], self.prev[id as usize]);
        self.set_next(prev, next);
        self.set_prev(next, prev);
        self.next[id as usize] = NOWHERE;
        if next == prev && next & BUCKET_BIT != 0 {
            let bucket = (next & !BUCKET_BIT) as usize;
            let slot = bucket % SLOTS;
            self.occupied[bucket / SLOTS][slot / 64] &= !(1 << (slot % 64));
        }
    }

    fn set_next(&mut self, node: u32, next: u32) {
        match node & BUCKET_BIT {
            0 => self.next[node as usize] = next,
            _ => self.heads[(node & !BUCKET_BIT) as usize] = next,
        }
    }

    fn set_prev(&mut self, node: u32, prev: u32) {
        match node & BUCKET_BIT {
            0 => self.prev[node as usize] = prev,
            _ => self.tails[(node & !BUCKET_BIT) as usize] = prev,
        }
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
        for (column, blank) in [(&mut self.due, 0), (&mut self.next, NOWHERE), (&mut self.prev, NOWHERE)] {
            if needed > column.capacity() {
                let step = (column.len() / GROWTH_DIVISOR).max(GROWTH_MIN);
                column.reserve_exact((needed - column.len()).max(step));
            }
            if needed > column.len() {
                column.resize(needed, blank);
            }
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
