//! Liu's figure: accuracy of the stored copy against the share of refreshes.
//!
//! A page is the list of an account's or a room's newest 20 posts, looked at every hour of a week. Plans are made
//! from four weeks (the mean of their similarities) and scored on the fifth, which no plan has seen. Compared are evenly
//! spaced refreshes, the two readings of the paper's program (R1 least similar copies, R2 most accurate copy) and R2 on
//! settled similarities. The paper says neither what its pages nor what its accuracy are.

use crate::refresh::{Point, Similarities, Trial, compare, page_similarities};
use freshet_types::{Span, Timestamp};

use super::StudyError;
use super::page::{Page, percent};
use super::traces::{CONGRESS, Date, ROOMS, Traces, midnight};
use crate::plot::{Plot, Scale};
use crate::trace::{By, Poster, Window};

/// Shares of refreshing every hour; the paper's is among them.
const SHARES: [f64; 8] = [0.012, 0.024, 0.05, 0.1, 0.2, 0.367, 0.5, 0.75];
/// The paper's share and accuracy.
const PAPER: (f64, f64) = (0.367, 0.79);
const WEEKS: u32 = 4;
const HOURS_PER_WEEK: u32 = 168;
/// Posts a page shows.
const SHOWN_COUNT: usize = 20;
/// ζ: only instants at which nothing had changed are dropped.
const SIMILARITY_MAX: f64 = 1.0;
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
        "Liu et al. report {} of the information accuracy with {} of the refreshes. Here a page is the list of the newest \
         {SHOWN_COUNT} posts of an account or a room; its accuracy is the mean over all hours of a week of the similarity (Jaccard) of \
         the stored copy and the page. Refreshing every hour is 100 % of the refreshes and 100 % accurate. Plans are made from \
         {WEEKS} weeks and scored on the week after them. *Distinct* is the paper's program read literally (R1: the copies resemble each \
         other least), *accurate* is what the paper measures (R2: the copy resembles the page most, exact), *settled* is R2 with \
         similarities drawn halfway towards a page without a rhythm. The filter drops hours at which nothing had changed in any \
         of the weeks, so a plan may use fewer refreshes than it is allowed.",
        percent(PAPER.1),
        percent(PAPER.0),
    ));
    let mut at_paper = Vec::new();
    let mut lines = Vec::new();
    for (name, trace, date, by) in HISTORIES {
        let from = midnight(date);
        let window = Window { from, warm_days: WEEKS * 7, eval_days: 7 };
        let history = traces.read(trace, window, by)?;
        let is_busy = |poster: &&Poster| poster.posts.len() - history.eval_posts(poster).len() >= POSTS_MIN;
        let pages: Vec<&Poster> = history.posters.iter().filter(is_busy).take(PAGES_MAX).collect();
        let trials = pages.iter().map(|poster| trial(&poster.posts, from)).collect::<Result<Vec<_>, _>>()?;
        let points = compare(&trials, &SHARES, SIMILARITY_MAX);
        table(&mut page, name, trials.len(), &points);
        at_paper.extend(points.iter().filter(|point| is_papers(point)).map(|point| (name, point.clone())));
        let of = |plan: &'static str| {
            let own = points.iter().filter(move |point| point.plan == plan);
            own.map(|point| (point.share_used, point.accuracy)).collect::<Vec<_>>()
        };
        lines.extend(["uniform", "settled"].map(|plan| (format!("{plan}, {name}"), of(plan))));
    }
    papers_point(&mut page, &at_paper);
    let needed =
        |(name, points): &(String, Vec<(f64, f64)>)| format!("{} ({name})", share_for(points, PAPER.1));
    let needed: Vec<_> = lines.iter().map(needed).collect();
    page.text(&format!(
        "Our pages change slowly against an hour, so {} is reached with far fewer refreshes: {}.",
        percent(PAPER.1),
        needed.join(", ")
    ));
    // One history of each kind is enough to see; the legend has room for a word.
    let mut lines = [&lines[..2], &lines[4..6]].concat();
    for (name, _) in &mut lines {
        name.truncate(name.find(", 20").unwrap_or(name.len()));
    }
    let (x, y) = (("share of refreshes", Scale::Logarithmic), ("accuracy", Scale::Linear));
    page.plot("refresh", &Plot { title: "Accuracy of the stored copy", x, y, lines });
    Ok(vec![page])
}

fn is_papers(point: &Point) -> bool {
    (point.share_asked - PAPER.0).abs() < 1e-9
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

fn trial(posts: &[Timestamp], from: Timestamp) -> Result<Trial, StudyError> {
    let week = |number: u32| {
        let hour = |hour: u32| from + Span::HOUR * f64::from(number * HOURS_PER_WEEK + hour);
        let instants: Vec<_> = (0..HOURS_PER_WEEK).map(hour).collect();
        page_similarities(posts, &instants, SHOWN_COUNT)
    };
    let learned = (0..WEEKS).map(week).collect::<Result<Vec<_>, _>>()?;
    Ok(Trial { learned: Similarities::mean(&learned), scored: week(WEEKS)? })
}

fn table(page: &mut Page, name: &str, page_count: usize, points: &[Point]) {
    page.section(name);
    page.text(&format!(
        "{page_count} pages with at least {POSTS_MIN} posts in the four weeks. Accuracy (share used):"
    ));
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

fn papers_point(page: &mut Page, points: &[(&str, Point)]) {
    page.section("At the paper's share");
    page.text(&format!(
        "The paper's point is {} at {}. What it depends on most is how fast pages change between two refreshes, which the paper does \
         not say: its pages are video pages of social networks, ours are lists of posts. A plan can only be as much better than even \
         spacing as the page has a weekly rhythm.",
        percent(PAPER.1),
        percent(PAPER.0)
    ));
    let row = |(name, point): &(&str, Point)| {
        vec![(*name).to_owned(), point.plan.to_owned(), percent(point.share_used), percent(point.accuracy)]
    };
    page.table(&["pages", "plan", "#share used", "#accuracy"], points.iter().map(row));
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
