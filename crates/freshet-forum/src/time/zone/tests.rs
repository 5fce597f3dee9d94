//! Boards of many paces in many zones, as they look when they are fetched.

use super::*;
use crate::time::scan;

/// Sunday, 20 July 2025, 12:00 UTC.
const FETCHED_S: i64 = 1_753_012_800;

/// Times as a site shows them that is `offset_s` east of Greenwich, of posts so many minutes before the fetch.
fn shown(fetched_s: i64, offset_s: i64, ages_min: &[i64]) -> Vec<Sighting> {
    let text = |age_min: &i64| {
        let local = jiff::Timestamp::from_second(fetched_s - age_min * 60 + offset_s).unwrap();
        local.strftime("%d %b %Y, %H:%M").to_string()
    };
    ages_min.iter().flat_map(|age_min| sightings(&text(age_min), fetched_s)).collect()
}

fn sightings(text: &str, fetched_s: i64) -> Vec<Sighting> {
    scan(text).into_iter().map(|(_, written)| Sighting { written, fetched_s }).collect()
}

/// A post every `pace_min` minutes, the newest `age_min` old.
fn steady(age_min: i64, pace_min: i64, count: i64) -> Vec<i64> {
    (0..count).map(|at| age_min + at * pace_min).collect()
}

fn check(case: &str, sightings: &[Sighting], expected: Option<i32>) {
    let found = estimate(sightings, DayOrder::DayFirst);
    assert_eq!(found.map(|it| it.offset_s), expected, "{case}: {found:?}");
    assert!(found.is_none_or(|it| (CERTAINTY_MIN..=1.0).contains(&it.certainty)), "{case}: {found:?}");
}

#[test]
fn a_busy_board_tells_its_offset() {
    for minutes in OFFSETS_MIN {
        let offset_s = minutes * 60;
        let ages = steady(3, 7, 250);
        check("busy", &shown(FETCHED_S, i64::from(offset_s), &ages), Some(offset_s));
    }
}

#[test]
fn what_proves_little_is_left_unsaid() {
    let evenings: Vec<i64> = (0..3).flat_map(|day| steady(180 + day * 1_440, 10, 48)).collect();
    for (case, ages) in [
        ("nobody posts", vec![]),
        ("too few", steady(1, 2, 5)),
        ("two hours of a busy day", steady(3, 7, 18)),
        ("a post a day", steady(60, 1_440, 40)),
        ("three hours into the night", evenings),
        ("dead for a fortnight", steady(20_160, 5, 400)),
        ("a clock that is ten minutes ahead", steady(-10, 7, 250)),
    ] {
        check(case, &shown(FETCHED_S, 7_200, &ages), None);
    }
    check("times with a zone", &sightings(&"2025-07-20T11:59:00Z ".repeat(9), FETCHED_S), None);
    check("times that count back", &sightings(&"3 minutes ago, ".repeat(9), FETCHED_S), None);
}

#[test]
fn dates_of_the_future_are_no_posts() {
    let mut times = shown(FETCHED_S, -18_000, &steady(2, 6, 300));
    times.extend(shown(FETCHED_S, 0, &[-100_000, -5_000_000]));
    check("a calendar beside the board", &times, Some(-18_000));
}

#[test]
fn days_without_dates_are_read_in_the_zone_that_is_tried() {
    // Fetched at 14:00 in the zone of the forum; a post every five minutes.
    let text = |age_min: i64| {
        let (day, minute) =
            if age_min <= 840 { ("Today", 840 - age_min) } else { ("Yesterday", 2_280 - age_min) };
        format!("{day}, {:02}:{:02}", minute / 60, minute % 60)
    };
    let times: Vec<Sighting> =
        steady(2, 5, 320).into_iter().flat_map(|age_min| sightings(&text(age_min), FETCHED_S)).collect();
    check("today", &times, Some(7_200));
}

#[test]
fn summer_and_winter_together_have_no_offset() {
    let winter_s = FETCHED_S - 180 * 86_400;
    let of = |fetched_s, offset_s| shown(fetched_s, offset_s, &steady(2, 6, 300));
    check("both", &[of(FETCHED_S, 7_200), of(winter_s, 3_600)].concat(), None);
    check("twice the same", &[of(FETCHED_S, 7_200), of(winter_s, 7_200)].concat(), Some(7_200));
    let quiet = shown(winter_s, 3_600, &steady(60, 1_440, 40));
    check("one era is silent", &[of(FETCHED_S, 7_200), quiet].concat(), Some(7_200));
}
