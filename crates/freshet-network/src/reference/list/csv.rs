//! Comma, semicolon or tab separated files: which column holds references, and its values.

use std::io::BufRead;

use super::{COLUMNS, Collector, LINES_MAX, ListError, ListFormat, Listed, RECORD_BYTES_MAX, Turn};

/// What the first line says about the file.
pub(super) struct Shape {
    delimiter: u8,
    has_header: bool,
    index: usize,
    turn: Turn,
}

/// The shape of a file with this first line; `None` if it is no table.
pub(super) fn shape(first: &str, column: Option<&str>) -> Result<Option<Shape>, ListError> {
    for delimiter in *b",\t;" {
        let names = split(first, delimiter);
        let position = |wanted: &str| names.iter().position(|name| name.eq_ignore_ascii_case(wanted));
        if let Some(index) = column.and_then(position) {
            return Ok(Some(Shape { delimiter, has_header: true, index, turn: Turn::AsIs }));
        }
        let known = COLUMNS.iter().find_map(|&(name, turn)| Some((position(name)?, turn)));
        match (column, known) {
            (None, Some((index, turn))) => {
                return Ok(Some(Shape { delimiter, has_header: true, index, turn }));
            }
            (Some(column), _) if names.len() > 1 => {
                return Err(ListError::NoColumn { column: column.to_owned(), known: names.join(", ") });
            }
            _ => {}
        }
        // Older exports of follows have no header: an address, then yes or no.
        let is_follow = names.len() > 1 && names[0].contains('@') && matches!(&*names[1], "true" | "false");
        if is_follow {
            return Ok(Some(Shape { delimiter, has_header: false, index: 0, turn: Turn::AsIs }));
        }
    }
    match column {
        Some(column) => Err(ListError::NoColumns(column.to_owned())),
        None => Ok(None),
    }
}

fn split(line: &str, delimiter: u8) -> Vec<String> {
    let mut reader =
        csv::ReaderBuilder::new().delimiter(delimiter).has_headers(false).from_reader(line.as_bytes());
    let record = reader.records().next().and_then(Result::ok).unwrap_or_default();
    record.iter().map(|name| name.trim().to_owned()).collect()
}

/// Takes the values of the column.
pub(super) fn read(input: impl BufRead, shape: &Shape) -> Result<Listed, ListError> {
    let mut collector = Collector::new(ListFormat::Csv);
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(shape.delimiter)
        .has_headers(shape.has_header)
        .flexible(true)
        .from_reader(Bounded { input, left: RECORD_BYTES_MAX });
    let mut record = csv::ByteRecord::new();
    loop {
        reader.get_mut().left = RECORD_BYTES_MAX;
        match reader.read_byte_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(collector.listed),
            Err(error) => {
                let what = format!("this is no table any more: {error}");
                return Err(ListError::Malformed { line: collector.line + 1, what });
            }
        }
        collector.line = record.position().map_or(collector.line, csv::Position::line);
        if collector.line > LINES_MAX {
            collector.complain(format!("only the first {LINES_MAX} lines are read"));
            return Ok(collector.listed);
        }
        let value = record.get(shape.index).map(String::from_utf8_lossy).unwrap_or_default();
        match shape.turn.turn(&value) {
            empty if empty.is_empty() => collector.complain(format!("column {} is empty", shape.index + 1)),
            reference => collector.add(&reference),
        }
    }
}

/// Fails when one row takes more bytes than any row should: a quote that never ends.
struct Bounded<R> {
    input: R,
    left: usize,
}

impl<R: BufRead> std::io::Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            return Err(std::io::Error::other("a row is too long; is a quote missing?"));
        }
        let length = buffer.len().min(self.left);
        let read = self.input.read(&mut buffer[..length])?;
        self.left -= read;
        Ok(read)
    }
}
