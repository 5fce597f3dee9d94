//! The command line: every command, its options and its help, as data.
//!
//! The shape is a contract that scripts rely on. `--data`, `--clock` and `-v` may stand
//! anywhere; `--format` belongs to each command, because what it can print differs. Nothing is
//! read or opened here: values are checked for their form only.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{ArgAction, Args as ClapArgs, Parser, Subcommand, ValueEnum};
use freshet_engine::forum::Share;
use freshet_engine::importance::Switch;
use freshet_policy::Objective;
use freshet_types::Span;

mod care;
mod copy;
mod credentials;
mod dashboard;
mod export;
mod find;
mod forum;
mod group;
mod login;
mod networks;
mod object;
mod reports;
mod simulate;
mod sources;
mod subscriptions;
mod value;
mod world;

pub(crate) use care::{CareArgs, CareCommand, CareSetting, RetentionArgs, RetentionSpan};
pub(crate) use copy::CopyArgs;
pub(crate) use credentials::{CredentialArgs, CredentialsCommand, Terms};
pub(crate) use dashboard::{DashboardArgs, DashboardCommand, TlsArgs};
pub(crate) use export::{ExportArgs, ExportFormat, SnapshotArgs, SnapshotCommand};
pub(crate) use find::{FindArgs, SearchArgs};
pub(crate) use forum::{ForumCommand, ForumFormat, ForumInspectArgs, ForumLearnArgs};
pub(crate) use group::{
    BudgetCommand, CalendarCommand, ConstraintArgs, ConstraintsCommand, FocusCommand, RobotsCommand, WishArgs,
};
pub(crate) use login::LoginArgs;
pub(crate) use networks::{NetworkSetting, NetworksCommand, ReadArgs};
pub(crate) use object::{GetArgs, GraphArgs, ShowArgs};
pub(crate) use reports::{AlertsArgs, AlertsCommand, ComplaintsArgs, ExplainArgs, GapsArgs, PlanArgs};
pub(crate) use simulate::SimulateArgs;
pub(crate) use sources::{AddArgs, AddKind, ForgetArgs, RemoveArgs, WeightArgs};
pub(crate) use subscriptions::{SubscriptionArgs, SubscriptionsCommand};
pub(crate) use world::{CaseName, DemoArgs, DialectName, WorldArgs, WorldCommand};

const EXAMPLES: &str = "\
Examples:
  freshet demo                                   watch a whole crawl of a simulated network
  freshet init                                   make a data directory
  freshet add https://example.social/@ada        watch an account
  freshet add -f follows.opml --since 30d        watch a list of feeds, a month back
  freshet run                                    crawl until Ctrl-C
  freshet export --format parquet -o posts/      take everything out

The data directory is `--data`, else $FRESHET_DATA, else ~/.local/share/freshet; its store is
a file in it, unless `--store` or $FRESHET_STORE names another (PostgreSQL).
Exit codes: 0 done, 1 failed, 2 misuse.";

/// Keeps a local, queryable copy of what people post on social networks and forums, as fresh
/// as a limited number of requests allows.
#[derive(Debug, Parser)]
#[command(name = "freshet", version, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that every command takes.
#[derive(Debug, Default, ClapArgs)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct GlobalArgs {
    /// Where everything is kept [default: `$FRESHET_DATA`, else `~/.local/share/freshet`]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) data: Option<PathBuf>,
    /// Keep what is collected there rather than in the data directory: `postgres://USER@HOST/DATABASE`, or a SQLite file
    /// [default: `$FRESHET_STORE`, else a file of the data directory]. The environment shows a password to nobody else
    #[arg(long, value_name = "URL", global = true, action = ArgAction::Append, value_parser = value::store)]
    pub(crate) store: Vec<String>,
    /// Take the time from there (`http://ADDR/clock` of a simulated world); the data directory
    /// remembers it. `system` returns to the computer's clock
    #[arg(long, value_name = "URL", global = true, value_parser = value::clock)]
    pub(crate) clock: Option<String>,
    /// As which viewer: the name of a credential. What was read with it is shown beside what everybody may see, and to nobody else
    #[arg(long, value_name = "NAME", global = true)]
    pub(crate) viewer: Option<String>,
    /// The same, shorter; `freshet add` also takes what a reference is: `page`, `forum`
    #[arg(long = "as", value_name = "NAME", global = true)]
    pub(crate) seen_as: Option<String>,
    /// Say more about what happens (-v, -vv), on standard error
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// Say nothing but results and errors: no progress, no notes, no drawing
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// When to use colour; `auto` is on a terminal, unless `$NO_COLOR` is set
    #[arg(long, value_enum, value_name = "WHEN", global = true, default_value = "auto")]
    pub(crate) color: Colour,
}

impl Args {
    /// As whom this is done. What `add` is told of its references is no viewer.
    pub(crate) fn viewer(&self) -> Option<String> {
        let is_kind = |name: &&String| {
            matches!(self.command, Command::Add(_)) && AddKind::from_str(name, false).is_ok()
        };
        let short = self.global.seen_as.as_ref().filter(|name| !is_kind(name));
        self.global.viewer.as_ref().or(short).cloned()
    }

    /// Tells `add` what its references are, where `--as` says so.
    pub(crate) fn settle(&mut self) {
        if let Command::Add(args) = &mut self.command {
            args.kind = self.global.seen_as.as_ref().and_then(|word| AddKind::from_str(word, false).ok());
        }
    }
}

impl Command {
    /// Whether it can be done as a viewer: it shows objects or sources, or changes what is the viewer's.
    pub(crate) fn takes_viewer(&self) -> bool {
        match self {
            Self::Get(args) => !args.online,
            Self::Add(_)
            | Self::Remove(_)
            | Self::Pause(_)
            | Self::Resume(_)
            | Self::Weight(_)
            | Self::Status(_)
            | Self::Explain(_)
            | Self::Gaps(_)
            | Self::Check(_)
            | Self::Complaints(_)
            | Self::Search(_)
            | Self::Show(_)
            | Self::Graph(_)
            | Self::Subscriptions(_)
            | Self::Export(_)
            | Self::Snapshot(_)
            | Self::Dashboard(_) => true,
            _ => false,
        }
    }
}

impl GlobalArgs {
    /// The address of the store. `add --store never` is a word about what is kept, by the same name.
    pub(crate) fn store_address(&self) -> Result<Option<String>, &'static str> {
        let mut addresses = self.store.iter().filter(|store| !value::is_keeping(store));
        match (addresses.next(), addresses.next()) {
            (_, Some(_)) => Err("`--store` names two stores"),
            (address, None) => Ok(address.cloned()),
        }
    }
}

/// When colour is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Colour {
    /// On a terminal.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

/// How a report is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON document; times are unix seconds.
    Json,
}

/// The option of every command that reports something.
#[derive(Clone, Copy, Debug, Default, ClapArgs)]
pub(crate) struct ReportArgs {
    /// How to print the report
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: ReportFormat,
}

/// The commands, in the order in which they are met.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Show the whole system at work against a simulated network, in one process
    Demo(DemoArgs),
    /// Make a data directory
    Init(InitArgs),
    /// Watch accounts, feeds, tags and threads
    Add(AddArgs),
    /// Stop watching; what was collected stays
    Remove(RemoveArgs),
    /// Let sources rest; they stay on the list
    Pause(RemoveArgs),
    /// Watch again what was paused or removed
    Resume(RemoveArgs),
    /// Say how much a source counts: at weight 4 its posts wait half as long
    Weight(WeightArgs),
    /// Say how long posts of a source are kept
    Retention(RetentionArgs),
    /// Erase everything that was collected of an account, a post or a source, for good
    Forget(ForgetArgs),
    /// Say what is kept of whom and why, and which exports have to hear of what is not
    Care(CareArgs),
    /// Crawl, until stopped
    Run(RunArgs),
    /// Serve the dashboard over what was collected, without crawling
    Dashboard(DashboardArgs),
    /// Show what is here, what happens and what fails
    Status(ReportArgs),
    /// Show what is known of a source and when it is visited next
    Explain(ExplainArgs),
    /// Say how many calls a lag needs, or what lag to expect of so many calls
    Plan(PlanArgs),
    /// Show what is not proven complete, and what it would cost to close
    Gaps(GapsArgs),
    /// Show what somebody should know: silences, bursts, losses; and test who is told
    Alerts(AlertsArgs),
    /// Look whether what is stored is whole and nobody else may read it; nothing is changed
    Check(ReportArgs),
    /// Move a whole store into another one: from a file into PostgreSQL, or back
    Copy(CopyArgs),
    /// Show what could not be used of answers: how often, where, and samples of it
    Complaints(ComplaintsArgs),
    /// Search the posts that were collected
    Search(SearchArgs),
    /// Find accounts on a network by words, and watch them
    Find(FindArgs),
    /// Read one object and its links: values, collections, paths such as `author.followers_count`
    Get(GetArgs),
    /// Show one object to people: its values, links, changes and sources
    Show(ShowArgs),
    /// Draw or export what stands around an object: SVG, `GraphML` or GEXF
    Graph(GraphArgs),
    /// Show and steer the robots: relation, user, status, comment, tag, link, across
    #[command(subcommand)]
    Robots(RobotsCommand),
    /// Say which posts and accounts are wanted
    #[command(subcommand)]
    Constraints(ConstraintsCommand),
    /// Say who gets changes, and by which way: a file, a program, a web address
    #[command(subcommand)]
    Subscriptions(SubscriptionsCommand),
    /// Say which posts are wanted first: words, tags, languages, places
    #[command(subcommand)]
    Focus(FocusCommand),
    /// Say how much may be asked, below what the networks allow
    #[command(subcommand)]
    Budget(BudgetCommand),
    /// Say which days are not like others: weekends, holidays, and by whose clock
    #[command(subcommand)]
    Calendar(CalendarCommand),
    /// Take records out as JSON lines, CSV or Parquet
    Export(ExportArgs),
    /// Write a folder to cite: data, hashes, definitions and what is proven complete
    Snapshot(SnapshotArgs),
    /// Show, check and try the definitions of networks
    #[command(subcommand)]
    Networks(NetworksCommand),
    /// Learn how a forum's pages are read, and read them
    #[command(subcommand)]
    Forum(ForumCommand),
    /// Log in to a network: a browser is asked for consent, and the token is kept, encrypted
    Login(Box<LoginArgs>),
    /// Keep secrets, encrypted
    #[command(subcommand)]
    Credentials(CredentialsCommand),
    /// Serve a simulated network over HTTP
    #[command(subcommand)]
    World(WorldCommand),
    /// Compare policies on a recorded history, or on what was collected
    Simulate(Box<SimulateArgs>),
    /// Print the completions for a shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write all of them
    Man(ManArgs),
}

/// `freshet init`.
#[derive(Debug, ClapArgs)]
pub(crate) struct InitArgs {
    /// Web or mail address that servers find in the user agent, to reach you
    #[arg(long, value_name = "ADDRESS", value_parser = value::contact)]
    pub(crate) contact: Option<String>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

const RUN_EXAMPLES: &str = "\
Examples:
  freshet run                                    crawl what was added, until Ctrl-C
  freshet run --headless --for 8h --deliver new.jsonl
  freshet robots start relation && freshet run --depth 2
                                                 go on to whom they follow, and whom those follow";

/// `freshet run`.
#[derive(Debug, Default, ClapArgs)]
#[command(after_help = RUN_EXAMPLES)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(crate) struct RunArgs {
    /// Draw nothing; print a report at the end
    #[arg(long)]
    pub(crate) headless: bool,
    /// Stop after this long (wall time), such as 60s or 8h
    #[arg(long = "for", value_name = "SPAN", value_parser = value::span)]
    pub(crate) duration: Option<Span>,
    /// Serve no dashboard
    #[arg(long)]
    pub(crate) no_dashboard: bool,
    /// Serve the dashboard there; anything but loopback needs a password or token
    /// [default: 127.0.0.1:8640, or the next free port]
    #[arg(long, value_name = "ADDR", conflicts_with = "no_dashboard", value_parser = value::address)]
    pub(crate) listen: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    /// The longest a source stays unvisited, quota permitting [default: 6h, where that takes at most a quarter of the calls]
    #[arg(long, value_name = "SPAN", value_parser = value::span)]
    pub(crate) ceiling: Option<Span>,
    /// The policy that decides when to visit
    #[arg(long, value_name = "NAME")]
    pub(crate) policy: Option<String>,
    /// What visits are to bring: `delay` (posts are seen soon) or `capture` (as many as possible are seen at all, where
    /// lists show only their newest)
    #[arg(long, value_name = "WHAT", default_value = "delay")]
    pub(crate) objective: Objective,
    /// Where calls are scarce and a network can tell of several sources at once which have news, ask about at most K of them with
    /// one call; 1 asks for each alone [default: as many as the network allows]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) group: Option<u32>,
    /// What decides between boards and threads of a forum when both wait: the price, or the ratio of new threads
    /// to new posts; the data directory remembers it [default: price]
    #[arg(long, value_name = "RULE")]
    pub(crate) forum_share: Option<Share>,
    /// Whether what people ask about (searches, pages, the API), and who is near to what a focus wants or to what was
    /// added, counts more: on or off; the data directory remembers it [default: on]
    #[arg(long, value_name = "SWITCH", value_parser = value::switch)]
    pub(crate) importance: Option<Switch>,
    /// Visit only: open no stream of a server, though its definition has one
    #[arg(long)]
    pub(crate) no_streams: bool,
    /// Ask the hubs that feeds name to tell of news (`WebSub`); they come to the dashboard, which this address leads to and which they must
    /// be able to reach
    #[arg(long, value_name = "URL", conflicts_with = "no_dashboard")]
    pub(crate) websub_at: Option<String>,
    /// Keep every answer as received, compressed
    #[arg(long)]
    pub(crate) keep_raw: bool,
    /// Append every exchange to this file, as `networks read` reads them; secrets are left out
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// Append every new, edited and deleted post to this file as JSON lines, each at least once;
    /// the next run goes on where this one stopped
    #[arg(long, value_name = "FILE")]
    pub(crate) deliver: Option<PathBuf>,
    /// How many steps from what was added the robots go on by themselves: 0 keeps to what was
    /// added, 1 reaches the accounts that those follow, answer or repost, and so on. The robots
    /// that run take the steps; see `freshet robots list`
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) depth: u16,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet completions`.
#[derive(Debug, ClapArgs)]
pub(crate) struct CompletionsArgs {
    /// For which shell
    pub(crate) shell: clap_complete::Shell,
}

/// `freshet man`.
#[derive(Debug, ClapArgs)]
pub(crate) struct ManArgs {
    /// Write one page for each command into this directory
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}

#[cfg(test)]
mod tests;
