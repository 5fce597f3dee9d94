//! Which intervals of the regression are believed: tuned on stretches that are not scored, and scored where nothing was tuned.

use freshet_policy::forum::{Belief, ListKind};
use freshet_types::Timestamp;

use super::super::StudyError;
use super::super::page::{Page, geometric_mean};
use super::super::traces::{Date, GIT, LEAN, Traces, midnight};
use super::runs::Site;
use super::tables::minutes;
use super::{DAYS, EVAL_DAYS, PAGE_SIZE};
use crate::forum::policies::{Lists, Sharing};
use crate::forum::{History, Setup, run};
use crate::parallel::on_all_cores;

/// Name, trace and first day of the stretches that floors are tuned on.
const TUNED: [(&str, &str, Date); 2] = [("b1", LEAN, (2019, 6, 1)), ("b3", GIT, (2008, 1, 1))];
const PAGES_PER_DAY: f64 = 1000.0;
/// Floors of index lists and of post lists that are tried, in hours.
const INDEX_H: [f64; 3] = [1.0, 4.0, 24.0];
const POSTS_H: [f64; 4] = [24.0, 96.0, 384.0, 1536.0];
/// The floors before they were tuned: a day for all lists.
const BEFORE_H: [f64; 2] = [24.0, 24.0];

/// T all of threads and posts by `lws` and `lws+bc`, in that order.
type Waits = [Option<f64>; 4];

/// With the floors of index lists and post lists.
fn waits(history: &History, setup: &Setup, floors_h: [f64; 2]) -> Waits {
    let belief = |kind: ListKind| Belief { shortest_h: floors_h[kind as usize], ..Belief::of(kind) };
    let beliefs = [ListKind::Index, ListKind::Posts].map(belief);
    let mut all = [None; 4];
    for (at, (name, sharing)) in
        [("lws", Sharing::Together), ("lws+bc", Sharing::Ratio)].into_iter().enumerate()
    {
        let mut policy = Lists::new(name, setup, sharing).believing(beliefs);
        let figures = run(history, setup, &mut policy);
        (all[2 * at], all[2 * at + 1]) = (figures.index.charged_s, figures.posts.charged_s);
    }
    all
}

/// The same for many floors, on all cores.
fn all_waits(jobs: &[(&History, Setup, [f64; 2])]) -> Vec<Waits> {
    on_all_cores(jobs, |(history, setup, floors_h)| waits(history, setup, *floors_h))
}

fn setup(date: Date) -> Setup {
    Setup {
        start: midnight(date),
        days: DAYS,
        eval_days: EVAL_DAYS,
        pages_per_day: PAGES_PER_DAY,
        page_size: PAGE_SIZE,
    }
}

/// The grid, and what the floors that are used change on the sites that are scored.
pub(super) fn compare_floors(
    page: &mut Page,
    traces: &Traces,
    scored: &[(&Site, &History, Setup)],
) -> Result<(), StudyError> {
    let mut histories = Vec::new();
    for (_, trace, date) in TUNED {
        let setup = setup(date);
        histories.push((traces.forum(trace, Timestamp::from_secs(setup.end_s() as i64))?, setup));
    }
    let grid: Vec<[f64; 2]> =
        INDEX_H.iter().flat_map(|index| POSTS_H.iter().map(move |posts| [*index, *posts])).collect();
    let jobs: Vec<_> = grid
        .iter()
        .flat_map(|floors_h| histories.iter().map(move |(history, setup)| (history, *setup, *floors_h)))
        .collect();
    let found = all_waits(&jobs);
    explain(page);
    let rows = grid.iter().zip(found.chunks(TUNED.len())).map(|(floors_h, waits)| {
        let all: Vec<f64> = waits.iter().flatten().filter_map(|wait_s| *wait_s).collect();
        let mut row: Vec<String> = floors_h.iter().map(|hours| format!("{hours}")).collect();
        row.extend(waits.iter().flatten().map(|wait_s| minutes(*wait_s)));
        row.push(minutes(geometric_mean(&all)));
        row
    });
    let mut columns = vec!["#index h".to_owned(), "#posts h".to_owned()];
    for (site, ..) in TUNED {
        for policy in ["lws", "lws+bc"] {
            columns.extend(["threads", "posts"].map(|what| format!("#{site} {policy}, {what}")));
        }
    }
    columns.push("#geometric mean".to_owned());
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    page.table(&columns, rows);
    score(page, scored);
    Ok(())
}

fn explain(page: &mut Page) {
    page.section("What the regression is believed");
    let floor = |kind: ListKind| Belief::of(kind).shortest_h;
    page.text(&format!(
        "The regression's sum of weights can be anything, below zero too, so that there must be a floor: what is foretold to come sooner is \
         expected after the floor. The paper names none. Ours were a day for all lists; now index lists have {} h and post lists {} h. They were \
         chosen on two stretches that are scored nowhere else on this page, b1 from June 2019 and b3 from 2008, a year each at {PAGES_PER_DAY} pages a day: \
         the least geometric mean of T all, in minutes, of threads and posts by `lws` and `lws+bc`.",
        floor(ListKind::Index),
        floor(ListKind::Posts),
    ));
}

/// The sites that are scored, with a day for all lists and with the floors that were tuned.
fn score(page: &mut Page, scored: &[(&Site, &History, Setup)]) {
    let at = |(_, history, setup): &(&Site, _, Setup)| {
        (*history, Setup { pages_per_day: PAGES_PER_DAY, ..*setup }, BEFORE_H)
    };
    let jobs: Vec<_> = scored.iter().map(at).collect();
    let before = all_waits(&jobs);
    page.text(&format!(
        "What that changes on the sites and years of the tables above, on which nothing was tuned: T all in minutes at {PAGES_PER_DAY} pages a day, with a day \
         for all lists → with these floors. Where index lists compete with post lists for every page (`lws`), a shorter floor of theirs finds threads sooner at the \
         expense of posts. Floors of post lists below a day were tried too: on b1 they doubled T all of posts or worse, elsewhere they changed little. What the regression foretells below some days is not so, and lists about which it is wrong take pages from the others."
    ));
    let rows = scored.iter().zip(before).map(|((site, ..), before)| {
        let width = site.bandwidths.iter().position(|width| width.total_cmp(&PAGES_PER_DAY).is_eq());
        let now = ["lws", "lws+bc"].map(|name| width.and_then(|width| site.of(width, name)));
        let now = now.map(|it| [it.and_then(|it| it.index.charged_s), it.and_then(|it| it.posts.charged_s)]);
        let change =
            |(before, now): (&Option<f64>, &Option<f64>)| format!("{} → {}", minutes(*before), minutes(*now));
        let mut row = vec![site.name.to_owned()];
        row.extend(before.iter().zip(now.as_flattened()).map(change));
        row
    });
    page.table(&["site", "#lws, threads", "#lws, posts", "#lws+bc, threads", "#lws+bc, posts"], rows);
}
