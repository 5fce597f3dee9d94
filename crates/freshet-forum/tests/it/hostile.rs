//! Whatever a page is, reading it ends, does not panic, and says what it did not read.

use freshet_forum::inspect::inspect;
use freshet_forum::learn::learn;
use freshet_forum::page::{Page, Source};
use freshet_forum::time::{Reader, scan};
use proptest::prelude::*;
use url::Url;

fn page(html: &[u8], address: &str) -> Page {
    let url = Url::parse(address).expect("a fixed address");
    Page::read(&Source { html, url: &url, fetched_s: Some(1_753_012_800) })
}

fn run(html: &[u8]) {
    let pages = [page(html, "http://forum.test/a/1"), page(html, "http://forum.test/a/2?page=2")];
    let learned = learn(&pages);
    for page in &pages {
        let reading = inspect(page, &learned.definition);
        assert!(reading.records.len() <= freshet_forum::record::RECORDS_MAX + 1);
    }
    let text = learned.definition.to_toml();
    let reread = freshet_forum::definition::ForumDefinition::parse(&text)
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(reread, learned.definition);
}

#[test]
fn broken_pages_are_read_as_far_as_possible() {
    for html in [
        &b""[..],
        b"\0\x01\x02\xff\xfe",
        b"<table><tr><td><table><tr>",
        b"<a href='http://[::1'>x</a><a href='//'>y</a><a href='?page=99999999999999999999'>2</a>",
        b"<time datetime='9999-99-99T99:99:99+99:99'>99/99/9999 99:99</time>",
    ] {
        run(html);
    }
    let deep = "<div><ul><li>1 May 2020 10:00".repeat(5_000);
    run(deep.as_bytes());
    let wide = "<p><a href=/t/1>title</a> 1 May 2020 10:00</p>".repeat(30_000);
    run(wide.as_bytes());
}

#[test]
fn a_folder_without_lists_says_why() {
    let why = |pages: &[Page]| learn(pages).report.doubts.join(" ");
    assert!(why(&[]).contains("there are no pages"));
    assert!(why(&[page(b"<p>x", "http://a.test/")]).contains("nearly empty"));
    let wall = format!("<form>{}</form>", "<div><label>Name</label><input></div>".repeat(20));
    assert!(why(&[page(wall.as_bytes(), "http://a.test/")]).contains("no page shows a time"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        run(&bytes);
    }

    #[test]
    fn arbitrary_markup_is_read(parts in proptest::collection::vec(
        prop::sample::select(vec![
            "<div class=a>", "</div>", "<table>", "<tr>", "<td>", "</table>", "<a href='?page=2'>2</a>", "<a href='/t/5-x#p3'>title here</a>",
            "<li id=p17>", "<span title='3 May 2020 10:00'>", "</span>", "1 May 2020 10:00", "Today, 10:00", "05/06/2020 1:00 pm",
            "<br>", "<time datetime='2020-05-01T10:00:00Z'>x</time>", "text & more", "</p>", "<a rel=next href='/t/5?p=3'>next</a>", "<b>",
        ]), 0..120)) {
        run(parts.concat().as_bytes());
    }

    #[test]
    fn arbitrary_text_is_scanned(text in "[ -~а-яぁ-ん年月日0-9:/.,-]{0,80}") {
        for (range, written) in scan(&text) {
            prop_assert!(text.get(range).is_some());
            let _ = Reader { fetched_s: Some(i64::MAX / 2), ..Reader::default() }.read(&written);
            let _ = Reader { fetched_s: Some(0), ..Reader::default() }.read(&written);
        }
    }
}
