//! Step 6 of 10, read: what one page offers to mining: its tree with steps, written times and links.
//!
//! Everything later looks at pages through this: [`Stamp`]s (candidates for times), [`Link`]s, and [`steps`], the names
//! by which elements of different pages are compared. What it does not do: judge. No list, kind or record is known here.

pub mod link;
pub mod paths;
pub mod stamp;
pub mod steps;

use std::ops::Range;

use url::Url;

pub use link::Link;
pub use paths::{PathId, Paths};
pub use stamp::Stamp;
pub use steps::Steps;

use crate::address;
use crate::tree::{self, NodeId, Tree};
use paths::PathWriter;

/// A saved page: bytes, address, and when it was fetched.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    /// The page as it came, in UTF-8.
    pub html: &'a [u8],
    /// Where it was found.
    pub url: &'a Url,
    /// Seconds since 1970 when it was fetched, base of relative times.
    pub fetched_s: Option<i64>,
}

/// One page, read.
#[derive(Debug)]
pub struct Page {
    /// Where it was found, without session ids.
    pub url: Url,
    /// When it was fetched.
    pub fetched_s: Option<i64>,
    /// Its elements and texts.
    pub tree: Tree,
    /// The names of its elements.
    pub steps: Steps,
    /// Where its times and links stand.
    pub paths: Paths,
    /// The times written on it, in document order.
    pub stamps: Vec<Stamp>,
    /// Its links, in document order.
    pub links: Vec<Link>,
    /// Seconds east of Greenwich that its small print states for all times.
    pub offset_s: Option<i32>,
}

impl Page {
    /// Reads a page.
    pub fn read(source: &Source<'_>) -> Self {
        let tree = tree::parse(source.html);
        let steps = Steps::of(&tree);
        let mut url = source.url.clone();
        address::drop_session(&mut url);
        let mut paths = PathWriter::new(&tree, &steps);
        let (stamps, offset_s) = stamp::collect(&tree, &mut paths);
        let mut links = link::collect(&tree, &mut paths, &base(&tree, &url));
        let mut urls: Vec<&mut Url> = links.iter_mut().map(|link| &mut link.url).collect();
        address::drop_tokens(&mut url, &mut urls);
        let paths = paths.finish();
        Self { url, fetched_s: source.fetched_s, tree, steps, paths, stamps, links, offset_s }
    }

    /// The links in a range of nodes.
    pub(crate) fn links_in(&self, range: &Range<NodeId>) -> &[Link] {
        &self.links[self.link_range(range)]
    }

    /// The links in a range of nodes, as places among all links.
    pub(crate) fn link_range(&self, range: &Range<NodeId>) -> Range<usize> {
        let start = self.links.partition_point(|link| link.node < range.start);
        let end = self.links.partition_point(|link| link.node < range.end);
        start..end.max(start)
    }

    /// The stamps in a range of nodes.
    pub(crate) fn stamps_in(&self, range: &Range<NodeId>) -> &[Stamp] {
        &self.stamps[self.stamp_range(range)]
    }

    /// The stamps in a range of nodes, as places among all stamps.
    pub(crate) fn stamp_range(&self, range: &Range<NodeId>) -> Range<usize> {
        let start = self.stamps.partition_point(|stamp| stamp.node < range.start);
        let end = self.stamps.partition_point(|stamp| stamp.node < range.end);
        start..end.max(start)
    }
}

/// What relative links are relative to.
fn base(tree: &Tree, url: &Url) -> Url {
    let is_base = |node: &usize| tree.element(*node) == Some(&html5ever::local_name!("base"));
    let node = (0..tree.len()).take(200).find(is_base);
    node.and_then(|node| tree.attribute(node, "href"))
        .and_then(|href| url.join(href).ok())
        .unwrap_or_else(|| url.clone())
}
