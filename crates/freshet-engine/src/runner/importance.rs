//! What a run does for importance: now and then it reads what people asked about, and weighs what it loads by that.

use freshet_types::{Source, Timestamp};

use super::Runner;
use crate::core::Event;
use crate::importance::{Importance, READ_EVERY};
use crate::question::Question;

/// What is kept for it.
#[derive(Debug, Default)]
pub(super) struct Interest {
    importance: Importance,
    read_at: Option<Timestamp>,
}

impl Interest {
    /// Makes the weight of a source what it counts in all.
    pub(super) fn weigh(&self, source: &mut Source) {
        self.importance.weigh(source);
    }
}

impl Runner {
    /// Reads what people asked about, if it is time. What cannot be read is read an hour later: weights wait.
    pub(super) fn tend_importance(&mut self) {
        let now = self.moment.now;
        if self.interest.read_at.is_none_or(|at| now - at >= READ_EVERY || at > now) {
            self.interest.read_at = Some(now);
            self.ask(Question::Importance(now));
        }
    }

    /// From now on this is asked about.
    pub(super) fn on_importance(&mut self, importance: Importance) {
        self.interest.importance = importance;
    }

    /// These have another weight by a person's word.
    pub(super) fn reweigh(&mut self, sources: Vec<Source>) {
        for mut source in sources {
            self.interest.weigh(&mut source);
            self.feed_core(Event::Weighed(Box::new(source)));
        }
    }
}
