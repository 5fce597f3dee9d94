//! The Rust files of the workspace, read once for all rules: whose they are, what they say, which module they are.
//!
//! Test code is what nobody ships: folders `tests`, `examples` and `benches`, files `tests.rs`, and every module that
//! is declared under `#[cfg(test)]` or behind a feature for tests, with all that lies below it.

use std::collections::{BTreeMap, BTreeSet};

use super::File;
use super::code::{Token, production, tokens};

/// One Rust file.
#[derive(Debug)]
pub(super) struct Source<'a> {
    /// The package, such as `freshet-engine`.
    pub(super) package: &'a str,
    /// Path from the root, with `/`.
    pub(super) path: &'a str,
    /// The module it is, by its place below `src`; nothing for the crate's root and for files outside of `src`.
    pub(super) module: Vec<&'a str>,
    /// Does it belong to tests, examples or benchmarks as a whole?
    pub(super) is_test: bool,
    /// Lines of text.
    pub(super) lines: usize,
    /// Everything it says.
    pub(super) tokens: Vec<Token<'a>>,
    /// What it says outside of tests.
    pub(super) production: Vec<Token<'a>>,
}

impl Source<'_> {
    /// Does it stand below `src`, that is, in the library or the program itself?
    pub(super) fn is_inside(&self) -> bool {
        self.path.contains("/src/")
    }
}

/// All Rust files of the workspace, in the order of their paths.
pub(super) fn sources(files: &[File]) -> Vec<Source<'_>> {
    let mut test_modules: BTreeMap<&str, BTreeSet<Vec<&str>>> = BTreeMap::new();
    let mut sources = Vec::new();
    for file in files.iter().filter(|file| file.ending() == "rs") {
        let Some(package) = package(&file.path) else { continue };
        let module = module(&file.path).unwrap_or_default();
        let tokens = tokens(&file.text);
        let kept = production(&tokens);
        for name in kept.test_modules {
            let test_module = [module.as_slice(), &[name]].concat();
            test_modules.entry(package).or_default().insert(test_module);
        }
        let is_test =
            ["/tests/", "/examples/", "/benches/", "/tests.rs"].iter().any(|part| file.path.contains(part));
        let (path, lines) = (file.path.as_str(), file.text.lines().count());
        sources.push(Source { package, path, module, is_test, lines, tokens, production: kept.tokens });
    }
    for source in &mut sources {
        let of_package = test_modules.get(source.package);
        let mut above = (1..=source.module.len()).map(|length| &source.module[..length]);
        source.is_test |= above.any(|module| of_package.is_some_and(|modules| modules.contains(module)));
    }
    sources
}

/// The package that a file belongs to.
fn package(path: &str) -> Option<&str> {
    let mut parts = path.split('/');
    match parts.next()? {
        "crates" => parts.next(),
        "xtask" => Some("xtask"),
        _ => None,
    }
}

/// The module that a file is: `a/b.rs` below `src` is `a::b`, and `lib.rs` or `main.rs` the root.
fn module(path: &str) -> Option<Vec<&str>> {
    let (_, inside) = path.split_once("/src/")?;
    let parts: Vec<&str> = inside.strip_suffix(".rs")?.split('/').collect();
    Some(if matches!(parts.as_slice(), ["lib" | "main"]) { Vec::new() } else { parts })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_know_their_package_their_module_and_whether_they_are_tests() {
        let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
        let files = [
            file("crates/a/src/lib.rs", "mod b; #[cfg(any(test, feature = \"testing\"))] pub mod hostile;"),
            file("crates/a/src/b.rs", "#[cfg(test)] mod proof;"),
            file("crates/a/src/b/c.rs", ""),
            file("crates/a/src/b/proof.rs", ""),
            file("crates/a/src/hostile/server.rs", ""),
            file("crates/a/tests/it/main.rs", ""),
            file("xtask/src/main.rs", ""),
            file("docs/sample.rs", ""),
        ];
        let found: Vec<String> = sources(&files)
            .iter()
            .map(|source| format!("{} {} {}", source.package, source.module.join("::"), source.is_test))
            .collect();
        let expected = [
            "a  false",
            "a b false",
            "a b::c false",
            "a b::proof true",
            "a hostile::server true",
            "a  true",
            "xtask  false",
        ];
        assert_eq!(found, expected);
    }
}
