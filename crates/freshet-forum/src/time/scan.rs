//! Finds written times in a short text.
//!
//! The first of the three steps of seed 004, section 3.3: *candidates are short contents with a digit string or a word such
//! as Monday or January*. The grammar is small on purpose and knows no language: a date (in one of the forms of
//! [`Date`]), then a time of day, or the other way round, with at most a few signs or filler words between them; or an
//! amount of time with a word that says it is past. What it does not do: decide which number is the day ([`super::order`]),
//! or whether a time is that of a post.

use std::ops::Range;

use super::token::{SpannedToken, Token, cut};
use super::words::{Sense, WORDS};
use super::{Date, DayTime, Written};

mod clock;
mod date;

/// Signs and filler words between a date and its time of day.
const BETWEEN_MAX: usize = 4;
/// A bare amount of time (`5m`) is a time only where it is the whole text.
const BARE_CHARS_MAX: usize = 14;

/// All times written in a text, with their places in bytes.
pub fn scan(text: &str) -> Vec<(Range<usize>, Written)> {
    let mut scanner = Scanner::default();
    scanner.scan(text);
    scanner.found
}

/// Finds times in one text after another; what it needs of memory it keeps.
#[derive(Debug, Default)]
pub(crate) struct Scanner {
    tokens: Vec<SpannedToken>,
    found: Vec<(Range<usize>, Written)>,
}

impl Scanner {
    /// All times written in a text, with their places in bytes.
    pub(crate) fn scan(&mut self, text: &str) -> &[(Range<usize>, Written)] {
        self.found.clear();
        if !can_tell(text) {
            return &self.found;
        }
        cut(text, &mut self.tokens);
        let is_short = text.trim().chars().nth(BARE_CHARS_MAX).is_none();
        let grammar = Grammar { tokens: &self.tokens, is_short };
        let mut at = 0;
        while at < self.tokens.len() {
            match grammar.time(at) {
                Some((written, end)) if end > at => {
                    self.found.push((self.tokens[at].start..self.tokens[end - 1].end, written));
                    at = end;
                }
                _ => at += 1,
            }
        }
        &self.found
    }

    /// The offset that a page states for all its times: `All times are GMT +2`, `UTC-05:00`.
    pub(crate) fn stated_offset_s(&mut self, text: &str) -> Option<i32> {
        let is_zone = |three: &[u8]| {
            let lowered = [three[0] | 32, three[1] | 32, three[2] | 32];
            lowered == *b"gmt" || lowered == *b"utc"
        };
        if !has_digit(text) || !text.as_bytes().windows(3).any(is_zone) {
            return None;
        }
        cut(text, &mut self.tokens);
        let grammar = Grammar { tokens: &self.tokens, is_short: false };
        (0..self.tokens.len()).find_map(|at| {
            grammar.word(at).filter(|word| matches!(*word, "gmt" | "utc"))?;
            grammar.signed_offset(at + 1).map(|(offset_s, _)| offset_s)
        })
    }

    /// Whether the words before a time say that it is not that of a post (joined, edited, last visit).
    pub(crate) fn is_noise(&mut self, label: &str) -> bool {
        cut(label, &mut self.tokens);
        let is_noise =
            |token: &Token| matches!(token, Token::Word(senses, _) if senses.contains(&Sense::Noise));
        self.tokens.iter().any(|spanned| is_noise(&spanned.token))
    }
}

/// Whether there can be a time in a text at all: most texts of a page have no digit and none of the few words that tell a
/// time without one, and are not worth cutting up.
fn can_tell(text: &str) -> bool {
    let words = &*WORDS;
    let is_telling =
        |word: &[u8]| words.may_tell(word) && words.plain_senses(word).iter().copied().any(Sense::is_telling);
    has_digit(text)
        || !text.is_ascii()
        || text.as_bytes().split(|byte| !byte.is_ascii_alphabetic()).any(is_telling)
}

/// Looks at all bytes without stopping, which processors do many at a time.
fn has_digit(text: &str) -> bool {
    text.bytes().fold(false, |has, byte| has | byte.is_ascii_digit())
}

/// The tokens of one text, and what can be read from a place in them. Each reading gives a value and the place after it.
struct Grammar<'a> {
    tokens: &'a [SpannedToken],
    is_short: bool,
}

impl Grammar<'_> {
    fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at).map(|spanned| &spanned.token)
    }

    fn number(&self, at: usize) -> Option<(i64, usize)> {
        match self.token(at)? {
            Token::Number(value, digits) => Some((*value, *digits)),
            _ => None,
        }
    }

    fn word(&self, at: usize) -> Option<&str> {
        match self.token(at)? {
            Token::Word(_, letters) => Some(letters.text()),
            _ => None,
        }
    }

    fn is_foreign(&self, at: usize) -> bool {
        matches!(self.token(at), Some(Token::Word(_, letters)) if letters.is_foreign())
    }

    fn is_sign(&self, at: usize, sign: char) -> bool {
        self.token(at) == Some(&Token::Sign(sign))
    }

    fn is_spaced(&self, at: usize) -> bool {
        self.tokens.get(at).is_none_or(|spanned| spanned.is_spaced)
    }

    fn sense<T>(&self, at: usize, wanted: impl Fn(Sense) -> Option<T>) -> Option<T> {
        match self.token(at)? {
            Token::Word(senses, _) => senses.iter().copied().find_map(wanted),
            _ => None,
        }
    }

    fn means(&self, at: usize, sense: Sense) -> bool {
        self.sense(at, |it| (it == sense).then_some(())).is_some()
    }

    /// The places where a time of day, or a date, may start after `at`.
    fn between(&self, at: usize) -> impl Iterator<Item = usize> {
        let is_between = |at: usize| match self.token(at) {
            Some(Token::Sign(sign)) => ",.-–—|@·•»«()[]\n:;'’~".contains(*sign),
            Some(Token::Word(..)) => self.means(at, Sense::Filler) || self.means(at, Sense::Weekday(0)),
            _ => false,
        };
        let skipped = (at..at + BETWEEN_MAX).take_while(move |&at| is_between(at)).count();
        at..=at + skipped
    }

    fn time(&self, at: usize) -> Option<(Written, usize)> {
        // Only `now` may begin with a word of no meaning, and it begins where the text does.
        let may_begin = match self.token(at)? {
            Token::Number(..) => true,
            Token::Word(senses, _) => !senses.is_empty(),
            Token::Sign(_) => false,
        };
        if !may_begin {
            return self.now(at);
        }
        self.dated(at).or_else(|| self.clock_first(at)).or_else(|| self.ago(at)).or_else(|| self.now(at))
    }

    /// A date, then perhaps a time of day.
    fn dated(&self, at: usize) -> Option<(Written, usize)> {
        let (date, weekday, end) = self.date(at)?;
        let clock = self.between(end).find_map(|start| self.clock(start).map(|(it, end)| (Some(it), end)));
        let has_clock = clock.is_some();
        let (day_time, end) = clock.unwrap_or((None, end));
        let is_whole = at == 0 && end == self.tokens.len();
        let is_enough = match date {
            Date::DaysBack(_) | Date::NumbersNoYear(..) => {
                has_clock || (is_whole && matches!(date, Date::DaysBack(_)))
            }
            Date::Weekday(_) => has_clock,
            Date::Numbers(_, _, year) => has_clock || year >= 1_000 || is_whole,
            _ => true,
        };
        if !is_enough {
            return None;
        }
        let date = match date {
            Date::Numbers(a, b, year) => Date::Numbers(a, b, date::full_year(year)),
            date => date,
        };
        let (offset_s, end) = if has_clock { self.zone(end) } else { (None, end) };
        Some((Written { date, day_time, offset_s, weekday }, end))
    }

    /// A time of day, then a date; alone only where it is the whole text, and then it is today's.
    fn clock_first(&self, at: usize) -> Option<(Written, usize)> {
        let (day_time, end) = self.clock(at)?;
        let (offset_s, end) = self.zone(end);
        let day_time = Some(day_time);
        let dated = self.between(end).find_map(|start| self.date(start));
        if let Some((date, weekday, end)) = dated
            && !matches!(date, Date::NumbersNoYear(..) | Date::NoDay(..))
        {
            let date = match date {
                Date::Numbers(a, b, year) => Date::Numbers(a, b, date::full_year(year)),
                date => date,
            };
            return Some((Written { date, day_time, offset_s, weekday }, end));
        }
        let is_whole = at == 0 && end == self.tokens.len() && self.is_short;
        is_whole.then_some((Written { date: Date::DaysBack(0), day_time, offset_s, weekday: None }, end))
    }

    /// An amount of time with a word that says it is past.
    fn ago(&self, at: usize) -> Option<(Written, usize)> {
        let firsts = (at..at + 3).take_while(|&at| self.means(at, Sense::AgoFirst)).count();
        let has_first = firsts > 0 && !matches!(self.word(at), Some("a" | "y"));
        let mut end = if has_first { at + firsts } else { at };
        let (mut seconds, mut smallest) = (0_i64, i64::MAX);
        while let Some((amount, unit, after)) = self.amount(end) {
            seconds = seconds.saturating_add(amount.saturating_mul(unit));
            smallest = smallest.min(unit);
            end = after;
            if self.is_sign(end, ',') || (self.means(end, Sense::Filler) && self.amount(end + 1).is_some()) {
                end += 1;
            }
        }
        if smallest == i64::MAX {
            return None;
        }
        let has_last = self.means(end, Sense::Ago);
        let end = if has_last { end + 1 } else { end };
        let is_bare = at == 0 && end == self.tokens.len() && self.is_short;
        (has_first || has_last || is_bare).then_some((ago(seconds, smallest), end))
    }

    /// `3 days`, `an hour`.
    fn amount(&self, at: usize) -> Option<(i64, i64, usize)> {
        let amount = match self.number(at) {
            Some((amount, digits)) if digits <= 4 => amount,
            Some(_) => return None,
            None if self.means(at, Sense::One) => 1,
            None => return None,
        };
        let dots = usize::from(self.is_sign(at + 1, '.'));
        let unit =
            self.sense(at + 1 + dots, |it| if let Sense::Unit(unit) = it { Some(unit) } else { None })?;
        let end = at + 2 + dots;
        Some((amount, unit, end + usize::from(self.is_sign(end, '.'))))
    }

    /// `just now`, where that is all.
    fn now(&self, at: usize) -> Option<(Written, usize)> {
        let is_whole = at == 0 && self.tokens.len() <= 4 && self.is_short;
        let says_now = || (0..self.tokens.len()).any(|at| self.means(at, Sense::Now));
        (is_whole && says_now()).then_some((ago(0, 60), self.tokens.len()))
    }
}

fn ago(seconds: i64, unit: i64) -> Written {
    Written { date: Date::Ago(seconds, unit), day_time: None, offset_s: None, weekday: None }
}

#[cfg(test)]
mod tests;
