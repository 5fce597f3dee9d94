//! The threshold filter: instants at which the page had hardly changed are no candidates [Liu, algorithm 2, lines 5–10].
//!
//! | paper | here |
//! |---|---|
//! | ζ, the maximum similarity | `similarity_max` |
//! | `PTS_{m,k} < ζ` keeps `t_{k+1}` | [`kept`] |
//! | `new_T`, starts with t₁ | the result, starts with 0 |
//!
//! The paper calls it dimensionality reduction: it makes the program small. A ζ of 1 drops the instants at which
//! nothing at all had changed; above 1 nothing is dropped; at 0 or where ζ is no number, all but the first are.

/// The instants that stay, ascending; a series of n − 1 neighbours has n instants.
pub fn kept(series: &[f64], similarity_max: f64) -> Vec<usize> {
    let changed = series.iter().enumerate().filter(|(_, similarity)| **similarity < similarity_max);
    std::iter::once(0).chain(changed.map(|(instant, _)| instant + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(similarity_max: f64, expected: &[usize]) {
        assert_eq!(kept(&[1.0, 0.9, 0.4, 1.0, 0.0], similarity_max), expected, "{similarity_max}");
    }

    #[test]
    fn only_changes_stay() {
        check(2.0, &[0, 1, 2, 3, 4, 5]);
        check(1.0, &[0, 2, 3, 5]);
        check(0.9, &[0, 3, 5]);
        check(0.0, &[0]);
        check(f64::NAN, &[0]);
    }
}
