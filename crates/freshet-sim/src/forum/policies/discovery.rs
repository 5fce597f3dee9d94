//! Which pages are known, and which of them were never fetched.
//!
//! A sheet tells of lists (boards of the portal, threads of an index) and, by its page links, of the pages of its own list. New
//! ones wait in the order in which they were heard of, index lists and post lists apart, because policies share bandwidth
//! between the two.

use std::collections::VecDeque;

use super::super::{Address, Rows, Sheet};

#[derive(Debug)]
pub(super) struct Discovery {
    /// Pages of the portal's and the boards' lists that were never fetched.
    pub(super) index: VecDeque<Address>,
    /// The same of post lists.
    pub(super) posts: VecDeque<Address>,
    /// Pages known of each board and thread; 0 for one never heard of.
    boards: Vec<u32>,
    threads: Vec<u32>,
}

impl Discovery {
    /// Of the portal alone.
    pub(super) fn new() -> Self {
        let index = VecDeque::from([Address::Portal]);
        Self { index, posts: VecDeque::new(), boards: Vec::new(), threads: Vec::new() }
    }

    /// The page heard of first among those never fetched, index lists before post lists.
    pub(super) fn pop(&mut self) -> Option<Address> {
        self.index.pop_front().or_else(|| self.posts.pop_front())
    }

    /// Pages known of a thread.
    pub(super) fn thread_pages(&self, thread: u32) -> u32 {
        self.threads.get(thread as usize).copied().unwrap_or(0)
    }

    /// Takes in what a page told of.
    pub(super) fn learn(&mut self, address: Address, sheet: &Sheet) {
        match &sheet.rows {
            Rows::Boards(rows) => {
                for row in rows {
                    self.extend(Address::Index { board: row.board, page: 1 }, 1);
                }
            }
            Rows::Threads(rows) => {
                for row in rows {
                    self.extend(Address::Posts { thread: row.thread, page: 1 }, 1);
                }
                self.extend(address, sheet.page_count);
            }
            Rows::Posts(_) => self.extend(address, sheet.page_count),
        }
    }

    /// A list has so many pages.
    fn extend(&mut self, list: Address, page_count: u32) {
        let (counts, number, queue) = match list {
            Address::Portal => return,
            Address::Index { board, .. } => (&mut self.boards, board, &mut self.index),
            Address::Posts { thread, .. } => (&mut self.threads, thread, &mut self.posts),
        };
        if counts.len() <= number as usize {
            counts.resize(number as usize + 1, 0);
        }
        let known = &mut counts[number as usize];
        queue.extend((*known + 1..=page_count).map(|page| list.turned_to(page)));
        *known = page_count.max(*known);
    }
}
