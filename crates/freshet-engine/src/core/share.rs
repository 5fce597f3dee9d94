//! Turns between boards and threads of a forum, where the ratio rule is in force [list-wise, section 3.5]. Part of step 3 (pick) of 10.
//!
//! When lists of both kinds wait for a server, the kind goes next that has had fewer pages than its share. A due list of the other
//! kind is passed over, [`PASSED_MAX`] at a time, and due again at once; where nobody else is due, it goes. So no request is
//! saved up, and nobody waits for nobody. With the price rule nothing of this happens.

use freshet_frontier::Pick;
use freshet_policy::forum::ListKind;
use freshet_store::row::SourceSlot;
use freshet_types::{RobotKind, Span, Timestamp};

use super::{Core, Slot, begin};
use crate::forum::{Share, Trained};
use crate::walk::Aim;

/// Due lists that are passed over before one goes out of turn.
const PASSED_MAX: usize = 256;
/// How long one that is passed over is out of the way: until all of them are put back, in the same instant.
const ASIDE: Span = Span::MINUTE;

/// Threads are read by one robot, the lists above them by others.
fn kind_of(robot: RobotKind) -> ListKind {
    if robot == RobotKind::Comment { ListKind::Posts } else { ListKind::Index }
}

impl Core {
    /// The next due source; of a forum, one whose turn it is.
    pub(super) fn pick_in_turn(&mut self, now: Timestamp) -> Option<Pick> {
        if self.options.forum_share == Share::Price {
            return self.pick(now);
        }
        let mut passed: Vec<Pick> = Vec::new();
        loop {
            let Some(pick) = self.pick(now) else {
                self.put_back(&passed);
                return if passed.is_empty() { None } else { self.pick(now) };
            };
            if passed.len() >= PASSED_MAX || self.is_its_turn(pick) {
                self.put_back(&passed);
                return Some(pick);
            }
            self.frontier.give_back(pick, now + ASIDE);
            passed.push(pick);
        }
    }

    fn put_back(&mut self, passed: &[Pick]) {
        for pick in passed {
            let Some(slot) = self.slots.get(pick.id.0 as usize).copied().flatten() else { continue };
            let class = if slot.aim == Aim::News { slot.class } else { begin::HISTORY_CLASS };
            self.frontier.schedule(pick.id, pick.key, class, Timestamp::MIN);
        }
    }

    fn is_its_turn(&self, pick: Pick) -> bool {
        let slot: Option<Slot> = self.slots.get(pick.id.0 as usize).copied().flatten();
        let Some(slot) = slot.filter(|slot| self.servers[slot.key as usize].is_forum) else {
            return true;
        };
        self.sites.get(slot.key).is_none_or(|site| site.ratio.due() == kind_of(slot.robot))
    }

    /// A page of a forum is asked for.
    pub(super) fn spend_share(&mut self, key: u32, robot: RobotKind) {
        if self.servers[key as usize].is_forum {
            self.sites.of(key).ratio.spend(kind_of(robot));
        }
    }

    /// A list was found that nobody knew.
    pub(super) fn note_found(&mut self, slot: &SourceSlot) {
        let key = self.keys.get(&slot.network).copied();
        if let Some(key) = key.filter(|_| slot.robot == RobotKind::Comment) {
            self.sites.of(key).ratio.learn(ListKind::Index, 1);
        }
    }

    /// New posts of a thread were found.
    pub(super) fn note_posts(&mut self, key: u32, robot: RobotKind, count: usize) {
        if self.servers[key as usize].is_forum && robot == RobotKind::Comment {
            self.sites.of(key).ratio.learn(ListKind::Posts, count);
        }
    }

    /// A forum was trained.
    pub(super) fn on_trained(&mut self, trained: Trained) {
        if let Some(&key) = self.keys.get(&trained.network) {
            self.sites.take(key, trained);
        }
    }
}
