//! One page of results: a title, paragraphs, tables and plots, as Markdown with SVG beside it.
//!
//! Numbers are formatted where they are put in, so that a page is text and nothing else, and the
//! same figures give the same bytes.

use std::fmt::Write as _;

use crate::plot::Plot;

/// A page and the plots that lie beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Name of the file, without its ending.
    pub name: &'static str,
    text: String,
    /// File name and SVG of each plot.
    pub plots: Vec<(String, String)>,
}

impl Page {
    /// With nothing on it but its title.
    pub fn new(name: &'static str, title: &str) -> Self {
        Self { name, text: format!("# {title}\n"), plots: Vec::new() }
    }

    /// The whole page.
    pub fn markdown(&self) -> &str {
        &self.text
    }

    /// A heading.
    pub fn section(&mut self, title: &str) {
        let _ = write!(self.text, "\n## {title}\n");
    }

    /// A paragraph.
    pub fn text(&mut self, paragraph: &str) {
        let _ = write!(self.text, "\n{}\n", paragraph.trim());
    }

    /// A table; columns whose name starts with `#` are numbers and stand to the right.
    pub fn table(&mut self, columns: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        let names: Vec<_> = columns.iter().map(|name| name.trim_start_matches('#')).collect();
        let rule = |name: &&str| if name.starts_with('#') { "--:" } else { "---" };
        let rules: Vec<_> = columns.iter().map(rule).collect();
        let _ = write!(self.text, "\n| {} |\n|{}|\n", names.join(" | "), rules.join("|"));
        for row in rows {
            let _ = writeln!(self.text, "| {} |", row.join(" | "));
        }
    }

    /// A plot beside the page; one without points is left out.
    pub fn plot(&mut self, name: &str, plot: &Plot<'_>) {
        let Some(svg) = plot.svg() else { return };
        let file = format!("{name}.svg");
        let _ = write!(self.text, "\n![{}]({file})\n", plot.title);
        self.plots.push((file, svg));
    }
}

/// Hours with three digits after the point, as the reference prints them; `-` for none.
pub fn hours(secs: Option<f64>) -> String {
    secs.map_or_else(|| "-".to_owned(), |secs| format!("{:.3}", secs / 3600.0))
}

/// A share in percent.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A change in percent, with its sign.
pub fn gain(of: f64, over: f64) -> String {
    if over > 0.0 { format!("{:+.1} %", (of / over - 1.0) * 100.0) } else { "-".to_owned() }
}

/// The geometric mean of what is above 0; none of nothing.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    let is_plain = values.iter().all(|value| *value > 0.0 && value.is_finite());
    let mean = values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64;
    (is_plain && !values.is_empty()).then(|| mean.exp())
}
