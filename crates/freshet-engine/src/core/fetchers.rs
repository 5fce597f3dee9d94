//! Who carries orders out: fetchers join and leave, orders are placed with them and given up. Between steps 4 and 5 of 10.
//!
//! An order is with one fetcher at a time. When its fetcher leaves, the visit asks again at once, with another grant and
//! without blame: nobody knows whether the request had left, so what it took of the quotas stays taken. An answer that
//! comes all the same names an order that nobody waits for, and is dropped. While no fetcher is there, nothing is begun.

use freshet_types::{Timestamp, VisitId};

use super::{Core, Effect};
use crate::order::{FetcherId, Order, OrderId};

impl Core {
    /// A fetcher is there; one of the same id that was there before has lost what it had.
    pub(super) fn join_fetcher(&mut self, id: FetcherId, now: Timestamp) {
        self.leave_fetcher(id, now);
        self.placement.join(id);
    }

    /// A fetcher is gone: what it had is given back.
    pub(super) fn leave_fetcher(&mut self, id: FetcherId, now: Timestamp) {
        if !self.placement.leave(id) {
            return;
        }
        let has_it = self.visits.iter().filter(|visit| visit.fetcher == Some(id));
        let mut orphans: Vec<VisitId> = has_it.map(|visit| visit.id).collect();
        // In the order in which they began, whatever the map says.
        orphans.sort_unstable();
        for visit in orphans {
            self.ask_again(visit, now);
        }
    }

    /// Places an order that was granted, and written down where that is needed.
    pub(super) fn dispatch(&mut self, id: VisitId, order: Order, now: Timestamp) {
        let Some(visit) = self.visits.get_mut(id) else { return };
        visit.fetcher = self.placement.assign();
        let Some(fetcher) = visit.fetcher else {
            return self.ask_again(id, now);
        };
        let deadline = self.lease_deadline();
        self.frontier.extend(id, deadline);
        self.want(Effect::Fetch(fetcher, Box::new(order)));
    }

    /// An order that had to wait at its fetcher is carried out: its lease runs from now on.
    pub(super) fn renew_lease(&mut self, order: OrderId) {
        if self.visits.get(order.visit).is_some_and(|visit| visit.awaits(order)) {
            self.frontier.extend(order.visit, self.lease_deadline());
        }
    }

    /// No answer is waited for any more, if one was.
    pub(super) fn cancel_order(&mut self, id: VisitId, now: Timestamp) {
        let Some(visit) = self.visits.get_mut(id) else { return };
        let (fetcher, order) = (visit.fetcher.take(), visit.order_id());
        if let Some(claim) = visit.claim.take() {
            self.ledger.answered(&claim, &[], now);
        }
        if let Some(fetcher) = fetcher {
            self.placement.give_up(fetcher);
            self.want(Effect::Cancel(fetcher, order));
        }
    }

    /// There is nobody any more who has the order of this visit: it asks anew as soon as somebody is there.
    fn ask_again(&mut self, id: VisitId, now: Timestamp) {
        let Some(visit) = self.visits.get_mut(id) else { return };
        visit.fetcher = None;
        visit.fetch_count -= 1;
        if let Some(claim) = visit.claim.take() {
            self.ledger.answered(&claim, &[], now);
        }
        self.frontier.extend(id, Timestamp::MAX);
        self.forget_probe(id);
        if self.is_draining {
            return self.suspend(id, now);
        }
        self.send(id, now);
    }
}
