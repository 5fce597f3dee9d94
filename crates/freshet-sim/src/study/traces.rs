//! Where the recorded histories come from, and which stretches of them are used.
//!
//! The folder is named by whoever runs the studies. Missing traces are told all at once and
//! before anything is computed.

use std::path::{Path, PathBuf};

use freshet_types::Timestamp;

use super::StudyError;
use crate::forum;
use crate::trace::{By, History, Window};

/// Accounts of the United States Congress.
pub(crate) const CONGRESS: &str = "a1_us_congress_tweets";
/// Accounts of public figures: few, with long histories.
pub(crate) const FIGURES: &str = "a3_public_figure_tweets";
/// A chat of people and bots.
pub(crate) const CHAT: &str = "a5_indieweb_chat";
/// Chat rooms.
pub(crate) const ROOMS: &str = "b6_freecodecamp_gitter_rooms";

/// A forum about a proof assistant: boards, and threads that are chats.
pub(crate) const LEAN: &str = "b1_lean_zulip";
/// A mailing list: one board.
pub(crate) const GIT: &str = "b3_git_mailing_list";
/// A forum about medical images: one board.
pub(crate) const SLICER: &str = "b8_slicer_discourse";
/// Issues and pull requests of a project: two boards.
pub(crate) const BITCOIN: &str = "b2_bitcoin_github";
/// Mailing lists about a language: a board each.
pub(crate) const R_LISTS: &str = "b4_r_mailing_lists";

const ALL: [&str; 9] = [CONGRESS, FIGURES, CHAT, ROOMS, LEAN, GIT, SLICER, BITCOIN, R_LISTS];

/// A folder of traces.
#[derive(Clone, Debug)]
pub struct Traces {
    dir: PathBuf,
}

impl Traces {
    /// The folder, if it holds all that the studies need.
    pub fn open(dir: &Path) -> Result<Self, StudyError> {
        let traces = Self { dir: dir.to_owned() };
        let is_lacking = |name: &&str| !traces.path(name).is_file();
        let lacking: Vec<_> =
            ALL.into_iter().filter(is_lacking).map(|name| format!("`{name}.tsv.zst`")).collect();
        if lacking.is_empty() {
            return Ok(traces);
        }
        Err(StudyError::Lacking { dir: dir.display().to_string(), lacking: lacking.join(", ") })
    }

    /// A window of a trace.
    pub fn read(&self, name: &str, window: Window, by: By) -> Result<History, StudyError> {
        Ok(History::read(&self.path(name), window, by)?)
    }

    /// A forum's history up to an end.
    pub fn forum(&self, name: &str, end: Timestamp) -> Result<forum::History, StudyError> {
        Ok(forum::History::read(&self.path(name), end)?)
    }

    /// The same without the boards that the trace gives these numbers.
    pub(crate) fn forum_without(
        &self,
        name: &str,
        end: Timestamp,
        boards: &[u64],
    ) -> Result<forum::History, StudyError> {
        Ok(forum::History::read_without(&self.path(name), end, boards)?)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{name}.tsv.zst"))
    }
}

/// Year, month, day.
pub type Date = (i16, i8, i8);

/// The midnight (UTC) with which a day begins; a date that does not exist is the epoch.
pub(crate) fn midnight((year, month, day): Date) -> Timestamp {
    let date =
        jiff::civil::Date::new(year, month, day).and_then(|date| date.to_zoned(jiff::tz::TimeZone::UTC));
    Timestamp::from_secs(date.map_or(0, |zoned| zoned.timestamp().as_second()))
}

/// A month of a trace, as tables name it: `a1 2019-02`.
pub(crate) fn month_of(trace: &str, (year, month, _): Date) -> String {
    let short = trace.split('_').next().unwrap_or(trace);
    format!("{short} {year}-{month:02}")
}

/// A window of a trace that is crawled with so many calls an hour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) trace: &'static str,
    /// Its first day.
    pub(crate) from: Date,
    pub(crate) calls_per_hour: f64,
}

/// Windows that were not looked at while the engine was built.
pub(crate) const UNSEEN: [Stretch; 3] = [
    stretch(CONGRESS, (2020, 5, 1), 60.0),
    stretch(FIGURES, (2013, 10, 1), 10.0),
    stretch(CHAT, (2018, 3, 1), 10.0),
];

pub(crate) const fn stretch(trace: &'static str, from: Date, calls_per_hour: f64) -> Stretch {
    Stretch { trace, from, calls_per_hour }
}

impl Stretch {
    /// As tables name it: `a1 2019-02, 60/h`.
    pub(crate) fn name(&self) -> String {
        format!("{}, {}/h", month_of(self.trace, self.from), self.calls_per_hour)
    }

    /// Four weeks to learn from, four weeks that count.
    pub(crate) fn read(&self, traces: &Traces) -> Result<History, StudyError> {
        traces.read(self.trace, four_and_four(midnight(self.from)), By::Author)
    }
}

/// The usual window: four weeks to learn from, four weeks that count.
pub(crate) fn four_and_four(from: Timestamp) -> Window {
    Window { from, warm_days: 28, eval_days: 28 }
}
