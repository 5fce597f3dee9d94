//! `freshet robots`: which robots work, and starting, pausing, resuming and stopping them.
//!
//! The state is written to the store; a run that is under way sees it within a second.

use std::process::ExitCode;

use freshet_store::api::Store;
use freshet_store::row::RobotRow;
use freshet_types::{RobotKind, RobotState};
use serde::Serialize;

use crate::args::{ReportArgs, RobotsCommand};
use crate::config::Globals;
use crate::data::Data;
use crate::failure::Failure;
use crate::output::{self, Report};

/// How far robots go is said when a crawl starts, and people look for it here.
const DEPTH: &str = "\
robots keep to what was added; `freshet run --depth N` lets them go N steps further,
from account to account (relation, status, comment) and from post to comment";

#[derive(Serialize)]
struct RobotsReport {
    is_running: bool,
    robots: Vec<RobotLine>,
}

#[derive(Serialize)]
struct RobotLine {
    name: RobotKind,
    state: RobotState,
    credential: Option<String>,
}

/// Lists the robots, or changes one and lists them.
pub(crate) fn execute(globals: &Globals, command: &RobotsCommand) -> anyhow::Result<ExitCode> {
    let mut data = Data::open(globals)?;
    let report = match command {
        RobotsCommand::List(report) => *report,
        RobotsCommand::Start(args) => change(&mut data.store, Verb::Start, args.robot, args.report)?,
        RobotsCommand::Pause(args) => change(&mut data.store, Verb::Pause, args.robot, args.report)?,
        RobotsCommand::Resume(args) => change(&mut data.store, Verb::Resume, args.robot, args.report)?,
        RobotsCommand::Stop(args) => change(&mut data.store, Verb::Stop, args.robot, args.report)?,
    };
    output::print(report, &list(&data)?)?;
    Ok(ExitCode::SUCCESS)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Start,
    Pause,
    Resume,
    Stop,
}

impl Verb {
    /// What the robot does next, or why this cannot be asked of it.
    fn apply(self, now: RobotState) -> Result<RobotState, &'static str> {
        match (self, now) {
            (Self::Start, _) | (Self::Resume, RobotState::Running | RobotState::Paused) => {
                Ok(RobotState::Running)
            }
            (Self::Stop, _) => Ok(RobotState::Stopped),
            (Self::Pause, RobotState::Running | RobotState::Paused) => Ok(RobotState::Paused),
            (Self::Pause, RobotState::Stopped) => Err("it is stopped already"),
            (Self::Resume, RobotState::Stopped) => Err("it is stopped, not paused"),
        }
    }
}

fn change(
    store: &mut dyn Store,
    verb: Verb,
    robot: RobotKind,
    report: ReportArgs,
) -> anyhow::Result<ReportArgs> {
    let rows = store.robots()?;
    let now = rows.iter().find(|row| row.kind == robot).map_or(RobotState::Stopped, |row| row.state);
    let next = verb.apply(now).map_err(|why| {
        let failure = Failure::misuse(format!("the robot `{robot}` cannot be told so: {why}"));
        failure.hint(format!("`freshet robots start {robot}` lets it work"))
    })?;
    store.set_robot(robot, next)?;
    store.push_control("robots", robot.name())?;
    Ok(report)
}

fn list(data: &Data) -> anyhow::Result<RobotsReport> {
    let line = |row: RobotRow| RobotLine { name: row.kind, state: row.state, credential: row.credential };
    let robots = data.store.robots()?.into_iter().map(line).collect();
    Ok(RobotsReport { is_running: data.runner().is_some(), robots })
}

impl Report for RobotsReport {
    fn text(&self) -> String {
        let row = |line: &RobotLine| {
            let credential = line.credential.clone().unwrap_or_else(|| "-".to_owned());
            vec![line.name.to_string(), line.state.name().to_owned(), credential]
        };
        let table = output::table(&["robot", "state", "credential"], self.robots.iter().map(row));
        let now = if self.is_running { "" } else { "\n\nno run is under way; `freshet run` starts one" };
        format!("{table}\n\n{DEPTH}{now}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_follow_from_verbs() {
        use RobotState::{Paused, Running, Stopped};
        for (verb, now, next) in [
            (Verb::Start, Stopped, Some(Running)),
            (Verb::Start, Paused, Some(Running)),
            (Verb::Pause, Running, Some(Paused)),
            (Verb::Pause, Stopped, None),
            (Verb::Resume, Paused, Some(Running)),
            (Verb::Resume, Stopped, None),
            (Verb::Stop, Paused, Some(Stopped)),
            (Verb::Stop, Stopped, Some(Stopped)),
        ] {
            assert_eq!(verb.apply(now).ok(), next, "{verb:?} {now:?}");
        }
    }
}
