//! Objects that are neither posts nor accounts, and the links between objects of a page.

use std::sync::Arc;

use freshet_types::address::ID_BYTES_MAX;
use freshet_types::{End, Link, Thing};

use super::{Reader, Spot};
use crate::definition::plan::MappingPlan;
use crate::expression::Field;
use crate::format::Tree;

/// Members kept of one collection that stands inside an item.
const LINKS_MAX: usize = 1000;

impl Reader<'_> {
    pub(super) fn thing(&mut self, mapping: &MappingPlan, item: &Tree<'_>, spot: Spot<'_>) -> Option<String> {
        let fields = &mapping.fields;
        let id = self.id(fields.id.as_ref(), item, spot)?;
        if spot.is_listed {
            self.list(&id, None);
        }
        let created_at = self.time(fields.created_at.as_ref(), item, spot);
        let plinks = self.plinks(mapping, item, spot);
        let (slinks, slinks_seen) = self.hints(mapping, item);
        let name = self.text(fields.name.as_ref(), "name", item, spot);
        let text = |field: &Option<Field>| field.as_ref().and_then(|field| field.text(item, self.scope));
        let thing = Thing {
            kind: Arc::clone(&mapping.object_type),
            name,
            url: text(&fields.url),
            created_at,
            plinks,
            slinks,
            slinks_seen,
            id: id.clone(),
        };
        self.page.observation.things.push(thing);
        Some(id)
    }

    /// What the endpoint lists belongs to a collection of the root.
    pub(super) fn join(&mut self, member: End) {
        let endpoint = &self.endpoint.public;
        if let Some(name) = endpoint.link.clone().filter(|_| !self.target.root.is_empty()) {
            let from = End { kind: Arc::clone(&endpoint.root_kind), id: self.target.root.to_owned() };
            self.page.observation.links.push(Link { from, name, to: member, is_member: true });
        }
    }

    /// The links of an item whose targets are given by their ids.
    pub(super) fn link(&mut self, mapping: &MappingPlan, item: &Tree<'_>, from: &End, spot: Spot<'_>) {
        for link in &mapping.links {
            let mut ids = link.field.texts(item, self.scope);
            if ids.len() > LINKS_MAX {
                self.complain_at(
                    spot,
                    item,
                    format!("`{}` has more than {LINKS_MAX} members; the rest is not read", link.name),
                );
            }
            ids.truncate(if link.is_member { LINKS_MAX } else { 1 });
            for id in ids.into_iter().filter(|id| !id.is_empty() && id.len() <= ID_BYTES_MAX) {
                let to = End { kind: Arc::clone(&link.to), id };
                let link =
                    Link { from: from.clone(), name: Arc::clone(&link.name), to, is_member: link.is_member };
                self.page.observation.links.push(link);
            }
        }
    }
}
