//! The neighbourhood of an object, breadth-first over all links of the store, both ways and across networks; drawn or exported.
//!
//! What is found first is nearest. It is bounded in steps, in objects and in links of one kind from one object; what is left out is
//! said. Cycles end, because an object is met once.

mod gexf;
mod graphml;
mod svg;
mod xml;

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use freshet_network::networks::Registry;
use freshet_report::graph::NeighbourhoodReport;
use freshet_store::api::Store;
use freshet_store::browse::Node;
use freshet_types::{Address, Map};

use crate::config::Globals;
use crate::data::{self, Data};
use crate::failure::Failure;
use crate::object::absent;
use crate::object::meant::{self, Meant};
use crate::object::reader::Reader;
use crate::plain::plain;
use crate::text::shorten;

/// Steps from the middle, unless otherwise wanted.
pub const DEPTH_USUAL: u8 = 1;
/// Steps from the middle, at most.
pub const DEPTH_MAX: u8 = 6;
/// Objects, unless otherwise wanted.
pub const NODES_USUAL: u32 = 100;
/// Objects, at most: a picture of more shows nothing.
pub const NODES_MAX: u32 = 5000;
/// Links of one kind and direction that are followed from one object.
const TIES_MAX: usize = 50;
/// Columns of a name.
const LABEL_COLUMNS: usize = 60;

/// What somebody wants to see around an object.
#[derive(Clone, Debug)]
pub struct GraphWish {
    /// A reference, or an address.
    pub reference: String,
    /// Where it is written; how follows from the ending.
    pub file: PathBuf,
    /// Steps from the middle.
    pub depth: u8,
    /// Objects, at most.
    pub limit: u32,
}

/// An object of a neighbourhood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Vertex {
    pub(crate) address: String,
    pub(crate) kind: String,
    pub(crate) network: String,
    pub(crate) label: String,
    /// Steps from the middle.
    pub(crate) level: u8,
    /// More than its name is stored.
    pub(crate) is_stored: bool,
}

/// A link between two of them, by their places.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) link: String,
}

/// A neighbourhood; the middle comes first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbourhood {
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) edges: BTreeSet<Edge>,
    /// Something was left out.
    pub(crate) is_cut: bool,
}

/// How a neighbourhood is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Svg,
    Graphml,
    Gexf,
}

impl Form {
    fn of(file: &Path) -> anyhow::Result<Self> {
        match file.extension().and_then(|ending| ending.to_str()) {
            Some("svg") => Ok(Self::Svg),
            Some("graphml") => Ok(Self::Graphml),
            Some("gexf") => Ok(Self::Gexf),
            _ => Err(Failure::misuse(format!("`{}` says not what it is to be", file.display()))
                .hint("give a name that ends in .svg, .graphml or .gexf")
                .into()),
        }
    }
}

/// Writes the neighbourhood of an object into a file.
pub fn write(globals: &Globals, wish: &GraphWish) -> anyhow::Result<NeighbourhoodReport> {
    let form = Form::of(&wish.file)?;
    let data = Data::look(globals)?;
    let networks = data::networks(globals)?;
    let registry = networks.snapshot();
    let around = around(&data.store, &registry, wish)?;
    let text = match form {
        Form::Svg => svg::draw(&around),
        Form::Graphml => graphml::write(&around),
        Form::Gexf => gexf::write(&around),
    };
    let cannot = || format!("`{}` cannot be written", wish.file.display());
    std::fs::write(&wish.file, text).with_context(cannot)?;
    Ok(NeighbourhoodReport {
        middle: around.vertices.first().map(|it| it.address.clone()).unwrap_or_default(),
        file: wish.file.clone(),
        depth: wish.depth,
        nodes_count: around.vertices.len(),
        edges_count: around.edges.len(),
        is_cut: around.is_cut,
    })
}

fn around(store: &dyn Store, registry: &Registry, wish: &GraphWish) -> anyhow::Result<Neighbourhood> {
    let reader = Reader::new(store, registry);
    let Meant::Known(address) = meant::meant(store, registry, &wish.reference)? else {
        return Err(absent(format!("no object is known as `{}`", wish.reference)));
    };
    let Some(middle) = stored(&reader, &address)? else {
        return Err(absent(format!("nothing is stored of `{address}`")));
    };
    let mut walk = Walk::new(reader, wish.limit.min(NODES_MAX) as usize);
    walk.meet(&middle, 0);
    let mut ahead = VecDeque::from([(0, middle)]);
    while let Some((at, node)) = ahead.pop_front() {
        let level = walk.found.vertices[at].level;
        if level < wish.depth.min(DEPTH_MAX) {
            walk.expand(at, &node, level + 1, &mut ahead)?;
        }
    }
    Ok(walk.found)
}

/// The node of an address, where something is stored of it.
fn stored(reader: &Reader<'_>, address: &Address) -> anyhow::Result<Option<Node>> {
    let number = reader.number(address)?;
    Ok(number.map(|number| reader.store.node(number)).transpose()?.flatten())
}

struct Walk<'a> {
    reader: Reader<'a>,
    limit: usize,
    found: Neighbourhood,
    places: Map<String, usize>,
}

impl<'a> Walk<'a> {
    fn new(reader: Reader<'a>, limit: usize) -> Self {
        Self { reader, limit, found: Neighbourhood::default(), places: Map::default() }
    }

    /// The place of an object; `None` where there is no room for another.
    fn meet(&mut self, node: &Node, level: u8) -> Option<(usize, bool)> {
        let address = address_of(node);
        if let Some(at) = self.places.get(&address) {
            return Some((*at, false));
        }
        if self.found.vertices.len() >= self.limit {
            self.found.is_cut = true;
            return None;
        }
        let at = self.found.vertices.len();
        self.places.insert(address.clone(), at);
        let label = shorten(&plain(&node.label), LABEL_COLUMNS);
        let label = if label.is_empty() { format!("{} {}", node.kind, node.id) } else { label };
        let kind = if node.kind == ELSEWHERE { kind_of(&address) } else { node.kind.clone() };
        let (network, is_stored) = (node.network.clone(), node.object.is_some());
        self.found.vertices.push(Vertex { address, kind, network, label, level, is_stored });
        Some((at, true))
    }

    /// Meets whatever is one step from an object.
    fn expand(
        &mut self,
        at: usize,
        node: &Node,
        level: u8,
        ahead: &mut VecDeque<(usize, Node)>,
    ) -> anyhow::Result<()> {
        let around = self.reader.store.neighbours(node, TIES_MAX)?;
        let mut places = Vec::with_capacity(around.nodes.len());
        for neighbour in &around.nodes {
            let neighbour = self.resolved(neighbour)?;
            places.push(self.greet(neighbour, level, ahead));
        }
        for tie in &around.ties {
            self.found.is_cut |= tie.is_cut;
            let Some(other) = places[tie.node] else { continue };
            let (from, to) = if tie.is_out { (at, other) } else { (other, at) };
            self.found.edges.insert(Edge { from, to, link: tie.name.clone() });
        }
        for (from, to) in around.among {
            if let (Some(from), Some(to)) = (places[from], places[to]) {
                self.found.edges.insert(Edge { from, to, link: "follows".to_owned() });
            }
        }
        let Ok(address) = address_of(node).parse::<Address>() else { return Ok(()) };
        for (from, link) in self.reader.store.links_across(&address, TIES_MAX)? {
            let Some(neighbour) = stored(&self.reader, &from)? else { continue };
            if let Some(from) = self.greet(neighbour, level, ahead) {
                self.found.edges.insert(Edge { from, to: at, link });
            }
        }
        Ok(())
    }

    fn greet(&mut self, node: Node, level: u8, ahead: &mut VecDeque<(usize, Node)>) -> Option<usize> {
        let (at, is_new) = self.meet(&node, level)?;
        if is_new && node.object.is_some() {
            ahead.push_back((at, node));
        }
        Some(at)
    }

    /// An object of another network, where it is stored here too.
    fn resolved(&self, node: &Node) -> anyhow::Result<Node> {
        let elsewhere = (node.kind == ELSEWHERE).then(|| node.id.parse::<Address>().ok()).flatten();
        let known = elsewhere.map(|address| stored(&self.reader, &address)).transpose()?.flatten();
        Ok(known.unwrap_or_else(|| node.clone()))
    }
}

/// The type by which the store names an object of another network.
const ELSEWHERE: &str = "elsewhere";

fn address_of(node: &Node) -> String {
    if node.kind == ELSEWHERE {
        node.id.clone()
    } else {
        format!("{}/{}/{}", node.network, node.kind, node.id)
    }
}

fn kind_of(address: &str) -> String {
    address.parse::<Address>().map_or_else(|_| ELSEWHERE.to_owned(), |address| address.kind.to_string())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Three objects in a circle, one of another network, with signs that XML forbids.
    pub(crate) fn circle() -> Neighbourhood {
        let vertex = |address: &str, label: &str, level| Vertex {
            address: address.to_owned(),
            kind: kind_of(address),
            network: address.split('/').next().unwrap_or_default().to_owned(),
            label: label.to_owned(),
            level,
            is_stored: level < 2,
        };
        let edge = |from, to, link: &str| Edge { from, to, link: link.to_owned() };
        Neighbourhood {
            vertices: vec![
                vertex("social/account/1", "ada", 0),
                vertex("social/post/7", "a < b & \"c\"\u{8}", 1),
                vertex("video/clip/x", "clip", 2),
            ],
            edges: [edge(1, 0, "author"), edge(0, 1, "pinned"), edge(1, 2, "videos"), edge(2, 0, "by")]
                .into(),
            is_cut: false,
        }
    }

    #[test]
    fn the_ending_says_what_is_written() {
        let form = |name: &str| Form::of(Path::new(name)).ok();
        assert_eq!(form("a.svg"), Some(Form::Svg));
        assert_eq!(form("b/a.graphml"), Some(Form::Graphml));
        assert_eq!(form("a.b.gexf"), Some(Form::Gexf));
        assert_eq!((form("a.png"), form("svg")), (None, None));
    }
}
