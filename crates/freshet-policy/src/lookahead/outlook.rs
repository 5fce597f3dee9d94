//! An outlook: a change model that a plan can be made along.

use freshet_types::{Span, Timestamp};

use super::{NODE_COUNT, NODES_H, Path, horizon_before};
use crate::Pool;
use crate::change::week::{Week, hour_of_week};
use crate::change::{ChangeModel, Known, Levels};

/// Gives what gathers after a visit.
pub trait Outlook: ChangeModel {
    /// What gathers at every node after a visit at `since`, at a rate that is nowhere less than
    /// `floor_per_h`.
    fn path(&self, pool: &Pool, since: Timestamp, floor_per_h: f64, path: &mut Path);
    /// The hours of the source.
    fn week(&self, pool: &Pool) -> Week;
}

impl Outlook for Levels {
    fn path(&self, pool: &Pool, since: Timestamp, floor_per_h: f64, path: &mut Path) {
        let (week, begin_h) = (self.week(pool), hour_of_week(since));
        let rates = self.rates(pool).map(|rate| {
            let (shaped, flat) = (f64::from(rate.shaped_per_h), f64::from(rate.flat_per_h));
            (shaped, flat.max(floor_per_h - shaped))
        });
        let mut before = week.until(begin_h);
        for node in 1..NODE_COUNT {
            let (low_h, high_h) = (NODES_H[node - 1], NODES_H[node]);
            let (shaped_per_h, flat_per_h) = rates[horizon_before(node)];
            let after = week.until(begin_h + high_h);
            let mass_h = after.0 - before.0;
            let first_h2 = after.1 - before.1 - begin_h * mass_h;
            let span_h = high_h - low_h;
            path.posts[node] = path.posts[node - 1] + shaped_per_h * mass_h + flat_per_h * span_h;
            let flat_h2 = span_h * f64::midpoint(low_h, high_h);
            path.moments_h[node] = path.moments_h[node - 1] + shaped_per_h * first_h2 + flat_per_h * flat_h2;
            before = after;
        }
    }

    fn week(&self, pool: &Pool) -> Week {
        Self::week(self, pool)
    }
}

impl Outlook for Known {
    fn path(&self, pool: &Pool, since: Timestamp, floor_per_h: f64, path: &mut Path) {
        let more_per_h = (floor_per_h - self.rate_per_s(pool) * 3600.0).max(0.0);
        for (node, node_h) in NODES_H.into_iter().enumerate() {
            let until = since + Span::HOUR * node_h;
            let posts = self.posts(pool, since, until);
            let wait_h = self.wait_s(pool, since, until) / 3600.0;
            path.posts[node] = posts + more_per_h * node_h;
            path.moments_h[node] = node_h * posts - wait_h + more_per_h * node_h * node_h / 2.0;
        }
    }

    fn week(&self, _pool: &Pool) -> Week {
        Week::of(self.shape())
    }
}
