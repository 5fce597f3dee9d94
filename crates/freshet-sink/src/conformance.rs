//! One suite for all sinks: what goes in comes out, read by a reader that is not ours.
//!
//! Every record becomes a row of texts as JSON would show its values. JSON and CSV cannot tell
//! all nothings apart, so null, an empty text, an empty list and empty properties count as one.

use std::io::{Seek as _, Write};
use std::sync::{Arc, Mutex};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use freshet_types::Timestamp;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value as Json, json};

use crate::back::{self, Row};
use crate::record::{
    AccountRecord, ChangeRecord, ColumnType, LinkRecord, ObjectRecord, PostRecord, Record, RecordKind,
    RelationRecord,
};
use crate::{Format, SinkError};

/// More than one Parquet batch, so that batch borders are crossed.
const RECORD_COUNT: i64 = 2500;

/// A buffer that the test keeps a hand on while the sink owns its writer.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn some<T>(n: i64, every: i64, value: T) -> Option<T> {
    (n % every == 0).then_some(value)
}

fn record(kind: RecordKind, n: i64) -> Box<dyn Record> {
    let awkward = ["plain", "comma, \"quotes\"\r\nand lines", "", "naïve 漢字 🦀\u{0}", "=1+1", "null", "{}"];
    let text = awkward[n as usize % awkward.len()].to_owned();
    let seen_at = Timestamp::from_ms(1_700_000_000_000 + n * 977);
    let properties = if n % 3 == 0 {
        json!({ "likes": n, "text": text, "ratio": 0.5 }).as_object().unwrap().clone()
    } else {
        serde_json::Map::new()
    };
    match kind {
        RecordKind::Posts => Box::new(PostRecord {
            id: format!("mastodon:example.social/post/{n}"),
            native_id: n.to_string(),
            network: "mastodon:example.social".to_owned(),
            author: some(n, 2, "ada".to_owned()),
            created_at: some(n, 5, Timestamp::from_secs(n - 100)),
            seen_at,
            text: text.clone(),
            tags: (0..n % 4).map(|at| format!("{text}{at}")).collect(),
            properties,
            ..PostRecord::default()
        }),
        RecordKind::Accounts => Box::new(AccountRecord {
            id: format!("hackernews/account/{n}"),
            bio: some(n, 2, text),
            followers_count: some(n, 3, n * n),
            opts_out: n % 2 == 0,
            seen_at,
            properties,
            ..AccountRecord::default()
        }),
        RecordKind::Relations => Box::new(RelationRecord {
            source: n.to_string(),
            target: text,
            seen_at,
            cancelled_at: some(n, 7, seen_at),
            ..RelationRecord::default()
        }),
        RecordKind::Changes => Box::new(ChangeRecord { number: n, seen_at, ..ChangeRecord::default() }),
        RecordKind::Objects => Box::new(ObjectRecord {
            id: format!("photos/album/{n}"),
            name: some(n, 2, text),
            seen_at,
            properties,
            ..ObjectRecord::default()
        }),
        RecordKind::Links => Box::new(LinkRecord {
            from: format!("photos/album/{n}"),
            to: text.clone(),
            first_seen_at: seen_at,
            ended_at: some(n, 7, seen_at),
            evidence: some(n, 2, text),
            confidence: some(n, 3, (n % 8) as f64 / 8.0),
            ..LinkRecord::default()
        }),
    }
}

/// A value as JSON, all nothings as null and all times as doubles.
fn plain(holds: ColumnType, value: Json) -> Json {
    let is_nothing = match &value {
        Json::String(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(entries) => entries.is_empty(),
        _ => false,
    };
    match holds {
        _ if is_nothing => Json::Null,
        ColumnType::Time => value.as_f64().map_or(Json::Null, |secs| json!(secs)),
        _ => value,
    }
}

fn expected(record: &dyn Record) -> Vec<Json> {
    use crate::record::Value;
    let columns = record.kind().columns();
    let as_json = |value: Value<'_>| match value {
        Value::Null => Json::Null,
        Value::Text(text) => json!(text),
        Value::Int(number) => json!(number),
        Value::Float(number) => json!(number),
        Value::Bool(truth) => json!(truth),
        Value::Time(at) => json!(at.secs_f64()),
        Value::Texts(texts) => json!(texts),
        Value::Properties(properties) => Json::Object(properties.clone()),
    };
    columns.iter().zip(record.values()).map(|(column, value)| plain(column.holds, as_json(value))).collect()
}

fn read_jsonl(kind: RecordKind, bytes: &[u8]) -> Vec<Vec<Json>> {
    let lines = str::from_utf8(bytes).unwrap().lines();
    let row = |line: &str| {
        let object: Json = serde_json::from_str(line).unwrap();
        assert_eq!(object.as_object().unwrap().len(), kind.columns().len(), "every column is present");
        kind.columns().iter().map(|column| plain(column.holds, object[column.name].clone())).collect()
    };
    lines.map(row).collect()
}

fn read_csv(kind: RecordKind, bytes: &[u8]) -> Vec<Vec<Json>> {
    let mut reader = csv::Reader::from_reader(bytes);
    let names: Vec<_> = kind.columns().iter().map(|column| column.name).collect();
    assert_eq!(reader.headers().unwrap().iter().collect::<Vec<_>>(), names);
    let cell = |holds: ColumnType, text: &str| match holds {
        _ if text.is_empty() => Json::Null,
        ColumnType::Text => json!(text),
        _ => serde_json::from_str(text).unwrap(),
    };
    let row = |record: csv::StringRecord| {
        let cells = kind.columns().iter().zip(record.iter());
        cells.map(|(column, text)| plain(column.holds, cell(column.holds, text))).collect()
    };
    reader.records().map(|record| row(record.unwrap())).collect()
}

fn arrow_cell(array: &ArrayRef, at: usize) -> Json {
    if array.is_null(at) {
        return Json::Null;
    }
    match array.data_type() {
        DataType::Utf8 => json!(array.as_string::<i32>().value(at)),
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(at)),
        DataType::Float64 => json!(array.as_primitive::<Float64Type>().value(at)),
        DataType::Boolean => json!(array.as_boolean().value(at)),
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(at);
            (0..items.len()).map(|item| arrow_cell(&items, item)).collect()
        }
        other => panic!("no column holds {other}"),
    }
}

fn read_parquet(kind: RecordKind, bytes: &[u8]) -> Vec<Vec<Json>> {
    // The reader wants a file: only a file can be read from its end.
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let mut rows = Vec::new();
    for batch in reader {
        let batch = batch.unwrap();
        for at in 0..batch.num_rows() {
            let cell = |(column, array): (&crate::Column, &ArrayRef)| {
                let value = arrow_cell(array, at);
                let value = match (column.holds, value.as_str()) {
                    (ColumnType::Properties, Some(text)) => serde_json::from_str(text).unwrap(),
                    _ => value,
                };
                plain(column.holds, value)
            };
            rows.push(kind.columns().iter().zip(batch.columns()).map(cell).collect());
        }
    }
    rows
}

fn check(format: Format, kind: RecordKind, count: i64) {
    let out = Shared::default();
    let mut sink = format.open(kind, out.clone()).unwrap();
    let records: Vec<_> = (0..count).map(|n| record(kind, n)).collect();
    for (n, record) in records.iter().enumerate() {
        sink.write(&**record).unwrap();
        if n % 700 == 0 {
            sink.flush().unwrap();
        }
        if n % 900 == 0 {
            sink.relieve().unwrap();
        }
    }
    sink.finish().unwrap();
    let bytes = out.0.lock().unwrap();
    let rows = match format {
        Format::Jsonl => read_jsonl(kind, &bytes),
        Format::Csv => read_csv(kind, &bytes),
        Format::Parquet => read_parquet(kind, &bytes),
    };
    assert_eq!(rows.len(), records.len(), "{format} {kind}");
    for (record, row) in records.iter().zip(rows) {
        assert_eq!(expected(&**record), row, "{format} {kind}");
    }
}

#[test]
fn what_goes_in_comes_out() {
    for format in Format::ALL {
        for kind in RecordKind::ALL {
            check(format, kind, RECORD_COUNT);
        }
    }
}

#[test]
fn an_empty_export_can_be_read() {
    for format in Format::ALL {
        check(format, RecordKind::Posts, 0);
    }
}

/// Checkpoints of the tests below: not where batches or row groups end by themselves.
const CHECKPOINT_EVERY: i64 = 700;

/// Writes records into the buffer, with checkpoints, until it is "killed": bytes and memos as of the last
/// checkpoint are given, and what came later is cut off.
fn write_until(
    (format, kind): (Format, RecordKind),
    (out, memo): (&Shared, &mut Vec<u8>),
    (from, killed_at): (i64, i64),
    count: i64,
) -> i64 {
    let bytes = out.0.lock().unwrap().len();
    let mut sink = match from {
        0 => format.open(kind, out.clone()),
        _ => format.resume(kind, out.clone(), bytes as u64, memo),
    }
    .unwrap();
    let (mut noted, mut length) = (from, bytes);
    for n in from..count {
        if n == killed_at {
            // Something half is on disk.
            sink.flush().unwrap();
            out.0.lock().unwrap().truncate(length);
            return noted;
        }
        sink.write(&*record(kind, n)).unwrap();
        if (n + 1) % CHECKPOINT_EVERY == 0 {
            memo.extend(sink.checkpoint().unwrap());
            (noted, length) = (n + 1, out.0.lock().unwrap().len());
        }
    }
    sink.finish().unwrap();
    count
}

#[test]
fn what_is_gone_on_with_is_what_one_sink_writes() {
    for format in Format::ALL {
        for kind in RecordKind::ALL {
            let whole = Shared::default();
            write_until((format, kind), (&whole, &mut Vec::new()), (0, -1), RECORD_COUNT);
            let (pieces, mut memo, mut from) = (Shared::default(), Vec::new(), 0);
            for killed_at in [800, 900, 1500, 2200, -1] {
                from = write_until((format, kind), (&pieces, &mut memo), (from, killed_at), RECORD_COUNT);
            }
            let (whole, pieces) = (whole.0.lock().unwrap(), pieces.0.lock().unwrap());
            assert!(*whole == *pieces, "{format} {kind}: {} and {} bytes", whole.len(), pieces.len());
            if format == Format::Parquet {
                assert_eq!(read_parquet(kind, &pieces).len() as i64, RECORD_COUNT);
            }
        }
    }
}

/// Writes these bytes to a file and reads them back.
fn read_back(format: Format, kind: RecordKind, bytes: &[u8]) -> Result<Vec<Row>, SinkError> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    let mut rows = Vec::new();
    back::each_row(format, kind, file, &mut |row| {
        rows.push(row);
        Ok(())
    })
    .map(|()| rows)
}

fn write_all<'a>(format: Format, kind: RecordKind, records: impl Iterator<Item = &'a dyn Record>) -> Vec<u8> {
    let out = Shared::default();
    let mut sink = format.open(kind, out.clone()).unwrap();
    records.for_each(|record| sink.write(record).unwrap());
    sink.finish().unwrap();
    out.0.lock().unwrap().clone()
}

#[test]
fn what_is_read_back_and_written_again_is_the_same() {
    for format in Format::ALL {
        for kind in RecordKind::ALL {
            let records: Vec<_> = (0..RECORD_COUNT).map(|n| record(kind, n)).collect();
            let bytes = write_all(format, kind, records.iter().map(|it| &**it));
            let rows = read_back(format, kind, &bytes).unwrap();
            assert_eq!(rows.len() as i64, RECORD_COUNT, "{format} {kind}");
            for (record, row) in records.iter().zip(&rows) {
                assert_eq!(expected(&**record), expected(row), "{format} {kind}");
            }
            let again = write_all(format, kind, rows.iter().map(|it| it as &dyn Record));
            assert!(bytes == again, "{format} {kind}: {} and {} bytes", bytes.len(), again.len());
        }
    }
}

#[test]
fn what_no_sink_wrote_is_refused() {
    for (format, bytes, words) in [
        (Format::Jsonl, &b"{}\n"[..], "record 1"),
        (Format::Jsonl, b"[1]\n", "no JSON object"),
        (Format::Jsonl, b"\xff\xfe\n", "no JSON object"),
        (Format::Csv, b"id,name\n1,2\n", "does not name the columns"),
        (Format::Csv, b"", "does not name the columns"),
        (Format::Csv, b"network,source,target,seen_at,cancelled_at\na,b,c,soon,\n", "record 2"),
        (Format::Csv, b"network,source,target,seen_at,cancelled_at\na,b\n", "no row of this table"),
        (Format::Parquet, b"PAR1 and nothing else PAR1", "record 0"),
        (Format::Parquet, b"", "record 0"),
    ] {
        let error = read_back(format, RecordKind::Relations, bytes).unwrap_err().to_string();
        assert!(error.contains(words), "{format}: {error}");
    }
    let posts = write_all(Format::Parquet, RecordKind::Posts, [&*record(RecordKind::Posts, 1)].into_iter());
    let error = read_back(Format::Parquet, RecordKind::Accounts, &posts).unwrap_err().to_string();
    assert!(error.contains("other columns"), "{error}");
}

#[test]
fn a_record_of_another_kind_is_refused() {
    for format in Format::ALL {
        let mut sink = format.open(RecordKind::Posts, std::io::sink()).unwrap();
        let error = sink.write(&RelationRecord::default()).unwrap_err();
        assert!(matches!(error, SinkError::WrongKind { .. }), "{format}: {error}");
    }
}

/// A pipe whose reader has gone.
struct Broken;

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }
}

#[test]
fn a_broken_pipe_is_told_apart() {
    for format in Format::ALL {
        let write_all = || {
            let mut sink = format.open(RecordKind::Posts, Broken)?;
            (0..RECORD_COUNT).try_for_each(|n| sink.write(&*record(RecordKind::Posts, n)))?;
            sink.finish()
        };
        let error = write_all().unwrap_err();
        assert!(error.is_broken_pipe(), "{format}: {error}");
    }
}

#[test]
fn seconds_are_whole_where_they_are_whole() {
    for (ms, shown) in
        [(1_700_000_000_000, "1700000000"), (1_700_000_000_250, "1700000000.25"), (-500, "-0.5")]
    {
        let mut out = Vec::new();
        crate::jsonl::write_seconds(&mut out, Timestamp::from_ms(ms)).unwrap();
        assert_eq!(str::from_utf8(&out).unwrap(), shown);
    }
}
