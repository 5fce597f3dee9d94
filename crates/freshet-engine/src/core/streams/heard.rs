//! Step 7 of 10 for streams: what came becomes an upload, with how far the stream has come.
//!
//! One upload for each batch, written in the transaction of what it brings: a cursor never stands for something that is not stored.
//! A stream that brings nothing writes its row every [`MARK_EVERY`], one row however many sources it covers.

use std::sync::Arc;

use freshet_store::row::{Applied, SourceSlot, StreamMark, Upload};
use freshet_types::{CursorTrouble, Observation, RobotKind, Span, Timestamp, VisitId};

use super::super::upload::followed;
use super::super::{Core, Effect};
use super::Name;
use crate::consent::drop_opted_out;
use crate::stream::{Sifted, StreamBatch, StreamId};

/// A hint is worth this much at most: the ceiling would have brought the visit.
const HINT_MAX: Span = Span::DAY;
/// How often a stream that brings nothing is written down.
const MARK_EVERY: Span = Span::from_secs(30);

impl Core {
    /// A batch came.
    pub(in super::super) fn on_stream_heard(&mut self, id: StreamId, batch: StreamBatch) {
        let Some(name) = self.streams.ids.get(&id).cloned() else { return };
        let Some(stream) = self.streams.all.get_mut(&name).filter(|it| it.id() == Some(id)) else { return };
        // A clock that was set back takes nothing away that was proven.
        stream.until = stream.until.max(batch.received_at);
        let tally = &mut stream.tally;
        tally.messages_count += batch.messages_count;
        tally.dropped_count += batch.dropped_count;
        tally.heard_at = Some(batch.received_at);
        let listed = batch.observation.posts.iter().filter(|post| !post.is_embedded);
        let newest_at = listed.filter_map(|post| post.created_at).max();
        tally.lag = newest_at.map(|at| (batch.received_at - at).max(Span::ZERO)).or(tally.lag);
        self.tally.complaints_count += batch.complaints.len() as u64;
        self.tally.posts_read_count += batch.observation.posts.len() as u64;
        if batch.messages_count == 0 {
            return;
        }
        stream.cursor = batch.cursor.or(stream.cursor.take());
        let mut revisit = batch.revisit;
        let is_poll = stream.info.every.is_some();
        if is_poll {
            stream.poll.keep_new(&mut revisit);
        }
        if let Some(trouble) = batch.trouble {
            stream.since = Some(batch.received_at);
            stream.cursor.take_if(|_| trouble == CursorTrouble::Unknown);
            self.begin_hole(name.0);
        }
        if !is_poll {
            self.doubt(&name, &revisit, batch.received_at);
        }
        let mut observation = batch.observation;
        let is_heeded = self.options.honours_opt_out;
        let opted_out = if is_heeded { drop_opted_out(&mut observation, None) } else { Vec::new() };
        let mut upload = self.stream_upload(&name, batch.received_at);
        (upload.observation, upload.opted_out) = (observation, opted_out);
        (upload.deleted, upload.complaints) = (batch.deleted, batch.complaints);
        if let Some(mark) = &mut upload.stream {
            mark.revisit = revisit;
        }
        upload.followed = followed(&upload, &self.networks);
        self.want(Effect::Apply(Box::new(upload)));
    }

    /// Writes down how far a stream has come that brings nothing.
    pub(super) fn note_alive(&mut self, name: &Name, now: Timestamp) {
        let stream = &self.streams.all[name];
        if now - stream.written_at >= MARK_EVERY && stream.until > stream.written_at {
            self.want_mark(name, now);
        }
    }

    pub(super) fn want_mark(&mut self, name: &Name, now: Timestamp) {
        let upload = self.stream_upload(name, now);
        self.want(Effect::Apply(Box::new(upload)));
    }

    /// An upload of a stream that says nothing but how far it has come.
    fn stream_upload(&mut self, name: &Name, seen_at: Timestamp) -> Upload {
        let network = self.servers.network(name.0).clone();
        let stream = self.streams.all.get_mut(name).expect("the caller found it");
        stream.written_at = seen_at;
        let mark = StreamMark {
            name: Arc::clone(&name.1),
            since: stream.since.unwrap_or(stream.until),
            until: stream.until,
            cursor: stream.cursor.clone(),
            covers: stream.info.covers.clone(),
            revisit: Vec::new(),
        };
        let visit = stream.visit.unwrap_or(VisitId(0));
        let robot = Some(RobotKind::Status);
        let observation = Observation::default();
        Upload { stream: Some(mark), robot, observation, ..Upload::new(visit, network, seen_at) }
    }

    /// The writer has looked who watches what a batch brought.
    pub(in super::super) fn on_stream_sifted(&mut self, sifted: &Sifted, now: Timestamp) {
        let Some(key) = self.servers.key_of(&sifted.stream.network) else { return };
        if let Some(stream) = self.streams.all.get_mut(&(key, Arc::clone(&sifted.stream.name))) {
            stream.tally.unwatched_count += sifted.unwatched_count;
            stream.tally.hints_count += sifted.hints.len() as u64;
            stream.poll.judge(!sifted.hints.is_empty());
        }
        let earlier = |slot: &SourceSlot| {
            let planned = self.sources.get(slot.id).map(|known| known.news_at);
            planned.map_or(Span::ZERO, |planned| (planned - slot.due_at.max(now)).max(Span::ZERO))
        };
        let gained: Vec<Span> = sifted.hints.iter().map(earlier).collect();
        if let Some(stream) = self.streams.all.get_mut(&(key, Arc::clone(&sifted.stream.name))) {
            for gained in gained {
                stream.worth.hint(gained.min(HINT_MAX));
            }
            stream.worth.note_gap(sifted.gap);
        }
        sifted.hints.iter().for_each(|slot| self.on_lead(slot, now));
    }

    /// The store has committed an upload of a stream, if this is one.
    pub(in super::super) fn confirm_streamed(
        &mut self,
        id: VisitId,
        applied: &Applied,
        now: Timestamp,
    ) -> bool {
        let Some(name) = self.streams.visits.get(&id) else { return false };
        let Some(stream) = self.streams.all.get_mut(name) else {
            return false;
        };
        stream.tally.posts_count += applied.new_posts.len() as u64;
        stream.worth.bring(applied.new_posts.len());
        self.tally.add_lags(applied.new_posts.iter().map(|at| (now - *at).max(Span::ZERO)));
        true
    }
}
