//! Measures all methods on given workloads, in the form of the paper's tables 3 and 4 [CUVIM, section 6.3.1].
//!
//! | paper | here |
//! |---|---|
//! | User Num., Fre. Tot. | `source_count`, `total` |
//! | Random Method Diff. | `random_difference` |
//! | RR Diff. | the row's spread of `round-robin` |
//! | RR Diff. in percent of Random | [`Row::of_random`] |
//!
//! The paper draws at random once, which lets its ratios jump (its row of 50,000 users); here the random
//! difference is the mean of [`DRAWS`] draws. Users are "randomly selected" by a seed that is handed in.

use std::hash::Hasher as _;

use freshet_types::map::Hasher;

use super::{PARTITION_NAMES, Spread, partition_named, spread};

/// Random partitions that are averaged.
pub const DRAWS: u64 = 32;

/// One row of a table: so many sources in so many parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// How many sources were divided.
    pub source_count: usize,
    /// Into how many parts.
    pub part_count: usize,
    /// All workloads together.
    pub total: f64,
    /// The mean difference where each source falls to a random part.
    pub random_difference: f64,
    /// Each method of [`PARTITION_NAMES`] and what it reached.
    pub methods: Vec<(&'static str, Spread)>,
}

impl Row {
    /// The difference of a method as a share of the random one; none for unknown names and where chance has none.
    pub fn of_random(&self, name: &str) -> Option<f64> {
        let (_, spread) = self.methods.iter().find(|(known, _)| *known == name)?;
        (self.random_difference > 0.0).then(|| spread.difference / self.random_difference)
    }
}

/// All methods on all workloads.
pub fn measure(workloads: &[f64], parts: usize, seed: u64) -> Row {
    let by_chance = |draw| spread(workloads, parts, &random(workloads.len(), parts, seed, draw)).difference;
    let by_name = |&name: &&'static str| {
        let partitioner = partition_named(name)?;
        Some((name, spread(workloads, parts, &partitioner(workloads, parts))))
    };
    let methods: Vec<_> = PARTITION_NAMES.iter().filter_map(by_name).collect();
    Row {
        source_count: workloads.len(),
        part_count: parts,
        total: methods.first().map_or(0.0, |(_, spread)| spread.total),
        random_difference: (0..DRAWS).map(by_chance).sum::<f64>() / DRAWS as f64,
        methods,
    }
}

/// One row for each size: that many sources, chosen at random; sizes beyond the number of sources take all.
pub fn measure_sizes(workloads: &[f64], sizes: &[usize], parts: usize, seed: u64) -> Vec<Row> {
    let mut sources: Vec<u64> = (0..workloads.len() as u64).collect();
    sources.sort_by_cached_key(|&source| (drawn(seed, u64::MAX, source), source));
    let chosen = |&size: &usize| {
        let some: Vec<f64> = sources.iter().take(size).map(|&source| workloads[source as usize]).collect();
        measure(&some, parts, seed)
    };
    sizes.iter().map(chosen).collect()
}

/// Each source in a part of its own luck.
fn random(source_count: usize, parts: usize, seed: u64, draw: u64) -> Vec<u32> {
    let parts = parts.max(1) as u64;
    (0..source_count as u64).map(|source| (drawn(seed, draw, source) % parts) as u32).collect()
}

/// A random number that depends on nothing but its arguments.
fn drawn(seed: u64, draw: u64, source: u64) -> u64 {
    let mut hasher = Hasher::default();
    for part in [seed, draw, source] {
        hasher.write_u64(part);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Workloads like those of accounts: most are small, a few are many times as large.
    fn skewed(count: usize) -> Vec<f64> {
        (1..=count).map(|rank| 300.0 / (rank as f64).sqrt()).collect()
    }

    #[test]
    fn every_method_beats_chance_on_skewed_workloads() {
        for (parts, sizes) in [(2, [1_000, 4_000]), (16, [1_000, 4_000])] {
            for row in measure_sizes(&skewed(5_000), &sizes, parts, 7) {
                for name in PARTITION_NAMES {
                    let share = row.of_random(name).expect("chance is unequal");
                    // Dealing out suffers from the few busiest sources; the others put small ones beside them.
                    let share_max = if ["round-robin", "halving"].contains(name) { 0.8 } else { 0.02 };
                    assert!(share < share_max, "{name}: {share} of chance, {row:?}");
                }
            }
        }
    }

    #[test]
    fn sizes_and_seeds() {
        let rows = measure_sizes(&skewed(50), &[0, 10, 80], 4, 1);
        assert_eq!(rows.iter().map(|row| row.source_count).collect::<Vec<_>>(), [0, 10, 50]);
        assert_eq!(rows[0].of_random("round-robin"), None);
        assert_eq!(rows[1].of_random("no such method"), None);
        assert_eq!(rows, measure_sizes(&skewed(50), &[0, 10, 80], 4, 1));
        assert_ne!(rows, measure_sizes(&skewed(50), &[0, 10, 80], 4, 2));
    }
}
