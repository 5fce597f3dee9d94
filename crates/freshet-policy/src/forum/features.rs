//! What the regression knows of a list and of its site: table 1 of [list-wise].
//!
//! | paper | here |
//! |---|---|
//! | Δt₁ … Δt₅, newest first | [`ListFacts::gaps_h`]; where a list has fewer, `Δt_site` stands for them |
//! | `Δt_avg`, `Δt_sd`, len | [`ListFacts::mean_gap_h`], `deviation_h`, `record_count` |
//! | ds: `Δt_na` − `Δt_avg` > α·`Δt_sd` | [`ListFacts::dormant_from_s`], the instant from which it is 1; α is [`DORMANT_DEVIATIONS`] |
//! | `Δt_site`, `Δt_hour`, `Δt_day` | [`SiteFacts`] |
//! | ct₁ … ct₂₄, cd₁ … cd₇ | [`hour_of`], [`weekday_of`] (UTC) |
//!
//! The paper divides the sum of N−2 squares by N−1; a list of N records has N−1 gaps, and all of them are used here. It says that ds is for
//! index lists, but defines it by the silence of a thread: it is used where threads are, in post lists.

/// Gaps that are looked at one by one.
pub(crate) const GAP_COUNT: usize = 5;
/// The paper's α, which it does not give.
pub(crate) const DORMANT_DEVIATIONS: f64 = 2.0;
/// Longest gap that a feature shows, in hours: a year. A thread that comes back after five is no slower than that.
pub(crate) const GAP_H_MAX: f64 = 365.0 * 24.0;

/// Hour of the day, 0 to 23.
pub(crate) fn hour_of(at_s: f64) -> usize {
    (at_s.rem_euclid(86_400.0) / 3600.0) as usize % 24
}

/// Day of the week, Thursday is 0, as 1970 began.
pub(crate) fn weekday_of(at_s: f64) -> usize {
    (at_s.rem_euclid(7.0 * 86_400.0) / 86_400.0) as usize % 7
}

/// One list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ListFacts {
    /// The last gaps, newest first.
    pub gaps_h: [f64; GAP_COUNT],
    /// Gaps there are, at most [`GAP_COUNT`].
    pub gap_count: usize,
    /// Mean of all gaps; 0 without any.
    pub mean_gap_h: f64,
    pub deviation_h: f64,
    pub record_count: usize,
    /// When the newest was made.
    pub last_s: f64,
}

impl ListFacts {
    /// Of a list by its ascending times.
    pub fn of(times_s: &[i64]) -> Self {
        let mut facts = Self { record_count: times_s.len(), ..Self::default() };
        let Some(last_s) = times_s.last() else { return facts };
        facts.last_s = *last_s as f64;
        for (index, pair) in times_s.windows(2).rev().take(GAP_COUNT).enumerate() {
            facts.gaps_h[index] = gap_h(pair);
            facts.gap_count = index + 1;
        }
        let count = (times_s.len() - 1) as f64;
        if count > 0.0 {
            let (sum, squares) = times_s
                .windows(2)
                .map(gap_h)
                .fold((0.0, 0.0), |(sum, squares), gap| (sum + gap, squares + gap * gap));
            facts.mean_gap_h = sum / count;
            facts.deviation_h = (squares / count - facts.mean_gap_h.powi(2)).max(0.0).sqrt();
        }
        facts
    }

    /// One more record, not before the last.
    pub fn push(&mut self, at_s: i64) {
        let before_s = self.last_s;
        self.record_count += 1;
        if self.record_count == 1 {
            self.last_s = at_s as f64;
            return;
        }
        let gap = ((at_s as f64 - before_s).max(0.0) / 3600.0).min(GAP_H_MAX);
        self.gaps_h.rotate_right(1);
        self.gaps_h[0] = gap;
        self.gap_count = (self.gap_count + 1).min(GAP_COUNT);
        let count = (self.record_count - 1) as f64;
        let squares = (self.deviation_h.powi(2) + self.mean_gap_h.powi(2)) * (count - 1.0) + gap * gap;
        self.mean_gap_h += (gap - self.mean_gap_h) / count;
        self.deviation_h = (squares / count - self.mean_gap_h.powi(2)).max(0.0).sqrt();
        self.last_s = before_s.max(at_s as f64);
    }

    /// The list without its history, as one of its site: where gaps are missing, the site's stands.
    pub(crate) fn gaps_or(&self, site: &SiteFacts) -> [f64; GAP_COUNT] {
        std::array::from_fn(|index| if index < self.gap_count { self.gaps_h[index] } else { site.gap_h })
    }

    /// The mean gap, or the site's.
    pub(crate) fn mean_gap_or(&self, site: &SiteFacts) -> f64 {
        if self.gap_count > 0 { self.mean_gap_h } else { site.gap_h }
    }

    /// When the list counts as dormant, if nothing comes until then.
    pub fn dormant_from_s(&self, site: &SiteFacts) -> f64 {
        // One gap has no deviation of its own.
        let deviation_h = if self.gap_count > 1 { self.deviation_h } else { site.gap_h };
        self.last_s + (self.mean_gap_or(site) + DORMANT_DEVIATIONS * deviation_h) * 3600.0
    }
}

fn gap_h(pair: &[i64]) -> f64 {
    ((pair[1] - pair[0]).max(0) as f64 / 3600.0).min(GAP_H_MAX)
}

/// Mean gaps of a whole site.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteFacts {
    /// Of all lists.
    pub gap_h: f64,
    /// Of gaps that began in each hour of the day.
    pub by_hour: [f64; 24],
    /// And on each day of the week.
    pub by_day: [f64; 7],
}

impl SiteFacts {
    /// Of so many lists.
    pub fn of<'a>(lists: impl IntoIterator<Item = &'a [i64]>) -> Self {
        let (mut hours, mut days) = ([(0.0, 0.0); 24], [(0.0, 0.0); 7]);
        for pair in lists.into_iter().flat_map(|times_s| times_s.windows(2)) {
            let (gap, at_s) = (gap_h(pair), pair[0] as f64);
            for (sum, count) in [&mut hours[hour_of(at_s)], &mut days[weekday_of(at_s)]] {
                *sum += gap;
                *count += 1.0;
            }
        }
        let (sum, count) = days.iter().fold((0.0, 0.0), |all, day| (all.0 + day.0, all.1 + day.1));
        // Nothing known: a day.
        let gap_h = if count > 0.0 { sum / count } else { 24.0 };
        let mean = |(sum, count): (f64, f64)| if count > 0.0 { sum / count } else { gap_h };
        Self { gap_h, by_hour: hours.map(mean), by_day: days.map(mean) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_newest_first_and_silence_turns_the_indicator() {
        // Gaps of 1, 2 and 3 hours.
        let facts = ListFacts::of(&[0, 3600, 3 * 3600, 6 * 3600]);
        assert_eq!((facts.gap_count, facts.record_count), (3, 4));
        assert_eq!(facts.gaps_h.map(|gap_h| gap_h as i64), [3, 2, 1, 0, 0]);
        assert!((facts.mean_gap_h - 2.0).abs() < 1e-12);
        let site = SiteFacts::of([[0, 7200].as_slice()]);
        assert_eq!(facts.gaps_or(&site).map(|gap_h| gap_h as i64), [3, 2, 1, 2, 2]);
        let deviation_h = (2.0_f64 / 3.0).sqrt();
        let expected_s = (6.0 + 2.0 + DORMANT_DEVIATIONS * deviation_h) * 3600.0;
        assert!((facts.dormant_from_s(&site) - expected_s).abs() < 1e-6);
    }

    #[test]
    fn records_may_come_one_by_one() {
        let times_s = [0, 3600, 3 * 3600, 6 * 3600, 6 * 3600, 20 * 3600, 21 * 3600];
        let mut facts = ListFacts::default();
        for at_s in times_s {
            facts.push(at_s);
        }
        let whole = ListFacts::of(&times_s);
        assert_eq!((facts.gap_count, facts.record_count), (whole.gap_count, whole.record_count));
        assert!(facts.gaps_h.iter().zip(whole.gaps_h).all(|(one, other)| (one - other).abs() < 1e-9));
        assert!((facts.mean_gap_h - whole.mean_gap_h).abs() < 1e-9);
        assert!((facts.deviation_h - whole.deviation_h).abs() < 1e-9);
        assert!((facts.last_s - whole.last_s).abs() < 1e-9);
    }

    #[test]
    fn a_site_knows_its_hours() {
        let site = SiteFacts::of([[0, 3600].as_slice(), &[3600, 3 * 3600], &[]]);
        assert!((site.gap_h - 1.5).abs() < 1e-12);
        assert!((site.by_hour[0] - 1.0).abs() < 1e-12 && (site.by_hour[1] - 2.0).abs() < 1e-12);
        assert!((site.by_hour[5] - 1.5).abs() < 1e-12);
        assert!((SiteFacts::of([]).gap_h - 24.0).abs() < 1e-12);
        assert_eq!((hour_of(-1.0), weekday_of(86_400.0 * 7.5)), (23, 0));
    }
}
