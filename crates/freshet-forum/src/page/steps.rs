//! Names of elements, by which places on different pages are compared.
//!
//! The paper aligns elements by their DOM path. A path of tags alone confuses the columns of a row, one of tags and positions
//! breaks when a row has an optional part; so a step is the element's first telling class, without digits, or else its tag. Classes
//! that say a state (odd, unread, sticky) tell nothing. A path is the last few steps ([`PATH_STEPS`]): long enough to tell the
//! columns of a row apart, short enough that rows in differently nested boxes stay one list.

use freshet_types::Map;

use crate::tree::{NodeId, Tree};

/// Steps in a path.
pub const PATH_STEPS: usize = 4;
/// Classes that say a state of a row rather than its role.
const STATES: [&str; 36] = [
    "odd",
    "even",
    "first",
    "last",
    "alt",
    "active",
    "unread",
    "read",
    "new",
    "old",
    "hot",
    "cold",
    "locked",
    "unlocked",
    "closed",
    "open",
    "sticky",
    "pinned",
    "important",
    "global",
    "announce",
    "moved",
    "hidden",
    "show",
    "clearfix",
    "clear",
    "row",
    "selected",
    "current",
    "online",
    "offline",
    "left",
    "right",
    "float",
    "pull",
    "cf",
];

/// The steps of all elements of a page.
#[derive(Debug, Default)]
pub struct Steps {
    of_node: Vec<u32>,
    names: Vec<String>,
}

impl Steps {
    /// Names every element.
    pub fn of(tree: &Tree) -> Self {
        let mut steps = Self::default();
        let mut numbers: Map<String, u32> = Map::default();
        // A page repeats few pairs of tag and class many times: each is named once, and those met of late are found without a hash.
        let mut recent: Vec<(String, u32)> = vec![(String::new(), u32::MAX); RECENT];
        let (mut pair, mut text_id) = (String::new(), None);
        for node in 0..tree.len() {
            // Texts have neither tag nor class, so they all have one name.
            let is_text = tree.text(node).is_some();
            if let Some(id) = text_id.filter(|_| is_text) {
                steps.of_node.push(id);
                continue;
            }
            pair.clear();
            pair.push_str(tree.tag(node));
            pair.push(' ');
            pair.push_str(tree.attribute(node, "class").unwrap_or_default());
            let place = &mut recent[place(&pair)];
            if place.0 != pair || place.1 == u32::MAX {
                let next = steps.names.len() as u32;
                let id = *numbers.entry(name(tree, node)).or_insert_with_key(|name| {
                    steps.names.push(name.clone());
                    next
                });
                *place = (pair.clone(), id);
            }
            steps.of_node.push(place.1);
            text_id = text_id.or(is_text.then_some(place.1));
        }
        steps
    }

    /// The step of one element; equal numbers are equal steps of this page.
    pub fn id(&self, node: NodeId) -> u32 {
        self.of_node[node]
    }

    /// The step of one element as text: `.class` or `tag`.
    pub fn name(&self, node: NodeId) -> &str {
        &self.names[self.of_node[node] as usize]
    }

    /// The last `count` steps down to an element, outermost first.
    pub fn path(&self, tree: &Tree, node: NodeId, count: usize) -> String {
        let mut steps: Vec<&str> = tree.ancestors(node).take(count).map(|it| self.name(it)).collect();
        steps.reverse();
        steps.join("/")
    }
}

/// Pairs that are remembered.
const RECENT: usize = 256;

/// Where a pair is remembered: by its length and its ends.
fn place(pair: &str) -> usize {
    let bytes = pair.as_bytes();
    let byte = |at: usize| usize::from(bytes.get(at).copied().unwrap_or(0));
    let last = byte(bytes.len().wrapping_sub(1)) * 31 + byte(bytes.len().wrapping_sub(3)) * 7;
    (bytes.len() * 13 + byte(0) * 5 + byte(1) * 3 + last) % RECENT
}

fn name(tree: &Tree, node: NodeId) -> String {
    let tag = tree.tag(node);
    let class = tree.attribute(node, "class").unwrap_or_default();
    for word in class.split_ascii_whitespace() {
        let plain: String = word.chars().filter(|c| !c.is_ascii_digit()).take(40).collect();
        let plain = plain.trim_matches(['-', '_']);
        if plain.len() > 1 && !STATES.contains(&plain.to_ascii_lowercase().as_str()) {
            return format!(".{plain}");
        }
    }
    tag.to_owned()
}
