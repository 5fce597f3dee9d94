//! Which pages of an unknown forum to look at: the sampling of seed 004, section 3.2.
//!
//! *We adopt a combined strategy of breadth-first and depth-first using a double-ended queue: push as many as possible
//! unseen URLs from each crawled page to the queue, and then randomly pop a URL from the front or the end.* Links of
//! pages that look like lists go to the front, all others to the end. The paper takes a few thousand pages; a hundred must
//! do here, so the draw is not left to chance alone. Seen from the end that was drawn, the address is taken whose pattern
//! is poorest in samples for its weight:
//!
//! `(samples + 1) / (ln(1 + addresses seen) · (1 + 2 · share of its pages that look like lists))`
//!
//! and the first of several. Many addresses of one pattern are a template of the site, and pages with times teach
//! most; but no template starves another. A pattern whose pages never look like a list gets a few samples only: calendars,
//! profiles and forms take no more, however many there are. A page that shows the same times as one before it is the same
//! page under another address (`?page=1`, a link to one post of a thread) and is told apart, because a sample in which
//! records come twice teaches wrong.
//!
//! The order is a function of what was offered: the same site gives the same sample. What it does not do: fetch, wait, or
//! ask for permission.

use std::collections::VecDeque;

use freshet_types::{Map, Set};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::address::{self, Patterns, Turner};
use crate::page::Page;
use crate::people::is_person_address;

/// Addresses that wait; a site with more is sampled from these.
const QUEUE_MAX: usize = 20_000;
/// Samples of a pattern whose pages look like no list.
const OTHERS_MAX: usize = 3;
/// Times that two pages must have in common, all of them and in order, before they are one.
const SAME_MIN: usize = 2;
/// Endings of files that are no pages.
const FILES: [&str; 24] = [
    "css", "js", "json", "xml", "rss", "atom", "png", "jpg", "jpeg", "gif", "svg", "webp", "ico", "pdf",
    "zip", "gz", "mp3", "mp4", "woff", "woff2", "ttf", "txt", "opml", "tpl",
];

/// How many addresses of a pattern were seen, were sampled, and looked like lists.
#[derive(Clone, Copy, Debug, Default)]
struct Pattern {
    seen: usize,
    sampled: usize,
    lists: usize,
}

impl Pattern {
    /// How rich in samples it is for its weight; nothing where it has had all it gets.
    fn richness(&self) -> Option<f64> {
        if self.lists == 0 && self.sampled >= OTHERS_MAX {
            return None;
        }
        let list_share = self.lists as f64 / self.sampled.max(1) as f64;
        let weight = (1.0 + self.seen as f64).ln() * (1.0 + 2.0 * list_share);
        Some((self.sampled as f64 + 1.0) / weight)
    }
}

/// What to look at next.
#[derive(Debug)]
pub struct Sampler {
    front: Url,
    pages_max: usize,
    asked_count: usize,
    /// Addresses with their patterns.
    queue: VecDeque<(Url, usize)>,
    seen: Set<String>,
    patterns: Vec<Pattern>,
    numbers: Map<String, usize>,
    shapes: Patterns,
    /// What the pages so far showed, by their times.
    shown: Set<u64>,
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
            patterns: Vec::new(),
            numbers: Map::default(),
            shapes: Patterns::plain(&[]),
            shown: Set::default(),
        };
        sampler.offer(front, true);
        sampler
    }

    /// The next address to fetch; `None` when there is enough, or nothing left.
    pub fn next_url(&mut self) -> Option<Url> {
        if self.asked_count >= self.pages_max {
            return None;
        }
        let is_front = !xxh3_64(&self.asked_count.to_le_bytes()).is_multiple_of(3);
        let mut best: Option<(f64, usize)> = None;
        for step in 0..self.queue.len() {
            let index = if is_front { step } else { self.queue.len() - 1 - step };
            let richness = self.patterns[self.queue[index].1].richness();
            if richness.is_some_and(|it| best.is_none_or(|(least, _)| it < least)) {
                best = richness.map(|it| (it, index));
            }
        }
        let (url, pattern) = self.queue.remove(best?.1)?;
        self.patterns[pattern].sampled += 1;
        self.asked_count += 1;
        Some(url)
    }

    /// Adds a page that was fetched under the address `asked`; whether it shows anything that none before it did.
    pub fn add_page(&mut self, asked: &Url, page: &Page) -> bool {
        let clocks: Vec<&str> =
            page.stamps.iter().filter(|it| it.written.has_clock()).map(|it| it.raw.as_str()).collect();
        self.seen.insert(address::key(&page.url));
        let times = xxh3_64(clocks.join("\n").as_bytes());
        if clocks.len() >= SAME_MIN && !self.shown.insert(times) {
            return false;
        }
        // A person's page shows when they wrote and joined; the lists are elsewhere.
        let is_list = !clocks.is_empty() && !is_person_address(asked);
        let pattern = self.number_of(asked);
        self.patterns[pattern].lists += usize::from(is_list);
        // Backwards, so that the first link of a list is the first at the front; what turns the page goes before all.
        let turner = Turner::of(&page.url);
        let (turns, others): (Vec<&Url>, Vec<&Url>) =
            page.links.iter().map(|link| &link.url).partition(|url| turner.turn(url).is_some());
        let keys: Set<String> = others.iter().map(|url| address::key(url)).collect();
        for url in others.into_iter().rev() {
            self.offer(url, is_list && !is_inside(url, &keys));
        }
        turns.into_iter().rev().for_each(|url| self.offer(url, is_list));
        true
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
        let pattern = self.number_of(&url);
        self.patterns[pattern].seen += 1;
        if is_listed { self.queue.push_front((url, pattern)) } else { self.queue.push_back((url, pattern)) }
    }

    fn number_of(&mut self, url: &Url) -> usize {
        let patterns = &mut self.patterns;
        *self.numbers.entry(self.shapes.pattern(url)).or_insert_with(|| {
            patterns.push(Pattern::default());
            patterns.len() - 1
        })
    }
}

/// Whether an address only adds a number to another that the page links to: one post of a thread.
fn is_inside(url: &Url, keys: &Set<String>) -> bool {
    let last = address::segments(url).last().copied().unwrap_or_default();
    let mut outer = url.clone();
    let path = url.path().trim_end_matches('/').trim_end_matches(last).to_owned();
    outer.set_path(&path);
    last.bytes().all(|it| it.is_ascii_digit()) && keys.contains(&address::key(&outer))
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
        let link = |to: String| {
            let time = xxh3_64(to.as_bytes());
            format!("<li><a href='{to}'>x</a> {} May 2024 10:{:02}</li>", 1 + time % 28, time / 28 % 60)
        };
        let board = |it: usize| format!("<a href='/board/{it}/'>b</a><a href='/s.css'>c</a>");
        let items: Vec<String> = match segments.first().copied() {
            None => (0..10).map(board).collect(),
            Some("board") => (0..10).map(|it| link(format!("/thread/{}/", number * 10 + it))).collect(),
            Some("thread") => (0..5).map(|it| link(format!("/thread/{number}/?page={it}"))).collect(),
            _ => Vec::new(),
        };
        let items = items.concat();
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
            sampler.add_page(&url, &page(&url));
            sampled += 1;
        }
        assert_eq!(sampled, 40);
        let count = |name: &str| counts.get(name).copied().unwrap_or(0);
        assert!(count("board") >= 3 && count("thread") >= 10, "{counts:?}");
        assert!(count("calendar") <= OTHERS_MAX && count("s.css") == 0, "{counts:?}");
    }
}
