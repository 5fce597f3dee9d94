//! Reading back what a sink wrote, record by record, in every format.
//!
//! For rewriting an export without what must not be in it any more. Invariant: a record that is read and written again
//! by a sink of the same format gives the same values; what differs from what a sink writes (other columns, a value of
//! another type) is refused ([`SinkError::Foreign`]) and never guessed at. Memory: one record, of Parquet one batch.
//! It says nothing of what a record means, and repairs nothing.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use freshet_types::Timestamp;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value as Json;

use crate::record::{Column, ColumnType, Properties, Record, RecordKind, Value};
use crate::{Format, SinkError};

/// Longest line of JSON that is read: far above any post, far below what hurts.
const LINE_BYTES_MAX: u64 = 256 << 20;

/// A record that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    kind: RecordKind,
    cells: Vec<Cell>,
}

/// A value that was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// What the network did not say.
    Null,
    Text(String),
    Int(i64),
    Float(f64),
    Bool(bool),
    Time(Timestamp),
    Texts(Vec<String>),
    Properties(Properties),
}

impl Row {
    /// The text of this column; `None` where it is not known, or no text.
    pub fn text(&self, column: &str) -> Option<&str> {
        match self.cell(column)? {
            Cell::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// The value of this column; `None` where the kind has no such column.
    pub fn cell(&self, column: &str) -> Option<&Cell> {
        let place = self.kind.columns().iter().position(|it| it.name == column)?;
        self.cells.get(place)
    }

    /// Sets a column; gives whether that is another value than before.
    pub fn set(&mut self, column: &str, cell: Cell) -> bool {
        let place = self.kind.columns().iter().position(|it| it.name == column);
        let Some(old) = place.and_then(|place| self.cells.get_mut(place)) else { return false };
        let is_new = !(old.is_nothing() && cell.is_nothing()) && *old != cell;
        if is_new {
            *old = cell;
        }
        is_new
    }
}

impl Record for Row {
    fn kind(&self) -> RecordKind {
        self.kind
    }

    fn values(&self) -> Vec<Value<'_>> {
        self.cells.iter().map(Cell::value).collect()
    }
}

impl Cell {
    /// All that counts as nothing: CSV tells an empty text and a missing one apart no more.
    fn is_nothing(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.is_empty(),
            Self::Texts(texts) => texts.is_empty(),
            Self::Properties(properties) => properties.is_empty(),
            Self::Int(_) | Self::Float(_) | Self::Bool(_) | Self::Time(_) => false,
        }
    }

    fn value(&self) -> Value<'_> {
        match self {
            Self::Null => Value::Null,
            Self::Text(text) => Value::Text(text),
            Self::Int(number) => Value::Int(*number),
            Self::Float(number) => Value::Float(*number),
            Self::Bool(truth) => Value::Bool(*truth),
            Self::Time(at) => Value::Time(*at),
            Self::Texts(texts) => Value::Texts(texts),
            Self::Properties(properties) => Value::Properties(properties),
        }
    }

    /// A JSON value in a column of this type; `None` where it cannot stand there.
    fn of_json(holds: ColumnType, value: Json) -> Option<Self> {
        Some(match (holds, value) {
            (_, Json::Null) => Self::Null,
            (ColumnType::Text, Json::String(text)) => Self::Text(text),
            (ColumnType::Int, Json::Number(number)) => Self::Int(number.as_i64()?),
            (ColumnType::Float, Json::Number(number)) => Self::Float(number.as_f64()?),
            (ColumnType::Time, Json::Number(number)) => Self::Time(instant(number.as_f64()?)),
            (ColumnType::Bool, Json::Bool(truth)) => Self::Bool(truth),
            (ColumnType::Properties, Json::Object(properties)) => Self::Properties(properties),
            (ColumnType::Texts, Json::Array(texts)) => {
                let text = |text: Json| if let Json::String(text) = text { Some(text) } else { None };
                Self::Texts(texts.into_iter().map(text).collect::<Option<_>>()?)
            }
            _ => return None,
        })
    }
}

/// To the nearest millisecond: the same number is written again.
fn instant(secs: f64) -> Timestamp {
    Timestamp::from_ms((secs * 1000.0).round() as i64)
}

/// Gives every record of a file, in order, until one cannot be taken.
pub fn each_row<E: From<SinkError>>(
    format: Format,
    kind: RecordKind,
    file: File,
    each: &mut dyn FnMut(Row) -> Result<(), E>,
) -> Result<(), E> {
    match format {
        Format::Jsonl => each_line(kind, file, each),
        Format::Csv => each_csv(kind, file, each),
        Format::Parquet => each_batch(kind, file, each),
    }
}

fn each_line<E: From<SinkError>>(
    kind: RecordKind,
    file: File,
    each: &mut dyn FnMut(Row) -> Result<(), E>,
) -> Result<(), E> {
    let (mut input, mut line) = (BufReader::new(file), Vec::new());
    for number in 1.. {
        line.clear();
        let read = (&mut input).take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
        if read.map_err(SinkError::Read)? == 0 {
            break;
        }
        let foreign =
            |why: &str| SinkError::Foreign { format: Format::Jsonl, place: number, why: why.to_owned() };
        let Ok(Json::Object(mut object)) = serde_json::from_slice(&line) else {
            return Err(foreign("it is no JSON object").into());
        };
        let cell = |column: &Column| {
            let value = object.remove(column.name)?;
            Cell::of_json(column.holds, value)
        };
        let cells: Option<Vec<Cell>> = kind.columns().iter().map(cell).collect();
        let cells = cells.ok_or_else(|| foreign("a column is missing, or of another type"))?;
        if !object.is_empty() {
            return Err(foreign("it has columns that no export writes").into());
        }
        each(Row { kind, cells })?;
    }
    Ok(())
}

fn each_csv<E: From<SinkError>>(
    kind: RecordKind,
    file: File,
    each: &mut dyn FnMut(Row) -> Result<(), E>,
) -> Result<(), E> {
    let foreign =
        |place: u64, why: &str| SinkError::Foreign { format: Format::Csv, place, why: why.to_owned() };
    let mut reader = csv::ReaderBuilder::new().from_reader(BufReader::new(file));
    let names: Vec<&str> = kind.columns().iter().map(|column| column.name).collect();
    let is_ours = reader.headers().is_ok_and(|headers| headers.iter().eq(names.iter().copied()));
    if !is_ours {
        return Err(foreign(1, "the first line does not name the columns of an export").into());
    }
    for (row, place) in reader.records().zip(2..) {
        let row = match row {
            Ok(row) => row,
            Err(error) => match error.into_kind() {
                csv::ErrorKind::Io(error) => return Err(SinkError::Read(error).into()),
                _ => return Err(foreign(place, "it is no row of this table").into()),
            },
        };
        let cells: Option<Vec<Cell>> = kind
            .columns()
            .iter()
            .zip(row.iter())
            .map(|(column, text)| csv_cell(column.holds, text))
            .collect();
        let cells = cells.ok_or_else(|| foreign(place, "a value is of another type than its column"))?;
        each(Row { kind, cells })?;
    }
    Ok(())
}

/// An empty cell is nothing; whatever is no text is written as JSON.
fn csv_cell(holds: ColumnType, text: &str) -> Option<Cell> {
    match (holds, text) {
        (_, "") => Some(Cell::Null),
        (ColumnType::Text, _) => Some(Cell::Text(text.to_owned())),
        _ => Cell::of_json(holds, serde_json::from_str(text).ok()?),
    }
}

fn each_batch<E: From<SinkError>>(
    kind: RecordKind,
    file: File,
    each: &mut dyn FnMut(Row) -> Result<(), E>,
) -> Result<(), E> {
    let foreign = |place: u64, why: String| SinkError::Foreign { format: Format::Parquet, place, why };
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(file).and_then(ParquetRecordBatchReaderBuilder::build);
    let reader = reader.map_err(|error| foreign(0, error.to_string()))?;
    let mut place = 0;
    for batch in reader {
        let batch = batch.map_err(|error| foreign(place, error.to_string()))?;
        let fields = batch.schema();
        if !fields
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .eq(kind.columns().iter().map(|it| it.name))
        {
            return Err(foreign(place, "it has other columns than an export".to_owned()).into());
        }
        for at in 0..batch.num_rows() {
            place += 1;
            let cells = batch_row(kind, &batch, at);
            let cells = cells.ok_or_else(|| foreign(place, "a value is of another type".to_owned()))?;
            each(Row { kind, cells })?;
        }
    }
    Ok(())
}

fn batch_row(kind: RecordKind, batch: &RecordBatch, at: usize) -> Option<Vec<Cell>> {
    kind.columns()
        .iter()
        .zip(batch.columns())
        .map(|(column, array)| array_cell(column.holds, array, at))
        .collect()
}

fn array_cell(holds: ColumnType, array: &ArrayRef, at: usize) -> Option<Cell> {
    if array.is_null(at) {
        return Some(Cell::Null);
    }
    Some(match (holds, array.data_type()) {
        (ColumnType::Text, DataType::Utf8) => Cell::Text(array.as_string::<i32>().value(at).to_owned()),
        (ColumnType::Properties, DataType::Utf8) => {
            Cell::of_json(holds, serde_json::from_str(array.as_string::<i32>().value(at)).ok()?)?
        }
        (ColumnType::Int, DataType::Int64) => Cell::Int(array.as_primitive::<Int64Type>().value(at)),
        (ColumnType::Float, DataType::Float64) => Cell::Float(array.as_primitive::<Float64Type>().value(at)),
        (ColumnType::Time, DataType::Float64) => {
            Cell::Time(instant(array.as_primitive::<Float64Type>().value(at)))
        }
        (ColumnType::Bool, DataType::Boolean) => Cell::Bool(array.as_boolean().value(at)),
        (ColumnType::Texts, DataType::List(_)) => {
            let items = array.as_list::<i32>().value(at);
            let items = items.as_string_opt::<i32>()?;
            Cell::Texts(items.iter().map(|text| text.unwrap_or_default().to_owned()).collect())
        }
        _ => return None,
    })
}
