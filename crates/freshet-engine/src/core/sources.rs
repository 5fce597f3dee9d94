//! The part of the core that knows sources: one slot each, as small as can be, by their numbers.
//!
//! Invariant: a slot says what the frontier cannot (when news are due, at which price that was decided); what a visit
//! needs beyond it is loaded from the store. No walk over all slots happens in an event, but a round in bounded steps.

use std::num::NonZeroU8;

use freshet_policy::{Grade, Slack};
use freshet_types::{Map, NetworkName, RobotKind, ServerKey, SourceId, SourceState, Span, Timestamp};

use crate::schedule;
use crate::walk::Aim;

/// Handles of accounts that are remembered; several sources share one.
const HANDLES_MAX: usize = 100_000;
/// The shortest span that is told apart.
const SPAN_MIN: Span = Span::from_secs(30);
/// Steps for each doubling: sources that differ by less wait in one lane.
const SPAN_STEPS: f64 = 4.0;

/// What the core keeps of a source between visits, beside the frontier's entry.
#[expect(clippy::struct_excessive_bools, reason = "each says where it stands, and a byte is all it takes")]
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// When its news are due, while the frontier may have it for its history.
    pub(super) news_at: Timestamp,
    pub(super) key: ServerKey,
    pub(super) robot: RobotKind,
    pub(super) state: SourceState,
    /// What a policy planned of its next visit, where one did.
    pub(super) planned: Option<Planned>,
    /// Its pull, as it is counted in the demand of its tariff.
    pub(super) grade: Grade,
    /// The price at which it was scheduled; 0 where it was not the policy that did.
    pub(super) price_step: u8,
    /// Why the frontier has it.
    pub(super) aim: Aim,
    pub(super) is_leased: bool,
    /// It is in its server's backlog, once.
    pub(super) is_backlogged: bool,
    /// It stands in its server's line, once.
    pub(super) is_in_line: bool,
    /// It waits for its reconciliation, because a stream covers it.
    pub(super) is_streamed: bool,
}

/// What a policy planned of the next visit, in three bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    /// How long after the last visit it is.
    pub(super) gap: CoarseSpan,
    pub(super) slack: CoarseSlack,
}

/// How much it loses by coming earlier or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CoarseSlack {
    early: CoarseSpan,
    late: CoarseSpan,
}

/// A span in a byte, in steps of 2^¼ from half a minute on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CoarseSpan(NonZeroU8);

impl Planned {
    /// With this slack; nobody is nearly due who was just visited.
    pub(super) fn new(gap: Span, slack: Slack) -> Self {
        let slack = CoarseSlack::of(Slack { early: slack.early.min(gap), ..slack });
        Self { gap: CoarseSpan::of(gap), slack }
    }

    /// Of which nothing but the gap is known.
    pub(super) fn even(gap: Span) -> Self {
        Self::new(gap, Slack::even(gap))
    }

    /// Of one that has news: in this time they have waited as much as a call costs.
    pub(super) fn told(patience: Span) -> Self {
        Self::new(patience * 0.5, Slack::even(patience))
    }

    /// The same at another price, by which all gaps are so many times as long.
    pub(super) fn scaled(self, by: f64) -> Self {
        let Slack { early, late } = self.slack.slack();
        Self::new(self.gap.span() * by, Slack { early: early * by, late: late * by })
    }
}

impl CoarseSlack {
    pub(super) fn of(slack: Slack) -> Self {
        Self { early: CoarseSpan::of(slack.early), late: CoarseSpan::of(slack.late) }
    }

    pub(super) fn slack(self) -> Slack {
        Slack { early: self.early.span(), late: self.late.span() }
    }
}

impl CoarseSpan {
    fn of(span: Span) -> Self {
        let step = (span.secs_f64() / SPAN_MIN.secs_f64()).log2() * SPAN_STEPS + 1.0;
        // Cut, not rounded: nobody bids before its floor. What is no time at all casts to 0, and is lifted.
        Self(NonZeroU8::new(step.clamp(1.0, 255.0) as u8).unwrap_or(NonZeroU8::MIN))
    }

    pub(super) fn span(self) -> Span {
        SPAN_MIN * ((f64::from(self.0.get()) - 1.0) / SPAN_STEPS).exp2()
    }
}

impl Slot {
    /// Its front queue.
    pub(super) fn class(&self) -> u8 {
        schedule::class_of(self.robot)
    }

    /// Whether it waits in the frontier for its news.
    pub(super) fn waits_for_news(&self) -> bool {
        !self.is_leased && self.aim == Aim::News
    }
}

/// All sources that are known.
#[derive(Debug, Default)]
pub(super) struct Sources {
    slots: Vec<Option<Slot>>,
    known_count: usize,
    /// The slot that is told next of prices that fell.
    round_at: usize,
    /// How many slots are still to be told.
    round_left: usize,
    /// Ids of accounts by network and handle.
    handles: Map<(NetworkName, String), String>,
}

impl Sources {
    /// What is known of a source.
    pub(super) fn get(&self, id: SourceId) -> Option<Slot> {
        self.slots.get(id.0 as usize).copied().flatten()
    }

    pub(super) fn get_mut(&mut self, id: SourceId) -> Option<&mut Slot> {
        self.slots.get_mut(id.0 as usize)?.as_mut()
    }

    /// Knows a source, as this.
    pub(super) fn set(&mut self, id: SourceId, slot: Slot) {
        self.make_room(id.0 as usize + 1);
        let before = self.slots[id.0 as usize].replace(slot);
        self.known_count += usize::from(before.is_none());
    }

    pub(super) fn forget(&mut self, id: SourceId) {
        let before = self.slots.get_mut(id.0 as usize).and_then(Option::take);
        self.known_count -= usize::from(before.is_some());
    }

    /// When its news are due; `unknown` for one that is not known.
    pub(super) fn news_at(&self, id: SourceId, unknown: Timestamp) -> Timestamp {
        self.get(id).map_or(unknown, |slot| slot.news_at)
    }

    pub(super) fn known_count(&self) -> usize {
        self.known_count
    }

    /// Every source that is known; not to be called for each event.
    pub(super) fn all(&self) -> impl Iterator<Item = (SourceId, Slot)> + Clone {
        let slots = self.slots.iter().enumerate();
        slots.filter_map(|(at, slot)| slot.map(|slot| (SourceId(at as u32), slot)))
    }

    /// Slots, empty ones included.
    pub(super) fn slot_count(&self) -> usize {
        self.slots.len()
    }

    /// Makes room for sources 0 to `count - 1`.
    pub(super) fn make_room(&mut self, count: usize) {
        if self.slots.len() < count {
            self.slots.resize(count, None);
        }
    }

    /// From now on all sources are to be told of prices. The round goes on from where the last one stands: falls that
    /// follow each other must not keep the last slots waiting while the first are told again and again.
    pub(super) fn begin_round(&mut self) {
        self.round_left = self.slots.len();
    }

    /// The next source to be told, if some are left.
    pub(super) fn next_in_round(&mut self) -> Option<SourceId> {
        self.round_left = self.round_left.checked_sub(1)?;
        let at = if self.round_at < self.slots.len() { self.round_at } else { 0 };
        self.round_at = at + 1;
        Some(SourceId(at as u32))
    }

    /// The account of a handle, where it was looked up before.
    pub(super) fn root_id(&self, network: &NetworkName, handle: &str) -> Option<&String> {
        self.handles.get(&(network.clone(), handle.to_owned()))
    }

    pub(super) fn note_handle(&mut self, network: &NetworkName, handle: &str, root_id: &str) {
        if self.handles.len() >= HANDLES_MAX {
            self.handles.clear();
        }
        self.handles.insert((network.clone(), handle.to_owned()), root_id.to_owned());
    }

    /// How far the round has come.
    #[cfg(test)]
    pub(super) fn round_at(&self) -> usize {
        self.round_at
    }
}
