//! Round robin: the organ-pipe order is dealt out like cards [CUVIM, section 5.1.1].
//!
//! | paper | here |
//! |---|---|
//! | `u_jᴰ`, the j-th source in organ-pipe order | [`organ_pipes`] |
//! | n, the number of machines | `parts` |
//! | machine i visits `u_j` where j mod n = i | [`round_robin`] |
//!
//! Equation 1: where sorted workloads grow by a constant Δ from f₀, two parts differ by 0, f₀, −Δ or
//! f₀ − Δ (sources mod 4 = 0, 1, 2, 3), however many sources there are. One very busy source breaks the
//! assumption (the paper's figure 7); the other methods are for that. Cost: O(n log n).

use super::input::parts_used;
use super::organ_pipes;

/// The part of each source.
pub(crate) fn round_robin(workloads: &[f64], parts: usize) -> Vec<u32> {
    let parts = parts_used(parts, workloads.len());
    let mut part_of = vec![0; workloads.len()];
    for (index, source) in organ_pipes(workloads).into_iter().enumerate() {
        part_of[source as usize] = (index % parts) as u32;
    }
    part_of
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(workloads: &[f64], parts: usize, expected: &[u32]) {
        assert_eq!(round_robin(workloads, parts), expected, "{workloads:?} in {parts}");
    }

    #[test]
    fn the_parts_are_those_of_figure_6() {
        // In order: u0 u2 u4 u5 u3 u1.
        check(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 2, &[0, 1, 1, 0, 0, 1]);
        check(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 3, &[0, 2, 1, 1, 2, 0]);
        check(&[3.0, 1.0], 5, &[1, 0]);
        check(&[3.0, 1.0], 0, &[0, 0]);
        check(&[], 3, &[]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn equation_1_holds(count in 2..500_usize, first in 0.0..50.0_f64, step in 0.001..10.0_f64) {
            let workloads: Vec<f64> = (0..count).map(|rank| first + rank as f64 * step).collect();
            let signed = |(workload, part): (&f64, u32)| if part == 0 { *workload } else { -*workload };
            let difference: f64 = workloads.iter().zip(round_robin(&workloads, 2)).map(signed).sum();
            let expected = match count % 4 {
                0 => 0.0,
                1 => first,
                2 => -step,
                _ => first - step,
            };
            let total: f64 = workloads.iter().sum();
            prop_assert!((difference - expected).abs() <= 1e-12 * total, "{difference} instead of {expected}");
        }
    }
}
