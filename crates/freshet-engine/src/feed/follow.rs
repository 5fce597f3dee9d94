//! Which objects robots may follow: what a constraint refuses becomes no source, and is judged again later.
//!
//! A refused object leaves its ring, so that the others get their turn, and stands in the store's list of held objects from then on.
//! It is judged again when a page brings something of it (the writer says so), when the constraints change, and now and then.
//! Of an object that cannot be judged yet its own page is read: that is how it becomes known.

use freshet_network::constraint::{Answer, Purpose};
use freshet_store::api::{Store, StoreError};
use freshet_store::row::{Held, ObjectRow};
use freshet_types::{Address, RobotKind, Source, Span, Timestamp};

use super::counted::heirs;
use super::{FeedError, Feeder};
use crate::constrain::Judge;

/// Held objects judged again in one round.
const HELD_BATCH: usize = 256;
/// After this it is asked again whether a robot works that rested, or whether a list that was empty has members.
const RESTING: Span = Span::HOUR;

impl Feeder {
    /// From now on this judge says what is followed.
    pub(crate) fn constrain(&mut self, judge: Judge) {
        self.judge = Some(judge);
    }

    /// Whether a robot may make sources of this object; `Some` says until when it is held.
    pub(super) fn held_until(
        &self,
        store: &dyn Store,
        robot: RobotKind,
        found: &ObjectRow,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, StoreError> {
        let Some(judge) = &self.judge else { return Ok(None) };
        if !judge.speaks_of(Purpose::Follow, &found.kind, &found.network) {
            return Ok(None);
        }
        let address = Address::new(&found.network, &found.kind, &found.id);
        let told = judge.judge_stored(store, Purpose::Follow, &address, (found.depth, now))?;
        Ok(match told.answer {
            Answer::Yes => None,
            Answer::CannotTell { .. } if robot == RobotKind::User => None,
            Answer::No | Answer::CannotTell { .. } => {
                Some(now + judge.again_after(Purpose::Follow, &address))
            }
        })
    }

    /// Judges again some of those that were held, and makes sources of whom robots may follow now.
    pub(super) fn judge_held(
        &mut self,
        store: &mut dyn Store,
        running: &[RobotKind],
        room: usize,
        now: Timestamp,
    ) -> Result<(), FeedError> {
        let due = store.held_due(now, HELD_BATCH.min(room))?;
        if due.is_empty() {
            return Ok(());
        }
        let numbers: Vec<u64> = due.iter().map(|held| held.object).collect();
        let (mut sources, mut let_go, mut held): (Vec<Source>, Vec<_>, Vec<_>) = Default::default();
        for (one, found) in due.into_iter().zip(store.objects(&numbers)?) {
            // It was forgotten, or its network is gone.
            let Some(found) = found else {
                let_go.push((one.object, one.robot));
                continue;
            };
            let until = match self.held_until(store, one.robot, &found, now)? {
                None if running.contains(&one.robot) => {
                    let connector = self.networks.connector_for(&found.network);
                    let heirs = connector
                        .map(|it| heirs((&*it, &self.collections), one.robot, &found, now))
                        .unwrap_or_default();
                    sources.extend(heirs.sources);
                    if !heirs.waits {
                        let_go.push((one.object, one.robot));
                        continue;
                    }
                    now + RESTING
                }
                // Its robot rests.
                None => now + RESTING,
                Some(until) => until,
            };
            held.push(Held { judge_at: until, ..one });
        }
        self.add(store, sources)?;
        store.let_go(&let_go)?;
        Ok(store.hold(&held)?)
    }
}
