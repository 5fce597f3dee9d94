//! Invented forums in many layouts and languages are learned and read without a mistake.

mod articles;
mod languages;
mod style;
mod tables;

use freshet_forum::inspect::inspect;
use freshet_forum::learn::learn;

use crate::invented::{draw, read};
use articles::{articles, questions, titles_only};
use languages::{german, japanese, russian};
use style::Style;
use tables::{bare_tables, numbered_replies};

fn check(style: &Style) {
    let drawn = draw(style);
    let pages = read(&drawn);
    let learned = learn(&pages);
    let mut wrong = Vec::new();
    for (page, expected) in pages.iter().zip(&drawn) {
        let reading = inspect(page, &learned.definition);
        let times: Vec<String> =
            reading.records.iter().map(|it| it.local.clone().unwrap_or_default()).collect();
        let is_timed = expected.kind == "post" || (expected.kind == "index" && style.shows_board_times);
        if reading.kind.name() != expected.kind {
            wrong.push(format!("{} is {}, not {}", expected.url, reading.kind.name(), expected.kind));
        } else if is_timed && times != expected.times {
            wrong.push(format!("{} has {times:?}, not {:?}", expected.url, expected.times));
        } else if reading.next_url != expected.next {
            wrong
                .push(format!("{} goes on at {:?}, not {:?}", expected.url, reading.next_url, expected.next));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}: {} of {} wrong\n{}\n{}\n{}",
        style.name,
        wrong.len(),
        drawn.len(),
        wrong[..wrong.len().min(6)].join("\n"),
        learned.report,
        learned.definition.to_toml()
    );
}

#[test]
fn bare_tables_are_read() {
    check(&bare_tables());
}

#[test]
fn numbered_replies_are_read() {
    check(&numbered_replies());
}

#[test]
fn articles_are_read() {
    check(&articles());
}

#[test]
fn german_forums_are_read() {
    check(&german());
}

#[test]
fn japanese_forums_are_read() {
    check(&japanese());
}

#[test]
fn questions_apart_from_their_answers_are_read() {
    check(&questions());
}

#[test]
fn boards_without_times_are_read() {
    check(&titles_only());
}

#[test]
fn russian_forums_are_read() {
    check(&russian());
}
