//! `freshet calendar`: which days are not like others, and by whose clock.

use std::process::ExitCode;

use freshet_app::calendars;
use freshet_app::config::Globals;
use freshet_app::data::{self, Data};
use freshet_report::calendars::{CalendarLine, CalendarsReport};

use crate::args::CalendarCommand;
use crate::output::{self, Report};

/// Changes the calendars where asked, and lists them; or checks a file.
pub(crate) fn execute(globals: &Globals, command: &CalendarCommand) -> anyhow::Result<ExitCode> {
    let (report, shown) = match command {
        CalendarCommand::Check { file, report } => (*report, calendars::checked(file)?),
        CalendarCommand::List(report) => (*report, calendars::list(&Data::look(globals)?)?),
        CalendarCommand::Set { scope, file, report } => {
            let (mut data, networks) = (Data::open(globals)?, data::networks(globals)?);
            calendars::set(globals, &mut data, &networks, scope, file)?;
            (*report, calendars::list(&data)?)
        }
        CalendarCommand::Remove { scope, report } => {
            let (mut data, networks) = (Data::open(globals)?, data::networks(globals)?);
            calendars::remove(globals, &mut data, &networks, scope)?;
            (*report, calendars::list(&data)?)
        }
    };
    output::print(report, &shown)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for CalendarsReport {
    fn text(&self) -> String {
        if self.calendars.is_empty() {
            return "no calendars: hours are those of UTC, and no day is a holiday".to_owned();
        }
        let header = ["scope", "zone", "weekend", "#holidays", "#dates", "from", "to"];
        output::fitted(&header, self.calendars.iter().map(row))
    }
}

fn row(line: &CalendarLine) -> Vec<String> {
    let scope = match &line.source {
        Some(source) => format!("{} ({})", line.scope, output::one_line(source)),
        None => line.scope.clone(),
    };
    let date = |date: &Option<String>| date.clone().unwrap_or_else(|| "–".to_owned());
    let weekend = if line.weekend.is_empty() { "–".to_owned() } else { line.weekend.join(", ") };
    vec![
        scope,
        line.zone.clone(),
        weekend,
        line.holidays.len().to_string(),
        line.dates_count.to_string(),
        date(&line.first_date),
        date(&line.last_date),
    ]
}
