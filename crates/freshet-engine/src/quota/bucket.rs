//! One bucket: what one holder may still ask of one network under one rule.
//!
//! A bucket is a generic cell rate algorithm: one unit flows in every `gap`, at most `burst`
//! wait. In any window of length `W` it grants at most `burst - 1 + W / gap` units, whatever the
//! alignment of the network's own windows, so `gap` is chosen to make that sum the limit. That spends the quota evenly and
//! (almost) wholly.
//!
//! | the server | burst | left alone |
//! |---|---|---|
//! | says nothing | a tenth | a twentieth, for requests that overtake each other on the way |
//! | tells what is left, and until when | a fiftieth | [`RESET_SLACK`] of each window |
//! | does not know of it: a budget of ours | a fiftieth | nothing |
//!
//! What the network says is left binds on top of that: it is counted down with every grant, and
//! at nothing the bucket waits for the announced reset. A server that counts aloud needs no margin for what is on the
//! way: that is taken off its count. A server with a limit of its own slows the
//! bucket from its first answer on: by what it says is left, spread until its reset, and once
//! two resets have shown how long its window is, by that rate. No window of the declared length has more than the declared
//! limit, whatever is announced.

use freshet_types::{LimitReading, QuotaKey, Span, Timestamp};
use serde::{Deserialize, Serialize};

use super::{AWAY_MAX, QuotaView};

/// Share of a limit that may be spent at once where the server does not tell what is left.
const BURST_SHARE: u32 = 10;
/// Share of a limit that is left alone there, for requests that are late or early on the wire.
const MARGIN_SHARE: u32 = 20;
/// Share of a limit that may be spent at once where it does tell, and of what it says is left that is left to
/// others: people behind the same address, and what a process that was killed had sent.
const TOLD_SHARE: u32 = 50;
/// While no answer has come the limit is a guess: one request finds out, the others look again so often.
const DOUBT_GAP: Span = Span::from_ms(100);
/// Resets are told in whole seconds, and two clocks never agree: a reset is believed this much later.
pub(super) const RESET_SLACK: Span = Span::SECOND;

/// Longest window that a network has (a month); a reset further away is a mistake.
pub(super) const WINDOW_MAX: Span = Span::from_ms(31 * 86_400_000);

/// Fractions of a millisecond that sums of the same gaps may differ by.
const ROUNDING_MS: f64 = 1.0;

/// Whose limit a bucket keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Owner {
    /// A network's: a quota.
    #[default]
    Them,
    /// A person's here: a budget.
    Us,
}

/// The bucket.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Bucket {
    #[serde(default)]
    owner: Owner,
    declared: (u32, Span),
    /// As announced, where that is another than the declared one.
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
    pub(super) fn new((limit, window): (u32, Span), owner: Owner, now: Timestamp) -> Self {
        Self {
            owner,
            declared: (limit, window),
            limit,
            window: Some(window),
            full_at_ms: now.ms() as f64,
            blocked_until: Timestamp::MIN,
            told: None,
            last_reset_at: None,
            longest_wait: Span::ZERO,
            in_flight: 0,
            is_confirmed: owner == Owner::Us,
            granted_count: 0,
        }
    }

    /// What the definition or the person says now: it holds at once, and what was spent stays spent. Of a budget, calls that
    /// are owed are owed at the new pace: whoever allows more need not wait for what the old pace had put off.
    pub(super) fn declare(&mut self, declared: (u32, Span), now: Timestamp) {
        if self.declared == declared {
            return;
        }
        let before_ms = self.gap_ms(now);
        self.declared = declared;
        (self.limit, self.window) = (declared.0, Some(declared.1));
        if self.owner == Owner::Us {
            let owed = (self.full_at_ms - now.ms() as f64).max(0.0) / before_ms;
            self.full_at_ms = now.ms() as f64 + owed * self.gap_ms(now);
        }
    }

    /// When so many units may leave.
    pub(super) fn ready_at(&self, units: u32, now: Timestamp) -> Timestamp {
        let gap = self.gap_ms(now);
        let room = gap * f64::from(self.burst().saturating_sub(units));
        let by_rate = Timestamp::from_ms((self.full_at_ms - room).ceil() as i64);
        let is_doubtful = !self.is_confirmed && self.in_flight > 0;
        let by_doubt = if is_doubtful { now + DOUBT_GAP } else { now };
        let by_word = self.told(now).filter(|told| told.left < units).map_or(now, |told| told.reset_at);
        by_rate.max(self.blocked_until).max(by_doubt).max(by_word)
    }

    /// When so many requests of one unit may have left.
    pub(super) fn all_ready_at(&self, count: u32, now: Timestamp) -> Timestamp {
        let beyond = count.saturating_sub(self.burst());
        self.ready_at(count, now) + Span::from_ms((self.gap_ms(now) * f64::from(beyond)).ceil() as i64)
    }

    /// So many units leave.
    pub(super) fn put_in_flight(&mut self, units: u32, now: Timestamp) {
        self.charge(units, now);
        self.in_flight += units;
    }

    /// So many units are spent.
    pub(super) fn charge(&mut self, units: u32, now: Timestamp) {
        self.full_at_ms = self.full_at_ms.max(now.ms() as f64) + self.gap_ms(now) * f64::from(units);
        self.granted_count += u64::from(units);
        if let Some(told) = &mut self.told {
            told.left = told.left.saturating_sub(units);
        }
    }

    /// Whether whoever knows only this grants no more than one who knows `state` does.
    pub(super) fn covers(&self, state: &Self, now: Timestamp) -> bool {
        let is_told = state.told(now).is_none_or(|word| {
            self.told
                .is_some_and(|told| told.left <= word.left && told.reset_at + RESET_SLACK >= word.reset_at)
        });
        is_told
            && (self.declared, self.limit, self.window) == (state.declared, state.limit, state.window)
            && self.full_at_ms + ROUNDING_MS >= state.full_at_ms
            && (self.blocked_until >= state.blocked_until || state.blocked_until <= now)
    }

    /// The same, told by a clock that was put back by so much.
    pub(super) fn earlier(mut self, by: Span) -> Self {
        if by > Span::ZERO {
            self.full_at_ms -= by.ms() as f64;
            self.blocked_until = Timestamp::from_ms(self.blocked_until.ms().saturating_sub(by.ms()));
            self.told = self.told.map(|told| Told { reset_at: told.reset_at - by, ..told });
            self.last_reset_at = self.last_reset_at.map(|at| at - by);
        }
        self
    }

    /// So many units were answered.
    pub(super) fn answered(&mut self, units: u32) {
        self.in_flight = self.in_flight.saturating_sub(units);
        self.is_confirmed = true;
    }

    /// The network speaks of this bucket; `is_own`: with a limit that nobody declared.
    pub(super) fn announce(&mut self, reading: &LimitReading, is_own: bool, now: Timestamp) {
        if let Some(limit) = reading.limit.filter(|&limit| limit > 0) {
            self.follow(limit, reading.reset_at, is_own, now);
        }
        if let (Some(remaining), Some(reset_at)) = (reading.remaining, reading.reset_at)
            && reset_at > now
            && reset_at - now <= WINDOW_MAX
        {
            let margin = if is_own { 0 } else { self.limit / TOLD_SHARE };
            // Who speaks of the declared limit speaks of its window too: a reset beyond its end is told by a clock that
            // differs from ours. Others have windows of their own, of a day at most. Then one request asks again.
            let is_declared = reading.limit == Some(self.declared.0);
            let longest = if is_declared { self.declared.1 } else { AWAY_MAX.max(self.declared.1) };
            let furthest_at = now + longest;
            self.is_confirmed &= reset_at <= furthest_at;
            self.count_down(remaining.saturating_sub(margin), reset_at.min(furthest_at) + RESET_SLACK, now);
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
        (self.full_at_ms - now.ms() as f64) / self.in_force().1.ms().max(1) as f64
    }

    /// The bucket for reports.
    pub(super) fn view(&self, key: &QuotaKey, now: Timestamp) -> QuotaView {
        let owed = ((self.full_at_ms - now.ms() as f64) / self.gap_ms(now)).max(0.0);
        let spent_until = self.told(now).filter(|told| told.left == 0).map(|told| told.reset_at);
        let blocked_until = Some(self.blocked_until).max(spent_until).filter(|&until| until > now);
        let ready = (f64::from(self.burst()) - owed).max(0.0);
        let (limit, window) = self.in_force();
        QuotaView {
            key: key.clone(),
            limit,
            window,
            burst: self.burst(),
            ready: if blocked_until.is_some() { 0.0 } else { ready },
            blocked_until,
            granted_count: self.granted_count,
        }
    }

    /// Units a second that flow in, in the long run: what is told of one window is passed over,
    /// unless nothing else is known.
    pub(super) fn refill_per_s(&self, now: Timestamp) -> f64 {
        let gap_ms = if self.window.is_some() { self.even_gap_ms(now) } else { self.gap_ms(now) };
        1000.0 / gap_ms.max(1e-3)
    }

    /// Units per window that it goes by: the fewer of what is declared and what is announced.
    pub(super) fn limit(&self) -> u32 {
        self.limit.min(self.declared.0)
    }

    /// Whether the server announced a limit that nobody declared.
    pub(super) fn has_own_limit(&self) -> bool {
        self.limit != self.declared.0
    }

    /// The limit and its window that bind in the long run: the server's own where they are slower.
    fn in_force(&self) -> (u32, Span) {
        let is_slower = match self.window {
            Some(window) => {
                silent_gap_ms(self.limit, window) > silent_gap_ms(self.declared.0, self.declared.1)
            }
            None => self.limit < self.declared.0,
        };
        if is_slower { (self.limit, self.window.unwrap_or(self.declared.1)) } else { self.declared }
    }

    /// Units that may be spent at once. A server that once told what is left is not given more when it stops: what left at
    /// the faster pace would be in the same window.
    fn burst(&self) -> u32 {
        let is_even = self.told.is_some() || self.owner == Owner::Us;
        let share = if is_even { TOLD_SHARE } else { BURST_SHARE };
        burst_of(self.limit(), share)
    }

    fn told(&self, now: Timestamp) -> Option<Told> {
        self.told.filter(|told| now < told.reset_at)
    }

    /// Whether the server counts aloud: it told what is left in this window or in the one before.
    fn is_counted_aloud(&self, now: Timestamp) -> bool {
        let window = self.window.unwrap_or(self.declared.1);
        self.told.is_some_and(|told| now < told.reset_at + window)
    }

    /// Milliseconds between two units by the limits alone.
    fn even_gap_ms(&self, now: Timestamp) -> f64 {
        if self.owner == Owner::Us {
            return own_gap_ms(self.declared.0, self.declared.1);
        }
        let gap_ms = if self.is_counted_aloud(now) { told_gap_ms } else { silent_gap_ms };
        let declared = gap_ms(self.declared.0, self.declared.1);
        self.window.map_or(declared, |window| gap_ms(self.limit, window).max(declared))
    }

    /// Milliseconds between two units now.
    fn gap_ms(&self, now: Timestamp) -> f64 {
        self.even_gap_ms(now).max(self.told(now).map_or(0.0, |told| told.gap_ms))
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
        let Some(reset_at) = reset_at.filter(|&at| at - now <= WINDOW_MAX) else { return };
        self.longest_wait = self.longest_wait.max(reset_at - now);
        // Between resets that lie further apart there were others, which nobody asked about.
        let is_next = |span: &Span| *span > RESET_SLACK && *span <= self.longest_wait * 2.0 + RESET_SLACK;
        let between = self.last_reset_at.map(|last| reset_at - last).filter(is_next);
        if let Some(between) = between {
            let shortest = self.window.map_or(between, |window| window.min(between));
            self.window = Some(shortest.max(self.longest_wait));
            // What was granted while the window was a guess was charged at the guess's price; what was
            // spent of the declared quota stays spent.
            let (limit, window) = self.declared;
            let declared_ms = silent_gap_ms(limit, window) * f64::from(burst_of(limit, BURST_SHARE));
            let owed_max_ms = (self.gap_ms(now) * f64::from(self.burst())).max(declared_ms);
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
        // The next window's first unit may leave at the reset.
        let gap_ms = (reset_at - now).ms() as f64 / (f64::from(left) + 1.0);
        self.told = Some(Told { left, gap_ms, reset_at });
    }
}

fn burst_of(limit: u32, share: u32) -> u32 {
    (limit / share).max(1)
}

/// Milliseconds between two units that keep any window of a silent server under the limit, a burst and the margin included.
fn silent_gap_ms(limit: u32, window: Span) -> f64 {
    let usable = limit.saturating_sub(burst_of(limit, BURST_SHARE) + limit / MARGIN_SHARE).max(1);
    window.ms() as f64 / f64::from(usable)
}

/// The same where the server counts aloud.
fn told_gap_ms(limit: u32, window: Span) -> f64 {
    own_gap_ms(limit, window + RESET_SLACK)
}

/// The same where nobody else counts.
fn own_gap_ms(limit: u32, window: Span) -> f64 {
    let usable = limit.saturating_sub(burst_of(limit, TOLD_SHARE) - 1).max(1);
    window.ms() as f64 / f64::from(usable)
}
