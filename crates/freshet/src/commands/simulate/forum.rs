//! `freshet simulate --forum`: compares policies on the recorded history of a forum.

use std::path::Path;
use std::process::ExitCode;

use freshet_app::failure::Failure;
use freshet_app::simulate::forum::{self, ForumWish, plots};
use freshet_report::simulate::{ForumPolicyResult, ForumSimulateReport};
use freshet_sim::forum::site::PAGE_SIZES;
use freshet_types::Span;

use crate::args::SimulateArgs;
use crate::output::{self, COLUMNS, Report, table};

/// Records of a page unless given.
const PAGE_SIZE: u32 = 20;
/// The policy that knows what no policy can.
const ORACLE: &str = "oracle";

/// Runs the comparison.
pub(super) fn execute(args: &SimulateArgs, trace: &Path) -> anyhow::Result<ExitCode> {
    let page_size = args.page_size.unwrap_or(PAGE_SIZE);
    if !PAGE_SIZES.contains(&page_size) {
        let (least, most) = (PAGE_SIZES.start(), PAGE_SIZES.end());
        return Err(Failure::misuse(format!(
            "a page of a forum shows {least} to {most} records, not {page_size}"
        ))
        .hint(format!("leave `--page-size` out for {PAGE_SIZE}"))
        .into());
    }
    let wish = ForumWish {
        trace: trace.to_owned(),
        policies: args.policies.clone(),
        from: args.from,
        warm_days: args.warm_days,
        eval_days: args.eval_days,
        pages_per_day: args.pages_per_day.clone(),
        page_size,
    };
    let compared = forum::compare(&wish)?;
    if let Some(dir) = &args.plots {
        plots::write(dir, &compared.reached)?;
    }
    output::print(args.report, &compared.report)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for ForumSimulateReport {
    fn text(&self) -> String {
        let window = &self.window;
        let header = format!(
            "{}: {}, {} at the end, {}; {} from {} to {}, after {} days from the portal on with an archive of {}; \
             BU is the share of pages that brought something new, T the mean time from made to fetched, delay the same with what was \
             never fetched",
            output::one_line(&self.trace),
            output::count(u64::from(window.boards), "board"),
            output::count(window.threads as u64, "thread"),
            output::count(window.page_size.into(), "record") + " a page",
            output::count(window.posts as u64, "post"),
            window.start.0,
            window.end.0,
            window.warm_days,
            output::count(window.archived_posts as u64, "post"),
        );
        let columns = [
            "policy",
            "#pages/day",
            "#threads found",
            "#thread delay",
            "#posts found",
            "#post T",
            "#post delay",
            "#BU",
        ];
        let header = output::wrapped(&header, COLUMNS, "");
        format!("{header}\n\n{}", table(&columns, self.policies.iter().map(row)))
    }
}

fn row(result: &ForumPolicyResult) -> Vec<String> {
    let span = |secs: Option<f64>| secs.map_or("-".to_owned(), |secs| Span::from_secs_f64(secs).to_string());
    let percent = |share: f64| format!("{:.2} %", share * 100.0);
    let is_oracle = result.policy == ORACLE;
    vec![
        if is_oracle { format!("({})", result.policy) } else { result.policy.clone() },
        result.pages_per_day.to_string(),
        percent(result.threads.coverage),
        span(result.threads.mean_delay_s),
        percent(result.posts.coverage),
        span(result.posts.timeliness_s),
        span(result.posts.mean_delay_s),
        percent(result.threads.useful_page_share + result.posts.useful_page_share),
    ]
}
