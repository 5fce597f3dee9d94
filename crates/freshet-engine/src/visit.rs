//! A visit under way, and the messages between the core and those who work for it.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use freshet_policy::Grade;
use freshet_types::{
    Connector, Endpoint, Fault, Instance, Intent, LimitReading, Page, Redirect, Request, ServerKey, Source,
    SourceState, Target, Timestamp, VisitId,
};

use crate::lesson::Lesson;
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
    /// Its record is on its way to the store; it closes with the last confirmation.
    Recorded,
}

/// How a visit ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With this outcome.
    Finished(&'static str),
    /// A page could not be had.
    Failed,
}

/// One look at one source, from lease to last commit.
#[derive(Debug)]
pub struct Visit {
    /// Its number.
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
    /// Manners allow a request now; the pick is the first one's permission.
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
    /// The fetcher that has the request under way.
    pub fetcher: usize,
    /// Lives as long as an answer is waited for; see [`Order::errand`].
    pub errand: Arc<()>,
    /// What its requests took, by scope of the prices.
    pub paid: Vec<(ScopeKey, u32)>,
    /// How late it is, as a share of the gap that was planned; `None` where no policy timed it.
    pub lateness: Option<f64>,
    /// How its source counts from now on, once that is known.
    pub grade: Option<Grade>,
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
    /// When another page showed, meanwhile, that the owner asks not to be collected.
    pub rested_at: Option<Timestamp>,
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
            fetcher: 0,
            errand: Arc::default(),
            paid: Vec::new(),
            lateness: None,
            grade: None,
            unconfirmed_count: 0,
            stage: Stage::Asks,
            ending: None,
            has_more: false,
            rested_at: None,
        }
    }
}

/// A request placed with a fetcher.
#[derive(Clone, Debug)]
pub struct Order {
    /// For which visit.
    pub visit: VisitId,
    /// What to send.
    pub request: Request,
    /// Who reads the answer.
    pub connector: Arc<dyn Connector>,
    /// Of which server.
    pub instance: Arc<Instance>,
    /// Through which endpoint.
    pub endpoint: Arc<str>,
    /// About what.
    pub root: String,
    /// Which part.
    pub intent: Intent,
    /// Ends with the visit's wish for an answer.
    pub errand: Weak<()>,
}

impl Order {
    /// Whether somebody still waits for the answer.
    pub fn is_wanted(&self) -> bool {
        self.errand.strong_count() > 0
    }

    /// Step 6: reads the answer to this order.
    pub fn read(&self, response: &freshet_types::Response, now: Timestamp) -> Page {
        let target = Target {
            instance: &self.instance,
            endpoint: &self.endpoint,
            root: &self.root,
            credential: None,
            validators: None,
        };
        self.connector.read(&target, &self.intent, response, now)
    }
}

/// What a server answered.
#[derive(Debug)]
pub enum Answer {
    /// A page, with the answer as received where raw payloads are kept.
    Page(Box<Page>, Option<Vec<u8>>),
    /// Ask elsewhere; and what it announced about limits.
    Redirect(Redirect, Vec<LimitReading>),
}

/// What a fetcher uploads for one order.
#[derive(Debug)]
pub struct Fetched {
    /// For which visit.
    pub visit: VisitId,
    /// Which fetcher worked.
    pub fetcher: usize,
    /// How long it took on the wall.
    pub took_ms: u64,
    /// When the answer was complete.
    pub received_at: Timestamp,
    /// Exchanges with the server beyond the one that was granted: robots.txt, a login.
    pub extra_count: u32,
    /// The answer, or why there is none.
    pub result: Result<Answer, Fault>,
}

/// The source's own endpoint, looked up again because a definition may have been replaced.
pub(crate) fn own_endpoint<'a>(connector: &'a dyn Connector, source: &Source) -> Option<&'a Endpoint> {
    connector.endpoint(&source.endpoint)
}
