//! What policies reached as plots: day by day (the list-wise paper's figure 6), and against bandwidth (its figure 7).
//!
//! Days are put together by weeks, so that lines can be told apart. Bandwidth utilisation and coverage day by day are those of post
//! lists, which is where policies differ.

use super::measure::{DayShare, Figures};
use crate::plot::{Plot, Scale};

/// Days that one point is the mean of.
pub(crate) const DAYS_PER_POINT: usize = 7;

/// A name for its file, and the plot.
pub type Named = (&'static str, Plot<'static>);

/// One line: name and points.
type Line = (String, Vec<(f64, f64)>);

/// Bandwidth utilisation, coverage and timeliness by day, of every policy at every bandwidth.
pub fn by_day(reached: &[(f64, Figures)]) -> Vec<Named> {
    let has_widths = widths(reached).len() > 1;
    let lines = |value: fn(&DayShare) -> Option<f64>| -> Vec<Line> {
        let line = |(width, figures): &(f64, Figures)| {
            let name =
                if has_widths { format!("{} {width}/d", figures.policy) } else { figures.policy.to_owned() };
            (name, by_week(figures, value))
        };
        reached.iter().map(line).collect()
    };
    let day = ("day", Scale::Linear);
    let minutes = |day: &DayShare| day.timeliness_s.map(|secs| secs / 60.0);
    let use_y = ("BU, post lists", Scale::Linear);
    let time_y = ("T in minutes, posts", Scale::Logarithmic);
    vec![
        ("year-use", plot("Bandwidth utilisation", day, use_y, lines(|day| Some(day.useful)))),
        (
            "year-coverage",
            plot("Coverage", day, ("Cov, posts", Scale::Linear), lines(|day| Some(day.coverage))),
        ),
        ("year-timeliness", plot("Timeliness", day, time_y, lines(minutes))),
    ]
}

/// The same against bandwidth; nothing where there is only one.
pub fn by_bandwidth(reached: &[(f64, Figures)]) -> Vec<Named> {
    if widths(reached).len() < 2 {
        return Vec::new();
    }
    let lines = |value: fn(&Figures) -> Option<f64>| -> Vec<Line> {
        let mut lines: Vec<Line> = Vec::new();
        for (width, figures) in reached {
            let Some(point) = value(figures).map(|value| (*width, value)) else { continue };
            match lines.iter_mut().find(|(name, _)| name == figures.policy) {
                Some((_, points)) => points.push(point),
                None => lines.push((figures.policy.to_owned(), vec![point])),
            }
        }
        for (_, points) in &mut lines {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        lines
    };
    let pages = ("pages a day", Scale::Logarithmic);
    let use_y = ("BU", Scale::Logarithmic);
    let time_y = ("T all in minutes, posts", Scale::Logarithmic);
    let minutes = |it: &Figures| it.posts.charged_s.map(|secs| secs / 60.0);
    let coverage = lines(|it| Some(it.posts.coverage));
    vec![
        ("bandwidth-use", plot("Bandwidth utilisation", pages, use_y, lines(|it| Some(it.useful())))),
        ("bandwidth-coverage", plot("Coverage", pages, ("Cov, posts", Scale::Linear), coverage)),
        ("bandwidth-timeliness", plot("Timeliness", pages, time_y, lines(minutes))),
    ]
}

fn plot(
    title: &'static str,
    x: (&'static str, Scale),
    y: (&'static str, Scale),
    lines: Vec<Line>,
) -> Plot<'static> {
    Plot { title, x, y, lines }
}

/// Bandwidths there are.
fn widths(reached: &[(f64, Figures)]) -> Vec<f64> {
    let mut widths: Vec<f64> = reached.iter().map(|(width, _)| *width).collect();
    widths.sort_by(f64::total_cmp);
    widths.dedup_by(|a, b| a.total_cmp(b).is_eq());
    widths
}

/// A value of post lists, week by week.
fn by_week(figures: &Figures, value: fn(&DayShare) -> Option<f64>) -> Vec<(f64, f64)> {
    let weeks = figures.posts.days.chunks(DAYS_PER_POINT).enumerate();
    let point = |(week, days): (usize, &[DayShare])| {
        let values: Vec<f64> = days.iter().filter_map(value).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (!values.is_empty()).then_some(((week * DAYS_PER_POINT) as f64, mean))
    };
    weeks.filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::super::measure::Share;
    use super::*;

    fn figures(policy: &'static str, charged_s: f64) -> Figures {
        let day = |number: u32| DayShare {
            useful: 0.5,
            coverage: f64::from(number) / 20.0,
            timeliness_s: (number > 3).then_some(600.0),
        };
        let posts =
            Share { charged_s: Some(charged_s), days: (0..10).map(day).collect(), ..Share::default() };
        Figures { policy, posts, ..Figures::default() }
    }

    #[test]
    fn weeks_are_points_and_bandwidths_are_lines() {
        let one = [(100.0, figures("a", 60.0)), (100.0, figures("b", 120.0))];
        assert!(by_bandwidth(&one).is_empty());
        let days = by_day(&one);
        let names: Vec<&str> = days.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, ["year-use", "year-coverage", "year-timeliness"]);
        assert_eq!(days[0].1.lines[1], ("b".to_owned(), vec![(0.0, 0.5), (7.0, 0.5)]));
        // Days without a download have no T.
        assert_eq!(days[2].1.lines[0].1, [(0.0, 10.0), (7.0, 10.0)]);
        let two = [(300.0, figures("a", 60.0)), (100.0, figures("a", 120.0))];
        assert_eq!(by_day(&two)[0].1.lines[0].0, "a 300/d");
        assert_eq!(by_bandwidth(&two)[2].1.lines, [("a".to_owned(), vec![(100.0, 2.0), (300.0, 1.0)])]);
    }
}
