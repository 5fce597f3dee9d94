//! What people write, and what is said of it.

use freshet_policy::calendar::DayKind;
use freshet_types::Timestamp;

use super::*;

fn spec(zone: Option<&str>, weekend: Option<&[&str]>, holidays: &[(&str, &[&str])]) -> CalendarSpec {
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    CalendarSpec {
        zone: zone.map(str::to_owned),
        weekend: weekend.map(owned),
        holidays: holidays.iter().map(|(name, dates)| ((*name).to_owned(), owned(dates))).collect(),
    }
}

fn at(text: &str) -> Timestamp {
    Timestamp::from_secs(text.parse::<jiff::Timestamp>().unwrap().as_second())
}

#[test]
fn hours_and_days_are_those_of_the_zone() {
    let new_year: &[&str] = &["2025-01-01", "2026-01-01"];
    let calendar = spec(Some("America/New_York"), None, &[("new year", new_year)]).compile().unwrap();
    for (instant, hour, kind) in [
        ("2026-01-01T04:59:59Z", 23, DayKind::Workday),
        ("2026-01-01T05:00:00Z", 0, DayKind::Holiday("new year")),
        // In summer the clock is an hour nearer.
        ("2026-07-04T03:59:59Z", 23, DayKind::Workday),
        ("2026-07-04T04:00:00Z", 0, DayKind::Weekend),
        ("2026-07-06T12:00:00Z", 8, DayKind::Workday),
    ] {
        let (day, found) = calendar.day_and_hour(at(instant));
        assert_eq!((found, calendar.kind_of(day)), (hour, kind), "{instant}");
    }
    let other = spec(None, Some(&["Fri", "sat"]), &[]).compile().unwrap();
    let kind = |instant| other.kind_of(other.day_and_hour(at(instant)).0);
    assert_eq!(kind("2026-07-03T12:00:00Z"), DayKind::Weekend);
    assert_eq!(kind("2026-07-05T12:00:00Z"), DayKind::Workday);
}

#[test]
fn what_is_wrong_is_said_by_its_key() {
    let many: Vec<String> =
        (0..400).flat_map(|_| ["2026-01-01", "2026-01-02", "2026-01-03"]).map(str::to_owned).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let long = "x".repeat(81);
    for (spec, expected) in [
        (spec(None, None, &[]), "it is empty"),
        (spec(Some("Mars/Olympus"), None, &[]), "no time zone `Mars/Olympus`"),
        (spec(Some("../etc/passwd"), None, &[]), "no time zone"),
        (spec(None, Some(&["sat", "someday"]), &[]), "`someday` is no day"),
        (spec(None, Some(&["sat", "SAT"]), &[]), "stands there twice"),
        (spec(None, Some(&DAYS), &[]), "workdays"),
        (spec(None, None, &[("carnival", &["2026-02-30"])]), "`carnival`: there is no date `2026-02-30`"),
        (spec(None, None, &[("carnival", &["2026-2-3"])]), "there is no date"),
        (spec(None, None, &[("carnival", &["2026-02-16T00:00"])]), "there is no date"),
        (spec(None, None, &[("carnival", &["0001-01-01"])]), "between 1990 and 2099"),
        (spec(None, None, &[("carnival", &[])]), "`carnival` has no dates"),
        (
            spec(None, None, &[("a", &["2026-01-01", "2026-01-01"])]),
            "2026-01-01 is `a`, and it is `a` as well",
        ),
        (spec(None, None, &[("a", &["2026-01-01"]), ("b", &["2026-01-01"])]), "is `a`, and it is `b`"),
        (spec(None, None, &[("", &["2026-01-01"])]), "a name has"),
        (spec(None, None, &[(&long, &["2026-01-01"])]), "a name has"),
        (spec(None, None, &[("a", &many)]), "at most 64 names and 1000 dates"),
    ] {
        let error = spec.compile().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}, not {expected}");
    }
}

#[test]
fn the_narrowest_scope_holds() {
    let named = |name: &str| spec(None, None, &[(name, &["2026-01-01"])]);
    let scopes = ["all", "mastodon", "mastodon:a.example", "source 7"];
    let all = Calendars(scopes.map(|scope| (scope.to_owned(), named(scope))).into());
    let compiled = all.compile().unwrap();
    for (number, network, expected) in [
        (7, "rss", "source 7"),
        (8, "rss", "all"),
        (8, "mastodon:b.example", "mastodon"),
        (8, "mastodon:a.example", "mastodon:a.example"),
    ] {
        let network = NetworkName::from(network);
        let told = compiled.of(&network);
        let kind = told.of(number).unwrap().kind_of(20_454);
        assert_eq!(kind, DayKind::Holiday(expected), "{number} {network}");
    }
    let usual = Arc::new(named("usual").compile().unwrap());
    let kind = |compiled: Compiled| {
        let told = compiled.or_for_all(Some(&usual)).of(&NetworkName::from("rss"));
        told.of(8).map(|calendar| matches!(calendar.kind_of(20_454), DayKind::Holiday("usual")))
    };
    assert_eq!((kind(Compiled::default()), kind(compiled)), (Some(true), Some(false)));
    let wrong = Calendars([("rss".to_owned(), named(""))].into());
    assert!(wrong.compile().unwrap_err().contains("the calendar of `rss`"));
}
