//! The commands that have commands of their own: robots, networks, credentials, world.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use freshet_app::forum::PAGES_USUAL;
use freshet_app::when::When;
use freshet_export::CHECKPOINT_EVERY;
use freshet_fetch::CredentialKind;
use freshet_sim::forum::Layout;
use freshet_sink::Format;
use freshet_types::{RobotKind, Span};
use freshet_web::TlsFiles;

use super::{ReportArgs, value};

/// `freshet robots …`.
#[derive(Debug, Subcommand)]
pub(crate) enum RobotsCommand {
    /// Show the robots
    List(ReportArgs),
    /// Let a robot work
    Start(RobotArgs),
    /// Let a robot wait and keep its place
    Pause(RobotArgs),
    /// Let a paused robot go on
    Resume(RobotArgs),
    /// Switch a robot off
    Stop(RobotArgs),
    /// Let a robot show this credential, where it is for the network; without one, the usual choice
    Credential {
        /// relation, user, status, comment, tag or link
        #[arg(value_name = "NAME")]
        robot: RobotKind,
        /// Name of a credential, as `freshet credentials list` shows it
        #[arg(value_name = "CREDENTIAL")]
        credential: Option<String>,
        #[command(flatten)]
        report: ReportArgs,
    },
}

/// Which robot.
#[derive(Debug, ClapArgs)]
pub(crate) struct RobotArgs {
    /// relation, user, status, comment, tag or link
    #[arg(value_name = "NAME")]
    pub(crate) robot: RobotKind,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet networks …`.
#[derive(Debug, Subcommand)]
pub(crate) enum NetworksCommand {
    /// Show the networks that are defined
    List(ReportArgs),
    /// Show one definition
    Show {
        /// Its name
        name: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Check a definition without using it
    Check {
        /// A TOML file
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Read recorded exchanges as the crawl would; one JSON line each
    Read(ReadArgs),
    /// Change what happens to a network's content
    Set {
        /// A network (`bluesky`, `mastodon:example.social`), or all servers of a definition
        name: String,
        /// What to set
        #[arg(value_parser = ["on_delete"])]
        setting: String,
        /// For `on_delete`: `keep` or `redact`
        #[arg(value_parser = ["keep", "redact"])]
        value: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Print the JSON schema of definitions, for editors
    Schema,
}

/// `freshet networks read`.
#[derive(Debug, ClapArgs)]
pub(crate) struct ReadArgs {
    /// The definition to read them by
    #[arg(long, value_name = "NAME")]
    pub(crate) network: String,
    /// One exchange a line, as JSON: method, url, status, headers, body; `-` is standard input
    #[arg(long, value_name = "FILE")]
    pub(crate) recordings: PathBuf,
    /// How to print what was read
    #[arg(long, default_value = "jsonl", value_parser = ["jsonl"])]
    pub(crate) format: String,
}

/// `freshet forum …`.
#[derive(Debug, Subcommand)]
pub(crate) enum ForumCommand {
    /// Learn where threads, posts, times and page links are, from an address or from saved pages
    Learn(ForumLearnArgs),
    /// Read saved pages: what they are, their records, the pages around them
    Inspect(ForumInspectArgs),
}

const FORUM_LEARN_EXAMPLES: &str = "\
A folder holds pages (*.html, *.html.gz) and index.tsv: a header row with the columns `file`,
`url` and, where known, `captured` (the HTTP date of the fetch, base of times such as yesterday).

Examples:
  freshet forum learn https://forum.example/ -o site.toml
  freshet forum learn saved/ -o site.toml
  freshet forum inspect saved/ --site site.toml --format jsonl";

/// `freshet forum learn`.
#[derive(Debug, ClapArgs)]
#[command(after_help = FORUM_LEARN_EXAMPLES)]
pub(crate) struct ForumLearnArgs {
    /// The address of the front page, or a folder of saved pages
    #[arg(value_name = "URL_OR_DIR")]
    pub(crate) source: String,
    /// Fetch at most so many pages
    #[arg(long, value_name = "N", default_value_t = PAGES_USUAL)]
    pub(crate) pages: usize,
    /// Permit loopback and private addresses
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Write the definition there [default: standard output, after the report]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet forum inspect`.
#[derive(Debug, ClapArgs)]
pub(crate) struct ForumInspectArgs {
    /// A saved page, or a folder of them with index.tsv
    #[arg(value_name = "FILE_OR_DIR")]
    pub(crate) source: PathBuf,
    /// The address of the page, when it is one file
    #[arg(long, value_name = "URL", value_parser = value::page)]
    pub(crate) url: Option<url::Url>,
    /// The definition that `forum learn` wrote [default: learned from the pages themselves]
    #[arg(long, value_name = "FILE")]
    pub(crate) site: Option<PathBuf>,
    /// How to print what was read
    #[arg(long, value_enum, default_value = "json")]
    pub(crate) format: ForumFormat,
}

/// How pages are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ForumFormat {
    /// One document: the page, or a list of pages.
    Json,
    /// One line a page.
    Jsonl,
}

const DASHBOARD_EXAMPLES: &str = "\
On loopback nobody is asked for anything. On any other address everybody must log in: with the
password, or with the token in $FRESHET_DASHBOARD_TOKEN (as `Authorization: Bearer TOKEN`, too).

Examples:
  freshet dashboard                              http://127.0.0.1:8640/
  freshet dashboard password                     set the password; an empty one removes it
  freshet dashboard --listen 0.0.0.0:8640        for other computers, behind a password";

/// `freshet dashboard`.
#[derive(Debug, Default, ClapArgs)]
#[command(after_help = DASHBOARD_EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct DashboardArgs {
    /// Serve it there; anything but loopback needs a password or token
    /// [default: 127.0.0.1:8640, or the next free port]
    #[arg(long, value_name = "ADDR", value_parser = value::address)]
    pub(crate) listen: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    /// Stop after this long, such as 60s or 8h
    #[arg(long = "for", value_name = "SPAN", value_parser = value::span)]
    pub(crate) duration: Option<Span>,
    #[command(subcommand)]
    pub(crate) command: Option<DashboardCommand>,
}

/// `freshet dashboard …`.
#[derive(Debug, Subcommand)]
pub(crate) enum DashboardCommand {
    /// Set the password; it is asked for, or read from standard input
    Password,
}

/// `freshet credentials …`.
#[derive(Debug, Subcommand)]
pub(crate) enum CredentialsCommand {
    /// Add a secret; it is asked for, or read from standard input
    Add(CredentialArgs),
    /// Show which there are, never the secrets
    List(ReportArgs),
    /// Remove one
    Remove {
        /// Its name
        name: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Say whether a network's terms allow several tokens to be used in turn
    #[command(after_help = TERMS_EXAMPLES)]
    Terms {
        /// The network, or one server of it
        network: String,
        /// What its terms allow: you have to read them
        #[arg(value_enum)]
        terms: Terms,
        #[command(flatten)]
        report: ReportArgs,
    },
}

const TERMS_EXAMPLES: &str = "\
Some networks forbid more than one app or account for one purpose. Unless you say otherwise,
one token of a network is used, the first by name. With `allow-many` all of them are, in
turn: each keeps its own quota, tokens of one app share the app's and tokens of one user the
user's. A run that is under way obeys within seconds.

Examples:
  freshet credentials terms mastodon:example.social allow-many
  freshet credentials terms reddit one";

/// How many tokens of a network are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Terms {
    /// All, in turn.
    AllowMany,
    /// The first by name.
    One,
}

/// How the dashboard is encrypted on its way.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct TlsArgs {
    /// Serve the dashboard over TLS with this certificate chain (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM)
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
}

impl TlsArgs {
    /// The files that are named.
    pub(crate) fn files(&self) -> TlsFiles {
        TlsFiles { tls_cert: self.tls_cert.clone(), tls_key: self.tls_key.clone() }
    }
}

const CREDENTIAL_EXAMPLES: &str = "\
The file credentials.age in the data directory is encrypted with a passphrase, which is
asked for or taken from $FRESHET_PASSPHRASE. Secrets may also come from the environment:
FRESHET_CREDENTIAL_MASTODON=\"example.social TOKEN\" (the server first, where a network has
many), FRESHET_CREDENTIAL_BLUESKY_ALICE=identifier:password.

Examples:
  freshet credentials add mastodon:example.social
  freshet credentials add bluesky --kind app_password --name alice < secret.txt
  freshet credentials add mastodon:example.social --name follows --robot relation";

/// `freshet credentials add`.
#[derive(Debug, ClapArgs)]
#[command(after_help = CREDENTIAL_EXAMPLES)]
pub(crate) struct CredentialArgs {
    /// The network it is for: `bluesky`, or one server, `mastodon:example.social`
    pub(crate) network: String,
    /// What to call it [default: the network's name]
    #[arg(long)]
    pub(crate) name: Option<String>,
    /// The robot that is to use it, rather than all
    #[arg(long)]
    pub(crate) robot: Option<RobotKind>,
    /// `bearer`, `app_password` (given as `identifier:password`), `api_key` or `oauth1` (given as
    /// `consumer_key:consumer_secret:token:token_secret`)
    #[arg(long, default_value = "bearer")]
    pub(crate) kind: CredentialKind,
    /// The app it belongs to: tokens of one app share the quotas of the app
    #[arg(long, value_name = "ID")]
    pub(crate) app: Option<String>,
    /// Whose it is: tokens of one user share the quotas of the user
    #[arg(long, value_name = "NAME")]
    pub(crate) user: Option<String>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet world …`.
#[derive(Debug, Subcommand)]
pub(crate) enum WorldCommand {
    /// Serve a simulated network in Mastodon's dialect, with `GET /clock` and `GET /truth.jsonl`
    Serve(WorldArgs),
}

/// `freshet world serve`.
#[derive(Debug, ClapArgs)]
pub(crate) struct WorldArgs {
    /// Which world: the same number gives the same one
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,
    /// How many accounts live in it
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) accounts: u32,
    /// Whose language it speaks
    #[arg(long, value_name = "NAME", value_enum, default_value = "mastodon", conflicts_with = "forum")]
    pub(crate) dialect: DialectName,
    /// How many times as fast as on the wall time passes
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = value::speed)]
    pub(crate) speed: f64,
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4040", value_parser = value::address)]
    pub(crate) listen: SocketAddr,
    /// Serve a forum instead: a trace with the columns board, thread, unix seconds, author
    #[arg(long, value_name = "TRACE", conflicts_with_all = ["seed", "accounts"])]
    pub(crate) forum: Option<PathBuf>,
    /// How the forum's pages look: classic, nested or modern
    #[arg(long, value_name = "NAME", default_value = "classic", requires = "forum")]
    pub(crate) layout: Layout,
    /// Records on a page of the forum
    #[arg(long, value_name = "N", default_value_t = 20, requires = "forum", value_parser = clap::value_parser!(u32).range(10..=50))]
    pub(crate) page_size: u32,
    /// The newest post of a thread stands first
    #[arg(long, requires = "forum")]
    pub(crate) newest_first: bool,
    /// One in so many posts of the forum is changed by its author, `--edited-after` it was made
    #[arg(long, value_name = "N", requires = "forum", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) edit_every: Option<u32>,
    /// How long after a post was made that is
    #[arg(long, value_name = "SPAN", default_value = "1h", requires = "edit_every", value_parser = value::span)]
    pub(crate) edited_after: Span,
    /// The time at which the forum starts: a date (midnight in UTC), an RFC 3339 time, or a span back
    #[arg(long, value_name = "T", requires = "forum")]
    pub(crate) from: Option<When>,
}

/// Whose language a simulated network speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DialectName {
    /// Mastodon's: accounts, posts, followers, tags
    Mastodon,
    /// A Graph API's: users, posts, albums, friends, and posts that share the videos of `videos` with the same seed
    Graph,
    /// That of a video site: channels, videos, comments
    Videos,
}

const CONSTRAINT_EXAMPLES: &str = "\
A constraint is an expression in CEL about one type of object. It may follow links
(plinks to values, clinks to objects, colinks to collections), or name them in short:

  post.plinks[\"like_count\"] > 1000               popular posts only
  post.like_count > 1000                         the same in short
  depth <= 1                                     at most one step from what was added
  post.author.followers_count >= 100             by accounts that many follow
  now - post.created_at < span(\"7d\")              of the last week
  account.posts.exists(p, p.like_count >= 100)   somebody who wrote a popular post
  account.posts.within(\"24h\").size() > 20        more than 20 posts a day
  account.posts.rate(\"1h\") > 3.0                 more than 3 an hour

A constraint is for one of four things (--for):
  store      what goes into the tables (the usual)
  follow     of what robots make sources: an account's posts, a post's replies
  revisit    which sources are visited again after their first visit
  discover   who is let in that a page shows beside what it lists

An object must satisfy every constraint about its type. What cannot be told yet, because
a value is not known, waits for it. What is stored already is kept and brought up to date.

Examples:
  freshet constraints add post 'post.plinks[\"like_count\"] > 1000'
  freshet constraints add account 'depth <= 1' --for follow
  freshet constraints add post 'now - post.created_at < span(\"7d\")' --for revisit
  freshet constraints test account 'size(account.posts) > 3' @ada@example.social
  freshet constraints add mastodon/post 'post.lang in [\"en\", \"de\"]'
  freshet constraints remove 2";

/// `freshet constraints …`.
#[derive(Debug, Subcommand)]
#[command(after_help = CONSTRAINT_EXAMPLES)]
pub(crate) enum ConstraintsCommand {
    /// Show the constraints in force
    List(ReportArgs),
    /// Add one; it is checked against the networks' definitions first
    Add(ConstraintArgs),
    /// Say what one would answer for an object that is stored, and why; nothing changes
    Test {
        #[command(flatten)]
        wish: WishArgs,
        /// The object: an address (network/type/id), or as `add` takes it
        reference: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Remove one
    Remove {
        /// Its number in the list
        number: usize,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Remove all of them
    Clear(ReportArgs),
    /// Set how long an object waits for a value that a constraint needs
    Wait {
        /// Days; 7 unless set
        #[arg(value_parser = clap::value_parser!(u32).range(1..=3650))]
        days: u32,
        #[command(flatten)]
        report: ReportArgs,
    },
}

/// `freshet constraints add`.
#[derive(Debug, ClapArgs)]
#[command(after_help = CONSTRAINT_EXAMPLES)]
pub(crate) struct ConstraintArgs {
    #[command(flatten)]
    pub(crate) wish: WishArgs,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// A constraint as it is typed.
#[derive(Debug, ClapArgs)]
pub(crate) struct WishArgs {
    /// What it is about: `post`, `account`, or one network's only: `mastodon/post`
    #[arg(value_name = "TYPE")]
    pub(crate) type_name: String,
    /// The expression, in quotes
    #[arg(value_name = "EXPRESSION")]
    pub(crate) expression: String,
    /// What it decides: `store`, `follow`, `revisit` or `discover`
    #[arg(long = "for", value_name = "PURPOSE", default_value = "store")]
    pub(crate) purpose: String,
}

const FOCUS_EXAMPLES: &str = "\
A focus says which posts are wanted first. Of each kind that it names (words, tags, languages,
places) one must fit, and all kinds that it names must fit. While there is one, robots visit
accounts that post what is wanted, and accounts near those, before others: near are those who
follow, repeat and answer each other. The exploring share is visited in order of arrival. What
you added is never held back, and nothing is kept out: see `freshet constraints` for that. A run
that is under way sees a change within a second.

Examples:
  freshet focus set --tag weather --lang en
  freshet focus set --words 'river flood, heavy rain' --explore 30%
  freshet focus set --place Lyon
  freshet focus clear";

/// `freshet focus …`.
#[derive(Debug, Subcommand)]
#[command(after_help = FOCUS_EXAMPLES)]
pub(crate) enum FocusCommand {
    /// Set it; one that was set before is replaced
    Set(FocusArgs),
    /// Show it, and how many of the newest posts fit
    Show(ReportArgs),
    /// Take it away: what is found first is visited first again
    Clear(ReportArgs),
}

/// `freshet focus set`.
#[derive(Debug, ClapArgs)]
#[command(after_help = FOCUS_EXAMPLES)]
pub(crate) struct FocusArgs {
    /// Words of the text: all of them; a comma separates alternatives
    #[arg(long, value_name = "WORDS")]
    pub(crate) words: Vec<String>,
    /// A tag of the post, with or without `#`; several are alternatives
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// The language of the post by its code: en, pt, haw; several are alternatives
    #[arg(long = "lang", value_name = "CODE")]
    pub(crate) langs: Vec<String>,
    /// Where the author says to be, as words of the profile's location; several are alternatives
    #[arg(long = "place", value_name = "PLACE")]
    pub(crate) places: Vec<String>,
    /// The share that is visited in order of arrival [default: 10%]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    pub(crate) explore: Option<String>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

const BUDGET_EXAMPLES: &str = "\
A budget is yours, a quota is theirs: whichever is less holds. Its scope is `all`, a network
(all its servers together), or one server or forum, by name or by address. It is spent evenly,
on what brings the most news soonest. A run that is under way sees a change within a second.

Examples:
  freshet budget set mastodon 600/h
  freshet budget set https://forum.example 1000/d
  freshet budget set all 2/s
  freshet budget remove all";

/// `freshet budget …`.
#[derive(Debug, Subcommand)]
#[command(after_help = BUDGET_EXAMPLES)]
pub(crate) enum BudgetCommand {
    /// Show the budgets in force, with the quotas and what one more call would bring
    List(ReportArgs),
    /// Set one; one of the same scope is replaced
    #[command(after_help = BUDGET_EXAMPLES)]
    Set {
        /// `all`, a network, or a server or forum by its name or address
        scope: String,
        /// Calls in a time: 600/h, 1000/d, 30/min, 2/s
        #[arg(allow_hyphen_values = true)]
        rate: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Take one away
    Remove {
        /// Its scope, as the list shows it
        scope: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Take all of them away
    Clear(ReportArgs),
}

const CALENDAR_EXAMPLES: &str = "\
A calendar is a small TOML file:

  zone = \"Europe/Berlin\"            # hours and days are local; UTC unless given
  weekend = [\"sat\", \"sun\"]         # the usual one; elsewhere [\"fri\", \"sat\"]
  [holidays]
  \"new year\" = [\"2025-01-01\", \"2026-01-01\"]

The policies `cuvim` and `hash-week` have tables for workdays, weekends and each holiday; for
a holiday the same one of last year speaks, else other holidays, else the weekend. The
narrowest scope holds. A run that is under way sees a change within a second.

Examples:
  freshet calendar check germany.toml
  freshet calendar set all germany.toml
  freshet calendar set mastodon:example.social germany.toml
  freshet calendar set @ada@example.social usa.toml
  freshet calendar remove all";

/// `freshet calendar …`.
#[derive(Debug, Subcommand)]
#[command(after_help = CALENDAR_EXAMPLES)]
pub(crate) enum CalendarCommand {
    /// Show the calendars in force
    List(ReportArgs),
    /// Set one; one of the same scope is replaced
    #[command(after_help = CALENDAR_EXAMPLES)]
    Set {
        /// `all`, a network, a server, or a source by what `add` was given or by its number
        scope: String,
        /// The calendar
        file: PathBuf,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Take one away
    Remove {
        /// Its scope, as the list shows it
        scope: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Look whether a file is a calendar; nothing is changed
    #[command(after_help = CALENDAR_EXAMPLES)]
    Check {
        /// The calendar
        file: PathBuf,
        #[command(flatten)]
        report: ReportArgs,
    },
}

const SNAPSHOT_EXAMPLES: &str = "\
Examples:
  freshet snapshot flood-2026-11 --title 'Posts on the flood of November 2026'
  freshet snapshot january --since 2026-01-01 --until 2026-02-01 --data-format jsonl
  freshet snapshot verify flood-2026-11";

/// `freshet snapshot`.
#[derive(Debug, ClapArgs)]
#[command(after_help = SNAPSHOT_EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct SnapshotArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SnapshotCommand>,
    /// The folder; it must not be there yet
    #[arg(value_name = "DIR", required = true)]
    pub(crate) dir: Option<PathBuf>,
    /// The title of its README
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// jsonl, csv or parquet
    #[arg(long, value_name = "FORMAT", default_value = "parquet")]
    pub(crate) data_format: Format,
    /// Posts created at or after this (everything else: first seen)
    #[arg(long, value_name = "T")]
    pub(crate) since: Option<When>,
    /// Created before this
    #[arg(long, value_name = "T")]
    pub(crate) until: Option<When>,
    /// Only this network: `bluesky`, `mastodon:example.social`
    #[arg(long, value_name = "NAME")]
    pub(crate) network: Option<String>,
    /// Begin anew, even where a snapshot of the same was interrupted
    #[arg(long)]
    pub(crate) restart: bool,
    /// Records between two points from which an interrupted snapshot can go on
    #[arg(long, value_name = "N", hide = true, default_value_t = CHECKPOINT_EVERY, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) checkpoint_every: u64,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet snapshot …`.
#[derive(Debug, Subcommand)]
pub(crate) enum SnapshotCommand {
    /// Check that every file of a snapshot is there and as it was
    Verify {
        /// The folder
        #[arg(value_name = "DIR")]
        dir: PathBuf,
        #[command(flatten)]
        report: ReportArgs,
    },
}

const ALERTS_EXAMPLES: &str = "\
Examples:
  freshet alerts                                 the latest, the rules and who is told
  freshet alerts config > alerts.toml            a file to start from, for the data directory
  freshet alerts test phone                      does it arrive?";

/// `freshet alerts`.
#[derive(Debug, ClapArgs)]
#[command(after_help = ALERTS_EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct AlertsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<AlertsCommand>,
    /// Show at most so many, the latest first
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet alerts …`.
#[derive(Debug, Subcommand)]
pub(crate) enum AlertsCommand {
    /// Send a test to a receiver, or to all who are told of a rule
    Test {
        /// A receiver of alerts.toml, or a rule: silence, burst, hole, quota, login, dead, store, server
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        report: ReportArgs,
    },
    /// Print alerts.toml as it is in force, with examples of receivers
    Config,
}
