//! An outlook: a change model that a plan can be made along, and the path that it foretells.
//!
//! L(u), the posts that gather until u, is summed over the stretches between nodes: within one
//! the rate is `shaped·π + flat`, with the mean shares of its horizons and the week's own integral of
//! π. How long the source can wait is found before, from the rates alone: hours move a visit
//! within the day, a grid need not know that.

use freshet_types::Timestamp;

use super::grid::{Grid, NODE_COUNT, TAIL};
use crate::Pool;
use crate::change::{ChangeModel, Known, Levels};
use crate::mixture::{EDGES_H, HORIZON_COUNT, Rate};
use crate::rhythm::shape::Shape;
use crate::rhythm::week::{Week, hour_of_week};

/// A source that can wait longer (ten years) is not told apart from one that can for ever.
const REACH_H_MAX: f32 = 87_600.0;

/// Room for the rates of all horizons: a power of two, so that a masked number has its place.
const RATE_ROOM: usize = 16;

/// What a source can wait for.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// The price of a visit, in posts times hours.
    pub price_h: f64,
    /// The rate is nowhere taken for less, in posts an hour.
    pub floor_per_h: f64,
    /// It has been waiting for so long already.
    pub elapsed_h: f64,
}

/// What gathers at a source until each node, without a visit.
#[derive(Clone, Debug)]
pub struct Path {
    pub(crate) grid: &'static Grid,
    pub(crate) posts: [f32; NODE_COUNT],
    /// The hour of the day (UTC) of each node.
    pub(crate) clock: [u8; NODE_COUNT],
    /// ∫π until each node.
    masses_h: [f32; NODE_COUNT],
    week: Week,
    /// The mean rate of the stretch that ends with each node.
    rates: [Rate; NODE_COUNT],
    /// The hour of the week of the visit.
    begin_h: f32,
}

impl Default for Path {
    fn default() -> Self {
        Self {
            grid: Grid::for_reach(0.0),
            posts: [0.0; NODE_COUNT],
            clock: [0; NODE_COUNT],
            masses_h: [0.0; NODE_COUNT],
            week: Week::of(&Shape::default()),
            rates: [Rate::default(); NODE_COUNT],
            begin_h: 0.0,
        }
    }
}

impl Path {
    /// Where its fine nodes end, in hours after the visit.
    pub(crate) fn end_h(&self) -> f64 {
        f64::from(self.grid.nodes_h[TAIL])
    }

    /// When so many posts are expected to have gathered; `None` if not within the nodes.
    pub(crate) fn reaches_h(&self, posts: f64) -> Option<f64> {
        let posts = posts as f32;
        let node = (1..NODE_COUNT).find(|node| self.posts[*node] >= posts)?;
        let (before, after) = (self.posts[node - 1], self.posts[node]);
        let share = if after > before { (posts - before).max(0.0) / (after - before) } else { 1.0 };
        Some(f64::from(self.grid.nodes_h[node - 1] + share * self.grid.steps_h[node]))
    }

    /// Posts, and the hour of the day, at some hours within the stretch that ends with a node.
    pub(crate) fn within(&self, node: usize, hours: f32) -> (f32, u8) {
        let rate = self.rates[node];
        let (mass_h, hour) = self.week.at(self.begin_h + hours);
        let shaped = rate.shaped_per_h * (mass_h - self.masses_h[node - 1]);
        (self.posts[node - 1] + shaped + rate.flat_per_h * (hours - self.grid.nodes_h[node - 1]), hour)
    }

    /// Of these rates in this week, after a visit at `since`.
    #[inline(always)]
    fn draw(&mut self, week: Week, mut rates: [Rate; HORIZON_COUNT], since: Timestamp, wish: &Wish) {
        let floor_per_h = wish.floor_per_h as f32;
        for rate in &mut rates {
            rate.flat_per_h = rate.flat_per_h.max(floor_per_h - rate.shaped_per_h);
        }
        // A source that waited for long is looked at from there on.
        let reach_h = reach_h(&rates, wish.price_h as f32).max(wish.elapsed_h as f32 / 2.0);
        self.grid = Grid::for_reach(reach_h);
        (self.week, self.begin_h) = (week, hour_of_week(since) as f32);
        self.spread(&rates);
        self.trace();
    }

    /// Rates by stretch, out of rates by horizon: a stretch may reach over several.
    #[inline(always)]
    fn spread(&mut self, rates: &[Rate; HORIZON_COUNT]) {
        let mut sums = [(0.0, 0.0, Rate::default()); RATE_ROOM];
        let mut sum = (0.0, 0.0);
        for (horizon, rate) in rates.iter().enumerate() {
            let low_h = EDGES_H[horizon] as f32;
            let span_h = EDGES_H.get(horizon + 1).map_or(0.0, |edge| *edge as f32 - low_h);
            // What a horizon's own rate would have brought since the visit is taken off again.
            sums[horizon] = (sum.0 - rate.shaped_per_h * low_h, sum.1 - rate.flat_per_h * low_h, *rate);
            sum = (sum.0 + rate.shaped_per_h * span_h, sum.1 + rate.flat_per_h * span_h);
        }
        let (grid, mut before) = (self.grid, (0.0, 0.0));
        for node in 1..NODE_COUNT {
            let (shaped, flat, rate) = sums[usize::from(grid.horizons[node]) % RATE_ROOM];
            let at_h = grid.nodes_h[node];
            let after = (shaped + rate.shaped_per_h * at_h, flat + rate.flat_per_h * at_h);
            let per_h = grid.steps_per_h[node];
            self.rates[node] =
                Rate { shaped_per_h: (after.0 - before.0) * per_h, flat_per_h: (after.1 - before.1) * per_h };
            before = after;
        }
    }

    #[inline(always)]
    fn trace(&mut self) {
        let grid = self.grid;
        (self.masses_h, self.clock) = self.week.at_all(self.begin_h, &grid.nodes_h);
        let (mut posts, mut before_h) = (0.0, self.masses_h[0]);
        for node in 1..NODE_COUNT {
            let (rate, after_h) = (self.rates[node], self.masses_h[node]);
            posts += rate.shaped_per_h * (after_h - before_h) + rate.flat_per_h * grid.steps_h[node];
            self.posts[node] = posts;
            before_h = after_h;
        }
    }
}

/// When the waiting of the posts since a visit equals the price of the next.
#[inline(always)]
fn reach_h(rates: &[Rate; HORIZON_COUNT], price_h: f32) -> f32 {
    let (mut posts, mut wait_h) = (0.0_f32, 0.0_f32);
    for (horizon, rate) in rates.iter().enumerate() {
        let low_h = EDGES_H[horizon] as f32;
        let high_h = EDGES_H.get(horizon + 1).map_or(REACH_H_MAX, |edge| *edge as f32);
        let (span_h, per_h) = (high_h - low_h, rate.shaped_per_h + rate.flat_per_h);
        let after_h = wait_h + span_h * (posts + 0.5 * per_h * span_h);
        if after_h >= price_h {
            let missing_h = (price_h - wait_h).max(0.0);
            // The root of wait + posts·x + rate·x²/2 = price, in the form that needs no rate above 0.
            return low_h
                + 2.0 * missing_h / (posts + (posts * posts + 2.0 * per_h * missing_h).sqrt()).max(1e-30);
        }
        (posts, wait_h) = (posts + per_h * span_h, after_h);
    }
    REACH_H_MAX
}

/// Gives what gathers after a visit.
pub trait Outlook: ChangeModel {
    /// What gathers after a visit at `since`, at the nodes that suit the wish.
    fn path(&self, pool: &Pool, since: Timestamp, wish: &Wish, path: &mut Path);
    /// The hours of the source.
    fn week(&self, pool: &Pool) -> Week;
    /// σ: posts in a stretch have mean L and variance L + σL².
    fn scatter(&self, pool: &Pool) -> f64;
}

impl Outlook for Levels {
    #[inline(always)]
    fn path(&self, pool: &Pool, since: Timestamp, wish: &Wish, path: &mut Path) {
        path.draw(self.week(pool), self.rates(pool), since, wish);
    }

    fn week(&self, pool: &Pool) -> Week {
        Self::week(self, pool)
    }

    fn scatter(&self, pool: &Pool) -> f64 {
        Self::scatter(self, pool)
    }
}

impl Outlook for Known {
    #[inline(always)]
    fn path(&self, pool: &Pool, since: Timestamp, wish: &Wish, path: &mut Path) {
        let shaped_per_h = (self.rate_per_s(pool) * 3600.0) as f32;
        let rates = [Rate { shaped_per_h, flat_per_h: 0.0 }; HORIZON_COUNT];
        path.draw(self.week(pool), rates, since, wish);
    }

    fn week(&self, _pool: &Pool) -> Week {
        Week::of(self.shape())
    }

    fn scatter(&self, _pool: &Pool) -> f64 {
        0.0
    }
}
