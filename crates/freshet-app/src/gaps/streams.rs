//! Holes of streams: lists that a stream covers and that nobody has visited since it covers them.
//!
//! A stream that breaks, or comes back with a cursor that its server does not know any more, begins a new stretch; what it missed
//! before shows in a visit of each list, and nowhere else.

use freshet_network::networks::Networks;
use freshet_report::gaps::StreamGaps;
use freshet_report::time::UnixNumber;
use freshet_store::row::StreamRow;
use freshet_types::{Proof, Source, Timestamp};

/// Streams, and what is missing of what they cover.
#[derive(Debug)]
pub(super) struct StreamSum(Vec<Covered>);

/// One stream, with the lists of which it sends everything.
#[derive(Debug)]
struct Covered {
    endpoints: Vec<String>,
    since: Timestamp,
    gaps: StreamGaps,
}

impl StreamSum {
    /// Of these streams; one that no definition has any more covers nothing.
    pub(super) fn of(rows: Vec<StreamRow>, networks: &Networks) -> Self {
        let covered = |row: StreamRow| {
            let connector = networks.connector_for(&row.network)?;
            let info = connector.streams().iter().find(|info| *info.name == *row.name)?;
            let whole = info.covers.iter().filter(|cover| cover.proof == Proof::Complete);
            let endpoints = whole.map(|cover| cover.endpoint.to_string()).collect();
            let gaps = StreamGaps {
                network: row.network,
                stream: row.name,
                covers_since: UnixNumber::of(row.since),
                covers_until: UnixNumber::of(row.until),
                lists_count: 0,
                unvisited_count: 0,
            };
            Some(Covered { endpoints, since: row.since, gaps })
        };
        Self(rows.into_iter().filter_map(covered).collect())
    }

    /// Takes a source into account.
    pub(super) fn add(&mut self, source: &Source) {
        let is_its = |it: &&mut Covered| {
            it.gaps.network == source.network && it.endpoints.iter().any(|name| *name == *source.endpoint)
        };
        if !source.state.is_watched() {
            return;
        }
        for it in self.0.iter_mut().filter(is_its) {
            it.gaps.lists_count += 1;
            let is_closed = source.visited_at.is_some_and(|at| at >= it.since);
            it.gaps.unvisited_count += u64::from(!is_closed);
        }
    }

    /// Those that cover something.
    pub(super) fn into_gaps(self) -> Vec<StreamGaps> {
        self.0.into_iter().map(|it| it.gaps).filter(|gaps| gaps.lists_count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use freshet_types::{NetworkName, RobotKind, SourceState};

    use super::*;

    /// Lists and those that were not visited since, of a stream that covers them since second 100.
    fn check(endpoint: &str, visited_s: Option<i64>, state: SourceState, expected: Option<(u64, u64)>) {
        let network = NetworkName::from("bluesky-pds:a.example");
        let at = Timestamp::from_secs;
        let row = StreamRow {
            network: network.clone(),
            name: "firehose".to_owned(),
            since: at(100),
            until: at(200),
            cursor: None,
        };
        let other = StreamRow { name: "nobody knows it".to_owned(), ..row.clone() };
        let mut sum = StreamSum::of(vec![other, row], &Networks::shipped());
        let source = Source::new(&network, endpoint, RobotKind::Status, "account", "did:plc:a");
        sum.add(&Source { visited_at: visited_s.map(at), state, ..source });
        let found = sum.into_gaps();
        assert_eq!(found.first().map(|it| (it.lists_count, it.unvisited_count)), expected, "{endpoint}");
        assert!(found.iter().all(|it| it.stream == "firehose" && it.covers_since.is_some()));
    }

    #[test]
    fn a_list_that_was_not_visited_since_the_stream_covers_it_has_a_hole() {
        check("posts", None, SourceState::Active, Some((1, 1)));
        check("posts", Some(99), SourceState::Active, Some((1, 1)));
        check("reposts", Some(100), SourceState::Active, Some((1, 0)));
        check("posts", Some(150), SourceState::Removed, None);
        check("following", Some(150), SourceState::Active, None);
    }
}
