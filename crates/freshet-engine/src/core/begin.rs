//! Steps 3 (pick) and 4 (ask) of 10: from a due source to a request on its way.

use std::sync::Arc;

use freshet_frontier::Pick;
use freshet_frontier::priority::CLASS_COUNT;
use freshet_network::networks::Networks;
use freshet_types::{
    Holder, Instance, Intent, Politeness, Redirects, Source, SourceId, SourceState, Span, Target, Timestamp,
    VisitId,
};

use super::timing::Timing;
use super::{Core, Effect, Slot, VISITS_RESERVED};
use crate::order::{Order, OrderId};
use crate::price::TariffKey;
use crate::quota::Claim;
use crate::visit::{Visit, own_endpoint};
use crate::walk::{ACCOUNT, Aim, Walk};

/// In the middle of a visit, a quota that frees within this time is waited for in hand.
const WAIT_IN_HAND: Span = Span::from_secs(5);
/// And within this time if others wait for the same server: they need its other quotas only.
const WAIT_WANTED: Span = Span::from_ms(500);
/// Longest wait of a visit for news in the middle of its pages: what it has not read yet is news too, and goes before
/// visits that have not begun.
const WAIT_NEWS: Span = Span::from_secs(1800);
/// At the start of a visit, the whole server waits this long; beyond it, only the robot does,
/// since another may have a credential of its own.
const WAIT_FIRST: Span = Span::MINUTE;
/// How soon a visit that gave its place at the server away asks for one again.
const PLACE_GAP: Span = Span::from_ms(50);
/// Front queue of history: the last, which it shares with the least urgent news. It is served least,
/// and never starves.
pub(super) const HISTORY_CLASS: u8 = (CLASS_COUNT - 1) as u8;

impl Core {
    /// Sends what may be sent now, and begins what may be begun now.
    pub(super) fn pump(&mut self, now: Timestamp) {
        while self.may_ask()
            && let Some(visit) = self.visits.next_waiting(now)
        {
            self.send(visit, now);
        }
        if self.is_draining {
            return;
        }
        self.pump_history(now);
        self.pump_rechecks(now);
        self.pump_auction(now);
        self.pump_turns(now);
        self.pump_desks(now);
        while self.has_room()
            && let Some(pick) = self.pick_in_turn(now)
        {
            self.lease(pick);
        }
    }

    /// Visits that wait for a quota are bounded by politeness already, and must not keep other servers
    /// waiting.
    pub(super) fn has_room(&self) -> bool {
        let busy_count = self.visits.busy_count().saturating_sub(self.groups.passenger_count());
        busy_count < self.options.visits_max && self.may_ask()
    }

    /// Whether the store keeps up, and a fetcher is there. While that is not so, visits under way ask for no further page
    /// either, so that what waits for the store is bounded.
    pub(super) fn may_ask(&self) -> bool {
        !self.is_held && self.upload_count < self.options.uploads_max && !self.placement.is_empty()
    }

    /// The next due source whose robot works and whose server may be asked.
    pub(super) fn pick(&mut self, now: Timestamp) -> Option<Pick> {
        loop {
            let pick = self.frontier.pick(now)?;
            let slot = self.sources.get(pick.id);
            let is_ours = |slot: &Slot| slot.state.is_watched() && self.is_at_work(slot);
            let Some(slot) = slot.filter(is_ours) else {
                self.lay_aside(pick, now);
                continue;
            };
            match self.servers.rests_until(slot.key, slot.robot) {
                Some(until) if until > now && slot.aim == Aim::News => {
                    self.frontier.hold_class(slot.key, slot.class(), until);
                    self.frontier.give_back_first(pick);
                }
                Some(until) if until > now => self.frontier.give_back(pick, until),
                _ => match self.share_turn(pick.id, &slot, now) {
                    Some(until) => self.frontier.give_back(pick, until),
                    None => return Some(pick),
                },
            }
        }
    }

    /// Takes a source out of the frontier: it was removed, or its robot rests. When the robot
    /// works again the source is due at once, with its history where that is why it was here.
    fn lay_aside(&mut self, pick: Pick, now: Timestamp) {
        self.frontier.give_back(pick, now);
        self.frontier.cancel(pick.id);
        if let Some(slot) = self.sources.get_mut(pick.id)
            && slot.aim == Aim::History
        {
            slot.news_at = slot.news_at.min(now);
        }
        self.leave_history(pick.id);
    }

    fn lease(&mut self, pick: Pick) {
        let (visit, wants_more) = self.visits.next_number();
        if wants_more {
            self.want(Effect::ReserveVisits(VISITS_RESERVED));
        }
        // A deadline is set while an answer is outstanding, and only then.
        self.frontier.lease(pick, visit, Timestamp::MAX);
        let slot = self.sources.get_mut(pick.id).expect("only known sources are picked");
        slot.is_leased = true;
        let aim = std::mem::replace(&mut slot.aim, Aim::News);
        self.visits.await_source(pick.id, visit, aim);
        self.want(Effect::Load(pick.id));
    }

    /// On the wall: when a request that never came back is given up.
    pub(super) fn lease_deadline(&self) -> Timestamp {
        Timestamp::from_ms(i64::try_from(self.wall_ms + self.options.lease_ms).unwrap_or(i64::MAX))
    }

    /// The source came: the visit begins.
    pub(super) fn begin(&mut self, id: SourceId, source: Option<Box<Source>>, now: Timestamp) {
        let Some(awaited) = self.visits.source_came(id) else { return };
        self.begin_as(id, awaited, source, now);
    }

    /// The same for the visit that waited for it.
    pub(super) fn begin_as(
        &mut self,
        id: SourceId,
        (visit, aim): (VisitId, Aim),
        source: Option<Box<Source>>,
        now: Timestamp,
    ) {
        let Err(source) = self.join_group(visit, source, now) else { return };
        let Some(slot) = self.sources.get(id) else { return };
        let Some(mut source) = source.filter(|source| source.state.is_watched()) else {
            self.ungrade(id);
            if slot.state.is_watched() {
                self.prices.count(TariffKey::new(slot.key, slot.robot), false);
            }
            self.end_share_turn(id);
            self.sources.forget(id);
            self.frontier.close_unsent(visit);
            self.frontier.cancel(id);
            return self.end_history(slot.key, aim);
        };
        if source.root_id.is_empty()
            && let Some(handle) = &source.handle
            && let Some(root_id) = self.sources.root_id(&source.network, handle)
        {
            source.root_id.clone_from(root_id);
        }
        let connector = self.networks.connector_for(&source.network);
        let endpoint = connector.as_deref().and_then(|connector| own_endpoint(connector, &source));
        let Some(endpoint) = endpoint else {
            let why = format!("`{}` has no endpoint `{}` any more", source.network, source.endpoint);
            let walk = Walk::nowhere();
            self.visits.open(Visit::new(visit, *source, slot.key, aim, walk, now));
            return self.fail(visit, &why, false, now);
        };
        if self.is_unarmed(&source) {
            self.visits.open(Visit::new(visit, *source, slot.key, aim, Walk::nowhere(), now));
            return self.rest_unarmed(visit, now);
        }
        let lateness = match self.reconsider(&source, slot, aim, now) {
            Timing::Due(lateness) => lateness,
            Timing::Early(due_at, step) => return self.wait_longer(visit, &source, (due_at, step), now),
            Timing::Covered(until) => return self.rest_streamed(visit, &source, until, now),
        };
        let (intent, rechecked) = match aim {
            Aim::Recheck => self.rechecks.intent(slot.key, id),
            Aim::News | Aim::History => (Intent::First, None),
        };
        let mut walk = match aim {
            Aim::Recheck => Walk::recheck(intent),
            Aim::News | Aim::History => Walk::start(&source, endpoint, aim),
        };
        walk.has_owner = connector.as_deref().is_some_and(|connector| connector.single(ACCOUNT).is_some());
        if source.state == SourceState::OptedOut && self.options.honours_opt_out {
            walk.ask_consent(&source, endpoint);
        }
        let is_streamed = aim == Aim::News && self.reconcile_at(slot.key, &source, now).is_some();
        let mut open = Visit::new(visit, *source, slot.key, aim, walk, now);
        (open.lateness, open.rechecked, open.is_streamed) = (lateness, rechecked, is_streamed);
        self.visits.open(open);
        if !self.form_group(visit, now) {
            self.send(visit, now);
        }
    }

    /// Step 4: makes the request of a visit and sends it when politeness and quotas allow.
    pub(super) fn send(&mut self, id: VisitId, now: Timestamp) {
        if !self.may_ask() && self.visits.get(id).is_some() {
            return self.wait_for_store(id, now);
        }
        let Some(visit) = self.visits.get(id) else { return };
        if self.is_shut(visit.key, id, now) {
            return self.turn_back(id, false, now);
        }
        if self.yields_to_group(id) {
            return self.visits.wait_until(now + PLACE_GAP, id);
        }
        let orders = match self.orders(visit) {
            Ok(orders) => orders,
            Err(why) => return self.fail(id, &why, false, now),
        };
        let (key, is_permitted) = (visit.key, visit.is_permitted);
        if !self.frontier.resume(id) {
            self.visits.wait_until(now + PLACE_GAP, id);
            return;
        }
        let allowed_at = if is_permitted { now } else { self.frontier.allowed_at(key) };
        if allowed_at > now {
            return self.postpone(id, allowed_at, now);
        }
        match self.grant(orders, now) {
            Ok(Granted { order, claim, reserved_by }) => {
                if !is_permitted {
                    self.frontier.allow_request(key, now).expect("it was allowed a moment ago");
                }
                self.pay(id, claim, now);
                match reserved_by {
                    Some(number) => self.visits.hold(number, id, order),
                    None => self.dispatch(id, order, now),
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
    pub(super) fn on_reserved(&mut self, number: u64, now: Timestamp) {
        self.ledger.confirm(number);
        self.release_errands();
        self.release_guests();
        self.release_streams();
        while let Some(orders) = self.visits.release(number) {
            for (visit, order) in orders {
                self.dispatch(visit, order, now);
            }
        }
    }

    /// A request was granted: it is counted and paid for, whether it leaves now or in a moment.
    fn pay(&mut self, id: VisitId, claim: Claim, now: Timestamp) {
        let visit = &mut self.visits[id];
        visit.fetch_count += 1;
        visit.order_count += 1;
        visit.asked_at = Some(now);
        visit.is_permitted = false;
        visit.credential.clone_from(&claim.asker.credential);
        visit.claim = Some(claim);
        let (key, robot) = (visit.key, visit.source.robot);
        self.note_asked(key, id);
        self.forums.note_asked(key, robot);
        self.pay_at_desk(id);
        self.charge(id, now);
        let source = self.visits[id].source.id;
        self.end_share_turn(source);
        self.end_choice(source, now);
        self.tally.fetches_count += 1;
    }

    /// Not now: a short wait is sat out in hand, which keeps the visit's place at its server. Before
    /// a longer one, news that have not begun rest with their robot, and the rest of a visit that
    /// has begun goes to the backlog.
    fn postpone(&mut self, id: VisitId, until: Timestamp, now: Timestamp) {
        self.tally.postponed_count += 1;
        if self.is_draining {
            return self.suspend(id, now);
        }
        let visit = &mut self.visits[id];
        // The permission was for now.
        visit.is_permitted = false;
        let (key, robot) = (visit.key, visit.source.robot);
        let is_first = visit.aim == Aim::News && visit.fetch_count == 0;
        let wait_max = match is_first {
            true => WAIT_FIRST,
            false if self.frontier.is_wanted(key) => WAIT_WANTED,
            false => WAIT_IN_HAND,
        };
        let has_more_news = visit.aim == Aim::News && !is_first && until - now <= WAIT_NEWS;
        let is_under_way = !visit.redirects.is_empty() || has_more_news;
        if until - now > wait_max && is_under_way {
            // It would begin at the same redirect, or at the top of its list, again: it waits where it is, without a place.
            self.frontier.rest(id);
            self.visits.wait_until(until, id);
        } else if until - now <= wait_max {
            self.visits.wait_until(until, id);
            if is_first {
                self.frontier.hold(key, until);
            }
        } else if is_first {
            self.servers.rest(key, robot, until);
            self.keep_turn(id, until);
        } else {
            self.backlogs.put_off(key, until);
            self.suspend(id, now);
        }
    }

    /// The visit goes on where it is when the store has caught up.
    fn wait_for_store(&mut self, id: VisitId, now: Timestamp) {
        if self.is_draining {
            return self.suspend(id, now);
        }
        let visit = &mut self.visits[id];
        // The permission was for now.
        visit.is_permitted = false;
        self.visits.wait_until(now, id);
    }

    /// The network said "too many": the ledger knows, and nothing was got for this request.
    pub(super) fn on_rate_limited(&mut self, id: VisitId, until: Timestamp, now: Timestamp) {
        let visit = &mut self.visits[id];
        visit.fetch_count -= 1;
        self.postpone(id, until, now);
    }

    /// The first of these orders that may leave now, or when one may.
    fn grant(&mut self, orders: Vec<Order>, now: Timestamp) -> Result<Granted, Timestamp> {
        let mut until = Timestamp::MAX;
        for order in orders {
            let claim = Claim::of(&order.request, self.budgets.needs(&order.request));
            match self.ledger.grant(&claim, now) {
                Ok(reserved_by) => {
                    self.robots.next_turn();
                    return Ok(Granted { order, claim, reserved_by });
                }
                Err(at) => until = until.min(at),
            }
        }
        Err(until)
    }

    /// What this visit asks for next, with each credential that it may use.
    fn orders(&self, visit: &Visit) -> Result<Vec<Order>, String> {
        let source = &visit.source;
        let holders = self.robots.in_turn(self.holders(source), visit.credential.as_deref());
        if holders.is_empty() {
            if let Some(viewer) = &source.viewer {
                return Err(format!("the credential of the viewer `{viewer}` is missing"));
            }
            return Ok(vec![self.order(visit, None)?]);
        }
        holders.iter().map(|holder| self.order(visit, Some(holder))).collect()
    }

    fn order(&self, visit: &Visit, holder: Option<&Holder>) -> Result<Order, String> {
        let source = &visit.source;
        let networks = self.networks.snapshot();
        let network = networks
            .get(source.network.definition())
            .ok_or_else(|| format!("there is no definition for `{}`", source.network))?;
        let connector = &network.connector;
        let (endpoint, root) = visit.walk.question(source, &**connector).ok_or_else(|| {
            format!(
                "`{}` cannot look up `{}`",
                source.network,
                source.handle.as_deref().unwrap_or("(nothing)")
            )
        })?;
        let instance = Arc::clone(self.servers.instance(visit.key));
        let target = Target {
            instance: &instance,
            endpoint: &endpoint.name,
            root,
            credential: holder,
            validators: visit.walk.is_conditional(source).then_some(&source.validators),
        };
        let mut request =
            connector.ask(&target, &visit.walk.intent).map_err(|refused| refused.to_string())?;
        request.allow_private = instance.allow_private;
        request.redirects = Redirects::Told(visit.redirects.clone());
        request.patience = self.patience(visit.key);
        let (endpoint, root) = (Arc::clone(&endpoint.name), root.to_owned());
        let intent = visit.walk.intent.clone();
        let id = OrderId { visit: visit.id, number: visit.order_count + 1 };
        Ok(Order { id, request, version: network.version, instance, endpoint, root, intent })
    }
}

/// A request that may leave, with what it took.
struct Granted {
    order: Order,
    claim: Claim,
    /// The reservation that must be written first.
    reserved_by: Option<u64>,
}

/// The gentlest politeness that any endpoint of the server's network asks for.
pub(super) fn politeness(networks: &Networks, instance: &Instance) -> Politeness {
    let unknown = Politeness { pause: Span::ZERO, in_flight_max: 8 };
    let Some(connector) = networks.connector_for(&instance.network) else { return unknown };
    let gentlest = |one: Politeness, other: Politeness| Politeness {
        pause: one.pause.max(other.pause),
        in_flight_max: one.in_flight_max.min(other.in_flight_max).max(1),
    };
    connector.endpoints().iter().map(|endpoint| endpoint.politeness).reduce(gentlest).unwrap_or(unknown)
}
