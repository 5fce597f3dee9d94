//! What a policy knows of each list: the times of its records, as sheets have shown them.
//!
//! Index lists hold when threads were started, post lists when posts were made. Times are kept ascending and whole, because models are trained
//! on them; a record is counted once however often it is shown.

use freshet_policy::forum::ListFacts;
use freshet_types::Set;

use super::super::{Rows, Sheet};

/// One list.
#[derive(Clone, Debug, Default)]
pub(super) struct List {
    /// Of its records.
    pub(super) times_s: Vec<i64>,
    /// When its end was looked at last; minus infinity for never.
    pub(super) visited_s: f64,
    pub(super) facts: ListFacts,
}

impl List {
    fn new() -> Self {
        Self { visited_s: f64::NEG_INFINITY, ..Self::default() }
    }

    /// Takes in new times; gives how many.
    fn extend(&mut self, new_s: &[i64]) -> usize {
        if new_s.is_empty() {
            return 0;
        }
        let is_sorted = self.times_s.last().is_none_or(|last| *last <= new_s[0]);
        self.times_s.extend(new_s);
        if !is_sorted {
            self.times_s.sort_unstable();
        }
        self.facts = ListFacts::of(&self.times_s);
        new_s.len()
    }
}

/// All lists.
#[derive(Debug, Default)]
pub(super) struct Standing {
    pub(super) boards: Vec<List>,
    pub(super) threads: Vec<List>,
    /// Posts and threads that were shown.
    posts: Set<u32>,
    known_threads: Set<u32>,
    new_s: Vec<i64>,
}

impl Standing {
    /// Takes in what a page of board `board` or thread `thread` showed; gives how many records were new.
    pub(super) fn learn(&mut self, number: u32, sheet: &Sheet) -> usize {
        self.new_s.clear();
        match &sheet.rows {
            Rows::Boards(_) => 0,
            Rows::Threads(rows) => {
                let is_new = |row: &&super::super::ThreadRow| self.known_threads.insert(row.thread);
                self.new_s.extend(rows.iter().filter(is_new).map(|row| row.started_s));
                self.new_s.sort_unstable();
                entry(&mut self.boards, number).extend(&self.new_s)
            }
            Rows::Posts(rows) => {
                let is_new = |row: &&super::super::PostRow| self.posts.insert(row.post);
                self.new_s.extend(rows.iter().filter(is_new).map(|row| row.at_s));
                self.new_s.sort_unstable();
                entry(&mut self.threads, number).extend(&self.new_s)
            }
        }
    }

    /// The end of a list was looked at.
    pub(super) fn visited(lists: &mut Vec<List>, number: u32, now_s: f64) {
        entry(lists, number).visited_s = now_s;
    }
}

fn entry(lists: &mut Vec<List>, number: u32) -> &mut List {
    if lists.len() <= number as usize {
        lists.resize_with(number as usize + 1, List::new);
    }
    &mut lists[number as usize]
}
