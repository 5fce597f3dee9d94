//! Quota scopes, announcements of limits, and what answers mean.

use super::*;

#[test]
fn servers_of_one_service_share_its_quota() {
    let quota = "[[quotas]]\nname = \"day\"\nscope = \"ip\"\nlimit = 300\nwindow = \"1d\"\n";
    for (key, expected) in [("", "net:a.example"), ("is_shared = true\n", "net")] {
        let instance = Instance { network: NetworkName::new("net", Some("a.example")), ..instance() };
        let request = connector(&format!("{quota}{key}")).ask(&target(&instance), &Intent::First).unwrap();
        assert_eq!(request.needs[0].key.network.to_string(), expected);
    }
}

#[test]
fn quotas_of_every_scope_are_needed() {
    let extra = r#"
[[quotas]]
name = "ip"
scope = "ip"
limit = 300
window = "5m"
applies = "anonymous"
[[quotas]]
name = "paging"
scope = "ip"
limit = 300
window = "15m"
requests = "paged"
[[quotas]]
name = "app"
scope = "app"
limit = 1000
window = "1h"
[[quotas]]
name = "each"
scope = "endpoint"
limit = 15
window = "15m"
[[quotas]]
name = "day"
scope = "user"
limit = 10000
window = "1d"
applies = "authenticated"
requests = ["list"]
costs = { list = 100 }
"#;
    let next = Intent::Next("7".into());
    let ask = |credential: Option<&str>, intent: &Intent| {
        let (instance, credential) =
            (instance(), credential.map(|name| freshet_types::Holder::alone(name.into())));
        let target = Target { credential: credential.as_ref(), ..target(&instance) };
        let all = format!("paging = {{ style = \"id_bound\", param = \"max_id\" }}\n{extra}");
        let request = connector(&all).ask(&target, intent).unwrap();
        let needs =
            request.needs.iter().map(|need| format!("{} {} {}", need.key.rule, need.key.holder, need.units));
        needs.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(ask(None, &Intent::First), "ip ip 1, each ip/list 1");
    assert_eq!(ask(None, &next), "ip ip 1, paging ip 1, each ip/list 1");
    assert_eq!(ask(Some("key"), &Intent::First), "app key 1, each key/list 1, day key 100");
}

/// An answer with these headers and this body announces limit, remaining and when (seconds after now).
fn check_limit(rule: &str, headers: &[(&str, &str)], body: &str, expected: &str) {
    let page = read(&format!("[[limits]]\n{rule}\n"), &Intent::First, &response(200, headers, body));
    let after = |at: Option<Timestamp>| at.map(|at| at.secs() - now().secs());
    let shown: Vec<_> = page
        .limits
        .iter()
        .map(|reading| {
            let parts = [
                ("limit", reading.limit.map(i64::from)),
                ("remaining", reading.remaining.map(i64::from)),
                ("reset", after(reading.reset_at)),
                ("blocked", after(reading.blocked_until)),
            ];
            let parts = parts.iter().filter_map(|(name, value)| value.map(|value| format!("{name} {value}")));
            parts.collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(shown.join("; "), expected, "{rule}");
}

#[test]
fn every_way_to_announce_a_limit_is_read() {
    let headers = "limit = \"header:X-RateLimit-Limit\"\nremaining = \"header:X-RateLimit-Remaining\"\nreset = \"header:X-RateLimit-Reset\"\nreset_format = ";
    let with = |reset| {
        [("x-ratelimit-limit", "300"), ("x-ratelimit-remaining", "988.0"), ("x-ratelimit-reset", reset)]
    };
    for (format, reset) in [
        ("iso8601", "1970-01-12T13:48:40.037659Z"),
        ("epoch_s", "1000120"),
        ("epoch_ms", "1000120000"),
        ("delta_s", "120"),
        ("http_date", "Mon, 12 Jan 1970 13:48:40 GMT"),
    ] {
        check_limit(
            &format!("{headers}\"{format}\""),
            &with(reset),
            "{\"items\": []}",
            "limit 300 remaining 988 reset 120",
        );
    }
    check_limit(
        "limit = \"body:/quota_max\"\nremaining = \"body:/quota_remaining\"\nbackoff = \"body:/backoff\"",
        &[],
        "{\"items\": [], \"quota_max\": 300, \"quota_remaining\": 7, \"backoff\": 10}",
        "limit 300 remaining 7 blocked 10",
    );
    let percent = "percent = { header = \"X-App-Usage\", keys = [\"call_count\", \"total_time\"], regain_min = \"estimated_time_to_regain_access\" }";
    check_limit(
        percent,
        &[("x-app-usage", r#"{"call_count":28,"total_time":25}"#)],
        "{}",
        "limit 100 remaining 72",
    );
    check_limit(
        percent,
        &[("x-app-usage", r#"{"7":[{"call_count":100,"estimated_time_to_regain_access":2}]}"#)],
        "{}",
        "limit 100 remaining 0 blocked 120",
    );
    check_limit("remaining = \"header:x-none\"", &[("retry-after", "30")], "{}", "blocked 30");
    check_limit("remaining = \"header:x-none\"", &[], "{}", "");
    check_limit("remaining = \"header:x-odd\"", &[("x-odd", "many")], "{}", "");
}

#[test]
fn announcements_that_make_no_sense_are_passed_over() {
    let rule = "limit = \"header:x-limit\"\nremaining = \"header:x-left\"\nreset = \"header:x-reset\"\nreset_format = \"delta_s\"";
    for (limit, left, reset, expected) in [
        ("300", "299", "120", "limit 300 remaining 299 reset 120"),
        ("4000000000", "3999999999", "120", "limit 4000000000 remaining 3999999999 reset 120"),
        ("1e300", "1e300", "120", "limit 4294967295 remaining 4294967295 reset 120"),
        // No limit at all, as some say it.
        ("-1", "-1", "120", "reset 120"),
        ("0", "0", "120", "reset 120"),
        ("0.5", "7", "120", "reset 120"),
        ("-1", "5", "", ""),
        // More was asked than allowed.
        ("300", "-5", "120", "limit 300 remaining 0 reset 120"),
        ("300", "nan", "120", "limit 300 reset 120"),
        ("nan", "inf", "120", "reset 120"),
        ("unlimited", "10", "120", "remaining 10 reset 120"),
        ("unlimited", "-10", "120", "reset 120"),
        ("", "", "", ""),
        ("300", "0", "2592000", "limit 300 remaining 0 reset 2592000"),
        ("300", "0", "-5", "limit 300 remaining 0 reset 0"),
    ] {
        let headers = [("x-limit", limit), ("x-left", left), ("x-reset", reset)];
        check_limit(rule, &headers, "{\"items\": []}", expected);
    }
}

/// An answer means `expected`, by these rules.
fn check_outcome(rules: &str, status: u16, headers: &[(&str, &str)], body: &str, expected: &str) {
    let page = read(rules, &Intent::First, &response(status, headers, body));
    let until = match &page.outcome {
        Outcome::RateLimited { until: Some(until) } | Outcome::QuotaExhausted { until: Some(until) } => {
            format!(" {}", until.secs() - now().secs())
        }
        Outcome::Moved { to } => format!(" {to}"),
        _ => String::new(),
    };
    assert_eq!(format!("{}{until}", page.outcome.name()), expected, "{status} {body}");
    let is_error = !matches!(page.outcome, Outcome::Ok);
    assert_eq!(
        page.kind == PageKind::Error,
        is_error && page.observation.posts.is_empty(),
        "{status} {body}"
    );
}

#[test]
fn every_status_means_something() {
    for (status, expected) in [
        (200, "ok"),
        (206, "ok"),
        (304, "ok"),
        (400, "bad_request"),
        (401, "auth_required"),
        (403, "private"),
        (404, "gone"),
        (410, "gone"),
        (422, "bad_request"),
        (429, "rate_limited"),
        (451, "gone"),
        (500, "transient"),
        (503, "transient"),
        (599, "transient"),
        (408, "transient"),
    ] {
        check_outcome("", status, &[], "{\"items\": []}", expected);
    }
    check_outcome("", 301, &[("location", "https://net.example/b")], "", "moved https://net.example/b");
    check_outcome("", 429, &[("retry-after", "4")], "<html>Too Many Requests</html>", "rate_limited 4");
    check_outcome(
        "",
        429,
        &[("retry-after", "Mon, 12 Jan 1970 13:48:40 GMT")],
        "slow down",
        "rate_limited 120",
    );
    let limits =
        "[[limits]]\nremaining = \"header:x-left\"\nreset = \"header:x-reset\"\nreset_format = \"delta_s\"\n";
    check_outcome(limits, 429, &[("x-left", "0"), ("x-reset", "60")], "", "rate_limited 60");
}

#[test]
fn rules_tell_what_a_status_does_not() {
    let rules = r#"
[[outcomes]]
outcome = "rate_limited"
status = 403
header = { at = "x-left", equals = 0 }
[[outcomes]]
outcome = "quota_exhausted"
status = 403
body = { at = "/error/errors", each = "/reason", equals = "quotaExceeded" }
[[outcomes]]
outcome = "rate_limited"
status = 400
body = { at = "/error_id", equals = 502 }
until = "body:/wait"
[[outcomes]]
outcome = "rate_limited"
status = "4xx"
body = { at = "/error/code", in = [4, 17, 32] }
[[outcomes]]
outcome = "rate_limited"
status = "503-503"
header = { at = "retry-after", present = true }
[[outcomes]]
outcome = "auth_required"
status = 403
text = "Please log in"
[[outcomes]]
outcome = "suspended"
status = 200
body = { at = "/suspended" }
[[outcomes]]
outcome = "moved"
status = 200
body = { at = "/moved_to", present = true }
and = { at = "/items", present = false }
to = "body:/moved_to"
[[outcomes]]
outcome = "gone"
status = 200
body = { at = "/errors/0/title", matches = "(?i)not found" }
endpoints = ["list"]
[[outcomes]]
outcome = "ok"
status = 404
text = "empty list"
"#;
    check_outcome(rules, 403, &[("x-left", "0"), ("retry-after", "9")], "", "rate_limited 9");
    check_outcome(rules, 403, &[("x-left", "3")], "{}", "private");
    check_outcome(
        rules,
        403,
        &[],
        r#"{"error": {"errors": [{"reason": "quotaExceeded"}]}}"#,
        "quota_exhausted",
    );
    check_outcome(rules, 400, &[], r#"{"error_id": "502", "wait": 12}"#, "rate_limited 12");
    check_outcome(rules, 400, &[], r#"{"error": {"code": 17}}"#, "rate_limited");
    check_outcome(rules, 400, &[], r#"{"error": {"code": 100}}"#, "bad_request");
    check_outcome(rules, 503, &[("retry-after", "30")], "<html>", "rate_limited 30");
    check_outcome(rules, 503, &[], "<html>", "transient");
    check_outcome(rules, 403, &[], "<p>Please log in</p>", "auth_required");
    check_outcome(rules, 200, &[], r#"{"suspended": true, "items": []}"#, "suspended");
    check_outcome(rules, 200, &[], r#"{"moved_to": "bob"}"#, "moved bob");
    check_outcome(rules, 200, &[], r#"{"moved_to": "bob", "items": []}"#, "ok");
    check_outcome(rules, 200, &[], r#"{"errors": [{"title": "Not Found Error"}]}"#, "gone");
    check_outcome(rules, 404, &[], "empty list", "ok");
    // HTML where JSON was promised, and nothing at all
    check_outcome(rules, 200, &[], "<!DOCTYPE html><p>Just a moment</p>", "transient");
    check_outcome(rules, 200, &[], "", "transient");
    check_outcome(rules, 200, &[], "null", "unreadable");
    check_outcome(rules, 404, &[], "<html>", "gone");
}
