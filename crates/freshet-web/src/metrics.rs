//! The numbers for Prometheus, named after the ten steps of a post.
//!
//! Text format 0.0.4: a help and a type line for each name, then its values. Counters are those of
//! the run under way; they start anew with it, which Prometheus expects.

use std::fmt::Write as _;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use freshet_report::run::{PriceStatus, QuotaStatus, RunWork};
use freshet_report::status::{RunSummary, StatusReport};
use freshet_report::subscriptions::SubscriptionLine;
use freshet_types::{NetworkName, RobotKind, SourceState};

use super::Shared;
use super::answer::Answer;
use super::site::Site;

/// A name, its type, its help, and its value; none where nobody has measured it yet, which is not zero.
type Metric = (&'static str, &'static str, &'static str, fn(&StatusReport) -> Option<f64>);

/// The numbers without labels.
const NUMBERS: [Metric; 20] = [
    ("freshet_up", "gauge", "A run is under way", |it| Some(f64::from(u8::from(it.is_running)))),
    ("freshet_schedule_sources", "gauge", "Sources in the schedule", |it| {
        run(it, |run| run.work.queues.sources)
    }),
    ("freshet_schedule_due", "gauge", "Sources that are due", |it| run(it, |run| run.work.queues.due)),
    ("freshet_schedule_backlog", "gauge", "Sources with history left", |it| {
        run(it, |run| run.work.queues.backlog)
    }),
    ("freshet_pick_open_visits", "gauge", "Visits under way", |it| {
        run(it, |run| run.work.queues.open_visits)
    }),
    ("freshet_pick_visits_total", "counter", "Visits ended", |it| Some(it.visits_count as f64)),
    ("freshet_plan_repriced_total", "counter", "Due sources sent back by risen prices", |it| {
        run(it, |run| run.repriced_count)
    }),
    ("freshet_ask_postponed_total", "counter", "Requests that waited for a quota or for politeness", |it| {
        run(it, |run| run.postponed_count)
    }),
    ("freshet_fetch_requests_total", "counter", "Requests sent", |it| Some(it.fetches_count as f64)),
    ("freshet_fetch_rate_limited_total", "counter", "Answers that said too many", |it| {
        Some(it.rate_limited_count as f64)
    }),
    ("freshet_read_posts_total", "counter", "Posts read, known ones included", |it| {
        run(it, |run| run.posts_read_count)
    }),
    ("freshet_read_complaints_total", "counter", "Records that could not be used", |it| {
        run(it, |run| run.complaints_count)
    }),
    ("freshet_compare_edited_total", "counter", "Posts found edited", |it| run(it, |run| run.edited_count)),
    ("freshet_apply_new_posts_total", "counter", "Posts never seen before", |it| {
        run(it, |run| run.new_posts_count)
    }),
    ("freshet_apply_posts", "gauge", "Posts in the store", |it| Some(it.posts_count as f64)),
    ("freshet_apply_deleted_posts", "gauge", "Posts marked as deleted", |it| Some(it.deleted_count as f64)),
    ("freshet_apply_accounts", "gauge", "Accounts in the store", |it| Some(it.accounts_count as f64)),
    ("freshet_apply_relations", "gauge", "Relations in the store", |it| Some(it.relations_count as f64)),
    ("freshet_deliver_changes", "gauge", "Lines of the change log", |it| Some(it.changes_count as f64)),
    ("freshet_learn_lag_median_seconds", "gauge", "Median lag of recent news", |it| {
        it.lag_s.map(|lag| lag.median)
    }),
];

/// A count of the last run.
fn run(status: &StatusReport, count: fn(&RunSummary) -> u64) -> Option<f64> {
    status.run.as_ref().map(|run| count(run) as f64)
}

/// The text.
pub(super) async fn page(State(site): State<Shared>) -> Answer<Response> {
    let status = site.read(Site::status).await?;
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4")], text(&status)).into_response())
}

fn text(status: &StatusReport) -> String {
    let mut out = String::new();
    for (name, kind, help, value) in NUMBERS {
        family(&mut out, name, kind, help, [(Labels::new(), value(status))]);
    }
    let p90 = status.lag_s.map(|lag| lag.p90);
    let about = "Nine of ten lags are below";
    family(&mut out, "freshet_learn_lag_p90_seconds", "gauge", about, [(Labels::new(), p90)]);
    let of_state = |(state, count): (&SourceState, &u64)| (label("state", state.name()), Some(*count as f64));
    let states = status.sources.iter().map(of_state);
    family(&mut out, "freshet_schedule_sources_by_state", "gauge", "Sources in the store", states);
    write_subscriptions(&mut out, &status.subscriptions);
    write_work(&mut out, status.work());
    out
}

/// Who gets changes; these counters are kept in the store and go on with the next run.
fn write_subscriptions(out: &mut String, lines: &[SubscriptionLine]) {
    let each = |of: fn(&SubscriptionLine) -> u64| {
        lines.iter().map(move |it| (label("subscription", &it.name), Some(of(it) as f64)))
    };
    let about = "Changes that a subscriber is behind";
    family(out, "freshet_deliver_behind", "gauge", about, each(|it| it.behind));
    let about = "Records that a subscriber has taken";
    family(out, "freshet_deliver_records_total", "counter", about, each(|it| it.delivered_count));
    let about = "Records that were dropped because a subscriber was too far behind";
    family(out, "freshet_deliver_dropped_total", "counter", about, each(|it| it.dropped_count));
    let about = "Records that a subscriber took without their content, which is not kept and was gone";
    family(out, "freshet_deliver_lost_total", "counter", about, each(|it| it.lost_count));
    let about = "Tries to deliver that failed";
    family(out, "freshet_deliver_failures_total", "counter", about, each(|it| it.failed_count));
}

/// What the last run says with labels.
fn write_work(out: &mut String, work: &RunWork) {
    let of_robot = |(robot, count): (&RobotKind, &u64)| (label("robot", robot.name()), Some(*count as f64));
    let posts = work.posts_by_robot.iter().map(of_robot);
    family(out, "freshet_apply_new_posts_by_robot_total", "counter", "Posts never seen before", posts);
    let collected = work.collected_by_robot.iter().map(|(robot, count)| {
        let what = ("what", robot.collects().to_owned());
        (vec![("robot", robot.name().to_owned()), what], Some(*count as f64))
    });
    let about = "What each robot is there for: relations, profiles, posts, replies, tags, members";
    family(out, "freshet_apply_collected_by_robot_total", "counter", about, collected);
    let faults = work.faults.iter().map(|it| (label("kind", &it.kind), Some(it.count as f64)));
    family(out, "freshet_fetch_faults_total", "counter", "Exchanges without an answer", faults);
    let prices = |of: fn(&PriceStatus) -> f64| {
        work.prices.iter().map(move |it| (scope(&it.network, &it.rule, &it.holder), Some(of(it))))
    };
    let about = "Waiting of posts that one call must end";
    family(out, "freshet_plan_price_post_seconds", "gauge", about, prices(|it| it.price_post_s));
    let about = "Calls an hour that may be spent";
    family(out, "freshet_plan_budget_calls_per_hour", "gauge", about, prices(|it| it.budget_per_h));
    let quotas = |of: fn(&QuotaStatus) -> f64| {
        work.quotas.iter().map(move |it| (scope(&it.network, &it.rule, &it.holder), Some(of(it))))
    };
    let about = "Calls that are granted at once";
    family(out, "freshet_ask_quota_ready", "gauge", about, quotas(|it| it.ready));
    let granted = quotas(|it| it.granted_count as f64);
    family(out, "freshet_ask_quota_granted_total", "counter", "Calls granted", granted);
}

type Labels = Vec<(&'static str, String)>;

fn label(name: &'static str, value: &str) -> Labels {
    vec![(name, value.to_owned())]
}

/// Whose quota or price it is.
fn scope(network: &NetworkName, rule: &str, holder: &str) -> Labels {
    vec![("network", network.to_string()), ("rule", rule.to_owned()), ("holder", holder.to_owned())]
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// One name with its labelled values; nothing where there is none, or no number.
fn family(
    out: &mut String,
    name: &str,
    kind: &str,
    help: &str,
    values: impl IntoIterator<Item = (Labels, Option<f64>)>,
) {
    let known = |(labels, value): (Labels, Option<f64>)| Some((labels, value.filter(|it| it.is_finite())?));
    let mut values = values.into_iter().filter_map(known).peekable();
    if values.peek().is_none() {
        return;
    }
    head(out, name, kind, help);
    for (labels, value) in values {
        let shown: Vec<_> = labels.iter().map(|(key, text)| format!("{key}=\"{}\"", escape(text))).collect();
        let shown = if shown.is_empty() { String::new() } else { format!("{{{}}}", shown.join(",")) };
        let _ = writeln!(out, "{name}{shown} {value}");
    }
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_written_as_prometheus_reads_them() {
        let mut status = StatusReport { is_running: true, ..StatusReport::default() };
        let live = json!({
            "fetches_count": 7, "lag_s": null,
            "collected_by_robot": { "relation": 5 },
            "faults": [{ "kind": "time\"out\n", "count": 2 }],
            "prices": [{ "network": "n", "rule": "api", "holder": "ip", "price_post_s": 1.5 }],
        });
        status.add_run(serde_json::from_value(live).unwrap());
        let text = text(&status);
        for line in [
            "freshet_up 1",
            "# TYPE freshet_fetch_requests_total counter",
            "freshet_fetch_requests_total 7",
            "freshet_apply_collected_by_robot_total{robot=\"relation\",what=\"relations\"} 5",
            "freshet_fetch_faults_total{kind=\"time\\\"out\\n\"} 2",
            "freshet_plan_price_post_seconds{network=\"n\",rule=\"api\",holder=\"ip\"} 1.5",
        ] {
            assert!(text.lines().any(|it| it == line), "`{line}` is not in\n{text}");
        }
        assert!(!text.contains("lag") && !text.contains("NaN"), "{text}");
    }
}
