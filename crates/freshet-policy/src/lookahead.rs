//! The look-ahead: when a source is visited next if every visit has its price.
//!
//! A source was last visited at s. Until a visit at u its posts gather L(u) = ∫λ, and have waited
//! I(u) = ∫L. A visit at uₖ after one at uⱼ costs its price and the waiting of the posts in
//! between, D(j,k) = Iₖ − Iⱼ − (uₖ−uⱼ)·Lⱼ, and leaves the source in state k:
//!
//! Vⱼ = min over k>j of  D(j,k) + cₖ + Vₖ
//!
//! Written for Bⱼ = Iⱼ + cⱼ + Vⱼ, the cost of all if the first visit is at uⱼ, the waiting drops out:
//!
//! Bⱼ = cⱼ + uⱼ·Lⱼ + min over k>j of (Bₖ − uₖ·Lⱼ)
//!
//! The regret of not visiting at uⱼ is what waiting for the best later visit costs more:
//! Aⱼ = min over k>j of Bₖ − Bⱼ. Where it is above zero the source is due; under a budget the
//! largest regrets go first. The multiplier of the budget is the price, so this is the
//! Lagrangian index of the problem [Eckstein 2008 for one source].
//!
//! | symbol | here |
//! |---|---|
//! | uⱼ, hours after s, fine or coarse as the source can wait | [`grid`] |
//! | Lⱼ | [`Path`] |
//! | cₖ = price · hour factor | `prices` of [`Plan::make`] |
//! | Bⱼ | `costs` |
//! | Aⱼ | `regrets`; kept as a [`curve`] |
//!
//! Where a plan ends, visits follow each other steadily, T = √(2·price/rate) apart: one that comes
//! when more posts have gathered saves each of them from T, V = −T·L. (dV/du = −λ(u)·(time to
//! the next visit) holds for any plan; the last time is taken as constant.) Minima are taken by
//! trying all later nodes, four for four at a time: for thirty nodes that is less work than being
//! clever, and has no branches. Nothing is allocated.

mod curve;
pub(crate) mod grid;
mod outlook;

use freshet_types::{Span, Timestamp};

use crate::price::HourPrices;

pub(crate) use curve::Curve;
use grid::{Grid, NODE_COUNT, TAIL};
pub use outlook::{Outlook, Path, Wish};

/// Where nodes are further apart, hours between them are tried as well.
const REFINED_H: f32 = 2.0;
/// The least that a visit at another time is taken to cost more, in prices: between nodes costs are not known better.
const COST_MIN: f64 = 1e-3;
/// Times that are tried between two nodes, at most.
const TRIES_MAX: f32 = 8.0;
/// Nodes that are settled, and tried for others, at a time.
const LANES: usize = 4;
const _: () = assert!(TAIL.is_multiple_of(LANES) && NODE_COUNT.is_multiple_of(LANES), "no node is left out");

/// What each first visit costs, and what is regretted.
#[derive(Clone, Debug)]
pub struct Plan {
    /// B: posts times hours; only differences matter.
    costs: [f32; NODE_COUNT],
    /// A: posts times hours, above zero where a visit is due.
    regrets: [f32; NODE_COUNT],
}

impl Default for Plan {
    fn default() -> Self {
        Self { costs: [0.0; NODE_COUNT], regrets: [0.0; NODE_COUNT] }
    }
}

impl Plan {
    /// Plans along a path, for times from `elapsed_h` on, at a price in posts times hours.
    #[inline(always)]
    pub fn make(&mut self, path: &Path, hours: &HourPrices, price_h: f64, elapsed_h: f64) {
        let (nodes_h, posts) = (&path.grid.nodes_h, &path.posts);
        let first = path.grid.node_after(elapsed_h).0.saturating_sub(2).clamp(1, TAIL);
        let price = price_h as f32;
        let prices = prices(path, hours, price);
        self.end(path, &prices, price);
        let ((costs, _), (times_h, _)) = (self.costs.as_chunks_mut(), nodes_h.as_chunks());
        let ((posts, _), (prices, _)) = (posts.as_chunks(), prices.as_chunks());
        let mut best = [[f32::INFINITY; LANES]; TAIL / LANES];
        for chunk in TAIL / LANES..NODE_COUNT / LANES {
            relax(&mut best, posts, &costs[chunk], &times_h[chunk]);
        }
        for chunk in (first / LANES..TAIL / LANES).rev() {
            let (before, rest) = best.split_at_mut(chunk);
            costs[chunk] = settle(rest[0], &posts[chunk], &prices[chunk], &times_h[chunk]);
            relax(before, posts, &costs[chunk], &times_h[chunk]);
        }
        self.regret(first);
    }

    /// Costs of first visits so late that what follows is a steady cycle.
    #[inline(always)]
    fn end(&mut self, path: &Path, prices: &[f32; NODE_COUNT], price: f32) {
        let (grid, posts) = (path.grid, &path.posts);
        let last = NODE_COUNT - 1;
        let per_h = (posts[last] - posts[TAIL]) / (grid.nodes_h[last] - grid.nodes_h[TAIL]);
        let saved_h = if per_h > 0.0 { (2.0 * price / per_h).sqrt() } else { 0.0 };
        let mut wait_h = 0.0;
        self.costs[TAIL] = prices[TAIL];
        for node in TAIL + 1..NODE_COUNT {
            wait_h += grid.steps_h[node] * 0.5 * (posts[node - 1] + posts[node]);
            self.costs[node] = wait_h + prices[node] - saved_h * (posts[node] - posts[TAIL]);
        }
    }

    #[inline(always)]
    fn regret(&mut self, first: usize) {
        let (regrets, last) = (&mut self.regrets, NODE_COUNT - 1);
        let mut least = self.costs[last];
        for node in (first..last).rev() {
            regrets[node] = least - self.costs[node];
            least = lower(self.costs[node], least);
        }
        let earliest = regrets[first];
        regrets[..first].fill(earliest);
        // The last node has no later one: it goes on as the two before it.
        let [before, ahead] = [last - 2, last - 1].map(|node| regrets[node]);
        regrets[last] = ahead + (ahead - before).max(0.0);
    }

    /// When a visit is due, in hours after the one before and not before `elapsed_h`; path and
    /// prices are those of the plan.
    pub fn due_h(&self, path: &Path, hours: &HourPrices, price_h: f64, elapsed_h: f64) -> Option<f64> {
        let grid = path.grid;
        let first = grid.node_after(elapsed_h).0;
        let node = (first..NODE_COUNT).find(|node| self.regrets[*node] >= 0.0)?;
        let due_h = if node == NODE_COUNT - 1 {
            grid.nodes_h[node]
        } else if grid.steps_h[node] > REFINED_H {
            self.best_hour(path, hours, price_h as f32, node)
        } else {
            self.vertex(grid, node)
        };
        Some(f64::from(due_h).max(elapsed_h))
    }

    /// In how many hours before and after a visit at `due_h` lateness changes by 1 ([`crate::slack`]), from what visits
    /// `step_h` away cost more; path and prices are those of the plan, which covers both.
    pub(crate) fn slack_h(
        &self,
        path: &Path,
        hours: &HourPrices,
        price_h: f64,
        (due_h, step_h): (f64, f64),
    ) -> (f64, f64) {
        let cost = |at_h: f64| {
            let node = path.grid.nodes_h.partition_point(|node_h| f64::from(*node_h) < at_h);
            let node = node.clamp(1, NODE_COUNT - 1);
            f64::from(self.cost_at(path, hours, price_h as f32, (node, at_h as f32)))
        };
        let planned = cost(due_h);
        let slack_h = |at_h: f64| step_h / ((cost(at_h) - planned) / price_h).max(COST_MIN).sqrt();
        (slack_h(due_h - step_h), slack_h(due_h + step_h))
    }

    /// The lowest point of the parabola through a node and its neighbours.
    fn vertex(&self, grid: &Grid, node: usize) -> f32 {
        let slope = |node: usize| (self.costs[node] - self.costs[node - 1]) / grid.steps_h[node];
        let (step_before, step_after) = (grid.steps_h[node], grid.steps_h[node + 1]);
        let before = if node > 1 { slope(node).min(0.0) } else { 0.0 };
        let after = slope(node + 1).max(0.0);
        let width_h = 0.5 * (step_before + step_after);
        let share = if after > before { -before / (after - before) } else { 0.5 };
        grid.nodes_h[node] - 0.5 * step_before + share * width_h
    }

    /// The best time between the neighbours of a node, an hour apart or what comes near: a day has
    /// better hours than the node may have hit.
    fn best_hour(&self, path: &Path, hours: &HourPrices, price: f32, node: usize) -> f32 {
        let (grid, next) = (path.grid, self.next(path, node + 1, path.posts[node]));
        let (mut best, mut best_h) = (self.costs[node], grid.nodes_h[node]);
        for stretch in [node, node + 1] {
            let try_count = grid.steps_h[stretch].min(TRIES_MAX);
            let step_h = grid.steps_h[stretch] / try_count;
            for step in 1..try_count as u16 {
                let at_h = grid.nodes_h[stretch - 1] + step_h * f32::from(step);
                let (posts, hour) = path.within(stretch, at_h);
                // The visit after it stays the same.
                let cost = price * hours.factor(usize::from(hour)) as f32 + self.costs[next]
                    - (grid.nodes_h[next] - at_h) * posts;
                if cost < best {
                    (best, best_h) = (cost, at_h);
                }
            }
        }
        best_h
    }

    /// The best visit at `first` or later, if so many posts were seen by the one before.
    fn next(&self, path: &Path, first: usize, posts: f32) -> usize {
        let cost = |node: &usize| self.costs[*node] - path.grid.nodes_h[*node] * posts;
        (first..NODE_COUNT).min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(NODE_COUNT - 1)
    }

    /// B at some hours within the stretch that ends with a node.
    fn cost_at(&self, path: &Path, hours: &HourPrices, price: f32, (node, at_h): (usize, f32)) -> f32 {
        let (posts, hour) = path.within(node, at_h);
        let next = self.next(path, node, posts);
        let wait_h = (path.grid.nodes_h[next] - at_h) * posts;
        price * hours.factor(usize::from(hour)) as f32 + self.costs[next] - wait_h
    }
}

/// What a visit costs at each node.
#[inline(always)]
fn prices(path: &Path, hours: &HourPrices, price: f32) -> [f32; NODE_COUNT] {
    let by_hour: [f32; 32] = std::array::from_fn(|hour| price * hours.factor(hour) as f32);
    std::array::from_fn(|node| by_hour[usize::from(path.clock[node]) % 32])
}

/// Tries visits at some later nodes, of these costs, for all nodes before them.
#[inline(always)]
fn relax(best: &mut [[f32; LANES]], posts: &[[f32; LANES]], costs: &[f32; LANES], times_h: &[f32; LANES]) {
    for (best, posts) in best.iter_mut().zip(posts) {
        for (cost, at_h) in costs.iter().zip(times_h) {
            *best = std::array::from_fn(|lane| lower(cost - at_h * posts[lane], best[lane]));
        }
    }
}

/// The costs of some nodes next to each other, of which the best visit after all of them is known:
/// the last is certain, and is tried for those before it. One waits for the next here, and nowhere else.
#[inline(always)]
fn settle(
    mut best: [f32; LANES],
    posts: &[f32; LANES],
    prices: &[f32; LANES],
    times_h: &[f32; LANES],
) -> [f32; LANES] {
    let mut costs = [0.0; LANES];
    for node in (0..LANES).rev() {
        costs[node] = prices[node] + times_h[node] * posts[node] + best[node];
        // Those after it are done with: to try it for them too costs nothing.
        best = std::array::from_fn(|lane| lower(costs[node] - times_h[node] * posts[lane], best[lane]));
    }
    costs
}

/// The lower of two numbers, neither of which is odd.
#[inline(always)]
fn lower(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// Hours from one instant to another, never negative.
pub(crate) fn hours(since: Timestamp, until: Timestamp) -> f64 {
    (until - since).max(Span::ZERO).secs_f64() / 3600.0
}

#[cfg(test)]
mod tests;
