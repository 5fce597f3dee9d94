//! Organ pipes: the order of visits in which the busiest sources come in the middle [CUVIM, section 4.1; SHARC].
//!
//! Assumption: constant rates, every source visited once in n equal steps of Δ. A visit at `t` is blurred
//! against a query at a random time of the interval, before or after it:
//!
//! | paper | here |
//! |---|---|
//! | λ of each source | `rates`, as a source's rate or its workload |
//! | Δ, nΔ: pause and observation interval | `step`, `interval` |
//! | ω(t, n, Δ) = t² − t·nΔ + (nΔ)²/2, the penalty | [`penalty`] |
//! | P(U, T, n, Δ) = Σ λ ω(t) / nΔ, potentiality, SHARC's blur | [`blur`] |
//! | u₀ᴰ … u_{n−1}ᴰ, the order | [`organ_pipes`] |
//!
//! ω is convex and symmetric about the middle, so by the rearrangement inequality the least blur gives the
//! largest rates the middle places. The order is that of the paper's worked example (u0, u2, u4, u5, u3, u1) and
//! of its formula for `f_iᴰ`: place i < n/2 takes u_{2i}, the others u_{2(n−i)−1}. Its printed Algorithm 1 takes
//! from both ends in turn, which is another order, and not the least blur.
//! Blur looks both ways in time, as an archive does: it is no measure of delay. Cost: O(n log n).

use super::input;

/// The sources in organ-pipe order: rising to the busiest in the middle, then falling.
pub fn organ_pipes(rates: &[f64]) -> Vec<u32> {
    let mut sources: Vec<u32> = (0..rates.len() as u32).collect();
    let rate = |source: u32| input::workload(rates[source as usize]);
    sources.sort_by(|&a, &b| rate(a).total_cmp(&rate(b)));
    piped(&sources)
}

/// Sorted sources in organ-pipe order.
pub(super) fn piped(ascending: &[u32]) -> Vec<u32> {
    let rising = ascending.iter().step_by(2);
    let falling = ascending.iter().skip(1).step_by(2).rev();
    rising.chain(falling).copied().collect()
}

/// ω: how badly a visit at `at` serves queries at all times of the interval; times in any one unit.
pub(crate) fn penalty(at: f64, interval: f64) -> f64 {
    at * at - at * interval + interval * interval / 2.0
}

/// The blur of visiting sources with these rates in this order, one every `step`, the first at 0.
///
/// Computed with steps of 1 and stretched by Theorem 1, so that no square of a long step overflows.
pub fn blur(rates_in_order: &[f64], step: f64) -> f64 {
    let last = rates_in_order.len().saturating_sub(1) as f64;
    if last == 0.0 || step.is_nan() || step <= 0.0 {
        return 0.0;
    }
    let with_index = rates_in_order.iter().enumerate();
    let penalties = with_index.map(|(index, &rate)| input::workload(rate) * penalty(index as f64, last));
    (penalties.sum::<f64>() / last * step.min(f64::MAX)).min(f64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(rates: &[f64], order: &[u32]) {
        assert_eq!(organ_pipes(rates), order, "{rates:?}");
    }

    #[test]
    fn the_order_is_that_of_the_worked_example() {
        check(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], &[0, 2, 4, 5, 3, 1]);
        check(&[5.0, 4.0, 3.0, 2.0, 1.0, 0.0], &[5, 3, 1, 0, 2, 4]);
        check(&[0.0, 1.0, 2.0, 3.0, 4.0], &[0, 2, 4, 3, 1]);
        check(&[1.0, 1.0, 1.0], &[0, 2, 1]);
        check(&[7.0], &[0]);
        check(&[], &[]);
        check(&[f64::NAN, -1.0, f64::INFINITY], &[0, 2, 1]);
    }

    #[test]
    fn the_order_follows_the_formula_of_section_5() {
        for count in 0..20_usize {
            let rates: Vec<f64> = (0..count).map(|rate| rate as f64).collect();
            let formula = |index: usize| {
                if 2 * index < count { 2 * index } else { 2 * (count - index) - 1 }
            };
            let expected: Vec<u32> = (0..count).map(|index| formula(index) as u32).collect();
            check(&rates, &expected);
        }
    }

    /// The least blur over all orders, by trying each.
    fn blur_least(rates: &mut [f64], fixed: usize) -> f64 {
        if fixed == rates.len() {
            return blur(rates, 1.0);
        }
        let mut least = f64::INFINITY;
        for at in fixed..rates.len() {
            rates.swap(fixed, at);
            least = least.min(blur_least(rates, fixed + 1));
            rates.swap(fixed, at);
        }
        least
    }

    fn rates_up_to(count_max: usize) -> impl Strategy<Value = Vec<f64>> {
        prop::collection::vec(0.0..50.0_f64, 1..count_max)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_order_has_less_blur(mut rates in rates_up_to(8)) {
            let piped: Vec<f64> = organ_pipes(&rates).iter().map(|&source| rates[source as usize]).collect();
            prop_assert!(blur(&piped, 1.0) <= blur_least(&mut rates, 0) * (1.0 + 1e-12));
        }

        /// Theorem 1: twice the pause is four times the penalty and twice the potentiality.
        #[test]
        fn the_penalty_grows_with_the_square_of_the_pause(rates in rates_up_to(40), step in 0.01..100.0_f64) {
            let last = (rates.len() - 1) as f64;
            for index in 0..rates.len() {
                let index = index as f64;
                let (stretched, plain) = (penalty(index * step, last * step), penalty(index, last));
                prop_assert!((stretched - step * step * plain).abs() <= 1e-9 * stretched.abs());
            }
            let by_definition = |step: f64| {
                let with_index = rates.iter().enumerate();
                let penalties = with_index.map(|(index, rate)| rate * penalty(index as f64 * step, last * step));
                if rates.len() > 1 { penalties.sum::<f64>() / (last * step) } else { 0.0 }
            };
            let (stretched, plain) = (by_definition(step), by_definition(1.0));
            prop_assert!((stretched - step * plain).abs() <= 1e-9 * stretched.abs());
            prop_assert!((stretched - blur(&rates, step)).abs() <= 1e-9 * stretched.abs());
        }

        #[test]
        fn it_is_an_order_and_blur_is_a_number(rates in prop::collection::vec(any::<f64>(), 0..40), step in any::<f64>()) {
            let mut order = organ_pipes(&rates);
            order.sort_unstable();
            prop_assert_eq!(order, (0..rates.len() as u32).collect::<Vec<_>>());
            prop_assert!(blur(&rates, step).is_finite());
        }
    }
}
