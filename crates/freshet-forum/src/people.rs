//! Which links lead to people: told by words in addresses and in the classes around a link, whatever software a forum runs.

use url::Url;

use crate::address::all_segments;
use crate::page::{Link, Page};

/// Words that name people, in addresses and classes.
const PEOPLE: [&str; 9] =
    ["user", "member", "author", "profil", "poster", "avatar", "people", "nick", "contributor"];
/// A segment of an address that is longer than this is a title, whatever words are in it.
const SEGMENT_CHARS_MAX: usize = 14;

/// Whether a link leads to a person.
pub(crate) fn is_person(page: &Page, link: &Link) -> bool {
    is_person_address(&link.url) || has_person_role(page, link)
}

/// Whether what stands around a link says that it leads to a person.
pub(crate) fn has_person_role(page: &Page, link: &Link) -> bool {
    page.has_role(link, names_people)
}

/// Whether a link reads a name: one letter is a face.
pub(crate) fn is_name(page: &Page, link: &Link) -> bool {
    page.link_text(link).chars().nth(1).is_some()
}

/// Whether one of the words for people is in a text, in whatever case.
fn names_people(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_at = |at: usize| {
        let rest = &bytes[at..];
        let is_word =
            |word: &&str| rest.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word.as_bytes()));
        // Nearly all places are refused by their letter.
        matches!(rest[0] | 32, b'u' | b'm' | b'a' | b'p' | b'n' | b'c') && PEOPLE.iter().any(is_word)
    };
    (0..bytes.len()).any(is_at)
}

/// Whether an address is that of a person: a short segment or a parameter names people.
pub(crate) fn is_person_address(url: &Url) -> bool {
    let is_segment =
        |it: &str| it == "u" || (it.len() <= SEGMENT_CHARS_MAX && !it.contains('-') && names_people(it));
    // Some write their parameters with semicolons.
    let query = url.query().unwrap_or_default();
    all_segments(url).any(is_segment)
        || query.split(['&', ';']).filter_map(|pair| pair.split_once('=')).any(|(name, value)| {
            // A whole address as a value is what somebody shares.
            let is_short = value.len() <= SEGMENT_CHARS_MAX;
            (is_short && (matches!(name, "u" | "uid") || names_people(value))) || names_people(name)
        })
}
