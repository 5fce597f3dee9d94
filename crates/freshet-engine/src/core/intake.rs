//! What the core is told of servers, sources and robots. Part of step 2 (schedule) of 10.
//!
//! The store has a source that waits for a price, a quota or its history as due sooner than the core: what the core knows
//! already stays as it is, unless a person changed it or a page shows activity.

use std::sync::Arc;

use freshet_frontier::Trust;
use freshet_network::networks::Registry;
use freshet_policy::Grade;
use freshet_store::row::{RobotRow, SourceSlot};
use freshet_types::{Instance, RobotState, ServerKey, SourceId, SourceState, Timestamp};

use super::sources::Planned;
use super::{Core, Slot, begin};
use crate::price::TariffKey;
use crate::schedule;
use crate::walk::Aim;

impl Core {
    /// Servers, known ones among them.
    pub(super) fn add_servers(&mut self, instances: Vec<Instance>, now: Timestamp) {
        for instance in instances {
            let Some(key) = self.servers.add(instance) else { continue };
            let politeness = begin::politeness(&self.networks, self.servers.instance(key));
            self.frontier.set_politeness(key, politeness);
            self.frontier.set_trust(key, Trust::New);
            self.prices.add_server(self.servers.network(key), politeness);
            self.backlogs.add_server(politeness);
            self.set_group(key, Timestamp::MIN);
            self.set_streams(key, now);
            self.forums.set(key, self.is_forum(key));
            self.backlogs.set_dealt(key, self.has_desk(key));
        }
    }

    /// Whether a server's network was mined.
    fn is_forum(&self, key: ServerKey) -> bool {
        let definition = self.servers.network(key).definition();
        self.networks.snapshot().get(definition).is_some_and(|network| network.front.is_some())
    }

    /// Tells everybody anew how gentle to be, where definitions were replaced.
    pub(super) fn refresh_politeness(&mut self, now: Timestamp) {
        let registry = self.networks.snapshot();
        if Arc::ptr_eq(&registry, &self.registry) {
            return;
        }
        let before = std::mem::replace(&mut self.registry, registry);
        for key in self.servers.keys() {
            let politeness = begin::politeness(&self.networks, self.servers.instance(key));
            self.frontier.set_politeness(key, politeness);
            self.prices.set_politeness(key, politeness);
            self.backlogs.set_politeness(key, politeness);
            self.set_group(key, now);
            self.set_streams(key, now);
            self.forums.set(key, self.is_forum(key));
            self.backlogs.set_dealt(key, self.has_desk(key));
            let definition = self.servers.network(key).definition();
            let connector =
                |registry: &Registry| registry.get(definition).map(|it| Arc::clone(&it.connector));
            let is_same = match (connector(&before), connector(&self.registry)) {
                (Some(before), Some(after)) => Arc::ptr_eq(&before, &after),
                _ => false,
            };
            if !is_same {
                self.forgive_unread(key, now);
            }
        }
    }

    /// Whether the core knows this slot, and knows better when it is due: the store has a source
    /// that waits for a price, a quota or its history as due sooner.
    fn is_current(&self, slot: &SourceSlot) -> bool {
        self.sources.get(slot.id).is_some_and(|known| {
            let is_touched = !known.state.is_watched() || !slot.state.is_watched();
            // What a visit finds is written page by page, and known here when it ends.
            known.state == slot.state || (known.is_leased && !is_touched)
        })
    }

    /// A person wants this source: its server is asked even if it was down.
    pub(super) fn bring_forward(&mut self, slot: &SourceSlot, now: Timestamp) {
        self.on_lead(slot, now);
        if let Some(key) = self.servers.key_of(&slot.network) {
            self.want_at_desk(key, slot.id);
            self.jump_line(slot.id);
            self.probe_now(key, now);
        }
    }

    /// A page led to this source: it is new, or due because of what the page showed.
    pub(super) fn on_lead(&mut self, slot: &SourceSlot, now: Timestamp) {
        if !self.is_current(slot) {
            self.note_found(slot);
            return self.add_source(slot, now);
        }
        let known = self.sources.get_mut(slot.id).filter(|known| slot.due_at < known.news_at);
        let Some(known) = known else { return };
        known.news_at = slot.due_at;
        (known.price_step, known.planned) = (0, None);
        if known.waits_for_news() {
            self.await_news(slot.id);
        }
    }

    pub(super) fn add_source(&mut self, slot: &SourceSlot, now: Timestamp) {
        let Some(key) = self.servers.key_of(&slot.network) else { return };
        if self.is_current(slot) {
            return;
        }
        let (robot, state) = (slot.robot, slot.state);
        // The ceiling may have been lowered since the source was last visited, or the clock set back.
        let news_at = slot.due_at.min(schedule::latest(robot, state, self.options.ceiling, now));
        let fresh = Slot {
            news_at,
            key,
            robot,
            state,
            planned: None,
            grade: Grade::NONE,
            price_step: 0,
            aim: Aim::News,
            is_leased: false,
            is_backlogged: false,
            is_in_line: false,
            is_streamed: false,
        };
        let before = self.sources.get(slot.id);
        let was_watched = before.is_some_and(|slot| slot.state.is_watched());
        match before {
            None if state == SourceState::Failed => self.note_failed(key, slot.id),
            // Only a person changes what is known and not being visited.
            Some(before) if !before.is_leased && state == SourceState::Active => self.probe_now(key, now),
            _ => {}
        }
        let mut known = before.unwrap_or(fresh);
        (known.news_at, known.price_step) = (news_at, 0);
        let gap = slot.gap.filter(|_| news_at == slot.due_at);
        known.planned = gap.map(Planned::even);
        (known.robot, known.state) = (robot, state);
        known.is_streamed = false;
        self.sources.set(slot.id, known);
        if before.is_none() {
            self.outgrow_streams(key);
        }
        self.add_to_desk(slot, key, now);
        let is_watched = state.is_watched();
        if was_watched != is_watched {
            self.prices.count(TariffKey::new(key, robot), is_watched);
        }
        if !is_watched {
            self.ungrade(slot.id);
            self.frontier.cancel(slot.id);
            self.leave_history(slot.id);
        } else if known.waits_for_news() {
            self.await_news(slot.id);
        }
    }

    /// A robot that works again finds its sources where they were; see [`Core::pick`].
    pub(super) fn set_robot(&mut self, row: RobotRow) {
        let robot = row.kind;
        if !self.robots.set(row) {
            return;
        }
        let is_meant = |slot: &Slot| {
            slot.robot == robot && slot.state.is_watched() && slot.waits_for_news() && self.is_at_work(slot)
        };
        let meant: Vec<SourceId> =
            self.sources.all().filter(|(_, slot)| is_meant(slot)).map(|(id, _)| id).collect();
        for id in meant {
            self.await_news(id);
        }
    }

    /// Whether the robot of a source works on its server. The lists of a forum were asked for with the forum: a robot
    /// that was not started elsewhere reads them all the same; one that is paused waits.
    pub(super) fn is_at_work(&self, slot: &Slot) -> bool {
        match self.robots.state(slot.robot) {
            RobotState::Running => true,
            RobotState::Paused => false,
            RobotState::Stopped => self.forums.contains(slot.key),
        }
    }
}
