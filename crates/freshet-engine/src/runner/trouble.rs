//! Trouble that may pass: what fails at the moment, since when, and what that holds up.
//!
//! The writer tells of the store and of the rings; readings that fail are noticed here, and so is a clock that was set back.
//! While the store cannot be read or written, the core begins nothing new and asks for no page: what is under way waits in memory,
//! bounded. Everything that could not be read is read again. Errors that stay end the run as before.

use std::collections::BTreeMap;

use freshet_report::run::{self, TroubledPart};
use freshet_report::time::UnixFloat;
use freshet_store::api::{StoreError, Trouble};
use freshet_types::{SourceId, Span, Timestamp};

use super::Runner;
use crate::core::Event;
use crate::question::Question;
use crate::spell::Spell;
use crate::stream::StreamFound;
use crate::writer::Part;

/// A clock that is ahead by less than this is not worth a word: time is corrected by as much every day.
const AHEAD_TOLD: Span = Span::from_secs(30);
/// What to do about a clock that was set back.
const CLOCK_ADVICE: &str =
    "times are told ahead of the clock until it has caught up; start the run again to take its time at once";

/// What is wrong with a part of the run.
#[derive(Debug)]
struct Note {
    what: String,
    since: Timestamp,
    advice: &'static str,
}

/// All that is wrong.
#[derive(Debug, Default)]
pub(super) struct Troubles {
    notes: BTreeMap<Part, Note>,
    /// Whether the store cannot be read.
    pub(super) reading: Spell,
    /// Sources that the core waits for.
    unread: Vec<SourceId>,
}

impl Troubles {
    /// For the report: the gravest, or nothing.
    pub(super) fn view(&self) -> Option<run::Trouble> {
        let (part, note) = self.notes.first_key_value()?;
        Some(run::Trouble {
            part: match part {
                Part::Store => TroubledPart::Store,
                Part::Reading => TroubledPart::Reading,
                Part::Rings => TroubledPart::Rings,
                Part::Clock => TroubledPart::Clock,
            },
            what: note.what.clone(),
            since: UnixFloat(note.since),
            advice: note.advice.to_owned(),
        })
    }

    /// What is wrong with the store, as far as it said.
    pub(super) fn of_store(&self) -> Option<&str> {
        self.notes.get(&Part::Store).map(|note| note.what.as_str())
    }

    /// Nothing new is begun or asked meanwhile.
    pub(super) fn holds(&self) -> bool {
        self.notes.contains_key(&Part::Store) || self.notes.contains_key(&Part::Reading)
    }
}

impl Runner {
    /// A part of the run is in trouble.
    pub(super) fn on_trouble(&mut self, part: Part, what: String, advice: &'static str) {
        let since = self.troubles.notes.get(&part).map_or(self.moment.now, |note| note.since);
        self.troubles.notes.insert(part, Note { what, since, advice });
        self.feed_core(Event::Hold(self.troubles.holds()));
    }

    /// It works again.
    pub(super) fn mend(&mut self, part: Part) {
        if self.troubles.notes.remove(&part).is_some() {
            self.feed_core(Event::Hold(self.troubles.holds()));
        }
    }

    /// Asks for the sources that the core wants, now or when the store can be read again.
    pub(super) fn ask_for_loads(&mut self) {
        if self.loads.is_empty() {
            return;
        }
        let ids = std::mem::take(&mut self.loads);
        if self.troubles.reading.waits(self.moment) {
            self.troubles.unread.extend(ids);
        } else {
            self.ask(Question::Sources(ids, self.moment.now));
        }
    }

    /// Asks whether the store can be read again.
    pub(super) fn read_again(&mut self) {
        if self.troubles.reading.is_on() && !self.troubles.reading.waits(self.moment) {
            self.ask(Question::Newest);
        }
    }

    /// The store can be read: what was wanted meanwhile is asked for.
    pub(super) fn on_readable(&mut self) {
        if self.troubles.reading.worked() {
            tracing::info!("the store can be read again");
            self.mend(Part::Reading);
        }
        self.loads.append(&mut self.troubles.unread);
    }

    /// A question could not be answered: trouble that may pass is noted, and it is asked again later. What stays, and
    /// everything before the run has begun, ends the run.
    pub(super) fn on_unread(&mut self, question: Question, error: &StoreError) -> Result<(), ()> {
        let trouble = error.trouble().filter(|_| self.controls.is_loaded()).ok_or(())?;
        match question {
            Question::Sources(ids, _) => self.troubles.unread.extend(ids),
            Question::Revisit(sources, ..) => {
                self.troubles.unread.extend(sources.iter().map(|source| source.id));
            }
            Question::Lists(network, _) => self.forums.put_off(&network, self.moment.now),
            Question::Evidence(..) => self.fits.give_up_reading(),
            // It is asked for again in a moment, as if nobody watched anything.
            Question::Stream(ask) => {
                let found = StreamFound { stream: ask.stream, row: None, roots: Vec::new() };
                self.feed_core(Event::StreamFound(Box::new(found)));
            }
            Question::Stale(..) | Question::Newest | Question::Importance(_) => {}
            Question::Pinned(_)
            | Question::Weighed(_)
            | Question::Controls(_)
            | Question::Subscriptions
            | Question::Constraints
            | Question::Budgets
            | Question::Calendars
            | Question::Robots
            | Question::Instances
            | Question::Slots(_) => self.controls.give_up(),
        }
        self.fail_to_read(error, trouble);
        Ok(())
    }

    fn fail_to_read(&mut self, error: &StoreError, trouble: Trouble) {
        if self.troubles.reading.failed(self.moment) {
            tracing::warn!("{error}; it is tried again, and nothing new is asked for meanwhile");
        }
        self.on_trouble(Part::Reading, error.to_string(), trouble.advice());
    }

    /// Says so when the clock was set back, for as long as it shows.
    pub(super) fn compare_clocks(&mut self) {
        let ahead = self.clock_ahead;
        if ahead > AHEAD_TOLD {
            let is_news = !self.troubles.notes.contains_key(&Part::Clock);
            let what = format!("the clock was set back: the run is ahead of it by {ahead}");
            if is_news {
                tracing::warn!("{what}; {CLOCK_ADVICE}");
            }
            self.on_trouble(Part::Clock, what, CLOCK_ADVICE);
        } else {
            self.mend(Part::Clock);
        }
    }
}
