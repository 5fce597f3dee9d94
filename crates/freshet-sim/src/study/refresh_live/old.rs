//! Old pages of threads: the plan of `policy::page::Ages` against a wait that doubles.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use freshet_policy::page::{AgedLook, Ages};
use freshet_types::{Span, Timestamp};
use rand::{RngExt as _, SeedableRng as _};
use rand_distr::LogNormal;
use rand_pcg::Pcg32;

use super::SEED;
use crate::study::page::{Page, percent};

/// Pages of a site; one becomes full every so often.
const PAGE_COUNT: i64 = 1000;
const EVERY_S: i64 = 8 * 3600;
const DAY_S: i64 = 86_400;
/// How long the site is crawled.
const CRAWL_DAYS: i64 = 700;
const BEGAN_S: i64 = 1_600_000_000;

/// When people edit what they wrote.
#[derive(Clone, Copy, Debug)]
enum Law {
    /// Soon: half of the edits within two hours of posting, nearly all within two days.
    Soon,
    /// As rarely as the page is old: as many from one to two days as from ten to twenty.
    Doubling,
    /// At any time of the first year.
    AnyTime,
    /// Most soon, some at any time: corrections at once, and a few that come back.
    Mixed,
}

const LAWS: [(&str, Law); 4] = [
    ("soon after posting", Law::Soon),
    ("soon, and some at any time", Law::Mixed),
    ("evenly by doublings of the age", Law::Doubling),
    ("at any time of a year", Law::AnyTime),
];

/// What a rule came to.
#[derive(Clone, Copy, Debug, Default)]
struct Score {
    looks: usize,
    edits: usize,
    found: usize,
    delay_s: f64,
}

pub(super) fn report(page: &mut Page) {
    page.section("Old pages of threads");
    page.text(&format!(
        "A simulated site whose threads fill {PAGE_COUNT} pages, one every eight hours, crawled for {CRAWL_DAYS} days; half of the pages are edited once or \
         twice. *Doubling* looks at a page again when as much time has passed as its newest post was old (a day at least, 90 days at \
         most), as `freshet run` did before plans. *Plan* looks at the ages that what was found so far on the whole site makes best, \
         from no knowledge on. An edit is found by the first look after it; edits after the last look are not. Delay is from edit to look.",
    ));
    let rows: Vec<Vec<String>> = LAWS.iter().map(|&(name, law)| row(name, law)).collect();
    page.table(
        &[
            "edits come",
            "looks: doubling",
            "plan",
            "calls saved",
            "edits found: doubling",
            "plan",
            "delay: doubling",
            "plan",
            "ages of the plan (days)",
        ],
        rows,
    );
    page.text(
        "The plan finds as many edits with fewer calls; it does not find them sooner: what comes late after the ages at which edits \
         are usual waits longer. Where people edit soon after posting, as they mostly do, a look or two soon after finds nearly all, and most \
         later looks find nothing.",
    );
}

fn row(name: &str, law: Law) -> Vec<String> {
    let edits = edits(law);
    let (doubling, _) = crawl(&edits, false);
    let (plan, ages) = crawl(&edits, true);
    let delay = |score: &Score| Span::from_secs_f64(score.delay_s / score.found.max(1) as f64).to_string();
    let found = |score: &Score| format!("{} of {}", score.found, score.edits);
    let days = |age: Span| {
        let days = age.secs_f64() / DAY_S as f64;
        if days < 10.0 { format!("{days:.1}") } else { format!("{days:.0}") }
    };
    vec![
        name.to_owned(),
        doubling.looks.to_string(),
        plan.looks.to_string(),
        percent(1.0 - plan.looks as f64 / doubling.looks.max(1) as f64),
        found(&doubling),
        found(&plan),
        delay(&doubling),
        delay(&plan),
        ages.plan().map(days).collect::<Vec<_>>().join(" "),
    ]
}

/// When each page was full, and its edits, ascending.
fn edits(law: Law) -> Vec<(i64, Vec<i64>)> {
    let mut rng = Pcg32::seed_from_u64(SEED ^ (law as u64 + 100));
    let soon = LogNormal::new((2.0 * 3600.0_f64).ln(), 1.4).expect("a positive deviation");
    let page = |number: i64| {
        let newest_s = BEGAN_S + number * EVERY_S;
        let count = if rng.random_range(0.0..1.0) < 0.5 { rng.random_range(1..=2) } else { 0 };
        let mut delay_s = || {
            let year_s = 365.0 * DAY_S as f64;
            let is_soon = rng.random_range(0.0..1.0) < 0.8;
            match law {
                Law::Soon => rng.sample(soon),
                Law::Mixed if is_soon => rng.sample(soon),
                Law::AnyTime | Law::Mixed => rng.random_range(0.0..year_s),
                // From half an hour to a year, evenly in the logarithm.
                Law::Doubling => 1800.0 * (year_s / 1800.0).powf(rng.random_range(0.0..1.0)),
            }
        };
        let mut edits: Vec<i64> = (0..count).map(|_| newest_s + delay_s().min(1e9) as i64).collect();
        edits.sort_unstable();
        (newest_s, edits)
    };
    (0..PAGE_COUNT).map(page).collect()
}

/// Looks at all pages, each read when it was full, in the order of time.
fn crawl(pages: &[(i64, Vec<i64>)], is_planned: bool) -> (Score, Ages) {
    let end_s = BEGAN_S + CRAWL_DAYS * DAY_S;
    let (mut ages, mut score) = (Ages::default(), Score::default());
    let next = |ages: &Ages, newest_s: i64, now_s: i64| {
        let (newest, now) = (Timestamp::from_secs(newest_s), Timestamp::from_secs(now_s));
        let at =
            if is_planned { ages.next_at(Some(newest), now) } else { Ages::doubled_at(Some(newest), now) };
        at.secs()
    };
    // A page is planned when it is read: from what is known then.
    let mut queue: BinaryHeap<Reverse<(i64, usize, i64)>> =
        pages.iter().enumerate().map(|(number, page)| Reverse((page.0, number, page.0))).collect();
    score.edits = pages.iter().map(|page| page.1.iter().filter(|&&at_s| at_s < end_s).count()).sum();
    while let Some(Reverse((now_s, number, since_s))) = queue.pop() {
        if now_s >= end_s {
            continue;
        }
        let (newest_s, edits) = &pages[number];
        if now_s > *newest_s {
            let found = edits.iter().filter(|&&at_s| since_s < at_s && at_s <= now_s);
            let delays: Vec<i64> = found.map(|at_s| now_s - at_s).collect();
            score.looks += 1;
            score.found += delays.len();
            score.delay_s += delays.iter().sum::<i64>() as f64;
            let at = Timestamp::from_secs;
            let is_edited = !delays.is_empty();
            ages.learn(&AgedLook { newest_at: at(*newest_s), since: at(since_s), at: at(now_s), is_edited });
        }
        queue.push(Reverse((next(&ages, *newest_s, now_s), number, now_s)));
    }
    (score, ages)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_find_as_many_edits_with_fewer_looks() {
        for (name, law) in LAWS {
            let edits = edits(law);
            let ((doubling, _), (plan, _)) = (crawl(&edits, false), crawl(&edits, true));
            assert!(plan.looks < doubling.looks, "{name}: {plan:?} {doubling:?}");
            let lost = doubling.found as f64 - plan.found as f64;
            assert!(lost <= 0.03 * doubling.found as f64, "{name}: {plan:?} {doubling:?}");
        }
    }
}
