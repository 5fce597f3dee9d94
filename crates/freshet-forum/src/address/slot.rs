//! Where an address carries its page number.
//!
//! Written as short texts in a definition: `?page` (a parameter), `?topic.` (the tail of a parameter, `topic=12.15`), `2/page-`
//! (after two segments of the path comes `page-N`), `2/page/` (comes `page/N`), `-p` (at the end of the last segment's stem, `topic-12-p3.html`).

use std::fmt;

use serde::{Deserialize, Serialize};
use url::Url;

use super::{is_number, pairs, segments, split_path};

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
}

impl Slot {
    /// Reads the short text.
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(name) = text.strip_prefix('?') {
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
                segments(url).get(*depth..)?.join("/").strip_prefix(prefix)?.to_owned()
            }
            Self::Stem(separator) => {
                segments(url).last()?.rsplit_once(separator)?.1.split('.').next()?.to_owned()
            }
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
                let path = format!("{}/{prefix}{number}", url.path().trim_end_matches('/'));
                url.set_path(&path);
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

/// Two addresses that differ in one number: where it stands, and its value in each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Where the number stands.
    pub slot: Slot,
    /// Its value in the first address; the first page often has none.
    pub from: Option<i64>,
    /// Its value in the second.
    pub to: Option<i64>,
}

/// How `to` differs from `from`, if in one number only.
pub fn turn(from: &Url, to: &Url) -> Option<Turn> {
    Turner::of(from).turn(to)
}

/// Compares many addresses with that of one page: all links of a page are asked, and nearly none turns it.
#[derive(Debug)]
pub(crate) struct Turner<'a> {
    from: &'a Url,
    segments: Vec<&'a str>,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Turner<'a> {
    /// Compares with this address.
    pub(crate) fn of(from: &'a Url) -> Self {
        Self { from, segments: segments(from), pairs: pairs(from) }
    }

    /// How an address differs from it, if in one number only.
    pub(crate) fn turn(&self, to: &Url) -> Option<Turn> {
        let from = self.from;
        if from.host_str() != to.host_str() || from.port_or_known_default() != to.port_or_known_default() {
            return None;
        }
        let is_same_query = from.query() == to.query();
        let (common_count, to_count) = self.compared(to);
        if common_count == self.segments.len() && common_count == to_count {
            return if is_same_query { None } else { query_turn(&self.pairs, &pairs(to)) };
        }
        let longest = self.segments.len().max(to_count);
        let is_single = longest == 1;
        // A page number is one segment or two, and something stands before it.
        if longest - common_count > SEGMENTS_OF_NUMBER_MAX || (common_count == 0 && !is_single) {
            return None;
        }
        if !is_same_query && self.pairs != pairs(to) {
            return None;
        }
        path_turn(&self.segments, &segments(to))
    }

    /// How many segments are the same from the start, and how many the other address has.
    fn compared(&self, to: &Url) -> (usize, usize) {
        let (mut common_count, mut count) = (0, 0);
        for segment in split_path(to.path()) {
            common_count += usize::from(common_count == count && self.segments.get(count) == Some(&segment));
            count += 1;
        }
        (common_count, count)
    }
}

/// Segments that a page number takes at most: `/page/2`.
const SEGMENTS_OF_NUMBER_MAX: usize = 2;

fn query_turn(from: &[(&str, &str)], to: &[(&str, &str)]) -> Option<Turn> {
    let gone: Vec<_> = from.iter().filter(|pair| !to.contains(pair)).collect();
    let come: Vec<_> = to.iter().filter(|pair| !from.contains(pair)).collect();
    let (name, old, new) = match (gone.as_slice(), come.as_slice()) {
        ([], [(name, new)]) => (*name, None, Some(*new)),
        ([(name, old)], []) => (*name, Some(*old), None),
        ([(name, old)], [(other, new)]) if name == other => (*name, Some(*old), Some(*new)),
        _ => return None,
    };
    let tail = |value: &str| {
        value.split_once('.').filter(|(_, tail)| is_number(tail)).map(|(head, _)| head.to_owned())
    };
    if let (Some(old), Some(new)) = (old, new)
        && let (Some(old_head), Some(new_head)) = (tail(old), tail(new))
    {
        let value = |text: &str| text.rsplit('.').next().and_then(|it| it.parse().ok());
        let slot = Slot::Tail(name.to_owned());
        return (old_head == new_head).then(|| Turn { slot, from: value(old), to: value(new) });
    }
    if old.is_some_and(|it| !is_number(it)) || new.is_some_and(|it| !is_number(it)) {
        return None;
    }
    let value = |it: Option<&str>| it.and_then(|it| it.parse().ok());
    Some(Turn { slot: Slot::Query(name.to_owned()), from: value(old), to: value(new) })
}

fn path_turn(from: &[&str], to: &[&str]) -> Option<Turn> {
    let mut common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    // Two pages of `/page/2`, `/page/3` have the word in common.
    let is_word =
        common > 1 && from.len() == common + 1 && to.len() == common + 1 && from[common - 1] == "page";
    common -= usize::from(is_word);
    let parts = |rest: &[&str]| -> Option<(String, Option<i64>)> {
        match rest {
            [] => Some((String::new(), None)),
            [one] => numbered(one).map(|(prefix, value)| (prefix, Some(value))),
            // `/page/2`.
            [word, number] if is_number(number) && word.bytes().all(|it| it.is_ascii_alphabetic()) => {
                Some((format!("{word}/"), Some(number.parse().ok()?)))
            }
            _ => None,
        }
    };
    // Both shorter by their last segments: `topic-12.html` and `topic-12-p3.html`.
    if common + 1 == from.len()
        && from.len() == to.len()
        && let Some(turn) = stem_turn(from[common], to[common])
    {
        return Some(turn);
    }
    let (old_prefix, old) = parts(&from[common..])?;
    let (new_prefix, new) = parts(&to[common..])?;
    if common == 0 || (old.is_some() && new.is_some() && old_prefix != new_prefix) {
        return None;
    }
    let prefix = if new.is_some() { new_prefix } else { old_prefix };
    Some(Turn { slot: Slot::Path(common, prefix), from: old, to: new })
}

/// `page-3` is `page-` and 3.
fn numbered(segment: &str) -> Option<(String, i64)> {
    let at = segment.find(|c: char| c.is_ascii_digit())?;
    let (prefix, digits) = segment.split_at(at);
    let is_short =
        prefix.len() <= 8 && prefix.chars().all(|c| c.is_ascii_alphabetic() || c == '-' || c == '_');
    (is_short && is_number(digits)).then(|| Some((prefix.to_owned(), digits.parse().ok()?)))?
}

/// Separators that stand before a page number at the end of a stem.
const SEPARATORS: [&str; 7] = ["-page-", "_page_", "-page", "-p", "_p", "-", "_"];

fn stem_turn(from: &str, to: &str) -> Option<Turn> {
    let extension = |it: &str| it.rfind('.').map_or(it.len(), |at| at);
    let (from_stem, to_stem) = (&from[..extension(from)], &to[..extension(to)]);
    if from[extension(from)..] != to[extension(to)..] {
        return None;
    }
    let value = |longer: &str, shorter: &str| -> Option<(String, i64)> {
        let rest = longer.strip_prefix(shorter)?;
        let separator = SEPARATORS.iter().find(|it| rest.strip_prefix(**it).is_some_and(is_number))?;
        Some(((*separator).to_owned(), rest[separator.len()..].parse().ok()?))
    };
    if let Some((separator, new)) = value(to_stem, from_stem) {
        return Some(Turn { slot: Slot::Stem(separator), from: None, to: Some(new) });
    }
    if let Some((separator, old)) = value(from_stem, to_stem) {
        return Some(Turn { slot: Slot::Stem(separator), from: Some(old), to: None });
    }
    SEPARATORS.iter().take(5).find_map(|separator| {
        let (from_head, old) = from_stem.rsplit_once(separator).filter(|(_, it)| is_number(it))?;
        let (to_head, new) = to_stem.rsplit_once(separator).filter(|(_, it)| is_number(it))?;
        let slot = Slot::Stem((*separator).to_owned());
        (from_head == to_head).then(|| Some(Turn { slot, from: old.parse().ok(), to: new.parse().ok() }))?
    })
}

/// The last segment without its page number.
pub(super) fn stem(segment: &str, separator: &str) -> Option<String> {
    let at = segment.rfind('.').unwrap_or(segment.len());
    let (head, number) = segment[..at].rsplit_once(separator)?;
    // A short head is the whole name (`topic-12`): only a number after a number is a page.
    let is_page = is_number(number) && (separator.len() > 1 || head.ends_with(|c: char| c.is_ascii_digit()));
    is_page.then(|| format!("{head}{}", &segment[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_of_a_page() {
        let url = |text: &str| Url::parse("http://forum.test/").unwrap().join(text).unwrap();
        for (from, to, expected) in [
            ("/b/5", "/b/5?page=2", Some(("?page", None, Some(2)))),
            ("/v.php?f=4&start=25", "/v.php?start=50&f=4", Some(("?start", Some(25), Some(50)))),
            ("/v.php?f=4&start=25", "/v.php?f=4", Some(("?start", Some(25), None))),
            ("/i.php?topic=12.0", "/i.php?topic=12.15", Some(("?topic.", Some(0), Some(15)))),
            ("/threads/a.1/", "/threads/a.1/page-2", Some(("2/page-", None, Some(2)))),
            ("/t/a/96/2/", "/t/a/96/3/", Some(("3/", Some(2), Some(3)))),
            ("/topic-12.html", "/topic-12-p3.html", Some(("-p", None, Some(3)))),
            ("/topics/1", "/topics/1/page/2", Some(("2/page/", None, Some(2)))),
            ("/topics/1/page/2", "/topics/1/page/3", Some(("2/page/", Some(2), Some(3)))),
            ("/v.php?f=4", "/v.php?f=4&sort=asc", None),
            ("/v.php?f=4", "/w.php?f=4", None),
            ("/b/5", "http://other.test/b/5?page=2", None),
        ] {
            let found = turn(&url(from), &url(to)).map(|it| (it.slot.to_string(), it.from, it.to));
            assert_eq!(found, expected.map(|(slot, old, new)| (slot.to_owned(), old, new)), "{from} {to}");
        }
    }
}
