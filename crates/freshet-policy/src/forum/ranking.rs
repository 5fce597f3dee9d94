//! How well a model orders lists: the share of pairs that it orders wrongly by which gets its next record first.
//!
//! A crawl goes to the list that is expected to have most, so it feels the order of forecasts and not their size: a model that expects ten times too
//! much of every list crawls as well as one that is right. Of two lists the one whose next record comes first should have been expected to have
//! more; a list that got none in the time asked about comes after all that got one, and two such lists say nothing. Equal forecasts are half
//! wrong, so that a model which knows nothing has 0.5, and 1 − loss is Harrell's index of concordance.
//!
//! Cost: O(n log n) for n lists, by a binary indexed tree over the ranks of the forecasts.

/// One list: records foretold, and when the next came; infinite where none did.
pub(super) type Asked = (f64, f64);

/// Pairs that must be comparable: the order of two boards says nothing of a model.
const PAIRS_MIN: f64 = 100.0;

/// The share of comparable pairs in the wrong order; `None` where there are too few.
pub(super) fn loss(asked: &[Asked]) -> Option<f64> {
    let (wrong, pairs) = wrong_of(asked);
    (pairs >= PAIRS_MIN).then(|| wrong / pairs)
}

/// How many pairs are in the wrong order, and how many can be compared.
fn wrong_of(asked: &[Asked]) -> (f64, f64) {
    let mut scores: Vec<f64> = asked.iter().map(|(foretold, _)| *foretold).collect();
    scores.sort_by(f64::total_cmp);
    scores.dedup_by(|a, b| a.total_cmp(b).is_eq());
    let rank = |foretold: f64| scores.partition_point(|score| score.total_cmp(&foretold).is_lt());
    // From the last to the first: whoever is counted already got its next record later, or none.
    let mut order: Vec<(f64, usize)> =
        asked.iter().map(|(foretold, next_s)| (*next_s, rank(*foretold))).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut later = Counts::new(scores.len());
    let (mut wrong, mut pairs) = (0.0, 0.0);
    for group in order.chunk_by(|a, b| a.0.total_cmp(&b.0).is_eq()) {
        if group[0].0.is_finite() {
            for &(_, rank) in group {
                let (below, equal) = (later.below(rank), later.below(rank + 1) - later.below(rank));
                wrong += later.count - below - equal / 2.0;
                pairs += later.count;
            }
        }
        for &(_, rank) in group {
            later.add(rank);
        }
    }
    (wrong, pairs)
}

/// How many of each rank were counted.
struct Counts {
    sums: Vec<f64>,
    count: f64,
}

impl Counts {
    fn new(rank_count: usize) -> Self {
        Self { sums: vec![0.0; rank_count + 1], count: 0.0 }
    }

    fn add(&mut self, rank: usize) {
        self.count += 1.0;
        let mut at = rank + 1;
        while let Some(sum) = self.sums.get_mut(at) {
            *sum += 1.0;
            at += at & at.wrapping_neg();
        }
    }

    /// Those with a lower rank.
    fn below(&self, rank: usize) -> f64 {
        let (mut at, mut sum) = (rank, 0.0);
        while at > 0 {
            sum += self.sums[at];
            at -= at & at.wrapping_neg();
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: f64 = f64::INFINITY;

    fn check(asked: &[Asked], expected: (f64, f64)) {
        let (wrong, pairs) = wrong_of(asked);
        let is_right = (wrong - expected.0).abs() < 1e-9 && (pairs - expected.1).abs() < 1e-9;
        assert!(is_right, "{asked:?}: {wrong} of {pairs}, expected {expected:?}");
    }

    #[test]
    fn pairs_in_the_wrong_order_are_counted() {
        check(&[(3.0, 1.0), (2.0, 5.0), (1.0, 9.0)], (0.0, 3.0));
        check(&[(1.0, 1.0), (2.0, 5.0), (3.0, 9.0)], (3.0, 3.0));
        check(&[(2.0, 1.0), (3.0, 5.0), (1.0, 9.0)], (1.0, 3.0));
        // All alike: nothing is known.
        check(&[(1.0, 1.0), (1.0, 5.0), (1.0, NEVER)], (1.5, 3.0));
        // Who got nothing comes after who got something, and says nothing about others who got nothing.
        check(&[(1.0, NEVER), (2.0, NEVER), (3.0, 4.0)], (0.0, 2.0));
        check(&[(1.0, NEVER), (2.0, NEVER), (1.5, 4.0)], (1.0, 2.0));
        check(&[(1.0, NEVER), (2.0, NEVER)], (0.0, 0.0));
        check(&[(1.0, 7.0), (2.0, 7.0)], (0.0, 0.0));
        check(&[], (0.0, 0.0));
    }

    #[test]
    fn it_agrees_with_counting_every_pair() {
        let asked: Vec<Asked> = (0..200_u32)
            .map(|it| {
                let next = f64::from(it * 37 % 61);
                (f64::from(it * 29 % 17), if it % 5 == 0 { NEVER } else { next })
            })
            .collect();
        let (mut wrong, mut pairs) = (0.0, 0.0);
        for (one, other) in asked.iter().flat_map(|one| asked.iter().map(move |other| (one, other))) {
            if one.1 < other.1 {
                pairs += 1.0;
                wrong += match one.0.total_cmp(&other.0) {
                    std::cmp::Ordering::Less => 1.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 0.0,
                };
            }
        }
        check(&asked, (wrong, pairs));
        assert_eq!(loss(&asked), Some(wrong / pairs));
        assert_eq!(loss(&asked[..9]), None, "too few to tell");
    }
}
