//! Collects what the tree builder makes, then lays it out in document order.
//!
//! The builder moves nodes while it repairs (text out of tables, formatting elements), so the draft keeps sibling links;
//! only the finished page is flattened. The page is fed in pieces ([`super::intake`]), and the limits are looked at between
//! two pieces: the builder itself knows none. What it does not do: keep comments, doctypes or the quirks of a page.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, LocalName, QualName};

use super::{ATTRIBUTES_MAX, ATTRIBUTES_TOTAL_MAX, DEPTH_MAX, Data, NODES_MAX, Node, STEPS_MAX, Slice, Tree};

/// No node.
const NONE: u32 = u32::MAX;
/// The document itself, parent of `html`.
const DOCUMENT: u32 = 0;

/// Attributes that say something about lists, links and times.
const KEPT: [&str; 13] = [
    "aria-current",
    "aria-label",
    "class",
    "content",
    "datetime",
    "href",
    "id",
    "itemprop",
    "lang",
    "name",
    "rel",
    "title",
    "type",
];
/// Elements whose content no reader sees.
const UNSEEN: [&str; 7] = ["style", "template", "svg", "noembed", "iframe", "textarea", "select"];

struct DraftNode {
    parent: u32,
    previous: u32,
    next: u32,
    first: u32,
    last: u32,
    depth: u32,
    data: DraftData,
}

enum DraftData {
    Nothing,
    Element(QualName, Vec<Attribute>),
    Text(StrTendril),
}

pub(super) struct Draft {
    nodes: RefCell<Vec<DraftNode>>,
    depth_max: Cell<u32>,
    attribute_count: Cell<usize>,
    /// How often the builder has looked at an element: nearly all of its work on hostile pages.
    step_count: Cell<u64>,
}

impl Default for Draft {
    fn default() -> Self {
        let draft = Self {
            nodes: RefCell::new(Vec::new()),
            depth_max: Cell::new(0),
            attribute_count: Cell::new(0),
            step_count: Cell::new(0),
        };
        draft.add(DraftData::Nothing);
        draft
    }
}

impl Draft {
    /// Why no more of the page is read, when that is so.
    pub(super) fn is_full(&self) -> Option<&'static str> {
        if self.nodes.borrow().len() > NODES_MAX {
            return Some("the page has more than 300,000 elements; the rest was not read");
        }
        if self.attribute_count.get() > ATTRIBUTES_TOTAL_MAX {
            return Some("the page has more than 300,000 attributes; the rest was not read");
        }
        if self.step_count.get() > STEPS_MAX {
            return Some("the page's tags are too entangled to be repaired; the rest was not read");
        }
        let is_deep = self.depth_max.get() as usize > DEPTH_MAX;
        is_deep.then_some("the page is nested more than 500 levels deep; the rest was not read")
    }

    /// Leaves those attributes that say something, as long as there is room for them.
    fn keep_attributes(&self, attributes: &mut Vec<Attribute>, room: usize) {
        let count = self.attribute_count.get();
        attributes.retain(|attribute| is_kept(&attribute.name.local));
        attributes.truncate(if count > ATTRIBUTES_TOTAL_MAX { 0 } else { room });
        attributes.shrink_to_fit();
        self.attribute_count.set(count + attributes.len());
    }

    fn add(&self, data: DraftData) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        let blank =
            DraftNode { parent: NONE, previous: NONE, next: NONE, first: NONE, last: NONE, depth: 0, data };
        nodes.push(blank);
        (nodes.len() - 1) as u32
    }

    fn detach(&self, at: u32) {
        let mut nodes = self.nodes.borrow_mut();
        let (parent, previous, next) = {
            let node = &mut nodes[at as usize];
            let links = (node.parent, node.previous, node.next);
            (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
            links
        };
        if parent == NONE {
            return;
        }
        match previous {
            NONE => nodes[parent as usize].first = next,
            _ => nodes[previous as usize].next = next,
        }
        match next {
            NONE => nodes[parent as usize].last = previous,
            _ => nodes[next as usize].previous = previous,
        }
    }

    /// Hangs `at` below `parent`, before `next` or at the end.
    fn attach(&self, parent: u32, at: u32, next: u32) {
        self.detach(at);
        let mut nodes = self.nodes.borrow_mut();
        let previous = if next == NONE { nodes[parent as usize].last } else { nodes[next as usize].previous };
        let depth = nodes[parent as usize].depth + 1;
        self.depth_max.set(self.depth_max.get().max(depth));
        let node = &mut nodes[at as usize];
        (node.parent, node.previous, node.next, node.depth) = (parent, previous, next, depth);
        match previous {
            NONE => nodes[parent as usize].first = at,
            _ => nodes[previous as usize].next = at,
        }
        match next {
            NONE => nodes[parent as usize].last = at,
            _ => nodes[next as usize].previous = at,
        }
    }

    fn insert(&self, parent: u32, child: NodeOrText<u32>, next: u32) {
        match child {
            NodeOrText::AppendNode(at) => self.attach(parent, at, next),
            NodeOrText::AppendText(text) => {
                if !self.joined(parent, &text, next) {
                    let at = self.add(DraftData::Text(text));
                    self.attach(parent, at, next);
                }
            }
        }
    }

    /// Adds to the text that already stands there.
    fn joined(&self, parent: u32, text: &StrTendril, next: u32) -> bool {
        let mut nodes = self.nodes.borrow_mut();
        let before = if next == NONE { nodes[parent as usize].last } else { nodes[next as usize].previous };
        match nodes.get_mut(before as usize).map(|node| &mut node.data) {
            Some(DraftData::Text(known)) => {
                known.push_tendril(text);
                true
            }
            _ => false,
        }
    }
}

/// The name of an element, borrowed from the draft.
#[derive(Debug)]
pub(super) struct Name(QualName);

impl html5ever::tree_builder::ElemName for Name {
    fn ns(&self) -> &html5ever::Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl TreeSink for Draft {
    type Handle = u32;
    type Output = Tree;
    type ElemName<'a> = Name;

    fn finish(self) -> Tree {
        flatten(&self.nodes.into_inner())
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> u32 {
        DOCUMENT
    }

    fn elem_name<'a>(&'a self, target: &'a u32) -> Name {
        self.step_count.set(self.step_count.get() + 1);
        match &self.nodes.borrow()[*target as usize].data {
            DraftData::Element(name, _) => Name(name.clone()),
            _ => Name(QualName::new(None, html5ever::Namespace::default(), LocalName::default())),
        }
    }

    fn create_element(&self, name: QualName, mut attributes: Vec<Attribute>, _: ElementFlags) -> u32 {
        self.keep_attributes(&mut attributes, ATTRIBUTES_MAX);
        self.add(DraftData::Element(name, attributes))
    }

    fn create_comment(&self, _: StrTendril) -> u32 {
        self.add(DraftData::Nothing)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> u32 {
        self.add(DraftData::Nothing)
    }

    fn append(&self, parent: &u32, child: NodeOrText<u32>) {
        self.insert(*parent, child, NONE);
    }

    fn append_based_on_parent_node(&self, element: &u32, previous: &u32, child: NodeOrText<u32>) {
        let has_parent = self.nodes.borrow()[*element as usize].parent != NONE;
        if has_parent { self.append_before_sibling(element, child) } else { self.append(previous, child) }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &u32) -> u32 {
        *target
    }

    fn same_node(&self, x: &u32, y: &u32) -> bool {
        self.step_count.set(self.step_count.get() + 1);
        x == y
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &u32, child: NodeOrText<u32>) {
        let parent = self.nodes.borrow()[*sibling as usize].parent;
        self.insert(parent, child, *sibling);
    }

    fn add_attrs_if_missing(&self, target: &u32, mut attributes: Vec<Attribute>) {
        if let DraftData::Element(_, known) = &mut self.nodes.borrow_mut()[*target as usize].data {
            attributes.retain(|attribute| known.iter().all(|it| it.name != attribute.name));
            self.keep_attributes(&mut attributes, ATTRIBUTES_MAX.saturating_sub(known.len()));
            known.extend(attributes);
        }
    }

    fn remove_from_parent(&self, target: &u32) {
        self.detach(*target);
    }

    fn reparent_children(&self, node: &u32, new_parent: &u32) {
        loop {
            let first = self.nodes.borrow()[*node as usize].first;
            if first == NONE {
                return;
            }
            self.attach(*new_parent, first, NONE);
        }
    }
}

pub(super) fn is_kept(name: &str) -> bool {
    KEPT.contains(&name) || name.starts_with("data-")
}

/// Lays the draft out in document order, leaving out what no reader sees.
fn flatten(draft: &[DraftNode]) -> Tree {
    let mut tree = Tree::default();
    let mut open: Vec<(u32, u32)> = Vec::new();
    let mut at = draft[DOCUMENT as usize].first;
    while at != NONE {
        let node = &draft[at as usize];
        let is_entered = push(&mut tree, draft, at, open.last().map(|(_, flat)| *flat));
        if is_entered && node.first != NONE {
            open.push((at, (tree.nodes.len() - 1) as u32));
            at = node.first;
            continue;
        }
        // Up until somebody has a next sibling.
        while at != NONE && draft[at as usize].next == NONE {
            at = open.pop().map_or(NONE, |(draft_at, flat)| {
                tree.nodes[flat as usize].end = tree.nodes.len() as u32;
                draft_at
            });
        }
        at = if at == NONE { NONE } else { draft[at as usize].next };
    }
    tree
}

/// Adds one node; says whether its children are wanted.
fn push(tree: &mut Tree, draft: &[DraftNode], at: u32, parent: Option<u32>) -> bool {
    let here = tree.nodes.len() as u32;
    let (data, is_entered) = match &draft[at as usize].data {
        DraftData::Nothing => return false,
        DraftData::Text(text) if text.trim().is_empty() => return false,
        DraftData::Text(text) => (Data::Text(tree.keep(text)), false),
        DraftData::Element(name, attributes) => {
            if &*name.local == "script" {
                tree.linked_data.extend(linked_data(draft, at, attributes));
                return false;
            }
            if UNSEEN.contains(&&*name.local) {
                return false;
            }
            let attributes_start = tree.attributes.len() as u32;
            for attribute in attributes {
                let slice = tree.keep(&attribute.value);
                tree.attributes.push((attribute.name.local.clone(), slice));
            }
            let attributes_end = tree.attributes.len() as u32;
            (Data::Element { tag: name.local.clone(), attributes_start, attributes_end }, true)
        }
    };
    tree.nodes.push(Node { parent: parent.unwrap_or(here), end: here + 1, data });
    is_entered
}

/// The text of a script that is data about the page.
fn linked_data(draft: &[DraftNode], at: u32, attributes: &[Attribute]) -> Option<String> {
    let is_type =
        |attribute: &&Attribute| &*attribute.name.local == "type" && attribute.value.contains("ld+json");
    attributes.iter().find(is_type)?;
    let first = draft.get(draft[at as usize].first as usize)?;
    if let DraftData::Text(text) = &first.data { Some(text.to_string()) } else { None }
}

impl Tree {
    fn keep(&mut self, text: &str) -> Slice {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        Slice { start, end: self.text.len() as u32 }
    }
}
