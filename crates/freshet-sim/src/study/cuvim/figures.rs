//! Figures 1 to 4: one account of each kind, its posts by quarter hours of the day [CUVIM, section 3].
//!
//! The paper shows four users it picked. Here nobody picks: the kind of an account is the one that its weeks have most
//! often (`freshet_policy::change::kind`, the rule of the policy `cuvim`), and of each kind the account with the median number
//! of posts is shown. Accounts are named by their number in the trace, and by nothing else.

use freshet_policy::Look;
use freshet_policy::change::kind::{Kind, Week};
use freshet_types::{Span, Timestamp};

use crate::plot::{Plot, Scale};
use crate::study::StudyError;
use crate::study::page::Page;
use crate::study::traces::{CONGRESS, Date, Traces, midnight};
use crate::trace::{By, History, Poster, Window};

/// Two months from a Monday.
const FROM: Date = (2019, 3, 4);
const DAYS: u32 = 61;
const QUARTERS: usize = 96;
/// Figures of the paper: kind, what the paper calls it.
const FIGURES: [(Kind, &str); 4] = [
    (Kind::Inactive, "inactive"),
    (Kind::Unstable, "instable changing"),
    (Kind::Constant, "reasonable constant"),
    (Kind::Authority, "authority"),
];
const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

pub(super) fn run(page: &mut Page, traces: &Traces) -> Result<(), StudyError> {
    let window = Window { from: midnight(FROM), warm_days: DAYS, eval_days: 0 };
    let history = traces.read(CONGRESS, window, By::Author)?;
    let kinds: Vec<Vec<Kind>> =
        history.posters.iter().map(|poster| kinds_by_week(&history, poster)).collect();
    let most: Vec<Kind> = kinds.iter().map(|weeks| most_often(weeks)).collect();
    page.section("Figures 1 to 4: one account of each kind");
    page.text(&format!(
        "New posts in each quarter hour of the day (UTC; Washington is four to five hours behind), a1, {DAYS} days from {}-{:02}-{:02}, summed; for the instable account a line for each \
         day of its busiest week. The {} accounts that posted are told apart by the rule of the policy `cuvim`, week by week, and belong to the kind that most \
         of their {} whole weeks have, of equally many to the less active. Of each kind the account with the median number of posts is shown, of an even number the lower one.",
        FROM.0,
        FROM.1,
        FROM.2,
        history.posters.len(),
        kinds.first().map_or(0, Vec::len),
    ));
    let shown = shown(&history, &most);
    let row = |one: &Shown<'_>| {
        let weeks: Vec<_> = kinds[one.at].iter().map(|kind| kind.name()).collect();
        let counts =
            [one.of_kind.to_string(), one.poster.user.to_string(), one.poster.posts.len().to_string()];
        let [of_kind, user, posts] = counts;
        vec![one.number.to_string(), one.name.to_owned(), of_kind, user, posts, weeks.join(", ")]
    };
    page.table(&["#figure", "kind", "#accounts", "#shown", "#its posts", "its weeks"], shown.iter().map(row));
    for one in &shown {
        draw(page, &history, one);
    }
    page.text(
        "As in the paper, the inactive account is a few single posts; the instable one writes eleven posts within a quarter of an hour of one day and next to nothing on others; the constant one keeps to its hours; the authority is several times as high and rests for six hours \
         only. Unlike the paper's, the constant account has one hill, a working day, and not a peak in the afternoon and one at night: an office keeps this account, not somebody with an evening off. And the authority's peaks are not one for each hour and of equal height, \
         which the paper puts down to clerks or programs that post once an hour; neither of the two authorities here does.",
    );
    Ok(())
}

/// The account of a figure.
struct Shown<'a> {
    number: u32,
    kind: Kind,
    /// What the paper calls its kind.
    name: &'static str,
    /// How many are of its kind.
    of_kind: usize,
    at: usize,
    poster: &'a Poster,
}

/// Who is shown; a kind that nobody has is left out.
fn shown<'a>(history: &'a History, most: &[Kind]) -> Vec<Shown<'a>> {
    let of = |(number, (kind, name)): (u32, &(Kind, &'static str))| {
        let of_kind: Vec<usize> = (0..most.len()).filter(|at| most[*at] == *kind).collect();
        let at = median(history, &of_kind)?;
        Some(Shown { number, kind: *kind, name, of_kind: of_kind.len(), at, poster: &history.posters[at] })
    };
    (1..).zip(&FIGURES).filter_map(of).collect()
}

fn draw(page: &mut Page, history: &History, one: &Shown<'_>) {
    let lines = match one.kind {
        Kind::Unstable => by_day(history, one.poster),
        _ => vec![(format!("{} days", history.window.warm_days), quarters(&one.poster.posts))],
    };
    let title = format!("Figure {}: account {} of a1, {}", one.number, one.poster.user, one.name);
    let (x, y) = (("hour of the day, UTC", Scale::Day), ("new posts in 15 minutes", Scale::Linear));
    page.plot(&format!("cuvim-figure-{}", one.number), &Plot { title: &title, x, y, lines });
}

/// The kind that an account has at the end of each whole week.
fn kinds_by_week(history: &History, poster: &Poster) -> Vec<Kind> {
    let mut week = Week::default();
    let mut kinds = Vec::new();
    for day in 0..history.window.warm_days {
        let news = posts_of(history, poster, day);
        // One look, in the last second of the day.
        let at = history.window.from + Span::DAY * f64::from(day + 1) - Span::SECOND;
        week.learn(&Look { since: Some(at - Span::DAY), at, news, is_full: false });
        if day % 7 == 6 {
            kinds.push(week.kind());
        }
    }
    kinds
}

/// The kind of most weeks; of equally many the less active.
fn most_often(weeks: &[Kind]) -> Kind {
    let count = |kind: Kind| weeks.iter().filter(|week| **week == kind).count();
    // The last of equal ones wins, so the least active comes last.
    FIGURES.iter().rev().map(|(kind, _)| *kind).max_by_key(|kind| count(*kind)).unwrap_or_default()
}

/// Of these accounts the one with the median number of posts, the lower of two.
fn median(history: &History, accounts: &[usize]) -> Option<usize> {
    let mut accounts = accounts.to_vec();
    accounts.sort_by_key(|at| (history.posters[*at].posts.len(), *at));
    accounts.get(accounts.len().checked_sub(1)? / 2).copied()
}

/// An account's posts of one day.
fn posts_of<'a>(history: &History, poster: &'a Poster, day: u32) -> &'a [Timestamp] {
    let begin = history.window.from + Span::DAY * f64::from(day);
    let position = |at: Timestamp| poster.posts.partition_point(|post| *post < at);
    &poster.posts[position(begin)..position(begin + Span::DAY)]
}

/// A line for each day of the week with most posts.
fn by_day(history: &History, poster: &Poster) -> Vec<(String, Vec<(f64, f64)>)> {
    let count =
        |week: u32| -> usize { (0..7).map(|day| posts_of(history, poster, week * 7 + day).len()).sum() };
    // Of equal weeks the first.
    let week = (0..history.window.warm_days / 7).rev().max_by_key(|week| count(*week)).unwrap_or(0);
    let line = |(day, name): (u32, &&str)| {
        let posts = posts_of(history, poster, week * 7 + day);
        (format!("{name}, {} posts", posts.len()), quarters(posts))
    };
    (0..).zip(&WEEKDAYS).map(line).collect()
}

/// Posts by quarter hours of the day.
fn quarters(posts: &[Timestamp]) -> Vec<(f64, f64)> {
    let mut counts = [0_u32; QUARTERS];
    for post in posts {
        counts[(post.secs().rem_euclid(86_400) / 900) as usize] += 1;
    }
    counts.iter().enumerate().map(|(quarter, count)| (quarter as f64 / 4.0, f64::from(*count))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Posts of each day of two weeks from a Monday, at these hours.
    fn history(users: &[(u64, &[(i64, i64)])]) -> History {
        let monday = midnight(FROM).secs();
        let of = |(user, posts): &(u64, &[(i64, i64)])| {
            let user = *user;
            posts
                .iter()
                .map(move |(day, hour)| (user, monday + day * 86_400 + hour * 3600))
                .collect::<Vec<_>>()
        };
        let window = Window { from: midnight(FROM), warm_days: 14, eval_days: 0 };
        History::from_posts(window, users.iter().flat_map(of).collect())
    }

    #[test]
    fn kinds_are_told_by_weeks_and_medians_shown() {
        let daily: Vec<(i64, i64)> = (0..14).map(|day| (day, 9)).collect();
        let burst: Vec<(i64, i64)> = (0..12).map(|number| (number / 6, 10)).collect();
        let history = history(&[(3, &daily), (5, &burst), (8, &[(0, 1)]), (9, &[(1, 1), (2, 1)])]);
        let kinds: Vec<_> = history.posters.iter().map(|poster| kinds_by_week(&history, poster)).collect();
        assert_eq!(kinds[0], [Kind::Constant, Kind::Constant]);
        assert_eq!(kinds[1], [Kind::Unstable, Kind::Inactive]);
        assert_eq!(most_often(&kinds[1]), Kind::Inactive);
        assert_eq!(most_often(&[]), Kind::Inactive);
        assert_eq!(median(&history, &[1, 2, 3]), Some(3));
        assert_eq!(median(&history, &[2, 3]), Some(2));
        assert_eq!(median(&history, &[]), None);
        let lines = by_day(&history, &history.posters[1]);
        assert_eq!((lines.len(), lines[0].0.as_str(), lines[1].1[40]), (7, "Monday, 6 posts", (10.0, 6.0)));
        assert_eq!(quarters(&history.posters[0].posts)[36], (9.0, 14.0));
        let shown = shown(&history, &[Kind::Constant, Kind::Inactive, Kind::Inactive, Kind::Inactive]);
        let found: Vec<_> = shown.iter().map(|one| (one.number, one.poster.user, one.of_kind)).collect();
        assert_eq!(found, [(1, 9, 3), (3, 3, 1)]);
    }
}
