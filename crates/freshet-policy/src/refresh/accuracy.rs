//! Accuracy: how much of the page the stored copy shows [Liu: "information accuracy"].
//!
//! The paper does not define its accuracy; this is the quantity its algorithm can influence: the weighted mean over all
//! instants of the similarity of page and copy.

use super::Similarities;

/// The mean similarity of page and copy when fetching at these instants, in any order.
///
/// Before the first fetch there is no copy and the accuracy is 0; so it is where nothing has weight.
pub fn accuracy(similarities: &Similarities, weights: &[f64], instants: &[usize]) -> f64 {
    let mut is_fetched = vec![false; similarities.count()];
    for &instant in instants.iter().filter(|&&instant| instant < similarities.count()) {
        is_fetched[instant] = true;
    }
    let (mut sum, mut total, mut copy) = (0.0, 0.0, None);
    for (instant, is_fetched) in is_fetched.into_iter().enumerate() {
        copy = if is_fetched { Some(instant) } else { copy };
        let weight = weight(weights, instant);
        total += weight;
        sum += weight * copy.map_or(0.0, |copy| similarities.of(copy, instant));
    }
    if total > 0.0 { sum / total } else { 0.0 }
}

/// The most that one instant may matter, so that all of them add up to a number.
const WEIGHT_MAX: f64 = 1e12;

/// The weight that counts: 1 where none is given, 0 for what is negative or no number.
pub(super) fn weight(weights: &[f64], instant: usize) -> f64 {
    let given = weights.get(instant).copied().unwrap_or(1.0);
    if given > 0.0 { given.min(WEIGHT_MAX) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refresh::Chain;

    fn check(weights: &[f64], instants: &[usize], expected: f64) {
        let similarities = Similarities::chained(&[0.5, 0.5, 1.0], Chain::Product).unwrap();
        let found = accuracy(&similarities, weights, instants);
        assert!((found - expected).abs() < 1e-12, "{weights:?} {instants:?}: {found}");
    }

    #[test]
    fn the_copy_is_compared_at_every_instant() {
        check(&[], &[0, 1, 2, 3], 1.0);
        check(&[], &[0], (1.0 + 0.5 + 0.25 + 0.25) / 4.0);
        check(&[], &[2, 0], (1.0 + 0.5 + 1.0 + 1.0) / 4.0);
        check(&[], &[2], 0.5);
        check(&[3.0, 1.0, 0.0, 0.0], &[0], 3.5 / 4.0);
        check(&[3.0, 1.0, f64::NAN, -2.0], &[0, 99], 3.5 / 4.0);
        check(&[0.0; 4], &[0], 0.0);
        check(&[], &[], 0.0);
        check(&[f64::INFINITY; 4], &[0, 1, 2, 3], 1.0);
    }
}
