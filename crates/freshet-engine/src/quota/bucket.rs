//! One bucket: what one holder may still ask of one network under one rule.
//!
//! A bucket is a generic cell rate algorithm: one unit flows in every `gap`, at most `burst`
//! wait. In any window of length `W` it grants at most `burst + W / gap` units, whatever the
//! alignment of the network's own windows, so `gap` is chosen to make that sum the limit less a
//! margin for requests that overtake each other on the way. That spends the quota evenly and
//! (almost) wholly.
//!
//! What the network says is left binds on top of that: it is counted down with every grant, and
//! at nothing the bucket waits for the announced reset. A server with a limit of its own is
//! followed from its first answer on: by what it says is left, spread until its reset, and once
//! two resets have shown how long its window is, by that rate.

use freshet_types::{LimitReading, QuotaKey, Span, Timestamp};
use serde::{Deserialize, Serialize};

use super::{AWAY_MAX, QuotaView};

/// Share of a limit that may be spent at once.
const BURST_SHARE: u32 = 10;
/// Share of a limit that is left alone, for requests that are late or early on the wire.
const MARGIN_SHARE: u32 = 20;
/// While no answer has come the limit is a guess: one request finds out, the others look again so often.
const DOUBT_GAP: Span = Span::from_ms(100);
/// Resets are told in whole seconds, and two clocks never agree: a reset is believed this much later.
pub(super) const RESET_SLACK: Span = Span::SECOND;

/// Longest window that a network has (a month); a reset further away is a mistake.
const WINDOW_MAX: Span = Span::from_ms(31 * 86_400_000);

/// The bucket.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Bucket {
    declared: (u32, Span),
    limit: u32,
    /// `None`: the server's limit is its own, and its window is not known yet.
    window: Option<Span>,
    /// When the bucket will be full again, in milliseconds; fractions matter at high rates.
    full_at_ms: f64,
    /// Nothing before this.
    pub(super) blocked_until: Timestamp,
    told: Option<Told>,
    /// The last reset of a server with a limit of its own, and the longest way to one.
    last_reset_at: Option<Timestamp>,
    longest_wait: Span,
    /// What was under way when a process died was charged when it left.
    #[serde(skip)]
    in_flight: u32,
    is_confirmed: bool,
    #[serde(skip)]
    granted_count: u64,
}

/// What the network said is left, less what was granted since.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Told {
    left: u32,
    gap_ms: f64,
    reset_at: Timestamp,
}

impl Bucket {
    /// A full bucket of the declared size.
    pub(super) fn new(limit: u32, window: Span, now: Timestamp) -> Self {
        Self {
            declared: (limit, window),
            limit,
            window: Some(window),
            full_at_ms: now.ms() as f64,
            blocked_until: Timestamp::MIN,
            told: None,
            last_reset_at: None,
            longest_wait: Span::ZERO,
            in_flight: 0,
            is_confirmed: false,
            granted_count: 0,
        }
    }

    /// What the definition says now: a replaced one holds at once, and what was spent stays spent.
    pub(super) fn declare(&mut self, limit: u32, window: Span) {
        if self.declared != (limit, window) {
            self.declared = (limit, window);
            (self.limit, self.window) = (limit, Some(window));
        }
    }

    /// When so many units may leave.
    pub(super) fn ready_at(&self, units: u32, now: Timestamp) -> Timestamp {
        let gap = self.gap_ms(now);
        let room = gap * f64::from(self.burst().saturating_sub(units.min(self.burst())));
        let by_rate = Timestamp::from_ms((self.full_at_ms - room).ceil() as i64);
        let is_doubtful = !self.is_confirmed && self.in_flight > 0;
        let by_doubt = if is_doubtful { now + DOUBT_GAP } else { now };
        let by_word = self.told(now).filter(|told| told.left < units).map_or(now, |told| told.reset_at);
        by_rate.max(self.blocked_until).max(by_doubt).max(by_word)
    }

    /// So many units leave.
    pub(super) fn take(&mut self, units: u32, now: Timestamp) {
        self.full_at_ms = self.full_at_ms.max(now.ms() as f64) + self.gap_ms(now) * f64::from(units);
        self.in_flight += units;
        self.granted_count += u64::from(units);
        if let Some(told) = &mut self.told {
            told.left = told.left.saturating_sub(units);
        }
    }

    /// So many units were answered.
    pub(super) fn answered(&mut self, units: u32) {
        self.in_flight = self.in_flight.saturating_sub(units);
        self.is_confirmed = true;
    }

    /// The network speaks of this bucket; `is_own`: with a limit that nobody declared.
    pub(super) fn announce(&mut self, reading: &LimitReading, is_own: bool, now: Timestamp) {
        if let Some(limit) = reading.limit {
            self.follow(limit.max(1), reading.reset_at, is_own, now);
        }
        if let (Some(remaining), Some(reset_at)) = (reading.remaining, reading.reset_at)
            && reset_at > now
            && reset_at - now <= WINDOW_MAX
        {
            // A process that was killed knows nothing of what it had sent: the margin is for that too.
            let margin = if is_own { 0 } else { self.limit / MARGIN_SHARE };
            self.count_down(remaining.saturating_sub(margin), reset_at + RESET_SLACK, now);
        }
        if let Some(until) = reading.blocked_until {
            self.blocked_until = self.blocked_until.max(until.min(now + AWAY_MAX));
        }
    }

    /// Until when it binds, to choose by which buckets to write down.
    pub(super) fn binds_until(&self) -> Timestamp {
        let told_until = self.told.map_or(Timestamp::MIN, |told| told.reset_at);
        Timestamp::from_ms(self.full_at_ms as i64).max(self.blocked_until).max(told_until)
    }

    /// How near to exhaustion it is, to compare buckets by.
    pub(super) fn fullness(&self, now: Timestamp) -> f64 {
        (self.full_at_ms - now.ms() as f64) / self.known_window().ms().max(1) as f64
    }

    /// The bucket for reports.
    pub(super) fn view(&self, key: &QuotaKey, now: Timestamp) -> QuotaView {
        let owed = ((self.full_at_ms - now.ms() as f64) / self.gap_ms(now)).max(0.0);
        let spent_until = self.told(now).filter(|told| told.left == 0).map(|told| told.reset_at);
        let blocked_until = Some(self.blocked_until).max(spent_until).filter(|&until| until > now);
        let ready = (f64::from(self.burst()) - owed).max(0.0);
        QuotaView {
            key: key.clone(),
            limit: self.limit,
            window: self.known_window(),
            ready: if blocked_until.is_some() { 0.0 } else { ready },
            blocked_until,
            granted_count: self.granted_count,
        }
    }

    /// Units a second that flow in, in the long run: what is told of one window is passed over,
    /// unless nothing else is known.
    pub(super) fn refill_per_s(&self, now: Timestamp) -> f64 {
        let gap_ms = if self.window.is_some() { self.even_gap_ms() } else { self.gap_ms(now) };
        1000.0 / gap_ms.max(1e-3)
    }

    fn burst(&self) -> u32 {
        (self.limit / BURST_SHARE).max(1)
    }

    fn known_window(&self) -> Span {
        self.window.unwrap_or(self.declared.1)
    }

    fn told(&self, now: Timestamp) -> Option<Told> {
        self.told.filter(|told| now < told.reset_at)
    }

    fn even_gap_ms(&self) -> f64 {
        let usable = self.limit.saturating_sub(self.burst() + self.limit / MARGIN_SHARE).max(1);
        self.known_window().ms() as f64 / f64::from(usable)
    }

    /// Milliseconds between two units in the long run.
    fn gap_ms(&self, now: Timestamp) -> f64 {
        let even = self.even_gap_ms();
        match self.told(now) {
            Some(told) if self.window.is_none() => told.gap_ms,
            Some(told) => told.gap_ms.max(even),
            None => even,
        }
    }

    /// Goes by the announced limit; its window lies between the longest wait for a reset and the
    /// shortest time between two.
    fn follow(&mut self, limit: u32, reset_at: Option<Timestamp>, is_own: bool, now: Timestamp) {
        if !is_own {
            (self.limit, self.window) = (self.declared.0, Some(self.declared.1));
            return;
        }
        if self.limit != limit {
            (self.limit, self.window) = (limit, None);
            (self.last_reset_at, self.longest_wait) = (None, Span::ZERO);
        }
        let Some(reset_at) = reset_at else { return };
        self.longest_wait = self.longest_wait.max(reset_at - now);
        let between = self.last_reset_at.map(|last| reset_at - last).filter(|&span| span > RESET_SLACK);
        if let Some(between) = between {
            let shortest = self.window.map_or(between, |window| window.min(between));
            self.window = Some(shortest.max(self.longest_wait));
            // What was granted while the window was a guess was charged at the guess's price.
            let owed_max_ms = self.gap_ms(now) * f64::from(self.burst());
            self.full_at_ms = self.full_at_ms.min(now.ms() as f64 + owed_max_ms);
        }
        self.last_reset_at = Some(self.last_reset_at.map_or(reset_at, |last| last.max(reset_at)));
    }

    /// What is left binds until the reset. Answers overtake each other, so within one window the
    /// smallest number is the true one.
    fn count_down(&mut self, remaining: u32, reset_at: Timestamp, now: Timestamp) {
        let mut left = remaining.saturating_sub(self.in_flight);
        if let Some(told) = self.told(now)
            && reset_at - told.reset_at <= RESET_SLACK
        {
            left = left.min(told.left);
        }
        let gap_ms = (reset_at - now).ms() as f64 / f64::from(left.max(1));
        self.told = Some(Told { left, gap_ms, reset_at });
    }
}
