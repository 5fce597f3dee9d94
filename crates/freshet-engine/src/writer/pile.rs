//! What the writer has been given and has not written yet.
//!
//! Nothing leaves the pile before the store has confirmed it, so that whatever fails is done again. It is bounded: uploads by what
//! the core lets wait (`uploads_max`), settings by their number, since only the newest word of each counts.

use std::collections::{BTreeMap, VecDeque};

use freshet_network::constraint::Constraints;
use freshet_store::row::Upload;
use freshet_store::subscription::Standing;
use freshet_types::Observation;

use super::Job;
use crate::history::HISTORY;
use crate::price::PRICES;
use crate::quota::Reservation;
use crate::report::STATUS;

/// Rows committed at once, so that readers and other writers get their turn.
const GROUP_ROWS_MAX: usize = 20_000;

/// What is done in one transaction, or in the order of its arrival among those.
#[derive(Debug)]
pub(super) enum Group {
    /// Pages and ends of visits, and how many rows they are.
    Uploads(Vec<Upload>, usize),
    /// What came before is judged by the old constraints.
    Constraints(Constraints),
}

/// Everything that waits.
#[derive(Debug, Default)]
pub(super) struct Pile {
    /// In the order of arrival.
    pub(super) groups: VecDeque<Group>,
    /// The newest text of each setting.
    pub(super) settings: BTreeMap<&'static str, String>,
    /// What was granted of the quotas, in the order of the numbers by which it is confirmed. Few: the
    /// core begins nothing new while the store is in trouble.
    pub(super) reservations: VecDeque<Reservation>,
    /// How far consumers of the change log have got; written between commits.
    pub(super) cursors: BTreeMap<String, u64>,
    /// How far subscribers have got, each by its name; written with them.
    pub(super) standings: BTreeMap<String, Standing>,
    /// Visit numbers to be reserved.
    pub(super) reserve: Option<u64>,
    /// Nothing more will come.
    pub(super) is_last: bool,
}

impl Pile {
    /// Puts a job on it.
    pub(super) fn add(&mut self, job: Job) {
        match job {
            Job::Apply(upload) => self.add_upload(*upload),
            Job::Constraints(constraints) => self.groups.push_back(Group::Constraints(constraints)),
            Job::Report(text) => self.add_setting(STATUS.key(), text),
            Job::Ledger(reservation) => self.reservations.push_back(*reservation),
            Job::Prices(text) => self.add_setting(PRICES.key(), text),
            Job::History(text) => self.add_setting(HISTORY.key(), text),
            Job::Note(key, text) => self.add_setting(key, text),
            Job::Reserve(count) => self.reserve = Some(count),
            Job::Cursor(consumer, number) => drop(self.cursors.insert(consumer, number)),
            Job::Standing(name, standing) => drop(self.standings.insert(name, standing)),
            // How much may come out of the rings is no matter of the store.
            Job::Room(_) => {}
            Job::Stop => self.is_last = true,
        }
    }

    /// Nothing waits.
    pub(super) fn is_empty(&self) -> bool {
        let has_settings = !self.settings.is_empty() || !self.reservations.is_empty();
        self.groups.is_empty() && !has_settings && self.reserve.is_none()
    }

    /// Pages, or grants that requests wait for, are among what waits.
    pub(super) fn has_pages(&self) -> bool {
        !self.groups.is_empty() || !self.reservations.is_empty()
    }

    /// Enough waits for one turn.
    pub(super) fn is_full(&self) -> bool {
        self.is_last || matches!(self.groups.back(), Some(Group::Uploads(_, rows)) if *rows >= GROUP_ROWS_MAX)
    }

    fn add_setting(&mut self, key: &'static str, text: String) {
        self.settings.insert(key, text);
    }

    fn add_upload(&mut self, upload: Upload) {
        let own_rows = row_count(&upload.observation) + 1;
        match self.groups.back_mut() {
            Some(Group::Uploads(uploads, rows)) if *rows < GROUP_ROWS_MAX => {
                uploads.push(upload);
                *rows += own_rows;
            }
            _ => self.groups.push_back(Group::Uploads(vec![upload], own_rows)),
        }
    }
}

fn row_count(observation: &Observation) -> usize {
    observation.posts.len() + observation.accounts.len() + observation.relations.len()
}
