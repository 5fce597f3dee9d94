//! All runs on one forum, on all cores, and what else the page says of it.

use std::num::NonZeroUsize;
use std::sync::Mutex;

use freshet_policy::forum::{Backtest, backtest};

use crate::forum::measure::DayShare;
use crate::forum::policies::{FORUM_POLICY_NAMES, forum_policy_named};
use crate::forum::setup::DAY_S;
use crate::forum::{Figures, History, Setup, run};

/// Days that the backtest asks about.
const BACKTEST_DAYS: f64 = 14.0;
/// Longest interval of index lists and post lists in the backtest, in hours; as `lws` has them.
const LONGEST_H: [f64; 2] = [30.0 * 24.0, 365.0 * 24.0];
/// Silences in days that posts are counted after.
pub(super) const SILENCES_D: [f64; 3] = [1.0, 7.0, 30.0];

/// One forum and what came of every policy at every bandwidth.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) name: &'static str,
    pub(super) bandwidths: Vec<f64>,
    /// By bandwidth, then in the order of [`FORUM_POLICY_NAMES`].
    pub(super) figures: Vec<Vec<Figures>>,
    /// Of index lists and post lists.
    pub(super) backtests: [Option<Backtest>; 2],
    /// Posts before the start, threads at the end, posts a day that count.
    pub(super) archive_count: usize,
    pub(super) thread_count: usize,
    pub(super) posts_per_day: f64,
    /// Share of the posts that count that came after each of [`SILENCES_D`].
    pub(super) revived: [f64; 3],
}

impl Site {
    pub(super) fn run(name: &'static str, history: &History, setup: Setup, bandwidths: &[f64]) -> Self {
        let names = FORUM_POLICY_NAMES;
        let jobs: Vec<(usize, usize)> = (0..bandwidths.len())
            .flat_map(|width| (0..names.len()).map(move |policy| (width, policy)))
            .collect();
        let next = Mutex::new(jobs.iter());
        let empty = vec![vec![Figures::default(); names.len()]; bandwidths.len()];
        let figures = Mutex::new(empty);
        let worker_count = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        std::thread::scope(|scope| {
            for _ in 0..worker_count {
                scope.spawn(|| {
                    while let Some(&(width, policy)) = next.lock().ok().and_then(|mut next| next.next()) {
                        let setup = Setup { pages_per_day: bandwidths[width], ..setup };
                        let Some(mut player) = forum_policy_named(names[policy], history, &setup) else {
                            continue;
                        };
                        let reached = run(history, &setup, player.as_mut());
                        if let Ok(mut figures) = figures.lock() {
                            figures[width][policy] = reached;
                        }
                    }
                });
            }
        });
        let counted = &history.posts[history.count_before(setup.eval_s())..];
        Self {
            name,
            bandwidths: bandwidths.to_vec(),
            figures: figures.into_inner().unwrap_or_default(),
            backtests: backtests(history, &setup),
            archive_count: history.count_before(setup.start.secs_f64()),
            thread_count: history.thread_count(),
            posts_per_day: counted.len() as f64 / f64::from(setup.eval_days.max(1)),
            revived: revived(history, &setup),
        }
    }

    /// What a policy reached at the bandwidth of that place.
    pub(super) fn of(&self, width: usize, name: &str) -> Option<&Figures> {
        self.figures.get(width)?.iter().find(|figures| figures.policy == name)
    }

    /// A value of post lists, week by week, of every policy.
    pub(super) fn by_week(
        &self,
        width: usize,
        days: usize,
        value: fn(&DayShare) -> Option<f64>,
    ) -> Vec<(String, Vec<(f64, f64)>)> {
        let line = |figures: &Figures| {
            let weeks = figures.posts.days.chunks(days).enumerate();
            let points = weeks.filter_map(|(week, chunk)| {
                let values: Vec<f64> = chunk.iter().filter_map(value).collect();
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                (!values.is_empty()).then_some(((week * days) as f64, mean))
            });
            (figures.policy.to_owned(), points.collect())
        };
        self.figures.get(width).into_iter().flatten().map(line).collect()
    }

    /// A value of every policy by bandwidth.
    pub(super) fn by_bandwidth(&self, value: fn(&Figures) -> Option<f64>) -> Vec<(String, Vec<(f64, f64)>)> {
        let line = |(index, name): (usize, &&str)| {
            let widths = self.bandwidths.iter().zip(&self.figures);
            let points = widths.filter_map(|(width, all)| Some((*width, value(all.get(index)?)?)));
            ((*name).to_owned(), points.collect())
        };
        FORUM_POLICY_NAMES.iter().enumerate().map(line).collect()
    }
}

/// The models on the site's own history, index lists and post lists.
fn backtests(history: &History, setup: &Setup) -> [Option<Backtest>; 2] {
    let mut boards = vec![Vec::new(); history.board_count as usize];
    let mut threads = vec![Vec::new(); history.thread_count()];
    for post in &history.posts {
        let thread = &mut threads[post.thread as usize];
        if thread.is_empty() {
            boards[history.boards[post.thread as usize] as usize].push(post.at_s);
        }
        thread.push(post.at_s);
    }
    let (end_s, split_s) = (setup.end_s(), setup.end_s() - BACKTEST_DAYS * DAY_S);
    [(&boards, LONGEST_H[0]), (&threads, LONGEST_H[1])].map(|(lists, longest_h)| {
        let lists: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
        backtest(&lists, split_s, end_s, longest_h)
    })
}

/// Shares of the posts that count that came after long silences of their threads.
fn revived(history: &History, setup: &Setup) -> [f64; 3] {
    let (mut counts, mut all) = ([0.0; 3], 0.0_f64);
    for thread in 0..history.thread_count() as u32 {
        for pair in history.thread_posts(thread).windows(2) {
            let [before_s, at_s] = [pair[0], pair[1]].map(|post| history.posts[post as usize].at_s as f64);
            if at_s < setup.eval_s() {
                continue;
            }
            for (count, silence_d) in counts.iter_mut().zip(SILENCES_D) {
                *count += f64::from(u8::from(at_s - before_s > silence_d * DAY_S));
            }
        }
    }
    all += (history.posts.len() - history.count_before(setup.eval_s())) as f64;
    counts.map(|count: f64| count / all.max(1.0))
}
