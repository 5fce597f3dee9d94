//! From what a page showed to objects of the model: step 6 of 10, seen from the model's side.
//!
//! An [`Observation`] is flat; an object has links. Links get the names that the schema declares,
//! through [`Object::link`], so what the definition does not allow is refused and complained about.
//! The fields that every network may have (`text`, `handle`, …) are linked where the schema names
//! them and left out in silence where it does not. A linked object that the page also showed is
//! filled in, two levels deep; any other is present with its address alone.

use freshet_types::object::LinkTarget;
use freshet_types::{
    Account, Complaint, Link, LinkType, Map, NetworkName, Object, Observation, Post, Primitive, Schema, Thing,
};

use crate::robot::ACCOUNT;

/// How deep linked objects are filled in: a repost, its original, the original's author.
const LEVELS_MAX: usize = 2;

/// Builds the objects of one page.
#[derive(Debug)]
pub struct Builder<'a> {
    network: &'a NetworkName,
    schema: &'a Schema,
    posts: Map<(&'a str, &'a str), &'a Post>,
    accounts: Map<&'a str, &'a Account>,
    things: &'a [Thing],
    links: &'a [Link],
    complaints: Vec<Complaint>,
}

impl<'a> Builder<'a> {
    /// For what a page of this network showed.
    pub fn new(network: &'a NetworkName, schema: &'a Schema, observation: &'a Observation) -> Self {
        Self {
            network,
            schema,
            posts: observation.posts.iter().map(|post| ((&*post.kind, post.id.as_str()), post)).collect(),
            accounts: observation.accounts.iter().map(|account| (account.id.as_str(), account)).collect(),
            things: &observation.things,
            links: &observation.links,
            complaints: Vec::new(),
        }
    }

    /// The links that were refused so far.
    pub fn into_complaints(self) -> Vec<Complaint> {
        self.complaints
    }

    /// The object of a post.
    pub fn post(&mut self, post: &Post) -> Object {
        self.post_at(post, 0)
    }

    /// The object of an account.
    pub fn account(&mut self, account: &Account) -> Object {
        let mut object = self.bare(ACCOUNT, &account.id);
        let text = |value: &Option<String>| value.as_deref().map(Primitive::from);
        for (name, value) in [
            ("handle", text(&account.handle)),
            ("name", text(&account.name)),
            ("bio", text(&account.bio)),
            ("url", text(&account.url)),
            ("uri", text(&account.uri)),
            ("location", text(&account.location)),
            ("created_at", account.created_at.map(Primitive::from)),
            ("followers_count", account.followers_count.map(Primitive::from)),
            ("following_count", account.following_count.map(Primitive::from)),
            ("posts_count", account.posts_count.map(Primitive::from)),
            ("state", Some(Primitive::from(account.state.name()))),
            ("opts_out", Some(Primitive::from(account.opts_out))),
        ] {
            self.link_common(&mut object, name, value);
        }
        self.link_others(&mut object, &account.plinks, &account.slinks);
        object
    }

    /// The object of anything that is neither post nor account.
    pub fn thing(&mut self, thing: &Thing) -> Object {
        let mut object = self.bare(&thing.kind, &thing.id);
        let text = |value: &Option<String>| value.as_deref().map(Primitive::from);
        for (name, value) in [
            ("name", text(&thing.name)),
            ("url", text(&thing.url)),
            ("created_at", thing.created_at.map(Primitive::from)),
        ] {
            self.link_common(&mut object, name, value);
        }
        self.link_others(&mut object, &thing.plinks, &thing.slinks);
        object
    }

    /// Adds the c-links of an object that the page shows beside it, such as the place of a post.
    pub fn add_clinks(&mut self, object: &mut Object) {
        let is_own = |link: &&Link| {
            !link.is_member && *link.from.kind == *object.address.kind && link.from.id == object.address.id
        };
        let own: Vec<&Link> = self.links.iter().filter(is_own).collect();
        for Link { name, to, .. } in own {
            let shown = self.things.iter().find(|thing| thing.kind == to.kind && thing.id == to.id);
            let target = match shown {
                Some(thing) => self.thing(thing),
                None if &*to.kind == ACCOUNT => match self.accounts.get(to.id.as_str()).copied() {
                    Some(account) => self.account(account),
                    None => self.bare(ACCOUNT, &to.id),
                },
                None => self.bare(&to.kind, &to.id),
            };
            self.link(object, name, LinkTarget::One(target));
        }
    }

    /// An object of which only the address is known.
    pub fn bare(&self, kind: &str, id: &str) -> Object {
        Object::new(freshet_types::Address::new(self.network, kind, id))
    }

    fn post_at(&mut self, post: &Post, level: usize) -> Object {
        let mut object = self.bare(&post.kind, &post.id);
        let text = |value: &Option<String>| value.as_deref().map(Primitive::from);
        for (name, value) in [
            ("text", Some(Primitive::from(post.text.as_str()))),
            ("url", text(&post.url)),
            ("uri", text(&post.uri)),
            ("lang", text(&post.lang)),
            ("created_at", post.created_at.map(Primitive::from)),
            ("edited_at", post.edited_at.map(Primitive::from)),
            ("is_deleted", Some(Primitive::from(post.is_deleted))),
            ("tags", Some(Primitive::Text(post.tags.join(" ")))),
        ] {
            self.link_common(&mut object, name, value);
        }
        for (name, id) in [
            ("author", &post.author),
            ("reply_to", &post.reply_to),
            ("root", &post.root),
            ("repost_of", &post.repost_of),
            ("quote_of", &post.quote_of),
        ] {
            self.link_one(&mut object, name, id.as_deref(), level);
        }
        if let Some(LinkType::Co(kind)) = self.link_type(&object, "tags").cloned() {
            let tags = post.tags.iter().map(|tag| self.bare(&kind, tag)).collect();
            self.link(&mut object, "tags", LinkTarget::Many(tags));
        }
        self.link_others(&mut object, &post.plinks, &post.slinks);
        object
    }

    /// A c-link, filled in where the page also showed its target.
    fn link_one(&mut self, object: &mut Object, name: &str, id: Option<&str>, level: usize) {
        let (Some(id), Some(LinkType::C(kind))) = (id, self.link_type(object, name).cloned()) else { return };
        let account = self.accounts.get(id).copied().filter(|_| kind == ACCOUNT);
        let post = self.posts.get(&(kind.as_str(), id)).copied().filter(|_| level < LEVELS_MAX);
        let target = match (account, post) {
            (Some(account), _) => self.account(account),
            (None, Some(post)) => self.post_at(post, level + 1),
            (None, None) => self.bare(&kind, id),
        };
        self.link(object, name, LinkTarget::One(target));
    }

    fn link_common(&mut self, object: &mut Object, name: &str, value: Option<Primitive>) {
        if let (Some(value), Some(LinkType::P(_))) = (value, self.link_type(object, name)) {
            self.link(object, name, LinkTarget::Value(self.network.clone(), value));
        }
    }

    fn link_others(
        &mut self,
        object: &mut Object,
        values: &[(std::sync::Arc<str>, Primitive)],
        foreign: &[freshet_types::CrossLink],
    ) {
        for (name, value) in values {
            self.link(object, name, LinkTarget::Value(self.network.clone(), value.clone()));
        }
        for link in foreign {
            let target = Object::new(link.target.clone());
            let target = match (self.link_type(object, &link.name), &link.value) {
                (_, Some(value)) => LinkTarget::Value(link.target.network.clone(), value.clone()),
                (Some(LinkType::Sco(..)), None) => LinkTarget::Many(vec![target]),
                (_, None) => LinkTarget::One(target),
            };
            self.link(object, &link.name, target);
        }
    }

    fn link_type(&self, object: &Object, name: &str) -> Option<&LinkType> {
        self.schema.types.get(&*object.address.kind)?.links.get(name)
    }

    fn link(&mut self, object: &mut Object, name: &str, target: LinkTarget) {
        if let Err(refused) = object.link(self.schema, name, target) {
            self.complaints.push(Complaint::new(object.address.to_string(), refused.to_string()));
        }
    }
}
