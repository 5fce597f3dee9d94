//! One object of the model and its links: `freshet get`, `freshet show` and the API's `objects` read it here.
//!
//! What is meant is a reference as everywhere, or an address (`meant.rs`). The store's rows become an object by the definition of its network
//! (`reader.rs`); paths of links are followed from object to object (`path.rs`), as the papers write them:
//! `obj.clinks["author"].plinks["followers_count"]` is `author.followers_count`. Nothing is asked of a network here but through
//! [`online`]; every collection is read in parts.

pub(crate) mod meant;
pub mod online;
mod path;
pub(crate) mod reader;
mod show;

pub use show::show;

use std::collections::BTreeMap;

use freshet_network::networks::Registry;
use freshet_report::object::{Extent, LinkAnswer, LinkedObject, ObjectReport};
use freshet_report::time::UnixNumber;
use freshet_store::api::Store;
use freshet_store::browse::COUNT_MAX;
use freshet_types::{Address, LinkType, Object};

use crate::config::Globals;
use crate::data::{self, Data};
use crate::failure::Failure;
use meant::Meant;
use path::Path;
use reader::Reader;

/// Members of a collection that are read unless more are wanted.
pub const LIMIT_USUAL: usize = 20;
/// Members of a collection that are read at once, at most.
pub const LIMIT_MAX: usize = 1000;
/// Links that may be asked for at once.
const LINKS_MAX: usize = 50;

/// What somebody wants to know of an object.
#[derive(Clone, Debug)]
pub struct ObjectWish {
    /// A reference, or an address.
    pub reference: String,
    /// Links, or paths of links; without one, all values and the names of all links.
    pub links: Vec<String>,
    /// Members of each collection, at most.
    pub limit: usize,
    /// Members that are passed over.
    pub offset: usize,
}

/// An object, or why there is none.
#[derive(Clone, Debug)]
pub enum Found {
    Object(Box<ObjectReport>),
    /// In a sentence.
    Absent(String),
}

/// Reads an object from the store.
pub fn get(globals: &Globals, wish: &ObjectWish) -> anyhow::Result<ObjectReport> {
    let data = Data::look(globals)?;
    let networks = data::networks(globals)?;
    match find(&data.store, &networks.snapshot(), wish)? {
        Found::Object(report) => Ok(*report),
        Found::Absent(why) => Err(absent(why)),
    }
}

/// There is no such object.
pub(crate) fn absent(why: String) -> anyhow::Error {
    let hint = "give an address (network/type/id), a handle or a URL; `--online` asks the network, `freshet search` finds posts";
    Failure::misuse(why).hint(hint).into()
}

/// Reads an object from an open store.
pub fn find(store: &dyn Store, registry: &Registry, wish: &ObjectWish) -> anyhow::Result<Found> {
    let paths = paths(&wish.links)?;
    let reader = Reader::new(store, registry);
    match meant::meant(store, registry, &wish.reference)? {
        Meant::Known(address) => report(&reader, &address, &paths, wish),
        Meant::Named(reference) => {
            Ok(Found::Absent(format!("`{}` is {reference}, and nothing is stored of it", wish.reference)))
        }
        Meant::Unknown => Ok(Found::Absent(format!("no object is known as `{}`", wish.reference))),
    }
}

fn paths(links: &[String]) -> anyhow::Result<Vec<Path>> {
    if links.len() > LINKS_MAX {
        return Err(Failure::misuse(format!("at most {LINKS_MAX} links can be asked for at once")).into());
    }
    links.iter().map(|link| link.parse().map_err(|why: String| Failure::misuse(why).into())).collect()
}

fn report(
    reader: &Reader<'_>,
    address: &Address,
    paths: &[Path],
    wish: &ObjectWish,
) -> anyhow::Result<Found> {
    let Some(schema) = reader.schema(address) else {
        let why = format!("`{}` has no definition here, so `{address}` cannot be read", address.network);
        return Ok(Found::Absent(why));
    };
    if !schema.types.contains_key(&*address.kind) {
        let known: Vec<&str> = schema.types.keys().map(String::as_str).collect();
        let (network, kind) = (&address.network, &address.kind);
        let why = format!("`{network}` has no type `{kind}`; its types are {}", known.join(", "));
        return Ok(Found::Absent(why));
    }
    let Some(known) = reader.known(address)? else {
        return Ok(Found::Absent(format!("nothing is stored of `{address}`")));
    };
    let mut report = described(reader, &known.object)?;
    report.seen_at = known.seen_at.and_then(UnixNumber::of);
    report.deleted_at = known.deleted_at.and_then(UnixNumber::of);
    report.complaints = known.complaints;
    let mut walk =
        path::Walk { reader, limit: wish.limit.min(LIMIT_MAX), offset: wish.offset, notes: Vec::new() };
    for path in paths {
        let values = walk.follow(&known.object.address, path)?;
        report.answers.push(LinkAnswer { link: path.to_string(), values });
    }
    report.complaints.append(&mut walk.notes);
    fill_collections(reader, &known.object.address, (paths, wish), &mut report)?;
    Ok(Found::Object(Box::new(report)))
}

/// The values and single links of an object; what these lead to with its values, where it is stored.
fn described(reader: &Reader<'_>, object: &Object) -> anyhow::Result<ObjectReport> {
    // A link into a network without a definition still has its address.
    let linked = |target: &Object| -> anyhow::Result<LinkedObject> {
        let known = reader.known(&target.address)?;
        let plinks = known.map(|known| reader.values(&known.object)).unwrap_or_default();
        Ok(LinkedObject { address: target.address.to_string(), plinks })
    };
    let one = |links: &BTreeMap<String, Object>| -> anyhow::Result<BTreeMap<String, LinkedObject>> {
        links.iter().map(|(name, target)| Ok((name.clone(), linked(target)?))).collect()
    };
    let many = |them: &[Object]| them.iter().map(linked).collect::<anyhow::Result<Vec<_>>>();
    let scolinks = object.scolinks.iter().map(|(name, them)| Ok((name.clone(), many(them)?)));
    Ok(ObjectReport {
        address: object.address.to_string(),
        plinks: reader.values(object),
        splinks: object.splinks.iter().map(|(name, value)| (name.clone(), value.into())).collect(),
        clinks: one(&object.clinks)?,
        sclinks: one(&object.sclinks)?,
        scolinks: scolinks.collect::<anyhow::Result<_>>()?,
        ..ObjectReport::default()
    })
}

/// The members of collections: of those asked for with their values, without a question of all by address.
fn fill_collections(
    reader: &Reader<'_>,
    address: &Address,
    (paths, wish): (&[Path], &ObjectWish),
    report: &mut ObjectReport,
) -> anyhow::Result<()> {
    let limit = wish.limit.min(LIMIT_MAX);
    let Some(links) = reader.links(address) else { return Ok(()) };
    let is_wanted = |name: &str| paths.is_empty() || paths.iter().any(|path| path.first() == name);
    for (name, _) in links.iter().filter(|(name, link)| matches!(link, LinkType::Co(_)) && is_wanted(name)) {
        let page = reader.members(address, name, wish.offset, limit)?;
        let shown = wish.offset + page.members.len();
        let is_more = page.count >= COUNT_MAX;
        let next = (!page.members.is_empty() && (shown < page.count || is_more)).then_some(shown);
        let mut members = Vec::new();
        for member in page.members {
            let known = if paths.is_empty() { None } else { reader.known(&member)? };
            let plinks = known.map(|known| reader.values(&known.object)).unwrap_or_default();
            members.push(LinkedObject { address: member.to_string(), plinks });
        }
        report.collections.insert(name.clone(), Extent { count: page.count, is_more, next });
        report.colinks.insert(name.clone(), members);
    }
    for (name, members) in &report.scolinks {
        let extent = Extent { count: members.len(), is_more: false, next: None };
        report.collections.insert(name.clone(), extent);
    }
    Ok(())
}
