//! A forum's recorded history: who posted when in which thread of which board.
//!
//! Read from a trace of four columns (board, thread, unix seconds, author) up to an end, sorted by time. Threads, boards and
//! authors are numbered from 0 as they appear; a thread belongs to the board of its first post. Memory: 16 bytes a
//! post, and the posts of each thread as one table of numbers.

use std::ops::Range;
use std::path::Path;

use freshet_types::{Map, Timestamp};

use crate::trace::{TraceError, each_forum_post, forum_span};

/// Small numbers for whatever numbers a trace has.
#[derive(Debug, Default)]
struct Numbers(Map<u64, u32>);

impl Numbers {
    fn of(&mut self, given: u64) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry(given).or_insert(next)
    }
}

/// One post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// When, in unix seconds.
    pub at_s: i64,
    pub thread: u32,
    pub author: u32,
}

/// All posts before an end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    /// By time; their place is their number.
    pub posts: Vec<Post>,
    /// The board of each thread.
    pub boards: Vec<u32>,
    /// How many boards there are.
    pub board_count: u32,
    /// The posts of all threads, one thread after another, each by time.
    by_thread: Vec<u32>,
    /// Where each thread's posts begin in `by_thread`, and one more.
    starts: Vec<u32>,
}

impl History {
    /// Reads a trace up to an end.
    pub fn read(path: &Path, end: Timestamp) -> Result<Self, TraceError> {
        Self::read_without(path, end, &[])
    }

    /// The same without the boards that the trace gives these numbers.
    pub(crate) fn read_without(path: &Path, end: Timestamp, without: &[u64]) -> Result<Self, TraceError> {
        let (mut rows, mut numbers) =
            (Vec::new(), [Numbers::default(), Numbers::default(), Numbers::default()]);
        each_forum_post(path, |given, at_s| {
            if at_s < end.secs() && !without.contains(&given[0]) {
                let [board, thread, author] = std::array::from_fn(|kind| numbers[kind].of(given[kind]));
                rows.push((board, thread, at_s, author));
            }
        })?;
        Ok(Self::from_rows(rows))
    }

    /// Reads a trace up to the end of the days that count; an error where nobody posts in them.
    pub fn read_counted(path: &Path, counted: Range<Timestamp>) -> Result<Self, TraceError> {
        let history = Self::read(path, counted.end)?;
        if history.count_before(counted.start.secs_f64()) == history.posts.len() {
            return Err(TraceError::Uncounted {
                path: path.display().to_string(),
                from: counted.start,
                until: counted.end,
                span: forum_span(path)?,
            });
        }
        Ok(history)
    }

    /// From rows of board, thread, unix seconds and author, in any order.
    pub fn from_rows(mut rows: Vec<(u32, u32, i64, u32)>) -> Self {
        rows.sort_by_key(|row| row.2);
        let thread_count = rows.iter().map(|row| row.1 as usize + 1).max().unwrap_or(0);
        let board_count = rows.iter().map(|row| row.0 + 1).max().unwrap_or(0);
        let (mut boards, mut counts) = (vec![u32::MAX; thread_count], vec![0_u32; thread_count + 1]);
        for (board, thread, ..) in &rows {
            let known = &mut boards[*thread as usize];
            *known = if *known == u32::MAX { *board } else { *known };
            counts[*thread as usize + 1] += 1;
        }
        for thread in 0..thread_count {
            counts[thread + 1] += counts[thread];
        }
        let (starts, mut next) = (counts.clone(), counts);
        let mut by_thread = vec![0; rows.len()];
        for (number, (_, thread, ..)) in rows.iter().enumerate() {
            let next_slot = &mut next[*thread as usize];
            by_thread[*next_slot as usize] = number as u32;
            *next_slot += 1;
        }
        let posts = rows.into_iter().map(|(_, thread, at_s, author)| Post { at_s, thread, author }).collect();
        Self { posts, boards, board_count, by_thread, starts }
    }

    /// Threads there are numbers for.
    pub fn thread_count(&self) -> usize {
        self.boards.len()
    }

    /// The numbers of a thread's posts, by time; none for a thread that is not there.
    pub(crate) fn thread_posts(&self, thread: u32) -> &[u32] {
        let thread = thread as usize;
        match (self.starts.get(thread), self.starts.get(thread + 1)) {
            (Some(from), Some(to)) => &self.by_thread[*from as usize..*to as usize],
            _ => &[],
        }
    }

    /// Posts strictly before an instant.
    pub(crate) fn count_before(&self, now_s: f64) -> usize {
        self.posts.partition_point(|post| (post.at_s as f64) < now_s)
    }
}
