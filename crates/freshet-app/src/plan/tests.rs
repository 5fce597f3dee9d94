//! Plans of sources whose rates are known by hand.

use freshet_store::api::Store;
use freshet_store::api::interest::Inquiry;
use freshet_store::testing;
use freshet_types::{NetworkName, RobotKind, Source, Timestamp};

use super::*;

/// A hundred lists that were seen to post every hour for two days.
fn store() -> Box<dyn Store> {
    let mut store = testing::memory();
    let memory = Memory::default();
    let policy = memory.policy();
    let hours: Vec<_> = (0..48).map(|hour| Timestamp::from_secs(hour * 3600)).collect();
    let at = Timestamp::from_secs(48 * 3600);
    let sources: Vec<_> = (0..100)
        .map(|number| {
            let mut source = Source::new(
                &NetworkName::from("net"),
                "list",
                RobotKind::Status,
                "account",
                &number.to_string(),
            );
            let facts = freshet_engine::schedule::facts(&source, at);
            let look = freshet_policy::Look { since: None, at, news: &hours, is_full: false };
            let market = memory.market(&source.network, source.robot);
            source.model = policy.learn(&[], &facts, &market, &look);
            source
        })
        .collect();
    store.add_sources(&sources).unwrap();
    store
}

/// By what people asked up to this instant.
const NOW: Timestamp = Timestamp::from_secs(20_000 * 86_400);

fn plan(args: &PlanWish) -> PlanReport {
    plan_of(&*store(), args)
}

fn plan_of(store: &dyn Store, args: &PlanWish) -> PlanReport {
    let memory = Memory::default();
    let policy = memory.policy();
    let importance = Importance::read(store, NOW).unwrap();
    let scopes = scope::read(store, &memory, &*policy, &importance).unwrap();
    let all = Whole { scopes, pacing: policy.pacing() };
    let price = match (args.lag, args.calls_per_hour) {
        (Some(lag), _) => all.price_for_lag(lag.secs_f64()),
        (_, calls) => all.price_for_calls(calls.unwrap_or(1.0)),
    };
    at_price(args, all, price)
}

/// Visits every T have a lag of T/2: a hundred lists at 400 calls an hour wait 7.5 minutes.
fn check(args: &PlanWish, calls_per_hour: f64, lag_s: f64) {
    let report = plan(args);
    let is_near = |got: f64, wanted: f64| (got / wanted - 1.0).abs() < 0.03;
    assert!(is_near(report.calls_per_hour, calls_per_hour), "{args:?}: {} calls/h", report.calls_per_hour);
    assert!(is_near(report.lag_s, lag_s), "{args:?}: {} s", report.lag_s);
}

#[test]
fn a_lag_and_its_calls_are_two_views_of_one_plan() {
    let lag = |secs| PlanWish { lag: Some(Span::from_secs(secs)), ..PlanWish::default() };
    let calls = |calls| PlanWish { calls_per_hour: Some(calls), ..PlanWish::default() };
    check(&lag(450), 400.0, 450.0);
    check(&calls(400.0), 400.0, 450.0);
    // Bounds: nothing every 30 s, nothing less often than every 6 h.
    check(&lag(1), 12_000.0, 15.0);
    check(&calls(1.0), 100.0 / 6.0, 10_800.0);
    check(&calls(1e9), 12_000.0, 15.0);
    assert!(plan(&calls(1.0)).note.is_some_and(|note| note.contains("ceiling")));
    assert!(plan(&lag(1)).note.is_some_and(|note| note.contains("more often")));
}

#[test]
fn the_table_falls_as_calls_rise() {
    let report = plan(&PlanWish { calls_per_hour: Some(200.0), ..PlanWish::default() });
    assert!(report.table.len() > 3 && report.table.is_sorted_by(|a, b| a.lag_s > b.lag_s));
    assert_eq!(report.sources_count, 100);
}

#[test]
fn what_people_ask_about_counts_as_it_does_in_a_run() {
    let mut store = store();
    let asked = store.find_sources("7").unwrap()[0].id;
    let before = plan_of(&*store, &PlanWish { lag: Some(Span::from_secs(450)), ..PlanWish::default() });
    let inquiry = Inquiry { sources: vec![asked], ..Inquiry::default() };
    let day = freshet_engine::importance::day_of(NOW);
    store.count_inquiries(day, &vec![inquiry; 700]).unwrap();
    let importance = Importance::read(&*store, NOW).unwrap();
    let factor = importance.of_source(&store.source(asked).unwrap().unwrap()).factor;
    assert!((factor - 4.0).abs() < 1e-9, "a hundred questions a day about one of a hundred: {factor}");
    // At one price a list of weight w is visited √w times as often. One weighs 4 and 99 weigh ¼, so that the mean lag, by weight, takes
    // (2 + 99/2)²/(4 + 99/4) = 92.25 calls where it took a hundred.
    let after = plan_of(&*store, &PlanWish { lag: Some(Span::from_secs(450)), ..PlanWish::default() });
    let share = after.calls_per_hour / before.calls_per_hour;
    assert!((share - 0.9225).abs() < 0.02, "{share} of the calls");
}
