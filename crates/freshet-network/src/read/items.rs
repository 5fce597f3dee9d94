//! Items of an answer, mapped one by one into the observation.
//!
//! The order of the document is kept. A post that stands inside another is pushed after it and
//! marked as embedded; accounts are pushed once a page, by id.

mod complain;
mod hints;
mod links;

use std::sync::Arc;

use freshet_types::definition::{BodyFormat, MappingKind, RelationRole};
use freshet_types::{
    Account, AccountState, Complaint, End, Link, Mark, Outcome, Page, Post, Relation, Set, Tag, Target,
    Timestamp,
};

use super::COMPLAINTS_MAX;
use crate::definition::Plan;
use crate::definition::plan::{EndpointPlan, ItemPlan, MappingPlan};
use crate::expression::{ConditionPlan, Field, Scope};
use crate::format::{ITEMS_MAX, Tree};

/// Items inside items inside items; deeper ones are complained about.
const DEPTH_MAX: usize = 200;
/// Tags kept of one post.
const TAGS_MAX: usize = 100;

/// What a page lists, in the network's own count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Items, skipped ones included.
    pub(crate) item_count: usize,
    /// Posts that are not embedded.
    pub(crate) post_count: usize,
    /// Accounts that are listed, not those that merely wrote something.
    pub(crate) account_count: usize,
    /// First and last listed item with an id.
    pub(crate) first: Option<Mark>,
    pub(crate) last: Option<Mark>,
}

/// Maps the items of one answer.
pub(super) struct Reader<'a> {
    plan: &'a Plan,
    endpoint: &'a EndpointPlan,
    target: &'a Target<'a>,
    scope: Scope<'a>,
    now: Timestamp,
    page: &'a mut Page,
    seen: Set<String>,
    tally: Tally,
    complaint_count: usize,
    is_told_full: bool,
}

/// Where an item stands: outermost group, and number in it.
#[derive(Clone, Copy)]
struct Spot<'s> {
    group: &'s str,
    number: usize,
    depth: usize,
    is_listed: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        endpoint: &'a EndpointPlan,
        target: &'a Target<'a>,
        (scope, now): (Scope<'a>, Timestamp),
        page: &'a mut Page,
    ) -> Self {
        Self {
            plan,
            endpoint,
            target,
            scope,
            now,
            page,
            seen: Set::default(),
            tally: Tally::default(),
            complaint_count: 0,
            is_told_full: false,
        }
    }

    /// Maps all groups of items.
    pub(super) fn read(&mut self, tree: &Tree<'_>, is_reversed: bool) {
        let endpoint = self.endpoint;
        let mut is_anything_there =
            endpoint.items.is_empty() || endpoint.rule.items.iter().any(|group| group.is_optional);
        for group in &endpoint.items {
            let values = group.at.values(tree, self.scope);
            is_anything_there |= !values.is_empty();
            let mut items: Vec<&Tree<'_>> = Vec::new();
            for value in &values {
                match &**value {
                    Tree::Array(list) => items.extend(list),
                    single => items.push(single),
                }
            }
            if is_reversed != group.is_reversed {
                items.reverse();
            }
            items.into_iter().enumerate().for_each(|(number, item)| self.outer(group, item, number));
        }
        if !is_anything_there && self.page.outcome == Outcome::Ok {
            let paths: Vec<_> = endpoint.items.iter().map(|group| group.path.as_str()).collect();
            self.complain(
                paths.join(", "),
                "there is nothing at the place where the items should be".to_owned(),
            );
        }
    }

    /// Ends the reading; sums up complaints that were too many.
    pub(super) fn finish(mut self) -> Tally {
        self.unwind();
        if let Some(more @ 1..) = self.complaint_count.checked_sub(COMPLAINTS_MAX) {
            self.page.complaints.push(Complaint::new("body", format!("{more} more complaints like these")));
        }
        self.tally
    }

    fn outer(&mut self, group: &ItemPlan, item: &Tree<'_>, number: usize) {
        if self.is_full() {
            return;
        }
        let spot = Spot { group: &group.path, number, depth: 0, is_listed: group.is_listed };
        if group.is_listed {
            self.tally.item_count += 1;
        }
        self.element(group, item, spot);
    }

    fn element(&mut self, group: &ItemPlan, item: &Tree<'_>, spot: Spot<'_>) {
        match group.each.as_ref().map_or(Some(item), |pointer| pointer.get(item)) {
            Some(inner) => {
                let made = self.item(&self.plan.mappings[group.mapping], inner, spot);
                if let (Some(made), true) = (made, spot.is_listed) {
                    self.join(made);
                }
            }
            None => self.complain_at(spot, item, "the item is empty".to_owned()),
        }
    }

    /// Maps an item with all that stands inside it; gives the object that it became, if any.
    fn item(&mut self, mapping: &'a MappingPlan, item: &Tree<'_>, spot: Spot<'_>) -> Option<End> {
        if spot.depth > DEPTH_MAX {
            self.complain_at(spot, item, format!("items are nested deeper than {DEPTH_MAX} levels"));
            return None;
        }
        if item.is_null() || self.any(&mapping.skip, item) {
            return None;
        }
        if let Some((_, other)) = mapping.variants.iter().find(|(when, _)| when.holds(item, self.scope)) {
            let deeper = Spot { depth: spot.depth + 1, ..spot };
            return self.item(&self.plan.mappings[*other], item, deeper);
        }
        let id = match mapping.kind {
            MappingKind::Post => self.post(mapping, item, spot),
            MappingKind::Account => self.account(mapping, item, spot),
            MappingKind::Object => self.thing(mapping, item, spot),
            MappingKind::Relation => self.relation(mapping, item, spot),
            MappingKind::Tag => self.tag(mapping, item, spot),
            MappingKind::Group => None,
        };
        let made = id.map(|id| End { kind: Arc::clone(&mapping.object_type), id });
        if let Some(made) = &made {
            self.link(mapping, item, made, spot);
        }
        self.embeds(mapping, item, made.as_ref(), spot);
        made
    }

    fn embeds(&mut self, mapping: &'a MappingPlan, item: &Tree<'_>, outer: Option<&End>, spot: Spot<'_>) {
        for embed in &mapping.embeds {
            let link = embed.link.as_ref().zip(outer);
            let embed = &embed.items;
            if embed.when.as_ref().is_some_and(|when| !when.holds(item, self.scope)) {
                continue;
            }
            let inner = Spot { depth: spot.depth + 1, is_listed: spot.is_listed && embed.is_listed, ..spot };
            let Some(value) = embed.at.first(item, self.scope) else { continue };
            match &*value {
                Tree::Array(list) => list.iter().for_each(|one| self.inner(embed, link, one, inner)),
                // An empty text stands for "none", as Reddit's `replies` does.
                Tree::Str(text) if text.is_empty() => {}
                single => self.inner(embed, link, single, inner),
            }
        }
    }

    /// Whether the answer has brought all that one may; says so once, and what is left is not at its end.
    fn is_full(&mut self) -> bool {
        let seen = &self.page.observation;
        let counts = [
            seen.posts.len(),
            seen.accounts.len(),
            seen.relations.len(),
            seen.things.len(),
            seen.links.len(),
        ];
        let is_full = counts.into_iter().any(|count| count >= ITEMS_MAX);
        if is_full && !self.is_told_full {
            self.is_told_full = true;
            self.page.is_broken_off = true;
            self.complain(
                "body",
                format!("the answer has more than {ITEMS_MAX} items; the rest is not read"),
            );
        }
        is_full
    }

    fn inner(
        &mut self,
        embed: &ItemPlan,
        link: Option<(&(Arc<str>, bool), &End)>,
        value: &Tree<'_>,
        spot: Spot<'_>,
    ) {
        if self.is_full() {
            return;
        }
        let Some(inner) = embed.each.as_ref().map_or(Some(value), |pointer| pointer.get(value)) else {
            return;
        };
        let made = self.item(&self.plan.mappings[embed.mapping], inner, spot);
        if let (Some(to), Some(((name, is_member), outer))) = (made, link) {
            let link = Link { from: outer.clone(), name: Arc::clone(name), to, is_member: *is_member };
            self.page.observation.links.push(link);
        }
    }

    fn post(&mut self, mapping: &MappingPlan, item: &Tree<'_>, spot: Spot<'_>) -> Option<String> {
        let fields = &mapping.fields;
        let id = self.id(fields.id.as_ref(), item, spot)?;
        let created_at = self.time(fields.created_at.as_ref(), item, spot);
        let edited_at = self.time(fields.edited_at.as_ref(), item, spot);
        let reply_to = self.other(fields.reply_to.as_ref(), &id, item, spot);
        let repost_of = self.other(fields.repost_of.as_ref(), &id, item, spot);
        let quote_of = self.other(fields.quote_of.as_ref(), &id, item, spot);
        let author = self.text(fields.author.as_ref(), "author", item, spot);
        let written = self.text(fields.text.as_ref(), "text", item, spot);
        let plinks = self.plinks(mapping, item, spot);
        let tags = self.tags(fields.tags.as_ref(), item, spot);
        let (slinks, slinks_seen) = self.hints(mapping, item);
        if spot.is_listed {
            self.tally.post_count += 1;
            self.list(&id, created_at);
        }
        let text = |field: &Option<Field>| field.as_ref().and_then(|field| field.text(item, self.scope));
        let post = Post {
            kind: mapping.post_kind.clone(),
            author,
            created_at,
            edited_at,
            // A feed's times of change are renewed by programs, whether anything changed or not.
            is_edit_claimed: self.endpoint.format == BodyFormat::Feed,
            text: written.unwrap_or_default(),
            url: text(&fields.url),
            uri: text(&fields.uri),
            reply_to,
            root: text(&fields.root),
            repost_of,
            quote_of,
            lang: text(&fields.lang),
            tags,
            is_deleted: self.any(&mapping.deleted, item),
            is_embedded: !spot.is_listed,
            plinks,
            slinks,
            slinks_seen,
            id: id.clone(),
        };
        self.page.observation.posts.push(post);
        Some(id)
    }

    fn account(&mut self, mapping: &MappingPlan, item: &Tree<'_>, spot: Spot<'_>) -> Option<String> {
        let fields = &mapping.fields;
        let id = self.id(fields.id.as_ref(), item, spot)?;
        if spot.is_listed {
            self.tally.account_count += 1;
            self.list(&id, None);
            self.relate(&id);
        }
        if !self.seen.insert(id.clone()) {
            return Some(id);
        }
        let created_at = self.time(fields.created_at.as_ref(), item, spot);
        let handle = self.text(fields.handle.as_ref(), "handle", item, spot);
        let name = self.text(fields.name.as_ref(), "name", item, spot);
        let bio = self.text(fields.bio.as_ref(), "bio", item, spot);
        let followers_count = self.int(fields.followers_count.as_ref(), "followers_count", item, spot);
        let following_count = self.int(fields.following_count.as_ref(), "following_count", item, spot);
        let plinks = self.plinks(mapping, item, spot);
        let (slinks, slinks_seen) = self.hints(mapping, item);
        let posts_count = self.int(fields.posts_count.as_ref(), "posts_count", item, spot);
        let text = |field: &Option<Field>| field.as_ref().and_then(|field| field.text(item, self.scope));
        let account = Account {
            handle,
            name,
            bio,
            url: text(&fields.url),
            uri: text(&fields.uri),
            location: text(&fields.location),
            created_at,
            followers_count,
            following_count,
            posts_count,
            state: self.state(mapping, item, spot),
            opts_out: self.any(&mapping.opts_out, item),
            plinks,
            slinks,
            slinks_seen,
            id: id.clone(),
        };
        self.page.observation.accounts.push(account);
        Some(id)
    }

    /// What the item says about the account. A post that is shown proves its author not private.
    fn state(&self, mapping: &MappingPlan, item: &Tree<'_>, spot: Spot<'_>) -> AccountState {
        let found = mapping.states.iter().find(|(_, when)| when.holds(item, self.scope));
        match found.map(|(state, _)| *state) {
            Some(AccountState::Private) if !spot.is_listed => AccountState::Active,
            state => state.unwrap_or_default(),
        }
    }

    /// A listed account follows the root, or is followed by it.
    fn relate(&mut self, id: &str) {
        let (root, id) = (self.target.root.to_owned(), id.to_owned());
        let relation = match self.endpoint.rule.relation {
            Some(RelationRole::Followers) => Relation { source: id, target: root },
            Some(RelationRole::Following) => Relation { source: root, target: id },
            None => return,
        };
        self.page.observation.relations.push(relation);
    }

    fn relation(&mut self, mapping: &MappingPlan, item: &Tree<'_>, spot: Spot<'_>) -> Option<String> {
        let source = self.id(mapping.fields.source.as_ref(), item, spot);
        let target = self.id(mapping.fields.target.as_ref(), item, spot);
        if let (Some(source), Some(target)) = (source, target) {
            if spot.is_listed {
                self.tally.account_count += 1;
                self.list(&target, None);
            }
            self.page.observation.relations.push(Relation { source, target });
        }
        None
    }

    fn tag(&mut self, mapping: &MappingPlan, item: &Tree<'_>, spot: Spot<'_>) -> Option<String> {
        let account = self.id(mapping.fields.account.as_ref(), item, spot);
        let names =
            mapping.fields.name.as_ref().map(|field| field.texts(item, self.scope)).unwrap_or_default();
        let account = account?;
        if names.is_empty() {
            self.complain_at(spot, item, "the tag has no name".to_owned());
        }
        for name in names.into_iter().take(TAGS_MAX) {
            let name = name.trim_start_matches('#').to_owned();
            self.page.observation.tags.push(Tag { account: account.clone(), name });
        }
        None
    }

    fn list(&mut self, id: &str, at: Option<Timestamp>) {
        let mark = Mark { id: id.to_owned(), at: at.unwrap_or(Timestamp::MIN) };
        if self.tally.first.is_none() {
            self.tally.first = Some(mark.clone());
        }
        self.tally.last = Some(mark);
    }

    fn any(&self, conditions: &[ConditionPlan], item: &Tree<'_>) -> bool {
        conditions.iter().any(|condition| condition.holds(item, self.scope))
    }
}
