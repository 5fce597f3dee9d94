//! Lists of members where calls are scarce. Part of step 3 (pick) of 10.
//!
//! There may be several such lists for every post, and no policy times them: left alone, they would take every call that posts do not take
//! at once. Where calls are scarce they are therefore asked for one after the other, so that all of them together take a share of a server's calls
//! at most ([`crate::price`]). Whoever comes due gets the next free turn; turns are given a day ahead at most, since scarcity may pass.
//!
//! A turn is for one page. A list that is longer is due again at once, and goes on where it was when it has its next turn, behind lists of which nothing
//! was read yet; it never becomes history, which has a share of its own.

use freshet_types::{Map, RobotKind, ServerKey, SourceId, Span, Timestamp, VisitId};

use super::{Core, Slot};
use crate::visit::Visit;
use crate::walk::Aim;

/// How far ahead turns are given.
const AHEAD: Span = Span::DAY;

/// Who has which turn.
#[derive(Debug, Default)]
pub(super) struct MemberTurns {
    /// When the next turn at each server is free.
    free_at: Map<ServerKey, Timestamp>,
    /// Sources that wait for the turn they were given.
    given: Map<SourceId, Timestamp>,
}

impl Core {
    /// When a source that came due has its turn, if that is not now.
    pub(super) fn member_turn(&mut self, id: SourceId, slot: &Slot, now: Timestamp) -> Option<Timestamp> {
        if slot.robot != RobotKind::Link || slot.aim != Aim::News {
            return None;
        }
        // It has had to wait, or a person wants it at once.
        if self.member_turns.given.remove(&id).is_some() {
            return None;
        }
        let gap = self.prices.member_gap(slot.key, now)?;
        let free_at = self.member_turns.free_at.entry(slot.key).or_insert(now);
        let at = now.max(*free_at);
        if at > now + AHEAD {
            return Some(now + AHEAD);
        }
        *free_at = at + gap;
        if at == now {
            return None;
        }
        self.member_turns.given.insert(id, at);
        Some(at)
    }

    /// Whether a visit that has read a page and wants more has to wait for its next turn.
    pub(super) fn is_member_turn_over(&self, id: VisitId, now: Timestamp) -> bool {
        let is_list = |visit: &&Visit| visit.source.robot == RobotKind::Link;
        self.visits
            .get(id)
            .filter(is_list)
            .is_some_and(|visit| self.prices.member_gap(visit.key, now).is_some())
    }
}
