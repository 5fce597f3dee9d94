//! Step 6 of 10, read: what one page offers to mining: its tree with steps, written times and links.
//!
//! Everything later looks at pages through this: [`Stamp`]s (candidates for times), [`Link`]s, and [`steps`], the names
//! by which elements of different pages are compared. What it does not do: judge. No list, kind or record is known here.

pub mod link;
pub mod stamp;
pub mod steps;

use url::Url;

pub use link::Link;
pub use stamp::Stamp;
pub use steps::Steps;

use crate::address;
use crate::tree::{self, Tree};

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
        let (stamps, offset_s) = stamp::collect(&tree, &steps);
        let links = link::collect(&tree, &steps, &base(&tree, &url));
        Self { url, fetched_s: source.fetched_s, tree, steps, stamps, links, offset_s }
    }

    /// The links in a range of nodes.
    pub fn links_in(&self, range: &std::ops::Range<usize>) -> &[Link] {
        let start = self.links.partition_point(|link| link.node < range.start);
        let end = self.links.partition_point(|link| link.node < range.end);
        &self.links[start..end.max(start)]
    }

    /// The stamps in a range of nodes.
    pub fn stamps_in(&self, range: &std::ops::Range<usize>) -> &[Stamp] {
        let start = self.stamps.partition_point(|stamp| stamp.node < range.start);
        let end = self.stamps.partition_point(|stamp| stamp.node < range.end);
        &self.stamps[start..end.max(start)]
    }
}

/// What relative links are relative to.
fn base(tree: &Tree, url: &Url) -> Url {
    let node = (0..tree.len()).take(200).find(|&node| tree.tag(node) == "base");
    node.and_then(|node| tree.attribute(node, "href"))
        .and_then(|href| url.join(href).ok())
        .unwrap_or_else(|| url.clone())
}
