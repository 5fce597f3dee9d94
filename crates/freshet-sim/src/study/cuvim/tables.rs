//! Tables 1 and 2: Hash weights against round robin, at equal calls [CUVIM, section 6.2].
//!
//! The paper's loop for one user: an hour's table expects so many posts; when more than c = 100 have gathered since the last
//! visit, or s = 30 days have passed, it visits. The number of calls follows from the weight of the last day. The paper's
//! Algorithm 2 is told n, what was posted yesterday, whether it visited or not; the honest form learns from visits only.
//! Both are run, and round robin (and the project's own policies) get the same number of calls.

use freshet_policy::change::HashTable;
use freshet_policy::change::hash::{Calendar, SLOTS};
use freshet_policy::{Look, Objective};
use freshet_types::{Span, Timestamp};

use crate::experiment::{Setup, run as experiment};
use crate::study::StudyError;
use crate::study::page::{Page, gain};
use crate::study::traces::{CONGRESS, Traces, midnight};
use crate::trace::{By, History, Poster, Window};

const WEIGHTS: [f64; 6] = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4];
/// c and s of the paper.
const PAGE_SIZE: u32 = 100;
const SPAN_MAX: Span = Span::from_ms(30 * 86_400_000);
/// The paper's table 1: weight, messages, calls.
const PAPER: [(u64, u64); 6] = [
    (1_451_435, 50_421),
    (1_417_908, 44_605),
    (1_368_783, 39_446),
    (1_323_012, 35_421),
    (1_255_509, 32_211),
    (1_175_464, 29_822),
];
/// Its table 2: visits a user, calls, messages.
const PAPER_IN_TURN: [(u32, u64, u64); 4] =
    [(5, 50_005, 939_964), (4, 40_004, 818_039), (3, 30_003, 652_641), (2, 20_002, 411_086)];

pub(super) fn run(page: &mut Page, traces: &Traces) -> Result<(), StudyError> {
    let window = Window { from: midnight((2019, 2, 1)), warm_days: 28, eval_days: 61 };
    let history = traces.read(CONGRESS, window, By::Author)?;
    let total = history.eval_count();
    page.section("Tables 1 and 2: Hash weights against round robin");
    page.text(&format!(
        "a1, two months from 2019-03: {} accounts, {total} posts; c = 100, s = 30 days, as in the paper. *Told*: the table is \
         told every day what was posted the day before, as Algorithm 2 has it. *Learned*: it knows only what its own visits returned. \
         Round robin, `hash` (the largest expected backlog under a budget) and `freshet` get as many calls as the row's Hash loop made.",
        history.posters.len()
    ));
    let mut rows = Vec::new();
    for (weight, paper) in WEIGHTS.into_iter().zip(PAPER) {
        for (form, is_told) in [("told", true), ("learned", false)] {
            let (posts, calls) = loop_of(&history, weight, is_told);
            let mut row = vec![format!("{weight} {form}"), calls.to_string(), posts.to_string()];
            row.push(format!("{:.2}", posts as f64 / calls.max(1) as f64));
            let in_turn = at_calls(&history, "rr", calls)?;
            row.push(format!("{in_turn} ({})", gain(posts as f64, in_turn as f64)));
            if is_told {
                row.push(at_calls(&history, "hash", calls)?.to_string());
                row.push(at_calls(&history, "freshet", calls)?.to_string());
                row.push(gain(paper.0 as f64, papers_in_turn(paper.1)));
            } else {
                row.extend([const { String::new() }; 3]);
            }
            rows.push(row);
        }
    }
    let columns = [
        "weight",
        "#calls",
        "#posts",
        "#posts/call",
        "#rr (gain over it)",
        "#`hash`",
        "#`freshet`",
        "#paper's gain",
    ];
    page.table(&columns, rows);
    in_turn(page, &history)?;
    page.text(&told(total));
    Ok(())
}

fn told(total: u64) -> String {
    format!(
        "The paper compares rows with different numbers of calls; *paper's gain* is its table 1 against its table 2 at equal calls, between its rows. Where we \
         differ: (1) our gain over round robin is about half of the paper's. Its users are less alike (a fifth of them write more than ten messages a day, half \
         less than one), so round robin wastes more there: its calls bring about 20 messages, ours 24 to 40 of {total} posts. (2) In the paper the weight changes the number of calls by two thirds; here it hardly \
         does. A weighted mean over days has the same sum in the long run whatever its weight, so a loop that visits after every 100 expected posts cannot call much more \
         often with another one; what else in the paper's loop depends on the weight it does not say. (3) Half of the gain is knowledge that a visitor does not have: \
         the learned form, which is told nothing, gains 22 to 27 %. Unseen posts of full pages are missing in its table, and a table that has fallen to zero stays there until \
         s has passed; smaller weights forget less and do better."
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

/// Posts and calls of the paper's loop over all accounts.
fn loop_of(history: &History, weight: f64, is_told: bool) -> (u64, u64) {
    let each = history.posters.iter().map(|poster| loop_of_one(history, poster, weight, is_told));
    each.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

fn loop_of_one(history: &History, poster: &Poster, weight: f64, is_told: bool) -> (u64, u64) {
    let (calendar, window) = (Calendar::default(), history.window);
    let mut table = HashTable::default();
    let mut told_at = window.from;
    let mut tell = |table: &mut HashTable, at: Timestamp, news: &[Timestamp], is_full: bool| {
        table.learn_with(&Look { since: Some(told_at), at, news, is_full }, weight, &calendar);
        told_at = at;
    };
    for day in 1..=window.warm_days {
        let at = window.from + Span::DAY * f64::from(day);
        tell(&mut table, at, between(poster, at - Span::DAY, at), false);
    }
    let (mut posts, mut calls, mut visited_at, mut expected) = (0, 0, window.start(), 0.0);
    let slot = Span::DAY * (1.0 / SLOTS as f64);
    for number in 1..=window.eval_days * SLOTS as u32 {
        let now = window.start() + slot * f64::from(number);
        // The paper's running sum: what was expected of an hour stays expected when the table changes.
        expected += table.posts_with(&calendar, now - slot, now);
        if expected > f64::from(PAGE_SIZE) || now - visited_at > SPAN_MAX {
            let news = between(poster, visited_at, now);
            let shown = &news[news.len().saturating_sub(PAGE_SIZE as usize)..];
            (posts, calls, visited_at, expected) = (posts + shown.len() as u64, calls + 1, now, 0.0);
            if !is_told {
                tell(&mut table, now, shown, shown.len() == PAGE_SIZE as usize);
            }
        }
        if is_told && number % SLOTS as u32 == 0 {
            tell(&mut table, now, between(poster, now - Span::DAY, now), false);
        }
    }
    (posts, calls)
}

/// Posts from one instant to before another.
fn between(poster: &Poster, from: Timestamp, until: Timestamp) -> &[Timestamp] {
    let position = |at: Timestamp| poster.posts.partition_point(|post| *post < at);
    &poster.posts[position(from)..position(until).max(position(from))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_visits_when_a_page_is_full_or_the_span_is_over() {
        // Ten posts an hour: a visit after every eleventh hour, when more than 100 are expected.
        let posts = (0..89 * 24 * 10).map(|number| (0, number * 360)).collect();
        let window = Window { from: Timestamp::from_secs(0), warm_days: 28, eval_days: 61 };
        let history = History::from_posts(window, posts);
        assert_eq!(loop_of(&history, 0.5, true), (133 * 100, 133));
        // Ten posts of each eleven hours are lost; who is not told of them expects less, and comes less often.
        assert_eq!(loop_of(&history, 0.5, false), (116 * 100, 116));
        // One post in the warm-up: visits when 30 days have passed, twice in 61 days.
        let silent = History::from_posts(window, vec![(0, 10)]);
        assert_eq!(loop_of(&silent, 0.9, true), (0, 2));
    }

    #[test]
    fn the_papers_rows_are_interpolated() {
        assert!((papers_in_turn(30_003) - 652_641.0).abs() < 1e-6);
        assert!(papers_in_turn(50_421) > 939_964.0);
        assert!((papers_in_turn(29_822) - 650_256.0).abs() < 5000.0);
    }
}
