//! Who has the next turn, under policies that are an order alone. Part of step 3 (pick) of 10.
//!
//! Their sources wait for no due time but the floor. They stand in one line for each server and robot ([`freshet_policy::turns`]), and when the
//! quota has a call the first of the line that can be visited is chosen: it goes through the frontier like any other, so that
//! politeness, outages and refusals are the same as everywhere. A few are chosen ahead of their calls ([`CHOSEN_MAX`]), while they are read from the
//! store.
//!
//! | who | does |
//! |---|---|
//! | a source that comes due (visited, new, revived) | joins, unless it stands there |
//! | one that is paused, removed, failed or gone | is dropped when it is come by, and joins again when it comes due |
//! | one that a person wants now | is chosen at once |
//! | one whose pace a person chose, a list of a forum | does not stand in line |
//! | history | is read between the turns; a source leaves it when its turn comes |
//!
//! Nothing of this is stored: a restart begins a round, and nobody is visited twice before all were visited once but those of the round that
//! was cut short.

use std::collections::BTreeMap;

use freshet_frontier::frontier::CANDIDATE;
use freshet_policy::turns::{Standing, Turns};
use freshet_types::{NetworkName, RobotKind, Set, SourceId, SourceState, Span, Timestamp};

use super::calls::Calls;
use super::{Core, Slot};
use crate::price::TariffKey;
use crate::schedule;
use crate::walk::Aim;

/// Sources of one line that have their turn and have not been granted their call yet.
const CHOSEN_MAX: usize = 16;
/// Whoever is due no sooner than this leaves the line until then: a thread that fell silent.
const AWAY: Span = Span::from_secs(600);
/// How soon a line is looked at again that has all chosen that it may: a person may have taken them away.
const LOOK_AGAIN: Span = Span::MINUTE;

/// One line, and who of it has its turn.
#[derive(Debug)]
struct Line {
    turns: Turns,
    chosen: Vec<SourceId>,
    /// When this round began.
    begun_at: Timestamp,
}

/// All lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    by_tariff: BTreeMap<TariffKey, Line>,
    /// Lines that may have a call to give, by when.
    calls: Calls<TariffKey>,
    /// Sources whose pace a person chose.
    pinned: Set<SourceId>,
}

/// A line as reports show it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LineView {
    pub(crate) network: NetworkName,
    pub(crate) robot: RobotKind,
    /// Which round it is, and when it began.
    pub(crate) round: u64,
    pub(crate) begun_at: Timestamp,
    /// How many stand in the line, and how many are left of this round.
    pub(crate) source_count: usize,
    pub(crate) left_count: usize,
}

impl Lines {
    /// When the next call is to be given.
    pub(super) fn wake_at(&self) -> Option<Timestamp> {
        self.calls.first()
    }

    /// There may be calls for everybody now.
    pub(super) fn call_all(&mut self, now: Timestamp) {
        self.by_tariff.keys().for_each(|key| self.calls.add(*key, now));
    }

    /// A person chose the pace of a source, or leaves it to the policy.
    pub(super) fn set_pinned(&mut self, id: SourceId, is_pinned: bool) {
        if is_pinned {
            self.pinned.insert(id);
        } else {
            self.pinned.remove(&id);
        }
    }
}

impl Core {
    /// Whether a source waits for its turn, not for a due time.
    pub(super) fn takes_turns(&self, id: SourceId, slot: &Slot) -> bool {
        self.policy.turn_order().is_some()
            && matches!(slot.robot, RobotKind::Status | RobotKind::Comment)
            && slot.state == SourceState::Active
            && !self.forums.contains(slot.key)
            && !self.lines.pinned.contains(&id)
    }

    /// A source waits for its turn from when it may be visited again on.
    pub(super) fn await_turn(&mut self, id: SourceId, slot: &Slot) {
        self.unchoose(id, slot);
        self.frontier.schedule(id, slot.key, CANDIDATE, slot.news_at);
    }

    /// A source may be visited again: it stands in its line.
    pub(super) fn join_line(&mut self, id: SourceId, slot: &Slot, now: Timestamp) {
        let Some(order) = self.policy.turn_order() else { return };
        let key = TariffKey::new(slot.key, slot.robot);
        if !slot.is_in_line
            && let Some(slot) = self.sources.get_mut(id)
        {
            slot.is_in_line = true;
            let seed = now.ms().unsigned_abs() ^ u64::from(slot.key.0);
            let line = self.lines.by_tariff.entry(key).or_insert_with(|| Line {
                turns: Turns::new(order, seed),
                chosen: Vec::new(),
                begun_at: now,
            });
            line.turns.join(id.0);
        }
        self.lines.calls.add(key, now);
    }

    /// Gives the turns for which there are calls.
    pub(super) fn pump_turns(&mut self, now: Timestamp) {
        while let Some(key) = self.lines.calls.pop(now) {
            if let Some(mut line) = self.lines.by_tariff.remove(&key) {
                self.give_turns(key, &mut line, now);
                self.lines.by_tariff.insert(key, line);
            }
        }
    }

    fn give_turns(&mut self, key: TariffKey, line: &mut Line, now: Timestamp) {
        // A person may have taken one off the list, or its owner asks not to be collected.
        line.chosen.retain(|&id| self.sources.get(id).is_some_and(|slot| self.takes_turns(id, &slot)));
        loop {
            // When one of them is granted its call, the next may be chosen.
            if line.chosen.len() >= CHOSEN_MAX {
                return self.lines.calls.add(key, now + LOOK_AGAIN);
            }
            let call_count = line.chosen.len() as u32 + 1;
            let ready_at = self.prices.ready_at(key, call_count, &self.ledger, now);
            if ready_at > now {
                return self.lines.calls.add(key, ready_at);
            }
            let (round, mut gone) = (line.turns.round(), Vec::new());
            let chosen = &line.chosen;
            let standing = |number: u32| self.standing(SourceId(number), key, chosen, now);
            let pull = |number: u32| self.sources.get(SourceId(number)).map_or(0.0, |slot| slot.grade.pull());
            let next = line.turns.pop(standing, pull, &mut gone);
            if line.turns.round() != round {
                line.begun_at = now;
            }
            for number in gone {
                if let Some(slot) = self.sources.get_mut(SourceId(number)) {
                    slot.is_in_line = false;
                }
            }
            let Some(id) = next.map(SourceId) else { return };
            line.chosen.push(id);
            self.begin_turn(id, key);
        }
    }

    /// Whether a source that stands in this line can be visited now.
    fn standing(&self, id: SourceId, key: TariffKey, chosen: &[SourceId], now: Timestamp) -> Standing {
        let is_ours = |slot: &Slot| TariffKey::new(slot.key, slot.robot) == key && self.takes_turns(id, slot);
        match self.sources.get(id).filter(is_ours) {
            None => Standing::Gone,
            Some(slot) if slot.is_leased || chosen.contains(&id) || !self.is_at_work(&slot) => Standing::Soon,
            Some(slot) if slot.news_at > now + AWAY => Standing::Gone,
            Some(slot) if slot.news_at > now => Standing::Soon,
            Some(_) => Standing::Ready,
        }
    }

    /// It is due at once, and does not read its history before.
    fn begin_turn(&mut self, id: SourceId, key: TariffKey) {
        if self.sources.get(id).is_some_and(|slot| slot.aim == Aim::History) {
            self.leave_history(id);
        }
        self.frontier.schedule(id, key.server(), schedule::class_of(key.robot()), Timestamp::MIN);
    }

    /// A person wants a source now: it has its turn before all others.
    pub(super) fn jump_line(&mut self, id: SourceId) {
        let Some(slot) = self.sources.get(id).filter(|slot| !slot.is_leased) else { return };
        let key = TariffKey::new(slot.key, slot.robot);
        if !self.takes_turns(id, &slot) {
            return;
        }
        if let Some(line) = self.lines.by_tariff.get_mut(&key)
            && !line.chosen.contains(&id)
        {
            line.chosen.push(id);
        }
        self.begin_turn(id, key);
    }

    /// A call was granted to this source, or it waits anew.
    fn unchoose(&mut self, id: SourceId, slot: &Slot) {
        if let Some(line) = self.lines.by_tariff.get_mut(&TariffKey::new(slot.key, slot.robot)) {
            line.chosen.retain(|chosen| *chosen != id);
        }
    }

    /// A call was granted to this source: the next may be chosen.
    pub(super) fn end_turn(&mut self, id: SourceId, slot: &Slot, now: Timestamp) {
        let key = TariffKey::new(slot.key, slot.robot);
        if self.lines.by_tariff.contains_key(&key) {
            self.unchoose(id, slot);
            self.lines.calls.add(key, now);
        }
    }

    /// All lines, for reports.
    pub(crate) fn line_views(&self) -> impl Iterator<Item = LineView> {
        self.lines.by_tariff.iter().map(|(key, line)| LineView {
            network: self.servers.network(key.server()).clone(),
            robot: key.robot(),
            round: line.turns.round(),
            begun_at: line.begun_at,
            source_count: line.turns.len(),
            left_count: line.turns.left(),
        })
    }
}
