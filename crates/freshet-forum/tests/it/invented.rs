//! An invented forum: boards, threads and posts with known times, drawn by a layout into pages with known answers.
//!
//! A layout draws three kinds of page and says how times and addresses look; [`Forum::pages`] draws a whole site with it. What is
//! expected of mining follows from the same numbers.

use freshet_forum::page::{Page, Source};
use jiff::civil::DateTime;
use url::Url;

/// When the pages are fetched: Sunday, 20 July 2025, 12:00 UTC.
pub(crate) const FETCHED_S: i64 = 1_753_012_800;
const AUTHORS: [&str; 5] = ["ada", "brook", "cyril", "dana", "emil"];
const WORDS: [&str; 12] = [
    "river", "mill", "about", "stone", "because", "lantern", "under", "seven", "quiet", "copper", "without",
    "meadow",
];

/// One post.
#[derive(Clone, Debug)]
pub(crate) struct Post {
    pub(crate) id: usize,
    pub(crate) author: &'static str,
    pub(crate) at: DateTime,
    pub(crate) text: String,
}

/// One thread.
#[derive(Clone, Debug)]
pub(crate) struct Thread {
    pub(crate) id: usize,
    pub(crate) title: String,
    pub(crate) posts: Vec<Post>,
}

impl Thread {
    pub(crate) fn last(&self) -> &Post {
        self.posts.last().expect("a thread has a post")
    }
}

/// One board.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    pub(crate) id: usize,
    pub(crate) name: String,
    pub(crate) threads: Vec<Thread>,
}

/// What a page is drawn from: its records, and the addresses of the pages around it.
pub(crate) struct Around {
    pub(crate) page: usize,
    pub(crate) page_count: usize,
    pub(crate) address: Box<dyn Fn(usize) -> String>,
}

/// How a forum looks.
pub(crate) trait Look {
    fn board_address(&self, board: &Board, page: usize) -> String;
    fn thread_address(&self, thread: &Thread, page: usize) -> String;
    fn portal(&self, boards: &[Board]) -> String;
    fn board(&self, board: &Board, threads: &[&Thread], around: &Around) -> String;
    fn thread(&self, board: &Board, thread: &Thread, posts: &[&Post], around: &Around) -> String;
    /// Whether every page of a thread shows its opening post again.
    fn repeats_opening(&self) -> bool {
        false
    }
    fn is_newest_first(&self) -> bool {
        false
    }
    /// How exactly times are shown: a format of the expected text.
    fn shown(&self) -> &'static str {
        "%Y-%m-%dT%H:%M"
    }
}

/// A page and what is expected of it.
pub(crate) struct Drawn {
    pub(crate) url: Url,
    pub(crate) html: String,
    pub(crate) kind: &'static str,
    pub(crate) times: Vec<String>,
    pub(crate) next: Option<String>,
}

pub(crate) const THREADS_A_PAGE: usize = 6;
pub(crate) const POSTS_A_PAGE: usize = 4;

/// Three boards with threads of one to eleven posts.
pub(crate) fn boards() -> Vec<Board> {
    let mut random = 7_u64;
    let mut next = move |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    let mut post_id = 100;
    (1..=3)
        .map(|board| {
            let mut threads: Vec<Thread> = (0..9)
                .map(|thread| {
                    let mut at = DateTime::constant(
                        2024,
                        1 + (thread % 9) as i8,
                        1 + next(27) as i8,
                        next(24) as i8,
                        next(60) as i8,
                        0,
                        0,
                    );
                    let count = [1, 11, 3, 5, 2, 9, 1, 4, 6][thread];
                    let posts = (0..count)
                        .map(|_| {
                            post_id += 1 + next(3);
                            at = at
                                .checked_add(jiff::Span::new().minutes((11 + next(4000)) as i64))
                                .expect("in range");
                            let text: Vec<&str> =
                                (0..12 + next(30)).map(|_| WORDS[next(WORDS.len())]).collect();
                            Post {
                                id: post_id,
                                author: AUTHORS[next(AUTHORS.len())],
                                at,
                                text: text.join(" "),
                            }
                        })
                        .collect();
                    let title: Vec<&str> = (0..3 + next(3)).map(|_| WORDS[next(WORDS.len())]).collect();
                    Thread { id: board * 100 + thread * 7 + 3, title: title.join(" "), posts }
                })
                .collect();
            threads.sort_by_key(|thread| std::cmp::Reverse(thread.last().at));
            Board { id: board, name: format!("board of {}", WORDS[board]), threads }
        })
        .collect()
}

/// Draws a whole site.
pub(crate) fn draw(look: &dyn Look) -> Vec<Drawn> {
    let boards = boards();
    let base = Url::parse("http://invented.test/").expect("a fixed address");
    let absolute = |address: String| base.join(&address).expect("a layout's address");
    let mut drawn = vec![Drawn {
        url: base.clone(),
        html: look.portal(&boards),
        kind: "portal",
        times: Vec::new(),
        next: None,
    }];
    let shown = |at: DateTime| at.strftime(look.shown()).to_string();
    for board in &boards {
        let page_count = board.threads.len().div_ceil(THREADS_A_PAGE);
        for page in 1..=page_count {
            let threads: Vec<&Thread> =
                board.threads.iter().skip((page - 1) * THREADS_A_PAGE).take(THREADS_A_PAGE).collect();
            let addresses: Vec<String> =
                (1..=page_count).map(|page| look.board_address(board, page)).collect();
            let around = around(page, addresses.clone());
            drawn.push(Drawn {
                url: absolute(look.board_address(board, page)),
                html: look.board(board, &threads, &around),
                kind: "index",
                times: threads.iter().map(|thread| shown(thread.last().at)).collect(),
                next: addresses.get(page).map(|it| absolute(it.clone()).into()),
            });
        }
        for thread in &board.threads {
            drawn.extend(draw_thread(look, board, thread, &absolute));
        }
    }
    drawn
}

fn draw_thread(
    look: &dyn Look,
    board: &Board,
    thread: &Thread,
    absolute: &dyn Fn(String) -> Url,
) -> Vec<Drawn> {
    let mut posts: Vec<&Post> = thread.posts.iter().collect();
    if look.is_newest_first() {
        posts.reverse();
    }
    let opening = if look.repeats_opening() { Some(posts.remove(0)) } else { None };
    let page_count = posts.len().div_ceil(POSTS_A_PAGE).max(1);
    let addresses: Vec<String> = (1..=page_count).map(|page| look.thread_address(thread, page)).collect();
    (1..=page_count)
        .map(|page| {
            let shown: Vec<&Post> =
                posts.iter().copied().skip((page - 1) * POSTS_A_PAGE).take(POSTS_A_PAGE).collect();
            let times = opening.into_iter().chain(shown.iter().copied());
            Drawn {
                url: absolute(addresses[page - 1].clone()),
                html: look.thread(board, thread, &shown, &around(page, addresses.clone())),
                kind: "post",
                times: times.map(|post| post.at.strftime(look.shown()).to_string()).collect(),
                next: addresses.get(page).map(|it| absolute(it.clone()).into()),
            }
        })
        .collect()
}

fn around(page: usize, addresses: Vec<String>) -> Around {
    Around { page, page_count: addresses.len(), address: Box::new(move |page| addresses[page - 1].clone()) }
}

/// Reads drawn pages.
pub(crate) fn read(drawn: &[Drawn]) -> Vec<Page> {
    drawn
        .iter()
        .map(|it| Page::read(&Source { html: it.html.as_bytes(), url: &it.url, fetched_s: Some(FETCHED_S) }))
        .collect()
}
