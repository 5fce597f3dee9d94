//! The links of a page, with what is written on and about them.

use url::Url;

use super::steps::Steps;
use crate::address;
use crate::tree::{NodeId, Tree};

/// Links of one page that are kept.
pub const LINKS_MAX: usize = 20_000;
/// Steps of a link's path inside its record.
const LINK_STEPS: usize = 3;
/// Characters of a link's text.
const TEXT_CHARS_MAX: usize = 120;

/// One link.
#[derive(Clone, Debug)]
pub struct Link {
    /// The element.
    pub node: NodeId,
    /// Where it leads, absolute, without session ids.
    pub url: Url,
    /// What is written on it.
    pub text: String,
    /// Its `rel`, in lower case.
    pub rel: String,
    /// Classes, title and labels of it and of what is in it, in lower case: icons have no text.
    pub hint: String,
    /// Classes and item properties of it, of what is in it and of what it is in, in lower case.
    pub role: String,
    /// Its last steps.
    pub path: String,
    /// Whether it is a `link` of the head, said by the page itself and not by a menu.
    pub is_head: bool,
}

/// All links in document order.
pub(super) fn collect(tree: &Tree, steps: &Steps, base: &Url) -> Vec<Link> {
    let mut links = Vec::new();
    for node in 0..tree.len() {
        let is_head = match tree.tag(node) {
            "a" | "area" => false,
            "link" => true,
            _ => continue,
        };
        let Some(url) = tree.attribute(node, "href").and_then(|href| address::resolve(base, href)) else {
            continue;
        };
        let rel = tree.attribute(node, "rel").unwrap_or_default().to_ascii_lowercase();
        if is_head
            && rel
                .split_ascii_whitespace()
                .all(|it| !matches!(it, "next" | "prev" | "previous" | "canonical" | "alternate"))
        {
            continue;
        }
        let text = tree.text_in(node..tree.end(node), TEXT_CHARS_MAX);
        let path = steps.path(tree, node, LINK_STEPS);
        let (hint, role) = words(tree, node);
        links.push(Link { node, url, text, rel, hint, role, path, is_head });
        if links.len() >= LINKS_MAX {
            break;
        }
    }
    links
}

/// Attributes that say what a link is for; the first [`ROLES`] were written by the forum, not by its people.
const HINTS: [&str; 5] = ["class", "itemprop", "title", "aria-label", "id"];
const ROLES: usize = 2;

/// All of them, and those of the forum alone.
fn words(tree: &Tree, node: NodeId) -> (String, String) {
    let (mut all, mut own) = (String::new(), String::new());
    let inside = (node..tree.end(node)).take(6).filter(|&at| tree.text(at).is_none());
    let around = tree.parent(node).into_iter();
    for at in inside.chain(around) {
        for (place, name) in HINTS.iter().enumerate() {
            let Some(value) = tree.attribute(at, name).filter(|it| it.len() <= 200) else { continue };
            push_lowered(&mut all, value);
            if place < ROLES {
                push_lowered(&mut own, value);
            }
        }
    }
    (all, own)
}

fn push_lowered(words: &mut String, value: &str) {
    if value.is_ascii() {
        let start = words.len();
        words.push_str(value);
        words[start..].make_ascii_lowercase();
    } else {
        words.push_str(&value.to_lowercase());
    }
    words.push(' ');
}
