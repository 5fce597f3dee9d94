//! Estimators of a change rate from visits that only tell *changed* or *unchanged*.
//!
//! Timelines tell the time of every post, so the models count posts; these are for sources that
//! do not (profiles, pages without dates), and the baselines of the literature. **Studies only**: nothing in a run
//! uses them yet.
//!
//! | estimator | formula | source |
//! |---|---|---|
//! | naive | X/(n·I), biased low: several changes count once | [Cho 2003] |
//! | bias-reduced | −ln((n−X+½)/(n+½))/I | [Cho 2003] |
//! | irregular | λ with Σ τ/(e^{λτ}−1) over changed = Σ τ over unchanged | [Cho 2003] |
//! | last-modified | X'/T, X' = (X−1) − X/(N·ln(1−X/N)) | [Cho 2003] |
//! | LLN | p·Ī/(1−Ī+α/n), visits at Poisson rate p | [Avrachenkov 2020] |
//! | SA | y += η·(I·(y+p) − y) | [Avrachenkov 2020] |
//!
//! All give a finite rate that is never negative, whatever they are told.

/// Rates are sought up to so many changes a second.
const RATE_PER_S_MAX: f64 = 10.0;
/// Halvings of the logarithm of the rate.
const STEPS: u32 = 80;

/// X changes in n visits at intervals of `interval_s`.
pub fn naive(changed_count: u32, visit_count: u32, interval_s: f64) -> f64 {
    ratio(f64::from(changed_count), f64::from(visit_count) * interval_s)
}

/// The same without most of its bias: finite even if every visit saw a change.
pub fn bias_reduced(changed_count: u32, visit_count: u32, interval_s: f64) -> f64 {
    let unchanged = f64::from(visit_count.saturating_sub(changed_count));
    ratio(-((unchanged + 0.5) / (f64::from(visit_count) + 0.5)).ln(), interval_s)
}

/// Maximum likelihood from intervals of any length, each with whether it changed.
///
/// One changed and one unchanged interval of `prior_s` are added, which keeps it finite.
pub fn irregular(intervals: &[(f64, bool)], prior_s: f64) -> f64 {
    let prior = [(prior_s, true), (prior_s, false)];
    let all = || intervals.iter().chain(&prior).filter(|(length_s, _)| *length_s > 0.0);
    let unchanged_s: f64 = all().filter(|(_, has_changed)| !has_changed).map(|(length_s, _)| length_s).sum();
    // The left side falls from infinity to 0 as the rate rises.
    let changed_s = |rate: f64| -> f64 {
        let term = |length_s: f64| length_s / (rate * length_s).exp_m1();
        all().filter(|(_, has_changed)| *has_changed).map(|(length_s, _)| term(*length_s)).sum()
    };
    if unchanged_s <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (1e-12_f64.ln(), RATE_PER_S_MAX.ln());
    for _ in 0..STEPS {
        let middle = f64::midpoint(low, high);
        *(if changed_s(middle.exp()) > unchanged_s { &mut low } else { &mut high }) = middle;
    }
    f64::midpoint(low, high).exp()
}

/// Counts for the estimator that knows when the last change was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LastModified {
    visits: f64,
    changed: f64,
    quiet_s: f64,
}

impl LastModified {
    /// A visit `interval_s` after the one before; where something changed, so long ago at last.
    pub fn learn(&mut self, interval_s: f64, changed_ago_s: Option<f64>) {
        self.visits += 1.0;
        self.changed += f64::from(u8::from(changed_ago_s.is_some()));
        self.quiet_s += changed_ago_s.unwrap_or(interval_s).max(0.0);
    }

    /// The rate.
    pub fn rate_per_s(&self) -> f64 {
        if self.visits < 1.0 || self.changed < 1.0 {
            return 0.0;
        }
        // ln 0 where every visit saw a change: then the correction is 0.
        let share = (self.changed / self.visits).min(1.0);
        let correction = if share < 1.0 { self.changed / (self.visits * (1.0 - share).ln()) } else { 0.0 };
        ratio((self.changed - 1.0 - correction).max(0.0), self.quiet_s)
    }
}

/// Law of large numbers: visits at Poisson rate `visits_per_s`, a share of them changed.
pub fn by_large_numbers(changed_count: u32, visit_count: u32, visits_per_s: f64) -> f64 {
    // Half a visit keeps it finite when all changed.
    let share = ratio(f64::from(changed_count), f64::from(visit_count));
    ratio(visits_per_s * share, 1.0 - share + 0.5 / f64::from(visit_count.max(1)))
}

/// One step of stochastic approximation: the estimate after a visit.
pub fn approximated(estimate_per_s: f64, has_changed: bool, visits_per_s: f64, step: f64) -> f64 {
    let target = if has_changed { estimate_per_s + visits_per_s } else { 0.0 };
    (estimate_per_s + step * (target - estimate_per_s)).clamp(0.0, RATE_PER_S_MAX)
}

fn ratio(above: f64, below: f64) -> f64 {
    let value = above / below;
    if below > 0.0 && value.is_finite() { value.clamp(0.0, RATE_PER_S_MAX) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in (0, 1) for simulated data.
    fn draws() -> impl FnMut() -> f64 {
        let mut state = 99_u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        }
    }

    #[track_caller]
    fn check(name: &str, got: f64, expected: f64, tolerance: f64) {
        assert!((got / expected - 1.0).abs() < tolerance, "{name}: {got} instead of {expected}");
    }

    #[test]
    fn simulated_rates_are_found() {
        let (rate, interval_s, visit_count) = (1e-4, 9_000.0, 20_000);
        let mut draw = draws();
        let (mut changed_count, mut modified, mut intervals) = (0, LastModified::default(), Vec::new());
        for _ in 0..visit_count {
            // Time since the last change at a visit is exponential, cut off at the visit before.
            let ago_s = -draw().ln() / rate;
            let has_changed = ago_s < interval_s;
            changed_count += u32::from(has_changed);
            modified.learn(interval_s, has_changed.then_some(ago_s));
            let length_s = interval_s * (0.2 + 1.6 * draw());
            intervals.push((length_s, draw() > (-rate * length_s).exp()));
        }
        check("bias-reduced", bias_reduced(changed_count, visit_count, interval_s), rate, 0.03);
        check("irregular", irregular(&intervals, 43_200.0), rate, 0.03);
        check("last modified", modified.rate_per_s(), rate, 0.03);
        let naive = naive(changed_count, visit_count, interval_s);
        check("naive, biased", naive, (1.0 - (-rate * interval_s).exp()) / interval_s, 0.03);
    }

    #[test]
    fn poisson_visits_find_it_too() {
        let (rate, visits_per_s) = (1e-4, 2e-4);
        let mut draw = draws();
        let (mut changed_count, mut estimate) = (0, visits_per_s);
        for visit in 1..=100_000_u32 {
            // P(changed) between Poisson visits is λ/(λ+p).
            let has_changed = draw() < rate / (rate + visits_per_s);
            changed_count += u32::from(has_changed);
            estimate = approximated(estimate, has_changed, visits_per_s, 2.0 / f64::from(visit + 20));
        }
        check("large numbers", by_large_numbers(changed_count, 100_000, visits_per_s), rate, 0.03);
        check("approximation", estimate, rate, 0.1);
    }

    #[test]
    fn nothing_is_ever_infinite() {
        let rates = [
            naive(5, 0, 10.0),
            naive(5, 5, 0.0),
            bias_reduced(7, 3, 10.0),
            bias_reduced(0, 0, 0.0),
            irregular(&[], 0.0),
            irregular(&[(1e-300, true), (-5.0, false)], 60.0),
            irregular(&[(10.0, true); 50], 60.0),
            LastModified::default().rate_per_s(),
            by_large_numbers(10, 10, 1.0),
            by_large_numbers(0, 0, 1.0),
            approximated(1.0, true, 1.0, 1e300),
        ];
        assert!(rates.iter().all(|rate| rate.is_finite() && *rate >= 0.0), "{rates:?}");
    }
}
