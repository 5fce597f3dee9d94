//! The place of a source where sources are visited in turn: which round it is, and how many go before it.
//!
//! The run says in its report when the round began; who has been visited since then is in the store. The order is made anew from what is
//! stored, as the run makes it ([`freshet_policy::turns`]); organ pipes may have stood a little otherwise when the round began.

use freshet_policy::turns::{Member, TurnOrder, before};
use freshet_report::explain::Fact;
use freshet_store::api::{Flow, Store, StoreError};
use freshet_types::{NetworkName, RobotKind, Source, SourceState, Timestamp};

use super::Grounds;

/// Sources that are looked at for one place: beyond that only the round is told.
const MEMBERS_MAX: usize = 100_000;

/// The place of a source that is visited in turn; `None` where a price decides, or no run has reported its line.
pub(super) fn turn_of(
    store: &dyn Store,
    source: &Source,
    grounds: &Grounds,
) -> Result<Option<Fact>, StoreError> {
    let Grounds { memory, live, .. } = grounds;
    let policy = memory.policy();
    let is_in_turn = source.state == SourceState::Active && source.pinned.is_none();
    let (Some(order), Some(live)) = (policy.turn_order().filter(|_| is_in_turn), live) else {
        return Ok(None);
    };
    let is_meant =
        |network: &NetworkName, robot: RobotKind| *network == source.network && robot == source.robot;
    let Some(line) = live.work.rounds.iter().find(|line| is_meant(&line.network, line.robot)) else {
        return Ok(None);
    };
    let is_drawn = order == TurnOrder::Lots;
    let begun_at = line.begun_at.map_or(Timestamp::MIN, |at| at.0);
    let is_countable = !is_drawn && line.sources_count <= MEMBERS_MAX as u64;
    let before_count = if is_countable {
        let market = memory.market(&source.network, source.robot);
        let mut members = Vec::new();
        store.each_source(&mut |it| {
            let is_waiting = it.state == SourceState::Active && it.pinned.is_none();
            if is_meant(&it.network, it.robot) && is_waiting {
                let rate_per_s = policy.rate_per_s(&it.model, &market) * f64::from(it.weight);
                members.push(Member { number: it.id.0, visited_at: it.visited_at, rate_per_s });
            }
            if members.len() < MEMBERS_MAX { Flow::Continue(()) } else { Flow::Break(()) }
        })?;
        before(order, &members, source.id.0, begun_at).map(|count| count as u64)
    } else {
        None
    };
    Ok(Some(Fact::Turn { round: line.round, before_count, sources_count: line.sources_count, is_drawn }))
}
