//! Step 6 of 10 for streams: from a message to what it shows.
//!
//! A message is an answer in small: the first rule that fits it says which items it holds or which object is gone, and the items are
//! read as those of any answer. Never fails as a whole: what cannot be used is a complaint, what no rule knows is passed over. How
//! long a message may be is decided where it is received.

use freshet_types::definition::BodyFormat;
use freshet_types::{
    Complaint, Heard, Intent, Outcome, Response, StreamMessage, StreamTarget, Target, Timestamp,
};

use crate::definition::Plan;
use crate::definition::plan::{MessagePlan, StreamPlan};
use crate::expression::{Expression, Scope, scalar};
use crate::format::{self, Text, Tree};

/// Longest cursor that is kept; servers give numbers and short texts.
const CURSOR_BYTES_MAX: usize = 512;
/// Longest id of an object that is told to be gone.
const ID_BYTES_MAX: usize = 1024;

/// What a message shows.
pub(crate) fn read(
    plan: &Plan,
    stream: &StreamPlan,
    target: &StreamTarget<'_>,
    message: &StreamMessage,
    now: Timestamp,
) -> Heard {
    let whole = response(&message.data, now);
    let text = Text::new(&whole, None);
    let mut heard = Heard::default();
    let parsed = stream.looks_inside().then(|| format::parse(BodyFormat::Json, &plan.keys, &text));
    let tree = match &parsed {
        Some(Ok(parsed)) => &parsed.tree,
        Some(Err(what)) => {
            heard.complaints.push(Complaint::new("message", what).with_sample(message.data.as_str()));
            return heard;
        }
        None => &Tree::Null,
    };
    let scope = Scope { root: "", url: "", body: tree };
    let at = |place: &Expression| place.first(tree, scope).and_then(|value| scalar(&value));
    let event = stream.event.as_ref().and_then(at).or_else(|| message.event.clone());
    if stream.has_cursor {
        let found = stream.cursor.as_ref().map_or_else(|| message.id.clone(), at);
        heard.cursor = found.filter(|cursor| cursor.len() <= CURSOR_BYTES_MAX);
    }
    let fits = |rule: &&MessagePlan| {
        let is_named = rule.event.as_ref().is_none_or(|name| event.as_ref() == Some(name));
        is_named && rule.when.iter().all(|condition| condition.holds(tree, scope))
    };
    let Some(rule) = stream.messages.iter().find(fits) else {
        return Heard { is_passed_over: true, ..heard };
    };
    let payload = stream.payload.as_ref().and_then(at);
    let payload = payload.as_deref().unwrap_or(&message.data);
    if let Some(deletes) = &rule.deletes {
        let id = match &deletes.id {
            Some(place) => at(place),
            None => Some(payload.trim().trim_matches('"').to_owned()),
        };
        match id.filter(|id| !id.is_empty() && id.len() <= ID_BYTES_MAX) {
            Some(id) => heard.deleted.push((deletes.kind.clone(), id)),
            None => heard.complaints.push(
                Complaint::new("message", "it says that something is gone, and not what")
                    .with_sample(message.data.as_str()),
            ),
        }
    }
    if let Some(endpoint) = &rule.read {
        let answer = response(payload, now);
        let target = Target {
            instance: target.instance,
            endpoint: target.name,
            root: "",
            credential: None,
            validators: None,
        };
        let (page, _) = crate::read::read(plan, endpoint, &target, &Intent::First, &answer, now);
        if page.outcome != Outcome::Ok && page.complaints.is_empty() {
            let what = format!("it is read as `{}`", page.outcome.name());
            heard.complaints.push(Complaint::new("message", what).with_sample(payload));
        }
        heard.complaints.extend(page.complaints);
        heard.observation = page.observation;
    }
    heard
}

/// A message as an answer.
fn response(data: &str, now: Timestamp) -> Response {
    let (headers, body) = (Vec::new(), data.as_bytes().to_vec());
    Response { status: 200, headers, body, url: String::new(), received_at: now }
}

#[cfg(test)]
mod tests;
