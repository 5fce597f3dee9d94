//! The house in figures: crates, edges, the longest chain, the largest crate, and what is known to be untidy.
//!
//! It also holds the one rule about shares: no crate above a fifth of all lines.

use std::collections::BTreeMap;

use super::edges::{Edges, longest_chain};
use super::workspace::Source;
use super::{Finding, known};

/// No crate may hold more hundredths of all Rust lines: a fifth. A larger one is a house within the house.
const SHARE_MAX: usize = 20;

/// What the rules counted.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    edges: Edges,
    lines: BTreeMap<String, usize>,
    pub(super) cycles: BTreeMap<String, usize>,
    pub(super) dead: BTreeMap<String, usize>,
    pub(super) keys: BTreeMap<String, usize>,
    pub(super) doors: usize,
}

impl Summary {
    /// Counts lines.
    pub(super) fn new(edges: Edges, sources: &[Source<'_>]) -> Self {
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        for source in sources {
            *lines.entry(source.package.to_owned()).or_default() += source.lines;
        }
        Self { edges, lines, ..Self::default() }
    }

    /// Refuses crates above their share.
    pub(super) fn check(&self, findings: &mut Vec<Finding>) {
        for package in self.lines.keys() {
            let share = self.share(package);
            let known = known::LARGE.iter().find(|(name, _)| name == package).map(|(_, most)| *most);
            let most = known.unwrap_or(SHARE_MAX);
            if share > most {
                let advice =
                    format!("{share} % of all lines, at most {most} %; split it by what its parts do");
                findings.push(Finding::new(format!("crates/{package}"), advice));
            }
        }
    }

    /// Hundredths of all lines that a package has, rounded up.
    fn share(&self, package: &str) -> usize {
        let all: usize = self.lines.values().sum();
        let own = self.lines.get(package).copied().unwrap_or_default();
        (own * 100).div_ceil(all.max(1))
    }

    /// Figures of `known.rs` that are higher than they need be.
    fn slack(&self) -> Vec<String> {
        let of = |counts: &BTreeMap<String, usize>, package: &str| counts.get(package).copied().unwrap_or(0);
        [
            known::slack("modules in rings", known::CYCLES, |folder| of(&self.cycles, folder)),
            known::slack("public for nobody", known::DEAD_PUB, |package| of(&self.dead, package)),
            known::slack("lookups by text", known::TEXT_KEYS, |package| of(&self.keys, package)),
            known::slack("hundredths of all lines", known::LARGE, |package| self.share(package)),
        ]
        .concat()
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let edges: usize = self.edges.values().map(std::collections::BTreeSet::len).sum();
        let chain = longest_chain(&self.edges);
        let largest = self.lines.iter().max_by_key(|(_, lines)| **lines);
        let (largest, lines) = largest.map_or(("", 0), |(name, lines)| (name.as_str(), *lines));
        let sum = |counts: &BTreeMap<String, usize>| counts.values().sum::<usize>();
        writeln!(f, "crates {}, edges {edges}", self.edges.len())?;
        writeln!(f, "longest chain {}: {}", chain.len(), chain.join(" → "))?;
        writeln!(f, "largest crate {largest}: {lines} lines, {} %", self.share(largest))?;
        writeln!(
            f,
            "folders with module cycles {}, further doors to the core {}",
            self.cycles.len(),
            self.doors
        )?;
        write!(f, "public for nobody {}, lookups by text {}", sum(&self.dead), sum(&self.keys))?;
        self.slack().iter().try_for_each(|line| write!(f, "\n{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::super::File;
    use super::super::workspace;
    use super::*;

    #[test]
    fn the_house_in_figures() {
        let file = |path: &str, lines: usize| File { path: path.to_owned(), text: "x\n".repeat(lines) };
        let files =
            [file("crates/a/src/lib.rs", 15), file("crates/b/src/lib.rs", 16), file("xtask/src/main.rs", 69)];
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let edges = Edges::from([
            ("a".to_owned(), names(&[])),
            ("b".to_owned(), names(&["a"])),
            ("xtask".to_owned(), names(&["a", "b"])),
        ]);
        let summary = Summary::new(edges, &workspace::sources(&files));
        let mut findings = Vec::new();
        summary.check(&mut findings);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(
            findings[0].to_string(),
            "crates/xtask: 69 % of all lines, at most 20 %; split it by what its parts do"
        );
        let shown = summary.to_string();
        for expected in
            ["crates 3, edges 3", "longest chain 3: xtask → b → a", "largest crate xtask: 69 lines, 69 %"]
        {
            assert!(shown.contains(expected), "{shown}");
        }
    }
}
