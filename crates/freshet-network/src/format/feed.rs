//! Feeds (RSS 2.0, RSS 1.0, RSS 0.9x, Atom, JSON Feed) as one tree that mappings can point into.
//!
//! ```text
//! {id, title, link, description, language, updated, ttl_min, next,
//!  entries: [{id, title, link, summary, content, published, updated, author, language, tags: [],
//!             media: []}]}
//! ```
//!
//! Times are milliseconds since 1970. An entry without an id gets its link, or at last a hash of
//! its title, time and text, so that the same entry has the same id at every visit.

use feed_rs::model::{Entry, Feed, Link, Text};
use feed_rs::parser;
use serde_json::{Map, Value, json};

/// The feed, or what is wrong with it.
pub(super) fn parse(text: &str, url: &str) -> Result<Value, String> {
    let text = without_declaration(text.trim_start_matches('\u{feff}').trim_start());
    let parser = parser::Builder::new()
        .base_uri(Some(url))
        .sanitize_content(false)
        .id_generator(|_, _, _| String::new())
        .build();
    let feed = parser.parse(text.as_bytes()).map_err(|error| {
        let start: String = text.chars().take(40).collect();
        format!("the body is no feed ({error}); it begins with `{}`", start.escape_debug())
    })?;
    Ok(tree(feed))
}

/// The text was decoded already, so the declared encoding no longer holds.
fn without_declaration(text: &str) -> &str {
    match text.strip_prefix("<?xml") {
        Some(rest) => rest.split_once("?>").map_or(text, |(_, body)| body),
        None => text,
    }
}

fn tree(feed: Feed) -> Value {
    let mut map = Map::new();
    put(&mut map, "link", page_link(&feed.links));
    put(&mut map, "next", related(&feed.links, "next"));
    put(&mut map, "id", some(feed.id));
    put(&mut map, "title", feed.title.map(content));
    put(&mut map, "description", feed.description.map(content));
    put(&mut map, "language", feed.language);
    put(&mut map, "updated", feed.updated.or(feed.published).map(|at| at.timestamp_millis()));
    put(&mut map, "ttl_min", feed.ttl);
    map.insert("entries".to_owned(), feed.entries.into_iter().map(entry).collect());
    Value::Object(map)
}

fn entry(entry: Entry) -> Value {
    let mut map = Map::new();
    let link = page_link(&entry.links);
    let title = entry.title.map(content);
    let summary = entry.summary.map(content);
    let body = entry.content.and_then(|content| content.body).and_then(some);
    let published = entry.published.map(|at| at.timestamp_millis());
    let id = some(entry.id).or_else(|| link.clone()).unwrap_or_else(|| {
        let parts = [title.as_deref(), summary.as_deref(), body.as_deref()];
        hash(&parts.map(Option::unwrap_or_default), published.unwrap_or_default())
    });
    let media = entry.media.iter().flat_map(|media| &media.content).filter_map(|one| one.url.as_ref());
    map.insert("media".to_owned(), media.map(|url| Value::from(url.as_str())).collect());
    map.insert(
        "tags".to_owned(),
        entry.categories.iter().map(|tag| json!(tag.label.as_ref().unwrap_or(&tag.term))).collect(),
    );
    put(&mut map, "id", Some(id));
    put(&mut map, "author", entry.authors.into_iter().next().and_then(|author| author.name).and_then(some));
    put(&mut map, "link", link);
    put(&mut map, "title", title);
    put(&mut map, "summary", summary);
    put(&mut map, "content", body);
    put(&mut map, "published", published);
    put(&mut map, "updated", entry.updated.map(|at| at.timestamp_millis()));
    put(&mut map, "language", entry.language);
    Value::Object(map)
}

fn put(map: &mut Map<String, Value>, key: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        map.insert(key.to_owned(), value.into());
    }
}

fn content(text: Text) -> String {
    text.content
}

fn some(text: String) -> Option<String> {
    (!text.trim().is_empty()).then_some(text)
}

/// The page for people: the link without a relation, or the alternate one.
fn page_link(links: &[Link]) -> Option<String> {
    let is_page = |link: &&Link| matches!(link.rel.as_deref(), None | Some("alternate"));
    links.iter().find(is_page).map(|link| link.href.clone()).and_then(some)
}

fn related(links: &[Link], rel: &str) -> Option<String> {
    links.iter().find(|link| link.rel.as_deref() == Some(rel)).map(|link| link.href.clone())
}

fn hash(parts: &[&str], at_ms: i64) -> String {
    use std::hash::Hasher;
    let mut hasher = freshet_types::map::Hasher::default();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.write_i64(at_ms);
    format!("hash:{:016x}", hasher.finish())
}
