//! Groups under a policy that only ranks: whom one call is for, and whom a visit.
//!
//! K sources asked about with one call, of which a share h has news, are found for 1 + 1/(K·h) calls each with the visit that
//! follows; visits alone find one for 1/h calls. So probes are favoured while h < 1 − 1/K. Whose news are known is visited,
//! the worthiest first; then the next K in the order of the policy are asked about. Of a merged list fewer are asked about after a page
//! that was too short for them, and one more after each that was not.
//! The look-ahead knows more, and prices all of it ([`crate::lookahead::Fare`]).

use freshet_types::Timestamp;

use crate::Roster;
use crate::group::Group;
use crate::roster::Call;

/// How much one answer moves the share of hits.
const GAIN: f64 = 1.0 / 256.0;

/// What probes told, and whom they asked.
#[derive(Clone, Debug)]
pub struct InOrder {
    group: Group,
    /// Sources that the next call for a group is for.
    next_size: usize,
    /// Posts that a probe told of and no visit fetched.
    backlogs: Vec<u32>,
    looked_at: Vec<Timestamp>,
    /// h: of those that were asked about, how many had news.
    hit_share: f64,
    order: Vec<usize>,
}

impl InOrder {
    /// Of so many sources, so many of which a call can ask about.
    pub fn new(source_count: usize, group: Group) -> Self {
        Self {
            group,
            next_size: group.size as usize,
            backlogs: vec![0; source_count],
            looked_at: vec![Timestamp::MIN; source_count],
            hit_share: 0.5,
            order: Vec::new(),
        }
    }

    /// What to spend a call on at `now`; those asked about are put into `members`.
    pub fn spend(
        &mut self,
        roster: &mut dyn Roster,
        now: Timestamp,
        members: &mut Vec<usize>,
    ) -> Option<Call> {
        members.clear();
        roster.pick(now, self.backlogs.len(), &mut self.order);
        if let Some(known) = self.order.iter().find(|number| self.backlogs[**number] > 0) {
            return Some(Call::Visit(*known));
        }
        let unseen = self.order.iter().copied().filter(|number| self.looked_at[*number] < now);
        let is_group = self.group.is_merged() || self.hit_share < 1.0 - 1.0 / self.group.size;
        members.extend(unseen.take(if is_group { self.next_size } else { 1 }));
        match *members.as_slice() {
            [] => None,
            [only] => Some(Call::Visit(only)),
            _ => Some(Call::Group),
        }
    }

    /// A page of a merged list was long enough for those it was for, or was not.
    pub fn note_page(&mut self, was_enough: bool) {
        let next = if was_enough { self.next_size + 1 } else { self.next_size / 2 };
        self.next_size = next.clamp(1, self.group.size as usize);
    }

    /// A probe told that a source has so many posts that no visit fetched.
    pub fn note_told(&mut self, number: usize, at: Timestamp, posts: u32) {
        self.hit_share += GAIN * (f64::from(u8::from(posts > 0)) - self.hit_share);
        (self.backlogs[number], self.looked_at[number]) = (posts, at);
    }

    /// A source was visited.
    pub fn visited(&mut self, number: usize, at: Timestamp) {
        (self.backlogs[number], self.looked_at[number]) = (0, at);
    }
}
