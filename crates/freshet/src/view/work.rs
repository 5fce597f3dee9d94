//! How much reading the history of all lists takes, in pages.
//!
//! Lists differ by orders of magnitude, so counting them says little of the time left: the long ones are
//! closed last. A list is expected to have one page, and more for what its model expects over the
//! stretch of time it covers: all of it where it is complete, else as far back as complete lists of the same
//! kind reach (their median), or as `--since` says. A list of which nothing is known is expected to be like
//! the others of its kind. It is an estimate to tell the time by, nothing is decided by it.

use freshet_policy::{ChangeModel as _, ChangeRate};
use freshet_types::{Endpoint, Map, NetworkName, Source, Span, Timestamp};

/// How far back lists reach where no list of their kind is complete yet.
const REACH_UNKNOWN: Span = Span::from_secs(30 * 86_400);

/// Pages of history, read and to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pages {
    pub(crate) done: f64,
    /// To be read.
    pub(crate) todo: f64,
}

/// One list that is partly read.
struct Part {
    per_s: f64,
    read: Span,
    wanted: Option<Span>,
}

/// Lists that are alike.
#[derive(Default)]
struct Kind {
    reaches: Vec<Span>,
    done: f64,
    parts: Vec<Part>,
    blank_count: u64,
}

/// The lists seen so far.
#[derive(Default)]
pub(super) struct Work {
    kinds: Map<(String, String), Kind>,
}

impl Work {
    /// One list that is complete or can become so.
    pub(super) fn add_list(&mut self, source: &Source, endpoint: &Endpoint, now: Timestamp) {
        let kind = self.kinds.entry(key(&source.network, endpoint)).or_default();
        let coverage = &source.coverage;
        let (Some(top), Some(last)) = (coverage.intervals.first(), coverage.intervals.last()) else {
            if coverage.is_complete() {
                kind.done += 1.0;
            } else {
                kind.blank_count += 1;
            }
            return;
        };
        let per_s = ChangeRate::from_bytes(&source.model).forecast(now).rate_per_s
            / f64::from(endpoint.page_size.max(1));
        if coverage.is_complete() {
            let reach = positive(top.until - last.oldest.at);
            kind.reaches.push(reach);
            kind.done += pages(per_s, reach);
        } else {
            let spans = coverage.intervals.iter().map(|it| positive(it.newest.at - it.oldest.at));
            let read = Span::from_ms(spans.map(Span::ms).sum());
            let wanted = source.since.map(|since| positive(now - since));
            kind.parts.push(Part { per_s, read, wanted });
        }
    }

    /// All of it.
    pub(super) fn pages(self) -> Pages {
        let mut all = Pages::default();
        for (_, mut kind) in self.kinds {
            let reach = median(&mut kind.reaches).unwrap_or(REACH_UNKNOWN);
            let known_count = kind.reaches.len() + kind.parts.len();
            let mut of_kind = Pages { done: kind.done, todo: 0.0 };
            for part in &kind.parts {
                let whole = pages(part.per_s, part.wanted.unwrap_or(reach).max(part.read));
                let done = pages(part.per_s, part.read);
                of_kind.done += done;
                // At least the page that would close it.
                of_kind.todo += (whole - done).max(1.0);
            }
            let mean =
                if known_count == 0 { 1.0 } else { (of_kind.done + of_kind.todo) / known_count as f64 };
            all.done += of_kind.done;
            all.todo += of_kind.todo + mean.max(1.0) * kind.blank_count as f64;
        }
        all
    }
}

/// Servers of one network are alike.
fn key(network: &NetworkName, endpoint: &Endpoint) -> (String, String) {
    (network.definition().to_owned(), endpoint.name.to_string())
}

fn pages(per_s: f64, reach: Span) -> f64 {
    1.0 + (per_s * reach.secs_f64()).max(0.0)
}

fn positive(span: Span) -> Span {
    span.max(Span::ZERO)
}

fn median(spans: &mut [Span]) -> Option<Span> {
    let middle = spans.len().checked_sub(1)? / 2;
    Some(*spans.select_nth_unstable(middle).1)
}
