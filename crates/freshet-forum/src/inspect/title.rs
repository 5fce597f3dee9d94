//! What a page calls a list: the text of the link that leads to it, or the heading of the list's own page.
//!
//! Several links of a row may lead to one thread: an icon, the title, page numbers, "last post". The learned place of
//! titles goes first; where nothing is written there, the first link to the same address that reads like words does. Where a
//! whole card is one link, its heading is the title. What comes out is inert ([`clean_title`]).
//!
//! A page's own heading is worth less: many sites write their own name there, so it is only taken where no list above names
//! the list.

use freshet_types::list::{TITLE_CHARS_MAX, clean_title};

use crate::address::{self, Slot};
use crate::page::{Link, Page};
use crate::tree::NodeId;

/// Elements of a link that are looked through for a heading.
const INSIDE_MAX: usize = 40;
/// Elements from a link up to a heading that it is in.
const UP_MAX: usize = 3;
/// Characters of which a title is made; one more than a title has shows that it was cut.
const CHARS_MAX: usize = TITLE_CHARS_MAX + 1;

/// The title of what `link` leads to; `links` are those of its row.
pub(super) fn of_links(page: &Page, link: &Link, links: &[Link]) -> Option<String> {
    let key = address::key(&link.url);
    let others = links.iter().filter(|it| it.node != link.node && address::key(&it.url) == key);
    best(std::iter::once(link).chain(others).filter_map(|it| of_link(page, it)))
}

/// What is written on a link: its heading where it has one.
pub(crate) fn of_link(page: &Page, link: &Link) -> Option<String> {
    let tree = &page.tree;
    let inside = (link.node..tree.end(link.node)).take(INSIDE_MAX);
    let heading = inside.into_iter().find(|&node| is_heading(tree.tag(node)));
    let text = |node: NodeId| clean_title(&tree.line_in(node..tree.end(node), CHARS_MAX));
    heading.and_then(text).or_else(|| text(link.node))
}

/// The first of some texts that reads like words, else like a number, else any.
pub(crate) fn best(texts: impl Iterator<Item = String>) -> Option<String> {
    let rank = |text: &str| {
        let has = |is: fn(char) -> bool| text.chars().any(is);
        usize::from(has(char::is_alphanumeric)) + usize::from(has(char::is_alphabetic))
    };
    let mut best: Option<(usize, String)> = None;
    for text in texts {
        let rank = rank(&text);
        if best.as_ref().is_none_or(|(known, _)| rank > *known) {
            best = Some((rank, text));
        }
        if best.as_ref().is_some_and(|(known, _)| *known == 2) {
            break;
        }
    }
    best.map(|(_, text)| text)
}

/// A page's own heading: the one that links to the page itself, else the first, else its title.
pub(crate) fn heading(page: &Page, slots: &[Slot]) -> Option<String> {
    let tree = &page.tree;
    let own = address::list_key(&page.url, slots);
    let text = |node: NodeId| clean_title(&tree.text_in(node..tree.end(node), CHARS_MAX));
    let first = |tag: &str| (0..tree.len()).find(|&node| tree.tag(node) == tag).and_then(text);
    let linked = page.links.iter().find(|link| {
        let has_heading = || tree.ancestors(link.node).take(UP_MAX).any(|node| is_heading(tree.tag(node)));
        !link.is_head && has_heading() && address::list_key(&link.url, slots) == own
    });
    linked.and_then(|link| text(link.node)).or_else(|| first("h1")).or_else(|| first("title"))
}

fn is_heading(tag: &str) -> bool {
    matches!(tag, "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;
    use crate::page::Source;

    fn page(html: &str) -> Page {
        let url = Url::parse("http://forum.test/t/1").unwrap();
        Page::read(&Source { html: html.as_bytes(), url: &url, fetched_s: None })
    }

    fn check(html: &str, expected: Option<&str>) {
        let page = page(html);
        let title = of_links(&page, &page.links[0], &page.links);
        assert_eq!(title.as_deref(), expected, "{html}");
    }

    #[test]
    fn the_words_on_a_link_are_the_title() {
        check("<a href=/t/7>How to <b>bake</b></a>", Some("How to bake"));
        check(
            "<a href=/t/7><img src=i></a><a href=/t/8>no</a><a href=/t/7>How to bake</a>",
            Some("How to bake"),
        );
        check("<a href=/t/7>»</a><a href=/t/7>12</a><a href=/t/7>Bread</a>", Some("Bread"));
        check("<a href=/t/7>1984</a>", Some("1984"));
        check("<a href=/t/7><h3>Bread</h3><p>Every morning, said ada.</p></a>", Some("Bread"));
        check("<a href=/t/7><img src=i></a>", None);
        check("<a href=/t/7>\u{202e}&#27;[2Jx &lt;script&gt;</a>", Some("[2Jx <script>"));
    }

    #[test]
    fn a_page_is_called_by_the_heading_that_links_to_it() {
        for (html, expected) in [
            ("<h1>Site</h1><h2><a href=/t/1>How to bake</a></h2>", Some("How to bake")),
            ("<title>no</title><h1>How to bake</h1><h2>Answers</h2>", Some("How to bake")),
            ("<title>How to bake</title><p>words", Some("How to bake")),
            ("<p>words", None),
        ] {
            assert_eq!(heading(&page(html), &[]).as_deref(), expected, "{html}");
        }
    }
}
