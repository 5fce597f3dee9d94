//! Change rate: the average rate between the first and the last change [SocWeb, section 4.1].
//!
//! Assumption: a source changes at a constant rate.
//!
//! | paper | here |
//! |---|---|
//! | #changed c-links | `count` |
//! | `t_s`, `t_l`: times of the first and the last changed object | `first_at`, `last_at` |
//! | CR = #changed / (`t_l` − `t_s`) | [`ChangeModel::forecast`] |
//!
//! With one change the paper's denominator is zero; the present stands in for `t_l` then. The
//! same keeps a source that fell silent from being expected to post for ever: once the silence
//! is longer than the whole active time, the denominator runs on. Cost per update: O(news).

use freshet_types::{Span, Timestamp};

use super::ChangeModel;
use crate::{Look, Pool};

/// Bytes of a stored change rate.
pub(crate) const CHANGE_RATE_BYTES: usize = 20;

/// What the change rate expects of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Forecast {
    /// Expected posts per second; 0 where nothing is known.
    pub rate_per_s: f64,
    /// When the last known post was made.
    pub last_at: Option<Timestamp>,
}

/// Count, first and last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChangeRate {
    count: u32,
    first_at: Timestamp,
    last_at: Timestamp,
}

impl ChangeModel for ChangeRate {
    fn from_bytes(bytes: &[u8]) -> Self {
        let Some(bytes) = bytes.first_chunk::<CHANGE_RATE_BYTES>() else {
            return Self::default();
        };
        let (count, times) = bytes.split_at(4);
        let (first, last) = times.split_at(8);
        let time = |part: &[u8]| Timestamp::from_ms(i64::from_le_bytes(part.try_into().expect("8 bytes")));
        Self {
            count: u32::from_le_bytes(count.try_into().expect("4 bytes")),
            first_at: time(first),
            last_at: time(last),
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.count.to_le_bytes().to_vec();
        bytes.extend(self.first_at.ms().to_le_bytes());
        bytes.extend(self.last_at.ms().to_le_bytes());
        bytes
    }

    fn learn(&mut self, look: &Look<'_>, _pool: &Pool) {
        for &at in look.news {
            if self.count == 0 {
                (self.first_at, self.last_at) = (at, at);
            }
            self.first_at = self.first_at.min(at);
            self.last_at = self.last_at.max(at);
            self.count = self.count.saturating_add(1);
        }
    }

    fn rate_per_s(&self, pool: &Pool) -> f64 {
        // One change has no rate of its own yet.
        if self.count < 2 { pool.rate_per_s() } else { self.forecast(self.last_at).rate_per_s }
    }
}

impl ChangeRate {
    /// Changes that were seen, and the stretch from the first to the last.
    pub fn evidence(&self) -> (u32, Span) {
        (self.count, self.last_at - self.first_at)
    }

    /// What it expects, told `now`.
    pub fn forecast(&self, now: Timestamp) -> Forecast {
        if self.count == 0 {
            return Forecast { rate_per_s: 0.0, last_at: None };
        }
        let active: Span = self.last_at - self.first_at;
        let silent: Span = now - self.last_at;
        let measured = if silent > active { active + silent } else { active };
        let rate_per_s = f64::from(self.count) / measured.max(Span::SECOND).secs_f64();
        Forecast { rate_per_s, last_at: Some(self.last_at) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(posts_h: &[i64], now_h: i64, per_hour: f64) {
        let hour = |h: &i64| Timestamp::from_secs(h * 3600);
        let news: Vec<_> = posts_h.iter().map(hour).collect();
        let mut model = ChangeRate::default();
        model.learn(&Look { since: None, at: hour(&now_h), news: &news, is_full: false }, &Pool::default());
        let back = ChangeRate::from_bytes(&model.to_bytes());
        assert_eq!(back, model);
        let rate = back.forecast(hour(&now_h)).rate_per_s * 3600.0;
        assert!((rate - per_hour).abs() < 1e-9, "{posts_h:?} at {now_h}: {rate} instead of {per_hour}");
    }

    #[test]
    fn the_rate_is_that_of_the_paper() {
        check(&[], 5, 0.0);
        check(&[0, 1, 2, 4], 5, 1.0);
        check(&[4, 0, 2, 1], 5, 1.0);
        check(&[3], 5, 0.5);
        check(&[0, 1, 2, 4], 16, 0.25);
    }

    #[test]
    fn unreadable_bytes_know_nothing() {
        assert_eq!(ChangeRate::from_bytes(b"nonsense"), ChangeRate::default());
        let mut longer = ChangeRate { count: 3, ..ChangeRate::default() }.to_bytes();
        longer.extend(b"another model");
        assert_eq!(ChangeRate::from_bytes(&longer).count, 3);
    }
}
