//! A visit under way, from its lease to its last commit.

use std::collections::VecDeque;
use std::sync::Arc;

use freshet_policy::{Grade, Slack};
use freshet_types::{
    Complaint, Connector, Endpoint, Redirect, ServerKey, Source, SourceState, Span, Timestamp, VisitId,
};

use crate::lesson::Lesson;
use crate::order::{FetcherId, OrderId};
use crate::price::ScopeKey;
use crate::quota::Claim;
use crate::walk::{Aim, Walk};

/// How far a visit has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// There is more to ask, or an answer outstanding.
    Asks,
    /// All is asked, but the store has not confirmed all pages: it may still name missing posts to ask about, and says
    /// what is new.
    Listens,
    /// Its summary is on its way to the store; it closes with the last confirmation.
    Ended,
}

/// How a visit ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With this outcome.
    Finished(&'static str),
    /// A page could not be had.
    Failed,
}

/// Another look at an old page of a thread.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rechecked {
    /// The look before.
    pub(crate) since: Timestamp,
    /// What this one has shown: the newest post of the page, and when.
    pub(crate) seen: Option<(Timestamp, Timestamp)>,
}

/// One look at one source, from lease to last commit.
#[derive(Debug)]
pub struct Visit {
    pub id: VisitId,
    /// The source as this visit has changed it so far.
    pub source: Source,
    /// Politeness key of the server.
    pub key: ServerKey,
    /// News or history.
    pub aim: Aim,
    /// Where it stands.
    pub walk: Walk,
    /// The server among whose readers of history it counts.
    pub history_key: Option<ServerKey>,
    /// When the source was last visited before.
    pub visited_before: Option<Timestamp>,
    /// When it began.
    pub started_at: Timestamp,
    /// Which attempt this is, from 1.
    pub attempt: u8,
    /// Politeness allows a request now; the pick is the first one's permission.
    pub is_permitted: bool,
    /// When its last request left, answered or not.
    pub asked_at: Option<Timestamp>,
    /// Exchanges so far.
    pub fetch_count: u32,
    /// The redirects that its request has passed; each needed a grant.
    pub redirects: Vec<Redirect>,
    /// Posts of its pages that the store had not stored before, as far as it has confirmed them.
    pub new_post_count: u32,
    /// Of these, what its model learned from, or will; of a list of lists, new activities.
    pub news_count: u32,
    /// What its uploads may teach, one entry for each that is not confirmed, in their order.
    pub lessons: VecDeque<Option<Lesson>>,
    /// Times of news that are learned with the last page of the visit.
    pub held_news: Vec<Timestamp>,
    /// Oldest post of the pages read so far: the next page tells of the time before it.
    pub learned_down_to: Option<Timestamp>,
    /// What the request under way took from the quotas.
    pub claim: Option<Claim>,
    /// The credential that it asked with last.
    pub credential: Option<Arc<str>>,
    /// The fetcher that has the request under way; `None` before it is placed, and when no answer is waited for.
    pub fetcher: Option<FetcherId>,
    /// Orders so far, whatever came of them: the last is the one under way.
    pub order_count: u32,
    /// What its requests took, by scope of the prices.
    pub paid: Vec<(ScopeKey, u32)>,
    /// How late it is, as a share of the gap that was planned; `None` where no policy timed it.
    pub lateness: Option<f64>,
    /// How its source counts from now on, once that is known.
    pub grade: Option<Grade>,
    /// How much the next visit loses that comes earlier or later than planned, where that was asked.
    pub slack: Option<Slack>,
    /// Uploads that the store has not confirmed yet.
    pub unconfirmed_count: u32,
    /// How far it has come.
    pub stage: Stage,
    /// How it ends when the store has confirmed its pages; none while there may be more to ask.
    pub ending: Option<Ending>,
    /// There is more known to be missing when it ends.
    pub has_more: bool,
    /// The state of its source when it began.
    pub state_before: SourceState,
    /// Of another look at an old page: what its forum's plan learns from.
    pub(crate) rechecked: Option<Rechecked>,
    /// A stream brings the news of its source: the look is a reconciliation.
    pub(crate) is_streamed: bool,
    /// When another page showed, meanwhile, that the owner asks not to be collected.
    pub rested_at: Option<Timestamp>,
    /// What could not be used of its answers; the next upload takes it along.
    pub(crate) complaints: Vec<Complaint>,
}

impl Visit {
    /// A visit that has asked nothing yet.
    pub(crate) fn new(
        id: VisitId,
        source: Source,
        key: ServerKey,
        aim: Aim,
        walk: Walk,
        now: Timestamp,
    ) -> Self {
        Self {
            id,
            history_key: (aim == Aim::History).then_some(key),
            visited_before: source.visited_at,
            attempt: source.attempts.saturating_add(1),
            is_permitted: true,
            state_before: source.state,
            source,
            key,
            aim,
            walk,
            started_at: now,
            asked_at: None,
            fetch_count: 0,
            redirects: Vec::new(),
            new_post_count: 0,
            news_count: 0,
            lessons: VecDeque::new(),
            held_news: Vec::new(),
            learned_down_to: None,
            claim: None,
            credential: None,
            fetcher: None,
            order_count: 0,
            paid: Vec::new(),
            lateness: None,
            grade: None,
            slack: None,
            unconfirmed_count: 0,
            stage: Stage::Asks,
            ending: None,
            has_more: false,
            rechecked: None,
            is_streamed: false,
            rested_at: None,
            complaints: Vec::new(),
        }
    }

    /// How long after this visit the next is planned, where a policy planned it.
    pub(crate) fn planned_gap(&self) -> Option<Span> {
        let is_planned = self.grade.is_some_and(|grade| grade != Grade::NONE);
        self.source.visited_at.filter(|_| is_planned).map(|visited_at| self.source.due_at - visited_at)
    }

    /// The order under way, or the last one where none is.
    pub(crate) fn order_id(&self) -> OrderId {
        OrderId { visit: self.id, number: self.order_count }
    }

    /// Whether this order is under way, so that its answer is waited for.
    pub(crate) fn awaits(&self, order: OrderId) -> bool {
        self.stage != Stage::Ended && self.fetcher.is_some() && self.order_id() == order
    }
}

/// The source's own endpoint, looked up again because a definition may have been replaced.
pub(crate) fn own_endpoint<'a>(connector: &'a dyn Connector, source: &Source) -> Option<&'a Endpoint> {
    connector.endpoint(&source.endpoint)
}
