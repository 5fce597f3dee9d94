//! Who gets a call that is scarce. Part of step 2 (schedule) of 10.
//!
//! Where a quota gives fewer calls than would be worth their while, somebody always waits for the next one. First come, first
//! served would be dear: a source that is due every hour and is an hour late has lost much, one that is due every week has not.
//! So the call goes to the largest **lateness** ([`freshet_policy::slack`]): at a constant rate, the time since the last visit as a
//! share of the planned gap. So it goes in experiments too, where in every slot the best of all is visited. Nobody is visited early
//! while another is late, and a call for which nobody is due goes to who is nearest to it: what a window leaves is not saved up. Only a
//! call for a group waits until its first is due, since others come to go with it.
//!
//! | idea | here |
//! |---|---|
//! | a source bids when [`BID_SHARE`] of its gap has passed | [`CANDIDATE`] of the frontier |
//! | bids of one slack are in the order of their due times, so only the first can win | `Bids::lanes` |
//! | a call is given when the quota has one, to a few winners ahead of it at most | `Core::pump_auction` |
//! | servers that share the scarcest calls, by a budget of their network or of all, bid together | `core/auction/shared.rs` |
//!
//! Bids are not taken back: one that no longer fits what is known of its source is passed over. History and other robots
//! are not kept waiting by early visits. Cost of a call: O(slacks that are told apart).

mod bids;
mod shared;

use freshet_frontier::frontier::CANDIDATE;
use freshet_types::{Map, RobotKind, ServerKey, Set, SourceId, SourceState, Span, Timestamp};

use super::calls::Calls;
use super::sources::Planned;
use super::{Core, Slot};
use crate::price::{ScopeKey, TariffKey};
use bids::{Bids, Lane, Leader};

/// Share of its planned gap after which a source may be visited, if nobody is nearer to being due.
const BID_SHARE: f64 = 0.1;
/// Winners of one server that have not been granted their call yet; they are being read from the store.
const CHOSEN_MAX: usize = 16;
/// Bids that are given up at once when calls are not scarce any more.
const DISMISSED_AT_ONCE: usize = 4096;

/// Who has calls to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Giver {
    /// A server, to its own sources.
    Server(ServerKey),
    /// A scope that several servers pay to, to the sources of all of them.
    Shared(ScopeKey),
}

/// All bids.
#[derive(Debug, Default)]
pub(super) struct Auction {
    by_server: Map<ServerKey, Bids>,
    /// Who has a call to give, by when.
    calls: Calls<Giver>,
}

impl Auction {
    /// When the next call is to be given.
    pub(super) fn wake_at(&self) -> Option<Timestamp> {
        self.calls.first()
    }

    /// This source waits for a call no longer, or waits anew.
    fn end_choice(&mut self, key: ServerKey, id: SourceId) {
        if let Some(bids) = self.by_server.get_mut(&key) {
            bids.chosen.retain(|chosen| *chosen != id);
        }
    }

    fn bid(&mut self, key: ServerKey, lane: Lane, due_at: Timestamp, id: SourceId) {
        self.by_server.entry(key).or_default().add(lane, due_at, id);
    }
}

impl Core {
    /// Has a source wait for its news: until it is due or, where calls are scarce, until it may bid for one.
    pub(super) fn await_news(&mut self, id: SourceId) {
        let Some(slot) = self.sources.get(id) else { return };
        self.auction.end_choice(slot.key, id);
        if self.takes_turns(id, &slot) {
            return self.await_turn(id, &slot);
        }
        if self.is_dealt(id, &slot) {
            self.await_at_desk(slot.key, id);
            return self.frontier.schedule(id, slot.key, CANDIDATE, slot.news_at);
        }
        match self.bid_of(&slot) {
            Some(planned) => {
                let gap = planned.gap.span();
                let bid_at = slot.news_at - gap + (gap * BID_SHARE).max(self.policy.pacing().floor);
                self.frontier.schedule(id, slot.key, CANDIDATE, bid_at);
            }
            None => self.frontier.schedule(id, slot.key, slot.class(), slot.news_at),
        }
    }

    /// What was planned of a source that waits for its news, where it is to bid for its call.
    fn bid_of(&self, slot: &Slot) -> Option<Planned> {
        let is_meant = slot.robot == RobotKind::Status && slot.state == SourceState::Active;
        let is_scarce = is_meant && self.prices.is_scarce(TariffKey::new(slot.key, slot.robot));
        slot.planned.filter(|_| is_scarce)
    }

    /// Lets sources bid, and gives the calls that there are.
    pub(super) fn pump_auction(&mut self, now: Timestamp) {
        while let Some(id) = self.frontier.pop_candidate(now) {
            let Some(slot) = self.sources.get(id).filter(Slot::waits_for_news) else { continue };
            if self.takes_turns(id, &slot) {
                self.join_line(id, &slot, now);
                continue;
            }
            if self.is_dealt(id, &slot) {
                self.fall_due_at_desk(&slot, id);
                continue;
            }
            let Some(planned) = self.bid_of(&slot) else {
                self.frontier.schedule(id, slot.key, slot.class(), slot.news_at);
                continue;
            };
            let is_single = self.group_size(slot.key, now) < 2 || self.is_single(id, slot.key, planned, now);
            let lane = Lane { is_single, slack: planned.slack };
            self.auction.bid(slot.key, lane, slot.news_at, id);
            self.call_at(slot.key, now);
        }
        while let Some(giver) = self.auction.calls.pop(now) {
            match giver {
                Giver::Server(key) => self.give_calls(key, now),
                Giver::Shared(scope) => self.give_shared_calls(scope, now),
            }
        }
    }

    /// Who gives the calls of a server.
    fn giver_of(&self, key: ServerKey) -> Giver {
        let shared = self.prices.shared(TariffKey::new(key, RobotKind::Status));
        shared.map_or(Giver::Server(key), Giver::Shared)
    }

    /// There may be a call for the sources of a server then.
    fn call_at(&mut self, key: ServerKey, at: Timestamp) {
        if self.auction.by_server.contains_key(&key) {
            self.auction.calls.add(self.giver_of(key), at);
        }
    }

    /// There may be calls for everybody now.
    pub(super) fn call_all(&mut self, now: Timestamp) {
        let keys: Vec<ServerKey> = self.auction.by_server.keys().copied().collect();
        for key in keys {
            self.call_at(key, now);
        }
    }

    /// Gives the calls that a server has now.
    fn give_calls(&mut self, key: ServerKey, now: Timestamp) {
        let tariff = TariffKey::new(key, RobotKind::Status);
        if !self.prices.is_scarce(tariff) {
            return self.dismiss(key, now);
        }
        // It may have come to share its calls since it was to give one.
        if let giver @ Giver::Shared(_) = self.giver_of(key) {
            return self.auction.calls.add(giver, now);
        }
        loop {
            let chosen_count = self.chosen_count(key);
            // When the last of them is granted its call, the next may be chosen.
            if chosen_count >= CHOSEN_MAX {
                return;
            }
            let ready_at = self.prices.ready_at(tariff, chosen_count as u32 + 1, &self.ledger, now);
            if ready_at > now {
                return self.call_at(key, ready_at);
            }
            let Some(leader) = self.leader(key, now) else { return };
            if leader.due_at > now && (self.is_wanted_by_others(key) || self.gathers(key, leader, now)) {
                return self.call_at(key, leader.due_at);
            }
            if !self.choose(key, leader) {
                return;
            }
        }
    }

    /// Whether a call waits until its leader is due, so that others come to go with it: given at once it would be for the leader alone, who
    /// rarely has news, and calls would go on visits as if nobody could be asked about together.
    fn gathers(&self, key: ServerKey, leader: Leader, now: Timestamp) -> bool {
        !leader.lane.is_single && self.group_size(key, now) > 1
    }

    /// How many sources of a server have won a call and are not granted it yet.
    fn chosen_count(&mut self, key: ServerKey) -> usize {
        let sources = &self.sources;
        let Some(bids) = self.auction.by_server.get_mut(&key) else { return 0 };
        // A person may have taken one off the list.
        bids.chosen.retain(|&id| sources.get(id).is_some_and(|slot| slot.state.is_watched()));
        bids.chosen.len()
    }

    /// Whether somebody waits for this server's calls who does not bid, or has won already.
    fn is_wanted_by_others(&self, key: ServerKey) -> bool {
        self.frontier.due_count_of(key) > 0 || self.backlogs.is_busy(key)
    }

    /// Who gets the next call of a server: of those that bid for a visit, or for a place in a group, the first.
    fn leader(&mut self, key: ServerKey, now: Timestamp) -> Option<Leader> {
        // A server that refused probes may answer them again.
        self.set_group(key, now);
        let (single, grouped) = (self.first_bid(key, true, now), self.first_bid(key, false, now));
        let Some(other) = grouped else { return single };
        if self.group_size(key, now) < 2 {
            return single.filter(|one| other.lateness <= one.lateness).or(grouped);
        }
        let is_merged = self.is_merged(key, now);
        if single.is_none() && !is_merged {
            return grouped;
        }
        let (members, group) = self.best_group(key, now);
        let is_visit = |one: &Leader| members.is_empty() || group <= self.worth_of(one.id, now);
        if let Some(one) = single.filter(is_visit) {
            return Some(one);
        }
        let latest = members.into_iter().filter(|_| is_merged).filter_map(|id| self.bid_in_group(id, now));
        latest.max_by(|one, other| one.lateness.total_cmp(&other.lateness)).or(grouped)
    }

    /// The bid of a source for a place in a group.
    fn bid_in_group(&self, id: SourceId, now: Timestamp) -> Option<Leader> {
        let slot = self.sources.get(id)?;
        let (slack, due_at) = (slot.planned?.slack, slot.news_at);
        let lane = Lane { is_single: false, slack };
        Some(Leader { id, lateness: slack.slack().lateness(due_at, now), due_at, lane })
    }

    /// Takes those that bid for a place in a group and are worth it, the latest first, so many at most.
    pub(super) fn take_bids(&mut self, key: ServerKey, count: usize, now: Timestamp) -> Vec<SourceId> {
        let (share, room) = (1.0 / self.group_size(key, now) as f64, self.room_of(key, now));
        let (mut taken, mut seen) = (Vec::new(), Set::default());
        while taken.len() < count
            && let Some(first) = self.first_bid(key, false, now)
            && self.worth_of(first.id, now) + share + self.expected_of(first.id, now) / room > 0.0
            && let Some(bids) = self.auction.by_server.get_mut(&key)
        {
            // A source that bids twice goes once.
            taken.extend(bids.pop(first.lane).filter(|id| seen.insert(*id)));
        }
        taken
    }

    /// Those that were taken bid as before.
    pub(super) fn bid_again(&mut self, key: ServerKey, ids: &[SourceId]) {
        self.bid_all(key, ids, false);
    }

    /// Those that were taken bid for visits of their own.
    pub(super) fn bid_alone(&mut self, key: ServerKey, ids: &[SourceId]) {
        self.bid_all(key, ids, true);
    }

    fn bid_all(&mut self, key: ServerKey, ids: &[SourceId], is_single: bool) {
        for &id in ids {
            let Some(slot) = self.sources.get(id) else { continue };
            if let Some(planned) = slot.planned {
                self.auction.bid(key, Lane { is_single, slack: planned.slack }, slot.news_at, id);
            }
        }
    }

    /// The source of a server that bids most, for a visit or for a place in a group.
    fn first_bid(&mut self, key: ServerKey, is_single: bool, now: Timestamp) -> Option<Leader> {
        let mut bids = self.auction.by_server.remove(&key)?;
        let first = bids.first(is_single, now, |id, due_at| {
            self.sources.get(id).is_some_and(|slot| {
                slot.key == key
                    && bids::is_same(due_at, slot.news_at)
                    && slot.waits_for_news()
                    && slot.state == SourceState::Active
                    && self.is_at_work(&slot)
            })
        });
        self.auction.by_server.insert(key, bids);
        first
    }

    /// This bid has won a call; gives whether it was there.
    fn choose(&mut self, key: ServerKey, leader: Leader) -> bool {
        let Some(bids) = self.auction.by_server.get_mut(&key) else { return false };
        let Some(id) = bids.pop_one(leader.lane, leader.id) else { return false };
        let Some(slot) = self.sources.get_mut(id) else { return false };
        // It is not sent back for a price that rose: it has won at today's.
        slot.price_step = 0;
        bids.chosen.push(id);
        let class = slot.class();
        self.frontier.schedule(id, key, class, Timestamp::MIN);
        true
    }

    /// A call was granted to this source, or it goes back without one.
    pub(super) fn end_choice(&mut self, id: SourceId, now: Timestamp) {
        let Some(slot) = self.sources.get(id) else { return };
        self.auction.end_choice(slot.key, id);
        self.end_turn(id, &slot, now);
        self.call_at(slot.key, now);
    }

    /// Calls are not scarce any more: sources wait until they are due.
    fn dismiss(&mut self, key: ServerKey, now: Timestamp) {
        let Some(bids) = self.auction.by_server.get_mut(&key) else { return };
        let dismissed = bids.pop_some(DISMISSED_AT_ONCE);
        for &id in &dismissed {
            let waiting = self.sources.get(id).filter(|slot| slot.waits_for_news() && slot.key == key);
            if let Some(slot) = waiting {
                self.frontier.schedule(id, key, slot.class(), slot.news_at);
            }
        }
        if dismissed.len() < DISMISSED_AT_ONCE {
            self.auction.by_server.remove(&key);
        } else {
            self.auction.calls.add(Giver::Server(key), now + Span::SECOND);
        }
    }
}
