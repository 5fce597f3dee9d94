//! The ledger's memory: what a process that starts must know of what the last one spent.
//!
//! Each bucket and each storm is a setting of the store of its own, written when the store's word
//! would let a new process ask for more than is left (`quota/reserve.rs`), and removed when it says
//! nothing that a fresh one would not. Requests under way are not written down: they were charged
//! before they left.
//!
//! Older versions kept one text for all (`LEDGER_BEFORE`); it is read once, and replaced by the settings.
//! What cannot be read is passed over. What was written at a time that has not come yet, by a clock
//! that was put back a little, counts as written now; from further ahead it is another clock's, and
//! is passed over too: a fresh bucket asks once and learns.

use freshet_store::setting::{Setting, SettingGroup};
use freshet_types::{QuotaKey, Span, Timestamp};
use serde::{Deserialize, Serialize};

use super::account::Account;
use super::bucket::{Bucket, WINDOW_MAX};
use super::storm::Storm;
use super::{Asker, Ledger};

/// Setting under which older versions kept all of it.
pub(crate) const LEDGER_BEFORE: Setting<String> = Setting::new("ledger");
/// How the settings begin.
pub const LEDGER: SettingGroup = SettingGroup::new("ledger/");
/// Clocks are put back by no more; what is from further ahead was written by another one.
const CLOCK_STEP_MAX: Span = Span::HOUR;

/// One setting.
#[derive(Serialize, Deserialize)]
struct Entry {
    saved_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bucket: Option<(QuotaKey, Bucket)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    storm: Option<(Asker, Storm)>,
}

/// The one text of older versions.
#[derive(Deserialize)]
struct OneText {
    saved_at: Timestamp,
    buckets: Vec<(QuotaKey, Bucket)>,
    storms: Vec<(Asker, Storm)>,
}

/// The key of the setting of a bucket.
pub(super) fn bucket_name(key: &QuotaKey) -> String {
    name(key)
}

/// The setting of a bucket in this state.
pub(super) fn bucket_setting(key: &QuotaKey, state: &Bucket, now: Timestamp) -> (String, Option<String>) {
    let saved = Entry { saved_at: now, bucket: Some((key.clone(), state.clone())), storm: None };
    (name(key), Some(text(&saved)))
}

/// The setting of an asker's storm; none where it is over.
pub(super) fn storm_setting(
    asker: &Asker,
    storm: Option<&Storm>,
    now: Timestamp,
) -> (String, Option<String>) {
    let saved = |storm: &Storm| Entry { saved_at: now, bucket: None, storm: Some((asker.clone(), *storm)) };
    (name(asker), storm.map(|storm| text(&saved(storm))))
}

fn name(of: &impl Serialize) -> String {
    LEDGER.key(&text(of))
}

fn text(of: &impl Serialize) -> String {
    serde_json::to_string(of).expect("the ledger is plain data")
}

impl Ledger {
    /// The ledger that earlier processes wrote down: the settings under [`LEDGER`], and the one
    /// text of older versions where there is one.
    pub(crate) fn from_settings(settings: Vec<(String, String)>, old: Option<&str>, now: Timestamp) -> Self {
        let mut ledger = Self::default();
        if let Some(old) = old {
            ledger.restore_text(old, now);
            ledger.notebook.gone.push(LEDGER_BEFORE.key().to_owned());
        }
        for (name, text) in settings {
            match serde_json::from_str::<Entry>(&text) {
                Ok(saved) => ledger.restore_entry(name, saved, now),
                Err(error) => {
                    tracing::warn!("`{name}` cannot be read and is passed over: {error}");
                    ledger.notebook.gone.push(name);
                }
            }
        }
        ledger
    }

    fn restore_entry(&mut self, name: String, saved: Entry, now: Timestamp) {
        let Some(ahead) = ahead_of(saved.saved_at, now) else { return self.notebook.gone.push(name) };
        if let Some((asker, storm)) = saved.storm {
            self.storms.insert(asker, storm.earlier(ahead));
        }
        let Some((key, bucket)) = saved.bucket else { return };
        let bucket = bucket.earlier(ahead);
        if bucket.is_as_fresh(now) {
            return self.notebook.gone.push(name);
        }
        // One that was put back is stored as it is when it is next asked of.
        let stored = (ahead == Span::ZERO).then(|| bucket.clone());
        self.accounts.insert(key, Account::new(bucket, stored));
    }

    fn restore_text(&mut self, text: &str, now: Timestamp) {
        let memory = match serde_json::from_str::<OneText>(text) {
            Ok(memory) => memory,
            Err(error) => {
                return tracing::warn!("the stored quota ledger cannot be read and is passed over: {error}");
            }
        };
        let Some(ahead) = ahead_of(memory.saved_at, now) else { return };
        for (asker, storm) in memory.storms {
            self.notebook.storms.insert(asker.clone());
            self.storms.insert(asker, storm.earlier(ahead));
        }
        for (key, bucket) in memory.buckets {
            self.notebook.buckets.insert(key.clone());
            self.accounts.insert(key, Account::new(bucket.earlier(ahead), None));
        }
    }
}

/// By how much the clock was put back since something was written; `None`: another clock wrote it.
fn ahead_of(saved_at: Timestamp, now: Timestamp) -> Option<Span> {
    let ahead = (saved_at - now).max(Span::ZERO);
    if ahead > CLOCK_STEP_MAX {
        tracing::info!("a part of the stored quota ledger is from another clock and is passed over");
        return None;
    }
    Some(ahead)
}

impl Bucket {
    /// Whether a bucket that nobody has asked of yet would grant no more: such a one need not be kept.
    /// A server's own limit is worth knowing for as long as its window may last.
    fn is_as_fresh(&self, now: Timestamp) -> bool {
        let kept = if self.has_own_limit() { WINDOW_MAX } else { Span::ZERO };
        self.binds_until() + kept <= now
    }
}
