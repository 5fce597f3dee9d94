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
//! | cₖ = price · hour factor | [`Plan::weigh`] |
//! | Bⱼ | `costs` |
//! | Aⱼ | `regrets`; kept as a [`curve`] |
//!
//! Where a plan ends, visits follow each other steadily, T = √(2·price/rate) apart: one that comes
//! when more posts have gathered saves each of them from T, V = −T·L. (dV/du = −λ(u)·(time to
//! the next visit) holds for any plan; the last time is taken as constant.) Minima are taken by
//! trying all later nodes, four for four at a time: for thirty nodes that is less work than being
//! clever, and has no branches. Nothing is allocated.

mod curve;
mod fare;
pub(crate) mod grid;
mod grouped;
mod outlook;

use freshet_types::{Span, Timestamp};
use pulp::{Scalar, Simd};

use crate::price::HourPrices;

pub(crate) use curve::Curve;
pub use fare::Fare;
pub(crate) use fare::chance;
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
/// The numbers of the nodes.
const PLACES: [f32; NODE_COUNT] = places();

/// What each first visit costs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// B: posts times hours; only differences matter.
    costs: [f32; NODE_COUNT],
    /// What of it does not depend on the visits after it; with groups, what all costs but the first look.
    own: [f32; NODE_COUNT],
    fare: Fare,
    /// The first of them that is known.
    first: usize,
    /// The first visit that is not regretted, of those that were asked for.
    due: Option<usize>,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            costs: [0.0; NODE_COUNT],
            own: [0.0; NODE_COUNT],
            fare: Fare::single(0.0),
            first: 1,
            due: None,
        }
    }
}

impl Plan {
    /// Plans along a path, for times from `elapsed_h` on.
    #[inline(always)]
    pub fn make<S: Simd>(&mut self, simd: S, path: &Path, hours: &HourPrices, fare: Fare, elapsed_h: f64) {
        let asked = path.grid.node_after(elapsed_h).0;
        self.fare = fare;
        self.first = asked.saturating_sub(2).clamp(1, TAIL);
        if fare.is_grouped() {
            self.make_grouped(path, hours);
        } else {
            self.make_single(simd, path, hours);
        }
        self.due = self.due_node(simd, asked);
    }

    /// The costs where every look is a visit.
    #[inline(always)]
    fn make_single<S: Simd>(&mut self, simd: S, path: &Path, hours: &HourPrices) {
        let (nodes_h, posts) = (&path.grid.nodes_h, &path.posts);
        let price = self.fare.visit;
        self.end(path, hours, price);
        self.weigh(simd, path, hours, price);
        let own = &self.own;
        let ((costs, _), (times_h, _)) = (self.costs.as_chunks_mut(), nodes_h.as_chunks());
        let ((chunks, _), (own, _)) = (posts.as_chunks(), own.as_chunks());
        let mut best = [f32::INFINITY; NODE_COUNT];
        for chunk in TAIL / LANES..NODE_COUNT / LANES {
            relax(simd, &mut best, posts, &costs[chunk], &times_h[chunk]);
        }
        for chunk in (self.first / LANES..TAIL / LANES).rev() {
            costs[chunk] = settle(best.as_chunks().0[chunk], &chunks[chunk], &own[chunk], &times_h[chunk]);
            // Where more are tried at a time, some are settled already: to try for them too costs nothing.
            let before = (chunk * LANES).next_multiple_of(S::F32_LANES);
            relax(simd, &mut best[..before], posts, &costs[chunk], &times_h[chunk]);
        }
    }

    /// Costs of first visits so late that what follows is a steady cycle.
    #[inline(always)]
    fn end(&mut self, path: &Path, hours: &HourPrices, price: f32) {
        let (grid, posts) = (path.grid, &path.posts);
        let price_at = |node: usize| price * hours.factor(path.clock[node] as usize) as f32;
        let last = NODE_COUNT - 1;
        let per_h = (posts[last] - posts[TAIL]) / (grid.nodes_h[last] - grid.nodes_h[TAIL]);
        let saved_h = if per_h > 0.0 { (2.0 * price / per_h).sqrt() } else { 0.0 };
        let mut wait_h = 0.0;
        self.costs[TAIL] = price_at(TAIL);
        for node in TAIL + 1..NODE_COUNT {
            wait_h += grid.steps_h[node] * 0.5 * (posts[node - 1] + posts[node]);
            self.costs[node] = wait_h + price_at(node) - saved_h * (posts[node] - posts[TAIL]);
        }
    }

    /// What a visit at each node costs without those after it: its price, and the waiting of posts.
    #[inline(always)]
    fn weigh<S: Simd>(&mut self, simd: S, path: &Path, hours: &HourPrices, price: f32) {
        if hours.is_flat() {
            self.own.fill(price);
        } else {
            let by_hour: [f32; 32] = std::array::from_fn(|hour| price * hours.factor(hour) as f32);
            for (own, hour) in self.own.iter_mut().zip(&path.clock) {
                *own = by_hour[*hour as usize % 32];
            }
        }
        let waits = S::as_simd_f32s(&path.grid.nodes_h).0.iter().zip(S::as_simd_f32s(&path.posts).0);
        for (own, (at_h, posts)) in S::as_mut_simd_f32s(&mut self.own).0.iter_mut().zip(waits) {
            *own = simd.add_f32s(*own, simd.mul_f32s(*at_h, *posts));
        }
    }

    /// The calls of a look that finds so many posts in the mean: less than one where it may be a probe.
    pub(crate) fn calls(&self, posts: f32) -> f64 {
        if self.fare.is_grouped() { f64::from(self.fare.look(posts) / self.fare.visit) } else { 1.0 }
    }

    /// A: posts times hours, above zero where a visit is due.
    fn regrets(&self) -> [f32; NODE_COUNT] {
        let (mut regrets, first, last) = ([0.0; NODE_COUNT], self.first, NODE_COUNT - 1);
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
        regrets
    }

    /// The first node from `first` on whose regret is not below zero: the first of the cheapest visits. The last node
    /// has no later one to be cheaper than, and is one only where its regret says so.
    #[inline(always)]
    fn due_node<S: Simd>(&self, simd: S, first: usize) -> Option<usize> {
        let (due, last) = (first_least(simd, &self.costs, first), NODE_COUNT - 1);
        (due < last || self.regrets()[last] >= 0.0).then_some(due)
    }

    /// When a visit is due, in hours after the one before and not before `elapsed_h`; all are those
    /// that the plan was made of.
    #[inline(always)]
    pub fn due_h<S: Simd>(&self, simd: S, path: &Path, hours: &HourPrices, elapsed_h: f64) -> Option<f64> {
        let (grid, node) = (path.grid, self.due?);
        let due_h = if node == 1 && self.fare.backlog > 0.0 {
            0.0 // What waits for no more posts waits for nothing.
        } else if node == NODE_COUNT - 1 {
            grid.nodes_h[node]
        } else if grid.steps_h[node] > REFINED_H {
            self.best_hour(simd, path, hours, node)
        } else {
            self.vertex(grid, node)
        };
        Some(f64::from(due_h).max(elapsed_h))
    }

    /// In how many hours before and after a visit at `due_h` lateness changes by 1 ([`crate::slack`]), from what visits
    /// `step_h` away cost more; path and prices are those of the plan, which covers both.
    pub(crate) fn slack_h(&self, path: &Path, hours: &HourPrices, (due_h, step_h): (f64, f64)) -> (f64, f64) {
        let price_h = f64::from(self.fare.visit);
        let cost = |at_h: f64| {
            let node = path.grid.nodes_h.partition_point(|node_h| f64::from(*node_h) < at_h);
            let node = node.clamp(1, NODE_COUNT - 1);
            f64::from(self.cost_at(path, hours, (node, at_h as f32)))
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
    #[inline(always)]
    fn best_hour<S: Simd>(&self, simd: S, path: &Path, hours: &HourPrices, node: usize) -> f32 {
        let (grid, next) = (path.grid, self.next(simd, path, hours, (node + 1, path.posts[node])));
        let (mut best, mut best_h) = (self.costs[node], grid.nodes_h[node]);
        for stretch in [node, node + 1] {
            let try_count = grid.steps_h[stretch].min(TRIES_MAX);
            let step_h = grid.steps_h[stretch] / try_count;
            for step in 1..try_count as u16 {
                let at_h = grid.nodes_h[stretch - 1] + step_h * f32::from(step);
                let (posts, hour) = path.within(stretch, at_h);
                // The visit after it stays the same.
                let price = self.fare.first(posts) * hours.factor(usize::from(hour)) as f32;
                let cost = price + self.after(path, hours, next, (at_h, posts));
                if cost < best {
                    (best, best_h) = (cost, at_h);
                }
            }
        }
        best_h
    }

    /// The best look at `first` or later, if so many posts were seen by the one before.
    #[inline(always)]
    fn next<S: Simd>(&self, simd: S, path: &Path, hours: &HourPrices, (first, posts): (usize, f32)) -> usize {
        if self.fare.is_grouped() {
            return self.next_grouped(path, hours, first, posts);
        }
        let (mut costs, posts) = (self.costs, simd.splat_f32s(posts));
        let times_h = S::as_simd_f32s(&path.grid.nodes_h).0;
        for (cost, at_h) in S::as_mut_simd_f32s(&mut costs).0.iter_mut().zip(times_h) {
            *cost = simd.sub_f32s(*cost, simd.mul_f32s(*at_h, posts));
        }
        first_least(simd, &costs, first)
    }

    /// What a look at `at_h` that has seen so many posts costs but its price, if the next is at a node: Bₖ − (uₖ−t)·L.
    #[inline(always)]
    fn after(&self, path: &Path, hours: &HourPrices, next: usize, (at_h, posts): (f32, f32)) -> f32 {
        let cost =
            if self.fare.is_grouped() { self.cost_after(path, hours, next, posts) } else { self.costs[next] };
        cost - (path.grid.nodes_h[next] - at_h) * posts
    }

    /// B at some hours within the stretch that ends with a node.
    fn cost_at(&self, path: &Path, hours: &HourPrices, (node, at_h): (usize, f32)) -> f32 {
        let (posts, hour) = path.within(node, at_h);
        let next = self.next(Scalar::new(), path, hours, (node, posts));
        let price = self.fare.first(posts) * hours.factor(usize::from(hour)) as f32;
        price + self.after(path, hours, next, (at_h, posts))
    }
}

/// The first of the least values, from a place on.
#[inline(always)]
fn first_least<S: Simd>(simd: S, values: &[f32; NODE_COUNT], first: usize) -> usize {
    let (values, places) = (S::as_simd_f32s(values).0, S::as_simd_f32s(&PLACES).0);
    let (first, none) = (simd.splat_f32s(first as f32), simd.splat_f32s(f32::INFINITY));
    let asked = |value, place| simd.select_f32s(simd.less_than_or_equal_f32s(first, place), value, none);
    let mut least = none;
    for (value, place) in values.iter().zip(places) {
        least = simd.min_f32s(asked(*value, *place), least);
    }
    let (least, mut found) = (simd.splat_f32s(simd.reduce_min_f32s(least)), none);
    for (value, place) in values.iter().zip(places) {
        let is_least = simd.less_than_or_equal_f32s(asked(*value, *place), least);
        found = simd.min_f32s(simd.select_f32s(is_least, *place, none), found);
    }
    (simd.reduce_min_f32s(found) as usize).min(NODE_COUNT - 1)
}

/// Tries visits at some later nodes, of these costs, for all nodes before them.
#[inline(always)]
fn relax<S: Simd>(
    simd: S,
    best: &mut [f32],
    posts: &[f32; NODE_COUNT],
    costs: &[f32; LANES],
    times_h: &[f32; LANES],
) {
    for (best, posts) in S::as_mut_simd_f32s(best).0.iter_mut().zip(S::as_simd_f32s(posts).0) {
        for (cost, at_h) in costs.iter().zip(times_h) {
            let waited = simd.mul_f32s(simd.splat_f32s(*at_h), *posts);
            *best = simd.min_f32s(simd.sub_f32s(simd.splat_f32s(*cost), waited), *best);
        }
    }
}

/// The costs of some nodes next to each other, of which the best visit after all of them is known:
/// the last is certain, and is tried for those before it. One waits for the next here, and nowhere else.
#[inline(always)]
fn settle(
    mut best: [f32; LANES],
    posts: &[f32; LANES],
    own: &[f32; LANES],
    times_h: &[f32; LANES],
) -> [f32; LANES] {
    let mut costs = [0.0; LANES];
    for node in (0..LANES).rev() {
        costs[node] = own[node] + best[node];
        for before in 0..node {
            best[before] = lower(costs[node] - times_h[node] * posts[before], best[before]);
        }
    }
    costs
}

const fn places() -> [f32; NODE_COUNT] {
    let (mut places, mut node) = ([0.0; NODE_COUNT], 0);
    while node < NODE_COUNT {
        places[node] = node as f32;
        node += 1;
    }
    places
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
