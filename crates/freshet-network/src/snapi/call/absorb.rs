//! What the answers make of a call: members linked, further errands planned.
//!
//! Members are judged one by one as they arrive; an unwanted one is counted and dropped, an
//! uncertain one is counted and left to whoever stores what was shown. The judgement of the object itself over its
//! collections waits until they are complete, because half a collection proves nothing.

use std::sync::Arc;

use freshet_types::object::LinkTarget;
use freshet_types::{
    Address, Complaint, Endpoint, Intent, LinkKind, LinkType, NetworkName, Object, Outcome, Page, PageKind,
    Schema,
};

use super::{Call, Errand, Step};
use crate::constraint::Answer;
use crate::robot::ACCOUNT;
use crate::snapi::build::Builder;

impl Call {
    pub(super) fn absorb(&mut self, errand: Errand, page: &Page) {
        match errand {
            Errand::Root => self.absorb_root(page),
            Errand::List { endpoint, link, page_count, .. } => {
                self.absorb_members(&endpoint, &link, page);
                self.plan_next(&endpoint, &link, page_count, page);
            }
            Errand::Linked(address) => self.absorb_linked(&address, page),
        }
    }

    fn absorb_root(&mut self, page: &Page) {
        let network = self.root.address.network.clone();
        let (kind, id) = (Arc::clone(&self.root.address.kind), self.root.address.id.clone());
        let schema = Arc::clone(&self.network.schema);
        let (found, complaints) = pick(&network, &schema, page, &kind, &id);
        self.complain_all(complaints);
        let Some(object) = found else {
            self.end = Some(Step::Failed(Outcome::Gone));
            return;
        };
        // A handle or an alias was asked for; from now on the network's own id counts.
        self.root.address = object.address.clone();
        self.root.absorb(&object);
        self.is_root_known = true;
        if self.constraints.judge(&self.root, self.options.depth, self.now) == Answer::No {
            self.refuse();
            return;
        }
        self.plan_lists();
    }

    pub(super) fn refuse(&mut self) {
        self.end = Some(Step::Refused(format!("`{}` does not satisfy the constraints", self.root.address)));
    }

    /// One errand for each collection that an endpoint lists.
    pub(super) fn plan_lists(&mut self) {
        if !self.kinds.contains(&LinkKind::Co) {
            return;
        }
        let network = Arc::clone(&self.network);
        let is_ours = |endpoint: &&Endpoint| *endpoint.root_kind == *self.root.address.kind;
        let wanted = &self.options.collections;
        let is_wanted = |link: &&str| wanted.is_empty() || wanted.iter().any(|name| name == link);
        for endpoint in network.connector.endpoints().iter().filter(is_ours) {
            if let Some(link) = network.link_of(endpoint).filter(is_wanted) {
                self.errands.push_back(Errand::List {
                    endpoint: Arc::clone(&endpoint.name),
                    link: link.to_owned(),
                    intent: Intent::First,
                    page_count: 0,
                });
            }
        }
    }

    fn plan_next(&mut self, endpoint: &Arc<str>, link: &str, page_count: usize, page: &Page) {
        let page_count = page_count + 1;
        let next_errand = |intent| Errand::List {
            endpoint: Arc::clone(endpoint),
            link: link.to_owned(),
            intent,
            page_count,
        };
        if let Some(next) = page.next.as_ref().filter(|_| self.object_count < self.options.objects_max) {
            let is_new = self.asked.insert(format!("{endpoint} {next}"));
            if !is_new {
                self.complain(endpoint, "the list runs in a circle".to_owned());
            } else if page_count >= self.options.pages_max {
                self.complain(endpoint, format!("stopped after {page_count} pages"));
            } else {
                self.errands.push_front(next_errand(Intent::Next(next.clone())));
            }
        }
        let batch =
            self.network.connector.endpoint(endpoint).map_or(1, |endpoint| endpoint.members_max.max(1));
        let room = self.options.objects_max.saturating_sub(self.object_count);
        let wanted: Vec<_> = page.members.iter().take(room).cloned().collect();
        for members in wanted.chunks(batch).rev() {
            self.errands.push_front(next_errand(Intent::Members(members.to_vec())));
        }
    }

    /// One errand for each object that is linked and was not shown.
    pub(super) fn plan_linked(&mut self) {
        let is_wanted = |kind: LinkKind| self.kinds.contains(&kind);
        let mut addresses = Vec::new();
        let mut note = |object: &Object| {
            if !object.is_fetched() {
                addresses.push(object.address.clone());
            }
        };
        if is_wanted(LinkKind::C) {
            self.root.clinks.values().for_each(&mut note);
        }
        if is_wanted(LinkKind::Sc) {
            self.root.sclinks.values().for_each(&mut note);
        }
        if is_wanted(LinkKind::Sco) {
            self.root.scolinks.values().flatten().for_each(&mut note);
        }
        for address in addresses {
            if self.object_count < self.options.objects_max && self.asked.insert(address.to_string()) {
                self.object_count += 1;
                self.errands.push_back(Errand::Linked(address));
            }
        }
    }

    /// Links the members of a page that the constraints let in.
    fn absorb_members(&mut self, endpoint: &str, link: &str, page: &Page) {
        let network = self.root.address.network.clone();
        let schema = Arc::clone(&self.network.schema);
        let mut builder = Builder::new(&network, &schema, &page.observation);
        let object_type = schema.types.get(&*self.root.address.kind);
        let kind = match object_type.and_then(|object_type| object_type.links.get(link)) {
            Some(LinkType::Co(kind)) => kind.as_str(),
            _ => return,
        };
        let mut members = members(&mut builder, page, kind);
        self.complain_all(builder.into_complaints());
        if page.kind == PageKind::Comments {
            drop_ancestors(&self.root, &mut members);
        }
        for member in members {
            let present = self.root.colinks.get(link).map_or(&[][..], Vec::as_slice);
            let is_known = present.iter().any(|known| known.address == member.address);
            if is_known || member.address == self.root.address {
                continue;
            }
            if self.object_count >= self.options.objects_max {
                self.complain(endpoint, format!("stopped after {} objects", self.object_count));
                return;
            }
            self.admit(endpoint, &schema, link, member);
        }
    }

    fn admit(&mut self, endpoint: &str, schema: &Schema, link: &str, member: Object) {
        let depth = self.options.depth.saturating_add(1);
        match self.constraints.judge(&member, depth, self.now) {
            Answer::Yes => {
                self.object_count += 1;
                if let Err(refused) = self.root.link(schema, link, LinkTarget::Many(vec![member])) {
                    self.complain(endpoint, refused.to_string());
                }
            }
            Answer::No => self.unwanted_count += 1,
            Answer::CannotTell { .. } => {
                self.object_count += 1;
                self.parked_count += 1;
            }
        }
    }

    fn absorb_linked(&mut self, address: &Address, page: &Page) {
        let Some(network) = self.registry.get(address.network.definition()).map(Arc::clone) else { return };
        // The call keeps the definition it began with.
        let schema = if network.name == self.network.name { &self.network.schema } else { &network.schema };
        let (found, complaints) = pick(&address.network, schema, page, &address.kind, &address.id);
        self.complain_all(complaints);
        let Some(mut object) = found else {
            return self.complain(&address.to_string(), "the answer does not show it".to_owned());
        };
        object.address = address.clone();
        let depth = self.options.depth.saturating_add(1);
        if self.constraints.judge(&object, depth, self.now) == Answer::No {
            self.unwanted_count += 1;
            self.root.clinks.retain(|_, linked| linked.address != *address);
            self.root.sclinks.retain(|_, linked| linked.address != *address);
            for linked in self.root.scolinks.values_mut() {
                linked.retain(|linked| linked.address != *address);
            }
            return;
        }
        self.root.absorb(&object);
    }
}

/// Threads are shown whole; what a post replies to is not one of its replies.
fn drop_ancestors(root: &Object, members: &mut Vec<Object>) {
    let mut parent = root.clinks.get("reply_to").map(|parent| parent.address.clone());
    while let Some(address) = parent.take()
        && let Some(at) = members.iter().position(|member| member.address == address)
    {
        let ancestor = members.remove(at);
        parent = ancestor.clinks.get("reply_to").map(|parent| parent.address.clone());
    }
}

/// What a page lists: its posts, its accounts or its tags.
fn members(builder: &mut Builder<'_>, page: &Page, kind: &str) -> Vec<Object> {
    let shown = &page.observation;
    match page.kind {
        PageKind::Accounts | PageKind::Account | PageKind::Relations => {
            shown.accounts.iter().map(|account| builder.account(account)).collect()
        }
        PageKind::Tags => shown.tags.iter().map(|tag| builder.bare(kind, &tag.name)).collect(),
        _ => {
            let listed = shown.posts.iter().filter(|post| !post.is_embedded);
            listed.map(|post| builder.post(post)).collect()
        }
    }
}

/// The object of this id on a page that shows one; without it, the first of its type.
fn pick(
    network: &NetworkName,
    schema: &Schema,
    page: &Page,
    kind: &str,
    id: &str,
) -> (Option<Object>, Vec<Complaint>) {
    let shown = &page.observation;
    let mut builder = Builder::new(network, schema, shown);
    let found = if kind == ACCOUNT {
        let exact = shown.accounts.iter().find(|account| account.id == id);
        exact.or(shown.accounts.first()).map(|account| builder.account(account))
    } else if let Some(thing) = shown.things.iter().find(|thing| *thing.kind == *kind && thing.id == id) {
        Some(builder.thing(thing))
    } else {
        let mut posts = shown.posts.iter().filter(|post| *post.kind == *kind);
        let exact = posts.clone().find(|post| post.id == id);
        exact.or_else(|| posts.find(|post| !post.is_embedded)).map(|post| builder.post(post))
    };
    (found, builder.into_complaints())
}
