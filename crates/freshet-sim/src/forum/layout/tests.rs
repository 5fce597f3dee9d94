//! Mining learns every layout and reads back exactly the records that were written.

use freshet_forum::definition::PageKind;
use freshet_forum::inspect::inspect;
use freshet_forum::learn::learn;
use freshet_forum::page::{Page, Source};
use url::Url;

use super::super::{History, PostOrder, Site};
use super::*;

/// Three boards of twenty threads with one to forty posts, unevenly over two years.
fn history() -> History {
    let mut rows = Vec::new();
    for thread in 0..60_u32 {
        let from_s = 1_600_000_000 + i64::from(thread) * 800_000;
        let count = 1 + i64::from(thread * 7 % 40);
        rows.extend((0..count).map(|post| {
            let at_s = from_s + post * (3_601 + i64::from(thread) * 61) + post * post * 97;
            (thread % 3, thread, at_s, (thread + post as u32) % 17)
        }));
    }
    History::from_rows(rows)
}

/// Every page of the forum.
fn addresses(site: &Site<'_>) -> Vec<Address> {
    let lists = (0..3).map(|board| Address::Index { board, page: 1 });
    let lists = lists.chain((0..60).map(|thread| Address::Posts { thread, page: 1 }));
    let pages =
        lists.flat_map(|list| (1..=site.answer(list).page_count).map(move |page| list.turned_to(page)));
    std::iter::once(Address::Portal).chain(pages).collect()
}

/// Times that a page must show; to the minute where the layout shows no seconds.
fn expected(layout: Layout, sheet: &Sheet) -> (PageKind, Vec<i64>) {
    let step_s = if layout == Layout::Nested { 60 } else { 1 };
    let cut = |at_s: i64| at_s / step_s * step_s;
    match &sheet.rows {
        Rows::Boards(_) => (PageKind::Portal, Vec::new()),
        Rows::Threads(rows) => (PageKind::Index, rows.iter().map(|row| cut(row.last_s)).collect()),
        Rows::Posts(rows) => (PageKind::Post, rows.iter().map(|row| cut(row.at_s)).collect()),
    }
}

fn check(layout: Layout, order: PostOrder, page_size: u32) {
    let (history, now_s) = (history(), 1_700_000_000.0);
    let mut site = Site::new(&history, page_size, order);
    site.advance_to(now_s);
    let pages: Vec<(Page, Sheet, Address)> = addresses(&site)
        .into_iter()
        .map(|address| {
            let sheet = site.answer(address);
            let html = layout.write(address, &sheet, now_s);
            let url = Url::parse(&format!("http://forum.test{address}")).unwrap();
            let source = Source { html: html.as_bytes(), url: &url, fetched_s: Some(now_s as i64) };
            (Page::read(&source), sheet, address)
        })
        .collect();
    // Learned from every other page, asked about all.
    let sample: Vec<Page> = addresses(&site)
        .into_iter()
        .step_by(2)
        .map(|address| {
            let html = layout.write(address, &site.answer(address), now_s);
            let url = Url::parse(&format!("http://forum.test{address}")).unwrap();
            Page::read(&Source { html: html.as_bytes(), url: &url, fetched_s: Some(now_s as i64) })
        })
        .collect();
    let definition = learn(&sample).definition;
    for (page, sheet, address) in &pages {
        let reading = inspect(page, &definition);
        let (kind, times) = expected(layout, sheet);
        let case = format!("{} {order:?} {page_size} {address}", layout.name());
        assert_eq!(reading.kind, kind, "{case}");
        if kind != PageKind::Portal {
            let got: Vec<i64> = reading.records.iter().filter_map(|record| record.time).collect();
            assert_eq!(got, times, "{case}");
            let next = (address.page() < sheet.page_count)
                .then(|| format!("http://forum.test{}", address.turned_to(address.page() + 1)));
            assert_eq!(reading.next_url, next, "{case}");
        }
    }
}

#[test]
fn every_layout_is_learned_and_read_back() {
    for layout in Layout::ALL {
        check(layout, PostOrder::OldestFirst, 10);
        check(layout, PostOrder::NewestFirst, 13);
        assert_eq!(layout.name().parse(), Ok(layout));
    }
    assert!("baroque".parse::<Layout>().unwrap_err().contains("classic, nested and modern"));
}
