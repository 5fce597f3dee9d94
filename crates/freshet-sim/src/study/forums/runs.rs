//! All runs on one forum, and what else the page says of it.

use freshet_policy::forum::{Backtest, Belief, ListKind, backtest};

use super::super::StudyError;
use crate::forum::policies::FORUM_POLICY_NAMES;
use crate::forum::setup::DAY_S;
use crate::forum::{Figures, History, Setup, compare};

/// Days that the backtest asks about.
const BACKTEST_DAYS: f64 = 14.0;
/// Silences in days that posts are counted after.
pub(super) const SILENCES_D: [f64; 3] = [1.0, 7.0, 30.0];
/// Days that threads may be active at most, for the paper's figure 5: an hour to two years.
const LIVES_D: [f64; 13] = [1.0 / 24.0, 0.25, 0.5, 1.0, 2.0, 3.0, 7.0, 14.0, 30.0, 90.0, 180.0, 365.0, 730.0];

/// One forum and what came of every policy at every bandwidth.
#[derive(Debug)]
pub(super) struct Site {
    pub(super) name: &'static str,
    pub(super) bandwidths: Vec<f64>,
    /// By bandwidth, then in the order of [`FORUM_POLICY_NAMES`].
    pub(super) reached: Vec<(f64, Figures)>,
    /// Of index lists and post lists.
    pub(super) backtests: [Option<Backtest>; 2],
    /// Posts before the start, threads at the end, posts a day that count.
    pub(super) archive_count: usize,
    pub(super) thread_count: usize,
    pub(super) posts_per_day: f64,
    /// Share of the posts that count that came after each of [`SILENCES_D`].
    pub(super) revived: [f64; 3],
    /// Days, and the share of threads that were active no longer.
    pub(super) lives: Vec<(f64, f64)>,
}

impl Site {
    pub(super) fn run(
        name: &'static str,
        history: &'static History,
        setup: Setup,
        bandwidths: &[f64],
    ) -> Result<Self, StudyError> {
        let names: Vec<String> = FORUM_POLICY_NAMES.iter().map(|name| (*name).to_owned()).collect();
        let at = |pages_per_day: &f64| Setup { pages_per_day: *pages_per_day, ..setup };
        let setups: Vec<Setup> = bandwidths.iter().map(at).collect();
        let figures = compare(history, &names, &setups, &|_| {})?;
        let widths = bandwidths.iter().flat_map(|width| names.iter().map(move |_| *width));
        let counted = &history.posts[history.count_before(setup.eval_s())..];
        Ok(Self {
            name,
            bandwidths: bandwidths.to_vec(),
            reached: widths.zip(figures).collect(),
            backtests: backtests(history, &setup),
            archive_count: history.count_before(setup.start.secs_f64()),
            thread_count: history.thread_count(),
            posts_per_day: counted.len() as f64 / f64::from(setup.eval_days.max(1)),
            revived: revived(history, &setup),
            lives: lives(history),
        })
    }

    /// What a policy reached at the bandwidth of that place.
    pub(super) fn of(&self, width: usize, name: &str) -> Option<&Figures> {
        let width = self.bandwidths.get(width)?;
        let is_asked =
            |(at, figures): &&(f64, Figures)| at.total_cmp(width).is_eq() && figures.policy == name;
        self.reached.iter().find(is_asked).map(|(_, figures)| figures)
    }

    /// What these policies reached, at one bandwidth or at all.
    pub(super) fn shown(&self, names: &[&str], width: Option<f64>) -> Vec<(f64, Figures)> {
        let is_shown = |(at, figures): &&(f64, Figures)| {
            names.contains(&figures.policy) && width.is_none_or(|width| at.total_cmp(&width).is_eq())
        };
        self.reached.iter().filter(is_shown).cloned().collect()
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
    [(&boards, ListKind::Index), (&threads, ListKind::Posts)].map(|(lists, kind)| {
        let lists: Vec<&[i64]> = lists.iter().map(Vec::as_slice).collect();
        backtest(&lists, split_s, end_s, Belief::of(kind))
    })
}

/// Shares of the posts that count that came after long silences of their threads.
fn revived(history: &History, setup: &Setup) -> [f64; 3] {
    let mut counts = [0.0; 3];
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
    let all = (history.posts.len() - history.count_before(setup.eval_s())) as f64;
    counts.map(|count: f64| count / all.max(1.0))
}

/// How long threads are active, from their first post to their last: shares up to each of [`LIVES_D`].
fn lives(history: &History) -> Vec<(f64, f64)> {
    let at_s = |post: &u32| history.posts[*post as usize].at_s as f64;
    let life_s = |thread: u32| {
        let posts = history.thread_posts(thread);
        Some(at_s(posts.last()?) - at_s(posts.first()?))
    };
    let lives: Vec<f64> = (0..history.thread_count() as u32).filter_map(life_s).collect();
    let share = |days: f64| {
        let count = lives.iter().filter(|life_s| **life_s <= days * DAY_S).count();
        (days, count as f64 / lives.len().max(1) as f64)
    };
    LIVES_D.into_iter().map(share).collect()
}
