//! From the store's rows to the sinks' records: the one place where the two meet.
//!
//! `author` is the handle where it is known, so that an export can be read without a join; the
//! id stands beside it. What a definition maps beyond the named columns goes into `properties`,
//! the addresses of linked objects on other networks as lists.

use std::sync::Arc;

use freshet_sink::record::Properties;
use freshet_sink::{AccountRecord, ChangeRecord, LinkRecord, ObjectRecord, PostRecord, RelationRecord};
use freshet_store::row::{AccountRow, AnyLinkRow, PostRow, RelationRow, ThingRow};
use freshet_types::{Address, Change, Confidence, CrossLink, Primitive};
use serde_json::Value;

/// Type of the account objects in addresses.
const ACCOUNT_KIND: &str = "account";

/// What stands for content that nobody keeps.
pub(crate) const NOT_KEPT: &str = "not kept";

/// A post as it is exported.
pub fn post_record(row: PostRow) -> PostRecord {
    let post = row.post;
    let mut properties = properties(&post.plinks, &post.slinks);
    note_unkept(&mut properties, row.unkept);
    PostRecord {
        id: Address::new(&row.network, &post.kind, post.id.as_str()).to_string(),
        native_id: post.id,
        network: row.network.to_string(),
        kind: post.kind.to_string(),
        author: row.author_handle.or_else(|| post.author.clone()),
        author_id: post.author,
        created_at: post.created_at,
        seen_at: row.seen_at,
        edited_at: post.edited_at,
        deleted_at: row.deleted_at,
        text: post.text,
        lang: post.lang,
        tags: post.tags,
        reply_to: post.reply_to,
        root: post.root,
        repost_of: post.repost_of,
        quote_of: post.quote_of,
        url: post.url,
        uri: post.uri,
        properties,
    }
}

/// An account as it is exported.
pub fn account_record(row: AccountRow) -> AccountRecord {
    let account = row.account;
    let mut properties = properties(&account.plinks, &account.slinks);
    note_unkept(&mut properties, row.unkept);
    AccountRecord {
        id: Address::new(&row.network, ACCOUNT_KIND, account.id.as_str()).to_string(),
        native_id: account.id,
        network: row.network.to_string(),
        handle: account.handle,
        name: account.name,
        bio: account.bio,
        location: account.location,
        created_at: account.created_at,
        seen_at: row.seen_at,
        followers_count: account.followers_count,
        following_count: account.following_count,
        posts_count: account.posts_count,
        state: account.state.name().to_owned(),
        invalid: row.invalid,
        opts_out: account.opts_out,
        url: account.url,
        uri: account.uri,
        properties,
    }
}

/// A relation as it is exported.
pub fn relation_record(row: RelationRow) -> RelationRecord {
    RelationRecord {
        network: row.network.to_string(),
        source: row.source,
        target: row.target,
        seen_at: row.seen_at,
        cancelled_at: row.cancelled_at,
    }
}

/// A line of the change log as it is exported.
pub fn change_record(change: &Change) -> ChangeRecord {
    ChangeRecord {
        number: change.number as i64,
        seen_at: change.seen_at,
        kind: change.kind.name().to_owned(),
        id: change.address.to_string(),
        visit: change.visit.0 as i64,
    }
}

/// An object of any other type as it is exported.
pub fn object_record(row: ThingRow) -> ObjectRecord {
    let thing = row.thing;
    ObjectRecord {
        id: Address::new(&row.network, &thing.kind, thing.id.as_str()).to_string(),
        native_id: thing.id,
        network: row.network.to_string(),
        kind: thing.kind.to_string(),
        name: thing.name,
        created_at: thing.created_at,
        seen_at: row.seen_at,
        url: thing.url,
        properties: properties(&thing.plinks, &thing.slinks),
    }
}

/// A link as it is exported.
pub fn link_record(row: AnyLinkRow) -> LinkRecord {
    let (evidence, confidence) = row.claim.unzip();
    let said = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    LinkRecord {
        network: row.from.network.to_string(),
        from: row.from.to_string(),
        kind: row.kind.name().to_owned(),
        name: row.name.to_string(),
        to: row.to.to_string(),
        to_network: row.to.network.to_string(),
        value: row.value.map(|value| match value {
            Primitive::Text(text) => text,
            value => Value::from(&value).to_string(),
        }),
        first_seen_at: row.seen_at,
        last_seen_at: row.last_seen_at,
        ended_at: row.cancelled_at,
        evidence_place: evidence.as_ref().and_then(|it| said(&it.place)),
        evidence: evidence.as_ref().and_then(|it| said(&it.text)),
        confidence: confidence.map(Confidence::share),
    }
}

/// Says of a record that it has no content because nobody keeps it: an empty text alone might be what was said.
fn note_unkept(properties: &mut Properties, unkept: Option<u64>) {
    if unkept.is_some() {
        properties.insert("content".to_owned(), NOT_KEPT.into());
    }
}

/// The short name of a kind of link, as the views of the store have it.
fn properties(plinks: &[(Arc<str>, Primitive)], slinks: &[CrossLink]) -> Properties {
    let mut properties = Properties::new();
    for (name, value) in plinks {
        properties.insert(name.to_string(), value.into());
    }
    for link in slinks {
        if let Some(value) = &link.value {
            properties.insert(link.name.to_string(), value.into());
            continue;
        }
        let list = properties.entry(link.name.to_string()).or_insert_with(|| Value::Array(Vec::new()));
        if let Value::Array(list) = list {
            list.push(link.target.to_string().into());
        }
    }
    properties
}
