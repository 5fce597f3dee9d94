//! JSON Feed [version 1.1, jsonfeed.org], in the shape that all feeds get here.
//!
//! Part of step 6 of 10. It is read here rather than by `feed-rs`, which builds every item and gives each a copy of all the
//! feed's authors: a feed of 9 MB took it 5 GB. Ids that are numbers are taken as the standard asks for it.

use std::borrow::Cow;
use std::sync::LazyLock;

use freshet_types::definition::TimeFormat;

use super::super::{Keys, Parsed, Tree};
use super::{PARTS_MAX, Values, hash, object, put_number};
use crate::times;

/// What a feed must say of itself; version 1 and 1.1 differ in the names of authors only.
const VERSION: &str = "https://jsonfeed.org/version/1";

/// The keys that are looked at.
static KEYS: LazyLock<Keys> = LazyLock::new(|| {
    let names = "version title home_page_url feed_url description language author authors name items id url \
                 external_url content_html content_text summary date_published date_modified tags attachments";
    let mut keys = Keys::default();
    names.split_whitespace().for_each(|name| keys.add(name));
    keys
});

/// The feed, or what is wrong with it.
pub(super) fn parse(text: &str) -> Result<Parsed<'_>, String> {
    let Parsed { tree: feed, left_out } = KEYS.read(text).map_err(|error| error.to_string())?;
    match text_at(&feed, "version") {
        Some(version) if version.starts_with(VERSION) => {}
        version => {
            let shown: String = version.unwrap_or_default().chars().take(60).collect();
            return Err(format!("its version is `{shown}`, and not `{VERSION}`"));
        }
    }
    let mut values = Values::new();
    put(&mut values, "link", text_at(&feed, "home_page_url").or_else(|| text_at(&feed, "feed_url")));
    for key in ["title", "description", "language"] {
        put(&mut values, key, text_at(&feed, key));
    }
    let author = author(&feed);
    let entries = elements(&feed, "items").iter().map(|item| entry(item, author.as_ref())).collect();
    values.push(("entries", Tree::Array(entries)));
    Ok(Parsed { tree: object(values), left_out })
}

fn entry<'a>(item: &Tree<'a>, feed_author: Option<&Cow<'a, str>>) -> Tree<'a> {
    let mut values = Values::new();
    let attached = || text_at(elements(item, "attachments").first()?, "url");
    let link = text_at(item, "url").or_else(|| text_at(item, "external_url")).or_else(attached);
    let (html, plain) = (trimmed(item, "content_html"), trimmed(item, "content_text"));
    let title = text_at(item, "title");
    // Where there is no summary, the plain text is one beside the marked-up text.
    let summary = text_at(item, "summary").or_else(|| html.is_some().then(|| plain.clone()).flatten());
    let body = html.or(plain);
    let time =
        |key| times::read_text(&text_at(item, key)?, TimeFormat::Auto).map(freshet_types::Timestamp::ms);
    let published = time("date_published");
    let id = text_at(item, "id").or_else(|| link.clone()).unwrap_or_else(|| {
        let parts = [title.as_deref(), summary.as_deref(), body.as_deref()];
        Cow::Owned(hash(parts, published.unwrap_or_default()))
    });
    values.push(("media", Tree::Array(Vec::new())));
    let tags = elements(item, "tags").iter().filter_map(text).take(PARTS_MAX).map(Tree::Str);
    values.push(("tags", Tree::Array(tags.collect())));
    put(&mut values, "id", Some(id));
    put(&mut values, "author", author(item).or_else(|| feed_author.cloned()));
    put(&mut values, "link", link);
    put(&mut values, "title", title);
    put(&mut values, "summary", summary);
    put(&mut values, "content", body);
    put_number(&mut values, "published", published);
    put_number(&mut values, "updated", time("date_modified"));
    object(values)
}

/// The first author that has a name.
fn author<'a>(of: &Tree<'a>) -> Option<Cow<'a, str>> {
    let one = at(of, "author").and_then(|author| text_at(author, "name"));
    one.or_else(|| elements(of, "authors").iter().find_map(|author| text_at(author, "name")))
}

fn put<'a>(values: &mut Values<'a>, key: &'static str, text: Option<Cow<'a, str>>) {
    values.extend(text.map(|text| (key, Tree::Str(text))));
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
