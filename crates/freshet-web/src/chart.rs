//! Charts as SVG, made here: values in, markup out.
//!
//! Colours are classes of the style sheet, so that they follow light and dark; the markup has no
//! styles of its own. Every chart says in its title what it shows, for those who cannot see it.
//! Values that are not finite are left out.

use std::fmt::Write as _;

use freshet_types::{Coverage, Span, Timestamp};
use jiff::tz::TimeZone;

/// Size of a chart in its own units; it grows and shrinks with the page.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 180.0;
/// Room for the labels of the axes.
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 22.0;
const TOP: f64 = 14.0;

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
/// Shades of the heat map above nothing.
const SHADES: f64 = 5.0;

/// One line of a chart.
pub(super) struct Line {
    /// For the legend.
    pub(super) name: String,
    /// Class of its colour: `line-0` and so on.
    pub(super) colour: usize,
    /// Instant in unix seconds, value.
    pub(super) points: Vec<(f64, f64)>,
}

/// Lines over time; `label` writes a value of the upright axis, which ends at a round one.
pub(super) fn lines(
    title: &str,
    lines: &[Line],
    round: fn(f64) -> f64,
    label: impl Fn(f64) -> String,
) -> String {
    let points = || lines.iter().flat_map(|line| &line.points).filter(|(_, value)| value.is_finite());
    let (first, last) =
        points().fold((f64::MAX, f64::MIN), |(low, high), (at, _)| (low.min(*at), high.max(*at)));
    if first >= last {
        return String::new();
    }
    let top = round(points().map(|(_, value)| *value).fold(0.0, f64::max));
    let x = |at: f64| LEFT + (at - first) / (last - first) * (WIDTH - LEFT - 8.0);
    let y = |value: f64| TOP + (1.0 - value / top) * (HEIGHT - TOP - BOTTOM);
    let mut svg = open(title, HEIGHT);
    for share in [0.0, 0.5, 1.0] {
        let (at, text) = (y(top * share), escape(&label(top * share)));
        let _ = write!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
            LEFT - 6.0,
            at + 4.0
        );
    }
    for (at, anchor) in [(first, "start"), (f64::midpoint(first, last), "middle"), (last, "end")] {
        let text = clock(at, last - first);
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{text}</text>",
            x(at),
            HEIGHT - 5.0
        );
    }
    for line in lines {
        let path: Vec<String> = line
            .points
            .iter()
            .filter(|(_, value)| value.is_finite())
            .map(|(at, value)| format!("{:.1},{:.1}", x(*at), y(*value)))
            .collect();
        let _ = write!(svg, "<polyline class=\"line-{}\" points=\"{}\"/>", line.colour, path.join(" "));
    }
    svg + "</svg>"
}

/// How many posts at which hour of which day (UTC); `None` without posts.
pub(super) fn rhythm(times: &[Timestamp]) -> Option<String> {
    let mut counts = [[0_u32; 24]; 7];
    for at in times {
        let Ok(at) = jiff::Timestamp::from_millisecond(at.ms()) else { continue };
        let at = at.to_zoned(TimeZone::UTC);
        let day = usize::try_from(at.weekday().to_monday_zero_offset()).unwrap_or(0) % 7;
        counts[day][usize::try_from(at.hour()).unwrap_or(0) % 24] += 1;
    }
    let most = counts.iter().flatten().copied().max().filter(|most| *most > 0)?;
    let (cell, left) = (24.0, 40.0);
    let mut svg = open(&format!("posts by hour and weekday, at most {most}"), 7.0 * cell + 20.0);
    for (day, hours) in counts.iter().enumerate() {
        let top = day as f64 * cell;
        let _ = write!(svg, "<text x=\"0\" y=\"{:.1}\">{}</text>", top + 16.0, DAYS[day]);
        for (hour, count) in hours.iter().enumerate() {
            // The square root keeps quiet hours visible beside busy ones.
            let shade = (f64::from(*count) / f64::from(most)).sqrt() * SHADES;
            let _ = write!(
                svg,
                "<rect class=\"heat-{}\" x=\"{:.1}\" y=\"{top:.1}\" width=\"22\" height=\"22\" rx=\"3\">\
                 <title>{} {hour:02}:00: {count}</title></rect>",
                shade.ceil() as u32,
                left + hour as f64 * cell,
                DAYS[day],
            );
        }
    }
    for hour in (0..24).step_by(3) {
        let at = left + f64::from(hour) * cell;
        let _ = write!(svg, "<text x=\"{at:.1}\" y=\"{:.1}\">{hour:02}</text>", 7.0 * cell + 14.0);
    }
    Some(svg + "</svg>")
}

/// What is proven complete between the oldest post and now, and the holes between.
pub(super) fn coverage(coverage: &Coverage, now: Timestamp) -> Option<String> {
    let oldest = coverage.intervals.iter().map(|it| it.oldest.at).min()?;
    let whole = (now - oldest).secs_f64().max(1.0);
    let x = |at: Timestamp| ((at - oldest).secs_f64() / whole).clamp(0.0, 1.0) * WIDTH;
    let holes = coverage.holes().len();
    let mut svg = open(&format!("{} complete stretches, {holes} holes", coverage.intervals.len()), 54.0);
    let _ = write!(svg, "<rect class=\"hole\" x=\"0\" y=\"4\" width=\"{WIDTH}\" height=\"24\" rx=\"4\"/>");
    for interval in &coverage.intervals {
        let (left, right) = (x(interval.oldest.at), x(interval.until.max(interval.newest.at)));
        let _ = write!(
            svg,
            "<rect class=\"complete\" x=\"{left:.1}\" y=\"4\" width=\"{:.1}\" height=\"24\" rx=\"2\">\
             <title>complete from {} to {}</title></rect>",
            (right - left).max(2.0),
            interval.oldest.at,
            interval.until
        );
    }
    let (first, last) = (day(oldest), day(now));
    let _ = write!(
        svg,
        "<text x=\"0\" y=\"46\">{first}</text><text x=\"{WIDTH}\" y=\"46\" text-anchor=\"end\">{last}</text>"
    );
    Some(svg + "</svg>")
}

fn open(title: &str, height: f64) -> String {
    let title = escape(title);
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{title}\"><title>{title}</title>"
    )
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The next round number: 1, 2 or 5 of its decade.
pub(super) fn round_number(value: f64) -> f64 {
    if !value.is_finite() || value <= 0.0 {
        return 1.0;
    }
    let decade = 10_f64.powf(value.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| step * decade >= value);
    step.unwrap_or(10.0) * decade
}

/// The next round span, in seconds: one that people say.
pub(super) fn round_span(secs: f64) -> f64 {
    const SAID: [f64; 15] = [
        1.0, 2.0, 4.0, 10.0, 20.0, 60.0, 120.0, 240.0, 600.0, 1200.0, 2400.0, 3600.0, 7200.0, 14_400.0,
        43_200.0,
    ];
    let days = Span::DAY.secs_f64();
    SAID.into_iter().find(|said| *said >= secs).unwrap_or_else(|| round_number(secs / days) * days)
}

/// A round span in one unit: `40m`, `2h`.
pub(super) fn short_span(secs: f64) -> String {
    let (hour, minute) = (3600.0, 60.0);
    match secs {
        _ if secs <= 0.0 => "0".to_owned(),
        _ if secs >= hour * 48.0 => format!("{:.1}d", secs / hour / 24.0),
        _ if secs >= hour => format!("{}h", secs / hour),
        _ if secs >= minute => format!("{}m", secs / minute),
        _ => format!("{secs}s"),
    }
}

/// The time of day, or the day where the chart spans several.
fn clock(at: f64, over: f64) -> String {
    let text = Timestamp::from_ms((at * 1000.0) as i64).to_string();
    let part = if over > Span::DAY.secs_f64() * 2.0 { text.get(5..10) } else { text.get(11..16) };
    part.unwrap_or_default().to_owned()
}

fn day(at: Timestamp) -> String {
    at.to_string().get(..10).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_are_finite_and_their_words_inert() {
        let line = |points: &[(f64, f64)]| Line { name: "a".to_owned(), colour: 0, points: points.to_vec() };
        let svg =
            lines("<b>\"lag\"", &[line(&[(0.0, 1.0), (60.0, f64::NAN), (120.0, 3.0)])], round_number, |it| {
                format!("{it}<")
            });
        assert!(!svg.contains("NaN") && !svg.contains("<b>") && svg.contains("&lt;b&gt;"), "{svg}");
        assert!(svg.contains("points=\"56.0,"), "{svg}");
        assert_eq!(lines("", &[line(&[(1.0, 1.0)])], round_number, |it| it.to_string()), "");
        for (value, expected) in [(0.0, 1.0), (0.3, 0.5), (7.0, 10.0), (f64::NAN, 1.0), (1200.0, 2000.0)] {
            assert!((round_number(value) - expected).abs() < 1e-9, "{value}");
        }
    }

    #[test]
    fn a_rhythm_has_a_cell_an_hour() {
        assert_eq!(rhythm(&[]), None);
        // Thursday, the first of January 1970, one o'clock.
        let svg = rhythm(&[Timestamp::from_secs(3600)]).unwrap();
        assert_eq!(svg.matches("<rect").count(), 168);
        assert!(svg.contains("heat-5") && svg.contains("Thu 01:00: 1"), "{svg}");
    }
}
