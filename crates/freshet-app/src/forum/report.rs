//! What learning understood and what saved pages show, as reports.

use freshet_forum::inspect::{PageReading, RecordReading};
use freshet_forum::report::{KindReport, Report};
use freshet_forum::sitemap::SiteNode;
use freshet_report::learn::{InspectReport, InspectedRecord, LearnReport, LearnedKind, PageGroup};

/// What was understood of a forum.
pub fn learned(report: Report) -> LearnReport {
    LearnReport {
        text: report.to_string(),
        host: report.host,
        page_count: report.page_count,
        kinds: report.kinds.into_iter().map(kind).collect(),
        sitemap: report.sitemap.into_iter().map(group).collect(),
        times: report.times,
        doubts: report.doubts,
    }
}

fn kind(kind: KindReport) -> LearnedKind {
    LearnedKind {
        kind: kind.kind.name().to_owned(),
        page_count: kind.page_count,
        list_count: kind.list_count,
        chained_count: kind.chained_count,
        record_count: kind.record_count,
        timed_count: kind.timed_count,
        linked_count: kind.linked_count,
        confidence: kind.confidence,
        urls: kind.urls,
        examples: kind.examples,
    }
}

fn group(node: SiteNode) -> PageGroup {
    PageGroup {
        pattern: node.pattern,
        kind: node.kind.name().to_owned(),
        page_count: node.page_count,
        links_to: node.links_to,
    }
}

/// What a saved page shows.
pub fn inspected(file: &str, reading: PageReading) -> InspectReport {
    InspectReport {
        file: file.to_owned(),
        kind: reading.kind.name().to_owned(),
        records: reading.records.into_iter().map(record).collect(),
        next_url: reading.next_url,
        prev_url: reading.prev_url,
        last_url: reading.last_url,
        complaints: reading.complaints,
    }
}

fn record(record: RecordReading) -> InspectedRecord {
    InspectedRecord {
        time: record.time,
        local: record.local,
        start_local: record.start_local,
        raw: record.raw,
        zone: record.zone.map(|zone| zone.name().to_owned()),
        title: record.title,
        link: record.link,
        author: record.author,
        id: record.id,
    }
}
