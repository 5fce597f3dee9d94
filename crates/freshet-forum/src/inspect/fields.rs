//! The fields of a record: its times, link, author and id.

use freshet_types::Set;

use crate::definition::ListDefinition;
use crate::page::{Page, Stamp};
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
    let mut seen: Set<&str> = Set::default();
    let links =
        page.links.iter().filter(|link| list.links.contains(&link.path) && seen.insert(link.url.as_str()));
    links
        .take(record::RECORDS_MAX)
        .map(|link| Record { root: link.node, range: link.node..page.tree.end(link.node) })
        .collect()
}

/// The times of a record with the names of their columns: the path, and `#2` for the second of one path.
pub(crate) fn time_columns<'a>(page: &'a Page, record: &Record) -> Vec<(String, &'a Stamp)> {
    let stamps = page.stamps_in(&record.range);
    let mut columns: Vec<(String, &Stamp)> = Vec::with_capacity(stamps.len());
    for (at, stamp) in stamps.iter().enumerate() {
        let earlier = stamps[..at].iter().filter(|it| it.path == stamp.path).count();
        let name = if earlier == 0 { stamp.path.clone() } else { format!("{}#{}", stamp.path, earlier + 1) };
        columns.push((name, stamp));
    }
    columns
}

/// The first of some columns that a record has.
pub(crate) fn time_of<'a>(page: &'a Page, record: &Record, names: &[String]) -> Option<&'a Stamp> {
    let columns = time_columns(page, record);
    names.iter().find_map(|name| columns.iter().find(|(known, _)| known == name)).map(|(_, stamp)| *stamp)
}
