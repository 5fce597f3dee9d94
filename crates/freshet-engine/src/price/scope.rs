//! A scope: one bucket of the ledger, or one server's politeness, and what a unit of it costs.
//!
//! The price of a unit is the one at which the demand of all tariffs that pay here equals the
//! goal: what flows in, less what others use (profiles, relations, first visits), less a share for
//! history while it reads, times how far it is overbooked. Demand is an estimate, so a slow controller
//! compares what visits *wanted* with the goal and corrects the estimate by `share`: wanted, not
//! spent, because the ledger never lets more be spent. A visit that came late by a fifth of its
//! gap wanted a fifth more than it got.
//!
//! One price holds for the whole day. A factor for each hour was tried: it costs more than it saves where calls are auctioned
//! (docs/results/live.md).
//!
//! Where sources wait in line, late ones wait for each other, so a little too much demand costs them little and spends the
//! whole quota; a little too few would leave some of it unspent.

use freshet_types::{QuotaKey, Span, Timestamp};

use super::key::TariffKey;
use super::meter::Meter;

/// How often a price is found anew.
pub(super) const PRICED_EVERY: Span = Span::from_secs(300);
/// More sources than this share since the last pricing are reason for another.
const GROWTH: f64 = 1.1;
/// The least that others and history leave to news.
const NEWS_SHARE_MIN: f64 = 0.25;
/// The most that history is left while it reads.
const HISTORY_SHARE: f64 = 0.25;
/// Where calls are given to who has waited longest for its gap (`core/auction.rs`), every call is spent whatever the price: it has
/// only to make visits come when they were planned, in the mean of days. A price that followed the hours would make the plans of the
/// morning and those of the evening hard to compare.
const AUCTIONED: Control = Control { overbooked: 1.0, memory: Span::DAY, gain: 0.003 };
/// Where sources wait in line, so many want to be visited that a quiet quarter of an hour finds somebody waiting, and a
/// demand that is wrong by half is put right in some two hours. A price is felt only when sources come due, so a quicker hand
/// would swing.
const IN_LINE: Control = Control { overbooked: 1.3, memory: Span::HOUR, gain: 0.05 };
/// The controller never multiplies or divides by more.
const SHARE_MAX: f64 = 16.0;
/// Visits that must have been counted before the controller acts.
const VISITS_MIN: u32 = 20;

/// How far back what was spent on news and history is looked at.
const MEMORY: Span = Span::HOUR;
/// Profiles are read once a day, often all in one hour: what they take is spread over a day.
const MEMORY_OF_OTHERS: Span = Span::DAY;
/// How a price is steered.
#[derive(Clone, Copy, Debug)]
struct Control {
    /// Demand that it aims at, as a share of what there is.
    overbooked: f64,
    /// How far back it looks.
    memory: Span,
    /// The exponent of a step.
    gain: f64,
}

/// Who spends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// A visit that the policy timed.
    News,
    /// History, behind the news.
    History,
    /// Everything else: profiles, relations, first visits.
    Other,
}

/// One scope.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) key: QuotaKey,
    /// A network declared it; otherwise it is a server's politeness.
    pub(super) is_declared: bool,
    /// Units that flow in.
    pub(super) budget_per_s: f64,
    /// Post-seconds for a unit; 0 where there is enough for all.
    pub(super) price: f64,
    /// Correction of the demand that is aimed at.
    pub(super) share: f64,
    /// Tariffs that pay here.
    pub(super) tariffs: Vec<TariffKey>,
    pub(super) priced_at: Option<Timestamp>,
    pub(super) priced_count: u64,
    /// Sources with a grade in its tariffs.
    pub(super) graded_count: u64,
    /// How many times the ceiling its sources may stay unvisited.
    pub(super) stretch: f64,
    /// No plan leaves one of them unvisited for much longer, in hours.
    pub(super) gap_h_max: f64,
    news: Meter,
    history: Meter,
    other: Meter,
    wanted: Meter,
    visits_count: u32,
}

impl Scope {
    pub(super) fn new(key: QuotaKey, is_declared: bool, budget_per_s: f64) -> Self {
        Self {
            key,
            is_declared,
            budget_per_s,
            price: 0.0,
            share: 1.0,
            tariffs: Vec::new(),
            priced_at: None,
            priced_count: 0,
            graded_count: 0,
            stretch: 1.0,
            gap_h_max: 0.0,
            news: Meter::new(MEMORY),
            history: Meter::new(MEMORY),
            other: Meter::new(MEMORY_OF_OTHERS),
            wanted: Meter::new(control_of(is_declared).memory),
            visits_count: 0,
        }
    }

    /// A tariff pays here from now on; so many of its sources have a grade.
    pub(super) fn join(&mut self, tariff: TariffKey, graded_count: u64) {
        self.tariffs.push(tariff);
        self.graded_count += graded_count;
    }

    /// Whether its price is to be found anew.
    pub(super) fn is_stale(&self, now: Timestamp) -> bool {
        let is_grown = self.graded_count as f64 > self.priced_count as f64 * GROWTH;
        is_grown || self.priced_at.is_none_or(|at| now - at >= PRICED_EVERY)
    }

    /// Units were spent.
    pub(super) fn spend(&mut self, units: f64, spender: Use, now: Timestamp) {
        match spender {
            Use::News => self.news.add(units, now),
            Use::History => self.history.add(units, now),
            Use::Other => self.other.add(units, now),
        }
    }

    /// A visit that cost so many units came `lateness` times its gap after the one before.
    pub(super) fn want(&mut self, units: f64, lateness: f64, now: Timestamp) {
        self.wanted.add(units * lateness, now);
        self.visits_count = self.visits_count.saturating_add(1);
    }

    /// What is left to news, in units a second.
    pub(super) fn target_per_s(&self, now: Timestamp) -> f64 {
        let history = self.history.per_s(now).min(self.budget_per_s * HISTORY_SHARE);
        let left = self.budget_per_s - self.other.per_s(now) - history;
        left.max(self.budget_per_s * NEWS_SHARE_MIN)
    }

    /// The demand to aim at by the estimate.
    pub(super) fn goal_per_s(&self, now: Timestamp) -> f64 {
        self.target_per_s(now) * control_of(self.is_declared).overbooked * self.share
    }

    /// The controller's step.
    pub(super) fn correct(&mut self, now: Timestamp) {
        if self.visits_count < VISITS_MIN {
            return;
        }
        let control = control_of(self.is_declared);
        let goal = self.target_per_s(now) * control.overbooked;
        let ratio = (goal / self.wanted.per_s(now).max(1e-9)).clamp(0.25, 4.0);
        if self.price > 0.0 || ratio < 1.0 {
            self.share = (self.share * ratio.powf(control.gain)).clamp(1.0 / SHARE_MAX, SHARE_MAX);
        } else {
            // With enough for all there is nothing to correct: what was learned fades.
            self.share = self.share.powf(1.0 - control.gain);
        }
    }

    pub(super) fn news_per_s(&self, now: Timestamp) -> f64 {
        self.news.per_s(now)
    }

    pub(super) fn others_per_s(&self, now: Timestamp) -> f64 {
        self.other.per_s(now) + self.history.per_s(now)
    }
}

/// Calls of declared quotas are auctioned where they are scarce; politeness lets sources wait in line.
fn control_of(is_declared: bool) -> Control {
    if is_declared { AUCTIONED } else { IN_LINE }
}
