//! The arguments of the commands about one object: `get`, `show`, `graph`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use freshet_app::graph;

use super::ReportArgs;

const GET_EXAMPLES: &str = "\
Examples:
  freshet get @ada@example.social                all values, and the names and sizes of all links
  freshet get @ada@example.social followers_count
  freshet get mastodon:example.social/post/112 author.handle
  freshet get @ada@example.social posts --limit 5
  freshet get @ada@example.social 'posts[0].text' following.handle
  freshet get mastodon:example.social/post/112 --format json
  freshet get https://example.social/@ada/112 replies --online

A path follows links from object to object: a value ends it, a collection is followed to each member
(the first --limit of them), or to one of them with [N], from 0.";

/// `freshet get`.
#[derive(Debug, ClapArgs)]
#[command(after_help = GET_EXAMPLES)]
pub(crate) struct GetArgs {
    /// The object: an address (network/type/id), a handle, or a URL as `add` takes it
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    /// Links, or paths of links; without one, all values and the names of all links
    #[arg(value_name = "LINK")]
    pub(crate) links: Vec<String>,
    /// Members of a collection, at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
    /// Pass over so many members; a report says where a collection goes on
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u32,
    /// Ask the network first, under the quotas and budgets of the run, and store what it shows
    #[arg(long)]
    pub(crate) online: bool,
    /// Permit loopback and private addresses for this question
    #[arg(long, requires = "online")]
    pub(crate) allow_private: bool,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

/// `freshet show`.
#[derive(Debug, ClapArgs)]
pub(crate) struct ShowArgs {
    /// The object: an address (network/type/id), a handle, or a URL as `add` takes it
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    /// Members of each collection, at most
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) limit: u32,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}

const GRAPH_EXAMPLES: &str = "\
Examples:
  freshet graph @ada@example.social -o ada.svg
  freshet graph @ada@example.social -o ada.graphml --depth 2 --limit 1000
                                                 for networkx, Gephi, yEd, igraph
  freshet graph mastodon:example.social/post/112 -o post.gexf";

/// `freshet graph`.
#[derive(Debug, ClapArgs)]
#[command(after_help = GRAPH_EXAMPLES)]
pub(crate) struct GraphArgs {
    /// What stands in the middle: an address (network/type/id), a handle, or a URL as `add` takes it
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    /// Write it there; the ending says how: .svg, .graphml or .gexf
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Steps from the middle
    #[arg(long, value_name = "N", default_value_t = graph::DEPTH_USUAL, value_parser = clap::value_parser!(u8).range(1..=i64::from(graph::DEPTH_MAX)))]
    pub(crate) depth: u8,
    /// Objects, at most; the nearest come first
    #[arg(long, value_name = "N", default_value_t = graph::NODES_USUAL, value_parser = clap::value_parser!(u32).range(1..=i64::from(graph::NODES_MAX)))]
    pub(crate) limit: u32,
    #[command(flatten)]
    pub(crate) report: ReportArgs,
}
