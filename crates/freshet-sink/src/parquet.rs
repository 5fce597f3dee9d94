//! Parquet: columns in row groups of 64k rows, compressed with zstd.
//!
//! Rows are gathered into small batches, encoded as they come and written out a row group at
//! a time, so memory stays bounded whatever the length of the export. Times are doubles in
//! unix seconds, as in the other formats; properties are JSON texts; texts of a list are a list.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::record::{Column, ColumnType, Record, RecordKind, Value};
use crate::{Format, Sink, SinkError, check_kind};

/// Rows of a row group: what query engines like to hand to one core.
const GROUP_ROWS: usize = 64 * 1024;
/// A row group of long texts is closed before this, so that it fits into memory.
const GROUP_BYTES: usize = 64 * 1024 * 1024;
/// Rows gathered before they are encoded; the unencoded part of memory.
const BATCH_ROWS: usize = 1024;

/// Writes a Parquet file.
#[derive(Debug)]
pub struct ParquetSink<W: Write + Send> {
    kind: RecordKind,
    schema: SchemaRef,
    out: ArrowWriter<W>,
    columns: Vec<Builder>,
    row_count: usize,
}

impl<W: Write + Send> ParquetSink<W> {
    /// A sink for records of one kind.
    pub fn new(kind: RecordKind, out: W) -> Result<Self, SinkError> {
        let schema = Arc::new(Schema::new(kind.columns().iter().map(field).collect::<Vec<_>>()));
        let properties = WriterProperties::builder()
            .set_created_by("freshet".to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .set_max_row_group_bytes(Some(GROUP_BYTES))
            .build();
        let out = ArrowWriter::try_new(out, Arc::clone(&schema), Some(properties)).map_err(from_parquet)?;
        let columns = kind.columns().iter().map(|column| Builder::new(column.holds)).collect();
        Ok(Self { kind, schema, out, columns, row_count: 0 })
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

    fn finish(mut self: Box<Self>) -> Result<(), SinkError> {
        self.encode()?;
        self.out.finish().map_err(from_parquet)?;
        self.out.inner_mut().flush().map_err(SinkError::Write)
    }
}

fn field(column: &Column) -> Field {
    let holds = match column.holds {
        ColumnType::Text | ColumnType::Properties => DataType::Utf8,
        ColumnType::Int => DataType::Int64,
        ColumnType::Bool => DataType::Boolean,
        ColumnType::Time => DataType::Float64,
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
    Time(Float64Builder),
    Texts(ListBuilder<StringBuilder>),
}

impl Builder {
    fn new(holds: ColumnType) -> Self {
        match holds {
            ColumnType::Text | ColumnType::Properties => Self::Text(StringBuilder::new()),
            ColumnType::Int => Self::Int(Int64Builder::new()),
            ColumnType::Bool => Self::Bool(BooleanBuilder::new()),
            ColumnType::Time => Self::Time(Float64Builder::new()),
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
            (Self::Time(column), Value::Time(at)) => column.append_value(at.secs_f64()),
            (Self::Time(column), _) => column.append_null(),
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
            Self::Time(column) => Arc::new(column.finish()),
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
