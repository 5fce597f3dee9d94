//! Step 6 of 10 for streams: from a message to what it shows.
//!
//! A message is an answer in small: the first rule that fits it says which items it holds, which object is gone or what else it means, and
//! the items are read as those of any answer. A binary frame may hold several messages ([`format::frame`]). Never fails as a whole: what
//! cannot be used is a complaint, what no rule knows is passed over. How long a message may be is decided where it is received.

use freshet_types::definition::{BodyFormat, StreamFormat};
use freshet_types::{Complaint, Heard, Response, StreamMessage, StreamTarget, Target, Timestamp};

use crate::definition::Plan;
use crate::definition::plan::{DeletionPlan, MessagePlan, StreamPlan};
use crate::expression::{Expression, Scope, scalar};
use crate::format::{self, Text, Tree, frame};

/// Longest cursor that is kept; servers give numbers and short texts.
const CURSOR_BYTES_MAX: usize = 512;
/// Longest id of an object that is told to be gone, or to be visited.
const ID_BYTES_MAX: usize = 1024;
/// Roots that one message may say to be visited.
const ROOTS_MAX: usize = 1024;
/// Bytes of a frame that a complaint shows.
const SAMPLE_BYTES: usize = 32;

/// What a message shows.
pub(crate) fn read(
    plan: &Plan,
    stream: &StreamPlan,
    target: &StreamTarget<'_>,
    message: &StreamMessage,
    now: Timestamp,
) -> Heard {
    let mut heard = Heard { is_passed_over: true, ..Heard::default() };
    let reader = Reader { plan, stream, target, message, now };
    match (stream.format, &message.bytes) {
        (StreamFormat::Json, None) => reader.read_text(&mut heard),
        (StreamFormat::Atproto, Some(bytes)) => reader.read_frame(bytes, &mut heard),
        (StreamFormat::Json, Some(_)) => {
            heard.complaints.push(Complaint::new("message", "a frame is binary where text was promised"));
        }
        (StreamFormat::Atproto, None) => {
            let what = "a frame is text where a binary one was promised";
            heard.complaints.push(Complaint::new("message", what).with_sample(message.data.as_str()));
        }
    }
    heard.is_passed_over &= heard.complaints.is_empty();
    heard
}

/// Reads one message.
#[derive(Clone, Copy)]
struct Reader<'a> {
    plan: &'a Plan,
    stream: &'a StreamPlan,
    target: &'a StreamTarget<'a>,
    message: &'a StreamMessage,
    now: Timestamp,
}

impl Reader<'_> {
    fn read_text(self, heard: &mut Heard) {
        let whole = response(&self.message.data, self.now);
        let text = Text::new(&whole, None);
        match format::parse(BodyFormat::Json, &self.plan.keys, &text) {
            Ok(parsed) => self.add_message(&parsed.tree, heard),
            // An id may stand there bare.
            Err(_) if self.stream.messages.iter().any(|rule| self.is_bare(rule)) => {
                self.add_message(&Tree::Null, heard);
            }
            Err(what) => {
                heard
                    .complaints
                    .push(Complaint::new("message", what).with_sample(self.message.data.as_str()));
            }
        }
    }

    /// Whether the whole message is the id of what is gone.
    fn is_bare(self, rule: &MessagePlan) -> bool {
        let is_named = rule.event.is_some() && rule.event == self.message.event;
        is_named && rule.deletes.as_ref().is_some_and(|it| it.id.is_none())
    }

    fn read_frame(self, bytes: &[u8], heard: &mut Heard) {
        match frame::parse(&self.plan.keys, bytes) {
            Ok(frame) => {
                frame.said.iter().for_each(|tree| self.add_message(tree, heard));
                heard.complaints.extend(frame.complaints.into_iter().map(|it| Complaint::new("message", it)));
            }
            Err(what) => {
                let sample = bytes[..bytes.len().min(SAMPLE_BYTES)].escape_ascii().to_string();
                heard.complaints.push(Complaint::new("message", what).with_sample(sample));
            }
        }
    }

    /// Adds what one message shows.
    fn add_message(self, tree: &Tree<'_>, heard: &mut Heard) {
        let Self { stream, message, .. } = self;
        let scope = Scope { root: "", url: "", body: tree };
        let at = |place: &Expression| place.first(tree, scope).and_then(|value| scalar(&value));
        let event = stream.event.as_ref().and_then(at).or_else(|| message.event.clone());
        if stream.has_cursor {
            let found = stream.cursor.as_ref().map_or_else(|| message.id.clone(), at);
            heard.cursor = found.filter(|cursor| cursor.len() <= CURSOR_BYTES_MAX).or(heard.cursor.take());
        }
        let fits = |rule: &&MessagePlan| {
            let is_named = rule.event.as_ref().is_none_or(|name| event.as_ref() == Some(name));
            is_named && rule.when.iter().all(|condition| condition.holds(tree, scope))
        };
        let Some(rule) = stream.messages.iter().find(fits) else { return };
        heard.is_passed_over = false;
        heard.trouble = rule.cursor_is.or(heard.trouble);
        if let Some(place) = &rule.revisits {
            let roots = place.values(tree, scope).into_iter().filter_map(|value| scalar(&value));
            heard.revisit.extend(roots.filter(|root| root.len() <= ID_BYTES_MAX).take(ROOTS_MAX));
        }
        let payload = stream.payload.as_ref().and_then(at);
        if let Some(deletes) = &rule.deletes {
            self.add_deletion(deletes, (tree, scope), payload.as_deref(), heard);
        }
        if rule.read.is_none() {
            return;
        }
        let Some(payload) = payload else { return self.add_items(rule, tree, heard) };
        let inner = response(&payload, self.now);
        let text = Text::new(&inner, None);
        match format::parse(BodyFormat::Json, &self.plan.keys, &text) {
            Ok(parsed) => self.add_items(rule, &parsed.tree, heard),
            Err(what) => {
                heard.complaints.push(Complaint::new("message", what).with_sample(payload.as_str()));
            }
        }
    }

    fn add_deletion(
        self,
        deletes: &DeletionPlan,
        (tree, scope): (&Tree<'_>, Scope<'_>),
        payload: Option<&str>,
        heard: &mut Heard,
    ) {
        let id = match &deletes.id {
            Some(place) => place.first(tree, scope).and_then(|value| scalar(&value)),
            None => Some(payload.unwrap_or(&self.message.data).trim().trim_matches('"').to_owned()),
        };
        match id.filter(|id| !id.is_empty() && id.len() <= ID_BYTES_MAX) {
            Some(id) => heard.deleted.push((deletes.kind.clone(), id)),
            None => heard.complaints.push(
                Complaint::new("message", "it says that something is gone, and not what")
                    .with_sample(self.message.data.as_str()),
            ),
        }
    }

    fn add_items(self, rule: &MessagePlan, tree: &Tree<'_>, heard: &mut Heard) {
        let Some(endpoint) = &rule.read else { return };
        if tree.is_null() {
            let complaint = Complaint::new("message", "it is empty where an item was promised");
            return heard.complaints.push(complaint.with_sample(self.message.data.as_str()));
        }
        let target = Target {
            instance: self.target.instance,
            endpoint: self.target.name,
            root: "",
            credential: None,
            validators: None,
        };
        let page = crate::read::read_message(self.plan, endpoint, &target, tree, self.now);
        heard.complaints.extend(page.complaints);
        heard.observation.append(page.observation);
    }
}

/// A message as an answer.
fn response(data: &str, now: Timestamp) -> Response {
    let (headers, body) = (Vec::new(), data.as_bytes().to_vec());
    Response { status: 200, headers, body, url: String::new(), received_at: now }
}

#[cfg(test)]
mod tests;
