//! Names of elements: whose they are, and what they are called there.
//!
//! Part of step 6 of 10. A prefix means what the feed declares it to mean; one that is not declared means what everybody writes it
//! for. Names without a prefix are those of the feed's own format, and so are Atom's inside RSS. What is of no known space is read by
//! nobody. Declarations count for the whole feed, since nearly all stand in its first tag.

use std::borrow::Cow;

use crate::format::markup::Tag;

/// Declarations that are kept; feeds have a dozen.
const DECLARED_MAX: usize = 64;

/// Whose names they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Space {
    /// RSS in all versions, and Atom.
    Core,
    /// Dublin Core, and its terms.
    Dublin,
    Content,
    /// Media RSS: pictures and films.
    Media,
    /// How often the feed changes.
    Syndication,
    /// How many answered.
    Slash,
    /// Where answers are listed.
    Comments,
    /// What answers what.
    Thread,
    /// Sound, and who speaks.
    Podcast,
    Other,
}

/// Usual prefix, a part of the address that no other space has, and the space.
const SPACES: [(&str, &str, Space); 12] = [
    ("atom", "w3.org/2005/atom", Space::Core),
    ("a10", "purl.org/atom/", Space::Core),
    ("rss", "purl.org/rss/1.0/#", Space::Core),
    ("dc", "purl.org/dc/elements/", Space::Dublin),
    ("dcterms", "purl.org/dc/terms/", Space::Dublin),
    ("content", "purl.org/rss/1.0/modules/content", Space::Content),
    ("media", "search.yahoo.com/mrss", Space::Media),
    ("sy", "purl.org/rss/1.0/modules/syndication", Space::Syndication),
    ("slash", "purl.org/rss/1.0/modules/slash", Space::Slash),
    ("wfw", "wellformedweb.org/commentapi", Space::Comments),
    ("thr", "purl.org/syndication/thread", Space::Thread),
    ("itunes", "itunes.com/dtds/podcast", Space::Podcast),
];

/// What prefixes mean in one feed.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    declared: Vec<(&'a str, Space)>,
}

impl<'a> Names<'a> {
    /// Takes in what a tag declares.
    pub(super) fn declare(&mut self, tag: &Tag<'a>) {
        if !tag.attributes.contains("xmlns:") {
            return;
        }
        for (name, address) in tag.attributes() {
            let Some(prefix) = name.strip_prefix("xmlns:") else { continue };
            if self.declared.len() == DECLARED_MAX {
                return;
            }
            // The version of RSS 1.0 ends where its modules go on.
            let address = format!("{}#", address.trim().to_ascii_lowercase());
            let found = SPACES.iter().find(|(_, part, _)| address.contains(part));
            let space = found.map_or(Space::Other, |(.., space)| *space);
            if self.declared.iter().all(|(known, _)| *known != prefix) {
                self.declared.push((prefix, space));
            }
        }
    }

    /// The space and the bare name, in small letters.
    pub(super) fn of(&self, name: &'a str) -> (Space, Cow<'a, str>) {
        let Some((prefix, bare)) = name.split_once(':') else { return (Space::Core, small(name)) };
        let declared = self.declared.iter().find(|(known, _)| *known == prefix).map(|(_, space)| *space);
        let usual = || SPACES.iter().find(|(usual, ..)| *usual == prefix).map(|(.., space)| *space);
        (declared.or_else(usual).unwrap_or(Space::Other), small(bare))
    }
}

/// A name without its prefix, in small letters.
pub(super) fn bare(name: &str) -> Cow<'_, str> {
    small(name.rsplit(':').next().unwrap_or_default())
}

fn small(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(name.to_ascii_lowercase())
    } else {
        Cow::Borrowed(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::markup::{Scanner, Token};

    #[test]
    fn a_prefix_means_what_is_declared_or_what_is_usual() {
        let root = "<rdf:RDF xmlns='http://purl.org/rss/1.0/' xmlns:r='http://purl.org/rss/1.0/' \
                    xmlns:m='http://search.yahoo.com/mrss/' xmlns:c=\"http://purl.org/rss/1.0/modules/content/\" \
                    xmlns:dc='https://odd.example/'>";
        let mut names = Names::default();
        for token in Scanner::new(root) {
            let Token::Start(tag) = token else { continue };
            names.declare(&tag);
        }
        for (name, space, local) in [
            ("pubDate", Space::Core, "pubdate"),
            ("r:title", Space::Core, "title"),
            ("atom:link", Space::Core, "link"),
            ("m:content", Space::Media, "content"),
            ("c:encoded", Space::Content, "encoded"),
            ("slash:comments", Space::Slash, "comments"),
            // Declared to be something that nobody knows.
            ("dc:date", Space::Other, "date"),
            ("who:knows", Space::Other, "knows"),
            ("rdf:RDF", Space::Other, "rdf"),
        ] {
            assert_eq!(names.of(name), (space, local.into()), "{name}");
        }
    }
}
