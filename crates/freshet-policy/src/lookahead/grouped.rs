//! The look-ahead where a call may ask about many sources: the price of a look depends on what gathered since the one before.
//!
//! With E for what all costs but the first look ([`super`] has B = c + E):
//!
//! Eⱼ = uⱼ·Lⱼ + min over k>j of (Eₖ + f(Lₖ − Lⱼ) − uₖ·Lⱼ),  Bⱼ = Eⱼ + f(Lⱼ)
//!
//! The steady cycle at the end saves each post from T, the gap that the timing price gives, and from the rise of the fare,
//! f′: V = −(T + f′)·L. See [`super::fare`] for f. Plain loops: grouped plans are made at looks, not for every comparison.

use super::grid::{NODE_COUNT, TAIL};
use super::{Path, Plan};
use crate::price::HourPrices;

/// Rounds in which the steady gap and its timing price find each other.
const STEADY_STEPS: usize = 4;

impl Plan {
    /// The costs where a look may be a probe.
    pub(super) fn make_grouped(&mut self, path: &Path, hours: &HourPrices) {
        let (nodes_h, posts) = (&path.grid.nodes_h, &path.posts);
        self.end_grouped(path);
        for node in (self.first..TAIL).rev() {
            let (at_h, seen) = (nodes_h[node], posts[node]);
            let next = self.next_grouped(path, hours, node + 1, seen);
            self.own[node] = self.cost_after(path, hours, next, seen) - (nodes_h[next] - at_h) * seen;
        }
        let looks = self.own.iter().zip(posts).zip(&path.clock);
        for (cost, ((own, posts), hour)) in self.costs.iter_mut().zip(looks).skip(self.first) {
            *cost = own + self.fare.first(*posts) * hours.factor(*hour as usize) as f32;
        }
    }

    /// What first looks cost, but their fare, that come so late that what follows is a steady cycle.
    fn end_grouped(&mut self, path: &Path) {
        let (grid, posts, last) = (path.grid, &path.posts, NODE_COUNT - 1);
        let per_h = (posts[last] - posts[TAIL]) / (grid.nodes_h[last] - grid.nodes_h[TAIL]);
        let (mut gap_h, mut price) = (0.0, self.fare.visit);
        if per_h > 0.0 {
            for _ in 0..STEADY_STEPS {
                gap_h = (2.0 * price / per_h).sqrt();
                price = self.fare.timing(per_h * gap_h);
            }
        }
        let saved_h = gap_h + self.fare.slope(per_h * gap_h);
        let mut wait_h = 0.0;
        self.own[TAIL] = 0.0;
        for node in TAIL + 1..NODE_COUNT {
            wait_h += grid.steps_h[node] * 0.5 * (posts[node - 1] + posts[node]);
            self.own[node] = wait_h - saved_h * (posts[node] - posts[TAIL]);
        }
    }

    /// The best look at `first` or later after one that saw so many posts.
    pub(super) fn next_grouped(&self, path: &Path, hours: &HourPrices, first: usize, posts: f32) -> usize {
        let first = first.min(NODE_COUNT - 1);
        let (mut best, mut least) = (first, f32::INFINITY);
        for node in first..NODE_COUNT {
            let cost = self.cost_after(path, hours, node, posts) - path.grid.nodes_h[node] * posts;
            if cost < least {
                (best, least) = (node, cost);
            }
        }
        best
    }

    /// B of a node, if it follows a look that saw so many posts.
    #[inline(always)]
    pub(super) fn cost_after(&self, path: &Path, hours: &HourPrices, next: usize, posts: f32) -> f32 {
        let factor = hours.factor(path.clock[next] as usize) as f32;
        self.own[next] + self.fare.look((path.posts[next] - posts).max(0.0)) * factor
    }
}
