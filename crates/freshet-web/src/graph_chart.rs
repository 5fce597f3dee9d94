//! The picture of a neighbourhood, as SVG: what is asked about in the middle, its neighbours around it.
//!
//! The layout is the same for the same links: kinds of links follow each other around the middle, and
//! every neighbour has a row of its own on its side, so that names have room. Names are cut; the whole ones stand in the title of each node and in the table below.

use std::f64::consts::PI;
use std::fmt::Write as _;

use freshet_store::browse::{Neighbours, Node};

use super::chart::escape;

const WIDTH: f64 = 760.0;
/// Room for one name, and above the first and below the last.
const ROW: f64 = 30.0;
const EDGE: f64 = 34.0;
/// Lowest picture.
const HEIGHT_MIN: f64 = 360.0;
/// From the middle to the furthest and to the nearest neighbour, sideways: names stand outside.
const REACH: f64 = 225.0;
const REACH_MIN: f64 = 70.0;
/// Size of a node, and of the one in the middle.
const NODE: f64 = 7.0;
const NODE_MIDDLE: f64 = 13.0;
/// Letters of a name.
const NAME_CHARS: usize = 20;

/// Name and colour of a kind of link.
pub(super) fn kind_of(name: &str) -> (&'static str, usize) {
    match name {
        "follows" => ("follows", 0),
        "author" => ("author", 1),
        "reply_to" | "root" => ("answers", 2),
        "repost_of" | "quote_of" => ("reposts and quotes", 3),
        _ => ("others", 4),
    }
}

/// The picture; `None` where nothing stands around.
pub(super) fn picture(middle: &Node, around: &Neighbours) -> Option<String> {
    if around.nodes.is_empty() {
        return None;
    }
    let height = height_of(around.nodes.len());
    let positions = positions(around.nodes.len(), height);
    let core = (WIDTH / 2.0, height / 2.0);
    let title = escape(&format!("{} and {} around it", middle.label, around.nodes.len()));
    let mut svg = format!(
        "<svg class=\"chart graph\" viewBox=\"0 0 {WIDTH} {height}\" role=\"group\" aria-label=\"{title}\"><title>{title}</title>"
    );
    for &(from, to) in &around.among {
        let _ = write!(svg, "{}", line("among", positions[from], positions[to]));
    }
    for tie in &around.ties {
        let (outer, class) = (positions[tie.node], format!("line-{}", kind_of(&tie.name).1));
        let (from, to) = if tie.is_out { (core, outer) } else { (outer, core) };
        let _ = write!(svg, "{}{}", line(&class, from, to), arrow(&class, from, to, !tie.is_out));
    }
    for (node, position) in around.nodes.iter().zip(&positions) {
        svg += &drawn(node, *position);
    }
    let _ = write!(
        svg,
        "<circle class=\"node middle {}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"{NODE_MIDDLE}\"/>\
         <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text></svg>",
        class_of(&middle.kind),
        core.0,
        core.1,
        core.0,
        core.1 + NODE_MIDDLE + 18.0,
        escape(&cut(&middle.label))
    );
    Some(svg)
}

/// Places around the middle, as the clock goes: down the right side, up the left one. Each has a row of
/// its own, so that no two names meet; together they make an oval.
fn positions(count: usize, height: f64) -> Vec<(f64, f64)> {
    let right = count.div_ceil(2);
    let position = |at: usize| {
        let (row, rows) = if at < right { (at, right) } else { (count - 1 - at, count - right) };
        let share = (row as f64 + 0.5) / rows as f64;
        let reach = REACH_MIN + (REACH - REACH_MIN) * (share * PI).sin();
        let side = if at < right { 1.0 } else { -1.0 };
        (WIDTH / 2.0 + side * reach, EDGE + share * (height - 2.0 * EDGE))
    };
    (0..count).map(position).collect()
}

/// High enough for a name in each row.
fn height_of(count: usize) -> f64 {
    (count.div_ceil(2) as f64 * ROW + 2.0 * EDGE).max(HEIGHT_MIN)
}

fn line(class: &str, from: (f64, f64), to: (f64, f64)) -> String {
    format!(
        "<line class=\"tie {class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
        from.0, from.1, to.0, to.1
    )
}

/// The head of an arrow, just before the node that it points at.
fn arrow(class: &str, from: (f64, f64), to: (f64, f64), is_to_middle: bool) -> String {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let length = x.hypot(y).max(1.0);
    let (x, y) = (x / length, y / length);
    let gap = if is_to_middle { NODE_MIDDLE } else { NODE } + 2.0;
    let tip = (to.0 - x * gap, to.1 - y * gap);
    let back = (tip.0 - x * 9.0, tip.1 - y * 9.0);
    format!(
        "<polygon class=\"head {class}\" points=\"{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\"/>",
        tip.0,
        tip.1,
        back.0 - y * 4.0,
        back.1 + x * 4.0,
        back.0 + y * 4.0,
        back.1 - x * 4.0
    )
}

/// A neighbour with its name, a link where more is known of it.
fn drawn(node: &Node, (x, y): (f64, f64)) -> String {
    let is_right = x >= WIDTH / 2.0;
    let (anchor, shift) = if is_right { ("start", NODE + 5.0) } else { ("end", -NODE - 5.0) };
    let kind = if node.object.is_some() { class_of(&node.kind) } else { "named" };
    let shape = format!(
        "<circle class=\"node {kind}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{NODE}\"><title>{}</title></circle>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
        escape(&node.label),
        x + shift,
        y + 4.0,
        escape(&cut(&node.label))
    );
    match node.object {
        Some(number) => format!("<a href=\"/graph?at={number}\">{shape}</a>"),
        None => shape,
    }
}

fn class_of(kind: &str) -> &'static str {
    match kind {
        "account" => "account",
        "post" => "post",
        _ => "named",
    }
}

fn cut(label: &str) -> String {
    if label.chars().count() <= NAME_CHARS {
        return label.to_owned();
    }
    label.chars().take(NAME_CHARS - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use freshet_store::browse::Tie;

    use super::*;

    #[test]
    fn the_same_links_are_always_the_same_picture_and_names_stay_inert() {
        let node = |id: &str, object| Node {
            network: "n".to_owned(),
            kind: "account".to_owned(),
            id: id.to_owned(),
            label: format!("<b>{id}</b> with a very long name"),
            object,
        };
        let tie =
            |position, is_out| Tie { name: "follows".to_owned(), is_out, node: position, is_cut: false };
        let around = Neighbours {
            nodes: vec![node("1", Some(7)), node("2", None)],
            ties: vec![tie(0, true), tie(1, false)],
            among: vec![(0, 1)],
        };
        let svg = picture(&node("0", Some(1)), &around).unwrap();
        assert_eq!(svg, picture(&node("0", Some(1)), &around).unwrap());
        assert!(!svg.contains("<b>") && svg.contains("&lt;b&gt;1") && svg.contains("/graph?at=7"), "{svg}");
        assert_eq!((svg.matches("<circle").count(), svg.matches("<polygon").count()), (3, 2));
        assert!(!svg.contains("NaN"));
        assert_eq!(picture(&node("0", None), &Neighbours::default()), None);
    }
}
