//! Who is still to be told of what, and when it is tried.
//!
//! An alert has an entry for each receiver from the moment it is stored, so that whoever is killed before, while
//! or between tries goes on with the next run: every receiver is told at least once, or tried
//! [`TRIES_MAX`] times. Pauses are on the computer's clock, since receivers live by it, whatever clock
//! the crawl has. Pure but for what [`Memory`] keeps; who carries messages is the business of
//! [`super::courier`].

use freshet_report::alerts::{Alert, Sent};
use freshet_report::time::UnixFloat;
use freshet_types::{Set, Span, Timestamp};

use super::config::Receiver;
use super::memory::Memory;

/// Tries before a receiver is given up for an alert.
pub(crate) const TRIES_MAX: u32 = 8;
/// Pause after the first try.
const PAUSE_FIRST: Span = Span::from_ms(2000);
/// Each pause is so many times as long as the one before: 2 s, 8 s, 32 s, 2 min, 9 min, 34 min, 2.3 h. A mail
/// server that puts strangers off for half an hour is reached, and three hours are the end of it.
const PAUSE_FACTOR: f64 = 4.0;

/// How long a receiver rests after so many tries.
fn pause_after(tries_count: u32) -> Span {
    let exponent = tries_count.clamp(1, TRIES_MAX) - 1;
    PAUSE_FIRST * PAUSE_FACTOR.powi(exponent as i32)
}

/// Somebody is to be told, at this time.
fn waiting(to: &str, at: Timestamp) -> Sent {
    Sent { to: to.to_owned(), is_ok: false, why: None, tries_count: 0, again_at: Some(UnixFloat(at)) }
}

/// Whether the time of the next try has come. A time beyond all pauses was written by a clock that was wrong.
fn is_due(sent: &Sent, now: Timestamp) -> bool {
    sent.again_at.is_some_and(|at| at.0 <= now || at.0 > now + pause_after(TRIES_MAX))
}

/// Notes one try more, and what became of it.
fn note_try(sent: &mut Sent, outcome: &Result<(), String>, now: Timestamp) {
    sent.tries_count += 1;
    sent.is_ok = outcome.is_ok();
    sent.why = outcome.as_ref().err().cloned();
    let is_over = sent.is_ok || sent.tries_count >= TRIES_MAX;
    sent.again_at = (!is_over).then(|| UnixFloat(now + pause_after(sent.tries_count)));
}

impl Memory {
    /// Notes who is to be told of these alerts, and when.
    pub(crate) fn address(&mut self, numbers: &[u64], receivers: &[Receiver], at: Timestamp) {
        for alert in self.alerts.iter_mut().filter(|alert| numbers.contains(&alert.number)) {
            let wanting = receivers.iter().filter(|receiver| receiver.wants(alert.rule));
            alert.sent = wanting.map(|receiver| waiting(&receiver.name, at)).collect();
        }
    }

    /// One message for each receiver that has something due and is not busy. Alerts that were never tried
    /// come along, though they would wait for others a little longer.
    pub(crate) fn due<'a>(
        &self,
        receivers: &'a [Receiver],
        busy: &Set<String>,
        now: Timestamp,
    ) -> Vec<(&'a Receiver, Vec<Alert>)> {
        let message = |receiver: &Receiver| -> Vec<Alert> {
            let entry = |alert: &Alert| alert.sent.iter().find(|sent| sent.to == receiver.name).cloned();
            let all = self.alerts.iter().filter_map(|alert| Some((alert, entry(alert)?)));
            let open: Vec<_> = all.filter(|(_, sent)| sent.again_at.is_some()).collect();
            if !open.iter().any(|(_, sent)| is_due(sent, now)) {
                return Vec::new();
            }
            let comes_along = |sent: &Sent| is_due(sent, now) || sent.tries_count == 0;
            open.into_iter().filter(|(_, sent)| comes_along(sent)).map(|(alert, _)| alert.clone()).collect()
        };
        let free = receivers.iter().filter(|receiver| !busy.contains(&receiver.name));
        free.map(|receiver| (receiver, message(receiver))).filter(|(_, alerts)| !alerts.is_empty()).collect()
    }

    /// Notes what became of a message. A receiver that took one is there again: what else waits for it
    /// need not wait longer.
    pub(crate) fn note(&mut self, to: &str, numbers: &[u64], outcome: &Result<(), String>, now: Timestamp) {
        for alert in &mut self.alerts {
            let is_told = numbers.contains(&alert.number);
            for sent in alert.sent.iter_mut().filter(|sent| sent.to == to && sent.again_at.is_some()) {
                if is_told {
                    note_try(sent, outcome, now);
                } else if outcome.is_ok() {
                    sent.again_at = Some(UnixFloat(now));
                }
            }
        }
    }

    /// Ends the waiting for receivers that are none any more; says whether there were such.
    pub(crate) fn drop_gone(&mut self, receivers: &[Receiver]) -> bool {
        let is_gone = |sent: &Sent| {
            sent.again_at.is_some() && !receivers.iter().any(|receiver| receiver.name == sent.to)
        };
        let entries = self.alerts.iter_mut().flat_map(|alert| &mut alert.sent);
        let mut has_dropped = false;
        for sent in entries.filter(|sent| is_gone(sent)) {
            has_dropped = true;
            sent.again_at = None;
            let before = sent.why.take().map_or_else(String::new, |why| format!("; before: {why}"));
            sent.why = Some(format!("there is no receiver of this name any more{before}"));
        }
        has_dropped
    }
}

#[cfg(test)]
mod tests;
