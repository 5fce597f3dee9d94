//! SocWeb's figure 4b: how often the change rate expects a post too early, by month.
//!
//! Posts in the order of time; before each, the change rate of its author so far, CR = count / (last − first), predicts it
//! at last + 1/CR. A prediction before the post is a visit for nothing, the paper's mis-prediction; one after it is made good by
//! a longest time between visits, which the paper sets to a month. The first two posts of an account have no rate yet.
//! The paper shows its figure without numbers ("significantly low"), so there is nothing to subtract.

use freshet_policy::change::ChangeRate;
use freshet_policy::{ChangeModel as _, Look, Pool};
use freshet_types::{Span, Timestamp};

use super::StudyError;
use super::page::{Page, percent};
use super::traces::{CONGRESS, Traces, midnight};
use crate::plot::{Plot, Scale};
use crate::trace::{By, History, Window};

/// The paper's longest time between visits.
const WINDOW_MAX: Span = Span::from_ms(30 * 86_400_000);

/// What was counted in one month.
#[derive(Clone, Copy, Debug, Default)]
struct Month {
    posts: u64,
    predicted: u64,
    early: u64,
    late: u64,
    late_beyond_window: u64,
}

pub(super) fn run(traces: &Traces) -> Result<Vec<Page>, StudyError> {
    let from = midnight((2017, 7, 1));
    let until = midnight((2023, 7, 1));
    let days = ((until - from).secs_f64() / 86_400.0) as u32;
    // All of it is "warm-up": every account belongs to it, whenever it began.
    let window = Window { from, warm_days: days, eval_days: 0 };
    let history = traces.read(CONGRESS, window, By::Author)?;
    let months = count(&history);
    let mut page = Page::new("mispredictions", "Mis-predictions of the change rate, by month");
    page.text(&format!(
        "SocWeb, figure 4b, on a1 ({} accounts, {} posts from 2017-07 to 2023-06). *Too early*: the change rate so far \
         expected the post before it came, the paper's mis-prediction. *Too late*: it came before it was expected; of these, \
         *beyond a month*: the paper's longest time between visits would have passed first. The first two posts of an account have no \
         prediction.",
        history.posters.len(),
        months.iter().map(|(_, month)| month.posts).sum::<u64>()
    ));
    page.table(
        &["month", "#posts", "#predicted", "#too early", "#too late", "#beyond a month"],
        months.iter().map(row),
    );
    let total = months.iter().fold(Month::default(), |sum, (_, month)| sum.with(month));
    page.text(&conclusion(&total));
    let share = |of: fn(&Month) -> u64| {
        let point = |(number, (_, month)): (usize, &(String, Month))| {
            (number as f64, of(month) as f64 / month.predicted.max(1) as f64)
        };
        months.iter().enumerate().map(point).collect::<Vec<_>>()
    };
    let lines = vec![
        ("too early".to_owned(), share(|month| month.early)),
        ("a month too late".to_owned(), share(|month| month.late_beyond_window)),
    ];
    let (x, y) = (("months since 2017-07", Scale::Linear), ("share of predicted posts", Scale::Linear));
    page.plot("mispredictions", &Plot { title: "Mis-predictions of the change rate, a1", x, y, lines });
    Ok(vec![page])
}

fn conclusion(total: &Month) -> String {
    format!(
        "In all, {} of the predictions are too early. The share is stable over six years of elections and changes of \
         Congress, as the paper finds on Facebook; whether {} is \"significantly low\" depends on the use. Posts come in \
         bursts, so that most gaps are far shorter than the mean gap and the change rate is late for {} of the \
         posts: it wastes few visits because it is usually late, not because it is right. The paper's own shares \
         are drawn, not printed, and cannot be compared.",
        percent(total.early as f64 / total.predicted.max(1) as f64),
        percent(total.early as f64 / total.predicted.max(1) as f64),
        percent(total.late as f64 / total.predicted.max(1) as f64),
    )
}

impl Month {
    fn with(self, other: &Self) -> Self {
        Self {
            posts: self.posts + other.posts,
            predicted: self.predicted + other.predicted,
            early: self.early + other.early,
            late: self.late + other.late,
            late_beyond_window: self.late_beyond_window + other.late_beyond_window,
        }
    }
}

fn row((name, month): &(String, Month)) -> Vec<String> {
    let share = |count: u64| percent(count as f64 / month.predicted.max(1) as f64);
    vec![
        name.clone(),
        month.posts.to_string(),
        month.predicted.to_string(),
        share(month.early),
        share(month.late),
        share(month.late_beyond_window),
    ]
}

fn count(history: &History) -> Vec<(String, Month)> {
    let mut months = std::collections::BTreeMap::<String, Month>::new();
    let pool = Pool::default();
    for poster in &history.posters {
        let mut rate = ChangeRate::default();
        let mut last_at: Option<Timestamp> = None;
        for (number, &at) in poster.posts.iter().enumerate() {
            let month = months.entry(at.to_string().chars().take(7).collect()).or_default();
            month.posts += 1;
            if let Some(last_at) = last_at.filter(|_| number >= 2) {
                let gap = Span::from_secs_f64(1.0 / rate.forecast(last_at).rate_per_s.max(1e-9));
                month.predicted += 1;
                month.early += u64::from(last_at + gap < at);
                month.late += u64::from(last_at + gap > at);
                month.late_beyond_window += u64::from(last_at + gap > at + WINDOW_MAX);
            }
            rate.learn(&Look { since: last_at, at, news: &[at], is_full: false }, &pool);
            last_at = Some(at);
        }
    }
    months.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_are_early_or_late() {
        // An account that posts at hours 0, 1, 2, 10, 10.5: after two posts in one hour the rate is 2/h.
        let posts = [0, 3600, 7200, 36_000, 37_800].map(|at| (0, at)).to_vec();
        let window = Window { from: Timestamp::from_secs(0), warm_days: 31, eval_days: 0 };
        let months = count(&History::from_posts(window, posts));
        let [(name, month)] = &months[..] else { panic!("{months:?}") };
        assert_eq!(name, "1970-01");
        // Hour 2 was expected at 1.5 (early), hour 10 at 2.67 (early), hour 10.5 at 12.5 (late).
        assert_eq!((month.posts, month.predicted, month.early, month.late), (5, 3, 2, 1));
        assert_eq!(month.late_beyond_window, 0);
    }
}
