//! `forum`: what reading and learning a forum cost beside the bare parse of the same bytes.
//!
//! Pages come from the simulated forum in its three layouts. *Bare* is the tree builder alone (`tree::parse`), *inspect* is bytes to
//! records with a definition that is known, *learn* is bytes to a definition. Ratios are taken in one run; time is that of the processor, and the
//! best of some rounds counts, because other processes can only slow a round down.

use anyhow::Context as _;
use freshet_forum::inspect::inspect;
use freshet_forum::learn::learn;
use freshet_forum::page::{Page, Source};
use freshet_forum::tree;
use freshet_sim::forum::{Address, History, Layout, PostOrder, Site};
use serde_json::{Value, json};
use url::Url;

use crate::Scale;
use crate::timing::best;

/// Pages that learning is timed on; the most are also the pages of a layout.
const LEARN_COUNTS: [usize; 3] = [500, 1_000, 2_000];
const LEARN_COUNTS_SMALL: [usize; 3] = [10, 20, 40];
const ROUNDS: u32 = 3;
/// When the pages are fetched.
const NOW_S: f64 = 1_700_000_000.0;
const PAGE_SIZE: u32 = 20;

/// One page as bytes.
struct Saved {
    url: Url,
    html: String,
}

impl Saved {
    fn source(&self) -> Source<'_> {
        Source { html: self.html.as_bytes(), url: &self.url, fetched_s: Some(NOW_S as i64) }
    }
}

pub(crate) fn run(scale: Scale) -> anyhow::Result<Value> {
    let (counts, rounds) = scale.pick((LEARN_COUNTS, ROUNDS), (LEARN_COUNTS_SMALL, 1));
    let page_count = counts[2];
    let (mut inspect_least, mut learn_most, mut growth_most) = (f64::INFINITY, 0.0_f64, 0.0_f64);
    println!("{page_count} pages of each layout, {PAGE_SIZE} records a page, best of {rounds} rounds");
    println!("  layout     MB  bare MB/s  inspect MB/s  ratio   learn/bare at {counts:?}  growth");
    for layout in Layout::ALL {
        let pages = pages(layout, page_count)?;
        let megabytes = pages.iter().map(|page| page.html.len()).sum::<usize>() as f64 / 1e6;
        let bare_s = best(rounds, || pages.iter().map(|page| tree::parse(page.html.as_bytes()).len()).sum());
        let read: Vec<Page> = pages.iter().map(|page| Page::read(&page.source())).collect();
        let definition = learn(&read).definition;
        drop(read);
        let inspect_s = best(rounds, || {
            pages.iter().map(|page| inspect(&Page::read(&page.source()), &definition).records.len()).sum()
        });
        let learned_s = counts.map(|count| {
            best(rounds, || {
                let read: Vec<Page> = spread(&pages, count).map(|page| Page::read(&page.source())).collect();
                learn(&read).definition.page_count
            })
        });
        let bares_s = counts.map(|count| {
            best(rounds, || spread(&pages, count).map(|page| tree::parse(page.html.as_bytes()).len()).sum())
        });
        let ratio = bare_s / inspect_s;
        let costs: Vec<f64> =
            learned_s.iter().zip(bares_s).map(|(learned_s, bare_s)| learned_s / bare_s).collect();
        // Against n log n: what four times as many pages cost more than that.
        let (few, many) = (counts[0] as f64, counts[2] as f64);
        let growth = (learned_s[2] / learned_s[0]) / (many * many.ln() / (few * few.ln()));
        println!(
            "  {:<8} {megabytes:>5.1}  {:>9.1}  {:>12.1}  {ratio:>5.2}   {:>9.2} {:>9.2} {:>9.2}  {growth:>6.2}",
            layout.name(),
            megabytes / bare_s,
            megabytes / inspect_s,
            costs[0],
            costs[1],
            costs[2]
        );
        inspect_least = inspect_least.min(ratio);
        learn_most = learn_most.max(costs[2]);
        growth_most = growth_most.max(growth);
    }
    println!(
        "  goals: inspect at least 0.5 of bare, learn at most 3 times bare, growth at most 1 of n log n"
    );
    Ok(json!({
        "bench": "forum",
        "pages": page_count,
        "ratios": {"inspect": inspect_least, "learn": learn_most, "growth_of_n_log_n": growth_most},
    }))
}

/// So many of the pages, evenly.
fn spread(pages: &[Saved], count: usize) -> impl Iterator<Item = &Saved> {
    pages.iter().step_by(pages.len() / count).take(count)
}

/// The portal, all index pages, and post pages up to the number.
fn pages(layout: Layout, page_count: usize) -> anyhow::Result<Vec<Saved>> {
    let history = history();
    let mut site = Site::new(&history, PAGE_SIZE, PostOrder::OldestFirst);
    site.advance_to(NOW_S);
    let boards = (0..history.board_count).map(|board| Address::Index { board, page: 1 });
    let threads = (0..history.thread_count() as u32).map(|thread| Address::Posts { thread, page: 1 });
    let lists = std::iter::once(Address::Portal).chain(boards).chain(threads);
    let all = lists.flat_map(|list| (1..=site.answer(list).page_count).map(move |page| list.turned_to(page)));
    let saved = all.take(page_count).map(|address| {
        let url = Url::parse(&format!("http://forum.test{address}")).context("an address of our own")?;
        Ok(Saved { url, html: layout.write(address, &site.answer(address), NOW_S) })
    });
    saved.collect()
}

/// Eight boards, threads of 1 to 60 posts.
fn history() -> History {
    let mut rows = Vec::new();
    for thread in 0..1_600_u32 {
        let from_s = 1_600_000_000 + i64::from(thread) * 50_000;
        rows.extend((0..=i64::from(thread * 7 % 60)).map(|post| {
            (
                thread % 8,
                thread,
                from_s + post * (3_601 + i64::from(thread % 50) * 61),
                (thread + post as u32) % 97,
            )
        }));
    }
    History::from_rows(rows)
}
