//! Partitions: which share of the work each source belongs to [CUVIM, section 5.1]. Will serve step 1 of 10.
//!
//! **Studies only, so far**: one process owns all sources, so no run partitions them; `sim::study` compares the methods. Of this
//! module a run only reaches [`organ`], through the policy `organ-pipe`.
//!
//! A workload is what a source costs, such as its posts a day; a part is what one worker or fetcher
//! owns. Every method is a pure function from workloads and a number of parts to the part of each
//! source, so that all workers that know the workloads agree without talking.
//!
//! | method | idea | cost | promise |
//! |---|---|---|---|
//! | `round-robin` | deal out the organ-pipe order | n log n | Equation 1 for evenly spaced workloads |
//! | `halving` | deal into two, each again into two | n log n log k | the parts of `round-robin` where k is a power of two |
//! | `set-division` | halve by subset sums, trimmed | polynomial in n and 1/ε | heaviest ≤ (1 + ε) lightest where halves exist |
//! | `longest-processing-time` | heaviest source to the lightest part | n log n | heaviest ≤ 4/3 − 1/3k of the best |
//! | `karmarkar-karp` | set the largest differences against each other | n (log n + k) | none as strong, but the smallest spread in practice |
//!
//! Bad input has a defined meaning in all of them ([`input`]): no parts are one part; a workload that is
//! negative or no number is 0; an infinite one is [`WORKLOAD_MAX`]; parts beyond the number of sources
//! stay empty. What this does not do: move sources between workers when workloads change.

pub mod halving;
pub mod input;
pub mod karmarkar_karp;
pub mod longest_processing_time;
pub mod measure;
pub mod organ;
pub mod round_robin;
pub mod set_division;
pub mod spread;

pub(crate) use halving::halving;
pub(crate) use karmarkar_karp::karmarkar_karp;
pub(crate) use longest_processing_time::longest_processing_time;
pub use measure::{Row, measure, measure_sizes};
pub use organ::organ_pipes;
pub(crate) use round_robin::round_robin;
pub(crate) use set_division::set_division;
pub use spread::{Spread, spread};

/// From workloads and a number of parts to the part of each source.
pub type Partitioner = fn(&[f64], usize) -> Vec<u32>;

/// The names that [`partition_named`] knows.
pub const PARTITION_NAMES: &[&str] =
    &["round-robin", "halving", "set-division", "longest-processing-time", "karmarkar-karp"];

/// The method of this name.
pub(crate) fn partition_named(name: &str) -> Option<Partitioner> {
    match name {
        "round-robin" => Some(round_robin),
        "halving" => Some(halving),
        "set-division" => Some(|workloads, parts| set_division(workloads, parts, set_division::EPSILON)),
        "longest-processing-time" => Some(longest_processing_time),
        "karmarkar-karp" => Some(karmarkar_karp),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
