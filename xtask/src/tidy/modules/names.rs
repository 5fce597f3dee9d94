//! Which modules a file names: paths from `crate`, `super` and `self`, and what parents hand on by `use`.

use std::collections::{BTreeMap, BTreeSet};

use super::super::code::{Kind, Token};
use super::super::workspace::Source;

/// Names handed on from module to module are followed this far; a longer chain would itself be a fault.
const HOPS_MAX: usize = 8;

/// A path, piece by piece.
type Path<'a> = Vec<&'a str>;

/// The modules of one package, and what each of them brings into scope.
#[derive(Debug)]
pub(super) struct Names<'a> {
    modules: BTreeSet<Path<'a>>,
    /// Module and name → the path that it stands for, as it was written.
    brought: BTreeMap<(Path<'a>, &'a str), Path<'a>>,
}

impl<'a> Names<'a> {
    /// Reads the files of one package.
    pub(super) fn of(sources: &[&Source<'a>]) -> Self {
        let modules = sources.iter().map(|source| source.module.clone()).collect();
        let mut brought = BTreeMap::new();
        for source in sources {
            for (name, path) in uses(&source.production) {
                brought.insert((source.module.clone(), name), path);
            }
        }
        Self { modules, brought }
    }

    /// The modules that `source` names.
    pub(super) fn known_by(&self, source: &Source<'a>) -> BTreeSet<Path<'a>> {
        let in_uses = uses(&source.production).into_iter().map(|(_, path)| path);
        let written = in_uses.chain(paths(&source.production));
        let mut modules = BTreeSet::new();
        written.for_each(|path| self.follow(&source.module, path, &mut modules));
        modules
    }

    /// Adds the modules through which what `path` names from `here` is reached, up to the one that defines it.
    fn follow(&self, here: &[&'a str], path: Path<'a>, modules: &mut BTreeSet<Path<'a>>) {
        let (mut here, mut path) = (here.to_vec(), path);
        for _ in 0..HOPS_MAX {
            let Some(full) = self.absolute(&here, &path) else { return };
            let depth = (0..=full.len()).rev().find(|depth| self.modules.contains(&full[..*depth]));
            let module = full[..depth.unwrap_or_default()].to_vec();
            modules.insert(module.clone());
            let name = full.get(module.len()).copied().unwrap_or_default();
            let Some(way) = self.brought.get(&(module.clone(), name)) else { return };
            (here, path) = (module, way.clone());
        }
    }

    /// The path from the crate's root; nothing where it leads out of the crate.
    fn absolute(&self, here: &[&'a str], path: &[&'a str]) -> Option<Path<'a>> {
        let (first, rest) = path.split_first()?;
        let start = match *first {
            "crate" => Vec::new(),
            "self" => here.to_vec(),
            "super" => {
                let ups = path.iter().take_while(|part| **part == "super").count();
                let above = here.len().checked_sub(ups)?;
                return Some([&here[..above], &path[ups..]].concat());
            }
            child => {
                let below = [here, &[child]].concat();
                return self.modules.contains(&below).then(|| [here, path].concat());
            }
        };
        Some([start.as_slice(), rest].concat())
    }
}

/// Name and path of everything that `use` declarations bring.
fn uses<'a>(tokens: &[Token<'a>]) -> Vec<(&'a str, Path<'a>)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].is_word("use") {
            at = tree(tokens, at + 1, &[], &mut found);
        }
        at += 1;
    }
    found
}

/// Reads one tree of a `use`, such as `a::{b, c as d}`; gives the place behind it.
fn tree<'a>(
    tokens: &[Token<'a>],
    mut at: usize,
    before: &[&'a str],
    found: &mut Vec<(&'a str, Path<'a>)>,
) -> usize {
    let mut path = before.to_vec();
    while let Some(token) = tokens.get(at) {
        match token.kind {
            Kind::Word if token.text == "as" => {
                if let Some(name) = tokens.get(at + 1) {
                    found.push((name.text, path));
                }
                return at + 2;
            }
            Kind::Word if token.text == "self" && !path.is_empty() => {}
            Kind::Word => path.push(token.text),
            Kind::Sign if token.text == "::" => {}
            Kind::Sign if token.text == "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|token| !token.is_sign("}")) {
                    at = tree(tokens, at, &path, found);
                    if tokens.get(at).is_some_and(|token| token.is_sign(",")) {
                        at += 1;
                    }
                }
                return at + 1;
            }
            Kind::Sign if token.text == "*" => {
                found.push(("*", path));
                return at + 1;
            }
            _ => break,
        }
        at += 1;
    }
    if let Some(name) = path.last().copied() {
        found.push((name, path));
    }
    at
}

/// Paths in the midst of code that begin with `crate` or `super`.
fn paths<'a>(tokens: &[Token<'a>]) -> Vec<Path<'a>> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let is_start = token.is_word("crate") || token.is_word("super");
        let is_inner = at > 0 && tokens[at - 1].is_sign("::");
        // `pub(in crate::a)` says who may see something, not what is used.
        let is_visibility = at > 0 && tokens[at - 1].is_word("in");
        if !is_start || is_inner || is_visibility {
            continue;
        }
        let mut path = vec![token.text];
        let mut next = at + 1;
        while let Some([sign, word]) = tokens.get(next..next + 2) {
            if !sign.is_sign("::") || word.kind != Kind::Word {
                break;
            }
            path.push(word.text);
            next += 2;
        }
        if path.len() > 1 {
            found.push(path);
        }
    }
    found
}
