//! The health of servers: an outage is the server's, not that of its sources. Part of steps 2 and 3 of 10.
//!
//! A fault that may be the server's (no connection, no answer in time, an error of its own) counts against the server. Where
//! it cannot be reached at all, or after [`DOWN_FAULTS`] faults in a row, it is *down*: visits to it go back as if they had
//! not begun, and one request at a time, a probe, asks whether it is back, with waits that double. The first answer ends
//! that: what is due is due at once, in the order of its urgency, and so are the sources that failed before.
//!
//! A fault is the source's own when its server has answered somebody since the source's last fault: one address that always
//! fails takes down nobody else, and is given up as `schedule` says.
//!
//! A server that has not answered yet in this process, or not to its last question, is asked one request at a time, with
//! little patience, and all of them together have a share of the visits ([`freshet_frontier::Trust`]). So every run begins
//! with a probe. Nothing of this is stored: what was not visited is still due there.

use freshet_frontier::Trust;
use freshet_types::{
    Blame, Fault, FaultKind, Map, NetworkName, Outcome, Page, ServerKey, SourceId, SourceState, Span,
    Timestamp, VisitId,
};

use super::{Core, Slot};
use crate::walk::{Aim, Seen};

/// Faults in a row after which a server is down, where each alone might be one address's.
const DOWN_FAULTS: u32 = 3;
/// Wait before the first probe; it doubles.
const REST_FIRST: Span = Span::SECOND;
/// The longest wait, unless the outage is long.
const REST_MAX: Span = Span::from_secs(300);
/// Of a long outage, the part that it may take longer to be noticed over.
const REST_PART: f64 = 1.0 / 24.0;
/// The longest wait of all.
const REST_MAX_LONG: Span = Span::HOUR;
/// Waits differ by up to this share, so that servers that went down together are not asked together.
const JITTER: f64 = 0.2;
/// Wall time that a server gets to answer which has not done so yet; it doubles with each time-out, up to what `fetch` allows.
const PATIENCE_FIRST: Span = Span::from_secs(4);
/// Doublings of the patience: beyond them, what `fetch` allows is shorter.
const PATIENCE_DOUBLINGS: u32 = 4;
/// How long a server is left alone when it was this computer that could not ask.
const OURS_GAP: Span = Span::SECOND;
/// Characters kept of what a server last said.
const SAID_CHARS_MAX: usize = 300;

/// What is known of a server's answers.
#[derive(Debug, Default)]
pub(super) struct Health {
    /// Answers in this process; sources note it when they meet a fault.
    answer_count: u32,
    /// Faults in a row.
    fault_count: u32,
    /// Time-outs in a row.
    timeout_count: u32,
    /// When the first of the faults came.
    since: Option<Timestamp>,
    /// What was wrong last.
    said: String,
    /// It is down.
    rest: Option<Rest>,
    /// Sources whose last visit met a fault, with the answers until then.
    hurt: Map<SourceId, u32>,
}

#[derive(Clone, Copy, Debug)]
struct Rest {
    /// Probes that brought nothing.
    probe_count: u32,
    next_at: Timestamp,
    /// The visit whose request is out.
    probe: Option<VisitId>,
}

/// A server that does not answer, as reports show it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServerView {
    pub network: NetworkName,
    /// Nothing is asked of it but probes.
    pub is_down: bool,
    pub since: Timestamp,
    /// What was wrong last.
    pub said: String,
    /// Requests in a row without an answer.
    pub faults_count: u32,
    /// When it is asked again, where it is down; in the past while a probe is under way.
    pub next_at: Option<Timestamp>,
    /// Due sources that wait for it.
    pub sources_count: usize,
}

impl Core {
    /// The servers that did not answer last, those that are down first, longest first; at most so many, and how many
    /// there are.
    pub(crate) fn server_views(&self, max: usize) -> (Vec<ServerView>, usize) {
        let rank = |&key: &ServerKey| {
            let health = self.servers.health(key);
            (health.rest.is_none(), health.since, key)
        };
        let mut keys: Vec<ServerKey> = self.servers.unwell().iter().copied().collect();
        keys.sort_unstable_by_key(rank);
        keys.truncate(max);
        let view = |key: ServerKey| {
            let health = self.servers.health(key);
            ServerView {
                network: self.servers.network(key).clone(),
                is_down: health.rest.is_some(),
                since: health.since.unwrap_or_default(),
                said: health.said.clone(),
                faults_count: health.fault_count,
                next_at: health.rest.map(|rest| rest.next_at),
                sources_count: self.frontier.due_count_of(key),
            }
        };
        (keys.into_iter().map(view).collect(), self.servers.unwell().len())
    }

    /// How long the server may take to answer, where that is less than usual.
    pub(super) fn patience(&self, key: ServerKey) -> Option<Span> {
        let health = self.servers.health(key);
        let is_trusted = health.answer_count > 0 && health.fault_count == 0;
        let doublings = health.timeout_count.min(PATIENCE_DOUBLINGS);
        (!is_trusted).then(|| PATIENCE_FIRST * f64::from(1_u32 << doublings))
    }

    /// Whether this visit may not ask now, because its server is down.
    pub(super) fn is_shut(&self, key: ServerKey, id: VisitId, now: Timestamp) -> bool {
        let rest = self.servers.health(key).rest;
        rest.is_some_and(|rest| now < rest.next_at || rest.probe.is_some_and(|probe| probe != id))
    }

    /// A request leaves: where the server is down, it is the probe.
    pub(super) fn note_asked(&mut self, key: ServerKey, id: VisitId) {
        if let Some(rest) = &mut self.servers.health_mut(key).rest {
            rest.probe = Some(id);
        }
    }

    /// An earlier process left this source as failed: it is due when its server answers.
    pub(super) fn note_failed(&mut self, key: ServerKey, id: SourceId) {
        let health = self.servers.health_mut(key);
        health.hurt.insert(id, health.answer_count);
    }

    /// The visit of a source came to its end.
    pub(super) fn note_recovered(&mut self, key: ServerKey, id: SourceId) {
        let hurt = &mut self.servers.health_mut(key).hurt;
        if !hurt.is_empty() {
            hurt.remove(&id);
        }
    }

    /// A person wants something of this server: it is probed at once.
    pub(super) fn probe_now(&mut self, key: ServerKey, now: Timestamp) {
        if let Some(rest) = &mut self.servers.health_mut(key).rest {
            rest.next_at = now;
            self.frontier.release(key);
        }
    }

    /// The server answered, whatever it said.
    pub(super) fn on_server_answered(&mut self, id: VisitId, now: Timestamp) {
        let Some(key) = self.visits.get(id).map(|visit| visit.key) else { return };
        let health = self.servers.health_mut(key);
        let is_first = health.answer_count == 0;
        health.answer_count = health.answer_count.saturating_add(1);
        if !is_first && health.fault_count == 0 {
            return;
        }
        (health.fault_count, health.timeout_count) = (0, 0);
        let (rest, since) = (health.rest.take(), health.since.take());
        health.said.clear();
        self.servers.set_unwell(key, false);
        self.frontier.set_trust(key, Trust::Answering);
        if rest.is_some() {
            let network = self.servers.network(key).as_str();
            let lasted = since.map_or(Span::ZERO, |since| now - since);
            tracing::info!(network, "the server answers again, after {lasted}");
            self.frontier.release(key);
        }
        if rest.is_some() || is_first {
            self.wake_failed(key, now);
        }
    }

    /// What failed while its server was down is due at once.
    fn wake_failed(&mut self, key: ServerKey, now: Timestamp) {
        // They stay noted until a visit of theirs succeeds: what fails now, when others are answered, is their own.
        let hurt: Vec<SourceId> = self.servers.health(key).hurt.keys().copied().collect();
        for id in hurt {
            let Some(slot) = self.sources.get(id) else { continue };
            let is_waiting = slot.waits_for_news() && slot.news_at > now;
            let is_meant = matches!(slot.state, SourceState::Active | SourceState::Failed);
            if is_waiting && is_meant && slot.key == key && self.is_at_work(&slot) {
                self.sources.set(id, Slot { news_at: now, ..slot });
                self.await_news(id);
            }
        }
    }

    /// There is no answer: whose fault that is decides what becomes of the visit.
    pub(super) fn on_fault(&mut self, id: VisitId, fault: &Fault, now: Timestamp) {
        let why = fault.to_string();
        let weight = match fault.blame() {
            Blame::Reach => DOWN_FAULTS,
            Blame::Server => 1,
            Blame::Ours => return self.excuse(id, now),
            Blame::Answer => {
                self.on_server_answered(id, now);
                return self.fail(id, &why, fault.is_retryable(), now);
            }
            Blame::Request if self.is_disarmed(id, fault) => return self.excuse(id, now),
            Blame::Request => {
                self.forget_probe(id);
                return self.fail(id, &why, fault.is_retryable(), now);
            }
        };
        if self.blame(id, (weight, fault.kind == FaultKind::Timeout), &why, now) {
            self.blamed(id, now);
        } else {
            self.fail(id, &why, fault.is_retryable(), now);
        }
    }

    /// The server says that it has a problem.
    pub(super) fn on_server_error(&mut self, page: Page, seen: Seen, now: Timestamp) {
        let what = page.complaints.first().map_or(String::new(), |complaint| format!(": {}", complaint.what));
        let why = format!("the network answered `{}`{what}", Outcome::Transient.name());
        if self.blame(seen.visit, (1, false), &why, now) {
            self.blamed(seen.visit, now);
        } else {
            self.on_refusal(&Outcome::Transient, page, seen, now);
        }
    }

    /// A visit met a fault of its server. One that asked about several sources counts against such calls too: it may be they that the server
    /// cannot answer, and the next question whether it is back goes about one source.
    fn blamed(&mut self, id: VisitId, now: Timestamp) {
        self.note_group_failed(id, now);
        self.turn_back(id, true, now);
    }

    /// A request never came back within its lease.
    pub(super) fn on_lease_expired(&mut self, id: VisitId, now: Timestamp) {
        self.on_fault(id, &Fault::new(FaultKind::Timeout, "no answer within the lease"), now);
    }

    /// Counts a fault against the server, unless it is the source's; gives whether the server is down.
    fn blame(&mut self, id: VisitId, (weight, is_timeout): (u32, bool), why: &str, now: Timestamp) -> bool {
        let visit = &self.visits[id];
        let (key, source) = (visit.key, visit.source.id);
        let health = self.servers.health_mut(key);
        let noted = health.hurt.insert(source, health.answer_count);
        let is_probe = health.rest.is_some_and(|rest| rest.probe == Some(id));
        if health.rest.is_some() && !is_probe {
            return true; // It was asked before the server went down.
        }
        if noted.is_some_and(|answers| answers < health.answer_count) && health.rest.is_none() {
            return false; // Others were answered since its last fault.
        }
        health.fault_count = health.fault_count.saturating_add(weight);
        health.timeout_count = if is_timeout { health.timeout_count.saturating_add(1) } else { 0 };
        health.said = why.chars().take(SAID_CHARS_MAX).collect();
        let since = *health.since.get_or_insert(now);
        let probe_count = health.rest.map_or(0, |rest| rest.probe_count + 1);
        let is_down = health.fault_count >= DOWN_FAULTS;
        let was_down = health.rest.is_some();
        let next_at = now + rest_wait(key, probe_count, now - since);
        health.rest = is_down.then_some(Rest { probe_count, next_at, probe: None });
        self.servers.set_unwell(key, true);
        self.frontier.set_trust(key, Trust::Failing);
        if is_down {
            self.frontier.hold(key, next_at);
        }
        if is_down && !was_down {
            let network = self.servers.network(key).as_str();
            tracing::warn!(network, "the server is down, and is asked again now and then: {why}");
            self.clear_server(key, id, now);
        }
        is_down
    }

    /// Visits that wait for a quota in hand give their places at the server back, or no probe would find one.
    fn clear_server(&mut self, key: ServerKey, id: VisitId, now: Timestamp) {
        for waiting in self.visits.end_waiting_at(key, id) {
            self.turn_back(waiting, false, now);
        }
    }

    /// The visit ends as if it had not begun, or where it stands, and is due when the server answers again.
    pub(super) fn turn_back(&mut self, id: VisitId, has_asked: bool, now: Timestamp) {
        let visit = &mut self.visits[id];
        visit.fetch_count -= u32::from(has_asked);
        if visit.aim == Aim::News && visit.fetch_count == 0 {
            let news_at = self.sources.news_at(visit.source.id, now);
            return self.put_off(id, news_at);
        }
        self.suspend(id, now);
    }

    /// The credential that was to be shown is not to be used any more, taken back or removed: the next try goes with
    /// another one, or without.
    fn is_disarmed(&self, id: VisitId, fault: &Fault) -> bool {
        let visit = &self.visits[id];
        let Some(shown) = visit.credential.as_ref().filter(|_| fault.kind == FaultKind::Credential) else {
            return false;
        };
        let holders = self.holders(&visit.source);
        holders.iter().all(|holder| holder.credential != *shown)
    }

    /// This computer could not ask: nobody is to blame, and it is tried again soon.
    fn excuse(&mut self, id: VisitId, now: Timestamp) {
        self.forget_probe(id);
        let key = self.visits[id].key;
        self.frontier.hold(key, now + OURS_GAP);
        self.turn_back(id, true, now);
    }

    /// A probe said nothing about its server.
    pub(super) fn forget_probe(&mut self, id: VisitId) {
        let Some(key) = self.visits.get(id).map(|visit| visit.key) else { return };
        if let Some(rest) = &mut self.servers.health_mut(key).rest {
            rest.probe = rest.probe.filter(|&probe| probe != id);
        }
    }
}

/// How long a server rests after so many probes in vain, when it has been down for so long.
fn rest_wait(key: ServerKey, probe_count: u32, down_for: Span) -> Span {
    let doubled = (REST_FIRST * f64::from(1_u32 << probe_count.min(16))).min(REST_MAX);
    let long = (down_for * REST_PART).min(REST_MAX_LONG);
    // A number between -1 and 1 that is the same in every run.
    let mixed = key.0.wrapping_add(probe_count).wrapping_mul(0x9e37_79b1) >> 8;
    let spread = f64::from(mixed) / f64::from(1_u32 << 23) - 1.0;
    doubled.max(long) * (1.0 + JITTER * spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_are_bounded_by_the_length_of_the_outage() {
        let near = |wait: Span, secs: f64| (wait.secs_f64() / secs - 1.0).abs() <= JITTER + 1e-9;
        for key in [0, 1, 77, 70_000].map(ServerKey) {
            for (probes, down_s, expected_s) in [
                (0, 0, 1.0),
                (1, 1, 2.0),
                (5, 31, 32.0),
                (9, 600, 300.0),
                (30, 7200, 300.0),
                (60, 86_400, 3600.0),
                (u32::MAX, 86_400_000, 3600.0),
            ] {
                let wait = rest_wait(key, probes, Span::from_secs(down_s));
                assert!(near(wait, expected_s), "{key:?}, {probes} probes, {down_s} s: {wait}");
            }
        }
        assert_ne!(
            rest_wait(ServerKey(1), 3, Span::ZERO),
            rest_wait(ServerKey(2), 3, Span::ZERO),
            "not all at once"
        );
    }
}
