//! Steps 3 (pick) and 4 (ask) of 10: from a due source to a request on its way.

use std::sync::Arc;

use freshet_frontier::Pick;
use freshet_frontier::priority::CLASS_COUNT;
use freshet_network::networks::Networks;
use freshet_types::{
    Instance, NetworkName, Politeness, Redirects, Source, SourceId, SourceState, Span, Target, Timestamp,
    VisitId,
};

use super::sweep::Timing;
use super::{Core, Effect, Slot};
use crate::price;
use crate::quota::Claim;
use crate::visit::{Order, Visit, own_endpoint};
use crate::walk::{ACCOUNT, Aim, Walk};

/// In the middle of a visit, a quota that frees within this time is waited for in hand.
const WAIT_IN_HAND: Span = Span::from_secs(5);
/// And within this time if others wait for the same server: they need its other quotas only.
const WAIT_WANTED: Span = Span::from_ms(500);
/// At the start of a visit, the whole server waits this long; beyond it, only the robot does,
/// since another may have a credential of its own.
const WAIT_FIRST: Span = Span::MINUTE;
/// Sources of one server that may read their history at once, at least; more where its manners
/// leave a place for news beside them.
const HISTORY_OPEN_MIN: usize = 4;
/// How soon a visit that gave its place at the server away asks for one again.
const PLACE_GAP: Span = Span::from_ms(50);
/// Front queue of history: the last, which it shares with the least urgent news. It is served least,
/// and never starves.
pub(super) const HISTORY_CLASS: u8 = (CLASS_COUNT - 1) as u8;

impl Core {
    /// Sends what may be sent now, and begins what may be begun now.
    pub(super) fn pump(&mut self, now: Timestamp) {
        while self.may_ask()
            && let Some(&(at, visit)) = self.waiting.first()
            && at <= now
        {
            self.waiting.pop_first();
            self.send(visit, now);
        }
        if self.is_draining {
            return;
        }
        self.pump_history(now);
        self.pump_again(now);
        while self.has_room()
            && let Some(pick) = self.pick_in_turn(now)
        {
            self.lease(pick);
        }
    }

    /// The source is not visited for its history after all.
    pub(super) fn leave_history(&mut self, id: SourceId) {
        let Some(slot) = self.slot_mut(id) else { return };
        let (key, aim) = (slot.key, std::mem::replace(&mut slot.aim, Aim::News));
        self.end_history(key, aim);
    }

    /// Visits that wait for a quota are bounded by manners already, and must not keep other servers
    /// waiting.
    pub(super) fn has_room(&self) -> bool {
        self.open_count() - self.waiting.len() < self.options.visits_max && self.may_ask()
    }

    /// Whether the store keeps up. While it does not, visits under way ask for no further page either,
    /// so that what waits for the store is bounded.
    pub(super) fn may_ask(&self) -> bool {
        !self.is_held && self.upload_count < self.options.uploads_max
    }

    /// The next due source whose robot works and whose server may be asked.
    pub(super) fn pick(&mut self, now: Timestamp) -> Option<Pick> {
        loop {
            let pick = self.frontier.pick(now)?;
            let slot = self.slots.get(pick.id.0 as usize).copied().flatten();
            let is_ours = |slot: &Slot| slot.state.is_watched() && self.is_at_work(slot);
            let Some(slot) = slot.filter(is_ours) else {
                self.lay_aside(pick, now);
                continue;
            };
            match self.rests.get(&(slot.key, slot.robot)) {
                Some(&until) if until > now => self.frontier.give_back(pick, until),
                _ => return Some(pick),
            }
        }
    }

    /// Takes a source out of the frontier: it was removed, or its robot rests. When the robot
    /// works again the source is due at once, with its history where that is why it was here.
    fn lay_aside(&mut self, pick: Pick, now: Timestamp) {
        self.frontier.give_back(pick, now);
        self.frontier.cancel(pick.id);
        if let Some(slot) = self.slot_mut(pick.id)
            && slot.aim == Aim::History
        {
            slot.news_at = slot.news_at.min(now);
        }
        self.leave_history(pick.id);
    }

    /// Lets history come after the news: a few sources of each server at a time.
    fn pump_history(&mut self, now: Timestamp) {
        while let Some(&(at, number)) = self.histories.first()
            && at <= now
        {
            let key = number as usize;
            while self.backlogs[key].is_waiting() {
                let Some(id) = self.backlogs[key].queue.pop_front() else { break };
                self.backlog_count -= 1;
                let Some(slot) = self.slot_mut(id) else { continue };
                slot.is_backlogged = false;
                // One that is being visited comes back if that leaves more to do.
                if !slot.is_leased && slot.state == SourceState::Active && slot.aim == Aim::News {
                    slot.aim = Aim::History;
                    self.backlogs[key].open_count += 1;
                    // Due since ever, hence at once: `now` would be rounded up to the next tick.
                    self.frontier.schedule(id, number, HISTORY_CLASS, Timestamp::MIN);
                }
            }
            self.list_history(number);
        }
    }

    /// Notes whether and when the backlog of a server has something to do; to be called whenever it changed.
    pub(super) fn list_history(&mut self, key: u32) {
        let backlog = &mut self.backlogs[key as usize];
        let listed_at = backlog.is_waiting().then_some(backlog.ready_at);
        let before = std::mem::replace(&mut backlog.listed_at, listed_at);
        if before == listed_at {
            return;
        }
        if let Some(at) = before {
            self.histories.remove(&(at, key));
        }
        if let Some(at) = listed_at {
            self.histories.insert((at, key));
        }
    }

    /// Puts a source that has more history into the backlog of its server, once.
    pub(super) fn enqueue(&mut self, id: SourceId, is_first: bool) {
        let Some(slot) = self.slot_mut(id).filter(|slot| !slot.is_backlogged) else { return };
        slot.is_backlogged = true;
        let key = slot.key;
        let queue = &mut self.backlogs[key as usize].queue;
        if is_first {
            queue.push_front(id);
        } else {
            queue.push_back(id);
        }
        self.backlog_count += 1;
        self.list_history(key);
    }

    fn lease(&mut self, pick: Pick) {
        let visit = self.next_visit();
        // A deadline is set while an answer is outstanding, and only then.
        self.frontier.lease(pick, visit, Timestamp::MAX);
        let slot = self.slot_mut(pick.id).expect("only known sources are picked");
        slot.is_leased = true;
        let aim = std::mem::replace(&mut slot.aim, Aim::News);
        self.loading.insert(pick.id, (visit, aim));
        self.want(Effect::Load(pick.id));
    }

    /// On the wall: when a request that never came back is given up.
    fn lease_deadline(&self) -> Timestamp {
        Timestamp::from_ms(i64::try_from(self.wall_ms + self.options.lease_ms).unwrap_or(i64::MAX))
    }

    /// An order that had to wait at its fetcher is carried out: its lease runs from now on.
    pub(super) fn renew_lease(&mut self, id: VisitId) {
        if self.visits.get(&id).is_some_and(|visit| visit.claim.is_some()) {
            self.frontier.extend(id, self.lease_deadline());
        }
    }

    /// The record came: the visit begins.
    pub(super) fn begin(&mut self, id: SourceId, source: Option<Box<Source>>, now: Timestamp) {
        let Some((visit, aim)) = self.loading.remove(&id) else { return };
        let Some(slot) = self.slot_mut(id).copied() else { return };
        let Some(mut source) = source.filter(|source| source.state.is_watched()) else {
            self.ungrade(id);
            if slot.state.is_watched() {
                self.prices.count(price::place(slot.key, slot.robot), false);
            }
            self.slots[id.0 as usize] = None;
            self.known_count -= 1;
            self.frontier.take_back(visit);
            self.frontier.cancel(id);
            return self.end_history(slot.key, aim);
        };
        if source.root_id.is_empty()
            && let Some(handle) = &source.handle
            && let Some(root_id) = self.handles.get(&(source.network.clone(), handle.clone()))
        {
            source.root_id.clone_from(root_id);
        }
        let connector = self.networks.connector_for(&source.network);
        let endpoint = connector.as_deref().and_then(|connector| own_endpoint(connector, &source));
        let Some(endpoint) = endpoint else {
            let why = format!("`{}` has no endpoint `{}` any more", source.network, source.endpoint);
            let walk = Walk::nowhere();
            self.visits.insert(visit, Visit::new(visit, *source, slot.key, aim, walk, now));
            return self.fail(visit, &why, false, now);
        };
        let lateness = match self.reconsider(&source, slot, aim, now) {
            Timing::Due(lateness) => lateness,
            Timing::Early(due_at, step) => return self.wait_longer(visit, &source, (due_at, step)),
        };
        let mut walk = match aim {
            Aim::Again => Walk::again(self.again_intent(slot.key, id)),
            Aim::News | Aim::History => Walk::start(&source, endpoint, aim),
        };
        walk.has_owner = connector.as_deref().is_some_and(|connector| connector.single(ACCOUNT).is_some());
        if source.state == SourceState::OptedOut && self.options.honours_opt_out {
            walk.ask_consent(&source, endpoint);
        }
        let mut open = Visit::new(visit, *source, slot.key, aim, walk, now);
        open.lateness = lateness;
        self.visits.insert(visit, open);
        self.send(visit, now);
    }

    /// Step 4: makes the request of a visit and sends it when manners and quotas allow.
    pub(super) fn send(&mut self, id: VisitId, now: Timestamp) {
        if !self.may_ask() && self.visits.contains_key(&id) {
            return self.wait_for_store(id, now);
        }
        let Some(visit) = self.visits.get(&id) else { return };
        if self.is_shut(visit.key, id, now) {
            return self.turn_back(id, false, now);
        }
        let order = match self.order(visit) {
            Ok(order) => order,
            Err(why) => return self.fail(id, &why, false, now),
        };
        let (key, is_permitted) = (visit.key, visit.is_permitted);
        if !self.frontier.resume(id) {
            self.waiting.insert((now + PLACE_GAP, id));
            return;
        }
        let allowed_at = if is_permitted { now } else { self.frontier.allowed_at(key) };
        if allowed_at > now {
            return self.postpone(id, allowed_at, now);
        }
        let claim = Claim::of(&order.request);
        match self.ledger.grant(&claim, now) {
            Ok(reserved_by) => {
                if !is_permitted {
                    self.frontier.again(key, now).expect("it was allowed a moment ago");
                }
                self.pay(id, claim, now);
                match reserved_by {
                    Some(number) => self.held.entry(number).or_default().push((id, order)),
                    None => self.dispatch(id, order),
                }
            }
            Err(until) => self.postpone(id, until, now),
        }
    }

    /// Has what was granted written down, as much as the store does not know yet.
    pub(super) fn reserve(&mut self, now: Timestamp) {
        if let Some(reservation) = self.ledger.reservation(now) {
            self.want(Effect::Reserve(Box::new(reservation)));
        }
    }

    /// A reservation is written: what waited for it leaves.
    pub(super) fn on_reserved(&mut self, number: u64) {
        self.ledger.confirm(number);
        self.release_errands();
        while let Some(entry) = self.held.first_entry().filter(|entry| *entry.key() <= number) {
            for (visit, order) in entry.remove() {
                self.dispatch(visit, order);
            }
        }
    }

    /// A request was granted: it is counted and paid for, whether it leaves now or in a moment.
    fn pay(&mut self, id: VisitId, claim: Claim, now: Timestamp) {
        let visit = self.visits.get_mut(&id).expect("the visit was found a moment ago");
        visit.fetch_count += 1;
        visit.asked_at = Some(now);
        visit.is_permitted = false;
        visit.claim = Some(claim);
        let (key, robot) = (visit.key, visit.source.robot);
        self.note_asked(key, id);
        self.spend_share(key, robot);
        self.charge(id, now);
        self.tally.fetches_count += 1;
    }

    fn dispatch(&mut self, id: VisitId, order: Order) {
        let deadline = self.lease_deadline();
        self.frontier.extend(id, deadline);
        let fetcher = self.placement.place();
        if let Some(visit) = self.visits.get_mut(&id) {
            visit.fetcher = fetcher;
        }
        self.want(Effect::Fetch(fetcher, Box::new(order)));
    }

    /// Not now: a short wait is sat out in hand, which keeps the visit's place at its server. Before
    /// a longer one, news that have not begun rest with their robot, and the rest of a visit that
    /// has begun goes to the backlog.
    fn postpone(&mut self, id: VisitId, until: Timestamp, now: Timestamp) {
        self.tally.postponed_count += 1;
        if self.is_draining {
            return self.suspend(id, now);
        }
        let visit = self.visits.get_mut(&id).expect("the caller found it");
        // The permission was for now.
        visit.is_permitted = false;
        let (key, robot) = (visit.key, visit.source.robot);
        let is_first = visit.aim == Aim::News && visit.fetch_count == 0;
        let wait_max = match is_first {
            true => WAIT_FIRST,
            false if self.frontier.is_wanted(key) => WAIT_WANTED,
            false => WAIT_IN_HAND,
        };
        let is_under_way = !visit.redirects.is_empty();
        if until - now > wait_max && is_under_way {
            // It would begin at the same redirect again: it waits where it is, without a place.
            self.frontier.rest(id);
            self.waiting.insert((until, id));
        } else if until - now <= wait_max {
            self.waiting.insert((until, id));
            if is_first {
                self.frontier.hold(key, until);
            }
        } else if is_first {
            self.rests.insert((key, robot), until);
            self.put_off(id, until);
        } else {
            let backlog = &mut self.backlogs[key as usize];
            backlog.ready_at = backlog.ready_at.max(until);
            self.list_history(key);
            self.suspend(id, now);
        }
    }

    /// The visit goes on where it is when the store has caught up.
    fn wait_for_store(&mut self, id: VisitId, now: Timestamp) {
        if self.is_draining {
            return self.suspend(id, now);
        }
        let visit = self.visits.get_mut(&id).expect("the caller found it");
        // The permission was for now.
        visit.is_permitted = false;
        self.waiting.insert((now, id));
    }

    /// The network said "too many": the ledger knows, and nothing was got for this request.
    pub(super) fn on_rate_limited(&mut self, id: VisitId, until: Timestamp, now: Timestamp) {
        let visit = self.visits.get_mut(&id).expect("the caller found it");
        visit.fetch_count -= 1;
        self.postpone(id, until, now);
    }

    fn order(&self, visit: &Visit) -> Result<Order, String> {
        let source = &visit.source;
        let connector = self
            .networks
            .connector_for(&source.network)
            .ok_or_else(|| format!("there is no definition for `{}`", source.network))?;
        let (endpoint, root) = visit.walk.question(source, &*connector).ok_or_else(|| {
            format!(
                "`{}` cannot look up `{}`",
                source.network,
                source.handle.as_deref().unwrap_or("(nothing)")
            )
        })?;
        let instance = Arc::clone(&self.instances[visit.key as usize]);
        let named = self.robot_credentials[source.robot as usize].as_deref();
        let credential = (self.credential)(&source.network, source.robot, named);
        let target = Target {
            instance: &instance,
            endpoint: &endpoint.name,
            root,
            credential: credential.as_ref(),
            validators: visit.walk.is_conditional(source).then_some(&source.validators),
        };
        let mut request =
            connector.ask(&target, &visit.walk.intent).map_err(|refused| refused.to_string())?;
        request.allow_private = instance.allow_private;
        request.redirects = Redirects::Told(visit.redirects.clone());
        request.patience = self.patience(visit.key);
        let (endpoint, root) = (Arc::clone(&endpoint.name), root.to_owned());
        let intent = visit.walk.intent.clone();
        let errand = Arc::downgrade(&visit.errand);
        Ok(Order { visit: visit.id, request, connector, instance, endpoint, root, intent, errand })
    }
}

/// Sources that may read their history at once, beside the news.
pub(super) fn history_open_max(manners: Politeness) -> usize {
    (manners.in_flight_max.saturating_sub(1) as usize).max(HISTORY_OPEN_MIN)
}

/// The gentlest manners that any endpoint of the server's network asks for.
pub(super) fn manners(networks: &Networks, instance: &Instance) -> Politeness {
    let unknown = Politeness { pause: Span::ZERO, in_flight_max: 8 };
    let Some(connector) = networks.connector_for(&instance.network) else { return unknown };
    let gentlest = |one: Politeness, other: Politeness| Politeness {
        pause: one.pause.max(other.pause),
        in_flight_max: one.in_flight_max.min(other.in_flight_max).max(1),
    };
    connector.endpoints().iter().map(|endpoint| endpoint.politeness).reduce(gentlest).unwrap_or(unknown)
}

/// Kept small: handles of accounts that several sources share.
pub(super) fn remember_handle(core: &mut Core, network: &NetworkName, handle: &str, root_id: &str) {
    const HANDLES_MAX: usize = 100_000;
    if core.handles.len() >= HANDLES_MAX {
        core.handles.clear();
    }
    core.handles.insert((network.clone(), handle.to_owned()), root_id.to_owned());
}
