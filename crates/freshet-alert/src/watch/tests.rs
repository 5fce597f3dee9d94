//! A watch over a store with sources in every state of interest.

use freshet_app::config::Config;
use freshet_policy::{DEFAULT_POLICY, Look, Objective, Pacing, policy_named};
use freshet_store::subscription::{Subscription, Way};
use freshet_store::testing;
use freshet_types::{Coverage, Interval, Mark, NetworkName, RobotKind, VisitId};
use serde_json::{Value, json};

use super::super::rule::RuleName;
use super::*;

#[derive(Debug)]
struct Fixed(Timestamp);

impl Clock for Fixed {
    fn now(&self) -> Timestamp {
        self.0
    }
}

fn now() -> Timestamp {
    Timestamp::from_secs(1_770_000_000)
}

/// Posts every two hours for sixty days, until so many days ago.
fn model(silent_days: f64) -> Vec<u8> {
    let policy = policy_named(DEFAULT_POLICY, Pacing::default()).unwrap();
    let mut market = Market::new(Objective::Delay);
    let last_at = now() - Span::DAY * silent_days;
    let mut bytes = Vec::new();
    for day in (0..60).rev() {
        let at = last_at - Span::DAY * f64::from(day);
        let news: Vec<Timestamp> = (0..12).map(|hour| at - Span::HOUR * f64::from(hour * 2)).collect();
        let look = Look { since: Some(at - Span::DAY), at, news: &news, is_full: false };
        let facts = freshet_engine::schedule::facts(&source("x"), at);
        bytes = policy.learn(&bytes, &facts, &market, &look);
        market.pool.learn(&look);
    }
    bytes
}

fn source(id: &str) -> Source {
    let mut source =
        Source::new(&NetworkName::from("mastodon:a.example"), "posts", RobotKind::Status, "account", id);
    source.visited_at = Some(now() - Span::MINUTE);
    source.due_at = now() + Span::DAY;
    source
}

/// A list of which a stretch has scrolled away.
fn holed(from: Timestamp, to: Timestamp) -> Coverage {
    let interval = |at: Timestamp, is_bottom| Interval {
        newest: Mark { id: "9".to_owned(), at },
        oldest: Mark { id: "8".to_owned(), at },
        until: at,
        below: None,
        is_bottom,
        visit: VisitId(1),
    };
    Coverage { intervals: vec![interval(to, false), interval(from, true)], ..Coverage::default() }
}

fn watch(dir: &Path, sources: &[Source], report: Value) -> Watch {
    let mut store = testing::open(&dir.join("store.sqlite"));
    store.add_sources(sources).unwrap();
    for (at, source) in sources.iter().enumerate() {
        store.put_source(&Source { id: SourceId(at as u32 + 1), ..source.clone() }).unwrap();
    }
    let clock: Arc<dyn Clock> = Arc::new(Fixed(now()));
    let (_, reports) = watch::channel(serde_json::from_value(report).unwrap());
    let sender = Sender::new(&Config::default(), "test@freshet.invalid".to_owned(), Arc::clone(&clock));
    Watch::new(WatchKit { dir: dir.to_owned(), store, clock, reports, sender }).unwrap()
}

#[test]
fn every_rule_finds_its_case_once() {
    let dir = tempfile::tempdir().unwrap();
    let sources = [
        Source { model: model(0.1), ..source("well") },
        Source { model: model(6.0), ..source("silent") },
        Source { state: SourceState::Gone, ..source("gone") },
        Source { state: SourceState::AuthRequired, ..source("locked") },
        Source {
            model: model(0.1),
            coverage: holed(now() - Span::DAY * 3.0, now() - Span::DAY * 2.0),
            ..source("holed")
        },
        Source { state: SourceState::Removed, ..source("removed") },
    ];
    let report = json!({"quotas": [
        {"network": "n", "rule": "api", "holder": "ip", "window_s": 3600.0, "blocked_until": now().secs_f64() + 3000.0},
        {"network": "n", "rule": "other", "holder": "ip", "window_s": 3600.0, "blocked_until": null},
    ], "trouble": {"part": "store", "what": "it is full", "since": now().secs_f64() - 60.0, "advice": "make room"}});
    let mut watch = watch(dir.path(), &sources, report);
    watch.tick(false).unwrap();
    watch.tick(true).unwrap();
    let mut found: Vec<(RuleName, String)> =
        watch.memory.alerts().map(|alert| (alert.rule, alert.subject.clone())).collect();
    found.sort();
    let has =
        |rule: RuleName, part: &str| found.iter().any(|(of, subject)| *of == rule && subject.contains(part));
    assert!(has(RuleName::Silence, "silent"), "{found:?}");
    assert!(has(RuleName::Dead, "gone"), "{found:?}");
    assert!(has(RuleName::Login, "mastodon:a.example"), "{found:?}");
    assert!(has(RuleName::Hole, "holed"), "{found:?}");
    assert!(has(RuleName::Quota, "n api ip"), "{found:?}");
    assert!(has(RuleName::Store, "store"), "{found:?}");
    assert_eq!(found.len(), 6, "{found:?}");
    // A new process knows them.
    assert_eq!(Memory::from_store(&watch.store).unwrap().alerts().count(), 6);
}

#[test]
fn subscribers_who_want_alerts_are_told_of_each_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut watch = watch(dir.path(), &[Source { state: SourceState::Gone, ..source("gone") }], json!({}));
    let subscription = Subscription {
        kinds: vec![Kind::Alerts],
        added_at: now(),
        ..testing::subscription("a", Way::Stdout)
    };
    assert!(watch.store.add_subscription(&subscription, 0).unwrap());
    watch.tick(false).unwrap();
    watch.tick(true).unwrap();
    let notices = watch.store.notices_above(0, 9).unwrap();
    let records: Vec<Value> =
        notices.iter().map(|notice| serde_json::from_str(&notice.record).unwrap()).collect();
    assert_eq!(records.len(), 1, "{records:?}");
    assert_eq!((&records[0]["rule"], &records[0]["id"]), (&json!("dead"), &json!("alert/1")));
    assert!(records[0]["subject"].as_str().unwrap().contains("gone"), "{records:?}");
}

#[test]
fn a_wrong_file_leaves_the_old_rules_in_force() {
    let dir = tempfile::tempdir().unwrap();
    let mut watch = watch(dir.path(), &[Source { state: SourceState::Gone, ..source("gone") }], json!({}));
    let file = config::path(dir.path());
    std::fs::write(&file, "[rules.dead]\nis_on = false\n").unwrap();
    watch.tick(false).unwrap();
    assert_eq!(watch.memory.alerts().count(), 0, "the rule is off");
    std::fs::write(&file, "nonsense").unwrap();
    watch.config_at = None;
    watch.tick(false).unwrap();
    assert_eq!(watch.memory.alerts().count(), 0, "the rule stays off");
    std::fs::remove_file(&file).unwrap();
    watch.tick(false).unwrap();
    assert_eq!(watch.memory.alerts().count(), 1, "all is as usual");
}

#[test]
fn many_sources_are_looked_at_in_turn() {
    let dir = tempfile::tempdir().unwrap();
    let sources: Vec<Source> = (0..SOURCES_PER_TICK + 50)
        .map(|number| Source { state: SourceState::Gone, ..source(&number.to_string()) })
        .collect();
    let mut watch = watch(dir.path(), &sources, json!({}));
    let mut counts = Vec::new();
    for _ in 0..3 {
        watch.tick(false).unwrap();
        counts.push(watch.memory.alerts().count());
    }
    assert_eq!(counts, [SOURCES_PER_TICK, SOURCES_PER_TICK + 50, SOURCES_PER_TICK + 50]);
}

#[test]
fn a_server_that_is_down_is_told_once_and_its_sources_are_not() {
    let dir = tempfile::tempdir().unwrap();
    let failed = |id: &str| Source { state: SourceState::Failed, visited_at: None, ..source(id) };
    let report = json!({"servers": [
        {"network": "mastodon:a.example", "is_down": true, "since": now().secs_f64() - 600.0, "said": "no connection",
         "sources_count": 2},
        {"network": "mastodon:b.example", "is_down": false, "since": now().secs_f64() - 600.0, "said": "no answer"},
    ]});
    let mut watch = watch(dir.path(), &[failed("one"), failed("two")], report);
    watch.tick(false).unwrap();
    watch.tick(true).unwrap();
    let found: Vec<(RuleName, String)> =
        watch.memory.alerts().map(|alert| (alert.rule, alert.subject.clone())).collect();
    assert_eq!(found, [(RuleName::Server, "mastodon:a.example".to_owned())]);
}
