//! Two addresses that differ in one number: where it stands, and what comes and goes with it.

use url::Url;

use super::slot::{Slot, stem_name, without_ending};
use super::{all_segments, is_number, pairs, segments};

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
    /// Parameters that come and go with page numbers.
    beside: Vec<(&'a str, &'a str)>,
}

impl<'a> Turner<'a> {
    /// Compares with this address.
    pub(crate) fn of(from: &'a Url) -> Self {
        Self::knowing(from, &[])
    }

    /// Compares with this address, without what is known to stand beside page numbers.
    pub(crate) fn knowing(from: &'a Url, slots: &'a [Slot]) -> Self {
        let beside = slots.iter().filter_map(|slot| match slot {
            Slot::Beside(name, value) => Some((name.as_str(), value.as_str())),
            _ => None,
        });
        let beside: Vec<_> = beside.collect();
        let pairs = plain_pairs(from, &beside);
        Self { from, segments: segments(from), pairs, beside }
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
            return if is_same_query {
                None
            } else {
                query_turn(&self.pairs, &plain_pairs(to, &self.beside))
            };
        }
        let longest = self.segments.len().max(to_count);
        let is_single = longest == 1;
        // A page number is one segment or two, and something stands before it.
        if longest - common_count > SEGMENTS_OF_NUMBER_MAX || (common_count == 0 && !is_single) {
            return None;
        }
        if !is_same_query && self.pairs != plain_pairs(to, &self.beside) {
            return None;
        }
        path_turn(&self.segments, &segments(to))
    }

    /// How many segments are the same from the start, and how many the other address has.
    fn compared(&self, to: &Url) -> (usize, usize) {
        let (mut common_count, mut count) = (0, 0);
        for segment in all_segments(to) {
            common_count += usize::from(common_count == count && self.segments.get(count) == Some(&segment));
            count += 1;
        }
        (common_count, count)
    }
}

fn plain_pairs<'a>(url: &'a Url, beside: &[(&str, &str)]) -> Vec<(&'a str, &'a str)> {
    let mut pairs = pairs(url);
    pairs.retain(|pair| !beside.contains(pair));
    pairs
}

/// How the page with this number lies from a page whose address has all that its address has but the number and perhaps some
/// parameters beside it; gives these too. Used where a single link must tell, so the number must fit.
pub(crate) fn loose_turn(from: &Url, to: &Url, number: i64) -> Option<(Turn, Vec<Slot>)> {
    let (own, other) = (pairs(from), pairs(to));
    if !own.iter().all(|pair| other.contains(pair)) {
        return None;
    }
    let mut extra: Vec<(&str, &str)> = other.into_iter().filter(|pair| !own.contains(pair)).collect();
    let (from_segments, to_segments) = (segments(from), segments(to));
    let turn = if from_segments == to_segments {
        let value = |pair: &(&str, &str)| is_number(pair.1).then(|| pair.1.parse::<i64>().ok())?;
        let same = extra.iter().position(|pair| value(pair) == Some(number));
        let rising: Vec<usize> =
            (0..extra.len()).filter(|&at| value(&extra[at]).is_some_and(|it| it > 0)).collect();
        let at = same.or(match rising.as_slice() {
            [only] => Some(*only),
            _ => None,
        })?;
        let (name, value) = extra.remove(at);
        Turn { slot: Slot::Query(name.to_owned()), from: None, to: value.parse().ok() }
    } else {
        path_turn(&from_segments, &to_segments)?
    };
    let beside = extra.iter().map(|(name, value)| Slot::Beside((*name).to_owned(), (*value).to_owned()));
    Some((turn, beside.collect()))
}

/// Words that stand before a page number as a segment of their own.
const PAGE_WORDS: [&str; 12] =
    ["page", "pages", "seite", "pagina", "pag", "p", "strana", "strona", "sayfa", "side", "sida", "start"];

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
    let is_word = common > 1
        && from.len() == common + 1
        && to.len() == common + 1
        && PAGE_WORDS.contains(&from[common - 1]);
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

/// `page-3` is `page-` and 3; so is `page-3.html`.
fn numbered(segment: &str) -> Option<(String, i64)> {
    let at = segment.find(|c: char| c.is_ascii_digit())?;
    let (prefix, digits) = segment.split_at(at);
    let digits = without_ending(digits);
    let is_short = prefix.len() <= PREFIX_CHARS_MAX
        && prefix.chars().all(|c| c.is_ascii_alphabetic() || c == '-' || c == '_');
    (is_short && is_number(digits)).then(|| Some((prefix.to_owned(), digits.parse().ok()?)))?
}

/// Characters before the number of a segment: `page__st__20`.
const PREFIX_CHARS_MAX: usize = 12;

/// Separators that stand before a page number at the end of a stem, the longest first.
const SEPARATORS: [&str; 10] = ["-page-", "_page_", "-page", "-p", "_p", "-", "_", ",", ".", "~"];

fn stem_turn(from: &str, to: &str) -> Option<Turn> {
    let (from_stem, to_stem) = (without_ending(from), without_ending(to));
    if from[from_stem.len()..] != to[to_stem.len()..] {
        return None;
    }
    let value = |longer: &str, shorter: &str| -> Option<(String, i64)> {
        let rest = longer.strip_prefix(shorter)?;
        let separator = SEPARATORS.iter().find(|it| rest.strip_prefix(**it).is_some_and(is_number))?;
        let name = stem_name(shorter, separator).unwrap_or_else(|| (*separator).to_owned());
        Some((name, rest[separator.len()..].parse().ok()?))
    };
    if let Some((separator, new)) = value(to_stem, from_stem) {
        return Some(Turn { slot: Slot::Stem(separator), from: None, to: Some(new) });
    }
    if let Some((separator, old)) = value(from_stem, to_stem) {
        return Some(Turn { slot: Slot::Stem(separator), from: Some(old), to: None });
    }
    SEPARATORS.iter().find_map(|separator| {
        let (from_head, old) = from_stem.rsplit_once(separator).filter(|(_, it)| is_number(it))?;
        let (to_head, new) = to_stem.rsplit_once(separator).filter(|(_, it)| is_number(it))?;
        let slot = Slot::Stem(stem_name(from_head, separator)?);
        (from_head == to_head).then(|| Some(Turn { slot, from: old.parse().ok(), to: new.parse().ok() }))?
    })
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
            ("/topic,12.0.html", "/topic,12.15.html", Some((".", Some(0), Some(15)))),
            ("/topic-12.html", "/topic-12,15.html", Some((",", None, Some(15)))),
            ("/12-title.html", "/12-title-2.html", Some(("#-", None, Some(2)))),
            ("/12-title-2.html", "/12-title-3.html", Some(("#-", Some(2), Some(3)))),
            ("/board/", "/board/index2.html", Some(("1/index", None, Some(2)))),
            ("/s.php?12-title", "/s.php?12-title/page2", Some(("2/page", None, Some(2)))),
            ("/i.php?/t/12-a/page__st__20", "/i.php?/t/12-a/", Some(("3/page__st__", Some(20), None))),
            ("/my-title-2.html", "/my-title-3.html", None),
            ("/v.php?f=4", "/v.php?f=4&sort=asc", None),
            ("/v.php?f=4", "/w.php?f=4", None),
            ("/b/5", "http://other.test/b/5?page=2", None),
        ] {
            let found = turn(&url(from), &url(to)).map(|it| (it.slot.to_string(), it.from, it.to));
            assert_eq!(found, expected.map(|(slot, old, new)| (slot.to_owned(), old, new)), "{from} {to}");
        }
    }
}
