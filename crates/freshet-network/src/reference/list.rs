//! Files of references: lists that people already have, recognised by what is in them.
//!
//! | format | known by | taken from it |
//! |---|---|---|
//! | plain | anything else | every line; `#` starts a comment |
//! | OPML | begins with `<` | `xmlUrl` of every outline, however nested |
//! | JSON lines | begins with `{` | the keys below, nested ones with a dot; `data` and `includes.users` opened |
//! | CSV, TSV | a header with a known column, or the column asked for | the best column below |
//!
//! Columns, best first: Mastodon's `Account address`; `did`; profile URLs; handles; the names and
//! ids of Twitter accounts as twarc and minet write them; any `url`. A name may come many times (a
//! file of posts); it is given once, with its first line. What is given are texts, not yet
//! understood: that needs the definitions. Nothing here is trusted: lines, fields and counts are
//! bounded, and what cannot be used is complained about by line.

mod csv;
mod json;
mod opml;

use std::io::BufRead;

use freshet_types::Set;

/// Most lines that are read.
pub const LINES_MAX: u64 = 10_000_000;
/// Longest line of a plain list, and longest reference of any.
pub const LINE_BYTES_MAX: usize = 8 << 10;
/// Longest line of JSON and longest row of CSV: twarc writes a page of 100 posts on one line.
pub(crate) const RECORD_BYTES_MAX: usize = 16 << 20;
/// Complaints that are kept; the rest is only counted.
pub(crate) const COMPLAINTS_MAX: usize = 100;

/// What a file looked like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFormat {
    /// One reference a line.
    Plain,
    Opml,
    Csv,
    /// One JSON object a line.
    JsonLines,
}

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What it looked like.
    pub format: ListFormat,
    /// Line number from 1, and the text to understand.
    pub references: Vec<(u64, String)>,
    /// Line number from 1, and what is wrong there.
    pub complaints: Vec<(u64, String)>,
    /// Complaints, the ones that were not kept included.
    pub complaint_count: u64,
}

/// Why a file cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The disk, or the stream.
    #[error("the list cannot be read: {0}")]
    Io(#[from] std::io::Error),
    /// The column asked for is not there.
    #[error("there is no column `{column}`; the columns are {known}")]
    NoColumn {
        /// What was asked for.
        column: String,
        /// What there is.
        known: String,
    },
    /// A column was asked for, and the file has none.
    #[error("the list has no columns, so leave out the column `{0}`")]
    NoColumns(String),
    /// It is not well-formed.
    #[error("line {line}: {what}")]
    Malformed {
        line: u64,
        /// What is wrong.
        what: String,
    },
}

/// Reads a file of references; `column` names the column (or JSON key) to take.
pub fn read(mut input: impl BufRead, column: Option<&str>) -> Result<Listed, ListError> {
    skip_mark(&mut input)?;
    let head = input.fill_buf()?;
    let head = String::from_utf8_lossy(&head[..head.len().min(LINE_BYTES_MAX)]).into_owned();
    let first = head.trim_start().lines().next().unwrap_or_default().trim_end();
    if first.starts_with('<') {
        if let Some(column) = column {
            return Err(ListError::NoColumns(column.to_owned()));
        }
        return opml::read(input);
    }
    if first.starts_with('{') {
        return json::read(input, column);
    }
    if let Some(shape) = csv::shape(first, column)? {
        return csv::read(input, &shape);
    }
    read_plain(input)
}

/// A byte order mark says nothing that is not assumed anyway.
fn skip_mark(input: &mut impl BufRead) -> Result<(), ListError> {
    if input.fill_buf()?.starts_with(b"\xef\xbb\xbf") {
        input.consume(3);
    }
    Ok(())
}

fn read_plain(mut input: impl BufRead) -> Result<Listed, ListError> {
    let mut collector = Collector::new(ListFormat::Plain);
    while let Some(line) = collector.next_line(&mut input, LINE_BYTES_MAX)? {
        // A hash starts a comment at the beginning of a line or after a blank: URLs have hashes too.
        let text = line.split(" #").next().unwrap_or_default().trim();
        if !text.is_empty() && !text.starts_with('#') {
            collector.add(text);
        }
    }
    Ok(collector.listed)
}

/// Collects references, each once, and counts lines.
struct Collector {
    listed: Listed,
    seen: Set<u64>,
    line: u64,
}

impl Collector {
    fn new(format: ListFormat) -> Self {
        let listed = Listed { format, references: Vec::new(), complaints: Vec::new(), complaint_count: 0 };
        Self { listed, seen: Set::default(), line: 0 }
    }

    fn add(&mut self, text: &str) {
        let text = text.trim();
        if text.len() > LINE_BYTES_MAX {
            return self.complain(format!("a reference has more than {LINE_BYTES_MAX} bytes"));
        }
        // Texts are remembered by a 64-bit hash: ten million of them collide with a chance of 3e-6.
        if !text.is_empty() && self.seen.insert(hash(text)) {
            self.listed.references.push((self.line, text.to_owned()));
        }
    }

    fn complain(&mut self, what: String) {
        self.listed.complaint_count += 1;
        if self.listed.complaints.len() < COMPLAINTS_MAX {
            self.listed.complaints.push((self.line, what));
        }
    }

    /// The next line, decoded; lines that are too long are complained about and passed over.
    fn next_line(&mut self, input: &mut impl BufRead, bytes_max: usize) -> Result<Option<String>, ListError> {
        loop {
            if self.line >= LINES_MAX {
                self.complain(format!("only the first {LINES_MAX} lines are read"));
                return Ok(None);
            }
            let mut bytes = Vec::new();
            let mut bounded = std::io::Read::take(&mut *input, bytes_max as u64 + 1);
            let length = bounded.read_until(b'\n', &mut bytes)?;
            if length == 0 {
                return Ok(None);
            }
            self.line += 1;
            if length <= bytes_max || bytes.ends_with(b"\n") {
                return Ok(Some(String::from_utf8_lossy(&bytes).into_owned()));
            }
            self.complain(format!("the line has more than {bytes_max} bytes"));
            skip_line(input)?;
        }
    }
}

fn skip_line(input: &mut impl BufRead) -> Result<(), ListError> {
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let (length, is_end) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(at) => (at + 1, true),
            None => (buffer.len(), false),
        };
        input.consume(length);
        if is_end {
            return Ok(());
        }
    }
}

fn hash(text: &str) -> u64 {
    use std::hash::Hasher;
    let mut hasher = freshet_types::map::Hasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// How the value of a column becomes a reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// It is one.
    AsIs,
    /// A handle of whichever network it looks like: with a dot Bluesky's, else Twitter's.
    Handle,
    /// The name of a Twitter account.
    Twitter,
    /// The id of a Twitter account.
    TwitterId,
}

/// Known columns, best first, in lower case.
const COLUMNS: &[(&str, Turn)] = &[
    ("account address", Turn::AsIs),
    ("reference", Turn::AsIs),
    ("acct", Turn::AsIs),
    ("user_did", Turn::AsIs),
    ("did", Turn::AsIs),
    ("xmlurl", Turn::AsIs),
    ("feed_url", Turn::AsIs),
    ("profile_url", Turn::AsIs),
    ("account_url", Turn::AsIs),
    ("user_url", Turn::AsIs),
    ("user_handle", Turn::Handle),
    ("handle", Turn::Handle),
    ("author.username", Turn::Twitter),
    ("user.screen_name", Turn::Twitter),
    ("user_screen_name", Turn::Twitter),
    ("screen_name", Turn::Twitter),
    ("username", Turn::Twitter),
    ("url", Turn::AsIs),
    ("author_id", Turn::TwitterId),
    ("user.id_str", Turn::TwitterId),
    ("user_id", Turn::TwitterId),
];

impl Turn {
    fn turn(self, value: &str) -> String {
        let value = value.trim();
        let bare = value.trim_start_matches('@');
        match self {
            _ if value.is_empty() || value.contains("://") => value.to_owned(),
            Self::AsIs => value.to_owned(),
            Self::Handle if bare.contains('@') => value.to_owned(),
            Self::Handle if bare.contains('.') => format!("@{bare}"),
            // A fediverse address in a column that usually holds Twitter names.
            Self::Twitter if bare.contains('@') => value.to_owned(),
            Self::Handle | Self::Twitter => format!("https://twitter.com/{bare}"),
            Self::TwitterId => format!("twitter/account/{bare}"),
        }
    }
}

#[cfg(test)]
mod tests;
