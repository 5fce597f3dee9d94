//! Slots in which a call may ask about several sources: who has news is told, and fetched by a visit of its own.
//!
//! A probe shows how many posts a source has that no visit fetched, neither what nor when. One that finds none is a look,
//! and is learned from as such. All calls of a slot happen at its end, as visits do.

use freshet_policy::Call;
use freshet_policy::group::InOrder;
use freshet_types::Timestamp;

use super::{Run, Watch};

/// What a run with groups needs besides.
pub(super) struct Probing {
    in_order: InOrder,
    members: Vec<usize>,
}

impl Probing {
    pub(super) fn new(source_count: usize, group: u32) -> Self {
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
                Call::Probe => {
                    spent += 1.0;
                    self.tally.call(1, false);
                    for member in std::mem::take(&mut probing.members) {
                        self.probe(probing, member, now);
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

    /// Tells what a probe shows of a source.
    pub(super) fn probe(&mut self, probing: &mut Probing, source: usize, now: Timestamp) {
        let posts = &self.history.posters[source].posts[self.cursors[source]..];
        let count = posts.partition_point(|post| *post < now) as u32;
        probing.in_order.note_told(source, now, count);
        if count == 0 {
            self.tell(source, now, &[], false);
        } else if let Some(groups) = self.roster.groups() {
            groups.note_told(source, now, count);
        }
    }
}
