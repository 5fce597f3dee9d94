//! What imitations of forum software are drawn from: an invented forum, the ways in which sites differ, and the pages drawn.
//!
//! The forum has a board of nine pages, one of two and one of a single page, a thread of nine pages and many short ones; its
//! newest posts are of the day of the fetch and the day before. What is expected of mining follows from the same numbers.

use freshet_forum::page::{Page, Source};
use jiff::civil::DateTime;
use url::Url;

use super::words::Words;
use crate::invented::FETCHED_S;

/// When the pages are fetched, as the forum's clock shows it.
pub(super) const FETCHED: DateTime = DateTime::constant(2025, 7, 20, 12, 0, 0, 0);
pub(super) const THREADS_A_PAGE: usize = 5;
pub(super) const POSTS_A_PAGE: usize = 4;
const AUTHORS: [&str; 6] = ["ada", "brook", "cyril", "dana", "emil", "fenn"];
const TEXT: [&str; 14] = [
    "river", "mill", "about", "stone", "because", "lantern", "under", "seven", "quiet", "copper", "without",
    "meadow", "harbour", "ladder",
];

pub(super) struct Post {
    pub(super) id: usize,
    pub(super) author: usize,
    pub(super) at: DateTime,
    pub(super) text: String,
    /// Which of its thread it is, from 0.
    pub(super) index: usize,
}

impl Post {
    pub(super) fn name(&self) -> &'static str {
        AUTHORS[self.author]
    }
}

pub(super) struct Thread {
    pub(super) id: usize,
    pub(super) title: String,
    pub(super) posts: Vec<Post>,
}

impl Thread {
    pub(super) fn last(&self) -> &Post {
        self.posts.last().expect("a thread has a post")
    }

    pub(super) fn slug(&self) -> String {
        self.title.replace(' ', "-")
    }

    pub(super) fn page_count(&self) -> usize {
        self.posts.len().div_ceil(POSTS_A_PAGE)
    }
}

pub(super) struct Board {
    pub(super) id: usize,
    pub(super) name: String,
    pub(super) threads: Vec<Thread>,
}

impl Board {
    pub(super) fn slug(&self) -> String {
        self.name.replace(' ', "-")
    }

    fn page_count(&self) -> usize {
        self.threads.len().div_ceil(THREADS_A_PAGE)
    }
}

/// How one site differs from another of the same software.
#[expect(clippy::struct_excessive_bools, reason = "any of them may hold without the others")]
#[derive(Clone, Copy)]
pub(super) struct Variant {
    pub(super) name: &'static str,
    pub(super) words: &'static Words,
    /// Rows of advertisements between records.
    pub(super) has_ads: bool,
    /// Session ids in all links, others on every page.
    pub(super) has_session: bool,
    /// The second of two ways in which the software writes addresses.
    pub(super) is_rewritten: bool,
    /// Only three pages of the site are there.
    pub(super) is_small: bool,
}

/// Where a page stands in its list.
pub(super) struct Around<'a> {
    pub(super) page: usize,
    pub(super) page_count: usize,
    pub(super) address: &'a dyn Fn(usize) -> String,
}

impl Around<'_> {
    /// The numbers of a pager: the first and last `edge`, and `reach` to both sides of the page; none where it leaves some out.
    pub(super) fn window(&self, edge: usize, reach: usize) -> Vec<Option<usize>> {
        let is_shown =
            |it: usize| it <= edge || it + edge > self.page_count || it.abs_diff(self.page) <= reach;
        let mut numbers: Vec<Option<usize>> =
            (1..=self.page_count).map(|it| Some(it).filter(|&it| is_shown(it))).collect();
        numbers.dedup();
        numbers
    }

    pub(super) fn next(&self) -> Option<String> {
        (self.page < self.page_count).then(|| (self.address)(self.page + 1))
    }

    pub(super) fn previous(&self) -> Option<String> {
        (self.page > 1).then(|| (self.address)(self.page - 1))
    }

    pub(super) fn last(&self) -> String {
        (self.address)(self.page_count)
    }
}

/// What all parts of one page need.
pub(super) struct Scene<'a> {
    pub(super) variant: &'a Variant,
    pub(super) boards: &'a [Board],
    /// The parameter that carries the session.
    pub(super) session_name: &'static str,
    /// Which page of the site is drawn: its sessions differ.
    pub(super) number: usize,
}

impl Scene<'_> {
    pub(super) fn words(&self) -> &'static Words {
        self.variant.words
    }

    /// An address as a link of the page has it.
    pub(super) fn href(&self, address: &str) -> String {
        if !self.variant.has_session {
            return address.replace('&', "&amp;");
        }
        let mut hash = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(self.number as u64 + 11);
        hash ^= hash >> 29;
        let session = format!("{}={hash:016x}{:016x}", self.session_name, hash.wrapping_mul(31));
        let (path, fragment) = address.split_once('#').unwrap_or((address, ""));
        let sign = if path.contains('?') { '&' } else { '?' };
        let fragment = if fragment.is_empty() { String::new() } else { format!("#{fragment}") };
        format!("{path}{sign}{session}{fragment}").replace('&', "&amp;")
    }

    /// Records with advertisements between them.
    pub(super) fn with_ads(&self, mut records: Vec<String>, ad: &str) -> String {
        if self.variant.has_ads {
            records.insert(1.min(records.len()), ad.to_owned());
            if records.len() > 4 {
                records.insert(4, ad.to_owned());
            }
        }
        records.concat()
    }
}

/// Software in imitation: how its addresses and pages are written.
pub(super) struct Engine {
    pub(super) name: &'static str,
    pub(super) session_name: &'static str,
    pub(super) board_address: fn(&Variant, &Board, usize) -> String,
    pub(super) thread_address: fn(&Variant, &Thread, usize) -> String,
    pub(super) front: fn(&Scene<'_>) -> String,
    pub(super) board: fn(&Scene<'_>, &Board, &[&Thread], &Around<'_>) -> String,
    pub(super) thread: fn(&Scene<'_>, &Board, &Thread, &[&Post], &Around<'_>) -> String,
    /// Whether boards show when exactly threads were active, not only how long ago.
    pub(super) has_exact_boards: bool,
    /// Whether posts show when exactly they were written.
    pub(super) has_exact_posts: bool,
}

/// A page and what is expected of it.
pub(super) struct Drawn {
    pub(super) url: Url,
    pub(super) html: String,
    pub(super) kind: &'static str,
    /// The times of its records to the minute; none where only how long ago is shown.
    pub(super) times: Option<Vec<String>>,
    pub(super) record_count: usize,
    pub(super) next: Option<Url>,
}

impl Drawn {
    pub(super) fn read(&self) -> Page {
        Page::read(&Source { html: self.html.as_bytes(), url: &self.url, fetched_s: Some(FETCHED_S) })
    }
}

fn boards() -> Vec<Board> {
    let mut random = 11_u64;
    let mut next = move |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let minus = |at: DateTime, minutes: usize| {
        at.checked_sub(jiff::Span::new().minutes(minutes as i64)).expect("in range")
    };
    let mut thread_id = 4_000;
    let boards = [("old mills", 42_usize), ("stone bridges", 7), ("quiet harbours", 3)];
    let mut boards: Vec<Board> = boards
        .into_iter()
        .enumerate()
        .map(|(at, (name, count))| {
            let mut last = minus(FETCHED, 50 + at * 100);
            let threads = (0..count).map(|index| {
                thread_id -= 1 + next(9);
                last = minus(last, 200 + next(900) + index * 60);
                let post_count = match (at, index) {
                    (0, 0) => 34,
                    (0, 1) => 10,
                    (0, 2) => 5,
                    _ => 1 + next(4),
                };
                let mut back = last;
                let mut posts: Vec<Post> = (0..post_count)
                    .map(|_| {
                        let at = back;
                        back = minus(back, 17 + next(3000));
                        let text: Vec<&str> = (0..12 + next(30)).map(|_| TEXT[next(TEXT.len())]).collect();
                        Post { id: 0, author: next(AUTHORS.len()), at, text: text.join(" "), index: 0 }
                    })
                    .collect();
                posts.reverse();
                let title: Vec<&str> = (0..3 + next(3)).map(|_| TEXT[next(TEXT.len())]).collect();
                Thread { id: thread_id, title: title.join(" "), posts }
            });
            Board { id: at + 2, name: name.to_owned(), threads: threads.collect() }
        })
        .collect();
    let all = boards.iter_mut().flat_map(|board| &mut board.threads);
    for (count, thread) in all.enumerate() {
        for (index, post) in thread.posts.iter_mut().enumerate() {
            (post.id, post.index) = (20_000 - count * 60 + index * 3, index);
        }
    }
    boards
}

/// Pages of a site: the front page, pages of boards and threads from first to last, and two that list nothing.
pub(super) fn draw(engine: &Engine, variant: &Variant) -> Vec<Drawn> {
    let boards = boards();
    let base = Url::parse("http://unseen.test/").expect("a fixed address");
    let absolute = |address: &str| base.join(address).expect("an address of an imitation");
    let mut drawn: Vec<Drawn> = Vec::new();
    let scene = |number: usize| Scene { variant, boards: &boards, session_name: engine.session_name, number };
    let plain =
        |url: Url, html: String, kind| Drawn { url, html, kind, times: None, record_count: 0, next: None };
    drawn.push(plain(base.clone(), (engine.front)(&scene(0)), "portal"));
    let shown = |at: DateTime| at.strftime("%Y-%m-%dT%H:%M").to_string();
    for (at, pages) in [(0, &[1, 2, 5, 9][..]), (1, &[1, 2]), (2, &[1])] {
        let board: &Board = &boards[at];
        for &page in pages {
            let address = |page: usize| (engine.board_address)(variant, board, page);
            let around = Around { page, page_count: board.page_count(), address: &address };
            let threads: Vec<&Thread> =
                board.threads.iter().skip((page - 1) * THREADS_A_PAGE).take(THREADS_A_PAGE).collect();
            let html = (engine.board)(&scene(drawn.len()), board, &threads, &around);
            drawn.push(Drawn {
                url: absolute(&address(page)),
                html,
                kind: "index",
                times: engine
                    .has_exact_boards
                    .then(|| threads.iter().map(|it| shown(it.last().at)).collect()),
                record_count: threads.len(),
                next: around.next().map(|it| absolute(&it)),
            });
        }
    }
    let singles = |at: usize| (3..6).map(move |index| (at, index, &[1][..]));
    let threads = [(0, 0, &[1, 2, 4, 8, 9][..]), (0, 1, &[1, 2, 3]), (0, 2, &[1, 2])];
    for (at, index, pages) in threads.into_iter().chain(singles(0)).chain(singles(1)) {
        let (board, thread): (&Board, &Thread) = (&boards[at], &boards[at].threads[index]);
        for &page in pages {
            let address = |page: usize| (engine.thread_address)(variant, thread, page);
            let around = Around { page, page_count: thread.page_count(), address: &address };
            let posts: Vec<&Post> =
                thread.posts.iter().skip((page - 1) * POSTS_A_PAGE).take(POSTS_A_PAGE).collect();
            let html = (engine.thread)(&scene(drawn.len()), board, thread, &posts, &around);
            drawn.push(Drawn {
                url: absolute(&address(page)),
                html,
                kind: "post",
                times: engine.has_exact_posts.then(|| posts.iter().map(|it| shown(it.at)).collect()),
                record_count: posts.len(),
                next: around.next().map(|it| absolute(&it)),
            });
        }
    }
    drawn
}

/// Three pages of a site, in several choices: what a small sample happens to hold.
pub(super) fn triples(drawn: &[Drawn]) -> Vec<[usize; 3]> {
    let of = |kind: &str| -> Vec<usize> { (0..drawn.len()).filter(|&at| drawn[at].kind == kind).collect() };
    let (boards, posts) = (of("index"), of("post"));
    vec![
        [boards[0], posts[0], posts[2]],
        [boards[1], posts[1], posts[10]],
        [posts[0], posts[4], posts[6]],
        [0, boards[0], posts[0]],
        [boards[0], boards[2], posts[5]],
        // Later pages only, of one thread and of several.
        [boards[1], posts[1], posts[2]],
        [posts[2], posts[4], posts[6]],
    ]
}
