//! `lws`, `lws+bc`, `lws+gap`, `lws+choice`, `lws+rank`: the list-wise strategy [list-wise, sections 3.4 and 3.5].
//!
//! A list is due by the records it is expected to have that we have not: ΔI = (CT − LT)/F(x). The list with the largest ΔI goes next: of an index list
//! the top ⌈ΔI/Num⌉ pages, of a post list the last page; pages just heard of go before either. With bandwidth control every turn belongs to
//! index lists or post lists by the ratio rule ([`Ratio`]), and takes from the other where its own has nothing. F is the regression, trained
//! again every two months; before the first training it is the list's average interval. Other rows have another F ([`Forecaster`]): that of
//! one model, or of the one that wins a backtest at each training, for each kind of list. New boards show on the portal, which is looked at once a day.
//!
//! ΔI of every list is computed once an hour; in between only the [`CANDIDATES_PER_TURN`]-fold of the hour's turns are ranked again, because ΔI of
//! the others cannot catch up so soon.

mod forecast;

use std::collections::VecDeque;

use freshet_policy::forum::{Belief, ListKind, ModelKind, Ratio};

use super::super::setup::DAY_S;
use super::super::{Address, ForumPolicy, Setup, Sheet};
use super::discovery::Discovery;
use super::standing::{List, Standing};
use forecast::Forecast;
pub(crate) use forecast::Forecaster;

/// Seconds after which all lists are ranked again.
const RANK_S: f64 = 3600.0;
/// Lists that may be next, for each turn until then.
const CANDIDATES_PER_TURN: f64 = 4.0;
/// Days after the start at which models are trained, then every two months.
const TRAIN_DAYS: [f64; 3] = [2.0, 14.0, 45.0];
const TRAIN_EVERY_DAYS: f64 = 60.0;

/// Who decides between index lists and post lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// What is worth most goes first, whatever it is.
    Together,
    /// The ratio rule.
    Ratio,
}

/// The policy.
#[derive(Debug)]
pub struct Lists {
    name: &'static str,
    sharing: Sharing,
    forecaster: Forecaster,
    /// What is believed of index lists and of post lists.
    beliefs: [Belief; 2],
    page_size: u32,
    turns_per_s: f64,
    start_s: f64,
    discovery: Discovery,
    standing: Standing,
    ratio: Ratio,
    forecasts: [Forecast; 2],
    trained_count: usize,
    ranked_s: f64,
    portal_s: f64,
    /// The lists that may be next: index lists, post lists.
    candidates: [Vec<u32>; 2],
    /// Further pages of the index list that is being read.
    further: VecDeque<Address>,
}

impl Lists {
    /// At the portal.
    pub fn new(name: &'static str, setup: &Setup, sharing: Sharing) -> Self {
        Self {
            name,
            sharing,
            forecaster: Forecaster::Fixed(ModelKind::Regression),
            beliefs: [ListKind::Index, ListKind::Posts].map(Belief::of),
            page_size: setup.page_size,
            turns_per_s: setup.pages_per_day / DAY_S,
            start_s: setup.start.secs_f64(),
            discovery: Discovery::new(),
            standing: Standing::default(),
            ratio: Ratio::default(),
            forecasts: [Forecast::default(), Forecast::default()],
            trained_count: 0,
            ranked_s: f64::NEG_INFINITY,
            portal_s: setup.start.secs_f64(),
            candidates: [Vec::new(), Vec::new()],
            further: VecDeque::new(),
        }
    }

    /// With F from somewhere else than the regression.
    #[must_use]
    pub(crate) fn by(mut self, forecaster: Forecaster) -> Self {
        self.forecaster = forecaster;
        self
    }

    /// With other intervals believed of index lists and of post lists.
    #[must_use]
    pub(crate) fn believing(mut self, beliefs: [Belief; 2]) -> Self {
        self.beliefs = beliefs;
        self
    }

    fn lists(&self, kind: ListKind) -> &[List] {
        match kind {
            ListKind::Index => &self.standing.boards,
            ListKind::Posts => &self.standing.threads,
        }
    }

    fn forecast(&self, kind: ListKind) -> &Forecast {
        &self.forecasts[kind as usize]
    }

    fn train(&mut self, now_s: f64) {
        let days = (now_s - self.start_s) / DAY_S;
        let later = TRAIN_DAYS[TRAIN_DAYS.len() - 1]
            + TRAIN_EVERY_DAYS
                * (self.trained_count + 1 - TRAIN_DAYS.len().min(self.trained_count + 1)) as f64;
        if days < TRAIN_DAYS.get(self.trained_count).copied().unwrap_or(later) {
            return;
        }
        self.trained_count += 1;
        for kind in [ListKind::Index, ListKind::Posts] {
            let lists: Vec<&[i64]> = self.lists(kind).iter().map(|list| list.times_s.as_slice()).collect();
            self.forecasts[kind as usize] =
                Forecast::train(&lists, now_s, self.beliefs[kind as usize], self.forecaster);
        }
        self.ranked_s = f64::NEG_INFINITY;
    }

    /// Which lists may be next within the hour.
    fn rank(&mut self, now_s: f64) {
        self.ranked_s = now_s;
        let count = (self.turns_per_s * RANK_S * CANDIDATES_PER_TURN) as usize + 16;
        for kind in [ListKind::Index, ListKind::Posts] {
            let ahead_s = now_s + RANK_S / 2.0;
            let clock = self.forecast(kind).clock(ahead_s);
            let lists = self.lists(kind).iter().enumerate().filter(|(_, list)| list.visited_s.is_finite());
            let mut ranked: Vec<(f64, u32)> = lists
                .map(|(number, list)| {
                    (self.forecast(kind).records(number, list, clock, ahead_s), number as u32)
                })
                .collect();
            if count < ranked.len() {
                ranked.select_nth_unstable_by(count, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                ranked.truncate(count);
            }
            self.candidates[kind as usize] = ranked.into_iter().map(|(_, number)| number).collect();
        }
    }

    /// The list of a kind with the largest ΔI.
    fn best(&self, kind: ListKind, now_s: f64) -> Option<(f64, u32)> {
        let clock = self.forecast(kind).clock(now_s);
        let lists = self.lists(kind);
        let worth = |number: &u32| {
            (self.forecast(kind).records(*number as usize, &lists[*number as usize], clock, now_s), *number)
        };
        let order = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1));
        self.candidates[kind as usize].iter().map(worth).max_by(order)
    }

    /// The next page of one kind, just heard of or due.
    fn of_kind(&mut self, kind: ListKind, now_s: f64) -> Option<Address> {
        let fresh = match kind {
            ListKind::Index => self.discovery.index.pop_front().or_else(|| self.further.pop_front()),
            ListKind::Posts => self.discovery.posts.pop_front(),
        };
        fresh.or_else(|| self.best(kind, now_s).map(|(records, number)| self.open(kind, number, records)))
    }

    /// The page of a list that is looked at first; the others are noted.
    fn open(&mut self, kind: ListKind, number: u32, records: f64) -> Address {
        match kind {
            ListKind::Index => {
                let pages = (records / f64::from(self.page_size)).ceil().clamp(1.0, 50.0) as u32;
                self.further.extend((2..=pages).map(|page| Address::Index { board: number, page }));
                Address::Index { board: number, page: 1 }
            }
            ListKind::Posts => {
                Address::Posts { thread: number, page: self.discovery.thread_pages(number).max(1) }
            }
        }
    }
}

impl ForumPolicy for Lists {
    fn name(&self) -> &'static str {
        self.name
    }

    fn next(&mut self, now_s: f64) -> Option<Address> {
        self.train(now_s);
        if now_s >= self.portal_s + DAY_S {
            self.portal_s = now_s;
            return Some(Address::Portal);
        }
        if now_s >= self.ranked_s + RANK_S {
            self.rank(now_s);
        }
        if self.sharing == Sharing::Ratio {
            let (kind, other) = match self.ratio.turn() {
                ListKind::Index => (ListKind::Index, ListKind::Posts),
                ListKind::Posts => (ListKind::Posts, ListKind::Index),
            };
            return self.of_kind(kind, now_s).or_else(|| self.of_kind(other, now_s));
        }
        let fresh = self.discovery.pop().or_else(|| self.further.pop_front());
        fresh.or_else(|| {
            let both = [ListKind::Index, ListKind::Posts].map(|kind| (self.best(kind, now_s), kind));
            let found = both
                .into_iter()
                .filter_map(|(best, kind)| best.map(|(records, number)| (records, number, kind)));
            let (records, number, kind) = found.max_by(|a, b| a.0.total_cmp(&b.0))?;
            Some(self.open(kind, number, records))
        })
    }

    fn learn(&mut self, now_s: f64, address: Address, sheet: &Sheet) {
        self.discovery.learn(address, sheet);
        match address {
            Address::Portal => {}
            Address::Index { board, page } => {
                let new_count = self.standing.learn(board, sheet);
                self.ratio.learn(ListKind::Index, new_count);
                // Behind a page without news there are none, whatever ΔI says.
                if new_count == 0 {
                    self.further.clear();
                }
                if page == 1 {
                    if self.standing.boards[board as usize].visited_s.is_infinite() {
                        self.candidates[0].push(board);
                    }
                    Standing::visited(&mut self.standing.boards, board, now_s);
                }
                self.forecasts[0].refresh(&self.standing.boards[board as usize], board);
            }
            Address::Posts { thread, page } => {
                self.ratio.learn(ListKind::Posts, self.standing.learn(thread, sheet));
                if page >= sheet.page_count {
                    if self.standing.threads[thread as usize].visited_s.is_infinite() {
                        self.candidates[1].push(thread);
                    }
                    Standing::visited(&mut self.standing.threads, thread, now_s);
                }
                self.forecasts[1].refresh(&self.standing.threads[thread as usize], thread);
            }
        }
    }
}
