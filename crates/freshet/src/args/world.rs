//! The arguments of `freshet world` and `freshet demo`: networks that are simulated.
//!
//! Comparing policies on a simulated history is `simulate.rs`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use freshet_app::when::When;
use freshet_sim::forum::Layout;
use freshet_types::Span;

use super::{ReportArgs, value};

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
    /// Keep what was collected in a new data directory, to look at it
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
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
