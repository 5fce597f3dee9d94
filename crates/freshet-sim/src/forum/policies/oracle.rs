//! `oracle`: knows every post, and fetches the page with the most new records [list-wise, section 4.2].
//!
//! Records made after the start come first, among pages with equally many those of index lists, then the one that has waited longest; the archive is mirrored with
//! what is left. It shares a page's cost among what the page shows and knows no better plan than that: where bandwidth is
//! short of the posts, waiting for more posts on a page could do better still. A bound in spirit, not by proof.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use freshet_types::Map;

use super::super::{Address, ForumPolicy, History, Rows, Setup, Sheet};
use super::discovery::Discovery;

/// New records of a page, and when the first of them was made.
type News = (u32, i64);

/// The oracle.
#[derive(Debug)]
pub(crate) struct Oracle<'a> {
    history: &'a History,
    page_size: u32,
    discovery: Discovery,
    /// Posts and threads that were downloaded.
    posts: Vec<bool>,
    threads: Vec<bool>,
    /// Posts made so far, of all and of each thread.
    made_count: usize,
    thread_counts: Vec<u32>,
    /// What each page has that is new.
    news: Map<Address, News>,
    /// Pages by their news; entries that `news` contradicts are stale.
    ranked: BinaryHeap<(u32, bool, Reverse<i64>, Address)>,
}

impl<'a> Oracle<'a> {
    /// At the portal.
    pub(crate) fn new(history: &'a History, setup: &Setup) -> Self {
        let made_count = history.count_before(setup.start.secs_f64());
        let mut thread_counts = vec![0; history.thread_count()];
        for post in &history.posts[..made_count] {
            thread_counts[post.thread as usize] += 1;
        }
        Self {
            history,
            page_size: setup.page_size,
            discovery: Discovery::new(),
            posts: vec![false; history.posts.len()],
            threads: vec![false; history.thread_count()],
            made_count,
            thread_counts,
            news: Map::default(),
            ranked: BinaryHeap::new(),
        }
    }

    fn advance_to(&mut self, now_s: f64) {
        while let Some(post) =
            self.history.posts.get(self.made_count).filter(|post| (post.at_s as f64) < now_s)
        {
            let count = &mut self.thread_counts[post.thread as usize];
            *count += 1;
            let (is_first, page) = (*count == 1, count.div_ceil(self.page_size));
            self.add(Address::Posts { thread: post.thread, page }, post.at_s);
            if is_first {
                self.add(
                    Address::Index { board: self.history.boards[post.thread as usize], page: 1 },
                    post.at_s,
                );
            }
            self.made_count += 1;
        }
    }

    fn add(&mut self, address: Address, at_s: i64) {
        let (count, first_s) = self.news.entry(address).or_insert((0, at_s));
        *count += 1;
        self.ranked.push((*count, is_index(address), Reverse(*first_s), address));
    }

    /// Whether a page of the archive still has something.
    fn has_news(&self, address: Address) -> bool {
        let Address::Posts { thread, page } = address else { return true };
        let count = self.thread_counts[thread as usize] as usize;
        let posts = &self.history.thread_posts(thread)[..count];
        let first = ((page - 1) * self.page_size) as usize;
        posts.iter().skip(first).take(self.page_size as usize).any(|post| !self.posts[*post as usize])
    }
}

fn is_index(address: Address) -> bool {
    matches!(address, Address::Index { .. })
}

impl ForumPolicy for Oracle<'_> {
    fn name(&self) -> &'static str {
        "oracle"
    }

    fn next(&mut self, now_s: f64) -> Option<Address> {
        self.advance_to(now_s);
        while let Some((count, _, first, address)) = self.ranked.pop() {
            if self.news.get(&address) == Some(&(count, first.0)) {
                return Some(address);
            }
        }
        loop {
            let address = self.discovery.pop()?;
            if self.has_news(address) {
                return Some(address);
            }
        }
    }

    fn learn(&mut self, _now_s: f64, address: Address, sheet: &Sheet) {
        self.discovery.learn(address, sheet);
        let waiting = self.news.remove(&address);
        match &sheet.rows {
            Rows::Boards(_) => {}
            Rows::Posts(rows) => rows.iter().for_each(|row| self.posts[row.post as usize] = true),
            Rows::Threads(rows) => {
                let is_new = |row: &&super::super::ThreadRow| !self.threads[row.thread as usize];
                let found = rows.iter().filter(is_new).count() as u32;
                for row in rows {
                    self.threads[row.thread as usize] = true;
                }
                // Livelier threads can have pushed a new one to the next page.
                let missed = waiting.map_or(0, |(count, _)| count.saturating_sub(found));
                if let (Some((_, first_s)), true) = (waiting, missed > 0 && address.page() < sheet.page_count)
                {
                    let next = address.turned_to(address.page() + 1);
                    self.news.insert(next, (missed, first_s));
                    self.ranked.push((missed, true, Reverse(first_s), next));
                }
            }
        }
    }
}
