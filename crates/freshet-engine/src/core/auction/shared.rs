//! Calls that servers share: the sources of all of them bid together.
//!
//! Where the scarcest calls are those of a budget for a network or for everything, a server that gave calls to its own would take
//! them from the others, whoever comes first. So the next call goes to the largest lateness of all servers that may be asked
//! now. One winner a server, since a server may turn out not to answer. Cost of a call: O(servers that share it · slacks).

use freshet_types::{RobotKind, ServerKey, Span, Timestamp};

use super::{CHOSEN_MAX, Giver, Leader};
use crate::core::Core;
use crate::price::{ScopeKey, TariffKey};

/// A server that may be asked no sooner than this has no say now.
const AWAY: Span = Span::SECOND;

impl Core {
    /// Gives the calls that a scope has now.
    pub(super) fn give_shared_calls(&mut self, scope: ScopeKey, now: Timestamp) {
        let payers: Vec<ServerKey> =
            self.prices.payers(scope, RobotKind::Status).map(TariffKey::server).collect();
        loop {
            // Those that won at servers that cannot be asked keep nobody waiting.
            let (there, away): (Vec<ServerKey>, Vec<ServerKey>) =
                self.bidders(&payers).partition(|key| !self.is_away(*key, now));
            let chosen_count: usize = there.iter().map(|key| self.chosen_count(*key)).sum();
            if chosen_count >= CHOSEN_MAX {
                return;
            }
            let ready_at = self.prices.scope_ready_at(scope, chosen_count as u32 + 1, &self.ledger, now);
            if ready_at > now {
                return self.auction.calls.add(Giver::Shared(scope), ready_at);
            }
            let mut later = away.iter().map(|key| self.away_until(*key)).min();
            let mut first: Option<(ServerKey, Leader)> = None;
            for key in there {
                match self.leader_of(key, now) {
                    Ok(Some(leader)) if first.is_none_or(|(_, best)| leader.lateness > best.lateness) => {
                        first = Some((key, leader));
                    }
                    Ok(_) => {}
                    Err(until) => later = Some(later.map_or(until, |at| at.min(until))),
                }
            }
            if let Some(at) = later.filter(|at| *at > now) {
                self.auction.calls.add(Giver::Shared(scope), at);
            }
            let Some((key, leader)) = first else { return };
            if leader.due_at > now && payers.iter().any(|key| self.is_wanted_by_others(*key)) {
                return self.auction.calls.add(Giver::Shared(scope), leader.due_at);
            }
            if !self.choose(key, leader) {
                return;
            }
        }
    }

    /// Those of these servers whose sources bid.
    fn bidders(&self, payers: &[ServerKey]) -> impl Iterator<Item = ServerKey> {
        payers.iter().copied().filter(|key| self.auction.by_server.contains_key(key))
    }

    /// The source of a server that bids most, or when to ask again. None while one of its winners waits for its call, and
    /// where calls are not scarce any more: then nobody bids there any longer.
    fn leader_of(&mut self, key: ServerKey, now: Timestamp) -> Result<Option<Leader>, Timestamp> {
        let tariff = TariffKey::new(key, RobotKind::Status);
        if !self.prices.is_scarce(tariff) {
            self.dismiss(key, now);
            return Ok(None);
        }
        if self.chosen_count(key) > 0 {
            return Ok(None);
        }
        match self.prices.ready_at(tariff, 1, &self.ledger, now) {
            ready_at if ready_at > now => Err(ready_at),
            _ => Ok(self.leader(key, now)),
        }
    }

    fn is_away(&self, key: ServerKey, now: Timestamp) -> bool {
        self.away_until(key) > now + AWAY
    }

    /// Until when a server is left alone: it is down, or its robot rests.
    fn away_until(&self, key: ServerKey) -> Timestamp {
        let rests_until = self.servers.rests_until(key, RobotKind::Status).unwrap_or(Timestamp::MIN);
        rests_until.max(self.frontier.allowed_at(key))
    }
}
