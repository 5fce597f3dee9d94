//! An outlook: a change model that a plan can be made along, and the path that it foretells.
//!
//! L(u), the posts that gather until u, is summed over the stretches between nodes: within one
//! the rate is `shaped·π + flat`, with the mean shares of its horizons and the week's own integral of
//! π. How long the source can wait is found before, from the rates alone: hours move a visit
//! within the day, a grid need not know that.

use freshet_types::Timestamp;
use pulp::Simd;

use super::Fare;
use super::grid::{Grid, NODE_COUNT, TAIL};
use crate::Pool;
use crate::change::{ChangeModel, Known, Levels};
use crate::mixture::{EDGES_H, HORIZON_COUNT, HORIZON_ROOM, Rates};
use crate::rhythm::shape::Shape;
use crate::rhythm::week::{Week, hour_of_week};

/// A source that can wait longer (ten years) is not told apart from one that can for ever.
const REACH_H_MAX: f32 = 87_600.0;
/// Rounds in which the timing price and the time that it gives find each other: a grid need not know better.
const TIMING_STEPS: usize = 3;

/// What a source can wait for.
#[derive(Clone, Copy, Debug)]
pub struct Wish {
    /// What a look costs.
    pub fare: Fare,
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
    pub(crate) clock: [u32; NODE_COUNT],
    /// ∫π until each node, after a place that means nothing.
    masses_h: [f32; 1 + NODE_COUNT],
    week: Week,
    /// The mean rate of the stretch that ends with each node, its first part: what follows the hours.
    shaped_per_h: [f32; NODE_COUNT],
    /// The second part: what comes at all hours alike.
    flat_per_h: [f32; NODE_COUNT],
    /// The hour of the week of the visit.
    begin_h: f32,
}

impl Default for Path {
    fn default() -> Self {
        Self {
            grid: Grid::for_reach(0.0),
            posts: [0.0; NODE_COUNT],
            clock: [0; NODE_COUNT],
            masses_h: [0.0; 1 + NODE_COUNT],
            week: Week::of(&Shape::default()),
            shaped_per_h: [0.0; NODE_COUNT],
            flat_per_h: [0.0; NODE_COUNT],
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

    /// Posts at some hours after the look.
    pub(crate) fn posts_at(&self, hours: f64) -> f32 {
        let (node, _) = self.grid.node_after(hours);
        self.within(node, hours as f32).0
    }

    /// Posts, and the hour of the day, at some hours within the stretch that ends with a node.
    pub(crate) fn within(&self, node: usize, hours: f32) -> (f32, u8) {
        let (mass_h, hour) = self.week.at(self.begin_h + hours);
        let shaped = self.shaped_per_h[node] * (mass_h - self.masses_h[node]);
        let flat = self.flat_per_h[node] * (hours - self.grid.nodes_h[node - 1]);
        (self.posts[node - 1] + shaped + flat, hour)
    }

    /// Of these rates in the week that is set, after a visit at `since`.
    #[inline(always)]
    fn draw<S: Simd>(&mut self, simd: S, mut rates: Rates, since: Timestamp, wish: &Wish) {
        let floor_per_h = wish.floor_per_h as f32;
        for (flat_per_h, shaped_per_h) in rates.flat_per_h.iter_mut().zip(&rates.shaped_per_h) {
            *flat_per_h = flat_per_h.max(floor_per_h - shaped_per_h);
        }
        // A source that waited for long is looked at from there on.
        let reach_h = reach(&rates, &wish.fare).max(wish.elapsed_h as f32 / 2.0);
        self.grid = Grid::for_reach(reach_h);
        self.begin_h = hour_of_week(since) as f32;
        self.spread(simd, &rates);
        self.trace(simd);
        if wish.fare.backlog > 0.0 {
            self.posts.iter_mut().for_each(|posts| *posts += wish.fare.backlog);
        }
    }

    /// Rates by stretch, out of rates by horizon: a stretch may reach over several.
    #[inline(always)]
    fn spread<S: Simd>(&mut self, simd: S, rates: &Rates) {
        let (mut shaped, mut flat) = ([0.0; HORIZON_ROOM], [0.0; HORIZON_ROOM]);
        let mut sum = (0.0, 0.0);
        for horizon in 0..HORIZON_COUNT {
            let (shaped_per_h, flat_per_h) = (rates.shaped_per_h[horizon], rates.flat_per_h[horizon]);
            let low_h = EDGES_H[horizon] as f32;
            let span_h = EDGES_H.get(horizon + 1).map_or(0.0, |edge| *edge as f32 - low_h);
            // What a horizon's own rate would have brought since the visit is taken off again.
            (shaped[horizon], flat[horizon]) = (sum.0 - shaped_per_h * low_h, sum.1 - flat_per_h * low_h);
            sum = (sum.0 + shaped_per_h * span_h, sum.1 + flat_per_h * span_h);
        }
        // What either part alone has brought until each node, after a zero: so every loop is over all nodes.
        let (grid, mut shaped_sums, mut flat_sums) =
            (self.grid, [0.0; 1 + NODE_COUNT], [0.0; 1 + NODE_COUNT]);
        for node in 0..NODE_COUNT {
            let (horizon, at_h) = (grid.horizons[node] as usize % HORIZON_ROOM, grid.nodes_h[node]);
            shaped_sums[1 + node] = shaped[horizon] + rates.shaped_per_h[horizon] * at_h;
            flat_sums[1 + node] = flat[horizon] + rates.flat_per_h[horizon] * at_h;
        }
        rises(simd, &shaped_sums, &grid.steps_per_h, &mut self.shaped_per_h);
        rises(simd, &flat_sums, &grid.steps_per_h, &mut self.flat_per_h);
    }

    #[inline(always)]
    fn trace<S: Simd>(&mut self, simd: S) {
        let grid = self.grid;
        self.week.at_all(self.begin_h, &grid.nodes_h, &mut self.masses_h[1..], &mut self.clock);
        rises(simd, &self.masses_h, &self.shaped_per_h, &mut self.posts);
        let flat = S::as_simd_f32s(&self.flat_per_h).0.iter().zip(S::as_simd_f32s(&grid.steps_h).0);
        for (gathered, (per_h, step_h)) in S::as_mut_simd_f32s(&mut self.posts).0.iter_mut().zip(flat) {
            *gathered = simd.add_f32s(*gathered, simd.mul_f32s(*per_h, *step_h));
        }
        // Node 0 is the visit: nothing has gathered.
        self.posts[0] = 0.0;
        let mut sum = 0.0;
        for posts in &mut self.posts[1..] {
            sum += *posts;
            *posts = sum;
        }
    }
}

/// How much sums rise from each to the next, times a factor.
#[inline(always)]
fn rises<S: Simd>(
    simd: S,
    sums: &[f32; 1 + NODE_COUNT],
    factors: &[f32; NODE_COUNT],
    into: &mut [f32; NODE_COUNT],
) {
    let ends = S::as_simd_f32s(&sums[..NODE_COUNT]).0.iter().zip(S::as_simd_f32s(&sums[1..]).0);
    let factors = S::as_simd_f32s(factors).0;
    for ((into, factor), (before, after)) in S::as_mut_simd_f32s(into).0.iter_mut().zip(factors).zip(ends) {
        *into = simd.mul_f32s(simd.sub_f32s(*after, *before), *factor);
    }
}

/// When the waiting of the posts since a look equals what times the next.
#[inline(always)]
fn reach(rates: &Rates, fare: &Fare) -> f32 {
    let mut reach = reach_h(rates, fare.visit, fare.backlog);
    if fare.is_grouped() && fare.backlog <= 0.0 {
        // The timing price depends on what gathers until then, which at a constant rate is twice the price by the time.
        let mut price = fare.visit;
        for _ in 0..TIMING_STEPS {
            price = fare.timing(2.0 * price / reach.max(1e-6));
            reach = reach_h(rates, price, 0.0);
        }
    }
    reach
}

/// When the waiting of a backlog and of the posts since a look equals a price.
#[inline(always)]
fn reach_h(rates: &Rates, price_h: f32, backlog: f32) -> f32 {
    let (mut posts, mut wait_h) = (backlog, 0.0_f32);
    for (horizon, edge_h) in EDGES_H.into_iter().enumerate() {
        let low_h = edge_h as f32;
        let high_h = EDGES_H.get(horizon + 1).map_or(REACH_H_MAX, |edge| *edge as f32);
        let per_h = rates.shaped_per_h[horizon] + rates.flat_per_h[horizon];
        let span_h = high_h - low_h;
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
    fn path<S: Simd>(&self, simd: S, pool: &Pool, since: Timestamp, wish: &Wish, path: &mut Path);
    /// The hours of the source.
    fn week(&self, pool: &Pool) -> Week;
    /// σ: posts in a stretch have mean L and variance L + σL².
    fn scatter(&self, pool: &Pool) -> f64;
}

impl Outlook for Levels {
    #[inline(always)]
    fn path<S: Simd>(&self, simd: S, pool: &Pool, since: Timestamp, wish: &Wish, path: &mut Path) {
        self.fill_week(pool, &mut path.week);
        path.draw(simd, self.rates(pool), since, wish);
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
    fn path<S: Simd>(&self, simd: S, pool: &Pool, since: Timestamp, wish: &Wish, path: &mut Path) {
        let shaped_per_h = (self.rate_per_s(pool) * 3600.0) as f32;
        path.week = self.week(pool);
        let rates = Rates { shaped_per_h: [shaped_per_h; HORIZON_ROOM], flat_per_h: [0.0; HORIZON_ROOM] };
        path.draw(simd, rates, since, wish);
    }

    fn week(&self, _pool: &Pool) -> Week {
        Week::of(self.shape())
    }

    fn scatter(&self, _pool: &Pool) -> f64 {
        0.0
    }
}
