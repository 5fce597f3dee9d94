//! What a snapshot proves to be complete, list by list, and the sums for its README.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::Path;

use anyhow::Context as _;
use freshet_app::data::Data;
use freshet_app::gaps;
use freshet_network::networks::Networks;
use freshet_store::browse::Browse as _;
use freshet_types::{Source, SourceState, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::at;

/// The sums.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Sums {
    /// Lists that are or were watched.
    pub(super) lists_count: u64,
    /// Of which nothing is missing that the network showed.
    pub(super) complete_count: u64,
    pub(super) unvisited_count: u64,
    /// Of which nothing could be read: gone, suspended, private, or their owner does not want it.
    pub(super) unreadable_count: u64,
    /// Which somebody took off the list; they are complete up to then at most.
    pub(super) removed_count: u64,
    /// Stretches that may hide posts.
    pub(super) holes_count: u64,
    /// Of them, those that no request can close.
    pub(super) uncloseable_count: u64,
    /// Complete lists: the one that was looked at longest ago.
    #[serde(serialize_with = "as_seconds", deserialize_with = "from_seconds")]
    pub(super) complete_until_min: Option<Timestamp>,
    /// The one that was looked at last.
    #[serde(serialize_with = "as_seconds", deserialize_with = "from_seconds")]
    pub(super) complete_until_max: Option<Timestamp>,
}

#[expect(clippy::ref_option, reason = "serde asks for this signature")]
fn as_seconds<S: serde::Serializer>(time: &Option<Timestamp>, serializer: S) -> Result<S::Ok, S::Error> {
    at(*time).serialize(serializer)
}

fn from_seconds<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    let seconds = Option::<f64>::deserialize(from)?;
    Ok(seconds.map(|seconds| Timestamp::from_ms((seconds * 1000.0).round() as i64)))
}

/// Writes `coverage.jsonl` and adds up.
pub(super) fn write(
    data: &Data,
    networks: &Networks,
    network: Option<&str>,
    part: &Path,
) -> anyhow::Result<Sums> {
    let path = part.join("coverage.jsonl");
    let cannot = || format!("`{}` cannot be written", path.display());
    let file = std::fs::File::create(&path).with_context(cannot)?;
    let mut out = std::io::BufWriter::new(file);
    let (mut sums, mut written) = (Sums::default(), Ok(()));
    data.store.each_source(&mut |source| {
        let is_meant =
            network.is_none_or(|it| it == source.network.as_str() || it == source.network.definition());
        if is_meant && gaps::is_list(networks, &source) {
            sums.add(&source);
            written = match data.store.title_of(&source) {
                Ok(title) => writeln!(out, "{}", line(&source, title.as_deref())),
                Err(error) => Err(std::io::Error::other(error)),
            };
        }
        if written.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    written.and_then(|()| out.flush()).with_context(cannot)?;
    Ok(sums)
}

impl Sums {
    fn add(&mut self, source: &Source) {
        let coverage = &source.coverage;
        self.lists_count += 1;
        self.removed_count += u64::from(source.state == SourceState::Removed);
        let holes = coverage.holes();
        self.holes_count += holes.len() as u64;
        self.uncloseable_count +=
            holes.iter().filter(|hole| gaps::obstacle(source, hole).is_some()).count() as u64;
        if is_complete(source) {
            self.complete_count += 1;
            let until = until(source);
            self.complete_until_min = [self.complete_until_min, until].into_iter().flatten().min();
            self.complete_until_max = self.complete_until_max.max(until);
        } else if coverage.intervals.is_empty() && gaps::rest_of(source.state).is_some() {
            self.unreadable_count += 1;
        } else if coverage.intervals.is_empty() {
            self.unvisited_count += 1;
        }
    }
}

/// A list whose posts may not be collected looks empty, which proves nothing.
fn is_complete(source: &Source) -> bool {
    source.coverage.is_complete() && source.state != SourceState::OptedOut
}

fn until(source: &Source) -> Option<Timestamp> {
    source.coverage.top().map(|top| top.until).or(source.coverage.empty_at)
}

fn line(source: &Source, title: Option<&str>) -> Value {
    let coverage = &source.coverage;
    let interval = |it: &freshet_types::Interval| {
        json!({
            "from": at(Some(it.oldest.at)),
            "to": at(Some(it.newest.at)),
            "looked_at": at(Some(it.until)),
            "reaches_first_wanted": it.is_bottom,
        })
    };
    let holes = coverage.holes();
    let hole = |it: &freshet_types::Hole| {
        json!({
            "before": at(Some(it.above.at)),
            "after": at(it.below.as_ref().map(|mark| mark.at)),
            "cannot_be_closed": gaps::obstacle(source, it),
        })
    };
    json!({
        "source": source.id.0,
        "label": source.label_with(title),
        "title": title,
        "network": source.network.as_str(),
        "state": source.state.name(),
        "wanted_since": at(source.since),
        "visited_at": at(source.visited_at),
        "is_complete": is_complete(source),
        "complete_until": at(until(source)),
        "intervals": coverage.intervals.iter().map(interval).collect::<Vec<_>>(),
        "holes": holes.iter().map(hole).collect::<Vec<_>>(),
        "rests_because": gaps::rest_of(source.state),
    })
}
