//! Words of a text, and what people ask of them: the same words whatever the server's locale and extensions are.
//!
//! A word is a run of letters and digits, in small letters and without accents, as the index of the SQLite backend has them. A query is
//! what FTS5 understands: words, `"phrases"`, `beg*`, `AND`, `OR`, `NOT`, `NEAR(a b, 5)`, brackets; it becomes a `tsquery`. Nothing typed by a
//! person reaches the server but inside quoted words of letters and digits.

mod query;
mod snippet;

use std::fmt::Write as _;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

pub(super) use self::query::Asked;
pub(super) use self::snippet::snippet;

/// Bytes of a word that count; the server takes no more than 2,046.
const WORD_BYTES_MAX: usize = 240;
/// Bytes of words that are indexed of one text; the server holds no more than a megabyte of one.
const TEXT_BYTES_MAX: usize = 400_000;

/// A word and where it stands.
#[derive(Debug)]
struct Word {
    from: usize,
    to: usize,
    folded: String,
}

/// The words of a text, in order.
fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let (from, _) = chars.find(|(_, it)| it.is_alphanumeric())?;
        let mut to = text.len();
        while let Some((at, it)) = chars.peek() {
            if !it.is_alphanumeric() && !is_combining_mark(*it) {
                to = *at;
                break;
            }
            chars.next();
        }
        Some(Word { from, to, folded: folded(&text[from..to]) })
    })
}

fn folded(word: &str) -> String {
    let mut folded: String =
        word.nfd().filter(|it| !is_combining_mark(*it)).flat_map(char::to_lowercase).nfc().collect();
    if folded.len() > WORD_BYTES_MAX {
        let end = (0..=WORD_BYTES_MAX).rev().find(|at| folded.is_char_boundary(*at)).unwrap_or(0);
        folded.truncate(end);
    }
    folded
}

/// A text as the index takes it: its words with their places, in the form of a `tsvector`.
pub(super) fn vector(text: &str) -> String {
    let mut vector = String::with_capacity(text.len() + text.len() / 2);
    let mut bytes = 0;
    for (place, word) in words(text).enumerate() {
        bytes += word.folded.len();
        if bytes > TEXT_BYTES_MAX {
            break;
        }
        let _ = write!(vector, "'{}':{} ", word.folded, place + 1);
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_small_letters_and_digits_without_accents() {
        for (text, expected) in [
            ("The river, 2 rises!", "'the':1 'river':2 '2':3 'rises':4 "),
            ("Brücke don't", "'brucke':1 'don':2 't':3 "),
            ("Bru\u{308}cke", "'brucke':1 "),
            ("日本語 東京", "'日本語':1 '東京':2 "),
            ("한국어", "'한국어':1 "),
            ("' :* & | ! \\", ""),
            ("", ""),
        ] {
            assert_eq!(vector(text), expected, "{text}");
        }
        let long = "ä".repeat(1_000);
        assert!(vector(&long).len() < WORD_BYTES_MAX + 10);
        assert!(vector(&"word ".repeat(300_000)).len() < 4 * TEXT_BYTES_MAX);
    }
}
