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
        // A page repeats few pairs of tag and class many times: each is named once.
        let mut seen: Map<String, u32> = Map::default();
        let mut pair = String::new();
        let mut text_id = None;
        for node in 0..tree.len() {
            // Texts have neither tag nor class, so they all have one name.
            if let Some(id) = text_id.filter(|_| tree.text(node).is_some()) {
                steps.of_node.push(id);
                continue;
            }
            pair.clear();
            pair.push_str(tree.tag(node));
            pair.push(' ');
            pair.push_str(tree.attribute(node, "class").unwrap_or_default());
            let id = seen.get(pair.as_str()).copied().unwrap_or_else(|| {
                let id = *numbers.entry(name(tree, node)).or_insert_with_key(|name| {
                    steps.names.push(name.clone());
                    (steps.names.len() - 1) as u32
                });
                seen.insert(pair.clone(), id);
                id
            });
            steps.of_node.push(id);
            text_id = text_id.or_else(|| tree.text(node).is_some().then_some(id));
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
