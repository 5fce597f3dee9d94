//! `freshet plan`: from a lag to calls an hour, and back, by what was learned of the sources.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::data::Data;
use freshet_app::plan::{self, PlanWish};
use freshet_report::plan::{Foretold, PlanPoint, PlanReport, PlanScope};
use freshet_types::Span;

use crate::args::PlanArgs;
use crate::output::{self, COLUMNS, Report, table};

/// Plans and prints.
pub(crate) fn execute(globals: &Globals, args: &PlanArgs) -> anyhow::Result<ExitCode> {
    let wish = PlanWish { lag: args.lag, calls_per_hour: args.calls_per_hour };
    output::print(args.report, &plan::report(&Data::look(globals)?, &wish)?)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for PlanReport {
    fn text(&self) -> String {
        let lag = |secs: f64| Span::from_secs_f64(secs).to_string();
        let head = format!(
            "{:.0} calls an hour: mean lag {}; one more call saves {} of waiting",
            self.calls_per_hour,
            lag(self.lag_s),
            lag(self.price_post_s)
        );
        let row = |it: &PlanScope| {
            let quota = it.quota_per_hour.map_or("-".to_owned(), |quota| format!("{quota:.0}"));
            let mut cells = vec![it.network.clone(), it.sources_count.to_string()];
            cells.extend([format!("{:.1}", it.posts_per_day), format!("{:.0}", it.calls_per_hour)]);
            cells.extend([lag(it.lag_s), quota]);
            cells
        };
        let header = ["network", "#lists", "#posts/day", "#calls/h", "#lag", "#allowed/h"];
        let scopes = output::fitted(&header, self.scopes.iter().map(row));
        let point = |it: &PlanPoint| vec![format!("{:.0}", it.calls_per_hour), lag(it.lag_s)];
        let points = table(&["#calls/h", "#lag"], self.table.iter().map(point));
        let note = self.note.as_ref().map(|note| output::wrapped(&format!("note: {note}"), COLUMNS, "  "));
        let told = |it: &Foretold| {
            let came = it.measured_lag_s.map_or("–".to_owned(), lag);
            vec![it.at.0.to_string(), lag(it.lag_s), came, it.posts_count.to_string()]
        };
        let header = ["#foretold at", "#lag foretold", "#lag since", "#posts"];
        let foretold = (!self.foretold.is_empty()).then(|| table(&header, self.foretold.iter().map(told)));
        [Some(head), note, Some(scopes), Some(points), foretold]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join("\n\n")
    }
}

#[cfg(test)]
mod tests {
    use freshet_report::time::UnixNumber;
    use freshet_types::Timestamp;

    use super::*;

    #[test]
    fn plans_fit_into_a_terminal() {
        for note in [None, Some("a word ".repeat(30))] {
            let row = PlanScope {
                network: "mastodon:a-server-with-a-name.example.social".repeat(2),
                sources_count: 1_000_000,
                posts_per_day: 123_456.7,
                calls_per_hour: 12_000.0,
                lag_s: 10_800.5,
                quota_per_hour: Some(3_600.0),
                is_over: true,
            };
            let report = PlanReport {
                calls_per_hour: 12_000.0,
                lag_s: 15.0,
                others_per_hour: 16.7,
                sources_count: 100,
                posts_per_day: 2_400.0,
                price_post_s: 1_234.5,
                note,
                scopes: vec![row],
                table: vec![PlanPoint { calls_per_hour: 400.0, lag_s: 450.0 }],
                foretold: vec![Foretold {
                    at: UnixNumber(Timestamp::from_secs(1_700_000_000)),
                    lag_s: 451.0,
                    measured_lag_s: Some(440.5),
                    posts_count: 2_400,
                }],
            };
            let text = report.text();
            assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
        }
    }
}
