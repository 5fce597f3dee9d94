//! Steps 3 (pick) and 4 (ask) of 10: from a due source to a request on its way.

use std::sync::Arc;

use freshet_frontier::Pick;
use freshet_network::networks::Networks;
use freshet_types::{
    Instance, NetworkName, Politeness, RobotKind, RobotState, Source, SourceId, SourceState, Span, Target,
    Timestamp, VisitId,
};

use super::{Core, Effect};
use crate::visit::{Order, Visit, own_endpoint};
use crate::walk::{Aim, Leg, Walk};

/// A quota that frees within this time is waited for with the visit in hand.
const WAIT_IN_HAND: Span = Span::from_secs(5);
/// Sources of one server that may read their history at once.
pub(super) const HISTORY_OPEN_MAX: usize = 4;
/// Front queue of history: behind all news.
const HISTORY_CLASS: u8 = 15;
/// How soon a source of a resting robot is looked at again by the scheduler, not by a fetch.
const ROBOT_RECHECK: Span = Span::from_secs(5);

impl Core {
    /// Sends what may be sent now, and begins what may be begun now.
    pub(super) fn pump(&mut self, now: Timestamp) {
        while let Some(&(at, visit)) = self.waiting.first()
            && at <= now
        {
            self.waiting.pop_first();
            self.send(visit, now);
        }
        if self.is_draining {
            return;
        }
        self.pump_history(now);
        while self.has_room()
            && let Some(pick) = self.pick(now)
        {
            self.lease(pick);
        }
    }

    fn has_room(&self) -> bool {
        self.open_count() < self.options.visits_max && self.upload_count < self.options.uploads_max
    }

    /// The next due source whose robot works and whose server may be asked.
    fn pick(&mut self, now: Timestamp) -> Option<Pick> {
        loop {
            let pick = self.frontier.pick(now)?;
            let slot = self.slots.get(pick.id.0 as usize).copied().flatten();
            match slot {
                Some(slot) if slot.state != SourceState::Removed => {
                    if self.robots[slot.robot as usize] == RobotState::Running {
                        return Some(pick);
                    }
                    self.frontier.give_back(pick, now + ROBOT_RECHECK);
                }
                _ => {
                    self.frontier.give_back(pick, now);
                    self.frontier.cancel(pick.id);
                }
            }
        }
    }

    /// Lets history come after the news: a few sources of each server at a time.
    fn pump_history(&mut self, now: Timestamp) {
        for key in 0..self.backlogs.len() {
            let mut tries = self.backlogs[key].queue.len();
            while tries > 0 && self.backlogs[key].is_waiting() && self.backlogs[key].ready_at <= now {
                tries -= 1;
                let Some(id) = self.backlogs[key].queue.pop_front() else { break };
                let Some(slot) = self.slot_mut(id) else { continue };
                if slot.is_leased {
                    self.backlogs[key].queue.push_back(id);
                } else if slot.state == SourceState::Active {
                    slot.aim = Aim::History;
                    self.backlogs[key].open_count += 1;
                    self.frontier.schedule(id, key as u32, HISTORY_CLASS, now);
                }
            }
        }
    }

    fn lease(&mut self, pick: Pick) {
        let visit = self.next_visit();
        let deadline = self.lease_deadline();
        self.frontier.lease(pick, visit, deadline);
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

    /// The record came: the visit begins.
    pub(super) fn begin(&mut self, id: SourceId, source: Option<Box<Source>>, now: Timestamp) {
        let Some((visit, aim)) = self.loading.remove(&id) else { return };
        let Some(slot) = self.slot_mut(id).copied() else { return };
        let Some(mut source) = source.filter(|source| source.state != SourceState::Removed) else {
            self.slots[id.0 as usize] = None;
            self.frontier.close(visit);
            self.frontier.cancel(id);
            return self.end_history(u32::from(slot.key), aim);
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
            self.visits.insert(visit, Visit::new(visit, *source, u32::from(slot.key), aim, walk, now));
            return self.fail(visit, &why, false, now);
        };
        let walk = Walk::start(&source, endpoint, aim);
        let open = Visit::new(visit, *source, u32::from(slot.key), aim, walk, now);
        self.visits.insert(visit, open);
        self.send(visit, now);
    }

    /// Step 4: makes the request of a visit and sends it when manners and quotas allow.
    pub(super) fn send(&mut self, id: VisitId, now: Timestamp) {
        let Some(visit) = self.visits.get(&id) else { return };
        let order = match self.order(visit) {
            Ok(order) => order,
            Err(why) => return self.fail(id, &why, false, now),
        };
        // The pick was the first request's permission; every further one asks for its own.
        let polite = if visit.fetch_count == 0 { Ok(()) } else { self.frontier.again(visit.key, now) };
        match polite.and_then(|()| self.ledger.grant(&order.request.needs, now)) {
            Ok(()) => self.dispatch(id, order),
            Err(until) => self.postpone(id, until, now),
        }
    }

    fn dispatch(&mut self, id: VisitId, order: Order) {
        let visit = self.visits.get_mut(&id).expect("the visit was found a moment ago");
        visit.fetch_count += 1;
        visit.needs.clone_from(&order.request.needs);
        let deadline = self.lease_deadline();
        self.frontier.extend(id, deadline);
        self.tally.fetches_count += 1;
        let fetcher = self.placement.place();
        self.want(Effect::Fetch(fetcher, Box::new(order)));
    }

    /// Not now: news wait in hand while their server rests; history goes back to its queue.
    fn postpone(&mut self, id: VisitId, until: Timestamp, now: Timestamp) {
        self.tally.postponed_count += 1;
        if self.is_draining {
            return self.suspend(id, now);
        }
        let visit = &self.visits[&id];
        let key = visit.key;
        let is_first = visit.fetch_count == 0;
        if visit.aim == Aim::News && is_first {
            self.frontier.hold(key, until);
            self.waiting.insert((until, id));
            self.frontier.extend(id, Timestamp::MAX);
        } else if until - now <= WAIT_IN_HAND {
            self.waiting.insert((until, id));
            self.frontier.extend(id, Timestamp::MAX);
        } else {
            let backlog = &mut self.backlogs[key as usize];
            backlog.ready_at = backlog.ready_at.max(until);
            self.suspend(id, now);
        }
    }

    /// The network said "too many": its server rests, whatever we believed of the quota.
    pub(super) fn wait_out(&mut self, id: VisitId, until: Timestamp, now: Timestamp) {
        let visit = self.visits.get_mut(&id).expect("the caller found it");
        visit.fetch_count -= 1;
        self.frontier.hold(visit.key, until);
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
        let credential = (self.credential)(&source.network, source.robot);
        let is_first = visit.walk.leg == Leg::List && visit.walk.intent == freshet_types::Intent::First;
        let target = Target {
            instance: &instance,
            endpoint: &endpoint.name,
            root,
            credential: credential.as_ref(),
            validators: is_first.then_some(&source.validators),
        };
        let mut request =
            connector.ask(&target, &visit.walk.intent).map_err(|refused| refused.to_string())?;
        request.allow_private = instance.allow_private;
        let (endpoint, root) = (Arc::clone(&endpoint.name), root.to_owned());
        let intent = visit.walk.intent.clone();
        Ok(Order { visit: visit.id, request, connector, instance, endpoint, root, intent })
    }
}

/// The gentlest manners that any endpoint of the server's network asks for.
pub(super) fn manners(networks: &Networks, instance: &Instance) -> Politeness {
    let lenient = Politeness { pause: Span::ZERO, in_flight_max: 8 };
    let Some(connector) = networks.connector_for(&instance.network) else { return lenient };
    connector.endpoints().iter().map(|endpoint| endpoint.politeness).fold(lenient, |one, other| Politeness {
        pause: one.pause.max(other.pause),
        in_flight_max: one.in_flight_max.min(other.in_flight_max.max(1)),
    })
}

/// Front queue of a source: what a person added and weighs more comes first, profiles last.
pub(super) fn class_of(robot: RobotKind, weight: f32) -> u8 {
    let by_robot = match robot {
        RobotKind::Status => 1,
        RobotKind::Comment => 2,
        RobotKind::User | RobotKind::Relation | RobotKind::Tag => 3,
    };
    if weight > 1.0 { by_robot - 1 } else { by_robot }
}

/// Kept small: handles of accounts that several sources share.
pub(super) fn remember_handle(core: &mut Core, network: &NetworkName, handle: &str, root_id: &str) {
    const HANDLES_MAX: usize = 100_000;
    if core.handles.len() >= HANDLES_MAX {
        core.handles.clear();
    }
    core.handles.insert((network.clone(), handle.to_owned()), root_id.to_owned());
}
