//! What stands around an account or post.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A neighbourhood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphReport {
    /// What stands in the middle.
    pub middle: GraphNode,
    /// What it is linked to.
    pub ties: Vec<GraphTie>,
    /// Links among those.
    pub among: Vec<GraphEdge>,
    /// Some links were left out.
    pub is_cut: bool,
    /// Links of one kind and direction, at most.
    pub ties_max: usize,
    /// For a post: answers are looked for among so many.
    pub answers_among: Option<usize>,
    /// The kinds of links that are there, with their colours.
    pub legend: Vec<LegendEntry>,
}

/// An account, a post, or something elsewhere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphNode {
    /// `network/type/id`, or an address of the web.
    pub address: String,
    /// Its type.
    pub kind: String,
    /// What people know it by.
    pub label: String,
    /// Its number, where it is known.
    pub object: Option<u64>,
    /// Where it is.
    pub network: String,
    /// The network's id.
    pub id: String,
}

/// A link of what stands in the middle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphTie {
    /// Its name.
    pub link: String,
    /// As people say it.
    pub words: String,
    /// It leads away from the middle.
    pub is_out: bool,
    /// There are more of its kind than are shown.
    pub is_cut: bool,
    /// What is at its other end.
    pub to: GraphNode,
}

/// A link between two others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphEdge {
    /// The address it leads from.
    pub from: String,
    /// Its name.
    pub link: String,
    /// The address it leads to.
    pub to: String,
}

/// A name and its colour in a chart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LegendEntry {
    /// The name.
    pub name: String,
    /// The number of its colour.
    pub colour: usize,
}

/// The report of `freshet graph`: what was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NeighbourhoodReport {
    /// The address of what stands in the middle.
    pub middle: String,
    /// Where it was written.
    pub file: PathBuf,
    /// Steps from the middle.
    pub depth: u8,
    /// Objects that are in it.
    pub nodes_count: usize,
    /// Links that are in it.
    pub edges_count: usize,
    /// Some were left out.
    pub is_cut: bool,
}
