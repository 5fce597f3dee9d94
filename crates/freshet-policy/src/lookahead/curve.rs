//! A curve: what is known at some times after a visit, and on straight lines between them.
//!
//! Regrets are kept as curves where many sources are compared again and again without being
//! planned anew. Where the nodes of a plan lie close together they are the times of the curve; where not,
//! the hours of the next day and a half are, because sources are compared by the hour: the cost
//! of a first visit at any time t follows from the nodes after it, B(t) = c(t) + min over k of
//! Bₖ − (uₖ−t)·L(t).

use super::grid::{Grid, NODE_COUNT, TAIL};
use super::{Path, Plan, REFINED_H, lower};
use crate::price::HourPrices;

/// Times of a curve: so many hours and one more are kept.
const TIME_COUNT: usize = 40;

/// Values by hours after a visit.
#[derive(Clone, Debug)]
pub(crate) struct Curve {
    grid: &'static Grid,
    /// When the hours begin; below 0 where the times are those of the grid.
    begin_h: f32,
    values: [f32; TIME_COUNT],
}

impl Curve {
    /// The posts of a path.
    pub(crate) fn of_posts(path: &Path) -> Self {
        Self::of_nodes(path.grid, &path.posts)
    }

    fn of_nodes(grid: &'static Grid, nodes: &[f32; NODE_COUNT]) -> Self {
        let mut values = [0.0; TIME_COUNT];
        values[..NODE_COUNT].copy_from_slice(nodes);
        Self { grid, begin_h: -1.0, values }
    }

    /// The regrets of a plan along a path, from `elapsed_h` on.
    pub(crate) fn of_regrets(plan: &Plan, path: &Path, hours: &HourPrices, elapsed_h: f64) -> Self {
        let (grid, begin_h) = (path.grid, elapsed_h as f32);
        let (first, _) = grid.node_after(elapsed_h);
        let mut curve = Self::of_nodes(grid, &plan.regrets());
        if grid.steps_h[first] <= REFINED_H || first >= TAIL {
            return curve;
        }
        curve.begin_h = begin_h;
        let end_h = begin_h + (TIME_COUNT - 1) as f32;
        let mut node = grid.nodes_h.partition_point(|node_h| *node_h <= end_h).min(NODE_COUNT - 1);
        let mut least = plan.costs[node..].iter().copied().fold(f32::INFINITY, lower);
        for step in (0..TIME_COUNT).rev() {
            let at_h = begin_h + step as f32;
            while node > 1 && grid.nodes_h[node - 1] >= at_h {
                node -= 1;
            }
            let cost = plan.cost_at(path, hours, (node, at_h));
            curve.values[step] = least - cost;
            least = lower(least, cost);
        }
        curve
    }

    /// Up to so many hours after the visit it is more than a guess.
    pub(crate) fn end_h(&self) -> f64 {
        let hours_h = self.begin_h + (TIME_COUNT - 1) as f32;
        f64::from(if self.begin_h < 0.0 { self.grid.nodes_h[TAIL] } else { hours_h })
    }

    /// The value at so many hours after the visit.
    pub(crate) fn at(&self, hours: f64) -> f64 {
        let (node, share) = if self.begin_h < 0.0 {
            self.grid.node_after(hours)
        } else {
            let since_h = (hours as f32 - self.begin_h).max(0.0);
            let node = (since_h as usize).min(TIME_COUNT - 2);
            (node + 1, since_h - node as f32)
        };
        f64::from(self.values[node - 1] * (1.0 - share) + self.values[node] * share)
    }
}
