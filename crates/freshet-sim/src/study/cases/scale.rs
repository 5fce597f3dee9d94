//! Figures 6a and 6b: bytes a second from each provider, and from each fetcher, as fetchers grow from one to seven.

use freshet_types::Span;

use super::crawl::{Case, Crawl, Crew};
use crate::crowd::Served;
use crate::plot::{Plot, Scale};
use crate::study::page::percent;
use crate::study::{Page, StudyError};

/// People whose posts are read: more than can be read in the time.
const PEOPLE: u32 = 1_000;
const FETCHERS_MAX: usize = 7;
/// The stretch that is measured: after the first videos are known, and before anybody runs out of work.
const FROM: Span = Span::from_secs(60);
const UNTIL: Span = Span::from_secs(240);
/// Requests that may be under way at one server where the definitions' politeness is set aside.
const IMPOLITE: usize = 16;
const PROVIDERS: [&str; 2] = ["graph", "youtube"];

/// One row: what so many fetchers brought.
#[derive(Clone, Copy, Debug)]
struct Row {
    fetcher_count: usize,
    /// Of each provider.
    bytes_per_s: [f64; 2],
    /// Of the time that answers took, the share spent in line.
    waited_share: f64,
}

impl Row {
    fn sum(&self) -> f64 {
        self.bytes_per_s.iter().sum()
    }

    fn cells(&self) -> Vec<String> {
        let kb = |bytes: f64| format!("{:.1}", bytes / 1000.0);
        let [graph, videos] = self.bytes_per_s.map(kb);
        let each = kb(self.sum() / self.fetcher_count as f64);
        vec![self.fetcher_count.to_string(), graph, videos, kb(self.sum()), each, percent(self.waited_share)]
    }
}

/// The section on scale.
pub(super) fn add(page: &mut Page) -> Result<(), StudyError> {
    page.section("Figures 6a and 6b: bytes a second as fetchers grow");
    page.text(&format!(
        "The aggregated world: {PEOPLE} people, and the videos that they share, from the other network (`freshet demo world`). Each provider serves three \
         connections at once and lets whoever comes fourth wait, the limit that the paper met; a connection of the network of posts takes 0.4 s and 20 µs a \
         byte, one of the video site half of each. A fetcher has one request under way, as one of the paper has; in `freshet run` it has as many as its servers allow. These paces are chosen, so that the shape of the curves means something and their height nothing. \
         Measured from minute 1 to minute 4, in kB a second on the virtual clock; quotas are lifted. *In line*: of the time that answers took, \
         the share spent waiting for a connection."
    ));
    let columns = ["#fetchers", "#posts, kB/s", "#videos, kB/s", "#both", "#each fetcher", "#in line"];
    let mut lines = (Vec::new(), Vec::new());
    for (title, name, at_once) in [
        ("Without politeness: up to 16 requests at once to a server.", "impolite", Some(IMPOLITE)),
        (
            "By the definitions, which allow three (posts) and four (videos) requests at once.",
            "as defined",
            None,
        ),
    ] {
        let rows: Vec<Row> = (1..=FETCHERS_MAX).map(|count| row(count, at_once)).collect::<Result<_, _>>()?;
        page.text(title);
        page.table(&columns, rows.iter().map(Row::cells));
        let points = |of: &dyn Fn(&Row) -> f64| -> Vec<(f64, f64)> {
            rows.iter().map(|row| (row.fetcher_count as f64, of(row) / 1000.0)).collect()
        };
        lines.0.push((format!("posts, {name}"), points(&|row| row.bytes_per_s[0])));
        lines.0.push((format!("videos, {name}"), points(&|row| row.bytes_per_s[1])));
        lines.1.push((name.to_owned(), points(&|row| row.sum() / row.fetcher_count as f64)));
    }
    let x = ("fetchers", Scale::Linear);
    let title = "Bytes a second from each provider (figure 6a)";
    page.plot("cases-providers", &Plot { title, x, y: ("kB a second", Scale::Linear), lines: lines.0 });
    let title = "Bytes a second for each fetcher (figure 6b)";
    page.plot("cases-fetchers", &Plot { title, x, y: ("kB a second", Scale::Linear), lines: lines.1 });
    Ok(())
}

fn row(fetcher_count: usize, at_once: Option<usize>) -> Result<Row, StudyError> {
    let mut crawl = Crawl::start(Case::world(PEOPLE), Crew::single_handed(fetcher_count), at_once)?;
    let began_at = crawl.crowd.arrives_at();
    crawl.run_for(UNTIL)?;
    let is_measured = |it: &Served| (began_at + FROM..began_at + UNTIL).contains(&it.arrives_at);
    let served =
        PROVIDERS.map(|name| crawl.crowd.served(name).into_iter().filter(is_measured).collect::<Vec<_>>());
    let secs = (UNTIL - FROM).secs_f64();
    let bytes = |served: &Vec<Served>| served.iter().map(|it| it.byte_count as f64).sum::<f64>() / secs;
    let all = || served.iter().flatten();
    let waited: f64 = all().map(|it| it.waited.secs_f64()).sum();
    let took: f64 = all().map(|it| it.took.secs_f64()).sum();
    let waited_share = waited / took.max(1e-9);
    Ok(Row { fetcher_count, bytes_per_s: [bytes(&served[0]), bytes(&served[1])], waited_share })
}
