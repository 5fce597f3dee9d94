//! Pagers as forums draw them, and their traps.

use url::Url;

use super::*;
use crate::page::Source;

fn check(address: &str, html: &str, expected: (&str, &str, &str)) -> Pager {
    let base = Url::parse("http://forum.test/").unwrap();
    let url = base.join(address).unwrap();
    let page = Page::read(&Source { html: html.as_bytes(), url: &url, fetched_s: None });
    let slots: Vec<Slot> = evidence(&page)
        .into_iter()
        .filter(|(_, it)| *it >= Evidence::Numbers)
        .map(|(slot, _)| slot)
        .collect();
    let pager = pager(&page, &slots, has_head_relation(&page));
    let short = |url: &Option<String>| {
        url.as_deref().unwrap_or("-").trim_start_matches("http://forum.test").to_owned()
    };
    let found = (short(&pager.next), short(&pager.previous), short(&pager.last));
    assert_eq!((found.0.as_str(), found.1.as_str(), found.2.as_str()), expected, "{address}: {html}");
    pager
}

#[test]
fn pagers_of_many_kinds() {
    let numbers =
        "<a href='?f=4'>1</a> <b>2</b> <a href='?f=4&start=50'>3</a> … <a href='?f=4&start=650'>27</a>";
    check("/v.php?f=4&start=25", numbers, ("/v.php?f=4&start=50", "/v.php?f=4", "/v.php?f=4&start=650"));
    let words =
        "<a href='/t/a.1/page-2'>2</a><a href='/t/a.1/page-3'>3</a><a href='/t/a.1/page-2'>Suivant »</a>";
    check("/t/a.1/", words, ("/t/a.1/page-2", "-", "/t/a.1/page-3"));
    let icons = "<a href='?page=1'><i class='fa fa-chevron-left'></i></a><a href='?page=1'>1</a><a href='?page=2'>2</a>";
    check("/b/?page=2", icons, ("-", "/b/?page=1", "-"));
    let tail = "<a href='?topic=9.0'>1</a><a href='?topic=9.15'>2</a><a href='?topic=9.30'>3</a>";
    check("/i.php?topic=9.15", tail, ("/i.php?topic=9.30", "/i.php?topic=9.0", "/i.php?topic=9.30"));
    let first =
        "<a href='?page=1'>1</a> <a href='?page=2'>2</a> <a href='?page=3'>3</a> <a href='?page=2'>»</a>";
    check("/b/", first, ("/b/?page=2", "-", "/b/?page=3"));
    check("/b/", "<a href='/c/?page=2'>2</a> <a href='?sort=asc'>Next</a>", ("-", "-", "-"));
}

#[test]
fn rows_of_numbers_tell_what_addresses_do_not() {
    let row = "<b>Pages:</b> <a href='?t=12&start=0'>1</a>, <b>2</b>, <a href='?t=12&start=30'>3</a>";
    check("/v.php?p=456", row, ("/v.php?t=12&start=30", "/v.php?t=12&start=0", "/v.php?t=12&start=30"));
    let beside = "[1] <a href='?f=2&days=0&start=50'>2</a> <a href='?f=2&days=0&start=100'>3</a>";
    check("/v.php?f=2", beside, ("/v.php?f=2&days=0&start=50", "-", "/v.php?f=2&days=0&start=100"));
    let arrows = "<a href='?page=1'>‹</a> <a href='?page=3'>›</a>";
    check("/b?page=2", arrows, ("/b?page=3", "/b?page=1", "-"));
    // Page numbers of a thread in its row of a board.
    let threads =
        "<td>5</td><td><a href='/t?id=7'>x</a> <a href='/t?id=7&p=2'>2</a> <a href='/t?id=7&p=3'>3</a></td>";
    check("/b?id=7", threads, ("-", "-", "-"));
}

#[test]
fn pages_are_not_skipped_and_lists_not_cut_in_silence() {
    let far = "<p><b>1</b> … <a href='?page=8'>8</a> <a href='?page=9'>9</a></p>";
    let pager = check("/b?page=1", far, ("-", "-", "-"));
    assert!(pager.is_broken_off && pager.complaints[0].contains("page 1 of 9"), "{pager:?}");
    let pager = check("/b", "<p>Seite 1 von 4</p>", ("-", "-", "-"));
    assert!(pager.is_broken_off, "{pager:?}");
    let pager = check("/b", "<p>Page 4 of 4</p>", ("-", "-", "-"));
    assert!(!pager.is_broken_off, "{pager:?}");
}

#[test]
fn the_head_is_believed_and_the_traps_are_not() {
    let wrong =
        "<head><link rel=next href='?start=585'></head><a href='?page=2'>2</a><a href='?page=2'>Next</a>";
    check("/c/3/?start=763", wrong, ("/c/3/?start=585", "-", "-"));
    let session = "<a href='?t=1&page=2&sid=44ef6b8926694d2b544dcb8caaedcf22'>2</a><a href='?t=1&page=2&sid=44ef6b8926694d2b544dcb8caaedcf22'>Next</a>";
    check("/v?t=1&sid=00ff6b8926694d2b544dcb8caaedcf22", session, ("/v?t=1&page=2", "-", "/v?t=1&page=2"));
    let back = "<a href='?page=1'>1</a> <a href='?page=2'>2</a> <b>3</b> <a href='?page=1'>Next</a>";
    let pager = check("/b?page=3", back, ("-", "/b?page=2", "-"));
    assert!(pager.complaints[0].contains("leads back"), "{pager:?}");
    let threads = "<a href='/v.php?t=8'>‹ previous thread</a> <a href='/v.php?t=12'>next thread ›</a>";
    check("/v.php?t=9", threads, ("-", "-", "-"));
}
