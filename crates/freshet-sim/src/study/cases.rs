//! SocWeb's evaluation [SocWeb, section 5] on the simulated society: table 2, figure 3, and figures 6a and 6b.
//!
//! Both use-cases are crawled by the whole engine on a virtual clock, with the rules and robots of `freshet demo spider` and
//! `freshet demo world`. The spider gives the table and the distribution of posts; the aggregated world, crawled by one to seven
//! fetchers from providers that serve three connections at once, gives bytes a second. Not here: figure 4, which is
//! [`mispredictions`](super::mispredictions).

mod crawl;
mod scale;

use freshet_types::Span;

use self::crawl::{Case, Crawl, Crew};
use super::traces::{CHAT, CONGRESS, Traces, midnight};
use super::{Page, StudyError};
use crate::plot::{Plot, Scale};
use crate::trace::{By, Window};

/// People of the spider's network, and which of them lend their names to the search.
const PEOPLE: u32 = 300;
const NAMED_EVERY: usize = 10;
/// How long the spider crawls; the paper's did for 25 days.
const DAYS: f64 = 4.0;
/// Fetchers of the spider, as many as the paper had machines.
const FETCHERS: usize = 7;

pub(super) fn run(traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let mut page = Page::new("cases", "SocWeb's use-cases");
    spider(&mut page, traces)?;
    scale::add(&mut page)?;
    Ok(vec![page])
}

fn spider(page: &mut Page, traces: &Traces) -> Result<(), StudyError> {
    let mut crawl = Crawl::start(Case::spider(PEOPLE, NAMED_EVERY), Crew::many_handed(FETCHERS), None)?;
    crawl.run_for(Span::DAY * DAYS)?;
    page.section("Table 2: what a spider brings home");
    page.text(&format!(
        "A simulated network of {PEOPLE} people, crawled for {DAYS} days (the paper's: 25) from names: whoever the network finds by them, their friends but not the friends of \
         those, photos of recent albums that many talk about. The same as `freshet demo spider`, on a virtual clock. *Public* are those of the found \
         whose posts anybody may see at the end."
    ));
    let stored = |kind: &str| crawl.stored("graph", kind);
    let rows = [
        ["the paper (Facebook, 2011)", "129,036", "25,556,963", "881,549", "-", "2,437", "75,370,629"]
            .map(str::to_owned),
        [
            "simulated".to_owned(),
            crawl.names_count.to_string(),
            crawl.found_count.to_string(),
            crawl.public_count().to_string(),
            stored("account")?.to_string(),
            stored("album")?.to_string(),
            stored("post")?.to_string(),
        ],
    ];
    let columns = ["", "#names", "#ids found", "#public", "#accounts stored", "#albums", "#posts"];
    page.table(&columns, rows.map(|row| row.to_vec()));
    page.section("Figure 3: posts of each user");
    let year = |from| Window { from: midnight(from), warm_days: 365, eval_days: 0 };
    let posts_of = |name: &str, from| -> Result<Vec<f64>, StudyError> {
        let history = traces.read(name, year(from), By::Author)?;
        Ok(history.posters.iter().map(|poster| poster.posts.len() as f64).collect())
    };
    let crawled = crawl.posts_by_author()?;
    let congress = posts_of(CONGRESS, (2019, 1, 1))?;
    let chat = posts_of(CHAT, (2019, 1, 1))?;
    let paper = ["the paper", "881,549", "85.98", "182.48", "4.10", "23.79"].map(str::to_owned).to_vec();
    let mut rows = vec![paper];
    for (name, counts) in [("simulated spider", &crawled), ("a1, 2019", &congress), ("a5, 2019", &chat)] {
        let it = Moments::of(counts);
        let numbers = [it.mean, it.deviation, it.skewness, it.kurtosis].map(|value| format!("{value:.2}"));
        rows.push([vec![name.to_owned(), counts.len().to_string()], numbers.to_vec()].concat());
    }
    page.table(&["", "#users", "#mean", "#deviation", "#skewness", "#kurtosis"], rows);
    let lines = [("simulated", &crawled), ("a1, 2019", &congress), ("a5, 2019", &chat)]
        .map(|(name, counts)| (name.to_owned(), share_above(counts)));
    let (x, y) = (("posts of a user", Scale::Logarithmic), ("share of users with more", Scale::Logarithmic));
    page.plot("cases-posts", &Plot { title: "Posts of each user", x, y, lines: lines.to_vec() });
    page.text(
        "The paper's point holds everywhere: few users write most, and the rest hardly anything. How heavy the tail is differs: a chat of few regulars and \
         many passers-by is more skewed than Facebook, members of a parliament, who all have staff to post for them, are less. The paper calls its distribution a power law \
         without a fit; none is claimed here.",
    );
    Ok(())
}

/// Mean and shape of a distribution, as figure 3 gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Moments {
    mean: f64,
    deviation: f64,
    skewness: f64,
    /// Of a normal distribution: 3.
    kurtosis: f64,
}

impl Moments {
    fn of(values: &[f64]) -> Self {
        let count = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / count;
        let central = |power: i32| values.iter().map(|value| (value - mean).powi(power)).sum::<f64>() / count;
        let deviation = central(2).sqrt();
        let shape = |power: i32| if deviation > 0.0 { central(power) / deviation.powi(power) } else { 0.0 };
        Self { mean, deviation, skewness: shape(3), kurtosis: shape(4) }
    }
}

/// The share of users with more than so many posts, at powers of two.
fn share_above(counts: &[f64]) -> Vec<(f64, f64)> {
    let steps = (0..16).map(|power| f64::from(1_u32 << power));
    let share =
        |step: f64| counts.iter().filter(|count| **count > step).count() as f64 / counts.len().max(1) as f64;
    steps.map(|step| (step, share(step))).filter(|(_, share)| *share > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_small_samples() {
        for (values, mean, deviation, skewness, kurtosis) in [
            (&[1.0, 1.0, 1.0][..], 1.0, 0.0, 0.0, 0.0),
            (&[0.0, 2.0], 1.0, 1.0, 0.0, 1.0),
            (&[0.0, 0.0, 0.0, 4.0], 1.0, 3_f64.sqrt(), 6.0 / 3_f64.powf(1.5), 21.0 / 9.0),
            (&[], 0.0, 0.0, 0.0, 0.0),
        ] {
            let found = Moments::of(values);
            let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
            assert!(close(found.mean, mean) && close(found.deviation, deviation), "{values:?} {found:?}");
            assert!(
                close(found.skewness, skewness) && close(found.kurtosis, kurtosis),
                "{values:?} {found:?}"
            );
        }
        assert_eq!(share_above(&[1.0, 2.0, 3.0, 9.0]), [(1.0, 0.75), (2.0, 0.5), (4.0, 0.25), (8.0, 0.25)]);
    }

    #[test]
    fn a_spider_finds_friends_albums_and_posts() {
        let mut crawl = Crawl::start(Case::spider(40, 10), Crew::many_handed(FETCHERS), None).unwrap();
        crawl.run_for(Span::HOUR * 2.0).unwrap();
        assert!(crawl.found_count >= crawl.names_count && crawl.names_count == 4, "{}", crawl.found_count);
        assert!(crawl.public_count() <= crawl.found_count);
        let stored = |kind: &str| crawl.stored("graph", kind).unwrap();
        assert!(
            stored("account") > crawl.found_count as u64 && stored("album") > 0,
            "friends and albums are there"
        );
        let authors = crawl.posts_by_author().unwrap();
        assert!(authors.len() >= crawl.public_count(), "{}", authors.len());
    }
}
