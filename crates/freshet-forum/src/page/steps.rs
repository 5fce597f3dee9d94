//! Names of elements, by which places on different pages are compared.
//!
//! The paper aligns elements by their DOM path. A path of tags alone confuses the columns of a row, one of tags and positions
//! breaks when a row has an optional part; so a step is the element's first telling class, without digits, or else its tag. Classes
//! that say a state (odd, unread, sticky) tell nothing. A path is the last few steps ([`PATH_STEPS`]): long enough to tell the
//! columns of a row apart, short enough that rows in differently nested boxes stay one list.

use freshet_types::Map;
use html5ever::LocalName;

use crate::tree::{NodeId, Tree};

/// Steps in a path.
pub(crate) const PATH_STEPS: usize = 4;
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

/// States that end a class made of several words; words of place (left, first) tell columns apart there.
const ENDINGS: [&str; 16] = [
    "new", "old", "read", "unread", "hot", "cold", "locked", "unlocked", "closed", "sticky", "pinned",
    "moved", "odd", "even", "online", "offline",
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
        let mut recent: Vec<Option<(&LocalName, &str, u32)>> = vec![None; RECENT];
        let mut text_id = None;
        steps.of_node.reserve(tree.len());
        for node in 0..tree.len() {
            let Some(tag) = tree.element(node) else {
                // Texts have neither tag nor class, so they all have one name.
                let id = *text_id.get_or_insert_with(|| steps.number(&mut numbers, String::new()));
                steps.of_node.push(id);
                continue;
            };
            let class = tree.class(node);
            let slot = &mut recent[slot_of(tag, class)];
            let id = match *slot {
                Some((known_tag, known_class, id)) if known_tag == tag && known_class == class => id,
                _ => steps.number(&mut numbers, name(tag, class)),
            };
            *slot = Some((tag, class, id));
            steps.of_node.push(id);
        }
        steps
    }

    fn number(&mut self, numbers: &mut Map<String, u32>, name: String) -> u32 {
        let next = self.names.len() as u32;
        *numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            next
        })
    }

    /// The step of one element; equal numbers are equal steps of this page.
    pub fn id(&self, node: NodeId) -> u32 {
        self.of_node[node]
    }

    /// The step of one element as text: `.class` or `tag`.
    pub fn name(&self, node: NodeId) -> &str {
        &self.names[self.of_node[node] as usize]
    }

    /// All steps of the page, by their numbers.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The last `count` steps down to an element, outermost first.
    pub fn path(&self, tree: &Tree, node: NodeId, count: usize) -> String {
        let mut steps: Vec<&str> = tree.ancestors(node).take(count).map(|it| self.name(it)).collect();
        steps.reverse();
        steps.join("/")
    }

    /// Whether [`Steps::path`] is this text.
    pub(crate) fn is_path(&self, tree: &Tree, node: NodeId, count: usize, path: &str) -> bool {
        let mut rest = Some(path);
        for (up, at) in tree.ancestors(node).take(count).enumerate() {
            let outer = if up == 0 { rest } else { rest.and_then(|it| it.strip_suffix('/')) };
            rest = outer.and_then(|it| it.strip_suffix(self.name(at)));
        }
        rest.is_some_and(str::is_empty)
    }
}

/// Pairs that are remembered.
const RECENT: usize = 256;

/// Where a pair is remembered: by the tag, the length of the class and its ends.
fn slot_of(tag: &LocalName, class: &str) -> usize {
    let bytes = class.as_bytes();
    let byte = |at: usize| usize::from(bytes.get(at).copied().unwrap_or(0));
    let ends = byte(bytes.len().wrapping_sub(1)) * 31 + byte(bytes.len().wrapping_sub(3)) * 7 + byte(0) * 5;
    (tag.get_hash() as usize + bytes.len() * 13 + ends) % RECENT
}

fn name(tag: &str, class: &str) -> String {
    for word in class.split_ascii_whitespace() {
        let plain: String = word.chars().filter(|c| !c.is_ascii_digit()).take(40).collect();
        let plain = plain.trim_matches(['-', '_']);
        if plain.len() > 1 && !STATES.contains(&plain.to_ascii_lowercase().as_str()) {
            return format!(".{}", without_state(plain));
        }
    }
    tag.to_owned()
}

/// `subject_new` and `subject_old` are one role in two states.
fn without_state(class: &str) -> &str {
    let end = class
        .rsplit_once(['-', '_'])
        .filter(|(role, state)| role.len() > 1 && ENDINGS.iter().any(|it| it.eq_ignore_ascii_case(state)));
    end.map_or(class, |(role, _)| role)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_no_part_of_a_name() {
        for (class, expected) in [
            ("subject_new", ".subject"),
            ("odd topic-unread", ".topic"),
            ("cell-left", ".cell-left"),
            ("new", "td"),
            ("post2 old", ".post"),
        ] {
            assert_eq!(name("td", class), expected, "{class}");
        }
    }

    #[test]
    fn a_path_is_told_from_its_text() {
        let tree = crate::tree::parse(
            b"<ul class='odd list'><li class=row><a class='w-1/2 title2'>x</a><a>y</a></ul>",
        );
        let steps = Steps::of(&tree);
        let paths: Vec<String> = (0..tree.len()).map(|node| steps.path(&tree, node, PATH_STEPS)).collect();
        assert!(paths.contains(&"body/.list/li/.w-/".to_owned()), "{paths:?}");
        for node in 0..tree.len() {
            for path in &paths {
                assert_eq!(steps.is_path(&tree, node, PATH_STEPS, path), paths[node] == *path, "{path}");
            }
        }
    }
}
