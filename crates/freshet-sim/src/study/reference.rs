//! The reference experiment: every policy in six windows of real histories, learned online.
//!
//! The column "reference" is the mean delay of a prototype's priced look-ahead on learned rates,
//! measured once with the same set-up; policies are ranked by their geometric mean against it.
//! All experiments run one after the other on one core, so that their times add up to the page
//! about speed. Not here: what a policy does; its file says that.

mod origins;
mod untuned;

use freshet_policy::POLICY_NAMES;

use super::StudyError;
use super::page::{Page, geometric_mean, hours};
use super::traces::{CHAT, CONGRESS, Date, FIGURES, Stretch, Traces, stretch};
use crate::experiment::{ORACLE_NAMES, Outcome, Setup, run as experiment};
use crate::plot::{Plot, Scale};
use crate::trace::History;

/// A window, and the reference's mean delay in hours.
pub(super) struct Reference {
    pub(super) stretch: Stretch,
    mean_h: f64,
}

const fn reference(trace: &'static str, from: Date, calls_per_hour: f64, mean_h: f64) -> Reference {
    Reference { stretch: stretch(trace, from, calls_per_hour), mean_h }
}

pub(super) const WINDOWS: [Reference; 6] = [
    reference(CONGRESS, (2019, 2, 1), 60.0, 5.308),
    reference(CONGRESS, (2019, 2, 1), 20.0, 16.506),
    reference(CONGRESS, (2021, 3, 1), 60.0, 4.644),
    reference(FIGURES, (2016, 2, 1), 10.0, 2.040),
    reference(CHAT, (2020, 2, 1), 10.0, 2.392),
    reference(CHAT, (2024, 2, 1), 10.0, 1.996),
];
/// Budgets of the plot of delay against budget, calls an hour on 948 sources.
const BUDGETS: [f64; 7] = [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0];
/// Delays between which policies can be told apart.
const DELAYS_SHOWN_H: std::ops::Range<f64> = 0.1..60.0;
/// Policies that are plotted: the baselines of the papers and the better ones.
const PLOTTED: [&str; 7] = ["rr", "hash", "sia-cho", "backlog", "index", "index-profile", "freshet"];

/// Every name that decides online; `ring` is `rr` under its name in the engine.
fn online() -> impl Iterator<Item = &'static str> {
    POLICY_NAMES.iter().copied().filter(|name| *name != "ring")
}

pub(super) fn run(traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let mut histories: Vec<History> = Vec::new();
    let mut outcomes: Vec<Vec<Outcome>> = Vec::new();
    for window in &WINDOWS {
        let history = window.stretch.read(traces)?;
        let setup = Setup::new(window.stretch.calls_per_hour);
        let names = online().chain(ORACLE_NAMES.iter().copied());
        outcomes.push(names.map(|name| experiment(&history, name, &setup)).collect::<Result<_, _>>()?);
        histories.push(history);
    }
    let mut page = Page::new("reference", "The reference experiment");
    page.text(
        "Real histories; 28 days to learn from, 28 days that count. Sources are the users who post in the \
         warm-up. Slots of 15 minutes; a visit happens at the end of its slot and returns every post since the last one; \
         a post that is never fetched waits until the end. Everything a policy knows comes from the warm-up and from its \
         own visits. *Reference* is a prototype's priced look-ahead on learned rates under the same rules. \
         `bound`, `informed` and `clairvoyant` are no policies: they know the evaluation's rates, who has news, or all \
         posts. All of it takes about two minutes on one core.",
    );
    windows(&mut page, &histories);
    delays(&mut page, &outcomes);
    origins::write(&mut page);
    let delay_s = |window: usize, policy: &str| {
        let outcome = outcomes[window].iter().find(|outcome| outcome.policy == policy);
        outcome.and_then(|outcome| outcome.mean_delay_s).unwrap_or(0.0)
    };
    untuned::run(&mut page, traces, untuned::developed(delay_s))?;
    distribution(&mut page, &outcomes[0]);
    budgets(&mut page, &histories[0])?;
    Ok(vec![page, speed(&outcomes)])
}

fn windows(page: &mut Page, histories: &[History]) {
    page.section("Windows");
    let rows = WINDOWS.iter().zip(histories).map(|(window, history)| {
        let Stretch { trace, from: (year, month, day), calls_per_hour } = window.stretch;
        vec![
            trace.to_owned(),
            format!("{year}-{month:02}-{day:02}"),
            calls_per_hour.to_string(),
            history.posters.len().to_string(),
            history.eval_count().to_string(),
        ]
    });
    page.table(&["trace", "from", "#calls/h", "#sources", "#posts"], rows);
}

fn delays(page: &mut Page, outcomes: &[Vec<Outcome>]) {
    page.section("Mean delay in hours");
    let ratio = |number: usize| {
        let of = |(window, outcomes): (&Reference, &Vec<Outcome>)| {
            outcomes[number].mean_delay_s.unwrap_or(0.0) / 3600.0 / window.mean_h
        };
        geometric_mean(&WINDOWS.iter().zip(outcomes).map(of).collect::<Vec<_>>())
    };
    let count = outcomes[0].len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|a, b| ratio(*a).unwrap_or(0.0).total_cmp(&ratio(*b).unwrap_or(0.0)).reverse());
    let mut columns = vec!["policy"];
    let labels: Vec<_> = WINDOWS.iter().map(|window| format!("#{}", window.stretch.name())).collect();
    columns.extend(labels.iter().map(String::as_str));
    columns.push("#ratio, geometric mean");
    let rows = order.iter().map(|&number| {
        let name = &outcomes[0][number].policy;
        let is_oracle = ORACLE_NAMES.contains(&name.as_str());
        let mut row = vec![if is_oracle { format!("*{name}*") } else { name.clone() }];
        row.extend(outcomes.iter().map(|outcomes| hours(outcomes[number].mean_delay_s)));
        row.push(ratio(number).map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}")));
        row
    });
    let mut rows: Vec<_> = rows.collect();
    let mut reference = vec!["*reference*".to_owned()];
    reference.extend(WINDOWS.iter().map(|window| format!("{:.3}", window.mean_h)));
    reference.push("1.000".to_owned());
    rows.push(reference);
    page.table(&columns, rows);
    let Some(number) = outcomes[0].iter().position(|outcome| outcome.policy == "freshet") else { return };
    let of = |(window, outcomes): (&Reference, &Vec<Outcome>)| {
        let mean_h = outcomes[number].mean_delay_s.unwrap_or(0.0) / 3600.0;
        format!("{:.3} ({})", mean_h / window.mean_h, window.stretch.name())
    };
    let ratios: Vec<_> = WINDOWS.iter().zip(outcomes).map(of).collect();
    page.text(&format!("`freshet` as a share of the reference: {}.", ratios.join(", ")));
}

fn distribution(page: &mut Page, outcomes: &[Outcome]) {
    page.section("How long posts wait");
    page.text(&format!("{}.", WINDOWS[0].stretch.name()));
    let plotted: Vec<_> =
        PLOTTED.iter().filter_map(|name| outcomes.iter().find(|outcome| outcome.policy == *name)).collect();
    let row = |outcome: &&Outcome| {
        vec![
            outcome.policy.clone(),
            hours(outcome.median_delay_s),
            hours(outcome.mean_delay_s),
            hours(outcome.p90_delay_s),
            format!("{:.2}", outcome.posts_per_call),
            super::page::percent(outcome.useful_call_share),
        ]
    };
    let columns = ["policy", "#median h", "#mean h", "#90 % within h", "#posts/call", "#calls with news"];
    page.table(&columns, plotted.iter().map(row));
    let points = |outcome: &&Outcome| {
        let within = |(upper_s, share): &(f64, f64)| (upper_s / 3600.0, *share);
        let shown = outcome.series.delay_shares.iter().map(within);
        (outcome.policy.clone(), shown.filter(|(upper_h, _)| DELAYS_SHOWN_H.contains(upper_h)).collect())
    };
    let lines = plotted.iter().map(points).collect();
    let x = ("delay, hours", Scale::Logarithmic);
    let title = "Share of posts seen within a delay, a1 2019-02, 60 calls/h";
    page.plot("reference-delays", &Plot { title, x, y: ("share", Scale::Linear), lines });
}

fn budgets(page: &mut Page, history: &History) -> Result<(), StudyError> {
    page.section("Delay against budget");
    page.text("Mean delay in hours, a1 2019-02; the columns are calls an hour.");
    let names = PLOTTED.iter().chain(ORACLE_NAMES);
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for name in names {
        let mut points = Vec::new();
        for calls_per_hour in BUDGETS {
            let outcome = experiment(history, name, &Setup::new(calls_per_hour))?;
            points.push((calls_per_hour, outcome.mean_delay_s.unwrap_or(0.0) / 3600.0));
        }
        lines.push(((*name).to_owned(), points));
    }
    let mut columns = vec!["policy".to_owned()];
    columns.extend(BUDGETS.iter().map(|calls| format!("#{calls}")));
    let columns: Vec<_> = columns.iter().map(String::as_str).collect();
    let row = |(name, points): &(String, Vec<(f64, f64)>)| {
        let mut row = vec![name.clone()];
        row.extend(points.iter().map(|(_, mean_h)| format!("{mean_h:.3}")));
        row
    };
    page.table(&columns, lines.iter().map(row));
    // The clairvoyant's delays come to nothing, which no logarithm shows; `informed` has a page of its own.
    lines.retain(|(name, _)| !["clairvoyant", "informed"].contains(&name.as_str()));
    let (x, y) = (("calls an hour", Scale::Logarithmic), ("mean delay, hours", Scale::Logarithmic));
    let title = "Mean delay against budget, a1 2019-02";
    page.plot("reference-budgets", &Plot { title, x, y, lines: lines.clone() });
    let in_turn = lines[0].1.clone();
    for (calls_per_hour, in_turn_h) in in_turn {
        let points = lines.iter_mut().flat_map(|(_, points)| points.iter_mut());
        points
            .filter(|point| point.0.total_cmp(&calls_per_hour).is_eq())
            .for_each(|point| point.1 /= in_turn_h);
    }
    let (title, y) = ("The same, as a share of round robin's delay", ("share of rr", Scale::Linear));
    page.plot("reference-shares", &Plot { title, x, y, lines });
    Ok(())
}

/// Work and time; the one page that is not the same on every machine.
fn speed(outcomes: &[Vec<Outcome>]) -> Page {
    let mut page = Page::new("speed", "Work and time of the reference experiment");
    let sum_ms = |name: &str| -> u64 {
        outcomes
            .iter()
            .flatten()
            .filter(|outcome| outcome.policy == name)
            .map(|outcome| outcome.wall_ms)
            .sum()
    };
    let mut names: Vec<_> = online().map(|name| (sum_ms(name), name)).collect();
    let total_ms: u64 = names.iter().map(|(ms, _)| ms).sum();
    page.text(&format!(
        "{} online policies × {} windows, one after the other on one core: {:.1} s (asked: under 120 s). Wall time, \
         of a release build, without reading the traces; it differs from machine to machine and from run to run. That no policy \
         looks into the future is a test, not a figure: two histories that differ only after an instant must lead \
         every policy to the same decisions before it (`experiment::tests::peek`).",
        names.len(),
        outcomes.len(),
        total_ms as f64 / 1000.0
    ));
    names.sort_unstable_by(|a, b| b.cmp(a));
    let row = |(ms, name): &(u64, &str)| vec![(*name).to_owned(), format!("{:.2}", *ms as f64 / 1000.0)];
    page.table(&["policy", "#seconds, six windows"], names.iter().map(row));
    page
}
