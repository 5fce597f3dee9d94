//! The reports of `freshet get` and `freshet show`: one object of the model and its links.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::time::UnixNumber;

/// An object with its links by name, as the store has them. Values that are instants are unix seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObjectReport {
    /// `network/type/id`.
    pub address: String,
    /// When it was first seen.
    pub seen_at: Option<UnixNumber>,
    /// When the network was found to have it no more.
    pub deleted_at: Option<UnixNumber>,
    /// Values of its network.
    pub plinks: BTreeMap<String, Value>,
    /// Links to one object of its network.
    pub clinks: BTreeMap<String, LinkedObject>,
    /// Collections in its network, the members that were asked for.
    pub colinks: BTreeMap<String, Vec<LinkedObject>>,
    /// Values of other networks.
    pub splinks: BTreeMap<String, Value>,
    /// Links to one object of another network.
    pub sclinks: BTreeMap<String, LinkedObject>,
    /// Collections in other networks.
    pub scolinks: BTreeMap<String, Vec<LinkedObject>>,
    /// How large each collection is, and where it goes on.
    pub collections: BTreeMap<String, Extent>,
    /// What the links that were asked for lead to, in the order asked.
    pub answers: Vec<LinkAnswer>,
    /// What is stored or named and could not be used.
    pub complaints: Vec<String>,
    /// What asking the network came to, where it was asked.
    pub online: Option<OnlineReport>,
}

/// An object at the end of a link.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkedObject {
    /// `network/type/id`.
    pub address: String,
    /// Its values, where they are stored and were asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub plinks: BTreeMap<String, Value>,
}

/// How large a collection is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Extent {
    /// Members that are stored.
    pub count: usize,
    /// There are more: counting ended there.
    pub is_more: bool,
    /// Where the members that are not shown begin.
    pub next: Option<usize>,
}

/// What a link, or a path of links, leads to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkAnswer {
    /// As it was asked for.
    pub link: String,
    /// Values, or objects with their address; none where nothing is stored.
    pub values: Vec<Value>,
}

/// What asking the network came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OnlineReport {
    /// Requests that were sent.
    pub requests_count: usize,
    /// Whether a run that was under way granted them.
    pub is_by_run: bool,
    /// Objects that the constraints keep out.
    pub unwanted_count: usize,
    /// Objects that wait for what a constraint must know of them.
    pub parked_count: usize,
}

/// An object as people want to see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShowReport {
    /// When it was looked at.
    pub now: Option<UnixNumber>,
    /// The object and its links.
    pub object: ObjectReport,
    /// Objects that lead to it, by the names of their links.
    pub linked_by: Vec<LinkedBy>,
    /// What happened to it, oldest first.
    pub changes: Vec<ObjectChange>,
    /// What it said before it was edited, oldest first.
    pub earlier_texts: Vec<String>,
    /// The sources that visit it.
    pub sources: Vec<ObjectSource>,
}

/// An object that leads to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinkedBy {
    /// Its address.
    pub address: String,
    /// The name of its link.
    pub link: String,
    /// It is of another network.
    pub is_across: bool,
}

/// A line of the change log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ObjectChange {
    /// What happened.
    pub kind: String,
    /// When it was seen.
    pub seen_at: Option<UnixNumber>,
}

/// A source that visits an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ObjectSource {
    /// Its number.
    pub source: u32,
    /// What people call it.
    pub label: String,
    pub state: String,
    /// When it was last visited.
    pub visited_at: Option<UnixNumber>,
    /// When its next visit is due.
    pub due_at: Option<UnixNumber>,
}
