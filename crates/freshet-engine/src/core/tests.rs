//! The core alone: events in, effects out, with sources and pages made by hand.

mod consent;
mod fetchers;
mod forum;
mod guests;
mod learning;
mod leases;
mod quota;
mod refusals;
mod servers;
mod starving;
mod steady;
mod timing;
mod trouble;
mod turns;
mod viewers;

use std::collections::{BTreeSet, VecDeque};

use freshet_policy::{Grade, Pacing, policy_named};
use freshet_store::row::{Applied, RobotRow, SourceSlot, StalePage, Upload};
use freshet_types::{Account, Instance, Map, Observation, Page, Post, Set, Source, VisitId};

use super::unread::UNREAD_MAX;
use super::*;
use crate::order::{Answer, Fetched, FetcherId, Order, OrderId};
use crate::quota::Reservation;
use crate::schedule;

const NETWORK: &str = "mastodon:a.example";
/// One whose politeness asks for a pause between two requests.
const SLOW_NETWORK: &str = "rss:b.example";

/// A core with the sources that a store would have, and what it has wanted so far.
pub(crate) struct Bench {
    core: Core,
    sources: Map<SourceId, Source>,
    /// Orders that are out, oldest first.
    pub(crate) orders: VecDeque<Order>,
    /// With whom each was placed, and those whose answers nobody waits for any more.
    placed: Map<OrderId, FetcherId>,
    cancelled: Vec<OrderId>,
    /// Uploads that are not confirmed, oldest first.
    uploads: VecDeque<Upload>,
    /// Ids of posts that a store would have.
    stored: Set<String>,
    /// What was granted is written down at once; else it waits here, oldest first.
    stores: bool,
    reservations: VecDeque<Reservation>,
    /// Forums that are to be learned anew, and requests that were granted for that.
    relearns: Vec<NetworkName>,
    granted_count: u32,
    /// What was last written down under each key.
    notes: Map<&'static str, String>,
    /// What answers took beyond their grants.
    extra_count: u32,
    pub(crate) now: Timestamp,
    wall_ms: u64,
}

impl Bench {
    pub(crate) fn new(policy: &str) -> Self {
        let now = Timestamp::from_secs(1_000_000);
        let policy = policy_named(
            policy,
            Pacing { floor: Span::MINUTE, ceiling: Span::DAY, ceiling_share: Pacing::WANTED_SHARE },
        )
        .unwrap();
        let networks = Arc::new(Networks::shipped());
        let choice: CredentialChoice = Arc::new(|_, _, _| Vec::new());
        let mut core = Core::new(networks, policy, choice, CoreOptions::default(), 1..10_000_000, now);
        let instance = |network: &str, base: &str| Instance {
            network: network.into(),
            base: base.to_owned(),
            allow_private: false,
        };
        let instances =
            vec![instance(NETWORK, "https://a.example"), instance(SLOW_NETWORK, "https://b.example")];
        core.handle(Event::Instances(instances), Moment { now, wall_ms: 0 });
        for id in 0..core.options.fetcher_count as u32 {
            core.handle(Event::FetcherJoined(FetcherId(id)), Moment { now, wall_ms: 0 });
        }
        let (orders, uploads) = (VecDeque::new(), VecDeque::new());
        Self {
            core,
            sources: Map::default(),
            orders,
            placed: Map::default(),
            cancelled: Vec::new(),
            uploads,
            stored: Set::default(),
            stores: true,
            reservations: VecDeque::new(),
            relearns: Vec::new(),
            granted_count: 0,
            notes: Map::default(),
            extra_count: 0,
            now,
            wall_ms: 0,
        }
    }

    /// Makes a list of posts known, due at once.
    pub(crate) fn know(&mut self, number: u32, root_id: &str) -> SourceId {
        self.know_as(number, root_id, SourceState::Active)
    }

    fn know_as(&mut self, number: u32, root_id: &str, state: SourceState) -> SourceId {
        let source = Source::new(&NETWORK.into(), "posts", RobotKind::Status, "account", root_id);
        self.know_all([Source { id: SourceId(number), state, ..source }]);
        SourceId(number)
    }

    fn know_all(&mut self, sources: impl IntoIterator<Item = Source>) {
        let mut slots = Vec::new();
        for source in sources {
            let id = source.id;
            self.sources.insert(id, source);
            slots.push(self.stored_slot(id));
        }
        self.tell(Event::Slots(slots));
    }

    /// The slot as the store would give it.
    fn stored_slot(&self, id: SourceId) -> SourceSlot {
        let Source { network, robot, state, weight, due_at, .. } = self.sources[&id].clone();
        SourceSlot { id, network, robot, state, weight, due_at, gap: None }
    }

    /// Hands in an event and sorts what is wanted; loading is answered at once.
    fn tell(&mut self, event: Event) {
        let moment = Moment { now: self.now, wall_ms: self.wall_ms };
        for effect in self.core.handle(event, moment) {
            match effect {
                Effect::Load(id) => {
                    let source = self.sources.get(&id).cloned().map(Box::new);
                    self.tell(Event::Loaded(id, source));
                }
                Effect::Fetch(fetcher, order) => {
                    self.placed.insert(order.id, fetcher);
                    self.orders.push_back(*order);
                }
                Effect::Cancel(_, order) => self.cancelled.push(order),
                Effect::Apply(upload) => self.uploads.push_back(*upload),
                Effect::Reserve(reservation) if self.stores => {
                    self.tell(Event::Reserved(reservation.number));
                }
                Effect::Reserve(reservation) => self.reservations.push_back(*reservation),
                Effect::Relearn(network) => self.relearns.push(network),
                Effect::Granted(_) => self.granted_count += 1,
                Effect::Note(key, text) => drop(self.notes.insert(key, text)),
                Effect::ReserveVisits(_)
                | Effect::ReadStale(_)
                | Effect::ReadStream(_)
                | Effect::OpenStream(_)
                | Effect::CloseStream(_) => {}
            }
        }
    }

    fn wait(&mut self, span: Span) {
        self.now = self.now + span;
        self.wall_ms += span.ms() as u64;
        self.tell(Event::Tick);
    }

    /// Answers the oldest order with this page.
    fn answer(&mut self, page: Page) {
        self.answer_with(Answer::Page(Box::new(page), None));
    }

    fn answer_with(&mut self, answer: Answer) {
        let order = self.orders.pop_front().expect("an order is out");
        let fetched = Fetched {
            order: order.id,
            fetcher: self.placed.get(&order.id).copied().unwrap_or_default(),
            took_ms: 10,
            received_at: self.now,
            extra_count: self.extra_count,
            result: Ok(answer),
        };
        self.tell(Event::Fetched(vec![fetched]));
    }

    /// Commits the oldest upload, with this result; the source is stored with it, and posts never stored before are new.
    fn commit(&mut self, mut applied: Applied) {
        let upload = self.uploads.pop_front().expect("an upload waits");
        for post in upload.observation.posts.iter().filter(|post| !post.is_embedded) {
            if self.stored.insert(format!("{}/{}", upload.network, post.id)) {
                applied.new_posts.push(post.created_at.unwrap_or(upload.seen_at));
            }
        }
        if let Some(source) = upload.source {
            self.sources.insert(source.id, source);
        }
        self.tell(Event::Applied(vec![(upload.visit, applied)]));
    }

    fn commit_all(&mut self) {
        while !self.uploads.is_empty() {
            self.commit(Applied::default());
        }
    }

    fn slot(&self, id: SourceId) -> Slot {
        self.core.sources.get(id).expect("it is known")
    }
}

/// The whole list of an account: posts of these seconds.
fn list(author: &str, seconds: impl IntoIterator<Item = i64>) -> Page {
    let post = |second: i64| Post {
        id: second.to_string(),
        kind: "post".into(),
        author: Some(author.to_owned()),
        created_at: Some(Timestamp::from_secs(second)),
        ..Post::default()
    };
    let posts = seconds.into_iter().map(post).collect();
    let account = Account { id: author.to_owned(), ..Account::default() };
    Page {
        observation: Observation { posts, accounts: vec![account], ..Observation::default() },
        ..Page::default()
    }
}
