//! What a drawing shows, and how wide it is.

use freshet_types::Timestamp;
use serde_json::json;

use super::left::Left;
use super::work::Pages;
use super::*;

/// A terminal as it comes.
const USUAL: Room = Room { columns: 79, rows: 23 };

fn report() -> RunStatus {
    read(json!({
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
            {"network": "mastodon:a.example", "rule": "ip", "limit": 300, "burst": 30, "window_s": 300.0, "ready": 15},
            {"network": "mastodon:b.example", "rule": "ip", "limit": 300, "burst": 30, "window_s": 300.0, "ready": 0,
             "blocked_until": 1_770_000_060.0},
            {"network": "all", "rule": "budget", "holder": "you", "limit": 600, "burst": 12, "window_s": 3600.0, "ready": 6},
        ],
        "prices": [{"network": "all", "rule": "budget", "holder": "you", "saved_post_s_per_h": 300.0}],
        "robots": {"status": "running", "relation": "stopped", "tag": "paused"},
        "failures": [{"source": "x", "why": "no answer\u{1b}[2J from a server with a very long name that goes on and on and on"}],
    }))
}

fn read(report: serde_json::Value) -> RunStatus {
    serde_json::from_value(report).unwrap()
}

fn frame() -> Frame {
    let mut frame = Frame {
        title: "freshet run · /a/data/directory/whose/path/is/long/enough/to/fill/a/whole/line/of/a/terminal"
            .to_owned(),
        rates: [12.0, 3.0, 4.0],
        elapsed: Duration::from_secs(65),
        dashboard: Some("http://127.0.0.1:8640/".to_owned()),
        lasts: Some(Duration::from_hours(1)),
        left: Some(Left {
            lists_count: 100,
            complete_count: 87,
            shut_count: 3,
            pages: Pages { done: 75.0, todo: 25.0 },
            seconds: Some(125.0),
            due_at: Some(Timestamp::from_secs(1_770_000_090)),
        }),
        ..Frame::default()
    };
    for number in 0..NEWS_MAX {
        frame.news.push_back((
            Timestamp::from_secs(1_770_000_000),
            "ada".to_owned(),
            plain(&format!(
                "<p>{number} &amp; good\u{7} day 今日はいい今日はいい今日はいい今日はいい今日はいい</p>"
            )),
        ));
    }
    frame
}

fn text(frame: &Frame, report: &RunStatus, room: Room) -> String {
    frame.lines(report, room).iter().map(|(line, _)| line.as_str()).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_frame_fits_its_terminal_and_ends_with_the_newest_post() {
    for (columns, rows) in [(20, 2), (30, 10), (59, 19), (79, 23), (119, 39), (119, 100)] {
        let room = Room { columns, rows };
        let lines = frame().lines(&report(), room);
        for (line, _) in &lines {
            assert!(line.width() <= columns, "{columns}: {line}");
            assert!(!line.contains(['\u{7}', '\u{1b}']), "{line:?}");
        }
        assert!(lines.len() <= rows, "{} lines of {rows}", lines.len());
        let newest = format!("{} & good", NEWS_MAX - 1);
        assert!(rows < 19 || lines.last().unwrap().0.contains(&newest), "{columns}x{rows}: {lines:?}");
    }
    let shown = |rows| text(&frame(), &report(), Room { columns: 79, rows });
    assert!(!shown(23).contains("\n          x for 1s") && shown(39).contains("\n          x for 1s"));
}

#[test]
fn a_frame_shows_what_the_engine_reports() {
    let shown = text(&frame(), &report(), USUAL);
    for expected in [
        "12,345",
        "1 due of 7,000 sources",
        "1m 05s of 1h",
        "█████████░░░ 87 of 100 lists; about 2m 05s left",
        "half of the new posts seen within 1m 01s, nine in ten within 2m 11s",
        "ip mastodon:a.example ██████░░░░░░ 15 of 30 calls ready; 300 per 5m",
        "nothing for 1m",
        "budget    all                   ██████░░░░░░ 6 of 12 calls ready; 600 per 1h",
        "5 visits; ada (posts) for 3s, 3 pages",
        "waits     1 due, for the quota `ip`, which the server has shut",
        "status running; tag paused; relation stopped",
        "failed    x: no answer",
        "& good",
    ] {
        assert!(shown.contains(expected), "`{expected}` is not in\n{shown}");
    }
    let wide = text(&frame(), &report(), Room { columns: 110, rows: 39 });
    assert!(wide.contains("600 per 1h; one more saves 5m"), "{wide}");
}

#[test]
fn what_is_waited_for_is_told() {
    let quota = |ready: f64| json!({"network": "a", "rule": "api", "limit": 300, "burst": 30, "window_s": 300.0, "ready": ready});
    for (sources, due, open, ready, is_stopping, expected) in [
        (0, 0, 0, 30.0, false, "for something to watch; `freshet add REF` adds it"),
        (9, 5, 3, 0.0, false, "5 due, for the quota `api`: a call every 1.0s"),
        (9, 5, 3, 9.0, false, "5 due, for their turn at their servers"),
        (9, 0, 0, 9.0, false, "nothing is due; the next visit is due in 1m 30s"),
        (9, 0, 2, 9.0, true, "to end: 2 visits are finished and stored first"),
    ] {
        let report = read(json!({
            "now": 1_770_000_000.0,
            "queues": {"sources": sources, "due": due, "open_visits": open},
            "quotas": [quota(ready)],
        }));
        let text = text(&Frame { is_stopping, ..frame() }, &report, USUAL);
        assert!(text.contains(&format!("waits     {expected}")), "{expected}:\n{text}");
    }
}

#[test]
fn an_empty_report_is_shown_too() {
    let text = text(&Frame::default(), &RunStatus::default(), USUAL);
    assert!(text.contains("no new post yet") && text.contains("no visit under way"), "{text}");
}

#[test]
fn a_drawing_takes_the_place_of_the_last_one_in_a_narrower_terminal() {
    let screen = Screen { widths: vec![79, 10, 0, 40] };
    for (columns, rows, expected) in [(80, 24, 4), (60, 24, 5), (40, 24, 5), (20, 24, 8), (20, 5, 4)] {
        assert_eq!(screen.start(columns, rows), format!("\u{1b}[{expected}A\r"), "{columns}x{rows}");
    }
    assert_eq!(Screen::default().start(80, 24), "");
}

#[test]
fn a_plain_line_is_no_wider_than_a_terminal() {
    let line = plain_line(&frame(), &report());
    assert!(line.starts_with("   65s  12345 posts") && line.contains("87 of 100 lists"), "{line}");
    assert!(line.width() <= 80, "{line}");
}
