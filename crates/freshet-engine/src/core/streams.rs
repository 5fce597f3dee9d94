//! What servers send by themselves: which streams are open, and when one is opened again. Step 3 to 7 of 10 in their third shape.
//!
//! A stream is opened where a definition has one, its server has a watched source of what it covers, and no credential is needed or
//! one is there. Opening is one granted request. What comes becomes uploads (`core/streams/heard.rs`); who is covered by it, and what
//! a break means for them, stands in `core/streams/covers.rs`; pages that are asked for again and again in `core/streams/poll.rs`; how it
//! is shown in `core/streams/view.rs`; which way is cheaper, listening or visiting, in `core/streams/worth.rs`.
//!
//! Bounds: one connection a stream; after n failures in a row nobody tries again for [`RETRY_MIN`]·2ⁿ, at most [`RETRY_MAX`], spread
//! by a half, so that a server that closes at once is asked a few dozen times a day. A server that said no is asked again after
//! [`REFUSED_REST`].

mod covers;
mod heard;
mod poll;
mod view;
mod worth;

pub(crate) use view::StreamView;

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use freshet_types::{
    Map, Redirects, RobotKind, ServerKey, Span, StreamInfo, StreamTarget, Timestamp, VisitId,
};

use super::{Core, Effect, VISITS_RESERVED};
use crate::price::TariffKey;
use crate::quota::Claim;
use crate::stream::{StreamAsk, StreamEnd, StreamFound, StreamId, StreamName, StreamOrder};

/// First wait after a connection failed.
const RETRY_MIN: Span = Span::from_secs(2);
/// Longest one.
const RETRY_MAX: Span = Span::from_secs(1800);
/// How long a server is left alone that said no.
const REFUSED_REST: Span = Span::HOUR;
/// How soon is looked again for a credential or for a source.
const LOOK_AGAIN: Span = Span::MINUTE;
/// Connections at once: each takes a file descriptor for as long as the run lasts.
const CONNECTIONS_MAX: usize = 128;
/// Streams that are looked at in one tick.
const STREAMS_PER_TICK: usize = 256;
/// Roots of one stream whose lists must be visited before they count as covered again; beyond that all its lists must.
const DOUBTS_MAX: usize = 10_000;
/// Only a connection that lasted so long ends a row of failures, if it was worth its requests.
const STABLE_AFTER: Span = Span::MINUTE;

/// A stream, by its server and its name in the definition.
type Name = (ServerKey, Arc<str>);

/// All streams.
#[derive(Debug, Default)]
pub(super) struct Streams {
    all: BTreeMap<Name, Stream>,
    /// Connections under way.
    ids: BTreeMap<StreamId, Name>,
    /// Under which visit the uploads of each are logged.
    visits: Map<VisitId, Name>,
    /// The last one that was looked at.
    looked_at: Option<Name>,
    /// Granted, and waiting until the store has written the reservation of this number.
    granted: Vec<(u64, Box<StreamOrder>)>,
    last_id: u64,
    round: covers::Round,
}

/// One stream of one server.
#[derive(Debug)]
struct Stream {
    info: StreamInfo,
    stage: Stage,
    /// It has covered its sources without a hole since then.
    since: Option<Timestamp>,
    until: Timestamp,
    cursor: Option<String>,
    /// Of whom it sends, where it is told, and since when it was.
    roots: Map<String, Timestamp>,
    /// Roots of which it did not show all that changed, and when: a visit after that shows it. A run that is killed before that visit
    /// leaves it to the reconciliation.
    doubts: Map<String, Timestamp>,
    /// Sources were added that it does not name.
    is_outgrown: bool,
    /// When the store was last told of it.
    written_at: Timestamp,
    /// Under which its uploads are logged.
    visit: Option<VisitId>,
    failure_count: u32,
    /// The server said no to it last.
    is_refused: bool,
    /// It lasted, and was not worth its requests.
    is_dear: bool,
    retry_at: Timestamp,
    poll: poll::Poll,
    worth: worth::Worth,
    tally: view::StreamTally,
}

/// How far a stream has come.
#[derive(Debug)]
enum Stage {
    /// It is tried at its time.
    Idle,
    /// The store is asked for whom it is.
    Asked,
    /// It waits for its grant; whether it goes on from a cursor.
    Waits(Box<StreamOrder>),
    /// It is on its way, with whether it goes on from a cursor.
    Opens(StreamId),
    Connected {
        id: StreamId,
        at: Timestamp,
    },
}

impl Stream {
    fn new(info: StreamInfo, now: Timestamp) -> Self {
        Self {
            info,
            stage: Stage::Idle,
            since: None,
            until: Timestamp::MIN,
            cursor: None,
            roots: Map::default(),
            doubts: Map::default(),
            is_outgrown: false,
            written_at: Timestamp::MIN,
            visit: None,
            failure_count: 0,
            is_refused: false,
            is_dear: false,
            retry_at: now,
            poll: poll::Poll::default(),
            worth: worth::Worth::default(),
            tally: view::StreamTally::default(),
        }
    }

    fn id(&self) -> Option<StreamId> {
        match &self.stage {
            Stage::Opens(id) | Stage::Connected { id, .. } => Some(*id),
            Stage::Idle | Stage::Asked | Stage::Waits(_) => None,
        }
    }
}

impl Streams {
    /// Those that are looked at next, after the last ones.
    fn next_names(&mut self) -> Vec<Name> {
        let after = self.looked_at.as_ref().map_or(Bound::Unbounded, Bound::Excluded);
        let rest = self.all.range((after, Bound::Unbounded)).chain(&self.all);
        let count = STREAMS_PER_TICK.min(self.all.len());
        let names: Vec<Name> = rest.take(count).map(|(name, _)| name.clone()).collect();
        self.looked_at = names.last().cloned();
        names
    }
}

impl Core {
    /// Knows the streams of a server, as its definition has them now.
    pub(super) fn set_streams(&mut self, key: ServerKey, now: Timestamp) {
        if !self.options.uses_streams {
            return;
        }
        let network = self.servers.network(key).clone();
        let connector = self.networks.connector_for(&network);
        let infos = connector.as_deref().map_or(&[][..], |connector| connector.streams());
        let infos: Vec<StreamInfo> =
            infos.iter().filter(|it| it.is_on(&self.servers.instance(key).base)).cloned().collect();
        let is_gone = |it: &Stream| !infos.contains(&it.info);
        let of_server = self.streams.all.range((key, "".into())..).take_while(|((at, _), _)| *at == key);
        let gone: Vec<_> = of_server.filter(|(_, it)| is_gone(it)).map(|(name, _)| name.clone()).collect();
        for name in gone {
            self.close_stream(&name);
            self.begin_hole(key);
            self.streams.all.remove(&name);
        }
        for info in infos {
            let name = (key, Arc::clone(&info.name));
            self.streams.all.entry(name).or_insert_with(|| Stream::new(info, now));
        }
    }

    /// A source was added on a server: streams that name their sources name it soon.
    pub(super) fn outgrow_streams(&mut self, key: ServerKey) {
        let of_server = self.streams.all.range_mut((key, "".into())..).take_while(|((at, _), _)| *at == key);
        of_server.filter(|(_, it)| it.info.named_max > 0).for_each(|(_, it)| it.is_outgrown = true);
    }

    /// Opens what may be opened, and writes down how far the open ones have come: some of them a tick, all in turn.
    pub(super) fn tend_streams(&mut self, now: Timestamp) {
        if self.streams.all.is_empty() || self.is_held {
            return;
        }
        self.close_holes(now);
        if self.is_draining {
            return;
        }
        for name in self.streams.next_names() {
            self.tend_stream(&name, now);
        }
    }

    fn tend_stream(&mut self, name: &Name, now: Timestamp) {
        let Some(stream) = self.streams.all.get(name) else { return };
        match &stream.stage {
            Stage::Idle => {
                let is_due = stream.retry_at <= now;
                self.note_away(name, now);
                if is_due && !self.leaves_to_another(name, now) {
                    self.look_at_stream(name, now);
                }
            }
            Stage::Waits(_) => self.grant_stream(name, now),
            Stage::Connected { at, .. } => {
                let is_old = now - *at >= LOOK_AGAIN;
                if stream.is_outgrown && is_old && stream.roots.len() < stream.info.named_max {
                    self.close_stream(name);
                    self.look_at_stream(name, now);
                } else {
                    self.note_alive(name, now);
                }
            }
            Stage::Asked | Stage::Opens(_) => {}
        }
    }

    /// Whether another stream of the same lists has its turn: one that stands in where the server says no to the other.
    fn leaves_to_another(&mut self, name: &Name, now: Timestamp) -> bool {
        let (key, own) = name;
        let is_up = |it: &Stream| !matches!(it.stage, Stage::Idle | Stage::Asked);
        let first = self.streams.all[name].info.instead_of.clone();
        let why = if let Some(first) = first {
            let other = self.streams.all.get(&(*key, Arc::clone(&first)));
            other.filter(|it| !it.is_refused || is_up(it)).map(|_| first)
        } else {
            let mut others = self.streams.all.range((*key, "".into())..).take_while(|((at, _), _)| at == key);
            let stands_in = |it: &Stream| it.info.instead_of.as_ref() == Some(own) && is_up(it);
            others.find(|(_, it)| stands_in(it)).map(|(_, it)| Arc::clone(&it.info.name))
        };
        let Some(other) = why else { return false };
        if let Some(stream) = self.streams.all.get_mut(name) {
            stream.tally.why = Some(format!("nothing is missed while `{other}` is there"));
            stream.retry_at = now + LOOK_AGAIN;
        }
        true
    }

    /// Whether it may be opened at all; if so the store is asked for whom.
    fn look_at_stream(&mut self, name: &Name, now: Timestamp) {
        let network = self.servers.network(name.0).clone();
        let has_credential = !self.stream_holders(&network).is_empty();
        let is_full = self.streams.ids.len() >= CONNECTIONS_MAX;
        let Some(stream) = self.streams.all.get_mut(name) else { return };
        if is_full {
            stream.tally.why = Some(format!("{CONNECTIONS_MAX} streams are open, and no more are"));
            stream.retry_at = now + LOOK_AGAIN;
            return;
        }
        if stream.info.needs_credential && !has_credential {
            stream.tally.why =
                Some(format!("it needs a credential; add one with `freshet credentials add {network}`"));
            stream.retry_at = now + LOOK_AGAIN;
            return;
        }
        stream.stage = Stage::Asked;
        stream.is_outgrown = false;
        let ask = StreamAsk {
            stream: StreamName { network, name: Arc::clone(&name.1) },
            endpoints: stream.info.covers.iter().map(|cover| Arc::clone(&cover.endpoint)).collect(),
            named_max: stream.info.named_max,
        };
        self.want(Effect::ReadStream(Box::new(ask)));
    }

    /// The store has said for whom it is: the request is made, and waits for its grant.
    pub(super) fn on_stream_found(&mut self, found: StreamFound, now: Timestamp) {
        let Some(key) = self.servers.key_of(&found.stream.network) else { return };
        let name = (key, Arc::clone(&found.stream.name));
        let Some(stream) = self.streams.all.get_mut(&name).filter(|it| matches!(it.stage, Stage::Asked))
        else {
            return;
        };
        stream.stage = Stage::Idle;
        stream.retry_at = now + LOOK_AGAIN;
        if found.roots.is_empty() || self.is_draining {
            stream.tally.why = Some("nothing that is watched is covered by it".to_owned());
            return;
        }
        let lasts = stream.info.cursor_lasts;
        let is_fresh = |until: Timestamp| lasts.is_some_and(|lasts| now - until < lasts);
        let kept = found.row.filter(|row| row.cursor.is_some() && is_fresh(row.until));
        let is_named = stream.info.named_max > 0;
        // Sources that were not named before have a hole of their own: they are visited first (`covers`).
        let before = std::mem::take(&mut stream.roots);
        let named_at = |root: &String| before.get(root).copied().filter(|_| kept.is_some()).unwrap_or(now);
        stream.roots =
            found.roots.iter().filter(|_| is_named).map(|root| (root.clone(), named_at(root))).collect();
        (stream.since, stream.cursor) = (None, None);
        if let Some(row) = &kept {
            (stream.since, stream.until) = (Some(row.since), stream.until.max(row.until));
            stream.cursor.clone_from(&row.cursor);
        }
        let is_resumed = kept.is_some();
        let roots = if is_named { found.roots } else { Vec::new() };
        let is_poll = stream.info.every.is_some();
        if !is_resumed && !is_poll {
            self.begin_hole(key);
        }
        match self.stream_order(&name, &roots) {
            Ok(order) => {
                self.streams.all.get_mut(&name).expect("it was there").stage = Stage::Waits(Box::new(order));
                self.grant_stream(&name, now);
            }
            Err(why) => self.rest_stream(&name, &StreamEnd::Refused(why), now),
        }
    }

    fn stream_order(&mut self, name: &Name, roots: &[String]) -> Result<StreamOrder, String> {
        let instance = Arc::clone(self.servers.instance(name.0));
        let registry = self.networks.snapshot();
        let network = registry
            .get(instance.network.definition())
            .ok_or_else(|| format!("there is no definition for `{}`", instance.network))?;
        let stream = &self.streams.all[name];
        let holders = self.stream_holders(&instance.network);
        let target = StreamTarget {
            instance: &instance,
            name: &name.1,
            // Without need nothing is shown.
            credential: holders.first().filter(|_| stream.info.needs_credential),
            cursor: stream.cursor.as_deref(),
            roots,
        };
        let mut request = network.connector.open(&target).map_err(|refused| refused.to_string())?;
        request.allow_private = instance.allow_private;
        request.redirects = Redirects::Told(Vec::new());
        self.streams.last_id += 1;
        let id = StreamId(self.streams.last_id);
        let (transport, version) = (stream.info.transport, network.version);
        Ok(StreamOrder { id, request, transport, version, instance, name: Arc::clone(&name.1) })
    }

    /// Opens it, if politeness and quotas allow that now.
    fn grant_stream(&mut self, name: &Name, now: Timestamp) {
        let Some(stream) = self.streams.all.get(name) else { return };
        let Stage::Waits(order) = &stream.stage else { return };
        if self.frontier.allowed_at(name.0) > now {
            return;
        }
        let claim = Claim::of(&order.request, self.budgets.needs(&order.request));
        let Ok(reserved_by) = self.ledger.grant(&claim, now) else { return };
        // The answer never ends, so nothing is announced.
        self.ledger.answered(&claim, &[], now);
        self.frontier.allow_request(name.0, now).expect("it was allowed a moment ago");
        self.tally.fetches_count += 1;
        let stream = self.streams.all.get_mut(name).expect("it was there");
        stream.poll.note_claim(&claim);
        stream.worth.open(now);
        let Stage::Waits(order) = std::mem::replace(&mut stream.stage, Stage::Idle) else { return };
        stream.stage = Stage::Opens(order.id);
        self.streams.ids.insert(order.id, name.clone());
        match reserved_by {
            Some(number) => self.streams.granted.push((number, order)),
            None => self.want(Effect::OpenStream(order)),
        }
    }

    /// A reservation was written: streams that waited for it are opened.
    pub(super) fn release_streams(&mut self) {
        let ledger = &self.ledger;
        let is_written = |&mut (number, _): &mut (u64, _)| ledger.is_written(number);
        let granted: Vec<_> = self.streams.granted.extract_if(.., is_written).collect();
        for (_, order) in granted {
            self.want(Effect::OpenStream(order));
        }
    }

    /// A connection stands.
    pub(super) fn on_stream_opened(&mut self, id: StreamId, now: Timestamp) {
        let Some(name) = self.streams.ids.get(&id).cloned() else { return };
        let (visit, wants_more) = self.visits.next_number();
        if wants_more {
            self.want(Effect::ReserveVisits(VISITS_RESERVED));
        }
        let Some(stream) = self.streams.all.get_mut(&name).filter(|it| it.id() == Some(id)) else { return };
        let is_poll = stream.info.every.is_some();
        stream.stage = Stage::Connected { id, at: now };
        stream.since = stream.since.or(Some(now));
        stream.until = stream.until.max(now);
        let before = stream.visit.replace(visit);
        stream.is_refused = false;
        stream.tally.connects_count += u64::from(stream.poll.since.is_none());
        stream.tally.why = None;
        before.map(|before| self.streams.visits.remove(&before));
        self.streams.visits.insert(visit, name.clone());
        // The answer of a poll is there already, and is written down itself.
        if !is_poll {
            self.want_mark(&name, now);
        }
    }

    /// A connection ended, or there was none.
    pub(super) fn on_stream_closed(&mut self, id: StreamId, end: &StreamEnd, now: Timestamp) {
        let Some(name) = self.streams.ids.remove(&id) else { return };
        let Some(stream) = self.streams.all.get(&name).filter(|it| it.id() == Some(id)) else { return };
        let lasted = match stream.stage {
            Stage::Connected { at, .. } => now - at,
            _ => Span::ZERO,
        };
        if self.note_answered(&name, now) {
            return;
        }
        let price = self.prices.price(TariffKey::new(name.0, RobotKind::Status));
        let stream = self.streams.all.get_mut(&name).expect("it was there");
        if stream.info.cursor_lasts.is_none() {
            stream.worth.break_off();
        }
        let is_worth = stream.worth.is_worth(price, now);
        stream.is_dear = lasted >= STABLE_AFTER && !is_worth;
        if lasted >= STABLE_AFTER && is_worth {
            stream.failure_count = 0;
        }
        self.rest_stream(&name, end, now);
    }

    /// Tries it again later; what it covered has a hole unless it can go on from where it was.
    fn rest_stream(&mut self, name: &Name, end: &StreamEnd, now: Timestamp) {
        let Some(stream) = self.streams.all.get_mut(name) else { return };
        stream.stage = Stage::Idle;
        stream.poll.since = None;
        stream.failure_count = stream.failure_count.saturating_add(1);
        stream.is_refused = matches!(end, StreamEnd::Refused(_));
        let is_refused = stream.is_refused;
        let doubled = RETRY_MIN * f64::from(stream.failure_count.saturating_sub(1).min(20)).exp2();
        // Spread by the last number given, so that servers of one network do not come back in step.
        let spread =
            0.5 + f64::from((self.streams.last_id.wrapping_mul(2_654_435_761) >> 16) as u16) / 131_070.0;
        let (why, wait) = match end {
            StreamEnd::Broken(why) => (why, doubled.min(RETRY_MAX) * spread),
            StreamEnd::Refused(why) => (why, REFUSED_REST),
            StreamEnd::TooMany(why, wait) => (why, wait.unwrap_or(doubled).clamp(RETRY_MIN, REFUSED_REST)),
        };
        // Where calls are scarce, those that open streams take a share of them at most, as pages that are asked for again do.
        let share = self.prices.poll_gap(name.0, &stream.poll.paid, now);
        stream.retry_at = now + wait.max(share.unwrap_or(Span::ZERO));
        let (spent, spared) = stream.worth.last(now);
        stream.tally.why = Some(if std::mem::take(&mut stream.is_dear) {
            format!("{why}; visits are cheaper: it took {spent:.0} requests and spared {spared:.1} visits")
        } else {
            why.clone()
        });
        stream.tally.breaks_count += 1;
        tracing::debug!(network = self.servers.network(name.0).as_str(), "stream `{}`: {why}", name.1);
        // Whoever stands in for it is asked at once.
        let of_server = self.streams.all.range_mut((name.0, "".into())..);
        let of_server = of_server.take_while(|((at, _), _)| *at == name.0 && is_refused);
        of_server
            .filter(|(_, it)| it.info.instead_of.as_ref() == Some(&name.1))
            .for_each(|(_, it)| it.retry_at = now);
        let info = &self.streams.all[name].info;
        if info.cursor_lasts.is_none() && info.every.is_none() {
            self.begin_hole(name.0);
        }
    }

    /// Gives a connection up; nothing is heard of it any more.
    fn close_stream(&mut self, name: &Name) {
        let Some(stream) = self.streams.all.get_mut(name) else { return };
        let id = stream.id();
        stream.stage = Stage::Idle;
        if let Some(id) = id {
            self.streams.ids.remove(&id);
            self.streams.granted.retain(|(_, order)| order.id != id);
            self.want(Effect::CloseStream(id));
        }
    }

    /// The run ends: no stream is heard any more.
    pub(super) fn close_streams(&mut self) {
        let names: Vec<_> = self.streams.all.keys().cloned().collect();
        for name in names {
            self.close_stream(&name);
        }
    }
}

#[cfg(test)]
mod tests;
