//! `freshet budget`: what may be asked, below what the networks allow.

use std::process::ExitCode;

use freshet_app::budgets;
use freshet_app::config::Globals;
use freshet_app::data::{self, Data};
use freshet_report::budgets::{BudgetLine, BudgetsReport};
use freshet_types::Span;

use crate::args::BudgetCommand;
use crate::output::{self, Report};

/// Changes the budgets where asked, and lists them.
pub(crate) fn execute(globals: &Globals, command: &BudgetCommand) -> anyhow::Result<ExitCode> {
    let mut data = match command {
        BudgetCommand::List(_) => Data::look(globals)?,
        _ => Data::open(globals)?,
    };
    let networks = data::networks(globals)?;
    let report = match command {
        BudgetCommand::List(report) => *report,
        BudgetCommand::Set { scope, rate, report } => {
            budgets::set(&mut data, &networks, scope, rate)?;
            *report
        }
        BudgetCommand::Remove { scope, report } => {
            budgets::remove(&mut data, &networks, scope)?;
            *report
        }
        BudgetCommand::Clear(report) => {
            budgets::clear(&mut data)?;
            *report
        }
    };
    output::print(report, &budgets::list(&data, &networks)?)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for BudgetsReport {
    fn text(&self) -> String {
        let usual = format!(
            "a server that names no quota is asked for {} pages (forums, feeds), an API {}, unless a budget says otherwise",
            self.usual_pages, self.usual_calls
        );
        if self.budgets.is_empty() {
            return format!("no budgets: what the networks allow is spent\n{usual}");
        }
        let header = ["scope", "#budget", "#quota/h", "#used/h", "#one more saves", ""];
        let table = output::fitted(&header, self.budgets.iter().map(row));
        let more = if self.more_count > 0 {
            format!("\nand {} with the usual budget", output::count(self.more_count, "server"))
        } else {
            String::new()
        };
        format!("{table}{more}\n\n{usual}")
    }
}

fn row(line: &BudgetLine) -> Vec<String> {
    let known = |number: Option<f64>| number.filter(|number| number.is_finite());
    let calls = |number: Option<f64>| known(number).map_or("–".to_owned(), |number| format!("{number:.0}"));
    let saves =
        known(line.saved_post_s_per_h).map_or("–".to_owned(), |it| Span::from_secs_f64(it).to_string());
    let note = match known(line.quota_per_h) {
        _ if line.is_usual => "usual",
        Some(quota_per_h) if line.per_h > quota_per_h => "above the quota, which binds",
        _ => "",
    };
    let (quota, used) = (calls(line.quota_per_h), calls(line.used_per_h));
    vec![line.scope.to_string(), line.rate.clone(), quota, used, saves, note.to_owned()]
}
