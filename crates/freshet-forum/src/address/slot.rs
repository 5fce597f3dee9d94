//! Where an address carries its page number.
//!
//! Written as short texts in a definition: `?page` (a parameter), `?topic.` (the tail of a parameter, `topic=12.15`), `2/page-`
//! (after two segments of the path comes `page-N`), `2/page/` (comes `page/N`), `-p` (at the end of the last segment's stem, `topic-12-p3.html`;
//! a single sign only after a number, `topic-12,15.html`), `#-` (there too, where the stem begins with a number, `12-title-3.html`).
//! `?order=desc` is no place of a number: it comes and goes with it, and says nothing else.

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use super::parts::extended;
use super::{is_number, pairs, segments};

/// A place for a page number.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Slot {
    /// A parameter of the query.
    Query(String),
    /// What follows the full stop in a parameter of the query.
    Tail(String),
    /// A segment of the path, after so many others, with this before the number.
    Path(usize, String),
    /// The end of the last segment, after this separator.
    Stem(String),
    /// A parameter with this value, which stands beside the number on all pages but the first.
    Beside(String, String),
}

/// Stands before the separator of a stem that begins with a number.
const NUMBER_FIRST: char = '#';

impl Slot {
    /// Reads the short text.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(name) = text.strip_prefix('?') {
            if let Some((name, value)) = name.split_once('=') {
                return Some(Self::Beside(name.to_owned(), value.to_owned()));
            }
            let tail = name.strip_suffix('.').map(|name| Self::Tail(name.to_owned()));
            return Some(tail.unwrap_or_else(|| Self::Query(name.to_owned())));
        }
        if let Some((depth, prefix)) = text.split_once('/')
            && let Ok(depth) = depth.parse()
        {
            return Some(Self::Path(depth, prefix.to_owned()));
        }
        (!text.is_empty()).then(|| Self::Stem(text.to_owned()))
    }

    /// The number that an address carries there.
    pub(crate) fn number_in(&self, url: &Url) -> Option<i64> {
        let value = match self {
            Self::Query(name) => pairs(url).into_iter().find(|(it, _)| it == name)?.1.to_owned(),
            Self::Tail(name) => {
                let (_, value) = pairs(url).into_iter().find(|(it, _)| it == name)?;
                value.split_once('.')?.1.to_owned()
            }
            Self::Path(depth, prefix) => {
                let rest = segments(url).get(*depth..)?.join("/");
                without_ending(rest.strip_prefix(prefix)?).to_owned()
            }
            Self::Stem(separator) => {
                let last = *segments(url).last()?;
                without_ending(last).rsplit_once(separator.trim_start_matches(NUMBER_FIRST))?.1.to_owned()
            }
            Self::Beside(..) => return None,
        };
        is_number(&value).then(|| value.parse().ok())?
    }

    /// The address with this number put there, where it carries none.
    pub(crate) fn with_number(&self, url: &Url, number: i64) -> Option<Url> {
        let mut url = url.clone();
        match self {
            Self::Query(name) => {
                url.query_pairs_mut().append_pair(name, &number.to_string());
            }
            Self::Path(depth, prefix) if segments(&url).len() == *depth => {
                url = extended(&url, &format!("{prefix}{number}"));
            }
            _ => return None,
        }
        Some(url)
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Query(name) => write!(f, "?{name}"),
            Self::Tail(name) => write!(f, "?{name}."),
            Self::Path(depth, prefix) => write!(f, "{depth}/{prefix}"),
            Self::Stem(separator) => f.write_str(separator),
            Self::Beside(name, value) => write!(f, "?{name}={value}"),
        }
    }
}

impl From<Slot> for String {
    fn from(slot: Slot) -> Self {
        slot.to_string()
    }
}

impl TryFrom<String> for Slot {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
            .ok_or_else(|| format!("`{text}` is no place of a page number; write `?page` or `2/page-`"))
    }
}

/// A segment without the ending of a file: `15.html` is 15.
pub(super) fn without_ending(segment: &str) -> &str {
    let ending = segment.rsplit_once('.').filter(|(_, it)| is_ending(it));
    ending.map_or(segment, |(name, _)| name)
}

/// Endings of files are short and begin with a letter; what follows the full stop in `topic,12.15` is none.
fn is_ending(text: &str) -> bool {
    (2..=5).contains(&text.len()) && text.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// How a stem slot with this separator is called, if it can carry a page number after this head: a single sign stands after a
/// number, or where a number begins the stem; a title that ends with a number does neither.
pub(super) fn stem_name(head: &str, separator: &str) -> Option<String> {
    let is_digit = |c: char| c.is_ascii_digit();
    if separator.len() > 1 || head.ends_with(is_digit) {
        return Some(separator.to_owned());
    }
    let is_led = head.starts_with(is_digit) && matches!(separator, "-" | "_" | ",");
    is_led.then(|| format!("{NUMBER_FIRST}{separator}"))
}

/// The last segment without its page number.
pub(super) fn stem(segment: &str, name: &str) -> Option<String> {
    let (whole, separator) = (without_ending(segment), name.trim_start_matches(NUMBER_FIRST));
    let (head, number) = whole.rsplit_once(separator)?;
    let is_page = is_number(number) && stem_name(head, separator).as_deref() == Some(name);
    is_page.then(|| format!("{head}{}", &segment[whole.len()..]))
}
