//! The arguments of the commands about what is watched: `add`, `remove`, `pause`, `resume`, `weight`, `forget`.
//!
//! A reference is text here; which source it means is found out by the command. How long posts are kept is `care.rs`.

use std::path::PathBuf;

use clap::{ArgAction, Args as ClapArgs, ValueEnum};
use freshet_app::when::When;
use freshet_types::{Span, Weight};

use super::{ReportArgs, value};

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
  freshet add @ada@example.social --as mine      with the credential `mine` alone, for its viewer alone
  cat refs.txt | freshet add -f -

`--as forum`: they are front pages of forums (each is learned, unless it is known). `--as page`: they are
single pages, each looked at as often as it changes. Any other NAME is a viewer, and so is what
`--viewer` says.";

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
    /// Accept a retention of less than a day
    #[arg(long, requires = "retention")]
    pub(crate) yes: bool,
    /// How much they count, from 0.001 to 1000: at weight 4 their posts wait half as long [default: 1, or what it was]
    #[arg(long, value_name = "W", allow_negative_numbers = true)]
    pub(crate) weight: Option<Weight>,
    /// `never`: what they bring goes to subscribers, and only ids, times and fingerprints are kept; `keep` [default: as their
    /// network does]. An address says which store they are added to, as with every command
    #[arg(long, value_name = "STORE", action = ArgAction::Append, value_parser = value::store_or_keeping)]
    pub(crate) store: Vec<String>,
    /// Permit loopback and private addresses for these sources
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// What `--as` says of the references, where it names no viewer
    #[arg(skip)]
    pub(crate) kind: Option<AddKind>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

impl AddArgs {
    /// What is said about what is kept.
    pub(crate) fn keeping(&self) -> Option<&str> {
        self.store.iter().map(String::as_str).rfind(|store| value::is_keeping(store))
    }
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
What people ask about counts more by itself, and so does who is near to what a focus wants, or to
what you added; `freshet explain` shows all of it, `freshet run --importance off` leaves both out.";

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
  freshet forget @ada@example.social --yes --receipt receipt.json
                                                 with something to show to whoever asked for it

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
    /// Write a receipt there: what was erased and when, in counts, without a name
    #[arg(long, value_name = "FILE", conflicts_with = "undo")]
    pub(crate) receipt: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}
