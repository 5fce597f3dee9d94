//! A content sketch: a page in a few hundred bytes, enough to say how similar it is to itself at another time.
//!
//! | paper | here |
//! |---|---|
//! | shingles of a page, k neighbouring words each | [`shingles`], k = [`SHINGLE_WORDS`] |
//! | min-hash: the smallest hashes of all shingles | [`Sketch`], the [`MINIMA_MAX`] smallest under one hash function |
//! | resemblance of two pages | [`Sketch::similarity`], the share of equal ones among the smallest of both |
//!
//! The m smallest hashes of two pages together are a random sample of all their shingles, so the share of those that both pages have
//! estimates their Jaccard similarity J without bias, with a standard error of √(J(1 − J)/m): at most 0.045, and 0.015 at J = 0.97
//! [Broder 1997]. Pages of fewer than m shingles are compared exactly. Two shingles of one page share 32 bits of hash once in
//! some hundred pages; that is far below the error. Cost: O(n log n) for n words, of [`TEXT_BYTES_MAX`] bytes at most.

use super::shingles;
use crate::pack::{Reader, Writer};

/// Words of one shingle: few enough that one word changed hurts a few shingles only, and enough that order counts.
const SHINGLE_WORDS: usize = 4;
/// Minima kept of a page: 512 bytes, and an error that stays well below what an edit changes.
const MINIMA_MAX: usize = 128;
/// Bytes of a page that are looked at: more than the text of nearly all pages, and a few milliseconds of work.
const TEXT_BYTES_MAX: usize = 512 << 10;

/// The smallest hashes of a page's shingles, ascending, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sketch {
    minima: Vec<u32>,
}

impl Sketch {
    /// The sketch of a text; markup is to be taken out before.
    pub(crate) fn of(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
        // Ascending by all 64 bits, hence by the upper half.
        let mut minima: Vec<u32> =
            shingles(text, SHINGLE_WORDS).into_iter().map(|hash| (hash >> 32) as u32).collect();
        minima.dedup();
        minima.truncate(MINIMA_MAX);
        Self { minima }
    }

    /// How similar two pages are, from 0 to 1; two without words are the same.
    pub(crate) fn similarity(&self, other: &Self) -> f64 {
        let is_whole = self.minima.len() < MINIMA_MAX && other.minima.len() < MINIMA_MAX;
        let sample = if is_whole { usize::MAX } else { MINIMA_MAX };
        let (mut own, mut theirs) = (self.minima.iter().peekable(), other.minima.iter().peekable());
        let (mut either, mut both) = (0_usize, 0_usize);
        while either < sample {
            let least = match (own.peek(), theirs.peek()) {
                (Some(one), Some(two)) => **one.min(two),
                (Some(one), None) | (None, Some(one)) => **one,
                (None, None) => break,
            };
            let is_own = own.next_if(|hash| **hash == least).is_some();
            let is_theirs = theirs.next_if(|hash| **hash == least).is_some();
            either += 1;
            both += usize::from(is_own && is_theirs);
        }
        if either == 0 { 1.0 } else { both as f64 / either as f64 }
    }

    pub(crate) fn write(&self, writer: Writer) -> Writer {
        let writer = writer.byte(self.minima.len() as u8);
        self.minima.iter().fold(writer, |writer, hash| writer.bytes(&hash.to_le_bytes()))
    }

    /// `None` where these are no bytes of a sketch.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let count = usize::from(reader.byte()?);
        let mut minima = Vec::with_capacity(count.min(MINIMA_MAX));
        for _ in 0..count {
            minima.push(u32::from_le_bytes(reader.bytes(4)?.try_into().ok()?));
        }
        let is_sound = minima.len() <= MINIMA_MAX && minima.is_sorted_by(|one, next| one < next);
        is_sound.then_some(Self { minima })
    }
}

#[cfg(test)]
mod tests {
    use super::super::jaccard;
    use super::*;

    /// A text of so many words, of which every `nth` is another than in the text of another seed.
    fn text(count: usize, nth: usize, seed: usize) -> String {
        let word = |at: usize| if nth > 0 && at % nth == nth - 1 { at * 1009 + seed } else { at };
        (0..count).map(|at| format!("w{}", word(at))).collect::<Vec<_>>().join(" ")
    }

    fn check(one: &str, other: &str, error_max: f64) {
        let exact = jaccard(&shingles(one, SHINGLE_WORDS), &shingles(other, SHINGLE_WORDS));
        let found = Sketch::of(one).similarity(&Sketch::of(other));
        assert!((found - exact).abs() <= error_max, "{found} instead of {exact}");
        assert!((found - Sketch::of(other).similarity(&Sketch::of(one))).abs() < 1e-12);
    }

    #[test]
    fn short_pages_are_compared_exactly() {
        check("", "", 0.0);
        check("", "one word", 0.0);
        check("a rose is a rose", "a rose is a rose", 0.0);
        check(&text(100, 7, 1), &text(100, 7, 2), 0.0);
        check(&text(120, 0, 1), &text(60, 0, 1), 0.0);
        check(&text(127, 50, 1), &text(127, 50, 2), 0.0);
    }

    #[test]
    fn long_pages_are_compared_within_the_error() {
        for (count, nth) in [(1000, 5), (1000, 40), (1000, 300), (20_000, 9), (20_000, 100), (20_000, 5000)] {
            for seed in 1..6 {
                let (one, other) = (text(count, nth, seed), text(count, nth, seed + 10));
                // Three standard errors at their largest.
                check(&one, &other, 3.0 * 0.045);
            }
        }
        check(&text(5000, 0, 1), &text(5000, 0, 2), 0.0);
        check(&text(100, 0, 1), &text(10_000, 0, 1), 0.05);
    }

    #[test]
    fn bytes_come_back_and_others_are_refused() {
        for sketch in [Sketch::default(), Sketch::of("few words only here"), Sketch::of(&text(9000, 3, 1))] {
            let bytes = sketch.write(Writer::default()).0;
            assert_eq!(Sketch::read(&mut Reader(&bytes)), Some(sketch.clone()));
            assert_eq!(Sketch::read(&mut Reader(&bytes[..bytes.len() - 1])), None);
        }
        assert_eq!(Sketch::read(&mut Reader(&[2, 9, 0, 0, 0, 1, 0, 0, 0])), None, "not ascending");
    }
}
