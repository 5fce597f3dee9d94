//! The tables of the page, and the sentences that follow from them.

use freshet_policy::forum::Loss;

use super::super::page::{Page, geometric_mean, percent};
use super::runs::{SILENCES_D, Site};
use crate::forum::Figures;

/// Minutes with one digit; `-` for none.
pub(super) fn minutes(secs: Option<f64>) -> String {
    secs.map_or_else(|| "-".to_owned(), |secs| format!("{:.1}", secs / 60.0))
}

/// How many times as long the first is.
fn times(of: Option<f64>, over: Option<f64>) -> String {
    match (of, over) {
        (Some(of), Some(over)) if over > 0.0 => format!("{:.2}", of / over),
        _ => "-".to_owned(),
    }
}

/// Who is how much faster than whom, over all posts.
pub(super) fn summary(page: &mut Page, sites: &[Site]) {
    page.section("In short");
    let columns = [
        "site",
        "#pages/day",
        "#bound-based / lws+bc",
        "#curve-fitting / lws+bc",
        "#bound-based / lws+gap",
        "#curve-fitting / lws+gap",
        "#lws+choice / lws+rank",
        "#lws+gap / freshet",
        "#lws+rank / freshet",
        "#freshet / oracle",
        "#Cov lws+bc",
        "#Cov lws+gap",
        "#Cov freshet",
    ];
    let rows = sites.iter().flat_map(|site| {
        (0..site.bandwidths.len()).map(move |width| {
            let wait = |name: &str| site.of(width, name).and_then(|figures| figures.posts.charged_s);
            let coverage = |name: &str| {
                site.of(width, name)
                    .map_or_else(|| "-".to_owned(), |figures| format!("{:.4}", figures.posts.coverage))
            };
            let ratio = |of: &str, over: &str| times(wait(of), wait(over));
            vec![
                site.name.to_owned(),
                format!("{}", site.bandwidths[width]),
                ratio("bound-based", "lws+bc"),
                ratio("curve-fitting", "lws+bc"),
                ratio("bound-based", "lws+gap"),
                ratio("curve-fitting", "lws+gap"),
                ratio("lws+choice", "lws+rank"),
                ratio("lws+gap", "freshet"),
                ratio("lws+rank", "freshet"),
                ratio("freshet", "oracle"),
                coverage("lws+bc"),
                coverage("lws+gap"),
                coverage("freshet"),
            ]
        })
    });
    page.text("T all of posts, as ratios: above 1 the second is faster. The paper has 2.6 for `lws+bc` over `bound-based` and `curve-fitting`.");
    page.table(&columns, rows);
}

/// Why figures differ from the paper's.
pub(super) fn why(page: &mut Page, sites: &[Site]) {
    page.section("What differs from the paper, and why");
    page.text(
        "- **T.** Equation 6 leaves out posts that are never fetched, and coverage with a whole archive below the line hardly shows them; T all charges them.\n\
         - **Forums.** The paper has eighteen, of which the pages are as each forum makes them; ours are five recorded histories of other kinds \
         of sites (a chat, an issue tracker, mailing lists, one forum), a page shows 20 records, and every index page is sorted by last activity. Whoever looks at \
         threads one by one has tens of thousands of silent threads to look at, and a post in a thread that had fallen silent (the table below) waits for its turn: one \
         such post in a hundred that waits a month makes the mean seven hours longer.\n\
         - **The regression.** The paper's `lws+bc` needs about an hour at 3000 pages a day, ours needs days. A weighted sum of gaps cannot say that a thread with \
         short gaps is over, so threads that are over take pages from threads that are not; the dormant indicator, whose α the paper does not give, adds one constant \
         for all of them. Neither floors (below) nor logarithms mend that. `lws+gap` does with one number: it is `lws+bc` as strong as we could make it \
         without the last activity that index pages show, hours instead of days at 3000 pages a day, and its lead over the policies by page is what the paper's is or more.\n\
         - **Bandwidth control.** The paper's sentence gives dedicated bandwidth to post lists; what it says next only makes sense of index lists, and so it is here.\n\
         - **The policies by page.** Olston's rules are adapted as the paper says in two sentences; which threshold it used is not told. Ours is found anew every day, so that \
         all intervals together ask for the bandwidth.",
    );
    page.text(
        "`freshet` does without all of that: the index shows the last activity of every thread, silent or not, so a post list is fetched when it is known \
         to have news. `lws` as described reads index lists for new threads only.",
    );
    let mut columns =
        vec!["site".to_owned(), "#threads".to_owned(), "#archive, posts".to_owned(), "#posts/day".to_owned()];
    columns.extend(SILENCES_D.map(|days| format!("#after > {days} d of silence")));
    let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
    let row = |site: &Site| {
        let mut row = vec![
            site.name.to_owned(),
            site.thread_count.to_string(),
            site.archive_count.to_string(),
            format!("{:.0}", site.posts_per_day),
        ];
        row.extend(site.revived.map(percent));
        row
    };
    page.table(&columns, sites.iter().map(row));
}

/// Every policy at every bandwidth: the paper's table 3.
pub(super) fn site(page: &mut Page, site: &Site) {
    page.section(&format!("{}: index lists and post lists", site.name));
    let columns = [
        "#pages/day",
        "policy",
        "#BU index",
        "#Cov threads",
        "#T threads",
        "#BU posts",
        "#Cov posts",
        "#T posts",
        "#T all threads",
        "#T all posts",
    ];
    let row = |width: f64, figures: &Figures| {
        vec![
            format!("{width}"),
            figures.policy.to_owned(),
            format!("{:.4}", figures.index.useful),
            format!("{:.4}", figures.index.coverage),
            minutes(figures.index.timeliness_s),
            format!("{:.4}", figures.posts.useful),
            format!("{:.4}", figures.posts.coverage),
            minutes(figures.posts.timeliness_s),
            minutes(figures.index.charged_s),
            minutes(figures.posts.charged_s),
        ]
    };
    page.table(&columns, site.reached.iter().map(|(width, figures)| row(*width, figures)));
}

/// The backtests, and what choosing by either loss came to.
pub(super) fn models(page: &mut Page, sites: &[Site]) {
    page.section("Which model foretells the lists");
    page.text(
        "Trained on everything before the last two weeks and asked how many records each list gets in them. *Deviance* is the mean Poisson deviance over all \
         lists; *ranking* is the share of pairs of lists in the wrong order by which gets its next record first (half where nothing is known; none where fewer than a hundred \
         pairs can be compared). Lower is better. *Gap* is the mean gap of a list or its silence so far, whichever is longer; *silence* is the rate of the next post by \
         how long a thread has been silent, one table for a site.",
    );
    let rows = sites.iter().flat_map(|site| {
        ["index lists", "post lists"].into_iter().zip(&site.backtests).filter_map(move |(kind, test)| {
            let test = (*test)?;
            let mut row = vec![site.name.to_owned(), kind.to_owned(), test.list_count.to_string()];
            row.extend(test.scores.iter().map(|score| {
                let ranking = score.ranking.map_or_else(|| "-".to_owned(), |loss| format!("{loss:.3}"));
                format!("{:.3} / {ranking}", score.deviance)
            }));
            row.extend([Loss::Deviance, Loss::Ranking].map(|loss| test.winner(loss).name().to_owned()));
            Some(row)
        })
    });
    let columns = [
        "site",
        "lists",
        "#asked",
        "#regression",
        "#average interval",
        "#gap or silence",
        "#silence",
        "wins by deviance",
        "wins by ranking",
    ];
    page.table(&columns, rows);
    page.text(&chosen(sites));
}

/// Which choice crawls better, in words and figures.
fn chosen(sites: &[Site]) -> String {
    let wait = |site: &Site, width: usize, name: &str| site.of(width, name)?.posts.charged_s;
    let ratios = |over: &str| -> Vec<f64> {
        let each = sites.iter().flat_map(|site| (0..site.bandwidths.len()).map(move |width| (site, width)));
        each.filter_map(|(site, width)| Some(wait(site, width, "lws+rank")? / wait(site, width, over)?))
            .collect()
    };
    let (by_deviance, gap) = (ratios("lws+choice"), ratios("lws+gap"));
    let won = by_deviance.iter().filter(|ratio| **ratio < 1.0).count();
    let mean =
        |ratios: &[f64]| geometric_mean(ratios).map_or_else(|| "-".to_owned(), |mean| format!("{mean:.2}"));
    format!(
        "Crawls go by the order of forecasts, so the order is what a model should be chosen by: T all of posts of `lws+rank` is {} of that of `lws+choice` in geometric \
         mean over sites and bandwidths, and less in {won} of {}. It is {} of that of `lws+gap`, which never chooses: both backtests look at a fortnight, and most of \
         what `lws+gap` wins are posts in threads that were silent for longer. The engine asks its model another question, how long to wait at a price, where the \
         size of a forecast counts, and only of threads of which no board tells; it chooses by deviance.",
        mean(&by_deviance),
        by_deviance.len(),
        mean(&gap),
    )
}
