//! Robots that keep to a share of the calls where these are scarce: profiles and lists of members. Part of step 3 (pick) of 10.
//!
//! No policy times them. A profile is due once a day, and there may be several lists of members for every post: left alone, they would
//! take most of the calls of a server that allows few, and posts would be late for it. Where calls are scarce, each of the two robots
//! therefore asks for one page after the other, so that it takes a share of a server's calls at most ([`crate::price`]). Whoever comes
//! due gets the next free turn; turns are given a day ahead at most, since scarcity may pass. Whoever has a turn keeps it until its call is
//! granted: where calls are scarce, the quota is often spent when the turn comes.
//!
//! A turn is for one page. A list of members that is longer is due again at once, and goes on where it was when it has its next turn,
//! behind lists of which nothing was read yet; it never becomes history, which has a share of its own. The other robots have no share:
//! posts and replies are timed by the policy, and who follows whom is asked only where a person started that.

use freshet_types::{Map, RobotKind, ServerKey, Set, SourceId, Span, Timestamp, VisitId};

use super::{Core, Slot};
use crate::visit::Visit;
use crate::walk::Aim;

/// How far ahead turns are given.
const AHEAD: Span = Span::DAY;

/// Who has which turn.
#[derive(Debug, Default)]
pub(super) struct Shares {
    /// When the next turn of a robot at a server is free.
    free_at: Map<(ServerKey, RobotKind), Timestamp>,
    /// Sources that have a turn and were not granted their call yet.
    given: Set<SourceId>,
}

impl Core {
    /// When a source that came due has its turn, if that is not now.
    pub(super) fn share_turn(&mut self, id: SourceId, slot: &Slot, now: Timestamp) -> Option<Timestamp> {
        if slot.aim != Aim::News {
            return None;
        }
        // It has had to wait, or a person wants it at once.
        if self.shares.given.contains(&id) {
            return None;
        }
        let gap = self.prices.share_gap(slot.key, slot.robot, now)?;
        let free_at = self.shares.free_at.entry((slot.key, slot.robot)).or_insert(now);
        let at = now.max(*free_at);
        if at > now + AHEAD {
            return Some(now + AHEAD);
        }
        *free_at = at + gap;
        self.shares.given.insert(id);
        (at > now).then_some(at)
    }

    /// A source was granted a call, or is not watched any more: its next page needs another turn.
    pub(super) fn end_share_turn(&mut self, id: SourceId) {
        self.shares.given.remove(&id);
    }

    /// Whether a visit that has read a page of members and wants more has to wait for its next turn.
    pub(super) fn is_share_spent(&self, id: VisitId, now: Timestamp) -> bool {
        let is_list = |visit: &&Visit| visit.source.robot == RobotKind::Link;
        self.visits
            .get(id)
            .filter(is_list)
            .is_some_and(|visit| self.prices.share_gap(visit.key, visit.source.robot, now).is_some())
    }
}
