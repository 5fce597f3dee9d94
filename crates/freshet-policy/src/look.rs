//! What a visit saw, and what is known of a source besides its model.

use freshet_types::{Span, Timestamp};

/// What one visit saw, as a model is told of it.
#[derive(Clone, Copy, Debug)]
pub struct Look<'a> {
    /// When the look before was; `None` for the first.
    pub since: Option<Timestamp>,
    /// When the visit was.
    pub at: Timestamp,
    /// Posting times of the posts that were new to us, in any order.
    pub news: &'a [Timestamp],
    /// The page was full: posts older than the oldest of `news` may have been missed.
    pub is_full: bool,
}

impl Look<'_> {
    /// Since when the look shows everything: the oldest post shown if the page was full, else
    /// the look before, else the oldest post.
    pub(crate) fn complete_since(&self) -> Timestamp {
        let oldest = self.news.iter().copied().min();
        match (self.since, oldest) {
            (Some(since), Some(oldest)) if self.is_full => oldest.max(since),
            (Some(since), _) => since.min(self.at),
            (None, Some(oldest)) => oldest.min(self.at),
            (None, None) => self.at,
        }
    }

    /// How long a stretch it shows completely, never negative.
    pub(crate) fn complete_span(&self) -> Span {
        (self.at - self.complete_since()).max(Span::ZERO)
    }
}

/// What a rule knows of a source besides its model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceFacts {
    /// Its number, ascending in the order in which sources were given.
    pub number: u32,
    /// How much its news count, 1 by default.
    pub weight: f64,
    /// When it was last looked at: visited, or asked about in a group.
    pub visited_at: Timestamp,
    /// Posts that a group told of then and no visit has fetched yet.
    pub backlog: f64,
    /// The how-manieth visit of all that was; ascending numbers before the first.
    pub turn: u64,
    /// Posts a page shows, where that limits what a visit brings: others scroll out of it and are lost. What is learned from a
    /// look takes it over.
    pub page_size: Option<u32>,
}

impl SourceFacts {
    /// Seconds since the last visit, never negative.
    pub fn elapsed_s(&self, at: Timestamp) -> f64 {
        (at - self.visited_at).secs_f64().max(0.0)
    }
}
