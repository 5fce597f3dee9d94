//! Objects of the amalgamated network [SocWeb, section 2 and 3.1].
//!
//! A vertex is *primitive* (a value, out-degree 0) or *composite* (it links to others). A
//! composite object holds its links by association name, so that reading follows the paper:
//!
//! ```text
//! obj.plinks["username"]                            a value
//! obj.clinks["hometown"].plinks["longitude"]        a value of a linked object
//! obj.colinks["posts"][i]                           the i-th member of a collection
//! ```
//!
//! A linked object that was never fetched is present with its address and no links. Links are
//! added through [`Object::link`], which asks the network's [`Schema`]; the maps are public for
//! reading. This type is the face of the model (constraints, SNAPI, exports of one object); the
//! bulk path carries the flatter [`crate::Observation`].

mod check;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::link::{LinkKind, LinkRefused, PrimitiveKind, Schema};
use crate::{Address, NetworkName, Timestamp};

/// The value of a primitive vertex.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Primitive {
    /// True or false.
    Bool(bool),
    /// A whole number. Ids are strings, never this.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    Text(String),
}

impl Primitive {
    /// Which kind of primitive this is; instants are integers in milliseconds.
    pub fn kind(&self) -> PrimitiveKind {
        match self {
            Self::Bool(_) => PrimitiveKind::Bool,
            Self::Int(_) => PrimitiveKind::Int,
            Self::Float(_) => PrimitiveKind::Float,
            Self::Text(_) => PrimitiveKind::Text,
        }
    }
}

impl From<&Primitive> for serde_json::Value {
    fn from(value: &Primitive) -> Self {
        match value {
            Primitive::Bool(truth) => Self::from(*truth),
            Primitive::Int(number) => Self::from(*number),
            Primitive::Float(number) => Self::from(*number),
            Primitive::Text(text) => Self::from(text.as_str()),
        }
    }
}

impl From<&str> for Primitive {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Primitive {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<bool> for Primitive {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<Timestamp> for Primitive {
    fn from(at: Timestamp) -> Self {
        Self::Int(at.ms())
    }
}

/// What a link points at.
#[derive(Clone, Debug, PartialEq)]
pub enum LinkTarget {
    /// A value (p-link), of the network named (sp-link).
    Value(NetworkName, Primitive),
    /// A composite object (c-link, sc-link).
    One(Object),
    /// A collection of one association (co-link, sco-link).
    Many(Vec<Object>),
}

/// A composite object with its links by association name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Object {
    /// Where it lives; its type is `address.kind`.
    pub address: Address,
    /// p-links: values of this network.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub plinks: BTreeMap<String, Primitive>,
    /// c-links: one composite object of this network each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub clinks: BTreeMap<String, Self>,
    /// co-links: collections of one association in this network.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub colinks: BTreeMap<String, Vec<Self>>,
    /// sp-links: values that belong to another network.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub splinks: BTreeMap<String, Primitive>,
    /// sc-links: one composite object of another network each.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sclinks: BTreeMap<String, Self>,
    /// sco-links: collections in another network.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scolinks: BTreeMap<String, Vec<Self>>,
}

impl Object {
    /// An object of which only the address is known.
    pub fn new(address: Address) -> Self {
        Self {
            address,
            plinks: BTreeMap::new(),
            clinks: BTreeMap::new(),
            colinks: BTreeMap::new(),
            splinks: BTreeMap::new(),
            sclinks: BTreeMap::new(),
            scolinks: BTreeMap::new(),
        }
    }

    /// Adds the link `name` if the schema of this object's network allows it.
    ///
    /// The kind of link follows from the target: a value, an object or a collection; of this
    /// network, or of another (the s-forms). Adding to a collection appends.
    pub fn link(&mut self, schema: &Schema, name: &str, target: LinkTarget) -> Result<LinkKind, LinkRefused> {
        let kind = schema.check_link(&self.address, name, &target)?;
        match (kind, target) {
            (LinkKind::P, LinkTarget::Value(_, value)) => drop(self.plinks.insert(name.to_owned(), value)),
            (LinkKind::Sp, LinkTarget::Value(_, value)) => drop(self.splinks.insert(name.to_owned(), value)),
            (LinkKind::C, LinkTarget::One(object)) => drop(self.clinks.insert(name.to_owned(), object)),
            (LinkKind::Sc, LinkTarget::One(object)) => drop(self.sclinks.insert(name.to_owned(), object)),
            (LinkKind::Co, LinkTarget::Many(objects)) => {
                self.colinks.entry(name.to_owned()).or_default().extend(objects);
            }
            (LinkKind::Sco, LinkTarget::Many(objects)) => {
                self.scolinks.entry(name.to_owned()).or_default().extend(objects);
            }
            (kind, target) => unreachable!("the schema called {target:?} a {kind}"),
        }
        Ok(kind)
    }

    /// Whether anything is linked: a composite vertex in the paper's sense once it is fetched.
    pub fn is_fetched(&self) -> bool {
        !(self.plinks.is_empty() && self.clinks.is_empty() && self.colinks.is_empty())
    }
    /// Takes in what another look at an object showed, here and in whatever is linked from here.
    ///
    /// Newer values win, links of an object seen more than once are united by address, and
    /// nothing is forgotten. Returns whether the object was met at all.
    pub fn absorb(&mut self, newer: &Self) -> bool {
        if self.address == newer.address {
            self.plinks.extend(newer.plinks.clone());
            self.splinks.extend(newer.splinks.clone());
            absorb_one(&mut self.clinks, &newer.clinks);
            absorb_one(&mut self.sclinks, &newer.sclinks);
            absorb_many(&mut self.colinks, &newer.colinks);
            absorb_many(&mut self.scolinks, &newer.scolinks);
            // Not further down: a post may reply to itself, and what was just taken in would be met for ever.
            return true;
        }
        let mut is_met = false;
        let ones = self.clinks.values_mut().chain(self.sclinks.values_mut());
        let many = self.colinks.values_mut().chain(self.scolinks.values_mut()).flatten();
        for linked in ones.chain(many) {
            is_met |= linked.absorb(newer);
        }
        is_met
    }
}

fn absorb_one(known: &mut BTreeMap<String, Object>, newer: &BTreeMap<String, Object>) {
    for (name, object) in newer {
        match known.get_mut(name) {
            Some(present) if present.address == object.address => drop(present.absorb(object)),
            _ => drop(known.insert(name.clone(), object.clone())),
        }
    }
}

fn absorb_many(known: &mut BTreeMap<String, Vec<Object>>, newer: &BTreeMap<String, Vec<Object>>) {
    for (name, objects) in newer {
        let present = known.entry(name.clone()).or_default();
        for object in objects {
            match present.iter_mut().find(|member| member.address == object.address) {
                Some(member) => drop(member.absorb(object)),
                None => present.push(object.clone()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(address: &str, likes: Option<i64>) -> Object {
        let mut object = Object::new(address.parse().unwrap());
        object.plinks.extend(likes.map(|likes| ("likes".to_owned(), likes.into())));
        object
    }

    #[test]
    fn another_look_adds_and_forgets_nothing() {
        let mut post = object("social/post/1", Some(1));
        post.plinks.insert("lang".to_owned(), "en".into());
        post.clinks.insert("reply_to".to_owned(), object("social/post/0", None));
        post.colinks.insert("replies".to_owned(), vec![object("social/post/2", None)]);

        let mut newer = object("social/post/1", Some(5));
        newer.colinks.insert(
            "replies".to_owned(),
            vec![object("social/post/2", Some(2)), object("social/post/3", Some(3))],
        );
        assert!(post.absorb(&newer));
        assert!(post.absorb(&object("social/post/0", Some(9))), "a linked object is met too");
        assert!(!post.absorb(&object("social/post/99", Some(9))));

        assert_eq!(post.plinks["likes"], 5.into());
        assert_eq!(post.plinks["lang"], "en".into());
        assert_eq!(post.clinks["reply_to"].plinks["likes"], 9.into());
        let replies: Vec<_> =
            post.colinks["replies"].iter().map(|reply| reply.plinks["likes"].clone()).collect();
        assert_eq!(replies, [2.into(), 3.into()]);
    }

    #[test]
    fn links_that_lead_in_a_circle_end() {
        let mut post = object("social/post/1", None);
        let mut reply = object("social/post/2", None);
        reply.clinks.insert("reply_to".to_owned(), object("social/post/1", None));
        post.clinks.insert("reply_to".to_owned(), reply);
        post.clinks.insert("root".to_owned(), object("social/post/1", None));
        let newer = Object { plinks: object("social/post/1", Some(3)).plinks, ..post.clone() };
        assert!(post.absorb(&newer));
        assert_eq!(post.plinks["likes"], 3.into());
    }

    #[test]
    fn objects_survive_json() {
        let mut post = object("social/post/1", Some(1));
        post.plinks.insert("score".to_owned(), Primitive::Float(2.0));
        post.splinks.insert("views".to_owned(), 7.into());
        post.sclinks.insert("video".to_owned(), object("video/clip/a/b", Some(4)));
        let text = serde_json::to_string(&post).unwrap();
        assert_eq!(serde_json::from_str::<Object>(&text).unwrap(), post, "{text}");
        assert!(!text.contains("colinks"), "what is empty is left out: {text}");
    }
}
