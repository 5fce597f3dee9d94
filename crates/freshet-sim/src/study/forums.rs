//! Forums: the experiments of the list-wise paper on five forums, with freshet beside its policies.
//!
//! Every run starts at the portal and lasts a year, of which the last 90 days count (the paper's section 4.5); the year itself is
//! its figure 6, three bandwidths are its figure 7, index and post lists apart its table 3, how long threads live its figure 5. The engine
//! crawls shorter stretches of the same forums, beside the policy that it goes by. One page, ten plots.

mod floors;
mod live;
mod runs;
mod tables;

use freshet_types::Timestamp;

use super::StudyError;
use super::page::Page;
use super::traces::{BITCOIN, Date, GIT, LEAN, R_LISTS, SLICER, Traces, midnight};
use crate::forum::{History, Setup, draw};
use crate::plot::{Plot, Scale};
use runs::Site;

/// Days from the portal on, and the last of them, which count.
const DAYS: u32 = 365;
const EVAL_DAYS: u32 = 90;
/// Records a page shows.
const PAGE_SIZE: u32 = 20;

/// Name, trace, boards of it that are left out, first day, pages a day.
type SiteRow = (&'static str, &'static str, &'static [u64], Date, [f64; 3]);

/// Of the R lists the largest lacks whole months, and so would its archive.
const SITES: [SiteRow; 5] = [
    ("b1", LEAN, &[], (2021, 1, 1), [500.0, 1000.0, 3000.0]),
    ("b2", BITCOIN, &[], (2020, 1, 1), [300.0, 1000.0, 3000.0]),
    ("b3", GIT, &[], (2012, 1, 1), [300.0, 1000.0, 3000.0]),
    ("b4", R_LISTS, &[1], (2010, 1, 1), [500.0, 1000.0, 3000.0]),
    ("b8", SLICER, &[], (2022, 1, 1), [300.0, 1000.0, 3000.0]),
];

/// The site of the plots, and the bandwidths of the year's.
const SHOWN: usize = 4;
const SHOWN_WIDTHS: [f64; 2] = [1000.0, 3000.0];
/// Policies of the plots: as many as can be told apart.
const PLOTTED: [&str; 8] =
    ["bound-based", "curve-fitting", "lws", "lws+bc", "lws+gap", "lws+rank", "freshet", "oracle"];

pub(super) fn run(traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let mut page = Page::new("forums", "Forums");
    introduce(&mut page);
    let (mut sites, mut histories) = (Vec::new(), Vec::new());
    for (name, trace, without, date, bandwidths) in SITES {
        let setup = Setup {
            start: midnight(date),
            days: DAYS,
            eval_days: EVAL_DAYS,
            pages_per_day: 0.0,
            page_size: PAGE_SIZE,
        };
        let history = traces.forum_without(trace, Timestamp::from_secs(setup.end_s() as i64), without)?;
        // A study runs once in a process.
        let history: &'static History = Box::leak(Box::new(history));
        sites.push(Site::run(name, history, setup, &bandwidths)?);
        histories.push((history, setup));
    }
    tables::summary(&mut page, &sites);
    live::compare(&mut page, traces)?;
    tables::why(&mut page, &sites);
    for site in &sites {
        tables::site(&mut page, site);
    }
    let scored: Vec<_> = sites.iter().zip(&histories).map(|(site, it)| (site, it.0, it.1)).collect();
    floors::compare_floors(&mut page, traces, &scored)?;
    tables::models(&mut page, &sites);
    plots(&mut page, &sites);
    Ok(vec![page])
}

fn introduce(page: &mut Page) {
    page.text(&format!(
        "Yang et al. (KDD 2009) let policies fetch a forum from its portal on, for a year, at so many pages a day, and measure the last \
         {EVAL_DAYS} days. Here the forums are five recorded histories: b1 a Zulip community of 2021 (many boards, threads that are chats), b2 the issues and \
         pull requests of a project on GitHub of 2020 (two boards), b3 a mailing list of 2012 (one board), b4 six mailing lists of 2010 (a board each; a seventh, the largest, of which months are missing, is left out), b8 a Discourse forum of 2022 (one board). `freshet simulate --forum` makes the same comparison on any \
         other history. Pages show {PAGE_SIZE} records; index lists by last \
         activity with the number of posts of each thread, post lists oldest first; pages are fetched one by one at an even pace."
    ));
    page.text(
        "**BU** is bandwidth utilisation (equation 4): pages with a new thread (index lists) or a new post (post lists), of all pages \
         fetched. **Cov** is coverage (5): threads discovered, posts downloaded, of all there are, mean over the days. **T** is timeliness (6) in \
         minutes: from being made to being downloaded, over what was downloaded in these days and made since the start. T leaves \
         out what was never fetched; **T all** does not: over all that was made in these days, what was not fetched waits until the end.",
    );
    page.text(
        "`bound-based` and `curve-fitting` (Olston 2008) treat every page for itself; `lws` ranks lists by the records expected by the paper's regression; \
         `lws+bc` shares the bandwidth between index and post lists by the paper's ratio rule; `lws+gap` is `lws+bc` with F = max(mean gap, silence so far) instead of the \
         regression; `lws+choice` and `lws+rank` are `lws+bc` with the model that wins a backtest on the site, by deviance and by ranking; `freshet` fetches the page with the highest critical price; \
         `freshet+bc` is the same with the ratio rule instead of the price; `oracle` knows every post and fetches the page with the most.",
    );
}

/// The paper's figures 5, 6 and 7.
fn plots(page: &mut Page, sites: &[Site]) {
    page.section("How long threads are active");
    page.text(
        "The paper's figure 5: the share of threads whose last post came no longer than so many days after their first. In the paper two fifths of the threads are over \
         after a day, and 70 % after three.",
    );
    let line = |site: &Site| (site.name.to_owned(), site.lives.clone());
    let lives = sites.iter().map(line).collect();
    let (x, y) = (("days", Scale::Logarithmic), ("share of threads", Scale::Linear));
    page.plot("forums-activity", &Plot { title: "Threads that are over", x, y, lines: lives });
    let Some(site) = sites.get(SHOWN) else { return };
    for width in SHOWN_WIDTHS {
        page.section(&format!("A year from the portal on, at {width} pages a day"));
        page.text(&format!(
            "The paper's figure 6 on {}, means of {} days. While the archive is mirrored nearly every page is new; after that the policies part.",
            site.name,
            draw::DAYS_PER_POINT
        ));
        for (name, plot) in draw::by_day(&site.shown(&PLOTTED, Some(width))) {
            page.plot(&format!("forums-{name}-{width}"), &plot);
        }
    }
    page.section("By bandwidth");
    page.text(&format!("The paper's figure 7, on {}, up to its 3000 pages a day.", site.name));
    for (name, plot) in draw::by_bandwidth(&site.shown(&PLOTTED, None)) {
        page.plot(&format!("forums-{name}"), &plot);
    }
}
