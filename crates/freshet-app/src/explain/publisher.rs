//! What the publisher of a feed says about when to come, as a fact and in words.
//!
//! Sources whose answers say nothing of it have no such fact. Whether its hub tells us is the word of the run ([`crate::hubs`]).

use freshet_engine::schedule;
use freshet_report::explain::Fact;
use freshet_report::hubs::HubLine;
use freshet_report::time::UnixNumber;
use freshet_types::{Source, SourceState, Span, Timestamp};

use crate::text::{one_line, relative};

const DAYS: [&str; 7] = ["Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays"];

/// What is to be told of a source, where nothing stays unvisited longer than this.
pub(super) fn fact(source: &Source, hub: Option<&HubLine>, ceiling: Span, now: Timestamp) -> Option<Fact> {
    let told = &source.timetable;
    if told.is_empty() {
        return None;
    }
    let minutes = |minutes: Option<u32>| minutes.map(|minutes| f64::from(minutes) * 60.0);
    let is_heeded = source.pinned.is_none() && source.state == SourceState::Active;
    let visited_at = source.visited_at.filter(|_| is_heeded);
    let held_until = visited_at.map(|visited_at| schedule::held_until(source, ceiling, visited_at));
    Some(Fact::Publisher {
        ttl_s: minutes(told.ttl_min),
        every_s: minutes(told.period_min),
        silent_hours: told.silent_hours().collect(),
        silent_days: told.silent_days().collect(),
        hub: told.hub.clone(),
        hub_line: hub.cloned().map(Box::new),
        not_before: held_until.filter(|at| *at > now).and_then(UnixNumber::of),
    })
}

/// What a publisher says, in one sentence; nothing of what is no such fact.
pub(super) fn sentence(fact: &Fact, now: Timestamp) -> String {
    let Fact::Publisher { ttl_s, every_s, silent_hours, silent_days, hub, hub_line, not_before } = fact
    else {
        return String::new();
    };
    let span = |seconds: f64| Span::from_secs_f64(seconds).to_string();
    let hours: Vec<String> = silent_hours.iter().map(|hour| format!("{hour}:00")).collect();
    let days: Vec<&str> = silent_days.iter().filter_map(|&day| DAYS.get(day as usize).copied()).collect();
    let mut parts = Vec::new();
    parts.extend(ttl_s.map(|ttl| format!("asks to be left alone for {} after a visit", span(ttl))));
    parts
        .extend((!hours.is_empty()).then(|| format!("is silent in the hours from {} UTC", hours.join(", "))));
    parts.extend((!days.is_empty()).then(|| format!("is silent on {}", days.join(", "))));
    parts.extend(every_s.map(|every| format!("says to change every {}", span(every))));
    parts.extend(hub.as_ref().map(|hub| {
        let used = hub_line.as_deref().map_or_else(|| "which is not used".to_owned(), |line| used(line, now));
        format!("has its news told by the hub {}, {used}", one_line(hub))
    }));
    let held = not_before.map(|at| format!("; the next visit waits for that ({})", relative(at.0, now)));
    format!("it {}{}", parts.join(", "), held.unwrap_or_default())
}

/// What becomes of a hub that was asked.
fn used(line: &HubLine, now: Timestamp) -> String {
    let until = line.until.map_or_else(String::new, |at| format!(", until {}", relative(at.0, now)));
    let why = line.why.as_ref().map_or_else(String::new, |why| format!(" ({})", one_line(why)));
    match line.state.as_str() {
        "live" => {
            format!(
                "which tells this run{until}: {} times so far, and is visited all the same{why}",
                line.taken_count
            )
        }
        "asked" => "which was asked to tell this run and has not asked back".to_owned(),
        _ => format!("which does not tell this run{why}"),
    }
}
