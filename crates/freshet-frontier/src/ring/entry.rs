//! The bytes of a ring's files: entries of sixteen bytes and segment headers of thirty-two.
//!
//! An entry's checksum covers its content, its place in the ring and the ring's name, so that a
//! torn, flipped, doubled or misplaced entry is never taken for a whole one. Little-endian.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Bytes of one entry: value (8), kind (4), checksum (4).
pub(super) const ENTRY_LEN: usize = 16;
/// Bytes before the first entry of a segment: magic, first place, log cursor, checksum.
pub(super) const HEADER_LEN: usize = 32;

const SEGMENT_MAGIC: &[u8; 8] = b"frshrng1";

/// What an entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An id entered the ring.
    Push = 1,
    /// An id that had been handed out went to the end.
    Back = 2,
    /// All ids of the change log up to this number are in the entries before.
    Cursor = 3,
}

/// One entry and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) seq: u64,
    pub(super) kind: Kind,
    pub(super) value: u64,
}

/// What distinguishes the files of one ring from those of another.
pub(super) fn salt(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

impl Entry {
    pub(super) fn encode(self, salt: u64) -> [u8; ENTRY_LEN] {
        let mut bytes = [0; ENTRY_LEN];
        bytes[..8].copy_from_slice(&self.value.to_le_bytes());
        bytes[8..12].copy_from_slice(&(self.kind as u32).to_le_bytes());
        let check = entry_check(&bytes[..12], self.seq, salt);
        bytes[12..].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// The entry at place `seq`, unless its bytes are not what was written there.
    pub(super) fn decode(bytes: &[u8], seq: u64, salt: u64) -> Option<Self> {
        if bytes.len() != ENTRY_LEN || bytes[12..] != entry_check(&bytes[..12], seq, salt).to_le_bytes() {
            return None;
        }
        let kind = match bytes[8] {
            1 => Kind::Push,
            2 => Kind::Back,
            3 => Kind::Cursor,
            _ => return None,
        };
        Some(Self { seq, kind, value: u64_at(bytes, 0)? })
    }
}

/// The bytes before a segment's entries.
pub(super) fn encode_header(first_seq: u64, log_cursor: u64, salt: u64) -> [u8; HEADER_LEN] {
    let mut bytes = [0; HEADER_LEN];
    bytes[..8].copy_from_slice(SEGMENT_MAGIC);
    bytes[8..16].copy_from_slice(&first_seq.to_le_bytes());
    bytes[16..24].copy_from_slice(&log_cursor.to_le_bytes());
    let check = xxh3_64_with_seed(&bytes[..24], salt);
    bytes[24..].copy_from_slice(&check.to_le_bytes());
    bytes
}

/// First place and log cursor of a segment, unless the header is not whole.
pub(super) fn decode_header(bytes: &[u8], salt: u64) -> Option<(u64, u64)> {
    let is_whole = bytes.len() == HEADER_LEN
        && bytes[..8] == *SEGMENT_MAGIC
        && u64_at(bytes, 24) == Some(xxh3_64_with_seed(&bytes[..24], salt));
    if is_whole { Some((u64_at(bytes, 8)?, u64_at(bytes, 16)?)) } else { None }
}

/// The number at a byte offset, if there are eight bytes.
pub(super) fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    let chunk = bytes.get(offset..offset + 8)?;
    chunk.try_into().ok().map(u64::from_le_bytes)
}

fn entry_check(content: &[u8], seq: u64, salt: u64) -> u32 {
    xxh3_64_with_seed(content, seq ^ salt) as u32
}
