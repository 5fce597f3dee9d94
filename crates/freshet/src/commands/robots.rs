//! `freshet robots`: which robots work, and starting, pausing, resuming and stopping them; which
//! credential each of them shows.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::data::{self, Data};
use freshet_app::failure::Failure;
use freshet_app::robots::{self, Verb};
use freshet_app::text::grouped;
use freshet_report::robots::{CollectionLine, RobotLine, RobotsReport};
use freshet_types::RobotKind;

use crate::args::RobotsCommand;
use crate::output::{self, Report};

/// How far robots go is said when a crawl starts, and people look for it here.
const DEPTH: &str = "\
robots keep to what was added; `freshet run --depth N` lets them go N steps on,
from account to account (relation, status, comment) and from post to comment";

/// Lists the robots, or changes one and lists them.
pub(crate) fn execute(globals: &Globals, command: &RobotsCommand) -> anyhow::Result<ExitCode> {
    let networks = data::networks(globals)?;
    let (verb, robot, only, report) = match command {
        RobotsCommand::List(report) => {
            output::print(*report, &robots::list(&Data::look(globals)?, &networks)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        RobotsCommand::Credential { robot, credential, report } => {
            let mut data = Data::open(globals)?;
            robots::choose_credential(globals, &mut data, *robot, credential.as_deref())?;
            output::print(*report, &robots::list(&data, &networks)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        RobotsCommand::Start(args) => (Verb::Start, args.robot, args.only.as_slice(), args.report),
        RobotsCommand::Pause(args) => (Verb::Pause, args.robot, &[][..], args.report),
        RobotsCommand::Resume(args) => (Verb::Resume, args.robot, &[][..], args.report),
        RobotsCommand::Stop(args) => (Verb::Stop, args.robot, args.only.as_slice(), args.report),
    };
    if !only.is_empty() && robot != RobotKind::Link {
        let failure = Failure::misuse(format!("`--only` is for the robot `link`, not for `{robot}`"));
        return Err(failure.hint(format!("`freshet robots start {robot}` needs no more")).into());
    }
    let mut data = Data::open(globals)?;
    if only.is_empty() {
        robots::steer(&mut data.store, verb, robot)?;
    } else {
        robots::gather(&mut data, &networks, verb, only)?;
    }
    output::print(report, &robots::list(&data, &networks)?)?;
    Ok(ExitCode::SUCCESS)
}

impl Report for RobotsReport {
    fn text(&self) -> String {
        let rate =
            |rate: Option<f64>| rate.map_or_else(|| "-".to_owned(), |rate| grouped(rate.round() as u64));
        let row = |line: &RobotLine| {
            let credential = line.credential.clone().unwrap_or_else(|| "-".to_owned());
            let (name, state) = (line.name.to_string(), line.state.name().to_owned());
            vec![name, state, credential, line.collects.clone(), rate(line.collected_per_hour)]
        };
        let heads = ["robot", "state", "credential", "collects", "#an hour"];
        let mut table = output::table(&heads, self.robots.iter().map(row));
        if !self.collections.is_empty() {
            let row = |line: &CollectionLine| {
                vec![line.name.clone(), line.state.name().to_owned(), rate(line.collected_per_hour)]
            };
            let heads = ["collection of `link`", "state", "#an hour"];
            table = format!("{table}\n\n{}", output::table(&heads, self.collections.iter().map(row)));
        }
        let now = if self.is_running { "" } else { "\n\nno run is under way; `freshet run` starts one" };
        let focus = self.focus.as_ref().map_or_else(String::new, |focus| format!("\n\nfocus: {focus}"));
        format!("{table}\n\n{DEPTH}{focus}{now}")
    }
}
