//! A scope: one bucket of the ledger, or one server's politeness, and what a unit of it costs.
//!
//! The price of a unit is the one at which the demand of all tariffs that pay here equals the
//! goal: what flows in, less what others use (profiles, relations, first visits), less a share for
//! history while it reads, times [`OVERBOOKED`]. Demand is an estimate, so a slow controller
//! compares what visits *wanted* with the goal and corrects the estimate by `share`: wanted, not
//! spent, because the ledger never lets more be spent. A visit that came late by a fifth of its
//! gap wanted a fifth more than it got.
//!
//! With one price for the whole day more is wanted in the evening than at night, so the price has
//! a factor for each hour of the day, moved once a day by how far what was wanted in that hour was
//! from the goal. Rules that plan ahead find visits where they are cheap.
//!
//! Late sources wait for each other, so a little too much demand costs them little and spends the
//! whole quota; a little too few would leave some of it unspent.

use freshet_policy::price::HourPrices;
use freshet_types::{QuotaKey, Span, Timestamp};

use super::key::TariffKey;
use super::meter::Meter;

/// How often a price is found anew.
pub(super) const PRICED_EVERY: Span = Span::from_secs(300);
/// Demand that a price aims at, as a share of what there is: so much that a quiet quarter of an hour
/// finds somebody waiting. All are late alike, so who is visited how often stays as the price has it.
const OVERBOOKED: f64 = 1.3;
/// The least that others and history leave to news.
const NEWS_SHARE_MIN: f64 = 0.25;
/// The most that history is left while it reads.
const HISTORY_SHARE: f64 = 0.25;
/// Exponent of the controller: a demand that is wrong by half is put right in some two hours. A
/// price is felt only when sources come due, so a quicker hand would swing.
const GAIN: f64 = 0.05;
/// The controller never multiplies or divides by more.
const SHARE_MAX: f64 = 16.0;
/// Visits that must have been counted before the controller acts.
const VISITS_MIN: u32 = 20;

/// How much of an hour's miss its factor takes in a day: plans evade a dear hour for the next one
/// readily, so that a quick hand would empty it.
const HOUR_GAIN: f64 = 0.2;
/// How far back the controller looks.
const MEMORY: Span = Span::HOUR;
/// Profiles are read once a day, often all in one hour: what they take is spread over a day.
const MEMORY_OF_OTHERS: Span = Span::DAY;
/// How far back an hour's factor looks.
const MEMORY_OF_HOUR: Span = Span::from_secs(1200);

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
    news: Meter,
    history: Meter,
    other: Meter,
    wanted: Meter,
    wanted_lately: Meter,
    /// How the price varies over the day.
    pub(super) hours: HourPrices,
    /// The day, counted from 1970, on which the hours last turned.
    pub(super) day: Option<i64>,
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
            news: Meter::new(MEMORY),
            history: Meter::new(MEMORY),
            other: Meter::new(MEMORY_OF_OTHERS),
            wanted: Meter::new(MEMORY),
            wanted_lately: Meter::new(MEMORY_OF_HOUR),
            hours: HourPrices::default(),
            day: None,
            visits_count: 0,
        }
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
        self.wanted_lately.add(units * lateness, now);
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
        self.target_per_s(now) * OVERBOOKED * self.share
    }

    /// The controller's step.
    pub(super) fn correct(&mut self, now: Timestamp) {
        if self.visits_count < VISITS_MIN {
            return;
        }
        self.mark_hour(now);
        let goal = self.target_per_s(now) * OVERBOOKED;
        let ratio = (goal / self.wanted.per_s(now).max(1e-9)).clamp(0.25, 4.0);
        if self.price > 0.0 || ratio < 1.0 {
            self.share = (self.share * ratio.powf(GAIN)).clamp(1.0 / SHARE_MAX, SHARE_MAX);
        } else {
            // With enough for all there is nothing to correct: what was learned fades.
            self.share = self.share.powf(1.0 - GAIN);
        }
    }

    /// Notes how far from the goal this hour is; a new day turns the marks into factors.
    fn mark_hour(&mut self, now: Timestamp) {
        let today = now.secs().div_euclid(86_400);
        if self.day.replace(today).is_some_and(|day| day < today) {
            self.hours.turn();
        }
        let goal = self.target_per_s(now) * OVERBOOKED;
        if self.price > 0.0 && goal > 0.0 {
            let ratio = (self.wanted_lately.per_s(now) / goal).max(1e-3);
            self.hours.mark(now, HOUR_GAIN * ratio.ln());
        }
    }

    pub(super) fn news_per_s(&self, now: Timestamp) -> f64 {
        self.news.per_s(now)
    }

    pub(super) fn others_per_s(&self, now: Timestamp) -> f64 {
        self.other.per_s(now) + self.history.per_s(now)
    }
}
