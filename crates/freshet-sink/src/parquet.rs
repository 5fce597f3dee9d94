//! Parquet: columns in row groups of 64k rows, compressed with zstd.
//!
//! Rows are gathered into small batches, encoded as they come and written out a row group at
//! a time, so memory stays bounded whatever the length of the export. Times are doubles in
//! unix seconds, as in the other formats; properties are JSON texts; texts of a list are a list.
//!
//! A file can be gone on with after a checkpoint, which ends a row group. Where the row groups are stands
//! in the footer at the very end, so a checkpoint's memo is the footer that its new row groups
//! alone would have, with its length before it ([`footer`]). Pages have no index of their own: it would
//! have to be remembered too, and row groups of this size are small enough to be skipped whole.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{FileMetaData, RowGroupMetaData};
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use crate::record::{Column, ColumnType, Record, RecordKind, Value};
use crate::{Format, Sink, SinkError, check_kind};

mod footer;

/// Rows of a row group: what query engines like to hand to one core.
const GROUP_ROWS: usize = 64 * 1024;
/// A row group of long texts is closed before this, so that it fits into memory.
const GROUP_BYTES: usize = 64 * 1024 * 1024;
/// Rows gathered before they are encoded; the unencoded part of memory.
const BATCH_ROWS: usize = 1024;

/// Bytes by which a writer is moved to its place in a file that is gone on with.
const STRIDE: usize = 64 * 1024;

/// Writes a Parquet file.
#[derive(Debug)]
pub(crate) struct ParquetSink<W: Write + Send> {
    kind: RecordKind,
    schema: SchemaRef,
    out: ArrowWriter<After<W>>,
    columns: Vec<Builder>,
    row_count: usize,
    /// What the footer says of the whole file.
    file: FileMetaData,
    /// Row groups of the sinks before this one.
    before: Vec<RowGroupMetaData>,
    /// Own row groups that a checkpoint has noted.
    noted_count: usize,
}

impl<W: Write + Send> ParquetSink<W> {
    /// A sink for records of one kind.
    pub(crate) fn new(kind: RecordKind, out: W) -> Result<Self, SinkError> {
        Self::resume(kind, out, 0, &[])
    }

    /// A sink that goes on with a file of so many bytes, with the memos of its checkpoints.
    pub(crate) fn resume(kind: RecordKind, out: W, bytes: u64, memo: &[u8]) -> Result<Self, SinkError> {
        let schema = Arc::new(Schema::new(kind.columns().iter().map(field).collect::<Vec<_>>()));
        let properties = WriterProperties::builder()
            .set_created_by("freshet".to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_max_row_group_bytes(Some(GROUP_BYTES))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .build();
        let open = |out| ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties.clone()));
        // The footer of a file without rows says all that does not depend on them.
        let empty = ArrowWriter::try_new(std::io::sink(), Arc::clone(&schema), Some(properties.clone()));
        let empty = empty.and_then(ArrowWriter::close).map_err(from_parquet)?;
        let mut out = open(After { inner: out, left: bytes }).map_err(from_parquet)?;
        move_to(&mut out, bytes).map_err(SinkError::Write)?;
        let columns = kind.columns().iter().map(|column| Builder::new(column.holds)).collect();
        Ok(Self {
            kind,
            schema,
            out,
            columns,
            row_count: 0,
            file: empty.file_metadata().clone(),
            before: footer::from_memo(memo)?,
            noted_count: 0,
        })
    }

    fn encode(&mut self) -> Result<(), SinkError> {
        if self.row_count == 0 {
            return Ok(());
        }
        self.row_count = 0;
        let arrays = self.columns.iter_mut().map(Builder::finish).collect();
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), arrays)
            .map_err(|error| SinkError::Encode { format: Format::Parquet, why: error.to_string() })?;
        self.out.write(&batch).map_err(from_parquet)
    }
}

impl<W: Write + Send> Sink for ParquetSink<W> {
    fn write(&mut self, record: &dyn Record) -> Result<(), SinkError> {
        check_kind(self.kind, record)?;
        for (column, value) in self.columns.iter_mut().zip(record.values()) {
            column.push(value);
        }
        self.row_count += 1;
        if self.row_count == BATCH_ROWS { self.encode() } else { Ok(()) }
    }

    /// Encodes what is gathered; a row group is not cut short for it.
    fn flush(&mut self) -> Result<(), SinkError> {
        self.encode()
    }

    /// Ends the row group here, however short.
    fn relieve(&mut self) -> Result<(), SinkError> {
        self.encode()?;
        self.out.flush().map_err(from_parquet)
    }

    fn checkpoint(&mut self) -> Result<Vec<u8>, SinkError> {
        self.relieve()?;
        self.out.sync().map_err(SinkError::Write)?;
        let flushed = self.out.flushed_row_groups();
        let memo = footer::memo(&self.file, &flushed[self.noted_count..])?;
        self.noted_count = flushed.len();
        Ok(memo)
    }

    fn finish(mut self: Box<Self>) -> Result<(), SinkError> {
        self.relieve()?;
        // Own row groups too are taken as a memo remembers them (without statistics in their oldest form, which
        // no reader needs): whether a file was gone on with does not show.
        let own = footer::memo(&self.file, self.out.flushed_row_groups())?;
        let groups = [self.before, footer::from_memo(&own)?].concat();
        let footer = footer::of(&self.file, groups)?;
        self.out.write_all(&footer).and_then(|()| self.out.sync()).map_err(SinkError::Write)
    }
}

/// What comes after the first so many bytes, which are there already.
#[derive(Debug)]
struct After<W> {
    inner: W,
    left: u64,
}

impl<W: Write> Write for After<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            return self.inner.write(bytes);
        }
        let count = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left -= count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// Lets a new writer count the bytes that are there: places in a footer are counted from a file's first.
fn move_to<W: Write + Send>(out: &mut ArrowWriter<After<W>>, bytes: u64) -> std::io::Result<()> {
    let mut left = usize::try_from(bytes).unwrap_or(usize::MAX).saturating_sub(out.bytes_written());
    while left > 0 {
        let stride = left.min(STRIDE);
        out.write_all(&vec![0; stride])?;
        left -= stride;
    }
    out.sync()
}

fn field(column: &Column) -> Field {
    let holds = match column.holds {
        ColumnType::Text | ColumnType::Properties => DataType::Utf8,
        ColumnType::Int => DataType::Int64,
        ColumnType::Bool => DataType::Boolean,
        ColumnType::Time | ColumnType::Float => DataType::Float64,
        ColumnType::Texts => DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true))),
    };
    Field::new(column.name, holds, true)
}

/// The values of one column that are not encoded yet.
#[derive(Debug)]
enum Builder {
    Text(StringBuilder),
    Int(Int64Builder),
    Bool(BooleanBuilder),
    Float(Float64Builder),
    Texts(ListBuilder<StringBuilder>),
}

impl Builder {
    fn new(holds: ColumnType) -> Self {
        match holds {
            ColumnType::Text | ColumnType::Properties => Self::Text(StringBuilder::new()),
            ColumnType::Int => Self::Int(Int64Builder::new()),
            ColumnType::Bool => Self::Bool(BooleanBuilder::new()),
            ColumnType::Time | ColumnType::Float => Self::Float(Float64Builder::new()),
            ColumnType::Texts => Self::Texts(ListBuilder::new(StringBuilder::new())),
        }
    }

    fn push(&mut self, value: Value<'_>) {
        match (self, value) {
            (Self::Text(column), Value::Text(text)) => column.append_value(text),
            (Self::Text(column), Value::Properties(properties)) if !properties.is_empty() => {
                column.append_value(serde_json::to_string(properties).expect("keys are texts"));
            }
            (Self::Text(column), _) => column.append_null(),
            (Self::Int(column), Value::Int(number)) => column.append_value(number),
            (Self::Int(column), _) => column.append_null(),
            (Self::Bool(column), Value::Bool(truth)) => column.append_value(truth),
            (Self::Bool(column), _) => column.append_null(),
            (Self::Float(column), Value::Time(at)) => column.append_value(at.secs_f64()),
            (Self::Float(column), Value::Float(number)) => column.append_value(number),
            (Self::Float(column), _) => column.append_null(),
            (Self::Texts(column), Value::Texts(texts)) => {
                column.append_value(texts.iter().map(|text| Some(text.as_str())));
            }
            (Self::Texts(column), _) => column.append_null(),
        }
    }

    fn finish(&mut self) -> ArrayRef {
        match self {
            Self::Text(column) => Arc::new(column.finish()),
            Self::Int(column) => Arc::new(column.finish()),
            Self::Bool(column) => Arc::new(column.finish()),
            Self::Float(column) => Arc::new(column.finish()),
            Self::Texts(column) => Arc::new(column.finish()),
        }
    }
}

fn from_parquet(error: ParquetError) -> SinkError {
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => SinkError::Write(*error),
            Err(other) => SinkError::Encode { format: Format::Parquet, why: other.to_string() },
        },
        other => SinkError::Encode { format: Format::Parquet, why: other.to_string() },
    }
}
