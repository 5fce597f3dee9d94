//! Which alerts there were. One setting of the store, so that it survives every end of a run.
//!
//! Invariant: of one rule and one subject there is at most one alert in a quiet time, whatever is
//! restarted in between. What is kept is bounded: the latest alerts for show, and for each subject the
//! time of its last one, until its quiet time is over.

use std::collections::VecDeque;

use freshet_report::alerts::{Alert, Tested};
use freshet_store::api::{Store, StoreError};
use freshet_store::setting::{Json, Setting};
use freshet_types::{Map, Timestamp};
use serde::{Deserialize, Serialize};

use super::rule::{Finding, Rules};
use crate::alert_of;

/// Setting under which the store keeps it.
const ALERTS: Setting<Json<Memory>> = Setting::new("alerts");
/// Alerts kept for show.
pub const ALERTS_MAX: usize = 500;
/// Subjects remembered; beyond it nothing new is told until some quiet times are over.
const SUBJECTS_MAX: usize = 20_000;

/// The memory of all alerts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Memory {
    /// The number of the latest.
    last: u64,
    /// The latest, oldest first.
    pub(super) alerts: VecDeque<Alert>,
    /// Rule and subject, and until when they are quiet, in milliseconds of the crawl's clock.
    quiet: Map<String, i64>,
    /// The last test that a running crawl was asked for.
    #[serde(default)]
    pub tested: Option<Tested>,
}

impl Memory {
    /// As it was left; text that is not understood is an empty memory.
    pub fn from_store(store: &dyn Store) -> Result<Self, StoreError> {
        Ok(ALERTS.find(store)?.map(|Json(memory)| memory).unwrap_or_default())
    }

    /// Writes it down.
    pub fn save(&self, store: &mut dyn Store) -> Result<(), StoreError> {
        ALERTS.put(store, &Json(self.clone()))
    }

    /// Makes an alert of a finding, unless it is within its quiet time.
    pub fn raise(&mut self, rules: &Rules, finding: Finding, now: Timestamp) -> Option<Alert> {
        let key = format!("{} {}", finding.rule, finding.subject);
        if self.quiet.get(&key).is_some_and(|until| *until > now.ms()) {
            return None;
        }
        if self.quiet.len() >= SUBJECTS_MAX {
            self.quiet.retain(|_, until| *until > now.ms());
        }
        if self.quiet.len() >= SUBJECTS_MAX {
            return None;
        }
        let rule = rules.of(finding.rule);
        self.quiet.insert(key, (now + rule.quiet).ms());
        self.last += 1;
        let alert = alert_of(self.last, finding, rule.threshold, now);
        self.alerts.push_back(alert.clone());
        let excess = self.alerts.len().saturating_sub(ALERTS_MAX);
        self.alerts.drain(..excess);
        Some(alert)
    }

    /// The latest alerts, newest first.
    pub fn alerts(&self) -> impl Iterator<Item = &Alert> {
        self.alerts.iter().rev()
    }
}

#[cfg(test)]
mod tests {
    use freshet_store::testing;
    use freshet_types::Span;

    use super::super::rule::RuleName;
    use super::*;

    fn finding(rule: RuleName, subject: &str) -> Finding {
        Finding { rule, subject: subject.to_owned(), text: String::new(), value: 1.0 }
    }

    #[test]
    fn nothing_is_repeated_in_its_quiet_time() {
        let (mut memory, rules) = (Memory::default(), Rules::default());
        let mut store = testing::memory();
        let start = Timestamp::from_secs(1_770_000_000);
        for (hours, rule, subject, is_told) in [
            (0, RuleName::Silence, "ada", true),
            (1, RuleName::Silence, "ada", false),
            (1, RuleName::Silence, "bob", true),
            (1, RuleName::Burst, "ada", true),
            (8, RuleName::Burst, "ada", true),
            (23, RuleName::Silence, "ada", false),
            (25, RuleName::Silence, "ada", true),
        ] {
            // As if the process were started anew before each.
            memory.save(&mut store).unwrap();
            memory = Memory::from_store(&store).unwrap();
            let now = start + Span::HOUR * f64::from(hours);
            let told = memory.raise(&rules, finding(rule, subject), now);
            assert_eq!(told.is_some(), is_told, "{hours} {rule} {subject}");
        }
        assert_eq!(memory.alerts().map(|alert| alert.number).collect::<Vec<_>>(), [5, 4, 3, 2, 1]);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let (mut memory, rules) = (Memory::default(), Rules::default());
        let now = Timestamp::from_secs(1_770_000_000);
        for number in 0..SUBJECTS_MAX + 10 {
            memory.raise(&rules, finding(RuleName::Dead, &number.to_string()), now);
        }
        assert_eq!((memory.alerts.len(), memory.quiet.len()), (ALERTS_MAX, SUBJECTS_MAX));
        let later = now + Span::DAY * 31.0;
        assert!(memory.raise(&rules, finding(RuleName::Dead, "0"), later).is_some());
    }
}
