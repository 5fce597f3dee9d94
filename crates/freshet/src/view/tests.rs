//! What a drawing shows, and how wide it is.

use freshet_types::Timestamp;
use serde_json::json;
use unicode_width::UnicodeWidthStr as _;

use super::*;

fn report() -> Value {
    json!({
        "now": 1_770_000_000.0,
        "posts_count": 12345, "visits_count": 99, "fetches_count": 120, "rate_limited_count": 0,
        "lag_s": {"median": 61.0, "p90": 130.5},
        "queues": {"sources": 7000, "due": 1, "backlog": 2, "open_visits": 5},
        "visits": [
            {"source": "mastodon:a.example ada (posts)", "for_s": 2.5, "fetches_count": 3},
            {"source": "mastodon:a.example 今日はいい今日はいい今日はいい今日はいい (posts)", "for_s": 1.0, "fetches_count": 0},
            {"source": "x", "for_s": 1.0, "fetches_count": 0},
        ],
        "quotas": [
            {"network": "mastodon:a.example", "rule": "ip", "limit": 300, "window_s": 300.0, "ready": 15},
            {"network": "mastodon:b.example", "rule": "ip", "limit": 300, "window_s": 300.0, "ready": 0,
             "blocked_until": 1_770_000_060.0},
        ],
        "robots": {"status": "running", "relation": "stopped", "tag": "paused"},
        "failures": [{"source": "x", "why": "no answer\u{1b}[2J from a server with a very long name that goes on and on and on"}],
    })
}

fn frame() -> Frame {
    let mut frame = Frame {
        title: "freshet run · /a/data/directory/whose/path/is/long/enough/to/fill/a/whole/line/of/a/terminal"
            .to_owned(),
        rates: [12.0, 3.0, 4.0],
        elapsed: Duration::from_secs(65),
        lasts: Some(Duration::from_hours(1)),
        left: Some(Left { lists_count: 100, complete_count: 87, shut_count: 3, seconds: Some(125.0) }),
        ..Frame::default()
    };
    frame.news.push_back((
        Timestamp::from_secs(1_770_000_000),
        "ada".to_owned(),
        plain("<p>Hello &amp; good\u{7} day 今日はいい今日はいい今日はいい今日はいい</p>"),
    ));
    frame
}

#[test]
fn a_frame_shows_what_the_engine_reports() {
    for columns in [30, 60, WIDTH] {
        let lines = frame().lines(&report(), columns);
        for (line, _) in &lines {
            assert!(line.width() <= columns, "{columns}: {line}");
            assert!(!line.contains(['\u{7}', '\u{1b}']), "{line:?}");
        }
        assert!(lines.len() <= 23, "{} lines are more than a terminal has", lines.len());
    }
    let lines = frame().lines(&report(), WIDTH);
    let text = lines.iter().map(|(line, _)| line.as_str()).collect::<Vec<_>>().join("\n");
    for expected in [
        "12,345",
        "7,000 sources",
        "1m 05s of 1h 00m",
        "87 of 100 lists, 3 cannot be closed; about 2m 05s left",
        "median 1m 01s",
        "██████░░░░░░",
        "nothing for 1m 00s",
        "5 visits, longest ada (posts) (2.5s, 3 pages)",
        "● status",
        "○ relation",
        "◐ tag",
        "no answer",
        "Hello & good",
    ] {
        assert!(text.contains(expected), "`{expected}` is not in\n{text}");
    }
}

#[test]
fn an_empty_report_is_shown_too() {
    let lines = Frame::default().lines(&Value::Null, WIDTH);
    let text = lines.iter().map(|(line, _)| line.as_str()).collect::<Vec<_>>().join("\n");
    assert!(text.contains("no news yet") && text.contains("waiting until something is due"), "{text}");
}

#[test]
fn a_plain_line_is_no_wider_than_a_terminal() {
    let line = plain_line(&frame(), &report());
    assert!(line.starts_with("   65s  12345 posts") && line.contains("87 of 100 lists"), "{line}");
    assert!(line.width() <= 80, "{line}");
}
