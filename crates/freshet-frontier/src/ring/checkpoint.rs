//! The checkpoint of a ring: where its head stands, and which ids are out on lease.
//!
//! Written beside the ring and renamed into place, so that a reader finds the old one or the new
//! one, never half of one. Invariant: it is written after the entries it speaks of, so its head
//! never runs ahead of them. It does not hold the log cursor: that travels with the entries.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::entry::u64_at;
use super::error::RingError;

const MAGIC: &[u8; 8] = b"frshchk2";
/// Of checkpoints from before ids left a ring out of turn.
const MAGIC_BEFORE: &[u8; 8] = b"frshchk1";
const FIXED_LEN: usize = 32;
/// A larger file is no checkpoint: leases are bounded, and so are ids taken out of turn.
const FILE_LEN_MAX: u64 = 1 << 20;

/// Where a ring stood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Checkpoint {
    /// Place of the first entry not yet handed out.
    pub(super) head: u64,
    /// Place after the last entry written.
    pub(super) tail: u64,
    /// Ids handed out from before `head` and neither done nor put back, oldest first.
    pub(super) leased: Vec<u64>,
    /// Places behind `head` whose ids were handed out before their turn, ascending.
    pub(super) taken: Vec<u64>,
}

/// What is at the place where a checkpoint belongs.
#[derive(Debug)]
pub(super) enum Stored {
    Absent,
    Unreadable,
    Whole(Checkpoint),
}

impl Checkpoint {
    /// Reads the checkpoint of the ring with this salt.
    pub(super) fn read(path: &Path, salt: u64) -> Result<Stored, RingError> {
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Stored::Absent),
            Err(error) => return Err(RingError::io("look at", path)(error)),
            Ok(meta) if meta.len() > FILE_LEN_MAX => return Ok(Stored::Unreadable),
            Ok(_) => {}
        }
        let bytes = fs::read(path).map_err(RingError::io("read", path))?;
        Ok(Self::decode(&bytes, salt).map_or(Stored::Unreadable, Stored::Whole))
    }

    /// Replaces the checkpoint; `is_fsynced` makes it outlive a power cut too.
    pub(super) fn write(&self, path: &Path, salt: u64, is_fsynced: bool) -> Result<(), RingError> {
        let draft = path.with_extension("draft");
        let mut file = super::disk::create(&draft).map_err(RingError::io("create", &draft))?;
        file.write_all(&self.encode(salt)).map_err(RingError::io("write", &draft))?;
        if is_fsynced {
            file.sync_all().map_err(RingError::io("save", &draft))?;
        }
        fs::rename(&draft, path).map_err(RingError::io("replace", path))
    }

    fn encode(&self, salt: u64) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(FIXED_LEN + 8 * (self.leased.len() + self.taken.len() + 1));
        bytes.extend_from_slice(MAGIC);
        for number in [self.head, self.tail, self.leased.len() as u64] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for number in self.leased.iter().chain(&self.taken) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        let check = xxh3_64_with_seed(&bytes, salt);
        bytes.extend_from_slice(&check.to_le_bytes());
        bytes
    }

    fn decode(bytes: &[u8], salt: u64) -> Option<Self> {
        let content = bytes.get(..bytes.len().checked_sub(8)?)?;
        if u64_at(bytes, content.len())? != xxh3_64_with_seed(content, salt) {
            return None;
        }
        let is_before = content.get(..8)? == MAGIC_BEFORE;
        if !is_before && content.get(..8)? != MAGIC {
            return None;
        }
        let mut leased: Vec<u64> =
            content.get(FIXED_LEN..)?.chunks_exact(8).filter_map(|number| u64_at(number, 0)).collect();
        let count = usize::try_from(u64_at(content, 24)?).ok()?;
        if count > leased.len() || (is_before && count != leased.len()) {
            return None;
        }
        let taken = leased.split_off(count);
        Some(Self { head: u64_at(content, 8)?, tail: u64_at(content, 16)?, leased, taken })
    }
}
