//! Elements of a page as parts of a tree: what they are made of, and the text that people read in one.
//!
//! Part of step 6 of 10. An element is an object with its name, its attributes and its children (elements and texts), so that everything
//! that works on trees works on pages too. [`crate::format`] makes elements, [`crate::selector`] finds them, and a field takes the text of
//! one. Nothing here goes deeper than the tree, which is bounded where it is made.

use std::borrow::Cow;

use serde_json_borrow::ObjectAsVec;

use crate::tree::Tree;

/// Keys of an element's name, attributes and children; no answer in another format has them all.
const NAME: &str = "<";
const ATTRIBUTES: &str = "@";
const CHILDREN: &str = ">";
/// Longest text of one element.
const TEXT_BYTES_MAX: usize = 1 << 20;
/// Line breaks that may follow each other: an empty line parts paragraphs, and two say nothing more.
const BREAKS_MAX: usize = 2;

/// Elements whose content nobody reads.
const HIDDEN: [&str; 5] = ["head", "noscript", "script", "style", "template"];
/// Elements that stand on lines of their own.
const BLOCKS: [&str; 24] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "dd",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "header",
    "li",
    "ol",
    "p",
    "pre",
    "section",
    "tr",
    "ul",
];

/// An element.
pub(crate) fn make<'a>(name: Cow<'a, str>, attributes: ObjectAsVec<'a>, children: Vec<Tree<'a>>) -> Tree<'a> {
    let parts =
        [(NAME, Tree::Str(name)), (ATTRIBUTES, Tree::Object(attributes)), (CHILDREN, Tree::Array(children))];
    Tree::Object(parts.into_iter().collect())
}

/// The name of an element; `None` for what is none.
pub(crate) fn name<'v>(tree: &'v Tree<'_>) -> Option<&'v str> {
    part(tree, NAME).and_then(Tree::as_str)
}

/// An attribute of an element.
pub(crate) fn attribute<'v>(tree: &'v Tree<'v>, name: &str) -> Option<&'v Tree<'v>> {
    let Tree::Object(attributes) = part(tree, ATTRIBUTES)? else { return None };
    attributes.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

/// What stands inside an element.
pub(crate) fn children<'v>(tree: &'v Tree<'v>) -> &'v [Tree<'v>] {
    match part(tree, CHILDREN) {
        Some(Tree::Array(children)) => children,
        _ => &[],
    }
}

fn part<'v>(tree: &'v Tree<'v>, key: &str) -> Option<&'v Tree<'v>> {
    match tree {
        Tree::Object(object) => object.get(key),
        _ => None,
    }
}

/// The text that people read in an element, a block on lines of its own; `None` for what is no element, or holds no text.
pub(crate) fn text(tree: &Tree<'_>) -> Option<String> {
    name(tree)?;
    let mut lines = Lines::default();
    lines.add(tree);
    (!lines.text.is_empty()).then_some(lines.text)
}

/// Words in lines.
#[derive(Debug, Default)]
struct Lines {
    text: String,
    /// Line breaks before the next word.
    breaks: usize,
    /// The next word is apart from the one before.
    is_apart: bool,
}

impl Lines {
    fn add(&mut self, tree: &Tree<'_>) {
        if let Tree::Str(text) = tree {
            return self.push(text);
        }
        let Some(name) = name(tree) else { return };
        if name == "br" {
            self.breaks += 1;
            return;
        }
        if HIDDEN.contains(&name) {
            return;
        }
        let is_block = BLOCKS.contains(&name);
        if is_block {
            self.breaks = self.breaks.max(1);
        }
        for child in children(tree) {
            self.add(child);
        }
        if is_block {
            self.breaks = self.breaks.max(1);
        }
    }

    fn push(&mut self, text: &str) {
        for (at, word) in text.split(char::is_whitespace).enumerate() {
            self.is_apart |= at > 0;
            if word.is_empty() || self.text.len() + word.len() >= TEXT_BYTES_MAX {
                continue;
            }
            if !self.text.is_empty() {
                match self.breaks {
                    0 if self.is_apart => self.text.push(' '),
                    breaks => self.text.extend(std::iter::repeat_n('\n', breaks.min(BREAKS_MAX))),
                }
            }
            self.text.push_str(word);
            (self.breaks, self.is_apart) = (0, false);
        }
    }
}
