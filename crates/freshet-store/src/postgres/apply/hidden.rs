//! Step 8 of 10: apply, the forgotten. What a page shows of them is left out, whosever page it is.
//!
//! Invariants: neither the account nor its posts, nor a post by somebody else that repeats one of them, nor a relation, a tag,
//! a link or a raw answer that shows them is stored; who was forgotten by a handle is forgotten by the id that goes with it
//! as soon as a page shows both. A name inside the text of somebody else is not looked for; nor can a repost be
//! recognised on a page that does not say whose post it repeats.

use freshet_types::{Address, End, Post, Set};
use serde_json::Value;

use super::super::db::Result;
use super::super::forgotten::Named;
use super::super::parking;
use super::{Batch, Scene};
use crate::row::{Parked, Upload};

impl<'a> Batch<'a> {
    pub(super) fn is_forgotten(&self, scene: &Scene<'_>, account: &str) -> bool {
        self.forgotten.has_account(scene.network_name, account)
    }

    /// The posts of an upload that are forgotten, by the space of their ids and the id.
    pub(super) fn hidden(&mut self, upload: &'a Upload) -> Result<Set<(&'a str, &'a str)>> {
        let mut hidden = Set::default();
        if self.forgotten.is_empty() {
            return Ok(hidden);
        }
        self.learn_ids(upload)?;
        let network = upload.network.as_str();
        // Most pages are of one author, who need not be hashed for every post.
        let mut last = (None, false);
        for post in &upload.observation.posts {
            let author = post.author.as_deref();
            if last.0 != author {
                last = (author, author.is_some_and(|author| self.forgotten.has_account(network, author)));
            }
            if last.1 || self.forgotten.has_post(network, &post.kind, &post.id) {
                hidden.insert((post.kind.space(), post.id.as_str()));
            }
        }
        if !hidden.is_empty() {
            // A repost is of the type of what it repeats.
            let repeats = |post: &&Post| {
                let original = post.repost_of.as_deref();
                original.is_some_and(|original| hidden.contains(&(post.kind.space(), original)))
            };
            let reposts = upload.observation.posts.iter().filter(repeats);
            let reposts: Vec<_> = reposts.map(|post| (post.kind.space(), post.id.as_str())).collect();
            hidden.extend(reposts);
        }
        Ok(hidden)
    }

    /// Who was forgotten by a handle is forgotten by their id from now on.
    fn learn_ids(&mut self, upload: &Upload) -> Result<()> {
        let network = upload.network.as_str();
        for account in &upload.observation.accounts {
            let Some(handle) = &account.handle else { continue };
            if !self.forgotten.has_handle(network, handle) || self.forgotten.has_account(network, &account.id)
            {
                continue;
            }
            let subject = self.forgotten.subject(self.db, &Named::handle(network, handle))?;
            self.forgotten.remember(self.db, subject, &Named::account(network, &account.id))?;
        }
        Ok(())
    }

    /// Whether an upload shows anybody or anything forgotten, so that its raw answer must not be kept.
    pub(super) fn shows_forgotten(&self, scene: &Scene<'_>, upload: &Upload) -> bool {
        let seen = &upload.observation;
        let is_out = |account: &str| self.is_forgotten(scene, account);
        let has_end = |end: &End| self.forgotten.has_root(scene.network_name, &end.kind, &end.id);
        !self.forgotten.is_empty()
            && (!scene.hidden.is_empty()
                || seen.accounts.iter().any(|account| is_out(&account.id))
                || seen.relations.iter().any(|it| is_out(&it.source) || is_out(&it.target))
                || seen.tags.iter().any(|tag| is_out(&tag.account))
                || seen.links.iter().any(|link| has_end(&link.from) || has_end(&link.to)))
    }

    /// Parks what the upload wants parked and does not show anybody forgotten.
    pub(super) fn park(&self, upload: &Upload) -> Result<()> {
        if self.forgotten.is_empty() {
            return parking::park(self.db, &upload.parked);
        }
        let wanted = upload.parked.iter().filter(|parked| !self.is_parked_forgotten(parked));
        parking::park(self.db, &wanted.cloned().collect::<Vec<_>>())
    }

    fn is_parked_forgotten(&self, parked: &Parked) -> bool {
        let is_out = |text: &str| text.parse().is_ok_and(|it: Address| self.forgotten.has_address(&it));
        let object = serde_json::from_str(&parked.object).unwrap_or(Value::Null);
        is_out(&parked.address) || any_text(&object, &is_out)
    }
}

/// Whether any text in a JSON value is such; its depth is bounded by the reader of JSON.
fn any_text(value: &Value, is_such: &dyn Fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is_such(text),
        Value::Array(all) => all.iter().any(|value| any_text(value, is_such)),
        Value::Object(all) => all.values().any(|value| any_text(value, is_such)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
