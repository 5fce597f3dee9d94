//! One call for many: what it is worth to ask about several sources at once.
//!
//! The windows and calls of the [reference](super::reference) experiment. A call is a visit, or asks about up to K sources which of
//! them have news; what it found is fetched by visits. `informed` is told who has news for nothing, at any time: no probe can
//! do better, whatever K is. A page of a merged list, which shows the posts themselves, saves the visit as well.

use super::StudyError;
use super::page::{Page, geometric_mean, hours, percent};
use super::reference::WINDOWS;
use super::traces::{Stretch, Traces, UNSEEN};
use crate::experiment::{Setup, compare};
use crate::trace::History;

/// Sources that a call asks about, as networks allow it.
const GROUP: u32 = 40;
/// Other sizes, in geometric mean only.
const SIZES: [u32; 4] = [2, 5, 15, 100];
/// Posts on a page of a merged list: those of Mastodon, of Reddit and of Stack Exchange.
const PAGES: [u32; 2] = [40, 100];

pub(super) fn run(traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let mut page = Page::new("groups", "One call for many");
    page.text(
        "A call is a visit to one source, or asks about up to K sources which of them have news; their posts then take a visit each. 28 days to learn \
         from, 28 days that count, the same number of calls in every row; mean delays in hours. `informed` is told who has news for nothing, at \
         any time, and decides like `freshet`: the most that such questions can bring, for any K. `freshet simulate --group 40 --policies \
         rr,freshet,informed,live` does the same with any history.",
    );
    page.section("With K = 40");
    let mut table = Table::default();
    let mut windows = Vec::new();
    for window in WINDOWS.iter().map(|window| window.stretch) {
        let history = window.read(traces)?;
        table.add(&window, &history)?;
        windows.push((window, history));
    }
    table.write(&mut page);
    page.section("Windows that were not looked at before");
    let mut table = Table::default();
    for window in &UNSEEN {
        table.add(window, &window.read(traces)?)?;
    }
    table.write(&mut page);
    page.section("Merged lists");
    merged(&mut page, &windows)?;
    page.section("Other sizes of a group");
    let mut rows = Vec::new();
    for group in SIZES {
        let mut ratios = Vec::new();
        for (window, history) in &windows {
            let single = Setup::new(window.calls_per_hour);
            let setups = [single.clone(), Setup { group, ..single }];
            let outcomes = compare(history, &["freshet".to_owned()], &setups, &|_| ())?;
            ratios.push(ratio(outcomes[1].mean_delay_s, outcomes[0].mean_delay_s));
        }
        let mean = geometric_mean(&ratios).unwrap_or(0.0);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        rows.push(vec![group.to_string(), format!("{mean:.2}"), format!("{most:.2}")]);
    }
    page.table(&["#K", "#`freshet` with groups / without, geometric mean", "#largest"], rows);
    Ok(vec![page])
}

/// The same where a call shows the posts of its sources.
fn merged(page: &mut Page, windows: &[(Stretch, History)]) -> Result<(), StudyError> {
    page.text(
        "A call for a group is a page of a merged list: it shows the newest P posts of up to 40 sources, and whoever has no older ones was visited. Whom a page \
         is for follows from the posts of each, known and expected, and from its last look: the page must go back to the last looks of all. `live` crawls a simulated server that has such a list of accounts, as Stack Exchange has of users and \
         Reddit of boards; the shipped definition of Mastodon has one of tags.",
    );
    let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); 2 * PAGES.len()];
    let mut rows = Vec::new();
    for (window, history) in windows {
        let alone = Setup::new(window.calls_per_hour);
        let setup = |merged_page| Setup { group: GROUP, merged_page, ..alone.clone() };
        let outcomes = compare(history, &["freshet", "live"].map(str::to_owned), &PAGES.map(setup), &|_| ())?;
        let alone = compare(history, &["freshet".to_owned()], &[alone], &|_| ())?;
        let mut row = vec![window.name(), hours(alone[0].mean_delay_s)];
        for (outcome, ratios) in outcomes.iter().zip(&mut ratios) {
            let share = ratio(outcome.mean_delay_s, alone[0].mean_delay_s);
            ratios.push(share);
            row.extend([hours(outcome.mean_delay_s), format!("{share:.2}")]);
        }
        rows.push(row);
    }
    let columns = ["#freshet", "#ratio", "#live", "#ratio"];
    let heads = PAGES.iter().flat_map(|page| columns.map(|column| format!("{column}, P = {page}")));
    let heads: Vec<String> =
        ["window".to_owned(), "#freshet alone".to_owned()].into_iter().chain(heads).collect();
    page.table(&heads.iter().map(String::as_str).collect::<Vec<_>>(), rows);
    let means: Vec<String> =
        ratios.iter().map(|ratios| format!("{:.3}", geometric_mean(ratios).unwrap_or(0.0))).collect();
    page.text(&format!(
        "Geometric means of the ratios to `freshet` without groups, `freshet` and `live` for each P: {}.",
        means.join(", ")
    ));
    merged_steps(page);
    Ok(())
}

/// What was measured once, while it was built.
fn merged_steps(page: &mut Page) {
    page.text(
        "What it took: mean delay of `live` in hours, a5 2024-02, P = 40; single runs, measured while it was built. Before, of the members that a page did not go \
         back far enough for, 94 % were not even shown on it, and each was visited as if it had news: 38 % of all calls.",
    );
    let rows = [
        ["whoever a page does not reach is visited", "1.137"],
        ["whoever it neither reaches nor shows goes with another page", "0.119"],
        [
            "and members are chosen by their last looks, by what their models expect, and led by the latest of the best group",
            "0.104",
        ],
        ["and what a page shows counts as known; who is missed twice is visited", "0.099"],
        ["the choice by last looks and the lead alone", "0.159"],
    ];
    page.table(&["step", "#live"], rows.map(|row| row.map(str::to_owned).to_vec()));
    page.text(
        "What is left: a page that is too short is not continued on a second one, since few are (14 of 5,101 in a5 2024-02); posts that it shows \
         of a member it does not reach are stored by the visit that follows, though delays, which are taken at the server, count them with the page.",
    );
}

/// Rows of a table, and the ratios in them.
#[derive(Default)]
struct Table {
    rows: Vec<Vec<String>>,
    ratios: [Vec<f64>; 3],
    live_rows: Vec<Vec<String>>,
    live_ratios: [Vec<f64>; 2],
}

impl Table {
    fn add(&mut self, window: &Stretch, history: &History) -> Result<(), StudyError> {
        let single = Setup::new(window.calls_per_hour);
        let grouped = Setup { group: GROUP, ..single.clone() };
        let names = ["rr", "freshet"].map(str::to_owned);
        let alone = compare(history, &names, &[single], &|_| ())?;
        let names = ["rr", "freshet", "informed", "live"].map(str::to_owned);
        let groups = compare(history, &names, std::slice::from_ref(&grouped), &|_| ())?;
        let live_alone = compare(history, &names[3..], &[Setup { group: 1, ..grouped }], &|_| ())?;
        let mut row = vec![window.name()];
        for policy in 0..2 {
            let (without_s, with_s) = (alone[policy].mean_delay_s, groups[policy].mean_delay_s);
            self.ratios[policy].push(ratio(with_s, without_s));
            row.extend([hours(without_s), hours(with_s), format!("{:.2}", ratio(with_s, without_s))]);
        }
        let informed = ratio(groups[2].mean_delay_s, alone[1].mean_delay_s);
        self.ratios[2].push(informed);
        row.extend([format!("{informed:.2}"), percent(alone[1].useful_call_share)]);
        self.rows.push(row);
        let (without_s, with_s) = (live_alone[0].mean_delay_s, groups[3].mean_delay_s);
        let ratios = [ratio(with_s, without_s), ratio(with_s, groups[1].mean_delay_s)];
        self.live_ratios.iter_mut().zip(ratios).for_each(|(all, one)| all.push(one));
        let figures =
            [hours(without_s), hours(with_s), format!("{:.2}", ratios[0]), format!("{:.2}", ratios[1])];
        self.live_rows.push([vec![window.name()], figures.to_vec()].concat());
        Ok(())
    }

    fn write(self, page: &mut Page) {
        let columns = [
            "window",
            "#rr",
            "#rr, groups",
            "#ratio",
            "#freshet",
            "#freshet, groups",
            "#ratio",
            "#informed / freshet",
            "#calls of `freshet` that found news",
        ];
        page.table(&columns, self.rows);
        let [in_turn, ahead, informed] = self.ratios.map(|ratios| geometric_mean(&ratios).unwrap_or(0.0));
        page.text(&format!(
            "Geometric means of the ratios: {in_turn:.3} for round robin, {ahead:.3} for `freshet`, {informed:.3} for `informed`."
        ));
        page.text(
            "The engine of `freshet run` beside it: `live` crawls a simulated Mastodon that posts as the history does and announces the calls as its limit. It \
             asks `GET /api/v1/accounts?id[]=` about 40 accounts and goes by their number of posts.",
        );
        page.table(
            &["window", "#live", "#live, groups", "#ratio", "#live / freshet, both with groups"],
            self.live_rows,
        );
        let [less, beside] = self.live_ratios.map(|ratios| geometric_mean(&ratios).unwrap_or(0.0));
        page.text(&format!(
            "Geometric means: {less:.3} of the delay without groups, {beside:.3} of the experiment's."
        ));
    }
}

fn ratio(of_s: Option<f64>, to_s: Option<f64>) -> f64 {
    of_s.unwrap_or(0.0) / to_s.unwrap_or(1.0)
}
