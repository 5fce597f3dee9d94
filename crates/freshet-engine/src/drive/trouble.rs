//! Trouble that may pass: what fails at the moment, since when, and what that holds up.
//!
//! The dumper tells of the store and of the rings; readings that fail are noticed here, and so is a clock that was set back.
//! While the store cannot be read or written, the core begins nothing new and asks for no page: what is under way waits in memory,
//! bounded. Everything that could not be read is read again. Errors that stay end the run as before.

use std::collections::BTreeMap;

use freshet_report::run::{self, TroubledPart};
use freshet_report::time::UnixFloat;
use freshet_store::api::{StoreError, Trouble};
use freshet_types::{SourceId, Span, Timestamp};

use super::{Driver, RunError};
use crate::core::Event;
use crate::dump::Part;
use crate::spell::Spell;

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

impl Driver {
    /// A part of the run is in trouble.
    pub(super) fn suffer(&mut self, part: Part, what: String, advice: &'static str) {
        let since = self.troubles.notes.get(&part).map_or_else(|| self.clock.now(), |note| note.since);
        self.troubles.notes.insert(part, Note { what, since, advice });
        self.feed_core(Event::Hold(self.troubles.holds()));
    }

    /// It works again.
    pub(super) fn mend(&mut self, part: Part) {
        if self.troubles.notes.remove(&part).is_some() {
            self.feed_core(Event::Hold(self.troubles.holds()));
        }
    }

    /// Reads a source for the core, now or when the store can be read again.
    pub(super) fn load(&mut self, id: SourceId) -> Result<(), RunError> {
        if self.troubles.reading.waits() {
            self.troubles.unread.push(id);
            return Ok(());
        }
        match self.reader.source(id) {
            Ok(source) => self.feed_core(Event::Loaded(id, source.map(Box::new))),
            Err(error) => {
                self.troubles.unread.push(id);
                self.outlive(Err(error))?;
            }
        }
        Ok(())
    }

    /// Looks whether the store can be read again, and reads what was asked for meanwhile.
    pub(super) fn read_again(&mut self) -> Result<(), RunError> {
        if !self.troubles.reading.is_on() || self.troubles.reading.waits() {
            return Ok(());
        }
        let read = self.reader.last_change();
        if read.is_ok() && self.troubles.reading.worked() {
            tracing::info!("the store can be read again");
            self.mend(Part::Reading);
        }
        self.outlive(read.map(drop))?;
        std::mem::take(&mut self.troubles.unread).into_iter().try_for_each(|id| self.load(id))
    }

    /// What a reading came to: trouble that may pass is noted, and it is tried again later.
    pub(super) fn outlive(&mut self, done: Result<(), impl Into<RunError>>) -> Result<(), RunError> {
        match done.map_err(Into::into) {
            Err(RunError::Store(error)) => {
                let Some(trouble) = error.trouble() else { return Err(error.into()) };
                self.fail_to_read(&error, trouble);
                Ok(())
            }
            other => other,
        }
    }

    fn fail_to_read(&mut self, error: &StoreError, trouble: Trouble) {
        if self.troubles.reading.failed() {
            tracing::warn!("{error}; it is tried again, and nothing new is asked for meanwhile");
        }
        self.suffer(Part::Reading, error.to_string(), trouble.advice());
    }

    /// Says so when the clock was set back, for as long as it shows.
    pub(super) fn mind_clock(&mut self) {
        let ahead = self.clock.ahead();
        if ahead > AHEAD_TOLD {
            let is_news = !self.troubles.notes.contains_key(&Part::Clock);
            let what = format!("the clock was set back: the run is ahead of it by {ahead}");
            if is_news {
                tracing::warn!("{what}; {CLOCK_ADVICE}");
            }
            self.suffer(Part::Clock, what, CLOCK_ADVICE);
        } else {
            self.mend(Part::Clock);
        }
    }
}
