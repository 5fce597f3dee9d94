//! Slots in which a call may do something for several sources. All calls of a slot happen at its end, as visits do.
//!
//! A probe shows how many posts a source has that no visit fetched, neither what nor when. One that finds none is a look,
//! and is learned from as such. Who has news is fetched by a visit of its own.
//!
//! A page of a merged list shows the newest posts of its members, those that were fetched before among them. Whoever was looked at after its
//! last post was visited; of the others posts may stand below the page, so what it shows of them is not taken: they are told of, and
//! visited. Of whom it shows nothing it says nothing.

use freshet_policy::Call;
use freshet_policy::group::Group;
use freshet_policy::in_order::InOrder;
use freshet_types::Timestamp;

use super::{Run, Watch};

/// What a run with groups needs besides.
pub(super) struct Probing {
    in_order: InOrder,
    members: Vec<usize>,
}

impl Probing {
    pub(super) fn new(source_count: usize, group: Group) -> Self {
        Self { in_order: InOrder::new(source_count, group), members: Vec::new() }
    }
}

impl Run<'_> {
    /// Spends whole calls at the end of a slot; gives how many.
    pub(super) fn spend(
        &mut self,
        probing: &mut Probing,
        (slot, now): (u64, Timestamp),
        affordable: f64,
        watch: Watch<'_>,
    ) -> f64 {
        let mut spent = 0.0;
        while spent + 1.0 <= affordable + 1e-9 {
            let Some(call) = self.next_call(probing, now) else { break };
            match call {
                Call::Visit(source) => {
                    watch(slot, source);
                    spent += f64::from(self.visit(source, now));
                    probing.in_order.visited(source, now);
                }
                Call::Group => {
                    spent += 1.0;
                    let members = std::mem::take(&mut probing.members);
                    if self.setup.merged_page > 0 {
                        self.read_merged(probing, &members, now);
                    } else {
                        self.tally.call(1, false);
                        for member in members {
                            self.probe(probing, member, now);
                        }
                    }
                }
            }
        }
        spent
    }

    fn next_call(&mut self, probing: &mut Probing, now: Timestamp) -> Option<Call> {
        match self.roster.groups() {
            Some(groups) => groups.spend(now, &mut probing.members),
            None => probing.in_order.spend(&mut *self.roster, now, &mut probing.members),
        }
    }

    /// The posts of a source that no visit fetched.
    fn unfetched(&self, source: usize, now: Timestamp) -> &[Timestamp] {
        let posts = &self.history.posters[source].posts[self.cursors[source]..];
        &posts[..posts.partition_point(|post| *post < now)]
    }

    /// Reads the newest page of what some sources posted.
    fn read_merged(&mut self, probing: &mut Probing, members: &[usize], now: Timestamp) {
        let size = self.setup.merged_page as usize;
        let newest = |member: &usize| {
            let posts = &self.history.posters[*member].posts;
            posts[..posts.partition_point(|post| *post < now)].iter().rev().take(size).copied()
        };
        let mut times: Vec<Timestamp> = members.iter().flat_map(newest).collect();
        times.sort_unstable_by(|a, b| b.cmp(a));
        let floor = times.get(size).map_or(Timestamp::MIN, |_| times[size - 1]);
        let is_short = |member: &usize| floor > Timestamp::MIN && self.visited_at[*member] <= floor;
        let short: Vec<bool> = members.iter().map(is_short).collect();
        probing.in_order.note_page(short.iter().filter(|is_short| **is_short).count() * 2 <= members.len());
        let mut has_news = false;
        for (&member, is_short) in members.iter().zip(short) {
            let unfetched = self.unfetched(member, now);
            if is_short {
                let shown = unfetched.len() - unfetched.partition_point(|post| *post < floor);
                // Who is not shown has posted nothing since the last post of the page: that is no news of it, and it goes with another
                // page. A policy that only ranks would ask about it at once again.
                if shown > 0 || self.roster.groups().is_none() {
                    self.note_told(probing, member, now, shown.max(1) as u32);
                }
            } else {
                has_news |= self.fetch(member, now, usize::MAX).1;
                probing.in_order.visited(member, now);
            }
        }
        self.tally.call(1, has_news);
    }

    /// Tells what a probe shows of a source.
    pub(super) fn probe(&mut self, probing: &mut Probing, source: usize, now: Timestamp) {
        let count = self.unfetched(source, now).len() as u32;
        self.note_told(probing, source, now, count);
    }

    fn note_told(&mut self, probing: &mut Probing, source: usize, now: Timestamp, count: u32) {
        probing.in_order.note_told(source, now, count);
        if count == 0 {
            self.tell(source, now, &[], false);
        } else if let Some(groups) = self.roster.groups() {
            groups.note_told(source, now, count);
        }
    }
}
