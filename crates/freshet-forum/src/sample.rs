//! Which pages of an unknown forum to look at: the sampling of seed 004, section 3.2.
//!
//! *We adopt a combined strategy of breadth-first and depth-first using a double-ended queue: push as many as possible
//! unseen URLs from each crawled page to the queue, and then randomly pop a URL from the front or the end.* Links of
//! pages that look like lists go to the front, all others to the end. Three things are added, because a hundred pages must
//! do instead of a few thousand: pages of one list come in a row (a list of one page teaches nothing about turning it),
//! addresses of one pattern are looked at a few times only, unless their pages look like lists, and what names a file
//! is left alone. So calendars, profiles and forms take no more than their few samples, however many there are.
//!
//! The order is a function of what was offered: the same site gives the same sample. What it does not do: fetch, wait, or
//! ask for permission.

use std::collections::VecDeque;

use freshet_types::{Map, Set};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::address::{self, Patterns};
use crate::page::Page;

/// Addresses that wait; a site with more is sampled from these.
const QUEUE_MAX: usize = 20_000;
/// Samples of a pattern whose pages look like no list.
const OTHERS_MAX: usize = 3;
/// A page with so many times to the minute looks like a list: a thread may have one post only.
const STAMPS_MIN: usize = 1;
/// Share of the sample that one pattern may take.
const PATTERN_SHARE_MAX: f64 = 0.5;
/// Endings of files that are no pages.
const FILES: [&str; 24] = [
    "css", "js", "json", "xml", "rss", "atom", "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "pdf",
    "zip", "gz", "mp3", "mp4", "woff", "woff2", "ttf", "txt", "opml", "tpl",
];

#[derive(Clone, Copy, Debug, Default)]
struct Pattern {
    sampled_count: usize,
    list_count: usize,
}

/// What to look at next.
#[derive(Debug)]
pub struct Sampler {
    front: Url,
    pages_max: usize,
    asked_count: usize,
    queue: VecDeque<Url>,
    seen: Set<String>,
    patterns: Map<String, Pattern>,
    shapes: Patterns,
}

impl Sampler {
    /// Begins at the front page; at most `pages_max` pages are asked for.
    pub fn new(front: &Url, pages_max: usize) -> Self {
        let mut sampler = Self {
            front: front.clone(),
            pages_max,
            asked_count: 0,
            queue: VecDeque::new(),
            seen: Set::default(),
            patterns: Map::default(),
            shapes: Patterns::plain(&[]),
        };
        sampler.offer(front, true);
        sampler
    }

    /// The next address to fetch; `None` when there is enough, or nothing left.
    pub fn next_url(&mut self) -> Option<Url> {
        while self.asked_count < self.pages_max {
            let is_front = self.queue.len() < 2 || xxh3_64(&self.asked_count.to_le_bytes()) % 3 != 0;
            let url = if is_front { self.queue.pop_front() } else { self.queue.pop_back() }?;
            let pattern = self.shapes.pattern(&url);
            let share_max = ((self.pages_max as f64 * PATTERN_SHARE_MAX) as usize).max(OTHERS_MAX);
            let known = self.patterns.entry(pattern).or_default();
            let is_list = known.list_count * 2 >= known.sampled_count.max(1);
            if known.sampled_count >= if is_list { share_max } else { OTHERS_MAX } {
                continue;
            }
            known.sampled_count += 1;
            self.asked_count += 1;
            return Some(url);
        }
        None
    }

    /// Takes in a page that was fetched under the address `asked`.
    pub fn take(&mut self, asked: &Url, page: &Page) {
        let is_list = page.stamps.iter().filter(|stamp| stamp.written.has_clock()).count() >= STAMPS_MIN;
        if let Some(known) = self.patterns.get_mut(&self.shapes.pattern(asked)) {
            known.list_count += usize::from(is_list);
        }
        self.seen.insert(address::key(&page.url));
        // Backwards, so that the first link of a list is the first at the front; what turns the page goes before all.
        let (turns, others): (Vec<&Url>, Vec<&Url>) =
            page.links.iter().map(|link| &link.url).partition(|url| address::turn(&page.url, url).is_some());
        for url in others.into_iter().rev().chain(turns.into_iter().rev()) {
            self.offer(url, is_list);
        }
    }

    fn offer(&mut self, url: &Url, is_listed: bool) {
        let mut url = url.clone();
        url.set_fragment(None);
        let is_here = url.host() == self.front.host()
            && url.port_or_known_default() == self.front.port_or_known_default()
            && url.scheme() == self.front.scheme();
        if !is_here || is_file(&url) || self.queue.len() >= QUEUE_MAX || !self.seen.insert(address::key(&url))
        {
            return;
        }
        if is_listed { self.queue.push_front(url) } else { self.queue.push_back(url) }
    }
}

fn is_file(url: &Url) -> bool {
    let last = url.path().rsplit('/').next().unwrap_or_default();
    let ending = last.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| FILES.contains(&ending.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Source;

    /// A site of ten boards with ten threads each, an endless calendar, and files.
    fn page(url: &Url) -> Page {
        let segments: Vec<&str> = url.path().split('/').filter(|it| !it.is_empty()).collect();
        let number: usize = segments.get(1).and_then(|it| it.parse().ok()).unwrap_or(0);
        let link = |to: String| format!("<li><a href='{to}'>x</a> 4 May 2024 10:0{}</li>", to.len() % 10);
        let items: String = match segments.first().copied() {
            None => (0..10).map(|it| format!("<a href='/board/{it}/'>b</a><a href='/s.css'>c</a>")).collect(),
            Some("board") => (0..10).map(|it| link(format!("/thread/{}/", number * 10 + it))).collect(),
            Some("thread") => (0..5).map(|it| link(format!("/thread/{number}/?page={it}"))).collect(),
            _ => String::new(),
        };
        let html = format!(
            "{items}<a href='/calendar/{}/'>next month</a><a href='http://other.test/'>o</a>",
            number + 1
        );
        Page::read(&Source { html: html.as_bytes(), url, fetched_s: None })
    }

    #[test]
    fn a_small_sample_has_boards_and_threads_and_leaves_calendars() {
        let front = Url::parse("http://forum.test/").unwrap();
        let mut sampler = Sampler::new(&front, 40);
        let mut counts: Map<String, usize> = Map::default();
        let mut sampled = 0;
        while let Some(url) = sampler.next_url() {
            assert_eq!(url.host_str(), Some("forum.test"));
            *counts.entry(url.path().split('/').nth(1).unwrap_or_default().to_owned()).or_default() += 1;
            sampler.take(&url, &page(&url));
            sampled += 1;
        }
        assert_eq!(sampled, 40);
        let count = |name: &str| counts.get(name).copied().unwrap_or(0);
        assert!(count("board") >= 3 && count("thread") >= 10, "{counts:?}");
        assert!(count("calendar") <= OTHERS_MAX && count("s.css") == 0, "{counts:?}");
    }
}
