//! The numbers for Prometheus, named after the ten steps of a post.
//!
//! Text format 0.0.4: a help and a type line for each name, then its values. Counters are those of
//! the run under way; they start anew with it, which Prometheus expects.

use std::fmt::Write as _;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use serde_json::Value;

use super::Shared;
use super::answer::Answer;
use super::site::Site;

/// A name, its type, its help, and where its value stands in the status report.
const NUMBERS: [(&str, &str, &str, &str); 20] = [
    ("freshet_up", "gauge", "A run is under way", "/is_running"),
    ("freshet_schedule_sources", "gauge", "Sources in the schedule", "/queues/sources"),
    ("freshet_schedule_due", "gauge", "Sources that are due", "/queues/due"),
    ("freshet_schedule_backlog", "gauge", "Sources with history left", "/queues/backlog"),
    ("freshet_pick_open_visits", "gauge", "Visits under way", "/queues/open_visits"),
    ("freshet_pick_visits_total", "counter", "Visits ended", "/visits_count"),
    ("freshet_plan_repriced_total", "counter", "Due sources sent back by risen prices", "/repriced_count"),
    (
        "freshet_ask_postponed_total",
        "counter",
        "Requests that waited for a quota or for manners",
        "/postponed_count",
    ),
    ("freshet_fetch_requests_total", "counter", "Requests sent", "/fetches_count"),
    ("freshet_fetch_rate_limited_total", "counter", "Answers that said too many", "/rate_limited_count"),
    ("freshet_read_posts_total", "counter", "Posts read, known ones included", "/posts_read_count"),
    ("freshet_read_complaints_total", "counter", "Records that could not be used", "/complaints_count"),
    ("freshet_compare_edited_total", "counter", "Posts found edited", "/edited_count"),
    ("freshet_apply_new_posts_total", "counter", "Posts never seen before", "/new_posts_count"),
    ("freshet_apply_posts", "gauge", "Posts in the store", "/posts_count"),
    ("freshet_apply_deleted_posts", "gauge", "Posts marked as deleted", "/deleted_count"),
    ("freshet_apply_accounts", "gauge", "Accounts in the store", "/accounts_count"),
    ("freshet_apply_relations", "gauge", "Relations in the store", "/relations_count"),
    ("freshet_deliver_changes", "gauge", "Lines of the change log", "/changes_count"),
    ("freshet_learn_lag_median_seconds", "gauge", "Median lag of recent news", "/lag_s/median"),
];

/// The text.
pub(super) async fn page(State(site): State<Shared>) -> Answer<Response> {
    let status = site.read(Site::status).await?;
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4")], text(&status)).into_response())
}

fn text(status: &Value) -> String {
    let mut out = String::new();
    for (name, kind, help, at) in NUMBERS {
        let value = status.pointer(at).map_or(Value::Null, Clone::clone);
        let value = value.as_bool().map(|it| f64::from(u8::from(it))).or(value.as_f64());
        // What nobody has measured yet has no value, which is not zero.
        if let Some(value) = value {
            head(&mut out, name, kind, help);
            let _ = writeln!(out, "{name} {value}");
        }
    }
    let list = |key: &str| status[key].as_array().map_or(&[][..], Vec::as_slice);
    let map = |key: &str| status[key].as_object().into_iter().flatten();
    family(
        &mut out,
        "freshet_learn_lag_p90_seconds",
        "gauge",
        "Nine of ten lags are below",
        &[(vec![], status["lag_s"]["p90"].as_f64())],
    );
    let states: Vec<_> =
        map("sources").map(|(state, it)| (vec![("state", state.clone())], it.as_f64())).collect();
    family(&mut out, "freshet_schedule_sources_by_state", "gauge", "Sources in the store", &states);
    let posts: Vec<_> =
        map("posts_by_robot").map(|(robot, it)| (vec![("robot", robot.clone())], it.as_f64())).collect();
    family(&mut out, "freshet_apply_new_posts_by_robot_total", "counter", "Posts never seen before", &posts);
    let faults: Vec<_> =
        list("faults").iter().map(|it| (labels(it, &["kind"]), it["count"].as_f64())).collect();
    family(&mut out, "freshet_fetch_faults_total", "counter", "Exchanges without an answer", &faults);
    let keys = ["network", "rule", "holder"];
    let of = |from: &str, key: &str| -> Vec<_> {
        list(from).iter().map(|it| (labels(it, &keys), it[key].as_f64())).collect()
    };
    family(
        &mut out,
        "freshet_plan_price_post_seconds",
        "gauge",
        "Waiting of posts that one call must end",
        &of("prices", "price_post_s"),
    );
    family(
        &mut out,
        "freshet_plan_budget_calls_per_hour",
        "gauge",
        "Calls an hour that may be spent",
        &of("prices", "budget_per_h"),
    );
    family(
        &mut out,
        "freshet_ask_quota_ready",
        "gauge",
        "Calls that are granted at once",
        &of("quotas", "ready"),
    );
    family(
        &mut out,
        "freshet_ask_quota_granted_total",
        "counter",
        "Calls granted",
        &of("quotas", "granted_count"),
    );
    out
}

type Labels = Vec<(&'static str, String)>;

fn labels(of: &Value, keys: &[&'static str]) -> Labels {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    keys.iter().map(|key| (*key, text(&of[*key]))).collect()
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// One name with its labelled values; nothing where there is none.
fn family(out: &mut String, name: &str, kind: &str, help: &str, values: &[(Labels, Option<f64>)]) {
    let mut values = values.iter().filter_map(|(labels, value)| Some((labels, (*value)?))).peekable();
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
        let text = text(&json!({
            "is_running": true, "fetches_count": 7, "lag_s": null,
            "faults": [{ "kind": "time\"out\n", "count": 2 }],
            "prices": [{ "network": "n", "rule": "api", "holder": "ip", "price_post_s": 1.5 }],
        }));
        for line in [
            "freshet_up 1",
            "# TYPE freshet_fetch_requests_total counter",
            "freshet_fetch_requests_total 7",
            "freshet_fetch_faults_total{kind=\"time\\\"out\\n\"} 2",
            "freshet_plan_price_post_seconds{network=\"n\",rule=\"api\",holder=\"ip\"} 1.5",
        ] {
            assert!(text.lines().any(|it| it == line), "`{line}` is not in\n{text}");
        }
        assert!(!text.contains("lag") && !text.contains("NaN"), "{text}");
    }
}
