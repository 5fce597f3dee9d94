//! Which way is cheaper, listening or visiting: what a connection cost and what it saved, in requests.
//!
//! Opening it is a request, and a break that it cannot go on from sends every source that it covered on a visit. What it saved are the visits that the policy
//! had planned at today's price for those that were put off, and the waiting of the posts that it brought, of which a request is worth as
//! many seconds as its price says: half of the time between two visits each, or what a hint brought forward. Where requests are free (no price)
//! a connection that lasts is always worth its request.
//!
//! A connection that was worth it ends the row of failures; after one that was not nobody tries again for twice as long as before, so
//! that a stream that breaks all the time is left to visits, and tried now and then in case it has become better. Symbols: n
//! sources put off, R = Σ 1/gap, S = Σ start/gap; visits saved by t are n + R·t − S.

use freshet_types::{Span, Timestamp};

/// Longest planned gap that counts: nobody waits for weeks.
const GAP_S_MAX: f64 = 86_400.0;

/// What one connection cost and saved, and all of this run.
#[derive(Clone, Debug, Default)]
pub(super) struct Worth {
    /// Requests: the opening, and the visits that its break takes.
    spent: f64,
    /// Sources that it put off.
    put_off: u32,
    /// R and S, of starts counted from `began_at`.
    rate: f64,
    starts: f64,
    began_at: Timestamp,
    /// Waiting that it ended, in seconds over posts.
    waits_s: f64,
    /// How long the policy had planned between two visits to those whose posts come.
    gap_s: f64,
    /// All connections before.
    spent_before: f64,
    spared_before: f64,
}

impl Worth {
    /// It is opened.
    pub(super) fn open(&mut self, now: Timestamp) {
        let (spent_before, spared_before) = self.sums(now);
        let gap_s = self.gap_s;
        *self = Self { spent: 1.0, began_at: now, gap_s, spent_before, spared_before, ..Self::default() };
    }

    /// A source with this time between two visits is left to it.
    pub(super) fn put_off(&mut self, gap: Span, now: Timestamp) {
        let gap_s = gap.max(Span::SECOND).secs_f64();
        self.put_off += 1;
        self.rate += 1.0 / gap_s;
        self.starts += (now - self.began_at).secs_f64() / gap_s;
    }

    /// Posts that nobody had seen came through it.
    pub(super) fn bring(&mut self, count: usize) {
        self.waits_s += count as f64 * self.gap_s * 0.5;
    }

    /// What had been planned for those whose posts came last.
    pub(super) fn note_gap(&mut self, gap: Option<Span>) {
        self.gap_s = gap.map_or(self.gap_s, |gap| gap.max(Span::ZERO).secs_f64().min(GAP_S_MAX));
    }

    /// A hint brought a visit forward.
    pub(super) fn hint(&mut self, earlier: Span) {
        self.waits_s += earlier.max(Span::ZERO).secs_f64();
    }

    /// It broke, and cannot go on: what it covered is visited.
    pub(super) fn break_off(&mut self) {
        self.spent += f64::from(self.put_off);
    }

    /// Visits that it has saved so far.
    fn spared(&self, now: Timestamp) -> f64 {
        let lasted_s = (now - self.began_at).max(Span::ZERO).secs_f64();
        (f64::from(self.put_off) + self.rate * lasted_s - self.starts).max(0.0)
    }

    /// Whether what it saved is at least what it cost, where a request is worth so many seconds of waiting.
    pub(super) fn is_worth(&self, price: f64, now: Timestamp) -> bool {
        self.waits_s + price * (self.spared(now) - self.spent) >= 0.0
    }

    /// Requests of this connection, and visits that it saved.
    pub(super) fn last(&self, now: Timestamp) -> (f64, f64) {
        (self.spent, self.spared(now))
    }

    /// The same of all connections of this run.
    pub(super) fn sums(&self, now: Timestamp) -> (f64, f64) {
        (self.spent_before + self.spent, self.spared_before + self.spared(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(secs: i64) -> Timestamp {
        Timestamp::from_secs(1_000_000 + secs)
    }

    /// A connection that put off a source of this gap after so long, and lasted so long; whether it was worth it.
    fn check(gap_s: i64, (from_s, lasted_s): (i64, i64), posts: usize, price: f64, expected: bool) {
        let mut worth = Worth::default();
        worth.open(at(0));
        worth.put_off(Span::from_secs(gap_s), at(from_s));
        worth.note_gap(Some(Span::from_secs(gap_s)));
        worth.bring(posts);
        worth.break_off();
        let is_worth = worth.is_worth(price, at(lasted_s));
        assert_eq!(is_worth, expected, "gap {gap_s} s, {from_s} to {lasted_s} s, {posts} posts at {price}");
    }

    #[test]
    fn a_connection_is_worth_it_where_it_saves_what_it_costs() {
        // Two requests: the opening, and the visit after the break. One visit was put off, and one more in each gap.
        check(600, (0, 599), 0, 100.0, false);
        check(600, (0, 601), 0, 100.0, true);
        check(600, (300, 700), 0, 100.0, false);
        check(600, (300, 901), 0, 100.0, true);
        // Requests that cost nothing; posts that would have waited longer than a request is worth.
        check(600, (0, 1), 0, 0.0, true);
        check(600, (0, 1), 1, 100.0, true);
        check(600, (0, 1), 1, 400.0, false);
    }

    #[test]
    fn what_brings_nothing_is_not_worth_its_request_and_a_hint_may_be() {
        let mut worth = Worth::default();
        worth.open(at(0));
        assert!(!worth.is_worth(50.0, at(10_000)));
        worth.hint(Span::from_secs(60));
        assert!(worth.is_worth(50.0, at(10_000)) && !worth.is_worth(70.0, at(10_000)));
        worth.put_off(Span::HOUR, at(0));
        worth.open(at(7200));
        assert_eq!(worth.sums(at(7200)), (2.0, 3.0), "what was before is kept in the sums");
        assert_eq!(worth.last(at(7200)), (1.0, 0.0));
    }
}
