//! CSV (RFC 4180): a header row, then one row a record; an empty cell where nothing is known.
//!
//! Lists and properties are JSON inside their cell, so that nothing is lost in a separator;
//! an empty list and an empty set of properties are empty cells. Texts are written as they
//! are, formulas included: a spreadsheet is not the reader this is for.

use std::io::Write;

use crate::jsonl::{write_json, write_seconds};
use crate::record::{Record, RecordKind, Value};
use crate::{Format, Sink, SinkError, check_kind};

/// Writes comma-separated rows.
#[derive(Debug)]
pub(crate) struct CsvSink<W: Write> {
    kind: RecordKind,
    out: csv::Writer<W>,
    cell: Vec<u8>,
}

impl<W: Write> CsvSink<W> {
    /// A sink for records of one kind; the header is written at once, so that an export
    /// without a single record is still a table.
    pub(crate) fn new(kind: RecordKind, out: W) -> Result<Self, SinkError> {
        let mut sink = Self::resume(kind, out);
        sink.out.write_record(kind.columns().iter().map(|column| column.name)).map_err(from_csv)?;
        Ok(sink)
    }

    /// A sink that goes on with a table whose header is written.
    pub(crate) fn resume(kind: RecordKind, out: W) -> Self {
        Self { kind, out: csv::WriterBuilder::new().from_writer(out), cell: Vec::new() }
    }
}

impl<W: Write + Send> Sink for CsvSink<W> {
    fn write(&mut self, record: &dyn Record) -> Result<(), SinkError> {
        check_kind(self.kind, record)?;
        for value in record.values() {
            self.cell.clear();
            match value {
                Value::Text(text) => self.cell.extend_from_slice(text.as_bytes()),
                Value::Time(at) => write_seconds(&mut self.cell, at)?,
                Value::Int(_) | Value::Float(_) | Value::Bool(_) => write_json(&mut self.cell, value)?,
                Value::Texts(texts) if !texts.is_empty() => write_json(&mut self.cell, value)?,
                Value::Properties(properties) if !properties.is_empty() => {
                    write_json(&mut self.cell, value)?;
                }
                Value::Null | Value::Texts(_) | Value::Properties(_) => {}
            }
            self.out.write_field(&self.cell).map_err(from_csv)?;
        }
        self.out.write_record(None::<&[u8]>).map_err(from_csv)
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.out.flush().map_err(SinkError::Write)
    }

    fn finish(mut self: Box<Self>) -> Result<(), SinkError> {
        self.flush()
    }
}

fn from_csv(error: csv::Error) -> SinkError {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => SinkError::Write(error),
        other => SinkError::Encode { format: Format::Csv, why: format!("{other:?}") },
    }
}
