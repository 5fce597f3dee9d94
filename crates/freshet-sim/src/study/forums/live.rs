//! The engine beside the policy that it goes by, at equal pages, over stretches that are short enough to crawl for real.

use freshet_types::Timestamp;

use super::super::StudyError;
use super::super::page::{Page, percent};
use super::super::traces::{Date, GIT, LEAN, SLICER, Traces, midnight};
use super::PAGE_SIZE;
use crate::forum::live::{self, Crawl, LiveError};
use crate::forum::policies::{Freshet, Sharing};
use crate::forum::{Figures, History, Setup, run};
use crate::parallel::on_all_cores;

/// Name, trace, first day, pages a day, days from the portal on, and the last of them, which count: as many as the archive needs, and some more.
const CRAWLS: [(&str, &str, Date, f64, u32, u32); 4] = [
    ("b1", LEAN, (2021, 1, 1), 3000.0, 20, 5),
    ("b3", GIT, (2012, 1, 1), 3000.0, 20, 5),
    ("b8", SLICER, (2022, 1, 1), 300.0, 84, 14),
    ("b8", SLICER, (2022, 1, 1), 1000.0, 28, 10),
];

/// What both reached.
struct Pair {
    told: Figures,
    crawled: Result<Crawl, LiveError>,
}

pub(super) fn compare(page: &mut Page, traces: &Traces) -> Result<(), StudyError> {
    let mut crawls = Vec::new();
    for (_, trace, date, pages_per_day, days, eval_days) in CRAWLS {
        let setup = Setup { start: midnight(date), days, eval_days, pages_per_day, page_size: PAGE_SIZE };
        let history = traces.forum(trace, Timestamp::from_secs(setup.end_s() as i64))?;
        // A study runs once in a process.
        let history: &'static History = Box::leak(Box::new(history));
        crawls.push((history, setup));
    }
    let pairs = on_all_cores(&crawls, |&(history, setup)| {
        let mut policy = Freshet::new("freshet", &setup, Sharing::Together);
        Pair { told: run(history, &setup, &mut policy), crawled: live::run(history, &setup) }
    });
    page.section("The engine beside the policy");
    page.text(
        "`live` is the engine of `freshet run` on a virtual clock: it learns the forum from HTML pages, stores what it reads in a database, and has the pages \
         a day as a budget. It starts at the portal like `freshet`, the policy of the tables below, which runs over the same days beside it. What it reached \
         is measured at the forum. T all of posts in minutes.",
    );
    let mut rows = Vec::new();
    for ((name, _, _, pages_per_day, days, eval_days), Pair { told, crawled }) in
        CRAWLS.into_iter().zip(pairs)
    {
        let crawled = crawled?.figures;
        let wait_s = |figures: &Figures| figures.posts.charged_s.unwrap_or(0.0);
        let used = crawled.page_count as f64 / (pages_per_day * f64::from(eval_days));
        rows.push(vec![
            name.to_owned(),
            format!("{pages_per_day}"),
            format!("{eval_days} of {days}"),
            format!("{:.2}", wait_s(&told) / 60.0),
            format!("{:.2}", wait_s(&crawled) / 60.0),
            format!("{:.2}", wait_s(&crawled) / wait_s(&told).max(1e-9)),
            percent(used),
            format!("{:.4}", crawled.posts.coverage),
        ]);
    }
    let columns = [
        "site",
        "#pages/day",
        "days that count",
        "#freshet",
        "#live",
        "#ratio",
        "#pages spent by `live`",
        "#Cov live",
    ];
    page.table(&columns, rows);
    Ok(())
}
