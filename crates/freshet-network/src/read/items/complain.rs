//! Values of an item that must be what they claim to be, and the complaints about those that are not.
//!
//! What cannot be used is left out, said once with a sample of the item, and costs nothing else of the page: an id that is none costs
//! its item, a time or a text only itself. What is not there is no complaint, but for an id: networks leave out what is empty.

use std::borrow::Cow;
use std::sync::Arc;

use freshet_types::address::ID_BYTES_MAX;
use freshet_types::{Complaint, Map, Post, Primitive, Span, Timestamp};

use super::super::COMPLAINTS_MAX;
use super::super::sample;
use super::{Reader, Spot, TAGS_MAX};
use crate::definition::plan::MappingPlan;
use crate::expression::Field;
use crate::format::Tree;

/// How far clocks and time zones may be off before a time is not believed.
const FUTURE_MAX: Span = Span::DAY;
/// Letters of a value that a complaint quotes.
const QUOTED_MAX: usize = 60;

impl Reader<'_> {
    pub(super) fn id(&mut self, field: Option<&Field>, item: &Tree<'_>, spot: Spot<'_>) -> Option<String> {
        let id = field.and_then(|field| field.text(item, self.scope));
        let what = match id {
            Some(id) if id.len() > ID_BYTES_MAX => "the id is too long",
            // Such a number was rounded when it was read, and would name something else.
            Some(_) if field.is_some_and(|field| field.is_inexact(item)) => {
                "the id is a number too large to be exact"
            }
            Some(_) if field.is_some_and(|field| field.is_truth(item)) => "the id is true or false",
            Some(id) => return Some(id),
            None => "the item has no id",
        };
        self.complain_at(spot, item, what.to_owned());
        None
    }

    /// The id of another object that this one leads to. Whatever leads to itself would be followed for ever.
    pub(super) fn other(
        &mut self,
        field: Option<&Field>,
        own: &str,
        item: &Tree<'_>,
        spot: Spot<'_>,
    ) -> Option<String> {
        let id = field?.text(item, self.scope)?;
        if id == own {
            self.complain_at(spot, item, "it answers or repeats itself".to_owned());
            return None;
        }
        Some(id)
    }

    pub(super) fn text(
        &mut self,
        field: Option<&Field>,
        name: &str,
        item: &Tree<'_>,
        spot: Spot<'_>,
    ) -> Option<String> {
        let text = field?.text(item, self.scope);
        if text.is_none() && field.is_some_and(|field| field.is_misshapen(item)) {
            self.complain_at(
                spot,
                item,
                format!("there is no text where `{name}` should be, but a structure"),
            );
        }
        text
    }

    pub(super) fn int(
        &mut self,
        field: Option<&Field>,
        name: &str,
        item: &Tree<'_>,
        spot: Spot<'_>,
    ) -> Option<i64> {
        let int = field?.int(item, self.scope);
        if int.is_none() && field.is_some_and(|field| field.is_there(item)) {
            self.complain_at(spot, item, format!("there is no number where `{name}` should be"));
        }
        int
    }

    /// A time; one in the future is nobody's, and would hide all that comes before it.
    pub(super) fn time(
        &mut self,
        field: Option<&Field>,
        item: &Tree<'_>,
        spot: Spot<'_>,
    ) -> Option<Timestamp> {
        match field?.time(item, self.scope) {
            Ok(Some(at)) if at > self.now + FUTURE_MAX => {
                self.complain_at(spot, item, format!("it claims to be of `{at}`, which is to come"));
                None
            }
            Ok(at) => at,
            Err(value) => {
                let shown: String = value.chars().filter(|&letter| letter != '`').take(QUOTED_MAX).collect();
                self.complain_at(spot, item, format!("`{shown}` is not a time that is understood"));
                None
            }
        }
    }

    /// The other values of an item. One that is not among those that are known may mean something new; it is kept.
    pub(super) fn plinks(
        &mut self,
        mapping: &MappingPlan,
        item: &Tree<'_>,
        spot: Spot<'_>,
    ) -> Vec<(Arc<str>, Primitive)> {
        let mut values = Vec::with_capacity(mapping.plinks.len());
        for (name, kind, field) in &mapping.plinks {
            let Some(value) = field.primitive(*kind, item, self.scope) else {
                if let Some(wanted) = field.lacks(*kind, item) {
                    self.complain_at(spot, item, format!("there is no {wanted} where `{name}` should be"));
                }
                continue;
            };
            if let Primitive::Text(text) = &value
                && !field.known.is_empty()
                && !field.known.contains(text)
            {
                let shown: String = text.chars().filter(|&letter| letter != '`').take(QUOTED_MAX).collect();
                self.complain_at(spot, item, format!("`{shown}` is no value of `{name}` that is known"));
            }
            values.push((Arc::clone(name), value));
        }
        values
    }

    /// Tags; what is no list of them has none.
    pub(super) fn tags(&mut self, field: Option<&Field>, item: &Tree<'_>, spot: Spot<'_>) -> Vec<String> {
        let Some(field) = field else { return Vec::new() };
        if field.is_unlisted(item) {
            self.complain_at(spot, item, "there is no list where `tags` should be".to_owned());
        }
        let mut tags = field.texts(item, self.scope);
        tags.truncate(TAGS_MAX);
        for tag in &mut tags {
            if let Some(bare) = tag.strip_prefix('#') {
                *tag = bare.to_owned();
            }
        }
        tags
    }

    /// Cuts circles of answers among the posts of the page: whoever follows them would not end.
    pub(super) fn unwind(&mut self) {
        for place in closing(&self.page.observation.posts) {
            self.page.observation.posts[place].reply_to = None;
            self.complain("body", "answers run in a circle: each is said to answer the next".to_owned());
        }
    }

    pub(super) fn complain_at(&mut self, spot: Spot<'_>, item: &Tree<'_>, what: String) {
        let place = format!("{}/{}", spot.group, spot.number);
        self.keep(|| Complaint::new(place, what).with_sample(sample::of_item(item)));
    }

    pub(super) fn complain(&mut self, place: impl Into<Cow<'static, str>>, what: String) {
        self.keep(|| Complaint::new(place.into(), what));
    }

    fn keep(&mut self, complaint: impl FnOnce() -> Complaint) {
        self.complaint_count += 1;
        if self.complaint_count <= COMPLAINTS_MAX {
            self.page.complaints.push(complaint());
        }
    }
}

/// The posts that close a circle of answers: of each circle one.
fn closing(posts: &[Post]) -> Vec<usize> {
    let at: Map<&str, usize> =
        posts.iter().enumerate().map(|(place, post)| (post.id.as_str(), place)).collect();
    let answered = |place: usize| posts[place].reply_to.as_deref().and_then(|id| at.get(id).copied());
    // Each post belongs to the walk that met it first; a walk that meets its own post has closed a circle.
    let mut walk_of = vec![usize::MAX; posts.len()];
    let mut closing = Vec::new();
    for walk in 0..posts.len() {
        let mut place = walk;
        while walk_of[place] == usize::MAX {
            walk_of[place] = walk;
            let Some(next) = answered(place) else { break };
            if walk_of[next] == walk {
                closing.push(place);
                break;
            }
            place = next;
        }
    }
    closing
}
