//! JSON lines: one object a line, every column present, null where a value is not known.
//!
//! Rendered straight into the writer, column by column, so that a record costs no tree.

use std::io::{BufWriter, Write};

use freshet_types::Timestamp;

use crate::record::{Record, RecordKind, Value};
use crate::{Format, Sink, SinkError, check_kind};

/// Bytes held back before a write: enough for a hundred posts, little beside anything else.
const BUFFER_BYTES: usize = 64 * 1024;

/// Writes one JSON object a line.
#[derive(Debug)]
pub(crate) struct JsonlSink<W: Write> {
    kind: RecordKind,
    out: BufWriter<W>,
}

impl<W: Write> JsonlSink<W> {
    /// A sink for records of one kind.
    pub(crate) fn new(kind: RecordKind, out: W) -> Self {
        Self { kind, out: BufWriter::with_capacity(BUFFER_BYTES, out) }
    }
}

impl<W: Write + Send> Sink for JsonlSink<W> {
    fn write(&mut self, record: &dyn Record) -> Result<(), SinkError> {
        check_kind(self.kind, record)?;
        write_record(&mut self.out, record)?;
        self.out.write_all(b"\n").map_err(SinkError::Write)
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.out.flush().map_err(SinkError::Write)
    }

    fn finish(mut self: Box<Self>) -> Result<(), SinkError> {
        self.flush()
    }
}

/// A record as one JSON object, for whoever puts it into something larger.
pub fn text(record: &dyn Record) -> Result<String, SinkError> {
    let mut bytes = Vec::new();
    write_record(&mut bytes, record)?;
    Ok(String::from_utf8(bytes).expect("JSON is made of texts"))
}

fn write_record(out: &mut impl Write, record: &dyn Record) -> Result<(), SinkError> {
    let mut lead = '{';
    for (column, value) in record.kind().columns().iter().zip(record.values()) {
        write!(out, "{lead}\"{}\":", column.name).map_err(SinkError::Write)?;
        write_json(out, value)?;
        lead = ',';
    }
    out.write_all(b"}").map_err(SinkError::Write)
}

/// Writes one value as JSON.
pub(crate) fn write_json(out: &mut impl Write, value: Value<'_>) -> Result<(), SinkError> {
    let written = match value {
        Value::Null => return out.write_all(b"null").map_err(SinkError::Write),
        Value::Text(text) => serde_json::to_writer(out, text),
        Value::Int(number) => serde_json::to_writer(out, &number),
        Value::Float(number) => serde_json::to_writer(out, &number),
        Value::Bool(truth) => serde_json::to_writer(out, &truth),
        Value::Time(at) => return write_seconds(out, at),
        Value::Texts(texts) => serde_json::to_writer(out, texts),
        Value::Properties(properties) => serde_json::to_writer(out, properties),
    };
    written.map_err(|error| match error.io_error_kind() {
        Some(kind) => SinkError::Write(kind.into()),
        None => SinkError::Encode { format: Format::Jsonl, why: error.to_string() },
    })
}

/// Unix seconds: a whole number where there are no milliseconds, as most networks have it.
pub(crate) fn write_seconds(out: &mut impl Write, at: Timestamp) -> Result<(), SinkError> {
    let written =
        if at.ms() % 1000 == 0 { write!(out, "{}", at.secs()) } else { write!(out, "{}", at.secs_f64()) };
    written.map_err(SinkError::Write)
}
