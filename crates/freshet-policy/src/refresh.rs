//! Refresh plans: which f of n instants a page should be fetched at [Liu, algorithm 2]. Step 1 (plan) of 10 for pages.
//!
//! A page was watched at n instants of a period (the hours of a week, say). Its similarity series says how much
//! of it was left after each; the plan for the next period keeps the f instants that matter.
//!
//! | paper | here |
//! |---|---|
//! | T = {t₁ … tₙ}, initial plan | instants 0 … n − 1 |
//! | PTS, page similarity time series | [`Similarities::series`], the similarity of neighbouring instants |
//! | ζ, maximum similarity | `similarity_max`; see [`filter`] |
//! | f, frequency | `refresh_count` |
//! | M, the matrix made of the PTS | [`Similarities`]: measured, or chained from the series ([`Chain`]) |
//! | `MIQP(f, M, new_T)` | [`Reading`]: the paper does not print the program |
//! | T′ | [`Plan`] |
//!
//! The paper's text leaves the quadratic program open; two readings are implemented. [`Reading::Accurate`], the
//! default, is what the paper measures: the stored copy should resemble the page at every instant. [`Reading::Distinct`]
//! is the literal x′Mx: chosen instants should resemble each other least. Where the filter leaves fewer than f
//! instants, all of them are kept (the paper leaves such a page unplanned). The first instant is always in the
//! plan, as in the paper: the stored copy has to come from somewhere. Pure; what is measured with plans is a study's business
//! (`sim::refresh`).

mod accuracy;
mod accurate;
mod distinct;
mod filter;
pub(crate) mod priced;
mod similarity;
mod sketch;

#[cfg(test)]
mod tests;

pub use accuracy::accuracy;
pub use filter::kept;
pub use similarity::{Chain, Similarities, TooManyInstants, jaccard, shingles};
pub(crate) use sketch::Sketch;

/// What the plan is good at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// The stored copy resembles the page at all instants: Σ h·S at its largest, exact.
    #[default]
    Accurate,
    /// The fetched copies resemble each other least: x′Mx at its smallest, exact for few instants.
    Distinct,
}

/// What is asked of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Demand {
    /// f: how many instants to keep.
    pub refresh_count: usize,
    /// ζ: an instant whose page is at least this similar to the one before is dropped.
    pub similarity_max: f64,
    /// Which program is solved.
    pub reading: Reading,
}

/// The instants to fetch at.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub instants: Vec<usize>,
    /// What the program's objective comes to: mean similarity of the copy, or x′Mx.
    pub value: f64,
    /// Is it the best there is? False where the search was cut short.
    pub is_proven: bool,
}

/// Plans one page. `weights` says how much each instant matters; missing ones count 1.
pub fn plan(similarities: &Similarities, weights: &[f64], demand: &Demand) -> Plan {
    let mut instants = kept(&similarities.series(), demand.similarity_max);
    // Only a series without instants has fewer than the filter's first one.
    instants.truncate(similarities.count());
    match demand.reading {
        Reading::Accurate => accurate::choose(similarities, weights, &instants, demand.refresh_count),
        Reading::Distinct => distinct::choose(similarities, &instants, demand.refresh_count),
    }
}
