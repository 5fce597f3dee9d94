//! Patterns of addresses: what is the same in all addresses of one template.
//!
//! A segment with a digit or the look of a title becomes `*`; a short word before the number stays (`t*`, `page-*`), because
//! some forums tell boards from threads by it alone. Words that come up once each at one place are titles too, and
//! become `*` when there are several. Parameters keep their names; their values stay only where they are words.

use freshet_types::{Map, Set};
use url::Url;

use super::{Slot, list_key, pairs, segments};

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
pub struct Patterns {
    /// Places (what stands before, and how many segments there are) where words are titles.
    titles: Set<String>,
    /// Words at such places that are names nevertheless, because the site's menu leads there.
    names: Set<String>,
    slots: Vec<Slot>,
}

impl Patterns {
    /// Without anything learned: only numbers and the look of titles count.
    pub fn plain(slots: &[Slot]) -> Self {
        Self { slots: slots.to_vec(), ..Self::default() }
    }

    /// Learns where titles stand, from addresses and the number of the page that each was found on.
    pub fn learn<'a>(
        addresses: impl Iterator<Item = (usize, &'a Url)>,
        page_count: usize,
        slots: &[Slot],
    ) -> Self {
        let mut patterns = Self::plain(slots);
        let mut seen: Map<String, (&Url, usize, usize)> = Map::default();
        for (page, url) in addresses {
            let (_, last, count) = seen.entry(list_key(url, slots)).or_insert((url, usize::MAX, 0));
            *count += usize::from(*last != page);
            *last = page;
            if seen.len() >= ADDRESSES_MAX {
                break;
            }
        }
        let menu_min = (page_count * MENU_TENTHS / 10).max(COMMON_MIN);
        for (url, _, _) in seen.values().filter(|(_, _, count)| *count >= menu_min) {
            let shapes = patterns.shapes(url);
            if let Some(last) = shapes.len().checked_sub(1) {
                patterns.names.insert(format!("{}|{}", place(&shapes, last), shapes[last]));
            }
        }
        let mut addresses: Vec<&Url> = seen.values().map(|(url, ..)| *url).collect();
        addresses.sort_unstable();
        let depth_max = addresses.iter().map(|url| segments(url).len()).max().unwrap_or(0).min(12);
        for depth in 0..depth_max {
            let mut places: Map<String, Map<String, usize>> = Map::default();
            for url in &addresses {
                let shapes = patterns.shapes(url);
                if let Some(shape) = shapes.get(depth) {
                    let place = place(&shapes, depth);
                    *places.entry(place).or_default().entry(shape.clone()).or_default() += 1;
                }
            }
            for (place, words) in places {
                let rare = words
                    .iter()
                    .filter(|(word, count)| **count < COMMON_MIN && !is_file(word) && *word != "*")
                    .count();
                let titles = words.get("*").copied().unwrap_or(0);
                let all: usize = words.values().sum();
                if depth > 0 && rare > 0 && (rare >= RARE_WORDS_MIN || titles * 10 >= all * TITLE_TENTHS) {
                    patterns.titles.insert(place);
                }
            }
        }
        patterns
    }

    /// The pattern of an address, its page number left out.
    pub fn pattern(&self, url: &Url) -> String {
        let mut pattern = format!("/{}", self.shapes(url).join("/"));
        let values: Vec<_> = pairs(url)
            .into_iter()
            .filter(|(name, _)| !self.slots.contains(&Slot::Query((*name).to_owned())))
            .map(|(name, value)| {
                let is_word = !value.is_empty()
                    && value.len() <= WORD_CHARS_MAX
                    && value.bytes().all(|it| it.is_ascii_alphabetic() || it == b'_');
                format!("{name}={}", if is_word { value } else { "*" })
            })
            .collect();
        if !values.is_empty() {
            pattern.push('?');
            pattern.push_str(&values.join("&"));
        }
        pattern
    }

    fn shapes(&self, url: &Url) -> Vec<String> {
        let key = list_key(url, &self.slots);
        let path = key.split('?').next().unwrap_or_default();
        let mut shapes: Vec<String> = Vec::new();
        let segments: Vec<&str> = path.split('/').skip(1).filter(|it| !it.is_empty()).collect();
        for segment in &segments {
            shapes.push(shape(segment));
            let depth = shapes.len() - 1;
            let place = format!("{}|{}", shapes[..depth].join("/"), segments.len());
            let is_name =
                || is_file(&shapes[depth]) || self.names.contains(&format!("{place}|{}", shapes[depth]));
            if self.titles.contains(&place) && !is_name() {
                "*".clone_into(&mut shapes[depth]);
            }
        }
        shapes
    }
}

fn place(shapes: &[String], depth: usize) -> String {
    format!("{}|{}", shapes[..depth].join("/"), shapes.len())
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

fn shape(segment: &str) -> String {
    if let Some(at) = segment.find(|c: char| c.is_ascii_digit()) {
        let prefix = &segment[..at];
        let stem = segment.split('.').next().unwrap_or(segment);
        // `page-2` is a place, `page-2-of-my-story` a title; `t12-my-story` is a place and a title.
        let is_number_alone = segment[at..stem.len().max(at)].bytes().all(|it| it.is_ascii_digit());
        let is_kept = !prefix.is_empty()
            && prefix.len() <= PREFIX_CHARS_MAX
            && (is_number_alone || !prefix.ends_with(['-', '_']))
            && prefix.trim_end_matches(['-', '_', '.']).bytes().all(|it| it.is_ascii_alphabetic());
        return if is_kept { format!("{prefix}*") } else { "*".to_owned() };
    }
    let stem = segment.split('.').next().unwrap_or(segment);
    let is_title = stem.len() > WORD_CHARS_MAX || stem.contains(['-', '%', '+']);
    if is_title { "*".to_owned() } else { segment.to_owned() }
}

/// Whether an address has a pattern that a person may have edited: `*` stands for anything in its place.
pub fn is_match(patterns: &Patterns, pattern: &str, url: &Url) -> bool {
    let found = patterns.pattern(url);
    if found == pattern {
        return true;
    }
    let (path, query) = pattern.split_once('?').unwrap_or((pattern, ""));
    let wanted: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
    let key = list_key(url, &patterns.slots);
    let path = key.split('?').next().unwrap_or_default().to_owned();
    let found: Vec<&str> = path.split('/').skip(1).filter(|it| !it.is_empty()).collect();
    let mut names: Vec<&str> = query.split('&').filter(|it| !it.is_empty()).collect();
    names.sort_unstable();
    let pairs: Vec<_> = pairs(url)
        .into_iter()
        .filter(|(name, _)| !patterns.slots.contains(&Slot::Query((*name).to_owned())))
        .collect();
    wanted.len() == found.len()
        && wanted.iter().zip(&found).all(|(wanted, found)| is_segment(wanted, found))
        && names.len() == pairs.len()
        && names.iter().zip(&pairs).all(|(wanted, (name, value))| {
            let (wanted_name, wanted_value) = wanted.split_once('=').unwrap_or((wanted, "*"));
            wanted_name == *name && is_segment(wanted_value, value)
        })
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
        ]
        .iter()
        .map(|it| Url::parse("http://forum.test").unwrap().join(it).unwrap())
        .collect();
        let slots = [Slot::Query("page".into())];
        let patterns = Patterns::learn(urls.iter().enumerate(), urls.len(), &slots);
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
            ]
        );
        assert!(is_match(&patterns, "/topic/*/*", &urls[0]) && !is_match(&patterns, "/topic/*", &urls[0]));
        assert!(segments(&urls[0]).len() == 3);
    }
}
