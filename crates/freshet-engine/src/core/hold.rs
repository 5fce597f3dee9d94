//! Sources that a constraint holds back: they came due and are judged again later, without a request. Part of step 3 (pick) of 10.
//!
//! A source is held at the moment when it would be visited for news, by whoever reads it from the store. What was begun of its
//! history is finished. Nothing of this is stored: after a restart it comes due, and is judged.

use freshet_types::{Source, SourceId, Timestamp};

use super::Core;
use crate::walk::Aim;

impl Core {
    /// A constraint says that this source is not visited again: it comes due at `until`, to be judged anew.
    pub(super) fn hold_back(&mut self, source: Box<Source>, until: Timestamp, now: Timestamp) {
        let id = source.id;
        let Some((visit, aim)) = self.visits.source_came(id) else { return };
        if aim != Aim::News {
            return self.begin_as(id, (visit, aim), Some(source), now);
        }
        // A group that waits for it goes without it.
        self.join_group(visit, None, now).ok();
        self.frontier.close_unsent(visit);
        if let Some(slot) = self.sources.get_mut(id) {
            (slot.price_step, slot.planned) = (0, None);
        }
        // It wants no visits, so it has no part in the price of those that do.
        self.ungrade(id);
        self.give_back(id, source.state, until);
        self.end_choice(id, now);
    }

    /// Something is known that these may have been held back for: they come due, and are judged.
    pub(super) fn wake(&mut self, ids: &[SourceId], now: Timestamp) {
        for &id in ids {
            let slot = self.sources.get_mut(id).filter(|slot| slot.waits_for_news() && slot.news_at > now);
            if let Some(slot) = slot {
                slot.news_at = now;
                self.await_news(id);
            }
        }
    }
}
