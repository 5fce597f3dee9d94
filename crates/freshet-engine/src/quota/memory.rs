//! The ledger's memory: what a process that starts must know of what the last one spent.
//!
//! Written to the store's settings every [`SAVE_EVERY`] and at a graceful stop. A process that is
//! killed loses at most the grants of one such period; the margin of the buckets covers them, and
//! the first answer that announces what is left corrects the rest. Requests under way are not
//! written down: they were charged when they left.
//!
//! Small and bounded: the [`ENTRIES_MAX`] buckets that bind longest, and as many storms. What
//! cannot be read, or was written at a time that has not come yet (by another clock), is passed
//! over: a fresh ledger asks once and learns.

use std::cmp::Reverse;
use std::time::Duration;

use freshet_types::{QuotaKey, Timestamp};
use serde::{Deserialize, Serialize};

use super::bucket::Bucket;
use super::storm::Storm;
use super::{Asker, Ledger};

/// Setting under which the store keeps it.
pub const LEDGER_KEY: &str = "ledger";
/// Wall time between two times of writing it down.
pub const SAVE_EVERY: Duration = Duration::from_secs(2);
/// Most buckets and storms written down: some 300 KB of text.
const ENTRIES_MAX: usize = 1000;

#[derive(Serialize, Deserialize)]
struct Memory {
    saved_at: Timestamp,
    buckets: Vec<(QuotaKey, Bucket)>,
    storms: Vec<(Asker, Storm)>,
}

impl Ledger {
    /// What the next process must know, as text.
    pub fn to_text(&self, now: Timestamp) -> String {
        let mut buckets: Vec<_> = self.buckets.iter().map(|(key, one)| (key.clone(), one.clone())).collect();
        buckets.sort_by(|(key, one), (other_key, other)| {
            (Reverse(one.binds_until()), key).cmp(&(Reverse(other.binds_until()), other_key))
        });
        buckets.truncate(ENTRIES_MAX);
        let mut storms: Vec<_> = self.storms.iter().map(|(asker, storm)| (asker.clone(), *storm)).collect();
        storms.sort_by_key(|(asker, storm)| (Reverse(storm.until), asker.network.clone()));
        storms.truncate(ENTRIES_MAX);
        serde_json::to_string(&Memory { saved_at: now, buckets, storms }).unwrap_or_default()
    }

    /// The ledger that an earlier process wrote down; an empty one where there is nothing of use.
    pub fn from_text(text: &str, now: Timestamp) -> Self {
        match serde_json::from_str::<Memory>(text) {
            Ok(memory) if memory.saved_at <= now => Self {
                buckets: memory.buckets.into_iter().collect(),
                storms: memory.storms.into_iter().collect(),
            },
            Ok(_) => {
                tracing::info!("the stored quota ledger is from another clock and is passed over");
                Self::default()
            }
            Err(error) => {
                tracing::warn!("the stored quota ledger cannot be read and is passed over: {error}");
                Self::default()
            }
        }
    }
}
