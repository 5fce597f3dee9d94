//! The part of the core that knows forums, behind three hooks: who is next, what a page meant, when a list is due.
//!
//! *Who is next* [list-wise, section 3.5], part of step 3 (pick) of 10: where the ratio rule is in force and lists of both kinds wait
//! for a server, the kind goes next that has had fewer pages than its share. A due list of the other
//! kind is passed over, [`PASSED_MAX`] at a time, and due again at once; where nobody else is due, it goes. So no request is
//! saved up, and nobody waits for nobody. With the price rule nothing of this happens.
//!
//! *What a page meant* and *when a list is due* are the business of the forum's own models ([`crate::forum`]). Other rooms
//! of forums: another look at old pages (`core/recheck.rs`), layouts that are learned anew (`core/relearn.rs`).

use std::collections::BTreeSet;

use freshet_frontier::Pick;
use freshet_policy::Market;
use freshet_policy::forum::ListKind;
use freshet_store::row::SourceSlot;
use freshet_types::{RobotKind, ServerKey, Source, Span, Timestamp};

use super::begin::HISTORY_CLASS;
use super::{Core, Slot};
use crate::forum::{Bounds, Share, Sites, Trained};
use crate::walk::Aim;

/// Due lists that are passed over before one goes out of turn.
const PASSED_MAX: usize = 256;
/// How long one that is passed over is out of the way: until all of them are put back, in the same instant.
const ASIDE: Span = Span::MINUTE;

/// All forums.
#[derive(Debug, Default)]
pub(super) struct Forums {
    /// Their servers: lists of a forum were asked for with it, whatever robots do elsewhere.
    keys: BTreeSet<ServerKey>,
    sites: Sites,
}

impl Forums {
    /// Whether a server is a forum's.
    pub(super) fn contains(&self, key: ServerKey) -> bool {
        self.keys.contains(&key)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = ServerKey> {
        self.keys.iter().copied()
    }

    /// A server turned out to be a forum's, or none.
    pub(super) fn set(&mut self, key: ServerKey, is_forum: bool) {
        if is_forum {
            self.keys.insert(key);
        } else {
            self.keys.remove(&key);
        }
    }

    pub(super) fn sites(&self) -> &Sites {
        &self.sites
    }

    /// Who is next: whether a list that this robot reads may have the next page of its server.
    fn is_next(&self, key: ServerKey, robot: RobotKind) -> bool {
        let site = self.sites.get(key).filter(|_| self.contains(key));
        site.is_none_or(|site| site.ratio.due() == kind_of(robot))
    }

    /// A page of a server is asked for.
    pub(super) fn note_asked(&mut self, key: ServerKey, robot: RobotKind) {
        if self.contains(key) {
            self.sites.of(key).ratio.spend(kind_of(robot));
        }
    }

    /// What a page meant: a list was found that nobody knew.
    fn note_found(&mut self, key: ServerKey, robot: RobotKind) {
        if robot == RobotKind::Comment {
            self.sites.of(key).ratio.learn(ListKind::Index, 1);
        }
    }

    /// What a page meant: these records of a list are new, by their times.
    pub(super) fn note_news(&mut self, key: ServerKey, source: &Source, news: &[Timestamp]) {
        if !self.contains(key) {
            return;
        }
        self.sites.learn(key, source, news);
        if source.robot == RobotKind::Comment {
            self.sites.of(key).ratio.learn(ListKind::Posts, news.len());
        }
    }

    /// When a list that was looked at `now` is due; `None` where the policy decides.
    pub(super) fn due_at(
        &self,
        key: ServerKey,
        source: &Source,
        market: &Market,
        bounds: Bounds,
        now: Timestamp,
    ) -> Option<Timestamp> {
        self.sites.due_at(key, source, market, bounds, now)
    }

    /// Posts a second that a list is expected to get; `None` where the policy's model says so.
    pub(super) fn rate_per_s(&self, key: ServerKey, source: &Source, now: Timestamp) -> Option<f64> {
        self.sites.rate_per_s(key, source, now)
    }

    /// The forum of a server, for tests that need one with a past.
    #[cfg(test)]
    pub(super) fn site_mut(&mut self, key: ServerKey) -> &mut crate::forum::Site {
        self.sites.of(key)
    }
}

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
            let Some(slot) = self.sources.get(pick.id) else { continue };
            let class = if slot.aim == Aim::News { slot.class() } else { HISTORY_CLASS };
            self.frontier.schedule(pick.id, pick.key, class, Timestamp::MIN);
        }
    }

    fn is_its_turn(&self, pick: Pick) -> bool {
        let slot: Option<Slot> = self.sources.get(pick.id);
        slot.is_none_or(|slot| self.forums.is_next(slot.key, slot.robot))
    }

    /// A list was found that nobody knew.
    pub(super) fn note_found(&mut self, slot: &SourceSlot) {
        if let Some(key) = self.servers.key_of(&slot.network) {
            self.forums.note_found(key, slot.robot);
        }
    }

    /// A forum was trained.
    pub(super) fn on_trained(&mut self, trained: Trained, now: Timestamp) {
        if let Some(key) = self.servers.key_of(&trained.network) {
            self.set_table(key, trained.table.clone(), now);
            self.forums.sites.replace_models(key, trained);
        }
    }
}
