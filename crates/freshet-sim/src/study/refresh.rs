//! Liu's figure: accuracy of the stored copy against the share of refreshes.
//!
//! A page is the list of an account's or a room's newest 20 posts, looked at every hour of a week; or, where the paper's share is
//! to be hard, of many accounts together, every ten minutes ([`hard`]). Plans are made
//! from four weeks (the mean of their similarities) and scored on the fifth, which no plan has seen. Compared are evenly
//! spaced refreshes, the two readings of the paper's program (R1 least similar copies, R2 most accurate copy) and R2 on
//! settled similarities. The paper says neither what its pages nor what its accuracy are.

mod hard;
mod tuning;
mod weeks;

use self::tuning::SIMILARITY_MAX;
use self::weeks::{LEARNED, SHOWN_COUNT, Weeks};
use super::StudyError;
use super::page::{Page, percent};
use super::traces::{CONGRESS, Date, ROOMS, Traces, midnight};
use crate::plot::{Plot, Scale};
use crate::refresh::{Point, Trial, compare};
use crate::trace::{By, Poster, Window};

/// Shares of refreshing every hour; the paper's is among them.
const SHARES: [f64; 8] = [0.012, 0.024, 0.05, 0.1, 0.2, 0.367, 0.5, 0.75];
/// The paper's share and accuracy.
const PAPER: (f64, f64) = (0.367, 0.79);
/// Minutes between two instants of the coarse grid.
const GRID_MINUTES: u32 = 60;
/// Pages of a history at most, those with the lowest numbers: plans cost far more than visits.
const PAGES_MAX: usize = 150;
/// A page with fewer posts in four weeks has no rhythm to learn.
const POSTS_MIN: usize = 8;

/// Histories: name, trace, first Monday, what is a page.
const HISTORIES: [(&str, &str, Date, By); 4] = [
    ("a1 accounts, 2020-02", CONGRESS, (2020, 2, 3), By::Author),
    ("a1 accounts, 2021-05", CONGRESS, (2021, 5, 3), By::Author),
    ("b6 rooms, 2015-09", ROOMS, (2015, 9, 7), By::Thread),
    ("b6 rooms, 2016-02", ROOMS, (2016, 2, 1), By::Thread),
];

pub(super) fn run(traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let mut page = Page::new("refresh", "Accuracy against share of refreshes");
    page.text(&format!(
        "Liu et al. report {} of the information accuracy with {} of the refreshes. Here a page is a list of the newest \
         {SHOWN_COUNT} posts; its accuracy is the mean over all instants of a week of the similarity (Jaccard) of \
         the stored copy and the page. Refreshing at every instant is 100 % of the refreshes and 100 % accurate. Plans are made from \
         {LEARNED} weeks and scored on the week after them. *Distinct* is the paper's program read literally (R1: the copies resemble each \
         other least), *accurate* is what the paper measures (R2: the copy resembles the page most, exact), *settled* is R2 with \
         similarities drawn towards a page without a rhythm. The filter drops instants at which nothing had changed in any \
         of the weeks, so a plan may use fewer refreshes than it is allowed. All of it takes about two minutes on one core.",
        percent(PAPER.1),
        percent(PAPER.0),
    ));
    hard::run(&mut page, traces)?;
    hourly(&mut page, traces)?;
    Ok(vec![page])
}

/// Pages of single accounts and rooms, every hour: most of them change less often than that.
fn hourly(page: &mut Page, traces: &Traces) -> Result<(), StudyError> {
    page.section("Single accounts and rooms, every hour");
    page.text(&format!(
        "Pages of one account or one room, those with at least {POSTS_MIN} posts in the four weeks, at most {PAGES_MAX}. *Settled* is drawn halfway towards a page without a \
         rhythm. Accuracy (share used):"
    ));
    let mut lines = Vec::new();
    let mut tuned = Vec::new();
    for (name, trace, date, by) in HISTORIES {
        let from = midnight(date);
        let window = Window { from, warm_days: LEARNED * 7, eval_days: 7 };
        let history = traces.read(trace, window, by)?;
        let is_busy = |poster: &&Poster| poster.posts.len() - history.eval_posts(poster).len() >= POSTS_MIN;
        let pages = history.posters.iter().filter(is_busy).take(PAGES_MAX);
        let weeks = pages.map(|poster| Weeks::new(&poster.posts, from, GRID_MINUTES));
        let weeks = weeks.collect::<Result<Vec<_>, _>>()?;
        let trials: Vec<Trial> = weeks.iter().map(Weeks::trial).collect();
        let points = compare(&trials, &SHARES, SIMILARITY_MAX);
        table(page, name, trials.len(), &points);
        tuned.push(tuning_row(name, &weeks, &trials));
        let of = |plan: &'static str| {
            let own = points.iter().filter(move |point| point.plan == plan);
            own.map(|point| (point.share_used, point.accuracy)).collect::<Vec<_>>()
        };
        lines.extend(["uniform", "settled"].map(|plan| (format!("{plan}, {name}"), of(plan))));
    }
    let needed =
        |(name, points): &(String, Vec<(f64, f64)>)| format!("{} ({name})", share_for(points, PAPER.1));
    let needed: Vec<_> = lines.iter().map(needed).collect();
    page.text(&format!(
        "These pages change slowly against an hour, so {} is reached with far fewer refreshes than the paper's: {}.",
        percent(PAPER.1),
        needed.join(", ")
    ));
    // One history of each kind is enough to see; the legend has room for a word.
    let mut lines = [&lines[..2], &lines[4..6]].concat();
    for (name, _) in &mut lines {
        name.truncate(name.find(", 20").unwrap_or(name.len()));
    }
    let (x, y) = (("share of refreshes", Scale::Logarithmic), ("accuracy", Scale::Linear));
    page.plot("refresh", &Plot { title: "Accuracy of the stored copy, hourly", x, y, lines });
    tuning(page, tuned);
    Ok(())
}

/// What weeks that are not scored would have settled by, and what that would have brought.
fn tuning_row(name: &str, weeks: &[Weeks], trials: &[Trial]) -> Vec<String> {
    let rehearsals: Vec<Trial> = weeks.iter().map(Weeks::rehearsal).collect();
    let best = tuning::best(&rehearsals, &SHARES);
    let scored = tuning::TRIED.map(|settled| tuning::settled_accuracy(trials, &SHARES, settled));
    let mut row = vec![name.to_owned(), best.to_string()];
    row.extend(scored.map(|accuracy| format!("{:.2} %", accuracy * 100.0)));
    row
}

fn tuning(page: &mut Page, rows: Vec<Vec<String>>) {
    page.section("What was tuned");
    page.text(&format!(
        "One parameter: by how much *settled* trusts distances instead of hours. In the hourly tables it is 0.5, picked from {} by one week of real accounts that was scored then; which week is not \
         recorded, so it may be one of those above, and their column *settled* may flatter. Chosen anew for each history by weeks that are not scored (plans from the first three weeks on the \
         fourth), and what each choice would have brought on the scored week, as the mean over all shares:",
        tuning::tried()
    ));
    let mut columns = vec!["pages".to_owned(), "#chosen by the fourth week".to_owned()];
    columns.extend(tuning::TRIED.map(|settled| format!("#scored, settled by {settled}")));
    page.table(&columns.iter().map(String::as_str).collect::<Vec<_>>(), rows);
    page.text(
        "So 0 is bad for single accounts and rooms, whose four weeks are mostly accidents, and of the rest the choice hardly matters: 0.5 is within a quarter of a point of the best, and nothing above hangs on the week it was picked by. On lists of 250 accounts 0 or 0.25 is \
         chosen: what so many do together has a rhythm that four weeks show. Not tuned: ζ (only instants at which nothing changed are dropped), 20 posts a page, four weeks to learn from, eight posts for a page to count.",
    );
}

/// The share at which an accuracy is reached, on the straight line between two points.
fn share_for(points: &[(f64, f64)], accuracy: f64) -> String {
    let Some(first) = points.first().filter(|first| first.1 < accuracy) else {
        return points.first().map_or("-".to_owned(), |first| format!("under {}", percent(first.0)));
    };
    let Some(after) = points.iter().position(|point| point.1 >= accuracy) else { return "never".to_owned() };
    let (low, high) = (points.get(after - 1).unwrap_or(first), &points[after]);
    percent(low.0 + (high.0 - low.0) * (accuracy - low.1) / (high.1 - low.1))
}

fn table(page: &mut Page, name: &str, page_count: usize, points: &[Point]) {
    page.text(&format!("{name}, {page_count} pages:"));
    let cell = |plan: &str, share: f64| {
        let point =
            points.iter().find(|point| point.plan == plan && (point.share_asked - share).abs() < 1e-9);
        point.map_or("-".to_owned(), |point| {
            format!("{} ({})", percent(point.accuracy), percent(point.share_used))
        })
    };
    let plans = ["uniform", "distinct", "accurate", "settled"];
    let rows = SHARES.iter().map(|share| {
        let mut row = vec![percent(*share)];
        row.extend(plans.map(|plan| cell(plan, *share)));
        row
    });
    page.table(&["#share allowed", "#uniform", "#distinct (R1)", "#accurate (R2)", "#settled"], rows);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_off_the_line() {
        let points = [(0.1, 0.5), (0.2, 0.7), (0.4, 0.9)];
        for (accuracy, expected) in [(0.6, "15.0 %"), (0.8, "30.0 %"), (0.4, "under 10.0 %"), (0.95, "never")]
        {
            assert_eq!(share_for(&points, accuracy), expected, "{accuracy}");
        }
        assert_eq!(share_for(&[], 0.5), "-");
    }
}
