//! Plots as SVG, written by hand: lines in a box with a few round numbers at its edges.
//!
//! Small on purpose: one kind of plot, no interaction, text that a test can read. Serves
//! `freshet simulate --plots` and the pages of [`crate::study`].

use std::fmt::Write as _;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
/// Room for axes: left, top, right (legend), bottom.
const EDGES: (f64, f64, f64, f64) = (70.0, 40.0, 170.0, 50.0);
/// Colours that people with colour-blindness can tell apart (Okabe and Ito), in turn.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933"];
/// Lines of an axis.
const TICKS_MAX: usize = 8;
/// Hours between the lines of a day.
const DAY_STEP_H: f64 = 24.0 / TICKS_MAX as f64;

/// How numbers are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps, from 0.
    Linear,
    /// Equal ratios; what is not above 0 is left out.
    Logarithmic,
    /// The 24 hours of a day, all of them, whatever the values.
    Day,
}

/// One plot.
#[derive(Debug)]
pub struct Plot<'a> {
    /// What it shows.
    pub title: &'a str,
    /// What runs to the right, with its unit.
    pub x: (&'a str, Scale),
    /// What runs upwards, with its unit.
    pub y: (&'a str, Scale),
    /// Name and points of each line.
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
}

impl Plot<'_> {
    /// As an SVG document; `None` if no line has a point.
    pub fn svg(&self) -> Option<String> {
        let x = Axis::new(self.x.1, self.points().map(|point| point.0), EDGES.0, WIDTH - EDGES.2)?;
        let y = Axis::new(self.y.1, self.points().map(|point| point.1), HEIGHT - EDGES.3, EDGES.1)?;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
        );
        label(&mut svg, (WIDTH / 2.0, 20.0), "middle", self.title);
        label(&mut svg, (f64::midpoint(EDGES.0, WIDTH - EDGES.2), HEIGHT - 12.0), "middle", self.x.0);
        label(&mut svg, (8.0, EDGES.1 - 10.0), "start", self.y.0);
        for tick in x.ticks() {
            let at = x.position(tick);
            rule(&mut svg, (at, y.from), (at, y.to));
            label(&mut svg, (at, y.from + 16.0), "middle", &short(tick));
        }
        for tick in y.ticks() {
            let at = y.position(tick);
            rule(&mut svg, (x.from, at), (x.to, at));
            label(&mut svg, (x.from - 6.0, at + 4.0), "end", &short(tick));
        }
        for (number, (name, points)) in self.lines.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let path: Vec<_> = points
                .iter()
                .filter(|point| x.has(point.0) && y.has(point.1))
                .map(|point| format!("{:.1},{:.1}", x.position(point.0), y.position(point.1)))
                .collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
                path.join(" ")
            );
            let at = EDGES.1 + 14.0 * number as f64;
            let _ = writeln!(
                svg,
                "<rect x=\"{}\" y=\"{at}\" width=\"10\" height=\"10\" fill=\"{colour}\"/>",
                x.to + 12.0
            );
            label(&mut svg, (x.to + 28.0, at + 9.0), "start", name);
        }
        svg.push_str("</svg>\n");
        Some(svg)
    }

    /// The points that can be drawn.
    fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let can_draw =
            |scale: Scale, value: f64| value.is_finite() && (scale != Scale::Logarithmic || value > 0.0);
        let all = self.lines.iter().flat_map(|(_, points)| points.iter().copied());
        all.filter(move |point| can_draw(self.x.1, point.0) && can_draw(self.y.1, point.1))
    }
}

/// From values to places.
struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn new(scale: Scale, values: impl Iterator<Item = f64>, from: f64, to: f64) -> Option<Self> {
        let (low, high) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return None;
        }
        let (low, high) = match scale {
            Scale::Linear => (low.min(0.0), if high > low.min(0.0) { high } else { low + 1.0 }),
            Scale::Logarithmic => (low, if high > low { high } else { low * 2.0 }),
            Scale::Day => (0.0, 24.0),
        };
        Some(Self { scale, low, high, from, to })
    }

    fn has(&self, value: f64) -> bool {
        value.is_finite() && (self.scale != Scale::Logarithmic || value > 0.0)
    }

    fn position(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear | Scale::Day => (value - self.low) / (self.high - self.low),
            Scale::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        self.from + (self.to - self.from) * share.clamp(0.0, 1.0)
    }

    /// Round numbers inside of the axis.
    fn ticks(&self) -> Vec<f64> {
        if self.scale == Scale::Logarithmic {
            let decades = (self.high / self.low).log10();
            let marks: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
            let first = self.low.log10().floor() as i32;
            let last = self.high.log10().ceil() as i32;
            let ticks =
                (first..=last).flat_map(|power| marks.iter().map(move |mark| mark * 10_f64.powi(power)));
            let ticks: Vec<_> = ticks.filter(|tick| (self.low..=self.high).contains(tick)).collect();
            let every = ticks.len().div_ceil(TICKS_MAX).max(1);
            return ticks.into_iter().step_by(every).collect();
        }
        if self.scale == Scale::Day {
            return (0..=TICKS_MAX).map(|number| number as f64 * DAY_STEP_H).collect();
        }
        let rough = (self.high - self.low) / TICKS_MAX as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|mark| mark * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(10.0 * power);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|number| number as f64 * step).collect()
    }
}

fn rule(svg: &mut String, from: (f64, f64), to: (f64, f64)) {
    let _ = writeln!(
        svg,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#dddddd\"/>",
        from.0, from.1, to.0, to.1
    );
}

fn label(svg: &mut String, at: (f64, f64), anchor: &str, text: &str) {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{text}</text>", at.0, at.1);
}

/// A number in few characters.
fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 1e5 || (size > 0.0 && size < 1e-3) => format!("{value:.0e}"),
        size if size >= 10.0 || value.fract() == 0.0 => format!("{value:.0}"),
        _ => format!("{value:.3}").trim_end_matches('0').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_drawn_and_nonsense_is_left_out() {
        let nonsense = vec![(0.0, 1.0), (1.0, f64::NAN), (10.0, 5.0), (100.0, f64::INFINITY), (1000.0, 7.0)];
        let plot = Plot {
            title: "a < b & c",
            x: ("x", Scale::Logarithmic),
            y: ("y", Scale::Linear),
            lines: vec![("one".to_owned(), nonsense), ("none".to_owned(), Vec::new())],
        };
        let svg = plot.svg().unwrap();
        assert!(
            svg.contains("a &lt; b &amp; c") && svg.contains("points=\"70.0,") && svg.ends_with("</svg>\n")
        );
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        assert_eq!(Plot { lines: vec![("none".to_owned(), vec![(f64::NAN, 1.0)])], ..plot }.svg(), None);
    }

    #[test]
    fn ticks_are_round() {
        let axis = |scale, low: f64, high: f64| Axis::new(scale, [low, high].into_iter(), 0.0, 1.0).unwrap();
        assert_eq!(axis(Scale::Linear, 0.0, 7.3).ticks(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
        assert_eq!(axis(Scale::Logarithmic, 8.0, 60.0).ticks(), [10.0, 20.0, 50.0]);
        assert_eq!(axis(Scale::Day, 7.0, 9.0).ticks(), [0.0, 3.0, 6.0, 9.0, 12.0, 15.0, 18.0, 21.0, 24.0]);
        assert_eq!(axis(Scale::Linear, 5.0, 5.0).ticks().first(), Some(&0.0));
    }
}
