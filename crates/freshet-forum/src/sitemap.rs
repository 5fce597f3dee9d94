//! The sitemap: groups of pages and the links between them.
//!
//! Seed 004, section 3.2 and figure 3: *all possible links among various page groups are established, if in the source group
//! there is a page having an out-link pointing to another page in the target group*. A node here is the set of pages of one
//! layout group and one kind; its name is the pattern that most of its addresses have. It is drawn for people and checked by
//! tests; reading pages does not need it.

use freshet_types::{Map, Set};

use crate::definition::PageKind;

/// A group of pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteNode {
    /// The pattern of most of its addresses.
    pub pattern: String,
    /// What its pages are.
    pub kind: PageKind,
    /// How many were sampled.
    pub page_count: usize,
    /// Nodes that its pages link to.
    pub links_to: Vec<usize>,
}

/// What the graph is drawn from, for each page.
#[derive(Debug)]
pub struct SitePage<'a> {
    /// Its layout group.
    pub group: usize,
    pub kind: PageKind,
    pub pattern: &'a str,
    /// The number of its own key.
    pub key: u32,
    /// The numbers of the keys of what it links to.
    pub links: Vec<u32>,
}

/// Draws the graph, the largest node first.
pub fn draw(pages: &[SitePage<'_>]) -> Vec<SiteNode> {
    let mut members: Map<(usize, PageKind), Vec<usize>> = Map::default();
    for (at, page) in pages.iter().enumerate() {
        members.entry((page.group, page.kind)).or_default().push(at);
    }
    let mut members: Vec<((usize, PageKind), Vec<usize>)> = members.into_iter().collect();
    members.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(&b.0)));
    let mut node_of: Map<u32, usize> = Map::default();
    for (node, (_, pages_of)) in members.iter().enumerate() {
        for &at in pages_of {
            node_of.insert(pages[at].key, node);
        }
    }
    members
        .iter()
        .map(|((_, kind), pages_of)| {
            let links: Set<usize> = pages_of
                .iter()
                .flat_map(|&at| pages[at].links.iter())
                .filter_map(|key| node_of.get(key).copied())
                .collect();
            let mut links_to: Vec<usize> = links.into_iter().collect();
            links_to.sort_unstable();
            SiteNode {
                pattern: main_pattern(pages, pages_of),
                kind: *kind,
                page_count: pages_of.len(),
                links_to,
            }
        })
        .collect()
}

fn main_pattern(pages: &[SitePage<'_>], of: &[usize]) -> String {
    let mut counts: Map<&str, usize> = Map::default();
    for &at in of {
        *counts.entry(pages[at].pattern).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(pattern, count)| (*count, std::cmp::Reverse(*pattern)));
    most.map(|(pattern, _)| pattern.to_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_link_as_their_pages_do() {
        let page = |group, kind, pattern, key, links: &[u32]| SitePage {
            group,
            kind,
            pattern,
            key,
            links: links.to_vec(),
        };
        let nodes = draw(&[
            page(0, PageKind::Portal, "/", 0, &[1, 99]),
            page(1, PageKind::Index, "/b/*", 1, &[2, 3, 0]),
            page(2, PageKind::Post, "/t/*", 2, &[1]),
            page(2, PageKind::Post, "/t/*", 3, &[1, 2]),
        ]);
        let found: Vec<_> =
            nodes.iter().map(|it| (it.pattern.as_str(), it.page_count, it.links_to.clone())).collect();
        assert_eq!(found, [("/t/*", 2, vec![0, 2]), ("/", 1, vec![2]), ("/b/*", 1, vec![0, 1])]);
    }
}
