//! Calendars on the virtual clock: a run by `hash-week` or `cuvim` looks by the table of the day, and a calendar says which day it is.

use freshet_engine::calendar::{CalendarSpec, Calendars};

use super::*;
use crate::Limits;
use crate::trace::{History, Window};

const ACCOUNTS: u64 = 2;
/// With three fairs, of which the last is looked at.
const DAYS: i64 = 42;
/// These are looked at: the last fair, nine workdays, and two weekends.
const LAST_DAYS: i64 = 14;
/// A Monday.
const FROM: Timestamp = Timestamp::from_secs(1_700_438_400);
/// Posts of these lists count little: nobody looks every five minutes while one is expected an hour.
const WEIGHT: f32 = 0.1;
const BY_DAY: std::ops::Range<i64> = 9..17;
const EVENING: std::ops::Range<i64> = 18..24;

/// A kind of day, by what people post on it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Day {
    /// By day, once an hour.
    Work,
    /// Friday and Saturday: once an hour in the first hours.
    Weekend,
    /// Every other Wednesday: in the evening alone.
    Fair,
}

fn kind_of(day: i64) -> Day {
    match (day.rem_euclid(7), day.rem_euclid(14)) {
        (4 | 5, _) => Day::Weekend,
        (_, 9) => Day::Fair,
        _ => Day::Work,
    }
}

fn at(day: i64, hour: i64, minute: i64) -> Timestamp {
    FROM + Span::MINUTE * ((day * 24 + hour) * 60 + minute) as f64
}

fn history() -> History {
    let mut posts = Vec::new();
    for day in 0..DAYS {
        let hours = match kind_of(day) {
            Day::Work => BY_DAY,
            Day::Weekend => 0..4,
            Day::Fair => EVENING,
        };
        for (user, hour) in (0..ACCOUNTS).flat_map(|user| hours.clone().map(move |hour| (user, hour))) {
            let minute = (7 * user as i64 + 11 * day + 13 * hour) % 60;
            posts.push((user, at(day, hour, minute).secs()));
        }
    }
    let window = Window { from: FROM, warm_days: DAYS as u32 / 2, eval_days: DAYS as u32 / 2 };
    History::from_posts(window, posts)
}

/// The weekend, and every fair by its date.
fn calendar() -> Calendars {
    let fairs = (0..DAYS).filter(|day| kind_of(*day) == Day::Fair);
    let dates = fairs.map(|day| at(day, 0, 0).to_string().chars().take(10).collect()).collect();
    let spec = CalendarSpec {
        weekend: Some(vec!["fri".to_owned(), "sat".to_owned()]),
        holidays: [("fair".to_owned(), dates)].into(),
        ..CalendarSpec::default()
    };
    Calendars([("all".to_owned(), spec)].into())
}

/// Crawls by this policy; gives the looks at a list in these hours of such a day, in the mean of the last weeks.
fn crawl(policy: &'static str, calendar: Option<Calendars>) -> impl Fn(Day, std::ops::Range<i64>) -> f64 {
    let world = World::of_history(&history(), Limits::OFF).unwrap();
    let mut scene = Scene::new(WorldOptions::default(), Span::DAY);
    scene.clock = VirtualClock::new(world.now());
    scene.world = Arc::new(Mutex::new(world));
    scene.policy = policy;
    let lists = scene.sources(ACCOUNTS as usize).into_iter();
    let lists = lists.filter(|source| source.robot == RobotKind::Status);
    let lists: Vec<Source> = lists.map(|source| Source { weight: WEIGHT, ..source }).collect();
    let mut store = furnish(testing::memory(), &lists);
    if let Some(calendars) = calendar {
        calendars.put(&mut *store).unwrap();
    }
    let mut driver = scene.start(store);
    driver.run_until(at(DAYS, 0, 0)).unwrap();
    let looks: Vec<Timestamp> =
        driver.journal.iter().filter(|it| &*it.endpoint == "posts").map(|it| it.sent_at).collect();
    move |kind, hours| {
        let days = (DAYS - LAST_DAYS..DAYS).filter(|day| kind_of(*day) == kind);
        let counts = days.map(|day| {
            let (from, until) = (at(day, hours.start, 0), at(day, hours.end, 0));
            looks.iter().filter(|look| (from..until).contains(*look)).count() as f64
        });
        let counts: Vec<f64> = counts.collect();
        counts.iter().sum::<f64>() / counts.len() as f64 / ACCOUNTS as f64
    }
}

#[test]
fn a_run_looks_by_the_table_of_the_day() {
    for policy in ["hash-week", "cuvim"] {
        let (with, without) = (crawl(policy, Some(calendar())), crawl(policy, None));
        let workday = with(Day::Work, BY_DAY);
        let weekend = [with(Day::Weekend, BY_DAY), without(Day::Weekend, BY_DAY)];
        let fair = [with(Day::Fair, EVENING), without(Day::Fair, EVENING)];
        let says =
            format!("{policy}: {workday:.2} by day, {weekend:.2?} at weekends, {fair:.2?} at the fair");
        assert!(workday >= 4.0, "{says}");
        assert!(weekend[0] <= 0.3 * workday && weekend[0] <= 0.5 * weekend[1], "{says}");
        assert!(fair[0] >= 3.0 && fair[0] >= 2.0 * fair[1], "{says}");
    }
}
