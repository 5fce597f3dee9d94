//! A forum that never says its zone: a busy one is learned with its offset, a quiet one without.

use freshet_forum::inspect::inspect;
use freshet_forum::learn::learn;
use freshet_forum::page::{Page, Source};
use freshet_forum::time::Zone;
use url::Url;

use crate::invented::FETCHED_S;

const THREADS: i64 = 30;
const POSTS: i64 = 300;
const BOARDS: i64 = 2;

/// A forum with a post every `pace_min` minutes up to now, spread over its threads, each page fetched at once.
struct Forum {
    offset_s: i64,
    pace_min: i64,
}

impl Forum {
    fn posted_s(&self, post: i64) -> i64 {
        // Two minutes ago, and to the minute, as it is shown.
        (FETCHED_S - (2 + post * self.pace_min) * 60).div_euclid(60) * 60
    }

    fn shown(&self, post: i64) -> String {
        let local = jiff::Timestamp::from_second(self.posted_s(post) + self.offset_s).expect("in range");
        local.strftime("%d %b %Y, %H:%M").to_string()
    }

    /// Post 0 is the newest; thread `t` has the posts `t`, `t + THREADS` and so on.
    fn thread(&self, thread: i64) -> String {
        let posts: Vec<i64> = (0..POSTS).filter(|post| post % THREADS == thread).rev().collect();
        let rows: Vec<String> = posts
            .iter()
            .map(|post| {
                let (id, author, time) = (1_000 - post, post % 7, self.shown(*post));
                format!(
                    "<div class=post id=p{id}><a class=who href='/user/u{author}'>name{author}</a><span class=when>{time}</span><p>what number {id} says about the river and the mill</p></div>"
                )
            })
            .collect();
        format!(
            "<nav><a href='/b/{}'>board</a></nav><div class=posts>{}</div>",
            thread % BOARDS,
            rows.concat()
        )
    }

    fn board(&self, board: i64) -> String {
        let row = |thread: i64| {
            format!(
                "<li class=thread><a class=title href='/t/{thread}'>the tale of stone {thread}</a><span class=last>{}</span></li>",
                self.shown(thread)
            )
        };
        let rows: Vec<String> = (0..THREADS).filter(|thread| thread % BOARDS == board).map(row).collect();
        format!("<nav><a href='/'>all</a></nav><ul class=threads>{}</ul>", rows.concat())
    }

    fn pages(&self) -> Vec<Page> {
        let portal = |board: i64| format!("<h2><a href='/b/{board}'>board {board}</a></h2>");
        let portal: Vec<String> = (0..BOARDS).map(portal).collect();
        let boards = (0..BOARDS).map(|it| (format!("/b/{it}"), self.board(it)));
        let threads = (0..THREADS).map(|it| (format!("/t/{it}"), self.thread(it)));
        let base = Url::parse("http://zone.test/").expect("a fixed address");
        let read = |(path, html): (String, String)| {
            let url = base.join(&path).expect("a path of our own");
            Page::read(&Source { html: html.as_bytes(), url: &url, fetched_s: Some(FETCHED_S) })
        };
        std::iter::once(("/".to_owned(), portal.concat())).chain(boards).chain(threads).map(read).collect()
    }
}

#[test]
fn a_busy_forum_is_learned_with_its_offset() {
    let forum = Forum { offset_s: 19_800, pace_min: 6 };
    let pages = forum.pages();
    let learned = learn(&pages);
    let times = learned.definition.times;
    assert_eq!(times.offset_s, Some(19_800), "{}", learned.report);
    assert!(times.offset_certainty.is_some_and(|it| (0.9..=1.0).contains(&it)), "{times:?}");
    assert!(learned.report.times.contains("+19800 seconds"), "{}", learned.report.times);
    let newest = inspect(&pages[1 + BOARDS as usize], &learned.definition).records.pop().expect("a post");
    assert_eq!((newest.time, newest.zone), (Some(forum.posted_s(0)), Some(Zone::Estimated)), "{newest:?}");
}

#[test]
fn a_quiet_forum_is_learned_without() {
    let forum = Forum { offset_s: 19_800, pace_min: 400 };
    let learned = learn(&forum.pages());
    assert_eq!((learned.definition.times.offset_s, learned.definition.times.offset_certainty), (None, None));
    assert!(learned.report.times.contains("Greenwich is assumed"), "{}", learned.report.times);
}
