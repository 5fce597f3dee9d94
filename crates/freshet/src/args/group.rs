//! The arguments of the commands that steer a crawl and have commands of their own: `robots`, `constraints`, `focus`, `budget`,
//! `calendar`.
//!
//! An expression, a rate and a calendar are text or a file here; they are read where they are used.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use freshet_types::RobotKind;

use super::ReportArgs;

/// `freshet robots …`.
#[derive(Debug, Subcommand)]
pub(crate) enum RobotsCommand {
    /// Show the robots
    List(ReportArgs),
    /// Let a robot work
    Start(GatherArgs),
    /// Let a robot wait and keep its place
    Pause(RobotArgs),
    /// Let a paused robot go on
    Resume(RobotArgs),
    /// Switch a robot off
    Stop(GatherArgs),
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

/// Which robot, and of the robot `link` which collections.
#[derive(Debug, ClapArgs)]
pub(crate) struct GatherArgs {
    /// relation, user, status, comment, tag, link or across
    #[arg(value_name = "NAME")]
    pub(crate) robot: RobotKind,
    /// Of the robot `link`: these collections only, such as `post.likers` or
    /// `mastodon/post.likers`, as `freshet robots list` names them; `all` takes all again
    #[arg(long, value_name = "COLLECTION")]
    pub(crate) only: Vec<String>,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
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
you added is never held back. With --only, posts that do not fit are not stored: their ids, times
and counts are, so that edits, deletions and what is complete are known as before. `set` without
it collects everything again. A run that is under way sees a change within a second.

Examples:
  freshet focus set --tag weather --lang en
  freshet focus set --words 'river flood, heavy rain' --explore 30%
  freshet focus set --place Lyon
  freshet focus set --tag weather --only
  freshet focus clear";

/// `freshet focus …`.
#[derive(Debug, Subcommand)]
#[command(after_help = FOCUS_EXAMPLES)]
pub(crate) enum FocusCommand {
    /// Set it; one that was set before is replaced
    Set(FocusArgs),
    /// Show it, and how many of the newest posts fit
    Show(ReportArgs),
    /// Take it away: what is nearest to what you added is visited first again
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
    /// Collect nothing else: of other posts only ids, times and counts are stored
    #[arg(long)]
    pub(crate) only: bool,
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
