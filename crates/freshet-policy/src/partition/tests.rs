//! What holds for every member of the family, whatever it is given.

use proptest::prelude::*;

use super::*;

/// The least difference over all partitions, by trying each.
fn difference_least(workloads: &[f64], parts: u32) -> f64 {
    let count = u64::from(parts).pow(workloads.len() as u32);
    let parts_of = |mut number: u64| {
        let digit = |_: &f64| {
            let part = (number % u64::from(parts)) as u32;
            number /= u64::from(parts);
            part
        };
        workloads.iter().map(digit).collect::<Vec<_>>()
    };
    (0..count)
        .map(|number| spread(workloads, parts as usize, &parts_of(number)).difference)
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn names_are_known_and_others_are_not() {
    for name in PARTITION_NAMES {
        assert!(partition_named(name).is_some(), "{name}");
    }
    assert!(partition_named("by-luck").is_none());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_input_gives_every_source_a_part(
        workloads in prop::collection::vec(any::<f64>(), 0..60),
        parts in prop_oneof![0..80_usize, Just(usize::MAX)],
    ) {
        for name in PARTITION_NAMES {
            let part_of = partition_named(name).expect("a known name")(&workloads, parts);
            prop_assert_eq!(part_of.len(), workloads.len());
            prop_assert!(part_of.iter().all(|&part| (part as usize) < parts.max(1)), "{}: {:?}", name, part_of);
            let spread = spread(&workloads, parts, &part_of);
            prop_assert!(spread.relative.is_finite() && spread.difference.is_finite());
        }
    }

    #[test]
    fn no_method_beats_the_best_and_two_way_set_division_finds_it(
        workloads in prop::collection::vec((1..60_u32).prop_map(f64::from), 1..9),
        parts in 2..4_u32,
    ) {
        let least = difference_least(&workloads, parts);
        for name in PARTITION_NAMES {
            let part_of = partition_named(name).expect("a known name")(&workloads, parts as usize);
            let found = spread(&workloads, parts as usize, &part_of).difference;
            prop_assert!(found >= least - 1e-9, "{}: {} below {}", name, found, least);
            let is_exact = parts == 2 && *name == "set-division";
            prop_assert!(!is_exact || found <= least + 1e-9, "{}: {} above {}", name, found, least);
        }
    }

    #[test]
    fn sources_without_work_are_shared_out(idle_count in 1..40_usize, parts in 1..9_usize) {
        let workloads = [vec![5.0; parts], vec![0.0; idle_count]].concat();
        for name in PARTITION_NAMES {
            let part_of = partition_named(name).expect("a known name")(&workloads, parts);
            let mut counts = vec![0_usize; parts];
            for &part in &part_of {
                counts[part as usize] += 1;
            }
            let most = counts.iter().max().copied().unwrap_or(0);
            prop_assert!(most <= workloads.len().div_ceil(parts) + 1, "{}: {:?}", name, counts);
        }
    }
}
