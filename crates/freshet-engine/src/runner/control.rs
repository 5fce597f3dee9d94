//! What people want of a run: through the store's control table they say what changed, and the run reads it anew.
//!
//! One wish after the other is read, as questions to the store. Only when the last of them is answered do they count as seen: a
//! wish that could not be read is read again. The start of a run reads the same things in the same way.

use std::collections::VecDeque;
use std::sync::Arc;

use freshet_store::control::{Control, ControlRow, SourcesChange};
use freshet_store::row::SourceSlot;
use freshet_types::{Source, SourceId};

use super::{Output, RunError, Runner};
use crate::constrain::Judge;
use crate::constrain::setting::{self, SettingError};
use crate::core::Event;
use crate::question::{Question, Reply};
use crate::writer::Job;

/// Sources of another weight that are read at once: a forum has thousands of lists.
const WEIGHED_AT_ONCE: usize = 64;

/// Which wishes were seen, and what is still to be read for the newest.
#[derive(Debug)]
pub(super) struct Controls {
    /// Number of the last wish that was fulfilled.
    seen: u64,
    /// Number of the last one that is being fulfilled.
    last: u64,
    /// What is read for it next, in order.
    questions: VecDeque<Question>,
    /// A question is under way.
    is_asking: bool,
    is_loaded: bool,
}

impl Controls {
    /// Wishes up to this number were fulfilled by loading everything.
    pub(super) fn new(seen: u64) -> Self {
        Self { seen, last: seen, questions: VecDeque::new(), is_asking: false, is_loaded: false }
    }

    /// Everything was read once.
    pub(super) fn is_loaded(&self) -> bool {
        self.is_loaded
    }

    /// What is under way could not be read: it is begun anew.
    pub(super) fn give_up(&mut self) {
        self.questions.clear();
        self.is_asking = false;
    }
}

impl Runner {
    /// Loads what the store knows.
    pub(super) fn load_all(&mut self) {
        let first = SourceId(0);
        self.controls.questions = [
            Question::Constraints,
            Question::Budgets,
            Question::Calendars,
            Question::Robots,
            Question::Subscriptions,
            Question::Instances,
            Question::Slots(first),
        ]
        .into();
        self.controls.is_asking = true;
        self.read_next();
    }

    /// Asks whether people left a wish.
    pub(super) fn look_for_wishes(&mut self) {
        if self.controls.is_asking || !self.controls.is_loaded || self.troubles.reading.waits(self.moment) {
            return;
        }
        self.controls.is_asking = true;
        self.ask(Question::Controls(self.controls.seen));
    }

    /// Goes on with what was read for a wish.
    pub(super) fn obey(&mut self, reply: Reply) -> Result<(), RunError> {
        match reply {
            Reply::Controls(controls) => self.plan(&controls),
            Reply::Constraints(text) => self.constrain(text.as_deref())?,
            Reply::Budgets(Ok(budgets)) => self.feed_core(Event::Budgets(budgets)),
            Reply::Budgets(Err(why)) if self.controls.is_loaded => {
                tracing::warn!("the old budgets stay in force: {why}");
            }
            Reply::Budgets(Err(why)) => return Err(RunError::Budgets(why)),
            Reply::Calendars(Ok(calendars)) => self.feed_core(Event::Calendars(calendars)),
            // Days that are taken for others cost some delay: no reason not to crawl.
            Reply::Calendars(Err(why)) => tracing::warn!("the calendars that were in force stay so: {why}"),
            Reply::Robots(robots, collections) => {
                self.gather(collections);
                self.feed_core(Event::Robots(robots));
                // A robot that was switched on finds its ring tended at once.
                self.give(Job::Room(self.room));
            }
            Reply::Subscriptions(rows) => self.want(Output::Subscriptions(rows)),
            Reply::Instances(instances) => self.feed_core(Event::Instances(instances)),
            Reply::Slots(slots) => {
                if let Some(last) = slots.last() {
                    self.controls.questions.push_front(Question::Slots(last.id));
                    self.feed_core(Event::Slots(slots));
                }
            }
            Reply::Pinned(source) => {
                let slot = source.map(|source| slot(*source));
                self.feed_core(Event::Wanted(slot.into_iter().collect()));
            }
            Reply::Weighed(sources) => self.reweigh(sources),
            _ => return Ok(()),
        }
        self.read_next();
        Ok(())
    }

    /// Notes what is to be read anew because of these wishes.
    fn plan(&mut self, controls: &[ControlRow]) {
        let Some(last) = controls.last() else { return };
        self.controls.last = last.number;
        let has = |is_meant: fn(&Control) -> bool| controls.iter().any(|row| is_meant(&row.control));
        let questions = &mut self.controls.questions;
        if has(|control| matches!(control, Control::Constraints(_))) {
            questions.push_back(Question::Constraints);
        }
        if has(|control| matches!(control, Control::Budgets)) {
            questions.push_back(Question::Budgets);
        }
        if has(|control| matches!(control, Control::Calendars)) {
            questions.push_back(Question::Calendars);
        }
        if has(|control| matches!(control, Control::Robots(_))) {
            questions.push_back(Question::Robots);
        }
        if has(|control| matches!(control, Control::Subscriptions)) {
            questions.push_back(Question::Subscriptions);
        }
        if has(|control| matches!(control, Control::Sources(_))) {
            questions.extend([Question::Instances, Question::Slots(SourceId(0))]);
        }
        for row in controls {
            match &row.control {
                // A source that was pinned is due as its new pace wants it.
                Control::Sources(SourcesChange::Pinned(id) | SourcesChange::Due(id)) => {
                    questions.push_back(Question::Pinned(*id));
                }
                Control::Sources(SourcesChange::Weighed(ids)) => {
                    let parts = ids.chunks(WEIGHED_AT_ONCE);
                    questions.extend(parts.map(|part| Question::Weighed(part.to_vec())));
                }
                Control::Unknown { verb, .. } => {
                    tracing::warn!(
                        "the message `{verb}` of another version is not understood and passed over"
                    );
                }
                _ => {}
            }
        }
        for row in controls {
            if let Control::Guest(ask) = &row.control {
                self.feed_core(Event::Guest(row.number, ask.clone()));
            }
        }
    }

    /// Reads what comes next; after the last of it the wishes count as fulfilled.
    fn read_next(&mut self) {
        if let Some(question) = self.controls.questions.pop_front() {
            return self.ask(question);
        }
        self.controls.seen = self.controls.last;
        self.controls.is_asking = false;
        if !self.controls.is_loaded {
            self.controls.is_loaded = true;
            self.tell_room();
            self.draw_first();
        }
    }

    /// From now on these constraints; wrong ones end the start of a run, and change nothing later.
    fn constrain(&mut self, text: Option<&str>) -> Result<(), RunError> {
        match setting::parse(text, &self.networks) {
            Ok(constraints) => {
                self.revisit_by(Judge::new(Arc::clone(&self.networks), constraints.clone()));
                self.give(Job::Constraints(constraints));
            }
            Err(SettingError::Store(error)) => return Err(error.into()),
            Err(error) if self.controls.is_loaded => {
                tracing::warn!("the old constraints stay in force: {error}");
            }
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}

fn slot(source: Source) -> SourceSlot {
    SourceSlot {
        id: source.id,
        network: source.network,
        robot: source.robot,
        state: source.state,
        weight: source.weight,
        due_at: source.due_at,
        // A person wants it, whatever was planned.
        gap: None,
    }
}
