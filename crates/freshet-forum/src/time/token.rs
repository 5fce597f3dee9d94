//! A text cut into numbers, words and signs.
//!
//! Letters of scripts without spaces are cut by the longest word of the table; everything else by what a character is. A
//! text of ten thousand characters is not a time: the caller bounds it ([`TOKENS_MAX`] bounds what is left).

use super::words::{Sense, WORDS, is_unspaced};

/// Tokens looked at in one text.
pub(super) const TOKENS_MAX: usize = 200;

/// What a token is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A number and how many digits it was written with.
    Number(i64, usize),
    /// A word and all it can mean; its text is left out where it is long, plain and means nothing.
    Word(&'static [Sense], String),
    /// Anything else that is no space.
    Sign(char),
}

/// A token with its place in the text, in bytes, and whether a space stands before it.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) token: Token,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_spaced: bool,
}

/// Cuts a text.
pub(super) fn tokens(text: &str) -> Vec<Placed> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut is_spaced = true;
    while let Some(first) = rest.chars().next() {
        if found.len() >= TOKENS_MAX {
            break;
        }
        let start = text.len() - rest.len();
        let length = length(rest, first);
        if first.is_whitespace() && first != '\n' {
            is_spaced = true;
        } else {
            let token = token(&rest[..length], first);
            found.push(Placed { token, start, end: start + length, is_spaced });
            is_spaced = false;
        }
        rest = &rest[length..];
    }
    found
}

fn length(rest: &str, first: char) -> usize {
    let run = |is: &dyn Fn(char) -> bool| rest.find(|c: char| !is(c)).unwrap_or(rest.len());
    if first.is_ascii_digit() {
        run(&|c| c.is_ascii_digit())
    } else if is_unspaced(first) {
        longest_known(rest).unwrap_or(first.len_utf8())
    } else if first.is_alphabetic() {
        run(&|c| c.is_alphabetic() && !is_unspaced(c))
    } else {
        first.len_utf8()
    }
}

fn longest_known(rest: &str) -> Option<usize> {
    let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).take(WORDS.unspaced_chars_max);
    ends.filter(|&end| !WORDS.senses(&rest[..end]).is_empty()).last()
}

fn token(text: &str, first: char) -> Token {
    if first.is_ascii_digit() {
        // A number of more digits than any time has is no time.
        let value = if text.len() <= 14 { text.parse().unwrap_or(i64::MAX) } else { i64::MAX };
        return Token::Number(value, text.len());
    }
    if first.is_alphabetic() {
        return word(text);
    }
    Token::Sign(first)
}

/// Words longer than this are asked for by what they mean only.
const PLAIN_BYTES_MAX: usize = 5;
/// Longest plain word of the table, and more.
const LOWERED_BYTES: usize = 24;

fn word(text: &str) -> Token {
    if !text.is_ascii() {
        let word = text.to_lowercase();
        return Token::Word(WORDS.senses(&word), word);
    }
    // Most tokens of a page are such words: no memory is taken for them.
    let senses = plain_senses(text.as_bytes());
    let is_kept = text.len() <= PLAIN_BYTES_MAX || !senses.is_empty();
    Token::Word(senses, if is_kept { text.to_ascii_lowercase() } else { String::new() })
}

/// Everything that a word of plain letters can mean, in whatever case.
pub(super) fn plain_senses(word: &[u8]) -> &'static [Sense] {
    let mut room = [0; LOWERED_BYTES];
    let Some(lowered) = room.get_mut(..word.len()) else { return &[] };
    lowered.copy_from_slice(word);
    lowered.make_ascii_lowercase();
    str::from_utf8(lowered).map_or(&[], |lowered| WORDS.senses(lowered))
}
