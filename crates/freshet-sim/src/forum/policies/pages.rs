//! `bound-based` and `curve-fitting` on forums: every page for itself [Olston 2008; list-wise, section 4.2].
//!
//! As the list-wise paper adapted them: a page just heard of is fetched first; after that each page has an interval of its own, by
//! how unlike its last copy it was, and the page most overdue goes next. A page is a scroll region of its rows: a
//! row is new if the last copy did not have it with this last activity. T, the threshold, is one number for all pages, found once a
//! day from a sample so that all intervals together ask for the bandwidth.
//!
//! What they do not know is what the paper is about: that pages form lists, so that every page of an index list changes when one
//! thread moves to its top.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use freshet_policy::change::bounds::Bounds;
use freshet_policy::change::curve::{Profiles, Scroll};
use freshet_policy::{Look, price};
use freshet_types::{Map, Timestamp};

use super::super::setup::DAY_S;
use super::super::{Address, ForumPolicy, Rows, Setup, Sheet};
use super::discovery::Discovery;

/// Pages that a threshold is found from.
const SAMPLE_MAX: usize = 1024;
/// Shortest and longest interval of a page.
const INTERVAL_S: (f64, f64) = (60.0, 90.0 * DAY_S);
/// Interval of a page that was seen once: the archive of a year fits into it.
const START_S: f64 = DAY_S;

/// How one page's interval is learned.
pub trait PageRule: Clone + Default {
    /// The name that people select it by.
    const NAME: &'static str;
    /// A copy was made, with so many new rows in `look`.
    fn learn(&mut self, look: &Look<'_>, scroll: &Scroll, threshold_s: f64);
    /// The interval at a threshold.
    fn interval_s(&self, scroll: &Scroll, threshold_s: f64) -> f64;
}

/// An interval that doubles and halves between bounds.
#[derive(Clone, Debug)]
pub struct BoundBased(Bounds);

impl Default for BoundBased {
    fn default() -> Self {
        Self(Bounds::starting_at(START_S))
    }
}

impl PageRule for BoundBased {
    const NAME: &'static str = "bound-based";

    fn learn(&mut self, look: &Look<'_>, scroll: &Scroll, threshold_s: f64) {
        self.0.learn_with(look, scroll, threshold_s);
    }

    fn interval_s(&self, _scroll: &Scroll, threshold_s: f64) -> f64 {
        let learned_at = if self.0.threshold_s() > 0.0 { self.0.threshold_s() } else { threshold_s };
        self.0.interval_s() * (threshold_s / learned_at).sqrt()
    }
}

/// The interval at which a fitted curve's utility reaches the threshold.
#[derive(Clone, Debug, Default)]
pub struct CurveFitting {
    profiles: Profiles,
    /// Looks at which the curve was fitted last; a fit costs more than a page.
    fitted_count: u32,
}

impl CurveFitting {
    /// ρ: how much longer than the threshold a page may wait at most.
    const RISK: f64 = 10.0;
    /// Halvings of the interval's logarithm.
    const STEPS: u32 = 20;
}

impl PageRule for CurveFitting {
    const NAME: &'static str = "curve-fitting";

    fn learn(&mut self, look: &Look<'_>, scroll: &Scroll, _threshold_s: f64) {
        self.profiles.note(look, scroll);
        // Each fit is a quarter more looks after the last.
        if self.profiles.look_count() * 4 >= self.fitted_count * 5 {
            self.profiles.fit(scroll);
            self.fitted_count = self.profiles.look_count();
        }
    }

    fn interval_s(&self, scroll: &Scroll, threshold_s: f64) -> f64 {
        let longest_s = (Self::RISK * threshold_s).clamp(INTERVAL_S.0, INTERVAL_S.1);
        let Some(curve) = self.profiles.curve() else { return START_S.min(longest_s) };
        let is_due = |span_s: f64| curve.utility_s(span_s, scroll) >= threshold_s;
        if !is_due(longest_s) {
            return longest_s;
        }
        let (mut low, mut high) = (INTERVAL_S.0.ln(), longest_s.ln());
        for _ in 0..Self::STEPS {
            let middle = f64::midpoint(low, high);
            *(if is_due(middle.exp()) { &mut high } else { &mut low }) = middle;
        }
        high.exp()
    }
}

#[derive(Debug)]
struct Copy<R> {
    address: Address,
    at_s: f64,
    /// What tells its rows apart from other rows.
    rows: Box<[u64]>,
    rule: R,
}

/// Pages under one rule.
#[derive(Debug)]
pub struct Pages<R> {
    discovery: Discovery,
    numbers: Map<Address, usize>,
    copies: Vec<Copy<R>>,
    /// By due time in seconds; a page is in it once.
    due: BinaryHeap<(Reverse<i64>, usize)>,
    scroll: Scroll,
    threshold_s: f64,
    planned_s: f64,
    budget_per_s: f64,
}

impl<R: PageRule> Pages<R> {
    /// At the portal.
    pub fn new(setup: &Setup) -> Self {
        Self {
            discovery: Discovery::new(),
            numbers: Map::default(),
            copies: Vec::new(),
            due: BinaryHeap::new(),
            scroll: Scroll::new(setup.page_size),
            threshold_s: DAY_S / 24.0,
            planned_s: f64::NEG_INFINITY,
            budget_per_s: setup.pages_per_day / DAY_S,
        }
    }

    /// The threshold at which a sample asks for its share of the bandwidth.
    fn plan(&mut self) {
        let stride = self.copies.len().div_ceil(SAMPLE_MAX).max(1);
        let sample: Vec<&R> = self.copies.iter().step_by(stride).map(|copy| &copy.rule).collect();
        let wanted = |threshold_s: f64| -> f64 {
            let intervals = sample.iter().map(|rule| 1.0 / rule.interval_s(&self.scroll, threshold_s));
            intervals.sum::<f64>() * stride as f64
        };
        self.threshold_s = price::find(self.budget_per_s, self.threshold_s, wanted).clamp(1.0, 100.0 * DAY_S);
    }
}

impl<R: PageRule> ForumPolicy for Pages<R> {
    fn name(&self) -> &'static str {
        R::NAME
    }

    fn next(&mut self, now_s: f64) -> Option<Address> {
        if now_s >= self.planned_s + DAY_S {
            self.plan();
            self.planned_s = now_s;
        }
        let fresh = self.discovery.pop();
        fresh.or_else(|| self.due.pop().map(|(_, number)| self.copies[number].address))
    }

    fn learn(&mut self, now_s: f64, address: Address, sheet: &Sheet) {
        self.discovery.learn(address, sheet);
        let rows = keys(sheet);
        let next = self.copies.len();
        let number = *self.numbers.entry(address).or_insert(next);
        if number == next {
            self.copies.push(Copy { address, at_s: now_s, rows: Box::default(), rule: R::default() });
        }
        let copy = &mut self.copies[number];
        let since = (number != next).then(|| time(copy.at_s));
        let new_count = rows.iter().filter(|row| !copy.rows.contains(row)).count();
        let news = vec![time(now_s); if since.is_some() { new_count } else { 0 }];
        let look = Look { since, at: time(now_s), news: &news, is_full: false };
        copy.rule.learn(&look, &self.scroll, self.threshold_s);
        (copy.rows, copy.at_s) = (rows, now_s);
        let interval_s =
            copy.rule.interval_s(&self.scroll, self.threshold_s).clamp(INTERVAL_S.0, INTERVAL_S.1);
        self.due.push((Reverse((now_s + interval_s) as i64), number));
    }
}

fn time(at_s: f64) -> Timestamp {
    Timestamp::from_ms((at_s * 1000.0) as i64)
}

/// A row is another one when its last activity is.
fn keys(sheet: &Sheet) -> Box<[u64]> {
    let key = |number: u32, count: u32| u64::from(number) << 32 | u64::from(count);
    match &sheet.rows {
        Rows::Boards(rows) => rows.iter().map(|row| key(row.board, row.post_count)).collect(),
        Rows::Threads(rows) => rows.iter().map(|row| key(row.thread, row.post_count)).collect(),
        Rows::Posts(rows) => rows.iter().map(|row| key(row.post, 0)).collect(),
    }
}
