//! One line of a trace.

use std::str::FromStr;

/// What is taken for the user of a forum's trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// Who wrote it; the only one that two-column traces have.
    #[default]
    Author,
    Thread,
    Board,
}

impl FromStr for By {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "author" => Ok(Self::Author),
            "thread" => Ok(Self::Thread),
            "board" => Ok(Self::Board),
            _ => Err(format!("sources are taken by author, thread or board, not by `{text}`")),
        }
    }
}

/// What is wrong with a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It has some other number of columns.
    #[error("has {0} columns; a trace has 2 (user, unix seconds) or 4 (board, thread, unix seconds, author)")]
    Columns(usize),
    /// It has another number of columns than the lines before it.
    #[error("has {0} columns, the lines before it have {1}")]
    Uneven(usize, usize),
    /// A column is no whole number.
    #[error("has `{0}` where a whole number is expected")]
    Number(String),
    /// It has two columns and another source than the author was asked for.
    #[error("has no thread and no board; leave `--by` out for a trace with 2 columns")]
    NoThread,
    /// It has two columns, and a forum is asked for.
    #[error(
        "has no board and no thread: a forum needs a trace with 4 columns (board, thread, unix seconds, author)"
    )]
    NoForum,
    /// It is no line at all.
    #[error("is longer than a line of four numbers can be; is this a trace?")]
    Long,
}

/// Posts before the year 1 or after 9999 are no posts: their days could not be counted.
const SECONDS_RANGE: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// User and unix seconds; `None` for an empty line. `columns` is that of the lines before.
pub(super) fn read(
    line: &[u8],
    by: By,
    columns: &mut Option<usize>,
) -> Result<Option<(u64, i64)>, LineError> {
    let line = line.trim_ascii_end();
    if line.is_empty() {
        return Ok(None);
    }
    let (cells, count) = cells(line);
    match *columns {
        Some(before) if before != count => return Err(LineError::Uneven(count, before)),
        _ => *columns = Some(count),
    }
    let (user, at_s) = match (count, by) {
        (2, By::Author) => (cells[0], cells[1]),
        (2, _) => return Err(LineError::NoThread),
        (4, By::Author) => (cells[3], cells[2]),
        (4, By::Thread) => (cells[1], cells[2]),
        (4, By::Board) => (cells[0], cells[2]),
        _ => return Err(LineError::Columns(count)),
    };
    Ok(Some((number(user)?, seconds(at_s)?)))
}

/// Board, thread and author, and unix seconds; `None` for an empty line.
pub(super) fn read_forum(line: &[u8]) -> Result<Option<([u64; 3], i64)>, LineError> {
    let line = line.trim_ascii_end();
    if line.is_empty() {
        return Ok(None);
    }
    match cells(line) {
        ([board, thread, at_s, author], 4) => {
            Ok(Some(([number(board)?, number(thread)?, number(author)?], seconds(at_s)?)))
        }
        (_, 2) => Err(LineError::NoForum),
        (_, count) => Err(LineError::Columns(count)),
    }
}

/// The first four cells, and how many there are.
fn cells(line: &[u8]) -> ([&[u8]; 4], usize) {
    let (mut cells, mut count) = ([&line[..0]; 4], 0);
    for cell in line.split(|byte| *byte == b'\t') {
        if let Some(index) = cells.get_mut(count) {
            *index = cell;
        }
        count += 1;
    }
    (cells, count)
}

fn seconds(cell: &[u8]) -> Result<i64, LineError> {
    let at_s: i64 = number(cell)?;
    if SECONDS_RANGE.contains(&at_s) { Ok(at_s) } else { Err(LineError::Number(at_s.to_string())) }
}

fn number<T: FromStr>(cell: &[u8]) -> Result<T, LineError> {
    let text = str::from_utf8(cell).ok().map(str::trim);
    text.and_then(|text| text.parse().ok()).ok_or_else(|| {
        let shown: String =
            String::from_utf8_lossy(cell).chars().filter(|c| !c.is_control()).take(40).collect();
        LineError::Number(shown)
    })
}
