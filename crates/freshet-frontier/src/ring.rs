//! A robot's ring: a circular queue of ids, its head in memory and the rest on disk
//! [MBCrawler, sections 2.2 and 2.3]. Step 3 of 10 (pick) takes from it what was never visited.
//!
//! ```text
//!        push, push_from_log ──►┌───────────────┐ tend ┌───────────────┐
//!                               │   disk part   │─────►│  memory part  │──► pop (leased)
//!   put_back ─► back buffer ───►└───────────────┘      └───────────────┘      │
//!        ▲                tend                                     done ◄─────┤
//!        └────────────────────────────────────────────────────────────────────┘
//! ```
//!
//! Every id is in the disk part from the moment it enters until a checkpoint says that it was
//! handed out; the memory part only reads ahead. The log cursor is an entry among the ids it
//! vouches for, hence written with them or not at all. A popped id stays leased, and every
//! checkpoint lists the leases; opening hands them out first.
//!
//! Invariant: an id that entered and is not done is handed out again after a crash at any
//! instant, provided that the caller replays the change log from [`Ring::log_cursor`]. It may
//! be handed out twice. Ids are not compared: that something enters only once is the log's care.
//!
//! Who is told what each id is worth may have the best of its head first (`order`); nobody waits for ever by that.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use freshet_types::Map;

mod checkpoint;
pub mod coordinator;
mod disk;
mod entry;
pub mod error;
mod memory;
pub mod order;

use checkpoint::{Checkpoint, Stored};
use disk::{Disk, READ_ENTRIES};
use entry::{Entry, Kind};
use error::{RingError, RingWarning};
use memory::MemoryPart;

/// Ids out on lease from one ring; `pop` gives none beyond it. A checkpoint lists them all.
pub(crate) const LEASES_MAX: usize = 16_384;
/// Ids in the back buffer before it is emptied without waiting for `tend`.
pub(crate) const BACK_BUFFER_MAX: usize = 4096;
/// Changes after which `tend` writes a checkpoint by itself; it bounds what opening must match.
const CHECKPOINT_EVERY: u64 = 65_536;

/// How a ring is kept.
#[derive(Clone, Copy, Debug)]
pub struct RingOptions {
    /// Ids in the memory part at most; twelve bytes each.
    pub memory_max: usize,
    /// Entries in one segment file; a consumed segment is deleted whole.
    pub segment_entries: u64,
    /// Checkpoints outlive a power cut too, not only the end of the process.
    pub is_fsynced: bool,
}

impl Default for RingOptions {
    fn default() -> Self {
        Self { memory_max: 65_536, segment_entries: 65_536, is_fsynced: false }
    }
}

/// A circular queue of ids.
#[derive(Debug)]
pub struct Ring {
    name: String,
    checkpoint_path: PathBuf,
    is_fsynced: bool,
    disk: Disk,
    memory: MemoryPart,
    /// Place after the last entry that the memory part has read.
    loaded_to: u64,
    /// Ids in the disk part from the head on, those in the memory part included.
    queued_count: usize,
    /// Places behind the head whose ids were handed out before their turn; some before it, until they are cleared away.
    taken: BTreeSet<u64>,
    /// Ids leased by an earlier process; handed out before all others.
    owed: VecDeque<u64>,
    leased: Map<u64, Lease>,
    leased_count: usize,
    lease_order: u64,
    back: VecDeque<u64>,
    /// Ids that an earlier process put back after its last checkpoint: so many entries of each
    /// are passed over, because a later one stands for them.
    passed_over: Map<u64, u32>,
    log_cursor: u64,
    changes_since_checkpoint: u64,
    /// The checkpoint that this process wrote last.
    written: Option<Checkpoint>,
    warnings: Vec<RingWarning>,
}

#[derive(Clone, Copy, Debug)]
struct Lease {
    /// The same id may be in the ring twice.
    count: u32,
    order: u64,
}

impl Ring {
    /// Opens a ring in `dir`, or begins one. What was not whole is cut off and told by
    /// [`Ring::warnings`].
    pub fn open(dir: &Path, name: &str, options: RingOptions) -> Result<Self, RingError> {
        std::fs::create_dir_all(dir).map_err(RingError::io("create", dir))?;
        let checkpoint_path = dir.join(format!("{name}.checkpoint"));
        let stored = Checkpoint::read(&checkpoint_path, entry::salt(name))?;
        let is_unreadable = matches!(stored, Stored::Unreadable);
        let found = match stored {
            Stored::Whole(checkpoint) => checkpoint,
            Stored::Absent | Stored::Unreadable => Checkpoint::default(),
        };
        let mut recovery = Recovery::default();
        let (disk, byte_count) = Disk::open(dir, name, options, &mut |entry| recovery.see(entry, &found))?;
        let is_damaged = disk.tail() < found.tail || disk.first() > found.head;
        let mut warnings = Vec::new();
        let ring = || name.to_owned();
        if byte_count > 0 {
            warnings.push(RingWarning::TornTail { ring: ring(), byte_count });
        }
        if is_unreadable {
            warnings.push(RingWarning::CheckpointLost { ring: ring() });
        }
        if is_damaged {
            warnings.push(RingWarning::Rebuilt { ring: ring() });
            recovery.returned.clear();
        }
        // A place behind a torn tail is given anew.
        let taken: BTreeSet<u64> = found.taken.iter().copied().filter(|place| *place < disk.tail()).collect();
        let (owed, passed_over) = recovery.match_returned(found.leased);
        let passed_count: u32 = passed_over.values().sum();
        let mut ring = Self {
            name: name.to_owned(),
            checkpoint_path,
            is_fsynced: options.is_fsynced,
            memory: MemoryPart::new(options.memory_max),
            loaded_to: found.head.clamp(disk.first(), disk.tail()),
            queued_count: recovery.queued_count - passed_count as usize,
            taken,
            owed,
            leased: Map::default(),
            leased_count: 0,
            lease_order: 0,
            back: VecDeque::new(),
            passed_over,
            log_cursor: if is_damaged { 0 } else { disk.cursor() },
            changes_since_checkpoint: 0,
            written: None,
            disk,
            warnings,
        };
        if !ring.warnings.is_empty() {
            // The next opening must not compare a shortened file with the old checkpoint.
            ring.sync()?;
        }
        Ok(ring)
    }

    /// What was repaired when the ring was opened.
    pub fn warnings(&self) -> &[RingWarning] {
        &self.warnings
    }

    /// Ids in the ring: waiting, leased, and on their way back.
    pub fn len(&self) -> usize {
        self.waiting_count() + self.leased_count
    }

    /// Whether the ring holds no id at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Ids that `pop` can hand out.
    pub(crate) fn waiting_count(&self) -> usize {
        self.queued_count + self.owed.len() + self.back.len()
    }

    /// Ids in memory: read ahead, owed, leased, on their way back.
    pub fn memory_count(&self) -> usize {
        self.memory.len() + self.owed.len() + self.back.len() + self.leased_count
    }

    /// Ids handed out and neither done nor put back.
    #[cfg(test)]
    pub(crate) fn leased_count(&self) -> usize {
        self.leased_count
    }

    /// The change number up to which the log has been consumed.
    pub fn log_cursor(&self) -> u64 {
        self.log_cursor
    }

    /// Forgets all ids and where it stands: the change log is another than the one it consumed, and
    /// its numbers mean other things. The caller replays the log from its beginning.
    pub fn begin_anew(&mut self) -> Result<(), RingError> {
        while let Some(id) = self.pop()? {
            self.done(id)?;
        }
        self.log_cursor = 0;
        self.warnings.push(RingWarning::Rebuilt { ring: self.name.clone() });
        self.sync()
    }

    /// Appends an id that is not in the change log; it is durable from the next `tend` or `sync`.
    pub fn push(&mut self, id: u64) -> Result<(), RingError> {
        self.empty_back_buffer()?;
        self.append(Kind::Push, id)
    }

    /// Appends the ids that the log holds up to `change_number` and moves the cursor there. What
    /// the cursor has passed already is ignored. After an error, call it again with the same.
    pub fn push_from_log(&mut self, change_number: u64, ids: &[u64]) -> Result<(), RingError> {
        if change_number <= self.log_cursor {
            return Ok(());
        }
        for &id in ids {
            self.push(id)?;
        }
        self.log_cursor = change_number;
        self.changes_since_checkpoint += 1;
        Ok(())
    }

    /// Hands out the head on lease; `None` when all ids are leased, or `LEASES_MAX` of them.
    pub fn pop(&mut self) -> Result<Option<u64>, RingError> {
        if self.leased_count >= LEASES_MAX {
            return Ok(None);
        }
        if self.owed.is_empty() && self.memory.is_empty() {
            self.empty_back_buffer()?;
            self.refill(READ_ENTRIES)?;
        }
        let id = if let Some(id) = self.owed.pop_front() {
            id
        } else {
            let Some(id) = self.memory.pop() else { return Ok(None) };
            self.queued_count -= 1;
            id
        };
        self.lease(id);
        Ok(Some(id))
    }

    fn lease(&mut self, id: u64) {
        self.lease_order += 1;
        let order = self.lease_order;
        self.leased.entry(id).or_insert(Lease { count: 0, order }).count += 1;
        self.leased_count += 1;
        self.changes_since_checkpoint += 1;
    }

    /// Closes the lease of an id that was visited: it leaves the ring.
    pub fn done(&mut self, id: u64) -> Result<(), RingError> {
        let Some(lease) = self.leased.get_mut(&id) else {
            return Err(RingError::NotLeased { id, ring: self.name.clone() });
        };
        lease.count -= 1;
        if lease.count == 0 {
            self.leased.remove(&id);
        }
        self.leased_count -= 1;
        self.changes_since_checkpoint += 1;
        Ok(())
    }

    /// Closes the lease of an id that goes to the end of the ring, to be visited again.
    pub fn put_back(&mut self, id: u64) -> Result<(), RingError> {
        self.done(id)?;
        self.back.push_back(id);
        if self.back.len() >= BACK_BUFFER_MAX { self.empty_back_buffer() } else { Ok(()) }
    }

    /// The coordinator's round: empties the back buffer, writes, reads ahead.
    pub fn tend(&mut self) -> Result<(), RingError> {
        self.flush()?;
        self.refill(usize::MAX)?;
        if self.changes_since_checkpoint >= CHECKPOINT_EVERY { self.sync() } else { Ok(()) }
    }

    /// Writes everything and a checkpoint, then deletes the segments that were consumed. A ring that stands where its
    /// checkpoint says has nothing to write.
    pub fn sync(&mut self) -> Result<(), RingError> {
        self.flush()?;
        self.disk.save()?;
        self.clear_taken();
        let mut open: Vec<(u64, u64, u32)> =
            self.leased.iter().map(|(&id, lease)| (lease.order, id, lease.count)).collect();
        open.sort_unstable();
        let leased = open.into_iter().flat_map(|(_, id, count)| std::iter::repeat_n(id, count as usize));
        let checkpoint = Checkpoint {
            head: self.memory.head_seq(self.loaded_to),
            tail: self.disk.tail(),
            leased: leased.chain(self.owed.iter().copied()).collect(),
            taken: self.taken.iter().copied().collect(),
        };
        self.changes_since_checkpoint = 0;
        if self.written.as_ref() == Some(&checkpoint) && std::fs::metadata(&self.checkpoint_path).is_ok() {
            return Ok(());
        }
        checkpoint.write(&self.checkpoint_path, entry::salt(&self.name), self.is_fsynced)?;
        self.disk.remove_before(checkpoint.head)?;
        self.written = Some(checkpoint);
        Ok(())
    }

    /// Memory held, in bytes.
    pub fn bytes(&self) -> usize {
        let queues = (self.owed.capacity() + self.back.capacity()) * size_of::<u64>();
        let maps = self.leased.allocation_size() + self.passed_over.allocation_size();
        // A node of the tree is at least half full.
        let holes = self.taken.len() * 2 * size_of::<u64>();
        size_of::<Self>() + self.memory.bytes() + self.disk.bytes() + queues + maps + holes
    }

    fn append(&mut self, kind: Kind, value: u64) -> Result<(), RingError> {
        let seq = self.disk.append(kind, value)?;
        let is_id = kind != Kind::Cursor;
        self.queued_count += usize::from(is_id);
        // Where the memory part has read all there is, a new id need not be read back.
        if self.loaded_to == seq && self.memory.room() > 0 {
            if is_id {
                self.memory.push(value, seq);
            }
            self.loaded_to = seq + 1;
        }
        self.changes_since_checkpoint += 1;
        Ok(())
    }

    fn empty_back_buffer(&mut self) -> Result<(), RingError> {
        while let Some(&id) = self.back.front() {
            self.append(Kind::Back, id)?;
            self.back.pop_front();
        }
        Ok(())
    }

    /// Writes what is buffered, and the log cursor after the ids it vouches for.
    fn flush(&mut self) -> Result<(), RingError> {
        self.empty_back_buffer()?;
        if self.log_cursor != self.disk.cursor() {
            self.append(Kind::Cursor, self.log_cursor)?;
        }
        self.disk.flush()
    }

    /// Reads ahead into the memory part, at most `entries_max` entries.
    fn refill(&mut self, entries_max: usize) -> Result<(), RingError> {
        let mut left = entries_max;
        while left > 0 && self.memory.room() > 0 && self.loaded_to < self.disk.tail() {
            let entries = self.disk.read(self.loaded_to, left.min(self.memory.room()))?;
            left -= entries.len();
            for entry in entries {
                self.loaded_to = entry.seq + 1;
                let is_id = entry.kind != Kind::Cursor && !self.taken.contains(&entry.seq);
                if is_id && !self.pass_over(entry.value) {
                    self.memory.push(entry.value, entry.seq);
                }
            }
        }
        Ok(())
    }

    fn pass_over(&mut self, id: u64) -> bool {
        let Some(count) = self.passed_over.get_mut(&id) else { return false };
        *count -= 1;
        if *count == 0 {
            self.passed_over.remove(&id);
        }
        true
    }
}

/// What opening learns from the entries.
#[derive(Debug, Default)]
struct Recovery {
    queued_count: usize,
    /// Ids put back after the checkpoint, with how often.
    returned: Map<u64, u32>,
}

impl Recovery {
    fn see(&mut self, entry: Entry, checkpoint: &Checkpoint) {
        let is_gone = entry.seq < checkpoint.head || checkpoint.taken.binary_search(&entry.seq).is_ok();
        if entry.kind == Kind::Cursor || is_gone {
            return;
        }
        self.queued_count += 1;
        if entry.kind == Kind::Back && entry.seq >= checkpoint.tail {
            *self.returned.entry(entry.value).or_default() += 1;
        }
    }

    /// An id that was put back after the checkpoint had been leased before it, or handed out from
    /// behind its head: takes it from the leases, else notes an earlier entry to pass over.
    fn match_returned(&mut self, leased: Vec<u64>) -> (VecDeque<u64>, Map<u64, u32>) {
        let mut returned = std::mem::take(&mut self.returned);
        let owed = leased
            .into_iter()
            .filter(|id| match returned.get_mut(id) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    false
                }
                _ => true,
            })
            .collect();
        returned.retain(|_, count| *count > 0);
        (owed, returned)
    }
}

#[cfg(test)]
mod tests;
