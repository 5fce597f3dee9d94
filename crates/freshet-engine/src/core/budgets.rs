//! A person allows more, or less, while the crawl runs.
//!
//! Buckets and scopes of budgets that are gone are forgotten. Whoever waited for a call asks again at once: it may have come
//! by the new budget. That is the one event that looks at all servers, and a rare one.

use freshet_types::{RobotKind, Timestamp};

use super::Core;
use super::begin::HISTORY_CLASS;
use crate::budget::Budgets;
use crate::schedule;

impl Core {
    /// From now on, these.
    pub(super) fn set_budgets(&mut self, budgets: Budgets, now: Timestamp) {
        self.budgets = budgets;
        let budgets = &self.budgets;
        self.ledger.retain(|key| budgets.keeps(key));
        self.prices.retain(|key| budgets.keeps(key));
        for key in self.servers.keys() {
            // One that rests because nothing could be read there does not wait for calls.
            if self.servers.unread(key).rests_until().is_some() {
                continue;
            }
            self.servers.end_rests(key);
            for class in RobotKind::ALL.map(schedule::class_of).into_iter().chain([HISTORY_CLASS]) {
                self.frontier.release_class(key, class);
            }
            self.backlogs.end_wait(key);
        }
        for visit in self.visits.end_waiting() {
            self.visits.wait_until(now, visit);
        }
        self.call_all(now);
        self.desks.call_all(now);
        self.lines.call_all(now);
    }
}
