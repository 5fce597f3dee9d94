//! Grids: at which times after a visit a plan looks, by how long the source can wait.
//!
//! A plan needs fine steps up to its first visit, coarser ones up to the third or so, and nothing
//! beyond: what follows is a steady cycle. So every grid has the same [`NODE_COUNT`] nodes in
//! units of its own, a power of two, and the unit follows from the *reach* of a source: the time
//! until the waiting of its posts equals the price. At a constant rate that is the best gap.
//!
//! | nodes, in units | apart |
//! |---|--:|
//! | 0 to 16 | 1 |
//! | to 32 | 2 |
//! | to 48, where visits are taken to follow each other steadily | 4 |
//! | to 64 | 8 |
//! | 80 | 16 |
//!
//! A reach is 6 to 12 units long, so steps around it are a sixth of it or less; around that
//! place the cost of a visit is flat, and between nodes its minimum is read off a parabola. Steps
//! must be as fine around the second visit: where they are coarser, rates with a strong daily cycle
//! cost several percent more (docs/results/known-rates.md shows how far from the bound this grid is).

use crate::mixture::{self, HORIZON_COUNT};

/// Nodes of a plan, the visit that it follows included.
pub(crate) const NODE_COUNT: usize = 32;
/// From this node on, what follows is taken as a steady cycle.
pub(crate) const TAIL: usize = 28;
/// Grids.
const GRID_COUNT: usize = 13;
/// The unit of the first grid: a minute, nearly. Each next one is twice as long, up to 64 h.
const UNIT_H_MIN: f32 = 1.0 / 64.0;
/// Units that a reach has at least.
const REACH_UNITS: f32 = 6.0;
/// Where steps end and how long they are before, in units.
const STEPS: [(u16, u16); 5] = [(16, 1), (32, 2), (48, 4), (64, 8), (80, 16)];

/// Times after a visit.
#[derive(Debug)]
pub(crate) struct Grid {
    /// Hours of each node after the visit.
    pub(crate) nodes_h: [f32; NODE_COUNT],
    /// Hours from the node before.
    pub(crate) steps_h: [f32; NODE_COUNT],
    /// One by the hours from the node before.
    pub(crate) steps_per_h: [f32; NODE_COUNT],
    /// The horizon in which each node lies, or which it ends.
    pub(crate) horizons: [u32; NODE_COUNT],
}

/// All grids, from fine to coarse.
static GRIDS: [Grid; GRID_COUNT] = grids();

impl Grid {
    /// The grid for a source that can wait so long; what is no time can wait for ever.
    #[inline(always)]
    pub(crate) fn for_reach(reach_h: f32) -> &'static Self {
        let unit_h = reach_h / REACH_UNITS;
        // Powers of two up to the unit, read off its exponent: an infinite one has the largest.
        let doublings = i64::from(exponent(unit_h)) - i64::from(exponent(UNIT_H_MIN));
        &GRIDS[(doublings.max(0) as usize).min(GRID_COUNT - 1)]
    }

    /// The node after so many hours, and how far it is to it; beyond the last node, on from there.
    #[inline]
    pub(crate) fn node_after(&self, hours: f64) -> (usize, f32) {
        let hours = hours as f32;
        let node = self.nodes_h.partition_point(|node| *node < hours * (1.0 - 1e-6)).clamp(1, NODE_COUNT - 1);
        (node, (hours - self.nodes_h[node - 1]) / self.steps_h[node])
    }
}

/// The exponent of a positive number; a large one of what is not a number.
#[inline(always)]
fn exponent(value: f32) -> u32 {
    (value.to_bits() << 1) >> 24
}

const fn grids() -> [Grid; GRID_COUNT] {
    const EMPTY: Grid = Grid {
        nodes_h: [0.0; NODE_COUNT],
        steps_h: [0.0; NODE_COUNT],
        steps_per_h: [0.0; NODE_COUNT],
        horizons: [0; NODE_COUNT],
    };
    let (mut grids, mut grid) = ([EMPTY; GRID_COUNT], 0);
    while grid < GRID_COUNT {
        let unit_h = UNIT_H_MIN * (1 << grid) as f32;
        let (mut node, mut at, mut step) = (1, 0, 0);
        while step < STEPS.len() {
            while at < STEPS[step].0 {
                at += STEPS[step].1;
                grids[grid].nodes_h[node] = at as f32 * unit_h;
                grids[grid].steps_h[node] = STEPS[step].1 as f32 * unit_h;
                grids[grid].steps_per_h[node] = 1.0 / grids[grid].steps_h[node];
                grids[grid].horizons[node] = horizon(grids[grid].nodes_h[node] as f64) as u32;
                node += 1;
            }
            step += 1;
        }
        assert!(node == NODE_COUNT, "as many nodes as the steps make");
        grid += 1;
    }
    grids
}

const fn horizon(hours: f64) -> usize {
    let mut horizon = 0;
    while horizon + 1 < HORIZON_COUNT && hours > mixture::EDGES_H[horizon + 1] {
        horizon += 1;
    }
    horizon
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reach_lies_among_the_fine_nodes() {
        for reach_h in [0.2_f32, 0.9, 3.0, 14.0, 50.0, 200.0] {
            let unit_h = Grid::for_reach(reach_h).nodes_h[1];
            assert!((6.0..12.0).contains(&(reach_h / unit_h)), "{reach_h} in units of {unit_h}");
        }
        for (reach_h, unit_h) in [(0.0, UNIT_H_MIN), (1e-30, UNIT_H_MIN), (1e30, 64.0), (f32::NAN, 64.0)] {
            let got = Grid::for_reach(reach_h).nodes_h[1];
            assert!((got - unit_h).abs() < 1e-9, "{reach_h}: {got}");
        }
    }

    #[test]
    fn times_find_their_nodes() {
        let grid = Grid::for_reach(6.0);
        assert!((grid.nodes_h[TAIL] - 48.0).abs() < 1e-6);
        let rows = [(0.0, 1, 0.0), (1.0, 1, 1.0), (1.5, 2, 0.5), (19.0, 18, 0.5), (112.0, 31, 3.0)];
        for (hours, node, share) in rows {
            let (got, got_share) = grid.node_after(hours);
            assert!(got == node && (got_share - share).abs() < 1e-5, "{hours}: {got} {got_share}");
        }
    }
}
