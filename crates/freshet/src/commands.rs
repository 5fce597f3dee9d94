//! One file per command, and the one place that chooses among them.
//!
//! Every command is `execute(&Globals, its arguments) -> anyhow::Result<ExitCode>`: arguments become a wish, one call
//! of the crates below carries it out, and one report is printed. What is known of a report is made below, where the
//! dashboard finds it too; here are the words and tables of a terminal. Commands never call each other.

mod add;
mod alerts;
mod budget;
mod calendar;
mod care;
mod check;
mod complaints;
mod completions;
mod constraints;
mod copy;
mod credentials;
mod dashboard;
mod demo;
mod explain;
mod export;
mod find;
mod focus;
mod forget;
mod forum;
mod gaps;
mod get;
mod graph;
mod init;
mod login;
mod man;
mod networks;
mod pause;
mod plan;
mod remove;
mod retention;
mod robots;
mod run;
mod search;
mod show;
mod simulate;
mod snapshot;
mod status;
mod subscriptions;
mod weight;
mod world;

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::viewers;

use crate::args::{Command, WorldCommand};

/// Carries out a command.
pub(crate) fn execute(globals: &Globals, command: Command) -> anyhow::Result<ExitCode> {
    if !command.takes_viewer() {
        let hint = "`--as` is for commands that show what was collected, and for `add` and `subscriptions`; leave it out here";
        viewers::refuse(globals, "this is not done", hint)?;
    }
    match command {
        Command::Demo(args) => demo::execute(&args),
        Command::Init(args) => init::execute(globals, &args),
        Command::Add(args) => add::execute(globals, &args),
        Command::Remove(args) => remove::execute(globals, &args),
        Command::Pause(args) => pause::execute(globals, &args, true),
        Command::Resume(args) => pause::execute(globals, &args, false),
        Command::Weight(args) => weight::execute(globals, &args),
        Command::Retention(args) => retention::execute(globals, &args),
        Command::Care(args) => care::execute(globals, &args),
        Command::Forget(args) => forget::execute(globals, &args),
        Command::Run(args) => run::execute(globals, &args),
        Command::Dashboard(args) => dashboard::execute(globals, &args),
        Command::Status(args) => status::execute(globals, args),
        Command::Explain(args) => explain::execute(globals, &args),
        Command::Plan(args) => plan::execute(globals, &args),
        Command::Gaps(args) => gaps::execute(globals, &args),
        Command::Alerts(args) => alerts::execute(globals, &args),
        Command::Check(args) => check::execute(globals, args),
        Command::Copy(args) => copy::execute(&args),
        Command::Complaints(args) => complaints::execute(globals, &args),
        Command::Search(args) => search::execute(globals, &args),
        Command::Find(args) => find::execute(globals, &args),
        Command::Get(args) => get::execute(globals, &args),
        Command::Graph(args) => graph::execute(globals, &args),
        Command::Show(args) => show::execute(globals, &args),
        Command::Robots(command) => robots::execute(globals, &command),
        Command::Constraints(command) => constraints::execute(globals, &command),
        Command::Subscriptions(command) => subscriptions::execute(globals, &command),
        Command::Focus(command) => focus::execute(globals, &command),
        Command::Budget(command) => budget::execute(globals, &command),
        Command::Calendar(command) => calendar::execute(globals, &command),
        Command::Export(args) => export::execute(globals, &args),
        Command::Snapshot(args) => snapshot::execute(globals, &args),
        Command::Forum(command) => forum::execute(globals, &command),
        Command::Networks(command) => networks::execute(globals, &command),
        Command::Login(args) => login::execute(globals, &args),
        Command::Credentials(command) => credentials::execute(globals, &command),
        Command::Simulate(args) => simulate::execute(globals, &args),
        Command::Completions(args) => completions::execute(&args),
        Command::Man(args) => man::execute(&args),
        Command::World(WorldCommand::Serve(args)) => world::execute(&args),
    }
}
