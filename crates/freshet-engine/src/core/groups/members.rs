//! Whom a merged page is for. Part of step 3 (pick) of 10.
//!
//! A page goes back as far as the posts of its members fill it, so members are chosen by their last looks and by what each posted
//! since, known or expected ([`freshet_policy::group::reach`]; experiments choose by the same function). Who talks much is asked
//! alone or with those looked at lately, and the others with each other. The lead is the one of the best group that is latest.
//!
//! Bursts are not foreseen. Whoever a page did not reach, and did not show, is asked about with another one, for which that
//! page has told what there is; and after a second miss in a row by a visit of its own, so that nobody is passed over for ever. Nor is one
//! of whom more is expected than a page has room for: no choice of members would take it, so it bids alone.
//!
//! Nothing of it is stored: after a restart last looks are those that were planned, until a page or visit tells better.

use freshet_policy::Grade;
use freshet_policy::group::Group;
use freshet_policy::group::reach::{CANDIDATES_PER_SEAT, Candidate, Recent, best_page};
use freshet_types::{Coverage, RobotKind, ServerKey, Set, SourceId, Span, Timestamp, VisitId};

use super::Core;
use crate::price::TariffKey;
use crate::visit::Visit;
use crate::walk::Aim;

/// The last look at a source, in eight bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct LastLook {
    /// Down to here the next page has to go; whole seconds.
    at_s: u32,
    /// Posts a second that were expected from then on, until the next look that was planned.
    pace: Grade,
    /// A page since then was too short.
    was_missed: bool,
}

impl LastLook {
    fn new(at: Timestamp, pace: Grade, was_missed: bool) -> Self {
        Self { at_s: at.secs().clamp(0, i64::from(u32::MAX)) as u32, pace, was_missed }
    }
}

impl Core {
    /// Whether calls for groups show the posts themselves.
    pub(in crate::core) fn is_merged(&self, key: ServerKey, now: Timestamp) -> bool {
        self.group_of(key, now).posts_max > 0
    }

    /// When a source was last looked at; as it was planned, where this run has not looked yet.
    fn looked_at(&self, id: SourceId, now: Timestamp) -> Timestamp {
        if let Some(look) = self.groups.looks.get(&id) {
            return Timestamp::from_secs(i64::from(look.at_s));
        }
        let slot = self.sources.get(id);
        slot.and_then(|slot| Some(slot.news_at - slot.planned?.gap.span())).unwrap_or(now)
    }

    /// Posts that are expected of a source since its last look: by what its model expected then, or by its grade.
    pub(in crate::core) fn expected_of(&self, id: SourceId, now: Timestamp) -> f64 {
        let Some(slot) = self.sources.get(id) else { return 0.0 };
        let pace = self.groups.looks.get(&id).map_or(slot.grade, |look| look.pace);
        pace.pull().powi(2) * (now - self.looked_at(id, now)).secs_f64().max(0.0)
    }

    /// A look at a source ended: how far back the next merged page has to go for it, and what is expected meanwhile.
    pub(in crate::core) fn note_last_look(&mut self, id: VisitId, now: Timestamp) {
        let Some(visit) = self.visits.get(id) else { return };
        let (key, source) = (visit.key, &visit.source);
        let is_list = visit.aim == Aim::News && source.robot == RobotKind::Status;
        if !is_list || !self.is_merged(key, now) {
            return;
        }
        let Some(at) = covered_until(&source.coverage) else { return };
        let market = self.prices.market(TariffKey::new(key, source.robot), &self.ledger, now);
        let gap = (source.due_at - now).max(Span::MINUTE);
        let posts = self.policy.posts(&source.model, market, now, now + gap);
        let pace = Grade::of(1.0, posts / gap.secs_f64());
        self.groups.looks.insert(source.id, LastLook::new(at, pace, false));
    }

    /// A merged page was too short for this member and did not show it; gives whether that is the first time since its last look.
    pub(super) fn is_first_miss(&mut self, id: VisitId) -> bool {
        let source = &self.visits[id].source;
        let grade = self.sources.get(source.id).map_or(Grade::NONE, |slot| slot.grade);
        let at = covered_until(&source.coverage).unwrap_or(Timestamp::MIN);
        let look = self.groups.looks.entry(source.id).or_insert_with(|| LastLook::new(at, grade, false));
        !std::mem::replace(&mut look.was_missed, true)
    }

    /// A look at a source showed these posts.
    pub(in crate::core) fn note_recent(&mut self, id: VisitId, posts: &[Timestamp], now: Timestamp) {
        let is_list = |visit: &&Visit| visit.aim == Aim::News && visit.source.robot == RobotKind::Status;
        let Some(visit) = self.visits.get(id).filter(is_list) else { return };
        let (key, source) = (visit.key, visit.source.id);
        if !posts.is_empty() && self.is_merged(key, now) {
            self.groups.recents.entry(key).or_default().note(source.0, posts.iter().copied());
        }
    }

    /// Whom the next call for a group would be for, and what it is worth more than it costs; they bid as before.
    pub(in crate::core) fn best_group(&mut self, key: ServerKey, now: Timestamp) -> (Vec<SourceId>, f64) {
        let size = self.group_size(key, now);
        let members = self.take_members(key, (size, None), now);
        self.bid_again(key, &members);
        let worth = self.worth_of_group(members.iter().copied(), (key, size), now);
        (members, worth)
    }

    /// Takes those whom a call is for beside its lead, so many at most; whoever is left bids as before.
    pub(super) fn take_members(
        &mut self,
        key: ServerKey,
        (seats, lead): (usize, Option<SourceId>),
        now: Timestamp,
    ) -> Vec<SourceId> {
        if seats == 0 || !self.is_merged(key, now) {
            return self.take_bids(key, seats, now);
        }
        let candidates = self.take_bids(key, seats * CANDIDATES_PER_SEAT, now);
        let all: Vec<Candidate> =
            lead.iter().chain(&candidates).map(|id| self.candidate(key, *id, now)).collect();
        let (room, none) = (self.room_of(key, now), Recent::default());
        let recent = self.groups.recents.get(&key).unwrap_or(&none);
        let group = Group::new((seats + lead.iter().len()) as f64, room);
        let (places, _) = best_page(group, room, &all, recent, lead.is_some());
        let taken: Set<u32> = places.into_iter().map(|place| all[place].number).collect();
        let (members, others): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|id| taken.contains(&id.0));
        // Whose posts since the last look fill a page alone is on none that others share: it bids for a visit of its own.
        let (alone, others): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|id| self.expected_of(*id, now) >= room);
        self.bid_again(key, &others);
        self.bid_alone(key, &alone);
        members
    }

    fn candidate(&self, key: ServerKey, id: SourceId, now: Timestamp) -> Candidate {
        let (share, room) = (1.0 / self.group_size(key, now) as f64, self.room_of(key, now));
        let posts = self.expected_of(id, now);
        let brought = self.worth_of(id, now) + share + posts / room;
        Candidate { number: id.0, brought, posts, looked_at: self.looked_at(id, now) }
    }
}

/// Up to when everything on a list is known.
fn covered_until(coverage: &Coverage) -> Option<Timestamp> {
    coverage.top().map(|top| top.until).or(coverage.empty_at)
}
