//! `freshet gaps`: what is not proven complete, and the price of closing it, in calls.

use std::fmt::Write as _;
use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::data::{self, Data};
use freshet_app::gaps::{self, GapsReport, SourceGaps};
use freshet_app::{notice, progress};

use crate::args::GapsArgs;
use crate::output::{self, COLUMNS, Report};

/// Prices all holes.
pub(crate) fn execute(globals: &Globals, args: &GapsArgs) -> anyhow::Result<ExitCode> {
    let data = Data::look(globals)?;
    let networks = data::networks(globals)?;
    let now = data.now_for_report(None);
    notice::on_interrupt("stopped: nothing was changed");
    let mut report =
        progress::during("looking at all lists", || gaps::report(&data, &networks, now, usize::MAX))?;
    report.limit = args.limit;
    output::print(args.report, &report)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for GapsReport {
    fn text(&self) -> String {
        let mut summary = format!(
            "{} of {} complete, {} not visited yet, {}",
            self.complete_count,
            output::count(self.sources_count, "list"),
            self.unvisited_count,
            output::count(self.holes_count, "hole"),
        );
        let what = if self.uncloseable_count > 0 { "the others" } else { "them" };
        if self.uncloseable_count > 0 {
            let _ = write!(summary, "; {} cannot be closed", self.uncloseable_count);
        }
        if self.calls > 0 {
            let _ = write!(summary, "; about {} would close {what}", output::count(self.calls, "call"));
        }
        if self.sources_count == 0 {
            return "no list is watched; `freshet add REF` adds some".to_owned();
        }
        if self.sources.is_empty() {
            return summary;
        }
        let row = |it: &SourceGaps| {
            let is_bound = it.holes.is_empty() || it.holes.iter().any(|hole| hole.is_lower_bound);
            let calls = match (it.obstacle, is_bound) {
                (Some(_), _) => "-".to_owned(),
                (None, true) => format!("{}+", it.calls),
                (None, false) => it.calls.to_string(),
            };
            vec![it.source.to_string(), it.label.clone(), it.holes.len().to_string(), calls]
        };
        let shown = self.sources.iter().take(self.limit).map(row);
        let table = output::fitted(&["#source", "what", "#holes", "#calls"], shown);
        let more = match self.sources.len().saturating_sub(self.limit) {
            0 => String::new(),
            more => format!("\n… and {more} more; --limit shows them"),
        };
        let summary = output::wrapped(&summary, COLUMNS, "");
        [format!("{summary}\n\n{table}{more}"), obstacles(self)].join("\n").trim_end().to_owned()
    }
}

/// Why some of those shown cannot be closed, one reason after the other.
fn obstacles(report: &GapsReport) -> String {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for it in report.sources.iter().take(report.limit) {
        let Some(why) = it.obstacle else { continue };
        match reasons.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, numbers)) => numbers.push(it.source.to_string()),
            None => reasons.push((why, vec![it.source.to_string()])),
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
        let mut report = GapsReport::keeping(10);
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
        report.take(&Networks::shipped(), &feed, at, &mut |_| {});
        report.text()
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
}
