//! The learnt sitemap of a forum as SVG: which pages lead to which, and how each kind is read.
//!
//! Drawn from the definition alone, top down as a crawl goes: front page, boards, threads; beside
//! them the pages that hold nothing to read. Patterns are cut; the definition has them whole.

use std::fmt::Write as _;

use freshet_forum::definition::{ForumDefinition, ListDefinition, ListOrder};

use super::chart::escape;

const WIDTH: f64 = 560.0;
/// Of a box without its lines, of a line, and between two boxes.
const BOX_HEIGHT: f64 = 36.0;
const LINE_HEIGHT: f64 = 19.0;
const GAP: f64 = 36.0;
const LEFT: f64 = 10.0;
/// Width of a box; the rest is for what leads back to its own kind.
const BOX_WIDTH: f64 = 470.0;
/// Letters of a line.
const LINE_CHARS: usize = 58;
/// Patterns told of each kind.
const PATTERNS_SHOWN: usize = 2;

/// What a crawl knows of it by now.
#[derive(Default)]
pub(super) struct Known {
    pub(super) boards: u64,
    pub(super) threads: u64,
    /// What some of them are called.
    pub(super) board_titles: Vec<String>,
    pub(super) thread_titles: Vec<String>,
}

/// One kind of page.
struct Kind {
    title: String,
    patterns: Vec<String>,
    facts: String,
    /// What some of its lists are called.
    titles: String,
    class: &'static str,
    /// It goes on over several pages.
    is_paged: bool,
}

impl Kind {
    /// Patterns, then what is known of them, then some titles.
    fn lines(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let patterns = self.patterns.iter().take(PATTERNS_SHOWN).map(|it| ("pattern", it.as_str()));
        let more = [("facts", self.facts.as_str()), ("facts", self.titles.as_str())];
        patterns.chain(more.into_iter().filter(|(_, text)| !text.is_empty()))
    }

    fn height(&self) -> f64 {
        BOX_HEIGHT + self.lines().count() as f64 * LINE_HEIGHT
    }
}

/// The picture.
pub(super) fn picture(forum: &ForumDefinition, known: &Known) -> String {
    let kinds = kinds(forum, known);
    let height = kinds.iter().map(|kind| kind.height() + GAP).sum::<f64>() - GAP + 16.0;
    let title = escape(&format!("sitemap of {}: front page, boards, threads", forum.host));
    let mut svg = format!(
        "<svg class=\"chart sitemap\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\"><title>{title}</title>"
    );
    let mut top = 8.0;
    for (at, kind) in kinds.iter().enumerate() {
        svg += &drawn(kind, top);
        let is_followed = kinds.get(at + 1).is_some_and(|next| next.class != "other");
        if is_followed {
            svg += &down(top + kind.height());
        }
        if kind.is_paged {
            svg += &loop_arrow(top, kind.height());
        }
        top += kind.height() + GAP;
    }
    svg + "</svg>"
}

fn kinds(forum: &ForumDefinition, known: &Known) -> Vec<Kind> {
    let front = forum.front.clone().unwrap_or_else(|| forum.host.clone());
    let mut kinds = vec![Kind {
        title: "Front page, lists of boards".to_owned(),
        patterns: std::iter::once(front).chain(forum.portal.urls.iter().cloned()).collect(),
        facts: format!("learned from {} pages", forum.page_count),
        titles: String::new(),
        class: "portal",
        is_paged: false,
    }];
    for (list, name, (count, titles), class) in [
        (&forum.index, "Boards, lists of threads", (known.boards, &known.board_titles), "index"),
        (&forum.post, "Threads, lists of posts", (known.threads, &known.thread_titles), "post"),
    ] {
        kinds.push(match list {
            Some(list) => Kind {
                title: format!("{name}: {count} known"),
                patterns: list.urls.clone(),
                facts: facts(list),
                titles: called(titles),
                class,
                is_paged: !list.page_numbers.is_empty(),
            },
            None => Kind {
                title: format!("{name}: none was learned"),
                patterns: Vec::new(),
                facts: String::new(),
                titles: String::new(),
                class: "other",
                is_paged: false,
            },
        });
    }
    if !forum.other.urls.is_empty() {
        kinds.push(Kind {
            title: "Others, not read: profiles, searches, forms".to_owned(),
            patterns: forum.other.urls.clone(),
            facts: format!("{} patterns of addresses", forum.other.urls.len()),
            titles: String::new(),
            class: "other",
            is_paged: false,
        });
    }
    kinds
}

/// Some titles, each short enough that all have room.
fn called(titles: &[String]) -> String {
    let chars_max = LINE_CHARS / titles.len().max(1) - 3;
    let quoted = titles.iter().map(|title| format!("“{}”", cut_to(title, chars_max)));
    quoted.collect::<Vec<_>>().join(", ")
}

fn facts(list: &ListDefinition) -> String {
    let order = match list.order {
        ListOrder::NewestFirst => "newest first",
        ListOrder::OldestFirst => "oldest first",
        ListOrder::Mixed => "in no order",
    };
    let pages: Vec<String> = list.page_numbers.iter().map(ToString::to_string).collect();
    let pages =
        if pages.is_empty() { "one page".to_owned() } else { format!("page number at {}", pages.join(", ")) };
    format!("{order} · {pages} · confidence {:.2}", list.confidence)
}

fn drawn(kind: &Kind, top: f64) -> String {
    let mut svg = format!(
        "<rect class=\"page {}\" x=\"{LEFT}\" y=\"{top:.1}\" width=\"{BOX_WIDTH}\" height=\"{:.1}\" rx=\"8\"/>\
         <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        kind.class,
        kind.height(),
        LEFT + 14.0,
        top + 24.0,
        escape(&cut(&kind.title))
    );
    for (at, (class, text)) in kind.lines().enumerate() {
        let _ = write!(
            svg,
            "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            LEFT + 14.0,
            top + 44.0 + at as f64 * LINE_HEIGHT,
            escape(&cut(text))
        );
    }
    svg
}

fn down(from: f64) -> String {
    let (x, to) = (LEFT + BOX_WIDTH / 2.0, from + GAP);
    format!(
        "<line class=\"lead\" x1=\"{x}\" y1=\"{from:.1}\" x2=\"{x}\" y2=\"{:.1}\"/>\
         <polygon class=\"lead\" points=\"{x},{to:.1} {:.1},{:.1} {:.1},{:.1}\"/>",
        to - 8.0,
        x - 5.0,
        to - 9.0,
        x + 5.0,
        to - 9.0
    )
}

/// A list that goes on: an arrow from the box back to itself.
fn loop_arrow(top: f64, height: f64) -> String {
    let (x, out) = (LEFT + BOX_WIDTH, LEFT + BOX_WIDTH + 34.0);
    let (low, high) = (top + height * 0.7, top + height * 0.3);
    format!(
        "<path class=\"lead\" d=\"M{x},{low:.1} H{:.1} Q{out},{low:.1} {out},{:.1} Q{out},{high:.1} {:.1},{high:.1} H{:.1}\"/>\
         <polygon class=\"lead\" points=\"{x},{high:.1} {:.1},{:.1} {:.1},{:.1}\"/>\
         <text x=\"{:.1}\" y=\"{:.1}\">next</text>",
        out - 12.0,
        f64::midpoint(low, high),
        out - 12.0,
        x + 8.0,
        x + 9.0,
        high - 5.0,
        x + 9.0,
        high + 5.0,
        x + 6.0,
        low + 18.0
    )
}

fn cut(text: &str) -> String {
    cut_to(text, LINE_CHARS)
}

fn cut_to(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    text.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sitemap_shows_every_kind_of_page_and_stays_inert() {
        let list = ListDefinition { urls: vec!["/t/*<script>".to_owned()], ..ListDefinition::default() };
        let forum = ForumDefinition {
            host: "a.example".to_owned(),
            front: Some("https://a.example/".to_owned()),
            index: Some(list.clone()),
            post: Some(ListDefinition { order: ListOrder::OldestFirst, ..list }),
            ..ForumDefinition::default()
        };
        let (board_titles, thread_titles) = (vec!["News".to_owned(), "<b>Bread</b>".to_owned()], Vec::new());
        let svg = picture(&forum, &Known { boards: 3, threads: 40, board_titles, thread_titles });
        for words in [
            "“News”, “&lt;b&gt;Bread&lt;/b&gt;”",
            "Front page",
            "3 known",
            "40 known",
            "oldest first",
            "&lt;script&gt;",
        ] {
            assert!(svg.contains(words), "`{words}` is not in {svg}");
        }
        assert!(!svg.contains("<script") && svg.matches("<rect").count() == 3, "{svg}");
        let bare = picture(&ForumDefinition::default(), &Known::default());
        assert!(bare.contains("none was learned"), "{bare}");
    }
}
