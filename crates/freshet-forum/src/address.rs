//! Addresses of pages: which are the same page, which are pages of one list, which are of one pattern.
//!
//! Three comparisons, from fine to coarse. The *key* of an address leaves out fragment and session, and sorts the query: equal
//! keys are one page. The *list key* leaves out the page number too: equal list keys are one list. The *pattern* replaces
//! what numbers and titles there are by `*`: equal patterns are pages of one template, mostly.
//!
//! Where the page number stands is a [`Slot`], found by comparing two addresses that differ in a number only. What it does not
//! do: know that `page` means page; that is learned from the links that carry numbers ([`crate::pagination`]).
//! What an address is made of, wherever the software puts it, says [`parts`]; what of it is a session says [`session`].

mod parts;
mod pattern;
mod session;
mod slot;
mod turn;

pub(crate) use parts::all_segments;
pub use parts::{pairs, segments};
pub(crate) use pattern::Patterns;
pub(crate) use session::{drop_session, drop_tokens};
pub use slot::Slot;
pub use turn::{Turn, turn};
pub(crate) use turn::{Turner, loose_turn};

use std::borrow::Cow;

use url::Url;

/// Characters of one address; longer ones are not followed.
pub(crate) const ADDRESS_CHARS_MAX: usize = 2_000;
/// A link of a page as an absolute address without session ids; nothing for mail, scripts and other schemes.
pub fn resolve(base: &Url, href: &str) -> Option<Url> {
    let href = href.trim();
    if href.is_empty() || href == "#" || href.len() > ADDRESS_CHARS_MAX {
        return None;
    }
    let mut url = base.join(href).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    drop_session(&mut url);
    Some(url)
}

/// Equal for addresses of one page.
pub fn key(url: &Url) -> String {
    written(url, &segments(url), &pairs(url))
}

/// Equal for pages of one list.
pub(crate) fn list_key(url: &Url, slots: &[Slot]) -> String {
    let parts = ListParts::of(url, slots);
    written(url, &parts.segments, &parts.pairs)
}

/// The segments without the page number, where that stands among them.
pub(crate) fn list_segments<'a>(url: &'a Url, slot: &Slot) -> Vec<Cow<'a, str>> {
    ListParts::of(url, std::slice::from_ref(slot)).segments
}

/// What an address has in common with those of the other pages of its list.
struct ListParts<'a> {
    segments: Vec<Cow<'a, str>>,
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> ListParts<'a> {
    fn of(url: &'a Url, slots: &[Slot]) -> Self {
        let mut segments: Vec<Cow<'a, str>> = all_segments(url).map(Cow::Borrowed).collect();
        let mut pairs = pairs(url);
        let mut cut = None;
        for slot in slots {
            match slot {
                Slot::Query(name) => pairs.retain(|(it, value)| it != name || !is_number(value)),
                Slot::Beside(name, value) => pairs.retain(|it| *it != (name.as_str(), value.as_str())),
                Slot::Tail(name) => {
                    for (_, value) in pairs.iter_mut().filter(|(it, _)| it == name) {
                        *value = value.split_once('.').map_or(*value, |(head, _)| head);
                    }
                }
                Slot::Path(depth, prefix) if prefix.ends_with('/') => {
                    let is_page = segments.len() == depth + 2
                        && segments[*depth] == prefix.trim_end_matches('/')
                        && is_number(&segments[depth + 1]);
                    if is_page {
                        segments.truncate(*depth);
                    }
                }
                Slot::Path(depth, prefix) => {
                    let is_page = |it: &Cow<'_, str>| {
                        it.strip_prefix(prefix.as_str()).is_some_and(|it| is_number(slot::without_ending(it)))
                    };
                    if segments.len() == depth + 1 && segments.last().is_some_and(is_page) {
                        segments.pop();
                    }
                }
                Slot::Stem(separator) => {
                    cut = cut.or_else(|| slot::stem(segments.last()?, separator));
                }
            }
        }
        if let (Some(stem), Some(last)) = (cut, segments.last_mut()) {
            *last = Cow::Owned(stem);
        }
        Self { segments, pairs }
    }
}

fn written<S: AsRef<str>>(url: &Url, segments: &[S], pairs: &[(&str, &str)]) -> String {
    let mut key = String::with_capacity(url.as_str().len());
    key.push_str(url.host_str().unwrap_or_default());
    key.push('/');
    for (at, segment) in segments.iter().enumerate() {
        if at > 0 {
            key.push('/');
        }
        key.push_str(segment.as_ref());
    }
    for (at, (name, value)) in pairs.iter().enumerate() {
        key.push(if at == 0 { '?' } else { '&' });
        key.push_str(name);
        key.push('=');
        key.push_str(value);
    }
    key
}

/// Whether a text is digits only, and few enough to be a number of pages.
fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 12 && text.bytes().all(|it| it.is_ascii_digit())
}

/// The number in an address that is the id of a thread or post: of the fragment, else of a parameter, else a segment that is a
/// number, else one at the end or the start of a title (`title.12`, `12-title`).
pub(crate) fn number_in(url: &Url) -> Option<String> {
    let fragment = url.fragment().and_then(last_number);
    let query =
        || pairs(url).iter().rev().find(|(_, value)| is_number(value)).map(|(_, value)| (*value).to_owned());
    let alone = || segments(url).iter().rev().find(|it| is_number(it)).map(|it| (*it).to_owned());
    let edge = |segment: &str| {
        let stem = segment.strip_suffix(".html").unwrap_or(segment);
        let parts = || stem.split(['.', '-', '_']);
        parts()
            .next_back()
            .filter(|it| is_number(it))
            .or_else(|| parts().next().filter(|it| is_number(it)))
            .map(ToOwned::to_owned)
    };
    let titled = || segments(url).iter().rev().find_map(|segment| edge(segment));
    let any =
        || segments(url).iter().rev().filter(|it| !it.contains('%')).find_map(|segment| last_number(segment));
    fragment.or_else(query).or_else(alone).or_else(titled).or_else(any)
}

/// The last run of digits in a text.
pub fn last_number(text: &str) -> Option<String> {
    let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = text[..end]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    Some(text[start..end].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse("http://forum.test/").unwrap().join(text).unwrap()
    }

    #[test]
    fn page_numbers_are_read_and_put_back() {
        for (slot, with, without, number) in [
            ("?page", "/b/5?x=1&page=2", "/b/5?x=1", 2),
            ("2/page-", "/threads/a.1/page-3", "/threads/a.1", 3),
            ("2/page/", "/topics/1/page/4", "/topics/1/", 4),
            ("2/page", "/show.php?12-title/page3&o=1", "/show.php?12-title&o=1", 3),
            ("3/p", "/i.php?p=/d/title/p3", "/i.php?p=/d/title", 3),
        ] {
            let slot = Slot::parse(slot).unwrap();
            assert_eq!(
                (slot.number_in(&url(with)), slot.number_in(&url(without))),
                (Some(number), None),
                "{with}"
            );
            assert_eq!(slot.with_number(&url(without), number), Some(url(with)), "{without}");
        }
        for (slot, address, number) in [
            ("?topic.", "/i.php?topic=12.15", 15),
            ("-p", "/topic-12-p3.html", 3),
            (".", "/topic,12.15.html", 15),
            ("#-", "/12-title-3.html", 3),
            ("1/index", "/board/index3.html", 3),
        ] {
            let slot = Slot::parse(slot).unwrap();
            assert_eq!(slot.number_in(&url(address)), Some(number), "{address}");
        }
    }

    #[test]
    fn pages_of_a_list_have_one_list_key() {
        for (slot, first, second) in [
            ("?page", "/b/5?page=2&x=1", "/b/5/?x=1"),
            ("?topic.", "/i.php?topic=12.0", "/i.php?topic=12.15"),
            ("2/page-", "/threads/a.1/page-3", "/threads/a.1/"),
            ("3/", "/t/a/96/", "/t/a/96/2/"),
            ("2/page/", "/topics/1/page/4", "/topics/1"),
            ("-p", "/topic-12-p3.html", "/topic-12.html"),
            (".", "/i.php/topic,12.15.html", "/i.php/topic,12.0.html"),
            (",", "/topic-12,15.html", "/topic-12.html"),
            ("#-", "/12-title-3.html", "/12-title.html"),
            ("2/page", "/show.php?12-title/page3", "/show.php?12-title"),
            ("?order=desc", "/b.php?f=2&order=desc", "/b.php?f=2"),
        ] {
            let slots = [Slot::parse(slot).unwrap()];
            assert_eq!(list_key(&url(first), &slots), list_key(&url(second), &slots), "{slot}");
        }
        for (address, id) in [
            ("/topic/120/thread-119-%E6%97%A9", "120"),
            ("/threads/a-2-b.17/", "17"),
            ("/d/12-title", "12"),
            ("/v.php?f=4&t=464", "464"),
            ("/v.php?t=4#p99", "99"),
        ] {
            assert_eq!(number_in(&url(address)).as_deref(), Some(id), "{address}");
        }
        assert_eq!(last_number("a1é23b").as_deref(), Some("23"));
    }
}
