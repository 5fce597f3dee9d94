//! What bad input means, once for all methods of the family.
//!
//! Invariant: what leaves here is finite and not negative, so no method meets a NaN, and no sum of
//! 2³² workloads overflows.

/// The largest workload: far beyond any source, and 2³² of them still add up to a finite sum.
pub(crate) const WORKLOAD_MAX: f64 = 1e12;

/// The workload that counts: 0 for what is negative or no number, at most [`WORKLOAD_MAX`].
pub fn workload(given: f64) -> f64 {
    if given > 0.0 { given.min(WORKLOAD_MAX) } else { 0.0 }
}

/// All workloads as they count.
pub(super) fn workloads(given: &[f64]) -> Vec<f64> {
    given.iter().map(|&given| workload(given)).collect()
}

/// The parts that can be used: at least one, at most one a source.
pub(super) fn parts_used(parts: usize, source_count: usize) -> usize {
    parts.clamp(1, source_count.max(1))
}

/// The sources that cost something, heaviest first, equal ones in their order.
pub(super) fn busy_heaviest_first(workloads: &[f64]) -> Vec<u32> {
    let mut sources: Vec<u32> =
        (0..workloads.len() as u32).filter(|&source| workloads[source as usize] > 0.0).collect();
    sources.sort_by(|&a, &b| workloads[b as usize].total_cmp(&workloads[a as usize]));
    sources
}

/// Deals out in turn the sources that cost nothing: by load alone all of them would fall to one part.
pub(super) fn deal_idle(workloads: &[f64], parts: usize, part_of: &mut [u32]) {
    let idle = workloads.iter().zip(part_of).filter(|(workload, _)| **workload == 0.0);
    for (turn, (_, part)) in idle.enumerate() {
        *part = (turn % parts) as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(given: f64, counts_as: f64) {
        assert_eq!(workload(given).to_bits(), counts_as.to_bits(), "{given}");
    }

    #[test]
    fn every_number_counts_as_something() {
        check(2.5, 2.5);
        check(0.0, 0.0);
        check(-0.0, 0.0);
        check(-3.0, 0.0);
        check(f64::NAN, 0.0);
        check(f64::NEG_INFINITY, 0.0);
        check(f64::INFINITY, WORKLOAD_MAX);
        check(1e300, WORKLOAD_MAX);
    }
}
