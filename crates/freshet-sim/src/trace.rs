//! Traces: recorded histories, one post a line, read as a stream.
//!
//! `user<TAB>unix seconds`, or `board<TAB>thread<TAB>unix seconds<TAB>author` of a forum, of
//! which author, thread or board may be taken for the user; plain or compressed with zstd,
//! told by its first bytes. What a file may hold is defined: lines in any order, several posts
//! of one user in one second, times before 1970 and in the future. Anything else is an error
//! that names the line. Memory is bounded by the window that is asked for and by the users, not by the file.

mod line;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::Path;

use freshet_types::{Map, Span, Timestamp};

pub use line::{By, LineError};

/// The first bytes of a file compressed with zstd.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Bytes of a line; four numbers are shorter.
const LINE_BYTES_MAX: usize = 256;
/// Bytes read at once.
const BUFFER_BYTES: usize = 1 << 17;

/// What can be wrong with a trace.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// It cannot be read at all.
    #[error("the trace `{path}` cannot be read: {error}")]
    Read { path: String, error: io::Error },
    /// Its compression ends early.
    #[error(
        "the trace `{path}` ends in the middle of its compression after {lines} lines; get the file again"
    )]
    Truncated {
        path: String,
        /// Whole lines before that.
        lines: u64,
    },
    /// A line is not understood.
    #[error("line {number} of the trace `{path}` {error}")]
    Line {
        path: String,
        /// Counted from 1.
        number: u64,
        /// What is wrong with it.
        error: LineError,
    },
    /// The window has nothing to learn from.
    #[error(
        "nobody posts in the warm-up from {from} to {until}; the trace `{path}` {span}; choose `--from` inside of it"
    )]
    Empty {
        path: String,
        /// Begin of the warm-up.
        from: Timestamp,
        until: Timestamp,
        /// What the trace covers.
        span: String,
    },
    /// Nobody posts in the days of a forum that count.
    #[error("nobody posts in the days that count, from {from} to {until}; the trace `{path}` {span}")]
    Uncounted {
        path: String,
        /// The first of them.
        from: Timestamp,
        until: Timestamp,
        /// What the trace covers.
        span: String,
    },
}

/// What a trace covers from its first post to its last, in words.
fn covered(span: Option<(i64, i64)>) -> String {
    let at = |secs: i64| Timestamp::from_secs(secs).to_string();
    span.map_or("is empty".to_owned(), |(first, last)| {
        format!("has posts from {} to {}", at(first), at(last))
    })
}

fn widened(span: Option<(i64, i64)>, at_s: i64) -> (i64, i64) {
    span.map_or((at_s, at_s), |(first, last)| (first.min(at_s), last.max(at_s)))
}

/// The stretch of a trace that is used: a warm-up whose posts are known, then an evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Begin of the warm-up.
    pub from: Timestamp,
    /// Days whose posts are all known.
    pub warm_days: u32,
    /// Days that are measured.
    pub eval_days: u32,
}

impl Window {
    /// Begin of the evaluation.
    pub fn start(&self) -> Timestamp {
        self.from + Span::DAY * f64::from(self.warm_days)
    }

    /// End of the evaluation.
    pub fn end(&self) -> Timestamp {
        self.start() + Span::DAY * f64::from(self.eval_days)
    }
}

/// One source of an experiment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Poster {
    /// Its number in the trace.
    pub user: u64,
    /// Posting times in the window, ascending; several may be equal.
    pub posts: Vec<Timestamp>,
    /// What its profile knows of the time before.
    pub before: Before,
}

/// What a trace shows of somebody before its window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// So many posts.
    pub count: u32,
    /// The first of them.
    pub first_at: Option<Timestamp>,
}

impl Before {
    fn add(&mut self, at: Timestamp) {
        self.count = self.count.saturating_add(1);
        self.first_at = Some(self.first_at.map_or(at, |first_at| first_at.min(at)));
    }
}

/// The posts of a window, of those who posted in its warm-up, in ascending order of users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    pub window: Window,
    pub posters: Vec<Poster>,
}

impl History {
    /// Reads a window of a trace.
    pub fn read(path: &Path, window: Window, by: By) -> Result<Self, TraceError> {
        let name = path.display().to_string();
        let failed = |error| TraceError::Read { path: name.clone(), error };
        let input = open(path).map_err(failed)?;
        let (mut posts, mut before) = (Vec::new(), Map::<u64, Before>::default());
        let mut span: Option<(i64, i64)> = None;
        let (from_s, end_s) = (window.from.secs(), window.end().secs());
        each_post(input, &name, by, |user, at_s| {
            span = Some(widened(span, at_s));
            if (from_s..end_s).contains(&at_s) {
                posts.push((user, at_s));
            } else if at_s < from_s {
                before.entry(user).or_default().add(Timestamp::from_secs(at_s));
            }
        })?;
        let mut history = Self::from_posts(window, posts);
        for poster in &mut history.posters {
            poster.before = before.get(&poster.user).copied().unwrap_or_default();
        }
        if history.posters.is_empty() {
            let span = covered(span);
            return Err(TraceError::Empty { path: name, from: window.from, until: window.start(), span });
        }
        Ok(history)
    }

    /// From pairs of user and unix seconds, in any order.
    pub fn from_posts(window: Window, mut posts: Vec<(u64, i64)>) -> Self {
        posts.retain(|(_, at_s)| (window.from.secs()..window.end().secs()).contains(at_s));
        posts.sort_unstable();
        let mut posters: Vec<Poster> = Vec::new();
        for (user, at_s) in posts {
            if posters.last().is_none_or(|poster| poster.user != user) {
                posters.push(Poster { user, ..Poster::default() });
            }
            if let Some(poster) = posters.last_mut() {
                poster.posts.push(Timestamp::from_secs(at_s));
            }
        }
        let start = window.start();
        // Sorted: who posted before the start at all has the first post before it.
        posters.retain(|poster| poster.posts.first().is_some_and(|at| *at < start));
        Self { window, posters }
    }

    /// The same, beginning with the evaluation: what was before is told by profiles alone.
    pub(crate) fn told_from_start(mut self) -> Self {
        let start = self.window.start();
        for poster in &mut self.posters {
            let kept = poster.posts.split_off(poster.posts.partition_point(|at| *at < start));
            let earlier = std::mem::replace(&mut poster.posts, kept);
            for at in earlier {
                poster.before.add(at);
            }
        }
        self.window = Window { from: start, warm_days: 0, ..self.window };
        self
    }

    /// Posts of the evaluation.
    pub fn eval_count(&self) -> u64 {
        self.posters.iter().map(|poster| self.eval_posts(poster).len() as u64).sum()
    }

    /// A source's posts in the evaluation.
    pub(crate) fn eval_posts<'a>(&self, poster: &'a Poster) -> &'a [Timestamp] {
        let start = self.window.start();
        &poster.posts[poster.posts.partition_point(|at| *at < start)..]
    }
}

/// The file as text, whatever its compression.
fn open(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::with_capacity(BUFFER_BYTES, File::open(path)?);
    if file.fill_buf()?.starts_with(&ZSTD_MAGIC) {
        let decoder = zstd::stream::read::Decoder::with_buffer(file)?;
        return Ok(Box::new(BufReader::with_capacity(BUFFER_BYTES, decoder)));
    }
    Ok(Box::new(file))
}

/// Calls `each` with board, thread, unix seconds and author of every post of a forum's trace, in the order of the file.
pub(crate) fn each_forum_post(path: &Path, mut each: impl FnMut([u64; 3], i64)) -> Result<(), TraceError> {
    let name = path.display().to_string();
    let input = open(path).map_err(|error| TraceError::Read { path: name.clone(), error })?;
    each_line(input, &name, |line| {
        if let Some((numbers, at_s)) = line::read_forum(line)? {
            each(numbers, at_s);
        }
        Ok(())
    })
}

/// What a forum's trace covers, in words.
pub(crate) fn forum_span(path: &Path) -> Result<String, TraceError> {
    let mut span = None;
    each_forum_post(path, |_, at_s| span = Some(widened(span, at_s)))?;
    Ok(covered(span))
}

/// Calls `each` for every post, in the order of the file.
fn each_post(
    input: Box<dyn BufRead>,
    path: &str,
    by: By,
    mut each: impl FnMut(u64, i64),
) -> Result<(), TraceError> {
    let mut columns = None;
    each_line(input, path, |line| {
        if let Some((user, at_s)) = line::read(line, by, &mut columns)? {
            each(user, at_s);
        }
        Ok(())
    })
}

fn each_line(
    mut input: Box<dyn BufRead>,
    path: &str,
    mut each: impl FnMut(&[u8]) -> Result<(), LineError>,
) -> Result<(), TraceError> {
    let (mut buffer, mut number) = (Vec::new(), 0);
    loop {
        buffer.clear();
        // One byte more than a line may have, so that a longer one is noticed.
        let read = input.by_ref().take(LINE_BYTES_MAX as u64 + 1).read_until(b'\n', &mut buffer);
        match read {
            Ok(0) => return Ok(()),
            Ok(_) => number += 1,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(TraceError::Truncated { path: path.to_owned(), lines: number });
            }
            Err(error) => return Err(TraceError::Read { path: path.to_owned(), error }),
        }
        let is_long = buffer.len() > LINE_BYTES_MAX;
        let outcome = if is_long { Err(LineError::Long) } else { each(&buffer) };
        outcome.map_err(|error| TraceError::Line { path: path.to_owned(), number, error })?;
    }
}

#[cfg(test)]
mod tests;
