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
use freshet_store::browse::{ANSWERS_AMONG, Browse as _, Neighbours, Node, SourceQuery};
use freshet_types::{Address, NetworkName, RobotKind};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Shared;
use super::access::Identity;
use super::answer::{Answer, Problem};
use super::graph_chart;
use super::render::short;
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
    let mut shown = site
        .read(move |_, data| {
            let mut shown = match &at {
                Some(at) => view(data, &middle(data, at)?)?,
                None => begin(data)?,
            };
            shown["beginnings"] = json!(beginnings(data)?);
            Ok(shown)
        })
        .await?;
    shown["asked"] = json!(asked);
    Ok(site.page(Some(&identity), "graph", "Graph", &shown))
}

/// The same for programs, without the picture.
pub(super) async fn describe(site: &Shared, asked: &Asked) -> Answer<Value> {
    let at = typed("at", &asked.at)?;
    let at = at.ok_or_else(|| {
        Problem::bad("`at` names what stands in the middle").hint("a number, a handle or an address")
    })?;
    site.read(move |_, data| {
        let mut shown = view(data, &middle(data, &at)?)?;
        if let Some(shown) = shown.as_object_mut() {
            shown.remove("picture");
        }
        Ok(shown)
    })
    .await
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
    Ok(data.store.post_of(network, id)?.map(|row| row.object))
}

/// Accounts that are watched and known, to begin with.
fn beginnings(data: &Data) -> Answer<Vec<Value>> {
    let query = SourceQuery { robot: Some(RobotKind::Status), limit: BEGINNINGS, ..SourceQuery::default() };
    let mut found = Vec::new();
    for source in data.store.list_sources(&query)?.sources {
        if let Some(number) = number_of(data, &source.network, &source.root_kind, &source.root_id)? {
            let name = source.handle.as_deref().unwrap_or(&source.root_id);
            found.push(json!({ "object": number, "name": one_line(name) }));
        }
    }
    Ok(found)
}

/// Without a question, the first of them.
fn begin(data: &Data) -> Answer<Value> {
    let first = beginnings(data)?.first().and_then(|it| it["object"].as_u64());
    let node = first.map(|number| data.store.node(number)).transpose()?.flatten();
    node.map_or_else(|| Ok(json!({})), |node| view(data, &node))
}

fn view(data: &Data, node: &Node) -> Answer<Value> {
    let node = tidied(node.clone());
    let mut around = data.store.neighbours(&node, TIES_MAX)?;
    around.nodes = std::mem::take(&mut around.nodes).into_iter().map(tidied).collect();
    let ties = around.ties.iter().map(|tie| {
        let other = &around.nodes[tie.node];
        json!({
            "link": tie.name, "words": words(&tie.name, tie.is_out), "is_out": tie.is_out,
            "is_cut": tie.is_cut, "to": about(other),
        })
    });
    let among = around.among.iter().map(|(from, to)| {
        json!({ "from": address(&around.nodes[*from]), "link": "follows", "to": address(&around.nodes[*to]) })
    });
    let is_cut = around.ties.iter().any(|tie| tie.is_cut);
    Ok(json!({
        "middle": about(&node),
        "ties": ties.collect::<Vec<_>>(),
        "among": among.collect::<Vec<_>>(),
        "is_cut": is_cut,
        "ties_max": TIES_MAX,
        "answers_among": (node.kind == "post").then_some(ANSWERS_AMONG),
        "legend": legend(&around),
        "picture": graph_chart::picture(&node, &around),
    }))
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

fn about(node: &Node) -> Value {
    json!({
        "address": address(node), "kind": node.kind, "label": node.label, "object": node.object,
        "network": node.network, "id": node.id,
    })
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
fn legend(around: &Neighbours) -> Vec<Value> {
    let mut kinds: Vec<(&'static str, usize)> = Vec::new();
    for tie in &around.ties {
        let kind = graph_chart::kind_of(&tie.name);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.iter().map(|(name, colour)| json!({ "name": name, "colour": colour })).collect()
}
