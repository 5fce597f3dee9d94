//! Forums that wait to be learned, are learned, or were: one at a time.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use freshet_types::Timestamp;
use serde::{Deserialize, Serialize};

/// How far an address is.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Stage {
    Waiting,
    Learning,
    Learned,
    Failed,
}

/// One address.
pub(super) struct Job {
    pub(super) wish: Wish,
    pub(super) stage: Stage,
    /// What came of it, in words.
    pub(super) told: Option<String>,
    pub(super) asked_at: Timestamp,
}

/// What is to be learned.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wish {
    /// The address of the front page.
    pub(super) address: String,
    /// Loopback and private addresses may be asked.
    #[serde(default)]
    pub(super) allow_private: bool,
    /// Older history is left out.
    #[serde(default)]
    pub(super) since: String,
}

/// All addresses of late.
#[derive(Default)]
pub(super) struct Jobs(Mutex<VecDeque<Job>>);

impl Jobs {
    pub(super) fn lock(&self) -> MutexGuard<'_, VecDeque<Job>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next that waits, unless one is learned now.
    pub(super) fn begin(&self) -> Option<Wish> {
        let mut jobs = self.lock();
        if jobs.iter().any(|job| job.stage == Stage::Learning) {
            return None;
        }
        let job = jobs.iter_mut().find(|job| job.stage == Stage::Waiting)?;
        job.stage = Stage::Learning;
        Some(job.wish.clone())
    }

    /// What is learned now came to this.
    pub(super) fn end(&self, told: Result<String, String>) {
        let mut jobs = self.lock();
        let Some(job) = jobs.iter_mut().find(|job| job.stage == Stage::Learning) else { return };
        job.stage = if told.is_ok() { Stage::Learned } else { Stage::Failed };
        job.told = Some(told.unwrap_or_else(|why| why));
    }
}
