//! Tables 1 and 2: Hash weights against round robin, at equal calls [CUVIM, section 6.2].
//!
//! The number of calls of the paper's loop follows from the weight of the last day. Its Algorithm 2 is told n, what was
//! posted yesterday, whether it visited or not; the honest form learns from visits only. Both are run, under both
//! readings of the weight ([`super::loops`]), and round robin (and the project's own policies) get the same number of calls.

use freshet_policy::Objective;

use super::loops::{Form, PAGE_SIZE, Reading, Tally, loop_of};
use crate::experiment::{Setup, run as experiment};
use crate::study::StudyError;
use crate::study::page::{Page, gain, percent};
use crate::study::traces::{CHAT, CONGRESS, Date, FIGURES, Traces, midnight, month_of};
use crate::trace::{By, History, Window};

const WEIGHTS: [f64; 6] = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4];
/// The paper's table 1, by the weights above.
const PAPER: [Tally; 6] = [
    paper(1_451_435, 50_421),
    paper(1_417_908, 44_605),
    paper(1_368_783, 39_446),
    paper(1_323_012, 35_421),
    paper(1_255_509, 32_211),
    paper(1_175_464, 29_822),
];
/// Windows of the shape of table 1, those of the reference experiment: trace, first day of the warm-up.
const SHAPES: [(&str, Date); 5] = [
    (CONGRESS, (2019, 2, 1)),
    (CONGRESS, (2021, 3, 1)),
    (FIGURES, (2016, 2, 1)),
    (CHAT, (2020, 2, 1)),
    (CHAT, (2024, 2, 1)),
];
/// Its table 2: visits a user, calls, messages.
const PAPER_IN_TURN: [(u32, u64, u64); 4] =
    [(5, 50_005, 939_964), (4, 40_004, 818_039), (3, 30_003, 652_641), (2, 20_002, 411_086)];
/// What is run under each reading: its name, and whether the table is told.
const FORMS: [(&str, bool); 2] = [("told", true), ("learned", false)];

const fn paper(posts: u64, calls: u64) -> Tally {
    Tally { posts, calls, late: 0 }
}

/// Four weeks to learn from and two months that count.
fn two_months(traces: &Traces, (trace, from): (&str, Date)) -> Result<History, StudyError> {
    traces.read(trace, Window { from: midnight(from), warm_days: 28, eval_days: 61 }, By::Author)
}

pub(super) fn run(page: &mut Page, traces: &Traces) -> Result<(), StudyError> {
    let history = two_months(traces, SHAPES[0])?;
    let total = history.eval_count();
    page.section("Tables 1 and 2: Hash weights against round robin");
    page.text(&format!(
        "a1, two months from 2019-03: {} accounts, {total} posts; c = 100, s = 30 days, as in the paper. *Told*: the table is \
         told every day what was posted the day before, as Algorithm 2 has it. *Learned*: it knows only what its own visits returned. \
         Round robin, `hash` (the largest expected backlog under a budget) and `freshet` get as many calls as the row's Hash loop made. The paper \
         prints a′ = 0.5·a + 0.5·n, calls one 0.5 the weight of the last day, and varies it without saying what becomes of the other. Two readings: \
         a *mean*, a′ = (1 − w)·a + w·n, and a *sum*, a′ = 0.5·a + w·n.",
        history.posters.len()
    ));
    for reading in [Reading::Mean, Reading::Sum] {
        table(page, &history, reading)?;
    }
    shapes(page, traces)?;
    in_turn(page, &history)?;
    page.text(&told(total));
    Ok(())
}

/// Table 1 under a reading.
fn table(page: &mut Page, history: &History, reading: Reading) -> Result<(), StudyError> {
    page.text(match reading {
        Reading::Mean => "Table 1, the weight of a mean, a′ = (1 − w)·a + w·n:",
        Reading::Sum => "Table 1, the weight of a sum, a′ = 0.5·a + w·n:",
    });
    let mut rows = Vec::new();
    for (weight, paper) in WEIGHTS.into_iter().zip(PAPER) {
        for (form, is_told) in FORMS {
            let tally = loop_of(history, Form { reading, weight, is_told });
            let mut row = vec![
                format!("{weight} {form}"),
                tally.calls.to_string(),
                tally.late.to_string(),
                tally.posts.to_string(),
                format!("{:.2}", tally.per_call()),
            ];
            let in_turn = at_calls(history, "rr", tally.calls)?;
            row.push(format!("{in_turn} ({})", gain(tally.posts as f64, in_turn as f64)));
            if is_told {
                row.push(at_calls(history, "hash", tally.calls)?.to_string());
                row.push(at_calls(history, "freshet", tally.calls)?.to_string());
                row.push(paper.calls.to_string());
                row.push(format!("{:.2}", paper.per_call()));
                row.push(gain(paper.posts as f64, papers_in_turn(paper.calls)));
            } else {
                row.extend([const { String::new() }; 5]);
            }
            rows.push(row);
        }
    }
    let names = [
        "weight",
        "#calls",
        "#of them after s",
        "#posts",
        "#posts/call",
        "#rr (gain over it)",
        "#`hash`",
        "#`freshet`",
        "#paper's calls",
        "#its posts/call",
        "#its gain",
    ];
    page.table(&names, rows);
    Ok(())
}

/// What changes from the smallest weight to the largest: the shape of table 1, apart from how busy the accounts are.
fn shapes(page: &mut Page, traces: &Traces) -> Result<(), StudyError> {
    page.text(
        "The shape of table 1: what changes from w = 0.4 to w = 0.9, under both readings, in the windows of the reference experiment (two months after four weeks):",
    );
    let mut rows = vec![shape("the paper", "", [PAPER[0], PAPER[5]])];
    for (trace, from) in SHAPES {
        let history = two_months(traces, (trace, from))?;
        let name = month_of(trace, from);
        for (reading, reading_name) in [(Reading::Mean, "mean"), (Reading::Sum, "sum")] {
            for (form, is_told) in FORMS {
                let ends = [0.9, 0.4].map(|weight| loop_of(&history, Form { reading, weight, is_told }));
                rows.push(shape(&name, &format!("{reading_name}, {form}"), ends));
            }
        }
    }
    page.table(&["data", "reading", "#calls", "#posts", "#posts/call", "#after s, at 0.4"], rows);
    Ok(())
}

fn shape(name: &str, reading: &str, [high, low]: [Tally; 2]) -> Vec<String> {
    let late = low.late as f64 / low.calls.max(1) as f64;
    vec![
        name.to_owned(),
        reading.to_owned(),
        gain(high.calls as f64, low.calls as f64),
        gain(high.posts as f64, low.posts as f64),
        gain(high.per_call(), low.per_call()),
        if reading.is_empty() { String::new() } else { percent(late) },
    ]
}

fn told(total: u64) -> String {
    format!(
        "The paper compares rows with different numbers of calls; *its gain* is its table 1 against its table 2 at equal calls, between its rows. Which reading: the sum. (1) Under the mean the weight changes calls by \
         1 % at most where the table is told, in every window: a weighted mean over days has the same sum in the long run whatever its weight. Under the sum calls rise with the weight in every window, by 25 to 91 %, posts by 10 to 30 %, and \
         posts a call fall by 1 to 34 %; the paper's +69, +24 and −27 % lie between those of a1 and a3. (2) Under the sum the gain over round robin falls as the weight grows, from 41 % at 0.5 to 27 % at 0.9, as the paper's does from 82 to 54 %; under the mean it stays. \
         (3) The sum is the paper's own line with one of its two numbers changed. Then w is no weight but a factor: at 0.9 the loop expects 1.8 times what is posted and comes for pages that are half full, at 0.4 it comes too late and loses posts, so that \
         of all weights 0.5 is the one that expects what is posted. What the sum leaves unexplained is size: where calls are made because s has passed, no weight makes more of them, and of a1's calls at 0.4 they are three in four, of a3's four in ten; \
         the paper does not say how many of its are. Where we differ otherwise: our gain over round robin is about half of the paper's. Its users are less alike (a fifth of them write more than ten messages a day, half less than one), so round robin \
         wastes more there: its calls bring about 20 messages, ours 24 to 40 of {total} posts. And half of our gain is knowledge that a visitor does not have: the learned form, which is told nothing, gains 20 to 28 %. Unseen posts of full pages are missing in its \
         table, and a table that has fallen to zero stays there until s has passed. `freshet` at the same calls captures less than the told loop, which knows every post of yesterday, and as much as the learned one or more."
    )
}

/// The paper's round robin at a number of calls, between the rows of its table 2.
fn papers_in_turn(calls: u64) -> f64 {
    let mut rows = PAPER_IN_TURN.map(|(_, calls, posts)| (calls as f64, posts as f64));
    rows.reverse();
    let calls = calls as f64;
    let pair = rows.windows(2).find(|pair| calls <= pair[1].0).unwrap_or(&rows[2..]);
    let share = (calls - pair[0].0) / (pair[1].0 - pair[0].0);
    pair[0].1 + share * (pair[1].1 - pair[0].1)
}

fn in_turn(page: &mut Page, history: &History) -> Result<(), StudyError> {
    page.text("Round robin by visits to each account, as table 2:");
    let mut rows = Vec::new();
    for (visits, paper_calls, paper_posts) in PAPER_IN_TURN {
        let calls = u64::from(visits) * history.posters.len() as u64;
        let posts = at_calls(history, "rr", calls)?;
        rows.push(vec![
            visits.to_string(),
            calls.to_string(),
            posts.to_string(),
            format!("{:.2}", posts as f64 / calls as f64),
            format!("{:.2}", paper_posts as f64 / paper_calls as f64),
        ]);
    }
    page.table(&["#visits", "#calls", "#posts", "#posts/call", "#paper's posts/call"], rows);
    Ok(())
}

/// Posts that a policy captures with so many calls.
fn at_calls(history: &History, policy: &str, calls: u64) -> Result<u64, StudyError> {
    let hours = f64::from(history.window.eval_days) * 24.0;
    let setup = Setup {
        page_size: Some(PAGE_SIZE),
        objective: Objective::Capture,
        ..Setup::new(calls as f64 / hours)
    };
    Ok(experiment(history, policy, &setup)?.captured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_papers_rows_are_interpolated() {
        assert!((papers_in_turn(30_003) - 652_641.0).abs() < 1e-6);
        assert!(papers_in_turn(50_421) > 939_964.0);
        assert!((papers_in_turn(29_822) - 650_256.0).abs() < 5000.0);
    }

    #[test]
    fn the_shape_is_the_papers() {
        let row = shape("the paper", "", [PAPER[0], PAPER[5]]);
        assert_eq!(row, ["the paper", "", "+69.1 %", "+23.5 %", "-27.0 %", ""]);
    }
}
