//! A text cut into numbers, words and signs.
//!
//! Letters of scripts without spaces are cut by the longest word of the table; everything else by what a character is. A
//! text of ten thousand characters is not a time: the caller bounds it ([`TOKENS_MAX`] bounds what is left). Every page is
//! full of texts that may hold a time, so a token takes no memory of its own: of a word it keeps what it means, and its
//! letters only where they are few and plain.

use super::words::{Sense, WORDS, is_unspaced};

/// Tokens looked at in one text.
pub(super) const TOKENS_MAX: usize = 200;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A number and how many digits it was written with.
    Number(i64, usize),
    /// A word and all it can mean.
    Word(&'static [Sense], Letters),
    /// Anything else that is no space.
    Sign(char),
}

/// Words longer than this are asked for by what they mean only.
const PLAIN_BYTES_MAX: usize = 5;

/// The letters of a short plain word in lower case; of other words none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Letters {
    bytes: [u8; PLAIN_BYTES_MAX],
    length: u8,
    is_foreign: bool,
}

impl Letters {
    fn of(lowered: &[u8]) -> Self {
        let mut letters = Self { is_foreign: !lowered.is_ascii(), ..Self::default() };
        if !letters.is_foreign
            && let Some(room) = letters.bytes.get_mut(..lowered.len())
        {
            room.copy_from_slice(lowered);
            room.make_ascii_lowercase();
            letters.length = lowered.len() as u8;
        }
        letters
    }

    /// Whether the word has letters beyond the plain ones.
    pub(super) fn is_foreign(self) -> bool {
        self.is_foreign
    }

    /// The word; empty where it is long or foreign.
    pub(super) fn text(&self) -> &str {
        str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

/// A token with its position in the text, in bytes, and whether a space stands before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpannedToken {
    pub(super) token: Token,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) is_spaced: bool,
}

/// Cuts a text; what `found` held before is gone.
pub(super) fn cut(text: &str, found: &mut Vec<SpannedToken>) {
    found.clear();
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
            found.push(SpannedToken { token, start, end: start + length, is_spaced });
            is_spaced = false;
        }
        rest = &rest[length..];
    }
}

fn length(rest: &str, first: char) -> usize {
    let bytes = rest.as_bytes();
    if first.is_ascii_digit() {
        return bytes.iter().position(|it| !it.is_ascii_digit()).unwrap_or(bytes.len());
    }
    if first.is_ascii_alphabetic() {
        let end = bytes.iter().position(|it| !it.is_ascii_alphabetic()).unwrap_or(bytes.len());
        // A plain word ends before anything that is plain; a foreign letter may go on with it.
        if bytes.get(end).is_none_or(u8::is_ascii) {
            return end;
        }
    }
    if is_unspaced(first) {
        longest_known(rest).unwrap_or(first.len_utf8())
    } else if first.is_alphabetic() {
        rest.find(|c: char| !c.is_alphabetic() || is_unspaced(c)).unwrap_or(rest.len())
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

fn word(text: &str) -> Token {
    if text.is_ascii() {
        return Token::Word(WORDS.plain_senses(text.as_bytes()), Letters::of(text.as_bytes()));
    }
    let word = text.to_lowercase();
    Token::Word(WORDS.senses(&word), Letters::of(word.as_bytes()))
}
