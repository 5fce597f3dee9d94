//! `freshet gaps`: what is not proven complete, and the price of closing it, in calls.

use std::fmt::Write as _;
use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::data::{self, Data};
use freshet_app::{gaps, notice, progress};
use freshet_report::gaps::{GapsReport, SourceGaps, StreamGaps};
use serde::Serialize;

use crate::args::GapsArgs;
use crate::output::{self, COLUMNS, Report};

/// Prices all holes.
pub(crate) fn execute(globals: &Globals, args: &GapsArgs) -> anyhow::Result<ExitCode> {
    let data = Data::look(globals)?;
    let networks = data::networks(globals)?;
    let now = data.now_for_report(None);
    notice::on_interrupt("stopped: nothing was changed");
    let report =
        progress::during("looking at all lists", || gaps::report(&data, &networks, now, usize::MAX))?;
    output::print(args.report, &Shown { report, limit: args.limit })?;
    Ok(ExitCode::SUCCESS)
}

/// The report, and how many of its sources people are shown.
#[derive(Serialize)]
#[serde(transparent)]
struct Shown {
    report: GapsReport,
    #[serde(skip)]
    limit: usize,
}

impl Report for Shown {
    fn text(&self) -> String {
        let Self { report, limit } = self;
        let mut summary = format!(
            "{} of {} complete, {} not visited yet, {}",
            report.complete_count,
            output::count(report.sources_count, "list"),
            report.unvisited_count,
            output::count(report.holes_count, "hole"),
        );
        let what = if report.uncloseable_count > 0 { "the others" } else { "them" };
        if report.uncloseable_count > 0 {
            let _ = write!(summary, "; {} cannot be closed", report.uncloseable_count);
        }
        if report.calls > 0 {
            let _ = write!(summary, "; about {} would close {what}", output::count(report.calls, "call"));
        }
        if report.sources_count == 0 {
            return "no list is watched; `freshet add REF` adds some".to_owned();
        }
        let streams = streams(&report.streams);
        if report.sources.is_empty() {
            return [summary, streams].join("\n").trim_end().to_owned();
        }
        let row = |it: &SourceGaps| {
            let is_bound = it.holes.is_empty() || it.holes.iter().any(|hole| hole.is_lower_bound);
            let calls = match (&it.obstacle, is_bound) {
                (Some(_), _) => "-".to_owned(),
                (None, true) => format!("{}+", it.calls),
                (None, false) => it.calls.to_string(),
            };
            vec![it.source.0.to_string(), it.label.clone(), it.holes.len().to_string(), calls]
        };
        let shown = report.sources.iter().take(*limit).map(row);
        let table = output::fitted(&["#source", "what", "#holes", "#calls"], shown);
        let more = match report.sources.len().saturating_sub(*limit) {
            0 => String::new(),
            more => format!("\n… and {more} more; --limit shows them"),
        };
        let summary = output::wrapped(&summary, COLUMNS, "");
        let table = format!("{summary}\n\n{table}{more}");
        [table, obstacles(report, *limit), streams].join("\n").trim_end().to_owned()
    }
}

/// What streams missed, a line each.
fn streams(streams: &[StreamGaps]) -> String {
    let line = |it: &StreamGaps| {
        let stretch = match (it.covers_since, it.covers_until) {
            (Some(since), Some(until)) => format!("without a hole from {} to {}", since.0, until.0),
            _ => "never connected".to_owned(),
        };
        let missed = match it.unvisited_count {
            0 => format!("{} visited since", output::count(it.lists_count, "list")),
            count => format!(
                "{count} of {} not visited since; a visit each shows what it missed before",
                output::count(it.lists_count, "list")
            ),
        };
        let text = format!("stream `{}` of {}: {stretch}; {missed}", it.stream, it.network);
        format!("\n{}", output::wrapped(&text, COLUMNS - 2, "  "))
    };
    streams.iter().map(line).collect()
}

/// Why some of those shown cannot be closed, one reason after the other.
fn obstacles(report: &GapsReport, limit: usize) -> String {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for it in report.sources.iter().take(limit) {
        let Some(why) = it.obstacle.as_deref() else { continue };
        match reasons.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, numbers)) => numbers.push(it.source.0.to_string()),
            None => reasons.push((why, vec![it.source.0.to_string()])),
        }
    }
    let line = |(why, numbers): &(&str, Vec<String>)| {
        let text = format!("cannot be closed: {why} ({})", numbers.join(", "));
        format!("\n{}", output::wrapped(&text, COLUMNS - 2, "  "))
    };
    reasons.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use freshet_network::networks::Networks;
    use freshet_types::{Mark, NetworkName, RobotKind, Source, SourceState, Timestamp};

    use super::*;

    /// A report of one feed in this state, with holes of these cursors.
    fn report(state: SourceState, holes: &[Option<&str>]) -> String {
        let mut sum = gaps::GapsSum::keeping(10);
        let at = Timestamp::from_secs(1000);
        let mark = |id: &str| Mark { id: id.into(), at };
        let interval = |below: Option<&str>, is_bottom| freshet_types::Interval {
            newest: mark("9"),
            oldest: mark("8"),
            until: at,
            below: below.map(str::to_owned),
            is_bottom,
            visit: freshet_types::VisitId(1),
        };
        let network = NetworkName::from("rss:a.example");
        let mut feed = Source::new(&network, "feed", RobotKind::Status, "feed", "https://a.example/f");
        feed.state = state;
        feed.coverage.intervals = holes.iter().map(|cursor| interval(*cursor, false)).collect();
        feed.coverage.intervals.extend(holes.first().map(|_| interval(None, true)));
        sum.add(&Networks::shipped(), &feed, at, &mut |_| {});
        Shown { report: sum.into_report(), limit: 10 }.text()
    }

    #[test]
    fn what_cannot_be_closed_says_so_and_why() {
        let cases: [(SourceState, &[Option<&str>], &str); 7] = [
            (SourceState::Active, &[Some("c")], "1 hole; about 1 call would close them"),
            (SourceState::Active, &[None], "1 hole; 1 cannot be closed\n"),
            (SourceState::Active, &[None], "cannot be closed: the list shows only its newest part"),
            (SourceState::OptedOut, &[Some("c")], "cannot be closed: its owner asks not to be collected"),
            (SourceState::OptedOut, &[], "0 not visited yet, 0 holes; 1 cannot be closed\n"),
            (SourceState::Suspended, &[Some("c")], "cannot be closed: the network has suspended it"),
            (SourceState::Failed, &[], "1 not visited yet, 0 holes; about 1 call would close them"),
        ];
        for (state, holes, expected) in cases {
            let text = report(state, holes);
            assert!(text.contains(expected), "{state:?} {holes:?}: {text}");
            assert!(!text.contains("about 0 calls"), "{text}");
        }
    }

    #[test]
    fn what_a_stream_missed_is_told_beside_the_lists() {
        let at = |secs: i64| freshet_report::time::UnixNumber::of(Timestamp::from_secs(secs));
        let stream = |unvisited_count: u64| StreamGaps {
            network: NetworkName::from("bluesky-pds:a.example"),
            stream: "firehose".to_owned(),
            covers_since: at(1_770_000_000),
            covers_until: at(1_770_003_600),
            lists_count: 8,
            unvisited_count,
        };
        let report =
            GapsReport { sources_count: 8, streams: vec![stream(2), stream(0)], ..GapsReport::default() };
        let text = Shown { report, limit: 10 }.text().split_whitespace().collect::<Vec<_>>().join(" ");
        let told = "without a hole from 2026-02-02T02:40:00Z to 2026-02-02T03:40:00Z; 2 of 8 lists not visited since";
        assert!(text.contains(told), "{text}");
        assert!(text.contains("; 8 lists visited since"), "{text}");
    }
}
