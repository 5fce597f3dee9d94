//! The rate of a thread's next post by how long it has been silent: what all threads of a site have in common.
//!
//! Assumption: after a post, the next comes at a rate λ(a | c) that depends on the silence a and on c, the class of the gap before.
//! Threads are bursts: λ falls by orders of magnitude from the first minute to the first month, alike for all threads of a
//! site, so a site's table foretells a thread that has shown one post. A life table (actuarial estimate):
//!
//! | symbol | here |
//! |---|---|
//! | bins of a, in doublings from a minute | `edge_s` |
//! | gaps that ended in a bin; time spent in it, open gaps included | `ended`, `spent_s`, and `open_s` for those still open |
//! | λ(a, c) = ended / spent | [`Idle::rate_per_s`] |
//! | H(a, b) = ∫ λ | [`Idle::posts`], expected first posts |
//!
//! Cost of a gap: O(bins), of a question: O(1), because H is kept up to the edge of each bin. Open gaps are counted anew by the caller now and then ([`Idle::refresh`]).

/// Bins of silence: below a minute, then doublings up to about two years.
const BIN_COUNT: usize = 21;
/// Upper edge of the first bin.
const FIRST_S: f64 = 60.0;
/// Classes of the gap before: none, up to five minutes, an hour, a day, longer.
const CLASS_COUNT: usize = 5;
const CLASS_EDGES_S: [f64; CLASS_COUNT - 2] = [300.0, 3600.0, 86_400.0];
/// Gaps that are assumed to have ended in a bin before any was seen, and bins' worth of time that they took.
const PRIOR: (f64, f64) = (0.5, 2.0);

/// The table.
#[derive(Clone, Debug, PartialEq)]
pub struct Idle {
    ended: [[f64; BIN_COUNT]; CLASS_COUNT],
    spent_s: [[f64; BIN_COUNT]; CLASS_COUNT],
    open_s: [[f64; BIN_COUNT]; CLASS_COUNT],
    rates_per_s: [[f64; BIN_COUNT]; CLASS_COUNT],
    /// Posts expected until a silence reaches the bin.
    posts_before: [[f64; BIN_COUNT]; CLASS_COUNT],
}

impl Default for Idle {
    fn default() -> Self {
        let zero = [[0.0; BIN_COUNT]; CLASS_COUNT];
        let mut table =
            Self { ended: zero, spent_s: zero, open_s: zero, rates_per_s: zero, posts_before: zero };
        table.refresh([]);
        table
    }
}

/// The class of the gap before.
pub fn class_of(gap_before_s: Option<f64>) -> usize {
    gap_before_s.map_or(0, |gap_s| 1 + CLASS_EDGES_S.iter().filter(|edge_s| gap_s > **edge_s).count())
}

/// Lower edge of a bin.
fn edge_s(bin: usize) -> f64 {
    if bin == 0 { 0.0 } else { FIRST_S * ((bin - 1) as f64).exp2() }
}

fn bin_of(silence_s: f64) -> usize {
    if silence_s < FIRST_S {
        return 0;
    }
    ((silence_s / FIRST_S).log2() as usize + 1).min(BIN_COUNT - 1)
}

impl Idle {
    /// A gap ended with a post.
    pub fn learn(&mut self, class: usize, gap_s: f64) {
        let (gap_s, class) = (gap_s.max(0.0), class.min(CLASS_COUNT - 1));
        spend(&mut self.spent_s[class], gap_s);
        self.ended[class][bin_of(gap_s)] += 1.0;
    }

    /// A list of that class is silent for so long, and is not watched any more.
    pub fn fall_silent(&mut self, class: usize, silence_s: f64) {
        spend(&mut self.spent_s[class.min(CLASS_COUNT - 1)], silence_s.max(0.0));
    }

    /// Of all lists of a site as they are known at an instant.
    pub fn of_lists(lists: &[&[i64]], now_s: f64) -> Self {
        let mut table = Self::default();
        for times_s in lists {
            table.learn_list(times_s);
        }
        table.refresh(lists.iter().filter_map(|times_s| open_gap(times_s, now_s)));
        table
    }

    /// A whole list at once.
    pub fn learn_list(&mut self, times_s: &[i64]) {
        let mut before_s = None;
        for pair in times_s.windows(2) {
            let gap_s = (pair[1] - pair[0]) as f64;
            self.learn(class_of(before_s), gap_s);
            before_s = Some(gap_s);
        }
    }

    /// Rates anew, with all gaps that are still open: class and silence of each.
    pub fn refresh(&mut self, open: impl IntoIterator<Item = (usize, f64)>) {
        self.open_s = [[0.0; BIN_COUNT]; CLASS_COUNT];
        for (class, silence_s) in open {
            spend(&mut self.open_s[class.min(CLASS_COUNT - 1)], silence_s.max(0.0));
        }
        for class in 0..CLASS_COUNT {
            for bin in 0..BIN_COUNT {
                let width_s = edge_s(bin + 1) - edge_s(bin);
                let spent_s = self.spent_s[class][bin] + self.open_s[class][bin];
                let rate_per_s = (self.ended[class][bin] + PRIOR.0) / (spent_s + PRIOR.1 * width_s);
                self.rates_per_s[class][bin] = rate_per_s;
                if bin + 1 < BIN_COUNT {
                    self.posts_before[class][bin + 1] = self.posts_before[class][bin] + rate_per_s * width_s;
                }
            }
        }
    }

    /// λ: posts a second after such a silence.
    pub fn rate_per_s(&self, class: usize, silence_s: f64) -> f64 {
        self.rates_per_s[class.min(CLASS_COUNT - 1)][bin_of(silence_s.max(0.0))]
    }

    /// H: posts expected while the silence grows from one length to another.
    pub fn posts(&self, class: usize, from_s: f64, to_s: f64) -> f64 {
        let class = class.min(CLASS_COUNT - 1);
        let until = |silence_s: f64| {
            let bin = bin_of(silence_s);
            self.posts_before[class][bin] + self.rates_per_s[class][bin] * (silence_s - edge_s(bin))
        };
        let from_s = from_s.max(0.0);
        // `max` swallows the NaN of infinite silences.
        (until(to_s.max(from_s)) - until(from_s)).max(0.0)
    }
}

/// Class and silence of a list's open gap.
fn open_gap(times_s: &[i64], now_s: f64) -> Option<(usize, f64)> {
    let last_s = *times_s.last()?;
    let before_s = times_s.len().checked_sub(2).map(|index| (last_s - times_s[index]) as f64);
    Some((class_of(before_s), now_s - last_s as f64))
}

/// A silence passes through bins.
fn spend(spent_s: &mut [f64; BIN_COUNT], silence_s: f64) {
    for (bin, spent_s) in spent_s.iter_mut().enumerate().take(bin_of(silence_s) + 1) {
        let upper_s = if bin + 1 < BIN_COUNT { edge_s(bin + 1).min(silence_s) } else { silence_s };
        *spent_s += (upper_s - edge_s(bin)).max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_rate_is_found_at_any_silence() {
        // Exponential gaps with a mean of an hour, by their quantiles.
        let mut table = Idle::default();
        for index in 0..20_000 {
            let share = (f64::from(index) + 0.5) / 20_000.0;
            table.learn(2, -3600.0 * (1.0 - share).ln());
        }
        table.refresh([]);
        for silence_s in [30.0, 600.0, 5_000.0] {
            let got = table.rate_per_s(2, silence_s) * 3600.0;
            assert!((got - 1.0).abs() < 0.1, "{silence_s}: {got}");
        }
        let posts = table.posts(2, 100.0, 3_700.0);
        assert!((posts - 1.0).abs() < 0.05, "{posts}");
    }

    #[test]
    fn open_gaps_count_and_nothing_is_infinite() {
        let (mut busy, mut quiet) = (Idle::default(), Idle::default());
        for table in [&mut busy, &mut quiet] {
            (0..100).for_each(|_| table.learn(0, 50_000.0));
        }
        busy.refresh([]);
        quiet.refresh((0..900).map(|_| (0, 1e7)));
        assert!(quiet.rate_per_s(0, 50_000.0) < 0.2 * busy.rate_per_s(0, 50_000.0));
        assert_eq!((class_of(None), class_of(Some(10.0)), class_of(Some(1e9))), (0, 1, 4));
        for silence_s in [0.0, -5.0, 1e12, f64::MAX] {
            assert!(busy.rate_per_s(9, silence_s).is_finite() && busy.posts(0, 0.0, silence_s).is_finite());
        }
    }
}
