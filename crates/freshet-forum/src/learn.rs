//! From the pages of a site to its definition.
mod anchor;
pub(crate) mod classify;
pub(crate) mod column;
mod list;
pub(crate) mod site;

use crate::definition::{FORMAT, ForumDefinition, PageKind, PagesDefinition, TimesDefinition};
use crate::page::Page;
use site::Site;

/// What was learned.
#[derive(Debug)]
pub struct Learned {
    /// The definition.
    pub definition: ForumDefinition,
    /// The kind of each page.
    pub kinds: Vec<PageKind>,
    /// For people who look inside.
    pub notes: Vec<String>,
}

/// Learns a site from some of its pages.
pub fn learn(pages: &[Page]) -> Learned {
    let site = Site::of(pages);
    let (nodes, kinds) = classify::classify(&site);
    let mut notes = vec![format!("slots {:?} order {:?}", site.slots.iter().map(ToString::to_string).collect::<Vec<_>>(), site.day_order)];
    for node in &nodes {
        notes.push(format!("{:?} {} pages {} lists {:?} title {:?} text {:.0} records {} anchor {:?}", node.kind, node.pattern, node.pages.len(), node.lists(), node.columns.title().map(|it| it.0), node.columns.text_chars_mean(), node.columns.record_count, node.anchors.first().map(|it| (&it.anchor, it.score as i64))));
    }
    let urls = |kind: PageKind| {
        let mut urls: Vec<String> =
            (0..pages.len()).filter(|&at| kinds[at] == kind).map(|at| site.page_patterns[at].clone()).collect();
        urls.sort_unstable();
        urls.dedup();
        PagesDefinition { urls }
    };
    let definition = ForumDefinition {
        format: FORMAT,
        host: pages.first().and_then(|page| page.url.host_str()).unwrap_or_default().to_owned(),
        page_count: pages.len(),
        times: TimesDefinition { day_order: site.day_order, offset_s: site.offset_s },
        portal: urls(PageKind::Portal),
        other: urls(PageKind::Other),
        index: list::define(&site, &nodes, &kinds, PageKind::Index),
        post: list::define(&site, &nodes, &kinds, PageKind::Post),
    };
    Learned { definition, kinds, notes }
}
