//! The links of a page, and what is written on and about them.
//!
//! A page has many links and few of them are ever asked what they read: so a link is its element, its address and its
//! path, and [`Page`] looks up the rest when somebody asks.

use std::borrow::Cow;

use html5ever::local_name;
use url::Url;

use super::Page;
use super::paths::{PathId, PathWriter};
use crate::address;
use crate::tree::{NodeId, Tree};

/// Links of one page that are kept.
pub(crate) const LINKS_MAX: usize = 20_000;
/// Steps of a link's path inside its record.
const LINK_STEPS: usize = 3;
/// Characters of a link's text.
const TEXT_CHARS_MAX: usize = 120;
/// Elements in a link that are asked what they are.
const INSIDE_MAX: usize = 6;
/// Bytes of an attribute that may say what a link is for.
const HINT_BYTES_MAX: usize = 200;
/// What a `link` of the head may be to be kept.
const HEAD_RELATIONS: [&str; 5] = ["next", "prev", "previous", "canonical", "alternate"];

/// One link.
#[derive(Clone, Debug)]
pub struct Link {
    pub node: NodeId,
    /// Where it leads, absolute, without session ids.
    pub url: Url,
    /// Its last steps.
    pub path: PathId,
    /// Whether it is a `link` of the head, said by the page itself and not by a menu.
    pub is_head: bool,
}

/// All links in document order.
pub(super) fn collect(tree: &Tree, paths: &mut PathWriter<'_>, base: &Url) -> Vec<Link> {
    let mut links = Vec::new();
    for node in 0..tree.len() {
        let is_head = match tree.element(node) {
            Some(&(local_name!("a") | local_name!("area"))) => false,
            Some(&local_name!("link")) => true,
            _ => continue,
        };
        if is_head && !HEAD_RELATIONS.iter().any(|name| is_relation(tree, node, name)) {
            continue;
        }
        let href = tree.named(node, &local_name!("href"));
        let Some(url) = href.and_then(|href| address::resolve(base, href)) else { continue };
        links.push(Link { node, url, path: paths.path(node, LINK_STEPS, false), is_head });
        if links.len() >= LINKS_MAX {
            break;
        }
    }
    links
}

fn is_relation(tree: &Tree, node: NodeId, name: &str) -> bool {
    let rel = tree.named(node, &local_name!("rel")).unwrap_or_default();
    rel.split_ascii_whitespace().any(|it| it.eq_ignore_ascii_case(name))
}

impl Page {
    /// What is written on a link.
    pub(crate) fn link_text(&self, link: &Link) -> Cow<'_, str> {
        self.tree.line_in(link.node..self.tree.end(link.node), TEXT_CHARS_MAX)
    }

    /// Whether a link's `rel` says so.
    pub fn is_relation(&self, link: &Link, name: &str) -> bool {
        is_relation(&self.tree, link.node, name)
    }

    /// Classes, title and labels of a link, of what is in it and of what it is in, in lower case: icons have no text.
    pub(crate) fn link_hint(&self, link: &Link) -> String {
        let names = [
            local_name!("class"),
            local_name!("itemprop"),
            local_name!("title"),
            local_name!("aria-label"),
            local_name!("id"),
        ];
        let mut hint = String::new();
        for at in self.around(link) {
            for value in names.iter().filter_map(|name| self.tree.named(at, name)).filter(is_hint) {
                hint.push_str(&value.to_lowercase());
                hint.push(' ');
            }
        }
        hint
    }

    /// Whether a class or an item property around a link is one of some kind: these were written by the forum, not by its people.
    pub(crate) fn has_role(&self, link: &Link, is_wanted: impl Fn(&str) -> bool) -> bool {
        let names = [local_name!("class"), local_name!("itemprop")];
        self.around(link).any(|at| {
            names.iter().filter_map(|name| self.tree.named(at, name)).filter(is_hint).any(&is_wanted)
        })
    }

    /// The elements that speak for a link: itself, what is in it, what it is in.
    fn around(&self, link: &Link) -> impl Iterator<Item = NodeId> {
        let inside = (link.node..self.tree.end(link.node)).take(INSIDE_MAX);
        inside.filter(|&at| self.tree.text(at).is_none()).chain(self.tree.parent(link.node))
    }
}

fn is_hint(value: &&str) -> bool {
    value.len() <= HINT_BYTES_MAX
}
