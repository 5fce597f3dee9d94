//! Threads that wait for the same server are asked about together. Part of step 3 (pick) of 10.
//!
//! Lists of comments do not bid for calls. Each has a pace of its own, which slows down while nothing comes (`schedule`), and those that
//! are due wait for their server in the order in which they fell due. So no price says whether a probe is worth its call; the queue does:
//! where threads wait, the one whose turn has come takes along those behind it, and asks about all of them with one request.
//! Who has the pulse of its last reading was looked at; any other is due at once, and read alone.
//!
//! A thread that was never read goes with a probe too. Most have no answer, as a count of 0 says: there is nothing to read. The pulse of any
//! other is then known when it is read, so that its next look needs no reading.
//! A pulse does not tell of edits, so nobody is left unread for longer than threads may wait at all.

use freshet_types::{RobotKind, ServerKey, Source, SourceId, SourceState, Span, Timestamp, VisitId};

use super::{Core, PASSENGERS_MAX};
use crate::price::TariffKey;
use crate::schedule::{THREAD_GAP_MAX, class_of};
use crate::visit::{Visit, own_endpoint};
use crate::walk::{Aim, Leg};

/// Others that must be due as well. One is enough: a probe is a call more, and spares one for each thread that has no news, as most have.
const OTHERS_MIN: usize = 1;

/// While a group is being read from the store, others of its server keep their turn for so long: they are ready sooner, and would take the
/// one call that there may be.
const GATHERING: Span = Span::SECOND;

/// The pulse of a thread without comments, where it is a count; no id and no time is written so.
pub(super) const NOTHING: &str = "0";

/// A thread that was never read has nothing to read.
pub(super) fn note_empty(source: &mut Source, at: Timestamp) {
    if source.robot == RobotKind::Comment && source.read_at.is_none() {
        (source.read_at, source.pulse) = (Some(at), Some(NOTHING.to_owned()));
    }
}

/// Whether a pulse is enough for a thread.
pub(super) fn can_be_grouped(source: &Source, now: Timestamp) -> bool {
    let is_read_soon = source.read_at.is_none_or(|read_at| now - read_at <= THREAD_GAP_MAX);
    is_read_soon && !source.root_id.is_empty() && source.pinned.is_none() && source.viewer.is_none()
}

impl Core {
    /// Begins to ask about others with the request of a visit to a thread; gives whether it waits for them.
    pub(super) fn form_threads(&mut self, lead: VisitId, now: Timestamp) -> bool {
        let visit = &self.visits[lead];
        let (key, id, class) = (visit.key, visit.source.id, class_of(RobotKind::Comment));
        let connector = self.networks.connector_for(&visit.source.network);
        let own = connector.as_deref().and_then(|connector| own_endpoint(connector, &visit.source));
        let declared = own.map_or(0, |endpoint| endpoint.group.roots_max);
        let is_meant = visit.aim == Aim::News
            && visit.walk.leg == Leg::List
            && can_be_grouped(&visit.source, now)
            && !self.groups.is_told(id)
            && self.prices.has_price();
        let size = self.roots_max(TariffKey::new(key, RobotKind::Comment), declared, now);
        let seats = PASSENGERS_MAX.saturating_sub(self.groups.passenger_count()).min(size.saturating_sub(1));
        if self.is_gathering(key) {
            self.keep_turn(lead, now + GATHERING);
            return true;
        }
        if !is_meant || seats < OTHERS_MIN {
            return false;
        }
        let (sources, groups) = (&self.sources, &self.groups);
        let may_come = |id: SourceId| {
            sources.get(id).is_some_and(|slot| {
                let is_thread = slot.robot == RobotKind::Comment && slot.key == key;
                is_thread && slot.state == SourceState::Active && slot.waits_for_news() && !groups.is_told(id)
            })
        };
        let members = self.frontier.take_due(key, class, (OTHERS_MIN, seats), may_come);
        if members.is_empty() {
            return false;
        }
        self.gather(lead, members);
        true
    }

    /// Whether threads of a server are about to be asked about together.
    fn is_gathering(&self, key: ServerKey) -> bool {
        let is_here = |visit: &Visit| {
            visit.key == key && visit.source.robot == RobotKind::Comment && visit.asked_at.is_none()
        };
        self.groups.parties.keys().any(|lead| self.visits.get(*lead).is_some_and(is_here))
    }
}
