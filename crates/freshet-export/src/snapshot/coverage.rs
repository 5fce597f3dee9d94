//! What a snapshot proves to be complete, list by list, and the sums for its README.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use freshet_app::data::Data;
use freshet_app::gaps;
use freshet_network::networks::Networks;
use freshet_report::UnixNumber;
use freshet_report::snapshot::{CoverageLine, CoverageSums, ProvenInterval, UnprovenHole};
use freshet_store::browse::Browse as _;
use freshet_types::{Hole, Interval, Source, SourceId, SourceState};

/// Sources that are read at once, with the titles of their lists.
const SOURCES_AT_ONCE: usize = 1000;

/// Writes `coverage.jsonl` and adds up.
pub(super) fn write(
    data: &Data,
    networks: &Networks,
    network: Option<&str>,
    part: &Path,
) -> anyhow::Result<CoverageSums> {
    let path = part.join("coverage.jsonl");
    let cannot = || format!("`{}` cannot be written", path.display());
    let file = std::fs::File::create(&path).with_context(cannot)?;
    let mut out = std::io::BufWriter::new(file);
    let is_meant = |source: &Source| {
        network.is_none_or(|it| it == source.network.as_str() || it == source.network.definition())
            && gaps::is_list(networks, source)
    };
    let mut sums = CoverageSums::default();
    let mut next = Some(SourceId(0));
    while let Some(above) = next {
        let page = data.store.sources_above(above, SOURCES_AT_ONCE)?;
        next = page.next;
        let lists: Vec<Source> = page.rows.into_iter().filter(is_meant).collect();
        for (source, title) in lists.iter().zip(data.store.titles_of(&lists)?) {
            add(&mut sums, source);
            write_line(&mut out, &line(source, title.as_deref())).with_context(cannot)?;
        }
    }
    out.flush().with_context(cannot)?;
    Ok(sums)
}

fn write_line(out: &mut impl std::io::Write, line: &CoverageLine) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    writeln!(out)
}

/// Adds a list to the sums.
fn add(sums: &mut CoverageSums, source: &Source) {
    let coverage = &source.coverage;
    sums.lists_count += 1;
    sums.removed_count += u64::from(source.state == SourceState::Removed);
    let holes = coverage.holes();
    sums.holes_count += holes.len() as u64;
    sums.uncloseable_count +=
        holes.iter().filter(|hole| gaps::obstacle(source, hole).is_some()).count() as u64;
    if is_complete(source) {
        sums.complete_count += 1;
        let until = until(source);
        sums.complete_until_min = [sums.complete_until_min, until].into_iter().flatten().min();
        sums.complete_until_max = sums.complete_until_max.max(until);
    } else if coverage.intervals.is_empty() && gaps::rest_of(source.state).is_some() {
        sums.unreadable_count += 1;
    } else if coverage.intervals.is_empty() {
        sums.unvisited_count += 1;
    }
}

/// A list whose posts may not be collected looks empty, which proves nothing.
fn is_complete(source: &Source) -> bool {
    source.coverage.is_complete() && source.state != SourceState::OptedOut
}

fn until(source: &Source) -> Option<UnixNumber> {
    source.coverage.top().map(|top| top.until).or(source.coverage.empty_at).and_then(UnixNumber::of)
}

fn line(source: &Source, title: Option<&str>) -> CoverageLine {
    let coverage = &source.coverage;
    let interval = |it: &Interval| ProvenInterval {
        from: UnixNumber::of(it.oldest.at),
        to: UnixNumber::of(it.newest.at),
        looked_at: UnixNumber::of(it.until),
        reaches_first_wanted: it.is_bottom,
    };
    let hole = |it: &Hole| UnprovenHole {
        before: UnixNumber::of(it.above.at),
        after: it.below.as_ref().and_then(|mark| UnixNumber::of(mark.at)),
        cannot_be_closed: gaps::obstacle(source, it).map(str::to_owned),
    };
    CoverageLine {
        source: source.id,
        label: source.label_with(title),
        title: title.map(str::to_owned),
        network: source.network.to_string(),
        state: source.state,
        wanted_since: source.since.and_then(UnixNumber::of),
        visited_at: source.visited_at.and_then(UnixNumber::of),
        is_complete: is_complete(source),
        complete_until: until(source),
        intervals: coverage.intervals.iter().map(interval).collect(),
        holes: coverage.holes().iter().map(hole).collect(),
        rests_because: gaps::rest_of(source.state).map(str::to_owned),
    }
}
