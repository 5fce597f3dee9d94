//! When a page loses what it showed: a rate that follows the hours of the day and the days of the week.
//!
//! | symbol | here |
//! |---|---|
//! | `ℓ_k = −ln S_k`, what look k found lost since the look before | `loss` |
//! | `λ(t) = λ̄ · a_{hour(t)} · b_{day(t)}`, loss a second | [`Rates`] |
//! | similarity after a stretch, `e^{−∫λ}` | [`Rates::loss`] |
//!
//! A look tells that something was lost since the look before, not when: interval-censored counts. The factors are found by
//! expectation and maximisation [Dempster 1977]: each loss is shared among the hours of its stretch in proportion to the present
//! rates, then each factor is what its hours got over what they would have got at the mean. So looks that found nothing clear
//! hours, and the change is pinned down to those that are left. A few changes, spread evenly, are added to what was seen: a page that changed
//! twice has no rhythm yet. Hours are those of UTC. Cost: O(h) for h hours between the first and the last look, a few rounds.

use freshet_types::{Span, Timestamp};

use super::PageLook;
use crate::rhythm::shape::hour_and_day;

/// Similarities below this count as this: a page that was exchanged has lost all it can.
const LEFT_MIN: f64 = 0.02;
/// What is supposed before the first look: a twentieth of the page is lost …
const PRIOR_LOSS: f64 = 0.05;
/// … in this time.
const PRIOR_SPAN: Span = Span::DAY;
/// Rounds of sharing out; the factors hardly move after these.
const ROUNDS: usize = 12;
/// Even changes that are added to those seen, for the hours: with fewer, a fortnight's accidents pass for a rhythm.
const HOUR_PRIOR: f64 = 4.0;
/// And for the days, of which fewer were seen.
const DAY_PRIOR: f64 = 6.0;
/// Longest stretch that is looked at hour by hour; of one that is longer, its end.
const STRETCH_MAX: Span = Span::from_ms(28 * 86_400_000);

/// What is lost when.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rates {
    mean_per_s: f64,
    hours: [f64; 24],
    days: [f64; 7],
}

/// What a stretch lost.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    from: Timestamp,
    to: Timestamp,
    loss: f64,
}

impl Rates {
    /// Those that these looks, in the order of time, tell of.
    pub(super) fn of(looks: &[PageLook]) -> Self {
        let stretches: Vec<Stretch> = looks.windows(2).map(|pair| Stretch::of(pair[0], pair[1])).collect();
        let span_s: f64 = stretches.iter().map(|stretch| (stretch.to - stretch.from).secs_f64()).sum();
        let loss: f64 = stretches.iter().map(|stretch| stretch.loss).sum();
        let mean_per_s = (loss + PRIOR_LOSS) / (span_s + PRIOR_SPAN.secs_f64());
        let mut rates = Self { mean_per_s, hours: [1.0; 24], days: [1.0; 7] };
        let change_count = stretches.iter().filter(|stretch| stretch.loss > 0.0).count();
        if change_count > 0 {
            let one = loss / change_count as f64;
            for _ in 0..ROUNDS {
                rates.share_out(&stretches, one);
            }
            let told: f64 = stretches.iter().map(|stretch| rates.loss(stretch.from, stretch.to)).sum();
            rates.mean_per_s *= (loss + PRIOR_LOSS) / (told + PRIOR_LOSS);
        }
        rates
    }

    pub(super) fn mean_per_s(&self) -> f64 {
        self.mean_per_s
    }

    /// What is expected to be lost between two instants.
    pub(super) fn loss(&self, from: Timestamp, to: Timestamp) -> f64 {
        pieces(from, to).map(|(hour, day, span_s)| self.per_s(hour, day) * span_s).sum()
    }

    fn per_s(&self, hour: usize, day: usize) -> f64 {
        self.mean_per_s * self.hours[hour] * self.days[day]
    }

    /// One round: hours by the present days, then days by the new hours. `one` is what a change loses on average.
    fn share_out(&mut self, stretches: &[Stretch], one: f64) {
        let got = self.shares(stretches);
        let prior = HOUR_PRIOR * one / 24.0;
        for (factor, days) in self.hours.iter_mut().zip(&got) {
            let own: f64 = days.iter().map(|(loss, _)| loss).sum();
            let even: f64 = days.iter().zip(&self.days).map(|((_, span_s), day)| span_s * day).sum();
            *factor = (own + prior) / (self.mean_per_s * even + prior);
        }
        let prior = DAY_PRIOR * one / 7.0;
        for (day, factor) in self.days.iter_mut().enumerate() {
            let own: f64 = got.iter().map(|days| days[day].0).sum();
            let even: f64 = got.iter().zip(&self.hours).map(|(days, hour)| days[day].1 * hour).sum();
            *factor = (own + prior) / (self.mean_per_s * even + prior);
        }
    }

    /// Of each hour of each day of the week: the loss that it is given, and the seconds that were looked at.
    fn shares(&self, stretches: &[Stretch]) -> [[(f64, f64); 7]; 24] {
        let mut got = [[(0.0, 0.0); 7]; 24];
        for stretch in stretches {
            let told = self.loss(stretch.from, stretch.to).max(f64::MIN_POSITIVE);
            for (hour, day, span_s) in pieces(stretch.from, stretch.to) {
                let (own, seconds) = &mut got[hour][day];
                *own += stretch.loss * self.per_s(hour, day) * span_s / told;
                *seconds += span_s;
            }
        }
        got
    }
}

impl Stretch {
    fn of(before: PageLook, look: PageLook) -> Self {
        let loss = if look.is_edit { -look.left.max(LEFT_MIN).ln() } else { 0.0 };
        Self { from: before.at.max(look.at - STRETCH_MAX), to: look.at, loss }
    }
}

/// A stretch hour by hour: hour, day of the week, seconds.
fn pieces(from: Timestamp, to: Timestamp) -> impl Iterator<Item = (usize, usize, f64)> {
    let mut at = from;
    std::iter::from_fn(move || {
        if at >= to {
            return None;
        }
        let next = Timestamp::from_secs((at.secs().div_euclid(3600) + 1) * 3600).min(to);
        let ((hour, day), span_s) = (hour_and_day(at), (next - at).secs_f64());
        at = next;
        Some((hour, day, span_s))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR_S: i64 = 3600;

    /// Looks every so many hours for so many days at a page that loses half of itself at nine each day.
    fn looks(every_h: i64, days: i64, is_changing: impl Fn(i64) -> bool) -> Vec<PageLook> {
        let changed_between =
            |from_h: i64, to_h: i64| (from_h + 1..=to_h).any(|hour| hour % 24 == 9 && is_changing(hour / 24));
        let look = |turn: i64| {
            let (from_h, at_h) = ((turn - 1) * every_h, turn * every_h);
            let is_edit = turn > 0 && changed_between(from_h, at_h);
            let left = if is_edit { 0.5 } else { 1.0 };
            PageLook { at: Timestamp::from_secs(at_h * HOUR_S), similarity: left, is_edit, left }
        };
        (0..days * 24 / every_h).map(look).collect()
    }

    fn loss_at(rates: &Rates, day: i64, hour: i64) -> f64 {
        let at = |hour: i64| Timestamp::from_secs((day * 24 + hour) * HOUR_S);
        rates.loss(at(hour), at(hour + 1))
    }

    #[test]
    fn the_hour_of_a_daily_change_is_found() {
        // Looks every five hours come by at all hours of the day in turn.
        let rates = Rates::of(&looks(5, 12, |_| true));
        // Found at nine, it happened in the hour before: the look at nine shows it.
        let (own, noon, night) = (loss_at(&rates, 20, 8), loss_at(&rates, 20, 12), loss_at(&rates, 20, 2));
        assert!(own > 5.0 * noon && own > 5.0 * night, "{own} {noon} {night}");
        let day: f64 = (0..24).map(|hour| loss_at(&rates, 20, hour)).sum();
        assert!((day - 0.5_f64.ln().abs()).abs() < 0.2, "{day}");
    }

    #[test]
    fn days_without_changes_are_found() {
        // Days 2 and 3 after the first of 1970 are a weekend.
        let rates = Rates::of(&looks(5, 13, |day| !matches!(day % 7, 2 | 3)));
        let (work, rest) = (loss_at(&rates, 21, 8), loss_at(&rates, 23, 8));
        assert!(work > 1.5 * rest, "{work} {rest}");
    }

    #[test]
    fn silence_lowers_the_rate_and_one_change_is_no_rhythm() {
        let none = Rates::of(&[]);
        let silent = Rates::of(&looks(6, 16, |_| false));
        assert!(silent.mean_per_s() < none.mean_per_s() / 10.0);
        let once = Rates::of(&looks(6, 8, |day| day == 4));
        assert!(loss_at(&once, 20, 8) < 6.0 * loss_at(&once, 20, 15));
        for rates in [none, silent, once] {
            assert!((0..24).all(|hour| loss_at(&rates, 20, hour) > 0.0), "no hour is without any hope");
        }
    }

    #[test]
    fn odd_series_stay_finite() {
        let at =
            |secs| PageLook { at: Timestamp::from_secs(secs), similarity: 0.0, is_edit: true, left: 0.0 };
        for looks in [vec![at(5), at(5)], vec![at(9), at(3)], vec![at(i64::MIN / 4000), at(i64::MAX / 4000)]]
        {
            let rates = Rates::of(&looks);
            assert!(rates.mean_per_s().is_finite() && rates.mean_per_s() > 0.0, "{rates:?}");
            assert!(loss_at(&rates, 20, 8).is_finite());
        }
    }
}
