//! Distinct posts behind pages of 20: who sees most at equal calls.
//!
//! On histories, budgets are sought at which round robin sees about 30, 50 and 65 % of the posts. On known rates there is
//! an optimum: with X expected posts and m visits, spaced so that each finds X/m, a source gives m·g(X/m), g(x) = E min(N, c);
//! that is concave in m, so calls given one by one to the largest gain are best for a total budget.
//! That optimum may spend all calls when it likes. What calls spent evenly can reach at most is the dual bound with prices
//! of the slots ([`crate::experiment::oracle::most_captured`]).

use freshet_policy::Objective;
use freshet_policy::policies::capture::brought;

use super::StudyError;
use super::page::{Page, hours, percent};
use super::reference::WINDOWS;
use super::rules::{KNOWN_NAMES, roster_known};
use super::synthetic::{SEED, Synthetic, Visits, expected_posts, synthetic};
use super::traces::{Stretch, Traces, UNSEEN, month_of};
use crate::experiment::oracle::{Curve, most_captured};
use crate::experiment::{Outcome, Setup, run as experiment, run_roster};
use crate::trace::History;

const PAGE_SIZE: u32 = 20;
/// What round robin should see.
const SHARES: [f64; 3] = [0.3, 0.5, 0.65];
/// Halvings of the budget.
const STEPS: u32 = 18;
/// No history here needs more calls an hour for round robin to see two thirds.
const CALLS_PER_HOUR_MAX: f64 = 1000.0;
const POLICIES: [&str; 8] = ["rr", "hash", "hash-week", "index", "backlog", "freshet", "live", "clairvoyant"];
/// Where calls suffice, there are so many times those at which round robin sees most.
const PLENTY: f64 = 8.0;
const SLOTS_PER_HOUR: f64 = 4.0;
/// Budgets of the synthetic part, calls an hour.
const BUDGETS: [f64; 3] = [4.0, 8.0, 16.0];

fn setup(calls_per_hour: f64) -> Setup {
    Setup { page_size: Some(PAGE_SIZE), objective: Objective::Capture, ..Setup::new(calls_per_hour) }
}

pub(super) fn run(traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let mut page = Page::new("capture", "Distinct posts behind pages of 20");
    page.text(
        "A visit returns the newest 20 posts since the last one; older ones are lost. Policies are asked for captured \
         posts, not for delay.",
    );
    page.section("Learned rates, real histories");
    page.text(
        "Four weeks to learn from, four that count. For each history the budgets at which round robin sees about 30, 50 \
         and 65 %; share of posts captured by each policy at the same budget. `live` is the engine of `freshet run --objective capture`: \
         it crawls a simulated server whose lists show their newest 20 posts and which announces the calls as its limit (a whole number of \
         them in a day at most), and learns with its own calls. `clairvoyant` knows the posts.",
    );
    let mut table = Table::default();
    // The second window is the first with another budget.
    for window in WINDOWS.iter().enumerate().filter(|(number, _)| *number != 1).map(|(_, window)| window) {
        table.add(&window.stretch, &window.stretch.read(traces)?)?;
    }
    table.write(&mut page);
    page.text("Windows that were only looked at as a check, after the rules for silent sources were chosen by a1 2021-03 above:");
    let mut table = Table::default();
    for window in &UNSEEN {
        table.add(window, &window.read(traces)?)?;
    }
    table.write(&mut page);
    page.text(
        "In a1 2021-03 four accounts in ten stop for good on the third day that counts. A policy that goes by the month visits them in vain until it has \
         learned that who falls silent stays silent; `hash`, which forgets half with every day, does not wait for that. `freshet` keeps weights and a \
         scatter of their own for sources that fell silent, fitted anew every three days.",
    );
    plenty(&mut page, traces)?;
    known(&mut page)?;
    Ok(vec![page])
}

/// Where no policy need lose anything: what the engine loses, whichever is asked for.
fn plenty(page: &mut Page, traces: &Traces) -> Result<(), StudyError> {
    page.section("Where calls suffice");
    page.text(&format!(
        "{PLENTY} times the calls at which round robin sees about {:.0} %. The engine is asked for captured posts, and for delay. Asked for captured posts, \
         it goes by what is expected to scroll out of a list; once no more can be had by that, it spends the calls that are left as if it were asked for delay. \
         Before it did, it left them unspent, and a burst that nobody foresaw was lost in front of idle calls.",
        SHARES[SHARES.len() - 1] * 100.0
    ));
    let mut rows = Vec::new();
    for window in WINDOWS.iter().enumerate().filter(|(number, _)| *number != 1).map(|(_, window)| window) {
        rows.push(plenty_row(&window.stretch, &window.stretch.read(traces)?)?);
    }
    let columns =
        ["history", "#calls/h", "#freshet", "#live", "#mean h", "#live, asked for delay", "#mean h"];
    page.table(&columns, rows);
    Ok(())
}

fn plenty_row(window: &Stretch, history: &History) -> Result<Vec<String>, StudyError> {
    let capture = setup(PLENTY * calls_for(history, SHARES[SHARES.len() - 1])?);
    let delay = Setup { objective: Objective::Delay, ..capture.clone() };
    let seen = |outcome: &Outcome| format!("{:.3} %", outcome.coverage.unwrap_or(0.0) * 100.0);
    let mut row =
        vec![month_of(window.trace, window.from), format!("{}", three_digits(capture.calls_per_hour))];
    row.push(seen(&experiment(history, "freshet", &capture)?));
    for setup in [&capture, &delay] {
        let outcome = experiment(history, "live", setup)?;
        row.extend([seen(&outcome), hours(outcome.mean_delay_s)]);
    }
    Ok(row)
}

/// Rows of a table, and which of them `freshet` does not lead.
#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
    behind: Vec<String>,
}

impl Table {
    /// Three budgets of one history.
    fn add(&mut self, window: &Stretch, history: &History) -> Result<(), StudyError> {
        for share in SHARES {
            let setup = setup(calls_for(history, share)?);
            let mut row = vec![month_of(window.trace, window.from), format!("{}", setup.calls_per_hour)];
            let mut shares = Vec::new();
            for policy in POLICIES {
                shares.push(experiment(history, policy, &setup)?.coverage.unwrap_or(0.0));
            }
            self.behind.extend(behind_of(&shares).then(|| row.join(" at ")));
            row.extend(shares.into_iter().map(percent));
            self.rows.push(row);
        }
        Ok(())
    }

    fn write(self, page: &mut Page) {
        let mut columns = vec!["history".to_owned(), "#calls/h".to_owned()];
        columns.extend(POLICIES.map(|policy| format!("#{policy}")));
        page.table(&columns.iter().map(String::as_str).collect::<Vec<_>>(), self.rows);
        page.text(&if self.behind.is_empty() {
            "`freshet` captures more than `rr` and `hash` in every row.".to_owned()
        } else {
            format!("`freshet` captures no more than `rr` or `hash` in: {} calls/h.", self.behind.join(", "))
        });
    }
}

/// Is `freshet` not above both round robin and Hash?
fn behind_of(shares: &[f64]) -> bool {
    let of = |name: &str| POLICIES.iter().position(|policy| *policy == name).map_or(0.0, |at| shares[at]);
    of("freshet") <= of("rr").max(of("hash"))
}

/// The budget, in three digits, at which round robin sees this share.
fn calls_for(history: &History, share: f64) -> Result<f64, StudyError> {
    let (mut low, mut high) = (0.0_f64, CALLS_PER_HOUR_MAX);
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        let coverage = experiment(history, "rr", &setup(middle))?.coverage.unwrap_or(1.0);
        *(if coverage < share { &mut low } else { &mut high }) = middle;
    }
    Ok(three_digits(high))
}

fn three_digits(value: f64) -> f64 {
    let unit = 10_f64.powf(value.max(1e-9).log10().floor() - 2.0);
    // Dividing by the inverse keeps the decimal number as it is written.
    if unit < 1.0 { (value / unit).round() / (1.0 / unit).round() } else { (value / unit).round() * unit }
}

fn known(page: &mut Page) -> Result<(), StudyError> {
    let world = synthetic(SEED);
    page.section("Known rates, synthetic");
    page.text(&format!(
        "The accounts of [known rates](known-rates.md), seed {SEED}. Expected share captured, as a share of the *optimum* for as many \
         calls in all, spent whenever it likes, and of the most that as many calls in *each slot* can bring (a dual bound with prices of the slots)."
    ));
    let posts = expected_posts(&world.curves);
    let optima: Vec<[f64; 2]> = BUDGETS
        .iter()
        .map(|calls| {
            let in_slots = most_captured(&world.curves, PAGE_SIZE, (calls / SLOTS_PER_HOUR) as u32);
            [optimum(&world.curves, (calls * 24.0 * 14.0) as u64) / posts, in_slots / posts]
        })
        .collect();
    let (mut rows, mut left) = (Vec::new(), Vec::new());
    for name in KNOWN_NAMES {
        let mut row = vec![(*name).to_owned()];
        for (calls, optima) in BUDGETS.iter().zip(&optima) {
            let (share, rest) = captured(&world, name, *calls)?;
            row.push(percent(share));
            row.extend(optima.map(|optimum| percent(share / optimum)));
            left.extend((*name == "freshet").then(|| percent(rest)));
        }
        rows.push(row);
    }
    for (name, index) in [("*each slot*", 1), ("*optimum*", 0)] {
        let mut row = vec![name.to_owned()];
        for optima in &optima {
            row.push(percent(optima[index]));
            row.extend(optima.map(|optimum| percent(optima[index] / optimum)));
        }
        rows.push(row);
    }
    let mut columns = vec!["rule".to_owned()];
    for calls in BUDGETS {
        columns.extend([format!("#{calls}/h"), "#of optimum".to_owned(), "#of each slot".to_owned()]);
    }
    page.table(&columns.iter().map(String::as_str).collect::<Vec<_>>(), rows);
    page.text(&format!(
        "The optimum may save all calls of the first days, when nothing has gathered, for the end, when it visits all sources at once; no policy under this \
         budget can. Both bounds know when the count ends; an index does not, and what has gathered since its last visits counts as lost: with `freshet` {} of \
         all posts at these budgets.",
        left.join(", ")
    ));
    Ok(())
}

/// The expected share captured, and the share after the last visits.
fn captured(world: &Synthetic, name: &str, calls: f64) -> Result<(f64, f64), StudyError> {
    let setup = setup(calls);
    let kit = setup.kit(&world.history);
    let roster = roster_known(name, &kit, &world.models).expect("a name from the list of names");
    let mut visits = Visits::none();
    run_roster(&world.history, &setup, roster, &mut |slot, source| visits.add(slot, source))?;
    Ok((visits.captured(&world.curves, PAGE_SIZE), visits.left(&world.curves)))
}

/// The most posts that so many calls are expected to bring.
fn optimum(curves: &[Curve], calls: u64) -> f64 {
    let totals: Vec<f64> = curves.iter().filter_map(|curve| curve.posts.last().copied()).collect();
    let value = |posts: f64, visits: u32| match visits {
        0 => 0.0,
        _ => f64::from(visits) * brought(posts / f64::from(visits), Some(PAGE_SIZE)),
    };
    let mut visits = vec![0_u32; totals.len()];
    let gain = |source: usize, visits: u32| value(totals[source], visits + 1) - value(totals[source], visits);
    let mut gains: Vec<f64> = (0..totals.len()).map(|source| gain(source, 0)).collect();
    for _ in 0..calls {
        let Some(best) = (0..gains.len()).max_by(|a, b| gains[*a].total_cmp(&gains[*b])) else { break };
        visits[best] += 1;
        gains[best] = gain(best, visits[best]);
    }
    totals.iter().zip(&visits).map(|(posts, visits)| value(*posts, *visits)).sum()
}

#[cfg(test)]
mod tests {
    use freshet_types::Timestamp;

    use super::*;
    use crate::trace::Window;

    #[test]
    fn budgets_are_written_in_three_digits() {
        let cases = [(12.3456, 12.3), (0.123_456, 0.123), (123.456, 123.0), (999.9, 1000.0), (1.0, 1.0)];
        for (value, expected) in cases {
            assert!((three_digits(value) - expected).abs() < 1e-12, "{value}: {}", three_digits(value));
        }
    }

    #[test]
    fn a_row_of_plenty_has_a_figure_for_each_column() {
        let window = Window { from: Timestamp::from_secs(1_700_006_400), warm_days: 2, eval_days: 2 };
        let posts = (0..4 * 24).flat_map(|hour| (0..3).map(move |user| (user, 1_700_006_500 + 3600 * hour)));
        let history = History::from_posts(window, posts.collect());
        let row = plenty_row(&WINDOWS[0].stretch, &history).unwrap();
        assert_eq!((row.len(), row[0].as_str()), (7, "a1 2019-02"));
        assert!(row[2].ends_with(" %") && row[3].ends_with(" %"), "{row:?}");
    }

    #[test]
    fn the_optimum_spaces_calls_by_volume() {
        let curve = |rate: f64| Curve::new(1.0, 96, |_| rate);
        // Few posts: every call brings what is there. Many: a call brings a page.
        assert!((optimum(&[curve(1.0 / 86_400.0)], 5) - 1.0).abs() < 0.01);
        assert!((optimum(&[curve(1.0), curve(1e-6)], 7) - 140.0).abs() < 0.2);
        assert!(optimum(&[curve(1.0)], 0).abs() < 1e-12);
    }
}
