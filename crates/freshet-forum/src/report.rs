//! What learning understood of a site, for people: kinds, how surely, examples, doubts.
//!
//! Every figure comes from the self-test: pages read back with the definition that was just learned. Confidence is the mean
//! of what can be counted without knowing the truth: pages that still are what they were taken for, records with a time,
//! records with a link, lists whose pages chain. It is a measure of consistency, not a promise.

use std::fmt::Write as _;

use crate::chain::PageList;
use crate::definition::{ForumDefinition, PageKind};
use crate::inspect::{PageReading, RecordReading};
use crate::page::Page;
use crate::sitemap::SiteNode;
use crate::time::Zone;

/// Examples shown of each kind.
const EXAMPLES: usize = 3;
/// A record of an example in a line.
const EXAMPLE_CHARS_MAX: usize = 110;
/// Nodes of the sitemap that are shown.
const NODES_SHOWN: usize = 12;

/// One kind of page.
#[derive(Clone, Debug)]
pub struct KindReport {
    pub kind: PageKind,
    /// Pages of it.
    pub page_count: usize,
    /// Lists that they form.
    pub list_count: usize,
    /// Lists whose pages chain without a hole.
    pub chained_count: usize,
    /// Records on them.
    pub record_count: usize,
    /// Records with a time.
    pub timed_count: usize,
    /// Records with a link.
    pub linked_count: usize,
    /// 0 to 1.
    pub confidence: f64,
    /// Patterns of addresses.
    pub urls: Vec<String>,
    /// Some records as they were read.
    pub examples: Vec<String>,
}

/// What was understood.
#[derive(Clone, Debug)]
pub struct Report {
    pub host: String,
    /// Pages that were read.
    pub page_count: usize,
    pub kinds: Vec<KindReport>,
    /// Groups of pages and their links.
    pub sitemap: Vec<SiteNode>,
    /// How times are to be understood.
    pub times: String,
    /// What a person should look at.
    pub doubts: Vec<String>,
}

impl Report {
    /// How sure the lists of a kind are.
    pub fn confidence(&self, kind: PageKind) -> f64 {
        self.kinds.iter().find(|it| it.kind == kind).map_or(0.0, |it| it.confidence)
    }

    /// Whether any list was found.
    pub fn has_lists(&self) -> bool {
        self.kinds.iter().any(|it| it.record_count > 0)
    }
}

/// Sums up the self-test.
pub(crate) fn write(
    pages: &[Page],
    kinds: &[PageKind],
    readings: &[PageReading],
    lists: &[PageList],
    sitemap: Vec<SiteNode>,
    definition: &ForumDefinition,
) -> Report {
    let reports: Vec<KindReport> = [PageKind::Portal, PageKind::Index, PageKind::Post, PageKind::Other]
        .into_iter()
        .map(|kind| kind_report(kind, kinds, readings, lists, definition))
        .filter(|it| it.page_count > 0)
        .collect();
    let mut report = Report {
        host: definition.host.clone(),
        page_count: pages.len(),
        kinds: reports,
        sitemap,
        times: times(readings, definition),
        doubts: Vec::new(),
    };
    report.doubts = doubts(pages, readings, &report);
    report
}

fn kind_report(
    kind: PageKind,
    kinds: &[PageKind],
    readings: &[PageReading],
    lists: &[PageList],
    definition: &ForumDefinition,
) -> KindReport {
    let of_kind: Vec<usize> = (0..kinds.len()).filter(|&at| kinds[at] == kind).collect();
    let records: Vec<&RecordReading> = of_kind.iter().flat_map(|&at| &readings[at].records).collect();
    let lists: Vec<&PageList> = lists.iter().filter(|list| list.kind == kind).collect();
    let (timed_count, linked_count) = (
        records.iter().filter(|it| it.time.is_some()).count(),
        records.iter().filter(|it| it.link.is_some()).count(),
    );
    let chained_count = lists.iter().filter(|it| it.is_chained).count();
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    let kept = of_kind.iter().filter(|&&at| readings[at].kind == kind).count();
    let confidence = match kind {
        PageKind::Index | PageKind::Post => {
            let shares = [
                share(kept, of_kind.len()),
                share(timed_count, records.len()),
                share(linked_count, records.len()),
                // Samples are cut off somewhere, so a broken chain is a weak sign.
                0.5 + 0.5 * share(chained_count, lists.len()),
            ];
            shares.iter().sum::<f64>() / shares.len() as f64
        }
        PageKind::Portal | PageKind::Other => share(kept, of_kind.len()),
    };
    let urls = match kind {
        PageKind::Portal => definition.portal.urls.clone(),
        PageKind::Other => definition.other.urls.clone(),
        PageKind::Index | PageKind::Post => {
            definition.list(kind).map(|it| it.urls.clone()).unwrap_or_default()
        }
    };
    let confidence = (confidence * 100.0).round() / 100.0;
    KindReport {
        kind,
        page_count: of_kind.len(),
        list_count: lists.len(),
        chained_count,
        record_count: records.len(),
        timed_count,
        linked_count,
        confidence,
        urls,
        examples: records.iter().take(EXAMPLES).map(|it| example(it)).collect(),
    }
}

fn example(record: &RecordReading) -> String {
    let part = |text: &Option<String>| text.clone().unwrap_or_else(|| "?".to_owned());
    let line = format!(
        "{} (from \"{}\") by {} {}{}",
        part(&record.local),
        part(&record.raw),
        part(&record.author),
        record.title.as_ref().map_or(String::new(), |title| format!("\"{title}\" ")),
        part(&record.link)
    );
    line.chars().take(EXAMPLE_CHARS_MAX).collect()
}

fn times(readings: &[PageReading], definition: &ForumDefinition) -> String {
    let zones: Vec<Zone> = readings.iter().flat_map(|it| &it.records).filter_map(|it| it.zone).collect();
    let has = |zone: Zone| zones.contains(&zone);
    let (offset_s, certainty) = (definition.times.offset_s, definition.times.offset_certainty);
    let zone = match (offset_s, certainty) {
        _ if zones.is_empty() => "no times".to_owned(),
        (Some(offset_s), Some(certainty)) => format!(
            "no zone is given; when pages were fetched tells {offset_s:+} seconds from Greenwich (certainty {certainty:.2})"
        ),
        (Some(offset_s), None) => format!("the pages state {offset_s:+} seconds from Greenwich"),
        (None, _) if !has(Zone::Unknown) => "zones are given with the times".to_owned(),
        (None, _) if has(Zone::Given) => "some times have a zone, some do not".to_owned(),
        (None, _) => "no zone is given; Greenwich is assumed".to_owned(),
    };
    let order = match definition.times.day_order {
        crate::time::DayOrder::DayFirst => "day before month",
        crate::time::DayOrder::MonthFirst => "month before day",
    };
    format!("{order}; {zone}")
}

fn doubts(pages: &[Page], readings: &[PageReading], report: &Report) -> Vec<String> {
    let mut doubts = Vec::new();
    if !report.has_lists() {
        doubts.push(why_no_lists(pages));
    }
    for kind in &report.kinds {
        if kind.record_count > 0 && kind.confidence < 0.8 {
            doubts.push(format!(
                "{} pages are read with little confidence ({:.2})",
                kind.kind.name(),
                kind.confidence
            ));
        }
        if kind.record_count > kind.timed_count {
            let count = kind.record_count - kind.timed_count;
            doubts.push(format!(
                "{count} records of {} pages have no time that could be read",
                kind.kind.name()
            ));
        }
    }
    let cut = pages.iter().filter(|page| page.tree.cut().is_some()).count();
    if cut > 0 {
        doubts.push(format!("{cut} pages are too large or too deep and were read in part"));
    }
    let empty = readings.iter().filter(|it| it.kind == PageKind::Index && it.records.is_empty()).count();
    if empty > 0 {
        doubts.push(format!("{empty} index pages have no threads"));
    }
    doubts
}

/// The likeliest reason that a folder of pages holds no list.
fn why_no_lists(pages: &[Page]) -> String {
    let because = if pages.is_empty() {
        "there are no pages"
    } else if pages.iter().all(|page| page.tree.len() < 20) {
        "the pages are nearly empty; perhaps they are errors, or made by scripts"
    } else if pages.iter().all(|page| page.stamps.is_empty()) {
        "no page shows a time; perhaps they are a login wall, or not of a forum"
    } else {
        "no time comes up again at the same place of a record"
    };
    format!("no lists found, because {because}")
}

impl std::fmt::Display for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = format!("{}: {} pages\n", self.host, self.page_count);
        for it in &self.kinds {
            let _ = write!(text, "\n{:<7} {:>4} pages", it.kind.name(), it.page_count);
            if it.record_count > 0 {
                let _ = write!(
                    text,
                    " in {} lists ({} complete), {} records, {} with a time, confidence {:.2}",
                    it.list_count, it.chained_count, it.record_count, it.timed_count, it.confidence
                );
            }
            for url in it.urls.iter().take(NODES_SHOWN) {
                let _ = write!(text, "\n        {url}");
            }
            for example in &it.examples {
                let _ = write!(text, "\n          {example}");
            }
        }
        let _ = write!(text, "\n\ntimes   {}\n\nsitemap", self.times);
        for (at, node) in self.sitemap.iter().enumerate().take(NODES_SHOWN) {
            let to: Vec<String> =
                node.links_to.iter().filter(|it| **it < NODES_SHOWN).map(ToString::to_string).collect();
            let _ = write!(
                text,
                "\n  {at:>2} {:<7} {:>4} pages {} -> {}",
                node.kind.name(),
                node.page_count,
                node.pattern,
                to.join(" ")
            );
        }
        for doubt in &self.doubts {
            let _ = write!(text, "\n\ndoubt: {doubt}");
        }
        f.write_str(&text)
    }
}
