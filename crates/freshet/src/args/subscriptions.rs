//! The arguments of `freshet subscriptions`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use freshet_app::subscriptions::From;

use super::ReportArgs;

const EXAMPLES: &str = "\
Examples:
  freshet subscriptions add archive --file new.jsonl --from beginning
  freshet subscriptions add shop --webhook https://shop.example/hook --where post 'post.like_count > 100'
  freshet subscriptions add gone --kinds deletions --stdout
  freshet subscriptions add live --websocket
  freshet subscriptions add bus --nats nats://127.0.0.1:4222 --subject freshet.posts --stream FRESHET
  freshet subscriptions add care --kinds deletions,forgettings --webhook https://shop.example/erase
  freshet subscriptions add index --kinds posts,accounts --drop-beyond 100000 -- ./index --lines

A record is a JSON object: {\"kind\": \"posts\", \"number\": 17, \"changes\": [\"created\"], \"record\": {…}}. Each comes at
least once, and those of one object in order; `number` tells one that comes again.";

/// `freshet subscriptions …`.
#[derive(Debug, Subcommand)]
pub(crate) enum SubscriptionsCommand {
    /// Show the subscriptions: how far behind each is, what it got, lost and refused
    List(ReportArgs),
    /// Add one: to a file, the standard output, a web address, a program, a bus, or whoever reads a WebSocket
    Add(Box<SubscriptionArgs>),
    /// Let one wait and keep its place
    Pause {
        name: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Let one go on, also one that its receiver ended
    Resume {
        name: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Deliver again from there on
    Replay {
        name: String,
        /// `beginning`, `now`, `change:123`, a time or a span back such as 7d
        #[arg(long, value_name = "PLACE")]
        from: From,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Remove one; what it was told stays with its receiver
    Remove {
        name: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Send one marked record and say what came back; no cursor moves
    Test {
        name: String,
        #[command(flatten)]
        report: ReportArgs,
    },
}

/// `freshet subscriptions add`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXAMPLES)]
pub(crate) struct SubscriptionArgs {
    /// What to call it: letters, digits, `-`, `_` and `.`
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) way: WayArgs,
    /// What it gets, with commas: posts, accounts, relations, links, deletions, forgettings, alerts
    #[arg(long, value_name = "KINDS", value_delimiter = ',', default_value = "posts")]
    pub(crate) kinds: Vec<String>,
    /// Only objects of this type of which this is true, as in `freshet constraints`; may be given several times
    #[arg(long = "where", value_names = ["TYPE", "EXPRESSION"], num_args = 2)]
    pub(crate) filters: Vec<String>,
    /// Where in the log it begins: `now`, `beginning`, `change:123`, a time or a span back such as 7d
    #[arg(long, value_name = "PLACE", default_value = "now")]
    pub(crate) from: From,
    /// Drop the oldest changes when it does not take them and is behind by more than N; each loss is counted and told to
    /// it [default: it waits, and loses nothing]
    #[arg(long, value_name = "N")]
    pub(crate) drop_beyond: Option<u64>,
    /// The web address may be private, loopback or link-local
    #[arg(long, conflicts_with_all = ["file", "stdout", "websocket", "nats", "command"])]
    pub(crate) allow_private: bool,
    /// Do not sign what is sent to the web address
    #[arg(long, conflicts_with_all = ["file", "stdout", "websocket", "nats", "command"])]
    pub(crate) unsigned: bool,
    /// The subject to publish to
    #[arg(long, value_name = "SUBJECT", requires = "nats")]
    pub(crate) subject: Option<String>,
    /// The stream that has to keep it; any that takes the subject without this
    #[arg(long, value_name = "NAME", requires = "nats")]
    pub(crate) stream: Option<String>,
    /// The bus asks for a login: a token or USER:PASSWORD, typed at a prompt or read from standard input
    #[arg(long, requires = "nats")]
    pub(crate) login: bool,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// Where to: exactly one of them.
#[derive(Debug, ClapArgs)]
#[group(required = true, multiple = false)]
pub(crate) struct WayArgs {
    /// Append JSON lines to this file, or write them into this pipe
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Write JSON lines to the standard output of the run
    #[arg(long)]
    pub(crate) stdout: bool,
    /// Send batches to this address by POST, signed; 2xx takes one, 410 ends the subscription
    #[arg(long, value_name = "URL")]
    pub(crate) webhook: Option<String>,
    /// Send batches to whoever reads them over a WebSocket of the run's dashboard, and says that it has them
    #[arg(long)]
    pub(crate) websocket: bool,
    /// Publish each record to a bus, NATS JetStream from 2.11 on, to a subject that a stream of it keeps
    #[arg(long, value_name = "URL", requires = "subject")]
    pub(crate) nats: Option<String>,
    /// Write JSON lines to the standard input of this program, which is started again when it ends
    #[arg(last = true, value_name = "PROGRAM")]
    pub(crate) command: Vec<String>,
}
