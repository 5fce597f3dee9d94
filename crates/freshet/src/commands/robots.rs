//! `freshet robots`: which robots work, and starting, pausing, resuming and stopping them; which
//! credential each of them shows.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::data::Data;
use freshet_app::robots::{self, Verb};
use freshet_app::text::grouped;
use freshet_report::robots::{RobotLine, RobotsReport};

use crate::args::RobotsCommand;
use crate::output::{self, Report};

/// How far robots go is said when a crawl starts, and people look for it here.
const DEPTH: &str = "\
robots keep to what was added; `freshet run --depth N` lets them go N steps on,
from account to account (relation, status, comment) and from post to comment";

/// Lists the robots, or changes one and lists them.
pub(crate) fn execute(globals: &Globals, command: &RobotsCommand) -> anyhow::Result<ExitCode> {
    let (verb, args) = match command {
        RobotsCommand::List(report) => {
            output::print(*report, &robots::list(&Data::look(globals)?)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        RobotsCommand::Credential { robot, credential, report } => {
            let mut data = Data::open(globals)?;
            robots::choose_credential(globals, &mut data, *robot, credential.as_deref())?;
            output::print(*report, &robots::list(&data)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        RobotsCommand::Start(args) => (Verb::Start, args),
        RobotsCommand::Pause(args) => (Verb::Pause, args),
        RobotsCommand::Resume(args) => (Verb::Resume, args),
        RobotsCommand::Stop(args) => (Verb::Stop, args),
    };
    let mut data = Data::open(globals)?;
    robots::steer(&mut data.store, verb, args.robot)?;
    output::print(args.report, &robots::list(&data)?)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for RobotsReport {
    fn text(&self) -> String {
        let row = |line: &RobotLine| {
            let credential = line.credential.clone().unwrap_or_else(|| "-".to_owned());
            let rate =
                line.collected_per_hour.map_or_else(|| "-".to_owned(), |rate| grouped(rate.round() as u64));
            vec![line.name.to_string(), line.state.name().to_owned(), credential, line.collects.clone(), rate]
        };
        let heads = ["robot", "state", "credential", "collects", "#an hour"];
        let table = output::table(&heads, self.robots.iter().map(row));
        let now = if self.is_running { "" } else { "\n\nno run is under way; `freshet run` starts one" };
        let focus = self.focus.as_ref().map_or_else(String::new, |focus| format!("\n\nfocus: {focus}"));
        format!("{table}\n\n{DEPTH}{focus}{now}")
    }
}
