//! Step 6 of 10, read: a page as a compact tree, flattened in document order.
//!
//! The browsers' own tree builder (`html5ever`) repairs the markup; [`sink`] collects what it builds. Then the tree is
//! laid out in document order, so that the subtree of node `i` is the range `i..end(i)`: every walk of this crate is a loop
//! over a range, never a recursion, and deep nesting cannot overflow a stack. Kept are texts, links and the few attributes
//! that say something about lists and times; styles, scripts (but linked data) and images are dropped.
//!
//! Invariant: bytes, nodes, attributes, depth and the builder's work are bounded by the constants below whatever the page
//! is; what lies beyond is not read and [`Tree::cut`] says so.

mod intake;
mod sink;

use std::borrow::Cow;

use html5ever::{LocalName, local_name};

pub use intake::parse;

/// Bytes of one page that are read. The largest honest thread pages are a few megabytes.
pub const BYTES_MAX: usize = 8 << 20;
/// Nodes of one page that are kept; at about 30 bytes of markup a node this is above [`BYTES_MAX`] of real pages.
pub const NODES_MAX: usize = 300_000;
/// Levels of nesting, as browsers have it. The tree builder looks up its stack for many tags, so depth is what makes
/// hostile pages slow.
pub const DEPTH_MAX: usize = 500;
/// Attributes of one element that are kept; the largest honest elements have some twenty.
pub(crate) const ATTRIBUTES_MAX: usize = 64;
/// Attributes of one page that are kept. The builder copies those of formatting elements wherever it opens them again.
pub(crate) const ATTRIBUTES_TOTAL_MAX: usize = 300_000;
/// Elements that the tree builder may look at for one page. Honest pages need five or six for an element; this is
/// above [`NODES_MAX`] of them, and a second or two of work.
pub const STEPS_MAX: u64 = 30_000_000;

/// Index of a node in document order.
pub type NodeId = usize;

/// Where a text lies in the tree's buffer.
#[derive(Clone, Copy, Debug, Default)]
struct Slice {
    start: u32,
    end: u32,
}

/// What a node is.
#[derive(Debug)]
enum Data {
    Element { tag: LocalName, attributes_start: u32, attributes_end: u32 },
    Text(Slice),
}

#[derive(Debug)]
struct Node {
    parent: u32,
    end: u32,
    data: Data,
}

/// A page in document order.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    attributes: Vec<(LocalName, Slice)>,
    text: String,
    linked_data: Vec<String>,
    cut: Option<&'static str>,
}

impl Tree {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the page had nothing in it.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Why the end of the page was not read, when it was not.
    pub fn cut(&self) -> Option<&'static str> {
        self.cut
    }

    /// The page's linked data, as written.
    pub(crate) fn linked_data(&self) -> &[String] {
        &self.linked_data
    }

    /// The element around a node.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.nodes[node].parent as usize;
        (parent != node).then_some(parent)
    }

    /// The first node after the subtree of `node`.
    pub fn end(&self, node: NodeId) -> NodeId {
        self.nodes[node].end as usize
    }

    /// Whether `inner` lies in the subtree of `outer`, or is it.
    pub fn is_within(&self, inner: NodeId, outer: NodeId) -> bool {
        outer <= inner && inner < self.end(outer)
    }

    /// The element's name; empty for a text.
    pub fn tag(&self, node: NodeId) -> &str {
        match &self.nodes[node].data {
            Data::Element { tag, .. } => tag,
            Data::Text(_) => "",
        }
    }

    /// The text of a text node.
    pub fn text(&self, node: NodeId) -> Option<&str> {
        match self.nodes[node].data {
            Data::Text(slice) => Some(self.slice(slice)),
            Data::Element { .. } => None,
        }
    }

    /// The element's name as the parser keeps it: names are compared as numbers, which a walk over all nodes needs.
    pub(crate) fn element(&self, node: NodeId) -> Option<&LocalName> {
        match &self.nodes[node].data {
            Data::Element { tag, .. } => Some(tag),
            Data::Text(_) => None,
        }
    }

    /// The element's classes as written.
    pub(crate) fn class(&self, node: NodeId) -> &str {
        self.named(node, &local_name!("class")).unwrap_or_default()
    }

    /// One attribute of an element, by the parser's own name.
    pub(crate) fn named(&self, node: NodeId, name: &LocalName) -> Option<&str> {
        let found = self.attributes_of(node).iter().find(|(known, _)| known == name);
        found.map(|(_, slice)| self.slice(*slice))
    }

    /// One attribute of an element.
    pub fn attribute(&self, node: NodeId, name: &str) -> Option<&str> {
        self.attributes(node).find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// All attributes that were kept.
    pub fn attributes(&self, node: NodeId) -> impl Iterator<Item = (&str, &str)> {
        self.attributes_of(node).iter().map(|(name, slice)| (&**name, self.slice(*slice)))
    }

    /// All attributes that were kept, by the parser's own names.
    pub(crate) fn attributes_named(&self, node: NodeId) -> impl Iterator<Item = (&LocalName, &str)> {
        self.attributes_of(node).iter().map(|(name, slice)| (name, self.slice(*slice)))
    }

    fn attributes_of(&self, node: NodeId) -> &[(LocalName, Slice)] {
        match self.nodes[node].data {
            Data::Element { attributes_start, attributes_end, .. } => {
                &self.attributes[attributes_start as usize..attributes_end as usize]
            }
            Data::Text(_) => &[],
        }
    }

    /// The node and everything around it, innermost first.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(node), |&at| self.parent(at))
    }

    /// The elements directly inside.
    pub(crate) fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let end = self.end(node);
        let first = Some(node + 1).filter(|&at| at < end);
        std::iter::successors(first, move |&at| Some(self.end(at)).filter(|&next| next < end))
            .filter(|&at| self.text(at).is_none())
    }

    /// All text in a range of nodes, in one line, at most `chars_max` characters.
    pub(crate) fn text_in(&self, range: std::ops::Range<NodeId>, chars_max: usize) -> String {
        let mut line = String::new();
        let mut count = 0;
        for text in range.filter_map(|node| self.text(node)) {
            for word in text.split_whitespace() {
                if count >= chars_max {
                    return line;
                }
                if !line.is_empty() {
                    line.push(' ');
                }
                let room = chars_max - count;
                if word.is_ascii() {
                    line.push_str(&word[..word.len().min(room)]);
                    count += word.len().min(room) + 1;
                } else {
                    line.extend(word.chars().take(room));
                    count += word.chars().count().min(room) + 1;
                }
            }
        }
        line
    }

    /// What [`Tree::text_in`] gives, without a copy where it stands in the page as one plain line: most links do.
    pub(crate) fn line_in(&self, range: std::ops::Range<NodeId>, chars_max: usize) -> Cow<'_, str> {
        let mut texts = range.clone().filter_map(|node| self.text(node));
        match (texts.next().map(str::trim_ascii), texts.next()) {
            (None, _) => Cow::Borrowed(""),
            (Some(line), None) if line.len() <= chars_max && is_plain_line(line) => Cow::Borrowed(line),
            _ => Cow::Owned(self.text_in(range, chars_max)),
        }
    }

    /// How many characters [`Tree::text_in`] would give.
    pub(crate) fn chars_in(&self, range: std::ops::Range<NodeId>, chars_max: usize) -> usize {
        let mut count = 0;
        for text in range.filter_map(|node| self.text(node)) {
            count += if text.is_ascii() {
                plain_chars(text)
            } else {
                text.split_whitespace().map(|word| word.chars().count() + 1).sum()
            };
            if count > chars_max {
                return chars_max;
            }
        }
        // No space before the first word.
        count.saturating_sub(1)
    }

    fn slice(&self, slice: Slice) -> &str {
        &self.text[slice.start as usize..slice.end as usize]
    }
}

/// Characters of the words of a plain text, and one more for each word.
fn plain_chars(text: &str) -> usize {
    let mut is_space_before = true;
    text.bytes().fold(0, |count, byte| {
        let is_space = matches!(byte, b'\t'..=b'\r' | b' ');
        let is_start = is_space_before && !is_space;
        is_space_before = is_space;
        count + usize::from(!is_space) + usize::from(is_start)
    })
}

/// Whether a text is words of plain letters and signs with single spaces between them.
fn is_plain_line(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.iter().all(|it| (b' '..0x7f).contains(it)) && bytes.windows(2).all(|two| two != b"  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subtrees_are_ranges() {
        let tree = parse(b"<ul class=a><li>one<li title=t>two <b>three</b></ul><script>no</script>");
        let list = (0..tree.len()).find(|&at| tree.tag(at) == "ul").unwrap();
        let items: Vec<_> = tree.children(list).map(|at| tree.text_in(at..tree.end(at), 80)).collect();
        assert_eq!(items, ["one", "two three"]);
        assert_eq!(
            tree.children(list).filter_map(|at| tree.attribute(at, "title")).collect::<Vec<_>>(),
            ["t"]
        );
        assert!(!tree.text_in(0..tree.len(), 80).contains("no"));
        assert_eq!(tree.chars_in(0..tree.len(), 80), "one two three".len());
        assert_eq!(tree.chars_in(0..tree.len(), 6), 6);
        let spaced = parse("<p> a\tbc \n</p><p>é\u{a0}ö</p>".as_bytes());
        assert_eq!(spaced.chars_in(0..spaced.len(), 80), "a bc é ö".chars().count());
        for chars_max in [4, 80] {
            for node in 0..tree.len() {
                let range = node..tree.end(node);
                assert_eq!(tree.line_in(range.clone(), chars_max), tree.text_in(range, chars_max));
            }
        }
    }

    #[test]
    fn hostile_pages_are_cut() {
        let deep = "<div>".repeat(50_000);
        assert!(parse(deep.as_bytes()).cut().is_some_and(|why| why.contains("nested")));
        let wide = "<i>x</i>".repeat(NODES_MAX);
        let tree = parse(wide.as_bytes());
        assert!(tree.cut().is_some() && tree.len() < 2 * NODES_MAX, "{}", tree.len());
        assert!(parse(&[0xff, 0xfe, 0, 1, 2]).len() < 10);
    }

    /// A page that repeats something as often as a page may; what matters is that reading it ends.
    fn check_ends(before: &str, repeated: impl Fn(usize) -> String, after: &str) -> Tree {
        let mut page = String::from(before);
        for number in 0.. {
            page.push_str(&repeated(number));
            if page.len() > BYTES_MAX - after.len() - 64 {
                break;
            }
        }
        page.push_str(after);
        parse(page.as_bytes())
    }

    /// The parser compares each attribute of a tag with all before it: each of these pages took it hours.
    #[test]
    fn a_tag_with_a_million_attributes_is_read_at_once() {
        let shown = |tree: &Tree| tree.text_in(0..tree.len(), 80);
        let after = "><p>after</p>";
        for before in ["<p>before</p><a ", "<p>before</p><!-- > <b --></a\n"] {
            let tree = check_ends(before, |number| format!("d{number:x} "), after);
            assert_eq!(shown(&tree), "before after", "{before}");
        }
        // With a bracket inside quotes the tag ends early, and what is left of it is text.
        let tree = check_ends("<p>before</p><a ", |number| format!("d{number:x}='>'"), after);
        assert!(shown(&tree).starts_with("before"));
        // Whoever took this for an open quote would not see the tag.
        let hidden = "<script><!--<script></script x='--></script>before<a ";
        assert_eq!(shown(&check_ends(hidden, |number| format!("d{number:x}/"), after)), "before after");
    }

    #[test]
    fn tags_that_pile_up_attributes_or_open_elements_end() {
        let tree = check_ends("", |number| format!("<html data-{number}>"), "<p>after</p>");
        assert_eq!(tree.text_in(0..tree.len(), 80), "after");
        let many =
            |number: usize| (0..500).map(|it| format!(" data-{number}-{it}")).collect::<Vec<_>>().concat();
        let tree = check_ends("<p>", |number| format!("<b{}>", many(number)), "");
        assert!(tree.cut().is_some() && tree.attributes.len() <= ATTRIBUTES_TOTAL_MAX + ATTRIBUTES_MAX);
        let reopened =
            (0..400).map(|number| format!("<b data-a={number} data-b>")).collect::<Vec<_>>().concat();
        let tree = check_ends(&format!("<p>{reopened}"), |_| "<p>x".to_owned(), "");
        assert!(tree.cut().is_some() && tree.len() < 2 * NODES_MAX, "{}", tree.len());
        // Each end tag looks for its element from the innermost outwards.
        let tree = check_ends(&"<i>".repeat(3).repeat(160), |_| "</u>".to_owned(), "");
        assert!(tree.cut().is_some());
    }

    #[test]
    fn what_an_honest_page_holds_in_one_tag_stays() {
        let data = "a b/c=d ".repeat(60);
        let tree = parse(format!("<p title='{data}' data-time=7 href=x>t</p>").as_bytes());
        let p = (0..tree.len()).find(|&at| tree.tag(at) == "p").unwrap();
        assert_eq!((tree.attribute(p, "title"), tree.attribute(p, "href")), (Some(&*data), Some("x")));
    }
}
