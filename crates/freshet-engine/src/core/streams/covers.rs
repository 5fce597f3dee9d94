//! Whom a stream covers, and what a break means for them.
//!
//! A source is covered while a stream that sends all of its list is connected, and was connected already when the source was last
//! visited: what came before that visit the visit has seen, what came after it the stream has. So no row of a source is written when a
//! stream connects, goes on or breaks. A covered source that comes due goes back until its reconciliation ([`RECONCILE_AFTER`]); the
//! store still has it as due when the policy says, so that a run without streams visits it. After a break all that were put off come
//! due in a round, [`SLOTS_PER_TICK`] at a time and spread over [`SPREAD`], not all at once.

use freshet_types::{Proof, RobotKind, ServerKey, Source, SourceId, SourceState, Span, Timestamp};

use super::super::{Core, Slot};
use super::Stage;

/// A covered source is looked at again after so long, in case something slipped through.
const RECONCILE_AFTER: Span = Span::from_ms(86_400_000);
/// Sources that were covered come due within so long after a break.
const SPREAD: Span = Span::from_secs(600);
/// Slots looked at in one tick.
const SLOTS_PER_TICK: usize = 4096;
/// How long a stream that can go on from its cursor may be away before its sources are visited.
const AWAY_MAX: Span = Span::from_secs(600);

/// The round in which sources of streams that broke come due.
#[derive(Debug, Default)]
pub(super) struct Round {
    /// Servers whose streams have a hole.
    servers: std::collections::BTreeSet<ServerKey>,
    at: usize,
    left: usize,
}

/// Spreads sources evenly, the same every time.
fn spread(id: SourceId, over: Span) -> Span {
    over * (f64::from((u64::from(id.0).wrapping_mul(2_654_435_761) >> 8) as u16) / 65_536.0)
}

impl Core {
    /// When a covered source is due for its reconciliation; `None` for one that no stream covers.
    pub(in super::super) fn reconcile_at(
        &self,
        key: ServerKey,
        source: &Source,
        now: Timestamp,
    ) -> Option<Timestamp> {
        let visited_at = source.visited_at?;
        let gap = RECONCILE_AFTER + spread(source.id, RECONCILE_AFTER * 0.25);
        self.covering(key, source, now).map(|_| visited_at + gap)
    }

    /// The stream that covers a source.
    fn covering(&self, key: ServerKey, source: &Source, now: Timestamp) -> Option<&super::Name> {
        if self.streams.all.is_empty() || source.robot != RobotKind::Status || source.pinned.is_some() {
            return None;
        }
        // What a stream shows to everybody says nothing of what a viewer sees.
        if source.viewer.is_some() {
            return None;
        }
        let visited_at = source.visited_at?;
        let mut of_server = self.streams.all.range((key, "".into())..).take_while(|((at, _), _)| *at == key);
        let covers = |stream: &super::Stream| {
            let is_there = match stream.stage {
                Stage::Connected { .. } => true,
                // It goes on from where it was, unless it is away for too long.
                _ => stream.cursor.is_some() && now - stream.until < AWAY_MAX,
            };
            let is_complete =
                |it: &freshet_types::Cover| it.proof == Proof::Complete && *it.endpoint == *source.endpoint;
            let named_at = || stream.roots.get(&source.root_id).copied();
            let is_named = stream.info.named_max == 0 || named_at().is_some_and(|at| at <= visited_at);
            let has_no_hole = stream.since.is_some_and(|since| since <= visited_at)
                && stream.doubts.get(&source.root_id).is_none_or(|&at| at <= visited_at);
            is_there && has_no_hole && is_named && stream.info.covers.iter().any(is_complete)
        };
        of_server.find(|(_, stream)| covers(stream)).map(|(name, _)| name)
    }

    /// The visit that the policy had planned is spared.
    pub(in super::super) fn note_spared(&mut self, source: &Source, now: Timestamp) {
        let key = self.sources.get(source.id).map(|slot| slot.key);
        let name = key.and_then(|key| self.covering(key, source, now)).cloned();
        let stream = name.and_then(|name| self.streams.all.get_mut(&name));
        if let Some((stream, visited_at)) = stream.zip(source.visited_at) {
            stream.worth.put_off(source.due_at - visited_at, now);
        }
    }

    /// A covered source is not asked for now.
    pub(in super::super) fn put_off_streamed(&mut self, id: SourceId, state: SourceState, until: Timestamp) {
        self.ungrade(id);
        if let Some(slot) = self.sources.get_mut(id) {
            (slot.is_streamed, slot.price_step, slot.planned) = (true, 0, None);
        }
        self.give_back(id, state, until);
    }

    /// The streams of a server have a hole: what they covered is visited.
    pub(super) fn begin_hole(&mut self, key: ServerKey) {
        self.streams.round.servers.insert(key);
        self.streams.round.left = self.sources.slot_count();
    }

    /// A stream did not show all that changed of these roots: their lists are not covered until they are visited.
    pub(super) fn doubt(&mut self, name: &super::Name, roots: &[String], at: Timestamp) {
        let Some(stream) = self.streams.all.get_mut(name).filter(|_| !roots.is_empty()) else { return };
        stream.doubts.extend(roots.iter().map(|root| (root.clone(), at)));
        if stream.doubts.len() > super::DOUBTS_MAX {
            stream.doubts.clear();
            stream.since = Some(at);
            self.begin_hole(name.0);
        }
    }

    /// Brings some of the sources forward whose stream broke.
    pub(super) fn close_holes(&mut self, now: Timestamp) {
        for _ in 0..SLOTS_PER_TICK {
            let round = &mut self.streams.round;
            let Some(left) = round.left.checked_sub(1) else {
                return round.servers.clear();
            };
            round.left = left;
            let at = if round.at < self.sources.slot_count() { round.at } else { 0 };
            self.streams.round.at = at + 1;
            self.bring_back(SourceId(at as u32), now);
        }
    }

    /// A stream that could go on from its cursor stays away: what it covered is visited. The stored cursor stays, and whoever comes
    /// back in time goes on from it.
    pub(super) fn note_away(&mut self, name: &super::Name, now: Timestamp) {
        let Some(stream) = self.streams.all.get_mut(name) else { return };
        if stream.cursor.is_some() && stream.since.is_some() && now - stream.until >= AWAY_MAX {
            stream.since = None;
            self.begin_hole(name.0);
        }
    }

    fn bring_back(&mut self, id: SourceId, now: Timestamp) {
        let is_meant = |slot: &Slot| slot.is_streamed && self.streams.round.servers.contains(&slot.key);
        let Some(slot) = self.sources.get(id).filter(is_meant) else { return };
        let news_at = slot.news_at.min(now + spread(id, SPREAD));
        self.sources.set(id, Slot { is_streamed: false, news_at, ..slot });
        if slot.waits_for_news() && slot.state.is_watched() {
            self.await_news(id);
        }
    }
}
