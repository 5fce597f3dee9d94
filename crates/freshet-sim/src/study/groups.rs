//! One call for many: what it is worth to ask about several sources at once.
//!
//! The windows and calls of the [reference](super::reference) experiment. A call is a visit, or asks about up to K sources which of
//! them have news; what it found is fetched by visits. `informed` is told who has news for nothing, at any time: no probe can
//! do better, whatever K is. A page of a merged list, which shows the posts themselves, saves the visit as well.

use super::StudyError;
use super::page::{Page, geometric_mean, hours, percent};
use super::reference::WINDOWS;
use super::traces::{Stretch, Traces, UNSEEN};
use crate::experiment::{Outcome, Setup, run as experiment};
use crate::parallel::on_all_cores;
use crate::trace::History;

/// Sources that a call asks about, as networks allow it.
const GROUP: u32 = 40;
/// Other sizes, in geometric mean only.
const SIZES: [u32; 4] = [2, 5, 15, 100];
/// Posts on a page of a merged list: those of Mastodon, of Reddit and of Stack Exchange.
const PAGES: [u32; 2] = [40, 100];

type Window = (Stretch, History);

pub(super) fn run(traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let mut page = Page::new("groups", "One call for many");
    page.text(
        "A call is a visit to one source, or asks about up to K sources which of them have news; their posts then take a visit each. 28 days to learn \
         from, 28 days that count, the same number of calls in every row; mean delays in hours. `informed` is told who has news for nothing, at \
         any time, and decides like `freshet`: the most that such questions can bring, for any K. `freshet simulate --group 40 --policies \
         rr,freshet,informed,live` does the same with any history.",
    );
    page.section("With K = 40");
    let windows = read(traces, &WINDOWS.map(|window| window.stretch))?;
    Table::of(&windows)?.write(&mut page);
    page.section("Windows that were not looked at before");
    Table::of(&read(traces, &UNSEEN)?)?.write(&mut page);
    page.section("Merged lists");
    merged(&mut page, &windows)?;
    page.section("Other sizes of a group");
    sizes(&mut page, &windows)?;
    Ok(vec![page])
}

fn read(traces: &Traces, windows: &[Stretch]) -> Result<Vec<Window>, StudyError> {
    windows.iter().map(|window| Ok((*window, window.read(traces)?))).collect()
}

/// What a policy does with groups of a size, and with pages of merged lists of a size.
type Case = (&'static str, u32, u32);

/// Every case in every window, all of them jobs of one queue: crawls take as long as a hundred policies.
fn outcomes<const N: usize>(windows: &[Window], cases: [Case; N]) -> Result<Vec<[Outcome; N]>, StudyError> {
    let jobs: Vec<(&Window, Case)> =
        windows.iter().flat_map(|window| cases.map(|case| (window, case))).collect();
    let results = on_all_cores(&jobs, |&((window, history), (policy, group, merged_page))| {
        experiment(history, policy, &Setup { group, merged_page, ..Setup::new(window.calls_per_hour) })
    });
    let all = results.into_iter().collect::<Result<Vec<_>, _>>()?;
    let rows = all.chunks_exact(N).map(|row| row.to_vec().try_into());
    Ok(rows.map(|row| row.expect("a chunk has N outcomes")).collect())
}

fn sizes(page: &mut Page, windows: &[Window]) -> Result<(), StudyError> {
    let [two, five, fifteen, hundred] = SIZES.map(|size| ("freshet", size, 0));
    let outcomes = outcomes(windows, [("freshet", 1, 0), two, five, fifteen, hundred])?;
    let rows = SIZES.iter().enumerate().map(|(at, size)| {
        let of = |row: &[Outcome; 5]| ratio(&row[at + 1], &row[0]);
        let ratios: Vec<f64> = outcomes.iter().map(of).collect();
        let mean = geometric_mean(&ratios).unwrap_or(0.0);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        vec![size.to_string(), format!("{mean:.2}"), format!("{most:.2}")]
    });
    page.table(&["#K", "#`freshet` with groups / without, geometric mean", "#largest"], rows);
    Ok(())
}

/// The same where a call shows the posts of its sources.
fn merged(page: &mut Page, windows: &[Window]) -> Result<(), StudyError> {
    page.text(
        "A call for a group is a page of a merged list: it shows the newest P posts of up to 40 sources, and whoever has no older ones was visited. Whom a page \
         is for follows from the posts of each, known and expected, and from its last look: the page must go back to the last looks of all. `live` crawls a simulated server that has such a list of accounts, as Stack Exchange has of users and \
         Reddit of boards; the shipped definition of Mastodon has one of tags.",
    );
    let [short, long] = PAGES;
    let cases = [("freshet", short), ("live", short), ("freshet", long), ("live", long)];
    let [a, b, c, d] = cases.map(|(policy, merged_page)| (policy, GROUP, merged_page));
    let outcomes = outcomes(windows, [("freshet", 1, 0), a, b, c, d])?;
    let mut ratios: [Vec<f64>; 2 * PAGES.len()] = Default::default();
    let mut rows = Vec::new();
    for ((window, _), [alone, grouped @ ..]) in windows.iter().zip(&outcomes) {
        let mut row = vec![window.name(), hours(alone.mean_delay_s)];
        for (outcome, ratios) in grouped.iter().zip(&mut ratios) {
            let share = ratio(outcome, alone);
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
    fn of(windows: &[Window]) -> Result<Self, StudyError> {
        let both = |policy| [(policy, 1, 0), (policy, GROUP, 0)];
        let ([live, lives], [rr, rrs], [freshet, freshets]) = (both("live"), both("rr"), both("freshet"));
        let cases = [live, lives, rr, rrs, freshet, freshets, ("informed", GROUP, 0)];
        let mut table = Self::default();
        for ((window, _), outcomes) in windows.iter().zip(outcomes(windows, cases)?) {
            table.add(window, &outcomes);
        }
        Ok(table)
    }

    fn add(&mut self, window: &Stretch, [live, lives, rr, rrs, freshet, freshets, informed]: &[Outcome; 7]) {
        let mut row = vec![window.name()];
        for (policy, (without, with)) in [(rr, rrs), (freshet, freshets)].into_iter().enumerate() {
            self.ratios[policy].push(ratio(with, without));
            row.extend([
                hours(without.mean_delay_s),
                hours(with.mean_delay_s),
                format!("{:.2}", ratio(with, without)),
            ]);
        }
        let informed = ratio(informed, freshet);
        self.ratios[2].push(informed);
        row.extend([format!("{informed:.2}"), percent(freshet.useful_call_share)]);
        self.rows.push(row);
        let ratios = [ratio(lives, live), ratio(lives, freshets)];
        self.live_ratios.iter_mut().zip(ratios).for_each(|(all, one)| all.push(one));
        let delays = [live, lives].map(|outcome| hours(outcome.mean_delay_s));
        let ratios = ratios.map(|ratio| format!("{ratio:.2}"));
        self.live_rows.push([&[window.name()], &delays[..], &ratios[..]].concat());
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

fn ratio(of: &Outcome, to: &Outcome) -> f64 {
    of.mean_delay_s.unwrap_or(0.0) / to.mean_delay_s.unwrap_or(1.0)
}
