//! JSON Feed [version 1.1, jsonfeed.org], in the shape that all feeds get here.
//!
//! Part of step 6 of 10. Ids that are numbers are taken as the standard asks for it.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::super::{Keys, Parsed, Tree};
use super::shape::{Entry, Feed, PARTS_MAX};

/// What a feed must say of itself; version 1 and 1.1 differ in the names of authors only.
const VERSION: &str = "https://jsonfeed.org/version/1";

/// The keys that are looked at.
static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let names = "version title home_page_url feed_url description language author authors name items id url \
                 external_url content_html content_text summary date_published date_modified tags attachments hubs next_url";
    let mut keys = Keys::default();
    names.split_whitespace().for_each(|name| keys.add(name));
    keys
});

/// The feed and how much of it there was no room for, or what is wrong with it.
pub(super) fn read(text: &str) -> Result<(Feed<'_>, usize), String> {
    let Parsed { tree, left_out, .. } = KEYS.read(text).map_err(|error| error.to_string())?;
    match text_at(&tree, "version") {
        Some(version) if version.starts_with(VERSION) => {}
        version => {
            let shown: String = version.unwrap_or_default().chars().take(60).collect();
            return Err(format!("its version is `{shown}`, and not `{VERSION}`"));
        }
    }
    let feed = Feed {
        link: text_at(&tree, "home_page_url").or_else(|| text_at(&tree, "feed_url")),
        title: text_at(&tree, "title"),
        description: text_at(&tree, "description"),
        language: text_at(&tree, "language"),
        author: author(&tree),
        next: text_at(&tree, "next_url"),
        hub: elements(&tree, "hubs").first().and_then(|hub| text_at(hub, "url")),
        topic: text_at(&tree, "feed_url"),
        entries: elements(&tree, "items").iter().map(entry).collect(),
        ..Feed::default()
    };
    Ok((feed, left_out))
}

fn entry<'a>(item: &Tree<'a>) -> Entry<'a> {
    let attached = || elements(item, "attachments").iter().filter_map(|file| text_at(file, "url"));
    let link = text_at(item, "url").or_else(|| text_at(item, "external_url")).or_else(|| attached().next());
    let (html, plain) = (trimmed(item, "content_html"), trimmed(item, "content_text"));
    Entry {
        id: text_at(item, "id"),
        link,
        title: text_at(item, "title"),
        // Where there is no summary, the plain text is one beside the marked-up text.
        summary: text_at(item, "summary").or_else(|| html.is_some().then(|| plain.clone()).flatten()),
        content: html.or(plain),
        published: text_at(item, "date_published"),
        updated: text_at(item, "date_modified"),
        author: author(item),
        language: text_at(item, "language"),
        tags: elements(item, "tags").iter().filter_map(text).take(PARTS_MAX).collect(),
        media: attached().take(PARTS_MAX).collect(),
        ..Entry::default()
    }
}

/// The first author that has a name.
fn author<'a>(of: &Tree<'a>) -> Option<Cow<'a, str>> {
    let one = at(of, "author").and_then(|author| text_at(author, "name"));
    one.or_else(|| elements(of, "authors").iter().find_map(|author| text_at(author, "name")))
}

fn at<'t, 'a>(object: &'t Tree<'a>, key: &str) -> Option<&'t Tree<'a>> {
    if let Tree::Object(values) = object { values.get(key) } else { None }
}

fn elements<'t, 'a>(object: &'t Tree<'a>, key: &str) -> &'t [Tree<'a>] {
    if let Some(Tree::Array(list)) = at(object, key) { list } else { &[] }
}

fn text_at<'a>(object: &Tree<'a>, key: &str) -> Option<Cow<'a, str>> {
    text(at(object, key)?)
}

fn trimmed<'a>(object: &Tree<'a>, key: &str) -> Option<Cow<'a, str>> {
    Some(match text_at(object, key)? {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    })
}

fn text<'a>(value: &Tree<'a>) -> Option<Cow<'a, str>> {
    match value {
        Tree::Str(text) if text.trim().is_empty() => None,
        Tree::Str(text) => Some(text.clone()),
        Tree::Number(number) => Some(Cow::Owned(number.to_string())),
        _ => None,
    }
}
