//! The bids at one server: who has waited the largest share of its gap. Pure; no source is looked up here.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use freshet_types::{SourceId, Timestamp};

use crate::core::sources::CoarseSlack;

/// One bid: when its source is due, in seconds, and which it is.
type Bid = Reverse<(u32, u32)>;

/// The bid that goes first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leader {
    pub(super) id: SourceId,
    pub(super) lateness: f64,
    pub(super) due_at: Timestamp,
    pub(super) lane: Lane,
}

/// Bids whose order is that of their due times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Lane {
    /// They bid for a visit of their own, not for a place in a group.
    pub(super) is_single: bool,
    pub(super) slack: CoarseSlack,
}

/// Who wants a call of one server, and who has won one.
#[derive(Debug, Default)]
pub(super) struct Bids {
    /// Those of one slack, the one that is due first on top.
    lanes: BTreeMap<Lane, BinaryHeap<Bid>>,
    /// Sources that won, and are not granted their call yet.
    pub(super) chosen: Vec<SourceId>,
}

impl Bids {
    pub(super) fn add(&mut self, lane: Lane, due_at: Timestamp, id: SourceId) {
        self.lanes.entry(lane).or_default().push(Reverse((whole_secs(due_at), id.0)));
    }

    /// The one with the largest lateness among those for visits, or for places in a group; bids that do not hold are dropped.
    pub(super) fn first(
        &mut self,
        is_single: bool,
        now: Timestamp,
        holds: impl Fn(SourceId, Timestamp) -> bool,
    ) -> Option<Leader> {
        let mut first: Option<Leader> = None;
        self.lanes.retain(|&key, lane| {
            if key.is_single != is_single {
                return true;
            }
            let due_at = |due_secs: u32| Timestamp::from_secs(i64::from(due_secs));
            while lane.peek().is_some_and(|&Reverse((due_secs, id))| !holds(SourceId(id), due_at(due_secs))) {
                lane.pop();
            }
            let Some((due_at, id)) =
                lane.peek().map(|&Reverse((due_secs, id))| (due_at(due_secs), SourceId(id)))
            else {
                return false;
            };
            let lateness = key.slack.slack().lateness(due_at, now);
            if first.is_none_or(|first| lateness > first.lateness) {
                first = Some(Leader { id, lateness, due_at, lane: key });
            }
            true
        });
        first
    }

    /// Takes the first bid of this lane.
    pub(super) fn pop(&mut self, lane: Lane) -> Option<SourceId> {
        self.lanes.get_mut(&lane)?.pop().map(|Reverse((_, id))| SourceId(id))
    }

    /// Takes the bid of this source, which is among the first of its lane.
    pub(super) fn pop_one(&mut self, lane: Lane, wanted: SourceId) -> Option<SourceId> {
        let bids = self.lanes.get_mut(&lane)?;
        let mut passed = Vec::new();
        let found = loop {
            match bids.pop() {
                Some(Reverse((_, id))) if id == wanted.0 => break Some(wanted),
                Some(bid) => passed.push(bid),
                None => break None,
            }
        };
        bids.extend(passed);
        found
    }

    /// Takes so many bids, of whatever slack.
    pub(super) fn pop_some(&mut self, count: usize) -> Vec<SourceId> {
        let mut taken = Vec::new();
        while taken.len() < count
            && let Some(mut lane) = self.lanes.first_entry()
        {
            match lane.get_mut().pop() {
                Some(Reverse((_, id))) => taken.push(SourceId(id)),
                None => drop(lane.remove()),
            }
        }
        taken
    }
}

/// Due times are told apart by the second.
fn whole_secs(at: Timestamp) -> u32 {
    at.secs().clamp(0, i64::from(u32::MAX)) as u32
}

/// Whether a bid for this due time was made of that one.
pub(super) fn is_same(bid: Timestamp, due_at: Timestamp) -> bool {
    whole_secs(bid) == whole_secs(due_at)
}

#[cfg(test)]
mod tests {
    use freshet_policy::Slack;
    use freshet_types::Span;

    use super::*;

    fn at(hours: f64) -> Timestamp {
        Timestamp::from_secs(1_000_000_000) + Span::HOUR * hours
    }

    /// Sources by their gap and when they are due, in hours; who goes first now, and so on.
    fn check(bids: &[(f64, f64)], expected: &[u32]) {
        let mut all = Bids::default();
        for (number, (gap_h, due_h)) in bids.iter().enumerate() {
            let slack = CoarseSlack::of(Slack::even(Span::HOUR * *gap_h));
            let lane = Lane { is_single: true, slack };
            all.add(lane, at(*due_h), SourceId(number as u32));
        }
        let mut order = Vec::new();
        assert!(all.first(false, at(0.0), |_, _| true).is_none(), "nobody bids for a place in a group");
        while let Some(first) = all.first(true, at(0.0), |id, _| id.0 != 9) {
            order.extend(all.pop(first.lane).map(|id| id.0));
        }
        assert_eq!(order, expected, "{bids:?}");
    }

    #[test]
    fn who_has_waited_the_largest_share_of_its_gap_goes_first() {
        check(&[], &[]);
        // An hour late of a week is little, half an hour late of an hour is much.
        check(&[(168.0, -1.0), (1.0, -0.5)], &[1, 0]);
        check(&[(168.0, -100.0), (1.0, -0.5)], &[0, 1]);
        // One that is late goes before all that are early, and of these the nearest by share.
        check(&[(1.0, 0.1), (24.0, 1.0), (48.0, -0.01)], &[2, 1, 0]);
        // Of one gap, in the order of their due times.
        check(&[(5.0, -1.0), (5.0, -3.0), (5.0, 2.0), (5.0, -2.0)], &[1, 3, 0, 2]);
    }

    #[test]
    fn a_bid_that_no_longer_holds_is_passed_over() {
        let mut bids = vec![(1.0, -5.0); 10];
        bids[9] = (1.0, -50.0);
        check(&bids, &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn a_bid_is_taken_from_behind_others_which_keep_their_order() {
        let (mut bids, lane) =
            (Bids::default(), Lane { is_single: false, slack: CoarseSlack::of(Slack::even(Span::HOUR)) });
        for number in 0..4 {
            bids.add(lane, at(f64::from(number)), SourceId(number));
        }
        assert_eq!(bids.pop_one(lane, SourceId(2)), Some(SourceId(2)));
        assert_eq!(bids.pop_one(lane, SourceId(7)), None, "who does not bid is not there");
        let left: Vec<u32> = std::iter::from_fn(|| bids.pop(lane)).map(|id| id.0).collect();
        assert_eq!(left, [0, 1, 3]);
    }
}
