//! Spread: how unequal the parts are, as the paper's tables 3 to 6 measure it [CUVIM, section 6.3].
//!
//! | paper | here |
//! |---|---|
//! | Fre. Tot. | `total` |
//! | Diff., maximum less minimum workload | `difference` |
//! | (not given) difference in shares of a part's mean | `relative` |

use std::collections::BTreeMap;

use super::input;

/// The loads of all parts in a few numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// All workloads together.
    pub total: f64,
    /// The load of the heaviest part.
    pub load_max: f64,
    /// The load of the lightest part, 0 where a part is empty.
    pub load_min: f64,
    /// Heaviest less lightest.
    pub difference: f64,
    /// The difference as a share of the mean load, 0 where there is no load.
    pub relative: f64,
}

/// Measures parts. A source without a part is not counted; a part beyond `parts` counts as one more.
pub fn spread(workloads: &[f64], parts: usize, part_of: &[u32]) -> Spread {
    let mut loads: BTreeMap<u32, f64> = BTreeMap::new();
    for (&workload, &part) in workloads.iter().zip(part_of) {
        *loads.entry(part).or_default() += input::workload(workload);
    }
    let total: f64 = loads.values().sum();
    let load_max = loads.values().copied().fold(0.0, f64::max);
    let load_min = if loads.len() < parts { 0.0 } else { loads.values().copied().fold(load_max, f64::min) };
    let mean = total / loads.len().max(parts).max(1) as f64;
    let difference = load_max - load_min;
    let relative = if mean > 0.0 { difference / mean } else { 0.0 };
    Spread { total, load_max, load_min, difference, relative }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(workloads: &[f64], parts: usize, part_of: &[u32], expected: (f64, f64, f64, f64)) {
        let (total, load_max, load_min, relative) = expected;
        let expected = Spread { total, load_max, load_min, difference: load_max - load_min, relative };
        assert_eq!(spread(workloads, parts, part_of), expected, "{workloads:?} {part_of:?}");
    }

    #[test]
    fn known_spreads() {
        check(&[3.0, 1.0, 2.0], 2, &[0, 1, 1], (6.0, 3.0, 3.0, 0.0));
        check(&[3.0, 1.0], 2, &[0, 1], (4.0, 3.0, 1.0, 1.0));
        check(&[3.0, 1.0], 4, &[0, 1], (4.0, 3.0, 0.0, 3.0));
        check(&[3.0, f64::NAN], 2, &[0, 1], (3.0, 3.0, 0.0, 2.0));
        check(&[], 2, &[], (0.0, 0.0, 0.0, 0.0));
        check(&[0.0], 0, &[0], (0.0, 0.0, 0.0, 0.0));
    }
}
