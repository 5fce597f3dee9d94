//! The records of a page, and the times in them.
//!
//! A definition names places by their paths; a page numbers its paths. Names are looked up once a page ([`TimeColumn::of`],
//! [`crate::page::Paths::ids`]), records are read by numbers.

use freshet_types::Set;

use crate::definition::ListDefinition;
use crate::page::{Page, PathId, Stamp};
use crate::record::{self, Record};

/// The records of a page: of several anchors, the one that finds most.
pub(crate) fn records_of(page: &Page, list: &ListDefinition) -> Vec<Record> {
    if list.records.is_empty() {
        return linked(page, list);
    }
    let found = list.records.iter().map(|anchor| record::records(page, anchor));
    found.fold(Vec::new(), |best, it| if it.len() > best.len() { it } else { best })
}

/// Records that show no times: one for each link at the links' place, the first of each address.
fn linked(page: &Page, list: &ListDefinition) -> Vec<Record> {
    let paths = page.paths.ids(&list.links);
    let mut seen: Set<&str> = Set::default();
    let links = page.links.iter().filter(|link| paths.contains(&link.path) && seen.insert(link.url.as_str()));
    links
        .take(record::RECORDS_MAX)
        .map(|link| Record { root: link.node, range: link.node..page.tree.end(link.node) })
        .collect()
}

/// A column of times: its path, and the how manieth time of that path in a record it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TimeColumn {
    pub(crate) path: PathId,
    /// The first is 1.
    pub(crate) turn: usize,
}

impl TimeColumn {
    /// The columns of some names that the page may have, in their order. The second time of one path is `path#2`.
    pub(crate) fn of(page: &Page, names: &[String]) -> Vec<Self> {
        let column = |name: &String| {
            if let Some(path) = page.paths.id(name) {
                return Some(Self { path, turn: 1 });
            }
            let (path, turn) = name.rsplit_once('#')?;
            Some(Self { path: page.paths.id(path)?, turn: turn.parse().ok().filter(|it| *it > 1)? })
        };
        names.iter().filter_map(column).collect()
    }

    /// Its name in a definition.
    pub(crate) fn name(path: &str, turn: usize) -> String {
        if turn == 1 { path.to_owned() } else { format!("{path}#{turn}") }
    }
}

/// The times of a record with their columns, as places among the page's times.
pub(crate) fn time_columns(page: &Page, record: &Record) -> impl Iterator<Item = (TimeColumn, usize)> {
    let range = page.stamp_range(&record.range);
    range.clone().map(move |at| {
        let path = page.stamps[at].path;
        let earlier = page.stamps[range.start..at].iter().filter(|it| it.path == path).count();
        (TimeColumn { path, turn: earlier + 1 }, at)
    })
}

/// The first of some columns that a record has, as a place among the page's times.
pub(crate) fn time_at(page: &Page, record: &Record, columns: &[TimeColumn]) -> Option<usize> {
    let range = page.stamp_range(&record.range);
    columns.iter().find_map(|column| {
        let mut same = range.clone().filter(|&at| page.stamps[at].path == column.path);
        same.nth(column.turn.saturating_sub(1))
    })
}

/// The first of some columns that a record has.
pub(crate) fn time_of<'a>(page: &'a Page, record: &Record, columns: &[TimeColumn]) -> Option<&'a Stamp> {
    time_at(page, record, columns).map(|at| &page.stamps[at])
}
