//! Forums: the experiments of the list-wise paper on three forums, with freshet beside its policies.
//!
//! Every run starts at the portal and lasts a year, of which the last 90 days count (the paper's section 4.5); the year itself is
//! its figure 6, three bandwidths are its figure 7, index and post lists apart its table 3. The engine crawls shorter stretches
//! of the same forums, beside the policy that it goes by. One page, six plots.

mod live;
mod runs;
mod tables;

use freshet_types::Timestamp;

use super::StudyError;
use super::page::Page;
use super::traces::{Date, GIT, LEAN, SLICER, Traces, midnight};
use crate::forum::Setup;
use crate::plot::{Plot, Scale};
use runs::Site;

/// Days from the portal on, and the last of them, which count.
const DAYS: u32 = 365;
const EVAL_DAYS: u32 = 90;
/// Records a page shows.
const PAGE_SIZE: u32 = 20;
/// Days that one point of the year's plots is the mean of.
const DAYS_PER_POINT: usize = 7;

/// Name, trace, first day, pages a day.
const SITES: [(&str, &str, Date, [f64; 3]); 3] = [
    ("b1", LEAN, (2021, 1, 1), [500.0, 1000.0, 3000.0]),
    ("b3", GIT, (2012, 1, 1), [300.0, 1000.0, 3000.0]),
    ("b8", SLICER, (2022, 1, 1), [300.0, 1000.0, 3000.0]),
];

/// The site and the bandwidth of the year's plots.
const SHOWN: (usize, usize) = (2, 1);

pub(super) fn run(traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let mut page = Page::new("forums", "Forums");
    introduce(&mut page);
    let mut sites = Vec::new();
    for (name, trace, date, bandwidths) in SITES {
        let setup = Setup {
            start: midnight(date),
            days: DAYS,
            eval_days: EVAL_DAYS,
            pages_per_day: 0.0,
            page_size: PAGE_SIZE,
        };
        let history = traces.forum(trace, Timestamp::from_secs(setup.end_s() as i64))?;
        sites.push(Site::run(name, &history, setup, &bandwidths));
    }
    tables::summary(&mut page, &sites);
    live::compare(&mut page, traces)?;
    tables::why(&mut page, &sites);
    for site in &sites {
        tables::site(&mut page, site);
    }
    tables::models(&mut page, &sites);
    plots(&mut page, &sites);
    Ok(vec![page])
}

fn introduce(page: &mut Page) {
    page.text(&format!(
        "Yang et al. (KDD 2009) let policies fetch a forum from its portal on, for a year, at so many pages a day, and measure the last \
         {EVAL_DAYS} days. Here the forums are three recorded histories: b1 a Zulip community of 2021 (many boards, threads that are chats), \
         b3 a mailing list of 2012 (one board), b8 a Discourse forum of 2022 (one board). Pages show {PAGE_SIZE} records; index lists by last \
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
         `lws+bc` shares the bandwidth between index and post lists by the paper's ratio rule; `lws+choice` is `lws+bc` with the model \
         that wins a backtest on the site instead of the regression; `freshet` fetches the page with the highest critical price; \
         `freshet+bc` is the same with the ratio rule instead of the price; `oracle` knows every post and fetches the page with the most.",
    );
}

/// The paper's figures 6 and 7.
fn plots(page: &mut Page, sites: &[Site]) {
    let Some(site) = sites.get(SHOWN.0) else { return };
    let bandwidth = site.bandwidths[SHOWN.1];
    page.section("A year from the portal on");
    page.text(&format!(
        "The paper's figure 6: {} at {bandwidth} pages a day, means of {DAYS_PER_POINT} days. While the archive is mirrored nearly every \
         page is new; after that the policies part.",
        site.name
    ));
    let year = |value: fn(&crate::forum::measure::DayShare) -> Option<f64>| {
        site.by_week(SHOWN.1, DAYS_PER_POINT, value)
    };
    let day = ("day", Scale::Linear);
    let figures = [
        (
            "forums-year-use",
            "Bandwidth utilisation",
            ("BU, post lists", Scale::Linear),
            year(|day| Some(day.useful)),
        ),
        ("forums-year-coverage", "Coverage", ("Cov, posts", Scale::Linear), year(|day| Some(day.coverage))),
        (
            "forums-year-timeliness",
            "Timeliness",
            ("T in minutes, posts", Scale::Logarithmic),
            year(|day| day.timeliness_s.map(|secs| secs / 60.0)),
        ),
    ];
    for (name, title, y, lines) in figures {
        page.plot(name, &Plot { title, x: day, y, lines });
    }
    page.section("By bandwidth");
    page.text(&format!("The paper's figure 7, on {}.", site.name));
    let by_bandwidth = |value: fn(&crate::forum::Figures) -> Option<f64>| site.by_bandwidth(value);
    let pages = ("pages a day", Scale::Logarithmic);
    let figures = [
        (
            "forums-bandwidth-use",
            "Bandwidth utilisation",
            ("BU", Scale::Logarithmic),
            by_bandwidth(|it| Some(it.useful())),
        ),
        (
            "forums-bandwidth-coverage",
            "Coverage",
            ("Cov, posts", Scale::Linear),
            by_bandwidth(|it| Some(it.posts.coverage)),
        ),
        (
            "forums-bandwidth-timeliness",
            "Timeliness",
            ("T all in minutes, posts", Scale::Logarithmic),
            by_bandwidth(|it| it.posts.charged_s.map(|secs| secs / 60.0)),
        ),
    ];
    for (name, title, y, lines) in figures {
        page.plot(name, &Plot { title, x: pages, y, lines });
    }
}
