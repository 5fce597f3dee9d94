//! Calendars: what tables for weekends and holidays, and the clock on the wall, change for `hash-week` and `cuvim`.
//!
//! Members of the United States Congress, by the clock of Washington. The warm-up is longer than a year, so that every holiday was seen once
//! when it comes again. Each row adds one thing: one table for all days, a table for weekends by UTC, the same by the clock on the wall, a table
//! for each holiday. Not here: how long holidays of other countries are.

use std::collections::BTreeMap;
use std::sync::Arc;

use freshet_engine::calendar::CalendarSpec;
use freshet_policy::Objective;
use freshet_policy::calendar::Calendar;

use super::StudyError;
use super::page::{Page, hours, percent};
use super::traces::{CONGRESS, Date, Traces, midnight};
use crate::experiment::{Setup, run as experiment};
use crate::trace::{By, History, Window};

const ZONE: &str = "America/New_York";
/// Days to learn from: more than a year.
const WARM_DAYS: u32 = 400;
/// Days that count.
const EVAL_DAYS: u32 = 70;
/// First days of the warm-ups: one evaluation has the winter's holidays, the other the summer's.
const WINDOWS: [(Date, &str); 2] =
    [((2018, 10, 15), "19 November 2019 to 28 January 2020"), ((2020, 5, 20), "24 June to 2 September 2021")];
/// Calls an hour where delay counts, and where posts behind pages of [`PAGE_SIZE`] do.
const DELAY_CALLS: f64 = 60.0;
const CAPTURE_CALLS: f64 = 10.0;
const PAGE_SIZE: u32 = 20;
/// The engine with one table for all days, and with all tables.
const LIVE: [(&str, &str); 2] = [("live:hash", "live:hash-week"), ("live:cuvim", "live:cuvim")];
/// Federal holidays of the United States, the days themselves: fixed ones by month and day, the others year by year.
const FIXED: [(&str, &str); 4] = [
    ("new year's day", "01-01"),
    ("independence day", "07-04"),
    ("veterans day", "11-11"),
    ("christmas day", "12-25"),
];
const MOVING: [(&str, [&str; 4]); 6] = [
    ("birthday of martin luther king", ["2018-01-15", "2019-01-21", "2020-01-20", "2021-01-18"]),
    ("washington's birthday", ["2018-02-19", "2019-02-18", "2020-02-17", "2021-02-15"]),
    ("memorial day", ["2018-05-28", "2019-05-27", "2020-05-25", "2021-05-31"]),
    ("labor day", ["2018-09-03", "2019-09-02", "2020-09-07", "2021-09-06"]),
    ("columbus day", ["2018-10-08", "2019-10-14", "2020-10-12", "2021-10-11"]),
    ("thanksgiving day", ["2018-11-22", "2019-11-28", "2020-11-26", "2021-11-25"]),
];

pub(super) fn run(traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let mut page = Page::new("calendar", "Weekends, holidays and the clock on the wall");
    page.text(&format!(
        "The United States Congress (a1), {WARM_DAYS} days to learn from, so that each holiday was seen once, and {EVAL_DAYS} days that count. *Delay*: \
         mean hours from post to visit at {DELAY_CALLS} calls an hour. *Seen*: the share of posts that are seen at all where a page shows {PAGE_SIZE} and the \
         rest is lost, at {CAPTURE_CALLS} calls an hour with `--objective capture`. Each row adds one thing. Holidays are the federal ones. `live:NAME` is the engine \
         of `freshet run --policy NAME`, with that calendar, against a simulated server that posts as the history does; it learned all year with its own calls. \
         `freshet simulate --calendar FILE --policies hash-week,cuvim,live:cuvim` does the same with any history \
         and calendar.",
    ));
    for (from, label) in WINDOWS {
        let window = Window { from: midnight(from), warm_days: WARM_DAYS, eval_days: EVAL_DAYS };
        let history = traces.read(CONGRESS, window, By::Author)?;
        page.section(label);
        page.table(&["policy", "tables", "#delay", "#seen"], rows(&history)?);
    }
    Ok(vec![page])
}

fn rows(history: &History) -> Result<Vec<Vec<String>>, StudyError> {
    let calendars = calendars()?;
    let plain = [("hash", "one for all days"), ("freshet", "(the default, which has no tables)")];
    let mut rows = Vec::new();
    for policy in ["hash-week", "cuvim"] {
        rows.push(match policy {
            "cuvim" => row(history, policy, "one for all days", None)?,
            _ => row(history, plain[0].0, plain[0].1, None)?,
        });
        for (what, calendar) in &calendars {
            rows.push(row(history, policy, what, Some(Arc::clone(calendar)))?);
        }
    }
    rows.push(row(history, plain[1].0, plain[1].1, None)?);
    let last = calendars.last().map(|(what, calendar)| (*what, Arc::clone(calendar)));
    for (without, with) in LIVE {
        rows.push(row(history, without, plain[0].1, None)?);
        if let Some((what, calendar)) = &last {
            rows.push(row(history, with, what, Some(Arc::clone(calendar)))?);
        }
    }
    Ok(rows)
}

fn row(
    history: &History,
    policy: &str,
    what: &str,
    calendar: Option<Arc<Calendar>>,
) -> Result<Vec<String>, StudyError> {
    let delay =
        experiment(history, policy, &Setup { calendar: calendar.clone(), ..Setup::new(DELAY_CALLS) })?;
    let capture = Setup {
        page_size: Some(PAGE_SIZE),
        objective: Objective::Capture,
        calendar,
        ..Setup::new(CAPTURE_CALLS)
    };
    let seen = experiment(history, policy, &capture)?.coverage.unwrap_or(0.0);
    Ok(vec![format!("`{policy}`"), what.to_owned(), hours(delay.mean_delay_s), percent(seen)])
}

/// Calendars that say more and more.
fn calendars() -> Result<Vec<(&'static str, Arc<Calendar>)>, StudyError> {
    let local = CalendarSpec { zone: Some(ZONE.to_owned()), ..CalendarSpec::default() };
    let all = CalendarSpec { holidays: holidays(), ..local.clone() };
    let compiled = |spec: &CalendarSpec| spec.compile().map(Arc::new).map_err(StudyError::Calendar);
    Ok(vec![
        ("and weekends, by UTC", Arc::new(Calendar::weekends())),
        ("and weekends, by the clock on the wall", compiled(&local)?),
        ("and holidays", compiled(&all)?),
    ])
}

fn holidays() -> BTreeMap<String, Vec<String>> {
    let years = 2018..=2022;
    let dates = |day: &str| years.clone().map(|year| format!("{year}-{day}")).collect();
    let fixed = FIXED.iter().map(|(name, day)| ((*name).to_owned(), dates(day)));
    let moving = MOVING.iter().map(|(name, dates)| ((*name).to_owned(), dates.map(str::to_owned).to_vec()));
    fixed.chain(moving).collect()
}

#[cfg(test)]
mod tests {
    use freshet_policy::calendar::DayKind;
    use freshet_types::Timestamp;

    use super::*;

    #[test]
    fn every_policy_has_a_row_with_and_without_its_tables() {
        let window = Window { from: Timestamp::from_secs(1_700_006_400), warm_days: 3, eval_days: 2 };
        let posts = (0..5 * 24).flat_map(|hour| (0..3).map(move |user| (user, 1_700_006_500 + 3600 * hour)));
        let rows = rows(&History::from_posts(window, posts.collect())).unwrap();
        let live: Vec<[&str; 2]> = rows[9..].iter().map(|row| [&*row[0], &*row[1]]).collect();
        let expected = [
            ["`live:hash`", "one for all days"],
            ["`live:hash-week`", "and holidays"],
            ["`live:cuvim`", "one for all days"],
            ["`live:cuvim`", "and holidays"],
        ];
        assert_eq!(live, expected);
        assert!(rows.iter().all(|row| row.len() == 4 && row[3].ends_with(" %")), "{rows:?}");
    }

    #[test]
    fn the_calendars_of_the_study_are_calendars() {
        let calendars = calendars().unwrap();
        let thanksgiving = midnight((2019, 11, 28)).secs() / 86_400;
        let kinds: Vec<DayKind<'_>> = calendars.iter().map(|(_, it)| it.kind_of(thanksgiving)).collect();
        assert_eq!(kinds, [DayKind::Workday, DayKind::Workday, DayKind::Holiday("thanksgiving day")]);
    }
}
