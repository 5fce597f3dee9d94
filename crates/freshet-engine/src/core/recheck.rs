//! Another look at old pages of threads, for edits and deletions. Part of step 3 (pick) of 10.
//!
//! Visits of a thread read its last page only; what changes on the pages before it is seen here in the end. Each such look says whether
//! something was edited since the look before; what all pages of the site have shown, by age, makes the plan of ages at which a page
//! is worth another look ([`freshet_policy::page::Ages`]). The plan is kept in the store with every [`NOTED_EVERY`] looks and every edit found, so that
//! a new process goes on with it. The store knows whose time has come ([`freshet_store::api::Store::stale_pages`]). A server gives [`RECHECK_SHARE`] of what its politeness and its quotas allow to such looks,
//! when nobody else waits for it, and they count as what prices leave to others.
//!
//! Such a visit asks for one page. It moves neither coverage nor the thread's own schedule; a page that cannot be had now
//! waits for its next turn.

use std::collections::{BTreeSet, VecDeque};

use freshet_policy::page::{AgedLook, Ages};
use freshet_store::row::{Applied, ListPage, StalePage, Upload};
use freshet_store::setting::{Json, Setting, SettingValue as _};
use freshet_types::{Intent, Map, NetworkName, ServerKey, SourceId, SourceState, Span, Timestamp, VisitId};

use super::upload::{empty_upload, list_page};
use super::{Core, Effect, begin};
use crate::pages::AgesOf;
use crate::price::polite_per_s;
use crate::visit::Rechecked;
use crate::walk::{Aim, Seen};

/// Share of the requests that politeness allows.
const RECHECK_SHARE: f64 = 0.02;
/// How long a page waits that could not be had.
const MISSED_GAP: Span = Span::DAY;
/// Fruitless looks after which what was learned is written down: as many are forgotten when the process is killed.
const NOTED_EVERY: u64 = 16;
/// Setting under which the store remembers what old pages of each forum have shown.
pub(crate) const RECHECKS: Setting<Json<AgesOf>> = Setting::new("rechecks");
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
    /// What old pages have shown, by forum.
    ages: AgesOf,
    /// What is supposed of a forum that has shown nothing yet.
    usual: Ages,
}

/// The pages of one server that are worth another look.
#[derive(Debug, Default)]
struct Pages {
    queue: VecDeque<StalePage>,
    /// Of sources that are on their way, what to ask for.
    intents: Map<SourceId, (Intent, Timestamp)>,
    ready_at: Timestamp,
    /// When the store was last asked, on the wall.
    asked_ms: Option<u64>,
}

impl Rechecks {
    /// What an earlier process has learned.
    pub(super) fn restore(&mut self, ages: AgesOf) {
        self.ages = ages;
    }

    /// When a page of this forum whose newest post is this old is worth another look.
    pub(super) fn next_at(
        &self,
        network: &NetworkName,
        newest_at: Option<Timestamp>,
        seen_at: Timestamp,
    ) -> Timestamp {
        self.ages.get(network).unwrap_or(&self.usual).next_at(newest_at, seen_at)
    }

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
    pub(super) fn intent(&mut self, key: ServerKey, id: SourceId) -> (Intent, Option<Rechecked>) {
        let asked = self.by_server.get_mut(&key).and_then(|pages| pages.intents.remove(&id));
        let rechecked = |since| Rechecked { since, seen: None };
        asked.map_or((Intent::First, None), |(intent, since)| (intent, Some(rechecked(since))))
    }

    /// Looks that a forum's plan has learned from.
    #[cfg(test)]
    pub(super) fn look_count(&self, network: &NetworkName) -> u64 {
        self.ages.get(network).map_or(0, |ages| ages.counts().0)
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
                let asked = (intent, page.seen_at);
                self.rechecks.by_server.entry(key).or_default().intents.insert(page.source, asked);
                self.frontier.schedule(page.source, key, begin::HISTORY_CLASS, Timestamp::MIN);
            }
        }
    }

    /// The store has said whether an old page has changed: its forum's plan learns from that.
    pub(super) fn learn_recheck(&mut self, id: VisitId, applied: &Applied) {
        let Some(visit) = self.visits.get_mut(id) else { return };
        let Some(Rechecked { since, seen: Some((newest_at, at)) }) = visit.rechecked.take() else { return };
        let is_edited = applied.edited_count + applied.deleted_count > 0;
        let ages = self.rechecks.ages.entry(visit.source.network.clone()).or_default();
        ages.learn(&AgedLook { newest_at, since, at, is_edited });
        if is_edited || ages.counts().0.is_multiple_of(NOTED_EVERY) {
            let text = Json(self.rechecks.ages.clone()).to_stored();
            self.want(Effect::Note(RECHECKS.key(), text));
        }
    }

    /// The page cannot be had now: it waits for its next turn, and its thread is as it was.
    pub(super) fn miss_recheck(&mut self, id: VisitId, now: Timestamp) {
        let visit = &mut self.visits[id];
        let seen = Seen { at: now, visit: id };
        let page = ListPage { recheck_at: now + MISSED_GAP, ..list_page(visit) };
        let upload =
            Upload { page: Some(page), brought_by: Some(visit.source.id), ..empty_upload(visit, seen) };
        self.want_upload(id, upload);
        self.finish(id, MISSED, now);
    }
}
