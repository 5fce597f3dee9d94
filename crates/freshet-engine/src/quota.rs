//! The quota ledger: what every network still allows every holder, never overdrawn.
//!
//! A bucket is a generic cell rate algorithm: one unit flows in every `gap`, at most `burst`
//! wait. In any window of length `W` it grants at most `burst + W / gap` units, whatever the
//! alignment of the network's own windows, so `gap` is chosen to make that sum the declared
//! limit less a margin for requests that overtake each other on the way. That spends the quota
//! evenly and (almost) wholly. Announcements only ever make a bucket slower than that, except
//! where a server shows a limit of its own: then its limit and the distance between its resets
//! replace the declared ones. What is announced as left is a second bound until its reset, less
//! the margin: a process that was killed and started again knows nothing of what it spent.
//!
//! All waiting is told as a time; the ledger itself never waits.

use freshet_types::{LimitReading, Map, QuotaKey, QuotaNeed, Span, Timestamp};

/// Share of a limit that may be spent at once.
const BURST_SHARE: u32 = 10;
/// Share of a limit that is left alone, for requests that are late or early on the wire.
const MARGIN_SHARE: u32 = 20;
/// Resets that lie closer together are the same: some networks round them.
const RESET_SLACK: Span = Span::from_secs(2);
/// Requests under way on a bucket from which no answer has come yet.
const UNCONFIRMED_MAX: u32 = 2;
/// How long to stay away after "too many" when the network does not say.
const BLIND_WAIT: Span = Span::MINUTE;
/// The wait doubles with every "too many" in a row, up to this many times.
const BLIND_DOUBLINGS_MAX: u32 = 6;

/// What one holder may still ask of one network under one rule.
#[derive(Clone, Debug)]
struct Bucket {
    declared: (u32, Span),
    limit: u32,
    window: Span,
    /// When the bucket will be full again, in milliseconds; fractions matter at high rates.
    full_at_ms: f64,
    blocked_until: Timestamp,
    /// What the network said is left, while that holds.
    word: Option<Word>,
    last_reset_at: Option<Timestamp>,
    in_flight_count: u32,
    is_confirmed: bool,
    refusals: u32,
    granted_count: u64,
}

/// So many units are left until the reset; they are spread evenly.
#[derive(Clone, Copy, Debug)]
struct Word {
    left: u32,
    gap_ms: f64,
    until: Timestamp,
}

/// A bucket as `freshet status` shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotaView {
    /// Which bucket.
    pub key: QuotaKey,
    /// Units per window.
    pub limit: u32,
    /// Length of the window.
    pub window: Span,
    /// Units that could be spent at once now.
    pub ready: f64,
    /// Nothing before this, if it lies ahead.
    pub blocked_until: Option<Timestamp>,
    /// Units granted by this process.
    pub granted_count: u64,
}

/// All buckets.
#[derive(Debug, Default)]
pub struct Ledger {
    buckets: Map<QuotaKey, Bucket>,
}

impl Ledger {
    /// Grants all of `needs` at once, or says when to ask again and takes nothing.
    pub fn grant(&mut self, needs: &[QuotaNeed], now: Timestamp) -> Result<(), Timestamp> {
        let mut wait = now;
        for need in needs {
            wait = wait.max(self.bucket(need, now).ready_at(need.units, now));
        }
        if wait > now {
            return Err(wait);
        }
        for need in needs {
            self.bucket(need, now).take(need.units, now);
        }
        Ok(())
    }

    /// A granted request was answered (or failed): its announcements are taken in.
    pub fn answered(&mut self, needs: &[QuotaNeed], readings: &[LimitReading], now: Timestamp) {
        for need in needs {
            let bucket = self.bucket(need, now);
            bucket.in_flight_count = bucket.in_flight_count.saturating_sub(1);
            bucket.is_confirmed = true;
        }
        for reading in readings {
            let Some(key) = self.meant(needs, reading, now) else { continue };
            let is_own = needs.iter().all(|need| Some(need.limit) != reading.limit);
            for need in needs.iter().filter(|need| is_own || need.key == key) {
                self.bucket(need, now).announce(reading, is_own, now);
            }
        }
    }

    /// The network said "too many"; nothing of these before the time given back.
    pub fn refused(&mut self, needs: &[QuotaNeed], until: Option<Timestamp>, now: Timestamp) -> Timestamp {
        let mut latest = until.unwrap_or(now);
        for need in needs {
            let bucket = self.bucket(need, now);
            let wait = BLIND_WAIT * f64::from(1u32 << bucket.refusals.min(BLIND_DOUBLINGS_MAX));
            bucket.refusals += 1;
            let until = until.filter(|&at| at > now).unwrap_or(now + wait);
            bucket.blocked_until = bucket.blocked_until.max(until);
            latest = latest.max(bucket.blocked_until);
        }
        latest.max(now + Span::SECOND)
    }

    /// Every bucket, for reports, in a fixed order.
    pub fn views(&self, now: Timestamp) -> Vec<QuotaView> {
        let mut views: Vec<_> = self.buckets.iter().map(|(key, bucket)| bucket.view(key, now)).collect();
        views.sort_by(|one, other| one.key.cmp(&other.key));
        views
    }

    fn bucket(&mut self, need: &QuotaNeed, now: Timestamp) -> &mut Bucket {
        let bucket =
            self.buckets.entry(need.key.clone()).or_insert_with(|| Bucket::new(need.limit, need.window, now));
        if bucket.declared != (need.limit, need.window) {
            // The definition was replaced: what it says now holds, and what was spent stays spent.
            bucket.declared = (need.limit, need.window);
            (bucket.limit, bucket.window) = bucket.declared;
        }
        bucket
    }

    /// The bucket a reading speaks of: the rule it names, else the one closest to exhaustion of
    /// those whose window can reach as far as the announced reset.
    fn meant(&self, needs: &[QuotaNeed], reading: &LimitReading, now: Timestamp) -> Option<QuotaKey> {
        let spent = |need: &&QuotaNeed| self.buckets.get(&need.key).map_or(0.0, |bucket| bucket.spent(now));
        let wait = reading.reset_at.map_or(Span::ZERO, |reset_at| reset_at - now);
        let can_mean = |need: &&QuotaNeed| wait <= need.window + RESET_SLACK;
        let closest = |one: &&QuotaNeed, other: &&QuotaNeed| spent(one).total_cmp(&spent(other));
        match &reading.rule {
            Some(rule) => needs.iter().find(|need| need.key.rule == *rule),
            None => needs
                .iter()
                .filter(can_mean)
                .max_by(closest)
                .or_else(|| needs.iter().max_by_key(|need| need.window)),
        }
        .map(|need| need.key.clone())
    }
}

impl Bucket {
    fn new(limit: u32, window: Span, now: Timestamp) -> Self {
        Self {
            declared: (limit, window),
            limit,
            window,
            full_at_ms: now.ms() as f64,
            blocked_until: Timestamp::MIN,
            word: None,
            last_reset_at: None,
            in_flight_count: 0,
            is_confirmed: false,
            refusals: 0,
            granted_count: 0,
        }
    }

    fn burst(&self) -> u32 {
        (self.limit / BURST_SHARE).max(1)
    }

    /// The network's word, while it holds.
    fn word(&self, now: Timestamp) -> Option<&Word> {
        self.word.as_ref().filter(|word| now < word.until)
    }

    /// Share of the limit that is spent and has not flowed back.
    fn spent(&self, now: Timestamp) -> f64 {
        let owed = ((self.full_at_ms - now.ms() as f64) / self.gap_ms(now)).max(0.0);
        owed / f64::from(self.limit.max(1))
    }

    /// Milliseconds between two units in the long run.
    fn gap_ms(&self, now: Timestamp) -> f64 {
        let usable = self.limit.saturating_sub(self.burst() + self.limit / MARGIN_SHARE).max(1);
        let even = self.window.ms() as f64 / f64::from(usable);
        self.word(now).map_or(even, |word| word.gap_ms.max(even))
    }

    fn ready_at(&self, units: u32, now: Timestamp) -> Timestamp {
        let gap = self.gap_ms(now);
        let word = self.word(now);
        let burst = word.map_or(self.burst(), |word| self.burst().min((word.left / BURST_SHARE).max(1)));
        let room = gap * f64::from(burst.saturating_sub(units.min(burst)));
        let by_rate = Timestamp::from_ms((self.full_at_ms - room).ceil() as i64);
        let by_word = word.filter(|word| word.left < units).map_or(now, |word| word.until);
        // Before the first answer only a few may leave: the declared limit may be wrong.
        let by_doubt = if !self.is_confirmed && self.in_flight_count >= UNCONFIRMED_MAX {
            now + Span::from_ms((gap as i64).clamp(10, 5000))
        } else {
            now
        };
        by_rate.max(self.blocked_until).max(by_doubt).max(by_word)
    }

    fn take(&mut self, units: u32, now: Timestamp) {
        self.full_at_ms = self.full_at_ms.max(now.ms() as f64) + self.gap_ms(now) * f64::from(units);
        if let Some(word) = &mut self.word {
            word.left = word.left.saturating_sub(units);
        }
        self.in_flight_count += 1;
        self.granted_count += u64::from(units);
    }

    fn announce(&mut self, reading: &LimitReading, is_own: bool, now: Timestamp) {
        self.refusals = 0;
        if let (Some(limit), Some(reset_at), true) = (reading.limit, reading.reset_at, is_own) {
            if let Some(window) =
                self.last_reset_at.map(|last| reset_at - last).filter(|&gap| gap > Span::SECOND)
            {
                let window = if self.limit == limit { window.min(self.window) } else { window };
                (self.limit, self.window) = (limit.max(1), window);
            }
            self.last_reset_at = Some(reset_at);
        }
        if let (Some(remaining), Some(reset_at)) = (reading.remaining, reading.reset_at)
            && reset_at > now
        {
            let mut left = remaining.saturating_sub(self.in_flight_count + self.limit / MARGIN_SHARE);
            // Answers may overtake each other: of two words on one window the lower one counts.
            if let Some(word) = self.word(now).filter(|word| reset_at - word.until < RESET_SLACK) {
                left = left.min(word.left);
            }
            let gap_ms = (reset_at - now).ms() as f64 / f64::from(left.max(1));
            self.word = Some(Word { left, gap_ms, until: reset_at });
        }
        if let Some(until) = reading.blocked_until {
            self.blocked_until = self.blocked_until.max(until);
        }
    }

    fn view(&self, key: &QuotaKey, now: Timestamp) -> QuotaView {
        let owed = ((self.full_at_ms - now.ms() as f64) / self.gap_ms(now)).max(0.0);
        QuotaView {
            key: key.clone(),
            limit: self.limit,
            window: self.window,
            ready: (f64::from(self.burst()) - owed).max(0.0),
            blocked_until: Some(self.blocked_until).filter(|&until| until > now),
            granted_count: self.granted_count,
        }
    }
}

#[cfg(test)]
mod tests;
