//! Graph: the neighbourhood of an account or post, drawn, its links followed by clicking.
//!
//! What is asked for stands in the middle; its neighbours stand around it, those of one kind of link
//! side by side, always in the same places. Below the picture the same links stand as a table, for
//! those who cannot see it and for programs. A picture holds at most [`TIES_MAX`] links of a kind.

use axum::Extension;
use axum::extract::{Query, State};
use axum::response::Response;
use freshet_app::data::Data;
use freshet_app::plain::plain;
use freshet_app::text::one_line;
use freshet_report::graph::{GraphEdge, GraphNode, GraphReport, GraphTie, LegendEntry};
use freshet_store::api::interest::Inquiry;
use freshet_store::browse::{ANSWERS_AMONG, Browse as _, Neighbours, Node, SourceQuery};
use freshet_types::{Address, NetworkName, RobotKind};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::graph_chart;
use super::interest;
use super::render::{Beside, short};
use super::sources::typed;

/// Links of one kind and direction in a picture.
const TIES_MAX: usize = 10;
/// Accounts offered to begin with.
const BEGINNINGS: usize = 12;

/// What is to stand in the middle.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Asked {
    /// A number, a handle, or an address.
    #[serde(default)]
    at: String,
}

/// The page.
pub(super) async fn page(
    State(site): State<Shared>,
    Extension(identity): Extension<Identity>,
    Query(asked): Query<Asked>,
) -> Answer<Response> {
    let at = typed("at", &asked.at)?;
    let is_asked = at.is_some();
    let (around, beginnings) = site
        .read(move |_, data| {
            let node = match &at {
                Some(at) => Some(middle(data, at)?),
                None => first(data)?,
            };
            let around = node.map(|node| Around::of(data, node)).transpose()?;
            Ok((around, beginnings(data)?))
        })
        .await?;
    let picture = around.as_ref().and_then(|around| graph_chart::picture(&around.node, &around.neighbours));
    let report = around.as_ref().map(Around::report);
    if let Some(report) = report.as_ref().filter(|_| is_asked) {
        interest::note(&site, inquiry(&report.middle));
    }
    let more = json!({ "picture": picture, "beginnings": beginnings, "asked": asked });
    Ok(site.page(Some(&identity), "graph", "Graph", &Beside { report, more }))
}

/// The same for programs, without the picture.
pub(super) async fn describe(site: &Shared, asked: &Asked) -> Answer<GraphReport> {
    let at = typed("at", &asked.at)?;
    let at = at.ok_or_else(|| {
        Problem::bad("`at` names what stands in the middle").hint("a number, a handle or an address")
    })?;
    let report = site.read(move |_, data| Ok(Around::of(data, middle(data, &at)?)?.report())).await?;
    interest::note(site, inquiry(&report.middle));
    Ok(report)
}

/// Who asks for this neighbourhood asks about what stands in its middle.
fn inquiry(middle: &GraphNode) -> Inquiry {
    let numbers = middle.object.into_iter().collect();
    match middle.kind.as_str() {
        "account" => Inquiry { accounts: numbers, ..Inquiry::default() },
        _ => Inquiry { posts: numbers, ..Inquiry::default() },
    }
}

/// What a person means: a number, an address, or the handle of a source.
fn middle(data: &Data, at: &str) -> Answer<Node> {
    let by_number = at.parse().ok().map(|number| data.store.node(number)).transpose()?.flatten();
    if let Some(node) = by_number {
        return Ok(node);
    }
    if let Ok(address) = at.parse::<Address>()
        && let Some(number) = number_of(data, &address.network, &address.kind, &address.id)?
        && let Some(node) = data.store.node(number)?
    {
        return Ok(node);
    }
    for source in data.store.find_sources(at)? {
        if let Some(number) = number_of(data, &source.network, &source.root_kind, &source.root_id)?
            && let Some(node) = data.store.node(number)?
        {
            return Ok(node);
        }
    }
    Err(Problem::not_found(format!("no account or post is known by `{}`", one_line(at)))
        .hint("a handle of something watched, an address such as `network/account/id`, or a number"))
}

fn number_of(data: &Data, network: &NetworkName, kind: &str, id: &str) -> Answer<Option<u64>> {
    if kind == "account" {
        return Ok(data.store.account_of(network, id)?.map(|row| row.object));
    }
    Ok(data.store.post_of(network, kind, id)?.map(|row| row.object))
}

/// An account to begin with.
#[derive(Serialize)]
struct Beginning {
    object: u64,
    name: String,
}

/// Accounts that are watched and known, to begin with.
fn beginnings(data: &Data) -> Answer<Vec<Beginning>> {
    let query = SourceQuery { robot: Some(RobotKind::Status), limit: BEGINNINGS, ..SourceQuery::default() };
    let mut found = Vec::new();
    for source in data.store.list_sources(&query)?.sources {
        if let Some(object) = number_of(data, &source.network, &source.root_kind, &source.root_id)? {
            let name = one_line(source.handle.as_deref().unwrap_or(&source.root_id));
            found.push(Beginning { object, name });
        }
    }
    Ok(found)
}

/// Without a question, the first of them.
fn first(data: &Data) -> Answer<Option<Node>> {
    let first = beginnings(data)?.first().map(|it| it.object);
    Ok(first.map(|number| data.store.node(number)).transpose()?.flatten())
}

/// What stands in the middle, and what stands around it.
struct Around {
    node: Node,
    neighbours: Neighbours,
}

impl Around {
    fn of(data: &Data, node: Node) -> Answer<Self> {
        let node = tidied(node);
        let mut neighbours = data.store.neighbours(&node, TIES_MAX)?;
        neighbours.nodes = std::mem::take(&mut neighbours.nodes).into_iter().map(tidied).collect();
        Ok(Self { node, neighbours })
    }

    fn report(&self) -> GraphReport {
        let Self { node, neighbours: around } = self;
        let ties = around.ties.iter().map(|tie| GraphTie {
            link: tie.name.clone(),
            words: words(&tie.name, tie.is_out),
            is_out: tie.is_out,
            is_cut: tie.is_cut,
            to: about(&around.nodes[tie.node]),
        });
        let among = around.among.iter().map(|(from, to)| GraphEdge {
            from: address(&around.nodes[*from]),
            link: "follows".to_owned(),
            to: address(&around.nodes[*to]),
        });
        GraphReport {
            middle: about(node),
            ties: ties.collect(),
            among: among.collect(),
            is_cut: around.ties.iter().any(|tie| tie.is_cut),
            ties_max: TIES_MAX,
            answers_among: (node.kind == "post").then_some(ANSWERS_AMONG),
            legend: legend(around),
        }
    }
}

/// Texts of networks are markup: their words only.
fn tidied(mut node: Node) -> Node {
    if node.kind == "post" {
        node.label = plain(&node.label);
    }
    node.label = short(&node.label);
    if node.label.is_empty() {
        node.label = format!("{} {}", node.kind, node.id);
    }
    node
}

fn about(node: &Node) -> GraphNode {
    GraphNode {
        address: address(node),
        kind: node.kind.clone(),
        label: node.label.clone(),
        object: node.object,
        network: node.network.clone(),
        id: node.id.clone(),
    }
}

fn address(node: &Node) -> String {
    match node.kind.as_str() {
        "elsewhere" => node.id.clone(),
        kind => format!("{}/{kind}/{}", node.network, node.id),
    }
}

/// A link as people say it.
fn words(name: &str, is_out: bool) -> String {
    match (name, is_out) {
        ("follows", true) => "follows",
        ("follows", false) => "is followed by",
        ("author", true) => "was written by",
        ("author", false) => "wrote",
        ("reply_to", true) => "answers",
        ("reply_to", false) => "is answered by",
        ("root", true) => "stands in the thread of",
        ("repost_of", true) => "reposts",
        ("repost_of", false) => "is reposted by",
        ("quote_of", true) => "quotes",
        ("quote_of", false) => "is quoted by",
        ("tag", _) => "has the tag",
        _ => return name.replace('_', " "),
    }
    .to_owned()
}

/// The kinds of links that are there, with their colours.
fn legend(around: &Neighbours) -> Vec<LegendEntry> {
    let mut kinds: Vec<(&'static str, usize)> = Vec::new();
    for tie in &around.ties {
        let kind = graph_chart::kind_of(&tie.name);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.into_iter().map(|(name, colour)| LegendEntry { name: name.to_owned(), colour }).collect()
}
