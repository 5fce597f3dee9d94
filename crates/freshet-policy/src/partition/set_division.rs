//! Set division: halve the workloads by subset sums, halves again, until there are enough [CUVIM, section 5.1.2].
//!
//! | paper | here |
//! |---|---|
//! | k sets | `parts` |
//! | ε: heaviest ≤ (1 + ε) lightest | `epsilon` |
//! | R = (1 + ε)^(1/⌈log₂ k⌉), ε′ = (R − 1)/(R + 1), tolerance of one halving (Theorem 2) | `tolerance` |
//! | SSP: the subset whose sum is closest to, but not above c | [`subset::closest`] |
//!
//! The paper's proof assumes that every set has a half of exactly its sum; where it has none, one source
//! may outweigh everything, and no method keeps the ratio. What always holds is the scheme's own promise: each
//! halving finds at least (1 − ε′) of the best subset (tested against all subsets). A source that alone
//! reaches the mean load gets a part for itself first: anything beside it would only make the difference larger.
//! The paper halves powers of two; here k is split into ⌊k/2⌋ and ⌈k/2⌉ and c follows that proportion.

pub mod subset;

use super::input::{busy_heaviest_first, deal_idle, parts_used, workloads};

/// The default ε: heaviest and lightest differ by a thousandth, less than any forecast of workloads errs.
pub const EPSILON: f64 = 1e-3;
/// Bounds of ε: below, floating-point sums decide; above, the promise says nothing.
const EPSILON_BOUNDS: (f64, f64) = (1e-9, 1.0);

/// The part of each source; `epsilon` is brought between 10⁻⁹ and 1, what is no number is [`EPSILON`].
pub(crate) fn set_division(given: &[f64], parts: usize, epsilon: f64) -> Vec<u32> {
    let workloads = workloads(given);
    let parts = parts_used(parts, workloads.len());
    let part_of = vec![0; workloads.len()];
    let mut division = Division { workloads: &workloads, tolerance: tolerance(epsilon, parts), part_of };
    division.divide(busy_heaviest_first(&workloads), 0, parts);
    let mut part_of = division.part_of;
    deal_idle(&workloads, parts, &mut part_of);
    part_of
}

/// ε′ of Theorem 2.
fn tolerance(epsilon: f64, parts: usize) -> f64 {
    let epsilon = if epsilon.is_nan() { EPSILON } else { epsilon.clamp(EPSILON_BOUNDS.0, EPSILON_BOUNDS.1) };
    let halvings = f64::from(parts.next_power_of_two().trailing_zeros()).max(1.0);
    let ratio = (1.0 + epsilon).powf(halvings.recip());
    (ratio - 1.0) / (ratio + 1.0)
}

#[derive(Debug)]
struct Division<'a> {
    workloads: &'a [f64],
    tolerance: f64,
    part_of: Vec<u32>,
}

impl Division<'_> {
    /// Gives these sources, heaviest first, to `parts` parts from `first` on.
    fn divide(&mut self, mut sources: Vec<u32>, mut first: usize, mut parts: usize) {
        let mut total: f64 = sources.iter().map(|&source| self.workloads[source as usize]).sum();
        let mut alone_count = 0;
        for &source in &sources {
            let workload = self.workloads[source as usize];
            if parts == 1 || workload * (parts as f64) < total {
                break;
            }
            self.part_of[source as usize] = first as u32;
            (first, parts, total, alone_count) = (first + 1, parts - 1, total - workload, alone_count + 1);
        }
        sources.drain(..alone_count);
        if parts == 1 {
            for source in sources {
                self.part_of[source as usize] = first as u32;
            }
            return;
        }
        let left_parts = parts / 2;
        let items: Vec<f64> = sources.iter().map(|&source| self.workloads[source as usize]).collect();
        let target = total * left_parts as f64 / parts as f64;
        let is_chosen = subset::closest(&items, target, self.tolerance);
        let mut marks = is_chosen.into_iter();
        let (left, right) = sources.into_iter().partition(|_| marks.next().unwrap_or(false));
        self.divide(left, first, left_parts);
        self.divide(right, first + left_parts, parts - left_parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::spread;

    fn check(workloads: &[f64], parts: usize, difference: f64) {
        let part_of = set_division(workloads, parts, EPSILON);
        let found = spread(workloads, parts, &part_of).difference;
        assert!((found - difference).abs() < 1e-9, "{workloads:?} in {parts}: {part_of:?} differ by {found}");
    }

    #[test]
    fn known_differences() {
        check(&[8.0, 7.0, 6.0, 5.0, 4.0], 2, 0.0);
        check(&[5.0, 5.0, 4.0, 4.0, 3.0, 3.0, 3.0], 3, 0.0);
        check(&[100.0, 1.0, 1.0], 3, 99.0);
        check(&[3.0, 1.0], 2, 2.0);
        check(&[3.0, 1.0], 0, 0.0);
        check(&[], 3, 0.0);
        check(&[0.0, f64::NAN], 2, 0.0);
    }

    #[test]
    fn the_tolerance_is_that_of_theorem_2() {
        for (epsilon, parts) in [(0.1, 2), (0.1, 16), (0.01, 5), (1.0, 1)] {
            let halvings = (parts as f64).log2().ceil().max(1.0);
            let tolerance = tolerance(epsilon, parts);
            let ratio = ((1.0 + tolerance) / (1.0 - tolerance)).powf(halvings);
            assert!((ratio - 1.0 - epsilon).abs() < 1e-12, "{epsilon} in {parts}: {ratio}");
        }
        assert!(tolerance(f64::NAN, 4) > 0.0 && tolerance(-1.0, 4) > 0.0);
        assert!(tolerance(f64::INFINITY, 4) < 1.0);
    }
}
