//! The priced plan: the accurate plan (reading R2) where each refresh costs something, instead of a number of them being given.
//!
//! | program | here |
//! |---|---|
//! | maximise `Σ_j h_j S_{i(j),j} − c·(Σ x − 1)`, x₀ = 1 | [`choose`], with the price c |
//! | no two refreshes further apart than g instants | `gap_max` |
//! | `G(e) = max_{e−g ≤ d < e} G(d) + W(d, e) − c` | `best`, with the d that won in `from` |
//!
//! A price in place of a number is the Lagrange form of the same program: of the number of refreshes that it chooses no other plan
//! is more accurate (but for the gap), and none with more or fewer is worth more. So whoever knows what a call is worth need not
//! know how many to make. The first instant is the copy that is there and costs nothing. Exact; O(n g) time, O(n) memory.

use super::{Plan, Similarities, accuracy};

/// The plan that is worth most at this price, each refresh at most `gap_max` instants after the one before.
pub(crate) fn choose(similarities: &Similarities, weights: &[f64], price: f64, gap_max: usize) -> Plan {
    let end = similarities.count();
    let gap_max = gap_max.max(1);
    // What is no number costs nothing.
    let price = price.max(0.0);
    let mut best = vec![f64::NEG_INFINITY; end + 1];
    let mut from = vec![0; end + 1];
    best[0] = 0.0;
    for d in 0..end {
        let mut gain = 0.0;
        for e in d + 1..=end.min(d + gap_max) {
            gain += accuracy::weight(weights, e - 1) * similarities.of(d, e - 1);
            let paid = if e == end { 0.0 } else { price };
            // Strictly more: of equal plans the one with the longest gaps wins, in every run.
            if best[d] + gain - paid > best[e] {
                (best[e], from[e]) = (best[d] + gain - paid, d);
            }
        }
    }
    let mut instants = Vec::new();
    let mut at = end;
    while at > 0 {
        at = from[at];
        instants.push(at);
    }
    instants.reverse();
    let value = accuracy(similarities, weights, &instants);
    Plan { instants, value, is_proven: true }
}

/// What each refresh of a plan adds to the objective: how much more the copy resembles the page until the next one.
pub(crate) fn savings(similarities: &Similarities, weights: &[f64], instants: &[usize]) -> Vec<f64> {
    let saved = |at: usize| {
        let (own, until) = (instants[at], instants.get(at + 1).copied().unwrap_or(similarities.count()));
        let before = |instant| at.checked_sub(1).map_or(0.0, |at| similarities.of(instants[at], instant));
        let gain =
            |instant| accuracy::weight(weights, instant) * (similarities.of(own, instant) - before(instant));
        (own..until).map(gain).sum()
    };
    (0..instants.len()).map(saved).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::refresh::{Chain, Demand, Reading, plan};

    fn chained(series: &[f64]) -> Similarities {
        Similarities::chained(series, Chain::Product).expect("few")
    }

    fn check(series: &[f64], price: f64, gap_max: usize, instants: &[usize]) {
        let found = choose(&chained(series), &[], price, gap_max);
        assert_eq!(found.instants, instants, "{series:?} at {price}, gaps of {gap_max}");
    }

    #[test]
    fn known_plans() {
        // It turns over once: a refresh then saves two instants.
        check(&[1.0, 0.0, 1.0], 1.9, 9, &[0, 2]);
        check(&[1.0, 0.0, 1.0], 2.1, 9, &[0]);
        check(&[1.0, 0.0, 1.0], f64::NAN, 9, &[0, 2]);
        // Whatever it costs, nothing waits longer than the gap.
        check(&[1.0, 1.0, 1.0, 1.0, 1.0], 1e9, 2, &[0, 2, 4]);
        check(&[1.0, 1.0, 1.0, 1.0, 1.0], 1e9, 0, &[0, 1, 2, 3, 4, 5]);
        check(&[], 1.0, 3, &[0]);
        assert_eq!(savings(&chained(&[1.0, 0.0, 1.0]), &[], &[0, 2]), [2.0, 2.0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_plan_is_worth_more_and_none_of_its_size_is_more_accurate(
            series in prop::collection::vec(0.0..1.0_f64, 0..11),
            weights in prop::collection::vec(0.0..5.0_f64, 12),
            price in 0.0..3.0_f64,
            gap_max in 1..14_usize,
        ) {
            let similarities = chained(&series);
            let count = similarities.count();
            let total: f64 = weights[..count].iter().sum();
            let found = choose(&similarities, &weights, price, gap_max);
            let worth = |set: &[usize]| {
                accuracy(&similarities, &weights, set) * total - price * (set.len() - 1) as f64
            };
            let fits = |set: &[usize]| {
                set.windows(2).all(|pair| pair[1] - pair[0] <= gap_max) && count - set[set.len() - 1] <= gap_max
            };
            let sets = (0..1_u32 << count).filter(|bits| bits & 1 == 1)
                .map(|bits| (0..count).filter(|at| bits >> at & 1 == 1).collect::<Vec<_>>());
            let most = sets.filter(|set| fits(set)).map(|set| worth(&set)).fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(fits(&found.instants) && (worth(&found.instants) - most).abs() < 1e-9);
            if gap_max >= count {
                let saved = savings(&similarities, &weights, &found.instants);
                prop_assert!(saved[1..].iter().all(|saved| *saved >= price - 1e-9), "{:?}", saved);
                let demand = Demand {
                    refresh_count: found.instants.len(), similarity_max: 2.0, reading: Reading::Accurate,
                };
                let given = plan(&similarities, &weights, &demand);
                prop_assert!((given.value - found.value).abs() < 1e-9, "{:?} and {:?}", given, found);
            }
        }
    }
}
