//! Step 9 of 10: deliver. Records out, into anything that can be written to.
//!
//! One seam ([`Sink`]), one member per file: [`jsonl`], [`csv`], [`parquet`]; [`back`] reads what they wrote. What a record
//! holds is said once, in [`record`], and every sink renders the same columns from it. One
//! conformance test runs for all members. Sinks know neither the store nor the change log:
//! whoever calls decides which records come, and in which order.

use std::fmt;
use std::io::Write;
use std::str::FromStr;

pub mod back;
pub mod csv;
pub mod jsonl;
pub mod parquet;
pub mod record;

#[cfg(test)]
mod conformance;
#[cfg(test)]
mod reference;

pub use record::{
    AccountRecord, ChangeRecord, Column, ColumnType, LinkRecord, ObjectRecord, PostRecord, Record,
    RecordKind, RelationRecord, Value,
};

/// Takes records of one kind, in the order they are given.
///
/// The caller writes any number of records, may flush between two of them, and ends with
/// `finish`; a sink dropped without it may leave a file that cannot be read. After an error
/// the sink is spent: what was written before may or may not have arrived.
pub trait Sink: Send {
    /// Takes one record; it must be of the kind the sink was opened for.
    fn write(&mut self, record: &dyn Record) -> Result<(), SinkError>;

    /// Pushes out what is held back, as far as the format allows it in mid-stream.
    fn flush(&mut self) -> Result<(), SinkError>;

    /// Writes out everything that is held in memory, even where that makes a file longer: for callers
    /// with many sinks at once.
    fn relieve(&mut self) -> Result<(), SinkError> {
        self.flush()
    }

    /// Pushes everything out, so that a sink opened with [`Format::resume`] can go on from here though this
    /// one is lost. Gives what that one must be told beyond the number of bytes, of what was written
    /// since the last checkpoint: the memos of all checkpoints, one after the other, are its memory.
    fn checkpoint(&mut self) -> Result<Vec<u8>, SinkError> {
        self.flush()?;
        Ok(Vec::new())
    }

    /// Ends the stream: footers, then the last byte.
    fn finish(self: Box<Self>) -> Result<(), SinkError>;
}

/// The formats there are sinks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One JSON object a line.
    Jsonl,
    /// A header row, then one row a record (RFC 4180).
    Csv,
    /// Columns, compressed with zstd.
    Parquet,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Jsonl, Self::Csv, Self::Parquet];

    /// The name that people type; also the ending of a file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }

    /// A sink of this format for records of one kind.
    pub fn open<'a>(
        self,
        kind: RecordKind,
        out: impl Write + Send + 'a,
    ) -> Result<Box<dyn Sink + 'a>, SinkError> {
        Ok(match self {
            Self::Jsonl => Box::new(jsonl::JsonlSink::new(kind, out)),
            Self::Csv => Box::new(csv::CsvSink::new(kind, out)?),
            Self::Parquet => Box::new(parquet::ParquetSink::new(kind, out)?),
        })
    }

    /// A sink that goes on where another one of this format and kind had its last checkpoint: `bytes`
    /// were written until then, and stand before what goes into `out`. The whole is what one sink
    /// with the same checkpoints would have written.
    pub fn resume<'a>(
        self,
        kind: RecordKind,
        out: impl Write + Send + 'a,
        bytes: u64,
        memo: &[u8],
    ) -> Result<Box<dyn Sink + 'a>, SinkError> {
        Ok(match self {
            Self::Jsonl => Box::new(jsonl::JsonlSink::new(kind, out)),
            Self::Csv => Box::new(csv::CsvSink::resume(kind, out)),
            Self::Parquet => Box::new(parquet::ParquetSink::resume(kind, out, bytes, memo)?),
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = SinkError;
    fn from_str(text: &str) -> Result<Self, SinkError> {
        let found = Self::ALL.into_iter().find(|format| format.name() == text);
        found.ok_or_else(|| SinkError::UnknownFormat(text.to_owned()))
    }
}

/// Why a record could not be delivered.
#[derive(Debug, thiserror::Error)]
pub enum SinkError {
    /// The bytes could not be written.
    #[error("the record cannot be written: {0}")]
    Write(#[source] std::io::Error),
    /// A library refused to encode it.
    #[error("the record cannot be written as {format}: {why}")]
    Encode {
        /// Into which format.
        format: Format,
        /// What the library said.
        why: String,
    },
    /// A record of another kind than the sink was opened for.
    #[error("the sink takes {wanted}, and got a record of {got}; open one sink for each kind")]
    WrongKind {
        /// The kind it was opened for.
        wanted: RecordKind,
        /// The kind of the record.
        got: RecordKind,
    },
    /// What was noted at a checkpoint is not understood.
    #[error("a {format} file cannot be gone on with: {why}; begin it anew")]
    Memo {
        /// Of which format.
        format: Format,
        /// What is wrong.
        why: String,
    },
    /// A file could not be read.
    #[error("the file cannot be read: {0}")]
    Read(#[source] std::io::Error),
    /// Something in a file is not as a sink writes it.
    #[error("record {place} is not as a {format} export has it: {why}")]
    Foreign {
        /// As which format it was read.
        format: Format,
        /// Which record, counted from 1; of CSV which row, of which the first is the header. 0: the file itself.
        place: u64,
        /// What is wrong.
        why: String,
    },
    /// No sink has this name.
    #[error("there is no format `{0}`; the formats are jsonl, csv, parquet")]
    UnknownFormat(String),
}

impl SinkError {
    /// Whether the reader at the other end of a pipe has gone, which is no failure of ours.
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Write(error) if error.kind() == std::io::ErrorKind::BrokenPipe)
    }
}

/// Refuses a record of another kind, before anything of it is written.
fn check_kind(wanted: RecordKind, record: &dyn Record) -> Result<(), SinkError> {
    let got = record.kind();
    if got == wanted { Ok(()) } else { Err(SinkError::WrongKind { wanted, got }) }
}
