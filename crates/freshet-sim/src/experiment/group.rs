//! Slots in which a call may do something for several sources. All calls of a slot happen at its end, as visits do.
//!
//! A probe shows how many posts a source has that no visit fetched, neither what nor when. One that finds none is a look,
//! and is learned from as such. Who has news is fetched by a visit of its own.
//!
//! A page of a merged list shows the newest posts of its members. Whoever has no post that is older than the page was visited; of the
//! others it is known that they have news, and what the page shows of them is not taken, as it leaves a hole below.

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
        let mut times: Vec<Timestamp> =
            members.iter().flat_map(|member| self.unfetched(*member, now)).copied().collect();
        let was_enough = times.len() <= size;
        // Others of the last post's instant may stand on the next page.
        let floor = if was_enough {
            Timestamp::MIN
        } else {
            times.sort_unstable_by(|a, b| b.cmp(a));
            times[size - 1]
        };
        probing.in_order.note_page(was_enough);
        let mut has_news = false;
        for &member in members {
            let unfetched = self.unfetched(member, now);
            if unfetched.first().is_some_and(|oldest| *oldest <= floor) {
                let shown = unfetched.len() - unfetched.partition_point(|post| *post < floor);
                self.note_told(probing, member, now, shown.max(1) as u32);
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
