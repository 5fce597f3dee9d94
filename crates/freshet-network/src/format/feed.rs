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
//!
//! `feed-rs` reads the formats of XML; since it builds all that it is given, the text is cut before ([`trim`]). It
//! takes a text apart at places that need not be letters' ends, and panics then: that is caught here.

mod json;
mod trim;

use std::panic::{AssertUnwindSafe, catch_unwind};

use feed_rs::model::{Entry, Feed, Link, Text};
use feed_rs::parser;
use serde_json_borrow::ObjectAsVec;

use super::room::bounded;
use super::{Parsed, Tree};

/// Tags, and pictures or films, kept of one entry; what uses them takes a hundred at most.
const PARTS_MAX: usize = 200;

/// The feed, or what is wrong with it.
pub(super) fn parse<'a>(text: &'a str, url: &str) -> Result<Parsed<'a>, String> {
    let text = without_declaration(text.trim_start_matches('\u{feff}').trim_start());
    let wrong = |error: &str| {
        let start: String = text.chars().take(40).collect();
        format!("the body is no feed ({error}); it begins with `{}`", start.escape_debug())
    };
    if text.starts_with('{') {
        return json::parse(text).map_err(|error| wrong(&error));
    }
    let cut = trim::trim(text);
    let parser = parser::Builder::new()
        .base_uri(Some(url))
        .sanitize_content(false)
        .id_generator(|_, _, _| String::new())
        .build();
    let feed = catch_unwind(AssertUnwindSafe(|| parser.parse(cut.text.as_bytes())))
        .map_err(|_| wrong("reading it failed in a way that nobody has foreseen"))?
        .map_err(|error| wrong(&error.to_string()))?;
    Ok(Parsed { tree: tree(feed), left_out: cut.left_out })
}

/// The text was decoded already, so the declared encoding no longer holds.
fn without_declaration(text: &str) -> &str {
    match text.strip_prefix("<?xml") {
        Some(rest) => rest.split_once("?>").map_or(text, |(_, body)| body),
        None => text,
    }
}

/// The values of one object, by key.
type Values<'a> = Vec<(&'static str, Tree<'a>)>;

fn tree(feed: Feed) -> Tree<'static> {
    let mut values = Values::new();
    put(&mut values, "link", page_link(&feed.links));
    put(&mut values, "next", related(&feed.links, "next"));
    put(&mut values, "id", some(feed.id));
    put(&mut values, "title", feed.title.map(content));
    put(&mut values, "description", feed.description.map(content));
    put(&mut values, "language", feed.language);
    put_number(&mut values, "updated", feed.updated.or(feed.published).map(|at| at.timestamp_millis()));
    put_number(&mut values, "ttl_min", feed.ttl.map(i64::from));
    values.push(("entries", Tree::Array(feed.entries.into_iter().map(entry).collect())));
    object(values)
}

fn entry(entry: Entry) -> Tree<'static> {
    let mut values = Values::new();
    let link = page_link(&entry.links);
    let title = entry.title.map(content);
    let summary = entry.summary.map(content);
    let body = entry.content.and_then(|content| content.body).and_then(some);
    let published = entry.published.map(|at| at.timestamp_millis());
    let id = some(entry.id).or_else(|| link.clone()).unwrap_or_else(|| {
        hash([title.as_deref(), summary.as_deref(), body.as_deref()], published.unwrap_or_default())
    });
    let media = entry.media.iter().flat_map(|media| &media.content).filter_map(|one| one.url.as_ref());
    values.push(("media", list(media.map(|url| url.as_str().to_owned()))));
    let tags = entry.categories.into_iter().map(|tag| tag.label.unwrap_or(tag.term));
    values.push(("tags", list(tags)));
    put(&mut values, "id", Some(id));
    put(
        &mut values,
        "author",
        entry.authors.into_iter().next().and_then(|author| author.name).and_then(some),
    );
    put(&mut values, "link", link);
    put(&mut values, "title", title);
    put(&mut values, "summary", summary);
    put(&mut values, "content", body);
    put_number(&mut values, "published", published);
    put_number(&mut values, "updated", entry.updated.map(|at| at.timestamp_millis()));
    put(&mut values, "language", entry.language);
    object(values)
}

fn object(mut values: Values<'_>) -> Tree<'_> {
    values.shrink_to_fit();
    Tree::Object(ObjectAsVec::from_iter(values))
}

fn list(texts: impl Iterator<Item = String>) -> Tree<'static> {
    Tree::Array(texts.take(PARTS_MAX).map(|text| Tree::Str(text.into())).collect())
}

fn put(values: &mut Values<'_>, key: &'static str, text: Option<String>) {
    if let Some(mut text) = text {
        text.truncate(bounded(&text).len());
        values.push((key, Tree::Str(text.into())));
    }
}

fn put_number(values: &mut Values<'_>, key: &'static str, number: Option<i64>) {
    if let Some(number) = number {
        values.push((key, Tree::Number(number.into())));
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

/// Of title, summary and content, and the time.
fn hash(parts: [Option<&str>; 3], at_ms: i64) -> String {
    use std::hash::Hasher;
    let mut hasher = freshet_types::map::Hasher::default();
    for part in parts {
        hasher.write(part.unwrap_or_default().as_bytes());
        hasher.write_u8(0xff);
    }
    hasher.write_i64(at_ms);
    format!("hash:{:016x}", hasher.finish())
}
