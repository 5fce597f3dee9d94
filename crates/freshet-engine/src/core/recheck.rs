//! Another look at old pages of threads, for edits and deletions. Part of step 3 (pick) of 10.
//!
//! Visits of a thread read its last page only; what changes on the pages before it is seen here in the end. A page that was read
//! is worth another look when as much time has passed as its newest post was old then, a day at least and
//! [`RECHECK_GAP_MAX`] at most: edits become rare as posts grow old, so each look doubles the wait. The store knows whose
//! time has come ([`freshet_store::api::Store::stale_pages`]). A server gives [`RECHECK_SHARE`] of what its politeness and its quotas allow to such looks,
//! when nobody else waits for it, and they count as what prices leave to others.
//!
//! Such a visit asks for one page. It moves neither coverage nor the thread's own schedule; a page that cannot be had now
//! waits for its next turn.

use std::collections::{BTreeSet, VecDeque};

use freshet_store::row::{ListPage, StalePage, Upload};
use freshet_types::{Intent, Map, NetworkName, ServerKey, SourceId, SourceState, Span, Timestamp, VisitId};

use super::upload::{empty_upload, list_page};
use super::{Core, Effect, begin};
use crate::price::polite_per_s;
use crate::walk::{Aim, Seen};

/// Share of the requests that politeness allows.
const RECHECK_SHARE: f64 = 0.02;
/// Least wait for another look at a page.
const RECHECK_GAP_MIN: Span = Span::DAY;
/// The longest.
const RECHECK_GAP_MAX: Span = Span::from_ms(90 * 86_400_000);
/// How soon a server that others wait for is looked at again.
const WANTED_GAP: Span = Span::from_ms(250);
/// Pages asked of the store at once.
pub(crate) const STALE_MAX: usize = 32;
/// Wall time between two times that the store is asked, in milliseconds: a reading is cheap, but not free.
const STALE_EVERY_MS: u64 = 1000;
/// Outcome of a look that brought nothing.
const MISSED: &str = "missed";

/// Old pages that are worth another look.
#[derive(Debug, Default)]
pub(super) struct Rechecks {
    by_server: Map<ServerKey, Pages>,
    /// The servers that have some, by when the next look may begin.
    ready: BTreeSet<(Timestamp, ServerKey)>,
}

/// The pages of one server that are worth another look.
#[derive(Debug, Default)]
struct Pages {
    queue: VecDeque<StalePage>,
    /// Of sources that are on their way, what to ask for.
    intents: Map<SourceId, Intent>,
    ready_at: Timestamp,
    /// When the store was last asked, on the wall.
    asked_ms: Option<u64>,
}

/// When a page whose newest post is this old is worth another look.
pub(super) fn recheck_at(newest_at: Option<Timestamp>, seen_at: Timestamp) -> Timestamp {
    let gap = newest_at.map_or(RECHECK_GAP_MAX * 0.5, |newest_at| seen_at - newest_at);
    seen_at + gap.clamp(RECHECK_GAP_MIN, RECHECK_GAP_MAX)
}

impl Rechecks {
    /// Takes in the store's answer.
    fn add(&mut self, key: ServerKey, found: Vec<StalePage>) {
        let pages = self.by_server.entry(key).or_default();
        if pages.queue.is_empty() && !found.is_empty() {
            pages.queue.extend(found);
            self.ready.insert((pages.ready_at, key));
        }
    }

    /// Whether the store is to be asked for pages of a server now.
    fn wants(&self, key: ServerKey, wall_ms: u64) -> bool {
        let is_wanting = |pages: &Pages| {
            pages.queue.is_empty() && pages.asked_ms.is_none_or(|at| wall_ms >= at + STALE_EVERY_MS)
        };
        self.by_server.get(&key).is_none_or(is_wanting)
    }

    /// The server whose next look may begin now.
    fn next_ready(&mut self, now: Timestamp) -> Option<ServerKey> {
        let &(at, key) = self.ready.first().filter(|first| first.0 <= now)?;
        self.ready.remove(&(at, key));
        Some(key)
    }

    /// Takes the next page of a server; the one after it may follow at `next_at`.
    fn pop(&mut self, key: ServerKey, next_at: Timestamp) -> Option<StalePage> {
        let pages = self.by_server.get_mut(&key)?;
        let page = pages.queue.pop_front()?;
        pages.ready_at = next_at;
        if !pages.queue.is_empty() {
            self.ready.insert((next_at, key));
        }
        Some(page)
    }

    /// What a source that is looked at again is asked for.
    pub(super) fn intent(&mut self, key: ServerKey, id: SourceId) -> Intent {
        let intent = self.by_server.get_mut(&key).and_then(|pages| pages.intents.remove(&id));
        intent.unwrap_or(Intent::First)
    }

    /// Whether no look waits.
    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }
}

impl Core {
    /// Has the store asked for pages that are worth another look, of forums that have none in hand.
    pub(super) fn want_stale(&mut self) {
        let wall_ms = self.wall_ms;
        let is_wanting =
            |&key: &ServerKey| self.rechecks.wants(key, wall_ms) && !self.servers.unread(key).is_resting();
        let keys: Vec<ServerKey> = self.forums.keys().filter(is_wanting).collect();
        for key in keys {
            self.rechecks.by_server.entry(key).or_default().asked_ms = Some(wall_ms);
            self.want(Effect::ReadStale(self.servers.network(key).clone()));
        }
    }

    /// The store's answer.
    pub(super) fn on_stale_pages(&mut self, network: &NetworkName, pages: Vec<StalePage>) {
        if let Some(key) = self.servers.key_of(network) {
            self.rechecks.add(key, pages);
        }
    }

    /// Begins one look on each server that has time for it.
    pub(super) fn pump_rechecks(&mut self, now: Timestamp) {
        while let Some(key) = self.rechecks.next_ready(now) {
            if self.frontier.is_wanted(key) {
                self.rechecks.ready.insert((now + WANTED_GAP, key));
                continue;
            }
            let politeness = begin::politeness(&self.networks, self.servers.instance(key));
            let given_per_s = self.desk_refill_per_s(key, now).unwrap_or(f64::INFINITY);
            let pace_s = 1.0 / (polite_per_s(politeness).min(given_per_s) * RECHECK_SHARE).max(1e-6);
            let Some(page) = self.rechecks.pop(key, now + Span::from_secs_f64(pace_s)) else { continue };
            let intent = page.cursor.map_or(Intent::First, Intent::Next);
            let Some(slot) = self.sources.get_mut(page.source) else { continue };
            // What is due for its news comes back to this when it has them.
            if slot.waits_for_news() && slot.state == SourceState::Active && slot.news_at > now {
                slot.aim = Aim::Recheck;
                self.rechecks.by_server.entry(key).or_default().intents.insert(page.source, intent);
                self.frontier.schedule(page.source, key, begin::HISTORY_CLASS, Timestamp::MIN);
            }
        }
    }

    /// The page cannot be had now: it waits for its next turn, and its thread is as it was.
    pub(super) fn miss_recheck(&mut self, id: VisitId, now: Timestamp) {
        let visit = &mut self.visits[id];
        let seen = Seen { at: now, visit: id };
        let page = ListPage { recheck_at: now + RECHECK_GAP_MIN, ..list_page(visit) };
        let upload =
            Upload { page: Some(page), brought_by: Some(visit.source.id), ..empty_upload(visit, seen) };
        self.want_upload(id, upload);
        self.finish(id, MISSED, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_look_doubles_the_wait() {
        let at = |hours: f64| Timestamp::from_secs(1_000_000_000) + Span::HOUR * hours;
        let hours = |newest_h: f64, seen_h: f64| {
            (recheck_at(Some(at(newest_h)), at(seen_h)) - at(seen_h)).secs_f64() / 3600.0
        };
        assert!((hours(0.0, 1.0) - 24.0).abs() < 1e-9);
        assert!((hours(0.0, 25.0) - 25.0).abs() < 1e-9);
        assert!((hours(0.0, 50.0) - 50.0).abs() < 1e-9);
        assert!((hours(0.0, 1e6) - 90.0 * 24.0).abs() < 1e-9);
        assert!(recheck_at(None, at(0.0)) > at(24.0));
    }
}
