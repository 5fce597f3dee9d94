//! Rule: no cycle between modules. Modules that know each other in a ring can only be read, changed and moved together.
//!
//! For every folder of modules, the children are compared: `a` knows `b` when anything below `a` names anything below
//! `b`, by `crate::…`, `super::…` or through a name that their parent hands on. Parents and children do know each other
//! and are no finding; tests are left out. Names that only a glob brings are not followed.

mod names;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::workspace::Source;
use super::{Finding, known};
use names::Names;

/// Folder of modules (the crate's name for the top), and for each child the children it knows.
type Graphs = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// Refuses rings that are not known; says how many modules stand on one in each folder of modules.
pub(super) fn check(sources: &[Source<'_>], findings: &mut Vec<Finding>) -> BTreeMap<String, usize> {
    let graphs = graphs(sources);
    let mut counts = BTreeMap::new();
    for (folder, ring) in shortest_rings(&graphs) {
        let graph = &graphs[&folder];
        let count = graph.keys().filter(|module| ring_of(graph, module).is_some()).count();
        let way = [ring.as_slice(), &ring[..1]].concat().join(" → ");
        let advice = |most: usize| {
            format!(
                "{count} modules know each other in rings, at most {most}: {way}; move what both need below them"
            )
        };
        known::at_most(known::CYCLES, &folder, count, advice, findings);
        counts.insert(folder, count);
    }
    counts
}

fn graphs(sources: &[Source<'_>]) -> Graphs {
    let mut graphs = Graphs::new();
    let packages: BTreeSet<&str> = sources.iter().map(|source| source.package).collect();
    for package in packages {
        let inside: Vec<&Source<'_>> = sources
            .iter()
            .filter(|source| source.package == package && source.is_inside() && !source.is_test)
            .collect();
        let names = Names::of(&inside);
        for source in &inside {
            for target in names.known_by(source) {
                add(&mut graphs, package, &source.module, &target);
            }
        }
    }
    graphs
}

/// Adds the edge between the first modules by which the two ways part.
fn add(graphs: &mut Graphs, package: &str, from: &[&str], to: &[&str]) {
    let shared = from.iter().zip(to).take_while(|(from, to)| from == to).count();
    let (Some(knower), Some(known)) = (from.get(shared), to.get(shared)) else { return };
    let folder = [&[package], &from[..shared]].concat().join("::");
    let graph = graphs.entry(folder).or_default();
    graph.entry((*knower).to_owned()).or_default().insert((*known).to_owned());
}

/// The shortest ring of each folder that has one.
fn shortest_rings(graphs: &Graphs) -> BTreeMap<String, Vec<String>> {
    let shortest = |graph: &BTreeMap<String, BTreeSet<String>>| {
        graph.keys().filter_map(|start| ring_of(graph, start)).min_by_key(Vec::len)
    };
    graphs.iter().filter_map(|(folder, graph)| Some((folder.clone(), shortest(graph)?))).collect()
}

/// The shortest way from `start` back to itself.
fn ring_of(graph: &BTreeMap<String, BTreeSet<String>>, start: &str) -> Option<Vec<String>> {
    let mut ways = VecDeque::from([vec![start.to_owned()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in way.last().and_then(|last| graph.get(last)).into_iter().flatten() {
            if next == start {
                return Some(way);
            }
            if seen.insert(next.clone()) {
                ways.push_back([way.as_slice(), std::slice::from_ref(next)].concat());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
