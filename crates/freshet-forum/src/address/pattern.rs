//! Patterns of addresses: what is the same in all addresses of one template.
//!
//! A segment with a digit or the look of a title becomes `*`; a short word before the number stays (`t*`, `page-*`), because
//! some forums tell boards from threads by it alone. Words that come up once each at one place are titles too, and
//! become `*` when there are several. Parameters keep their names; their values stay only where they are words.

use std::borrow::Cow;

use freshet_types::{Map, Set};
use url::Url;

use super::parts::split_path;
use super::{ListParts, Slot, pairs, segments};

/// A word before a number that is kept.
const PREFIX_CHARS_MAX: usize = 8;
/// A segment longer than this is a title.
const WORD_CHARS_MAX: usize = 20;
/// So many different words at one place, each rare, are titles.
const RARE_WORDS_MIN: usize = 4;
/// Addresses with one word at a place that make it a name, not a title.
const COMMON_MIN: usize = 3;
/// Tenths of the addresses at one place that are titles before rare words there are titles too.
const TITLE_TENTHS: usize = 3;
/// Tenths of the pages that link to an address of the site's menu.
const MENU_TENTHS: usize = 3;
/// Addresses looked at when patterns are learned.
const ADDRESSES_MAX: usize = 20_000;

/// The patterns of a site: learned from its addresses, then applied to any.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patterns {
    /// Places (what stands before, and how many segments there are) where words are titles.
    titles: Set<String>,
    /// Words at such places that are names nevertheless, because the site's menu leads there.
    names: Set<String>,
    slots: Vec<Slot>,
}

impl Patterns {
    /// Without anything learned: only numbers and the look of titles count.
    pub(crate) fn plain(slots: &[Slot]) -> Self {
        Self { slots: slots.to_vec(), ..Self::default() }
    }

    /// Learns where titles stand, from addresses, each with the number of the page that it was found on and of its list.
    pub(crate) fn learn<'a>(
        addresses: impl Iterator<Item = (usize, &'a Url, u32)>,
        page_count: usize,
        slots: &[Slot],
    ) -> Self {
        let mut patterns = Self::plain(slots);
        let mut seen: Map<u32, (&Url, usize, usize)> = Map::default();
        for (page, url, list) in addresses {
            let (_, last, count) = seen.entry(list).or_insert((url, usize::MAX, 0));
            *count += usize::from(*last != page);
            *last = page;
            if seen.len() >= ADDRESSES_MAX {
                break;
            }
        }
        let menu_min = (page_count * MENU_TENTHS / 10).max(COMMON_MIN);
        for (url, _, _) in seen.values().filter(|(_, _, count)| *count >= menu_min) {
            let shapes = patterns.shapes(url);
            // What has a number is no name, however many pages link to it.
            if let Some(last) = shapes.len().checked_sub(1).filter(|&last| !shapes[last].contains('*')) {
                patterns.names.insert(format!("{}|{}", position(&shapes, last), shapes[last]));
            }
        }
        let mut addresses: Vec<&Url> = seen.values().map(|(url, ..)| *url).collect();
        addresses.sort_unstable();
        let depth_max = addresses.iter().map(|url| segments(url).len()).max().unwrap_or(0).min(12);
        // What stands first names a part of the site, never a title.
        for depth in 1..depth_max {
            let mut positions: Map<String, Map<String, usize>> = Map::default();
            for url in &addresses {
                let shapes = patterns.shapes(url);
                if let Some(shape) = shapes.get(depth) {
                    let position = position(&shapes, depth);
                    *positions.entry(position).or_default().entry(shape.clone()).or_default() += 1;
                }
            }
            for (position, words) in positions {
                let rare = words
                    .iter()
                    .filter(|(word, count)| **count < COMMON_MIN && !is_file(word) && *word != "*")
                    .count();
                let titles = words.get("*").copied().unwrap_or(0);
                let all: usize = words.values().sum();
                if rare > 0 && (rare >= RARE_WORDS_MIN || titles * 10 >= all * TITLE_TENTHS) {
                    patterns.titles.insert(position);
                }
            }
        }
        patterns
    }

    /// The pattern of an address, its page number left out.
    pub(crate) fn pattern(&self, url: &Url) -> String {
        self.written(url, &ListParts::of(url, &self.slots))
    }

    /// Whether an address has one of some patterns that a person may have edited: `*` stands for anything in its place.
    pub(crate) fn is_any(&self, wanted: &[String], url: &Url) -> bool {
        if wanted.is_empty() {
            return false;
        }
        let parts = ListParts::of(url, &self.slots);
        let own = self.written(url, &parts);
        wanted.contains(&own) || wanted.iter().any(|pattern| self.is_match(pattern, url, &parts))
    }

    fn written(&self, url: &Url, parts: &ListParts<'_>) -> String {
        let mut pattern = String::with_capacity(url.path().len());
        let shapes = self.shapes_of(parts);
        if shapes.is_empty() {
            pattern.push('/');
        }
        for shape in &shapes {
            pattern.push('/');
            pattern.push_str(shape);
        }
        for (at, (name, value)) in self.own_pairs(url).enumerate() {
            let is_word = !value.is_empty()
                && value.len() <= WORD_CHARS_MAX
                && value.bytes().all(|it| it.is_ascii_alphabetic() || it == b'_');
            pattern.push(if at == 0 { '?' } else { '&' });
            pattern.push_str(name);
            pattern.push('=');
            pattern.push_str(if is_word { value } else { "*" });
        }
        pattern
    }

    /// The parameters that do not carry the page number, in the order of their names.
    fn own_pairs<'a>(&self, url: &'a Url) -> impl Iterator<Item = (&'a str, &'a str)> {
        let is_slot = |(name, value): (&str, &str)| {
            self.slots.iter().any(|it| match it {
                Slot::Query(known) => known == name,
                Slot::Beside(known, set) => known == name && set == value,
                _ => false,
            })
        };
        pairs(url).into_iter().filter(move |pair| !is_slot(*pair))
    }

    fn is_match(&self, pattern: &str, url: &Url, parts: &ListParts<'_>) -> bool {
        let (path, query) = pattern.split_once('?').unwrap_or((pattern, ""));
        let wanted: Vec<&str> = split_path(path).collect();
        let found = &parts.segments;
        if wanted.len() != found.len() || !wanted.iter().zip(found).all(|(wanted, it)| is_segment(wanted, it))
        {
            return false;
        }
        let mut names: Vec<&str> = query.split('&').filter(|it| !it.is_empty()).collect();
        names.sort_unstable();
        let pairs: Vec<_> = self.own_pairs(url).collect();
        names.len() == pairs.len()
            && names.iter().zip(&pairs).all(|(wanted, (name, value))| {
                let (wanted_name, wanted_value) = wanted.split_once('=').unwrap_or((wanted, "*"));
                wanted_name == *name && is_segment(wanted_value, value)
            })
    }

    fn shapes(&self, url: &Url) -> Vec<String> {
        self.shapes_of(&ListParts::of(url, &self.slots)).into_iter().map(Cow::into_owned).collect()
    }

    fn shapes_of<'a>(&self, parts: &'a ListParts<'_>) -> Vec<Cow<'a, str>> {
        let mut shapes: Vec<Cow<'a, str>> = parts.segments.iter().map(|it| shape(it)).collect();
        if self.titles.is_empty() {
            return shapes;
        }
        for depth in 0..shapes.len() {
            let position = position(&shapes, depth);
            let is_name =
                || is_file(&shapes[depth]) || self.names.contains(&format!("{position}|{}", shapes[depth]));
            if self.titles.contains(&position) && !is_name() {
                shapes[depth] = Cow::Borrowed("*");
            }
        }
        shapes
    }
}

fn position<S: AsRef<str>>(shapes: &[S], depth: usize) -> String {
    let before: Vec<&str> = shapes[..depth].iter().map(AsRef::as_ref).collect();
    format!("{}|{}", before.join("/"), shapes.len())
}

/// Names of files stay: programs have them, titles do not.
fn is_file(segment: &str) -> bool {
    segment.rsplit_once('.').is_some_and(|(name, ending)| {
        !name.is_empty()
            && !name.ends_with('*')
            && (2..=5).contains(&ending.len())
            && ending.bytes().all(|it| it.is_ascii_alphabetic())
    })
}

fn shape(segment: &str) -> Cow<'_, str> {
    let stem = segment.split('.').next().unwrap_or(segment);
    if let Some(at) = segment.find(|c: char| c.is_ascii_digit()) {
        let prefix = &segment[..at];
        // `page-2` is a place, `page-2-of-my-story` a title; `t12-my-story` is a place and a title.
        let is_number_alone = segment[at..stem.len().max(at)].bytes().all(|it| it.is_ascii_digit());
        let is_kept = !prefix.is_empty()
            && prefix.len() <= PREFIX_CHARS_MAX
            && (is_number_alone || !prefix.ends_with(['-', '_', ',']))
            && prefix.trim_end_matches(['-', '_', '.', ',']).bytes().all(|it| it.is_ascii_alphabetic());
        return if is_kept { Cow::Owned(format!("{prefix}*")) } else { Cow::Borrowed("*") };
    }
    let is_title = stem.len() > WORD_CHARS_MAX || stem.contains(['-', '%', '+']);
    Cow::Borrowed(if is_title { "*" } else { segment })
}

fn is_segment(wanted: &str, found: &str) -> bool {
    match wanted.strip_suffix('*') {
        Some(prefix) => found.starts_with(prefix),
        None => wanted == found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_have_one_pattern() {
        let urls: Vec<Url> = [
            "/topic/50/thread-48-x?page=2",
            "/topic/51/hello-world",
            "/user/ada",
            "/user/bob",
            "/user/eve",
            "/user/dan",
            "/recent",
            "/v.php?f=4&t=464",
            "/v.php?mode=new",
            "/t12-a",
            "/f3-b",
            "/topic,12.msg4.html",
        ]
        .iter()
        .map(|it| Url::parse("http://forum.test").unwrap().join(it).unwrap())
        .collect();
        let slots = [Slot::Query("page".into())];
        let own = urls.iter().enumerate().map(|(at, url)| (at, url, at as u32));
        let patterns = Patterns::learn(own, urls.len(), &slots);
        let found: Vec<_> = urls.iter().map(|url| patterns.pattern(url)).collect();
        assert_eq!(
            found,
            [
                "/topic/*/*",
                "/topic/*/*",
                "/user/*",
                "/user/*",
                "/user/*",
                "/user/*",
                "/recent",
                "/v.php?f=*&t=*",
                "/v.php?mode=new",
                "/t*",
                "/f*",
                "/topic,*",
            ]
        );
        let is_match = |pattern: &str, url: &Url| patterns.is_any(&[pattern.to_owned()], url);
        assert!(is_match("/topic/*/*", &urls[0]) && !is_match("/topic/*", &urls[0]));
        assert!(is_match("/*/5*/*", &urls[0]) && is_match("/v.php?t=*&f=4", &urls[7]));
        assert!(segments(&urls[0]).len() == 3);
    }
}
