//! Focus: which posts are wanted first. Pure; part of step 3 (pick) of 10.
//!
//! MBCrawler's future work, a focused module: "the robots can be told to crawl the information of users who are in a specific city, or
//! the statuses including specific words". A focus has words, tags, languages and places. Of each kind that it names, one must
//! fit; all kinds that it names must fit. A place is where the author says to be. A focus orders discovery; one that is *only* is all
//! that is collected as well. What is to be left out by other properties is said by [constraints](crate::constraint). The language is
//! described in docs/reference/focus.md.

use std::fmt;

use freshet_types::{Account, Post};
use serde::{Deserialize, Serialize};

/// Alternatives of one kind, and words of one alternative.
const PARTS_MAX: usize = 32;
/// Characters of a word, a tag, a place.
const PART_CHARS_MAX: usize = 100;
/// Characters of a text that are looked through; what is longer is hardly a post.
const TEXT_MAX: usize = 100_000;
/// The share that explores unless somebody says otherwise, in percent.
const EXPLORE_PERCENT: u8 = 10;

/// How a focus reads that is all that is collected.
const NOTHING_ELSE: &str = "; nothing else is collected";

/// Languages with two letters (ISO 639-1).
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el \
en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj kk kl km \
kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl \
ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve \
vi vo wa wo xh yi yo za zh zu";

/// Which posts are wanted, and how much looks elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Focus {
    /// Alternatives; of one, every word must be in the text.
    #[serde(default)]
    words: Vec<Vec<String>>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    langs: Vec<String>,
    #[serde(default)]
    places: Vec<String>,
    /// Of what leaves the rings, the share in percent that leaves in order of arrival.
    pub explore_percent: u8,
    /// Nothing else is collected.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_only: bool,
}

/// A focus as a person writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// `rust async, tokio`: both words, or the other.
    pub words: Vec<String>,
    pub tags: Vec<String>,
    pub langs: Vec<String>,
    pub places: Vec<String>,
    /// `10%` or `10`.
    pub explore: Option<String>,
    /// Nothing else is to be collected.
    pub is_only: bool,
}

/// Why a focus is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FocusError {
    /// It names nothing.
    #[error("a focus must name words, a tag, a language or a place")]
    Empty,
    /// A language that does not exist.
    #[error("`{0}` is no language: name it by its two letters (`en`, `pt`) or three (`haw`)")]
    Language(String),
    /// A share that is none.
    #[error("`{0}` is no exploring share: it lies between 0% and 100%")]
    Share(String),
    /// Too much of one thing.
    #[error(
        "`{0}` is too long, or there are too many: at most {PARTS_MAX} of each kind, {PART_CHARS_MAX} characters each"
    )]
    Long(String),
}

impl Written {
    /// What it means.
    pub fn read(&self) -> Result<Focus, FocusError> {
        let mut words = Vec::new();
        for alternative in parts(&self.words)? {
            words.push(bounded(alternative.split_whitespace().map(str::to_lowercase).collect())?);
        }
        let tags = parts(&self.tags)?.into_iter().map(|tag| tag.trim_start_matches('#').to_lowercase());
        let tags: Vec<String> = tags.filter(|tag| !tag.is_empty()).collect();
        let langs = parts(&self.langs)?.into_iter().map(|lang| language(&lang));
        let langs = langs.collect::<Result<Vec<String>, FocusError>>()?;
        let places: Vec<String> =
            parts(&self.places)?.into_iter().map(|place| place.to_lowercase()).collect();
        if words.is_empty() && tags.is_empty() && langs.is_empty() && places.is_empty() {
            return Err(FocusError::Empty);
        }
        let explore_percent = self.explore.as_deref().map_or(Ok(EXPLORE_PERCENT), percent)?;
        Ok(Focus { words, tags, langs, places, explore_percent, is_only: self.is_only })
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(it: &bool) -> bool {
    !it
}

impl Focus {
    /// Whether it asks where somebody is.
    pub fn has_places(&self) -> bool {
        !self.places.is_empty()
    }

    /// Whether a post is wanted; `author` is what is known of who wrote it.
    pub fn wants(&self, post: &Post, author: Option<&Account>) -> bool {
        self.wants_text(&post.text)
            && self.wants_tag(&post.tags)
            && self.wants_language(post.lang.as_deref())
            && (self.places.is_empty() || author.is_some_and(|author| self.is_place(author)))
    }

    /// Whether an account is wanted whatever it posts: a place is all that is asked for, and it is there.
    pub fn wants_account(&self, account: &Account) -> bool {
        let is_place_alone = self.words.is_empty() && self.tags.is_empty() && self.langs.is_empty();
        is_place_alone && self.is_place(account)
    }

    fn is_place(&self, account: &Account) -> bool {
        let location = account.location.as_deref().unwrap_or_default().to_lowercase();
        self.places.iter().any(|place| has_word(&location, place))
    }

    fn wants_text(&self, text: &str) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let text = text.chars().take(TEXT_MAX).collect::<String>().to_lowercase();
        self.words.iter().any(|words| words.iter().all(|word| has_word(&text, word)))
    }

    fn wants_tag(&self, tags: &[String]) -> bool {
        self.tags.is_empty() || tags.iter().any(|tag| self.tags.contains(&tag.to_lowercase()))
    }

    fn wants_language(&self, lang: Option<&str>) -> bool {
        let main = lang.map(|lang| lang.split(['-', '_']).next().unwrap_or_default().to_lowercase());
        self.langs.is_empty() || main.is_some_and(|main| self.langs.contains(&main))
    }
}

/// As a person would write it.
impl fmt::Display for Focus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.words.iter().map(|words| words.join(" ")).collect();
        let kinds = [("words", &words), ("tag", &self.tags), ("lang", &self.langs), ("place", &self.places)];
        for (name, parts) in kinds.into_iter().filter(|(_, parts)| !parts.is_empty()) {
            write!(f, "{name} {}; ", parts.join(", "))?;
        }
        write!(f, "{}% explore{}", self.explore_percent, if self.is_only { NOTHING_ELSE } else { "" })
    }
}

/// Comma-separated parts without empty ones.
fn parts(texts: &[String]) -> Result<Vec<String>, FocusError> {
    let parts = texts.iter().flat_map(|text| text.split(',')).map(|part| part.trim().to_owned());
    bounded(parts.filter(|part| !part.is_empty()).collect())
}

fn bounded(parts: Vec<String>) -> Result<Vec<String>, FocusError> {
    let long = parts.iter().find(|part| part.chars().count() > PART_CHARS_MAX);
    match long.or_else(|| parts.get(PARTS_MAX)) {
        Some(part) => Err(FocusError::Long(part.chars().take(PART_CHARS_MAX).collect())),
        None => Ok(parts),
    }
}

fn language(text: &str) -> Result<String, FocusError> {
    let lang = text.to_ascii_lowercase();
    let is_known = match lang.len() {
        2 => LANGUAGES.split(' ').any(|known| known == lang),
        3 => lang.bytes().all(|byte| byte.is_ascii_lowercase()),
        _ => false,
    };
    if is_known { Ok(lang) } else { Err(FocusError::Language(text.to_owned())) }
}

fn percent(text: &str) -> Result<u8, FocusError> {
    let number = text.trim().trim_end_matches('%').trim_end().parse::<u8>().ok();
    number.filter(|percent| *percent <= 100).ok_or_else(|| FocusError::Share(text.to_owned()))
}

/// Whether a word stands in a text by itself. Scripts that are written without spaces have no words to stand between.
fn has_word(text: &str, word: &str) -> bool {
    let is_open = |next: Option<char>, edge: Option<char>| {
        next.is_none_or(|next| !next.is_alphanumeric() || is_unspaced(next)) || edge.is_some_and(is_unspaced)
    };
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        is_open(before.chars().next_back(), word.chars().next())
            && is_open(after.chars().next(), word.chars().next_back())
    })
}

/// Chinese, Japanese, Thai, Lao, Burmese and Khmer characters.
fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x2E80..=0x30FF | 0x3400..=0x9FFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(words: &str, tag: &str, lang: &str, place: &str) -> Written {
        let list = |text: &str| if text.is_empty() { Vec::new() } else { vec![text.to_owned()] };
        Written {
            words: list(words),
            tags: list(tag),
            langs: list(lang),
            places: list(place),
            ..Written::default()
        }
    }

    fn post(text: &str, tags: &[&str], lang: Option<&str>) -> Post {
        let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
        Post { text: text.to_owned(), tags, lang: lang.map(str::to_owned), ..Post::default() }
    }

    fn check(
        (words, tag, lang, place): (&str, &str, &str, &str),
        post: &Post,
        from: Option<&str>,
        expected: bool,
    ) {
        let focus = written(words, tag, lang, place).read().unwrap();
        let author = Account { location: from.map(str::to_owned), ..Account::default() };
        assert_eq!(focus.wants(post, Some(&author)), expected, "{focus}: {post:?} from {from:?}");
        assert_eq!(focus.wants(post, None), expected && place.is_empty(), "nothing is known of the author");
    }

    #[test]
    fn a_focus_wants_what_fits_all_it_names() {
        let rain = post("The river rises after RAIN, again", &["Weather"], Some("en-GB"));
        check(("rain", "", "", ""), &rain, None, true);
        check(("rain river", "", "", ""), &rain, None, true);
        check(("rain snow", "", "", ""), &rain, None, false);
        check(("snow, rain river", "", "", ""), &rain, None, true);
        check(("rai", "", "", ""), &rain, None, false);
        check(("", "#weather", "", ""), &rain, None, true);
        check(("", "rust,weather", "", ""), &rain, None, true);
        check(("", "rust", "", ""), &rain, None, false);
        check(("", "", "en", ""), &rain, None, true);
        check(("", "", "de", ""), &rain, None, false);
        check(("", "", "EN", "lyon"), &rain, Some("Lyon, France"), true);
        check(("", "", "", "lyon"), &rain, Some("Lyonnesse"), false);
        check(("", "", "", "new york"), &rain, Some("near New York City"), true);
        check(("rain", "rust", "", ""), &rain, None, false);
    }

    #[test]
    fn scripts_without_spaces_are_searched_anywhere() {
        let japanese = post("今日はいい天気です。", &["日本"], Some("ja"));
        check(("天気", "", "", ""), &japanese, None, true);
        check(("雨", "", "", ""), &japanese, None, false);
        check(("", "日本", "ja", ""), &japanese, None, true);
        let mixed = post("新しいrust本", &[], None);
        check(("rust", "", "", ""), &mixed, None, true);
        check(("", "", "ja", ""), &mixed, None, false);
    }

    #[test]
    fn a_place_alone_wants_the_account_whatever_it_posts() {
        let there = Account { location: Some("Oslo".to_owned()), ..Account::default() };
        let wants = |it: Written| it.read().unwrap().wants_account(&there);
        assert!(wants(written("", "", "", "oslo")));
        assert!(!wants(written("", "", "", "bergen")) && !wants(written("rain", "", "", "oslo")));
    }

    #[test]
    fn what_is_no_focus_is_told() {
        let check = |it: Written, expected: FocusError| assert_eq!(it.read(), Err(expected));
        check(written("", "", "", ""), FocusError::Empty);
        check(written(" , ", "#", "", " "), FocusError::Empty);
        check(written("", "", "xx", ""), FocusError::Language("xx".to_owned()));
        check(written("", "", "english", ""), FocusError::Language("english".to_owned()));
        check(written(&"a".repeat(101), "", "", ""), FocusError::Long("a".repeat(100)));
        check(written(&"a,".repeat(33), "", "", ""), FocusError::Long("a".to_owned()));
        check(written(&"a ".repeat(33), "", "", ""), FocusError::Long("a".to_owned()));
        for share in ["101%", "-1", "ten", "", "1000%", "0.5"] {
            let odd = Written { explore: Some(share.to_owned()), ..written("a", "", "", "") };
            check(odd, FocusError::Share(share.to_owned()));
        }
        for (share, expected) in [("0", 0), ("30%", 30), (" 100 % ", 100)] {
            let fine = Written { explore: Some(share.to_owned()), ..written("a", "", "", "") };
            assert_eq!(fine.read().unwrap().explore_percent, expected);
        }
    }

    #[test]
    fn it_is_told_as_it_was_written() {
        let focus = written("snow, rain river", "#Weather", "haw", "Oslo").read().unwrap();
        assert_eq!(
            focus.to_string(),
            "words snow, rain river; tag weather; lang haw; place oslo; 10% explore"
        );
        let only = Written { is_only: true, ..written("snow", "", "", "") }.read().unwrap();
        assert_eq!(only.to_string(), "words snow; 10% explore; nothing else is collected");
        for focus in [focus, only] {
            let text = serde_json::to_string(&focus).unwrap();
            assert_eq!(
                text.contains("is_only"),
                focus.is_only,
                "one that is not is written as before: {text}"
            );
            assert_eq!(serde_json::from_str::<Focus>(&text).unwrap(), focus);
        }
    }
}
