//! Explaining: what is known of a source, and when and why it is visited next.
//!
//! Why then is asked of the policy itself (`explain/why.rs`), with the market that the last run
//! left in the store; what is proven complete is asked of the source.

mod why;

use freshet_engine::price::Memory;
use freshet_policy::{ChangeModel as _, ChangeRate, Forecast};
use freshet_store::browse::Browse as _;
use freshet_types::{RobotKind, Source, SourceState, Span, Timestamp};
use serde::Serialize;
use serde_json::{Value, json};

use crate::config::Globals;
use crate::data::Data;
use crate::sources::{no_source, sources_meant};
use crate::text::{self, COLUMNS, relative, seconds};
use crate::{gaps, status};
use why::Why;

/// What is known of the sources that a person means.
#[derive(Debug, Serialize)]
pub struct ExplainReport {
    /// When, in unix seconds.
    pub now: Value,
    /// Each of them.
    pub sources: Vec<Explained>,
}

/// What is known of one source.
#[derive(Debug, Serialize)]
pub struct Explained {
    source: u32,
    label: String,
    /// What the forum calls it, where it is a list of one.
    title: Option<String>,
    network: String,
    endpoint: String,
    robot: &'static str,
    root_id: Option<String>,
    handle: Option<String>,
    state: &'static str,
    depth: u16,
    due_at: Value,
    visited_at: Value,
    since: Value,
    /// How often a person wants it visited.
    pinned_s: Option<f64>,
    rate_per_day: f64,
    last_post_at: Value,
    /// Why nothing more of it is read, while it rests.
    rests_because: Option<&'static str>,
    is_complete: bool,
    complete_until: Value,
    holes_count: usize,
    failure: Option<String>,
    /// The decision, for what a policy times.
    why: Option<Why>,
    /// The same in sentences.
    #[serde(skip)]
    pub text: String,
}

/// Explains every source that is meant.
pub fn report(globals: &Globals, reference: &str) -> anyhow::Result<ExplainReport> {
    let data = Data::look(globals)?;
    let sources = sources_meant(globals, &data.store, reference)?;
    if sources.is_empty() {
        return Err(no_source(reference));
    }
    let now = data.now_for_report(None);
    let memory = Memory::from_store(&data.store)?;
    let live = status::live_report(&data.store)?;
    let explained = |source: &Source| -> anyhow::Result<Explained> {
        let title = data.store.title_of(source)?;
        Ok(explain(source, title, &memory, &live, now))
    };
    let sources = sources.iter().map(explained).collect::<anyhow::Result<_>>()?;
    Ok(ExplainReport { now: seconds(now), sources })
}

/// What is known of a source, and of the list of this title that it is; `live` is the report of the run under way, or of the last one.
pub fn explain(
    source: &Source,
    title: Option<String>,
    memory: &Memory,
    live: &Value,
    now: Timestamp,
) -> Explained {
    let label = source.label_with(title.as_deref());
    let is_priced = source.pinned.is_none() && source.state.is_watched();
    let why = Why::of(source, memory, live, now).filter(|_| is_priced);
    let forecast = ChangeRate::from_bytes(&source.model).forecast(now);
    let optional = |at: Option<Timestamp>| at.map_or_else(|| json!(null), seconds);
    let coverage = &source.coverage;
    Explained {
        source: source.id.0,
        text: describe(source, &label, forecast, why.as_ref(), now),
        label,
        title,
        network: source.network.to_string(),
        endpoint: source.endpoint.to_string(),
        robot: source.robot.name(),
        root_id: Some(source.root_id.clone()).filter(|id| !id.is_empty()),
        handle: source.handle.clone(),
        state: source.state.name(),
        depth: source.depth,
        due_at: seconds(source.due_at),
        visited_at: optional(source.visited_at),
        since: optional(source.since),
        pinned_s: source.pinned.map(Span::secs_f64),
        rate_per_day: forecast.rate_per_s * Span::DAY.secs_f64(),
        last_post_at: optional(forecast.last_at),
        rests_because: gaps::rest_of(source.state),
        is_complete: coverage.is_complete() && source.state != SourceState::OptedOut,
        complete_until: optional(coverage.top().map(|top| top.until).or(coverage.empty_at)),
        holes_count: coverage.holes().len(),
        failure: source.failure.clone(),
        why,
    }
}

/// The same in sentences.
fn describe(source: &Source, label: &str, forecast: Forecast, why: Option<&Why>, now: Timestamp) -> String {
    let mut lines = vec![format!("{}  {}", source.id.0, text::one_line(label))];
    let visited = source
        .visited_at
        .map_or("never visited".to_owned(), |at| format!("last visited {}", relative(at, now)));
    let due = match source.state {
        SourceState::Paused => "none while it is paused".to_owned(),
        SourceState::Removed => "none, it was removed".to_owned(),
        _ if source.due_at <= now => "due now".to_owned(),
        _ => relative(source.due_at, now),
    };
    lines.push(format!("{visited}; next visit: {due}; state: {}", source.state.name()));
    if let Some(every) = source.pinned {
        lines.push(format!("pinned: it is visited every {every}, whatever that is worth"));
    }
    if let Some(why) = why {
        lines.extend(why.lines(forecast.last_at, now));
    } else if forecast.rate_per_s > 0.0 {
        let last = forecast.last_at.map_or(String::new(), |at| format!("; last post {}", relative(at, now)));
        let per_day = forecast.rate_per_s * Span::DAY.secs_f64();
        lines.push(format!("expected: {per_day:.2} posts a day{last}"));
    }
    let coverage = &source.coverage;
    let resting = gaps::rest_of(source.state);
    if let Some(why) = resting {
        lines.push(format!("it rests and is looked at now and then: {why}"));
    }
    let holes = coverage.holes();
    let shut: Vec<&str> = holes.iter().filter_map(|hole| gaps::obstacle(source, hole)).collect();
    let is_list = matches!(source.robot, RobotKind::Status | RobotKind::Comment);
    lines.push(match (coverage.is_complete(), coverage.top(), holes.len()) {
        _ if source.state == SourceState::OptedOut => "nothing of it is collected".to_owned(),
        // Of a profile there is nothing older that could be missing.
        (true, ..) if !is_list => "what it showed then is stored".to_owned(),
        (true, Some(top), _) => format!("complete up to {} ({})", top.until, relative(top.until, now)),
        (true, None, _) => "complete: it was empty".to_owned(),
        (false, None, _) => "nothing of it is proven complete yet".to_owned(),
        (false, Some(_), holes) if shut.len() == holes => {
            format!("{} that cannot be closed: {}", text::count(holes as u64, "hole"), shut[0])
        }
        (false, Some(_), holes) => {
            format!("{}; `freshet gaps` prices them", text::count(holes as u64, "hole"))
        }
    });
    if let Some(failure) = &source.failure {
        lines.push(format!("last failure: {}", text::one_line(failure)));
    }
    lines.iter().map(|line| fitting(line)).collect::<Vec<_>>().join("\n   ")
}

/// A line that fits into a terminal behind its indent.
fn fitting(line: &str) -> String {
    let columns = COLUMNS - 3;
    if line.chars().count() <= columns { line.to_owned() } else { text::wrapped(line, columns - 2, "     ") }
}

#[cfg(test)]
mod tests {
    use freshet_types::{Interval, Mark, NetworkName, VisitId};

    use super::*;

    #[test]
    fn what_rests_and_what_cannot_be_closed_is_told() {
        let at = Timestamp::from_secs(1000);
        let mark = Mark { id: "8".into(), at };
        let interval = |is_bottom| Interval {
            newest: mark.clone(),
            oldest: mark.clone(),
            until: at,
            below: None,
            is_bottom,
            visit: VisitId(1),
        };
        for (state, intervals, expected) in [
            (SourceState::OptedOut, vec![], "now and then: its owner asks not to be collected"),
            (SourceState::OptedOut, vec![interval(true)], "nothing of it is collected"),
            (SourceState::Suspended, vec![], "the network has suspended it"),
            (
                SourceState::Active,
                vec![interval(false), interval(true)],
                "1 hole that cannot be closed: the list",
            ),
            (SourceState::Active, vec![interval(true)], "complete up to"),
        ] {
            let mut source =
                Source::new(&NetworkName::from("rss:a.example"), "feed", RobotKind::Status, "feed", "f");
            (source.state, source.coverage.intervals) = (state, intervals);
            let text = explain(&source, None, &Memory::default(), &Value::Null, at).text;
            assert!(text.contains(expected), "{state:?}: {text}");
        }
        let network = NetworkName::from("mastodon:a.example");
        let mut source = Source::new(&network, "posts", RobotKind::Status, "account", "7");
        source.coverage.intervals = vec![Interval { below: Some("c".to_owned()), ..interval(false) }];
        source.coverage.shut("c", freshet_types::Obstacle::Round, at);
        let text = explain(&source, None, &Memory::default(), &Value::Null, at).text;
        assert!(text.contains("1 hole that cannot be closed: the list goes round"), "{text}");
    }
}
