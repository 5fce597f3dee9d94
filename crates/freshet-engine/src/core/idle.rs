//! Calls that would be lost. Part of step 2 (schedule) of 10.
//!
//! A quota that has a call to give while nobody at its server is due loses that call: what a window leaves is not saved up. Where
//! calls are scarce, so that their price is above the reserve, such a call goes to the source that is nearest to being due, by the share of
//! its gap that is left. Gaps go with 1/√(wλ) at any one price, so that share goes with (due − now)·√(wλ). Experiments
//! spend in the same way: in every slot they visit the best of all.
//!
//! No event walks over all sources: of many, [`LOOK_MAX`] are compared, and others the next time.

use std::collections::BTreeSet;

use freshet_policy::Grade;
use freshet_types::{Map, RobotKind, ServerKey, SourceId, SourceState, Span, Timestamp};

use super::{Core, Slot};
use crate::price::TariffKey;

/// Slots that one look compares.
const LOOK_MAX: usize = 4096;
/// How soon a server is looked at again where nobody could be visited earlier.
const LOOK_AGAIN: Span = Span::MINUTE;

/// Servers at which nobody may be due, by when to look.
#[derive(Debug, Default)]
pub(super) struct Idle {
    looks: BTreeSet<(Timestamp, ServerKey)>,
    by_server: Map<ServerKey, Timestamp>,
    /// The slot at which the next look begins.
    next_slot: usize,
}

impl Idle {
    /// Looks at a server then, or earlier where that was said before.
    pub(super) fn look_at(&mut self, key: ServerKey, at: Timestamp) {
        if let Some(&before) = self.by_server.get(&key) {
            if before <= at {
                return;
            }
            self.looks.remove(&(before, key));
        }
        self.by_server.insert(key, at);
        self.looks.insert((at, key));
    }

    /// When the next look is due.
    pub(super) fn wake_at(&self) -> Option<Timestamp> {
        self.looks.first().map(|&(at, _)| at)
    }

    fn pop(&mut self, now: Timestamp) -> Option<ServerKey> {
        let &(at, key) = self.looks.first().filter(|first| first.0 <= now)?;
        self.looks.remove(&(at, key));
        self.by_server.remove(&key);
        Some(key)
    }
}

impl Core {
    /// Lets sources be visited early with calls that would be lost.
    pub(super) fn pump_idle(&mut self, now: Timestamp) {
        while let Some(key) = self.idle.pop(now) {
            let tariff = TariffKey::new(key, RobotKind::Status);
            // A server whose visits have all ended is looked at again when one does.
            if self.frontier.due_count_of(key) > 0 || !self.prices.is_scarce(tariff) {
                continue;
            }
            let ready_at = self.prices.ready_at(tariff, &self.ledger, now);
            if ready_at > now {
                self.idle.look_at(key, ready_at);
                continue;
            }
            match self.nearest(key, now) {
                Some((id, slot)) => {
                    self.sources.set(id, Slot { news_at: now, ..slot });
                    self.frontier.schedule(id, key, slot.class, Timestamp::MIN);
                }
                None => self.idle.look_at(key, now + LOOK_AGAIN),
            }
        }
    }

    /// The source of a server that is nearest to being due.
    fn nearest(&mut self, key: ServerKey, now: Timestamp) -> Option<(SourceId, Slot)> {
        let (first, count) = (self.idle.next_slot, self.sources.len());
        let looked_at = (0..count.min(LOOK_MAX)).map(|at| SourceId(((first + at) % count) as u32));
        self.idle.next_slot = (first + LOOK_MAX) % count.max(1);
        let is_meant = |slot: &Slot| {
            let is_timed = slot.robot == RobotKind::Status && slot.grade != Grade::NONE;
            slot.key == key && is_timed && slot.state == SourceState::Active && slot.waits_for_news()
        };
        let left = |slot: &Slot| (slot.news_at - now).secs_f64() * slot.grade.pull();
        let known = looked_at.filter_map(|id| self.sources.get(id).map(|slot| (id, slot)));
        let waiting = known.filter(|(_, slot)| is_meant(slot) && slot.news_at > now && self.is_at_work(slot));
        waiting.min_by(|(_, one), (_, other)| left(one).total_cmp(&left(other)))
    }
}
