//! The quota ledger: what every network still allows every holder, never overdrawn.
//!
//! One bucket for each rule and holder (`quota/bucket.rs`). A request leaves when all its
//! buckets grant it. What a network announces is told to the bucket it speaks of; where its
//! limit is none of the declared ones, the server has limits of its own, and they replace the
//! declared ones of every bucket that the request took from.
//!
//! All waiting is told as a time; the ledger itself never waits.

mod bucket;

use freshet_types::{LimitReading, Map, NetworkName, QuotaKey, QuotaNeed, Span, Timestamp};

use bucket::{Bucket, RESET_SLACK};

/// How long to stay away after "too many" when the network does not say.
const BLIND_WAIT: Span = Span::MINUTE;
/// The wait doubles with every "too many" in a row, up to this many times.
const BLIND_DOUBLINGS_MAX: u32 = 6;

/// Longest that a server's word keeps us away, lest one mistaken header does so for years: then one
/// request asks again.
const AWAY_MAX: Span = Span::DAY;

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
    /// Servers that said "too many" and have served nothing since.
    storms: Map<NetworkName, Storm>,
}

/// Refusals in a row; those that were under way together count as one.
#[derive(Clone, Copy, Debug, Default)]
struct Storm {
    count: u32,
    until: Timestamp,
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
            self.bucket(need, now).answered(need.units);
        }
        for reading in readings {
            let is_own = reading.limit.is_some_and(|limit| needs.iter().all(|need| need.limit != limit));
            let meant = self.meant(needs, reading, now);
            for need in needs.iter().filter(|need| is_own || Some(&need.key) == meant.as_ref()) {
                self.bucket(need, now).announce(reading, is_own, now);
            }
        }
    }

    /// The server served a request: earlier refusals are forgiven.
    pub fn served(&mut self, network: &NetworkName) {
        self.storms.remove(network);
    }

    /// The server said "too many"; nothing of these before the time given back.
    ///
    /// Where it does not say until when, the wait doubles from one refusal to the next, declared
    /// quota or not.
    pub fn refused(
        &mut self,
        network: &NetworkName,
        needs: &[QuotaNeed],
        until: Option<Timestamp>,
        now: Timestamp,
    ) -> Timestamp {
        let storm = self.storms.entry(network.clone()).or_default();
        if now >= storm.until {
            let wait = BLIND_WAIT * f64::from(1u32 << storm.count.min(BLIND_DOUBLINGS_MAX));
            storm.until = until.filter(|&at| at > now).unwrap_or(now + wait);
            storm.count += 1;
        }
        let until = storm.until.max(until.unwrap_or(now)).max(now + Span::SECOND).min(now + AWAY_MAX);
        for need in needs {
            let bucket = self.bucket(need, now);
            bucket.blocked_until = bucket.blocked_until.max(until);
        }
        until
    }

    /// Every bucket, for reports, in a fixed order.
    pub fn views(&self, now: Timestamp) -> Vec<QuotaView> {
        let mut views: Vec<_> = self.buckets.iter().map(|(key, bucket)| bucket.view(key, now)).collect();
        views.sort_by(|one, other| one.key.cmp(&other.key));
        views
    }

    fn bucket(&mut self, need: &QuotaNeed, now: Timestamp) -> &mut Bucket {
        let fresh = || Bucket::new(need.limit, need.window, now);
        let bucket = self.buckets.entry(need.key.clone()).or_insert_with(fresh);
        bucket.declare(need.limit, need.window);
        bucket
    }

    /// The bucket a reading speaks of: the rule it names, else, of those that it fits if there
    /// are any, the one closest to exhaustion.
    fn meant(&self, needs: &[QuotaNeed], reading: &LimitReading, now: Timestamp) -> Option<QuotaKey> {
        if let Some(rule) = &reading.rule {
            return needs.iter().find(|need| need.key.rule == *rule).map(|need| need.key.clone());
        }
        let standing = |need: &QuotaNeed| {
            let fullness = self.buckets.get(&need.key).map_or(0.0, |bucket| bucket.fullness(now));
            // Nobody waits longer for a reset than its window lasts.
            let is_near = reading.reset_at.is_none_or(|at| at - now <= need.window + RESET_SLACK);
            (is_near && reading.limit == Some(need.limit), fullness)
        };
        let nearest = needs.iter().max_by(|one, other| {
            let ((one_fits, one), (other_fits, other)) = (standing(one), standing(other));
            one_fits.cmp(&other_fits).then(one.total_cmp(&other))
        });
        nearest.map(|need| need.key.clone())
    }
}

#[cfg(test)]
mod tests;
