//! By which way a source is watched: whether its server sends posts by itself, and what that means for visits.
//!
//! Whether the stream is connected is the word of the run; without one nothing is connected.

use freshet_report::explain::Fact;
use freshet_report::run::StreamStatus;
use freshet_report::time::UnixNumber;
use freshet_types::{Proof, Source, StreamInfo};

use super::Grounds;

/// What the streams of its server, which has this base, mean for a source.
pub(super) fn fact(streams: &[StreamInfo], base: &str, source: &Source, grounds: &Grounds) -> Option<Fact> {
    let cover_of = |stream: &StreamInfo| {
        stream.covers.iter().find(|cover| *cover.endpoint == *source.endpoint).map(|cover| cover.proof)
    };
    let live_of = |stream: &StreamInfo| {
        let is_it = |it: &&StreamStatus| it.network == source.network && *it.name == *stream.name;
        grounds.live.as_ref().and_then(|live| live.work.streams.iter().find(is_it))
    };
    let own = streams.iter().filter(|stream| stream.is_on(base));
    let mut own = own.filter_map(|stream| Some((stream, cover_of(stream)?)));
    let first = own.next()?;
    // Another one may stand in for it.
    let connected =
        |(stream, _): &(&StreamInfo, Proof)| live_of(stream).is_some_and(|it| it.connected_at.is_some());
    let (stream, proof) = if connected(&first) { first } else { own.find(connected).unwrap_or(first) };
    let live = live_of(stream);
    let covers_since = live.and_then(|live| live.covers_since);
    let is_visited =
        covers_since.zip(source.visited_at).is_some_and(|(since, visited_at)| since.0 <= visited_at);
    Some(Fact::Streamed {
        stream: stream.name.to_string(),
        is_complete: proof == Proof::Complete,
        is_page: stream.every.is_some(),
        connected_at: live.and_then(|live| live.connected_at).and_then(|at| UnixNumber::of(at.0)),
        is_covered: is_visited && proof == Proof::Complete,
        bill: live.map(|live| (live.spent_count, live.spared_count)).filter(|bill| *bill != (0, 0)),
        why: live.and_then(|live| live.why.clone()),
    })
}

#[cfg(test)]
mod tests {
    use freshet_report::run::RunStatus;
    use freshet_report::time::UnixFloat;
    use freshet_types::{Cover, NetworkName, RobotKind, Timestamp, Transport};

    use super::*;

    /// What is told of a list that was visited then, where the stream has been connected since then.
    fn check(endpoint: &str, visited_s: Option<i64>, since_s: Option<i64>, expected: Option<(bool, bool)>) {
        let network = NetworkName::from("net:a.example");
        let cover = |endpoint: &str, proof| Cover { endpoint: endpoint.into(), is_server: false, proof };
        let stream = StreamInfo {
            name: "local".into(),
            only_on: Vec::new(),
            transport: Transport::Sse,
            covers: vec![cover("all", Proof::Complete), cover("some", Proof::Hint)],
            named_max: 0,
            cursor_lasts: None,
            needs_credential: false,
            instead_of: None,
            every: None,
        };
        let at = |secs: i64| UnixFloat(Timestamp::from_secs(secs));
        let status = StreamStatus {
            network: network.clone(),
            name: "local".to_owned(),
            connected_at: since_s.map(at),
            covers_since: since_s.map(at),
            ..StreamStatus::default()
        };
        let mut live = RunStatus::default();
        live.work.streams.push(status);
        let mut source = Source::new(&network, endpoint, RobotKind::Status, "account", "7");
        source.visited_at = visited_s.map(Timestamp::from_secs);
        let grounds = Grounds { live: Some(live), ..Grounds::default() };
        let told = fact(&[stream], "https://a.example", &source, &grounds).map(|fact| match fact {
            Fact::Streamed { is_complete, is_covered, connected_at, .. } => {
                assert_eq!(connected_at.is_some(), since_s.is_some());
                (is_complete, is_covered)
            }
            other => panic!("{other:?}"),
        });
        assert_eq!(told, expected, "{endpoint} {visited_s:?} {since_s:?}");
    }

    #[test]
    fn a_source_is_covered_when_it_was_visited_while_the_stream_was_connected() {
        check("none", Some(9), Some(5), None);
        check("some", Some(9), Some(5), Some((false, false)));
        check("all", Some(9), Some(5), Some((true, true)));
        check("all", Some(4), Some(5), Some((true, false)));
        check("all", None, Some(5), Some((true, false)));
        check("all", Some(9), None, Some((true, false)));
    }
}
