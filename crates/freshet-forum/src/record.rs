//! Step 6 of 10, read: the records of a list, cut out of a page along the times that stand in each.
//!
//! Forum pages show database rows: every record carries its time at the same place (seed 004, section 3.3). So the elements
//! that carry a time of one path are the *anchors* of the records, and a record is the largest element around one anchor and no
//! other. How far up that is (`up_count`) is the same in all records of a list; learned from pages with many, it is used on
//! pages with one. Where a post is several rows of a table, the record reaches to the row before the next one.
//!
//! What it does not do: choose the path (that is [`crate::learn`]) or read the record's fields.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::page::Page;
use crate::tree::{NodeId, Tree};

/// Records of one page that are read; the largest known pages hold a few hundred.
pub const RECORDS_MAX: usize = 5_000;
/// Levels between a time and the record around it.
const UP_MAX: usize = 40;
/// A row with several times of one path has at most so many.
const TWINS_MAX: usize = 4;

/// Where the records of a list are anchored.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Anchor {
    /// The last steps of the element that carries the time.
    pub path: String,
    /// Levels from that element up to the record.
    pub up_count: usize,
}

/// One record on a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The element that holds it, or its first row.
    pub root: NodeId,
    /// All its nodes.
    pub range: Range<NodeId>,
}

/// The records that an anchor finds on a page, in document order.
pub fn records(page: &Page, anchor: &Anchor) -> Vec<Record> {
    let Some(path) = page.paths.id(&anchor.path) else { return Vec::new() };
    let mut roots: Vec<NodeId> = page
        .stamps
        .iter()
        .filter(|stamp| stamp.path == path)
        .filter_map(|stamp| page.tree.ancestors(stamp.node).nth(anchor.up_count))
        .take(RECORDS_MAX)
        .collect();
    roots.dedup();
    ranges(&page.tree, &roots)
}

/// Reaches from each root to the next, where both stand in one parent.
fn ranges(tree: &Tree, roots: &[NodeId]) -> Vec<Record> {
    let mut rows = 1;
    let mut records = Vec::with_capacity(roots.len());
    for (at, &root) in roots.iter().enumerate() {
        let parent = tree.parent(root);
        let limit = parent.map_or(tree.len(), |parent| tree.end(parent));
        let next = roots.get(at + 1).copied().filter(|&next| tree.parent(next) == parent);
        let end = match next {
            Some(next) => {
                rows = siblings(tree, root, next);
                next
            }
            // The last record has as many rows as the one before it.
            None => (0..rows).fold(root, |at, _| if at < limit { tree.end(at) } else { at }).min(limit),
        };
        records.push(Record { root, range: root..end.max(tree.end(root)) });
    }
    records
}

/// Elements from one sibling up to another.
fn siblings(tree: &Tree, from: NodeId, to: NodeId) -> usize {
    std::iter::successors(Some(from), |&at| Some(tree.end(at)).filter(|&next| next < to)).take(64).count()
}

/// How the elements that carry times of one path lie in records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cut {
    /// Levels from the element to the record, for most of them.
    pub up_count: usize,
    /// Share of the elements for which this is so.
    pub regularity: f64,
    pub record_count: usize,
}

/// Finds the records around elements of one path; at least two are needed to tell.
pub fn cut(tree: &Tree, nodes: &[NodeId]) -> Option<Cut> {
    let mut nodes = nodes.to_vec();
    nodes.dedup();
    if nodes.len() < 2 {
        return None;
    }
    let ups: Vec<usize> = (0..nodes.len())
        .map(|at| {
            let before = at.checked_sub(1).map(|it| nodes[it]);
            let after = nodes.get(at + 1).copied();
            let is_alone =
                |root: NodeId| ![before, after].into_iter().flatten().any(|it| tree.is_within(it, root));
            tree.ancestors(nodes[at])
                .take(UP_MAX)
                .take_while(|&root| is_alone(root))
                .count()
                .saturating_sub(1)
        })
        .collect();
    let up_count = most_common(&ups);
    let same = ups.iter().filter(|&&up| up == up_count).count();
    let mut cut = Cut { up_count, regularity: same as f64 / ups.len() as f64, record_count: nodes.len() };
    lift(tree, &nodes, &mut cut);
    Some(cut)
}

/// Where every row has the same few anchors, the row is the record.
fn lift(tree: &Tree, nodes: &[NodeId], cut: &mut Cut) {
    let parents: Vec<NodeId> =
        nodes.iter().filter_map(|&node| tree.ancestors(node).nth(cut.up_count + 1)).collect();
    let mut rows: Vec<(NodeId, usize)> = Vec::new();
    for parent in parents {
        match rows.last_mut() {
            Some((known, count)) if *known == parent => *count += 1,
            _ => rows.push((parent, 1)),
        }
    }
    let counts: Vec<usize> = rows.iter().map(|(_, count)| *count).collect();
    let twins = most_common(&counts);
    let is_row =
        |(row, count): &(NodeId, usize)| *count == twins && tree.parent(*row) == tree.parent(rows[0].0);
    let same = rows.iter().filter(|row| is_row(row)).count();
    if rows.len() >= 3 && (2..=TWINS_MAX).contains(&twins) && same * 10 >= rows.len() * 8 {
        cut.up_count += 1;
        cut.record_count = rows.len();
    }
}

/// The value that comes up most; of several, the smallest.
pub(crate) fn most_common(values: &[usize]) -> usize {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|a, b| a == b).map(|run| (run.len(), std::cmp::Reverse(run[0])));
    runs.max().map_or(0, |(_, value)| value.0)
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;
    use crate::page::{Source, Stamp};

    fn check(html: &str, path: &str, expected: &[&str]) {
        let url = Url::parse("http://forum.test/").unwrap();
        let page = Page::read(&Source { html: html.as_bytes(), url: &url, fetched_s: None });
        let is_it = |stamp: &&Stamp| page.paths.name(stamp.path).ends_with(path);
        let nodes: Vec<_> = page.stamps.iter().filter(is_it).map(|it| it.node).collect();
        let full = page.paths.name(page.stamps.iter().find(is_it).unwrap().path).to_owned();
        let cut = cut(&page.tree, &nodes).unwrap();
        let found = records(&page, &Anchor { path: full, up_count: cut.up_count });
        let texts: Vec<_> = found.iter().map(|it| page.tree.text_in(it.range.clone(), 60)).collect();
        assert_eq!(texts, expected, "{html}");
    }

    #[test]
    fn records_are_cut_along_their_times() {
        check(
            "<div class=list><div class=post><p class=date>1 May 2020 10:00</p>a</div><div class=post><p class=date>2 May 2020 10:00</p>b</div></div>",
            ".date",
            &["1 May 2020 10:00 a", "2 May 2020 10:00 b"],
        );
        check(
            "<table><tr class=h><td>1 May 2020 10:00</td></tr><tr><td>a</td></tr><tr class=h><td>2 May 2020 10:00</td></tr><tr><td>b</td></tr></table>",
            "td",
            &["1 May 2020 10:00 a", "2 May 2020 10:00 b"],
        );
        let row =
            |n: u32| format!("<tr><td>t{n}</td><td>{n} May 2020 10:00</td><td>{n} Jun 2020 11:00</td></tr>");
        check(
            &format!("<table>{}{}{}</table>", row(1), row(2), row(3)),
            "td",
            &[
                "t1 1 May 2020 10:00 1 Jun 2020 11:00",
                "t2 2 May 2020 10:00 2 Jun 2020 11:00",
                "t3 3 May 2020 10:00 3 Jun 2020 11:00",
            ],
        );
    }
}
