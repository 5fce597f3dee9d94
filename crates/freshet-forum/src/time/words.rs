//! The words of written times, read once from a table (`words.tsv`).
//!
//! A word may have several senses (`mar` is a month and two days of the week); the grammar takes the one that fits. New
//! languages are new words in the table, not code. What it does not do: declension. Every form is listed.

use std::sync::LazyLock;

/// What a word can mean in a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    Month(i8),
    Weekday(i8),
    Unit(i64),
    Today,
    Yesterday,
    BeforeYesterday,
    Now,
    Ago,
    AgoFirst,
    One,
    Am,
    Pm,
    Noon,
    Midnight,
    Filler,
    Ordinal,
    YearMark,
    MonthMark,
    DayMark,
    HourMark,
    MinuteMark,
    SecondMark,
    /// Stands before times that are not those of a post: joined, edited, last visit.
    Noise,
}

impl Sense {
    /// Whether such a word can tell a time without any digit beside it.
    pub(super) fn is_telling(self) -> bool {
        use Sense::{BeforeYesterday, Midnight, Noon, Now, Today, Unit, Yesterday};
        matches!(self, Unit(_) | Today | Yesterday | BeforeYesterday | Now | Noon | Midnight)
    }
}

/// The table.
pub(super) struct Words {
    /// By their first two bytes: most words of a page are none of the table's, and this tells so without a hash.
    buckets: Vec<Vec<(&'static [u8], Vec<Sense>)>>,
    /// For each bucket how long its words are, as bits: one look refuses nearly all words of prose, and these looks stay in the cache.
    lengths: Vec<u32>,
    /// The same for words that tell a time without a digit.
    telling_lengths: Vec<u32>,
    /// Longest word of a script without spaces, in characters.
    pub(super) unspaced_chars_max: usize,
}

/// The table, read on first use.
pub(super) static WORDS: LazyLock<Words> = LazyLock::new(|| Words::read(include_str!("words.tsv")));

impl Words {
    fn read(table: &'static str) -> Self {
        let mut words = Self {
            buckets: vec![Vec::new(); BUCKETS],
            lengths: vec![0; BUCKETS],
            telling_lengths: vec![0; BUCKETS],
            unspaced_chars_max: 1,
        };
        let rows = table.lines().filter(|line| !line.starts_with('#'));
        for (head, row) in rows.filter_map(|line| line.split_once('\t')) {
            let Some(sense) = sense(head) else { continue };
            for word in row.split_whitespace() {
                words.add(word.as_bytes(), sense);
                if word.chars().any(is_unspaced) {
                    words.unspaced_chars_max = words.unspaced_chars_max.max(word.chars().count());
                }
            }
        }
        words
    }

    fn add(&mut self, word: &'static [u8], sense: Sense) {
        let at = bucket(word);
        match self.buckets[at].iter_mut().find(|(known, _)| *known == word) {
            Some((_, senses)) => senses.push(sense),
            None => self.buckets[at].push((word, vec![sense])),
        }
        self.lengths[at] |= length(word);
        self.telling_lengths[at] |= if sense.is_telling() { length(word) } else { 0 };
    }

    /// Whether a word of plain letters, in whatever case, may tell a time without a digit; nearly no word of prose may.
    pub(super) fn may_tell(&self, word: &[u8]) -> bool {
        self.telling_lengths[bucket(word)] & length(word) != 0
    }

    /// Everything that a word of plain letters can mean, in whatever case.
    pub(super) fn plain_senses(&self, word: &[u8]) -> &[Sense] {
        let at = bucket(word);
        if self.lengths[at] & length(word) == 0 {
            return &[];
        }
        let found = self.buckets[at].iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
        found.map_or(&[], |(_, senses)| senses.as_slice())
    }

    /// Everything that a word in lower case can mean.
    pub(super) fn senses(&self, word: &str) -> &[Sense] {
        let words = &self.buckets[bucket(word.as_bytes())];
        let found = words.iter().find(|(known, _)| *known == word.as_bytes());
        found.map_or(&[], |(_, senses)| senses.as_slice())
    }
}

/// The length of a word as a bit; all long ones have one.
fn length(word: &[u8]) -> u32 {
    1 << word.len().min(31)
}

/// Pairs of first bytes that are told apart.
const BUCKETS: usize = 1 << 10;

/// By the last five bits of two bytes, which are the same for letters of either case.
fn bucket(word: &[u8]) -> usize {
    let byte = |at: usize| usize::from(word.get(at).copied().unwrap_or(0) & 31);
    byte(0) << 5 | byte(1)
}

/// Scripts that put no spaces between words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

fn sense(head: &str) -> Option<Sense> {
    let (name, number) = head.split_once(' ').unwrap_or((head, ""));
    Some(match name {
        "month" => Sense::Month(number.parse().ok()?),
        "weekday" => Sense::Weekday(number.parse().ok()?),
        "unit" => Sense::Unit(number.parse().ok()?),
        "today" => Sense::Today,
        "yesterday" => Sense::Yesterday,
        "beforeyesterday" => Sense::BeforeYesterday,
        "now" => Sense::Now,
        "ago" => Sense::Ago,
        "agofirst" => Sense::AgoFirst,
        "one" => Sense::One,
        "am" => Sense::Am,
        "pm" => Sense::Pm,
        "noon" => Sense::Noon,
        "midnight" => Sense::Midnight,
        "filler" => Sense::Filler,
        "ordinal" => Sense::Ordinal,
        "year" => Sense::YearMark,
        "monthmark" => Sense::MonthMark,
        "daymark" => Sense::DayMark,
        "hourmark" => Sense::HourMark,
        "minutemark" => Sense::MinuteMark,
        "secondmark" => Sense::SecondMark,
        "noise" => Sense::Noise,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_table_is_understood() {
        let rows = include_str!("words.tsv").lines().filter(|line| !line.starts_with('#'));
        for row in rows {
            let (head, words) = row.split_once('\t').unwrap_or_else(|| panic!("no tab in `{row}`"));
            assert!(sense(head).is_some() && !words.is_empty(), "`{head}`");
        }
        assert!(
            WORDS.senses("mar").contains(&Sense::Month(3))
                && WORDS.senses("mar").contains(&Sense::Weekday(2))
        );
    }
}
