//! The disk part of a ring: append-only segments of fixed-size entries. Step 3 of 10 (pick).
//!
//! Places are numbered from 0 for the life of the ring; a segment file is named after its first
//! place and carries the log cursor reached before it, so that older segments can go. Opening
//! reads and checks every entry and cuts at the first that is not whole, with all after it.
//! Invariants: segments are contiguous; the buffer belongs to the newest one; a failed write is
//! repeated at the same offset, so the file never holds a hole. It knows nothing of leases.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::RingOptions;
use super::entry::{self, ENTRY_LEN, Entry, HEADER_LEN, Kind};
use super::error::RingError;

/// Entries buffered before they are written: one write of 64 KiB.
const BUFFER_ENTRIES: usize = 4096;
/// Entries read at once.
pub(super) const READ_ENTRIES: usize = 4096;
const EXTENSION: &str = "ring";

#[derive(Clone, Copy, Debug)]
struct Segment {
    first_seq: u64,
    /// Those in the buffer included.
    entry_count: u64,
}

/// The files of one ring.
#[derive(Debug)]
pub(super) struct Disk {
    dir: PathBuf,
    name: String,
    salt: u64,
    segment_entries: u64,
    is_fsynced: bool,
    segments: VecDeque<Segment>,
    /// The newest segment, once something was written to it.
    file: Option<File>,
    buffer: Vec<u8>,
    tail: u64,
    /// The log cursor that the entries, with the buffer, say.
    cursor: u64,
}

impl Disk {
    /// Opens the files of a ring, shows every whole entry to `see`, and cuts off the rest;
    /// gives how many bytes were cut.
    pub(super) fn open(
        dir: &Path,
        name: &str,
        options: RingOptions,
        see: &mut dyn FnMut(Entry),
    ) -> Result<(Self, u64), RingError> {
        let mut disk = Self {
            dir: dir.to_owned(),
            name: name.to_owned(),
            salt: entry::salt(name),
            segment_entries: options.segment_entries.max(1),
            is_fsynced: options.is_fsynced,
            segments: VecDeque::new(),
            file: None,
            buffer: Vec::new(),
            tail: 0,
            cursor: 0,
        };
        let (mut cut_bytes, mut is_cut) = (0, false);
        for first_seq in disk.segment_names()? {
            if !is_cut {
                let (left, is_whole) = disk.scan(first_seq, see)?;
                cut_bytes += left;
                is_cut = !is_whole;
                continue;
            }
            let path = disk.path(first_seq);
            cut_bytes += fs::metadata(&path).map_err(RingError::io("look at", &path))?.len();
            remove(&path)?;
        }
        Ok((disk, cut_bytes))
    }

    /// Place after the last entry, the buffer included.
    pub(super) fn tail(&self) -> u64 {
        self.tail
    }

    /// Place of the oldest entry kept.
    pub(super) fn first(&self) -> u64 {
        self.segments.front().map_or(self.tail, |segment| segment.first_seq)
    }

    /// The log cursor that the entries say.
    pub(super) fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Appends an entry and gives its place; on error nothing was appended.
    pub(super) fn append(&mut self, kind: Kind, value: u64) -> Result<u64, RingError> {
        let is_full = self.segments.back().is_none_or(|last| last.entry_count >= self.segment_entries);
        if is_full || self.buffer.len() >= BUFFER_ENTRIES * ENTRY_LEN {
            self.flush()?;
        }
        if is_full {
            self.begin_segment()?;
        }
        let seq = self.tail;
        self.buffer.extend_from_slice(&Entry { seq, kind, value }.encode(self.salt));
        self.segments.back_mut().expect("a segment was begun above").entry_count += 1;
        self.tail += 1;
        if kind == Kind::Cursor {
            self.cursor = value;
        }
        Ok(seq)
    }

    /// Writes the buffer to the newest segment.
    pub(super) fn flush(&mut self) -> Result<(), RingError> {
        let Some(last) = self.segments.back().filter(|_| !self.buffer.is_empty()) else { return Ok(()) };
        let path = self.path(last.first_seq);
        let end = HEADER_LEN as u64 + last.entry_count * ENTRY_LEN as u64;
        let mut file = match self.file.take() {
            Some(file) => file,
            None => OpenOptions::new().write(true).open(&path).map_err(RingError::io("open", &path))?,
        };
        file.seek(SeekFrom::Start(end - self.buffer.len() as u64))
            .and_then(|_| file.write_all(&self.buffer))
            .map_err(RingError::io("write", &path))?;
        self.file = Some(file);
        self.buffer.clear();
        Ok(())
    }

    /// Makes what was flushed outlive a power cut, where that is asked for.
    pub(super) fn save(&self) -> Result<(), RingError> {
        let (Some(file), Some(last)) = (&self.file, self.segments.back()) else { return Ok(()) };
        if self.is_fsynced {
            file.sync_all().map_err(RingError::io("save", &self.path(last.first_seq)))?;
        }
        Ok(())
    }

    /// Reads entries from place `from` on: at most `max`, at most [`READ_ENTRIES`], and none beyond
    /// the segment that holds `from`. Empty only at the tail.
    pub(super) fn read(&mut self, from: u64, max: usize) -> Result<Vec<Entry>, RingError> {
        if from + (self.buffer.len() / ENTRY_LEN) as u64 >= self.tail {
            self.flush()?;
        }
        let after = self.segments.partition_point(|segment| segment.first_seq <= from);
        let Some(segment) = after.checked_sub(1).map(|at| self.segments[at]) else { return Ok(Vec::new()) };
        let buffered = if after == self.segments.len() { self.buffer.len() / ENTRY_LEN } else { 0 };
        let end = segment.first_seq + segment.entry_count - buffered as u64;
        let count = (end.saturating_sub(from) as usize).min(max).min(READ_ENTRIES);
        let path = self.path(segment.first_seq);
        let mut bytes = vec![0; count * ENTRY_LEN];
        let offset = HEADER_LEN as u64 + (from - segment.first_seq) * ENTRY_LEN as u64;
        File::open(&path)
            .and_then(|mut file| {
                file.seek(SeekFrom::Start(offset))?;
                file.read_exact(&mut bytes)
            })
            .map_err(RingError::io("read", &path))?;
        (from..)
            .zip(bytes.chunks_exact(ENTRY_LEN))
            .map(|(seq, chunk)| {
                Entry::decode(chunk, seq, self.salt)
                    .ok_or_else(|| RingError::Damaged { path: path.clone(), seq })
            })
            .collect()
    }

    /// Deletes the segments that lie wholly before `head`; the newest stays, for its cursor.
    pub(super) fn remove_before(&mut self, head: u64) -> Result<(), RingError> {
        while self.segments.len() > 1 && self.segments[1].first_seq <= head {
            remove(&self.path(self.segments[0].first_seq))?;
            self.segments.pop_front();
        }
        Ok(())
    }

    /// Memory held, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.buffer.capacity() + self.segments.capacity() * size_of::<Segment>()
    }

    fn path(&self, first_seq: u64) -> PathBuf {
        self.dir.join(format!("{}-{first_seq:016x}.{EXTENSION}", self.name))
    }

    fn begin_segment(&mut self) -> Result<(), RingError> {
        self.save()?;
        let path = self.path(self.tail);
        let mut file = create(&path).map_err(RingError::io("create", &path))?;
        file.write_all(&entry::encode_header(self.tail, self.cursor, self.salt))
            .map_err(RingError::io("write", &path))?;
        if self.buffer.capacity() == 0 {
            self.buffer.reserve_exact(BUFFER_ENTRIES * ENTRY_LEN);
        }
        self.file = Some(file);
        self.segments.push_back(Segment { first_seq: self.tail, entry_count: 0 });
        Ok(())
    }

    /// First places of the segment files there are, rising.
    fn segment_names(&self) -> Result<Vec<u64>, RingError> {
        let listed = fs::read_dir(&self.dir)
            .and_then(Iterator::collect::<io::Result<Vec<_>>>)
            .map_err(RingError::io("list", &self.dir))?;
        let mut firsts: Vec<u64> = listed
            .iter()
            .filter_map(|entry| {
                let name = entry.file_name();
                let first = name.to_str()?.strip_prefix(&self.name)?.strip_prefix('-')?;
                let first = first.strip_suffix(EXTENSION)?.strip_suffix('.')?;
                u64::from_str_radix(first, 16).ok().filter(|_| first.len() == 16)
            })
            .collect();
        firsts.sort_unstable();
        Ok(firsts)
    }

    /// Takes in one segment file; gives the bytes cut off and whether there were none.
    fn scan(&mut self, first_seq: u64, see: &mut dyn FnMut(Entry)) -> Result<(u64, bool), RingError> {
        let path = self.path(first_seq);
        let mut file =
            OpenOptions::new().read(true).write(true).open(&path).map_err(RingError::io("open", &path))?;
        let len = file.metadata().map_err(RingError::io("look at", &path))?.len();
        let mut bytes = Vec::new();
        let mut read = |bytes: &mut Vec<u8>, count: usize| {
            bytes.clear();
            Read::by_ref(&mut file)
                .take(count as u64)
                .read_to_end(bytes)
                .map_err(RingError::io("read", &path))
        };
        read(&mut bytes, HEADER_LEN)?;
        let header = entry::decode_header(&bytes, self.salt);
        let is_next = self.segments.is_empty() || first_seq == self.tail;
        let Some((_, cursor)) = header.filter(|header| header.0 == first_seq && is_next) else {
            remove(&path)?;
            return Ok((len, false));
        };
        (self.cursor, self.tail) = (cursor, first_seq);
        'segment: while read(&mut bytes, READ_ENTRIES * ENTRY_LEN)? > 0 {
            for chunk in bytes.chunks(ENTRY_LEN) {
                let Some(entry) = Entry::decode(chunk, self.tail, self.salt) else { break 'segment };
                if entry.kind == Kind::Cursor {
                    self.cursor = entry.value;
                }
                see(entry);
                self.tail += 1;
            }
        }
        let entry_count = self.tail - first_seq;
        let whole = HEADER_LEN as u64 + entry_count * ENTRY_LEN as u64;
        if whole < len {
            file.set_len(whole).map_err(RingError::io("cut", &path))?;
        }
        self.segments.push_back(Segment { first_seq, entry_count });
        self.file = Some(file);
        Ok((len - whole, whole == len))
    }
}

fn remove(path: &Path) -> Result<(), RingError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RingError::io("delete", path)(error)),
        _ => Ok(()),
    }
}

/// A new or emptied file that only its owner may read: the ids in it name people.
pub(super) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
