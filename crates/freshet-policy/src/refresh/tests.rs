//! Plans against all plans: both readings must find what trying everything finds.

use proptest::prelude::*;

use super::*;

/// Every set of `size` candidates with the first among them.
fn sets(candidates: &[usize], size: usize) -> impl Iterator<Item = Vec<usize>> {
    let of_bits =
        move |bits: u32| (0..candidates.len()).filter(move |at| bits >> at & 1 == 1).map(|at| candidates[at]);
    (0..1_u32 << candidates.len())
        .filter(move |bits| bits.count_ones() as usize == size && bits & 1 == 1)
        .map(move |bits| of_bits(bits).collect())
}

fn redundancy(similarities: &Similarities, set: &[usize]) -> f64 {
    set.iter().flat_map(|&i| set.iter().map(move |&j| similarities.of(i, j))).sum()
}

/// Similarities of any kind: measured at will, or chained.
fn similarities(count_max: usize) -> impl Strategy<Value = Similarities> {
    let measured = (1..=count_max).prop_flat_map(|count| {
        let values = prop::collection::vec(0.0..1.0_f64, count * count);
        values.prop_map(move |values| Similarities::new(count, |i, j| values[i * count + j]).expect("few"))
    });
    let step = prop_oneof![Just(1.0), 0.0..1.0_f64];
    let series = prop::collection::vec(step, 0..count_max);
    let chain = prop_oneof![Just(Chain::Product), Just(Chain::Least)];
    let chained =
        (series, chain).prop_map(|(series, chain)| Similarities::chained(&series, chain).expect("few"));
    prop_oneof![measured, chained]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_accurate_plan_is_the_best_of_all(
        similarities in similarities(14),
        weights in prop::collection::vec(0.0..5.0_f64, 0..14),
        refresh_count in 0..16_usize,
        similarity_max in prop_oneof![Just(2.0), Just(1.0), 0.0..1.0_f64],
    ) {
        let demand = Demand { refresh_count, similarity_max, reading: Reading::Accurate };
        let plan = plan(&similarities, &weights, &demand);
        let candidates = kept(&similarities.series(), similarity_max);
        let size = refresh_count.min(candidates.len());
        let best = sets(&candidates, size)
            .map(|set| accuracy(&similarities, &weights, &set))
            .fold(0.0, f64::max);
        prop_assert_eq!(plan.instants.len(), size);
        prop_assert!(plan.instants.is_sorted() && plan.instants.iter().all(|at| candidates.contains(at)));
        prop_assert!(plan.is_proven && (plan.value - best).abs() < 1e-9, "{:?} instead of {}", plan, best);
    }

    #[test]
    fn the_distinct_plan_is_the_best_of_all(
        similarities in similarities(12),
        refresh_count in 0..14_usize,
        similarity_max in prop_oneof![Just(2.0), 0.0..1.0_f64],
    ) {
        let demand = Demand { refresh_count, similarity_max, reading: Reading::Distinct };
        let plan = plan(&similarities, &[], &demand);
        let candidates = kept(&similarities.series(), similarity_max);
        let size = refresh_count.min(candidates.len());
        let least = sets(&candidates, size)
            .map(|set| redundancy(&similarities, &set))
            .fold(if size == 0 { 0.0 } else { f64::INFINITY }, f64::min);
        prop_assert_eq!(plan.instants.len(), size);
        prop_assert!((redundancy(&similarities, &plan.instants) - plan.value).abs() < 1e-9);
        prop_assert!(plan.is_proven && (plan.value - least).abs() < 1e-9, "{:?} instead of {}", plan, least);
    }

    #[test]
    fn no_input_makes_a_plan_fail(
        series in prop::collection::vec(any::<f64>(), 0..60),
        weights in prop::collection::vec(any::<f64>(), 0..60),
        refresh_count in prop_oneof![0..70_usize, Just(usize::MAX)],
        similarity_max in any::<f64>(),
    ) {
        let similarities = Similarities::chained(&series, Chain::Product).expect("few");
        for reading in [Reading::Accurate, Reading::Distinct] {
            let plan = plan(&similarities, &weights, &Demand { refresh_count, similarity_max, reading });
            prop_assert!(plan.value.is_finite() && plan.instants.len() <= refresh_count);
            prop_assert!(plan.instants.is_sorted() && plan.instants.iter().all(|&at| at <= series.len()));
        }
    }
}

#[test]
fn without_instants_there_is_no_plan() {
    let nothing = Similarities::new(0, |_, _| 1.0).expect("few");
    for reading in [Reading::Accurate, Reading::Distinct] {
        let demand = Demand { refresh_count: 3, similarity_max: 1.0, reading };
        assert_eq!(plan(&nothing, &[], &demand), Plan { instants: vec![], value: 0.0, is_proven: true });
    }
}
