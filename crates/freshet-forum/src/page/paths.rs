//! The paths of a page's times and links, each written once.
//!
//! A page has hundreds of times and links and a dozen places where they stand. So a path is a number ([`PathId`]), its text
//! is made when the first element of it is met, and two paths are compared as numbers. The number is one of this page: what
//! a definition says is looked up by its text once a page ([`Paths::id`]).
//!
//! Invariant: equal numbers are equal texts, and the other way round.

use freshet_types::Map;

use super::steps::{PATH_STEPS, Steps};
use crate::tree::{NodeId, Tree};

/// The number of a path on its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathId(u32);

impl PathId {
    /// As an index into what is kept for each path.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The paths of one page.
#[derive(Debug, Default)]
pub struct Paths {
    names: Vec<String>,
}

impl Paths {
    /// The path as text.
    pub fn name(&self, path: PathId) -> &str {
        &self.names[path.index()]
    }

    /// All paths as texts, by their numbers.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of a path, if the page has it.
    pub fn id(&self, name: &str) -> Option<PathId> {
        self.names.iter().position(|it| it == name).map(|at| PathId(at as u32))
    }

    /// The numbers of those of some paths that the page has, in their order.
    pub fn ids(&self, names: &[String]) -> Vec<PathId> {
        names.iter().filter_map(|name| self.id(name)).collect()
    }
}

/// Ends the path of times that follow words such as joined or edited.
const NOISE_MARK: &str = "~";
/// Paths that are remembered.
const RECENT: usize = 64;
/// No step: the path begins at the root.
const NONE: u32 = u32::MAX;

/// The steps of a path, innermost first, and whether its times are no post's.
type Key = ([u32; PATH_STEPS], bool);

/// Numbers the paths of a page.
pub(super) struct PathWriter<'a> {
    tree: &'a Tree,
    steps: &'a Steps,
    /// The paths met of late, found without a hash.
    recent: [Option<(Key, PathId)>; RECENT],
    known: Map<Key, PathId>,
    by_name: Map<String, PathId>,
    names: Vec<String>,
}

impl<'a> PathWriter<'a> {
    pub(super) fn new(tree: &'a Tree, steps: &'a Steps) -> Self {
        let (known, by_name) = (Map::default(), Map::default());
        Self { tree, steps, recent: [None; RECENT], known, by_name, names: Vec::new() }
    }

    /// The path of an element; what is no post's time is kept apart from posts' times at the same place.
    pub(super) fn path(&mut self, node: NodeId, step_count: usize, is_noise: bool) -> PathId {
        let mut steps = [NONE; PATH_STEPS];
        for (step, at) in steps.iter_mut().zip(self.tree.ancestors(node).take(step_count)) {
            *step = self.steps.id(at);
        }
        let key = (steps, is_noise);
        let mixed =
            steps.iter().fold(usize::from(is_noise), |mixed, step| mixed * 31 + *step as usize % RECENT);
        let slot = mixed % RECENT;
        if let Some((known, path)) = self.recent[slot]
            && known == key
        {
            return path;
        }
        let path = self.known.get(&key).copied().unwrap_or_else(|| self.add(key, node, step_count));
        self.recent[slot] = Some((key, path));
        path
    }

    fn add(&mut self, key: Key, node: NodeId, step_count: usize) -> PathId {
        let mut name = self.steps.path(self.tree, node, step_count);
        if key.1 {
            name.push_str(NOISE_MARK);
        }
        let next = PathId(self.names.len() as u32);
        let path = *self.by_name.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            next
        });
        self.known.insert(key, path);
        path
    }

    pub(super) fn finish(self) -> Paths {
        Paths { names: self.names }
    }
}
