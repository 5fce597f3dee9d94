//! The picture of a neighbourhood of any depth: the middle, and a ring for each step from it.
//!
//! The dashboard's picture shows one step and leans on its style sheet; this one stands alone in a file. The layout is the same
//! for the same links: each object has a share of its ring, beside the object that it was reached by.

use std::f64::consts::TAU;
use std::fmt::Write as _;

use super::xml::escaped;
use super::{Neighbourhood, Vertex};
use crate::text::shorten;

/// Least distance of two rings, and of two objects on a ring.
const RING: f64 = 150.0;
const GAP: f64 = 26.0;
/// Room around the outermost ring, for names.
const EDGE: f64 = 190.0;
const NODE: f64 = 6.0;
const NODE_MIDDLE: f64 = 11.0;
/// Columns of a name beside its object.
const NAME_COLUMNS: usize = 24;

const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#222}line{stroke:#9aa4b2;stroke-width:1}\
    .follows{stroke:#3b6fb6}.author{stroke:#2e8b57}.reply_to,.root{stroke:#b5651d}.repost_of,.quote_of{stroke:#8e4585}\
    circle{fill:#6b7785;stroke:#fff}.account{fill:#3b6fb6}.post{fill:#2e8b57}.named{fill:#fff;stroke:#6b7785}";

pub(super) fn draw(around: &Neighbourhood) -> String {
    let radii = radii(&around.vertices);
    let reach = radii.last().copied().unwrap_or_default() + EDGE;
    let places = places(around, &radii, reach);
    let size = reach * 2.0;
    let middle = around.vertices.first().map_or("nothing", |it| &it.label);
    let title = escaped(&format!("{middle} and {} around it", around.vertices.len().saturating_sub(1)));
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size:.0} {size:.0}\" width=\"{size:.0}\" height=\"{size:.0}\" \
         role=\"img\" aria-label=\"{title}\"><title>{title}</title><style>{STYLE}</style>\
         <defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">\
         <path d=\"M0 0L8 4L0 8z\" fill=\"#9aa4b2\"/></marker></defs>\n"
    );
    for edge in &around.edges {
        let (from, to) = (places[edge.from], shortened(places[edge.from], places[edge.to]));
        let _ = writeln!(
            svg,
            "<line class=\"{link}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" marker-end=\"url(#head)\"><title>{link}</title></line>",
            from.0,
            from.1,
            to.0,
            to.1,
            link = escaped(&edge.link)
        );
    }
    for (vertex, place) in around.vertices.iter().zip(&places) {
        svg += &drawn(vertex, *place, reach);
    }
    svg + "</svg>\n"
}

/// An object and its name.
fn drawn(vertex: &Vertex, (x, y): (f64, f64), core: f64) -> String {
    let radius = if vertex.level == 0 { NODE_MIDDLE } else { NODE };
    let class = if vertex.is_stored { escaped(&vertex.kind) } else { "named".to_owned() };
    let (anchor, shift) = if x >= core { ("start", radius + 4.0) } else { ("end", -radius - 4.0) };
    format!(
        "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"><title>{} {}</title></circle>\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>\n",
        escaped(&vertex.address),
        escaped(&vertex.label),
        x + shift,
        y + 4.0,
        escaped(&shorten(&vertex.label, NAME_COLUMNS))
    )
}

/// How far each ring is from the middle: far enough for those on it.
fn radii(vertices: &[Vertex]) -> Vec<f64> {
    let deepest = vertices.iter().map(|it| it.level).max().unwrap_or_default();
    let mut radii = vec![0.0];
    for level in 1..=deepest {
        let count = vertices.iter().filter(|it| it.level == level).count() as f64;
        let before = radii.last().copied().unwrap_or_default();
        radii.push((before + RING).max(count * GAP / TAU));
    }
    radii
}

/// Where each object stands. On each ring those stay together that were reached by the same object.
fn places(around: &Neighbourhood, radii: &[f64], core: f64) -> Vec<(f64, f64)> {
    let mut places = vec![(core, core); around.vertices.len()];
    let mut order: Vec<usize> = vec![0];
    for (level, radius) in radii.iter().enumerate().skip(1) {
        let mut ring: Vec<usize> = Vec::new();
        let is_here = |place: usize| usize::from(around.vertices[place].level) == level;
        for inner in &order {
            let linked = around.edges.iter().filter_map(|edge| match *inner {
                at if at == edge.from => Some(edge.to),
                at if at == edge.to => Some(edge.from),
                _ => None,
            });
            let new: Vec<usize> = linked.filter(|at| is_here(*at) && !ring.contains(at)).collect();
            for at in new {
                if !ring.contains(&at) {
                    ring.push(at);
                }
            }
        }
        for (at, vertex) in ring.iter().enumerate() {
            let angle = TAU * (at as f64 + 0.5) / ring.len() as f64 - TAU / 4.0;
            places[*vertex] = (core + radius * angle.cos(), core + radius * angle.sin());
        }
        order = ring;
    }
    places
}

/// The end of a line, just before the object that it points at.
fn shortened(from: (f64, f64), to: (f64, f64)) -> (f64, f64) {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let length = x.hypot(y).max(1.0);
    (to.0 - x / length * (NODE + 3.0), to.1 - y / length * (NODE + 3.0))
}

#[cfg(test)]
mod tests {
    use super::super::tests::circle;
    use super::*;

    #[test]
    fn every_object_has_a_place_of_its_own_and_texts_stay_inert() {
        let around = circle();
        let svg = draw(&around);
        assert_eq!(svg, draw(&around), "the same links are the same picture");
        assert_eq!((svg.matches("<circle").count(), svg.matches("<line").count()), (3, 4));
        assert!(svg.contains("a &lt; b &amp; &quot;c&quot;") && !svg.contains("NaN"), "{svg}");
        let radii = radii(&around.vertices);
        let places = places(&around, &radii, 500.0);
        let far = |place: (f64, f64)| (place.0 - 500.0).hypot(place.1 - 500.0).round();
        assert_eq!(places.iter().map(|place| far(*place)).collect::<Vec<_>>(), [0.0, 150.0, 300.0]);
        draw(&Neighbourhood::default());
    }
}
