//! The command line: every command, its options and its help, as data.
//!
//! The shape is a contract that scripts rely on. `--data`, `--clock` and `-v` may stand
//! anywhere; `--format` belongs to each command, because what it can print differs. Nothing is
//! read or opened here: values are checked for their form only.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use freshet_app::when::When;
use freshet_engine::forum::Share;
use freshet_engine::importance::Switch;
use freshet_export::CHECKPOINT_EVERY;
use freshet_policy::Objective;
use freshet_sink::{Format, RecordKind};
use freshet_types::{Span, Weight};

mod group;
mod login;
mod object;
mod simulate;
mod subscriptions;
mod value;

pub(crate) use group::{
    AlertsArgs, AlertsCommand, BudgetCommand, CalendarCommand, ConstraintArgs, ConstraintsCommand,
    CredentialArgs, CredentialsCommand, DashboardArgs, DashboardCommand, DialectName, FocusCommand,
    ForumCommand, ForumFormat, ForumInspectArgs, ForumLearnArgs, NetworksCommand, ReadArgs, RobotsCommand,
    SnapshotArgs, SnapshotCommand, Terms, TlsArgs, WishArgs, WorldArgs, WorldCommand,
};
pub(crate) use login::LoginArgs;
pub(crate) use object::{GetArgs, GraphArgs, ShowArgs};
pub(crate) use simulate::SimulateArgs;
pub(crate) use subscriptions::{SubscriptionArgs, SubscriptionsCommand};

const EXAMPLES: &str = "\
Examples:
  freshet demo                                   watch a whole crawl of a simulated network
  freshet init                                   make a data directory
  freshet add https://example.social/@ada        watch an account
  freshet add -f follows.opml --since 30d        watch a list of feeds, a month back
  freshet run                                    crawl until Ctrl-C
  freshet export --format parquet -o posts/      take everything out

The data directory is `--data`, else $FRESHET_DATA, else ~/.local/share/freshet.
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
    /// Take the time from there (`http://ADDR/clock` of a simulated world); the data directory
    /// remembers it. `system` returns to the computer's clock
    #[arg(long, value_name = "URL", global = true, value_parser = value::clock)]
    pub(crate) clock: Option<String>,
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
    /// Erase everything that was collected of an account, a post or a source, for good
    Forget(ForgetArgs),
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

/// `freshet demo`.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct DemoArgs {
    /// A use-case on two networks that lead into each other, instead of a crawl of one
    #[arg(value_enum, value_name = "CASE")]
    pub(crate) case: Option<CaseName>,
    /// Draw nothing; print a report at the end
    #[arg(long)]
    pub(crate) headless: bool,
    /// Stop after this long (wall time), such as 30s or 5m
    #[arg(long = "for", value_name = "SPAN", value_parser = value::span)]
    pub(crate) duration: Option<Span>,
    /// Which simulated network: the same number gives the same one
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// The use-cases of `freshet demo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CaseName {
    /// People found by name, their history, friends and recent albums
    Spider,
    /// Posts that share videos, and the videos with their comments and channels
    World,
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

const ADD_EXAMPLES: &str = "\
Examples:
  freshet add https://example.social/@ada @bob@example.org
  freshet add alice.bsky.social at://did:plc:abc/app.bsky.feed.post/3k
  freshet add https://news.ycombinator.com/user?id=pg https://example.org/feed.xml
  freshet add bluesky:http://127.0.0.1:2583/alice.test --allow-private
  freshet add https://forum.example/ --as forum
  freshet add https://wiki.example/Rivers page:https://example.org/about --as page
  freshet add -f follows.csv --since 2026-01-01
  freshet add @ada@example.social --weight 5
  cat refs.txt | freshet add -f -";

/// `freshet add`.
#[derive(Debug, Default, ClapArgs)]
#[command(after_help = ADD_EXAMPLES)]
pub(crate) struct AddArgs {
    /// Profile URL, @user@host, handle, at:// URI, feed URL, …
    #[arg(value_name = "REF", required_unless_present = "file")]
    pub(crate) references: Vec<String>,
    /// A file of them: plain list, OPML, Mastodon follow CSV, twarc or minet CSV; `-` is
    /// standard input
    #[arg(short, long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// The column of a CSV file that holds the references
    #[arg(long, value_name = "NAME", requires = "file")]
    pub(crate) column: Option<String>,
    /// History before this is not wanted: a date, an RFC 3339 time, or a span back such as 7d
    #[arg(long, value_name = "T")]
    pub(crate) since: Option<When>,
    /// Drop posts of these sources when they are older than this span
    #[arg(long, value_name = "SPAN", value_parser = value::span)]
    pub(crate) retention: Option<Span>,
    /// How much they count, from 0.001 to 1000: at weight 4 their posts wait half as long [default: 1, or what it was]
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    pub(crate) weight: Option<Weight>,
    /// Permit loopback and private addresses for these sources
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// They are front pages of forums (learn each one, unless it is known), or single pages, each one
    /// looked at as often as it changes
    #[arg(long = "as", value_name = "KIND", value_enum)]
    pub(crate) kind: Option<AddKind>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// What references are, where a person says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AddKind {
    /// The front page of a forum.
    Forum,
    /// A single page, looked at as often as it changes.
    Page,
}

/// `freshet remove`, `freshet pause`, `freshet resume`.
#[derive(Debug, ClapArgs)]
pub(crate) struct RemoveArgs {
    /// The source: what `add` was given, a handle, an address or a source's number
    #[arg(value_name = "REF", required = true)]
    pub(crate) references: Vec<String>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

const WEIGHT_EXAMPLES: &str = "\
Examples:
  freshet weight @ada@example.social 5           her posts count five times as much as usual
  freshet weight 17 18 19 0.2                    these sources may wait longer
  freshet weight https://forum.example/ 2        a forum with all its boards and threads

What waits counts by its weight: visits come 1/√weight times as far apart where calls are scarce.
Small weights are still visited within the ceiling. A run that is under way obeys within a second.
What people ask about counts more by itself, and so does who is near to what a focus wants;
`freshet explain` shows all of it, and `freshet run --importance off` leaves both out.";

/// `freshet weight`.
#[derive(Debug, ClapArgs)]
#[command(after_help = WEIGHT_EXAMPLES)]
pub(crate) struct WeightArgs {
    /// The source: what `add` was given, a handle, an address or a source's number
    #[arg(value_name = "REF", required = true, num_args = 1.., allow_negative_numbers = true)]
    pub(crate) references: Vec<String>,
    /// The weight, from 0.001 to 1000; 1 is usual
    #[arg(value_name = "W", required = true, allow_negative_numbers = true)]
    pub(crate) weight: Weight,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

const FORGET_EXAMPLES: &str = "\
Examples:
  freshet forget @ada@example.social             erase, and never collect again
  freshet forget mastodon:example.social/account/1 --yes
  freshet forget --undo @ada@example.social      let it be collected again; what was erased is gone

What is forgotten does not come back, whoever shows it: a list of keyed hashes, which holds no
names, keeps it out. `add` refuses it until `--undo`. An address is kept out even if nothing of it
was collected yet. A run beside it goes on; after an interruption the same command goes on too.";

/// `freshet forget`.
#[derive(Debug, ClapArgs)]
#[command(after_help = FORGET_EXAMPLES)]
pub(crate) struct ForgetArgs {
    /// The account, post or source: an address, a handle, or what `add` was given
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    /// Take it back: it may be collected again
    #[arg(long)]
    pub(crate) undo: bool,
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
    /// Whether what people ask about (searches, pages, the API), and who is near to what a focus wants, counts more: on
    /// or off; the data directory remembers it [default: on]
    #[arg(long, value_name = "SWITCH", value_parser = value::switch)]
    pub(crate) importance: Option<Switch>,
    /// Visit only: open no stream of a server, though its definition has one
    #[arg(long)]
    pub(crate) no_streams: bool,
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

/// `freshet explain`.
#[derive(Debug, ClapArgs)]
pub(crate) struct ExplainArgs {
    /// The source: what `add` was given, a handle, an address or a source's number
    #[arg(value_name = "SOURCE")]
    pub(crate) source: String,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

const PLAN_EXAMPLES: &str = "\
Examples:
  freshet plan                                   lag and calls at present prices
  freshet plan --lag 10m                         how many calls an hour that needs
  freshet plan --calls-per-hour 200              what lag to expect of them";

/// `freshet plan`.
#[derive(Debug, Default, ClapArgs)]
#[command(after_help = PLAN_EXAMPLES)]
pub(crate) struct PlanArgs {
    /// The mean time from post to visit that is wanted, such as 10m
    #[arg(long, value_name = "SPAN", value_parser = value::span, conflicts_with = "calls_per_hour")]
    pub(crate) lag: Option<Span>,
    /// Requests an hour that may be spent, over all networks
    #[arg(long, value_name = "N", value_parser = value::calls, allow_negative_numbers = true)]
    pub(crate) calls_per_hour: Option<f64>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet gaps`.
#[derive(Debug, ClapArgs)]
pub(crate) struct GapsArgs {
    /// Show at most so many sources as text, those with the dearest holes first; JSON has all
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

const COMPLAINTS_EXAMPLES: &str = "\
A complaint is about one record of an answer, or one value of it; the rest of the answer is kept.
Samples are kept for 30 days, and forgetting anybody erases all of them.

Examples:
  freshet complaints                             all kinds, those met last first
  freshet complaints --network mastodon          of all servers of a network
  freshet complaints --samples 20 --format json  with all that is kept";

/// `freshet complaints`.
#[derive(Debug, ClapArgs)]
#[command(after_help = COMPLAINTS_EXAMPLES)]
pub(crate) struct ComplaintsArgs {
    /// Only of this network, or of all servers of this definition
    #[arg(long, value_name = "NETWORK")]
    pub(crate) network: Option<String>,
    /// Show at most so many samples of each kind as text; JSON has all that are kept
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) samples: usize,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet search`.
#[derive(Debug, ClapArgs)]
pub(crate) struct SearchArgs {
    /// Words that must occur; "a phrase"; a OR b; NOT c; pre*
    #[arg(value_name = "QUERY")]
    pub(crate) query: String,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) limit: u32,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

const FIND_EXAMPLES: &str = "\
Examples:
  freshet find bluesky river watchers            who calls themselves so
  freshet find mastodon:example.social botany --add --limit 50
                                                 and watch the first fifty
  freshet robots start relation                  go on from them to whom they follow, with
  freshet run --depth 1                          one step more

A request or a few are sent, with the network's credential if there is one; some networks answer none without.
Nothing is stored unless --add is given.";

/// `freshet find`.
#[derive(Debug, ClapArgs)]
#[command(after_help = FIND_EXAMPLES)]
pub(crate) struct FindArgs {
    /// Which network: `bluesky`, `mastodon:example.social`, `mastodon:http://127.0.0.1:4040`
    #[arg(value_name = "NETWORK")]
    pub(crate) network: String,
    /// Words to look for: a name, a handle, what people say of themselves
    #[arg(value_name = "WORDS", required = true)]
    pub(crate) words: Vec<String>,
    /// Watch the accounts that are found, as `freshet add` would
    #[arg(long)]
    pub(crate) add: bool,
    /// At most so many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub(crate) limit: u32,
    /// Permit loopback and private addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

const EXPORT_EXAMPLES: &str = "\
Examples:
  freshet export > posts.jsonl                   every post, its newest version
  freshet export --format parquet -o out/        for DuckDB, pandas, polars: out/posts.parquet
  freshet export --kind posts,accounts,relations,changes --format csv -o out/
  freshet export --kind links                    who liked what, and where links lead
  freshet export --split day --format parquet -o out/
                                                 out/posts/2026-01-05.parquet and so on
  freshet export --split day --since 30d --dry-run
                                                 how many there would be

An export into a directory that was interrupted goes on when the same command is given again, within its
files: nothing that is written is written twice.";

/// `freshet export`.
#[derive(Debug, ClapArgs)]
#[command(after_help = EXPORT_EXAMPLES)]
pub(crate) struct ExportArgs {
    /// jsonl, csv or parquet
    #[arg(long, default_value = "jsonl")]
    pub(crate) format: Format,
    /// posts, accounts, relations, changes, objects or links; several with commas, into a directory
    #[arg(long, value_name = "KIND", default_value = "posts", value_delimiter = ',')]
    pub(crate) kind: Vec<RecordKind>,
    /// Posts created at or after this (everything else: first seen)
    #[arg(long, value_name = "T")]
    pub(crate) since: Option<When>,
    /// Created before this
    #[arg(long, value_name = "T")]
    pub(crate) until: Option<When>,
    /// Only this network: `bluesky`, `mastodon:example.social`
    #[arg(long, value_name = "NAME")]
    pub(crate) network: Option<String>,
    /// Write DIR/KIND.FORMAT instead of standard output
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// One file for each day (UTC): DIR/KIND/2026-01-05.FORMAT
    #[arg(long, value_name = "BY", value_enum)]
    pub(crate) split: Option<Split>,
    /// Count what there would be, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Begin anew: neither go on with an export that was interrupted, nor spare one of another data directory
    #[arg(long, requires = "output")]
    pub(crate) restart: bool,
    /// Records between two points from which an interrupted export can go on
    #[arg(long, value_name = "N", hide = true, default_value_t = CHECKPOINT_EVERY, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) checkpoint_every: u64,
}

/// By what an export is split into files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Split {
    /// By day.
    Day,
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
