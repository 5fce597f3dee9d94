//! `freshet simulate`: compares policies on a recorded history, or on what was collected.

mod forum;

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::simulate::{self, SimulateWish, plots};
use freshet_report::simulate::{PolicyResult, SimulateReport};
use freshet_sim::experiment::{ORACLE_NAMES, Overflow};
use freshet_types::Span;

use crate::args::SimulateArgs;
use crate::output::{self, COLUMNS, Report, table};

/// Runs the comparison.
pub(crate) fn execute(globals: &Globals, args: &SimulateArgs) -> anyhow::Result<ExitCode> {
    if let Some(trace) = &args.forum {
        return forum::execute(args, trace);
    }
    let compared = simulate::compare(globals, &wish(args))?;
    if let Some(dir) = &args.plots {
        plots::write(dir, &compared.outcomes)?;
    }
    output::print(args.report, &compared.report)?;
    Ok(ExitCode::SUCCESS)
}

fn wish(args: &SimulateArgs) -> SimulateWish {
    SimulateWish {
        trace: args.trace.clone(),
        by: args.by,
        policies: args.policies.clone(),
        from: args.from,
        warm_days: args.warm_days,
        eval_days: args.eval_days,
        calls_per_hour: args.calls_per_hour.clone(),
        page_size: args.page_size,
        overflow: if args.overflow == "pages" { Overflow::Pages } else { Overflow::Lost },
        objective: args.objective,
        group: args.group,
        merged: args.merged,
        seed: args.seed,
        weights: args.weights.clone(),
        calendar: args.calendar.clone(),
    }
}

impl Report for SimulateReport {
    fn text(&self) -> String {
        let window = &self.window;
        let header = format!(
            "{}: {}, {} from {} to {}, after {} days of warm-up; delay is the mean time from post to visit, useful the \
             share of calls that brought something",
            output::one_line(&self.trace),
            output::count(window.sources as u64, "source"),
            output::count(window.posts, "post"),
            window.start.0,
            window.end.0,
            window.warm_days,
        );
        let columns = ["policy", "#calls/h", "#captured", "#delay", "#median", "#p90", "#useful"];
        let rows = self.policies.iter().map(row);
        let caveat = self
            .caveat
            .as_deref()
            .map_or(String::new(), |caveat| format!("\n\n{}", output::wrapped(caveat, COLUMNS, "")));
        let header = output::wrapped(&header, COLUMNS, "");
        format!("{header}\n\n{}{caveat}", table(&columns, rows))
    }
}

fn row(outcome: &PolicyResult) -> Vec<String> {
    let span = |secs: Option<f64>| secs.map_or("-".to_owned(), |secs| Span::from_secs_f64(secs).to_string());
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    let is_oracle = ORACLE_NAMES.contains(&outcome.policy.as_str());
    vec![
        if is_oracle { format!("({})", outcome.policy) } else { outcome.policy.clone() },
        outcome.calls_per_hour.to_string(),
        outcome.coverage.map_or("-".to_owned(), percent),
        span(outcome.mean_delay_s),
        span(outcome.median_delay_s),
        span(outcome.p90_delay_s),
        percent(outcome.useful_call_share),
    ]
}
