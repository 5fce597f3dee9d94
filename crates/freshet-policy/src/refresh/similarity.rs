//! How similar a page is to itself at other instants: measured by shingles, or chained from neighbours.
//!
//! | paper | here |
//! |---|---|
//! | similarity of two versions of a page | [`jaccard`] of their [`shingles`] [Broder 1997], or any function |
//! | PTS, similarities of neighbouring instants | [`Similarities::series`] |
//! | M | [`Similarities`] |
//!
//! Whoever stored only the series gets the rest by a [`Chain`]. Invariant: every similarity lies between 0 and 1,
//! and each instant is fully similar to itself. Memory: n(n + 1)/2 numbers, n at most [`INSTANTS_MAX`].

use std::hash::Hasher as _;

use freshet_types::map::Hasher;

/// Instants of one series: three weeks of quarter hours, 17 MB.
pub(crate) const INSTANTS_MAX: usize = 2048;

/// A series that is longer than [`INSTANTS_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyInstants {
    /// How many were given.
    pub count: usize,
}

impl std::fmt::Display for TooManyInstants {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let count = self.count;
        write!(f, "a series of {count} instants is too long; at most {INSTANTS_MAX}: use a coarser grid")
    }
}

impl std::error::Error for TooManyInstants {}

/// How the similarity of distant instants follows from that of neighbours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chain {
    /// The product: each step loses its share of what was left.
    #[default]
    Product,
    /// The least: all changes hit the same part of the page.
    Least,
}

/// The similarity of every two instants.
#[derive(Clone, Debug, PartialEq)]
pub struct Similarities {
    count: usize,
    /// The upper triangle by rows: (0,0), (0,1), …, (1,1), …
    upper: Vec<f64>,
}

impl Similarities {
    /// Asks for each pair `i < j`; what is no number counts as 0.
    pub fn new(count: usize, mut of: impl FnMut(usize, usize) -> f64) -> Result<Self, TooManyInstants> {
        if count > INSTANTS_MAX {
            return Err(TooManyInstants { count });
        }
        let mut upper = Vec::with_capacity(count * (count + 1) / 2);
        for i in 0..count {
            upper.push(1.0);
            upper.extend((i + 1..count).map(|j| similarity(of(i, j))));
        }
        Ok(Self { count, upper })
    }

    /// From a similarity series: n − 1 neighbours make n instants; an empty series is one instant.
    pub fn chained(series: &[f64], chain: Chain) -> Result<Self, TooManyInstants> {
        let mut reached = 1.0;
        Self::new(series.len() + 1, |i, j| {
            let step = similarity(series[j - 1]);
            let before = if j == i + 1 { 1.0 } else { reached };
            reached = match chain {
                Chain::Product => before * step,
                Chain::Least => step.min(before),
            };
            reached
        })
    }

    /// The mean of several periods: the objective of [`super::Reading::Accurate`] is linear in the similarities, so the
    /// plan for the mean is the plan that was best on average. Instants beyond the shortest are left out.
    pub fn mean(several: &[Self]) -> Self {
        let count = several.iter().map(|one| one.count).min().unwrap_or(0);
        let of = |i, j| several.iter().map(|one| one.of(i, j)).sum::<f64>() / several.len() as f64;
        Self::new(count, of).unwrap_or(Self { count: 0, upper: Vec::new() })
    }

    /// Drawn towards a page without a rhythm: the mean of all pairs that are equally far apart.
    ///
    /// One period is one sample. An exact plan for it fits its accidents, and on the next period loses to
    /// even spacing; `share` of 0 trusts the sample, of 1 only the distance of instants. O(n²).
    pub fn settled(&self, share: f64) -> Self {
        let share = similarity(share);
        let mut of_distance = vec![0.0; self.count];
        for i in 0..self.count {
            for (sum, value) in of_distance.iter_mut().zip(self.row(i)) {
                *sum += value;
            }
        }
        for (distance, sum) in of_distance.iter_mut().enumerate() {
            *sum /= (self.count - distance) as f64;
        }
        let rows = (0..self.count).flat_map(|i| self.row(i).iter().zip(&of_distance));
        let upper = rows.map(|(own, mean)| (1.0 - share) * own + share * mean).collect();
        Self { count: self.count, upper }
    }

    /// n.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The similarity of two instants, in either order; 0 outside the series.
    pub fn of(&self, i: usize, j: usize) -> f64 {
        let (i, j) = (i.min(j), i.max(j));
        if j < self.count { self.row(i)[j - i] } else { 0.0 }
    }

    /// Instant `i` against itself and all later ones.
    pub(super) fn row(&self, i: usize) -> &[f64] {
        let start = i * (2 * self.count + 1 - i) / 2;
        &self.upper[start..start + self.count - i]
    }

    /// PTS: each instant against the next.
    pub fn series(&self) -> Vec<f64> {
        (1..self.count).map(|next| self.of(next - 1, next)).collect()
    }
}

fn similarity(given: f64) -> f64 {
    if given > 0.0 { given.min(1.0) } else { 0.0 }
}

/// The shingles of a text: hashes of every `width` neighbouring words, ascending, each once.
///
/// A text of fewer words is one shingle; a text without words has none.
pub fn shingles(text: &str, width: usize) -> Vec<u64> {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() {
        return Vec::new();
    }
    let width = width.clamp(1, words.len());
    let mut shingles: Vec<u64> = words.windows(width).map(hashed).collect();
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

fn hashed(words: &[&str]) -> u64 {
    let mut hasher = Hasher::default();
    for word in words {
        hasher.write(word.as_bytes());
        // A byte that no word holds, so that "a bc" differs from "ab c".
        hasher.write_u8(b' ');
    }
    hasher.finish()
}

/// |A ∩ B| / |A ∪ B| of two ascending sets; two empty ones are the same.
pub fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    let (mut at_a, mut at_b, mut both) = (0, 0, 0_usize);
    while at_a < a.len() && at_b < b.len() {
        let order = a[at_a].cmp(&b[at_b]);
        both += usize::from(order.is_eq());
        at_a += usize::from(order.is_le());
        at_b += usize::from(order.is_ge());
    }
    let either = a.len() + b.len() - both;
    if either == 0 { 1.0 } else { both as f64 / either as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(a: &str, b: &str, width: usize, expected: f64) {
        let found = jaccard(&shingles(a, width), &shingles(b, width));
        assert!((found - expected).abs() < 1e-12, "`{a}` and `{b}` by {width}: {found}");
    }

    #[test]
    fn texts_are_similar() {
        check("a rose is a rose is a rose", "a rose is a rose is a rose", 4, 1.0);
        // Three shingles against two of them.
        check("a rose is a rose is a rose", "a rose is a rose", 4, 2.0 / 3.0);
        check("one two three", "one two four", 1, 0.5);
        check("ab c", "a bc", 2, 0.0);
        check("short", "short", 9, 1.0);
        check("", "  ", 2, 1.0);
        check("", "word", 0, 0.0);
    }

    fn check_chain(series: &[f64], chain: Chain, pair: (usize, usize), expected: f64) {
        let found = Similarities::chained(series, chain).unwrap().of(pair.0, pair.1);
        assert!((found - expected).abs() < 1e-12, "{series:?} {chain:?} {pair:?}: {found}");
    }

    #[test]
    fn neighbours_are_chained() {
        check_chain(&[0.5, 0.8, 0.5], Chain::Product, (0, 3), 0.2);
        check_chain(&[0.5, 0.8, 0.5], Chain::Product, (3, 1), 0.4);
        check_chain(&[0.5, 0.8, 0.5], Chain::Least, (0, 2), 0.5);
        check_chain(&[0.5, 0.8, 0.5], Chain::Least, (1, 2), 0.8);
        check_chain(&[0.5], Chain::Product, (1, 1), 1.0);
        check_chain(&[], Chain::Product, (0, 0), 1.0);
        check_chain(&[f64::NAN, 7.0], Chain::Product, (0, 2), 0.0);
        check_chain(&[7.0], Chain::Product, (0, 1), 1.0);
        check_chain(&[0.5], Chain::Product, (0, 9), 0.0);
    }

    #[test]
    fn the_series_comes_back_and_long_ones_are_refused() {
        let series = [0.5, 0.25, 1.0];
        assert_eq!(Similarities::chained(&series, Chain::Product).unwrap().series(), series);
        let error = Similarities::chained(&vec![1.0; INSTANTS_MAX], Chain::Product).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a series of 2049 instants is too long; at most 2048: use a coarser grid"
        );
    }

    #[test]
    fn the_mean_is_that_of_each_pair() {
        let of = |series: &[f64]| Similarities::chained(series, Chain::Product).unwrap();
        let mean = Similarities::mean(&[of(&[0.5, 0.5]), of(&[1.0, 0.5, 0.1])]);
        assert_eq!(mean, of(&[0.75, 0.5]).clone_with(0, 2, 0.375));
        assert_eq!(Similarities::mean(&[]).count(), 0);
    }

    #[test]
    fn settling_keeps_the_distances() {
        let plain = Similarities::chained(&[0.0, 1.0, 0.5], Chain::Product).unwrap();
        assert_eq!(plain.settled(0.0), plain);
        assert_eq!(plain.settled(f64::NAN), plain);
        assert_eq!(plain.settled(1.0).series(), [0.5, 0.5, 0.5]);
        assert_eq!(plain.settled(0.5).series(), [0.25, 0.75, 0.5]);
        let third = 1.0 / 3.0;
        assert!(
            plain
                .settled(third)
                .series()
                .iter()
                .zip([1.0 / 6.0, 5.0 / 6.0, 0.5])
                .all(|(a, b)| (a - b).abs() < 1e-12)
        );
        assert_eq!(Similarities::mean(&[]).settled(0.5).count(), 0);
    }

    impl Similarities {
        fn clone_with(&self, i: usize, j: usize, value: f64) -> Self {
            Self::new(self.count, |a, b| if (a, b) == (i, j) { value } else { self.of(a, b) }).unwrap()
        }
    }
}
