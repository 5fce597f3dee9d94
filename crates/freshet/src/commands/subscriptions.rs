//! `freshet subscriptions`: who gets changes, and by which way.

use std::process::ExitCode;

use freshet_app::config::Globals;
use freshet_app::data::{self, Data};
use freshet_app::subscriptions::{self, Verb, Wish};
use freshet_report::subscriptions::{
    SubscriptionAdded, SubscriptionLine, SubscriptionTest, SubscriptionsReport,
};
use freshet_store::subscription::Way;

use super::credentials::read_secret;
use crate::args::{SubscriptionArgs, SubscriptionsCommand};
use crate::output::{self, Report};

/// Changes the subscriptions where asked, and lists them.
pub(crate) fn execute(globals: &Globals, command: &SubscriptionsCommand) -> anyhow::Result<ExitCode> {
    let report = match command {
        SubscriptionsCommand::List(report) => {
            output::print(*report, &subscriptions::list(&Data::look(globals)?)?)?;
            return Ok(ExitCode::SUCCESS);
        }
        SubscriptionsCommand::Test { name, report } => {
            let told = subscriptions::test(globals, &Data::look(globals)?, name)?;
            output::print(*report, &told)?;
            return Ok(if told.is_taken { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        SubscriptionsCommand::Add(args) => {
            let mut data = Data::open(globals)?;
            let networks = data::networks(globals)?;
            let mut wish = wish(args);
            if args.login {
                wish.login = Some(read_secret(&args.name)?);
            }
            let added = subscriptions::add(globals, &mut data, &networks, wish)?;
            output::print(args.report, &added)?;
            return Ok(ExitCode::SUCCESS);
        }
        SubscriptionsCommand::Pause { name, report } => {
            subscriptions::steer(&mut Data::open(globals)?, Verb::Pause, name)?;
            *report
        }
        SubscriptionsCommand::Resume { name, report } => {
            subscriptions::steer(&mut Data::open(globals)?, Verb::Resume, name)?;
            *report
        }
        SubscriptionsCommand::Remove { name, report } => {
            let mut data = Data::open(globals)?;
            subscriptions::steer(&mut data, Verb::Remove, name)?;
            subscriptions::forget_secret(globals, &data, name);
            *report
        }
        SubscriptionsCommand::Replay { name, from, report } => {
            subscriptions::replay(&mut Data::open(globals)?, name, *from)?;
            *report
        }
    };
    output::print(report, &subscriptions::list(&Data::look(globals)?)?)?;
    Ok(ExitCode::SUCCESS)
}

fn wish(args: &SubscriptionArgs) -> Wish<'_> {
    let way = &args.way;
    let way = if let Some(path) = &way.file {
        Way::File(path.display().to_string())
    } else if let Some(url) = &way.webhook {
        Way::Webhook { url: url.clone(), allow_private: args.allow_private, secret: None }
    } else if way.stdout {
        Way::Stdout
    } else if way.websocket {
        Way::Websocket
    } else if let Some(url) = &way.nats {
        let subject = args.subject.clone().unwrap_or_default();
        Way::Nats { url: url.clone(), subject, stream: args.stream.clone(), login: None }
    } else {
        Way::Command(way.command.clone())
    };
    let filters = args.filters.chunks_exact(2).map(|it| (it[0].as_str(), it[1].as_str())).collect();
    Wish {
        name: &args.name,
        kinds: &args.kinds,
        way,
        filters,
        from: args.from,
        buffer_max: args.drop_beyond,
        is_signed: !args.unsigned,
        login: None,
    }
}

impl Report for SubscriptionAdded {
    fn text(&self) -> String {
        let it = &self.subscription;
        let added = format!(
            "`{}` gets {} by {}{}, after change {}; a run that is under way sees it within a second",
            it.name,
            it.kinds.join(", "),
            it.way,
            if it.target.is_empty() { String::new() } else { format!(" {}", it.target) },
            it.cursor
        );
        let Some(secret) = &self.secret else { return added };
        format!(
            "{added}\n\nIts batches are signed with this secret, which is shown this once and kept in the credentials file:\n{secret}"
        )
    }
}

impl Report for SubscriptionTest {
    fn text(&self) -> String {
        let mark = if self.is_taken { "taken" } else { "not taken" };
        format!("{}: {mark}: {}", self.name, self.said)
    }
}

impl Report for SubscriptionsReport {
    fn text(&self) -> String {
        if self.subscriptions.is_empty() {
            return "no subscriptions; `freshet subscriptions add --help` has examples".to_owned();
        }
        let row = |it: &SubscriptionLine| {
            vec![
                it.name.clone(),
                it.state.clone(),
                format!("{} {}", it.way, it.target).trim_end().to_owned(),
                it.kinds.join(", "),
                it.behind.to_string(),
                it.delivered_count.to_string(),
                it.dropped_count.to_string(),
                it.failed_count.to_string(),
            ]
        };
        let header = ["name", "state", "to", "kinds", "#behind", "#delivered", "#dropped", "#failed"];
        let table = output::fitted(&header, self.subscriptions.iter().map(row));
        let lost = |it: &SubscriptionLine| {
            let count = output::count(it.lost_count, "record");
            let told =
                format!("{}, {count} came without content: nothing keeps it, and it was gone", it.name);
            (it.lost_count > 0).then_some(told)
        };
        let failure = |it: &SubscriptionLine| {
            it.failure.as_ref().map(|why| format!("{}, last failure: {why}", it.name))
        };
        let all = &self.subscriptions;
        let notes: Vec<String> = all.iter().filter_map(lost).chain(all.iter().filter_map(failure)).collect();
        if notes.is_empty() { table } else { format!("{table}\n\n{}", notes.join("\n")) }
    }
}
