//! The same experiment where nobody looked while `freshet` was made: other years, and other traces.
//!
//! A ratio that comes from tuning falls back on windows that were not tuned on. Three windows were looked at as a check by other
//! studies, and nothing was set by them; nine more were fixed by a rule and run for the first time for this page. Every
//! window gets calls for one round over its sources in [`ROUND_H`] hours, as the first window of the reference has.

use super::WINDOWS;
use crate::experiment::{Setup, run as experiment};
use crate::study::StudyError;
use crate::study::page::{Page, geometric_mean, hours};
use crate::study::traces::{
    BITCOIN, CHAT, CONGRESS, Date, FIGURES, GIT, LEAN, R_LISTS, ROOMS, SLICER, Traces, four_and_four,
    midnight, month_of,
};
use crate::trace::By;

/// Hours in which round robin comes to every source once.
const ROUND_H: f64 = 16.0;
/// The yardstick, the best of the papers, the best of the simple rules, and the default.
const POLICIES: [&str; 4] = ["rr", "sia-cho", "index-mixed", "freshet"];
/// Looked at before, as a check: trace, first day.
const CHECKED: &[(&str, Date)] = &[(CONGRESS, (2020, 5, 1)), (FIGURES, (2013, 10, 1)), (CHAT, (2018, 3, 1))];
/// Not looked at before: of a1, a3 and a5 a year that no experiment with policies uses, of the others the year in the middle of the trace.
const FRESH: &[(&str, Date)] = &[
    (CONGRESS, (2018, 2, 1)),
    (FIGURES, (2014, 2, 1)),
    (CHAT, (2016, 2, 1)),
    (LEAN, (2022, 2, 1)),
    (BITCOIN, (2018, 2, 1)),
    (GIT, (2015, 2, 1)),
    (R_LISTS, (2012, 2, 1)),
    (ROOMS, (2016, 2, 1)),
    (SLICER, (2022, 2, 1)),
];

/// Mean delays of the policies in one window, in seconds.
type Delays = [f64; POLICIES.len()];

/// What a group of windows came to.
struct Group {
    name: &'static str,
    delays: Vec<Delays>,
}

pub(super) fn run(page: &mut Page, traces: &Traces, developed: Vec<Delays>) -> Result<(), StudyError> {
    page.section("Windows that nobody tuned on");
    page.text(&format!(
        "The same experiment on histories that set none of these numbers. *Checked* windows were looked at by other studies after the fact; *fresh* ones were fixed by a rule and run for the first time \
         here: from the first of February, for a1, a3 and a5 of a year that no experiment with policies uses, and for the six other traces, whose authors none of them uses, of the year in the \
         middle of the trace. Calls are such that round robin takes {ROUND_H} hours for a round. Mean delay in hours."
    ));
    let mut rows = Vec::new();
    let mut groups = vec![Group { name: "developed on", delays: developed }];
    for (name, windows) in [("checked", CHECKED), ("fresh", FRESH)] {
        let mut delays = Vec::new();
        for &(trace, from) in windows {
            let history = traces.read(trace, four_and_four(midnight(from)), By::Author)?;
            let calls_per_hour = history.posters.len() as f64 / ROUND_H;
            let mut own = Delays::default();
            for (delay, policy) in own.iter_mut().zip(POLICIES) {
                *delay =
                    experiment(&history, policy, &Setup::new(calls_per_hour))?.mean_delay_s.unwrap_or(0.0);
            }
            let mut row = vec![
                format!("{}, {name}", month_of(trace, from)),
                history.posters.len().to_string(),
                history.eval_count().to_string(),
                format!("{calls_per_hour:.1}"),
            ];
            row.extend(own.iter().map(|delay| hours(Some(*delay))));
            row.push(format!("{:.3}", own[3] / own[2]));
            rows.push(row);
            delays.push(own);
        }
        groups.push(Group { name, delays });
    }
    let names = POLICIES.map(|policy| format!("#{policy}"));
    let mut columns = vec!["window", "#sources", "#posts", "#calls/h"];
    columns.extend(names.iter().map(String::as_str));
    columns.push("#freshet / index-mixed");
    page.table(&columns, rows);
    ratios(page, &groups);
    Ok(())
}

/// Geometric means of `freshet` against each of the others, group by group.
fn ratios(page: &mut Page, groups: &[Group]) {
    page.text("Delay of `freshet` as a share of the others', geometric means:");
    let row = |group: &Group| {
        let against = |other: usize| {
            let of = |delays: &Delays| delays[3] / delays[other];
            geometric_mean(&group.delays.iter().map(of).collect::<Vec<_>>())
        };
        let mut row = vec![group.name.to_owned(), group.delays.len().to_string()];
        row.extend(
            (0..3).map(|other| against(other).map_or_else(|| "-".to_owned(), |mean| format!("{mean:.3}"))),
        );
        row
    };
    page.table(&["windows", "#count", "#of rr", "#of sia-cho", "#of index-mixed"], groups.iter().map(row));
    page.text(
        "No tuning shows: where nobody looked `freshet` is further ahead of the others than in the windows it was made with. It is ahead of all three in every window but one, a5 2016-02, where `sia-cho` waits half a percent less. \
         What is printed here has been looked at: after the next change of a constant these windows are *checked* ones, and others are fresh.",
    );
}

/// The delays that [`run`] compares, of outcomes that are there already.
pub(super) fn developed(of: impl Fn(usize, &str) -> f64) -> Vec<Delays> {
    (0..WINDOWS.len()).map(|window| POLICIES.map(|policy| of(window, policy))).collect()
}
